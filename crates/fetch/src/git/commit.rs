//! Ids of commits.

use std::str::FromStr;

/// The full id of a commit: 40 hex digits, or 64 in a repository that uses SHA-256; in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit(String);

/// A text that is not the full id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the id of a commit; it has 40 or 64 hex digits")]
pub struct BadCommit(String);

ai_assist_identity::text_type!(Commit);

impl Commit {
    pub(super) fn is_sha256(&self) -> bool {
        self.0.len() == 64
    }
}

impl FromStr for Commit {
    type Err = BadCommit;

    fn from_str(text: &str) -> Result<Self, BadCommit> {
        if matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            Ok(Commit(text.to_ascii_lowercase()))
        } else {
            Err(BadCommit(text.chars().take(80).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_ids_are_commits() {
        let sha1 = "0123456789abcdef0123456789ABCDEF01234567";
        assert_eq!(sha1.parse::<Commit>().unwrap().as_str(), sha1.to_lowercase());
        let sha256 = "a".repeat(64);
        assert!(sha256.parse::<Commit>().unwrap().is_sha256());
        for text in ["", "abc", &sha1[1..], &sha1.replace('f', "g"), "--upload-pack=x", &"a".repeat(65)] {
            assert!(text.parse::<Commit>().is_err(), "{text}");
            assert!(serde_json::from_value::<Commit>(text.into()).is_err(), "{text}");
        }
        let json = serde_json::to_string(&sha1.parse::<Commit>().unwrap()).unwrap();
        assert_eq!(json, format!("\"{}\"", sha1.to_lowercase()));
        assert_eq!(serde_json::from_str::<Commit>(&json).unwrap(), sha1.parse().unwrap());
    }
}
