use ai_assist_collections::schemas;

use crate::args::Global;
use crate::commands::prelude::*;

pub(crate) fn run(global: &Global, name: &str) -> Result<Outcome> {
    let mut all = schemas().into_iter().chain(ai_assist_workspace::schemas());
    let schema = all.find(|schema| schema.name == name).context("there is no such schema")?;
    Terminal::new(global).write(&schema.text)?;
    Ok(Outcome::Done)
}
