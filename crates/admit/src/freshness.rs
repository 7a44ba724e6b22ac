//! Whether a file still is what was read of it before.

use std::fs::File;
use std::path::Path;

use ai_assist_base::platform::{Errno, Open, path_bytes};
use ai_assist_base::read_all;
use ai_assist_identity::{DocPath, Sha256};
use serde::{Deserialize, Serialize};

use crate::root::{Root, Target};

/// Larger files than this are not read only to compare them.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// The file on disk has the bytes that were indexed.
    Current,
    Changed,
    Missing,
    /// It is not a file of this machine, or it can't be read.
    Unknown,
}

impl Freshness {
    /// Compares a file below a root with the hash it had. A symlink is followed inside the root; what has become a pipe or
    /// a device is not waited for.
    pub fn of(root: &Path, path: &DocPath, hash: Sha256) -> Freshness {
        let Ok(root) = Root::open(root) else { return Freshness::Missing };
        let path = path.to_path_buf();
        let path = &*path_bytes(&path);
        let opened = root.open_beneath(path, Open::File).or_else(|errno| match (errno, root.resolve(path)) {
            (Errno::LOOP, Ok(Target::Inside(real))) => root.open_beneath(&real, Open::File),
            _ => Err(errno),
        });
        match opened {
            Ok(file) => compare(&File::from(file), hash),
            Err(Errno::NOENT | Errno::NOTDIR) => Freshness::Missing,
            Err(_) => Freshness::Unknown,
        }
    }
}

fn compare(file: &File, hash: Sha256) -> Freshness {
    let Ok(metadata) = file.metadata() else { return Freshness::Unknown };
    if !metadata.is_file() {
        return Freshness::Changed;
    }
    match read_all(file, LARGEST) {
        Ok(bytes) if Sha256::of(&bytes) == hash => Freshness::Current,
        Ok(_) => Freshness::Changed,
        Err(_) => Freshness::Unknown,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    #[test]
    fn a_file_is_compared_wherever_its_name_leads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let of = |name: &str| Freshness::of(folder.path(), &DocPath::parse(name).unwrap(), Sha256::of(b"text"));
        std::fs::write(at("same"), "text").unwrap();
        std::fs::write(at("other"), "more").unwrap();
        symlink("same", at("link")).unwrap();
        symlink("/dev/zero", at("out")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
        assert_eq!(of("same"), Freshness::Current);
        assert_eq!(of("link"), Freshness::Current);
        assert_eq!(of("other"), Freshness::Changed);
        assert_eq!(of("none"), Freshness::Missing);
        assert_eq!(of("same/below"), Freshness::Missing);
        assert_eq!(of("out"), Freshness::Unknown, "what lies outside is not read");
        assert_eq!(of("pipe"), Freshness::Changed, "a pipe is not waited for");
        assert_eq!(of("folder"), Freshness::Changed);
    }
}
