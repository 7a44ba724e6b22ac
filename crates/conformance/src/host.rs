//! The surroundings of the server: a folder for its data, and nothing of the user's.

use std::path::Path;

use ai_assist_base::chain;
use ai_assist_collections::{Project, Roots, Settings, SyncOptions};
use ai_assist_mcp::{Desk, Host};

/// A host that keeps everything in one folder.
pub(crate) struct Folder {
    settings: Settings,
    roots: Roots,
}

impl Folder {
    pub(crate) fn new(state: &Path) -> anyhow::Result<Self> {
        let state = std::path::absolute(state)?;
        let roots = Roots { data: state.join("data"), cache: state.join("cache") };
        Ok(Folder { settings: Settings::resolve(&[])?, roots })
    }
}

impl Host for Folder {
    fn open(&self, folder: &Path) -> Result<Desk, String> {
        let project = Project::find(folder, self.settings.config_file()).map_err(|error| chain(&error))?;
        let file = match &project {
            Some(project) => project.file.clone(),
            None => folder.join(self.settings.config_file()),
        };
        Ok(Desk {
            folder: folder.to_owned(),
            file,
            project,
            global: None,
            settings: self.settings.clone(),
            roots: self.roots.clone(),
            named: None,
            warnings: Vec::new(),
        })
    }

    fn sync_options(&self, _desk: &Desk) -> Result<SyncOptions, String> {
        Ok(SyncOptions::default())
    }
}
