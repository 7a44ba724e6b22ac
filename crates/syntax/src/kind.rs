//! What a chunk or an outline entry is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// What a chunk holds. Outside the program it is its kebab-case name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ChunkKind {
            $($(#[$doc])* $kind,)*
        }

        impl ChunkKind {
            pub const ALL: &'static [ChunkKind] = &[$(ChunkKind::$kind),*];

            /// The name, the same in the CLI, in JSON and in `kind:` filters.
            pub fn name(self) -> &'static str {
                match self {
                    $(ChunkKind::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    Section = "section",
    /// Text without a heading.
    Text = "text",
    /// A function that belongs to no type.
    Function = "function",
    /// A function that belongs to a type.
    Method = "method",
    Class = "class",
    Struct = "struct",
    Enum = "enum",
    Interface = "interface",
    Trait = "trait",
    Impl = "impl",
    Module = "module",
    /// A type alias or another named type.
    Type = "type",
    Constant = "constant",
    Macro = "macro",
    Imports = "imports",
    Code = "code",
    /// The settings at the top of a document.
    FrontMatter = "front-matter",
    Records = "records",
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of chunk; the kinds are {all}", all = all_names())]
pub struct UnknownChunkKind(String);

fn all_names() -> String {
    ChunkKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for ChunkKind {
    type Err = UnknownChunkKind;

    fn from_str(text: &str) -> Result<Self, UnknownChunkKind> {
        ChunkKind::ALL.iter().copied().find(|kind| kind.name() == text).ok_or_else(|| UnknownChunkKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_agree_with_serde() {
        use serde::Serializer as _;
        use serde::de::IntoDeserializer as _;
        use serde::de::value::{Error, StrDeserializer};
        for &kind in ChunkKind::ALL {
            assert_eq!(kind.name().parse::<ChunkKind>(), Ok(kind));
            let word: StrDeserializer<'_, Error> = kind.name().into_deserializer();
            assert_eq!(ChunkKind::deserialize(word), Ok(kind));
        }
        assert!("frontmatter".parse::<ChunkKind>().unwrap_err().to_string().contains("front-matter"));
        // `Serializer` for `&mut Formatter` writes a unit variant's serialised name.
        struct Named(ChunkKind);
        impl fmt::Display for Named {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.serialize_str("")?;
                self.0.serialize(f)
            }
        }
        assert_eq!(Named(ChunkKind::FrontMatter).to_string(), "front-matter");
    }
}
