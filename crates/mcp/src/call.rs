//! One call of a tool, as the tool sees it.

use std::sync::Mutex;

use ai_assist_collections::{Cancel, ConfigEdit, EditResult, Edited, Library, ProjectConfig, Roots, SyncOptions};

use crate::desk::{Desk, Host};
use crate::outcome::{ErrorType, Failure};

/// How far a call is: done, of how many, and what is being done.
pub(crate) type Report<'r> = &'r (dyn Fn(f64, Option<f64>, String) + Send + Sync);

/// A call: the project it is about, and the ways to ask and to tell.
pub(crate) struct Call<'c> {
    pub(crate) desk: &'c Desk,
    pub(crate) cancel: &'c Cancel,
    pub(crate) report: Report<'c>,
    pub(crate) host: &'c dyn Host,
    pub(crate) libraries: &'c Libraries,
}

impl Call<'_> {
    /// Asks something of the library of this machine.
    pub(crate) fn library<T>(&self, ask: impl FnOnce(&mut Library) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut library = self.libraries.take(&self.desk.roots)?;
        let answer = ask(&mut library);
        self.libraries.give_back(library);
        answer
    }

    /// Changes the project's configuration, in the one way in which it is changed.
    pub(crate) fn edit(
        &self,
        change: impl FnOnce(&ConfigEdit<'_>) -> EditResult<Edited>,
    ) -> Result<ProjectConfig, Failure> {
        let lock = self.desk.roots.edit_lock(&self.desk.file);
        Ok(change(&ConfigEdit::new(&self.desk.file, &lock))?.after)
    }

    pub(crate) fn sync_options(&self) -> Result<SyncOptions, Failure> {
        self.host
            .sync_options(self.desk)
            .map_err(|error| Failure::new(ErrorType::ReadError, error, "Put the settings right."))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Libraries that are open and not in use. Opening one costs more than most questions.
#[derive(Debug, Default)]
pub(crate) struct Libraries(Mutex<Vec<Library>>);

/// More calls than this at once are rare.
const KEPT: usize = 8;

impl Libraries {
    fn take(&self, roots: &Roots) -> Result<Library, Failure> {
        let idle = {
            let mut idle = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            idle.iter().position(|library| library.roots() == roots).map(|at| idle.swap_remove(at))
        };
        match idle {
            Some(library) => Ok(library),
            None => Ok(Library::open(roots)?),
        }
    }

    fn give_back(&self, library: Library) {
        let mut idle = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(library);
        }
    }
}
