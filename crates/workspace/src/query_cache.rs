//! Answers that were given before.
//!
//! One file for each answer, named by everything that can change it. Reading needs no lock: a file is replaced whole, and it
//! carries a hash of itself. Writing takes one, so that the bounds hold whoever else writes; who has to wait too long goes
//! without. A file that is not what it should be is set aside, and the question is answered anew.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ai_assist_identity::{JcsError, Sha256, jcs};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::manifest::{ManifestHash, RepoEntry};
use ai_assist_base::{FileLock, ReadError, platform, read_plain};

const MAGIC: &str = "ai-assist query cache 1";
const LOCK: &str = "cache.lock";
const ENTRY: &str = "answer";
const SET_ASIDE: &str = "bad";
/// How many files that were set aside stay to be looked at.
const KEPT_ASIDE: usize = 4;
/// How long storing an answer may wait for another process.
const PATIENCE: Duration = Duration::from_millis(500);
/// What a file has besides the answer, at most.
const HEADER: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLimits {
    pub count: usize,
    pub bytes: u64,
    pub age: Duration,
}

impl Default for CacheLimits {
    /// A thousand answers, 64 MiB, a week.
    fn default() -> Self {
        CacheLimits { count: 1000, bytes: 64 << 20, age: Duration::from_secs(7 * 24 * 3600) }
    }
}

/// An answer that knows whether everyone who was asked has answered.
pub trait Completeness {
    /// Whether nobody failed, timed out or was cut short.
    fn is_complete(&self) -> bool;
}

/// An answer that is complete. There is no other way to make one than by asking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complete<T>(T);

impl<T: Completeness> Complete<T> {
    /// Takes an answer if it is complete, and gives it back if not.
    pub fn of(answer: T) -> Result<Self, T> {
        if answer.is_complete() { Ok(Complete(answer)) } else { Err(answer) }
    }

    pub fn get(&self) -> &T {
        &self.0
    }

    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Everything that can change an answer.
#[derive(Debug)]
pub struct Question<'q, R: ?Sized> {
    pub manifest_hash: &'q ManifestHash,
    /// The program, whose ranking may change from one version to the next.
    pub program_version: &'q str,
    /// The repositories in the order in which they are asked. Their names, tags and priorities are no part of the manifest's
    /// hash, but decide who is asked and how answers are shown.
    pub repos: &'q [&'q RepoEntry],
    /// The query and every option. Integers beyond 2^53 must be given as text.
    pub request: &'q R,
}

/// The name of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueryKey(Sha256);

impl QueryKey {
    pub fn of<R: Serialize + ?Sized>(question: &Question<'_, R>) -> Result<Self, JcsError> {
        let repos: Vec<_> = question
            .repos
            .iter()
            .map(|repo| (&repo.repo_id, &repo.alias, &repo.tags, repo.enabled, repo.priority))
            .collect();
        let parts = (1, question.manifest_hash, question.program_version, repos, question.request);
        Ok(QueryKey(Sha256::of(&jcs::to_vec(&parts)?)))
    }
}

/// A cache that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("the query cache {} can't be used", path.display())]
pub struct CacheError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl CacheError {
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| CacheError { path: path.to_owned(), source }
    }
}

/// Answers on disk. Any number of processes may use one folder.
#[derive(Debug, Clone)]
pub struct QueryCache {
    folder: PathBuf,
    limits: CacheLimits,
}

impl QueryCache {
    /// Opens a cache, which begins empty. Its folder is for this user alone: answers quote files.
    pub fn open(folder: &Path, limits: CacheLimits) -> Result<Self, CacheError> {
        platform::private_folder(folder).map_err(CacheError::at(folder))?;
        Ok(QueryCache { folder: folder.to_owned(), limits })
    }

    /// The answer to a question, if it was given before and is not too old.
    pub fn get<T: DeserializeOwned + Completeness>(&self, key: &QueryKey) -> Result<Option<T>, CacheError> {
        self.get_at(key, SystemTime::now())
    }

    fn get_at<T: DeserializeOwned + Completeness>(
        &self,
        key: &QueryKey,
        now: SystemTime,
    ) -> Result<Option<T>, CacheError> {
        let path = self.entry(key);
        let file = match read_plain(&path, self.limits.bytes.saturating_add(HEADER)) {
            Ok(file) => file,
            Err(ReadError::Missing) => return Ok(None),
            Err(ReadError::Io(error)) => return Err(CacheError::at(&path)(error)),
            Err(ReadError::NotAFile | ReadError::TooLarge(_)) => return self.set_aside(&path),
        };
        let Some((written, payload)) = opened(&file.bytes, key) else { return self.set_aside(&path) };
        if !is_fresh(written, now, self.limits.age) {
            removed(&path)?;
            return Ok(None);
        }
        match serde_json::from_slice::<T>(payload) {
            Ok(answer) if answer.is_complete() => {
                mark_used(&path, now);
                Ok(Some(answer))
            }
            _ => self.set_aside(&path),
        }
    }

    /// Keeps an answer. False if it is larger than the whole cache may be, or others are writing for too long.
    pub fn put<T: Serialize + Completeness>(&self, key: &QueryKey, answer: &Complete<T>) -> Result<bool, CacheError> {
        self.put_at(key, answer, SystemTime::now())
    }

