use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::resolver::FilesystemResolver;

fn sample(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mountinfo").join(name)).unwrap()
}

const CONTAINER: &str = "3f4a9c0d3f4a9c0d3f4a9c0d3f4a9c0d3f4a9c0d3f4a9c0d3f4a9c0d3f4a9c0d";
const PODMAN: &str = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
const LAYER: &str = "8be18be18be18be18be18be18be18be18be18be18be18be18be18be18be18be1";

#[test]
fn a_container_is_told_from_a_machine() {
    for (name, expected) in [
        ("docker", Some((Runtime::Docker, Some(CONTAINER)))),
        ("podman-rootless", Some((Runtime::Podman, Some(PODMAN)))),
        ("kubernetes-containerd", Some((Runtime::Kubernetes, Some("6d1f6d2c-9a53-4c8c-8a4e-0f1f5a0b7d11/agent")))),
        ("lxc", Some((Runtime::Lxc, Some("build-box")))),
        ("lxc-proxmox", Some((Runtime::Lxc, None))),
        ("lxd-zfs", Some((Runtime::Lxc, Some("web-1")))),
        ("docker-in-lxc", Some((Runtime::Docker, Some(CONTAINER)))),
        ("docker-build", Some((Runtime::Docker, None))),
        ("gvisor-like", Some((Runtime::Unknown, None))),
        // A machine that runs containers, one that runs from a stick, a router, the one this was written on.
        ("docker-host", None),
        ("live-debian", None),
        ("openwrt", None),
        ("this-machine", None),
    ] {
        let found = container(sample(name)).map(|container| (container.runtime, container.id));
        assert_eq!(found, expected.map(|(runtime, id)| (runtime, id.map(str::to_owned))), "{name}");
    }
    assert_eq!(container(""), None);
}

#[test]
fn without_files_of_the_network_the_writable_layer_is_the_id() {
    let mountinfo: String =
        sample("docker").lines().filter(|line| !line.contains("/etc/")).map(|line| format!("{line}\n")).collect();
    let found = container(mountinfo).unwrap();
    assert_eq!((found.runtime, found.id.as_deref()), (Runtime::Docker, Some(LAYER)));
}

/// A root folder with some files.
fn machine(files: &[(&str, &str)]) -> (TempDir, MachineFiles) {
    let root = TempDir::new().unwrap();
    for (path, content) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let files = MachineFiles::below(root.path());
    (root, files)
}

fn id_of(files: &[(&str, &str)]) -> Result<String, SurroundingsError> {
    default_filesystem_id(&machine(files).1)
}

fn hash(text: &str) -> String {
    format!("sha256:{}", Sha256::of(text.as_bytes()).hex())
}

#[test]
fn the_id_comes_from_the_first_file_that_says_something() {
    let all = [
        ("etc/machine-id", "one\n"),
        ("var/lib/dbus/machine-id", "two\n"),
        ("proc/sys/kernel/hostname", "three\n"),
        ("etc/hostname", "four\n"),
    ];
    for (from, expected) in ["one", "two", "three", "four"].into_iter().enumerate() {
        assert_eq!(id_of(&all[from..]).unwrap(), hash(expected));
        for nothing in ["", " \n", "uninitialized\n", "(none)\n"] {
            let mut blanked = all;
            blanked[..from].iter_mut().for_each(|(_, content)| *content = nothing);
            assert_eq!(id_of(&blanked).unwrap(), hash(expected), "{nothing:?}");
        }
    }
    // `printf one | sha256sum`
    let known = "sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    assert_eq!(id_of(&all).unwrap(), known);
}

#[test]
fn in_a_container_its_id_counts_as_well() {
    let with = |mountinfo: &str| id_of(&[("etc/machine-id", "one"), ("proc/self/mountinfo", mountinfo)]).unwrap();
    assert_eq!(with(&sample("docker")), hash(&format!("one\n{CONTAINER}")));
    assert_eq!(with(&sample("docker-host")), hash("one"));
    assert_eq!(with(&sample("lxc-proxmox")), hash("one"));
}

