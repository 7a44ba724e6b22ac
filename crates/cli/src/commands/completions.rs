use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::commands::Outcome;

pub(crate) fn run(args: &Completions) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ai-assist", &mut text);
    // For a name with a hyphen, clap_complete 4.6 names the states of its bash script in two ways, and never meets them.
    let text = String::from_utf8(text)?.replace("ai__subcmd__assist", "ai__assist");
    std::io::Write::write_all(&mut std::io::stdout().lock(), text.as_bytes())?;
    Ok(Outcome::Done)
}
