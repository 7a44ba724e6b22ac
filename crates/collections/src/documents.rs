//! Listing documents.

use ai_assist_admit::Freshness;
use ai_assist_identity::{CollectionId, Sha256};
use ai_assist_text::Language;
use serde::Serialize;

use crate::Result;
use crate::find::freshness;
use crate::library::Library;
use crate::members::Members;
use crate::reach::{InReach, Once};

/// A document without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentHead {
    /// The collection's name; the category's where no collection has it; the id where neither is declared here.
    pub collection: String,
    /// The category that it comes from, if it does not come from the collection's own source.
    pub category: Option<String>,
    /// The id of the collection's source or of the category.
    pub collection_id: CollectionId,
    pub document: String,
    /// The file, for collections of type `file`.
    pub file: Option<String>,
    pub title: Option<String>,
    pub language: Language,
    pub hash: Sha256,
    /// How many bytes its text has.
    pub bytes: u64,
    pub lines: u64,
    #[serde(skip)]
    root: Option<String>,
}

impl DocumentHead {
    /// Whether its source is still what was indexed. Reads the file.
    pub fn freshness(&self) -> Freshness {
        freshness(self.root.as_deref(), &self.document, self.hash)
    }
}

impl Library {
    /// Every document of some collections and categories, once, by collection and path; of everything that is declared, if no
    /// names are given. What was never synced has none.
    pub fn documents(&self, members: &Members, names: &[String]) -> Result<Vec<DocumentHead>> {
        let reach = self.reach(members, names, members.is_empty())?;
        let reach = self.synced(reach, !names.is_empty(), &mut Vec::new())?;
        let mut once = Once::new(&reach);
        let mut heads = Vec::new();
        for (at, collection) in reach.iter().enumerate() {
            let own = self.heads_of(collection)?;
            heads.extend(own.into_iter().filter(|head| once.is_first(at, &head.document)));
        }
        let key = |head: &DocumentHead| (head.collection.clone(), head.document.clone(), head.category.clone());
        heads.sort_by_cached_key(key);
        Ok(heads)
    }

    /// The documents of one index, by path.
    pub(crate) fn heads_of(&self, collection: &InReach) -> Result<Vec<DocumentHead>> {
        let documents = self.store().list_documents(&collection.id)?;
        let head = |document: ai_assist_store::DocumentInfo| DocumentHead {
            collection: collection.collection.clone(),
            category: collection.category.clone(),
            collection_id: collection.id.clone(),
            file: collection.file(document.path.as_str()).map(|file| file.display().to_string()),
            document: document.path.as_str().to_owned(),
            title: document.title,
            language: document.language,
            hash: document.hash,
            bytes: document.size,
            lines: document.lines,
            root: collection.path.clone(),
        };
        Ok(documents.into_iter().map(head).collect())
    }
}
