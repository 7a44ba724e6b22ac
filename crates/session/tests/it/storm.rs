//! Following files while much happens to them: real files, real events, real git.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_base::watch::Pacing;
use ai_assist_identity::Sha256;
use ai_assist_session::object::FilesystemSource;
use ai_assist_session::resolver::MountMapping;
use ai_assist_session::watch::{WatchEvent, WatchOptions, watch};
use ai_assist_session::{Error, ReadFile, Session, indexer};
use ai_assist_store::objects::{AsOf, ObjectId, Objects};

use crate::bench::{Bench, file, now, read};

/// What a watch has events.
#[derive(Debug, PartialEq, Eq, Clone)]
enum Event {
    Watching,
    Blind(String),
    Changed(String, bool),
    Rescanned(String),
}

/// A watch in a thread of its own.
struct Watching {
    cancel: Cancel,
    events: Receiver<Event>,
    thread: Option<JoinHandle<ai_assist_session::Result<()>>>,
}

impl Watching {
    fn start(mut session: Session, options: WatchOptions) -> Self {
        let cancel = Cancel::default();
        let (sender, events) = channel();
        let stop = cancel.clone();
        let thread = std::thread::spawn(move || {
            watch(&mut session, &options, &stop, &mut |event| {
                let tell = |events| drop(sender.send(events));
                match event {
                    WatchEvent::Watching { .. } => tell(Event::Watching),
                    WatchEvent::Blind(why) => tell(Event::Blind(why)),
                    WatchEvent::Rescanned { why } => tell(Event::Rescanned(why)),
                    WatchEvent::Changed(changes) => {
                        changes.iter().for_each(|change| tell(Event::Changed(change.path.clone(), change.deleted)));
                    }
                }
            })
        });
        Watching { cancel, events, thread: Some(thread) }
    }

    /// Waits until this is events.
    fn until(&self, what: impl Fn(&Event) -> bool) -> Event {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            match self.events.recv_timeout(Duration::from_millis(100)) {
                Ok(events) if what(&events) => return events,
                _ => {}
            }
        }
        panic!("it was not events");
    }

    fn until_changed(&self, path: &str) {
        self.until(|events| *events == Event::Changed(path.to_owned(), false));
    }

    fn until_gone(&self, path: &str) {
        self.until(|events| *events == Event::Changed(path.to_owned(), true));
    }

    fn end(mut self) -> ai_assist_session::Result<()> {
        self.cancel.cancel();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Nothing but events leads to anything.
fn eager(folders: Vec<PathBuf>) -> WatchOptions {
    WatchOptions {
        folders,
        pacing: Pacing {
            quiet: Duration::from_millis(100),
            patience: Duration::from_secs(1),
            rescan: Duration::from_secs(3600),
            rescan_blind: Duration::from_secs(3600),
        },
        ..WatchOptions::default()
    }
}

type Contents = BTreeMap<PathBuf, Option<Sha256>>;

/// Every file below a folder, but for those that are not to be followed. Knows nothing of how they are followed.
fn on_disk(root: &Path) -> Contents {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && name != ".git" && name != "ignored" => open.push(path),
                Ok(kind) if kind.is_file() => {
                    let hash = std::fs::read(&path).ok().map(|bytes| Sha256::of(&bytes));
                    found.insert(path, hash.filter(|_| name != ".env"));
                }
                _ => {}
            }
        }
    }
    found
}

/// Every file below a folder that the store does not hold for gone.
fn in_store(objects: &dyn Objects, root: &Path) -> Contents {
    let mut found = BTreeMap::new();
    let ids = objects.of_kind("file").unwrap();
    for version in objects.get_many(&ids, AsOf::default(), true).unwrap().into_iter().flatten() {
        let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref()).unwrap();
        let path = source.to_path_buf();
        if !path.starts_with(root) || indexer::is_gone(&version) {
            continue;
        }
        let text = version.state.text.as_deref().map(|text| Sha256::of(text.as_bytes()));
        assert_eq!(text, version.head.file_hash, "the text of {} is not its bytes", path.display());
        found.insert(path, version.head.file_hash);
    }
    found
}

