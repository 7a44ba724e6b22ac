//! Failures as problem+json (RFC 9457), with the kinds that MCP has.

use ai_assist_mcp::{ErrorType, Failure};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// What is said of an answer that is none.
pub(crate) const PROBLEM: &str = "application/problem+json";

pub(crate) fn status(kind: ErrorType) -> StatusCode {
    match kind {
        ErrorType::AlreadyExists | ErrorType::NameConflict | ErrorType::NotIndexed | ErrorType::LockError => {
            StatusCode::CONFLICT
        }
        ErrorType::NotFound | ErrorType::CategoryNotFound | ErrorType::NoSession => StatusCode::NOT_FOUND,
        ErrorType::DescriptionTooLong
        | ErrorType::InvalidCharacters
        | ErrorType::InvalidName
        | ErrorType::ValidationError => StatusCode::BAD_REQUEST,
        ErrorType::ReadOnly | ErrorType::Refused => StatusCode::FORBIDDEN,
        ErrorType::StaleCursor => StatusCode::GONE,
        ErrorType::ReadError => StatusCode::UNPROCESSABLE_ENTITY,
        // The client is gone, or the service ends.
        ErrorType::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        ErrorType::InternalError | ErrorType::WriteError => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The words that a kind of failure goes by.
pub(crate) fn title(kind: &str) -> &'static str {
    let known = ai_assist_mcp::ERROR_TYPES.iter().find(|(word, _)| *word == kind);
    known.map_or("Something went wrong.", |(_, meaning)| meaning)
}

pub(crate) fn problem(failure: &Failure) -> (StatusCode, Value) {
    let status = status(failure.error_type);
    let told = failure.json();
    let kind = told["error_type"].as_str().unwrap_or_default();
    let mut problem = json!({
        "type": format!("urn:ai-assist:{kind}"),
        "title": title(kind),
        "status": status.as_u16(),
        "detail": told["error"],
        "errorType": kind,
        "instruction": told["instruction"],
    });
    for optional in ["field", "expected"] {
        if let Some(value) = told.get(optional) {
            problem[optional] = value.clone();
        }
    }
    (status, problem)
}

pub(crate) fn response(failure: &Failure) -> Response {
    let (status, problem) = problem(failure);
    (status, [(CONTENT_TYPE, PROBLEM)], problem.to_string()).into_response()
}

/// The schema of every problem.
pub(crate) fn schema() -> Value {
    let kinds: Vec<&str> = ai_assist_mcp::ERROR_TYPES.iter().map(|(word, _)| *word).collect();
    let text = |about: &str| json!({ "type": "string", "description": about });
    json!({
        "type": "object",
        "properties": {
            "type": text("A name for the kind of problem."),
            "title": text("What problems of that kind are."),
            "status": { "type": "integer" },
            "detail": text("What went wrong."),
            "errorType": { "type": "string", "enum": kinds, "description": "The kind of failure; MCP has the same." },
            "instruction": text("What to do next."),
            "field": text("The argument that is wrong."),
            "expected": text("What it should have been."),
        },
        "required": ["type", "title", "status", "detail", "errorType", "instruction"],
        "additionalProperties": false,
    })
}
