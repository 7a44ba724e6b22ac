//! Looking at a file: what it says, or why that can't be had or kept.

use std::io;
use std::path::Path;

use ai_assist_admit::{Exclusion, IndexedView, Limits, Outcome, Reason, admit_bytes, open_unlinked};
use ai_assist_base::platform::{self, Errno};
use ai_assist_base::{ReadError, chain, read_all};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_store::objects::Content;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOutcome {
    /// Its text, with `redacted` secrets taken out unless everything is kept. The hash is of the bytes as they were found.
    Text {
        file_hash: Sha256,
        text: Content,
        redacted: usize,
    },
    /// It is there, but there is no text in it to keep: it is binary.
    NoText {
        file_hash: Sha256,
    },
    /// It is there and its content is not kept, for this reason.
    Refused(Refusal),
    Missing,
    /// It can't be looked at, for this reason; it may be there or not.
    Unreachable(String),
}

/// Why what is there is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is a folder")]
    Folder,
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it has {size} bytes, and {limit} are the limit")]
    TooLarge { size: u64, limit: u64 },
    #[error("its path can't be read")]
    Path,
    #[error("it {} ({rule})", reason.describe())]
    Excluded { reason: Reason, rule: String },
}

/// Paths are kept with their links resolved: a link that has taken the place of a file, or of a folder above it, leads to
/// something else, which has its own name and its own rules.
pub(crate) const LINK: &str = "a link has taken its place";

#[derive(Debug, Clone)]
pub struct FileReader {
    /// Whether everything is kept as it is, secrets too.
    pub raw: bool,
    /// If given, only what an index of its folder would admit is read.
    pub within: Option<IndexedView>,
    /// A larger file is not kept.
    pub max_file_bytes: u64,
}

impl Default for FileReader {
    fn default() -> Self {
        FileReader { raw: false, within: None, max_file_bytes: Limits::default().max_file_bytes }
    }
}

impl FileReader {
    /// Looks at a file of this machine, by a path whose links are resolved.
    pub fn look(&self, path: &Path) -> ReadOutcome {
        if let Some(view) = &self.within {
            let Ok(below) = DocPath::from_relative(path.strip_prefix(&view.root).unwrap_or(path)) else {
                return ReadOutcome::Refused(Refusal::Path);
            };
            return match view.read(&below) {
                Ok(Outcome::Excluded(Exclusion { reason: Reason::NotAFile, .. })) if path.is_dir() => {
                    ReadOutcome::Refused(Refusal::Folder)
                }
                Ok(outcome) => told(outcome),
                Err(error) => ReadOutcome::Unreachable(chain(&error)),
            };
        }
        match self.bytes(path) {
            Ok(Ok(bytes)) => self.judge(path, bytes),
            Ok(Err(refused)) => ReadOutcome::Refused(refused),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                ReadOutcome::Missing
            }
            Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {
                ReadOutcome::Unreachable(LINK.to_owned())
            }
            Err(error) => ReadOutcome::Unreachable(error.to_string()),
        }
    }

    /// The same for bytes that somebody else has read.
    pub fn judge(&self, path: &Path, bytes: Vec<u8>) -> ReadOutcome {
        if bytes.len() as u64 > self.max_file_bytes {
            return ReadOutcome::Refused(self.too_large(bytes.len() as u64));
        }
        if self.raw {
            return whole(&bytes);
        }
        let Ok(name) = DocPath::from_relative(&platform::without_root(path)) else {
            return ReadOutcome::Refused(Refusal::Path);
        };
        let file_hash = Sha256::of(&bytes);
        match admit_bytes(&name, bytes, &self.limits()) {
            Outcome::Excluded(exclusion) if exclusion.reason == Reason::Binary => ReadOutcome::NoText { file_hash },
            outcome => told(outcome),
        }
    }

    /// Why a file below the folder that it may read may not be shown, if so: somebody said that it is private. What has
    /// become of it since it was read does not matter.
    pub fn keeps_back(&self, path: &Path) -> Option<Refusal> {
        let view = self.within.as_ref()?;
        let below = DocPath::from_relative(path.strip_prefix(&view.root).ok()?).ok()?;
        let explained = view.explain(&below).ok()?;
        let is_private =
            |reason: &Reason| matches!(reason, Reason::VersionControl | Reason::IgnoreFile | Reason::SecretName);
        explained.reason.filter(is_private).map(|reason| Refusal::Excluded { reason, rule: explained.rule })
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { max_file_bytes: self.max_file_bytes, ..Limits::default() }
    }

    /// The bytes, or why they are not wanted.
    fn bytes(&self, path: &Path) -> io::Result<Result<Vec<u8>, Refusal>> {
        let file = open_unlinked(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Ok(Err(if about.is_dir() { Refusal::Folder } else { Refusal::NotRegular }));
        }
        if about.len() > self.max_file_bytes {
            return Ok(Err(self.too_large(about.len())));
        }
        match read_all(file, self.max_file_bytes) {
            Ok(bytes) => Ok(Ok(bytes)),
            // It has grown past it.
            Err(ReadError::TooLarge(limit)) => Ok(Err(self.too_large(limit + 1))),
            Err(error) => Err(error.into()),
        }
    }

    fn too_large(&self, size: u64) -> Refusal {
        Refusal::TooLarge { size, limit: self.max_file_bytes }
    }
}

