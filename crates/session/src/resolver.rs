//! Paths as an agent sees them, and where the files really are.
//!
//! An agent in a container sees `/work`; the file is `/home/ada/project` of the host. Identity is about the real place,
//! so every path goes through here once on its way in, and once on its way out. It looks at spellings only.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ai_assist_base::platform;
use ai_assist_identity::{CanonicalPath, PathError};
use serde::{Deserialize, Serialize};

/// A folder of the agent that is a folder somewhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MountMapping {
    /// The folder as the agent sees it.
    #[serde(with = "path_text")]
    pub agent_prefix: PathBuf,
    #[serde(with = "path_text")]
    pub canonical_prefix: PathBuf,
    pub filesystem_id: String,
}

/// Paths in JSON are written as everywhere else in this program, so that names that are not UTF-8 come back.
mod path_text {
    use std::path::{Path, PathBuf};

    use ai_assist_identity::CanonicalPath;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        CanonicalPath::from_absolute(path).map_err(ser::Error::custom)?.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(from)?;
        let path: CanonicalPath = text.parse().map_err(de::Error::custom)?;
        Ok(path.to_path_buf())
    }
}

/// How the filesystems of sessions end that keep everything as it is.
pub(crate) const RAW: &str = "#raw";

impl MountMapping {
    /// Reads `AGENT=CANONICAL` or `AGENT=CANONICAL@FSID`. Both paths are absolute. What follows the last `@` is an id
    /// if it has no slash; a folder whose name has an `@` is written with a slash behind it.
    pub fn parse(text: &OsStr, default_fs_id: &str) -> Result<Self, ResolveError> {
        let malformed = || ResolveError::Malformed(text.to_string_lossy().into_owned());
        let bytes = text.as_encoded_bytes();
        // The first `=` before a slash: names may have an `=`, but the second path starts with a slash.
        let equals = bytes.windows(2).position(|pair| pair == b"=/").ok_or_else(malformed)?;
        let (agent, rest) = (&bytes[..equals], &bytes[equals + 1..]);
        let (canonical, id) = match rest.iter().rposition(|&byte| byte == b'@') {
            Some(at) if !rest[at..].contains(&b'/') => (&rest[..at], &rest[at + 1..]),
            _ => (rest, default_fs_id.as_bytes()),
        };
        let id = str::from_utf8(id).ok().filter(|id| !id.is_empty()).ok_or_else(malformed)?;
        // Nobody reaches contents that another session keeps as they are by naming their filesystem.
        if id.ends_with(RAW) {
            return Err(ResolveError::Raw(text.to_string_lossy().into_owned()));
        }
        Ok(MountMapping {
            agent_prefix: normal(&path_of(agent))?,
            canonical_prefix: normal(&path_of(canonical))?,
            filesystem_id: id.to_owned(),
        })
    }
}

pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    platform::path_of(bytes).into_owned()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    pub filesystem_id: String,
    pub canonical_path: PathBuf,
    /// Whether this process can see it there, and so watch it.
    pub watchable: bool,
}

/// A path or a mapping that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("`{}` is mapped twice; which of the two holds can't be told, so leave one out", .0.display())]
    Twice(PathBuf),
    #[error("`{0}` is no mount; write AGENT=CANONICAL or AGENT=CANONICAL@FSID with two absolute paths")]
    Malformed(String),
    #[error("`{0}` ends in `#raw`, which marks contents that a session keeps as they are; use another id")]
    Raw(String),
}

/// Translates between paths of an agent and paths of the filesystems they are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesystemResolver {
    default_id: String,
    /// Those with most components first, so that the first that matches is the longest.
    mounts: Vec<MountMapping>,
    /// Folders of the agent below a mount that are not part of it, such as a tmpfs.
    hidden: Vec<PathBuf>,
    /// Whether mounts lead nowhere from here: they are those of another machine.
    elsewhere: bool,
}

impl FilesystemResolver {
    /// A resolver for an agent whose own files, those below no mount, are on the filesystem `default_fs_id`. The order
    /// of the mounts does not matter.
    pub fn new(default_fs_id: impl Into<String>, mounts: Vec<MountMapping>) -> Result<Self, ResolveError> {
        let mut mounts = mounts.into_iter().map(normalised).collect::<Result<Vec<_>, _>>()?;
        mounts
            .sort_by(|a, b| (depth(&b.agent_prefix), &a.agent_prefix).cmp(&(depth(&a.agent_prefix), &b.agent_prefix)));
        if let Some([mount, _]) = mounts.array_windows().find(|[a, b]| a.agent_prefix == b.agent_prefix) {
            return Err(ResolveError::Twice(mount.agent_prefix.clone()));
        }
        Ok(FilesystemResolver { default_id: default_fs_id.into(), mounts, hidden: Vec::new(), elsewhere: false })
    }

