use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_base::platform::{self, Meeting};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::http::{Accepts, Error, Greeted};

/// How long who connects may take to say who they are.
const PATIENCE: Duration = Duration::from_secs(2);

/// A port of this machine, and a private file that says which and what has to be said there. Dropped, the file goes.
#[derive(Debug)]
pub struct Socket {
    listener: TcpListener,
    path: PathBuf,
    meeting: Meeting,
}

impl Socket {
    /// Takes the place of whatever file lies there: the caller holds the lock that says that nobody uses it.
    pub fn new(path: &Path) -> Result<Socket, Error> {
        let make = || {
            platform::private_folder(path.parent().unwrap_or(path))?;
            if path.symlink_metadata().is_ok() {
                std::fs::remove_file(path)?;
            }
            let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            let meeting = Meeting::arrange(path, listener.local_addr()?.port())?;
            Ok(Socket { listener, path: path.to_owned(), meeting })
        };
        make().map_err(|source| Error::Socket { path: path.to_owned(), source })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether who has connected has read the file, and is told so.
async fn is_known(stream: &mut TcpStream, meeting: &Meeting) -> std::io::Result<bool> {
    let mut said = [0; 32];
    stream.read_exact(&mut said).await?;
    // All of it is compared, so that how long that takes tells nothing.
    if said.iter().zip(meeting.ask).fold(0, |odd, (a, b)| odd | (a ^ b)) != 0 {
        return Ok(false);
    }
    stream.write_all(&meeting.answer).await?;
    Ok(true)
}

impl Accepts for Socket {
    type Stream = TcpStream;

    async fn next(&self) -> std::io::Result<Option<TcpStream>> {
        let stream = self.listener.accept().await?.0;
        stream.set_nodelay(true)?;
        Ok(Some(stream))
    }

    fn greet(&self) -> impl Fn(TcpStream) -> Greeted<TcpStream> + Send + Clone + 'static {
        let meeting = self.meeting.clone();
        move |mut stream| {
            let meeting = meeting.clone();
            Box::pin(async move {
                let known = tokio::time::timeout(PATIENCE, is_known(&mut stream, &meeting)).await;
                matches!(known, Ok(Ok(true))).then_some(stream)
            })
        }
    }
}
