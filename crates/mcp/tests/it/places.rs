//! Every place that an answer shows can be read.

use serde_json::{Value, json};

use crate::support::{Bench, Client};

fn git(bench: &Bench, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(bench.project()).args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args);
    let run = command.output().unwrap();
    assert!(run.status.success(), "{run:?}");
}

/// A project with code, documents in and out of what is read as a file, odd names, and a session.
pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    bench.write(".gitignore", "vendor/\n");
    bench.write(
        "docs/guide.md",
        "# Guide\n\nHow oaks are planted.\n\n## Rows: #1\n\nOaks are planted in rows by plant_oak.\n",
    );
    bench.write("docs/odd name.md", "# Odd\n\nAn oak planted with a space.\n");
    bench.write("docs/page.html", "<html><body><h1>Page</h1><p>Oaks planted on a page.</p></body></html>");
    bench.write("vendor/notes/oaks.md", "# Vendored\n\nOaks planted elsewhere.\n");
    bench.write(
        "src/oak.rs",
        "/// An oak that is planted.\npub struct Oak;\n\nimpl Oak {\n    /// Grows oaks.\n    pub fn grow(&self) -> u32 {\n        crate::plant_oak(1)\n    }\n}\n",
    );
    bench.write(
        "src/lib.rs",
        "mod oak;\n\n/// Plants oaks in rows.\npub fn plant_oak(rows: u32) -> u32 {\n    rows\n}\n",
    );
    let collections = r#"{"collections": {"docs": {"type": "file", "path": "docs", "glob": "**/*"},
                          "notes": {"type": "file", "path": "vendor/notes"}}}"#;
    bench.write("context.json", collections);
    git(&bench, &["init", "-q"]);
    git(&bench, &["add", "."]);
    git(&bench, &["commit", "-qm", "Plant oaks"]);
    bench.write("src/lib.rs", "mod oak;\n\n/// Plants oaks in rows.\npub fn plant_oak(rows: u32) -> u32 {\n    rows + 1\n}\n\npub fn fell_oak() {}\n");
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    client.value("session_open", json!({ "session": "work" }));
    client.value("session_read", json!({ "paths": ["src/oak.rs"] }));
    let call = json!({ "tool": "bash", "args": { "command": "ls" }, "output": "oaks planted\nby a call\n" });
    client.value("session_record", json!({ "toolcall": call }));
    bench
}

/// The places of an answer: what programs get as document and lines, and what models see.
fn places(answer: &Value, text: &str) -> Vec<String> {
    let mut places = Vec::new();
    of_programs(answer, &mut places);
    for line in text.lines() {
        // A place is what a heading or an item of a list begins with.
        let item = line.strip_prefix("=== ").or_else(|| line.strip_prefix("- "));
        places.extend(
            item.and_then(|item| item.split(" · ").next()).map(|item| item.split(" `").next().unwrap().to_owned()),
        );
        places.extend(line.split([' ', '`', '(', ')']).filter(|word| word.contains("://")).map(str::to_owned));
    }
    places
}

fn of_programs(answer: &Value, places: &mut Vec<String>) {
    match answer {
        Value::Object(object) => {
            let (document, lines) = (object.get("document"), object.get("lines"));
            if let (Some(Value::String(document)), Some(Value::String(lines))) = (document, lines) {
                places.push(format!("{document}:{lines}"));
            }
            places.extend(document.and_then(Value::as_str).map(str::to_owned));
            places.extend(object.get("url").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| of_programs(value, places));
        }
        Value::Array(items) => items.iter().for_each(|item| of_programs(item, places)),
        _ => {}
    }
}

fn read(client: &mut Client, from: &str, place: &str) {
    let answer = client.call("read", json!({ "place": place }));
    assert_eq!(answer["success"], true, "{place:?} of {from}: {answer}");
    assert!(!answer["value"]["text"].as_str().unwrap().is_empty(), "{place:?} of {from}: {answer}");
}

