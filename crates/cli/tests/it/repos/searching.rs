use super::{indexed, sample};
use crate::support::Sandbox;

fn documents(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let run = sandbox.run(&[&["search", "--json"], args].concat());
    assert!(run.code() < 2, "{args:?}: {}", run.stderr());
    run.json()["hits"].as_array().unwrap().iter().map(|hit| hit["document"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_question_finds_code_and_documents() {
    let sandbox = indexed();
    let found = documents(&sandbox, &["which job has waited longest"]);
    assert_eq!(found[0], "src/queue.rs", "{found:?}");
    let both = documents(&sandbox, &["worker drains the queue"]);
    assert!(both.contains(&"docs/guide.md".to_owned()) && both.contains(&"src/worker.rs".to_owned()), "{both:?}");
    assert_eq!(documents(&sandbox, &["failures by name", "--mode", "extracted-prose"])[0], "tools/report.py");
    assert_eq!(documents(&sandbox, &["nightly", "--mode", "records"]), ["data/jobs.jsonl"]);
}

#[test]
fn flags_and_filters_narrow_alike() {
    let sandbox = indexed();
    for args in [
        &["jobs", "--lang", "python", "--mode", "all"][..],
        &["jobs lang:python", "--mode", "all"],
        &["jobs", "--path", "tools/**", "--mode", "all"],
        &["jobs path:tools", "--mode", "code"],
    ] {
        let found = documents(&sandbox, args);
        assert!(!found.is_empty() && found.iter().all(|path| path == "tools/report.py"), "{args:?}: {found:?}");
    }
    for (args, said) in [
        (&["search", "x", "--lang", "klingon"][..], "klingon"),
        (&["search", "x", "--kind", "poem"], "poem"),
        (&["search", "x", "--path", "{a"], "{a"),
        (&["search", "x repo:y"], "`y`"),
        (&["search", "x collection:y"], "`y`"),
        (&["search", "--regex", "(a"], "(a"),
        (&["search", "--regex", "a", "--kind", "function"], "--kind"),
        (&["search", "a", "--kind", "sesion"], "did you mean `session`?"),
    ] {
        let run = sandbox.run(args);
        run.assert_code(2);
        assert!(run.stderr().contains(said), "{args:?}: {}", run.stderr());
    }
}

#[test]
fn hits_carry_where_they_are_from_and_whether_the_file_has_changed() {
    let sandbox = indexed();
    let hit =
        || sandbox.json(&["search", "which job has waited longest", "--mode", "code", "--no-sync"])["hits"][0].clone();
    let before = hit();
    assert_eq!(
        (&before["freshness"], &before["mode"], &before["repo"]),
        (&"current".into(), &"code".into(), &"project".into())
    );
    assert_eq!(before["file"].as_str().unwrap(), sandbox.project().join("src/queue.rs").to_str().unwrap());
    assert!(before["text"].as_str().unwrap().contains("waited longest"));
    sandbox.write("src/queue.rs", "// nothing here any more\n");
    assert_eq!(hit()["freshness"], "changed");
    assert!(sandbox.run(&["search", "waited longest", "--no-sync"]).stdout().contains("(changed since)"));
    std::fs::remove_file(sandbox.project().join("src/queue.rs")).unwrap();
    assert_eq!(hit()["freshness"], "missing");
}

#[test]
fn a_budget_holds_and_a_cursor_goes_on() {
    let sandbox = indexed();
    let all = documents(&sandbox, &["job queue worker", "--limit", "20"]);
    let first = sandbox.json(&["search", "job queue worker", "--limit", "2"]);
    let cursor = first["cursor"].as_str().unwrap().to_owned();
    let rest = documents(&sandbox, &["job queue worker", "--limit", "20", "--cursor", &cursor]);
    assert_eq!(all[2..], rest);
    let other = sandbox.run(&["search", "another question", "--cursor", &cursor]);
    other.assert_code(2);
    sandbox.write("src/job.rs", "pub struct Job;\n");
    sandbox.run(&["index", "build"]).assert_code(0);
    let stale = sandbox.run(&["search", "job queue worker", "--limit", "20", "--cursor", &cursor]);
    stale.assert_code(2);
    let small = sandbox.json(&["search", "job queue worker", "--max-tokens", "60"]);
    assert!(small["tokens"].as_u64().unwrap() <= 60 && !small["hits"].as_array().unwrap().is_empty());
}

#[test]
fn scores_are_explained() {
    let sandbox = indexed();
    let run = sandbox.run(&["search", "waited longest", "--mode", "code", "--explain"]);
    run.assert_code(0);
    assert!(run.stdout().contains("waited") && run.stdout().contains("meaning"), "{}", run.stdout());
    let hit = sandbox.json(&["search", "waited longest", "--mode", "code", "--explain"])["hits"][0].clone();
    assert!(hit["explanation"]["terms"].as_array().unwrap().len() >= 2, "{hit}");
}

#[test]
fn symbols_are_found_by_name_and_kind() {
    let sandbox = indexed();
    let names = |args: &[&str]| -> Vec<String> {
        let run = sandbox.run(&[&["search", "--symbol", "--json"], args].concat());
        assert!(run.code() < 2, "{}", run.stderr());
        let found = run.json();
        let symbols = found["symbols"].as_array().unwrap();
        symbols.iter().map(|it| format!("{} {}", it["kind"].as_str().unwrap(), it["name"].as_str().unwrap())).collect()
    };
    assert_eq!(names(&["Queue"])[0], "struct Queue");
    assert_eq!(names(&["queue", "--kind", "struct"]), ["struct Queue"], "case does not matter");
    assert_eq!(names(&["po", "--kind", "method"]), ["method pop"], "a beginning is enough");
    assert_eq!(names(&["ATTEMPTS"])[0], "constant MAX_ATTEMPTS", "and so is a part");
    assert_eq!(names(&["Report", "--lang", "python"])[0], "class Report");
    assert_eq!(names(&["Report", "--lang", "rust"]), [] as [&str; 0]);
    assert_eq!(names(&["%"]), [] as [&str; 0], "nothing has a meaning of its own");
    let text = sandbox.run(&["search", "--symbol", "pop"]).stdout();
    assert!(text.contains("src/queue.rs:") && text.contains("pub fn pop(&mut self) -> Option<Job>"), "{text}");
}

#[test]
fn a_pattern_finds_every_line() {
    let sandbox = indexed();
    let lines = |args: &[&str]| sandbox.run(&[&["search", "--quiet", "--regex"], args].concat()).stdout();
    assert_eq!(lines(&["pub (struct|const)"]).lines().count(), 3);
    assert_eq!(
        lines(&["attempts\\b", "--path", "src/**"]),
        "src/job.rs:5:    pub attempts: u32,\nsrc/worker.rs:12:    assert!(job.attempts < MAX_ATTEMPTS);\n"
    );
    assert_eq!(lines(&["ATTEMPTS", "-i", "--lang", "jsonl"]).lines().count(), 2, "records are lines, too");
    assert_eq!(lines(&["jobs.remove(0)", "-F"]).lines().count(), 1);
    assert_eq!(lines(&["job", "-w", "--path", "src/queue.rs"]).lines().count(), 5);
    assert_eq!(lines(&["pop\\(\\) \\{\\n\\s+run", "--multiline"]).lines().count(), 2);
    let limited = sandbox.json(&["search", "--regex", "job", "--limit", "2"]);
    assert_eq!(limited["lines"].as_array().unwrap().len(), 2);
    assert!(limited["found"].as_u64().unwrap() > 2);
    assert_eq!(sandbox.run(&["search", "--regex", "no such thing"]).code(), 1);
}

#[test]
fn an_outline_needs_no_index_and_shows_no_secret() {
    let sandbox = sample();
    let text = sandbox.run(&["outline", "src/queue.rs"]).stdout();
    assert!(text.contains("pub fn push(&mut self, job: Job)"), "{text}");
    let entries = sandbox.json(&["outline", "docs/guide.md"])["entries"].clone();
    assert_eq!(entries[1]["name"], "Workers");
    sandbox.write(".env", "PASSWORD=1\n");
    sandbox.write("picture.rs", [0u8, 159, 146, 150, 0, 1]);
    for refused in [".env", "picture.rs"] {
        let run = sandbox.run(&["outline", refused]);
        run.assert_code(2);
        assert!(run.stderr().contains(refused), "{}", run.stderr());
    }
    let outside = sandbox.root().join("outside.rs");
    std::fs::write(&outside, "pub fn outside() {}\n").unwrap();
    assert!(sandbox.run(&["outline", outside.to_str().unwrap()]).stdout().contains("outside"));
}

#[test]
fn a_map_shows_what_others_use_and_fits_its_budget() {
    let sandbox = indexed();
    let map = sandbox.json(&["map"]);
    let files: Vec<&str> = map["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(files.contains(&"src/queue.rs") && files.contains(&"src/job.rs"), "{files:?}");
    assert!(["src/queue.rs", "src/job.rs"].contains(&files[0]), "{files:?}");
    for budget in ["1", "20", "60", "5000"] {
        let run = sandbox.run(&["map", "--json", "--max-tokens", budget]);
        assert!(run.code() < 2);
        assert!(run.json()["tokens"].as_u64().unwrap() <= budget.parse().unwrap());
    }
    let text = sandbox.run(&["map"]).stdout();
    assert!(text.contains("pub struct Job"), "{text}");
}

#[test]
fn several_repositories_can_be_named() {
    let sandbox = indexed();
    sandbox.write("../other/src/lib.rs", "/// Another queue of parcels.\npub struct ParcelQueue;\n");
    sandbox.run(&["index", "build", "--repo", "../other"]).assert_code(0);
    let both = ["--repo", ".", "--repo", "../other"];
    let text = sandbox.run(&[&["search", "queue", "--mode", "code"], &both[..]].concat()).stdout();
    assert!(text.contains("project/src/queue.rs:") && text.contains("other/src/lib.rs:"), "{text}");
    let text = sandbox.run(&[&["search", "--symbol", "Queue"], &both[..]].concat()).stdout();
    assert!(text.starts_with("project/src/queue.rs:") && text.contains("other/src/lib.rs:"), "{text}");
    let text = sandbox.run(&[&["search", "--regex", "struct \\w*Queue"], &both[..]].concat()).stdout();
    assert_eq!(text.lines().count(), 2, "{text}");
}
