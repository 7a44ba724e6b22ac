//! Answers fit their budgets, and what was cut can be had.

use ai_assist_text::count_tokens;
use serde_json::{Value, json};

use crate::support::{Bench, Client};

/// Documents and code of all shapes.
fn bench() -> Bench {
    let bench = Bench::new();
    for number in 0..120 {
        let text = format!(
            "# Page {number}: \"quotes\" and \\ slashes\n\n## Oaks and elms\n\n{}\n\n```text\n\t{{\"json\": [{number}]}}\n```\n",
            format!("Trees such as oaks grow \u{1f333} in rows; line {number}.\n").repeat(30)
        );
        bench.write(&format!("docs/deep/er/{number:03} page.md"), &text);
    }
    bench.write("docs/one-line.md", &"oaks and more oaks \u{4e2d}\u{6587} ".repeat(4_000));
    bench.write("docs/empty.md", "");
    bench.write("docs/long.md", &(1..=3_000).map(|line| format!("Line {line} about birches.\n")).collect::<String>());
    for number in 0..60 {
        let functions: String = (0..30)
            .map(|at| format!("/// Grows oak {at}.\npub fn grow_oak_{number}_{at}(row: &str) -> String {{\n    row.to_owned()\n}}\n\n"))
            .collect();
        bench.write(&format!("src/part{number}.rs"), &functions);
    }
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    bench
}

/// The tokens of the text that a client gets.
pub(crate) fn tokens(answer: &Value) -> usize {
    count_tokens(&answer.to_string())
}

#[test]
fn no_answer_exceeds_its_budget() {
    let bench = bench();
    let mut client = bench.client();
    let calls = [
        ("search", json!({ "query": "oaks", "limit": 50 })),
        ("search", json!({ "query": "grow oak row", "scope": "repo", "limit": 50 })),
        ("search", json!({ "query": "\u{4e2d}\u{6587}", "limit": 50 })),
        ("get_document", json!({ "document": "docs/long.md" })),
        ("get_document", json!({ "document": "docs/one-line.md" })),
        ("get_document", json!({ "document": "docs/empty.md" })),
        ("get_document", json!({ "document": "docs/deep/er/003 page.md", "section": "Oaks and elms" })),
        ("outline", json!({ "document": "src/part1.rs" })),
        ("symbol", json!({ "name": "grow_oak", "limit": 200 })),
        ("grep", json!({ "pattern": "grow_oak_\\d+", "limit": 1000 })),
        ("repo_map", json!({})),
        ("context", json!({ "query": "how are oaks grown in rows" })),
        ("context", json!({ "query": "grow_oak_3_4" })),
        ("changes", json!({})),
        ("list_documents", json!({ "limit": 1000 })),
        ("get_content", json!({ "expression": "docs" })),
        ("get_content", json!({ "expression": "docs/one-line.md" })),
        ("find_related", json!({ "document": "src/part1.rs", "limit": 50 })),
        ("context_pack", json!({ "type": "full" })),
        ("context_pack", json!({ "type": "summary" })),
        ("context_pack", json!({ "format": "json" })),
    ];
    for (tool, arguments) in calls {
        let budgets: &[usize] = if tool == "context_pack" { &[2_000, 5_000] } else { &[500, 777, 2_000, 24_000] };
        for &budget in budgets {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(budget);
            let answer = client.call(tool, arguments.clone());
            assert_eq!(answer["success"], true, "{tool} {arguments}: {answer}");
            assert!(tokens(&answer) <= budget, "{tool} {arguments}: {} tokens", tokens(&answer));
            let text = client.text(tool, arguments.clone());
            assert!(count_tokens(&text) <= budget, "{tool} {arguments}: {} tokens of text", count_tokens(&text));
        }
    }
}

