//! The one shape in which every tool answers, in two forms: for programs, and for models.
//!
//! ```json
//! {"success": true, "value": {…}, "message": "…"}
//! {"success": false, "error": "…", "error_type": "not_found", "instruction": "…"}
//! ```
//!
//! For a model the same is said in Markdown, which costs it about half (`markdown`).

use rmcp::model::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// No text of a failure is longer than this.
const LONGEST: usize = 2_000;

#[derive(Debug, Clone)]
pub(crate) struct Success<T> {
    pub(crate) value: T,
    /// What else is worth knowing.
    pub(crate) message: Option<String>,
}

impl<T> Success<T> {
    pub(crate) fn with_message(value: T, message: impl Into<String>) -> Self {
        Success { value, message: Some(message.into()) }
    }

    /// With a message if there is something to say.
    pub(crate) fn noted(value: T, message: Option<&str>) -> Self {
        Success { value, message: message.map(str::to_owned) }
    }
}

impl<T> From<T> for Success<T> {
    fn from(value: T) -> Self {
        Success { value, message: None }
    }
}

/// What went wrong, and what an agent can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub error: String,
    pub error_type: ErrorType,
    pub instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

macro_rules! error_types {
    ($($name:ident = $word:literal: $meaning:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum ErrorType {
            $(#[serde(rename = $word)] $name,)*
        }

        /// The kinds of failure that there are, for the documentation.
        pub const ERROR_TYPES: &[(&str, &str)] = &[$(($word, $meaning),)*];
    };
}

error_types! {
    AlreadyExists = "already_exists": "Something of that name is there already.",
    Cancelled = "cancelled": "The client has cancelled the call.",
    CategoryNotFound = "category_not_found": "Categories that are named do not exist; the message lists all of them.",
    DescriptionTooLong = "description_too_long": "A description has more than 500 characters.",
    InternalError = "internal_error": "A fault of ai-assist itself.",
    InvalidCharacters = "invalid_characters": "A description has quotes or control characters.",
    InvalidName = "invalid_name": "A name breaks the rules of names.",
    LockError = "lock_error": "Another process holds the lock of the configuration.",
    NameConflict = "name_conflict": "The new name is taken.",
    NoSession = "no_session": "It is not known which project the call is about.",
    NotFound = "not_found": "What is named does not exist.",
    NotIndexed = "not_indexed": "It has not been indexed yet.",
    ReadError = "read_error": "Something can't be read.",
    ReadOnly = "read_only": "The server was started with `--read-only`.",
    Refused = "refused": "It may not be had: a secret, something outside of the project, or what the user has not allowed.",
    StaleCursor = "stale_cursor": "The cursor belongs to another question, or the documents have changed since.",
    ValidationError = "validation_error": "An argument is missing or wrong; `field` and `expected` say which and how.",
    WriteError = "write_error": "The configuration can't be written.",
}

impl Failure {
    pub fn new(error_type: ErrorType, error: impl Into<String>, instruction: impl Into<String>) -> Self {
        Failure { error: error.into(), error_type, instruction: instruction.into(), field: None, expected: None }
    }

    pub fn argument(field: impl Into<String>, expected: impl Into<String>, error: impl Into<String>) -> Self {
        let (field, expected) = (field.into(), expected.into());
        let instruction = format!("Call the tool again with `{field}` as {expected}.");
        let failure = Failure::new(ErrorType::ValidationError, error, instruction);
        Failure { field: Some(field), expected: Some(expected), ..failure }
    }

    pub fn cancelled() -> Self {
        Failure::new(
            ErrorType::Cancelled,
            "the call was cancelled",
            "Nothing is left half done; call again if it is still needed.",
        )
    }

    /// As an object. What a failure repeats of its input is kept short.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("success".to_owned(), Value::Bool(false));
        if let Ok(Value::Object(mut rest)) = serde_json::to_value(self) {
            rest.values_mut().for_each(keep_short);
            object.extend(rest);
        }
        Value::Object(object)
    }

    /// For a model.
    pub(crate) fn text(&self) -> String {
        let Failure { error, instruction, .. } = self;
        let kind = ai_assist_base::json::word(&self.error_type);
        let (mut error, mut instruction) = (Value::from(error.as_str()), Value::from(instruction.as_str()));
        [&mut error, &mut instruction].into_iter().for_each(keep_short);
        let said = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{kind}: {}\nNext: {}\n", said(&error), said(&instruction))
    }
}

/// Failures repeat what they were given, which may be of any length.
fn keep_short(value: &mut Value) {
    if let Value::String(text) = value
        && text.len() > LONGEST
    {
        let left = text.len() - LONGEST;
        text.truncate(ai_assist_text::floor_boundary(text, LONGEST));
        text.push_str(&format!("… ({left} more bytes)"));
    }
}

pub(crate) fn success_json<T: Serialize>(success: &Success<T>) -> serde_json::Result<Value> {
    let mut object = json!({ "success": true, "value": serde_json::to_value(&success.value)? });
    if let Some(message) = &success.message {
        object["message"] = Value::String(message.clone());
    }
    Ok(object)
}

/// What a call has come to, in both forms.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) json: Value,
    /// Empty where nobody wants it.
    pub(crate) text: String,
}