    /// A resolver for an agent that runs where this process runs: every path is what it seems.
    pub fn local(fs_id: impl Into<String>) -> Self {
        let id = fs_id.into();
        let root = MountMapping { agent_prefix: "/".into(), canonical_prefix: "/".into(), filesystem_id: id.clone() };
        FilesystemResolver { default_id: id, mounts: vec![root], hidden: Vec::new(), elsewhere: false }
    }

    /// The same paths, none of which this process can see: the agent and its host are another machine.
    pub fn elsewhere(self) -> Self {
        FilesystemResolver { elsewhere: true, ..self }
    }

    /// Takes folders out of the mounts they are below: something of the agent's own is mounted over them.
    pub fn hiding(mut self, folders: &[PathBuf]) -> Result<Self, ResolveError> {
        for folder in folders {
            self.hidden.push(normal(folder)?);
        }
        Ok(self)
    }

    /// Where a path of the agent really is. `.`, `..` and doubled slashes are taken away first, by the letter.
    pub fn resolve(&self, agent_path: &Path) -> Result<ResolvedPath, ResolveError> {
        let path = normal(agent_path)?;
        Ok(match self.mount_of(&path) {
            Some(mount) => ResolvedPath {
                filesystem_id: mount.filesystem_id.clone(),
                canonical_path: moved(&path, &mount.agent_prefix, &mount.canonical_prefix),
                watchable: !self.elsewhere,
            },
            None => ResolvedPath { filesystem_id: self.default_id.clone(), canonical_path: path, watchable: false },
        })
    }

    /// The path by which the agent sees a file; the canonical path if it sees it nowhere.
    ///
    /// If several mounts lead there, it is the one with the longest canonical prefix through which the file is really
    /// visible: a mount below another may hide it.
    pub fn reverse_resolve(&self, canonical_path: &Path, filesystem_id: &str) -> PathBuf {
        let Ok(canonical) = normal(canonical_path) else { return canonical_path.to_owned() };
        let mut candidates: Vec<&MountMapping> = self
            .mounts
            .iter()
            .filter(|mount| mount.filesystem_id == filesystem_id && is_below(&canonical, &mount.canonical_prefix))
            .collect();
        candidates.sort_by_key(|mount| std::cmp::Reverse(depth(&mount.canonical_prefix)));
        candidates
            .into_iter()
            .map(|mount| (mount, moved(&canonical, &mount.canonical_prefix, &mount.agent_prefix)))
            .find(|(mount, agent)| self.mount_of(agent).is_some_and(|seen| seen == *mount))
            .map_or(canonical, |(_, agent)| agent)
    }

    /// Whether a path of the agent is below a mount, so that this process can see the file, too.
    pub fn is_watchable(&self, agent_path: &Path) -> bool {
        self.resolve(agent_path).is_ok_and(|resolved| resolved.watchable)
    }

    /// The mount with the longest prefix of a normal path, unless something hides it there.
    fn mount_of(&self, path: &Path) -> Option<&MountMapping> {
        let mount = self.mounts.iter().find(|mount| is_below(path, &mount.agent_prefix))?;
        let hidden = self.hidden.iter().any(|folder| {
            path.starts_with(folder) && folder.starts_with(&mount.agent_prefix) && *folder != mount.agent_prefix
        });
        (!hidden).then_some(mount)
    }
}

fn normalised(mount: MountMapping) -> Result<MountMapping, ResolveError> {
    Ok(MountMapping {
        agent_prefix: normal(&mount.agent_prefix)?,
        canonical_prefix: normal(&mount.canonical_prefix)?,
        filesystem_id: mount.filesystem_id,
    })
}

fn normal(path: &Path) -> Result<PathBuf, ResolveError> {
    Ok(CanonicalPath::from_absolute(path)?.to_path_buf())
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

/// Whether a normal path is below a folder. Everything is below `/`, on Windows each disk.
fn is_below(path: &Path, folder: &Path) -> bool {
    folder == Path::new("/") || path.starts_with(folder)
}

/// A path below one folder, below another.
fn moved(path: &Path, from: &Path, to: &Path) -> PathBuf {
    match path.strip_prefix(from) {
        Ok(rest) if rest.as_os_str().is_empty() => to.to_owned(),
        Ok(rest) => to.join(rest),
        // Callers have asked `starts_with` before.
        Err(_) => path.to_owned(),
    }
}

#[cfg(test)]
#[path = "resolver_tests.rs"]
mod tests;
