//! Whether this is a container, from its mounts.
//!
//! A host that runs containers has their overlays among its mounts, and a live system has an overlay as its root; neither
//! is a container. What only a container has: files of its runtime mounted over `/etc/hostname` and the like, a
//! root made of the layers of a runtime, files of `/proc` that are covered up.

use std::path::Path;

use super::mountinfo::{Mount, mounts, root_of};

/// A container, as far as its mounts tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    pub runtime: Runtime,
    /// What tells it from other containers: its id, its pod's uid with its name in the pod, or its name.
    pub id: Option<String>,
}

/// A program that runs containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runtime {
    Docker,
    Podman,
    Kubernetes,
    Lxc,
    Unknown,
}

/// The container whose `/proc/self/mountinfo` this is; `None` for a machine.
pub fn container(mountinfo: impl AsRef<[u8]>) -> Option<Container> {
    let mounts = mounts(mountinfo.as_ref());
    // Kubernetes first, because it has a runtime below it; LXC last, because other containers run in it.
    kubernetes(&mounts)
        .or_else(|| podman(&mounts))
        .or_else(|| docker(&mounts))
        .or_else(|| layered(&mounts))
        .or_else(|| lxc(&mounts))
}

/// The components of the folders that are mounted at some places.
fn roots_at<'a>(mounts: &'a [Mount], points: &'a [&str]) -> impl Iterator<Item = Vec<&'a str>> {
    mounts
        .iter()
        .filter(|mount| points.iter().any(|point| mount.point == Path::new(point)))
        .map(|mount| names(&mount.root))
}

fn names(path: &Path) -> Vec<&str> {
    path.components().filter_map(|component| component.as_os_str().to_str()).collect()
}

/// What follows a folder in a path.
fn after<'a>(names: &[&'a str], folder: impl Fn(&str) -> bool) -> Option<&'a str> {
    names.windows(2).find(|pair| folder(pair[0])).map(|pair| pair[1])
}

fn is_id(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

const NETWORK_FILES: [&str; 3] = ["/etc/hostname", "/etc/hosts", "/etc/resolv.conf"];

/// `/kubelet/pods/UID/etc-hosts` and `/kubelet/pods/UID/containers/NAME/…`.
fn kubernetes(mounts: &[Mount]) -> Option<Container> {
    let points = ["/dev/termination-log", "/etc/hosts"];
    let found: Vec<Vec<&str>> =
        roots_at(mounts, &points).filter(|names| names.windows(2).any(|pair| pair == ["kubelet", "pods"])).collect();
    let uid = found.iter().find_map(|names| after(names, |folder| folder == "pods"))?;
    // Containers of a pod share its uid, but not their files.
    let id = match found.iter().find_map(|names| after(names, |folder| folder == "containers")) {
        Some(name) => format!("{uid}/{name}"),
        None => uid.to_owned(),
    };
    Some(Container { runtime: Runtime::Kubernetes, id: Some(id) })
}

/// `…/overlay-containers/ID/userdata/…`; the part before the dash is the storage driver.
fn podman(mounts: &[Mount]) -> Option<Container> {
    // Its own file first: those of the network are another's if it has joined another's network.
    let own = roots_at(mounts, &["/run/.containerenv"]);
    let id = own.chain(roots_at(mounts, &NETWORK_FILES)).find_map(|names| {
        after(&names, |folder| folder.ends_with("-containers")).filter(|id| is_id(id)).map(str::to_owned)
    })?;
    Some(Container { runtime: Runtime::Podman, id: Some(id) })
}

/// `…/containers/ID/hostname`. Docker's own folder can be anywhere, or a filesystem of its own.
fn docker(mounts: &[Mount]) -> Option<Container> {
    let id = roots_at(mounts, &NETWORK_FILES)
        .find_map(|names| after(&names, |folder| folder == "containers").filter(|id| is_id(id)).map(str::to_owned))?;
    Some(Container { runtime: Runtime::Docker, id: Some(id) })
}

/// Where runtimes keep the layers of images.
const LAYERS: [(&str, Runtime); 5] = [
    ("/overlay2/", Runtime::Docker),
    ("/containers/storage/", Runtime::Podman),
    ("/io.containerd.", Runtime::Unknown),
    ("/containerd/", Runtime::Unknown),
    ("/buildkit/", Runtime::Unknown),
];

/// What runtimes cover up, and nobody else.
const COVERED: [&str; 5] = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sysrq-trigger", "/sys/firmware"];

/// A root that is an overlay. A live system has one, too, but not of a runtime's layers and with nothing covered up.
fn layered(mounts: &[Mount]) -> Option<Container> {
    let root = root_of(mounts).filter(|root| root.is_overlay())?;
    let layers = LAYERS.iter().find(|(folder, _)| root.options.contains(folder)).map(|&(_, runtime)| runtime);
    let covered = || mounts.iter().any(|mount| COVERED.iter().any(|point| mount.point == Path::new(point)));
    let runtime = layers.or_else(|| covered().then_some(Runtime::Unknown))?;
    Some(Container { runtime, id: writable_layer(&root.options) })
}

/// The name of the layer that is written to, which no other container has.
fn writable_layer(options: &str) -> Option<String> {
    let upper = options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
    names(Path::new(upper)).into_iter().rev().find(|name| is_id(name)).map(str::to_owned)
}

/// LXC mounts files of its own over `/proc`; on a host its filesystem is elsewhere.
fn lxc(mounts: &[Mount]) -> Option<Container> {
    let serves_proc = mounts.iter().any(|mount| {
        mount.kind == "fuse.lxcfs" && mount.point.starts_with("/proc") && mount.point != Path::new("/proc")
    });
    let root = root_of(mounts)?;
    let name = lxc_name(root);
    (serves_proc || name.is_some()).then_some(Container { runtime: Runtime::Lxc, id: name })
}

/// `…/lxc/NAME/rootfs`, `…/containers/NAME/rootfs`, or a dataset `…/containers/NAME`.
fn lxc_name(root: &Mount) -> Option<String> {
    let of = |names: &[&str]| match names {
        [.., "lxc" | "containers", name] => Some((*name).to_owned()),
        _ => None,
    };
    let folders = names(&root.root);
    match folders.split_last() {
        Some((&"rootfs", above)) if folders.len() > 2 => of(above),
        _ if root.kind == "zfs" => of(&root.source.split('/').collect::<Vec<_>>()),
        _ => None,
    }
}
