use std::path::PathBuf;

use ai_assist_admit::{AdmitError, GlobError};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Glob(#[from] GlobError),
    #[error("{path} {rule}{}; nothing was packed", more_files(*.more))]
    SecretFound {
        path: String,
        /// The reason and the rule. Never the value.
        rule: String,
        more: usize,
    },
    #[error("the path of {} can't be resolved", path.display())]
    Root {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the scan was cancelled")]
    Cancelled,
    #[error("the account of the files does not add up: {message}; please report this")]
    NotConserved { message: String },
    #[error("a pack can't have at most {limit} tokens: without any file it has {least} already")]
    LimitTooSmall { limit: usize, least: usize },
    #[error("a summary can't have at most {limit} bytes: without any file it has {least} already")]
    BytesTooFew { limit: usize, least: usize },
    #[error("{threads} threads can't be started: {message}")]
    Threads { threads: usize, message: String },
    #[error("the pack can't be written as {format}: {message}")]
    Write { format: &'static str, message: String },
    #[error("the pack can't be written out")]
    Output {
        #[source]
        source: std::io::Error,
    },
    #[error("this is no pack in {format}: {message}")]
    Read { format: &'static str, message: String },
    #[error("packs in {format} can't be read back; write JSON or MessagePack for that")]
    NotReadable { format: &'static str },
}

fn more_files(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => ", and so does 1 more file".to_owned(),
        more => format!(", and so do {more} more files"),
    }
}
