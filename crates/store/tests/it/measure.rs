//! How long things take. `cargo nextest run -p ai-assist-store --run-ignored only measure --no-capture`

use std::time::{Duration, Instant};

use ai_assist_store::objects::{AsOf, Moment, NewState, Objects, Op, SqliteObjects, System, Valid};
use ai_assist_store::{Change, NewDocument, Seq, SqliteStore, Store};
use tempfile::TempDir;

use crate::conformance::fixture::{document, folder};
use crate::objects::fixture::{batch, delta, id, put, state, valid};

const DOCUMENTS: usize = 15_000;

/// About five kilobytes each, seven chunks, words as in a manual.
fn corpus() -> Vec<NewDocument> {
    let words =
        ["the", "store", "keeps", "every", "document", "whole", "and", "index", "reads", "it", "again", "later"];
    let mut random = 7_u64;
    (0..DOCUMENTS)
        .map(|i| {
            let mut text = String::with_capacity(5_200);
            for line in 0..7 {
                text.push_str(&format!("Section {line} of document {i}:"));
                for _ in 0..110 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let number = (random >> 33) as usize;
                    text.push(' ');
                    text.push_str(words[number % words.len()]);
                    if number.is_multiple_of(7) {
                        text.push_str(&format!("{:x}", number >> 8));
                    }
                }
                text.push('\n');
            }
            document(&format!("section-{:02}/part-{:03}/page-{i:05}.md", i % 40, i % 700), &text)
        })
        .collect()
}

fn best<T>(times: usize, mut job: impl FnMut() -> T) -> Duration {
    let run = |job: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        std::hint::black_box(job());
        start.elapsed()
    };
    (0..times).map(|_| run(&mut job)).min().unwrap()
}

#[test]
#[ignore = "prints timings"]
fn measure() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("assist.db");
    let documents = corpus();
    let bytes: usize = documents.iter().map(|new| new.text.len()).sum();

    let start = Instant::now();
    let changes: Vec<Change> = documents.iter().map(|new| Change::put(new.clone()).unwrap()).collect();
    let prepare = start.elapsed();
    println!("{DOCUMENTS} documents, {} chunks, {} MB", DOCUMENTS * 7, bytes / 1_000_000);
    println!("prepare (one thread)        {prepare:>10.1?}");

    let mut store = SqliteStore::open(&path).unwrap();
    let id = store.ensure_collection(&folder("docs")).unwrap().id;
    let again = changes.clone();
    for (name, changes) in [("first", changes), ("replace all", again.clone())] {
        let start = Instant::now();
        let mut changes = changes.into_iter().peekable();
        while changes.peek().is_some() {
            store.apply(&id, changes.by_ref().take(500).collect()).unwrap();
        }
        println!("apply, batches of 500, {name:<12} {:>10.1?}", start.elapsed());
    }
    let touches = store.heads(&id).unwrap();
    let touches = touches.into_iter().map(|head| Change::Touch { path: head.path, stamp: None }).collect();
    let start = Instant::now();
    store.apply(&id, touches).unwrap();
    println!("touch all                   {:>10.1?}", start.elapsed());
    println!("heads, warm                 {:>10.1?}", best(60, || store.heads(&id).unwrap()));
    println!("open                        {:>10.1?}", best(10, || SqliteStore::open(&path).unwrap()));
    println!(
        "open + heads                {:>10.1?}",
        best(60, || SqliteStore::open(&path).unwrap().heads(&id).unwrap())
    );
    println!("state                       {:>10.1?}", best(100, || store.state(&id).unwrap()));
    let name = documents[777].path.clone();
    println!("document                    {:>10.1?}", best(100, || store.document(&id, &name).unwrap()));
    println!("list                        {:>10.1?}", best(5, || store.list_documents(&id).unwrap()));
    let replay = || {
        let mut reached = Seq(0);
        while let Some(last) = store.changes_since(&id, reached, 500).unwrap().last() {
            reached = last.seq();
        }
    };
    println!("changes_since, all          {:>10.1?}", best(2, replay));
    println!("check                       {:>10.1?}", best(1, || store.check().unwrap()));
    let size = std::fs::metadata(&path).unwrap().len();
    println!("file                        {:>8} MB, {:.2} of the text", size / 1_000_000, size as f64 / bytes as f64);
    println!("drop                        {:>10.1?}", best(1, || store.drop_collection(&id).unwrap()));
}

