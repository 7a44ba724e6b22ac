use anyhow::{Context as _, Result};
use clap::CommandFactory;

use crate::args::Cli;
use crate::commands::{Outcome, print};

pub(crate) fn run(dir: Option<&std::path::Path>) -> Result<Outcome> {
    match dir {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("creating {} failed", folder.display()))?;
            clap_mangen::generate_to(Cli::command(), folder)
                .with_context(|| format!("writing to {} failed", folder.display()))?;
            Ok(Outcome::Done)
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            print(&page)
        }
    }
}
