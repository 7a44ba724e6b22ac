//! Where an object comes from.

use std::path::{Path, PathBuf};

use ai_assist_identity::{CanonicalPath, jcs};
use ai_assist_store::objects::ObjectId;
use serde::{Deserialize, Serialize};

use super::ObjectKind;
use crate::error::{Error, Result};

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
        let hash = ai_assist_identity::object::identity_hash(ObjectKind::File.as_str(), Some(self), "")?;
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
