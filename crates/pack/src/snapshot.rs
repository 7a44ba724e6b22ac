//! Scanning: every file of a folder through the door, accounted for.

mod account;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ai_assist_admit::{
    Admitted, Allowance, Candidate, Exclusion, GlobError, Limits, Outcome, PackRules, Reason, Receipt, RedactedAt,
    Redaction, Selection, Walked, walk,
};
use ai_assist_base::Cancel;
use ai_assist_identity::{CanonicalPath, Sha256};
use ai_assist_text::Encoding;
use rayon::prelude::*;

use crate::PackError;
use crate::key_files::KeyPick;
use crate::types::{
    EncodingNote, ExcludedFile, ExclusionReason, FileCategory, FileMetadata, KeyFileLimits, OnDecodeError,
    ProjectSnapshot,
};

use account::{Account, metadata};

#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// How many threads read; otherwise one for each core.
    pub threads: Option<usize>,
    /// How many bytes of text are held. What is beyond them is read again, through the door, when it is wanted.
    pub max_held_bytes: usize,
    pub key_files: KeyFileLimits,
    pub on_decode_error: OnDecodeError,
}

impl Default for ScanOptions {
    fn default() -> Self {
        ScanOptions {
            threads: None,
            max_held_bytes: 256 << 20,
            key_files: KeyFileLimits::default(),
            on_decode_error: OnDecodeError::default(),
        }
    }
}

/// Every file of a folder that is worth sending, hidden ones included.
pub fn whole_tree(root: &Path, rules: PackRules) -> Result<Selection, GlobError> {
    Selection::whole_tree(root, rules, Limits::default())
}

/// A project as it was scanned, with a way to every text.
#[derive(Debug)]
pub struct Snapshot {
    /// The project, in the shape of the spec.
    pub project: ProjectSnapshot,
    /// In the order of `project.files`.
    entries: Vec<Entry>,
    /// The key files, the most important first; their places are those in `project.files`.
    pub key_files: Vec<KeyPick>,
    /// Why files stay out, in the spec's seven reasons.
    pub exclusions_by_reason: BTreeMap<ExclusionReason, usize>,
    /// How many files stay out that `project.excluded_files` does not name: no glob asked for them, or they are hidden.
    pub unlisted: usize,
    limits: Limits,
    pub receipt: Receipt,
    /// The files that stay out because of a secret value in them.
    with_secrets: Vec<ExcludedFile>,
    /// What somebody wants to go out as it is, and why.
    allowances: Vec<Allowance>,
}

/// Texts on their way from a snapshot into a pack.
pub(crate) struct Held(Vec<Mutex<Option<String>>>);

