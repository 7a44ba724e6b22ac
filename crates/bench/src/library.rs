//! A library and a collection in a temporary folder.

use std::path::Path;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_collections::{CollectionSpec, Library, Member, Resolved, Roots, SyncOptions, silent};
use ai_assist_search::{Origin, Source};
use anyhow::Result;

/// One collection over one folder.
pub(crate) struct TestLibrary {
    pub(crate) library: Library,
    pub(crate) member: Member,
}

impl TestLibrary {
    pub(crate) fn new(root: &Path, documents: &Path, glob: &str) -> Result<Self> {
        let roots = Roots { data: root.join("data"), cache: root.join("cache") };
        let path = documents.canonicalize()?.display().to_string();
        let spec = CollectionSpec::files(path, glob);
        let resolved = Resolved::new(&spec, Path::new("/"))?;
        let name = "bench".to_owned();
        let collections = vec![name.clone()];
        let member = Member {
            name,
            spec,
            resolved,
            config: Default::default(),
            drifted: false,
            global: false,
            is_category: false,
            collections,
        };
        Ok(TestLibrary { library: Library::open(&roots)?, member })
    }

    pub(crate) fn sync(&mut self) -> Result<()> {
        self.library.sync(&self.member, &SyncOptions::default(), &mut silent, &Cancel::default())?;
        Ok(())
    }

    pub(crate) fn reader(&self) -> Result<ai_assist_index::Reader> {
        Ok(self.library.open_index(self.member.resolved.id())?)
    }

    /// The collection as a source of a search.
    pub(crate) fn source(&self) -> Result<Source> {
        let origin = Origin::Session { session: "bench".to_owned() };
        Ok(Source::new(Arc::new(self.reader()?), origin, None, 0))
    }
}
