//! `read` and `discover`.

use ai_assist_session::{Indexed, ReadFile};

use super::place::{agent_path, how, input, input_text};
use crate::args::{Change, SessionRead};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionRead) -> Result<Outcome> {
    let mut session = context.session(&args.change.session)?;
    if args.content.is_some() && args.paths.len() != 1 {
        bail!("--content is the content of one file, and {} are named", args.paths.len());
    }
    one_file(&args.change, args.paths.len())?;
    let bytes = args.content.as_deref().map(input).transpose()?;
    let file = |path| ReadFile { path: agent_path(context, &session, path), bytes: bytes.clone() };
    let files: Vec<ReadFile> = args.paths.iter().map(|path| file(path)).collect();
    let read = session.read(&files, &how(&args.change, args.at))?;
    report(context, session.name(), &read)
}

pub(crate) fn discover(context: &Context, named: &[PathBuf], change: &Change) -> Result<Outcome> {
    let mut session = context.session(&change.session)?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in named {
        if path == Path::new("-") {
            let listed = input_text(path)?;
            let lines = listed.lines().filter(|line| !line.trim().is_empty());
            paths.extend(lines.map(|line| agent_path(context, &session, Path::new(line))));
        } else {
            paths.push(agent_path(context, &session, path));
        }
    }
    one_file(change, paths.len())?;
    let met = session.discover(&paths, &how(change, None))?;
    report(context, session.name(), &met)
}

fn one_file(change: &Change, named: usize) -> Result<()> {
    if change.expect.is_some() && named != 1 {
        bail!("--expect is the version of one file, and {named} are named");
    }
    Ok(())
}

fn report(context: &Context, session: &str, files: &[Indexed]) -> Result<Outcome> {
    if context.terminal.json {
        context.terminal.json(&json!({ "session": session, "files": files }))?;
        return Ok(Outcome::Done);
    }
    for file in files {
        let redacted = match file.redacted {
            0 => String::new(),
            n => format!("  ({} taken out)", count(n, "secret value")),
        };
        context.terminal.say(format!("{:<9}  {}{redacted}", file.action, one_line(&file.path)))?;
    }
    Ok(Outcome::Done)
}
