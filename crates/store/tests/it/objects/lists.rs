//! Many at once, and what is not there.

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, Objects, Op, RequestId};

use super::Site;
use super::fixture::{add, at_seq, batch, delete, delta, id, now, put, state, write};

pub(crate) fn by_kind<S: Site>() {
    let mut objects = S::new().open();
    for name in ["z", "a", "m"] {
        add(&mut objects, put(name, "x"));
    }
    let mut chat = put("chat", "x");
    chat.kind = "chat";
    add(&mut objects, chat);
    add(&mut objects, put("z", "again"));
    add(&mut objects, delete("a"));
    assert_eq!(objects.of_kind("file").unwrap(), ["z", "a", "m"].map(id));
    assert_eq!(objects.of_kind("chat").unwrap(), [id("chat")]);
    assert_eq!(objects.of_kind("fil").unwrap(), []);
}

pub(crate) fn by_prefix<S: Site>() {
    let mut objects = S::new().open();
    for name in ["b", "ab", "a", "a%", "a_c", "aü", "A", "abc", "ac"] {
        add(&mut objects, put(name, "x"));
    }
    for (prefix, limit, expected) in [
        ("a", 99, vec!["a", "a%", "a_c", "ab", "abc", "ac", "aü"]),
        ("a", 2, vec!["a", "a%"]),
        ("ab", 99, vec!["ab", "abc"]),
        ("a%", 99, vec!["a%"]),
        ("a_", 99, vec!["a_c"]),
        ("aü", 99, vec!["aü"]),
        ("", 2, vec!["A", "a"]),
        ("x", 99, vec![]),
        ("a", 0, vec![]),
    ] {
        let found = objects.starting_with(prefix, limit).unwrap();
        assert_eq!(found, expected.into_iter().map(id).collect::<Vec<_>>(), "{prefix} {limit}");
    }
    assert_eq!(objects.starting_with("", usize::MAX).unwrap().len(), 9);
}

pub(crate) fn events_in_pages<S: Site>() {
    let mut objects = S::new().open();
    for n in 0..5 {
        let text = write(&format!("o{n}"), Op::Put(state("{}", Some("text"))));
        objects.write(batch(vec![text, put("a", "x"), delta("a", "[]")])).unwrap();
    }
    add(&mut objects, delete("a"));
    let all = objects.events_since(Seq(0), usize::MAX).unwrap();
    assert_eq!(all.len(), 16);
    assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq && pair[0].system <= pair[1].system));
    for page in 1..=17 {
        let (mut seen, mut reached) = (Vec::new(), Seq(0));
        loop {
            let more = objects.events_since(reached, page).unwrap();
            let Some(last) = more.last() else { break };
            assert!(more.len() <= page);
            reached = last.seq;
            seen.extend(more);
        }
        assert_eq!(seen, all);
    }
    assert_eq!(objects.events_since(Seq(0), 0).unwrap(), []);
    assert_eq!(objects.events_since(Seq(u64::MAX), 9).unwrap(), []);
    assert_eq!(objects.last().unwrap(), (all[15].seq, all[15].system));
}

pub(crate) fn texts_by_hash<S: Site>() {
    let mut objects = S::new().open();
    add(&mut objects, write("a", Op::Put(state("{}", Some("one")))));
    add(&mut objects, write("b", Op::Put(state("{}", Some("")))));
    let hashes = ["", "none", "one", ""].map(ContentHash::of);
    let texts = objects.texts(&hashes).unwrap();
    assert_eq!(texts, [Some(""), None, Some("one"), Some("")].map(|text| text.map(str::to_owned)));
}

pub(crate) fn many<S: Site>() {
    let mut objects = S::new().open();
    let (first, _) = add(&mut objects, write("a", Op::Put(state("1", Some("one")))));
    add(&mut objects, write("b", Op::Put(state("2", None))));
    add(&mut objects, delete("a"));
    let ids = ["b", "nothing", "a", "b"].map(id);
    let found = objects.get_many(&ids, AsOf::default(), true).unwrap();
    assert_eq!(found, [now(&objects, "b"), None, None, now(&objects, "b")]);
    let found = objects.get_many(&ids, at_seq(first), true).unwrap();
    assert_eq!(found[2].as_ref().unwrap().state.text.as_deref(), Some("one"));
    let bare = objects.get_many(&ids, at_seq(first), false).unwrap();
    assert_eq!(bare[2].as_ref().unwrap().state.text, None);
    assert_eq!(bare[2].as_ref().unwrap().head, found[2].as_ref().unwrap().head);
    assert_eq!(objects.get_many(&[], AsOf::default(), true).unwrap(), []);
}

pub(crate) fn what_is_not_there<S: Site>() {
    let mut objects = S::new().open();
    let nothing = id("nothing");
    assert_eq!(objects.get(&nothing, AsOf::default()).unwrap(), None);
    assert_eq!(objects.version(Seq(1)).unwrap(), None);
    assert_eq!(objects.version(Seq(u64::MAX)).unwrap(), None);
    assert_eq!(objects.history(&nothing).unwrap(), []);
    assert_eq!(objects.deltas(&nothing, AsOf::default()).unwrap(), []);
    assert_eq!(objects.last_of(&nothing).unwrap(), None);
    assert_eq!(objects.last().unwrap(), (Seq(0), Moment(0)));
    assert_eq!(objects.recorded(&RequestId(String::new())).unwrap(), None);
    assert_eq!(objects.forget(&[nothing], None).unwrap(), Default::default());
}
