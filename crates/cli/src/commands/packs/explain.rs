use ai_assist_admit::{Explanation, Verdict};
use ai_assist_base::RealPath;

use super::chosen::{chosen_at, inside};
use crate::args::{ExplainArgs, Which};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &ExplainArgs) -> Result<Outcome> {
    let place = context.folder.join(&args.path);
    let root = root(context, args, &place);
    let (include, exclude, allow) = (args.include.clone(), args.exclude.clone(), args.allow.clone());
    let which = Which { include, exclude, allow, ..Which::default() };
    let chosen = chosen_at(context, &root, &which)?;
    let path = inside(&chosen.choice.root, &place)?;
    let explained = chosen.explain(&path)?;
    context.terminal.show(
        || json!({ "root": chosen.choice.root.display().to_string(), "explanation": explained }),
        || say(context, &explained),
    )?;
    Ok(if explained.verdict == Verdict::Included { Outcome::Done } else { Outcome::Partial })
}

/// The folder that a pack would be made of: the current one if that is in a project, otherwise the project around the path.
fn root(context: &Context, args: &ExplainArgs, place: &Path) -> PathBuf {
    if let Some(root) = &args.root {
        return context.folder.join(root);
    }
    let folder = context.folder.real_path().unwrap_or_else(|_| context.folder.clone());
    let is_project = |folder: &&Path| folder.join(".git").exists() || folder.join("context.json").exists();
    let lies_here = inside(&folder, place).is_ok();
    if lies_here && folder.ancestors().any(|above| is_project(&above)) {
        return folder;
    }
    let of_path = place.ancestors().skip(1).find(is_project);
    let otherwise = || if lies_here { Some(folder.as_path()) } else { place.parent() };
    of_path.or_else(otherwise).unwrap_or(&folder).to_owned()
}

fn say(context: &Context, explained: &Explanation) -> Result<()> {
    let path = one_line(explained.path.as_str());
    let missing = if explained.exists { "" } else { " (it is not there; this goes by its name)" };
    match (explained.verdict, explained.reason) {
        (Verdict::Included, _) if explained.is_folder => {
            context.terminal.say(format!("{path} is entered; each file in it is decided on its own"))?;
        }
        (Verdict::Included, _) => {
            let how = if explained.allowed { ", because it is allowed by hand" } else { "" };
            context.terminal.say(format!("{path} is included{how}{missing}"))?;
        }
        (Verdict::Excluded, reason) => {
            let why = reason.map_or("is left out", |reason| reason.describe());
            context.terminal.say(format!("{path} is left out: it {why}{missing}"))?;
            if explained.at != explained.path {
                context.terminal.say(format!("  decided at: {}", one_line(explained.at.as_str())))?;
            }
        }
    }
    if !explained.rule.is_empty() {
        context.terminal.say(format!("  rule: {}", one_line(&explained.rule)))?;
    }
    if let Some(origin) = &explained.origin {
        context.terminal.say(format!("  from: {}", one_line(origin)))?;
    }
    for redaction in &explained.redactions {
        context.terminal.say(format!(
            "  taken out: {} by the rule {}",
            count(redaction.count, "value"),
            redaction.rule
        ))?;
    }
    Ok(())
}
