//! The laws of the sets, with a real store: any sequence of operations, by two writers, with loading in between.

use std::collections::BTreeSet;

use ai_assist_base::Cancel;
use ai_assist_session::Session;
use ai_assist_session::object::Role;
use ai_assist_session::sets::Member;
use ai_assist_store::objects::ObjectId;
use proptest::prelude::*;

use crate::bench::{Bench, now};
use crate::working::call;

#[derive(Debug, Clone)]
enum Operation {
    Read(u8),
    Discover(u8),
    Toolcall,
    Say,
    Activate(u8),
    Deactivate(u8),
    Pin(u8),
    Unpin(u8),
    Forget(u8),
    Resume,
    Delete(u8),
    Write(u8, u8),
    Load,
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::{
        Activate, Deactivate, Delete, Discover, Forget, Load, Pin, Read, Resume, Say, Toolcall, Unpin, Write,
    };
    prop_oneof![
        (0u8..5).prop_map(Read),
        (0u8..5).prop_map(Discover),
        Just(Toolcall),
        Just(Say),
        (0u8..5).prop_map(Activate),
        (0u8..5).prop_map(Deactivate),
        (0u8..5).prop_map(Pin),
        (0u8..5).prop_map(Unpin),
        (0u8..5).prop_map(Forget),
        Just(Resume),
        (0u8..5).prop_map(Delete),
        (0u8..5, 0u8..3).prop_map(|(file, text)| Write(file, text)),
        Just(Load),
    ]
}

fn ids<'m>(members: impl IntoIterator<Item = &'m Member>) -> Vec<ObjectId> {
    members.into_iter().map(|member| member.id.clone()).collect()
}

fn assert_laws(session: &Session, before: &[ObjectId]) -> Vec<ObjectId> {
    let sets = session.sets();
    let index = ids(sets.index());
    let set = |members: Vec<&Member>| ids(members).into_iter().collect::<BTreeSet<_>>();
    let (all, pool) = (index.iter().cloned().collect::<BTreeSet<_>>(), set(sets.pool()));
    assert!(set(sets.active()).is_subset(&pool) && set(sets.pinned()).is_subset(&pool) && pool.is_subset(&all));
    assert!(index.starts_with(before), "the index only grows");
    assert!([session.id(), session.chat_id(), session.system_prompt_id()].iter().all(|id| !all.contains(*id)));
    index
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_sequence_keeps_the_laws(operations in prop::collection::vec((operation(), any::<bool>()), 1..40)) {
        let bench = Bench::new();
        bench.session("s");
        let mut writers = [bench.load("s"), bench.load("s")];
        let mut before = Vec::new();
        for (operation, which) in operations {
            let session = &mut writers[usize::from(which)];
            let name = |file: u8| format!("f{file}.md");
            let path = |file: u8| bench.root().join(name(file));
            let found = |session: &Session, file: u8| session.find(&name(file)).ok();
            // Whether it works is not the question here: a refusal must leave the laws too.
            session.refresh().unwrap();
            match operation {
                Operation::Read(file) => drop(session.read(&[crate::bench::file(name(file))], &now())),
                Operation::Discover(file) => drop(session.discover(&[name(file).into()], &now()).unwrap()),
                Operation::Toolcall => drop(session.toolcall(&call("t", "out"), &now()).unwrap()),
                Operation::Say => drop(session.say(Role::User, "x", &now()).unwrap()),
                Operation::Activate(file) => drop(found(session, file).map(|id| session.activate(&[id], &now()))),
                Operation::Deactivate(file) => drop(found(session, file).map(|id| session.deactivate(&[id], &now()))),
                Operation::Pin(file) => drop(found(session, file).map(|id| session.pin(&[id], &now()))),
                Operation::Unpin(file) => drop(found(session, file).map(|id| session.unpin(&[id], &now()))),
                Operation::Forget(file) => drop(found(session, file).map(|id| session.forget(&[id], &now()))),
                Operation::Resume => drop(session.resume(&Cancel::default()).unwrap()),
                Operation::Delete(file) => drop(std::fs::remove_file(path(file))),
                Operation::Write(file, text) => std::fs::write(path(file), format!("text {text}")).unwrap(),
                Operation::Load => *session = bench.load("s"),
            }
            before = assert_laws(session, &before);
            // What is in memory is what is stored.
            let loaded = bench.load("s");
            let all = |s: &Session| {
                let sets = s.sets();
                [ids(sets.index()), ids(sets.pool()), ids(sets.active()), ids(sets.pinned())]
            };
            prop_assert_eq!(all(session), all(&loaded));
            prop_assert_eq!(session.chat(), loaded.chat());
        }
    }
}
