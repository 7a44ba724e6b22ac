use ai_assist_collections::schemas;
use anyhow::{Context as _, Result};

use crate::args::{Global, Schema, SchemaName};
use crate::commands::Outcome;
use crate::terminal::Terminal;

pub(crate) fn run(global: &Global, args: &Schema) -> Result<Outcome> {
    let name = match args.name {
        SchemaName::Context => "context",
        SchemaName::Manifest => "manifest",
        SchemaName::Lock => "lock",
        SchemaName::Registry => "registry",
    };
    let schema = schemas().into_iter().find(|schema| schema.name == name).context("there is no such schema")?;
    Terminal { json: global.json, quiet: global.quiet }.write(&schema.text)?;
    Ok(Outcome::Done)
}
