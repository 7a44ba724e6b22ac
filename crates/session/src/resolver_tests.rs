use std::ffi::OsString;

use proptest::prelude::*;

use super::*;

fn mount(agent: &str, canonical: &str, id: &str) -> MountMapping {
    MountMapping { agent_prefix: agent.into(), canonical_prefix: canonical.into(), filesystem_id: id.into() }
}

fn resolver(mounts: &[(&str, &str, &str)]) -> FilesystemResolver {
    FilesystemResolver::new("own", mounts.iter().map(|(agent, canonical, id)| mount(agent, canonical, id)).collect())
        .unwrap()
}

#[test]
fn the_longest_prefix_of_whole_components_holds() {
    let resolver =
        resolver(&[("/work", "/home/ada/p", "host"), ("/work/data", "/mnt/data", "nas"), ("/w", "/", "host")]);
    for (agent, id, canonical, watchable) in [
        ("/work/a.rs", "host", "/home/ada/p/a.rs", true),
        ("/work", "host", "/home/ada/p", true),
        ("/work/", "host", "/home/ada/p", true),
        ("/work/data/x", "nas", "/mnt/data/x", true),
        ("/work/database", "host", "/home/ada/p/database", true),
        ("/workspace/a.rs", "own", "/workspace/a.rs", false),
        ("/work/../etc/passwd", "own", "/etc/passwd", false),
        ("/tmp/../work//./a.rs", "host", "/home/ada/p/a.rs", true),
        ("/work/data/../a.rs", "host", "/home/ada/p/a.rs", true),
        ("/../../work/a.rs", "host", "/home/ada/p/a.rs", true),
        ("/w/etc/passwd", "host", "/etc/passwd", true),
        ("/w", "host", "/", true),
        ("/", "own", "/", false),
    ] {
        let path = Path::new(agent);
        let expected = ResolvedPath { filesystem_id: id.into(), canonical_path: canonical.into(), watchable };
        assert_eq!(resolver.resolve(path), Ok(expected), "{agent}");
        assert_eq!(resolver.is_watchable(path), watchable, "{agent}");
    }
}

#[test]
fn the_way_back_is_the_longest_canonical_prefix_that_is_visible() {
    let resolver = resolver(&[
        ("/work", "/home/ada/p", "host"),
        ("/work/data", "/mnt/data", "nas"),
        ("/deep", "/home/ada/p/deep", "host"),
        ("/other", "/home/ada/p/deep", "host"),
    ]);
    for (canonical, id, agent) in [
        ("/home/ada/p/a.rs", "host", "/work/a.rs"),
        ("/home/ada/p/deep/a.rs", "host", "/deep/a.rs"),
        ("/home/ada/p", "host", "/work"),
        ("/mnt/data/x", "nas", "/work/data/x"),
        // Of another filesystem, or outside of all mounts.
        ("/mnt/data/x", "host", "/mnt/data/x"),
        ("/home/ada/private", "host", "/home/ada/private"),
        ("/home/ada/packages", "host", "/home/ada/packages"),
        // `/work/data` covers it.
        ("/home/ada/p/data/x", "host", "/home/ada/p/data/x"),
        ("/etc/hosts", "own", "/etc/hosts"),
    ] {
        assert_eq!(resolver.reverse_resolve(Path::new(canonical), id), Path::new(agent), "{canonical}");
    }
}

#[test]
fn what_is_hidden_is_the_agents_own() {
    let resolver = resolver(&[("/work", "/p", "host"), ("/work/target/cache", "/cache", "host")])
        .hiding(&["/work/target".into()])
        .unwrap();
    let place = |agent: &str| {
        let resolved = resolver.resolve(Path::new(agent)).unwrap();
        (resolved.filesystem_id, resolved.canonical_path.display().to_string(), resolved.watchable)
    };
    assert_eq!(place("/work/a"), ("host".into(), "/p/a".into(), true));
    assert_eq!(place("/work/target/a"), ("own".into(), "/work/target/a".into(), false));
    assert_eq!(place("/work/target/cache/a"), ("host".into(), "/cache/a".into(), true));
    assert_eq!(resolver.reverse_resolve(Path::new("/p/target/a"), "host"), Path::new("/p/target/a"));
}

