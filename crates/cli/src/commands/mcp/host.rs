//! The surroundings of the server: flags, environment and the user's files, for each project that is asked about.

use std::path::Path;

use ai_assist_collections::{SyncOptions, Warning};
use ai_assist_mcp::{Desk, Host};
use anyhow::Context as _;

use crate::args::Global;
use crate::context::Context;

/// Opens projects as commands do.
pub(super) struct Machine {
    global: Global,
}

impl Machine {
    pub(super) fn new(global: &Global) -> Self {
        Machine { global: global.clone() }
    }

    fn context(&self, folder: &Path) -> anyhow::Result<(Context, Vec<Warning>)> {
        let folder = folder.canonicalize().with_context(|| format!("{} can't be opened", folder.display()))?;
        Context::load(&Global { directory: Some(folder), ..self.global.clone() })
    }
}

fn said(error: &anyhow::Error) -> String {
    ai_assist_base::chain(error.as_ref())
}

impl Host for Machine {
    fn open(&self, folder: &Path) -> Result<Desk, String> {
        let (context, warnings) = self.context(folder).map_err(|error| said(&error))?;
        let file = match &context.project {
            Some(project) => project.file.clone(),
            None => context.folder.join(context.settings.config_file()),
        };
        Ok(Desk {
            folder: context.folder,
            file,
            project: context.project,
            global: context.global,
            settings: context.settings,
            roots: context.roots,
            named: None,
            warnings: warnings.iter().map(|Warning { place, message }| format!("{place}: {message}")).collect(),
        })
    }

    fn sync_options(&self, desk: &Desk) -> Result<SyncOptions, String> {
        let made = self.context(&desk.folder).and_then(|(context, _)| context.sync_options());
        made.map_err(|error| said(&error))
    }
}
