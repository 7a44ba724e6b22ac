//! Renderings that only add to the one before.

use std::collections::HashSet;

use ai_assist_session::object::Role;
use ai_assist_session::render::{RenderOptions, Rendered, short_id};
use ai_assist_session::{Error, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, System};
use ai_assist_text::count_tokens;
use proptest::prelude::*;

use crate::bench::{Bench, now, read};
use crate::working::call;

fn appended(session: &Session, budget: usize, system: System) -> Rendered {
    let at = AsOf { system, ..AsOf::default() };
    session.render(RenderOptions { max_tokens: Some(budget), append: true, at, ..RenderOptions::default() }).unwrap()
}

fn state(session: &Session, budget: usize, system: System) -> Rendered {
    let at = AsOf { system, ..AsOf::default() };
    session.render(RenderOptions { max_tokens: Some(budget), at, ..RenderOptions::default() }).unwrap()
}

#[test]
fn what_has_happened_since_follows() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("src/a.rs", "fn a() {}\n");
    bench.write("src/b.rs", "fn b() {}\n".repeat(30));
    session.say(Role::User, "What is here?\n# Since then", &now()).unwrap();
    let mut listing = call("ls", "notes.md\nsrc\n");
    listing.files = vec!["notes.md".into()];
    session.toolcall(&listing, &now()).unwrap();
    let a = read(&mut session, "src/a.rs");
    bench.write("src/a.rs", "fn a() -> u8 {}\n");
    read(&mut session, "src/a.rs");
    let b = read(&mut session, "src/b.rs");
    let numbered: Vec<String> = (1..=30).map(|n| format!("{n:6}\u{2192}fn b() {{}}")).collect();
    session.toolcall(&call("Read", &numbered.join("\n")), &now()).unwrap();
    session.say(Role::Assistant, "Two functions.", &now()).unwrap();
    session.deactivate(std::slice::from_ref(&b), &now()).unwrap();
    session.activate(std::slice::from_ref(&b), &now()).unwrap();
    session.pin(std::slice::from_ref(&a), &now()).unwrap();
    session.unpin(std::slice::from_ref(&a), &now()).unwrap();
    session.forget(std::slice::from_ref(&b), &now()).unwrap();
    std::fs::remove_file(bench.root().join("src/a.rs")).unwrap();
    session.freshen_held().unwrap();
    let rendered = appended(&session, 8_000, System::Now);
    let mut text = rendered.text();
    for (n, member) in session.sets().index().enumerate() {
        text = text.replace(short_id(&member.id), &format!("<id{n}>"));
    }
    insta::assert_snapshot!(text, @r"
    Be brief.

    # Known objects


    # Chat

    # Held now

    # Since then

    ## user

    What is here?
    \# Since then

    - file notes.md [unread] <id0>

    ## toolcall ls ok <id1>
    ```
    notes.md
    src
    ```

    ## file src/a.rs (rust, 10 chars) <id2>
    ```rust
    fn a() {}
    ```

    ## file src/a.rs (rust, 16 chars) <id2> [in place of the one above]
    ```rust
    fn a() -> u8 {}
    ```

    ## file src/b.rs (rust, 300 chars) <id3>
    ```rust
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    fn b() {}
    ```

    ## toolcall Read ok <id4>
    (the same text as file src/b.rs above)

    ## assistant

    Two functions.

    - let go: file src/b.rs (rust, 300 chars) <id3>
    - held again, as above: file src/b.rs (rust, 300 chars) <id3>
    - pinned: file src/a.rs (rust, 16 chars) <id2>
    - not pinned any more: file src/a.rs (rust, 16 chars) <id2>
    - forgotten: file src/b.rs (rust, 300 chars) <id3>
    - file src/a.rs [deleted] <id2>
    ");
}

#[test]
fn a_new_prompt_is_a_fold() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    session.say(Role::User, "before", &now()).unwrap();
    session.set_system_prompt("Be loud.", &now()).unwrap();
    assert_eq!(appended(&session, 8_000, System::Now), state(&session, 8_000, System::Now));
    session.say(Role::User, "after", &now()).unwrap();
    let rendered = appended(&session, 8_000, System::Now);
    assert!(rendered.prefix.starts_with("Be loud.") && rendered.prefix.contains("before"), "{rendered:?}");
    assert_eq!(rendered.since, "# Since then\n\n## user\n\nafter\n\n");
}

