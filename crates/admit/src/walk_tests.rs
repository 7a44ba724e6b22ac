#[cfg(unix)]
use std::ffi::OsStr;
use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_identity::DocPath;

use super::*;
#[cfg(unix)]
use crate::Outcome;
use crate::Reason;
use crate::test_tree::tree;

fn selection(root: &Path, globs: &[&str]) -> Selection {
    Selection::new(root, Globs::new(globs).unwrap(), Limits::default())
}

fn run(selection: &Selection) -> Walked {
    let walked = walk(selection, &Cancel::default(), &|_| {}).unwrap();
    assert!(walked.receipt.is_conserved(), "{:?}", walked.receipt);
    assert!(walked.candidates.windows(2).all(|w| w[0].path() < w[1].path()), "sorted, each path once");
    walked
}

fn paths(walked: &Walked) -> Vec<&str> {
    walked.candidates.iter().map(|c| c.path().as_str()).collect()
}

/// Each excluded path with its reason.
fn reasons(walked: &Walked) -> Vec<(&str, Reason)> {
    walked.receipt.exclusions.iter().map(|e| (e.path.as_str(), e.reason)).collect()
}

#[test]
fn files_are_selected_by_glob_and_sorted() {
    let tree = tree(&["b.md", "a/z.md", "a/b/c.md", "a.txt", "empty/", "a-b/x.md"]);
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["a-b/x.md", "a/b/c.md", "a/z.md", "b.md"]);
    assert_eq!(walked.receipt.folders, 4);
    assert_eq!(walked.receipt.excluded.get(&Reason::NotMatched), Some(&1));
    assert!(paths(&run(&selection(&tree.path().join("empty"), &["**/*"]))).is_empty());
}

#[cfg(unix)]
#[test]
fn names_come_through_unharmed() {
    let folder = tempfile::tempdir().unwrap();
    let names: [&[u8]; 9] = [
        b"with space.md",
        b"quote\"and'.md",
        b"new\nline.md",
        b"glob*[a]{b}?.md",
        b"percent%20.md",
        b"back\\slash.md",
        b"caf\xe9.md",
        "größe.md".as_bytes(),
        b"-dash.md",
    ];
    fs::create_dir(folder.path().join(OsStr::from_bytes(b"dir\xff\n*"))).unwrap();
    for name in names {
        fs::write(folder.path().join(OsStr::from_bytes(name)), name).unwrap();
        fs::write(folder.path().join(OsStr::from_bytes(b"dir\xff\n*")).join(OsStr::from_bytes(name)), name).unwrap();
    }
    let walked = run(&selection(folder.path(), &["**/*.md"]));
    assert_eq!(walked.candidates.len(), 2 * names.len());
    for candidate in &walked.candidates {
        let path = candidate.path().to_path_buf();
        assert!(names.contains(&path.file_name().unwrap().as_bytes()));
        match candidate.read(&Limits::default()) {
            Outcome::Admitted(admitted) => {
                assert_eq!(admitted.hash(), ai_assist_identity::Sha256::of(path.file_name().unwrap().as_bytes()));
            }
            other => panic!("{path:?}: {other:?}"),
        }
    }
}

#[test]
fn hidden_names_need_a_glob_that_says_so() {
    let tree = tree(&[".github/a.md", ".hidden.md", "x/.y/b.md", "c.md", ".git/d.md", "sub/.jj/e.md"]);
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["c.md"]);
    assert_eq!(walked.receipt.excluded.get(&Reason::Hidden), Some(&3));
    assert_eq!(walked.receipt.excluded.get(&Reason::VersionControl), Some(&2));
    assert_eq!(paths(&run(&selection(tree.path(), &[".github/**/*.md"]))), [".github/a.md"]);
    assert_eq!(paths(&run(&selection(tree.path(), &["**/.*/**/*.md"]))), [".github/a.md", "x/.y/b.md"]);
    assert!(paths(&run(&selection(tree.path(), &[".git/**"]))).is_empty(), "not even when asked for");
}

