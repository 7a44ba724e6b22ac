//! The closed lists of the spec: what a file is, what it is for, and why it stays out.

use ai_assist_admit::Reason;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileType {
    Text,
    Binary,
    Image,
    Data,
    /// Not known: a folder that was not entered, or a name that says nothing.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileCategory {
    /// Settings and manifests, such as `package.json`.
    Config,
    Entrypoint,
    /// Who someone is and what they may do.
    Auth,
    Api,
    Database,
    Test,
    Documentation,
    Build,
    Dependency,
    Source,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExclusionReason {
    /// It holds secrets, by its name or its content.
    Credentials,
    Binary,
    /// It is too large, too deep, or did not fit into the pack.
    SizeLimit,
    /// A pattern, an ignore file or a rule of the walk drops it.
    PatternMatch,
    /// It was written elsewhere and copied here.
    DependencyDir,
    /// A build or a generator made it.
    BuildOutput,
    Cache,
    /// The system or its encoding does not let it be read, or it is no file. The spec has no word for this.
    Unreadable,
}

impl ExclusionReason {
    pub const ALL: [ExclusionReason; 8] = [
        ExclusionReason::Credentials,
        ExclusionReason::Binary,
        ExclusionReason::SizeLimit,
        ExclusionReason::PatternMatch,
        ExclusionReason::DependencyDir,
        ExclusionReason::BuildOutput,
        ExclusionReason::Cache,
        ExclusionReason::Unreadable,
    ];
}

/// The door knows more reasons than the spec has names for; this is the one place where they are brought together.
impl From<Reason> for ExclusionReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::SecretName | Reason::SecretValue => ExclusionReason::Credentials,
            // The spec lists dumps and logs by name; what is wrong with them is their size.
            Reason::TooLarge | Reason::TooDeep | Reason::LargeData => ExclusionReason::SizeLimit,
            Reason::Dependency | Reason::Vendored => ExclusionReason::DependencyDir,
            Reason::BuildOutput | Reason::Generated => ExclusionReason::BuildOutput,
            Reason::Cache => ExclusionReason::Cache,
            Reason::Binary | Reason::Unconverted => ExclusionReason::Binary,
            Reason::NotAFile | Reason::Unreadable | Reason::Unstable => ExclusionReason::Unreadable,
            // What no glob selects, what is hidden, what an ignore file drops, symlinks that lead nowhere good.
            _ => ExclusionReason::PatternMatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reason that is added to the door must be given its place above, or be added here on purpose.
    #[test]
    fn only_these_reasons_are_called_a_pattern() {
        let patterns: Vec<Reason> = Reason::ALL
            .iter()
            .copied()
            .filter(|&reason| ExclusionReason::from(reason) == ExclusionReason::PatternMatch)
            .collect();
        let expected = [
            Reason::NotMatched,
            Reason::Hidden,
            Reason::VersionControl,
            Reason::IgnoreFile,
            Reason::SymlinkOutside,
            Reason::SymlinkLoop,
            Reason::SymlinkBroken,
        ];
        assert_eq!(patterns, expected);
    }
}
