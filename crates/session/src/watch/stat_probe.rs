//! Looking at one file: what is to be noted, and how to tell later that it has not changed.

use std::path::{Path, PathBuf};

use ai_assist_base::platform::{self, Errno, FileType};
use ai_assist_base::{FileStamp, now_ns};
use ai_assist_identity::Sha256;

use crate::file_reader::ReadOutcome;
use crate::indexer::Happened;
use crate::object::FilesystemSource;
use crate::session::watching::Looker;

/// How often a file that changes under our eyes is read before it is taken as it is.
const ATTEMPTS: usize = 3;

/// How a file was found without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Missing,
    There(FileStamp),
}

#[derive(Debug)]
pub(super) struct Look {
    pub(super) path: PathBuf,
    pub(super) source: FilesystemSource,
    pub(super) member: bool,
    pub(super) seen: Option<Seen>,
    pub(super) verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Admitted,
    /// Only its path may be known.
    Refused,
    /// It was not found, or is below no folder that is followed.
    NotFound,
}

/// What a look came to; `seen` is how the file was, if it would show a change since.
#[derive(Debug)]
pub(super) enum StatProbe {
    Same,
    Unclear,
    Noted { happened: Happened, seen: Option<Seen>, hash: Option<Sha256> },
}

enum Found {
    Missing,
    File(FileStamp),
    Symlink,
    Other,
    Unknown,
}

pub(super) fn stat_probe(look: &Look, looker: &Looker) -> StatProbe {
    let gone = |seen| StatProbe::Noted { happened: Happened::Gone, seen, hash: None };
    match find(&look.path) {
        Found::Missing if look.seen == Some(Seen::Missing) => StatProbe::Same,
        // The eyes know of disks that are away.
        Found::Missing => match looker.look(&look.source) {
            ReadOutcome::Missing => gone(Some(Seen::Missing)),
            _ => StatProbe::Unclear,
        },
        Found::File(stamp) if look.seen == Some(Seen::There(stamp)) => StatProbe::Same,
        Found::File(stamp) if look.member || look.verdict == Verdict::Admitted => read(look, looker, stamp),
        Found::File(_) if look.verdict == Verdict::Refused => {
            StatProbe::Noted { happened: Happened::Met, seen: None, hash: None }
        }
        // It is there, but an ignore file has dropped it.
        Found::File(_) | Found::Unknown => StatProbe::Unclear,
        // What the link leads to is another file; this one keeps its last version, as it does when the session is resumed.
        Found::Symlink if look.member => StatProbe::Unclear,
        Found::Symlink | Found::Other => gone(None),
    }
}

/// Reads a file, again if it changes meanwhile.
fn read(look: &Look, looker: &Looker, mut before: FileStamp) -> StatProbe {
    let mut sight = ReadOutcome::Missing;
    for _ in 0..ATTEMPTS {
        let at = now_ns();
        sight = looker.look(&look.source);
        match find(&look.path) {
            Found::File(after) if after == before => {
                return noted(sight, before.settled(at).map(Seen::There));
            }
            Found::File(after) => before = after,
            // Something else has taken its place, and what was read may be that. There will be a hint.
            Found::Symlink | Found::Other => return StatProbe::Unclear,
            Found::Missing | Found::Unknown => return noted(sight, None),
        }
    }
    noted(sight, None)
}

fn noted(sight: ReadOutcome, seen: Option<Seen>) -> StatProbe {
    let hash = match &sight {
        ReadOutcome::Text { file_hash, .. } | ReadOutcome::NoText { file_hash } => Some(*file_hash),
        ReadOutcome::Missing | ReadOutcome::Refused(_) | ReadOutcome::Unreachable(_) => None,
    };
    StatProbe::Noted { happened: Happened::Read(sight), seen, hash }
}

fn find(path: &Path) -> Found {
    match platform::lstat(path) {
        Ok(stat) => match platform::kind(&stat) {
            FileType::RegularFile => Found::File(FileStamp::from(&stat)),
            FileType::Symlink => Found::Symlink,
            _ => Found::Other,
        },
        Err(Errno::NOENT | Errno::NOTDIR) => Found::Missing,
        Err(_) => Found::Unknown,
    }
}

/// How a file is that is not to be read until it changes.
pub(super) fn unread(path: &Path) -> Option<Seen> {
    match find(path) {
        Found::Missing => Some(Seen::Missing),
        Found::File(stamp) => Some(Seen::There(stamp)),
        _ => None,
    }
}