#[test]
fn every_ignore_file_narrows() {
    for name in crate::IGNORE_FILES {
        let tree = tree(&[
            &format!("{name} = *.log\\nbuild/\\n/top.md\\n!keep.log\\n"),
            &format!("sub/{name} = !back.log\\nlocal.md\\n"),
            "a.md",
            "a.log",
            "keep.log",
            "build/x.md",
            "top.md",
            "sub/top.md",
            "sub/back.log",
            "sub/local.md",
            "local.md",
            "sub/build/y.md",
            "sub/deep/back.log",
        ]);
        let all = selection(tree.path(), &["**/*"]);
        let walked = run(&all);
        let expected = ["a.md", "keep.log", "local.md", "sub/back.log", "sub/deep/back.log", "sub/top.md"];
        assert_eq!(paths(&walked), expected, "{name}");
        let rule = walked.receipt.exclusions.iter().find(|e| e.path.as_str() == "sub/local.md").unwrap();
        assert_eq!((rule.reason, rule.rule.as_str()), (Reason::IgnoreFile, &*format!("sub/{name}:2: local.md")));
        let open = Selection { honour_ignore_files: false, ..all };
        assert_eq!(run(&open).candidates.len(), 11);
    }
}

#[test]
fn no_ignore_file_brings_back_what_another_drops() {
    let tree = tree(&[".gitignore = *.log", ".ignore = !a.log", "a.log", "b.md"]);
    assert_eq!(paths(&run(&selection(tree.path(), &["**/*"]))), ["b.md"]);
}

#[cfg(unix)]
#[test]
fn ignore_files_above_the_root_and_outside_it_are_not_consulted() {
    let tree = tree(&[".gitignore = *", "root/a.md", "rules = *.md", "root/.ignore -> ../rules"]);
    let walked = run(&selection(&tree.path().join("root"), &["**/*"]));
    assert_eq!(paths(&walked), ["a.md"]);
    assert_eq!(walked.receipt.problems.len(), 1, "the symlink that leaves is told of");
    assert_eq!(walked.receipt.problems[0].path, ".ignore");
}

#[cfg(unix)]
#[test]
fn an_ignore_file_may_be_a_symlink_inside_and_may_have_faults() {
    let tree = tree(&["rules = *.log\\n{a\\n", ".ignore -> rules", "a.log", "b.md"]);
    let walked = run(&selection(tree.path(), &["**/*.{log,md}"]));
    assert_eq!(paths(&walked), ["b.md"]);
    assert_eq!(walked.receipt.problems.len(), 1, "{:?}", walked.receipt.problems);
    assert!(walked.receipt.problems[0].message.contains("line 2"));
}

#[test]
fn credential_stores_are_dropped_whatever_the_repo_says() {
    let tree = tree(&[".gitignore = !.env", ".env", ".env.example", "deploy/server.PEM", "csrf_token.py", "id_rsa"]);
    let mut all = selection(tree.path(), &["**/*", "**/.*"]);
    all.honour_ignore_files = false;
    let walked = run(&all);
    assert_eq!(paths(&walked), [".env.example", ".gitignore", "csrf_token.py"]);
    let secret = Reason::SecretName;
    assert_eq!(reasons(&walked), [(".env", secret), ("deploy/server.PEM", secret), ("id_rsa", secret)]);
}

#[cfg(unix)]
#[test]
fn symlinks_stay_inside() {
    let outside = tree(&["secret.md", "folder/x.md"]);
    let tree = tree(&["real/a.md", "b.md", "file.md -> b.md", "broken.md -> nothing", "self.md -> self.md"]);
    let link = |target: &Path, name: &str| symlink(target, tree.path().join(name)).unwrap();
    link(&outside.path().join("secret.md"), "out.md");
    link(&outside.path().join("folder"), "outdir");
    link(&tree.path().join("b.md"), "absolute.md");
    link(Path::new("/dev/null"), "null.md");
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["absolute.md", "b.md", "file.md", "real/a.md"]);
    assert_eq!(
        reasons(&walked),
        [
            ("broken.md", Reason::SymlinkBroken),
            ("null.md", Reason::SymlinkOutside),
            ("out.md", Reason::SymlinkOutside),
            ("outdir", Reason::SymlinkOutside),
            ("self.md", Reason::SymlinkLoop),
        ]
    );
    for candidate in &walked.candidates {
        assert!(matches!(candidate.read(&Limits::default()), Outcome::Admitted(_)), "{}", candidate.path());
    }
}

#[cfg(unix)]
#[test]
fn folders_behind_symlinks_are_listed_once() {
    let lines = ["a/x.md", "a/up -> ..", "a/self -> .", "b/to_a -> ../a", "a/to_b -> ../b", "b/y.md", "loop -> loop"];
    let tree = tree(&lines);
    for _ in 0..20 {
        let walked = run(&selection(tree.path(), &["**/*.md"]));
        assert_eq!(paths(&walked), ["a/x.md", "b/y.md"], "the real name wins, whatever the timing");
        assert_eq!(walked.receipt.excluded.get(&Reason::SymlinkLoop), Some(&5));
    }
}

