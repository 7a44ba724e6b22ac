//! What a sync does when something can't be had.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;

use super::desk::{Desk, hash, hashed, manifest, page};
use super::site::{Site, reply};
use crate::support::Run;

#[test]
fn without_a_manifest_everything_stays() {
    for mut site in [Site::http(), Site::https()] {
        let (a, b) = (page("alder"), page("birch"));
        site.put("/a.md", &a);
        site.put("/b.md", &b);
        site.put("/manifest.json", manifest(&[hashed("a.md", &a), json!("b.md")]));
        let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_NETWORK_ATTEMPTS", "1");
        desk.sync();
        let (before, store, lock) = (desk.documents(), desk.store(), desk.lock_text());
        assert_eq!(before.len(), 2);
        let check = |said: &str, part: &str| {
            assert!(said.contains(part) && said.contains("/manifest.json"), "{said}");
            assert_eq!(desk.documents(), before, "{said}");
            assert_eq!(desk.store(), store, "{said}");
            assert_eq!(desk.lock_text(), lock);
        };
        site.asked();
        for status in [500, 404, 410, 403, 204, 206] {
            site.fail("/manifest.json", status);
            check(&desk.refused(&[]), &format!("status {status}"));
            assert_eq!(site.asked(), [format!("{status} /manifest.json")]);
        }
        for (garbage, part) in [
            (&b"<!doctype html><title>Sign in</title>"[..], ":1:1"),
            (b"{ \"name\": \"guide\", ", ":1:"),
            (b"", "empty"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xfe\0", ""),
            (b"[]", ":1:1"),
            (b"{}", "`name`"),
        ] {
            site.put("/manifest.json", garbage);
            check(&desk.refused(&[]), part);
        }
        site.close();
        check(&desk.refused(&[]), "can't be reached");
        desk.sandbox.assert_healthy();
    }
}

#[test]
fn a_passing_failure_is_tried_again() {
    let site = Site::http();
    site.put("/a.md", page("alder"));
    let (text, asked) = (manifest(&[json!("a.md")]), Mutex::new(0));
    site.make("/manifest.json", move |_| {
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        if *asked == 1 { reply(503, &[], "later") } else { reply(200, &[], text.clone()) }
    });
    let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_NETWORK_ATTEMPTS", "2");
    assert_eq!(desk.sync().counts(), [1, 1, 0, 0]);
    assert_eq!(site.asked(), ["200 /a.md", "200 /manifest.json", "503 /manifest.json"]);
}

#[test]
fn a_file_that_is_missing_is_skipped_and_had_later() {
    for site in [Site::http(), Site::https()] {
        let old: Vec<String> = ["alder", "birch", "cedar"].iter().map(|word| page(word)).collect();
        for (path, text) in ["/a.md", "/b.md", "/c.md"].iter().zip(&old) {
            site.put(path, text);
        }
        let listed = |a: &str, c: &str| manifest(&[hashed("a.md", a), json!("b.md"), hashed("c.md", c), json!("d.md")]);
        site.put("/manifest.json", listed(&old[0], &old[2]));
        let desk = Desk::at(&site, "/manifest.json").with("AI_ASSIST_NETWORK_ATTEMPTS", "1");
        // One is not there yet: the others are taken.
        let report = desk.sync_with(&[], 1);
        assert_eq!(report.counts(), [3, 3, 0, 0]);
        let problems = report.problems();
        assert!(
            problems.len() == 1 && problems[0].starts_with("d.md: ") && problems[0].contains("404"),
            "{problems:?}"
        );
        assert_eq!(desk.status().0, "stale");
        site.asked();

        // Two that were there can't be had, one of them changed; the third has changed.
        let (a, c) = (page("almond"), page("cypress"));
        site.fail("/a.md", 404);
        site.fail("/b.md", 500);
        site.put("/c.md", &c);
        site.put("/d.md", page("damson"));
        site.put("/manifest.json", listed(&a, &c));
        let report = desk.sync_with(&[], 1);
        assert_eq!(report.counts(), [4, 1, 1, 0]);
        assert_eq!(report.problems().len(), 2, "{report:?}");
        assert_eq!(site.asked(), ["200 /c.md", "200 /d.md", "200 /manifest.json", "404 /a.md", "500 /b.md"]);
        let expected = [("a.md", &old[0]), ("b.md", &old[1]), ("c.md", &c), ("d.md", &page("damson"))];
        let expected: BTreeMap<String, String> =
            expected.map(|(path, text)| (path.to_owned(), hash(text))).into_iter().collect();
        assert_eq!(desk.documents(), expected);
        assert_eq!(desk.status().0, "stale");
        // People are told too.
        let run = desk.run(&["collections", "sync"]);
        run.assert_code(1);
        let said = run.stderr();
        assert!(said.contains("not read: a.md") && said.contains("status 404") && said.contains("not read: b.md"));
        assert!(run.stdout().contains("⚠ 4 documents (0 added, 0 updated, 0 removed, 2 not read)"), "{}", run.stdout());
        site.asked();

        // They are back: the next sync has them, though the manifest is the same.
        site.put("/a.md", &a);
        site.put("/b.md", page("blackthorn"));
        let report = desk.sync();
        assert_eq!(report.changes(), ["update a.md", "update b.md"]);
        assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "304 /d.md", "304 /manifest.json"]);
        assert_eq!(desk.status(), ("synced".to_owned(), String::new()));
        assert_eq!(desk.found("blackthorn"), ["b.md"]);
        desk.sandbox.assert_healthy();
    }
}