/// Follows `more` until there is none.
pub(crate) fn all(client: &mut Client, tool: &str, arguments: Value) -> Vec<Value> {
    let mut pages = vec![client.value(tool, arguments)];
    while let Some(more) = pages.last().and_then(|page| page.get("more")).cloned() {
        assert!(!more["left_out"].as_str().unwrap().is_empty());
        assert!(pages.len() < 500, "it never ends: {more}");
        pages.push(client.value(more["tool"].as_str().unwrap(), more["arguments"].clone()));
    }
    pages
}

#[test]
fn a_long_document_is_read_whole_in_parts() {
    let bench = bench();
    let mut client = bench.client();
    for document in ["docs/long.md", "assist://collection/docs/long.md", "docs/deep/er/003 page.md"] {
        let pages = all(&mut client, "get_document", json!({ "document": document, "max_tokens": 500 }));
        let text: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
        let path = document.strip_prefix("assist://collection/").unwrap_or(document);
        assert_eq!(text, std::fs::read_to_string(bench.project().join(path)).unwrap());
        assert!(pages.len() > 1, "{document}");
    }
    // A line that is longer than any budget is read in pieces.
    let pages = all(&mut client, "get_document", json!({ "document": "docs/one-line.md", "max_tokens": 6000 }));
    assert!(pages.len() > 3 && pages[0]["line_cut"] == true, "{}", pages.len());
    let text: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
    assert_eq!(text, std::fs::read_to_string(bench.project().join("docs/one-line.md")).unwrap());
}

#[test]
fn lists_are_read_whole_in_parts() {
    let bench = bench();
    let mut client = bench.client();
    let pages = all(&mut client, "list_documents", json!({ "max_tokens": 800 }));
    let listed: Vec<&str> = pages
        .iter()
        .flat_map(|page| page["documents"].as_array().unwrap())
        .map(|document| document["document"].as_str().unwrap())
        .collect();
    assert_eq!(listed.len(), 123);
    assert!(listed.is_sorted());
    let pages = all(&mut client, "outline", json!({ "document": "src/part1.rs", "max_tokens": 500 }));
    let entries: usize = pages.iter().map(|page| page["entries"].as_array().unwrap().len()).sum();
    assert_eq!(entries, 30);
    let pages = all(&mut client, "get_content", json!({ "expression": "docs/deep/**,docs", "max_tokens": 5000 }));
    let delivered: usize = pages.iter().map(|page| page["documents"].as_array().unwrap().len()).sum();
    assert_eq!(delivered, 123);
    assert_eq!(pages[0]["matched"], 123);
}

#[test]
fn pages_of_a_search_have_every_hit_once() {
    let bench = bench();
    let mut client = bench.client();
    for scope in ["all", "collections", "repo"] {
        let arguments = json!({ "query": "oaks in rows", "scope": scope, "limit": 20, "max_tokens": 3000 });
        let pages = all(&mut client, "search", arguments);
        let mut seen = std::collections::HashSet::new();
        for hit in pages.iter().flat_map(|page| page["hits"].as_array().unwrap()) {
            // Pieces of one long line have the same place.
            let key = (hit["document"].to_string(), hit["lines"].to_string());
            assert!(seen.insert(key) || hit["lines"] == "1", "{scope}: twice: {hit}");
            assert_eq!(hit["freshness"], "current");
        }
        assert!(seen.len() > 20, "{scope}: {}", seen.len());
    }
    let first = client.value("search", json!({ "query": "oaks", "limit": 2 }));
    let cursor = first["more"]["arguments"]["cursor"].clone();
    let (kind, _) = client.failure("search", json!({ "query": "elms", "limit": 2, "cursor": cursor }));
    assert_eq!(kind, "stale_cursor");
    let (kind, _) = client.failure("search", json!({ "query": "oaks", "cursor": "nonsense" }));
    assert_eq!(kind, "validation_error");
}

