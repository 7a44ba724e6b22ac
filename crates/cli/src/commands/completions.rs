use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::commands::Outcome;

pub(crate) fn run(args: &Completions) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ai-assist", &mut text);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &text)?;
    Ok(Outcome::Done)
}