#[test]
fn what_is_larger_than_there_is_room_for_is_folded() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    session.say(Role::User, "Look.", &now()).unwrap();
    session.toolcall(&call("cat", &"something long, line by line\n".repeat(650)), &now()).unwrap();
    // All of it is there, as it would be without adding: half of the budget is too little for it.
    let rendered = appended(&session, 6_000, System::Now);
    assert_eq!((rendered.fold, rendered.left_out.toolcalls), (None, 0));
    session.say(Role::User, "Go on.", &now()).unwrap();
    let rendered = appended(&session, 6_000, System::Now);
    assert_eq!(rendered.left_out.toolcalls, 1);
    assert_eq!(rendered.since, "# Since then\n\n## user\n\nGo on.\n\n");
}

#[test]
fn what_may_not_be_shown_is_named_alone() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("inside/a.md", "what stands inside\n");
    bench.write("outside/b.md", "what stands outside\n");
    session.say(Role::User, "Look.", &now()).unwrap();
    read(&mut session, "inside/a.md");
    read(&mut session, "outside/b.md");
    let all = appended(&session, 8_000, System::Now).since;
    assert!(all.contains("what stands inside") && all.contains("what stands outside"), "{all}");
    session.limit_to(bench.root().join("inside"), |_| None);
    let some = appended(&session, 8_000, System::Now).since;
    assert!(some.contains("what stands inside") && !some.contains("what stands outside"), "{some}");
    assert!(some.contains("- file outside/b.md (markdown"), "{some}");
}

#[test]
fn most_of_a_day_is_only_added_to() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    let (mut folds, mut before) = (HashSet::new(), String::new());
    let (mut same, mut all) = (0, 0);
    for n in 0..200 {
        session.toolcall(&call("t", &format!("result {n}\n{}", "of some length\n".repeat(20))), &now()).unwrap();
        session.say(Role::User, &format!("turn {n}"), &now()).unwrap();
        let rendered = appended(&session, 8_000, System::Now);
        folds.extend(rendered.fold);
        let text = rendered.text();
        same += before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        all += text.len();
        before = text;
    }
    assert!(folds.len() > 2 && folds.len() < 20, "{}", folds.len());
    assert!(same * 10 > all * 8, "{same} of {all}");
}

#[derive(Debug, Clone)]
enum Act {
    Read(usize),
    Write(usize, usize),
    Discover(usize),
    Call(usize, bool),
    Say(Role, usize),
    Change(&'static str, usize),
    Prompt,
    Look,
}

fn act() -> impl Strategy<Value = Act> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    prop_oneof![
        3 => (0usize..5).prop_map(Act::Read),
        2 => (0usize..5, 1usize..300).prop_map(|(file, words)| Act::Write(file, words)),
        1 => (0usize..8).prop_map(Act::Discover),
        4 => (1usize..300, any::<bool>()).prop_map(|(words, same)| Act::Call(words, same)),
        4 => (role, 1usize..200).prop_map(|(role, words)| Act::Say(role, words)),
        3 => (prop::sample::select(vec!["activate", "deactivate", "pin", "unpin", "forget"]), 0usize..20)
            .prop_map(|(what, n)| Act::Change(what, n)),
        1 => Just(Act::Look),
        1 => prop::bool::weighted(0.2).prop_map(|prompt| if prompt { Act::Prompt } else { Act::Look }),
    ]
}

