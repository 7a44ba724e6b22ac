use std::process::Command;

use ai_assist_base::RealPath;

use super::*;
use ai_assist_git::{Ask, Repo};

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn none(_: &Path) -> Option<PathBuf> {
    None
}

#[test]
fn the_top_is_where_git_says_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().real_path().unwrap();
    let main = top.join("main");
    std::fs::create_dir_all(main.join("deep/er")).unwrap();
    git(&main, &["init", "-q"]);
    std::fs::write(main.join("deep/er/file"), "x").unwrap();
    git(&main, &["add", "."]);
    git(&main, &["commit", "-qm", "x"]);
    git(&main, &["worktree", "add", "-q", "../linked"]);
    git(&top, &["init", "-q", "--bare", "main/bare.git"]);
    git(&main, &["submodule", "-q", "add", "../main", "sub"]);
    git(&top, &["init", "-q", "--separate-git-dir", "apart.git", "apart"]);
    std::fs::create_dir_all(main.join("fake/.git")).unwrap();
    std::fs::create_dir_all(top.join("plain/x")).unwrap();
    for (inside, expected) in [
        ("main", Some("main")),
        ("main/deep/er", Some("main")),
        ("main/fake", Some("main")),
        ("main/sub/deep", Some("main/sub")),
        ("linked/deep", Some("linked")),
        ("apart", Some("apart")),
        ("main/bare.git", None),
        ("main/bare.git/refs", None),
        ("main/.git/hooks", None),
        ("plain/x", None),
    ] {
        let inside = top.join(inside);
        let expected = expected.map(|name| top.join(name));
        assert_eq!(work_tree_top(&inside), expected, "{}", inside.display());
        let asked = Repo::find(&inside, &Ask::default()).unwrap().map(|repo| repo.top);
        assert_eq!(asked, expected, "git about {}", inside.display());
    }
}

#[test]
fn without_git_the_nearest_configuration_decides_and_then_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().real_path().unwrap();
    std::fs::create_dir_all(top.join("a/b/c")).unwrap();
    std::os::unix::fs::symlink(top.join("a/b/c"), top.join("link")).unwrap();
    let root = |inside: &str| canonical_root(&top.join(inside), &none).unwrap().to_path_buf();
    assert_eq!(root("a/b/c"), top.join("a/b/c"));
    assert_eq!(root("link"), top.join("a/b/c"));
    std::fs::write(top.join("a").join(REPO_CONFIG_FILE), "{}").unwrap();
    assert_eq!(root("a/b/c"), top.join("a"));
    assert_eq!(root("link"), top.join("a"));
    std::fs::write(top.join("a/b").join(REPO_CONFIG_FILE), "{}").unwrap();
    assert_eq!(root("a/b/c/../c"), top.join("a/b"));
    let above = top.clone();
    let with_git = canonical_root(&top.join("link"), &move |_| Some(above.clone())).unwrap();
    assert_eq!(with_git.to_path_buf(), top, "git's word goes first");
}

#[test]
fn a_top_that_is_not_above_the_folder_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().real_path().unwrap();
    std::fs::create_dir_all(top.join("a")).unwrap();
    std::fs::create_dir_all(top.join("other")).unwrap();
    let other = top.join("other");
    let root = canonical_root(&top.join("a"), &move |_| Some(other.clone())).unwrap();
    assert_eq!(root.to_path_buf(), top.join("a"));
}

#[test]
fn what_is_no_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = canonical_root(&folder.path().join("none"), &none).unwrap_err();
    assert!(matches!(error, RootError::Folder { .. }), "{error}");
    let error = canonical_root(&folder.path().join("file"), &none).unwrap_err();
    assert!(matches!(error, RootError::NotAFolder(_)), "{error}");
}

#[test]
fn roots_are_the_same_found_together_or_each_alone() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().real_path().unwrap();
    for made in ["plain/a/b", "plain/c", "real/x", "said/deep"] {
        std::fs::create_dir_all(top.join(made)).unwrap();
    }
    std::fs::create_dir_all(top.join("git/src")).unwrap();
    git(&top.join("git"), &["init", "-q"]);
    std::fs::write(top.join("said").join(REPO_CONFIG_FILE), "{}").unwrap();
    std::fs::write(top.join("plain/file"), "").unwrap();
    std::os::unix::fs::symlink("real", top.join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", top.join("dangling")).unwrap();
    std::os::unix::fs::symlink("../git/src", top.join("plain/out")).unwrap();
    let finder = RootFinder::default();
    for name in [
        "plain/a", "plain/c", "plain/a/b", "plain", "plain/file", "plain/none", "link/x", "link", "dangling",
        "dangling/x", "git", "git/src", "plain/out", "plain/out/..", "plain/../git", "said/deep", "said", ".", "..",
    ] {
        let path = top.join(name);
        let alone = canonical_root(&path, &work_tree_top).map_err(|error| error.to_string());
        assert_eq!(finder.root(&path).map_err(|error| error.to_string()), alone, "{name}");
        assert_eq!(finder.root(&path).map_err(|error| error.to_string()), alone, "{name}, asked again");
    }
}
