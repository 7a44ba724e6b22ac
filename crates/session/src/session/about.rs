//! What is known of a session beside its sets.

use std::path::PathBuf;
use std::str::FromStr;

use ai_assist_store::objects::{BadObjectId, Moment, ObjectId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chat::Chat;
use crate::error::{Error, Result};
use crate::object::ObjectKind;
use crate::resolver::MountMapping;
use crate::sets::WorkingSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionName(String);

ai_assist_identity::text_type!(SessionName);

impl SessionName {
    /// A name that nobody has: the time, and something random.
    pub fn fresh(now: Moment) -> Self {
        let time: String = now.to_string().chars().take(16).filter(|c| *c != ':').collect();
        SessionName(format!("{time}-{:06x}", fastrand::u32(0..1 << 24)).to_lowercase())
    }

    /// The id of an object that belongs to the session.
    pub(crate) fn object(&self, kind: ObjectKind) -> Result<ObjectId, BadObjectId> {
        format!("{}:{}", kind.as_str(), self.0).parse()
    }

    /// The id of a call of the session; `key` tells it from others.
    pub(crate) fn toolcall(&self, key: &str) -> Result<ObjectId, BadObjectId> {
        format!("{}:{}:{key}", ObjectKind::Toolcall.as_str(), self.0).parse()
    }
}

impl FromStr for SessionName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !starts_well || text.len() > 64 || !text.chars().all(plain) {
            return Err(Error::BadSessionName(text.chars().take(80).collect()));
        }
        Ok(SessionName(text.to_owned()))
    }
}

/// What is known of a session beside its sets. Kept with its first version, beside the hashed fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The folder it is about, as the agent sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether contents are kept as they are, secrets too.
    #[serde(default)]
    pub raw: bool,
    /// The filesystem of paths that no mount maps.
    pub filesystem_id: String,
    /// How the agent's paths lead to this machine's; none if they are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<MountMapping>,
    /// Folders of the agent that lie below a mount and are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<PathBuf>,
    /// Whether the files are those of another machine: whatever lies at their paths here is something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// The session that has called this one, if it is a sub-agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The branch of git that it began on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl About {
    /// Whether the agent sees the files of this machine, by the same paths.
    pub fn sees_this_machine(&self) -> bool {
        self.mounts.is_empty() && !self.elsewhere
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub name: String,
    pub about: About,
    pub opened: Moment,
    /// When it was last changed.
    pub changed: Moment,
    /// Whether it was closed, and nothing was changed since.
    pub closed: bool,
    /// How many objects are in its index, its pool, its active and its pinned set.
    pub counts: Counts,
}

/// How many objects a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Objects ever met.
    pub index: usize,
    /// Objects known of.
    pub pool: usize,
    /// Objects held now.
    pub active: usize,
    /// Objects that stay.
    pub pinned: usize,
    /// Turns of the chat.
    pub turns: usize,
}

impl Counts {
    pub(super) fn of(sets: &WorkingSet, chat: &Chat) -> Self {
        Counts {
            index: sets.index().len(),
            pool: sets.pool().len(),
            active: sets.active().len(),
            pinned: sets.pinned().len(),
            turns: chat.said.len(),
        }
    }
}
