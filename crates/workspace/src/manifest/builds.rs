use std::path::{Path, PathBuf};

use ai_assist_repo::layout::SQLITE_DIR;
use ai_assist_repo::signature::BuildFolder;

/// The builds of a repository that were looked into, each opened once. Most repositories have all modes in one.
#[derive(Debug, Default)]
pub(super) struct Builds(Vec<Build>);

#[derive(Debug)]
struct Build {
    root: PathBuf,
    folder: Option<BuildFolder>,
    has_databases: Option<bool>,
}

impl Builds {
    /// A build; none if it can't be opened, which whoever then looks for a part of it is told.
    pub(super) fn open(&mut self, root: &Path) -> Option<&BuildFolder> {
        self.at(root).folder.as_ref()
    }

    /// A build in whose own folder its databases are, and not behind a link.
    pub(super) fn with_databases(&mut self, root: &Path) -> Option<&BuildFolder> {
        let Build { folder, has_databases, .. } = self.at(root);
        let folder = folder.as_ref()?;
        has_databases.get_or_insert_with(|| folder.has_folder(SQLITE_DIR)).then_some(folder)
    }

    fn at(&mut self, root: &Path) -> &mut Build {
        let at = self.0.iter().position(|build| build.root == root).unwrap_or_else(|| {
            let folder = BuildFolder::open(root).ok();
            self.0.push(Build { root: root.to_owned(), folder, has_databases: None });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}
