//! Ignore files: they narrow, and nothing in them can widen.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use crate::Problem;
use crate::root::{Root, Target};

/// The files that are honoured, each in every folder. `.gitignore` counts outside a git repository too.
pub const IGNORE_FILES: [&str; 8] = [
    ".gitignore",
    ".ignore",
    ".aiignore",
    ".aiexclude",
    ".llmignore",
    ".cursorignore",
    ".codeiumignore",
    ".councilignore",
];

/// A file of rules longer than this is not one.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Which of [`IGNORE_FILES`] a name is.
pub(crate) fn kind_of(name: &[u8]) -> Option<usize> {
    if name.first() != Some(&b'.') {
        return None;
    }
    IGNORE_FILES.iter().position(|file| file.as_bytes() == name)
}

/// The ignore files of one folder, linked to those of the folders above.
#[derive(Debug)]
pub(crate) struct Ignores {
    above: Option<Arc<Ignores>>,
    /// Length of the folder's path with its slash, to be cut off before matching.
    base: usize,
    files: Vec<(usize, Gitignore)>,
    /// One bit for each kind of file here or above.
    kinds: u8,
}

impl Ignores {
    /// The rule that drops a path, if one does.
    ///
    /// Within one kind of file the deepest rule wins and `!` takes back, as in git. Between kinds each is a veto: a `!` in
    /// `.ignore` does not bring back what `.gitignore` drops.
    pub(crate) fn dropped_by(&self, path: &[u8], is_folder: bool) -> Option<String> {
        (0..IGNORE_FILES.len()).filter(|kind| self.kinds & (1 << kind) != 0).find_map(|kind| {
            let mut level = Some(self);
            while let Some(ignores) = level {
                for (_, rules) in ignores.files.iter().filter(|(k, _)| *k == kind) {
                    let below = Path::new(std::ffi::OsStr::from_bytes(&path[ignores.base..]));
                    match rules.matched(below, is_folder) {
                        Match::Ignore(glob) => return Some(ignores.rule(path, kind, glob.original())),
                        Match::Whitelist(_) => return None,
                        Match::None => {}
                    }
                }
                level = ignores.above.as_deref();
            }
            None
        })
    }

    fn rule(&self, path: &[u8], kind: usize, pattern: &str) -> String {
        format!("{}{}: {pattern}", String::from_utf8_lossy(&path[..self.base]), IGNORE_FILES[kind])
    }
}

/// Reads the ignore files of one folder, given the kinds seen in it.
///
/// A file that can't be read or a rule that does not parse is a problem to report, not the end: git goes on as well.
pub(crate) fn load(
    root: &Root,
    folder: &OwnedFd,
    path: &[u8],
    kinds: &[usize],
    above: Option<Arc<Ignores>>,
    problems: &mut Vec<Problem>,
) -> Option<Arc<Ignores>> {
    let mut files = Vec::new();
    for &kind in kinds {
        let name = IGNORE_FILES[kind];
        let full = if path.is_empty() { name.into() } else { [path, b"/", name.as_bytes()].concat() };
        let mut report = |message: String| {
            problems.push(Problem { path: String::from_utf8_lossy(&full).into_owned(), message });
        };
        match read(root, folder, &full, name) {
            Ok(None) => {}
            Ok(Some(text)) => {
                if let Some(rules) = parse(&text, &mut report) {
                    files.push((kind, rules));
                }
            }
            Err(message) => report(message),
        }
    }
    if files.is_empty() {
        return above;
    }
    let own = files.iter().fold(0u8, |mask, (kind, _)| mask | 1 << kind);
    let kinds = own | above.as_ref().map_or(0, |above| above.kinds);
    let base = if path.is_empty() { 0 } else { path.len() + 1 };
    Some(Arc::new(Ignores { above, base, files, kinds }))
}

fn parse(text: &str, report: &mut impl FnMut(String)) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if let Err(error) = builder.add_line(None, line) {
            report(format!("line {} of this ignore file is not valid: {error}", number + 1));
        }
    }
    match builder.build() {
        Ok(rules) if rules.is_empty() => None,
        Ok(rules) => Some(rules),
        Err(error) => {
            report(format!("this ignore file is not valid: {error}"));
            None
        }
    }
}

/// The text of an ignore file, or nothing if it is gone or no file.
fn read(root: &Root, folder: &OwnedFd, full: &[u8], name: &str) -> Result<Option<String>, String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = match openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        // `.ignore -> .gitignore` is common; one that points out of the root would let a repo probe for other files.
        Err(Errno::LOOP) => match root.resolve(full) {
            Ok(Target::Inside(real)) => root.open_beneath(&real, flags),
            Ok(Target::Outside) => return Err("this ignore file is a symlink that leaves the folder".to_owned()),
            Err(error) => return Err(format!("this ignore file can't be read: {error}")),
        },
        answer => answer,
    };
    let failed = |error: std::io::Error| format!("this ignore file can't be read: {error}");
    let file = match opened {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(failed(errno.into())),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("this ignore file is larger than {MAX_BYTES} bytes and is not honoured"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