#[test]
fn a_file_that_moved_and_was_missing_is_not_taken_for_the_old_one() {
    let site = Site::http();
    let at = |folder: &str| json!({ "name": "guide", "version": "1", "baseUrl": site.url(folder), "sources": { "files": ["a.md"] } });
    site.put_tagged("/old/a.md", "\"1\"", page("alder"));
    site.put("/manifest.json", at("/old/").to_string());
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    site.put("/manifest.json", at("/new/").to_string());
    desk.sync_with(&[], 1);
    site.put_tagged("/new/a.md", "\"1\"", page("birch"));
    assert_eq!(desk.sync().changes(), ["update a.md"]);
}

#[test]
fn one_package_that_fails_does_not_keep_another_from_being_synced() {
    let site = Site::http();
    site.put("/a.md", page("alder"));
    site.put("/good.json", manifest(&[json!("a.md")]));
    let desk = Desk::new(&site.url("/bad.json"));
    desk.declare(&[("bad", &site.url("/bad.json")), ("good", &site.url("/good.json"))]);
    let run = desk.run(&["collections", "sync", "--json"]);
    run.assert_code(1);
    let reports = run.json()["collections"].clone();
    assert!(reports[0]["error"].as_str().unwrap().contains("404"), "{reports}");
    assert_eq!(reports[1]["added"], 1);
    assert_eq!(desk.found("alder"), ["a.md"]);
}

/// A page that is not answered until it is let go.
struct Gate {
    entered: Receiver<()>,
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    fn before(site: &Site, path: &str, text: String) -> Self {
        let (sender, entered): (Sender<()>, _) = channel();
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let (gate, sender) = (open.clone(), Mutex::new(sender));
        site.make(path, move |_| {
            let _ = sender.lock().unwrap().send(());
            let is_shut = |open: &mut bool| !*open;
            drop(gate.1.wait_while(gate.0.lock().unwrap(), is_shut).unwrap());
            reply(200, &[], text.clone())
        });
        Gate { entered, open }
    }

    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

/// Starts a sync and sends a signal when the gate is reached and so many documents are at hand.
fn interrupted(desk: &Desk, gate: &Gate, signal: &str, documents: usize) -> Run {
    let mut command = desk.command();
    let mut child =
        command.args(["collections", "sync"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while said.matches("adding:").count() + said.matches("updating:").count() < documents {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    gate.entered.recv().unwrap();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    stderr.read_to_string(&mut said).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = said.into_bytes();
    Run(output)
}

#[test]
fn an_interrupted_sync_keeps_what_it_had_and_goes_on() {
    let site = Site::http();
    let (a, b) = (page("alder"), page("birch"));
    site.put("/a.md", &a);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &b)]));
    let gate = Gate::before(&site, "/b.md", b.clone());
    let desk = Desk::at(&site, "/manifest.json");
    let run = interrupted(&desk, &gate, "-INT", 1);
    run.assert_code(2);
    assert!(run.stderr().contains("stopped before the end"), "{}", run.stderr());
    assert_eq!(desk.found("shared"), ["a.md"]);
    assert_eq!(desk.status().0, "not-synced");
    assert_eq!(desk.leftovers(), [""; 0].map(std::path::PathBuf::from));
    desk.sandbox.assert_healthy();
    gate.open();
    site.asked();
    assert_eq!(desk.sync().changes(), ["add b.md"]);
    assert_eq!(site.asked(), ["200 /b.md", "200 /manifest.json"]);
    assert_eq!(desk.status().0, "synced");
    desk.sandbox.assert_healthy();
}

