//! Ignore files, and `.gitattributes` where it matters: they narrow, and nothing in them can widen.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_base::platform::{Errno, Handle, Open, open_at, path_of};
use ai_assist_base::{ReadError, read_all};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::attributes::{self, ATTRIBUTES};
use crate::policy::Refusal;
use crate::root::{Root, Target};
use crate::{Problem, Reason};

/// The files that are honoured, each in every folder. `.gitignore` counts outside a git repository too.
pub const IGNORE_FILES: [&str; 8] = [
    ".gitignore", ".ignore", ".aiignore", ".aiexclude", ".llmignore", ".cursorignore", ".codeiumignore",
    ".councilignore",
];

/// A file of rules longer than this is not one.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The number of `.gitattributes` behind those of [`IGNORE_FILES`]. Its attributes are kinds of rules from there on.
const ATTRIBUTE_FILE: usize = IGNORE_FILES.len();
const KINDS: usize = ATTRIBUTE_FILE + ATTRIBUTES.len();

#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) ignore_files: bool,
    pub(crate) attributes: bool,
}

impl Wanted {
    /// Which file a name is, if it is one of those wanted.
    pub(crate) fn file(self, name: &[u8]) -> Option<usize> {
        if name.first() != Some(&b'.') {
            return None;
        }
        self.files().find(|&file| file_name(file).as_bytes() == name)
    }

    pub(crate) fn files(self) -> impl Iterator<Item = usize> {
        let ignore_files = 0..if self.ignore_files { IGNORE_FILES.len() } else { 0 };
        ignore_files.chain(self.attributes.then_some(ATTRIBUTE_FILE))
    }
}

fn file_name(kind: usize) -> &'static str {
    IGNORE_FILES.get(kind).copied().unwrap_or(attributes::FILE)
}

/// The rules of one folder, linked to those of the folders above.
#[derive(Debug)]
pub(crate) struct Ignores {
    above: Option<Arc<Ignores>>,
    /// Length of the folder's path with its slash, to be cut off before matching.
    base: usize,
    files: Vec<(usize, Gitignore)>,
    /// One bit for each kind of rules here or above.
    kinds: u16,
}

impl Ignores {
    /// The rule that drops a path, if one does; with `but_git`, one of another file than `.gitignore`.
    ///
    /// Within one kind of file the deepest rule wins and `!` takes back, as in git. Between kinds each is a veto: a `!` in
    /// `.ignore` does not bring back what `.gitignore` drops.
    pub(crate) fn dropped_by(&self, path: &[u8], is_folder: bool, but_git: bool) -> Option<Refusal> {
        // As in git, an attribute of a folder says nothing of the files in it.
        let kinds = if is_folder { ATTRIBUTE_FILE } else { KINDS };
        (usize::from(but_git)..kinds).filter(|kind| self.kinds & (1 << kind) != 0).find_map(|kind| {
            let mut level = Some(self);
            while let Some(ignores) = level {
                for (_, rules) in ignores.files.iter().filter(|(k, _)| *k == kind) {
                    let below = path_of(&path[ignores.base..]);
                    match rules.matched(&*below, is_folder) {
                        Match::Ignore(glob) => return Some(ignores.refusal(path, kind, glob)),
                        Match::Whitelist(_) => return None,
                        Match::None => {}
                    }
                }
                level = ignores.above.as_deref();
            }
            None
        })
    }

    fn refusal(&self, path: &[u8], kind: usize, glob: &Glob) -> Refusal {
        let (reason, rule) = match kind.checked_sub(ATTRIBUTE_FILE).and_then(|n| ATTRIBUTES.get(n)) {
            Some((attribute, reason)) => (*reason, format!("{} {attribute}", glob.original())),
            None => (Reason::IgnoreFile, glob.original().to_owned()),
        };
        let line = glob.from().map(|line| format!(":{}", line.display())).unwrap_or_default();
        let origin = format!("{}{}{line}", String::from_utf8_lossy(&path[..self.base]), file_name(kind));
        Refusal { reason, rule, origin: Some(origin) }
    }
}

/// What a rule carries as the file it came from: we know the file, so it is the line.
#[expect(clippy::unnecessary_wraps, reason = "the shape `add_line` wants")]
pub(crate) fn at_line(number: usize) -> Option<PathBuf> {
    Some(PathBuf::from((number + 1).to_string()))
}

/// Reads the files of rules of one folder, given which were seen in it.
///
/// A file that can't be read or a rule that does not parse is a problem to report, not the end: git goes on as well.
pub(crate) fn load(
    root: &Root,
    folder: &Handle,
    path: &[u8],
    wanted: &[usize],
    above: Option<Arc<Ignores>>,
    problems: &mut Vec<Problem>,
) -> Option<Arc<Ignores>> {
    let mut files = Vec::new();
    for &file in wanted {
        let name = file_name(file);
        let full = if path.is_empty() { name.into() } else { [path, b"/", name.as_bytes()].concat() };
        let mut report = |message: String| {
            problems.push(Problem { path: String::from_utf8_lossy(&full).into_owned(), message, missing: false });
        };
        match read(root, folder, &full, name) {
            Ok(None) => {}
            Ok(Some(text)) if file == ATTRIBUTE_FILE => {
                for (kind, builder) in attributes::parse(&text, &mut report).iter().enumerate() {
                    files.extend(built(builder, &mut report).map(|rules| (ATTRIBUTE_FILE + kind, rules)));
                }
            }
            Ok(Some(text)) => files.extend(parse(&text, &mut report).map(|rules| (file, rules))),
            Err(message) => report(message),
        }
    }
    if files.is_empty() {
        return above;
    }
    let own = files.iter().fold(0u16, |mask, (kind, _)| mask | 1 << kind);
    let kinds = own | above.as_ref().map_or(0, |above| above.kinds);
    let base = if path.is_empty() { 0 } else { path.len() + 1 };
    Some(Arc::new(Ignores { above, base, files, kinds }))
}

fn parse(text: &str, report: &mut impl FnMut(String)) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if let Err(error) = builder.add_line(at_line(number), line) {
            report(format!("line {} of this ignore file is not valid: {error}", number + 1));
        }
    }
    built(&builder, report)
}

fn built(builder: &GitignoreBuilder, report: &mut impl FnMut(String)) -> Option<Gitignore> {
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
fn read(root: &Root, folder: &Handle, full: &[u8], name: &str) -> Result<Option<String>, String> {
    let opened = match open_at(folder, name.as_bytes(), Open::File) {
        // `.ignore -> .gitignore` is common; one that points out of the root would let a repo probe for other files.
        Err(Errno::LOOP) => match root.resolve(full) {
            Ok(Target::Inside(real)) => root.open_beneath(&real, Open::File),
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
    match read_all(file, MAX_BYTES) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(ReadError::TooLarge(limit)) => {
            Err(format!("this ignore file is larger than {limit} bytes and is not honoured"))
        }
        Err(error) => Err(failed(error.into())),
    }
}