#[test]
fn a_machine_without_identity_is_an_error_that_says_what_to_do() {
    let error = id_of(&[("etc/machine-id", "uninitialized")]).unwrap_err().to_string();
    for part in ["etc/machine-id", "var/lib/dbus/machine-id", "etc/hostname", "systemd-machine-id-setup"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn the_usual_places_are_those_of_this_machine() {
    let files = MachineFiles::default();
    assert_eq!(files.machine_ids[0], Path::new("/etc/machine-id"));
    assert_eq!(files.mountinfo, Path::new("/proc/self/mountinfo"));
}

fn mapped(mounts: &Mounts) -> Vec<(String, String)> {
    mounts
        .mappings
        .iter()
        .map(|mount| (mount.agent_prefix.display().to_string(), mount.canonical_prefix.display().to_string()))
        .collect()
}

#[test]
fn mounts_of_a_container_are_found_on_its_host() {
    let mounts = mounts_of(sample("docker"), sample("docker-host"), "host");
    let expected = [
        ("/cache", "/var/lib/docker/volumes/cache/_data"),
        // The mount of a part of the disk is nearer than that of all of it.
        ("/data", "/mnt/ada/data"),
        ("/scratch", "/tmp/build"),
        ("/work", "/home/ada/my shop"),
    ];
    assert_eq!(mapped(&mounts), expected.map(|(agent, host)| (agent.to_owned(), host.to_owned())));
    assert_eq!(mounts.hidden, [PathBuf::from("/work/node_modules")]);
    assert!(mounts.mappings.iter().all(|mount| mount.filesystem_id == "host"));

    let resolver = FilesystemResolver::new("container", mounts.mappings).unwrap().hiding(&mounts.hidden).unwrap();
    let place = |path: &str| {
        let resolved = resolver.resolve(Path::new(path)).unwrap();
        (resolved.filesystem_id, resolved.canonical_path.display().to_string())
    };
    assert_eq!(place("/work/a.js"), ("host".into(), "/home/ada/my shop/a.js".into()));
    assert_eq!(place("/work/node_modules/x"), ("container".into(), "/work/node_modules/x".into()));
    assert_eq!(place("/etc/hosts"), ("container".into(), "/etc/hosts".into()));
}

#[test]
fn other_runtimes_are_seen_as_well() {
    let fedora = "30 1 0:35 /root / rw,relatime shared:1 - btrfs /dev/mapper/luks-1 rw,subvol=/root\n\
                  31 30 0:35 /home /home rw,relatime shared:2 - btrfs /dev/mapper/luks-1 rw,subvol=/home\n\
                  32 30 0:52 / /run/user/1000 rw,nosuid,nodev,relatime shared:3 - tmpfs tmpfs rw\n";
    let podman = mounts_of(sample("podman-rootless"), fedora, "host");
    assert_eq!(mapped(&podman), [("/work".to_owned(), "/home/ada/shop".to_owned())]);
    assert_eq!(podman.hidden, Vec::<PathBuf>::new());

    let node = "20 1 259:1 / / rw,noatime shared:1 - ext4 /dev/root rw\n";
    let pod = mounts_of(sample("kubernetes-containerd"), node, "node");
    let volume = "/var/lib/kubelet/pods/6d1f6d2c-9a53-4c8c-8a4e-0f1f5a0b7d11/volumes/kubernetes.io~empty-dir/work";
    assert_eq!(mapped(&pod), [("/work".to_owned(), volume.to_owned())]);
}

#[test]
fn what_is_mounted_over_is_not_seen() {
    let agent = "1 0 0:9 / / rw - overlay overlay rw\n2 1 8:1 /src /work rw - ext4 /dev/sda1 rw\n";
    let own = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /src rw - ext4 /dev/sdb1 rw\n";
    assert_eq!(mounts_of(agent, own, "host"), Mounts::default());
    // What a runtime mounts for itself is not mapped, wherever it is.
    let run = "1 0 0:9 / / rw - overlay overlay rw\n2 1 8:1 /run /run rw - ext4 /dev/sda1 rw\n\
               3 2 8:1 /x /run/secrets rw - ext4 /dev/sda1 rw\n";
    let mounts = mounts_of(run, "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", "host");
    assert_eq!(mapped(&mounts), [("/run".to_owned(), "/run".to_owned())]);
    assert_eq!(mounts.hidden, [PathBuf::from("/run/secrets")]);
    // The last mount of a place is the one that is seen.
    let agent = format!("{agent}3 1 8:2 /x /work rw - ext4 /dev/sdb1 rw\n");
    let mounts = mounts_of(&agent, own, "host");
    assert_eq!(mapped(&mounts), [("/work".to_owned(), "/src/x".to_owned())]);
}

proptest! {
    /// Whatever the kernel says, the mappings make a resolver.
    #[test]
    fn any_text_gives_mounts_that_can_be_used(
        agent in any::<prop::sample::Index>(),
        own in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..200),
        at in any::<prop::sample::Index>(),
    ) {
        let names = ["docker", "docker-host", "podman-rootless", "kubernetes-containerd", "lxc", "this-machine"];
        let mut agent = sample(names[agent.index(names.len())]).into_bytes();
        let at = at.index(agent.len());
        agent.splice(at..at, noise);
        let _ = container(&agent);
        let mounts = mounts_of(&agent, sample(names[own.index(names.len())]), "host");
        prop_assert!(FilesystemResolver::new("own", mounts.mappings).unwrap().hiding(&mounts.hidden).is_ok());
    }
}
