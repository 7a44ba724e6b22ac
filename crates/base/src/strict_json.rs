//! JSON of which no two readers can think differently: a key that occurs twice is an error, at any depth.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub fn from_slice(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = UniqueKeys.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

struct UniqueKeys;

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! plain {
    ($($visit:ident $value:ty),*) => {
        $(fn $visit<E>(self, value: $value) -> Result<Value, E> {
            Ok(value.into())
        })*
    };
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    plain! { visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(UniqueKeys)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(UniqueKeys)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{}` occurs twice", key.escape_debug())));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_serde_json() {
        let text = r#"{"a": [1, -2, 1.5, 1e300, true, null, "x\u00e9"], "b": {"a": {}}}"#;
        assert_eq!(from_slice(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn what_is_not_one_clear_value_is_refused() {
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"[{"b":{"a":1,"\u0061":2}}]"#,
            "{} {}",
            "",
            "{",
            "nul",
            "{'a':1}",
            "[1,]",
            "\u{feff}{}",
        ] {
            assert!(from_slice(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(from_slice("[".repeat(1_000_000).as_bytes()).is_err());
        assert!(from_slice(b"\"\xff\"").is_err());
    }
}