fn differences(disk: &Contents, store: &Contents) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = disk.keys().chain(store.keys()).collect();
    let differ = paths.into_iter().filter(|path| disk.get(*path) != store.get(*path));
    differ.map(|path| format!("{}: {:?}, stored {:?}", path.display(), disk.get(path), store.get(path))).collect()
}

/// Waits until the store is as the folder, and sees that it stays so.
fn assert_settles(bench: &Bench) -> Duration {
    let (begun, objects, root) = (Instant::now(), bench.objects(), bench.root());
    loop {
        let differ = differences(&on_disk(&root), &in_store(&objects, &root));
        if differ.is_empty() {
            break;
        }
        let shown = &differ[..differ.len().min(10)];
        assert!(begun.elapsed() < Duration::from_secs(30), "{} differ: {shown:#?}", differ.len());
        std::thread::sleep(Duration::from_millis(100));
    }
    let settled = begun.elapsed();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(differences(&on_disk(&root), &in_store(&objects, &root)), Vec::<String>::new());
    settled
}

fn sets(session: &Session) -> [Vec<ObjectId>; 4] {
    let sets = session.sets();
    [sets.index().collect(), sets.pool(), sets.active(), sets.pinned()]
        .map(|members: Vec<_>| members.into_iter().map(|member| member.id.clone()).collect())
}

/// Something at random in a folder that others work in, too. Whether anything happened: others may have been faster.
fn disturb(folder: &Path, random: &mut numbers::Random) -> bool {
    let at = |n: u64| folder.join(format!("d{}", n % 5)).join(format!("f{}.md", n / 5 % 30));
    let path = at(random.next());
    let text = format!("text {}\n", random.next());
    match random.next() % 40 {
        0..12 => {
            let made = path.parent().map(std::fs::create_dir_all);
            made.is_some_and(|made| made.is_ok()) && std::fs::write(&path, text).is_ok()
        }
        12..18 => {
            use std::io::Write;
            let opened = std::fs::OpenOptions::new().append(true).open(&path);
            opened.and_then(|mut file| file.write_all(text.as_bytes())).is_ok()
        }
        18..24 => std::fs::remove_file(&path).is_ok(),
        24..30 => std::fs::rename(&path, at(random.next())).is_ok(),
        30..38 => {
            // As editors save.
            let temporary = path.with_extension(format!("tmp{}", random.next() % 1000));
            std::fs::write(&temporary, text).is_ok() && std::fs::rename(&temporary, &path).is_ok()
        }
        38 => {
            let home = path.with_file_name("");
            let moved = folder.join(format!("moved{}", random.next() % 3));
            std::fs::rename(&home, &moved).is_ok() || std::fs::rename(&moved, &home).is_ok()
        }
        _ => std::fs::remove_dir_all(folder.join(format!("moved{}", random.next() % 3))).is_ok(),
    }
}

/// The same numbers each time.
mod numbers {
    pub(super) struct Random(pub(super) u64);

    impl Random {
        pub(super) fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 33
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with two branches that differ in 300 files.
fn repository(bench: &Bench) -> PathBuf {
    let folder = bench.root().join("repo");
    for n in 0..300 {
        bench.write(&format!("repo/p{}/f{n}.rs", n % 12), format!("fn main{n}() {{}}\n"));
    }
    git(&folder, &["init", "-q", "-b", "one"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "one"]);
    git(&folder, &["checkout", "-qb", "two"]);
    for n in 0..300 {
        let path = format!("repo/p{}/f{n}.rs", n % 12);
        match n % 3 {
            0 => drop(std::fs::remove_file(bench.root().join(path))),
            1 => drop(bench.write(&format!("repo/q{}/f{n}.rs", n % 7), "fn new() {}\n")),
            _ => drop(bench.write(&path, format!("fn other{n}() {{}}\n"))),
        }
    }
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "two"]);
    folder
}