fn told(outcome: Outcome) -> ReadOutcome {
    match outcome {
        Outcome::Admitted(admitted) => {
            let (file_hash, redacted) = (admitted.hash(), admitted.redacted());
            ReadOutcome::Text { file_hash, text: Content::new(admitted.into_text()), redacted }
        }
        Outcome::Excluded(Exclusion { reason, rule, .. }) => ReadOutcome::Refused(Refusal::Excluded { reason, rule }),
        Outcome::Vanished => ReadOutcome::Missing,
    }
}

fn whole(bytes: &[u8]) -> ReadOutcome {
    let file_hash = Sha256::of(bytes);
    match ai_assist_text::decode(bytes) {
        Ok(decoded) => ReadOutcome::Text { file_hash, text: Content::new(decoded.text), redacted: 0 },
        Err(_) => ReadOutcome::NoText { file_hash },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let eyes = FileReader { max_file_bytes: 1000, ..FileReader::default() };
        std::fs::write(at("a.md"), "# A\n").unwrap();
        std::fs::write(at("b.bin"), b"\x00\x01\x02\xff".repeat(20)).unwrap();
        std::fs::write(at("large"), "x".repeat(1001)).unwrap();
        std::fs::write(at(".env"), "A=1\n").unwrap();
        std::fs::write(at("config.txt"), "db_password = \"x7Kp!2mQz94LwR\"\n").unwrap();
        assert_eq!(
            eyes.look(&at("a.md")),
            ReadOutcome::Text { file_hash: Sha256::of(b"# A\n"), text: Content::new("# A\n"), redacted: 0 }
        );
        assert!(matches!(eyes.look(&at("b.bin")), ReadOutcome::NoText { .. }));
        assert_eq!(eyes.look(&at("large")), ReadOutcome::Refused(Refusal::TooLarge { size: 1001, limit: 1000 }));
        let secret = eyes.look(&at(".env"));
        assert!(
            matches!(&secret, ReadOutcome::Refused(Refusal::Excluded { reason: Reason::SecretName, .. })),
            "{secret:?}"
        );
        assert!(
            matches!(FileReader { raw: true, ..eyes.clone() }.look(&at(".env")), ReadOutcome::Text { text, .. } if text.text() == "A=1\n")
        );
        let seen = eyes.look(&at("config.txt"));
        assert!(
            matches!(&seen, ReadOutcome::Text { text, redacted: 1, .. } if !text.text().contains("x7Kp")),
            "{seen:?}"
        );
        assert_eq!(eyes.look(folder.path()), ReadOutcome::Refused(Refusal::Folder));
        assert_eq!(eyes.look(&at("none")), ReadOutcome::Missing);
        assert_eq!(eyes.look(&at("a.md/b")), ReadOutcome::Missing);
        std::os::unix::fs::symlink("a.md", at("link.md")).unwrap();
        std::os::unix::fs::symlink(".", at("here")).unwrap();
        for path in ["link.md", "here/a.md"] {
            assert_eq!(eyes.look(&at(path)), ReadOutcome::Unreachable(LINK.to_owned()), "{path}");
        }
    }
}
