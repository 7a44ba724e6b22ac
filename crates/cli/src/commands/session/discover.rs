use super::place::{agent_path, how, input_text};
use super::read::report;
use crate::args::Change;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, named: &[PathBuf], change: &Change) -> Result<Outcome> {
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
    let met = session.discover(&paths, &how(change, None))?;
    report(context, session.name(), &met)
}