#[test]
fn after_a_storm_the_store_equals_the_folder() {
    const WRITERS: u64 = 4;
    const EACH: usize = 2600;
    let bench = Bench::new();
    let mut session = bench.session("s");
    let repo = repository(&bench);
    bench.write(".gitignore", "ignored/\n");
    bench.write(".env", "TOKEN=1\n");
    bench.write("ignored/x.md", "not followed\n");
    bench.write("work/d0/f0.md", "first\n");
    read(&mut session, "work/d0/f0.md");
    session.discover(&["work/d1/f1.md".into()], &now()).unwrap();
    let before = sets(&session);
    // So impatient that files are looked at all the time while they change.
    let (quiet, patience) = (Duration::from_millis(30), Duration::from_millis(100));
    let mut options = eager(vec![bench.root()]);
    (options.pacing.quiet, options.pacing.patience) = (quiet, patience);
    let watching = Watching::start(bench.load("s"), options);
    watching.until(|events| *events == Event::Watching);
    let begun = Instant::now();
    let events = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (folder, events) = (bench.root().join(if writer % 2 == 0 { "work" } else { "other" }), &events);
            scope.spawn(move || {
                let mut random = numbers::Random(writer + 1);
                let mut done = 0;
                while done < EACH {
                    let happened = usize::from(disturb(&folder, &mut random));
                    done += happened;
                    // In gusts, so that there is time to look at files while they change again.
                    if happened > 0 && done % 40 == 0 {
                        std::thread::sleep(Duration::from_millis(random.next() % 80));
                    }
                    events.fetch_add(happened, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            for branch in ["one", "two", "one", "two", "one", "two", "one"] {
                git(&repo, &["checkout", "-q", branch]);
                events.fetch_add(300, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(170));
            }
        });
    });
    let stormed = begun.elapsed();
    let events = events.into_inner();
    assert!(events >= 10_000);
    let settled = assert_settles(&bench);
    let rescans = watching.events.try_iter().filter(|events| matches!(events, Event::Rescanned(_))).count();
    let files = on_disk(&bench.root()).len();
    println!("{events} changes in {stormed:.1?}, {files} files settled {settled:.1?} later, {rescans} rescans");
    watching.end().unwrap();
    assert_eq!(sets(&bench.load("s")), before, "the sets stay as they are");
    assert_eq!(bench.load("s").resume(&Cancel::default()).unwrap().files, [], "nothing is left to do");
}

#[test]
fn the_files_of_a_session_are_followed_without_any_folder() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().canonicalize().unwrap().join("sub/other.md");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "one").unwrap();
    for name in ["a.md", "b.md", "stranger.md"] {
        bench.write(name, "one");
    }
    session.read(&[file("a.md"), file("b.md"), file(&other)], &now()).unwrap();
    let watching = Watching::start(bench.load("s"), eager(Vec::new()));
    watching.until(|events| *events == Event::Watching);
    let current = |path: &Path| {
        let objects = bench.objects();
        in_store(&objects, path).remove(path).flatten()
    };
    let at = |name: &str| bench.root().join(name);
    for text in ["atomic", "atomic again"] {
        std::fs::rename(bench.write("a.md.tmp", text), at("a.md")).unwrap();
        watching.until_changed("a.md");
        assert_eq!(current(&at("a.md")), Some(Sha256::of(text.as_bytes())));
    }
    std::fs::remove_file(at("b.md")).unwrap();
    watching.until_gone("b.md");
    bench.write("b.md", "again");
    watching.until_changed("b.md");
    std::fs::rename(at("stranger.md"), at("b.md")).unwrap();
    watching.until_changed("b.md");
    assert_eq!(current(&at("b.md")), Some(Sha256::of(b"one")));
    let shown = other.to_str().unwrap();
    std::fs::write(&other, "two").unwrap();
    watching.until_changed(shown);
    // Its folder goes and comes again.
    std::fs::remove_dir_all(other.parent().unwrap()).unwrap();
    watching.until_gone(shown);
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::thread::sleep(Duration::from_millis(400));
    std::fs::write(&other, "three").unwrap();
    watching.until_changed(shown);
    // One that joins meanwhile, and one that has nothing to do with the session.
    bench.write("joins.md", "one");
    session.read(&[file("joins.md")], &now()).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    bench.write("stranger.md", "x");
    bench.write("joins.md", "two");
    watching.until_changed("joins.md");
    assert_eq!(current(&at("stranger.md")), None);
    watching.end().unwrap();
    assert_eq!(sets(&bench.load("s"))[0].len(), 4);
}

