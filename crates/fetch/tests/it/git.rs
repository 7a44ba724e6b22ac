//! Git repositories, read with the real program.

#![cfg(unix)]

mod files;
mod hanging;
mod hostile;
mod https;
mod processes;
mod references;
mod repository;
