//! A file chosen by name, and reading it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use ai_assist_base::now_ns;
use ai_assist_base::platform::{self, Errno, FileType, Open, path_bytes};
use ai_assist_convert::Converted;
use ai_assist_identity::{DocPath, Sha256};

use crate::policy::{self, Refusal};
use crate::root::Root;
use crate::worth::Terms;
use crate::{Admitted, Convert, Exclusion, FileStamp, Limits, Reason, Redacted};

/// How often a file that changes under our eyes is read before we give up on it.
const ATTEMPTS: usize = 3;

/// A file selected by name and stat, not yet read. Only [`walk`](crate::walk) makes one.
#[derive(Debug, Clone)]
pub struct Candidate {
    root: Arc<Root>,
    path: DocPath,
    /// The symlink-free path, where `path` goes through a symlink.
    real: Option<Box<[u8]>>,
    stamp: FileStamp,
    executable: bool,
    terms: Terms,
}

#[derive(Debug)]
pub enum Outcome {
    Admitted(Admitted),
    Excluded(Exclusion),
    /// It is gone, which is no error: trees change while they are read.
    Vanished,
}

pub(crate) enum Stop {
    Gone,
    Refused(Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Stop::Refused(refusal)
    }
}

impl Candidate {
    pub(crate) fn new(root: Arc<Root>, path: DocPath, real: Option<Box<[u8]>>, stamp: FileStamp, terms: Terms) -> Self {
        Candidate { root, path, real, stamp, executable: false, terms }
    }

    pub(crate) fn executable(self, executable: bool) -> Self {
        Candidate { executable, ..self }
    }

    /// Whether its owner may run it.
    pub fn is_executable(&self) -> bool {
        self.executable
    }

    pub fn path(&self) -> &DocPath {
        &self.path
    }

    /// What stat said during the walk.
    pub fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// What stat said during the walk, if it may later stand in for the content: what has changed since has another one.
    pub fn settled_stamp(&self) -> Option<FileStamp> {
        self.stamp.settled(self.root.opened_at_ns)
    }

    pub fn read(&self, limits: &Limits) -> Outcome {
        self.read_attempts(limits, &mut || {}, &mut |_| {})
    }

    /// Reads the file for publishing it: its raw bytes too, if it is admitted and nothing in it had to be taken out.
    pub fn read_raw(&self, limits: &Limits) -> (Outcome, Option<Vec<u8>>) {
        let mut raw = None;
        let outcome = self.read_attempts(limits, &mut || {}, &mut |bytes| raw = Some(bytes.to_vec()));
        let clean = matches!(&outcome, Outcome::Admitted(admitted) if admitted.redactions.is_empty());
        (outcome, raw.filter(|_| clean))
    }

    /// Reads the file for keeping it as somebody else published it: its raw bytes, whatever is in them. What is admitted of it has its
    /// secrets taken out as always; the bytes have not, so they are for a place that the user has chosen, and for nothing that is shown.
    pub fn read_as_published(&self, limits: &Limits) -> (Outcome, Option<Vec<u8>>) {
        let mut raw = None;
        let outcome = self.read_attempts(limits, &mut || {}, &mut |bytes| raw = Some(bytes.to_vec()));
        (outcome, raw)
    }

    /// `after_read` runs between reading and looking whether the file changed meanwhile: tests write in that moment.
    fn read_attempts(&self, limits: &Limits, after_read: &mut dyn FnMut(), see: &mut dyn FnMut(&[u8])) -> Outcome {
        match self.try_read(limits, after_read, see) {
            Ok(admitted) => Outcome::Admitted(admitted),
            Err(Stop::Gone) => Outcome::Vanished,
            Err(Stop::Refused(refusal)) => Outcome::Excluded(excluded(&self.path, refusal)),
        }
    }

    /// Reads the file, with the rule that decided still apart from where it stands.
    pub(crate) fn try_read(
        &self,
        limits: &Limits,
        after_read: &mut dyn FnMut(),
        see: &mut dyn FnMut(&[u8]),
    ) -> Result<Admitted, Stop> {
        for _ in 0..ATTEMPTS {
            if let Some(admitted) = self.attempt(limits, after_read, see)? {
                return Ok(admitted);
            }
        }
        let rule = format!("it was different after each of {ATTEMPTS} readings");
        Err(Stop::Refused(Refusal::new(Reason::Unstable, rule)))
    }

