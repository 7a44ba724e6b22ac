use ai_assist_collections::{Step, SyncOptions, silent};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, name: &str) -> Result<Outcome> {
    let members = context.named_members(&[name.to_owned()])?;
    let mut library = context.library()?;
    let options = SyncOptions { dry_run: true, ..context.sync_options()? };
    let mut whole = true;
    for member in &members {
        let report = library.sync(member, &options, &mut silent, &cancel())?;
        whole &= report.problems.is_empty();
        for problem in &report.problems {
            context.terminal.warn(format!("{} {}", one_line(&problem.path), one_line(&problem.reason)))?;
        }
        if context.terminal.json {
            let paths = |wanted: Step| -> Vec<&str> {
                report.changes.iter().filter(|(step, _)| *step == wanted).map(|(_, path)| path.as_str()).collect()
            };
            context.terminal.json(&json!({
                "name": report.name, "id": report.id, "added": paths(Step::Add), "updated": paths(Step::Update),
                "removed": paths(Step::Remove), "problems": report.problems,
            }))?;
            continue;
        }
        for (step, path) in &report.changes {
            let sign = match step {
                Step::Add => '+',
                Step::Update => '~',
                Step::Remove => '-',
            };
            context.terminal.say(format!("{sign} {}", one_line(path)))?;
        }
        if report.changes.is_empty() {
            context.terminal.note(format!("Nothing has changed since the last sync of {}", member.name))?;
        }
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}
