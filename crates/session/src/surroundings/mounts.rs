//! Where the folders of a container are on its host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::mountinfo::{Mount, mounts, root_of};
use crate::resolver::MountMapping;

/// What an agent sees that is not its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mounts {
    /// Folders that are somewhere on this machine.
    pub mappings: Vec<MountMapping>,
    /// Folders of the agent's own, mounted over a part of a mapping; for
    /// [`FilesystemResolver::hiding`](crate::resolver::FilesystemResolver::hiding).
    pub hidden: Vec<PathBuf>,
}

/// The mounts of an agent in a container, seen from its host: `agent` is the agent's `/proc/PID/mountinfo`, `own` that of
/// this process, `fs_id` the id of the host's filesystem.
///
/// A mount of the agent is found by its filesystem's number and the folder of it that is mounted. Kernel interfaces, what
/// a runtime mounts for itself, and the root, which is the container's own, are left out.
pub fn mounts_of(agent: impl AsRef<[u8]>, own: impl AsRef<[u8]>, fs_id: &str) -> Mounts {
    let (agent, own) = (mounts(agent.as_ref()), mounts(own.as_ref()));
    let mut places: BTreeMap<&Path, Option<PathBuf>> = BTreeMap::new();
    let root = root_of(&agent).map(|root| root.device.as_str());
    for mount in agent.iter().filter(|mount| mount.point != Path::new("/")) {
        // The last mount of a place covers the ones before it.
        let is_own_root = root == Some(&mount.device) && mount.is_overlay();
        places.insert(&mount.point, place(mount, &own).filter(|_| !is_own_root));
    }
    let mappings: Vec<MountMapping> = places
        .iter()
        .filter_map(|(point, place)| Some((point, place.clone()?)))
        .filter(|(point, _)| !of_runtime(point))
        .map(|(point, place)| MountMapping {
            agent_prefix: point.to_path_buf(),
            canonical_prefix: place,
            filesystem_id: fs_id.to_owned(),
        })
        .collect();
    let is_mapped = |point: &Path| mappings.iter().any(|mount| mount.agent_prefix == point);
    let is_below = |point: &Path| mappings.iter().any(|mount| point.starts_with(&mount.agent_prefix));
    let hidden = places.keys().filter(|point| !is_mapped(point) && is_below(point)).map(|point| point.to_path_buf());
    Mounts { hidden: hidden.collect(), mappings }
}

/// Where this process sees what is mounted there.
fn place(mount: &Mount, own: &[Mount]) -> Option<PathBuf> {
    if INTERFACES.contains(&mount.kind.as_str()) {
        return None;
    }
    own.iter()
        .enumerate()
        .filter(|(_, host)| host.device == mount.device)
        .filter_map(|(at, host)| {
            let rest = mount.root.strip_prefix(&host.root).ok()?;
            let path: PathBuf = host.point.components().chain(rest.components()).collect();
            (covering(own, &path) == Some(at)).then(|| (host.root.components().count(), path))
        })
        // The shortest of equals, so that the answer does not depend on the order of mounts.
        .min_by_key(|(depth, path)| (std::cmp::Reverse(*depth), path.components().count(), path.clone()))
        .map(|(_, path)| path)
}

/// Which mount a path is seen through.
fn covering(mounts: &[Mount], path: &Path) -> Option<usize> {
    mounts
        .iter()
        .enumerate()
        .filter(|(_, mount)| path.starts_with(&mount.point))
        .max_by_key(|(at, mount)| (mount.point.components().count(), *at))
        .map(|(at, _)| at)
}

/// Filesystems without files of anybody. A tmpfs is one with files: if this process sees it as well, it was mounted into
/// the container from here.
const INTERFACES: [&str; 21] = [
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
    "fusectl", "fuse.lxcfs", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "sysfs",
    "tracefs",
];

/// What runtimes mount into every container.
fn of_runtime(point: &Path) -> bool {
    const FOLDERS: [&str; 5] = ["/dev", "/proc", "/run/secrets", "/sys", "/var/run/secrets"];
    const FILES: [&str; 4] = ["/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/run/.containerenv"];
    FOLDERS.iter().any(|folder| point.starts_with(folder)) || FILES.iter().any(|file| point == Path::new(file))
}
