//! What every crate needs and no domain owns.
//!
//! | module | what it does |
//! |---|---|
//! | `file` | reads small files without surprises and replaces files whole |
//! | `lock` | locks that a dead process never holds |
//! | `json`, `strict_json` | JSON with comments, every problem with its place; JSON without repeated keys |
//! | `cancel` | whether to go on |
//! | `stamp` | what stat says of a file, and when that may stand in for reading it |
//! | `watch` | when to look at folders again: events are hints, a scan is the truth |
//! | `process` | runs a program within limits of time and output |
//! | `platform` | what differs between operating systems |
//! | `error`, `suggest` | an error with its causes; what was probably meant |
//!
//! It knows nothing of collections, repositories or sessions, prints nothing, reads no environment, and depends on no
//! other crate of this workspace.

mod cancel;
mod error;
mod file;
pub mod json;
mod lock;
pub mod platform;
pub mod process;
mod stamp;
pub mod strict_json;
mod suggest;
pub mod watch;

pub use cancel::{Cancel, Rounds, stopped};
pub use error::{BrokeOff, caught, chain, log_broken_off};
pub use file::{
    PlainFile, ReadError, Replacement, open_plain, portable_path, private_by_default, read_all, read_bounded,
    read_plain, relative_path, remove_unfinished, replace_file, resolve, resolve_below, sync_file, sync_folder,
};
pub use lock::FileLock;
pub use platform::RealPath;
pub use stamp::{FileStamp, now_ns};
pub use suggest::{did_you_mean, nearest};
