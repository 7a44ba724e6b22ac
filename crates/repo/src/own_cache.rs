//! Which folder inside a repository is this machine's.
//!
//! A repository that keeps its cache in itself could bring a cache along: files of an index that nobody here has built, at
//! the very place where they are looked for. So the place has a name that a repository can't know: it is made from a
//! secret that lies in the cache of the machine.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ai_assist_identity::{RepoId, Sha256};

use ai_assist_base::{ReadError, Replacement, platform, read_plain};

/// The file with the secret, in the cache of the machine.
const SECRET_FILE: &str = "own-caches.secret";
const SECRET_BYTES: usize = 32;
/// Digits of the name: enough that nobody guesses it.
const NAME_DIGITS: usize = 32;

/// The part of a repository's own cache that was made on this machine. The secret is made when it is first needed.
pub(crate) fn own_cache(own: &Path, shared_cache: &Path, repo: &RepoId) -> io::Result<PathBuf> {
    let mut text = secret(&shared_cache.join(SECRET_FILE))?;
    text.extend_from_slice(repo.as_str().as_bytes());
    Ok(own.join(&Sha256::of(&text).hex()[..NAME_DIGITS]))
}

fn secret(path: &Path) -> io::Result<Vec<u8>> {
    // Whoever comes second finds what the first one made.
    for _ in 0..2 {
        match read_plain(path, SECRET_BYTES as u64) {
            Ok(file) if file.bytes.len() == SECRET_BYTES => return Ok(file.bytes),
            Ok(_) => return Err(io::Error::other(format!("{} is no secret; remove it", path.display()))),
            Err(ReadError::Missing) => make_secret(path)?,
            Err(ReadError::Io(error)) => return Err(error),
            Err(other) => return Err(io::Error::other(format!("{}: {other}", path.display()))),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Writes a new secret, for this user's eyes, unless there is one by then.
fn make_secret(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    let mut bytes = [0; SECRET_BYTES];
    platform::fill_random(&mut bytes)?;
    let mut new = Replacement::begin(path, 0o600)?;
    new.write_all(&bytes)?;
    new.finish_new().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stays_and_differs_by_machine_and_repository() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (a, b): (RepoId, RepoId) = ("a-0123456789ab".parse().unwrap(), "b-0123456789ab".parse().unwrap());
        let name =
            |shared: &tempfile::TempDir, repo| own_cache(Path::new("/r/.c"), &shared.path().join("x"), repo).unwrap();
        let first = name(&here, &a);
        assert_eq!(name(&here, &a), first);
        assert!(first.starts_with("/r/.c") && first.file_name().unwrap().len() == NAME_DIGITS);
        assert_ne!(name(&here, &b), first);
        assert_ne!(name(&there, &a), first);
        assert!(platform::is_private(&here.path().join("x").join(SECRET_FILE)));
    }

    #[test]
    fn who_comes_at_once_gets_the_same() {
        let shared = tempfile::tempdir().unwrap();
        let repo: RepoId = "a-0123456789ab".parse().unwrap();
        let names: Vec<PathBuf> = std::thread::scope(|scope| {
            let ask = || own_cache(Path::new("/r"), shared.path(), &repo).unwrap();
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(names.windows(2).all(|pair| pair[0] == pair[1]), "{names:?}");
    }

    #[test]
    fn a_secret_that_is_none_is_not_used() {
        let shared = tempfile::tempdir().unwrap();
        let repo: RepoId = "a-0123456789ab".parse().unwrap();
        for bad in ["", "short", &"x".repeat(100)] {
            std::fs::write(shared.path().join(SECRET_FILE), bad).unwrap();
            assert!(own_cache(Path::new("/r"), shared.path(), &repo).is_err(), "{bad}");
        }
    }
}
