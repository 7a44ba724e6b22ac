use ai_assist_collections::schemas;

use crate::args::Global;
use crate::commands::prelude::*;

pub(crate) fn run(global: &Global, name: &str) -> Result<Outcome> {
    let of_collections = schemas().into_iter().map(|schema| (schema.name, schema.text));
    let of_workspaces = ai_assist_workspace::schemas().into_iter().map(|schema| (schema.name, schema.text));
    let mut all = of_collections.chain(of_workspaces);
    let (_, text) = all.find(|(found, _)| *found == name).context("there is no such schema")?;
    Terminal::new(global).write(&text)?;
    Ok(Outcome::Done)
}
