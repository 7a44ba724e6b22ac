//! Where a repository is looked for, and what is found.

use std::os::unix::fs::PermissionsExt;

use ai_assist_git::GitError;

use crate::support::{Sandbox, changed, names};

#[test]
fn a_folder_in_no_repository_is_none() {
    let sandbox = Sandbox::new();
    assert!(sandbox.find_below("").is_none());
    assert!(matches!(sandbox.find_in(&sandbox.path("nope"), &[]), Err(GitError::Folder { .. })));
    sandbox.write("file", "");
    assert!(matches!(sandbox.find_in(&sandbox.path("file"), &[]), Err(GitError::Folder { .. })));
    sandbox.write("broken/.git", "gitdir: /nowhere/at/all\n");
    assert!(sandbox.find_below("broken").is_none());
}

#[test]
fn a_folder_below_the_top_knows_its_own_files() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", ""), ("sub/b", ""), ("sub/deep/c", "")]);
    let repo = sandbox.find_below("sub").unwrap();
    assert_eq!((&repo.top, &repo.folder), (&sandbox.path(""), &sandbox.path("sub")));
    assert_eq!(names(&repo.ls_files().unwrap()), ["b", "deep/c"]);
    std::os::unix::fs::symlink(sandbox.path("sub"), sandbox.outside("link")).unwrap();
    let repo = sandbox.find_in(&sandbox.outside("link"), &[]).unwrap().unwrap();
    assert_eq!(names(&repo.ls_files().unwrap()), ["b", "deep/c"]);
    assert!(sandbox.find_below(".git").is_none());
    assert!(sandbox.find_below(".git/refs").is_none());
}

#[test]
fn a_repository_without_commits_has_files_and_changes() {
    let sandbox = Sandbox::with_repo();
    sandbox.write("a", "");
    let repo = sandbox.repo();
    assert!(repo.is_dirty().unwrap());
    assert_eq!(repo.head().unwrap(), None);
    assert_eq!(repo.churn(5).unwrap(), ai_assist_git::Churn::default());
    assert!(matches!(repo.changed_since("HEAD"), Err(GitError::UnknownRevision { .. })));
    sandbox.git(["add", "a"]);
    assert_eq!(names(&repo.ls_files().unwrap()), ["a"]);
}

#[test]
fn a_bare_repository_is_no_work_tree() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--bare"]);
    assert!(sandbox.find_below("").is_none());
}

#[test]
fn a_second_work_tree_is_one_of_its_own() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n")]);
    let other = sandbox.outside("other");
    sandbox.git(["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    std::fs::write(other.join("b"), "").unwrap();
    let repo = sandbox.find_in(&other, &[]).unwrap().unwrap();
    assert_eq!(repo.top, other);
    assert_eq!(repo.head().unwrap().unwrap().branch.unwrap(), "side");
    assert_eq!(changed(&repo, "main"), ["b"]);
    assert!(!sandbox.repo().is_dirty().unwrap());
}

#[test]
fn a_submodule_is_a_repository_of_its_own_and_no_file_of_the_other() {
    let sandbox = Sandbox::with_repo();
    let inner = sandbox.outside("inner");
    std::fs::create_dir(&inner).unwrap();
    sandbox.git_in(&inner, ["init", "-q"]);
    sandbox.git_in(&inner, ["commit", "-q", "--allow-empty", "-m", "x"]);
    sandbox.commit(&[("a", "1\n")]);
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.to_str().unwrap(), "module"]);
    let repo = sandbox.repo();
    assert_eq!(changed(&repo, "HEAD"), [".gitmodules"]);
    sandbox.git(["commit", "-q", "-m", "x"]);
    assert!(!repo.is_dirty().unwrap());
    sandbox.write("module/new", "");
    assert!(!repo.is_dirty().unwrap(), "what is in it is not ours");
    assert_eq!(changed(&sandbox.find_below("module").unwrap(), "HEAD"), ["new"]);
    sandbox.git_in(&sandbox.path("module"), ["commit", "-q", "--allow-empty", "-m", "y"]);
    assert!(repo.is_dirty().unwrap(), "its commit is");
    // A repository inside that is no submodule.
    std::fs::create_dir(sandbox.path("nested")).unwrap();
    sandbox.git_in(&sandbox.path("nested"), ["init", "-q"]);
    sandbox.write("nested/file", "");
    assert_eq!(changed(&repo, "HEAD"), Vec::<String>::new());
}

#[test]
fn sha_256_repositories_are_read() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--object-format=sha256"]);
    sandbox.commit(&[("a", "1\n")]);
    sandbox.write("a", "2\n");
    let repo = sandbox.repo();
    assert_eq!(repo.head().unwrap().unwrap().commit.len(), 64);
    assert_eq!(changed(&repo, "HEAD"), ["a"]);
}

#[test]
fn without_git_that_is_said() {
    let sandbox = Sandbox::with_repo();
    let error = sandbox.find_in(&sandbox.path(""), &[("PATH", "/nowhere")]).unwrap_err();
    assert!(matches!(error, GitError::NoGit));
    assert!(error.to_string().contains("install it"), "{error}");
}

#[test]
fn an_old_git_is_named() {
    let sandbox = Sandbox::with_repo();
    let folder = sandbox.outside("bin");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("git"), "#!/bin/sh\necho git version 2.20.1\n").unwrap();
    std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = sandbox.find_in(&sandbox.path(""), &[("PATH", folder.to_str().unwrap())]).unwrap_err();
    assert_eq!(error.to_string(), "git 2.31 or later is needed; this is `2.20.1`");
}

#[test]
fn a_repository_of_somebody_else_is_refused_with_the_way_out() {
    let sandbox = Sandbox::with_repo();
    std::fs::create_dir(sandbox.path("sub")).unwrap();
    let stranger = [("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")];
    let error = sandbox.find_in(&sandbox.path("sub"), &stranger).unwrap_err();
    let top = sandbox.path("");
    let top = top.to_str().unwrap().trim_end_matches('/');
    assert!(matches!(error, GitError::Untrusted { .. }), "{error}");
    assert!(error.to_string().ends_with(&format!("git config --global --add safe.directory '{top}'")), "{error}");
    sandbox.git(["config", "--global", "--add", "safe.directory", top]);
    assert!(sandbox.find_in(&sandbox.path("sub"), &stranger).unwrap().is_some());
}

#[test]
fn a_failure_is_told_in_the_words_of_git() {
    let sandbox = Sandbox::with_repo();
    sandbox.write(".git/config", "[core\n");
    let error = sandbox.find_in(&sandbox.path(""), &[]).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }) && error.to_string().contains("bad config line 1"), "{error}");
}

#[test]
fn the_variables_of_a_hook_lead_nowhere() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n")]);
    let other = sandbox.outside("other");
    std::fs::create_dir(&other).unwrap();
    sandbox.git_in(&other, ["init", "-q"]);
    let git_dir = other.join(".git");
    let git_dir = git_dir.to_str().unwrap();
    let env =
        [("GIT_DIR", git_dir), ("GIT_WORK_TREE", "/"), ("GIT_INDEX_FILE", "/nowhere"), ("GIT_CONFIG", "/nowhere")];
    let repo = sandbox.find_in(&sandbox.path(""), &env).unwrap().unwrap();
    assert_eq!(names(&repo.ls_files().unwrap()), ["a"]);
    assert!(!repo.is_dirty().unwrap());
}
