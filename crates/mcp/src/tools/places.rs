//! What documents are called in answers for models. Whatever is printed here, `read` takes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ai_assist_app::{Project, Reach};
use ai_assist_collections::Members;
use ai_assist_search::{Hit, Origin};

use super::address;
use super::common::*;

/// Names for documents: the path from the project where there is one that leads back, else the address.
pub(crate) struct Places<'c> {
    project: &'c Project,
    own: String,
    root: PathBuf,
    /// Whether a file of the repository may be read, by its path. Asking costs a read.
    readable: RefCell<HashMap<String, bool>>,
}

impl<'c> Places<'c> {
    pub(crate) fn of(call: &Call<'c>) -> Result<Self, Failure> {
        let own = call.project.repo()?;
        let root = own.local.root.to_path_buf();
        Ok(Places { project: call.project, own: own.name, root, readable: RefCell::default() })
    }

    pub(crate) fn of_hit(&self, members: &Members, hit: &Hit) -> String {
        match &hit.origin {
            Origin::Repo { repo, .. } if *repo == self.own => hit.document.clone(),
            Origin::Repo { repo, .. } => format!("{repo}/{}", hit.document),
            Origin::Session { session } => format!("{session}/{}", hit.document),
            Origin::Collection { collection, category, .. } => {
                let path = hit.file.as_ref().and_then(|file| self.in_project(Path::new(file)));
                path.unwrap_or_else(|| address(members, collection, category.as_deref(), &hit.document))
            }
        }
    }

    /// The path of a document of a collection, if it is a file of the repository that is read as it is.
    fn in_project(&self, file: &Path) -> Option<String> {
        let path = file.strip_prefix(&self.root).ok()?.to_str()?;
        if ai_assist_convert::may_be_converted(path) {
            return None;
        }
        let mut readable = self.readable.borrow_mut();
        let may_be_read = || self.project.repo_file(path, None, Reach::Project).is_ok();
        readable.entry(path.to_owned()).or_insert_with(may_be_read).then(|| path.to_owned())
    }
}