#[cfg(unix)]
#[test]
fn a_folder_only_a_symlink_reaches_is_listed_under_its_name() {
    let lines = [".store/docs/a.md", ".store/docs/sub/b.md", "docs -> .store/docs", "second -> .store/docs/sub"];
    let tree = tree(&lines);
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["docs/a.md", "docs/sub/b.md"]);
    for candidate in &walked.candidates {
        assert!(matches!(candidate.read(&Limits::default()), Outcome::Admitted(_)), "{}", candidate.path());
    }
}

#[cfg(unix)]
#[test]
fn a_symlink_is_no_way_around_a_rule() {
    let tree = tree(&[
        ".gitignore = /build/\\n*.tmp.md\\n",
        "build/docs/a.md",
        "docs -> build/docs",
        "one.md -> build/docs/a.md",
        ".env = X=1",
        "notes.md -> .env",
        ".git/hooks/readme.md",
        "hooks -> .git/hooks",
        "hook.md -> .git/hooks/readme.md",
        ".aws/credentials",
        "cloud -> .aws",
        "sub/.ignore = drop.md",
        ".s/drop.md",
        ".s/x.tmp.md",
        ".s/kept.md",
        "sub/s -> ../.s",
    ]);
    let walked = run(&selection(tree.path(), &["**/*"]));
    assert_eq!(paths(&walked), ["sub/s/kept.md"]);
    let told = reasons(&walked);
    for expected in [
        ("docs", Reason::IgnoreFile),
        ("one.md", Reason::IgnoreFile),
        ("notes.md", Reason::SecretName),
        ("cloud/credentials", Reason::SecretName),
        ("sub/s/drop.md", Reason::IgnoreFile),
        ("sub/s/x.tmp.md", Reason::IgnoreFile),
    ] {
        assert!(told.contains(&expected), "{expected:?} not in {told:?}");
    }
    assert_eq!(walked.receipt.excluded.get(&Reason::VersionControl), Some(&3));
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_not_opened() {
    let tree = tree(&["a.md"]);
    let pipe = tree.path().join("pipe.md");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("socket.md")).unwrap();
    symlink("pipe.md", tree.path().join("link.md")).unwrap();
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["a.md"]);
    let no = Reason::NotAFile;
    assert_eq!(reasons(&walked), [("link.md", no), ("pipe.md", no), ("socket.md", no)]);
}

#[test]
fn a_large_file_is_dropped_without_being_read() {
    let tree = tree(&["small.md"]);
    fs::File::create(tree.path().join("sparse.md")).unwrap().set_len(200 * 1024 * 1024).unwrap();
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    assert_eq!(paths(&walked), ["small.md"]);
    assert_eq!(reasons(&walked), [("sparse.md", Reason::TooLarge)]);
}

#[test]
fn limits_hold() {
    let tree = tree(&["a.md", "b.md", "1/2/3/deep.md"]);
    let mut few = selection(tree.path(), &["**/*.md"]);
    few.limits.max_files = 2;
    assert!(matches!(walk(&few, &Cancel::default(), &|_| {}), Err(AdmitError::TooManyFiles { limit: 2, .. })));
    few.limits.max_files = 3;
    assert_eq!(run(&few).candidates.len(), 3);
    few.limits.max_depth = 2;
    let walked = run(&few);
    assert_eq!(paths(&walked), ["a.md", "b.md"]);
    assert_eq!(reasons(&walked), [("1/2/3", Reason::TooDeep)]);
}

#[test]
fn a_folder_of_thousands_is_shared_out() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        fs::write(folder.path().join(format!("{i:04}.md")), "").unwrap();
    }
    let walked = run(&selection(folder.path(), &["**/*.md"]));
    assert_eq!(walked.candidates.len(), 3000);
}

