//! Builds that nobody uses are taken away, and no others.

use std::collections::BTreeSet;

use ai_assist_base::Cancel;
use ai_assist_repo::gc::{Use, gc};
use ai_assist_repo::layout::Mode;

use crate::support::{Sandbox, build, paths};

fn three_builds() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    let ids = (0..3)
        .map(|round| {
            sandbox.write("a.md", format!("# Round {round}\n"));
            sandbox.build().build_id
        })
        .collect();
    (sandbox, ids)
}

#[test]
fn only_what_nobody_uses_goes() {
    let (sandbox, ids) = three_builds();
    let cache = sandbox.request().cache;
    let look = |in_use: &BTreeSet<String>, dry_run| gc(&cache, in_use, dry_run, &Cancel::default()).unwrap();
    let none = BTreeSet::new();
    let dry = look(&none, true);
    assert_eq!((dry.removed.as_slice(), dry.kept.as_slice()), (&ids[..2], &[(ids[2].clone(), Use::Pointer)][..]));
    assert!(dry.freed_bytes > 0);
    assert_eq!(sandbox.builds(), ids, "nothing was removed");
    let manifest: BTreeSet<String> = [ids[0].clone()].into();
    let kept = look(&manifest, false);
    assert_eq!((kept.removed, kept.kept[0].1), (vec![ids[1].clone()], Use::Manifest));
    assert_eq!(look(&none, false).removed, [ids[0].clone()]);
    assert_eq!(paths(&sandbox.open(Mode::Prose)), ["a.md"]);
    assert!(sandbox.build().unchanged);
}

#[test]
fn what_a_reader_holds_stays() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# One\n");
    let first = sandbox.build().build_id;
    let held = sandbox.open(Mode::Prose);
    sandbox.write("a.md", "# Two\n");
    sandbox.build();
    let cache = sandbox.request().cache;
    for dry_run in [true, false] {
        let report = gc(&cache, &BTreeSet::new(), dry_run, &Cancel::default()).unwrap();
        assert_eq!(report.kept[0], (first.clone(), Use::Reader));
    }
    drop(held);
    assert_eq!(gc(&cache, &BTreeSet::new(), false, &Cancel::default()).unwrap().removed, [first]);
}

#[test]
fn a_build_of_which_one_mode_is_current_stays() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# One\n");
    sandbox.write("a.rs", "fn one() {}\n");
    let first = sandbox.build().build_id;
    sandbox.write("a.md", "# Two\n");
    let mut request = sandbox.request();
    request.modes = vec![Mode::Prose];
    build(&request);
    let report = gc(&request.cache, &BTreeSet::new(), false, &Cancel::default()).unwrap();
    assert_eq!((report.removed.len(), report.kept[0].0.clone()), (0, first));
    assert_eq!(paths(&sandbox.open(Mode::Code)), ["a.rs"]);
}

#[test]
fn a_pointer_that_can_not_be_read_stops_it() {
    let (sandbox, ids) = three_builds();
    std::fs::write(sandbox.request().cache.current_json(), "not json").unwrap();
    let report = gc(&sandbox.request().cache, &BTreeSet::new(), false, &Cancel::default()).unwrap();
    assert_eq!(report.removed, Vec::<String>::new());
    assert_eq!(sandbox.builds(), ids);
}
