//! What was found out of indexes before, so that looking at one that has not changed reads nothing.
//!
//! A hundred repositories have four hundred indexes with some dozen files each. Listing their folders and reading their states takes
//! longer than asking the system for each file that is known, and leads to the same: the files of an index are the known ones as long as
//! no folder was written to, and each is the same as long as its size, time and inode are. The file is a line for each index, sorted, its
//! fields apart by NUL; one that is lost or damaged is made anew.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use ai_assist_base::{read_plain, replace_file};
use ai_assist_identity::Sha1;
use ai_assist_repo::signature::{Artefacts, BuildFolder, IndexSignature};

pub(super) const MEMO_FILE: &str = "artefacts.memo";
const HEAD: &[u8] = b"artefacts-2\n";
/// The bytes of the hash of the lines.
const SUM: usize = 20;
const LARGEST: u64 = 256 << 20;
const FILE_MODE: u32 = 0o600;

/// A folder that was written to this lately may be written to again without its time telling.
const SETTLED: Duration = Duration::from_secs(2);

/// What an index is that has all it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) signature: IndexSignature,
    pub(super) cohort_key: Option<String>,
    pub(super) compatibility_key: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Memo {
    path: PathBuf,
    text: String,
    /// The lines of the text: a folder, NUL, and what was found there.
    lines: Vec<Range<usize>>,
    new: Mutex<Vec<(String, String)>>,
}

impl Memo {
    pub(super) fn open(path: PathBuf) -> Self {
        let text = read_plain(&path, LARGEST).ok().and_then(|file| whole(file.bytes)).unwrap_or_default();
        let ends = text.match_indices('\n').map(|(end, _)| end);
        let lines = ends.scan(0, |start, end| Some(std::mem::replace(start, end + 1)..end)).collect();
        Memo { path, text, lines, new: Mutex::default() }
    }

    /// The folders that something is known of, and what.
    fn line(&self, line: &Range<usize>) -> Option<(&str, &str)> {
        self.text.get(line.clone())?.split_once('\0')
    }

    /// What was found of an index, if it is still the same.
    pub(super) fn get(&self, build: &BuildFolder, folder: &Path) -> Option<Found> {
        let (path, name) = (folder.to_str()?, folder.file_name()?.to_str()?);
        let at = self.lines.binary_search_by(|line| self.line(line).map(|(folder, _)| folder).cmp(&Some(path))).ok()?;
        let mut fields = self.line(&self.lines[at])?.1.split('\0');
        let mut field = || fields.next();
        let (digest, signature, cohort, compatibility) = (field()?, field()?, field()?, field()?);
        let now = build.digest(name, fields)?;
        (now.to_string() == digest).then_some(())?;
        let some = |key: &str| (!key.is_empty()).then(|| key.to_owned());
        Some(Found {
            signature: signature.parse().ok()?,
            cohort_key: some(cohort),
            compatibility_key: some(compatibility),
        })
    }

    /// Notes what was found, unless a folder was written to just now or a name can't be written down.
    pub(super) fn note(&self, folder: &Path, artefacts: &Artefacts, found: &Found) {
        let settled = SystemTime::now() - SETTLED;
        let Some(path) = folder.to_str().filter(|_| artefacts.last_change().is_some_and(|last| last < settled)) else {
            return;
        };
        let (digest, signature) = (artefacts.digest().to_string(), found.signature.to_string());
        let key = |key: &Option<String>| key.clone().unwrap_or_default();
        let mut fields = vec![digest, signature, key(&found.cohort_key), key(&found.compatibility_key)];
        let Some(names) = artefacts.all_names() else { return };
        fields.extend(names.into_iter().map(str::to_owned));
        if fields.iter().map(String::as_str).chain([path]).any(|field| field.contains(['\0', '\n', '\r'])) {
            return;
        }
        if let Ok(mut new) = self.new.lock() {
            new.push((path.to_owned(), fields.join("\0")));
        }
    }

    /// Writes it if it has something new, without what belongs to indexes that nobody asked for this time.
    pub(super) fn save<F: Fn(&Path) -> bool>(mut self, is_member: impl FnOnce() -> F) {
        let new = std::mem::take(&mut self.new).into_inner().unwrap_or_default();
        if new.is_empty() {
            return;
        }
        let is_member = is_member();
        let known = self.lines.iter().filter_map(|line| self.line(line));
        let mut known: BTreeMap<&str, &str> = known.filter(|(folder, _)| is_member(Path::new(folder))).collect();
        known.extend(new.iter().map(|(folder, rest)| (folder.as_str(), rest.as_str())));
        let text: String = known.into_iter().map(|(folder, rest)| format!("{folder}\0{rest}\n")).collect();
        let bytes = [HEAD, Sha1::of(text.as_bytes()).as_bytes().as_slice(), text.as_bytes()].concat();
        if let Some(folder) = self.path.parent() {
            // A cache that can't be written makes the next look as slow as this one, and is no reason to fail.
            let _ = std::fs::create_dir_all(folder).and_then(|()| replace_file(&self.path, &bytes, FILE_MODE));
        }
    }
}

fn whole(mut bytes: Vec<u8>) -> Option<String> {
    let (sum, text) = bytes.strip_prefix(HEAD)?.split_at_checked(SUM)?;
    (Sha1::of(text).as_bytes().as_slice() == sum).then_some(())?;
    bytes.drain(..HEAD.len() + SUM);
    String::from_utf8(bytes).ok()
}
