//! Libraries that are kept open between calls.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use ai_assist_collections::{Library, Roots};

use crate::Machine;

/// More calls than this at once are rare.
const KEPT: usize = 8;

/// Libraries that are open and not in use.
#[derive(Debug, Default)]
pub(crate) struct Idle(Mutex<Vec<Library>>);

impl Idle {
    pub(crate) fn take(&self, roots: &Roots) -> Option<Library> {
        let (found, replaced) = {
            let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (current, replaced): (Vec<_>, Vec<_>) = idle.drain(..).partition(Library::is_current);
            *idle = current;
            let at = idle.iter().position(|library| library.roots() == roots);
            (at.map(|at| idle.swap_remove(at)), replaced)
        };
        // Closing a database may write its log back into it, for which no other call should wait.
        drop(replaced);
        found
    }

    pub(crate) fn put(&self, library: Library) {
        library.rest();
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(library);
        }
    }
}

/// A library in use by one call. Dropped, it is kept for the next.
#[derive(Debug)]
pub struct OpenLibrary {
    /// Empty only while it is dropped.
    library: Option<Library>,
    machine: Arc<Machine>,
}

impl OpenLibrary {
    pub(crate) fn new(library: Library, machine: Arc<Machine>) -> Self {
        OpenLibrary { library: Some(library), machine }
    }
}

impl Deref for OpenLibrary {
    type Target = Library;

    fn deref(&self) -> &Library {
        match &self.library {
            Some(library) => library,
            None => unreachable!("it is taken out only when it is dropped"),
        }
    }
}

impl DerefMut for OpenLibrary {
    fn deref_mut(&mut self) -> &mut Library {
        match &mut self.library {
            Some(library) => library,
            None => unreachable!("it is taken out only when it is dropped"),
        }
    }
}

impl Drop for OpenLibrary {
    fn drop(&mut self) {
        // What a panic has left in it nobody knows.
        if let Some(library) = self.library.take().filter(|_| !std::thread::panicking()) {
            self.machine.give_back(library);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On Windows a file that is open can't be replaced.
    #[cfg(not(windows))]
    #[test]
    fn one_whose_database_was_replaced_is_not_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots { data: folder.path().join("data"), cache: folder.path().join("cache") };
        let idle = Idle::default();
        idle.put(Library::open(&roots).unwrap());
        let again = idle.take(&roots).unwrap();
        idle.put(again);
        let database = roots.data.join("assist.db");
        std::fs::copy(&database, roots.data.join("copy")).unwrap();
        std::fs::rename(roots.data.join("copy"), &database).unwrap();
        assert!(idle.take(&roots).is_none());
        idle.put(Library::open(&roots).unwrap());
        std::fs::remove_dir_all(&roots.data).unwrap();
        assert!(idle.take(&roots).is_none());
    }
}