#[test]
fn a_change_since_is_taken_in_or_told() {
    let bench = bench();
    let mut client = bench.client();
    bench.write("docs/deep/er/003 page.md", "# Page 3: other\n");
    let found = client.value("search", json!({ "query": "\"Page 3\"", "scope": "collections", "limit": 1 }));
    assert_eq!(found["hits"][0]["freshness"], "current", "{found}");
    assert!(found["hits"][0]["text"].as_str().unwrap().contains("Page 3: other"), "{found}");
    std::fs::remove_file(bench.project().join("src/part7.rs")).unwrap();
    let found = client.value("symbol", json!({ "name": "grow_oak_7_3" }));
    assert_eq!(found["definitions"], json!([]), "{found}");
}

/// Whatever looks something up, and not the search alone.
#[test]
fn what_has_changed_is_taken_in_before_it_is_read() {
    let bench = bench();
    let mut client = bench.client();
    bench.write("src/part7.rs", "\n\n/// Fells oaks.\npub fn fell_oak() {}\n");
    assert_eq!(client.value("read", json!({ "place": "fell_oak" }))["lines"], "3-4");
    bench.write("src/part8.rs", "\npub fn split_oak() {}\n");
    assert_eq!(
        client.value("grep", json!({ "pattern": "split_oak" }))["lines"],
        json!(["src/part8.rs:2: pub fn split_oak() {}"])
    );
    bench.write("src/part9.rs", "\n\npub fn burn_oak() {}\n");
    assert_eq!(client.value("symbol", json!({ "name": "burn_oak" }))["definitions"][0]["lines"], "3");
    bench.write("src/part10.rs", "pub fn carve_oak() {}\n");
    let map = client.value("map", json!({ "path": ["src/part10.rs"] }));
    assert!(map["map"].as_str().unwrap().contains("carve_oak"), "{map}");
    let address = |number: usize| format!("assist://collection/docs/deep/er/{number:03}%20page.md");
    bench.write("docs/deep/er/004 page.md", "# Four\n");
    let read = client.value("read", json!({ "place": address(4) }));
    assert_eq!((&read["text"], &read["freshness"]), (&json!("# Four\n"), &json!("current")));
    bench.write("docs/deep/er/005 page.md", "# Five\n");
    let outline = client.value("outline", json!({ "document": address(5) }));
    assert_eq!(outline["entries"], json!(["1  section  Five"]));
    bench.write("docs/deep/er/006 page.md", "# Six\n");
    let content = client.value("get_content", json!({ "expression": "docs/deep/er/006*" }));
    assert_eq!(content["documents"][0]["text"], "# Six\n", "{content}");
    std::fs::remove_file(bench.project().join("docs/deep/er/007 page.md")).unwrap();
    assert_eq!(client.failure("read", json!({ "place": address(7) })).0, "not_found");
}

#[test]
fn long_answers_end_with_the_call_that_goes_on() {
    let bench = bench();
    let mut client = bench.client();
    let pages = all(&mut client, "grep", json!({ "pattern": "pub fn grow_oak", "limit": 700, "max_tokens": 24000 }));
    let lines: std::collections::BTreeSet<String> =
        pages.iter().flat_map(|page| page["lines"].as_array().unwrap()).map(Value::to_string).collect();
    assert_eq!((lines.len(), &pages[0]["found"]), (1_800, &json!(1_800)));
    assert!(pages.len() > 2, "{}", pages.len());
    let maps = all(&mut client, "map", json!({ "max_tokens": 500 }));
    let shown: Vec<u64> = maps.iter().map(|map| map["shown"].as_u64().unwrap()).collect();
    assert!(shown.len() > 2 && shown.is_sorted(), "{shown:?}");
    let symbols = all(&mut client, "symbol", json!({ "name": "grow_oak_1", "limit": 5 }));
    assert_eq!(symbols.len(), 2);
    for (tool, arguments) in [
        ("grep", json!({ "pattern": "pub fn grow_oak" })),
        ("map", json!({ "max_tokens": 500 })),
        ("symbol", json!({ "name": "grow_oak_1", "max_tokens": 500 })),
        ("search", json!({ "query": "oaks in rows", "limit": 5 })),
        ("read", json!({ "place": "docs/long.md", "max_tokens": 500 })),
        ("outline", json!({ "document": "src/part1.rs", "max_tokens": 500 })),
        ("find_related", json!({ "document": "src/part1.rs", "limit": 50, "max_tokens": 500 })),
        ("list_documents", json!({ "max_tokens": 500 })),
        ("get_content", json!({ "expression": "docs", "max_tokens": 2000 })),
    ] {
        let text = client.text(tool, arguments);
        let (_, next) = text.trim_end().rsplit_once("Next: `").unwrap_or_else(|| panic!("{tool}: {text}"));
        let (called, arguments) = next.trim_end_matches('`').split_once(' ').unwrap();
        assert_eq!(called, tool, "{text}");
        client.value(called, serde_json::from_str(arguments).unwrap());
    }
}

