//! Repositories and settings that would have something run, or written elsewhere.

use ai_assist_fetch::{Commit, ExtractError, GitError, Limits};

use super::repository::Place;

/// A tree object of entries that git would not make by itself.
fn tree(place: &Place, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} ").as_bytes());
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend((0..40).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    place.git_with(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes)
}

fn commit_of(place: &Place, tree: &str) -> Commit {
    let commit = place.git(&["commit-tree", "-m", "x", tree]);
    place.git(&["update-ref", "refs/heads/main", &commit]);
    commit.parse().unwrap()
}

#[test]
fn names_that_lead_out_are_refused() {
    let place = Place::new();
    let blob = place.git(&["rev-parse", "HEAD:README.md"]);
    let inner = tree(&place, &[("100644", b"x", &blob)]);
    let long = [b'n'; 300];
    for (mode, name, id) in [
        ("100644", &b".."[..], &blob),
        ("40000", b"..", &inner),
        ("100644", b"a/../../x", &blob),
        ("100644", b"/etc/x", &blob),
        ("100644", b".git", &blob),
        ("40000", b".GIT", &inner),
        ("100644", b"a/.git/config", &blob),
        ("100644", b".", &blob),
        ("100644", &long, &blob),
    ] {
        let commit = commit_of(&place, &tree(&place, &[(mode, name, id)]));
        let error = place.check_out_commit(&place.source("#main"), &commit, &Limits::default()).err().unwrap();
        let name = String::from_utf8_lossy(name);
        let named = matches!(
            &error,
            GitError::DotGit { .. }
                | GitError::Extractor { source: ExtractError::Name(_) | ExtractError::TooLong(_), .. }
        );
        assert!(named, "{name}: {error}");
    }
    assert!(!place.path("x").exists());
}

#[test]
fn a_path_is_one_thing() {
    let place = Place::new();
    let blob = place.git(&["rev-parse", "HEAD:README.md"]);
    let inner = tree(&place, &[("100644", b"x", &blob)]);
    for entries in [
        [("100644", &b"a"[..], &blob[..]), ("100644", b"a", &blob)],
        [("100644", b"a", &blob), ("40000", b"a", &inner)],
        [("40000", b"a", &inner), ("100644", b"a", &blob)],
        [("40000", b"a", &inner), ("100644", b"a/x", &blob)],
        [("120000", b"a", &blob), ("40000", b"a", &inner)],
    ] {
        let commit = commit_of(&place, &tree(&place, &entries));
        let taken = place.check_out_commit(&place.source("#main"), &commit, &Limits::default());
        // A link is not written, so a folder of that name goes through none.
        if entries[0].0 == "120000" {
            assert_eq!(taken.unwrap().done.links, 1);
            continue;
        }
        let error = taken.err().unwrap();
        let refused = matches!(
            &error,
            GitError::Extractor { source: ExtractError::Twice(_) | ExtractError::FileAndFolder(_), .. }
        );
        assert!(refused, "{error}");
    }
}

/// A few kilobytes whose listing has ten thousand million files.
#[test]
fn a_bomb_of_trees_ends_at_the_limit() {
    let place = Place::new();
    let blob = place.git(&["rev-parse", "HEAD:README.md"]);
    let names: Vec<Vec<u8>> = (0..10).map(|at| format!("{at}").into_bytes()).collect();
    let level = |mode, id: &str| tree(&place, &names.iter().map(|n| (mode, &n[..], id)).collect::<Vec<_>>());
    let mut id = level("100644", &blob);
    for _ in 0..9 {
        id = level("40000", &id);
    }
    let commit = commit_of(&place, &id);
    let limits = Limits { max_files: 500, ..Limits::default() };
    let error = place.check_out_commit(&place.source("#main"), &commit, &limits).err().unwrap();
    assert!(matches!(error, GitError::Extractor { source: ExtractError::Files { limit: 500 }, .. }), "{error}");
}

#[test]
fn no_hook_is_run() {
    let place = Place::new();
    let marker = place.path("marker");
    let hook = place.script("hook", &format!("touch '{}'", marker.display()));
    let names = ["reference-transaction", "post-checkout", "post-merge", "pre-auto-gc", "post-update", "update"];
    for folder in ["origin/.git/hooks", "template/hooks", "hooks"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
        for name in names {
            std::fs::copy(&hook, place.path(folder).join(name)).unwrap();
        }
    }
    let hook = hook.display().to_string();
    place.settings(&format!(
        "[init]\ntemplateDir = {}\n[core]\nhooksPath = {}\nfsmonitor = {hook}\n[gc]\nauto = 1\n",
        place.path("template").display(),
        place.path("hooks").display(),
    ));
    // Settings of the repository itself, which it could bring along in an archive.
    place.git(&["config", "uploadpack.packObjectsHook", &hook]);
    place.git(&["config", "core.fsmonitor", &hook]);
    place.git(&["config", "core.alternateRefsCommand", &hook]);
    let taken = place.check_out(&place.source("#main")).unwrap();
    assert_eq!(taken.text("README.md"), "one");
    assert!(!marker.exists());
}

/// A setting of the user's that leads to another protocol is not followed to one that runs programs.
#[test]
fn other_protocols_are_not_used() {
    let place = Place::new();
    let marker = place.path("marker");
    place.settings(&format!(
        "[protocol]\nallow = always\n[protocol \"ext\"]\nallow = always\n[protocol \"file\"]\nallow = always\n\
         [url \"ext::touch {} \"]\ninsteadOf = ssh://git@example.invalid\n",
        marker.display(),
    ));
    let error = place.resolve(&place.ssh_source("")).unwrap_err().to_string();
    assert!(error.contains("transport 'ext' not allowed"), "{error}");
    assert!(!marker.exists());
}

/// Run from a hook of another repository, we are given its folders.
#[test]
fn variables_of_another_repository_are_not_honoured() {
    let mut place = Place::new();
    let other = place.path("other");
    for name in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_SHALLOW_FILE"]
    {
        place.set(name, &other);
    }
    place.set("GIT_NAMESPACE", "elsewhere");
    let source = place.source("#main");
    assert_eq!(place.resolve(&source).unwrap(), place.head());
    assert_eq!(place.check_out(&source).unwrap().text("README.md"), "one");
    assert!(!other.exists());
}
