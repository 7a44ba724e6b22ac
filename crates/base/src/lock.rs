use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::platform::{self, PrivateFile};

/// Stands in for the lock of a folder where folders can't be locked.
const FOLDER_LOCK: &str = ".ai-assist.lock";

/// How often a lock that somebody holds is tried again.
const POLL: Duration = Duration::from_millis(10);

/// An advisory lock on a file of its own. The operating system drops it with the process.
#[derive(Debug)]
#[must_use = "the lock is held while this lives"]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock if nobody holds it. The file and its folder are made.
    pub fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Self::exclusive(Self::open(path)?)
    }

    /// Takes the lock, waiting for another holder at most as long as said; none if that was too short.
    pub fn take_within(path: &Path, patience: Duration) -> io::Result<Option<Self>> {
        let start = Instant::now();
        Self::take_while(path, || start.elapsed() < patience)
    }

    /// Takes the lock, waiting for another holder while `go_on` says so; none if it says no.
    pub fn take_while(path: &Path, go_on: impl FnMut() -> bool) -> io::Result<Option<Self>> {
        let mut file = Some(Self::open(path)?);
        let take = || match file.as_ref().map(File::try_lock) {
            Some(Ok(())) => Ok(file.take()),
            Some(Err(TryLockError::Error(error))) => Err(error),
            Some(Err(TryLockError::WouldBlock)) | None => Ok(None),
        };
        Self::waited_for(take, go_on)
    }

    /// Takes the lock under which a file is edited: that of the folder in which it really is. Everybody who can edit the file
    /// shares it, however they spell its path and wherever they keep their data, and nothing is left beside the file.
    pub fn for_edit(file: &Path, patience: Duration) -> io::Result<Option<Self>> {
        let start = Instant::now();
        let go_on = || start.elapsed() < patience;
        let file = crate::resolve(file)?;
        let folder = crate::file::folder_of(&file);
        match Self::waited_for(|| platform::lock_folder(folder), go_on) {
            Err(error) if platform::cannot_lock_folders(&error) => Self::take_while(&folder.join(FOLDER_LOCK), go_on),
            taken => taken,
        }
    }

    fn waited_for(
        mut take: impl FnMut() -> io::Result<Option<File>>,
        mut go_on: impl FnMut() -> bool,
    ) -> io::Result<Option<Self>> {
        loop {
            match take()? {
                Some(file) => return Ok(Some(FileLock { _file: file })),
                None if go_on() => std::thread::sleep(POLL),
                None => return Ok(None),
            }
        }
    }

    /// Locks an open file for oneself, if nobody holds it in any way.
    pub fn exclusive(file: File) -> io::Result<Option<Self>> {
        let locked = file.try_lock();
        Self::locked(file, locked)
    }

    /// Locks an open file together with others, if nobody holds it for themselves.
    pub fn shared(file: File) -> io::Result<Option<Self>> {
        let locked = file.try_lock_shared();
        Self::locked(file, locked)
    }

    fn locked(file: File, locked: Result<(), TryLockError>) -> io::Result<Option<Self>> {
        match locked {
            Ok(()) => Ok(Some(FileLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn open(path: &Path) -> io::Result<File> {
        let open = || platform::open_private(path, PrivateFile::Kept);
        match (open(), path.parent()) {
            (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::create_dir_all(folder)?;
                open()
            }
            (opened, _) => opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::process::Command;

    #[test]
    fn one_holds_it_or_several_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/lock");
        let held = FileLock::try_take(&path).unwrap().unwrap();
        assert!(FileLock::try_take(&path).unwrap().is_none());
        let start = Instant::now();
        assert!(FileLock::take_within(&path, Duration::from_millis(50)).unwrap().is_none());
        assert!(start.elapsed() >= Duration::from_millis(50));
        drop(held);
        let open = || File::open(&path).unwrap();
        let (one, two) = (FileLock::shared(open()).unwrap(), FileLock::shared(open()).unwrap());
        assert!(one.is_some() && two.is_some() && FileLock::exclusive(open()).unwrap().is_none());
        drop((one, two));
        assert!(FileLock::exclusive(open()).unwrap().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn an_edit_is_locked_whatever_the_file_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("real/deep")).unwrap();
        std::fs::write(at("real/file"), "").unwrap();
        std::os::unix::fs::symlink(at("real"), at("folder-link")).unwrap();
        std::os::unix::fs::symlink(at("real/file"), at("file-link")).unwrap();
        let take = |file: &Path| FileLock::for_edit(file, Duration::ZERO).unwrap();
        let held = take(&at("real/file"));
        assert!(held.is_some());
        for spelling in ["real/file", "real/deep/../file", "folder-link/file", "file-link", "folder-link/./new"] {
            assert!(take(&at(spelling)).is_none(), "{spelling}");
        }
        assert!(take(&at("elsewhere")).is_some());
        drop(held);
        assert!(take(&at("file-link")).is_some());
        assert_eq!(std::fs::read_dir(at("real")).unwrap().count(), 2, "nothing is left beside the file");
    }

    #[cfg(unix)]
    #[test]
    fn a_dead_holder_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(FileLock::try_take(&path).unwrap());
        let script = format!("exec 9> '{}'; flock 9; echo held; exec sleep 1000", path.display());
        let mut child = Command::new("sh").args(["-c", &script]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        assert_eq!(line, "held\n");
        assert!(FileLock::try_take(&path).unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(FileLock::try_take(&path).unwrap().is_some());
    }
}
