//! How programs of one user meet on this machine.
//!
//! A file that only this user can read says at which port of this machine a program listens, and what each of the two says to
//! the other first. So another user, who can connect to any port and can take a port that is free again, is found out on
//! either side.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use super::{fill_random, is_private, open_private};
use crate::platform::PrivateFile;

/// A connection to a program of this user on this machine.
pub type LocalStream = TcpStream;

const WORD: usize = 32;
/// Both are on this machine, and the other one has nothing else to do first.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is in the file.
#[derive(Clone)]
pub struct Meeting {
    pub port: u16,
    /// What who connects says first.
    pub ask: [u8; WORD],
    /// What is said back.
    pub answer: [u8; WORD],
}

impl std::fmt::Debug for Meeting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meeting").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Meeting {
    /// Writes a file for a port that the caller listens at.
    pub fn arrange(file: &Path, port: u16) -> io::Result<Meeting> {
        let mut meeting = Meeting { port, ask: [0; WORD], answer: [0; WORD] };
        fill_random(&mut meeting.ask)?;
        fill_random(&mut meeting.answer)?;
        let mut out = open_private(file, PrivateFile::New)?;
        out.write_all(&[&port.to_le_bytes()[..], &meeting.ask, &meeting.answer].concat())?;
        Ok(meeting)
    }

    fn read(file: &Path) -> io::Result<Meeting> {
        let odd =
            || io::Error::new(io::ErrorKind::InvalidData, "the file that says where the service is can't be trusted");
        if !is_private(file) {
            return Err(odd());
        }
        let bytes = crate::read_plain(file, 1024).map_err(io::Error::from)?.bytes;
        let (port, words) = bytes.split_first_chunk().ok_or_else(odd)?;
        let (ask, words) = words.split_first_chunk().ok_or_else(odd)?;
        let (answer, _) = words.split_first_chunk().ok_or_else(odd)?;
        Ok(Meeting { port: u16::from_le_bytes(*port), ask: *ask, answer: *answer })
    }
}

/// Connects to the program that listens at a file.
pub fn connect_local(file: &Path) -> io::Result<LocalStream> {
    let Meeting { port, ask, answer } = Meeting::read(file)?;
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&ask)?;
    let mut said = [0; WORD];
    stream.read_exact(&mut said)?;
    if said == answer { Ok(stream) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
}
