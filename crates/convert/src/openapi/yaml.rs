//! YAML to the same values that JSON gives, within limits: no text can make more values than a fixed factor of its length.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::Limits;

/// Deeper than this the values themselves could not be dropped without a deep stack.
const DEEPEST: usize = 128;

/// How many values aliases may add beyond what the text itself holds.
const ALIASED: usize = 200_000;

/// A collection that is being read, with its anchor.
enum Open {
    Sequence(Vec<Value>, usize),
    Mapping { map: Map<String, Value>, key: Option<String>, anchor: usize },
}

struct Builder {
    open: Vec<Open>,
    /// The values that have an anchor, and how many values are in each.
    anchors: HashMap<usize, (Value, usize)>,
    aliased: usize,
    deepest: usize,
    done: Option<Value>,
}

/// The first document of a text.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Value, String> {
    let mut builder = Builder {
        open: Vec::new(),
        anchors: HashMap::new(),
        aliased: 0,
        deepest: limits.max_depth.min(DEEPEST),
        done: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        builder.take(event)?;
        if let Some(value) = builder.done {
            return Ok(value);
        }
    }
    Err("it is empty".to_owned())
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, _) => self.put(scalar(&text, style), anchor),
            Event::SequenceStart(anchor, _) => self.begin(Open::Sequence(Vec::new(), anchor)),
            Event::MappingStart(anchor, _) => self.begin(Open::Mapping { map: Map::new(), key: None, anchor }),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::Sequence(items, anchor)) => self.put(Value::Array(items), anchor),
                Some(Open::Mapping { map, anchor, .. }) => self.put(Value::Object(map), anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor).cloned().unwrap_or((Value::Null, 1));
                self.aliased += size;
                if self.aliased > ALIASED {
                    return Err(format!("its aliases stand for more than {ALIASED} values"));
                }
                self.put(value, 0)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), String> {
        if self.open.len() >= self.deepest {
            return Err(format!("it is nested deeper than {} levels", self.deepest));
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        if anchor > 0 {
            let size = count(&value);
            self.aliased += size;
            if self.aliased > ALIASED {
                return Err(format!("its anchors hold more than {ALIASED} values"));
            }
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::Sequence(items, _)) => items.push(value),
            Some(Open::Mapping { map, key, .. }) => match key.take() {
                None => *key = Some(key_of(value)),
                Some(key) if key == "<<" => merge(map, value),
                Some(key) => drop(map.insert(key, value)),
            },
        }
        // An alias may hang a deep value into a deep place.
        Ok(())
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

fn merge(map: &mut Map<String, Value>, value: Value) {
    match value {
        Value::Object(other) => {
            for (key, value) in other {
                map.entry(key).or_insert(value);
            }
        }
        Value::Array(items) => items.into_iter().for_each(|item| merge(map, item)),
        _ => {}
    }
}

fn key_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Numbers stay as they are written: they are only shown.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    match text {
        _ if style != ScalarStyle::Plain => Value::String(text.to_owned()),
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        _ => Value::String(text.to_owned()),
    }
}
