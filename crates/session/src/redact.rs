//! Secrets are taken out before anything is stored.

use ai_assist_admit::redact;
use serde_json::{Map, Value};

/// What a program has told, without the secrets in it.
pub fn redacted(told: Value) -> Value {
    match told {
        Value::Object(fields) => Value::Object(Keep { raw: false }.arguments(fields)),
        mut other => {
            one_by_one(&mut other);
            other
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Keep {
    pub(crate) raw: bool,
}

impl Keep {
    pub(crate) fn text(self, text: String) -> String {
        if self.raw { text } else { redact(text).text }
    }

    pub(crate) fn optional(self, text: Option<String>) -> Option<String> {
        text.map(|text| self.text(text))
    }

    /// Arguments are looked at as a whole first, because a name gives away what a value alone does not, and then one by one,
    /// because a value may be a text with lines of its own.
    pub(crate) fn arguments(self, arguments: Map<String, Value>) -> Map<String, Value> {
        if self.raw {
            return arguments;
        }
        let mut arguments = as_a_whole(arguments);
        arguments.values_mut().for_each(one_by_one);
        arguments
    }
}

fn as_a_whole(arguments: Map<String, Value>) -> Map<String, Value> {
    let Ok(json) = serde_json::to_string(&arguments) else { return arguments };
    let redacted = redact(json);
    if redacted.redactions.is_empty() {
        return arguments;
    }
    // A value that crossed a quote leaves no JSON; then each value has to speak for itself.
    serde_json::from_str(&redacted.text).unwrap_or_else(|_| by_name(arguments))
}

fn by_name(arguments: Map<String, Value>) -> Map<String, Value> {
    let kept = |(name, value): (String, Value)| {
        let value = match value {
            Value::String(text) => {
                let line = format!("{name} = {}", Value::from(text.as_str()));
                let is_secret = !redact(line).redactions.is_empty();
                Value::String(if is_secret { "[redacted]".to_owned() } else { text })
            }
            Value::Object(inner) => Value::Object(by_name(inner)),
            other => other,
        };
        (name, value)
    };
    arguments.into_iter().map(kept).collect()
}

fn one_by_one(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact(std::mem::take(text)).text,
        Value::Array(items) => {
            items.iter_mut().for_each(one_by_one);
            side_by_side(items);
        }
        Value::Object(fields) => fields.values_mut().for_each(one_by_one),
        _ => {}
    }
}

/// In a list, what stands before a value may give it away: `["--password", "…"]`.
fn side_by_side(items: &mut [Value]) {
    for at in 1..items.len() {
        let (before, after) = items.split_at_mut(at);
        let (Some(Value::String(name)), Some(Value::String(value))) = (before.last(), after.first_mut()) else {
            continue;
        };
        let name = name.trim_start_matches('-');
        let lines = [format!("{name}={value}"), format!("{name} = \"{value}\"")];
        let is_secret = |line: &String| {
            let kept = redact(line.clone()).text;
            !value.is_empty() && !kept.contains(value.as_str())
        };
        if lines.iter().any(is_secret) {
            *value = "[redacted]".to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("an object is needed") };
        Value::Object(Keep { raw: false }.arguments(arguments)).to_string()
    }

    #[test]
    fn arguments_keep_no_secret_that_a_text_would_not_keep() {
        let mut seen = 0;
        for file in ai_assist_secret_fixtures::labelled(7) {
            let plain = redact(file.text.clone()).text;
            let out = kept(json!({ "env": { "list": [file.text.clone()] }, "command": file.text }));
            for value in file.labels.iter().filter_map(|label| label.value.as_ref()).filter(|v| !plain.contains(*v)) {
                let escaped = Value::from(value.as_str()).to_string();
                assert!(!out.contains(escaped.trim_matches('"')), "{}: {out}", file.name);
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn a_name_gives_a_value_away() {
        let out = kept(json!({ "db_password": "x7Kp!2mQz94LwR", "path": "src/main.rs", "n": 3 }));
        assert!(!out.contains("x7Kp!2mQz94LwR") && out.contains("src/main.rs"), "{out}");
        let list = json!({ "command": ["mysql", "-u", "root", "--password", "x7Kp!2mQz94LwR", "shop"] });
        assert_eq!(kept(list), r#"{"command":["mysql","-u","root","--password","[redacted]","shop"]}"#);
        let pairs = kept(json!({ "env": [["DB_PASSWORD", "x7Kp!2mQz94LwR"]], "argv": ["git", "log", "src/main.rs"] }));
        assert!(!pairs.contains("x7Kp!2mQz94LwR") && pairs.contains("src/main.rs"), "{pairs}");
    }

    #[test]
    fn the_switch_keeps_everything() {
        let arguments = json!({ "db_password": "x7Kp!2mQz94LwR" });
        let Value::Object(arguments) = arguments else { panic!("an object is needed") };
        assert_eq!(Keep { raw: true }.arguments(arguments.clone()), arguments);
    }
}