/// The median of many single calls, each with another argument.
fn median<T>(times: usize, mut job: impl FnMut(usize) -> T) -> Duration {
    let mut taken: Vec<_> = (0..times)
        .map(|n| {
            // Spread over the whole range, and not in order.
            let at = n.wrapping_mul(7_919);
            let start = Instant::now();
            std::hint::black_box(job(at));
            start.elapsed()
        })
        .collect();
    taken.sort_unstable();
    taken[times / 2]
}

const VERSIONS: usize = 10_000;
const DELTAS: usize = 100_000;

#[test]
#[ignore = "prints timings"]
fn measure_objects() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("assist.db");
    let mut objects = SqliteObjects::open(&path).unwrap();
    let file = |n: usize| {
        let text = format!("fn main() {{ println!(\"{}\"); }}\n", n % 100).repeat(40);
        let fields = format!("{{\"char_count\":{},\"file_type\":\"rust\"}}", text.len());
        let mut write = put("file", "");
        let state = NewState { fields, ..state("", Some(&text)) };
        write.op = Op::Put(state);
        write
    };
    let start = Instant::now();
    let mut moments = Vec::new();
    for n in 0..VERSIONS / 100 {
        let written = objects.write(batch((n * 100..n * 100 + 100).map(file).collect())).unwrap();
        moments.extend(written.seqs.into_iter().map(|seq| (seq, written.system)));
    }
    println!("{VERSIONS} versions, batches of 100   {:>10.1?}", start.elapsed());
    println!(
        "one durable write               {:>10.1?}",
        median(200, |n| objects.write(batch(vec![file(n)])).unwrap())
    );

    let name = id("file");
    println!(
        "get, now                        {:>10.1?}",
        median(20_000, |_| objects.get(&name, AsOf::default()).unwrap())
    );
    let at = |system, valid| AsOf { system, valid };
    let point = |n: usize| moments[n % moments.len()];
    let report = |what: &str, question: &dyn Fn(usize) -> AsOf| {
        println!("get, {what:<26} {:>10.1?}", median(20_000, |n| objects.get(&name, question(n)).unwrap()));
    };
    report("by number", &|n| at(System::Seq(point(n).0), Valid::Now));
    report("by system time", &|n| at(System::Time(point(n).1), Valid::Now));
    report("by valid time", &|n| at(System::Now, Valid::Time(point(n).1)));
    report("by both times", &|n| at(System::Time(point(n).1), Valid::Time(point(n / 3).1)));
    println!("history                         {:>10.1?}", best(5, || objects.history(&name).unwrap()));

    objects.write(batch(vec![put("session", "new")])).unwrap();
    let start = Instant::now();
    for n in 0..DELTAS / 1000 {
        let body = |m| format!("{{\"add\":[\"file:{:064x}\"],\"to\":[\"index\",\"pool\"]}}", n * 1000 + m);
        objects.write(batch((0..1000).map(|m| delta("session", &body(m))).collect())).unwrap();
    }
    println!("{DELTAS} deltas, batches of 1,000 {:>10.1?}", start.elapsed());
    let name = id("session");
    println!(
        "get, under all deltas           {:>10.1?}",
        median(20_000, |_| objects.get(&name, AsOf::default()).unwrap())
    );
    println!("last_of                         {:>10.1?}", median(20_000, |_| objects.last_of(&name).unwrap()));
    println!("all deltas                      {:>10.1?}", best(5, || objects.deltas(&name, AsOf::default()).unwrap()));
    println!(
        "one durable delta               {:>10.1?}",
        median(200, |_| objects.write(batch(vec![delta("session", "{}")])).unwrap())
    );

    let spans =
        (0..VERSIONS as i64).map(|n| valid(put("corrected", "x"), n * 7_919 % 10_000, Some(n * 7_919 % 10_000 + 5)));
    objects.write(batch(spans.collect())).unwrap();
    let name = id("corrected");
    let question = |n: usize| at(System::Now, Valid::Time(Moment((n % VERSIONS) as i64)));
    println!("get, among 10,000 corrections   {:>10.1?}", median(2_000, |n| objects.get(&name, question(n)).unwrap()));
    println!(
        "check                           {:>10.1?}",
        best(1, || SqliteStore::open(&path).unwrap().check().unwrap())
    );
    println!("file                            {:>8} kB", std::fs::metadata(&path).unwrap().len() / 1000);
    println!(
        "forget the session              {:>10.1?}",
        best(1, || objects.forget(std::slice::from_ref(&name), None).unwrap())
    );
}
