//! The one shape in which every tool answers.
//!
//! ```json
//! {"success": true, "value": {…}, "message": "…"}
//! {"success": false, "error": "…", "error_type": "not_found", "instruction": "…"}
//! ```

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

/// What the protocol carries: some clients show only the structured form and some only the text, so both have everything.
pub(crate) fn to_result(outcome: Result<Value, Failure>) -> CallToolResult {
    let (value, is_error) = match outcome {
        Ok(value) => (value, false),
        Err(failure) => (failure.json(), true),
    };
    let content = vec![ContentBlock::text(value.to_string())];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(value);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let success = success_json(&Success::with_message(json!({ "a": 1 }), "done")).unwrap();
        let failure = Failure::argument("name", "a string", "`name` is missing");
        for (outcome, error) in [(Ok(success), false), (Err(failure), true)] {
            let result = serde_json::to_value(to_result(outcome)).unwrap();
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["structuredContent"]);
            assert_eq!(result["isError"], error);
            assert_eq!(text["success"], !error);
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
