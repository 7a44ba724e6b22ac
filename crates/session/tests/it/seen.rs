//! What is kept of a session for its searches is what reading everything anew would give.

use std::path::PathBuf;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_session::object::Role;
use ai_assist_session::search::{Find, Seen};
use ai_assist_session::transcript::{self, Event, Role as Speaker, Seen as SeenThen, SeenFile, Transcript, What};
use ai_assist_session::{How, Session};
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Objects, System, Valid};
use serde_json::json;

use crate::bench::{Bench, now, read};
use crate::working::call;

fn index(bench: &Bench) -> PathBuf {
    bench.database().with_file_name("index")
}

fn found(bench: &Bench, session: &mut Session, query: &str) -> Vec<String> {
    let find =
        Find { query, limit: 10, since: None, until: None, kinds: &[], rank_by: Default::default(), full: false };
    let answer = session.search(&find, &index(bench), StaticModel::bundled()).unwrap();
    answer.found.iter().map(|found| format!("{} {} {:?}", found.label, found.seq, found.score.to_bits())).collect()
}

/// What is kept in memory and in the file is what a session says that has just been opened.
fn assert_kept(bench: &Bench, session: &mut Session) {
    session.refresh().unwrap();
    let anew: Vec<Seen> = bench.load(session.name()).seen().unwrap();
    assert_eq!(session.seen().unwrap(), anew, "in memory");
    assert_eq!(bench.load(session.name()).seen_kept(&index(bench)).unwrap(), anew, "in the file");
}

/// What happens to a session, and what another one does.
type Step<'s> = &'s dyn Fn(&mut Session, &mut Session);

#[test]
fn the_list_is_kept_up_whatever_happens() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let mut other = bench.session("other");
    let steps: [Step<'_>; 12] = [
        &|_, _| {},
        &|session, _| drop(read(session, "a.md")),
        &|session, _| _ = session.say(Role::User, "What is in it?", &now()).unwrap(),
        &|session, _| drop(session.toolcall(&call("cat", "two\n"), &now()).unwrap()),
        // A version of a file that another session has read.
        &|_, other| {
            bench.write("a.md", "three\n");
            read(other, "a.md");
        },
        &|_, other| drop(read(other, "b.md")),
        &|session, _| drop(read(session, "b.md")),
        &|session, _| drop(session.discover(&["c.md".into()], &now()).unwrap()),
        &|session, _| drop(read(session, "c.md")),
        // Somebody else at the same session.
        &|_, _| {
            let mut second = bench.load("s");
            read(&mut second, "d.md");
            second.say(Role::Assistant, "Four files.", &now()).unwrap();
        },
        &|session, _| {
            std::fs::remove_file(bench.root().join("b.md")).unwrap();
            session.resume(&Cancel::default()).unwrap();
        },
        &|session, _| {
            let id = session.find("a.md").unwrap();
            session.forget(&[id], &now()).unwrap();
        },
    ];
    for name in ["a", "b", "c", "d"] {
        bench.write(&format!("{name}.md"), format!("the text of {name}\n"));
    }
    for (n, step) in steps.iter().enumerate() {
        step(&mut session, &mut other);
        println!("step {n}");
        assert_kept(&bench, &mut session);
        // The copy may be any number of steps old, and is as good.
        if n % 3 == 0 {
            session.seen_kept(&index(&bench)).unwrap();
        }
    }
    assert!(session.seen().unwrap().len() >= 8);
}

#[test]
fn what_another_process_writes_between_two_searches_is_found() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "the walrus\n");
    bench.write("b.md", "the narwhal\n");
    read(&mut session, "a.md");
    assert!(found(&bench, &mut session, "walrus")[0].starts_with("a.md "));
    let mut second = bench.load("s");
    read(&mut second, "b.md");
    second.say(Role::User, "And the beluga?", &now()).unwrap();
    assert!(found(&bench, &mut session, "narwhal")[0].starts_with("b.md "));
    assert!(found(&bench, &mut session, "beluga")[0].starts_with("chat"));
    // The other way round, from the file.
    bench.write("a.md", "the manatee\n");
    read(&mut session, "a.md");
    assert!(found(&bench, &mut second, "manatee")[0].starts_with("a.md "));
}

#[test]
fn what_is_kept_may_be_lost_or_damaged() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    for n in 0..5 {
        bench.write(&format!("{n}.md"), format!("the walrus number {n}\n"));
        read(&mut session, &format!("{n}.md"));
    }
    let answer = found(&bench, &mut session, "walrus number");
    assert_eq!(answer.len(), 5);
    let folder = index(&bench);
    for name in ["seen", "complete.json"] {
        let file = folder.join(name);
        let whole = std::fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 20 + 1) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x04;
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(found(&bench, &mut bench.load("s"), "walrus number"), answer, "{name}, byte {at}");
        }
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        assert_eq!(found(&bench, &mut bench.load("s"), "walrus number"), answer, "half of {name}");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(found(&bench, &mut session, "walrus number"), answer, "without {name}");
        std::fs::write(&file, &whole).unwrap();
    }
    // The index is lost and what is said of it is not.
    for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    assert_eq!(found(&bench, &mut session, "walrus number"), answer);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found(&bench, &mut session, "walrus number"), answer);
}