/// Which forms of an answer a client gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Forms {
    pub(crate) text: bool,
    pub(crate) structured: bool,
}

/// Agents, by how the name begins that they give of themselves, in lower case. Each gives its model what it gets of an answer, some of
/// them the structured form in place of the text, so the structured form would cost twice or more and tell nothing new.
const AGENTS: [&str; 19] = [
    "aider", "amp", "claude", "cline", "codex", "continue", "copilot", "crush", "cursor", "gemini", "goose", "junie",
    "kiro", "opencode", "qwen", "roo", "visual studio code", "windsurf", "zed",
];

impl Forms {
    pub(crate) const BOTH: Forms = Forms { text: true, structured: true };
    pub(crate) const STRUCTURED: Forms = Forms { text: false, structured: true };
    const TEXT: Forms = Forms { text: true, structured: false };

    /// What a client of some name gets. Whoever is shown schemas of answers is promised answers that follow them.
    pub(crate) fn of(client: &str, output_schemas: bool) -> Self {
        let name = client.to_lowercase();
        let is_agent = AGENTS.iter().any(|agent| {
            name.strip_prefix(agent).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        });
        if is_agent && !output_schemas { Forms::TEXT } else { Forms::BOTH }
    }
}

/// What the protocol carries.
pub(crate) fn to_result(outcome: Result<Answered, Failure>, forms: Forms) -> CallToolResult {
    let (Answered { json, text }, is_error) = match outcome {
        Ok(answered) => (answered, false),
        Err(failure) => (Answered { json: failure.json(), text: failure.text() }, true),
    };
    let content = if forms.text { vec![ContentBlock::text(text)] } else { Vec::new() };
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = forms.structured.then_some(json);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_can_use() {
        for (client, schemas, expected) in [
            ("claude-code", false, Forms::TEXT),
            ("Visual Studio Code", false, Forms::TEXT),
            ("codex-mcp-client", false, Forms::TEXT),
            ("claude-code", true, Forms::BOTH),
            ("claudette", false, Forms::BOTH),
            ("mcp", false, Forms::BOTH),
            ("", false, Forms::BOTH),
        ] {
            assert_eq!(Forms::of(client, schemas), expected, "{client}");
        }
        let failure = Failure::argument("name", "a string", "`name` is missing");
        let text = "validation_error: `name` is missing\nNext: Call the tool again with `name` as a string.\n";
        for (forms, has_structure) in [(Forms::BOTH, true), (Forms::TEXT, false)] {
            let result = serde_json::to_value(to_result(Err(failure.clone()), forms)).unwrap();
            assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &json!(text)));
            assert_eq!(result.get("structuredContent").is_some(), has_structure, "{result}");
        }
    }

    #[test]
    fn a_failure_says_what_to_do() {
        let failure = Failure::argument("limit", "an integer from 1 to 50", "`limit` is 0").json();
        assert_eq!(
            failure,
            json!({
                "success": false,
                "error": "`limit` is 0",
                "error_type": "validation_error",
                "instruction": "Call the tool again with `limit` as an integer from 1 to 50.",
                "field": "limit",
                "expected": "an integer from 1 to 50",
            })
        );
    }

    #[test]
    fn the_kinds_of_failure_are_sorted() {
        assert!(ERROR_TYPES.is_sorted());
    }
}