    /// Nothing if the file changed between opening it and having read it.
    fn attempt(
        &self,
        limits: &Limits,
        after_read: &mut dyn FnMut(),
        see: &mut dyn FnMut(&[u8]),
    ) -> Result<Option<Admitted>, Stop> {
        let read_at_ns = now_ns();
        let file = self.open()?;
        let before = stamp_of(&file)?;
        policy::worth_it(before.size, limits)?;
        let bytes = read_capped(&file, before.size, limits.max_file_bytes).map_err(unreadable)?;
        after_read();
        if stamp_of(&file)? != before || bytes.len() as u64 != before.size {
            // One that grew past the limit won't shrink by being read again.
            policy::worth_it(bytes.len() as u64, limits)?;
            return Ok(None);
        }
        see(&bytes);
        Ok(Some(judge(&self.path, bytes, Some((before, read_at_ns)), &self.terms, limits.convert)?))
    }

    /// Opens the file, following no symlink, and without waiting should a pipe have taken its place.
    fn open(&self) -> Result<File, Stop> {
        let opened = match &self.real {
            Some(real) => self.root.open_beneath(real, Open::File),
            None => self.root.open_beneath(&path_bytes(&self.path.to_path_buf()), Open::File),
        };
        match opened {
            Ok(fd) => Ok(File::from(fd)),
            Err(Errno::NOENT | Errno::NOTDIR) => Err(Stop::Gone),
            Err(Errno::LOOP | Errno::XDEV) => {
                Err(Stop::Refused(Refusal::new(Reason::SymlinkOutside, "a symlink took its place after the walk")))
            }
            // What opening a socket answers.
            Err(Errno::NXIO) => Err(Stop::Refused(Refusal::new(Reason::NotAFile, "it is no regular file"))),
            Err(errno) => Err(unreadable(errno.into())),
        }
    }
}

/// Asks of bytes that came from elsewhere than a tree on this machine, a server or an archive, what a walk and a read ask of a
/// file.
pub fn admit_bytes(path: &DocPath, bytes: Vec<u8>, limits: &Limits) -> Outcome {
    let name = path.to_path_buf();
    let judged = policy::name_may_leave(&path_bytes(&name))
        .and_then(|()| policy::worth_it(bytes.len() as u64, limits))
        .and_then(|()| judge(path, bytes, None, &Terms::default(), limits.convert));
    match judged {
        Ok(admitted) => Outcome::Admitted(admitted),
        Err(refusal) => Outcome::Excluded(excluded(path, refusal)),
    }
}

fn excluded(path: &DocPath, refusal: Refusal) -> Exclusion {
    Exclusion { path: path.clone(), reason: refusal.reason, rule: refusal.into_rule() }
}

fn judge(
    path: &DocPath,
    mut bytes: Vec<u8>,
    seen: Option<(FileStamp, i64)>,
    terms: &Terms,
    convert: Convert,
) -> Result<Admitted, Refusal> {
    let (hash, size) = (Sha256::of(&bytes), bytes.len() as u64);
    let converted = convert.apply(path.as_str(), &bytes).transpose();
    let converted = converted.map_err(|error| Refusal::new(Reason::Unconverted, error.to_string()))?;
    let converter = converted.map(|Converted { text, converter }| {
        bytes = text.into_bytes();
        converter
    });
    let decoded = policy::readable(&bytes)?;
    let (encoding, bom, replaced) = (decoded.encoding, decoded.bom, decoded.replaced);
    let text = match decoded.text {
        Cow::Owned(text) => text,
        // The bytes are the text: take them over instead of copying them.
        Cow::Borrowed(text) if text.len() == bytes.len() => String::from_utf8(bytes)
            .map_err(|error| Refusal::new(Reason::Unreadable, error.utf8_error().to_string()))?,
        Cow::Borrowed(text) => text.to_owned(),
    };
    let allowed = terms.allowed;
    if terms.for_a_pack && !allowed {
        policy::content_worth_sending(path.as_str(), &text)?;
    }
    let redacted = if allowed {
        Redacted { text, redactions: Vec::new(), allowed: Vec::new() }
    } else {
        policy::content_may_leave(path.as_str(), text, terms)?
    };
    let Redacted { text, redactions, allowed: allowed_values } = redacted;
    let path = path.clone();
    Ok(Admitted {
        path,
        text,
        hash,
        size,
        seen,
        encoding,
        bom,
        replaced,
        converter,
        redactions,
        allowed,
        allowed_values,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "the shape `map_err` wants")]
fn unreadable(error: io::Error) -> Stop {
    Stop::Refused(Refusal::new(Reason::Unreadable, error.to_string()))
}

fn stamp_of(file: &File) -> Result<FileStamp, Stop> {
    let stat = platform::stat_file(file).map_err(|errno| unreadable(errno.into()))?;
    if platform::kind(&stat) != FileType::RegularFile {
        return Err(Stop::Refused(Refusal::new(Reason::NotAFile, "it is no regular file")));
    }
    Ok(FileStamp::from(&stat))
}

/// Reads at most one byte more than the limit, however much the file grows meanwhile.
fn read_capped(file: &File, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    // One byte more than the size, so that the read that finds the end needs no larger buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "candidate_tests.rs"]
mod tests;
