//! Hints given by hand, so that nothing depends on when the system tells something.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_base::watch::{Hint, Listener, Pacing, Why};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_store::objects::SqliteObjects;
use tempfile::TempDir;

use super::state::Watch;
use super::{WatchEvent, WatchOptions, WatchedChange};
use crate::session::{How, NewSession, ReadFile, Session};

struct Bench {
    _data: TempDir,
    folder: TempDir,
    session: Session,
    watch: Watch,
    ears: Listener,
}

impl Bench {
    fn new(prepare: impl Fn(&Path, &mut Session), follow_folder: bool) -> Self {
        let (data, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let root = folder.path().real_path().unwrap();
        let objects = SqliteObjects::open(&data.path().join("assist.db")).unwrap();
        let new = NewSession {
            folder: Some(root.to_str().unwrap().to_owned()),
            filesystem_id: "fs1".to_owned(),
            ..NewSession::default()
        };
        let mut session = Session::create(Box::new(objects), new).unwrap();
        prepare(&root, &mut session);
        let folders = if follow_folder { vec![root] } else { Vec::new() };
        let mut watch = Watch::new(&session, &WatchOptions { folders, ..WatchOptions::default() }).unwrap();
        watch.look_at_everything(Why::Start);
        Bench { _data: data, folder, session, watch, ears: Listener::none() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().real_path().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.path(name), text);
    }

    fn hint(&mut self, name: &str) {
        let path = self.path(name);
        self.watch.hint(Hint::Path(path));
    }

    /// What changed, and why everything was looked at.
    fn flush(&mut self) -> (Vec<String>, Vec<String>) {
        let (mut changed, mut rescanned) = (Vec::new(), Vec::new());
        let shown = |change: &WatchedChange| {
            let gone = if change.deleted { " gone" } else { "" };
            format!("{} {}{gone}", change.path, change.action)
        };
        let mut told = |event: WatchEvent<'_>| match event {
            WatchEvent::Changed(changes) => changed.extend(changes.iter().map(shown)),
            WatchEvent::Rescanned { why } => rescanned.push(why),
            other => panic!("{other:?}"),
        };
        self.watch.flush(&mut self.session, &mut self.ears, &Cancel::default(), &mut told).unwrap();
        (changed, rescanned)
    }

