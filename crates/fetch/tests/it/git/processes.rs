//! The git program and what it starts: found, timed, ended, and kept quiet.

use ai_assist_fetch::{GitError, GitOptions, Limits};
use ai_assist_git::RemoteError;

use super::repository::{Place, source};

/// Reaches the repository through a script in place of ssh, which runs the command here.
pub(super) fn with_ssh(place: &mut Place, script: &str, variant: &str) {
    let script = place.script("ssh.sh", script);
    place.set("GIT_SSH_COMMAND", script);
    place.set("GIT_SSH_VARIANT", variant);
}

/// The command is the last argument.
const RUN_LAST: &str = "for last; do :; done; exec sh -c \"$last\"";

#[test]
fn ssh_is_the_users_own() {
    let mut place = Place::new();
    with_ssh(&mut place, RUN_LAST, "ssh");
    let before = place.head();
    let source = place.ssh_source("#main");
    assert_eq!(place.resolve(&source).unwrap(), before);
    place.commit("README.md", "two");
    // Any commit is handed out in version 2 of the protocol.
    let taken = place.check_out_commit(&source, &before, &Limits::default()).unwrap();
    assert_eq!(taken.text("README.md"), "one");
}

#[test]
fn servers_that_hand_out_references_only_are_asked_for_one() {
    let mut place = Place::new();
    // This way of calling ssh does not tell the server of version 2.
    with_ssh(&mut place, RUN_LAST, "simple");
    let tagged = place.head();
    place.git(&["tag", "--annotate", "--message=x", "heavy"]);
    let between = place.commit("README.md", "two");
    place.commit("README.md", "three");

    let source = place.ssh_source("#heavy");
    assert_eq!(place.resolve(&source).unwrap(), tagged);
    assert_eq!(place.check_out(&source).unwrap().text("README.md"), "one");
    assert_eq!(place.check_out(&place.ssh_source("")).unwrap().text("README.md"), "three");

    let moved = place.check_out_commit(&place.ssh_source("#main"), &between, &Limits::default()).err().unwrap();
    assert!(matches!(&moved, GitError::Moved { reference, now, .. } if reference == "main" && *now == place.head()));
    let pinned = place.check_out(&place.ssh_source(&format!("#{between}"))).err().unwrap();
    assert!(matches!(&pinned, GitError::NotServed { commit, .. } if *commit == between), "{pinned}");
}

#[test]
fn a_repository_that_sends_too_much_is_ended() {
    let mut place = Place::new();
    // What can't be compressed, sent as a whole and then held open until the end of git is known.
    let mut random = fastrand::Rng::with_seed(1);
    place.write("big", (0..2_000_000).map(|_| random.u8(..)).collect::<Vec<u8>>());
    let commit = place.commit_all();
    with_ssh(&mut place, "sh -c \"$2\"; exec sleep 600", "simple");
    let limits = Limits { max_total_bytes: 500_000, ..Limits::default() };
    let error = place.check_out_commit(&place.ssh_source("#main"), &commit, &limits).err().unwrap();
    assert!(matches!(error, GitError::Remote(RemoteError::TooLarge { limit: 500_000, .. })), "{error}");
}

#[test]
fn offline_the_network_is_not_used() {
    let mut place = Place::new();
    let marker = place.path("marker");
    with_ssh(&mut place, &format!("touch '{}'", marker.display()), "simple");
    let into = tempfile::tempdir().unwrap();
    let head = place.head();
    place.with_options(|options| {
        let options = GitOptions { offline: true, ..*options };
        for url in ["git+https://example.invalid/x", "git+ssh://example.invalid/x"] {
            let remote = source(url);
            assert!(matches!(remote.resolve(&options), Err(GitError::Offline(shown)) if shown == url));
            let error = remote.check_out(&head, into.path(), &options, &Limits::default()).unwrap_err();
            assert!(matches!(error, GitError::Offline(_)), "{error}");
        }
        // A commit is itself, and a repository of this machine is not far.
        assert_eq!(source(&format!("git+https://example.invalid/x#{head}")).resolve(&options).unwrap(), head);
        assert_eq!(place.source("").resolve(&options).unwrap(), head);
    });
    assert!(!marker.exists());
}

#[test]
fn git_must_be_there_and_new() {
    let mut place = Place::new();
    place.set("PATH", place.path("bin"));
    let error = place.resolve(&place.source("")).unwrap_err();
    assert!(matches!(error, GitError::Remote(RemoteError::NoGit { .. })), "{error}");
    std::fs::create_dir(place.path("bin")).unwrap();
    for (said, shown) in [("git version 2.28.9", "this is `2.28.9`"), ("nonsense", "this is `nonsense`")] {
        place.script("bin/git", &format!("echo '{said}'"));
        let error = place.resolve(&place.source("")).unwrap_err();
        assert!(matches!(error, GitError::Remote(RemoteError::OldGit { .. })), "{error}");
        assert!(error.to_string().contains(shown) && error.to_string().contains("git 2.29 or later"), "{error}");
    }
}

#[test]
fn words_of_git_are_shown_without_credentials() {
    let mut place = Place::new();
    let said = "i=0; while [ $i -lt 2000 ]; do echo \"remote: noise $i\" >&2; i=$((i+1)); done; \
                printf 'fatal: https://me:s3cret@example.invalid/ says \\033[31mno\\n' >&2; exit 3";
    with_ssh(&mut place, said, "simple");
    let error = place.resolve(&place.ssh_source("")).unwrap_err().to_string();
    assert!(error.contains("https://***@example.invalid/ says"), "{error}");
    assert!(!error.contains("s3cret") && !error.contains('\x1b') && !error.contains("noise 1000"), "{error}");
    assert!(error.lines().count() < 10, "{error}");
}

/// Nobody may be asked, unless it is said that somebody is there.
#[test]
fn nobody_is_asked() {
    let mut place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    let said = place.path("said");
    let tell = format!("echo \"$GIT_TERMINAL_PROMPT $*\" >> '{}'; {RUN_LAST}", said.display());
    place.script("bin/ssh", &tell);
    let path = std::env::var("PATH").unwrap_or_default();
    place.set("PATH", format!("{}:{path}", place.path("bin").display()));
    // What this machine may have set for itself is out of the way.
    let source = place.ssh_source("#main");
    let ask = |place: &Place, interactive| {
        let _ = std::fs::remove_file(&said);
        place.with_options(|options| source.resolve(&GitOptions { interactive, ..*options })).unwrap();
        std::fs::read_to_string(&said).unwrap()
    };
    let quiet = ask(&place, false);
    assert!(quiet.starts_with("0 -oBatchMode=yes "), "{quiet}");
    let asking = ask(&place, true);
    assert!(!asking.contains("BatchMode"), "{asking}");

    // A command of the user's own stays as it is.
    place.settings(&format!("[core]\nsshCommand = {} --mine\n[ssh]\nvariant = ssh\n", place.path("bin/ssh").display()));
    let own = ask(&place, false);
    assert!(own.starts_with("0 --mine ") && !own.contains("BatchMode"), "{own}");
}