impl Held {
    /// The text of a file, if it was held and not taken yet.
    pub(crate) fn take(&self, index: usize) -> Option<String> {
        self.0.get(index)?.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[derive(Debug)]
struct Entry {
    candidate: Candidate,
    facts: Option<Facts>,
}

#[derive(Debug)]
struct Facts {
    hash: Sha256,
    text: Option<String>,
    text_bytes: usize,
    encoding: Encoding,
    bom: bool,
    replaced: usize,
    redactions: Vec<Redaction>,
    /// Somebody named it by hand, past every rule.
    allowed: bool,
    /// What was found and stays, because somebody allowed its rule.
    allowed_values: Vec<Redaction>,
}

enum Slot {
    Read(Facts),
    Refused(Exclusion),
    Gone,
}

/// Scans a folder: walks it, reads every selected file once, and checks that nothing got lost.
///
/// `cancel` is asked before each file and within it. `progress` is told, on any thread, how many entries were seen and then how many
/// files were read.
pub fn scan(
    selection: &Selection,
    options: &ScanOptions,
    cancel: &Cancel,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Snapshot, PackError> {
    let Walked { candidates, receipt } = walk(selection, cancel, progress)?;
    let root = root_path(selection)?;
    let slots = in_pool(options.threads, || read_all(&candidates, &root, selection, options, cancel, progress))??;
    Account::new(selection, options, root, receipt).close(candidates, slots)
}

fn root_path(selection: &Selection) -> Result<String, PackError> {
    let path = selection.root.clone();
    let real = std::fs::canonicalize(&path).map_err(|source| PackError::Root { path: path.clone(), source })?;
    let real = CanonicalPath::from_absolute(&real)
        .map_err(|error| PackError::Root { path, source: std::io::Error::other(error) })?;
    Ok(real.as_str().to_owned())
}

pub(crate) fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T, PackError> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(|error| PackError::Threads { threads, message: error.to_string() })?;
    Ok(pool.install(work))
}

fn read_all(
    candidates: &[Candidate],
    root: &str,
    selection: &Selection,
    options: &ScanOptions,
    cancel: &Cancel,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<(FileMetadata, Slot)>, PackError> {
    let held = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let read = |candidate: &Candidate| {
        if stop.load(Ordering::Relaxed) || cancel.is_cancelled() {
            stop.store(true, Ordering::Relaxed);
            return (metadata(root, candidate, &Slot::Gone), Slot::Gone);
        }
        let slot = match cancel.during(|| candidate.read(&selection.limits)) {
            Outcome::Admitted(admitted)
                if options.on_decode_error == OnDecodeError::Skip && admitted.replaced() > 0 =>
            {
                Slot::Refused(undecodable(&admitted))
            }
            Outcome::Admitted(admitted) => Slot::Read(Facts::new(admitted, &held, options.max_held_bytes)),
            Outcome::Excluded(exclusion) => Slot::Refused(exclusion),
            Outcome::Vanished => Slot::Gone,
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        (metadata(root, candidate, &slot), slot)
    };
    let slots = candidates.par_iter().map(read).collect();
    // A file may have been stopped halfway.
    if stop.load(Ordering::Relaxed) || cancel.is_cancelled() { Err(PackError::Cancelled) } else { Ok(slots) }
}

fn undecodable(admitted: &Admitted) -> Exclusion {
    let places = admitted.replaced();
    let rule = format!("{places} malformed in {}, and such files are to be left out", admitted.encoding().name());
    Exclusion { path: admitted.path().clone(), reason: Reason::Unreadable, rule }
}

impl Facts {
    fn new(admitted: Admitted, held: &AtomicUsize, max_held: usize) -> Self {
        let text_bytes = admitted.text().len();
        let hold = held.fetch_add(text_bytes, Ordering::Relaxed).saturating_add(text_bytes) <= max_held;
        if !hold {
            held.fetch_sub(text_bytes, Ordering::Relaxed);
        }
        Facts {
            hash: admitted.hash(),
            text_bytes,
            encoding: admitted.encoding().clone(),
            bom: admitted.bom(),
            replaced: admitted.replaced(),
            redactions: admitted.redactions().to_vec(),
            allowed: admitted.is_allowed(),
            allowed_values: admitted.allowed_values().to_vec(),
            text: hold.then(|| admitted.into_text()),
        }
    }

    fn is_plain(&self) -> bool {
        self.encoding == Encoding::UTF_8 && !self.bom && self.replaced == 0
    }
}

pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

impl Snapshot {
    /// Says no if a file was left out because of a secret value in it.
    pub fn refuse_secrets(&self) -> Result<(), PackError> {
        let Some((first, others)) = self.with_secrets.split_first() else { return Ok(()) };
        Err(PackError::SecretFound { path: first.path.clone(), rule: first.rule.clone(), more: others.len() })
    }

    /// The paths of all files that can be read, sorted.
    pub fn paths(&self) -> Vec<String> {
        let files = self.project.files.iter();
        files.filter(|file| file.content_extractable).map(|file| file.relative_path.clone()).collect()
    }

    pub fn text_of(&self, path: &str) -> Option<Cow<'_, str>> {
        let files = &self.project.files;
        self.text(files.binary_search_by(|file| file.relative_path.as_str().cmp(path)).ok()?).ok()
    }

    /// The text of a file by its place in `project().files`, its secrets taken out. Where it is not held it is read
    /// again; it is an error if it is another by now, since what was said of it would be untrue.
    pub fn text(&self, index: usize) -> Result<Cow<'_, str>, Reason> {
        let entry = self.entries.get(index).ok_or(Reason::NotMatched)?;
        let facts = entry.facts.as_ref().ok_or(Reason::Unreadable)?;
        if let Some(text) = &facts.text {
            return Ok(Cow::Borrowed(text));
        }
        match entry.candidate.read(&self.limits) {
            Outcome::Admitted(admitted) if admitted.hash() == facts.hash => Ok(Cow::Owned(admitted.into_text())),
            Outcome::Excluded(exclusion) => Err(exclusion.reason),
            Outcome::Admitted(_) | Outcome::Vanished => Err(Reason::Unstable),
        }
    }

    /// Takes out the texts that are held. What is asked for meanwhile is read again.
    pub(crate) fn take_held(&mut self) -> Held {
        let facts = self.entries.iter_mut().map(|entry| entry.facts.as_mut());
        Held(facts.map(|facts| Mutex::new(facts.and_then(|facts| facts.text.take()))).collect())
    }

    pub(crate) fn give_back(&mut self, held: Held) {
        for (entry, text) in self.entries.iter_mut().zip(held.0) {
            if let Some(facts) = &mut entry.facts {
                facts.text = text.into_inner().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    pub fn text_bytes(&self, index: usize) -> Option<usize> {
        self.entries.get(index)?.facts.as_ref().map(|facts| facts.text_bytes)
    }

    /// How many values were taken out of a file, by rule.
    pub fn redactions(&self, index: usize) -> &[Redaction] {
        self.entries.get(index).and_then(|entry| entry.facts.as_ref()).map_or(&[], |facts| &facts.redactions)
    }

    /// Where values were taken out of files, sorted by path.
    pub fn redacted_at(&self, is_meant: impl Fn(&str) -> bool) -> Vec<RedactedAt> {
        let files = self.project.files.iter().enumerate().filter(|(_, file)| is_meant(&file.relative_path));
        let mut all: Vec<RedactedAt> =
            files.flat_map(|(index, file)| RedactedAt::of(&file.relative_path, self.redactions(index))).collect();
        all.sort();
        all
    }

    /// What was found in a file and stays, each with the reason that somebody gave.
    pub(crate) fn allowed_values(&self, index: usize) -> Vec<(&Allowance, &[usize])> {
        let Some(entry) = self.entries.get(index) else { return Vec::new() };
        let values = entry.facts.as_ref().map_or(&[][..], |facts| &facts.allowed_values);
        let of_file = self.allowances.iter().filter(|allowance| allowance.path == *entry.candidate.path());
        let lines = |allowance: &Allowance| {
            let found = values.iter().find(|found| Some(found.rule) == allowance.rule.as_deref());
            found.map_or(&[][..], |found| found.lines.as_slice())
        };
        of_file.map(|allowance| (allowance, lines(allowance))).collect()
    }

    /// Whether somebody named a file by hand, so that no rule was asked and nothing taken out.
    pub fn is_allowed(&self, index: usize) -> bool {
        self.entries.get(index).and_then(|entry| entry.facts.as_ref()).is_some_and(|facts| facts.allowed)
    }

    /// How a file was decoded, where that took a decision.
    pub fn encoding_note(&self, index: usize) -> Option<EncodingNote> {
        let facts = self.entries.get(index)?.facts.as_ref().filter(|facts| !facts.is_plain())?;
        Some(EncodingNote {
            path: self.project.files[index].relative_path.clone(),
            encoding: facts.encoding.name().to_owned(),
            bom: facts.bom,
            replaced_characters: facts.replaced,
        })
    }

    pub(crate) fn entry_points(&self) -> Vec<String> {
        let entries = self.key_files.iter().filter(|pick| pick.category == FileCategory::Entrypoint);
        entries.map(|pick| self.project.files[pick.index].relative_path.clone()).collect()
    }
}
