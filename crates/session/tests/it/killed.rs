//! A process that is killed at any moment: what it had acknowledged is there, and whole.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_identity::object::{content_hash, identity_hash, metadata_hash, object_hash};
use ai_assist_identity::{ContentHash, Sha256};
use ai_assist_session::object::{ObjectKind, Role};
use ai_assist_session::sets::Member;
use ai_assist_session::{NewSession, Session};
use ai_assist_store::objects::{AsOf, ObjectId, SqliteObjects, VersionKind};
use ai_assist_store::{SqliteStore, Store};
use serde_json::{Map, Value};

use crate::bench::{Bench, file, now};
use crate::working::call;

const DATABASE: &str = "AI_ASSIST_SESSION_TEST_DATABASE";
const FOLDER: &str = "AI_ASSIST_SESSION_TEST_FOLDER";
const START: &str = "AI_ASSIST_SESSION_TEST_START";
const ROUNDS: u64 = 32;

/// Not a test by itself: this binary again, told by the environment what to do. It works until it is killed, and says of each
/// thing that it is done.
#[test]
#[ignore = "the child of another test"]
fn child() {
    let Some(database) = std::env::var_os(DATABASE) else { return };
    let folder = std::env::var(FOLDER).unwrap();
    let start: u64 = std::env::var(START).unwrap().parse().unwrap();
    let mut session = Session::load(Box::new(SqliteObjects::open(Path::new(&database)).unwrap()), "s").unwrap();
    for n in start.. {
        let (name, met) = (format!("f{}.md", n % 40), format!("met{n}.md"));
        let text = format!("version {n}\n").repeat(1 + n as usize % 300);
        std::fs::write(Path::new(&folder).join(&name), &text).unwrap();
        let id = session.read(&[file(&name)], &now()).unwrap()[0].id.clone();
        done(&format!("read {id} {}", Sha256::of(text.as_bytes())));
        let id = session.discover(&[met.into()], &now()).unwrap()[0].id.clone();
        done(&format!("met {id}"));
        let mut tool = call("ls", &format!("output {n}"));
        tool.files = vec![name.into()];
        done(&format!("called {} {n}", session.toolcall(&tool, &now()).unwrap()));
        let turns = session.say(Role::User, &format!("turn {n}"), &now()).unwrap();
        done(&format!("said {turns} {n}"));
        let id: ObjectId = session.sets().active()[n as usize % session.sets().active().len()].id.clone();
        session.pin(std::slice::from_ref(&id), &now()).unwrap();
        done(&format!("pinned {id}"));
    }
}

fn done(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\ndone {what}").unwrap();
    out.flush().unwrap();
}

/// What was acknowledged, over all rounds.
#[derive(Debug, Default)]
struct Acknowledged {
    /// Every hash that a file was read with.
    read: BTreeMap<String, BTreeSet<String>>,
    met: BTreeSet<String>,
    called: BTreeMap<String, String>,
    said: BTreeMap<usize, String>,
    pinned: BTreeSet<String>,
    count: usize,
}

impl Acknowledged {
    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["done", "read", id, hash] => drop(self.read.entry((*id).into()).or_default().insert((*hash).into())),
            ["done", "met", id] => drop(self.met.insert((*id).into())),
            ["done", "called", id, n] => drop(self.called.insert((*id).into(), format!("output {n}"))),
            ["done", "said", turns, n] => drop(self.said.insert(turns.parse().unwrap(), format!("turn {n}"))),
            ["done", "pinned", id] => drop(self.pinned.insert((*id).into())),
            _ => return,
        }
        self.count += 1;
    }
}

/// Lets a child work and kills it after so long. What it has said is noted.
fn work_and_kill(bench: &Bench, round: u64, after: Duration, acknowledged: &mut Acknowledged) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--ignored", "--nocapture"])
        .env(DATABASE, bench.database())
        .env(FOLDER, bench.root())
        .env(START, (round * 1_000_000).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let whole = |line: &Vec<u8>| line.last() == Some(&b'\n');
        let mut lines = Vec::new();
        let (mut out, mut line) = (BufReader::new(out), Vec::new());
        while out.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            // A line without an end was being written when it was killed.
            if whole(&line) {
                lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            line.clear();
        }
        lines
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it ended by itself");
    for line in reader.join().unwrap() {
        acknowledged.take(&line);
    }
}

fn ids<'m>(members: impl IntoIterator<Item = &'m Member>) -> BTreeSet<String> {
    members.into_iter().map(|member| member.id.to_string()).collect()
}