#[test]
fn a_container_is_followed_where_its_files_are() {
    let bench = Bench::new();
    let mut new = bench.new_session("s");
    new.folder = Some("/work".to_owned());
    new.mounts = vec![MountMapping {
        agent_prefix: "/work".into(),
        canonical_prefix: bench.root(),
        filesystem_id: "host".to_owned(),
    }];
    let mut session = Session::create(Box::new(bench.objects()), new).unwrap();
    bench.write("a.md", "one");
    read(&mut session, "/work/a.md");
    // A file of the container that happens to have the path of one here.
    let inner = bench.write("inner.md", "of this machine");
    let inside = ReadFile { path: inner.clone(), bytes: Some(b"of the container".to_vec()) };
    let inside: ObjectId = session.read(&[inside], &now()).unwrap()[0].id.parse().unwrap();
    let watching = Watching::start(bench.load("s"), eager(Vec::new()));
    watching.until(|events| *events == Event::Watching);
    std::fs::write(&inner, "changed here").unwrap();
    bench.write("a.md", "two");
    watching.until_changed("a.md");
    watching.end().unwrap();
    let document = session.document(&inside, AsOf::default()).unwrap().unwrap();
    assert_eq!(document["content"], "of the container");
    // A folder that no mount leads to can't be followed.
    let outside = tempfile::tempdir().unwrap();
    let options = eager(vec![outside.path().to_owned()]);
    let error = watch(&mut session, &options, &Cancel::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(&error, Error::Unreadable { .. }), "{error}");
}

#[test]
fn a_session_that_goes_away_ends_its_watch() {
    let bench = Bench::new();
    let session = bench.session("s");
    let watching = Watching::start(bench.load("s"), eager(Vec::new()));
    watching.until(|events| *events == Event::Watching);
    let ids = [session.id().clone(), session.chat_id().clone(), session.system_prompt_id().clone()];
    bench.objects().forget(&ids, None).unwrap();
    let mut watching = watching;
    let error = watching.thread.take().unwrap().join().unwrap().unwrap_err();
    assert!(matches!(&error, Error::UnknownSession { .. }), "{error}");
}

const FEW: &str = "AI_ASSIST_SESSION_TEST_FEW_WATCHES";

/// Not a test by itself: this binary again, where the system has hardly any watches to give.
#[test]
#[ignore = "the child of another test"]
fn child_with_few_watches() {
    if std::env::var_os(FEW).is_none() {
        return;
    }
    let bench = Bench::new();
    bench.session("s");
    for n in 0..20 {
        bench.write(&format!("d{n:02}/f.md"), "one");
    }
    let mut options = eager(vec![bench.root()]);
    options.pacing.rescan_blind = Duration::from_millis(500);
    let watching = Watching::start(bench.load("s"), options);
    let events = watching.until(|events| matches!(events, Event::Blind(_)));
    println!("{events:?}");
    for n in 0..20 {
        bench.write(&format!("d{n:02}/f.md"), "two");
    }
    bench.write("d19/new/g.md", "new");
    assert_settles(&bench);
    // With fewer folders there are watches enough again.
    for n in 3..20 {
        std::fs::remove_dir_all(bench.root().join(format!("d{n:02}"))).unwrap();
    }
    watching.until(|events| *events == Event::Watching);
    assert_settles(&bench);
    watching.end().unwrap();
    println!("still found");
}

#[test]
fn without_watches_it_is_said_and_changes_are_still_found() {
    let script = "echo 8 > /proc/sys/user/max_inotify_watches || exit 77; exec \"$0\" \"$@\"";
    let child = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "storm::child_with_few_watches", "--ignored", "--nocapture"])
        .env(FEW, "1")
        .output();
    let output = match child {
        Ok(output) => output,
        Err(error) => return println!("skipped: unshare can't be run: {error}"),
    };
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(77) || err.contains("unshare failed") {
        return println!("skipped: no user namespace with limits of its own here: {err}");
    }
    assert!(output.status.success(), "{out}{err}");
    assert!(out.contains("max_user_watches") && out.contains("still found"), "{out}");
}
