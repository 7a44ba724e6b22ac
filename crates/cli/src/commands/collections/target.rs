//! Which configuration an edit changes.

use std::path::{Path, PathBuf};

use ai_assist_collections::{ConfigEdit, EditResult, Edited, Error};
use anyhow::{Context as _, Result};

use crate::context::Context;

/// A configuration that is to be changed.
pub(crate) struct Target {
    /// The folder that its paths are relative to, symlinks resolved.
    pub(crate) root: PathBuf,
    pub(crate) file: PathBuf,
    lock: PathBuf,
}

impl Target {
    /// The project's configuration, or the user's own. The folder of the latter is made, so that the first edit finds it.
    pub(crate) fn new(context: &Context, global: bool) -> Result<Self> {
        let (root, file) = if global {
            let folder = context.global_file.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).with_context(|| format!("creating {} failed", folder.display()))?;
            (folder.canonicalize()?, context.global_file.clone())
        } else {
            let project = context.need_project()?;
            (project.root.clone(), project.file.clone())
        };
        let lock = context.roots.edit_lock(&file);
        Ok(Target { root, file, lock })
    }

    pub(crate) fn edit(&self, edit: impl FnOnce(ConfigEdit<'_>) -> EditResult<Edited>) -> Result<Edited> {
        Ok(edit(ConfigEdit::new(&self.file, &self.lock)).map_err(Error::from)?)
    }
}
