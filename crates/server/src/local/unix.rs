use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ai_assist_base::platform;
use tokio::net::{UnixListener, UnixStream};

use crate::http::{Accepts, Error};

/// A socket file that is listened on. Dropped, the file goes.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Takes the place of whatever socket lies there: the caller holds the lock that says that nobody uses it.
    pub fn new(path: &Path) -> Result<Socket, Error> {
        let make = || {
            platform::private_folder(path.parent().unwrap_or(path))?;
            if path.symlink_metadata().is_ok() {
                std::fs::remove_file(path)?;
            }
            // Who connects before the file has its mode is asked who they are all the same.
            let listener = UnixListener::bind(path)?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
            Ok(listener)
        };
        let listener = make().map_err(|source| Error::Socket { path: path.to_owned(), source })?;
        Ok(Socket { listener, path: path.to_owned() })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a program of the same user is at the other end, or root.
fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| platform::is_own_user(peer.uid()))
}

impl Accepts for Socket {
    type Stream = UnixStream;

    async fn next(&self) -> std::io::Result<Option<UnixStream>> {
        Ok(Some(self.listener.accept().await?.0).filter(is_own))
    }
}
