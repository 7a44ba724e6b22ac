//! Where whole collections and categories stand.

use ai_assist_identity::{CollectionId, CollectionKind};
use serde::Serialize;

use crate::Result;
use crate::library::Library;
use crate::members::{DeclaredCollection, Member, Members};
use crate::project::CategorySpec;
use crate::status::{Listed, Status};
use crate::sync::SyncOptions;

/// A declared collection and where it stands: its source and all its categories together.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCollection {
    pub name: String,
    /// The id of its source, if it has one.
    pub id: Option<CollectionId>,
    #[serde(rename = "type")]
    pub kind: Option<CollectionKind>,
    pub source: Option<String>,
    pub categories: Vec<String>,
    pub description: Option<String>,
    /// Whether it comes from the user's configuration.
    pub global: bool,
    /// Its state: that of the part that needs most attention.
    pub status: Status,
    /// What the state comes from, where that is worth a word.
    pub detail: Option<String>,
    /// What is odd about it: that it is for another version than the project uses.
    pub warning: Option<String>,
    /// How many documents it has, each counted once.
    pub documents: u64,
    pub chunks: u64,
    /// When it was last synced; of several parts, the one that waits longest.
    pub last_sync_at: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCategory {
    pub name: String,
    pub id: CollectionId,
    #[serde(flatten)]
    pub category: CategorySpec,
    pub collections: Vec<String>,
    /// Whether it comes from the user's configuration.
    pub global: bool,
    pub status: Status,
    /// What the state comes from, where that is worth a word.
    pub detail: Option<String>,
    pub documents: u64,
    pub chunks: u64,
    pub last_sync_at: Option<String>,
}

impl Library {
    /// Where a declared collection stands. `options` says how each of its parts is looked at.
    pub fn collection_status(
        &self,
        members: &Members,
        collection: &DeclaredCollection,
        options: &dyn Fn(&Member) -> SyncOptions,
    ) -> Result<ListedCollection> {
        let mut parts = Vec::new();
        for member in members.members_of(collection) {
            parts.push((member, self.status(member, &options(member))?));
        }
        let worst = parts.iter().max_by_key(|(_, part)| urgency(part.status));
        let source = parts.iter().find(|(member, _)| !member.is_category).map(|(_, part)| part);
        Ok(ListedCollection {
            name: collection.name.clone(),
            id: source.map(|part| part.id.clone()),
            kind: source.map(|part| part.kind),
            source: source.map(|part| part.source.clone()),
            categories: collection.declaration.categories.clone(),
            description: collection.declaration.description.clone(),
            global: collection.global,
            status: worst.map_or(Status::Synced, |(_, part)| part.status),
            detail: match worst {
                Some((member, part)) => detail(member, part),
                None => Some("it has no categories yet, so it has no documents".to_owned()),
            },
            warning: None,
            documents: self.count(members, collection, &parts)?,
            chunks: parts.iter().map(|(_, part)| part.chunks).sum(),
            last_sync_at: oldest(&parts),
        })
    }

    /// Where a category stands.
    pub fn category_status(
        &self,
        member: &Member,
        category: &CategorySpec,
        options: &SyncOptions,
    ) -> Result<ListedCategory> {
        let listed = self.status(member, options)?;
        Ok(ListedCategory {
            name: listed.name,
            id: listed.id,
            category: category.clone(),
            collections: member.collections.clone(),
            global: listed.global,
            status: listed.status,
            detail: listed.detail,
            documents: listed.documents,
            chunks: listed.chunks,
            last_sync_at: listed.last_sync_at,
        })
    }

    /// How many documents a collection has. Only where several parts have some can one of them be in two.
    fn count(&self, members: &Members, collection: &DeclaredCollection, parts: &[(&Member, Listed)]) -> Result<u64> {
        let filled = parts.iter().filter(|(_, part)| part.documents > 0).count();
        if filled > 1 {
            return Ok(self.documents(members, std::slice::from_ref(&collection.name))?.len() as u64);
        }
        Ok(parts.iter().map(|(_, part)| part.documents).sum())
    }
}

/// How much attention a state needs.
fn urgency(status: Status) -> u8 {
    match status {
        Status::Synced => 0,
        Status::Stale => 1,
        Status::NotSynced => 2,
        Status::Error => 3,
    }
}

fn detail(member: &Member, part: &Listed) -> Option<String> {
    match (member.category(), &part.detail, part.status) {
        (None, detail, _) => detail.clone(),
        (Some(_), None, Status::Synced) => None,
        (Some(name), None, _) => Some(format!("category {name}")),
        (Some(name), Some(detail), _) => Some(format!("category {name}: {detail}")),
    }
}

fn oldest(parts: &[(&Member, Listed)]) -> Option<String> {
    let times: Option<Vec<&String>> = parts.iter().map(|(_, part)| part.last_sync_at.as_ref()).collect();
    times?.into_iter().min().cloned()
}
