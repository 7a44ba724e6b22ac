use ai_assist_app::Locks;
use ai_assist_identity::CollectionKind;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, names: &[String]) -> Result<Outcome> {
    let members = context.named_members(names)?;
    let library = context.library()?;
    let locks = Locks::load(context)?;
    let mut answers = Vec::new();
    let mut whole = true;
    for member in members.iter().filter(|member| member.spec.kind() != CollectionKind::File) {
        let (problem, drift, files) = match locks.get(member) {
            None => (Some(format!("{} has no entry for it", locks.file(member).display())), None, 0),
            Some(locked) => match library.verify(member, &locked) {
                Ok(None) => (None, None, locked.files.len()),
                Ok(Some(drift)) => (Some(drift.to_string()), Some(drift), locked.files.len()),
                Err(error) => (Some(error.to_string()), None, locked.files.len()),
            },
        };
        whole &= problem.is_none();
        context.terminal.tell(match &problem {
            None => format!("✓ {}: {} as locked", member.name, count(files, "document")),
            Some(problem) => format!("✗ {}: {}", member.name, one_line(problem)),
        })?;
        answers.push(json!({
            "name": member.name, "ok": problem.is_none(), "files": files, "problem": problem, "drift": drift,
        }));
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": answers }))?;
    } else if answers.is_empty() {
        context.terminal.note("No packages or websites; a lock names only these")?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}
