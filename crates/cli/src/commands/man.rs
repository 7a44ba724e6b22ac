use anyhow::{Context as _, Result};
use clap::CommandFactory;

use crate::args::{Cli, Man};
use crate::commands::Outcome;

pub(crate) fn run(args: &Man) -> Result<Outcome> {
    match &args.dir {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("creating {} failed", folder.display()))?;
            clap_mangen::generate_to(Cli::command(), folder)
                .with_context(|| format!("writing to {} failed", folder.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            std::io::Write::write_all(&mut std::io::stdout().lock(), &page)?;
        }
    }
    Ok(Outcome::Done)
}
