//! What is known of the machine and the container this process runs in.
//!
//! A file's identity has the filesystem in it. The id of that filesystem comes from the machine's id and, in a container,
//! from the container's as well, because machine ids are often part of an image. Both come from small files whose
//! places are parameters, so that this room need not know where it runs.

mod container;
mod mountinfo;
mod mounts;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;

pub use container::{Container, Runtime, container};
pub use mounts::{Mounts, mounts_of};

/// More than any of these files has, and little enough to read from a place that is not what it seems.
const LARGEST_ID: u64 = 4 << 10;
const LARGEST_MOUNTINFO: u64 = 16 << 20;

/// Where the machine keeps what tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFiles {
    /// Files with the id of the machine, the best first.
    pub machine_ids: Vec<PathBuf>,
    /// Files with the name of the machine, the best first.
    pub hostnames: Vec<PathBuf>,
    pub mountinfo: PathBuf,
}

impl MachineFiles {
    /// The usual places below another root.
    pub fn below(root: &Path) -> Self {
        MachineFiles {
            machine_ids: vec![root.join("etc/machine-id"), root.join("var/lib/dbus/machine-id")],
            hostnames: vec![root.join("proc/sys/kernel/hostname"), root.join("etc/hostname")],
            mountinfo: root.join("proc/self/mountinfo"),
        }
    }
}

impl Default for MachineFiles {
    fn default() -> Self {
        Self::below(Path::new("/"))
    }
}

/// A machine that can't be told from others.
#[derive(Debug, thiserror::Error)]
pub enum SurroundingsError {
    #[error(
        "this machine has no id and no name, so its files can't be told from those of other machines (looked in {}); \
         write one with `systemd-machine-id-setup` or give the id of the filesystem",
        list(.0)
    )]
    NoIdentity(Vec<PathBuf>),
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The id of the filesystem this process sees: `sha256:` and the hash of the machine's id, or of its name if it has no
/// id. In a container the hash is over that, a newline and the id of the container.
pub fn default_filesystem_id(files: &MachineFiles) -> Result<String, SurroundingsError> {
    let mut identity = first(&files.machine_ids).or_else(|| first(&files.hostnames)).ok_or_else(|| {
        SurroundingsError::NoIdentity(files.machine_ids.iter().chain(&files.hostnames).cloned().collect())
    })?;
    let mountinfo = content(&files.mountinfo, LARGEST_MOUNTINFO).unwrap_or_default();
    if let Some(id) = container(mountinfo).and_then(|container| container.id) {
        identity = format!("{identity}\n{id}");
    }
    Ok(format!("sha256:{}", Sha256::of(identity.as_bytes()).hex()))
}

/// The first of the files that says something.
fn first(files: &[PathBuf]) -> Option<String> {
    files.iter().find_map(|file| {
        let bytes = content(file, LARGEST_ID)?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        // `uninitialized` is what systemd leaves in images, `(none)` is the kernel's name before it has one.
        (!matches!(text.as_str(), "" | "uninitialized" | "(none)")).then_some(text)
    })
}

/// A file that can't be read says nothing: the next one is asked.
fn content(file: &Path, largest: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(largest).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
#[path = "surroundings/tests.rs"]
mod tests;
