//! SHA-256 and SHA-1 values, each a type of its own, written `sha256:<hex>` and `sha1:<hex>`.

use std::fmt;
use std::str::FromStr;

use sha2::Digest;

use crate::serde_as_text;

/// A text that is not the hash it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDigest {
    #[error("`{text}` names no hash algorithm; write `{expected}:` and then the hex digits")]
    NoAlgorithm { text: String, expected: &'static str },
    #[error("hash algorithm `{found}` is not known here; `{expected}` is expected")]
    UnknownAlgorithm { found: String, expected: &'static str },
    #[error("a {algorithm} hash has {expected} hex digits, not {found}")]
    WrongLength { algorithm: &'static str, found: usize, expected: usize },
    #[error("`{found}` at position {position} of the hash is not a hex digit")]
    BadHex { found: char, position: usize },
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)] as char, DIGITS[usize::from(b & 15)] as char]).collect()
}

fn parse_hex<const N: usize>(text: &str, algorithm: &'static str) -> Result<[u8; N], BadDigest> {
    let Some((found, digits)) = text.split_once(':') else {
        return Err(BadDigest::NoAlgorithm { text: text.to_owned(), expected: algorithm });
    };
    if found != algorithm {
        return Err(BadDigest::UnknownAlgorithm { found: found.to_owned(), expected: algorithm });
    }
    let count = digits.chars().count();
    if count != 2 * N {
        return Err(BadDigest::WrongLength { algorithm, found: count, expected: 2 * N });
    }
    let mut bytes = [0; N];
    for (at, found) in digits.chars().enumerate() {
        let digit = found.to_digit(16).ok_or(BadDigest::BadHex { found, position: at + 1 })?;
        // A hex digit is below 16, so it fits.
        bytes[at / 2] = bytes[at / 2] << 4 | digit as u8;
    }
    Ok(bytes)
}

macro_rules! digest_type {
    ($(#[$doc:meta])* $name:ident, $size:literal, $algorithm:literal, $hasher:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $size]);

        impl $name {
            /// The hash of some bytes.
            pub fn of(bytes: &[u8]) -> Self {
                $name(<$hasher>::digest(bytes).into())
            }

            /// A hash that was computed elsewhere.
            pub const fn from_bytes(bytes: [u8; $size]) -> Self {
                $name(bytes)
            }

            /// The bytes of the hash.
            pub const fn as_bytes(&self) -> &[u8; $size] {
                &self.0
            }

            /// The hash as lower-case hex digits, without the name of the algorithm.
            pub fn hex(&self) -> String {
                hex(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&format!(concat!($algorithm, ":{}"), self.hex()))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($algorithm, ":{}"), self.hex())
            }
        }

        impl FromStr for $name {
            type Err = BadDigest;

            fn from_str(text: &str) -> Result<Self, BadDigest> {
                parse_hex(text, $algorithm).map($name)
            }
        }
    };
}

digest_type! {
    /// A SHA-256 value.
    Sha256, 32, "sha256", sha2::Sha256
}
digest_type! {
    /// A SHA-1 value. Used where a spec's id format asks for it, never to guard against anyone.
    Sha1, 20, "sha1", sha1::Sha1
}

/// SHA-256 of bytes that come in pieces.
#[derive(Debug, Clone, Default)]
pub struct Sha256Builder(sha2::Sha256);

impl Sha256Builder {
    /// The hash of nothing so far.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(bytes);
        self
    }

    /// The hash of all pieces together.
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

/// The SHA-256 of a stored text: the key under which a content is kept once, wherever it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub Sha256);

impl ContentHash {
    pub fn of(text: &str) -> Self {
        ContentHash(Sha256::of(text.as_bytes()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ContentHash {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        text.parse().map(ContentHash)
    }
}

serde_as_text!(Sha256, Sha1, ContentHash);

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn known_values() {
        assert_eq!(Sha256::of(b"abc").to_string(), ABC);
        assert_eq!(Sha1::of(b"abc").to_string(), "sha1:a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(ContentHash::of("abc").to_string(), ABC);
        assert_eq!(Sha256::of(b"abc").hex(), &ABC[7..]);
    }

    #[test]
    fn either_case_is_one_value() {
        let upper = format!("sha256:{}", ABC[7..].to_uppercase());
        assert_eq!(upper.parse::<Sha256>().unwrap(), Sha256::of(b"abc"));
        assert_eq!(upper.parse::<Sha256>().unwrap().to_string(), ABC);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let long = format!("{ABC}0");
        let letter = ABC.replace("5ad", "5ag");
        let wide = ABC.replace("5ad", "5é");
        for (text, message) in [
            (&ABC[7..], "names no hash algorithm; write `sha256:`"),
            ("md5:00", "hash algorithm `md5` is not known here; `sha256` is expected"),
            ("SHA256:00", "hash algorithm `SHA256` is not known here"),
            ("sha256:", "has 64 hex digits, not 0"),
            (&long, "has 64 hex digits, not 65"),
            (&letter, "`g` at position 64"),
            (&wide, "has 64 hex digits, not 63"),
            ("", "names no hash algorithm"),
        ] {
            let error = text.parse::<Sha256>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!("sha256:00".parse::<Sha1>().unwrap_err().to_string().contains("`sha1` is expected"));
    }

    #[test]
    fn json_is_the_text() {
        let json = serde_json::to_string(&ContentHash::of("abc")).unwrap();
        assert_eq!(json, format!("\"{ABC}\""));
        assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), ContentHash::of("abc"));
        assert!(serde_json::from_str::<Sha256>("\"sha256:xyz\"").is_err());
    }

    proptest::proptest! {
        #[test]
        fn text_and_value_agree(bytes in proptest::array::uniform32(proptest::num::u8::ANY)) {
            let hash = Sha256::from_bytes(bytes);
            proptest::prop_assert_eq!(hash.to_string().parse::<Sha256>().unwrap(), hash);
            proptest::prop_assert_eq!(hash.as_bytes(), &bytes);
        }

        #[test]
        fn pieces_make_the_whole(pieces in proptest::collection::vec(".{0,20}", 0..6)) {
            let mut builder = Sha256Builder::new();
            for piece in &pieces {
                builder.update(piece.as_bytes());
            }
            proptest::prop_assert_eq!(builder.finish(), Sha256::of(pieces.concat().as_bytes()));
        }
    }
}
