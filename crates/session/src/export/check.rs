//! Whether a document of an export is what it says. Nothing of it is repeated in an error.

use ai_assist_identity::Sha256;
use ai_assist_identity::object::{content_hash, identity_hash, metadata_hash, object_hash};
use ai_assist_store::objects::ObjectId;
use ai_assist_text::Language;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::object::{FileFields, FilesystemSource, ObjectKind};
use crate::resolver::{FilesystemResolver, RAW};
use crate::{About, Error};

#[derive(Debug)]
pub(super) enum Fault {
    /// It is not in order.
    Bad(&'static str),
    /// Something else failed.
    Other(Error),
}

impl<E: Into<Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Fault::Other(error.into())
    }
}

/// A document whose hashes are right.
pub(super) struct Doc {
    pub(super) id: ObjectId,
    pub(super) kind: ObjectKind,
    pub(super) source: Option<Value>,
    pub(super) fields: Value,
    pub(super) file_hash: Option<Sha256>,
    pub(super) content: Option<String>,
}

/// Takes a document apart and computes its hashes anew.
pub(super) fn document(mut doc: Map<String, Value>) -> Result<Doc, Fault> {
    let mut take = |key: &str| doc.remove(key).ok_or(Fault::Bad("its document lacks something"));
    let id = text(take("xt/id")?)?.and_then(|id| id.parse().ok()).ok_or(Fault::Bad("its id can't be one"))?;
    let kind = text(take("type")?)?.and_then(|word| ObjectKind::of(&word)).ok_or(Fault::Bad("its type is unknown"))?;
    let source = Some(take("source")?).filter(|source| !source.is_null());
    let content = text(take("content")?)?;
    let given = [
        take("identity_hash")?,
        take("file_hash")?,
        take("content_hash")?,
        take("metadata_hash")?,
        take("object_hash")?,
    ];
    let file_hash = match &given {
        [_, Value::String(hash), ..] => Some(hash.parse().map_err(|_| Fault::Bad("its file_hash can't be one"))?),
        _ => None,
    };
    let fields = Value::Object(doc);
    let unstable = |_| Fault::Bad("it has no stable form");
    let identity = identity_hash(kind.as_str(), source.as_ref(), ObjectId::as_str(&id)).map_err(unstable)?;
    let hash = content_hash(content.as_deref());
    let metadata = metadata_hash(&fields).map_err(unstable)?;
    let object = object_hash(file_hash, hash, metadata).map_err(unstable)?;
    if Value::from(given.to_vec()) != json!([identity, file_hash, hash, metadata, object]) {
        return Err(Fault::Bad("its hashes are not those of what it has"));
    }
    Ok(Doc { id, kind, source, fields, file_hash, content })
}

fn text(value: Value) -> Result<Option<String>, Fault> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(Fault::Bad("something in its document is no text")),
    }
}

/// Reads a value that is exactly what this type is written as: nothing is missing, nothing is left over.
pub(super) fn exactly<T: Serialize + DeserializeOwned>(value: &Value, why: &'static str) -> Result<T, Fault> {
    let typed = T::deserialize(value).map_err(|_| Fault::Bad(why))?;
    match serde_json::to_value(&typed) {
        Ok(back) if back == *value => Ok(typed),
        _ => Err(Fault::Bad(why)),
    }
}

/// What is known of the session, which is raw only if that is wanted. Whether its files are elsewhere is found out anew: it may
/// have come from there, or be back.
pub(super) fn about(extra: Option<&Value>, raw: bool, here: &str) -> Result<About, Fault> {
    let extra = extra.ok_or(Fault::Bad("nothing is known of the session"))?;
    let about: About = exactly(extra, "what is known of the session is not in order")?;
    if about.raw && !raw {
        return Err(Fault::Bad("the session keeps texts as they are, secrets too; --raw takes it in all the same"));
    }
    if raw && !about.raw {
        return Err(Fault::Bad("the session is not one that keeps texts as they are; leave out --raw"));
    }
    filesystem(&about.filesystem_id, raw)?;
    for mount in &about.mounts {
        filesystem(&mount.filesystem_id, raw)?;
    }
    FilesystemResolver::new(&about.filesystem_id, about.mounts.clone())
        .and_then(|resolver| resolver.hiding(&about.hidden))
        .map_err(|_| Fault::Bad("the mounts of the session are not in order"))?;
    let is_here = |id: &str| id.strip_suffix(RAW).unwrap_or(id) == here;
    let elsewhere = match about.mounts.as_slice() {
        [] => !is_here(&about.filesystem_id),
        mounts => !mounts.iter().any(|mount| is_here(&mount.filesystem_id)),
    };
    Ok(About { elsewhere, ..about })
}

/// What is kept as it is must not be taken for a file of others, nor the other way round.
fn filesystem(id: &str, raw: bool) -> Result<(), Fault> {
    match (raw, id.ends_with(RAW)) {
        (true, false) => Err(Fault::Bad("a filesystem is not one of texts that are kept as they are")),
        (false, true) => Err(Fault::Bad("a filesystem is one of texts that are kept as they are")),
        _ => Ok(()),
    }
}

/// The source of a file, and what it says of its text. `gone` if it says that it is gone.
pub(super) fn file(doc: &Doc, gone: bool, raw: bool) -> Result<(FilesystemSource, FileFields), Fault> {
    let source = doc.source.as_ref().ok_or(Fault::Bad("a file without a source"))?;
    let source: FilesystemSource = exactly(source, "its source is none")?;
    if source.object_id()? != doc.id {
        return Err(Fault::Bad("its id is not that of its source"));
    }
    filesystem(&source.filesystem_id, raw)?;
    let fields: FileFields = exactly(&doc.fields, "its fields are not those of a file")?;
    if fields.char_count != chars(doc.content.as_deref()) {
        return Err(Fault::Bad("its char_count is not that of its content"));
    }
    if !Language::all().any(|language| language.name() == fields.file_type) {
        return Err(Fault::Bad("its file_type is unknown"));
    }
    if doc.file_hash.is_none() && doc.content.is_some() || gone && doc.file_hash.is_some() {
        return Err(Fault::Bad("a file that was not read has no content"));
    }
    Ok((source, fields))
}

/// How many characters a text has.
pub(super) fn chars(text: Option<&str>) -> u64 {
    text.map_or(0, |text| text.chars().count() as u64)
}