#[test]
fn what_is_taken_out_is_not_found_any_more() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "the walrus\n");
    bench.write("b.md", "the narwhal\n");
    let id = read(&mut session, "a.md");
    read(&mut session, "b.md");
    assert_eq!(session.seen_kept(&index(&bench)).unwrap().len(), 2);
    let before = bench.objects().stamp().unwrap();
    bench.objects().forget(&[id], None).unwrap();
    // No event says so.
    assert_eq!(bench.objects().stamp().unwrap().sequence, before.sequence);
    assert_kept(&bench, &mut session);
    assert_eq!(session.seen().unwrap().len(), 1);
}

fn event(n: i64, key: &str, what: What) -> Event {
    Event { at: jiff::Timestamp::from_second(1_780_000_000 + n).ok(), key: key.to_owned(), what }
}

/// Readings of two files, in this order of times.
fn readings(bench: &Bench, name: &str, times: &[i64]) -> Transcript {
    let event = |&n: &i64| {
        let path = bench.root().join(format!("{}.md", n % 2)).display().to_string();
        let text = format!("version {}\n", n / 3);
        let seen = if n % 5 == 4 { SeenThen::Named } else { SeenThen::Whole(text.clone()) };
        let files = vec![SeenFile { path: path.clone(), seen }];
        let (args, tool) = (json!({ "file_path": path }), "Read".to_owned());
        let what = What::Toolcall { tool, args, args_display: None, output: text, ok: true, files };
        event(n, &format!("{name}-{n}"), what)
    };
    let mut events: Vec<Event> = times.iter().map(event).collect();
    events.push(self::event(100, name, What::Turn { role: Speaker::User, text: format!("{name} is over.") }));
    let format = transcript::Format::ClaudeCode;
    Transcript {
        format,
        session: None,
        parent: None,
        agent: None,
        folder: Some(bench.root().display().to_string()),
        branch: None,
        system_prompt: None,
        events,
        skipped: Vec::new(),
        subagents: Vec::new(),
    }
}

fn replay(session: &mut Session, transcript: &Transcript) {
    session.replay(transcript, &mut |_| {}, &Cancel::default()).unwrap();
}

/// Every state that the two files had at any time, without numbers.
fn states(bench: &Bench, session: &Session) -> Vec<String> {
    // In one order, whatever the folder of a bench is called.
    let ids: Vec<ObjectId> = ["0.md", "1.md"].iter().filter_map(|path| session.find(path).ok()).collect();
    let objects = bench.objects();
    let mut states = Vec::new();
    for id in ids {
        for n in -1..100 {
            let valid = Valid::Time(Moment((1_780_000_000 + n) * 1_000_000));
            let version = objects.get(&id, AsOf { system: System::Now, valid }).unwrap();
            states.push(format!("{n}: {:?}", version.map(|version| (version.state.text, version.head.file_hash))));
        }
    }
    states
}

/// Histories that are kept from one batch to the next, and over several replays, lead to what reading them each time does.
#[test]
fn replays_that_reach_back_in_time_come_to_the_same() {
    let (bench, plain) = (Bench::new(), Bench::new());
    let parts: [&[i64]; 4] =
        [&[20, 21, 22, 23, 24, 30, 31, 36], &[1, 2, 3, 4, 40, 41], &[10, 11, 25, 26, 34, 35], &[0, 5, 50, 51, 29, 28]];
    let mut session = bench.session("s");
    plain.session("s");
    for (n, times) in parts.iter().enumerate() {
        replay(&mut session, &readings(&bench, &format!("part-{n}"), times));
        // Somebody else writes about the same files in between.
        bench.write("0.md", format!("now {n}\n"));
        plain.write("0.md", format!("now {n}\n"));
        read(&mut bench.load("s"), "0.md");
        read(&mut plain.load("s"), "0.md");
        let whole = readings(&plain, &format!("part-{n}"), times);
        for event in &whole.events {
            // Each event by itself, in a session that knows nothing yet.
            let one = Transcript { events: vec![event.clone()], ..readings(&plain, "", &[]) };
            replay(&mut plain.load("s"), &one);
        }
        assert_eq!(states(&bench, &session), states(&plain, &plain.load("s")), "after part {n}");
        assert_kept(&bench, &mut session);
    }
    let how = How::default();
    session.say(Role::User, "Done.", &how).unwrap();
    assert_kept(&bench, &mut session);
}

/// An index may have more than the session sees; that is not found.
#[test]
fn documents_of_the_index_that_are_not_seen_any_more_stay_out() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "the walrus and the narwhal\n");
    bench.write("b.md", "the walrus and the beluga\n");
    let id = read(&mut session, "a.md");
    read(&mut session, "b.md");
    assert_eq!(found(&bench, &mut session, "walrus").len(), 2);
    bench.objects().forget(&[id], None).unwrap();
    // As many documents as the index has, one of them another.
    session.say(Role::User, "Which walrus?", &now()).unwrap();
    let answer = found(&bench, &mut session, "walrus");
    assert_eq!(answer.len(), 2, "{answer:?}");
    assert!(answer.iter().all(|label| !label.starts_with("a.md")), "{answer:?}");
}
