//! What is answered in an ordinary repository.

use std::collections::BTreeMap;
use std::time::Duration;

use ai_assist_admit::PathSet;
use ai_assist_base::Cancel;
use ai_assist_git::{Ask, GitError, Repo};
use ai_assist_identity::DocPath;

use crate::support::{Sandbox, changed, names, raw};

/// Sets a file's time to the past, so that git looks at its content again.
fn touch(sandbox: &Sandbox, path: &str) {
    let file = std::fs::File::options().append(true).open(sandbox.path(path)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
}

#[test]
fn every_kind_of_change_counts_and_nothing_else() {
    let sandbox = Sandbox::with_repo();
    let files = ["committed", "staged", "unstaged", "touched", "same", "deleted", "sub/gone", "sub/moved", "mode"];
    sandbox.commit(&files.map(|path| (path, "1\n")));
    sandbox.git(["tag", "start"]);
    sandbox.commit(&[("committed", "2\n"), ("added", "1\n")]);
    sandbox.write("staged", "2\n");
    sandbox.git(["add", "staged"]);
    sandbox.git(["rm", "-q", "sub/gone"]);
    sandbox.git(["mv", "sub/moved", "sub/here"]);
    sandbox.git(["update-index", "--chmod=+x", "mode"]);
    sandbox.write("unstaged", "2\n");
    std::fs::remove_file(sandbox.path("deleted")).unwrap();
    sandbox.write(".gitignore", "ignored\n");
    sandbox.write("ignored", "");
    sandbox.write("new/deep/untracked", "");
    touch(&sandbox, "touched");
    let repo = sandbox.repo();
    let all = [".gitignore", "added", "committed", "mode", "new/deep/untracked", "staged", "sub/here", "unstaged"];
    assert_eq!(changed(&repo, "start"), all);
    let since_head: Vec<&str> = all.iter().copied().filter(|p| !matches!(*p, "added" | "committed")).collect();
    for revision in ["HEAD", "main", "@", "HEAD~0", &sandbox.git(["rev-parse", "HEAD"])] {
        assert_eq!(changed(&repo, revision), since_head, "{revision}");
    }
    assert_eq!(changed(&sandbox.find_below("sub").unwrap(), "start"), ["here"]);
    assert_eq!(changed(&sandbox.find_below("new").unwrap(), "start"), ["deep/untracked"]);
}

#[test]
fn dirty_is_what_a_commit_would_change() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n"), ("sub/b", "1\n"), (".gitignore", "ignored\n")]);
    let repo = sandbox.repo();
    assert!(!repo.is_dirty().unwrap());
    touch(&sandbox, "a");
    sandbox.write("ignored", "");
    assert!(!repo.is_dirty().unwrap());
    sandbox.write("sub/new", "");
    assert!(repo.is_dirty().unwrap());
    sandbox.git(["add", "-A"]);
    assert!(repo.is_dirty().unwrap());
    sandbox.git(["commit", "-q", "-m", "x"]);
    sandbox.write("a", "2\n");
    assert!(repo.is_dirty().unwrap());
    assert!(!sandbox.find_below("sub").unwrap().is_dirty().unwrap(), "only what is below the folder counts");
}

#[test]
fn nothing_is_written() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n")]);
    touch(&sandbox, "a");
    let index = || std::fs::read(sandbox.path(".git/index")).unwrap();
    let before = index();
    let repo = sandbox.repo();
    assert!(!repo.is_dirty().unwrap() && repo.changed_since("HEAD").unwrap().is_empty());
    assert!(before == index());
    sandbox.git(["status"]);
    assert!(before != index(), "an ordinary `git status` would have");
}

