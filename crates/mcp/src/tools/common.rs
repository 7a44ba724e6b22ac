//! What several tools need.

use ai_assist_chunk::ChunkKind;
use ai_assist_index::PathGlobs;
use ai_assist_text::Language;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::outcome::Failure;
use crate::tool::DEFAULT_TOKENS;

/// How to get what was left out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct More {
    /// What was left out.
    pub(crate) left_out: String,
    /// The tool to call for it.
    pub(crate) tool: &'static str,
    /// With these arguments.
    pub(crate) arguments: Value,
}

pub(crate) fn budget(asked: Option<usize>) -> usize {
    asked.unwrap_or(DEFAULT_TOKENS)
}

/// The word that a value has in JSON.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

pub(crate) fn languages(names: &[String]) -> Result<Vec<Language>, Failure> {
    let language = |name: &String| {
        name.parse().map_err(|_| {
            Failure::argument("language", "names of languages such as `rust`", format!("`{name}` is no language"))
        })
    };
    names.iter().map(language).collect()
}

pub(crate) fn kinds(names: &[String]) -> Result<Vec<ChunkKind>, Failure> {
    let kind = |name: &String| {
        name.parse().map_err(|_| {
            let known: Vec<String> = ChunkKind::ALL.iter().map(ToString::to_string).collect();
            Failure::argument("kind", format!("some of {}", known.join(", ")), format!("`{name}` is no kind"))
        })
    };
    names.iter().map(kind).collect()
}

pub(crate) fn globs(patterns: &[String]) -> Result<Option<PathGlobs>, Failure> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let globs = PathGlobs::new(patterns);
    globs.map(Some).map_err(|error| Failure::argument("path", "globs such as `src/**/*.rs`", error.to_string()))
}