    fn put_at<T: Serialize>(&self, key: &QueryKey, answer: &Complete<T>, now: SystemTime) -> Result<bool, CacheError> {
        let path = self.entry(key);
        let failed = CacheError::at(&path);
        let payload = match serde_json::to_vec(&answer.0) {
            Ok(payload) => payload,
            Err(error) => return Err(failed(error.into())),
        };
        let mut bytes = header(key, now, &payload).into_bytes();
        bytes.extend_from_slice(&payload);
        if self.limits.count == 0 || u64::try_from(bytes.len()).map_or(true, |length| length > self.limits.bytes) {
            return Ok(false);
        }
        let lock = self.folder.join(LOCK);
        let Some(_lock) = FileLock::take_within(&lock, PATIENCE).map_err(CacheError::at(&lock))? else {
            return Ok(false);
        };
        self.write(&path, &bytes, now).map_err(failed)?;
        self.prune(&path, now)?;
        Ok(true)
    }

    /// Writes a file whole. It is not forced to the disk: what a crash leaves is found out by its hash.
    fn write(&self, path: &Path, bytes: &[u8], now: SystemTime) -> io::Result<()> {
        let mut temporary = tempfile::Builder::new().prefix("new.").suffix(".tmp").tempfile_in(&self.folder)?;
        temporary.write_all(bytes)?;
        temporary.as_file().set_modified(now)?;
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Brings the cache back into its bounds: what is too old goes, then what was used longest ago, but never `keep`. Called
    /// with the lock.
    fn prune(&self, keep: &Path, now: SystemTime) -> Result<(), CacheError> {
        let mut answers = Vec::new();
        let mut aside = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(CacheError::at(&self.folder))? {
            let entry = entry.map_err(CacheError::at(&self.folder))?;
            let path = entry.path();
            // Another process may have taken it away.
            let Ok(metadata) = entry.metadata() else { continue };
            // Whoever made a folder here knows why.
            if metadata.is_dir() {
                continue;
            }
            let Ok(used) = metadata.modified() else { continue };
            match path.extension().and_then(OsStr::to_str) {
                // Nobody else writes now, so whoever began this is gone.
                Some("tmp") => removed(&path)?,
                Some(ENTRY) if !is_fresh(used, now, self.limits.age) => removed(&path)?,
                Some(ENTRY) => answers.push((path != keep, used, metadata.len(), path)),
                Some(SET_ASIDE) => aside.push((used, metadata.len(), path)),
                _ => {}
            }
        }
        aside.sort_by(|a, b| b.cmp(a));
        for (.., path) in aside.drain(aside.len().min(KEPT_ASIDE)..) {
            removed(&path)?;
        }
        // The newest first; what goes beyond a bound, and all that is older, is removed.
        answers.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)).then_with(|| a.3.cmp(&b.3)));
        let files = answers.into_iter().map(|(_, _, length, path)| (true, length, path));
        let (mut count, mut bytes) = (0, 0u64);
        for (is_answer, length, path) in files.chain(aside.into_iter().map(|(_, length, path)| (false, length, path))) {
            count += usize::from(is_answer);
            bytes = bytes.saturating_add(length);
            if count > self.limits.count || bytes > self.limits.bytes {
                removed(&path)?;
            }
        }
        Ok(())
    }

    fn entry(&self, key: &QueryKey) -> PathBuf {
        self.folder.join(format!("{}.{ENTRY}", key.0.hex()))
    }

    /// Keeps a file that is broken out of the way.
    fn set_aside<T>(&self, path: &Path) -> Result<Option<T>, CacheError> {
        match std::fs::rename(path, path.with_extension(SET_ASIDE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CacheError::at(path)(error)),
            _ => Ok(None),
        }
    }
}

/// What a file begins with: what it is, whose answer, when it was given, and the hash of the rest.
fn header(key: &QueryKey, now: SystemTime, payload: &[u8]) -> String {
    let when = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    format!("{MAGIC}\n{}\n{when}\n{}\n", key.0.hex(), Sha256::of(payload).hex())
}

/// When an answer was given, and its text, if the file is whole and the answer to this question.
fn opened<'f>(bytes: &'f [u8], key: &QueryKey) -> Option<(SystemTime, &'f [u8])> {
    let mut parts = bytes.splitn(5, |&b| b == b'\n');
    let mut line = || parts.next();
    if line()? != MAGIC.as_bytes() || line()? != key.0.hex().as_bytes() {
        return None;
    }
    let when: u64 = std::str::from_utf8(line()?).ok()?.parse().ok()?;
    let hash = line()?;
    let payload = line()?;
    let written = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(when))?;
    (Sha256::of(payload).hex().as_bytes() == hash).then_some((written, payload))
}

/// Whether something is not too old. What comes from the future was dated by a clock that was wrong, and is not trusted
/// further than the age reaches.
fn is_fresh(when: SystemTime, now: SystemTime, age: Duration) -> bool {
    let apart = now.duration_since(when).unwrap_or_else(|ahead| ahead.duration());
    apart <= age
}

/// An answer that is used stays longer. If it can't be marked, it just doesn't.
fn mark_used(path: &Path, now: SystemTime) {
    let _ = std::fs::File::open(path).and_then(|file| file.set_modified(now));
}

fn removed(path: &Path) -> Result<(), CacheError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CacheError::at(path)(error)),
        _ => Ok(()),
    }
}

impl Completeness for ai_assist_search::Answer {
    fn is_complete(&self) -> bool {
        !self.partial
    }
}

#[cfg(test)]
#[path = "query_cache_tests.rs"]
mod tests;
