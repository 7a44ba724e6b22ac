//! The fields of each kind that its metadata hash is over, and no others.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use ai_assist_store::objects::Version;

use crate::error::{Error, Result};

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
    /// The word for it.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

impl Role {
    /// The word for it.
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
