//! An object as the world sees it: a JSON document with `xt/id`, which an XTDB node can hold as it is.

use ai_assist_identity::object::{identity_hash, metadata_hash, object_hash};
use ai_assist_identity::{ContentHash, Sha256};
use serde_json::{Map, Value};

use super::ObjectKind;
use crate::error::{Error, Result};

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
    let hash = |hash: Option<String>| hash.map_or(Value::Null, Value::String);
    let mut document = Map::new();
    let mut set = |key: &str, value: Value| drop(document.insert(key.to_owned(), value));
    set("xt/id", parts.id.into());
    set("type", parts.kind.as_str().into());
    set("source", source.unwrap_or(Value::Null));
    set("identity_hash", identity.to_string().into());
    set("file_hash", hash(parts.file_hash.map(|hash| hash.to_string())));
    set("content_hash", hash(parts.content_hash.map(|hash| hash.to_string())));
    set("metadata_hash", metadata.to_string().into());
    set("object_hash", object.to_string().into());
    set("content", parts.content.map_or(Value::Null, Value::from));
    document.extend(fields);
    Ok(document)
}

/// The document of a stored version. Its content is there only if the version was read with its text.
pub fn document(version: &ai_assist_store::objects::Version) -> Result<Map<String, Value>> {
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
    let content_hash = ai_assist_identity::object::content_hash(content);
    assemble(&Parts { id, kind, source: None, fields, file_hash: None, content_hash, content })
}
