//! Repositories that mean harm. Each trap is shown to work on a user who takes no precautions.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use ai_assist_git::{GitError, Repo};

use crate::support::{Sandbox, changed, names};

/// Every question, and what came of each that failed.
fn ask_everything(repo: &Repo) -> Vec<GitError> {
    let mut errors = Vec::new();
    errors.extend(repo.ls_files().err());
    errors.extend(repo.changed_since("HEAD").err());
    errors.extend(repo.changed_since("HEAD~1").err());
    errors.extend(repo.churn(10).err());
    errors.extend(repo.head().err());
    errors.extend(repo.is_dirty().err());
    errors
}

/// Two commits, and a file whose time is another than the one that git knows.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a.txt", "1\n"), ("b.txt", "1\n")]);
    sandbox.commit(&[("a.txt", "2\n")]);
    sandbox.write("b.txt", "2\n");
    File::options()
        .append(true)
        .open(sandbox.path("a.txt"))
        .unwrap()
        .set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .unwrap();
    sandbox
}

/// Plants something, sees that we don't step on it, and that others do.
fn check(kind: &str, plant: impl Fn(&Sandbox, &str), others: &[&[&str]]) {
    let sandbox = repository();
    plant(&sandbox, &sandbox.trap(kind));
    assert_eq!(sandbox.sprung(), Vec::<String>::new(), "before anything was asked");
    let errors = ask_everything(&sandbox.repo());
    assert!(errors.is_empty(), "{kind}: {errors:?}");
    assert_eq!(sandbox.sprung(), Vec::<String>::new(), "{kind}");
    for arguments in others {
        sandbox.try_git_in(&sandbox.path(""), *arguments);
    }
    assert_eq!(sandbox.sprung(), [kind], "the trap works");
}

#[test]
fn no_monitor_is_run() {
    check("monitor", |s, trap| drop(s.git(["config", "core.fsmonitor", trap])), &[&["status"]]);
}

#[test]
fn no_hook_is_run() {
    let plant = |s: &Sandbox, trap: &str| {
        std::fs::create_dir_all(s.path(".git/hooks")).unwrap();
        std::fs::copy(trap, s.path(".git/hooks/post-index-change")).unwrap();
    };
    check("hook", plant, &[&["status"]]);
    let plant = |s: &Sandbox, trap: &str| {
        std::fs::create_dir(s.path("hooks")).unwrap();
        std::fs::copy(trap, s.path("hooks/post-index-change")).unwrap();
        s.git(["config", "core.hooksPath", "hooks"]);
    };
    check("hooks-path", plant, &[&["status"]]);
}

#[test]
fn no_filter_is_run_whatever_its_name() {
    for (kind, name) in [("plain", "evil"), ("equals", "e=v.clean=x"), ("dots", "a.b.c"), ("case", "EvIl")] {
        let plant = |s: &Sandbox, trap: &str| {
            s.git(["config", &format!("filter.{name}.clean"), trap]);
            s.git(["config", &format!("filter.{name}.required"), "true"]);
            s.write(".git/info/attributes", &format!("* filter={name}\n"));
        };
        check(kind, plant, &[&["status"]]);
    }
    let process = |s: &Sandbox, trap: &str| {
        s.git(["config", "filter.evil.process", trap]);
        s.write(".gitattributes", "* filter=evil\n");
    };
    check("process", process, &[&["status"]]);
}

#[test]
fn no_filter_of_an_included_file_is_run() {
    let plant = |s: &Sandbox, trap: &str| {
        s.write("settings", &format!("[filter \"evil\"]\nclean = {trap}\n"));
        s.git(["config", "include.path", "../settings"]);
        s.write(".gitattributes", "* filter=evil\n");
    };
    check("included", plant, &[&["status"]]);
    let plant = |s: &Sandbox, trap: &str| {
        s.git(["config", "extensions.worktreeConfig", "true"]);
        s.git(["config", "--worktree", "filter.evil.clean", trap]);
        s.write(".gitattributes", "* filter=evil\n");
    };
    check("work-tree", plant, &[&["status"]]);
}

