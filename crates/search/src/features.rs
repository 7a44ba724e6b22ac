//! What counts beside words and meaning: small signals, each with a name, a weight and a switch.
//!
//! | feature | what it adds |
//! |---|---|
//! | kind | a share for documents of the kind that the question sounds like it is about |
//! | definition | a share for what defines a name of the question, or has it as a heading |
//! | role | tests, changelogs, translations and the like lose a part of their score, unless the question asks for them |
//! | name | a share for a document whose name the question says |
//! | evidence | further good chunks of a document count for its best one |
//! | opening | the first line of a long question counts more than the rest; what describes an environment does not count |
//! | look | the best chunks are read a second time by a model that minds the order of words |

use std::fmt;
use std::str::FromStr;

use ai_assist_text::Role;
use serde::{Deserialize, Serialize};

/// A signal that can be left out of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    Kind,
    Definition,
    Role,
    Name,
    Evidence,
    Opening,
    Look,
}

impl Feature {
    pub const ALL: [Feature; 7] = [
        Feature::Kind,
        Feature::Definition,
        Feature::Role,
        Feature::Name,
        Feature::Evidence,
        Feature::Opening,
        Feature::Look,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Feature::Kind => "kind",
            Feature::Definition => "definition",
            Feature::Role => "role",
            Feature::Name => "name",
            Feature::Evidence => "evidence",
            Feature::Opening => "opening",
            Feature::Look => "look",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Feature {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Feature::ALL.into_iter().find(|feature| feature.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
            format!("`{text}` is no feature of the ranking; there are {}", names.join(", "))
        })
    }
}

/// The features that a ranking has: all, less those that were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    left_out: u8,
}

impl Features {
    /// Words and meaning, and nothing else.
    pub const NONE: Features = Features { left_out: u8::MAX };

    pub const fn has(self, feature: Feature) -> bool {
        self.left_out & (1 << feature as u8) == 0
    }

    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Features { left_out: self.left_out | 1 << feature as u8 }
    }
}

/// What a document keeps of its score for what it is.
pub(crate) const fn kept(role: Role) -> f32 {
    match role {
        Role::Source | Role::Guide | Role::Reference => 1.0,
        Role::Example => 0.9,
        Role::Vendored => 0.85,
        Role::Config => 0.8,
        Role::Test | Role::Fixture | Role::News | Role::Template | Role::Generated => 0.75,
        Role::Translation => 0.6,
    }
}

/// The roles that some words ask for.
pub(crate) fn asked_roles(words: &[String]) -> Vec<Role> {
    let mut roles = Vec::new();
    for word in words {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let of_word: &[Role] = match word.as_str() {
            "test" | "tests" | "testing" | "tested" | "unittest" | "spec" | "specs" | "coverage" => {
                &[Role::Test, Role::Fixture]
            }
            "fixture" | "fixtures" | "mock" | "mocks" | "snapshot" | "testdata" => &[Role::Test, Role::Fixture],
            "changelog" | "changelogs" | "release" | "released" | "releases" | "upgrade" | "upgrading" | "migrate"
            | "migrating" | "migration" | "deprecated" | "deprecation" | "news" | "blog" | "history" => &[Role::News],
            "example" | "examples" | "sample" | "samples" | "demo" | "benchmark" | "benchmarks" => &[Role::Example],
            "config" | "configuration" | "settings" | "workflow" | "ci" | "yaml" | "toml" | "dockerfile"
            | "makefile" => &[Role::Config],
            "template" | "templates" => &[Role::Template],
            "generated" => &[Role::Generated],
            "vendored" | "vendor" => &[Role::Vendored],
            "translation" | "translations" | "translated" => &[Role::Translation],
            word if is_version(word) => &[Role::News],
            _ => continue,
        };
        for role in of_word {
            if !roles.contains(role) {
                roles.push(*role);
            }
        }
    }
    roles
}

/// `1.10`, `v2.3.1`: what is asked of a version may be in its release notes.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.contains('.') && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_known_by_name_and_can_be_left_out() {
        let mut features = Features::default();
        for feature in Feature::ALL {
            assert_eq!(feature.name().parse(), Ok(feature));
            assert!(features.has(feature) && !Features::NONE.has(feature));
            features = features.without(feature);
            assert!(!features.has(feature));
        }
        assert!("looks".parse::<Feature>().unwrap_err().contains("evidence"));
    }

    #[test]
    fn a_question_asks_for_roles() {
        let roles = |text: &str| asked_roles(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(roles("how is retry tested"), [Role::Test, Role::Fixture]);
        assert_eq!(roles("What changed in 1.10?"), [Role::News]);
        assert_eq!(roles("retry with backoff"), []);
        assert_eq!(roles("1. a . 3"), []);
    }
}