#[test]
fn a_pack_has_a_receipt_of_what_was_sent() {
    let bench = bench();
    // Made up, in the form of a real one.
    let key = format!("AKIA{}", "Z7QX2MVBN4KJH6TR");
    bench.write("secret.py", &format!("KEY = \"{key}\"\n"));
    let mut client = bench.client();
    let pack = client.value("context_pack", json!({ "type": "full", "include": ["secret.py"], "max_tokens": 4000 }));
    let text = pack["pack"].as_str().unwrap();
    assert!(text.contains("secret.py") && !text.contains(&key), "{text}");
    let hash = ai_assist_identity::Sha256::of(text.as_bytes()).to_string();
    assert_eq!(pack["receipt"]["hash"], hash);
    let again = client.value("context_pack", json!({ "type": "summary" }));
    assert_eq!(again["receipt"]["number"].as_u64(), pack["receipt"]["number"].as_u64().map(|number| number + 1));
}

#[test]
fn nothing_indexed_is_told_with_the_call_that_helps() {
    let bench = Bench::new();
    bench.write("docs/a.md", "# A\n").write("src/lib.rs", "pub fn a() {}\n");
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    for (tool, arguments, helps) in [
        ("search", json!({ "query": "a" }), "collection_sync"),
        ("search", json!({ "query": "a", "scope": "repo" }), "index_build"),
        ("search", json!({ "query": "a", "scope": "collections", "collections": ["docs"] }), "collection_sync"),
        ("symbol", json!({ "name": "a" }), "index_build"),
        ("repo_map", json!({}), "index_build"),
        ("list_documents", json!({ "collection": "docs" }), "collection_sync"),
        ("get_content", json!({ "expression": "docs" }), "collection_sync"),
    ] {
        let (kind, answer) = client.failure(tool, arguments.clone());
        assert_eq!(kind, "not_indexed", "{tool} {arguments}: {answer}");
        assert!(answer["instruction"].as_str().unwrap().contains(helps), "{tool}: {answer}");
    }
}

#[test]
fn copies_of_a_file_are_all_found() {
    let bench = Bench::new();
    for number in 0..30 {
        bench.write(&format!("docs/{number:02}/LICENSE.md"), "# Licence\n\nThe okapi licence.\n");
    }
    for number in 0..5 {
        bench.write(&format!("docs/other{number}.md"), &format!("# Other {number}\n\nAn okapi, number {number}.\n"));
    }
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    for scope in ["collections", "repo", "all"] {
        let pages = all(&mut client, "search", json!({ "query": "okapi", "limit": 10, "scope": scope }));
        let found: std::collections::HashSet<String> = pages
            .iter()
            .flat_map(|page| page["hits"].as_array().unwrap())
            .map(|hit| hit["document"].as_str().unwrap().replace("assist://collection/", ""))
            .collect();
        assert_eq!(found.len(), 35, "{scope}");
    }
}

