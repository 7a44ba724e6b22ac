//! The five hashes of an object: one function each, none knows of another's input.
//!
//! All are over stable JSON or plain bytes, and stand in documents as `sha256:<hex>`; that is also how [`object_hash`] takes
//! them in, so that whoever holds a document can compute each hash from its other fields as they stand there.

use serde::Serialize;
use serde_json::{Value, json};

use crate::jcs::{self, JcsError};
use crate::{ContentHash, Sha256};

/// What never changes about an object: its kind, and where it comes from. An object without a source goes by the id it was
/// given.
pub fn identity_hash<S: Serialize>(kind: &str, source: Option<&S>, assigned: &str) -> Result<Sha256, JcsError> {
    let known = match source {
        Some(source) => json!({ "type": kind, "source": to_value(source)? }),
        None => json!({ "type": kind, "xt/id": assigned }),
    };
    hash_of(&known)
}

/// The bytes at the source of a file. Of a valid UTF-8 text this is the hash of the text.
pub fn file_hash(bytes: &[u8]) -> Sha256 {
    Sha256::of(bytes)
}

/// The text that is stored; none has none.
pub fn content_hash(text: Option<&str>) -> Option<ContentHash> {
    text.map(ContentHash::of)
}

/// The fields of an object that belong to its kind.
pub fn metadata_hash<F: Serialize>(fields: &F) -> Result<Sha256, JcsError> {
    hash_of(fields)
}

/// The three that may change, as one.
pub fn object_hash(file: Option<Sha256>, content: Option<ContentHash>, metadata: Sha256) -> Result<Sha256, JcsError> {
    hash_of(&json!({ "file_hash": file, "content_hash": content, "metadata_hash": metadata }))
}

fn hash_of<T: Serialize>(value: &T) -> Result<Sha256, JcsError> {
    Ok(Sha256::of(&jcs::to_vec(value)?))
}

fn to_value<T: Serialize>(value: &T) -> Result<Value, JcsError> {
    Ok(serde_json::to_value(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_hash_of_what_the_specification_names() {
        let source = json!({ "type": "filesystem", "path": "/srv/a.md", "filesystemId": "fs1" });
        let of = |text: &str| Sha256::of(text.as_bytes());
        assert_eq!(
            identity_hash("file", Some(&source), "unused").unwrap(),
            of(r#"{"source":{"filesystemId":"fs1","path":"/srv/a.md","type":"filesystem"},"type":"file"}"#)
        );
        assert_eq!(identity_hash::<Value>("chat", None, "c1").unwrap(), of(r#"{"type":"chat","xt/id":"c1"}"#));
        assert_eq!(file_hash(b"\xff\x00"), Sha256::of(b"\xff\x00"));
        assert_eq!(content_hash(Some("é")).unwrap().0, file_hash("é".as_bytes()));
        assert_eq!(content_hash(None), None);
        assert_eq!(metadata_hash(&json!({})).unwrap(), of("{}"));
        let (file, content, metadata) = (of("f"), ContentHash(of("c")), of("m"));
        assert_eq!(
            object_hash(Some(file), Some(content), metadata).unwrap(),
            of(&format!(r#"{{"content_hash":"{content}","file_hash":"{file}","metadata_hash":"{metadata}"}}"#))
        );
        assert_eq!(
            object_hash(None, None, metadata).unwrap(),
            of(&format!(r#"{{"content_hash":null,"file_hash":null,"metadata_hash":"{metadata}"}}"#))
        );
    }

    #[test]
    fn an_object_is_its_kind_and_its_source() {
        let at = |fs: &str, path: &str| json!({ "type": "filesystem", "filesystemId": fs, "path": path });
        let id = |source: &Value| identity_hash("file", Some(source), "").unwrap();
        assert_eq!(id(&at("a", "/x")), id(&at("a", "/x")));
        assert_ne!(id(&at("a", "/x")), id(&at("b", "/x")));
        assert_ne!(id(&at("a", "/x")), id(&at("a", "/y")));
        assert_ne!(
            identity_hash::<Value>("chat", None, "1").unwrap(),
            identity_hash::<Value>("toolcall", None, "1").unwrap()
        );
    }
}