    fn changed(&mut self) -> Vec<String> {
        self.flush().0
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn nothing(_: &Path, _: &mut Session) {}

#[test]
fn what_was_never_hinted_is_found_after_an_overflow_or_an_error() {
    let mut bench = Bench::new(|root, _| write(&root.join("a.md"), "one"), true);
    assert_eq!(bench.changed(), ["a.md created"]);
    for (hint, why) in [
        (Hint::Overflow, "more happened than the system keeps"),
        (Hint::Error("broken".to_owned()), "the system said: broken"),
    ] {
        bench.write("a.md", why);
        bench.write("sub/new.md", why);
        assert_eq!(bench.flush(), (Vec::new(), Vec::new()), "without a hint nothing is looked at");
        bench.watch.hint(hint);
        let (changed, rescanned) = bench.flush();
        assert_eq!(rescanned, [why]);
        assert_eq!(changed.len(), 2, "{changed:?}");
        std::fs::remove_dir_all(bench.path("sub")).unwrap();
        bench.hint("sub");
        assert_eq!(bench.changed(), ["sub/new.md updated gone"]);
    }
}

#[test]
fn a_hint_is_about_all_below_it_and_about_nothing_else() {
    let mut bench = Bench::new(nothing, true);
    assert!(bench.changed().is_empty());
    for name in ["in/a.md", "in/deep/b.md", "out/c.md"] {
        bench.write(name, name);
    }
    bench.hint("in");
    assert_eq!(bench.changed(), ["in/a.md created", "in/deep/b.md created"]);
    std::fs::rename(bench.path("in"), bench.path("moved")).unwrap();
    bench.hint("in");
    bench.hint("moved");
    let expected =
        ["in/a.md updated gone", "in/deep/b.md updated gone", "moved/a.md created", "moved/deep/b.md created"];
    assert_eq!(bench.changed(), expected);
    bench.watch.hint(Hint::Path("/somewhere/else".into()));
    assert!(!bench.watch.is_due(&WatchOptions {
        pacing: Pacing { quiet: Duration::ZERO, ..Pacing::default() },
        ..WatchOptions::default()
    }));
}

#[test]
fn ignore_files_count_and_secret_names_are_only_met() {
    let mut bench = Bench::new(nothing, true);
    bench.write(".gitignore", "ignored/\n*.log\n");
    for name in ["a.md", "ignored/b.md", "c.log", ".env", ".git/config"] {
        bench.write(name, "DB_PASSWORD=x7Kp!2mQz94LwR");
    }
    bench.watch.hint(Hint::Overflow);
    assert_eq!(bench.changed(), [".env created", ".gitignore created", "a.md created"]);
    // Other rules, hinted only by their file.
    bench.write(".gitignore", "*.log\n");
    bench.hint(".gitignore");
    assert_eq!(bench.changed(), [".gitignore updated", "ignored/b.md created"]);
    let ids = bench.session.objects().of_kind("file").unwrap();
    let versions = bench.session.objects().get_many(&ids, Default::default(), true).unwrap();
    for version in versions.into_iter().flatten() {
        let text = version.state.text.unwrap_or_default();
        assert!(!text.contains("x7Kp"), "{:?}", version.source);
        let env = version.source.unwrap().contains(".env");
        assert_eq!(version.head.file_hash.is_none(), env);
    }
    // What a rule drops is not gone: it keeps its version.
    bench.write(".gitignore", "ignored/\n");
    bench.hint(".gitignore");
    assert_eq!(bench.changed(), [".gitignore updated", "c.log created"]);
}

#[test]
fn an_unchanged_tree_is_not_read_again() {
    let mut bench = Bench::new(|root, _| (0..20).for_each(|n| write(&root.join(format!("{n}.md")), "text")), true);
    assert_eq!(bench.changed().len(), 20);
    assert_eq!(bench.watch.unseen(&bench.session), 20, "written just now, so a stamp says nothing");
    std::thread::sleep(Duration::from_millis(2100));
    bench.watch.hint(Hint::Overflow);
    assert!(bench.changed().is_empty());
    assert_eq!(bench.watch.unseen(&bench.session), 0);
    bench.write("7.md", "next");
    assert_eq!(bench.watch.unseen(&bench.session), 1);
}

#[test]
fn a_file_that_was_only_met_stays_unread_until_it_changes() {
    let prepare = |root: &Path, session: &mut Session| {
        write(&root.join("met.md"), "one");
        write(&root.join("read.md"), "one");
        session.discover(&["met.md".into(), "later.md".into()], &How::default()).unwrap();
        session.read(&[ReadFile { path: "read.md".into(), bytes: None }], &How::default()).unwrap();
    };
    let mut bench = Bench::new(prepare, false);
    assert!(bench.changed().is_empty());
    bench.write("met.md", "another");
    bench.write("read.md", "another");
    bench.write("later.md", "there");
    bench.write("stranger.md", "not of the session");
    ["met.md", "read.md", "later.md", "stranger.md"].iter().for_each(|name| bench.hint(name));
    assert_eq!(bench.changed(), ["later.md updated", "met.md updated", "read.md updated"]);
    std::fs::remove_file(bench.path("read.md")).unwrap();
    bench.hint("read.md");
    assert_eq!(bench.changed(), ["read.md updated gone"]);
}

#[test]
fn what_others_wrote_is_compared_again() {
    let mut bench = Bench::new(|root, _| write(&root.join("a.md"), "one"), true);
    std::thread::sleep(Duration::from_millis(2100));
    assert_eq!(bench.changed().len(), 1);
    assert_eq!(bench.watch.unseen(&bench.session), 0);
    let stale = ReadFile { path: "a.md".into(), bytes: Some(b"what an agent thinks".to_vec()) };
    bench.session.read(&[stale], &How::default()).unwrap();
    bench.watch.look_at_everything(Why::Time);
    assert_eq!(bench.changed(), ["a.md updated"]);
}

#[test]
fn what_is_behind_a_symlink_has_one_name() {
    let mut bench = Bench::new(nothing, true);
    let outside = TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.md"), "outside").unwrap();
    bench.write("real/a.md", "text");
    std::os::unix::fs::symlink(bench.path("real"), bench.path("folder-link")).unwrap();
    std::os::unix::fs::symlink(bench.path("real/a.md"), bench.path("file-link.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.path("out")).unwrap();
    for name in ["folder-link", "file-link.md", "out", "real"] {
        bench.hint(name);
    }
    assert_eq!(bench.changed(), ["real/a.md created"]);
    bench.watch.hint(Hint::Overflow);
    assert!(bench.changed().is_empty());
    // A file that becomes a link is gone.
    std::fs::remove_file(bench.path("real/a.md")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), bench.path("real/a.md")).unwrap();
    bench.hint("real/a.md");
    assert_eq!(bench.changed(), ["real/a.md updated gone"]);
}

/// As `session_read` does: through `admit`, by descriptors, and nothing that an index would not have.
#[test]
fn a_watch_reads_no_more_than_a_read() {
    let outside = TempDir::new().unwrap();
    write(&outside.path().join("secret.txt"), "marmalade");
    let mut bench = Bench::new(
        |root, session| {
            session.limit_to(root.to_owned(), |_| None);
            for name in ["linked.md", "ignored.md", "sub/below.md"] {
                write(&root.join(name), "as it was");
                session.read(&[ReadFile { path: name.into(), bytes: None }], &How::default()).unwrap();
            }
        },
        true,
    );
    assert!(bench.changed().is_empty());
    std::fs::remove_file(bench.path("linked.md")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), bench.path("linked.md")).unwrap();
    bench.write("ignored.md", "marmalade");
    bench.write(".aiignore", "ignored.md\n");
    std::fs::rename(bench.path("sub"), bench.path("moved")).unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.path("sub")).unwrap();
    write(&outside.path().join("below.md"), "marmalade");
    for name in ["linked.md", "ignored.md", "sub"] {
        bench.hint(name);
    }
    assert_eq!(bench.changed(), ["ignored.md updated"], "it is unread again");
    let seen = bench.session.seen().unwrap();
    let texts: Vec<_> = seen.iter().filter_map(|seen| bench.session.text(seen.text).unwrap()).collect();
    assert!(texts.iter().all(|text| text == "as it was"), "{texts:?}");
}
