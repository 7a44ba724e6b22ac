//! From a query and a body to arguments.

use ai_assist_mcp::Failure;
use serde_json::{Map, Value};
use url::form_urlencoded;

/// The arguments of a query, each of the type that the schema has for its name. What does not fit stays a text, and is told of
/// when arguments are checked.
pub(super) fn of_query(schema: &Map<String, Value>, query: &str) -> Result<Map<String, Value>, Failure> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut arguments = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let property = properties.and_then(|all| all.get(name.as_ref()));
        let kind = property.and_then(|property| property.get("type")).and_then(Value::as_str);
        if kind == Some("array") {
            let of = property.and_then(|property| property.get("items")?.get("type")?.as_str());
            let list = arguments.entry(name.into_owned()).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(items) = list {
                items.push(typed(of, &text));
            }
        } else if arguments.insert(name.to_string(), typed(kind, &text)).is_some() {
            return Err(Failure::argument(name.as_ref(), "one value", format!("`{name}` is given more than once")));
        }
    }
    Ok(arguments)
}

fn typed(kind: Option<&str>, text: &str) -> Value {
    let number = || serde_json::from_str(text).ok().filter(Value::is_number);
    match kind {
        Some("integer" | "number") => number().unwrap_or_else(|| text.into()),
        Some("boolean") => match text {
            "true" | "1" | "" => true.into(),
            "false" | "0" => false.into(),
            other => other.into(),
        },
        _ => text.into(),
    }
}

/// The arguments of a body, which may be empty.
pub(super) fn of_body(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Failure::argument("body", "a JSON object", "the body is JSON, but no object")),
        Err(error) => Err(Failure::argument("body", "a JSON object", format!("the body is no JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_query_has_the_types_of_its_schema() {
        let schema = json!({ "properties": {
            "query": { "type": "string" }, "limit": { "type": "integer" }, "all": { "type": "boolean" },
            "path": { "type": "array", "items": { "type": "string" } },
        } });
        let schema = schema.as_object().unwrap();
        let read = |query| of_query(schema, query).map(Value::Object);
        let expected = json!({ "query": "1 b", "limit": 3, "all": true, "path": ["x", "y"], "odd": "z" });
        assert_eq!(read("query=1+b&limit=3&all&path=x&path=y&odd=z"), Ok(expected));
        assert_eq!(read("limit=many&all=maybe"), Ok(json!({ "limit": "many", "all": "maybe" })));
        assert_eq!(read("query=a&query=b").unwrap_err().field.as_deref(), Some("query"));
        assert!(of_body(b"[1]").is_err() && of_body(b"{").is_err() && of_body(b" \n").is_ok_and(|it| it.is_empty()));
    }
}
