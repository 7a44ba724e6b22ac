//! Readers while builds come and go, and builders at the same time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ai_assist_base::Cancel;
use ai_assist_repo::gc::gc;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;

use crate::support::{Sandbox, hits, paths};

/// A repository in which every file tells in which round it was written.
fn write_round(sandbox: &Sandbox, round: usize) {
    for file in 0..8 {
        sandbox.write(
            &format!("src/f{file}.rs"),
            format!("/// Round{round} of the harbor.\npub fn harbor_{file}() {{}}\n"),
        );
        sandbox.write(&format!("docs/d{file}.md"), format!("# Harbor\n\nWritten in round{round}.\n"));
    }
}

#[test]
fn every_answer_is_of_one_build() {
    let sandbox = Sandbox::new();
    write_round(&sandbox, 0);
    sandbox.build();
    let (stop, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let cache = sandbox.request().cache;
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let modes = [Mode::Code, Mode::Prose, Mode::ExtractedProse];
                    let open = RepoIndex::open_modes(&cache, &modes).unwrap();
                    assert!(open.iter().all(|index| index.state.build_id == open[0].state.build_id));
                    let mut rounds = Vec::new();
                    for index in &open {
                        assert_eq!(hits(index, "harbor").len(), 8);
                        for position in index.reader.live().iter() {
                            let text = index.reader.chunk(position).unwrap().text.to_lowercase();
                            let at = text.find("round").unwrap() + 5;
                            let number: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
                            rounds.push(number);
                        }
                        assert_eq!(index.db.documents().unwrap().len(), 8);
                    }
                    rounds.dedup();
                    assert_eq!(rounds.len(), 1, "{rounds:?}");
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 1..8 {
            write_round(&sandbox, round);
            sandbox.build();
            gc(&cache, &Default::default(), false, &Cancel::default()).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(answers.load(Ordering::Relaxed) >= 10);
    let collected = gc(&cache, &Default::default(), false, &Cancel::default()).unwrap();
    assert_eq!(collected.kept.len(), 1, "no reader holds anything any more");
    assert_eq!(sandbox.builds().len(), 1);
}

#[test]
fn a_reader_keeps_what_it_opened() {
    let sandbox = Sandbox::new();
    write_round(&sandbox, 0);
    sandbox.build();
    let old = sandbox.open(Mode::Prose);
    write_round(&sandbox, 1);
    sandbox.build();
    gc(&sandbox.request().cache, &Default::default(), false, &Cancel::default()).unwrap();
    assert!(old.reader.live().iter().all(|position| old.reader.chunk(position).unwrap().text.contains("round0")));
    assert_eq!(old.db.documents().unwrap().len(), 8);
    let new = sandbox.open(Mode::Prose);
    assert!(new.reader.live().iter().all(|position| new.reader.chunk(position).unwrap().text.contains("round1")));
}

#[test]
fn two_builders_take_turns() {
    let sandbox = Sandbox::new();
    write_round(&sandbox, 0);
    let reports: Vec<_> = std::thread::scope(|scope| {
        let builders: Vec<_> = (0..4).map(|_| scope.spawn(|| sandbox.build())).collect();
        builders.into_iter().map(|builder| builder.join().unwrap()).collect()
    });
    assert_eq!(reports.iter().filter(|report| !report.unchanged).count(), 1);
    assert_eq!(sandbox.builds().len(), 1);
    assert_eq!(paths(&sandbox.open(Mode::Code)).len(), 8);
}