/// A file whose time is that of the index has to be read even by commands that otherwise only look at times.
#[test]
fn no_filter_is_run_over_a_file_of_the_same_moment() {
    let plant = |s: &Sandbox, trap: &str| {
        s.git(["config", "filter.evil.clean", trap]);
        s.write(".git/info/attributes", "* filter=evil\n");
        let index = File::options().append(true).open(s.path(".git/index")).unwrap();
        index.set_modified(UNIX_EPOCH + Duration::from_secs(1_000)).unwrap();
    };
    check("racy", plant, &[&["status"]]);
}

#[test]
fn more_filters_than_can_be_switched_off_are_refused() {
    let sandbox = repository();
    let trap = sandbox.trap("many");
    let settings: String = (0..1000).map(|n| format!("[filter \"f{n}\"]\nclean = {trap}\n")).collect();
    sandbox.write(".git/many", &settings);
    sandbox.git(["config", "include.path", "many"]);
    sandbox.write(".gitattributes", "* filter=f999\n");
    let errors = ask_everything(&sandbox.repo());
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors.iter().all(|error| matches!(error, GitError::TooManyFilters { .. })), "{errors:?}");
    assert!(sandbox.sprung().is_empty());
}

#[test]
fn no_program_for_showing_differences_is_run() {
    check("external", |s, trap| drop(s.git(["config", "diff.external", trap])), &[&["diff"]]);
    let plant = |kind: &'static str| {
        move |s: &Sandbox, trap: &str| {
            s.git(["config", &format!("diff.evil.{kind}"), trap]);
            s.write(".gitattributes", "* diff=evil\n");
        }
    };
    check("driver", plant("command"), &[&["diff"]]);
    check("textconv", plant("textconv"), &[&["diff"]]);
}

#[test]
fn no_program_for_signatures_is_run() {
    let plant = |s: &Sandbox, trap: &str| {
        let tree = s.git(["rev-parse", "HEAD^{tree}"]);
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n";
        s.write("c", &format!("tree {tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n{signature}\nx\n"));
        let parent = s.git(["hash-object", "-t", "commit", "-w", "c"]);
        let tip = s.git(["commit-tree", "-p", &parent, "-m", "x", &tree]);
        s.git(["update-ref", "HEAD", &tip]);
        s.git(["config", "gpg.program", trap]);
        s.git(["config", "log.showSignature", "true"]);
    };
    check("signature", plant, &[&["log"]]);
}

#[test]
fn an_alias_replaces_nothing_and_an_old_form_of_a_command_is_not_asked() {
    let plant = |s: &Sandbox, trap: &str| {
        for name in ["status", "rev-parse", "ls-files", "rev-list", "diff-tree", "evil"] {
            s.git(["config", &format!("alias.{name}"), &format!("!{trap}")]);
        }
    };
    check("alias", plant, &[&["evil"]]);
}

#[test]
fn nothing_is_run_in_a_submodule() {
    let plant = |s: &Sandbox, trap: &str| {
        let module = s.path("module");
        std::fs::create_dir(&module).unwrap();
        s.git_in(&module, ["init", "-q"]);
        s.git_in(&module, ["commit", "-q", "--allow-empty", "-m", "x"]);
        s.git(["-c", "advice.addEmbeddedRepo=false", "add", "module"]);
        s.git(["commit", "-q", "-m", "module"]);
        s.git_in(&module, ["config", "core.fsmonitor", trap]);
        s.git(["config", "diff.ignoreSubmodules", "none"]);
        s.git(["config", "submodule.recurse", "true"]);
        s.git(["config", "diff.submodule", "diff"]);
    };
    check("submodule", plant, &[&["status"]]);
}

