//! Answers about sessions fit their budgets, and what was cut can be had.

use serde_json::{Value, json};

use crate::answers::{all, tokens};
use crate::support::{Bench, Client};

/// A session with many files, long ones and odd ones.
fn crowd() -> (Bench, Client) {
    let bench = Bench::new();
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    for part in 0..3 {
        let paths: Vec<String> = (0..100).map(|n| page(part, n)).collect();
        for path in &paths {
            let text = format!("# \"Quotes\" and \\ slashes\n\n{}\n", "Oaks \u{1f333} in rows.\n".repeat(5));
            bench.write(path, &text);
        }
        client.value("session_read", json!({ "paths": paths }));
    }
    bench.write("one-line.md", &"oaks and more oaks \u{4e2d}\u{6587} ".repeat(3_000));
    bench.write("long.md", &(1..=3_000).map(|line| format!("Line {line} about birches.\n")).collect::<String>());
    client.value("session_read", json!({ "paths": ["one-line.md", "long.md"] }));
    bench.write("long.md", &(1..=3_000).map(|line| format!("Line {line} about elms.\n")).collect::<String>());
    client.value("session_read", json!({ "paths": ["long.md"] }));
    for number in 0..60 {
        let turn = json!({ "role": "user", "text": format!("Turn {number}: {}", "oaks, \"oaks\"\n".repeat(20)) });
        client.value("session_record", json!({ "turn": turn }));
        let call = json!({ "tool": "bash", "args": { "command": "ls ".repeat(100) }, "output": "\\\"\n".repeat(300) });
        client.value("session_record", json!({ "toolcall": call }));
    }
    // So many can't all be held.
    for part in 0..2 {
        let paths: Vec<String> = (0..100).map(|n| page(part, n)).collect();
        client.value("session_hold", json!({ "deactivate": paths }));
    }
    (bench, client)
}

fn page(part: usize, number: usize) -> String {
    format!("docs/deep/er/and/even deeper/{part}-{number:03} page.md")
}

#[test]
fn no_answer_exceeds_its_budget_and_pages_have_everything() {
    let (bench, mut client) = crowd();
    for (tool, arguments) in [
        ("session_list", json!({ "limit": 1000 })),
        ("session_list", json!({ "set": "index", "limit": 1000 })),
        ("session_list", json!({ "set": "sessions" })),
        ("session_show", json!({ "object": "long.md" })),
        ("session_show", json!({ "object": "one-line.md" })),
        ("session_show", json!({ "object": "chat" })),
        ("session_show", json!({ "object": "long.md", "view": "history" })),
        ("session_show", json!({ "object": "session", "view": "history" })),
        ("session_show", json!({ "object": "long.md", "view": "diff" })),
        ("session_search", json!({ "query": "oaks in rows", "limit": 50 })),
        ("session_search", json!({ "query": "ls", "kind": ["toolcall"], "limit": 50 })),
        ("session_render", json!({})),
        ("session_read", json!({ "paths": ["long.md", "one-line.md"] })),
        ("session_read", json!({ "paths": ["one-line.md"] })),
        ("memory", json!({ "query": "oaks in rows" })),
        ("memory", json!({ "kind": ["command"] })),
        ("memory", json!({})),
        ("memory", json!({ "file": "long.md" })),
    ] {
        for budget in [500, 777, 2_000, 24_000] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(budget);
            let answer = client.call(tool, arguments.clone());
            assert_eq!(answer["success"], true, "{tool} {arguments}: {answer}");
            assert!(tokens(&answer) <= budget, "{tool} {arguments}: {} tokens", tokens(&answer));
        }
    }
    let pages = all(&mut client, "session_list", json!({ "max_tokens": 800 }));
    let items: Vec<&Value> = pages.iter().flat_map(|page| page["items"].as_array().unwrap()).collect();
    assert_eq!(items.len(), 362);
    let ids: std::collections::HashSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 362);
    for (object, budget) in [("long.md", 2_000), ("one-line.md", 2_000)] {
        let pages = all(&mut client, "session_show", json!({ "object": object, "max_tokens": budget }));
        let text: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
        assert_eq!(text, std::fs::read_to_string(bench.project().join(object)).unwrap());
        assert!(pages.len() > 3, "{object}");
    }
    // The texts of several files, and of one that is longer than any answer.
    let paths: Vec<String> = (0..40).map(|n| page(0, n)).collect();
    let pages = all(&mut client, "session_read", json!({ "paths": paths, "max_tokens": 3000 }));
    let files = pages.iter().flat_map(|page| page["files"].as_array().unwrap());
    let read: Vec<&str> =
        files.filter(|file| file.get("text").is_some()).map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(read, paths);
    let pages = all(&mut client, "session_read", json!({ "paths": ["long.md"], "max_tokens": 2000 }));
    let text: String =
        pages.iter().map(|page| page["text"].as_str().or(page["files"][0]["text"].as_str()).unwrap()).collect();
    assert_eq!(text, std::fs::read_to_string(bench.project().join("long.md")).unwrap());
    let remembered = all(&mut client, "memory", json!({ "kind": ["command"], "max_tokens": 3000 }));
    let places: std::collections::HashSet<&str> = remembered
        .iter()
        .flat_map(|page| page["found"].as_array().unwrap())
        .map(|entry| entry["place"].as_str().unwrap())
        .collect();
    assert_eq!(places.len(), 60);
    let pages = all(&mut client, "session_show", json!({ "object": "session", "view": "history", "max_tokens": 900 }));
    let events: usize = pages.iter().map(|page| page["history"].as_array().unwrap().len()).sum();
    assert_eq!(events, pages[0]["total"].as_u64().map(|total| usize::try_from(total).unwrap()).unwrap());
    let pages = all(&mut client, "session_show", json!({ "object": "long.md", "view": "diff", "max_tokens": 6000 }));
    let text: String = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
    assert_eq!((text.matches("\n-Line").count(), text.matches("\n+Line").count()), (3_000, 3_000));
}

#[test]
fn answers_to_many_changes_are_cut_with_a_count() {
    let (bench, mut client) = crowd();
    for part in 0..3 {
        for number in 0..100 {
            bench.write(&page(part, number), "# New\n");
        }
    }
    let opened = client.call("session_open", json!({}));
    assert!(tokens(&opened) <= 6_000);
    let value = &opened["value"];
    let listed = value["files"].as_array().unwrap().len() as u64;
    assert_eq!((&value["changed"], listed + value["not_listed"].as_u64().unwrap()), (&json!(300), 300));
    let paths: Vec<String> = (0..100).flat_map(|n| (0..2).map(move |p| page(p, n))).collect();
    let read = client.call("session_read", json!({ "paths": paths }));
    let value = &read["value"];
    let listed = value["files"].as_array().unwrap().len() as u64;
    assert_eq!(listed + value["not_listed"].as_u64().unwrap(), 200);
    assert!(tokens(&read) <= 6_000);
}
