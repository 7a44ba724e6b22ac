use ai_assist_identity::DocPath;
use serde::{Deserialize, Serialize};

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Why an entry of the tree was not taken. Exactly one is given for each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason, in the order of the questions.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)*];

            /// What it means, as the end of a sentence about the file.
            pub fn describe(self) -> &'static str {
                match self {
                    $(Reason::$name => $text,)*
                }
            }
        }
    };
}

reasons! {
    /// No glob selects it, or an exclusion in the list drops it.
    NotMatched = "is not selected by the globs",
    /// Its name, or a folder's, starts with a dot that no glob names.
    Hidden = "is hidden and no glob names its dot",
    VersionControl = "belongs to a version control system",
    IgnoreFile = "is dropped by an ignore file",
    /// The name is that of a well-known store of credentials.
    SecretName = "has the name of a credential store",
    /// Somebody else's code, fetched by a package manager.
    Dependency = "is a dependency",
    /// Made from the sources by a build.
    BuildOutput = "is the output of a build",
    /// Kept by a tool for its own speed.
    Cache = "is a cache",
    LargeData = "is data, not source",
    /// Somebody else's code, copied into the tree.
    Vendored = "is vendored",
    Generated = "is generated",
    /// It has a secret value in it, and such files were to stay out.
    SecretValue = "has a secret value in it",
    TooLarge = "is larger than the limit",
    TooDeep = "lies deeper than the limit",
    Binary = "is binary",
    /// Its format is known, and could not be made text.
    Unconverted = "can't be converted to text",
    /// A symlink whose target lies outside the root.
    SymlinkOutside = "is a symlink that leaves the folder",
    /// A symlink into a circle, or to a folder that was already visited under its own name.
    SymlinkLoop = "is a symlink to a folder already visited",
    SymlinkBroken = "is a symlink to nothing",
    NotAFile = "is neither a file nor a folder",
    Unreadable = "can't be read",
    /// It changed each time it was read.
    Unstable = "changes while being read",
}

impl Reason {
    /// Whether it could not be read, which says nothing about what is in it.
    pub fn is_failure(self) -> bool {
        matches!(self, Reason::Unreadable | Reason::Unstable)
    }
}

/// One entry that stays out, and the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// The file, or the folder that was not entered.
    pub path: DocPath,
    pub reason: Reason,
    /// The rule within the reason, with where it stands: the pattern of an ignore file and its line, the group and pattern
    /// of the specification, the name rule, the limit, the system's message. Never any content.
    pub rule: String,
}

/// Something that went wrong with one path while the rest went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The path inside the root, `.` for the root itself.
    pub path: String,
    pub message: String,
    /// There is no such file.
    #[serde(skip)]
    pub missing: bool,
}
