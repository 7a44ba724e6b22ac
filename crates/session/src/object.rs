//! The objects of a session: their kinds, the fields that the metadata hash of each kind is over and no others, and the
//! documents they are outside: JSON with `xt/id`, which an XTDB node can hold as it is.

use std::path::{Path, PathBuf};

use ai_assist_identity::object::{content_hash, identity_hash, metadata_hash, object_hash};
use ai_assist_identity::{CanonicalPath, ContentHash, Sha256, jcs};
use ai_assist_store::objects::{ObjectId, Version};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    File,
    /// A call of a tool, with its result.
    Toolcall,
    Chat,
    /// What the model is told first.
    SystemPrompt,
    Session,
}

impl ObjectKind {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            ObjectKind::File => "file",
            ObjectKind::Toolcall => "toolcall",
            ObjectKind::Chat => "chat",
            ObjectKind::SystemPrompt => "system_prompt",
            ObjectKind::Session => "session",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        [Self::File, Self::Toolcall, Self::Chat, Self::SystemPrompt, Self::Session]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }

    /// Whether it can be in a working set. Chat, system prompt and session can't.
    pub const fn is_content(self) -> bool {
        matches!(self, ObjectKind::File | ObjectKind::Toolcall)
    }
}

/// A file of some filesystem.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "filesystem", rename_all = "camelCase")]
pub struct FilesystemSource {
    pub filesystem_id: String,
    pub path: CanonicalPath,
}

impl FilesystemSource {
    /// A file by its filesystem and its absolute path, in which links are resolved already.
    pub fn new(filesystem_id: impl Into<String>, path: &Path) -> Result<Self> {
        Ok(FilesystemSource { filesystem_id: filesystem_id.into(), path: CanonicalPath::from_absolute(path)? })
    }

    /// The id of the file object: its identity hash.
    pub fn object_id(&self) -> Result<ObjectId> {
        let hash = identity_hash(ObjectKind::File.as_str(), Some(self), "")?;
        Ok(hash.to_string().parse()?)
    }

    pub fn to_json(&self) -> Result<String> {
        Ok(jcs::to_string(self)?)
    }

    pub fn from_json(id: &ObjectId, json: Option<&str>) -> Result<Self> {
        let json = json.ok_or_else(|| Error::damaged(id, "a file without a source"))?;
        serde_json::from_str(json).map_err(|error| Error::damaged(id, format!("its source: {error}")))
    }

    pub fn to_path_buf(&self) -> PathBuf {
        self.path.to_path_buf()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFields {
    /// Its language, as far as its name tells.
    pub file_type: String,
    pub char_count: u64,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Fail,
}

impl Status {
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Fail => "fail",
        }
    }
}

/// Of a call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolcallFields {
    pub tool: String,
    pub args: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_display: Option<String>,
    pub status: Status,
    pub chat_ref: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_refs: Option<Vec<String>>,
}

/// Who spoke: the person, or the program that has started the agent, and the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// Something that was said, and the calls that followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub role: Role,
    pub content: String,
    /// The calls that followed it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toolcall_refs: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChatFields {
    pub turns: Vec<Turn>,
    pub session_ref: String,
    pub turn_count: u64,
    pub toolcall_refs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPromptFields {}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionFields {
    pub session_id: String,
    pub chat_ref: String,
    pub system_prompt_ref: String,
    pub session_index: Vec<String>,
    pub metadata_pool: Vec<String>,
    pub active_set: Vec<String>,
    pub pinned_set: Vec<String>,
}

pub(crate) fn fields<F: DeserializeOwned>(version: &Version) -> Result<F> {
    serde_json::from_str(&version.state.fields).map_err(|error| Error::damaged(&version.head.id, error))
}

/// What a document is made from. Whatever is not here is computed from it.
#[derive(Debug, Clone)]
pub(crate) struct Parts<'p> {
    pub(crate) id: &'p str,
    pub(crate) kind: ObjectKind,
    pub(crate) source: Option<&'p str>,
    /// Stable JSON of exactly the fields of the kind.
    pub(crate) fields: &'p str,
    pub(crate) file_hash: Option<Sha256>,
    pub(crate) content_hash: Option<ContentHash>,
    pub(crate) content: Option<&'p str>,
}

/// The document of an object: envelope, the five hashes, its content, its fields.
pub(crate) fn assemble(parts: &Parts<'_>) -> Result<Map<String, Value>> {
    let damaged = |error: serde_json::Error| Error::damaged(parts.id, error);
    let source: Option<Value> = parts.source.map(serde_json::from_str).transpose().map_err(damaged)?;
    let fields: Map<String, Value> = serde_json::from_str(parts.fields).map_err(damaged)?;
    let identity = identity_hash(parts.kind.as_str(), source.as_ref(), parts.id)?;
    let metadata = metadata_hash(&fields)?;
    let object = object_hash(parts.file_hash, parts.content_hash, metadata)?;
    let envelope = [
        ("xt/id", json!(parts.id)),
        ("type", json!(parts.kind.as_str())),
        ("source", json!(source)),
        ("identity_hash", json!(identity)),
        ("file_hash", json!(parts.file_hash)),
        ("content_hash", json!(parts.content_hash)),
        ("metadata_hash", json!(metadata)),
        ("object_hash", json!(object)),
        ("content", json!(parts.content)),
    ];
    Ok(envelope.map(|(key, value)| (key.to_owned(), value)).into_iter().chain(fields).collect())
}

/// The document of a stored version. Its content is there only if the version was read with its text.
pub fn document(version: &Version) -> Result<Map<String, Value>> {
    let head = &version.head;
    let unknown = || Error::damaged(&head.id, format!("the kind `{}`", head.kind));
    let kind = ObjectKind::of(&head.kind).ok_or_else(unknown)?;
    assemble(&Parts {
        id: head.id.as_str(),
        kind,
        source: version.source.as_deref(),
        fields: &version.state.fields,
        file_hash: head.file_hash,
        content_hash: head.content_hash,
        content: version.state.text.as_deref(),
    })
}

/// The document of an object that is put together here: one without a source.
pub(crate) fn document_of(
    id: &str,
    kind: ObjectKind,
    fields: &str,
    content: Option<&str>,
) -> Result<Map<String, Value>> {
    let content_hash = content_hash(content);
    assemble(&Parts { id, kind, source: None, fields, file_hash: None, content_hash, content })
}
