//! The settings files of MCP clients: where they are, what our entry looks like there, and how it gets in and out with
//! everything else kept.
//!
//! [`Places`] says where a client keeps its settings, [`entry`] makes our part of them, [`put`] and [`take_out`] change a
//! text, and [`change_file`] does that to a file: with a backup, all at once, and not at all if nothing is to be changed.
//!
//! Must not know: the environment (the caller looks up the folders), the terminal, the MCP server itself. A settings file is
//! somebody else's: what can't be understood is left alone, and no message repeats what stands in it.

mod change;
mod client;
mod entry;
mod file;
mod hooks;
mod json;
mod places;
mod rules;
mod toml;

pub use change::{Change, Fault, Kind, put, snippet, take_out};
pub use client::{Client, Scope};
pub use entry::{Server, TOKEN_VARIABLE, entry};
pub use file::{Written, change_file, is_set_up};
pub use hooks::{hooks_snippet, put_hooks, take_out_hooks};
pub use places::{Places, Platform};
pub use rules::{put_rules, rules_block, rules_file, take_out_rules};

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}:{fault}", file.display())]
    Broken { file: PathBuf, fault: Fault },
    #[error("{doing} {}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{} has more than {limit} bytes, so it is no settings file", file.display())]
    TooLarge { file: PathBuf, limit: u64 },
    #[error("{} is being changed by another program; close the client and try again", file.display())]
    Busy { file: PathBuf },
    #[error("{} leads to {}, which is outside the project", link.display(), target.display())]
    LeavesProject { link: PathBuf, target: PathBuf },
    #[error("{client} has no settings of a project; use --scope user")]
    NoProjectScope { client: &'static str },
    #[error("{client} reads no rules from a project")]
    NoRules { client: &'static str },
    #[error("{client} has no hooks that are known here")]
    NoHooks { client: &'static str },
    #[error("{client} reads hooks from the project; use --scope project")]
    HooksOfProjectOnly { client: &'static str },
    #[error("the settings of {client} can't name a URL; leave out --http and it starts the server itself")]
    NoUrl { client: &'static str },
    #[error("the URL {problem}; give one such as http://127.0.0.1:8808/mcp")]
    BadUrl { problem: &'static str },
    #[error("`{0}` can't be the name of a server: 1 to 30 letters, digits, `-` and `_` are allowed")]
    BadName(String),
    #[error("`{0}` can't be the name of a variable: letters, digits and `_` are allowed, and no digit first")]
    BadVariable(String),
}

impl Error {
    fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { doing, path, source }
    }
}

pub type Result<T> = std::result::Result<T, Error>;