#[test]
fn here_every_path_is_what_it_seems() {
    let resolver = FilesystemResolver::local("host");
    let resolved = resolver.resolve(Path::new("/a/../b")).unwrap();
    assert_eq!(resolved, ResolvedPath { filesystem_id: "host".into(), canonical_path: "/b".into(), watchable: true });
    assert_eq!(resolver.reverse_resolve(Path::new("/b"), "host"), Path::new("/b"));
}

#[test]
fn a_path_or_prefix_that_is_not_absolute_is_refused() {
    let resolver = resolver(&[("/work", "/p", "host")]);
    for path in ["", "a", "./a", "../a"] {
        assert!(matches!(resolver.resolve(Path::new(path)), Err(ResolveError::Path(_))), "{path}");
        assert!(!resolver.is_watchable(Path::new(path)));
    }
    assert!(FilesystemResolver::new("own", vec![mount("work", "/p", "host")]).is_err());
    assert!(FilesystemResolver::new("own", vec![mount("/work", "p", "host")]).is_err());
    assert!(FilesystemResolver::local("host").hiding(&["x".into()]).is_err());
}

#[test]
fn one_folder_is_mapped_once() {
    let error = FilesystemResolver::new("own", vec![mount("/a", "/x", "host"), mount("/b/../a/", "/y", "host")]);
    assert_eq!(error, Err(ResolveError::Twice("/a".into())));
    assert!(error.unwrap_err().to_string().contains("`/a` is mapped twice"));
}

#[test]
fn a_mount_is_read_from_text() {
    for (text, expected) in [
        ("/work=/home/ada/p", mount("/work", "/home/ada/p", "own")),
        ("/work/=/home/ada/p/@nas", mount("/work", "/home/ada/p", "nas")),
        ("/a=b=/c@sha256:ff", mount("/a=b", "/c", "sha256:ff")),
        ("/a=/c@d/", mount("/a", "/c@d", "own")),
        ("/a=/c@d@nas", mount("/a", "/c@d", "nas")),
        ("/a=/b=/c", mount("/a", "/b=/c", "own")),
    ] {
        assert_eq!(MountMapping::parse(OsStr::new(text), "own"), Ok(expected), "{text}");
    }
    for text in ["", "/a", "/a=b", "a=/b", "=/b", "/a=/b@", "/a=@x"] {
        let error = MountMapping::parse(OsStr::new(text), "own").unwrap_err();
        assert!(matches!(error, ResolveError::Malformed(_) | ResolveError::Path(_)), "{text}: {error}");
    }
    let raw = MountMapping::parse(OsStr::new("/a=/b@own#raw"), "own");
    assert!(matches!(raw, Err(ResolveError::Raw(_))), "{raw:?}");
}

#[test]
fn json_has_the_names_of_the_contract_and_refuses_others() {
    let json = r#"{"agentPrefix":"/work","canonicalPrefix":"/home/ada/p","filesystemId":"host"}"#;
    let read: MountMapping = serde_json::from_str(json).unwrap();
    assert_eq!(read, mount("/work", "/home/ada/p", "host"));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    for wrong in [
        r#"{"agentPrefix":"work","canonicalPrefix":"/p","filesystemId":"host"}"#,
        r#"{"agentPrefix":"/work/","canonicalPrefix":"/p","filesystemId":"host"}"#,
        r#"{"agentPrefix":"/work","canonicalPrefix":"/p","filesystemId":"host","x":1}"#,
    ] {
        assert!(serde_json::from_str::<MountMapping>(wrong).is_err(), "{wrong}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_come_through_everywhere() {
    use std::os::unix::ffi::OsStrExt;

    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let read = MountMapping::parse(OsStr::from_bytes(b"/w\xff=/p\xfe"), "own").unwrap();
    assert_eq!(read.canonical_prefix, path(b"/p\xfe"));
    let json = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<MountMapping>(&json).unwrap(), read);
    let resolver = FilesystemResolver::new("own", vec![read]).unwrap();
    let resolved = resolver.resolve(&path(b"/w\xff/\xfd")).unwrap();
    assert_eq!(resolved.canonical_path, path(b"/p\xfe/\xfd"));
    assert_eq!(resolver.reverse_resolve(&resolved.canonical_path, "own"), path(b"/w\xff/\xfd"));
    // `\xff` and another byte that is no text are not the same name.
    assert!(!resolver.is_watchable(&path(b"/w\xfe/x")));
}

/// Few names, so that prefixes meet.
fn a_path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "a b"]), 0..4)
        .prop_map(|names| PathBuf::from(format!("/{}", names.join("/"))))
}