#[test]
fn what_is_missing_is_not_fetched() {
    let sandbox = repository();
    let trap = sandbox.trap("fetch");
    // One that waits for no input, or git and the trap would wait for each other.
    std::fs::write(&trap, std::fs::read_to_string(&trap).unwrap().replace("cat", "")).unwrap();
    sandbox.git(["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(["config", "extensions.partialClone", "origin"]);
    sandbox.git(["config", "remote.origin.promisor", "true"]);
    sandbox.git(["config", "remote.origin.url", sandbox.path("").to_str().unwrap()]);
    sandbox.git(["config", "remote.origin.uploadpack", &trap]);
    let tree = sandbox.git(["rev-parse", "HEAD~1^{tree}"]);
    std::fs::remove_file(sandbox.path(format!(".git/objects/{}/{}", &tree[..2], &tree[2..]))).unwrap();
    let errors = ask_everything(&sandbox.repo());
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().all(|error| matches!(error, GitError::Failed { .. })), "{errors:?}");
    assert!(sandbox.sprung().is_empty());
    sandbox.try_git_in(&sandbox.path(""), ["diff", "HEAD~1"]);
    assert_eq!(sandbox.sprung(), ["fetch"], "the trap works");
}

#[test]
fn a_work_tree_elsewhere_is_not_looked_at() {
    let sandbox = repository();
    let victim = sandbox.outside("victim");
    std::fs::create_dir(&victim).unwrap();
    std::fs::write(victim.join("private"), "").unwrap();
    sandbox.git(["config", "core.worktree", victim.to_str().unwrap()]);
    assert!(sandbox.find_below("").is_none());
    // The folder around it: what is outside of the folder asked about stays out of every answer.
    std::fs::write(sandbox.outside("private"), "").unwrap();
    sandbox.git(["config", "core.worktree", sandbox.outside("").to_str().unwrap()]);
    let repo = sandbox.repo();
    assert!(names(&repo.ls_files().unwrap()).is_empty());
    assert_eq!(changed(&repo, "HEAD"), ["a.txt", "b.txt"]);
}

#[test]
fn a_repository_planted_in_another_is_not_used() {
    let sandbox = repository();
    let trap = sandbox.trap("planted");
    std::fs::create_dir(sandbox.path("docs")).unwrap();
    sandbox.git_in(&sandbox.path("docs"), ["init", "-q", "--bare"]);
    sandbox.write(
        "docs/config",
        &format!("[core]\nrepositoryFormatVersion = 0\nbare = false\nworktree = tree\nfsmonitor = {trap}\n"),
    );
    std::fs::create_dir(sandbox.path("docs/tree")).unwrap();
    std::fs::copy(sandbox.path(".git/index"), sandbox.path("docs/index")).unwrap();
    assert!(sandbox.find_below("docs").is_none());
    assert!(sandbox.find_below("docs/tree").is_none());
    assert!(sandbox.sprung().is_empty());
    sandbox.try_git_in(&sandbox.path("docs/tree"), ["status"]);
    assert_eq!(sandbox.sprung(), ["planted"], "the trap works");
}

#[test]
fn a_program_called_git_in_the_repository_is_not_run() {
    let sandbox = repository();
    std::fs::copy(sandbox.trap("program"), sandbox.path("git")).unwrap();
    let path = format!(".::{}", std::env::var("PATH").unwrap());
    let repo = sandbox.find_in(&sandbox.path(""), &[("PATH", &path)]).unwrap().unwrap();
    assert!(ask_everything(&repo).is_empty());
    assert!(sandbox.sprung().is_empty());
}

#[test]
fn a_folder_that_became_a_link_leads_nowhere() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("sub/a", "1\n"), ("b", "1\n")]);
    std::fs::remove_dir_all(sandbox.path("sub")).unwrap();
    std::os::unix::fs::symlink("/etc", sandbox.path("sub")).unwrap();
    assert_eq!(changed(&sandbox.repo(), "HEAD"), ["sub"]);
}
