use anyhow::Result;

use crate::args::Completions;
use crate::commands::Outcome;
use crate::complete::registration;

pub(crate) fn run(args: &Completions) -> Result<Outcome> {
    std::io::Write::write_all(&mut std::io::stdout().lock(), &registration(args.shell)?)?;
    Ok(Outcome::Done)
}