#[test]
fn calls_for_the_rest_name_the_project_where_they_must() {
    let bench = bench();
    let mut client = bench.client_with(ai_assist_mcp::Options::default());
    let project = bench.project();
    let arguments = json!({ "project": project, "max_tokens": 800 });
    assert_eq!(all(&mut client, "list_documents", arguments).last().unwrap()["found"], 123);
    let content =
        client.value("get_content", json!({ "project": project, "expression": "docs/long.md", "max_tokens": 500 }));
    let more = &content["documents"][0]["more"];
    assert_eq!(more["arguments"]["max_tokens"], 500);
    client.value("read", more["arguments"].clone());
}

#[test]
fn uses_and_qualified_names_are_found() {
    let bench = Bench::new();
    bench.write("src/oak.rs", "pub struct Oak;\n\nimpl Oak {\n    pub fn grow(&self) {}\n}\n");
    bench.write("src/elm.rs", "pub struct Elm;\n\nimpl Elm {\n    pub fn grow(&self) {}\n}\n\npub fn both(oak: &crate::oak::Oak, elm: &Elm) {\n    oak.grow();\n    elm.grow();\n}\n");
    let mut client = bench.client();
    client.value("index_build", json!({}));
    let lines = client.value("grep", json!({ "pattern": r"\.grow\(" }));
    assert_eq!(lines["lines"], json!(["src/elm.rs:8: oak.grow();", "src/elm.rs:9: elm.grow();"]));
    assert_eq!(client.value("grep", json!({ "pattern": ".grow(", "fixed": true, "path": ["src/oak.rs"] }))["found"], 0);
    assert_eq!(client.failure("grep", json!({ "pattern": "(" })).0, "validation_error");
    for name in ["Oak::grow", "Oak.grow", "crate::oak::Oak::grow"] {
        let found = client.value("symbol", json!({ "name": name }));
        assert_eq!(found["definitions"].as_array().unwrap().len(), 1, "{name}: {found}");
        assert_eq!(found["definitions"][0]["document"], "src/oak.rs", "{name}");
    }
    assert_eq!(client.value("symbol", json!({ "name": "grow" }))["definitions"].as_array().unwrap().len(), 2);
}

#[test]
fn addresses_lead_back_to_what_was_listed() {
    let bench = Bench::new();
    bench.write("docs/x.md", "# Docs X\n").write("b/x.md", "# B X\n").write("b/[id],{a}.md", "# Odd\n");
    bench.write(
        "context.json",
        r#"{"categories": {"d": {"dir": "docs", "patterns": ["**/*.md"]}, "b": {"dir": "b", "patterns": ["**/*.md"]}},
            "collections": {"c": {"categories": ["d"]}, "d": {"categories": ["b"]}}}"#,
    );
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    let listed = client.value("list_documents", json!({}));
    for document in listed["documents"].as_array().unwrap() {
        let read = client.value("get_document", json!({ "document": document["document"] }));
        assert_eq!(read["title"], document["title"], "{document}");
    }
    assert_eq!(
        client.value("get_content", json!({ "expression": "b/[id],{a}.md" }))["documents"][0]["text"],
        "# Odd\n"
    );
}

#[test]
fn failures_are_short_and_quick_whatever_they_repeat() {
    let bench = Bench::new();
    let collections: String = (0..1_000).map(|number| format!("\"c{number}\": {{\"categories\": []}},")).collect();
    bench.write("context.json", &format!("{{\"collections\": {{{}}}}}", collections.trim_end_matches(',')));
    bench.write("docs/a.md", "# A\n");
    let mut client = bench.client();
    let long = "n o ".repeat(50_000);
    let began = std::time::Instant::now();
    for (tool, arguments) in [
        ("collection_remove", json!({ "name": long })),
        ("list_documents", json!({ "collection": long })),
        ("get_document", json!({ "document": "docs/a.md", "section": long })),
        ("get_document", json!({ "document": "docs/a.md", "lines": long })),
        ("symbol", json!({ "name": "a", "kind": [long] })),
        ("collection_add", json!({ "name": "x", "categories": [long] })),
    ] {
        let (_, answer) = client.failure(tool, arguments);
        assert!(answer.to_string().len() < 10_000, "{tool}: {}", answer.to_string().len());
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