#[test]
fn every_place_that_is_shown_is_read() {
    let bench = bench();
    let mut client = bench.client();
    let mut seen = 0;
    for (tool, arguments) in [
        ("search", json!({ "query": "oaks planted" })),
        ("search", json!({ "query": "plant_oak" })),
        ("search", json!({ "query": "oaks planted", "max_tokens": 8000, "limit": 30 })),
        ("search", json!({ "query": "oaks planted", "scope": "sessions" })),
        ("symbol", json!({ "name": "oak" })),
        ("find_related", json!({ "document": "src/oak.rs" })),
        ("list_documents", json!({})),
        ("get_content", json!({ "expression": "docs,notes" })),
        ("outline", json!({ "document": "docs/guide.md" })),
        ("outline", json!({ "document": "src/oak.rs" })),
    ] {
        let (answer, text) = (client.value(tool, arguments.clone()), client.text(tool, arguments.clone()));
        let mut found = places(&answer, &text);
        // Items of lists in documents are none of ours.
        found.retain(|place| !place.starts_with("left out"));
        assert!(!found.is_empty(), "{tool} {arguments} shows no place: {text}");
        seen += found.len();
        for place in found {
            read(&mut client, &format!("{tool} {arguments}\n{text}"), &place);
        }
    }
    assert!(seen > 40, "{seen} places");
    // Lines below the name of their file.
    for (tool, arguments) in [("grep", json!({ "pattern": "oak" })), ("map", json!({}))] {
        let text = client.text(tool, arguments);
        let (mut file, mut lines) = ("", 0);
        for line in text.lines().skip(1) {
            match line.strip_prefix(' ') {
                None => file = line,
                Some(rest) => {
                    let number = rest.trim_start().split([' ', ':']).next().unwrap();
                    if number.parse::<u32>().is_ok() {
                        lines += 1;
                        read(&mut client, tool, &format!("{file}:{number}"));
                    }
                }
            }
        }
        assert!(lines > 1, "{tool}: {text}");
    }
}

#[test]
fn a_place_is_written_in_many_ways() {
    let bench = bench();
    let mut client = bench.client();
    for (place, expected) in [
        ("docs/guide.md", "# Guide\n"),
        ("docs/guide.md:3", "How oaks are planted.\n"),
        ("docs/guide.md:3-3", "How oaks are planted.\n"),
        ("docs/guide.md#L3-L3", "How oaks are planted.\n"),
        ("src/lib.rs:4:8", "pub fn plant_oak(rows: u32) -> u32 {\n"),
        ("docs/guide.md#Guide", "# Guide\n"),
        ("src/oak.rs#grow", "    /// Grows oaks.\n"),
        ("plant_oak", "/// Plants oaks in rows.\n"),
        ("Oak::grow", "    /// Grows oaks.\n"),
        ("assist://collection/docs/guide.md:3-3", "How oaks are planted.\n"),
        ("assist://collection/docs/odd%20name.md", "# Odd\n"),
        ("docs/odd name.md:1", "# Odd\n"),
        ("guide.md:1", "# Guide\n"),
    ] {
        let text = client.value("read", json!({ "place": place }))["text"].as_str().unwrap().to_owned();
        assert!(text.starts_with(expected), "{place}: {text}");
    }
    // What is not there is told with what may be meant.
    let (kind, failure) = client.failure("read", json!({ "place": "source/oak.rs:3" }));
    assert_eq!(kind, "not_found");
    assert!(failure["instruction"].as_str().unwrap().contains(r#"`read {"place":"src/oak.rs"}`"#), "{failure}");
    let (_, failure) = client.failure("read", json!({ "place": "https://nowhere.example/a" }));
    assert_eq!(failure["error_type"], "not_found", "{failure}");
    let (_, failure) = client.failure("read", json!({ "place": "docs/guide.md:900-901" }));
    assert_eq!(failure["field"], "lines", "{failure}");
}

#[test]
fn a_name_that_is_defined_twice_is_told_with_its_places() {
    let bench = Bench::new();
    bench.write("src/a.rs", "pub fn grow() {}\n").write("src/b.rs", "pub fn grow() {}\n");
    let mut client = bench.client();
    client.value("index_build", json!({}));
    let (_, failure) = client.failure("read", json!({ "place": "grow" }));
    let way = failure["instruction"].as_str().unwrap();
    assert!(way.contains("`src/a.rs:1`") && way.contains("`src/b.rs:1`"), "{failure}");
}