#[test]
fn the_caller_can_watch_and_stop() {
    let lines: Vec<String> = (0..200).map(|i| format!("{i}/a.md")).collect();
    let tree = tree(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let selection = selection(tree.path(), &["**/*.md"]);
    let most = AtomicUsize::new(0);
    walk(&selection, &Cancel::default(), &|seen| {
        most.fetch_max(seen, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(most.into_inner(), 400);
    assert!(matches!(walk(&selection, &Cancel::when(|| true), &|_| {}), Err(AdmitError::Cancelled)));
    let asked = AtomicUsize::new(0);
    let cancel = Cancel::when(move || asked.fetch_add(1, Ordering::Relaxed) >= 2);
    // So slow that the other threads can't be done before the third question.
    let slowly = |_| std::thread::sleep(Duration::from_millis(5));
    assert!(matches!(walk(&selection, &cancel, &slowly), Err(AdmitError::Cancelled)));
}

#[test]
fn a_panic_in_the_caller_s_code_ends_the_walk() {
    let lines: Vec<String> = (0..50).map(|i| format!("{i}/a.md")).collect();
    let tree = tree(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let selection = selection(tree.path(), &["**/*.md"]);
    let walked =
        std::panic::catch_unwind(|| walk(&selection, &Cancel::default(), &|seen| assert!(seen < 60, "deliberate")));
    assert!(walked.is_err());
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_is_a_problem_not_the_end() {
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;
    // Permissions don't bind root, which is who runs the tests in a container.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let tree = tree(&["a.md", "closed/b.md"]);
    let closed = tree.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let walked = run(&selection(tree.path(), &["**/*.md"]));
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(paths(&walked), ["a.md"]);
    assert_eq!(walked.receipt.problems.len(), 1);
    assert_eq!(reasons(&walked), [("closed", Reason::Unreadable)]);
}

#[cfg(unix)]
#[test]
fn a_root_that_is_missing_is_an_error_and_a_symlinked_one_is_not() {
    let real = tree(&["a.md"]);
    let other = tempfile::tempdir().unwrap();
    let missing = selection(&other.path().join("none"), &["**/*"]);
    assert!(matches!(walk(&missing, &Cancel::default(), &|_| {}), Err(AdmitError::Root { .. })));
    symlink(real.path(), other.path().join("link")).unwrap();
    assert_eq!(paths(&run(&selection(&other.path().join("link"), &["**/*"]))), ["a.md"]);
}

#[test]
fn a_selection_can_be_narrowed_to_some_paths() {
    let tree = tree(&["a/x.rs", "a/y.rs", "b/z.rs", "c.rs", ".ssh/id_rsa"]);
    let named = ["a/y.rs", "c.rs", "missing.rs", ".ssh/id_rsa"].map(|path| DocPath::parse(path).unwrap());
    let narrow =
        Selection { only: Some(Arc::new(PathSet::new(&named))), ..selection(tree.path(), &["**/*", "**/.*/**/*"]) };
    let walked = run(&narrow);
    assert_eq!(paths(&walked), ["a/y.rs", "c.rs"]);
    assert_eq!(reasons(&walked), [(".ssh/id_rsa", Reason::SecretName)]);
    assert_eq!(walked.receipt.excluded.get(&Reason::NotMatched), Some(&2), "a/x.rs, and the folder b as one");
    let explained = crate::explain(&narrow, &DocPath::parse("a/x.rs").unwrap()).unwrap();
    assert_eq!(
        (explained.reason, explained.rule.as_str()),
        (Some(Reason::NotMatched), "it is not among the files asked for")
    );
}

#[test]
fn a_rule_that_leaves_nothing_is_named() {
    let swallowed = |rules: &str, globs: &[&str]| {
        let tree = tree(&["a.rs", "b.md", "c/d.rs", "e/f.rs", "g.o"]);
        fs::write(tree.path().join(".gitignore"), rules).unwrap();
        run(&selection(tree.path(), globs)).receipt.swallowed().map(|problem| (problem.path, problem.message))
    };
    let named = |line: &str, message: &str| Some((format!(".gitignore:{line}"), message.to_owned()));
    let all = "the rule `/*` drops 5 entries, and nothing is left";
    assert_eq!(swallowed("# from a package\n/*\n", &["**/*"]), named("2", all));
    assert_eq!(swallowed("*\n", &["**/*.md"]), named("1", "the rule `*` drops 3 entries, and nothing is left"));
    assert_eq!(swallowed("[a-g]*\n", &["**/*"]), named("1", "the rule `[a-g]*` drops 5 entries, and nothing is left"));
    assert_eq!(swallowed("*\n!a.rs\n", &["**/*"]), None, "one of five is a choice");
    assert_eq!(swallowed("*.o\nc\n", &["**/*"]), None);
    assert_eq!(swallowed("c\n", &["**/*.txt"]), None, "the glob takes nothing");
    assert_eq!(swallowed("", &["**/*.txt"]), None);
}
