//! Ids that are a prefix and the digits of a SHA-1, each a type of its own.

/// A text that is not the id it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}; it should be `{prefix}` and 40 hex digits")]
pub struct BadId {
    pub text: String,
    pub what: &'static str,
    pub prefix: &'static str,
}

#[macro_export]
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        ai_assist_identity::text_type!($name);

        impl $name {
            pub(crate) fn of(bytes: &[u8]) -> Self {
                $name(format!(concat!($prefix, "{}"), ai_assist_identity::Sha1::of(bytes).hex()))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::BadId;

            fn from_str(text: &str) -> Result<Self, $crate::BadId> {
                let hex = |digits: &str| digits.len() == 40 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
                let text = text.to_owned();
                if text.strip_prefix($prefix).is_some_and(hex) {
                    Ok($name(text))
                } else {
                    Err($crate::BadId { text, what: $what, prefix: $prefix })
                }
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": concat!("^", $prefix, "[0-9a-f]{40}$") })
            }
        }
    };
}
