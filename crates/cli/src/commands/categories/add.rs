use ai_assist_app::Target;
use ai_assist_collections::{CategorySpec, ProjectConfig};

use crate::args::CategoryAdd;
use crate::commands::collections::add::relative;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: CategoryAdd) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let dir = match &args.dir {
        Some(dir) => in_project(context, dir, &target.root)?,
        None => args.name.clone(),
    };
    let category = CategorySpec { dir, patterns: args.pattern, description: args.description };
    let edited = target.edit(|edit| edit.add_category(&args.name, &category))?;
    print(context, &target, "Added", &args.name, &edited.after)
}

/// A folder, given relative to the current one, as the configuration has it.
pub(crate) fn in_project(context: &Context, dir: &str, root: &Path) -> Result<String> {
    let path = relative(&context.folder.join(dir), root)?;
    Ok(path.strip_prefix("./").unwrap_or(&path).to_owned())
}

/// Says what a category is now.
pub(crate) fn print(
    context: &Context,
    target: &Target,
    done: &str,
    name: &str,
    config: &ProjectConfig,
) -> Result<Outcome> {
    let Some(category) = config.category(name) else { return Ok(Outcome::Done) };
    let folder = target.root.join(&category.dir);
    if !folder.is_dir() {
        context.terminal.warn(format!("{} is not a folder yet", folder.display()))?;
    }
    if context.terminal.json {
        let value = json!({ "name": name, "category": category, "file": target.file });
        context.terminal.json(&value)?;
    } else if !context.terminal.quiet {
        context.terminal.say(format!("{done} {name}: {} ({})", category.dir, category.patterns.join(", ")))?;
        context.terminal.note(format!("Next: ai-assist collections sync {name}"))?;
    }
    Ok(Outcome::Done)
}