#[test]
fn what_names_no_commit_is_named() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n")]);
    let repo = sandbox.repo();
    let blob = sandbox.git(["rev-parse", "HEAD:a"]);
    let target = sandbox.outside("written");
    let output = format!("--output={}", target.display());
    for revision in ["nope", "HEAD~5", &blob, "HEAD:a", "-h", "--all", "--help", &output, "a\nb", "\u{1b}[31m", "*"] {
        match repo.changed_since(revision) {
            Err(GitError::UnknownRevision { revision: named }) => assert_eq!(named, revision),
            other => panic!("{revision}: {other:?}"),
        }
    }
    assert!(!target.exists());
    for (revision, reason) in [
        ("", "empty"),
        ("a\0b", "NUL"),
        ("HEAD..main", "range"),
        ("HEAD...main", "range"),
        ("^HEAD", "range"),
        (&"x".repeat(2000), "too long"),
    ] {
        let error = repo.changed_since(revision).unwrap_err();
        assert!(matches!(error, GitError::BadRevision { .. }) && error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn churn_counts_commits_by_path() {
    let sandbox = Sandbox::with_repo();
    sandbox.commit(&[("a", "1\n"), ("sub/b", "1\n"), ("sub/c", "1\n")]);
    sandbox.commit(&[("a", "2\n"), ("sub/b", "2\n")]);
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.commit(&[("sub/c", "2\n")]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.commit(&[("a", "3\n")]);
    sandbox.git(["merge", "-q", "--no-edit", "side"]);
    let counts =
        |counts: &[(&str, usize)]| counts.iter().map(|(p, n)| ((*p).to_owned(), *n)).collect::<BTreeMap<_, _>>();
    let churn = sandbox.repo().churn(100).unwrap();
    assert_eq!((churn.commits_looked_at, churn.by_path), (4, counts(&[("a", 3), ("sub/b", 2), ("sub/c", 2)])));
    let churn = sandbox.find_below("sub").unwrap().churn(100).unwrap();
    assert_eq!((churn.commits_looked_at, churn.by_path), (4, counts(&[("b", 2), ("c", 2)])));
    assert_eq!(sandbox.repo().churn(2).unwrap().by_path, counts(&[("a", 1), ("sub/c", 1)]));
    assert_eq!(sandbox.repo().churn(0).unwrap().commits_looked_at, 0);

    let (from, to) = (format!("file://{}", sandbox.path("").display()), sandbox.outside("shallow"));
    sandbox.git([
        std::ffi::OsStr::new("clone"),
        "-q".as_ref(),
        "--depth=1".as_ref(),
        "--branch=side".as_ref(),
        from.as_ref(),
        to.as_ref(),
    ]);
    let churn = sandbox.find_in(&to, &[]).unwrap().unwrap().churn(100).unwrap();
    assert_eq!((churn.commits_looked_at, churn.by_path), (1, counts(&[])), "what the only commit changed is not known");
}

#[test]
fn the_head_is_a_commit_a_branch_and_a_time() {
    let sandbox = Sandbox::with_repo();
    let repo = sandbox.repo();
    assert_eq!(repo.head().unwrap(), None);
    let add = ["-c", "user.name=A", "commit", "-q", "--allow-empty", "-m", "x"];
    sandbox.git(add);
    let head = repo.head().unwrap().unwrap();
    assert_eq!((head.commit, head.branch), (sandbox.git(["rev-parse", "HEAD"]), Some("main".to_owned())));
    let time = sandbox.git(["log", "-1", "--date=format-local:%Y-%m-%dT%H:%M", "--format=%cd"]);
    assert!(head.committed_at.starts_with(&time[..11]) && head.committed_at.ends_with('Z'), "{}", head.committed_at);
    sandbox.git(["checkout", "-q", "-b", "feat/\u{e9}"]);
    assert_eq!(repo.head().unwrap().unwrap().branch.unwrap(), "feat/\u{e9}");
    sandbox.git(["checkout", "-q", "--detach"]);
    assert_eq!(repo.head().unwrap().unwrap().branch, None);
    // A commit that says it is from the year 300,000,000,000.
    let tree = sandbox.git(["write-tree"]);
    let text = format!("tree {tree}\nauthor A <a> 1 +0000\ncommitter A <a> 9999999999999999999 +0000\n\nx\n");
    sandbox.write("commit", &text);
    let odd = sandbox.git(["hash-object", "-t", "commit", "-w", "--literally", "commit"]);
    sandbox.git(["update-ref", "HEAD", &odd]);
    let head = repo.head().unwrap().unwrap();
    assert_eq!((head.commit, head.committed_at), (odd, "1970-01-01T00:00:00Z".to_owned()));
}

#[test]
fn odd_names_are_carried_whole() {
    let sandbox = Sandbox::with_repo();
    let all: [&[u8]; 7] = [b"a\nb", b"caf\xe9", b"-n", b":(glob)x", b" lead", b"q\"\\t", b"R100\tx"];
    sandbox.commit(&[("base", "")]);
    for name in all {
        sandbox.write(raw(name), "x");
    }
    let repo = sandbox.repo();
    let mut wanted: Vec<DocPath> = all.iter().map(|name| DocPath::from_relative(raw(name)).unwrap()).collect();
    wanted.sort();
    assert_eq!(repo.changed_since("HEAD").unwrap(), wanted, "untracked");
    sandbox.git(["add", "-A"]);
    assert_eq!(repo.changed_since("HEAD").unwrap(), wanted, "staged");
    sandbox.git(["commit", "-q", "-m", "x"]);
    assert_eq!(repo.changed_since("HEAD~1").unwrap(), wanted, "committed");
    let churn = repo.churn(1).unwrap();
    assert_eq!(
        churn.by_path.keys().cloned().collect::<Vec<_>>(),
        wanted.iter().map(|p| p.as_str()).collect::<Vec<_>>()
    );
    let listed = repo.ls_files().unwrap();
    assert_eq!(names(&listed).len(), 8);
    assert!(all.iter().all(|name| listed.split(|&b| b == 0).any(|listed| listed == *name)));
    let _fits: PathSet = PathSet::from_ls_files(&listed);
}

#[test]
fn twenty_thousand_files_are_no_trouble() {
    let sandbox = Sandbox::with_repo();
    for folder in 0..200 {
        std::fs::create_dir(sandbox.path(format!("folder-{folder}"))).unwrap();
        for file in 0..100 {
            std::fs::write(sandbox.path(format!("folder-{folder}/a-longish-name-{file}.txt")), "").unwrap();
        }
    }
    sandbox.commit(&[]);
    let repo = sandbox.repo();
    assert_eq!(names(&repo.ls_files().unwrap()).len(), 20_000);
    assert_eq!(repo.churn(10).unwrap().by_path.len(), 20_000);
    assert!(!repo.is_dirty().unwrap());
    sandbox.git(["rm", "-rq", "--cached", "."]);
    assert_eq!(repo.changed_since("HEAD").unwrap().len(), 20_000);
}

#[test]
fn a_question_can_be_cancelled_and_has_its_time() {
    let sandbox = Sandbox::with_repo();
    let cancelled = Ask { cancel: Cancel::when(|| true), ..Ask::default() };
    assert!(matches!(Repo::find(&sandbox.path(""), &cancelled), Err(GitError::Cancelled)));
    let hurried = Ask { timeout: Duration::ZERO, ..Ask::default() };
    assert!(matches!(Repo::find(&sandbox.path(""), &hurried), Err(GitError::TimedOut { .. })));
}

#[test]
fn what_was_at_a_commit_is_told() {
    let sandbox = Sandbox::with_repo();
    let repo = sandbox.repo();
    assert_eq!(repo.commit_before(i64::MAX / 2).unwrap(), None, "nothing is committed yet");
    assert_eq!(repo.commits_since(None, 10).unwrap(), []);
    sandbox.commit(&[("a", "1\n"), ("sub/b", "no break at the end"), ("sub/gone", ""), ("x y", "spaced\n")]);
    let first = repo.commit("HEAD").unwrap();
    sandbox.commit(&[("a", "2\n")]);
    std::fs::remove_file(sandbox.path("sub/gone")).unwrap();
    let last = repo.commit("HEAD").unwrap();
    assert_eq!(repo.commits_since(None, 10).unwrap(), [last.clone(), first.clone()]);
    assert_eq!(repo.commits_since(Some(&first.id), 10).unwrap(), std::slice::from_ref(&last));
    assert_eq!(repo.commits_since(None, 1).unwrap().len(), 1);
    assert_eq!(last.subject, "x");
    assert_eq!(repo.commit_before(last.committed_at + 10).unwrap(), Some(last));
    assert_eq!(repo.commit_before(first.committed_at - 10).unwrap(), None);
    assert!(matches!(repo.commit("nope"), Err(GitError::UnknownRevision { .. })));

    let paths = |names: &[&str]| names.iter().map(|name| DocPath::parse(name).unwrap()).collect::<Vec<_>>();
    let texts = |repo: &Repo, names: &[&str]| -> Vec<Option<String>> {
        let files = repo.files_at(&first.id, &paths(names)).unwrap();
        files.into_iter().map(|file| file.map(|bytes| String::from_utf8(bytes).unwrap())).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let found = texts(&repo, &["a", "none", "sub", "sub/b", "sub/gone", "x y"]);
    assert_eq!(found, [text("1\n"), None, None, text("no break at the end"), text(""), text("spaced\n")]);
    assert_eq!(repo.removed_since(&first.id).unwrap(), paths(&["sub/gone"]));
    let below = sandbox.find_below("sub").unwrap();
    assert_eq!(texts(&below, &["b"]), [text("no break at the end")]);
    assert_eq!(below.removed_since(&first.id).unwrap(), paths(&["gone"]));
}
