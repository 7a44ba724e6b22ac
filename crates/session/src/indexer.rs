//! Files to versions: `created`, `updated` or `unchanged`, and nothing is written for what is unchanged.

use std::fmt;

use ai_assist_identity::{ContentHash, Sha256, jcs};
use ai_assist_store::Seq;
use ai_assist_store::objects::{
    AsOf, Content, Expect, NewState, ObjectId, ObjectWrite, Objects, Op, Version, VersionHead,
};
use ai_assist_text::Language;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::file_reader::ReadOutcome;
use crate::object::{FileFields, FilesystemSource, ObjectKind};

/// Marks a version of a file that is gone. It stands beside the hashed fields, in which a file that is gone is like one that was
/// never read.
const GONE: &str = r#"{"deleted":true}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexAction {
    Created,
    Updated,
    Unchanged,
}

impl fmt::Display for IndexAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            IndexAction::Created => "created",
            IndexAction::Updated => "updated",
            IndexAction::Unchanged => "unchanged",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexResult {
    pub object_id: ObjectId,
    pub action: IndexAction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The number of its last event.
    pub last: Seq,
    /// The hash of its bytes; none for a stub.
    pub file_hash: Option<Sha256>,
    /// The hash of the text that is kept of it.
    pub content_hash: Option<ContentHash>,
    pub gone: bool,
}

impl Known {
    pub fn of(version: &Version, last: Seq) -> Self {
        let VersionHead { file_hash, content_hash, .. } = version.head;
        Known { last, file_hash, content_hash, gone: is_gone(version) }
    }
}

/// Whether this version says that the file is gone.
pub fn is_gone(version: &Version) -> bool {
    version.state.extra.as_deref() == Some(GONE)
}

/// Whether this version of a file has never been read.
pub fn is_stub(version: &Version) -> bool {
    version.head.kind == ObjectKind::File.as_str() && version.head.file_hash.is_none() && !is_gone(version)
}

#[derive(Debug, Clone)]
pub enum Happened {
    Read(ReadOutcome),
    Met,
    Gone,
}

#[derive(Debug)]
pub struct Plan {
    pub result: IndexResult,
    pub write: Option<ObjectWrite>,
}

/// Whether what happened to a file leaves nothing to be written.
pub(crate) fn is_known(known: Option<&Known>, happened: &Happened) -> bool {
    // The text is compared as well: what is kept of these bytes may have been kept by other rules, or come from elsewhere. What
    // may not be kept any more is not shown as if it were still so: it is unread again.
    match (happened, known) {
        (Happened::Read(ReadOutcome::Missing) | Happened::Gone, known) => known.is_none_or(|known| known.gone),
        (_, None) => false,
        (Happened::Read(ReadOutcome::Text { file_hash, text, .. }), Some(known)) => {
            known.file_hash == Some(*file_hash) && known.content_hash == Some(text.hash())
        }
        (Happened::Read(ReadOutcome::NoText { file_hash }), Some(known)) => known.file_hash == Some(*file_hash),
        (Happened::Read(ReadOutcome::Refused(_)), Some(known)) => !known.gone && known.file_hash.is_none(),
        (Happened::Read(ReadOutcome::Unreachable(_)) | Happened::Met, Some(known)) => !known.gone,
    }
}

/// Decides what to write about a file. A sight that has nothing to keep is like having met it.
pub fn plan(known: Option<&Known>, object_id: ObjectId, source: &FilesystemSource, happened: Happened) -> Result<Plan> {
    let is_so = is_known(known, &happened);
    let state = match happened {
        _ if is_so => None,
        Happened::Read(ReadOutcome::Missing) | Happened::Gone => Some(empty(source, true)?),
        Happened::Read(ReadOutcome::Text { file_hash, text, .. }) => Some(state(source, Some(file_hash), Some(text))?),
        Happened::Read(ReadOutcome::NoText { file_hash }) => Some(state(source, Some(file_hash), None)?),
        _ => Some(empty(source, false)?),
    };
    let action = match (&state, known) {
        (None, _) => IndexAction::Unchanged,
        (Some(_), None) => IndexAction::Created,
        (Some(_), Some(_)) => IndexAction::Updated,
    };
    let write = match state {
        None => None,
        Some(state) => {
            let (source, expect) =
                (Some(source.to_json()?), known.map_or(Expect::Absent, |known| Expect::At(known.last)));
            let write = ObjectWrite::new(object_id.clone(), ObjectKind::File.as_str(), Op::Put(state));
            Some(ObjectWrite { source, expect, ..write })
        }
    };
    Ok(Plan { result: IndexResult { object_id, action }, write })
}

fn empty(source: &FilesystemSource, gone: bool) -> Result<NewState> {
    Ok(NewState { extra: gone.then(|| GONE.to_owned()), ..state(source, None, None)? })
}

fn state(source: &FilesystemSource, file_hash: Option<Sha256>, content: Option<Content>) -> Result<NewState> {
    let text = content.as_ref().map(Content::text);
    let char_count = text.map_or(0, |text| text.chars().count() as u64);
    let path = source.path.as_str();
    let language = match text {
        Some(text) => Language::detect(path, text),
        None => Language::of_path(path).unwrap_or(Language::TEXT),
    };
    let fields = FileFields { file_type: language.name().to_owned(), char_count };
    Ok(NewState { fields: jcs::to_string(&fields)?, extra: None, file_hash, content })
}

/// What the store knows of a file at some time.
pub fn known(objects: &dyn Objects, id: &ObjectId, at: AsOf) -> Result<Option<Known>> {
    let Some(last) = objects.last_of(id)? else { return Ok(None) };
    let version = objects.get_many(std::slice::from_ref(id), at, false)?.pop().flatten();
    // Deleted in the store's own sense: nothing is known of it but that something was.
    let nothing = Known { last, file_hash: None, content_hash: None, gone: true };
    Ok(Some(version.map_or(nothing, |version| Known::of(&version, last))))
}
