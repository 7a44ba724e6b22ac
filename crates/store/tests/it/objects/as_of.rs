//! What was so, and what was known of it.

use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, Objects, System, Valid};

use super::Site;
use super::fixture::{add, at, at_seq, at_valid, batch, bodies, delete, delta, id, put, valid, word};

pub(crate) fn known_and_valid<S: Site>() {
    let mut objects = S::new().open();
    let writes: Vec<_> = (0..4).map(|n| add(&mut objects, put("a", &n.to_string()))).collect();
    for (n, (seq, system)) in writes.iter().enumerate() {
        assert_eq!(word(&objects, "a", at_seq(*seq)), Some(n.to_string()));
        assert_eq!(word(&objects, "a", at_seq(Seq(seq.0 - 1))), n.checked_sub(1).map(|n| n.to_string()));
        let by_time = word(&objects, "a", AsOf { system: System::Time(*system), valid: Valid::Now });
        // Two may fall into one microsecond.
        let last_then = writes.iter().rposition(|(_, other)| other <= system).unwrap();
        assert_eq!(by_time, Some(last_then.to_string()));
        let when_valid = word(&objects, "a", at_valid(system.0));
        assert_eq!(when_valid, Some(last_then.to_string()));
    }
    let (first, system) = writes[0];
    let before = Moment(system.0 - 1);
    assert_eq!(word(&objects, "a", at_valid(before.0)), None);
    assert_eq!(word(&objects, "a", AsOf { system: System::Time(before), valid: Valid::Now }), None);
    assert_eq!(word(&objects, "a", at(first, before.0)), None);
    assert_eq!(word(&objects, "a", at_seq(Seq(0))), None);
    assert_eq!(word(&objects, "a", at_seq(Seq(u64::MAX))), Some("3".to_owned()));
}

pub(crate) fn a_correction_stands_beside_what_was_believed<S: Site>() {
    let mut objects = S::new().open();
    let (first, _) = add(&mut objects, valid(put("a", "believed"), 100, None));
    let (second, _) = add(&mut objects, valid(put("a", "later"), 200, None));
    let (third, _) = add(&mut objects, valid(put("a", "corrected"), 100, Some(200)));
    for (known, time, expected) in [
        (first, 99, None),
        (first, 150, Some("believed")),
        (first, 250, Some("believed")),
        (second, 150, Some("believed")),
        (second, 250, Some("later")),
        (third, 99, None),
        (third, 100, Some("corrected")),
        (third, 199, Some("corrected")),
        (third, 200, Some("later")),
    ] {
        assert_eq!(word(&objects, "a", at(known, time)).as_deref(), expected, "{known} {time}");
    }
    // Without an end it holds over what was there, until another says otherwise.
    add(&mut objects, valid(put("a", "always"), 50, None));
    for (time, expected) in [(49, None), (50, Some("always")), (150, Some("always")), (250, Some("always"))] {
        assert_eq!(word(&objects, "a", at_valid(time)).as_deref(), expected);
    }
    assert_eq!(word(&objects, "a", at(third, 150)).as_deref(), Some("corrected"));
}

pub(crate) fn a_bounded_correction<S: Site>() {
    let mut objects = S::new().open();
    add(&mut objects, valid(put("a", "base"), 0, None));
    for n in 0..20 {
        add(&mut objects, valid(put("a", &format!("c{n}")), 10 * n, Some(10 * n + 5)));
    }
    for n in 0..20 {
        assert_eq!(word(&objects, "a", at_valid(10 * n + 4)), Some(format!("c{n}")));
        assert_eq!(word(&objects, "a", at_valid(10 * n + 5)).as_deref(), Some("base"));
    }
    assert_eq!(word(&objects, "a", AsOf::default()).as_deref(), Some("base"));
}

pub(crate) fn the_future<S: Site>() {
    let mut objects = S::new().open();
    let soon = Moment::now().0 + 3_600_000_000;
    add(&mut objects, put("a", "now"));
    add(&mut objects, valid(put("a", "then"), soon, None));
    add(&mut objects, put("a", "still now"));
    assert_eq!(word(&objects, "a", AsOf::default()).as_deref(), Some("still now"));
    // The last word on that time is the last in the sequence.
    assert_eq!(word(&objects, "a", at_valid(soon)).as_deref(), Some("still now"));
    add(&mut objects, valid(delete("a"), soon, None));
    assert_eq!(word(&objects, "a", AsOf::default()).as_deref(), Some("still now"));
    assert_eq!(word(&objects, "a", at_valid(soon)), None);
    assert_eq!(word(&objects, "a", at_valid(soon - 1)).as_deref(), Some("still now"));
}

pub(crate) fn boundaries<S: Site>() {
    let mut objects = S::new().open();
    add(&mut objects, valid(put("a", "span"), -10, Some(10)));
    add(&mut objects, valid(put("b", "ever"), i64::MIN, None));
    for (time, expected) in [(-11, None), (-10, Some("span")), (9, Some("span")), (10, None), (i64::MIN, None)] {
        assert_eq!(word(&objects, "a", at_valid(time)).as_deref(), expected, "{time}");
    }
    for (time, expected) in [(i64::MIN, Some("ever")), (i64::MAX - 1, Some("ever")), (i64::MAX, None)] {
        assert_eq!(word(&objects, "b", at_valid(time)).as_deref(), expected, "{time}");
    }
}

pub(crate) fn deltas_belong_to_their_state<S: Site>() {
    let mut objects = S::new().open();
    add(&mut objects, valid(put("s", "one"), 100, None));
    let (first, system) = add(&mut objects, valid(delta("s", "a"), 110, None));
    add(&mut objects, valid(delta("s", "b"), 120, Some(130)));
    let (second, _) = add(&mut objects, valid(put("s", "two"), 200, None));
    add(&mut objects, valid(delta("s", "c"), 210, None));
    for (at, expected) in [
        (at_valid(99), vec![]),
        (at_valid(109), vec![]),
        (at_valid(110), vec!["a"]),
        (at_valid(129), vec!["a", "b"]),
        (at_valid(130), vec!["a"]),
        (at_valid(205), vec![]),
        (at_valid(210), vec!["c"]),
        (at(first, 125), vec!["a"]),
        (at(first, 300), vec!["a"]),
        (at(second, 300), vec![]),
        (at_seq(first), vec!["a"]),
        (AsOf { system: System::Time(Moment(system.0 - 1_000_000)), valid: Valid::Now }, vec![]),
    ] {
        assert_eq!(bodies(&objects, "s", at), expected, "{at:?}");
    }
}

pub(crate) fn a_deletion_in_the_past<S: Site>() {
    let mut objects = S::new().open();
    objects.write(batch(vec![valid(put("a", "one"), 100, None), valid(delta("a", "x"), 100, None)])).unwrap();
    let (seq, _) = add(&mut objects, valid(delete("a"), 150, Some(160)));
    for (time, expected) in [(149, Some("one")), (150, None), (159, None), (160, Some("one"))] {
        assert_eq!(word(&objects, "a", at_valid(time)).as_deref(), expected, "{time}");
        assert_eq!(bodies(&objects, "a", at_valid(time)).len(), usize::from(expected.is_some()), "{time}");
        assert_eq!(word(&objects, "a", at(Seq(seq.0 - 1), time)).as_deref(), Some("one"));
    }
    // It is there at present, so it can be changed.
    add(&mut objects, delta("a", "y"));
    assert_eq!(bodies(&objects, "a", AsOf::default()), ["x", "y"]);
    assert_eq!(objects.history(&id("a")).unwrap().len(), 4);
}
