//! What several tools need.

pub(crate) use ai_assist_base::json::word;
use ai_assist_chunk::ChunkKind;
use ai_assist_index::PathGlobs;
use ai_assist_text::Language;
use rmcp::model::JsonObject;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::call::Call;
pub(crate) use crate::outcome::{ErrorType, Failure, Success};
use crate::tool::DEFAULT_TOKENS;
pub(crate) use crate::tool::{Answer, Tool, drop_counted, drop_last};

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

/// The call that an answer belongs to, for the calls that go on from there.
#[derive(Debug, Clone)]
pub(crate) struct Again {
    tool: &'static str,
    pub(crate) arguments: JsonObject,
    /// How many items of its list the call leaves out at the start.
    pub(crate) after: usize,
}

impl Again {
    pub(crate) fn of<T: Tool>(args: &T) -> Self {
        let mut arguments = match json!(args) {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        };
        arguments.retain(|_, value| !value.is_null());
        let after = arguments.get("after").and_then(Value::as_u64).unwrap_or_default() as usize;
        Again { tool: T::NAME, arguments, after }
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.arguments.insert(name.to_owned(), value.into());
    }

    /// The call with some arguments changed; null takes one out.
    pub(crate) fn with<const N: usize>(&self, left_out: String, changed: [(&str, Value); N]) -> More {
        let mut arguments = self.arguments.clone();
        arguments.extend(changed.map(|(name, value)| (name.to_owned(), value)));
        arguments.retain(|_, value| !value.is_null());
        More { left_out, tool: self.tool, arguments: arguments.into() }
    }

    /// The call for the rest of a list, if there is one: `shown` of `total` are there.
    pub(crate) fn rest(&self, shown: usize, total: usize, what: &str) -> Option<More> {
        let next = self.after.saturating_add(shown);
        (next < total && shown > 0).then(|| self.with(format!("{} more{what}", total - next), [("after", json!(next))]))
    }
}

pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(crate) fn budget(asked: Option<usize>) -> usize {
    asked.unwrap_or(DEFAULT_TOKENS)
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
