//! Other processes: counting together, sending the same requests, and being killed.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use ai_assist_store::objects::{AsOf, Content, ObjectWrite, Objects, Op, RequestId, SqliteObjects};
use ai_assist_store::{Seq, SqliteStore, Store};
use tempfile::TempDir;

use super::concurrency::{assert_counted, count};
use super::fixture::{delta, id, now, put, requested, state, write};

const DATABASE: &str = "AI_ASSIST_OBJECTS_TEST_DATABASE";
const JOB: &str = "AI_ASSIST_OBJECTS_TEST_JOB";
const FIRST: &str = "AI_ASSIST_OBJECTS_TEST_FIRST";

/// Not a test by itself: this binary started again by the tests below, told by the environment what to do.
#[test]
#[ignore = "the child of other tests"]
fn child() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let mut objects = SqliteObjects::open(Path::new(&path)).unwrap();
    match std::env::var(JOB).unwrap().as_str() {
        "count" => count(&mut objects, 20),
        "requests" => {
            for n in 0..30 {
                objects.write(requested(&format!("r{n}"), vec![put("a", "x")])).unwrap();
            }
        }
        "acknowledge" => acknowledge(&mut objects, std::env::var(FIRST).unwrap().parse().unwrap()),
        other => panic!("{other}"),
    }
}

fn start(path: &Path, job: &str, first: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "objects::processes::child", "--ignored", "--nocapture"])
        .env(DATABASE, path)
        .env(JOB, job)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn run_together(path: &Path, job: &str, processes: usize) {
    let children: Vec<_> = (0..processes).map(|_| start(path, job, 0)).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(SqliteStore::open(path).unwrap().check().unwrap(), []);
}

#[test]
fn counted_by_many_processes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    run_together(&path, "count", 4);
    assert_counted(&SqliteObjects::open(&path).unwrap(), 80);
}

#[test]
fn requests_sent_by_many_processes_are_done_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    run_together(&path, "requests", 4);
    assert_eq!(SqliteObjects::open(&path).unwrap().history(&id("a")).unwrap().len(), 30);
}

fn text(round: u64) -> String {
    format!("round {round}\n").repeat(200)
}

/// Three writes that belong together.
fn writes(round: u64) -> Vec<ObjectWrite> {
    let said = Op::Delta { body: round.to_string(), content: Some(Content::new(format!("said {round}"))) };
    let file = write("file", Op::Put(state(&round.to_string(), Some(&text(round)))));
    // Large enough to fill a few pages each time.
    let noise: String = (0..2_000u64).map(|i| format!("{:x}", (i ^ round).wrapping_mul(2_654_435_761))).collect();
    vec![file, write("session", said), write(&format!("call-{}", round % 7), Op::Put(state(&noise, None)))]
}

/// Writes until it is killed, and says so after each write.
fn acknowledge(objects: &mut SqliteObjects, first: u64) {
    let mut out = std::io::stdout();
    for round in first.. {
        let written = objects.write(requested(&format!("r{round}"), writes(round))).unwrap();
        let seqs: Vec<_> = written.seqs.iter().map(Seq::to_string).collect();
        writeln!(out, "\nack {round} {}.", seqs.join(" ")).unwrap();
        out.flush().unwrap();
    }
}

/// What was said before the end, which may have come in the middle of a line.
fn acknowledged(output: &str) -> Vec<(u64, Vec<Seq>)> {
    let whole = output.lines().filter_map(|line| line.strip_prefix("ack ")?.strip_suffix('.'));
    let numbers = whole.map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<u64>>());
    numbers.map(|numbers| (numbers[0], numbers[1..].iter().copied().map(Seq).collect())).collect()
}

fn killed_after(path: &Path, first: u64, wait: Duration) -> Vec<(u64, Vec<Seq>)> {
    let mut child = start(path, "acknowledge", first);
    let mut pipe = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut output = String::new();
        pipe.read_to_string(&mut output).unwrap();
        output
    });
    thread::sleep(wait);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it ended by itself");
    acknowledged(&reader.join().unwrap())
}

/// The rounds that are there, each whole.
fn rounds_of(objects: &SqliteObjects) -> u64 {
    let events = objects.events_since(Seq(0), usize::MAX).unwrap();
    // The session's first state comes before all rounds.
    let rounds = events[1..].chunks(3);
    let count = rounds.len() as u64;
    for (round, chunk) in (0..).zip(rounds) {
        let recorded = objects.recorded(&RequestId(format!("r{round}"))).unwrap().unwrap();
        assert_eq!(chunk.iter().map(|head| head.seq).collect::<Vec<_>>(), recorded.seqs, "round {round} is torn");
        let file = objects.version(recorded.seqs[0]).unwrap().unwrap();
        assert_eq!((file.state.fields, file.state.text.unwrap()), (round.to_string(), text(round)));
    }
    let deltas = objects.deltas(&id("session"), AsOf::default()).unwrap();
    let bodies: Vec<_> = deltas.into_iter().map(|delta| delta.body).collect();
    assert_eq!(bodies, (0..count).map(|round| round.to_string()).collect::<Vec<_>>());
    count
}

#[test]
fn a_writer_that_is_killed_loses_nothing_it_acknowledged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    let mut objects = SqliteObjects::open(&path).unwrap();
    objects.write(requested("session", vec![put("session", "new")])).unwrap();
    drop(objects);
    let (mut seen, mut rounds, mut progress) = (HashSet::new(), 0, 0);
    for kill in 0..25u64 {
        // The first is let live until it has surely written; the rest die anywhere, opening included.
        let wait = if kill == 0 { 600_000 } else { kill * kill * 7_919 % 130_000 };
        let said = killed_after(&path, rounds, Duration::from_micros(wait));
        let objects = SqliteObjects::open(&path).unwrap();
        let there = rounds_of(&objects);
        for (round, seqs) in &said {
            assert!(*round < there, "round {round} was acknowledged, and {there} are there");
            assert_eq!(&objects.recorded(&RequestId(format!("r{round}"))).unwrap().unwrap().seqs, seqs);
            assert!(seqs.iter().all(|seq| seen.insert(*seq)), "a number given twice in round {round}");
        }
        // No more than the one it was about to acknowledge.
        assert!(there <= rounds + said.len() as u64 + 1);
        assert_eq!(SqliteStore::open(&path).unwrap().check().unwrap(), []);
        progress += u64::from(there > rounds);
        rounds = there;
    }
    assert!(progress > 5, "too little was written between the kills to show anything");
    let mut objects = SqliteObjects::open(&path).unwrap();
    objects.write(requested("end", vec![delta("session", "end")])).unwrap();
    assert!(now(&objects, "file").is_some());
}
