//! Ids of repositories and of sets of them.

use std::str::FromStr;

use crate::text_type;
use crate::{CanonicalPath, Sha1, jcs};

/// How long the readable part of a repo id may be.
const SLUG_MAX: usize = 24;
const HASH_DIGITS: usize = 12;

/// A text that is not the id of a repository or of a set of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRepoId {
    #[error(
        "`{0}` is not a repo id; it should be a name, `-` and {HASH_DIGITS} hex digits, such as `my-repo-08ebb2fc2540`"
    )]
    Repo(String),
    #[error("`{0}` is not the id of a set of repos; it should be `ws1-` and 40 hex digits")]
    Set(String),
}

/// The id of a repository: a slug of its folder's name and a hash of its canonical root. It is safe as a file name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoId(String);

impl RepoId {
    /// The id of the repository at a canonical root.
    pub fn of(root: &CanonicalPath) -> Self {
        let path = root.hash_text();
        let name = path.rsplit('/').next().unwrap_or_default();
        let hash = Sha1::of(path.as_bytes()).hex();
        RepoId(format!("{}-{}", slug(name), &hash[..HASH_DIGITS]))
    }
}

/// Every run of other characters than `a-z0-9` becomes one `-`, none at either end.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(SLUG_MAX);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "repo".to_owned() } else { slug.to_owned() }
}

impl FromStr for RepoId {
    type Err = BadRepoId;

    fn from_str(text: &str) -> Result<Self, BadRepoId> {
        let valid = text
            .rsplit_once('-')
            .is_some_and(|(name, hash)| slug(name) == name && hash.len() == HASH_DIGITS && is_lower_hex(hash));
        if valid { Ok(RepoId(text.to_owned())) } else { Err(BadRepoId::Repo(text.to_owned())) }
    }
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The id of a set of repositories: who its members are and where, whatever their order, aliases or state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoSetId(String);

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    v: u32,
    schema_version: u32,
    repos: Vec<Member<'a>>,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Member<'a> {
    repo_id: &'a RepoId,
    repo_root_canonical: &'a CanonicalPath,
}

impl RepoSetId {
    /// The id of a set. The order in which members are given does not matter.
    pub fn of(repos: &[(RepoId, CanonicalPath)]) -> Self {
        let mut members: Vec<Member<'_>> =
            repos.iter().map(|(repo_id, repo_root_canonical)| Member { repo_id, repo_root_canonical }).collect();
        members.sort_by_key(|m| (m.repo_id, m.repo_root_canonical));
        #[expect(
            clippy::expect_used,
            reason = "strings and two small integers under distinct keys always have a JSON form"
        )]
        let json = jcs::to_vec(&Members { v: 1, schema_version: 1, repos: members }).expect("a set of repos as JSON");
        RepoSetId(format!("ws1-{}", Sha1::of(&json).hex()))
    }
}

impl FromStr for RepoSetId {
    type Err = BadRepoId;

    fn from_str(text: &str) -> Result<Self, BadRepoId> {
        match text.strip_prefix("ws1-") {
            Some(hash) if hash.len() == 40 && is_lower_hex(hash) => Ok(RepoSetId(text.to_owned())),
            _ => Err(BadRepoId::Set(text.to_owned())),
        }
    }
}

text_type!(RepoId, RepoSetId);

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn repo(root: &str) -> (RepoId, CanonicalPath) {
        let root: CanonicalPath = root.parse().unwrap();
        (RepoId::of(&root), root)
    }

    #[test]
    fn the_check_values_of_the_decisions() {
        let service = repo("/srv/ws/Service_A");
        let alpha = repo("/srv/ws/alpha.core");
        assert_eq!(service.0.as_str(), "service-a-08ebb2fc2540");
        assert_eq!(alpha.0.as_str(), "alpha-core-60c3bb396a91");
        let set = RepoSetId::of(&[service.clone(), alpha.clone()]);
        assert_eq!(set.as_str(), "ws1-f7eb51b3cff4c2a29fc47058da28818bd78203e2");
        assert_eq!(RepoSetId::of(&[alpha, service]), set);
    }

    #[test]
    fn slugs() {
        for (name, expected) in [
            ("Service_A", "service-a"),
            (".config", "config"),
            ("a--b__c", "a-b-c"),
            ("", "repo"),
            ("日本", "repo"),
            ("café", "caf"),
            ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"),
            ("abcdefghijklmnopqrstuvw-xyz", "abcdefghijklmnopqrstuvw"),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert!(repo("/").0.as_str().starts_with("repo-"));
    }

    #[test]
    fn ids_are_read_back_and_checked() {
        for root in ["/", "/srv/ws/Service_A", "/x/a%FF", "/日本"] {
            let (id, _) = repo(root);
            assert_eq!(id.as_str().parse::<RepoId>().as_ref(), Ok(&id));
        }
        for bad in
            ["", "x", "-08ebb2fc2540", "../x-08ebb2fc2540", "a-08EBB2FC2540", "a-08ebb2fc254", "a/b-08ebb2fc2540"]
        {
            assert!(bad.parse::<RepoId>().is_err(), "{bad}");
        }
        assert!("ws1-f7eb51b3cff4c2a29fc47058da28818bd78203e2".parse::<RepoSetId>().is_ok());
        assert!("ws1-f7eb".parse::<RepoSetId>().is_err());
    }
}
