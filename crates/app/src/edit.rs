//! Which configuration an edit changes.

use std::path::{Path, PathBuf};

use ai_assist_base::RealPath;
use ai_assist_collections::{ConfigEdit, EditResult, Edited, Resolved};

use crate::{Error, Project, Result};

#[derive(Debug, Clone)]
pub struct Target {
    /// The folder that its paths are relative to, symlinks resolved.
    pub root: PathBuf,
    pub file: PathBuf,
}

impl Project {
    /// The project's configuration, or the user's own. The folder of the latter is made, so that the first edit finds it.
    pub fn target(&self, global: bool) -> Result<Target> {
        if !global {
            self.need_local()?;
            return Ok(self.new_target());
        }
        let folder = self.global_file.parent().unwrap_or(Path::new("."));
        let io = |source| Error::Io { action: "creating", path: folder.to_owned(), source };
        let root = std::fs::create_dir_all(folder).and_then(|()| folder.real_path()).map_err(io)?;
        Ok(Target { root, file: self.global_file.clone() })
    }

    /// The project's configuration, which the first edit makes if it is not there.
    pub fn new_target(&self) -> Target {
        Target { root: self.root().to_owned(), file: self.file() }
    }
}

impl Project {
    /// Changes a configuration at the user's own word: folders outside of the project that it comes to name are allowed.
    pub fn edit_for_user(
        &self,
        target: &Target,
        edit: impl FnOnce(ConfigEdit<'_>) -> EditResult<Edited>,
    ) -> Result<Edited> {
        let edited = target.edit(edit)?;
        for (name, declaration) in edited.after.collections.iter().filter(|_| target.file != self.global_file) {
            let before = edited.before.get(name).and_then(|declaration| declaration.source.as_ref());
            let source = declaration.source.as_ref().filter(|source| Some(*source) != before);
            if let Some(Ok(resolved)) = source.map(|source| Resolved::new(source, &target.root)) {
                self.allow_source(&target.file, &resolved)?;
            }
        }
        Ok(edited)
    }
}

impl Target {
    pub fn edit(&self, edit: impl FnOnce(ConfigEdit<'_>) -> EditResult<Edited>) -> Result<Edited> {
        Ok(edit(ConfigEdit::new(&self.file))?)
    }
}
