//! What changes is taken in, and told.

use std::sync::mpsc;
use std::time::Duration;

use ai_assist_client::{Event, requests};
use serde_json::{Value, json};

use crate::support::{Bench, Served, within};

/// An edit shows within this time; the machine may be busy with other tests.
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 2 });

fn finds(served: &Served, query: &str, text: &str) -> bool {
    let search = requests::Search { query: query.to_owned(), no_sync: true, ..Default::default() };
    served.client().search(&search).is_ok_and(|answer| answer.hits.iter().any(|hit| hit.text.contains(text)))
}

fn listen(served: &Served) -> mpsc::Receiver<Event> {
    let (to, from) = mpsc::channel();
    let client = served.client();
    std::thread::spawn(move || {
        let _ = client.changes(&mut |event| to.send(event).is_ok());
    });
    assert_eq!(from.recv_timeout(Duration::from_secs(10)).unwrap().kind, "ready");
    from
}

#[test]
fn an_edit_shows_without_a_sync() {
    let bench = Bench::new();
    let served = bench.serve().indexed();
    let changes = listen(&served);
    bench.write("docs/oak.md", "# Oaks\n\nA zelkova is no oak.\n");
    within(SOON, "an edited document is found", || finds(&served, "zelkova", "zelkova"));
    bench.write("src/lib.rs", "pub fn uproot_everything() {}\n");
    within(SOON, "edited code is found", || finds(&served, "uproot_everything", "uproot_everything"));
    std::fs::remove_file(bench.project().join("docs/ash.md")).unwrap();
    within(SOON, "a removed document is gone", || !finds(&served, "ash is a tree", "The ash is"));
    let told: Vec<Value> = changes.try_iter().filter(|event| event.kind == "change").map(|event| event.data).collect();
    let of = |kind: &str| told.iter().any(|change| change["kind"] == kind);
    assert!(of("collection") && of("repository"), "{told:?}");
    let service: Value = served.client().get("/service", &json!({})).unwrap();
    assert!(service["watched"][0]["updates"].as_u64().unwrap() >= 2, "{service:#}");
}

#[test]
fn what_is_declared_later_is_followed() {
    let bench = Bench::new();
    let served = bench.serve().indexed();
    bench.write("more/elm.md", "# Elm\n\nAn elm, declared late.\n");
    let config =
        r#"{"collections": {"docs": {"type": "file", "path": "docs"}, "more": {"type": "file", "path": "more"}}}"#;
    bench.write("context.json", config);
    within(SOON, "a new collection is synced", || finds(&served, "elm declared late", "declared late"));
    bench.write("more/elm.md", "# Elm\n\nAn elm, changed later.\n");
    within(SOON, "and followed", || finds(&served, "elm changed later", "changed later"));
    // A configuration that can't be read is a problem for as long as it is there.
    bench.write("context.json", "{ broken");
    within(SOON, "it is told", || {
        let service: Value = served.client().get("/service", &json!({})).unwrap();
        service["watched"][0]["problems"].as_array().is_some_and(|problems| !problems.is_empty())
    });
    bench.write("context.json", config);
    within(SOON, "and over", || finds(&served, "elm changed later", "changed later"));
}

#[test]
fn a_storm_is_taken_in_by_few_scans() {
    let bench = Bench::new();
    let served = bench.serve().indexed();
    for number in 0..500 {
        bench.write(&format!("docs/storm/{number}.md"), &format!("# Storm {number}\n\nDrop {number} of rain.\n"));
    }
    bench.write("docs/last.md", "# Last\n\nThe rainbow after the storm.\n");
    within(SOON * 3, "the last of many", || finds(&served, "rainbow after", "rainbow"));
    within(SOON * 3, "all of them", || {
        let listed: Value = served.client().get("/collections/docs", &json!({})).unwrap();
        listed["documents"] == 503
    });
    let service: Value = served.client().get("/service", &json!({})).unwrap();
    let updates = service["watched"][0]["updates"].as_u64().unwrap();
    assert!(updates < 60, "{updates} updates for 501 files");
}
