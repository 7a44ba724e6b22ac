use std::path::{Path, PathBuf};

use anyhow::Result;

use super::place::{agent_path, how, input_text};
use super::read::report;
use crate::args::SessionDiscover;
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &SessionDiscover) -> Result<Outcome> {
    let mut session = context.session(&args.change.session)?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        if path == Path::new("-") {
            let listed = input_text(path)?;
            let named = listed.lines().filter(|line| !line.trim().is_empty());
            paths.extend(named.map(|line| agent_path(context, &session, Path::new(line))));
        } else {
            paths.push(agent_path(context, &session, path));
        }
    }
    let met = session.discover(&paths, &how(&args.change, None))?;
    report(context, session.name(), &met)
}