#[test]
fn what_was_begun_and_then_taken_back_upstream_is_taken_back_here() {
    let site = Site::http();
    let publish = |word: &str, open: bool| {
        let texts = ["a", "b", "z"].map(|name| page(&format!("{word} {name}")));
        site.put("/a.md", &texts[0]);
        site.put("/b.md", &texts[1]);
        if open {
            site.put("/z.md", &texts[2]);
        }
        let files = if open { vec!["a.md", "b.md", "z.md"] } else { vec!["a.md", "b.md", "slow.md"] };
        // With a hash for each, and with none: then the server is asked by what it called the file.
        let hashed_files: Vec<_> = files.iter().zip(&texts).map(|(path, text)| hashed(path, text)).collect();
        site.put("/sealed.json", manifest(&hashed_files));
        site.put("/open.json", manifest(&files.iter().map(|path| json!(path)).collect::<Vec<_>>()));
    };
    for path in ["/sealed.json", "/open.json"] {
        publish("alder", true);
        let desk = Desk::at(&site, path);
        desk.sync();
        let before = desk.documents();
        publish("birch", false);
        let gate = Gate::before(&site, "/slow.md", page("birch z"));
        interrupted(&desk, &gate, "-INT", 2).assert_code(2);
        assert_eq!(desk.found("birch"), ["a.md", "b.md"], "{path}");
        publish("alder", true);
        desk.sync();
        assert_eq!(desk.documents(), before, "{path}");
        assert_eq!(desk.status().0, "synced");
    }
}

#[test]
fn two_at_once_do_the_work_once() {
    let site = Site::http();
    let (a, b) = (page("alder"), page("birch"));
    site.put("/a.md", &a);
    site.put("/manifest.json", manifest(&[hashed("a.md", &a), hashed("b.md", &b)]));
    let gate = Gate::before(&site, "/b.md", b);
    let desk = Desk::at(&site, "/manifest.json");
    let start = || {
        let mut command = desk.command();
        command.args(["collections", "sync"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = start();
    gate.entered.recv().unwrap();
    let mut second = start();
    let mut stderr = BufReader::new(second.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("waiting for another sync") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    gate.open();
    let [first, second] = [first, second].map(|child| Run(child.wait_with_output().unwrap()));
    first.assert_code(0);
    second.assert_code(0);
    assert!(first.stdout().contains("2 added") && second.stdout().contains("up to date"), "{}", second.stdout());
    assert_eq!(site.asked(), ["200 /a.md", "200 /b.md", "200 /manifest.json", "304 /manifest.json"]);
}

#[test]
fn a_killed_sync_leaves_nothing_half_done() {
    let site = Site::http();
    const MANY: usize = 300;
    // More than one transaction, so that the old and the new are both there when it is killed.
    let publish = |word: &str| {
        let mut files = Vec::new();
        for number in 0..MANY {
            let text = page(&format!("{word}{number}"));
            site.put(&format!("/{number}.md"), &text);
            files.push(hashed(&format!("{number}.md"), &text));
        }
        files.push(hashed("z.md", page(&format!("{word}last"))));
        site.put("/manifest.json", manifest(&files));
    };
    publish("alder");
    site.put("/z.md", page("alderlast"));
    let desk = Desk::at(&site, "/manifest.json");
    desk.sync();
    publish("birch");
    let gate = Gate::before(&site, "/z.md", page("birchlast"));
    let run = interrupted(&desk, &gate, "-KILL", 1);
    assert_eq!(run.code(), -1);
    assert_eq!(desk.found("alderlast"), ["z.md"]);
    assert_eq!(desk.documents().len(), MANY + 1);
    let stored = desk.store()["collections"][0]["documents"].clone();
    assert_eq!(stored, MANY + 1);
    gate.open();
    let report = desk.sync();
    assert_eq!(report.counts()[0], MANY as u64 + 1);
    assert!(report.counts()[2] >= 1);
    let mut expected: BTreeMap<String, String> =
        (0..MANY).map(|number| (format!("{number}.md"), hash(page(&format!("birch{number}"))))).collect();
    expected.insert("z.md".to_owned(), hash(page("birchlast")));
    assert_eq!(desk.documents(), expected);
    desk.sandbox.assert_healthy();
}
