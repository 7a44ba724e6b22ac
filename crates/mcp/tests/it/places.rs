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
    let (mut client, mut agent) = (bench.client(), bench.agent());
    let mut seen = 0;
    for (tool, arguments) in [
        ("search", json!({ "query": "oaks planted" })),
        ("search", json!({ "query": "plant_oak" })),
        ("search", json!({ "query": "oaks planted", "max_tokens": 8000, "limit": 30 })),
        ("search", json!({ "query": "oaks planted", "scope": "sessions" })),
        ("symbol", json!({ "name": "oak" })),
        ("context", json!({ "query": "how are oaks planted in rows by plant_oak" })),
        ("changes", json!({})),
        ("changes", json!({ "since": "1w" })),
        ("find_related", json!({ "document": "src/oak.rs" })),
        ("list_documents", json!({})),
        ("get_content", json!({ "expression": "docs,notes" })),
        ("outline", json!({ "document": "docs/guide.md" })),
        ("outline", json!({ "document": "src/oak.rs" })),
    ] {
        // Beside data a text is shorter.
        let texts = [client.text(tool, arguments.clone()), agent.text(tool, arguments.clone())];
        let (answer, text) = (client.value(tool, arguments.clone()), texts.concat());
        let mut found = places(&answer, &text);
        // Items of lists in documents are none of ours.
        found.retain(|place| !place.starts_with("left out") && !place.starts_with("commit "));
        assert!(!found.is_empty(), "{tool} {arguments} shows no place: {text}");
        seen += found.len();
        for place in found {
            read(&mut client, &format!("{tool} {arguments}\n{text}"), &place);
        }
    }
    assert!(seen > 40, "{seen} places");
    // Lines below the name of their file.
    for (tool, arguments) in [("grep", json!({ "pattern": "oak" })), ("map", json!({}))] {
        let text = agent.text(tool, arguments);
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
fn what_changed_is_told() {
    let bench = bench();
    let mut client = bench.client();
    let last = client.value("changes", json!({}));
    assert_eq!(last.get("since"), None, "the last commit is the first: {last}");
    assert!(last["commits"][0].as_str().unwrap().ends_with(" Plant oaks"), "{last}");
    git(&bench, &["commit", "-qam", "Fell oaks"]);
    bench.write("src/elm.rs", "pub fn plant_elm() {}\n");
    std::fs::remove_file(bench.project().join("docs/odd name.md")).unwrap();
    let file = |changes: &Value, path: &str| -> Value {
        let files = changes["files"].as_array().unwrap();
        files.iter().find(|file| file["document"] == path).unwrap_or_else(|| panic!("{path}: {changes}")).clone()
    };
    for since in [json!({}), json!({ "since": "HEAD~1" })] {
        let changes = client.value("changes", since);
        assert_eq!(changes["found"], 3, "{changes}");
        assert_eq!(changes["commits"].as_array().unwrap().len(), 1, "{changes}");
        let lib = file(&changes, "src/lib.rs");
        assert_eq!((&lib["added"], &lib["removed"]), (&json!(3), &json!(1)), "{lib}");
        let told: Vec<(&str, &str)> = lib["definitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["status"].as_str().unwrap(), it["name"].as_str().unwrap()))
            .collect();
        assert_eq!(told, [("changed", "plant_oak"), ("added", "fell_oak")]);
        assert_eq!(file(&changes, "src/elm.rs")["status"], "added");
        assert_eq!(file(&changes, "docs/odd name.md")["status"], "removed");
        assert_eq!(changes["sessions"][0]["session"], "work", "{changes}");
        assert_eq!(changes["sessions"][0]["files"], json!(["src/oak.rs"]), "{changes}");
    }
    assert_eq!(client.value("changes", json!({ "since": "HEAD" }))["found"], 2);
    assert_eq!(client.value("changes", json!({ "path": ["src/**"] }))["found"], 2);
    assert_eq!(client.value("changes", json!({ "since": "2099-01-01" }))["sessions"], Value::Null);
    let (kind, failure) = client.failure("changes", json!({ "since": "no-such-branch" }));
    assert_eq!((kind.as_str(), &failure["field"]), ("validation_error", &json!("since")), "{failure}");
    let text = client.text("changes", json!({}));
    assert!(text.contains("  + src/lib.rs:8 pub fn fell_oak()"), "{text}");
}

/// What is kept from agents is not shown by what it was before.
#[test]
fn what_changed_has_no_secrets() {
    let bench = Bench::new();
    // Made up, in the form of a real one.
    let key = format!("AKIA{}", "Z7QX2MVBN4KJH6TR");
    bench.write("a.py", &format!("KEY = \"{key}\"\n\ndef f(key=\"{key}\"):\n    pass\n"));
    bench.write(".env", &format!("KEY={key}\n"));
    git(&bench, &["init", "-q"]);
    git(&bench, &["add", "-f", "."]);
    git(&bench, &["commit", "-qm", "One"]);
    bench.write("a.py", "def g():\n    pass\n").write(".env", "KEY=\n");
    let mut client = bench.client();
    for arguments in [json!({}), json!({ "since": "HEAD" })] {
        let answer = client.call("changes", arguments.clone());
        assert_eq!(answer["success"], true, "{answer}");
        let text = client.text("changes", arguments);
        assert!(!answer.to_string().contains(&key) && !text.contains(&key), "{answer}\n{text}");
        assert!(text.contains("a.py"), "{text}");
    }
}

#[test]
fn context_has_what_a_question_needs() {
    let bench = bench();
    let mut client = bench.client();
    let arguments = json!({ "query": "how does an oak grow", "path": ["src/oak.rs"] });
    let answer = client.value("context", arguments.clone());
    let text = bench.agent().text("context", arguments);
    assert!(text.contains("=== src/oak.rs:") && text.contains("crate::plant_oak(1)"), "{text}");
    let used = &answer["definitions"][0];
    assert_eq!((&used["name"], &used["document"]), (&json!("plant_oak"), &json!("src/lib.rs")), "{answer}");
    // It is short, so it is there as a whole.
    assert!(text.contains("pub fn plant_oak(rows: u32) -> u32 {"), "{text}");
}

/// Searches name a file by its path in the repository, sessions by that in the project.
#[test]
fn a_project_below_its_repository_reads_both_kinds_of_paths() {
    let bench = Bench::new();
    bench.write("lib.rs", "pub fn top() {}\n").write("sub/lib.rs", "pub fn below() {}\n");
    bench.write("sub/src/oak.rs", "pub fn plant_oak() {}\n").write("sub/context.json", "{}");
    git(&bench, &["init", "-q"]);
    let folder = bench.project().join("sub");
    let pin = Some(ai_assist_mcp::Pin(folder.clone()));
    let tools = "all".parse().unwrap();
    let mut client = bench.client_with(ai_assist_mcp::Options { pin, tools, ..Default::default() });
    client.value("session_open", json!({ "session": "s" }));
    client.value("session_read", json!({ "paths": ["src/oak.rs"] }));
    let call = json!({ "tool": "Edit", "output": "updated", "files": ["src/oak.rs"] });
    client.value("session_record", json!({ "toolcall": call }));
    for place in ["sub/src/oak.rs", "src/oak.rs", "src/oak.rs:1", folder.join("src/oak.rs").to_str().unwrap()] {
        read(&mut client, "a project below", place);
    }
    let whole = |place: String, client: &mut Client| client.value("read", json!({ "place": place }))["text"].clone();
    assert_eq!(whole(format!("{}/lib.rs", folder.display()), &mut client), "pub fn below() {}\n");
    assert_eq!(whole(format!("{}/lib.rs", bench.project().display()), &mut client), "pub fn top() {}\n");
    for file in ["src/oak.rs", "sub/src/oak.rs", folder.join("src/oak.rs").to_str().unwrap()] {
        let known = client.value("memory", json!({ "file": file }));
        assert!(known["brief"].as_str().unwrap().contains("- Edit"), "{file}: {known}");
    }
}

/// What a definition does is worth more than the end of what is said of it.
#[test]
fn a_long_comment_does_not_cut_off_what_it_is_about() {
    let bench = Bench::new();
    let comment = "/// elm a1 b2 c3 d4 e5 f6 g7 h8\n".repeat(60);
    bench.write("src/elm.rs", &format!("{comment}pub fn plant_elm(depth: u32) -> u32 {{\n    depth * 7\n}}\n"));
    let mut client = bench.client();
    client.value("index_build", json!({}));
    let answer = client.value("context", json!({ "query": "plant an elm in deep soil" }));
    let lines: Vec<&str> =
        answer["passages"].as_array().unwrap().iter().map(|it| it["lines"].as_str().unwrap()).collect();
    assert!(lines[0].starts_with("1-") && lines[1] == "61-63", "{answer}");
    assert!(answer["passages"][1]["text"].as_str().unwrap().contains("depth * 7"), "{answer}");
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
    // Agents hold absolute paths; only those of the project are as good as relative ones.
    let own = bench.project().canonicalize().unwrap().join("docs/guide.md").display().to_string();
    assert_eq!(client.value("read", json!({ "place": format!("{own}:3") }))["text"], "How oaks are planted.\n");
    let (kind, failure) = client.failure("read", json!({ "place": "/etc/hostname" }));
    assert_eq!(kind, "refused", "{failure}");
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