fn some_mounts() -> impl Strategy<Value = Vec<MountMapping>> {
    let one = (a_path(), a_path(), prop::sample::select(vec!["own", "host", "nas"]));
    prop::collection::vec(one, 0..5).prop_map(|mounts| {
        let mut seen = std::collections::HashSet::new();
        mounts
            .into_iter()
            .filter(|(agent, ..)| seen.insert(agent.clone()))
            .map(|(agent_prefix, canonical_prefix, id)| MountMapping {
                agent_prefix,
                canonical_prefix,
                filesystem_id: id.to_owned(),
            })
            .collect()
    })
}

proptest! {
    /// The way back leads to a path of the same file.
    #[test]
    fn there_and_back_is_the_same_file(mounts in some_mounts(), path in a_path(), hidden in prop::collection::vec(a_path(), 0..2)) {
        let resolver = FilesystemResolver::new("own", mounts).unwrap().hiding(&hidden).unwrap();
        let there = resolver.resolve(&path).unwrap();
        let back = resolver.reverse_resolve(&there.canonical_path, &there.filesystem_id);
        let again = resolver.resolve(&back).unwrap();
        prop_assert_eq!((again.filesystem_id, again.canonical_path), (there.filesystem_id, there.canonical_path));
    }

    /// With one mount for a place, the way back is the way there.
    #[test]
    fn with_one_mount_back_is_the_same_path(agent in a_path(), canonical in a_path(), below in a_path()) {
        let mounts = vec![MountMapping { agent_prefix: agent.clone(), canonical_prefix: canonical, filesystem_id: "host".into() }];
        let resolver = FilesystemResolver::new("own", mounts).unwrap();
        let path = normal(Path::new(&format!("{}{}", agent.display(), below.display()))).unwrap();
        let there = resolver.resolve(&path).unwrap();
        prop_assert!(there.watchable);
        prop_assert_eq!(resolver.reverse_resolve(&there.canonical_path, &there.filesystem_id), path);
    }

    #[test]
    fn the_order_of_mounts_does_not_matter(mounts in some_mounts(), path in a_path(), turn in any::<prop::sample::Index>()) {
        let mut turned = mounts.clone();
        if !turned.is_empty() {
            let by = turn.index(turned.len());
            turned.rotate_left(by);
            turned.reverse();
        }
        let (one, other) = (FilesystemResolver::new("own", mounts).unwrap(), FilesystemResolver::new("own", turned).unwrap());
        prop_assert_eq!(one.resolve(&path), other.resolve(&path));
        for id in ["own", "host", "nas"] {
            prop_assert_eq!(one.reverse_resolve(&path, id), other.reverse_resolve(&path, id));
        }
    }

    /// What is written as text is read as it was.
    #[test]
    fn a_mount_reads_back(agent in a_path(), canonical in a_path()) {
        let mut text = OsString::from(&agent);
        text.push("=");
        text.push(&canonical);
        text.push("@nas");
        let read = MountMapping::parse(&text, "own").unwrap();
        prop_assert_eq!((read.agent_prefix, read.canonical_prefix, read.filesystem_id.as_str()), (agent, canonical, "nas"));
    }
}
