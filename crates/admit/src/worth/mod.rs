//! What is worth sending: the rules of the second question.
//!
//! An index wants everything that can be read. A pack goes to a model that is paid by the token, so what others wrote, what
//! a tool can make again and what is data stays out of it.

mod generated;
mod table;

use std::sync::Arc;

use ai_assist_identity::DocPath;

use crate::PathSet;

pub(crate) use generated::generated;
pub(crate) use table::{Rule, file_rule, folder_rule, version_control_rule};

/// Which rules the second question asks with.
#[derive(Debug, Clone, Default)]
pub enum Worth {
    /// Whatever fits the limits, as an index wants it.
    #[default]
    Everything,
    /// Less: no dependencies, build outputs, caches, data, generated or vendored files.
    Packs(PackRules),
}

/// The rules of a pack beside those that are compiled in.
#[derive(Debug, Clone, Default)]
pub struct PackRules {
    /// What git tracks below the root. A tracked file in a folder called `build`, `out`, `env` or `logs` stays; nothing
    /// given means there is no git, and then such a folder goes as a whole.
    pub tracked: Option<Arc<PathSet>>,
    /// Files somebody named by hand. No rule of any of the three questions drops one of these, and nothing in it is
    /// redacted, save that it must be text inside the root and within the limits. A symlink named here does not allow its
    /// target: that has to be named itself, or pass the rules.
    pub allow: Vec<DocPath>,
    /// Values that stay in by hand, and why: what one rule finds in one file. A file that is allowed as a whole may have its
    /// reason here too.
    pub allowances: Vec<Allowance>,
    /// What becomes of a file with a secret value in it.
    pub on_secret: OnSecret,
    /// Whether logs that git tracks stay: somebody keeps them for what they say.
    pub tracked_logs: bool,
}

/// That somebody wants a file, or what a rule of secrets finds in it, to go out as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    pub path: DocPath,
    /// The rule whose values stay; none if the file is allowed as a whole.
    pub rule: Option<String>,
    pub reason: String,
}

/// What becomes of a file with a secret value in it. A caller that wants to stop instead takes `Exclude` and stops at the
/// first [`Reason::SecretValue`](crate::Reason::SecretValue).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnSecret {
    /// The value is replaced by a marker.
    #[default]
    Redact,
    Exclude,
}

/// What a candidate will be asked when it is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    pub(crate) for_a_pack: bool,
    pub(crate) allowed: bool,
    pub(crate) on_secret: OnSecret,
    /// The rules whose values stay in this file.
    pub(crate) allowed_rules: Vec<String>,
}
