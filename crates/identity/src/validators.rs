//! What a server calls a state of a file.

use serde::{Deserialize, Serialize};

/// What a server gave to recognise a version by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Validators {
    /// The `ETag`, as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The `Last-Modified` date, as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}
