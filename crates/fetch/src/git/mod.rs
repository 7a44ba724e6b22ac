//! Packages in git repositories.
//!
//! The `git` program of the user does the fetching, so that their credentials, proxies and keys work as they do in a
//! shell. Nothing of the repository that is fetched is executed or honoured: there is no checkout, so neither hooks nor
//! filters nor attributes have a say, and files are written by us, as they are stored.

mod check_out;
mod commit;
mod error;
mod reference;
mod resolve;
mod source;

use std::ffi::OsString;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_git::{Remote, RemoteAsk, Transport};
use ai_assist_identity::{DocPath, UrlScheme};

use crate::Unpacked;

pub use commit::{BadCommit, Commit};
pub use error::GitError;
pub use source::GitSource;

type Result<T, E = GitError> = std::result::Result<T, E>;

/// What holds for every question to a repository.
#[derive(Clone, Copy)]
pub struct GitOptions<'a> {
    /// For one call from beginning to end, however many times git is run in it.
    pub timeout: Duration,
    /// Whether the network is out of bounds. Repositories of this machine are still read.
    pub offline: bool,
    /// Asked again and again; once it says yes, git is ended.
    pub cancel: &'a Cancel,
    /// Whether git and ssh may ask at the terminal for names, passwords and trust.
    pub interactive: bool,
    /// `HOST:PORT:ADDRESS`, if the server is to be asked at this address and nowhere else.
    pub address: Option<&'a str>,
    /// An existing folder for the temporary repository, which may grow as large as the package.
    pub scratch: &'a Path,
    /// Which files are written; the others are only listed.
    pub wanted: &'a dyn Fn(&DocPath) -> bool,
    pub env: &'a [(OsString, OsString)],
}

/// What was taken from a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedOut {
    pub files: Unpacked,
    pub links: usize,
    /// Other repositories inside this one, which are left out.
    pub submodules: usize,
}

/// Git at the repository of a source.
struct Git<'a> {
    remote: Remote<'a>,
    url: &'a str,
    wanted: &'a dyn Fn(&DocPath) -> bool,
}

impl<'a> Git<'a> {
    fn open(source: &'a GitSource, options: &'a GitOptions<'a>) -> Result<Self> {
        if options.offline && !source.is_local() {
            return Err(GitError::Offline(source.url.clone()));
        }
        let remote = Remote::open(RemoteAsk {
            url: &source.url,
            transport: match source.scheme {
                UrlScheme::GitFile => Transport::File,
                UrlScheme::GitSsh => Transport::Ssh,
                _ => Transport::Https,
            },
            timeout: options.timeout,
            cancel: options.cancel,
            interactive: options.interactive,
            address: options.address,
            scratch: options.scratch,
            env: options.env,
        })?;
        Ok(Git { remote, url: &source.url, wanted: options.wanted })
    }

    fn url(&self) -> String {
        self.url.to_owned()
    }
}

impl<'a> Deref for Git<'a> {
    type Target = Remote<'a>;

    fn deref(&self) -> &Remote<'a> {
        &self.remote
    }
}