/// Whether everything that was acknowledged is there.
fn assert_kept(session: &Session, acknowledged: &Acknowledged) {
    let (objects, sets) = (session.objects(), session.sets());
    let [index, pool, active, pinned] = [ids(sets.index()), ids(sets.pool()), ids(sets.active()), ids(sets.pinned())];
    assert!(pool.is_subset(&index) && active.is_subset(&pool) && pinned.is_subset(&pool));
    for (id, hashes) in &acknowledged.read {
        assert!(active.contains(id), "{id}");
        let history = objects.history(&id.parse().unwrap()).unwrap();
        let kept: BTreeSet<String> = history.iter().filter_map(|head| Some(head.file_hash?.to_string())).collect();
        assert!(hashes.is_subset(&kept), "{id}: {:?}", hashes.difference(&kept));
    }
    assert!(acknowledged.met.is_subset(&pool) && acknowledged.pinned.is_subset(&pinned));
    for (id, output) in &acknowledged.called {
        let document = session.document(&id.parse().unwrap(), AsOf::default()).unwrap().unwrap();
        assert_eq!(document["content"], output.as_str());
        assert!(active.contains(id));
    }
    let chat = session.document(session.chat_id(), AsOf::default()).unwrap().unwrap();
    let turns = chat["turns"].as_array().unwrap();
    for (turn, text) in &acknowledged.said {
        assert!(turns[*turn - 1].to_string().contains(&format!("\"{text}\"")), "{} is not {text}", turns[*turn - 1]);
    }
}

/// Whether every version of everything is whole: its five hashes are those of what it has.
fn assert_whole(session: &Session) -> usize {
    let objects = session.objects();
    let mut versions = 0;
    for kind in [ObjectKind::File, ObjectKind::Toolcall, ObjectKind::SystemPrompt] {
        for id in objects.of_kind(kind.as_str()).unwrap() {
            for head in objects.history(&id).unwrap().iter().filter(|head| head.event == VersionKind::Put) {
                let version = objects.version(head.seq).unwrap().unwrap();
                assert_document(&ai_assist_session::object::document(&version).unwrap());
                versions += 1;
            }
        }
    }
    for id in [session.id(), session.chat_id()] {
        assert_document(&session.document(id, AsOf::default()).unwrap().unwrap());
    }
    versions
}

const FIELDS: [(&str, &[&str]); 5] = [
    ("file", &["file_type", "char_count"]),
    ("toolcall", &["tool", "args", "args_display", "status", "chat_ref", "file_refs"]),
    ("chat", &["turns", "session_ref", "turn_count", "toolcall_refs"]),
    ("system_prompt", &[]),
    (
        "session",
        &["session_id", "chat_ref", "system_prompt_ref", "session_index", "metadata_pool", "active_set", "pinned_set"],
    ),
];

fn assert_document(document: &Map<String, Value>) {
    let text = |key: &str| document[key].as_str();
    let id = text("xt/id").unwrap();
    let kind = text("type").unwrap();
    let source = Some(&document["source"]).filter(|source| !source.is_null());
    assert_eq!(text("identity_hash"), Some(identity_hash(kind, source, id).unwrap().to_string().as_str()), "{id}");
    let content: Option<ContentHash> = content_hash(text("content"));
    assert_eq!(text("content_hash").map(str::to_owned), content.map(|hash| hash.to_string()), "{id}");
    let (_, names) = FIELDS.iter().find(|(of, _)| *of == kind).unwrap();
    let fields: Map<String, Value> =
        names.iter().filter_map(|name| Some(((*name).to_owned(), document.get(*name)?.clone()))).collect();
    let metadata = metadata_hash(&fields).unwrap();
    assert_eq!(text("metadata_hash"), Some(metadata.to_string().as_str()), "{id}");
    let file_hash: Option<Sha256> = text("file_hash").map(|hash| hash.parse().unwrap());
    if let (Some(file_hash), Some(content)) = (file_hash, text("content")) {
        assert_eq!(file_hash, Sha256::of(content.as_bytes()), "{id}");
    }
    let object = object_hash(file_hash, content, metadata).unwrap();
    assert_eq!(text("object_hash"), Some(object.to_string().as_str()), "{id}");
}

#[test]
fn a_session_that_is_killed_loses_nothing_that_it_acknowledged() {
    let bench = Bench::new();
    let new = NewSession { ..bench.new_session("s") };
    drop(Session::create(Box::new(bench.objects()), new).unwrap());
    let begun = Instant::now();
    let mut acknowledged = Acknowledged::default();
    let mut busy = 0;
    for round in 0..ROUNDS {
        let before = acknowledged.count;
        // From while it opens to well into its work, at another point of an operation each time.
        let after = Duration::from_micros(30_000 + round * round * 7919 % 170_000);
        work_and_kill(&bench, round, after, &mut acknowledged);
        busy += usize::from(acknowledged.count > before);
        let mut session = bench.load("s");
        assert_kept(&session, &acknowledged);
        let sets = session.document(session.id(), AsOf::default()).unwrap();
        session.resume(&Cancel::default()).unwrap();
        assert_eq!(session.document(session.id(), AsOf::default()).unwrap(), sets, "resuming leaves the sets");
        assert_kept(&session, &acknowledged);
    }
    let session = bench.load("s");
    let versions = assert_whole(&session);
    assert!(SqliteStore::open(&bench.database()).unwrap().check().unwrap().is_empty());
    assert!(busy > ROUNDS as usize / 2, "too little was done between the kills to show anything: {busy}");
    println!(
        "{} operations acknowledged in {ROUNDS} lives, {versions} versions whole, {:.1?}",
        acknowledged.count,
        begun.elapsed()
    );
}
