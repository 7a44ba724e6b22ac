//! Connections of programs of the same user on the same machine.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::Socket;
#[cfg(windows)]
pub use windows::Socket;