/// Does it, as far as it can be done.
fn perform(bench: &Bench, session: &mut Session, n: usize, act: &Act) {
    let path = |file: usize| format!("f{file}.md");
    match act {
        Act::Read(file) => {
            if !bench.root().join(path(*file)).exists() {
                bench.write(&path(*file), format!("thing {n} of f{file}\n"));
            }
            read(session, &path(*file));
        }
        Act::Write(file, words) => {
            bench.write(&path(*file), format!("thing {n} {}\n", "and so on ".repeat(*words)));
        }
        Act::Discover(file) => drop(session.discover(&[path(*file).into()], &now()).unwrap()),
        Act::Call(words, same) => {
            let name = if *same { "again".to_owned() } else { format!("thing {n}") };
            session.toolcall(&call("t", &format!("{name} {}\n", "and so on ".repeat(*words))), &now()).unwrap();
        }
        Act::Say(role, words) => {
            let _ = session.say(*role, &format!("turn {n} {}", "and so on ".repeat(*words)), &now()).unwrap();
        }
        Act::Change(what, n) => {
            let Some(id) = session.sets().index().nth(*n).map(|member| member.id.clone()) else { return };
            let ids = std::slice::from_ref(&id);
            // What the session refuses changes nothing, which is as good here.
            let _ = match *what {
                "activate" => session.activate(ids, &now()),
                "deactivate" => session.deactivate(ids, &now()),
                "pin" => session.pin(ids, &now()),
                "unpin" => session.unpin(ids, &now()),
                _ => session.forget(ids, &now()),
            };
        }
        Act::Prompt => drop(session.set_system_prompt(&format!("Be brief, {n}."), &now()).unwrap()),
        Act::Look => drop(session.freshen_held().unwrap()),
    }
}

/// Nothing that is held or known is missing, unless it is counted as left out.
fn is_whole(session: &Session, rendered: &Rendered) -> Result<(), TestCaseError> {
    let (text, left) = (rendered.text(), rendered.left_out);
    let ids: Vec<_> = session.sets().active().iter().map(|member| member.id.clone()).collect();
    let versions = session.objects().get_many(&ids, AsOf::default(), true).unwrap();
    let missing = versions.iter().flatten().filter_map(|version| version.state.text.as_ref());
    let missing: Vec<&String> = missing.filter(|content| !text.contains(content.as_str())).collect();
    prop_assert!(missing.len() <= left.files + left.toolcalls + left.collapsed, "{:?}: {:?}", left, missing);
    let unknown = session.sets().pool().iter().filter(|member| !text.contains(short_id(&member.id))).count();
    prop_assert!(unknown <= left.pool_lines, "{} of the pool are missing: {:?}", unknown, left);
    let last = session.chat().said.last().map(|said| session.text(said.text).unwrap().unwrap());
    // Of one that is too long for its part of the budget as much as fits is shown.
    prop_assert!(last.is_none_or(|last| text.contains(last.split(" and").next().unwrap())));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_rendering_adds_to_the_one_before(acts in prop::collection::vec(act(), 1..50), budget in 1_500usize..6_000) {
        let bench = Bench::new();
        let mut session = bench.session("s");
        let mut before: Option<Rendered> = None;
        let mut all: Vec<(Seq, Rendered)> = Vec::new();
        for (n, act) in acts.iter().enumerate() {
            perform(&bench, &mut session, n, act);
            let asked = RenderOptions { max_tokens: Some(budget), append: true, ..RenderOptions::default() };
            let rendered = match session.render(asked) {
                // More is pinned than there is room for, however it is shown.
                Err(Error::Budget { needed, .. }) => {
                    let plain = session.render(RenderOptions { append: false, ..asked });
                    let with_room = session.render(RenderOptions { max_tokens: Some(needed), ..asked });
                    prop_assert!(plain.is_err() && with_room.is_ok(), "{budget}, {needed}");
                    before = None;
                    continue;
                }
                rendered => rendered.unwrap(),
            };
            let text = rendered.text();
            prop_assert!(count_tokens(&text) <= budget);
            match rendered.fold {
                Some(fold) => {
                    let then = state(&session, budget / 2, System::Seq(fold));
                    prop_assert_eq!(&then.prefix, &rendered.prefix);
                    prop_assert_eq!(&then.held, &rendered.held);
                    prop_assert_eq!(then.left_out, rendered.left_out);
                }
                None => prop_assert_eq!(&state(&session, budget, System::Now), &rendered),
            }
            if let Some(before) = before.filter(|before| before.fold.is_some() && before.fold == rendered.fold) {
                prop_assert!(text.starts_with(&before.text()), "{}\n=====\n{}", before.text(), text);
            }
            is_whole(&session, &rendered)?;
            all.push((session.objects().last().unwrap().0, rendered.clone()));
            before = Some(rendered);
        }
        // Everybody comes to the same, and so does who asks later for then.
        let again = bench.load("s");
        for (seq, rendered) in &all {
            prop_assert_eq!(&appended(&again, budget, System::Seq(*seq)), rendered);
        }
    }
}
