//! One question, one answer: the same documents give the same ranking however they are asked.

use std::sync::Arc;

use ai_assist_collections::{Find, Library, Project, Roots, members};
use ai_assist_search::{Look, Origin, Question};
use serde_json::{Value, json};

use crate::mcp_server::Server;
use crate::support::Sandbox;

const QUESTION: &str = "retry exponential backoff delay";
const RECIPES: [&str; 5] = ["cake", "stew", "roast", "soup", "bread"];

/// Eight functions and five recipes, as a repository and as two collections over the same paths.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 1..=8 {
        let text = format!(
            "/// Retries a request with exponential backoff and a growing delay, variant {number}.\n\
             pub fn retry_with_backoff_{number}(mut delay: u64) -> u64 {{\n    for attempt in 0..{number} {{\n        \
             // exponential backoff: double the delay before the next retry\n        delay *= 2;\n    }}\n    delay\n}}\n"
        );
        sandbox.write(format!("src/retry_{number}.rs"), text);
    }
    for recipe in RECIPES {
        let text =
            format!("# {recipe}\n\nA recipe for {recipe}.\n\nMix, wait without delay, and try again if it fails.\n");
        sandbox.write(format!("docs/{recipe}.md"), text);
    }
    sandbox
}

/// Document, first line and score of each hit.
fn ranking(hits: &Value) -> Vec<(String, u64, f32)> {
    let line = |hit: &Value| match &hit["lines"] {
        Value::String(lines) => lines.split('-').next().unwrap().parse().unwrap(),
        lines => lines["start"].as_u64().unwrap(),
    };
    let document = |hit: &Value| {
        let address = hit["document"].as_str().unwrap();
        let path =
            ["assist://collection/code/", "assist://collection/docs/"].iter().find_map(|it| address.strip_prefix(it));
        path.unwrap_or(address).to_owned()
    };
    let score = |hit: &Value| hit["score"].as_f64().unwrap() as f32;
    hits.as_array().unwrap().iter().map(|hit| (document(hit), line(hit), score(hit))).collect()
}

fn asked(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, u64, f32)> {
    ranking(&sandbox.json(&[args, &[QUESTION, "--limit", "13"]].concat())["hits"])
}

fn over_mcp(sandbox: &Sandbox, scope: &str) -> Vec<(String, u64, f32)> {
    let project = sandbox.project();
    let mut server = Server::start(sandbox, &["--project", project.to_str().unwrap()]);
    let arguments = json!({ "query": QUESTION, "scope": scope, "limit": 13, "max_tokens": 24000 });
    let found = server.call("search", arguments);
    server.hang_up();
    ranking(&found["value"]["hits"])
}

#[test]
fn every_way_to_ask_gives_the_same_ranking() {
    let sandbox = project();
    sandbox.run(&["index", "build"]).assert_code(0);
    let expected = asked(&sandbox, &["search"]);
    assert_eq!(expected.len(), 13);
    assert!(
        expected[..8].iter().all(|(document, _, score)| document.starts_with("src/") && *score > 0.9),
        "{expected:?}"
    );
    assert!(
        expected[8..].iter().all(|(document, _, score)| document.starts_with("docs/") && *score < 0.2),
        "{expected:?}"
    );
    assert_eq!(over_mcp(&sandbox, "repo"), expected, "MCP, the repository");

    sandbox.run(&["workspace", "init"]).assert_code(0);
    sandbox.run(&["workspace", "add", "."]).assert_code(0);
    assert_eq!(asked(&sandbox, &["workspace", "search"]), expected, "workspace search");
    assert_eq!(asked(&sandbox, &["search"]), expected, "search, with a workspace that has the repository");
    assert_eq!(over_mcp(&sandbox, "workspace"), expected, "MCP, the workspace");

    sandbox.run(&["collections", "init"]).assert_code(0);
    for (name, glob) in [("code", "src/**"), ("docs", "docs/**")] {
        sandbox.run(&["collections", "add", name, ".", "--glob", glob]).assert_code(0);
    }
    sandbox.sync();
    assert_eq!(asked(&sandbox, &["ref", "search"]), expected, "ref search");
    assert_eq!(over_mcp(&sandbox, "collections"), expected, "MCP, the collections");
    assert_eq!(asked(&sandbox, &["search"]), expected, "search over all of it, each document once");
    assert_eq!(over_mcp(&sandbox, "all"), expected, "MCP over all of it");
    assert_eq!(in_library(&sandbox), expected, "the library");
}

fn in_library(sandbox: &Sandbox) -> Vec<(String, u64, f32)> {
    let roots = Roots { data: sandbox.data(), cache: sandbox.root().join("cache") };
    let declared = Project::load(&sandbox.project().join("context.json")).unwrap();
    let look = Some(Arc::new(Look::new(None)));
    let question = Question { limit: 13, look, ..Question::new(QUESTION.parse().unwrap()) };
    let members = members(Some(&declared), None).unwrap();
    let answer = Library::open(&roots).unwrap().find(&members, &Find::new(question)).unwrap();
    assert!(answer.hits.iter().all(|hit| matches!(hit.origin, Origin::Collection { .. })));
    answer.hits.into_iter().map(|hit| (hit.document, u64::from(hit.lines.start), hit.score)).collect()
}

#[test]
fn names_and_filters_narrow_everything_in_reach() {
    let sandbox = project();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "recipes", "./docs"]).assert_code(0);
    sandbox.run(&["sync"]).assert_code(0);
    let first = |args: &[&str]| {
        let answer = sandbox.json(&[&["search"], args].concat());
        ranking(&answer["hits"])[0].0.clone()
    };
    assert_eq!(first(&["retry_with_backoff_3"]), "src/retry_3.rs");
    assert_eq!(first(&["where is retry_with_backoff_5 called"]), "src/retry_5.rs");
    assert_eq!(first(&["symbol:retry_with_backoff_7"]), "src/retry_7.rs");
    assert_eq!(first(&["soup"]), "soup.md");
    assert_eq!(first(&["delay", "--in", "recipes"]), first(&["delay collection:recipes"]));
    assert!(first(&["delay", "--kind", "docs"]).ends_with(".md"));
    assert!(first(&["delay", "--kind", "code"]).ends_with(".rs"));
    assert!(first(&["delay", "--in", "project"]).starts_with("src/"));
    let run = sandbox.run(&["search", "delay", "--in", "recipe"]);
    assert!(run.assert_code(2).stderr().contains("did you mean `recipes`?"), "{}", run.stderr());
    let run = sandbox.run(&["search", "delay lang:pyton"]);
    assert!(run.assert_code(2).stderr().contains("did you mean `python`?"), "{}", run.stderr());
    let run = sandbox.run(&["search", "xqzvb wqjfk zzkpt"]);
    run.assert_code(1);
}

#[test]
fn an_explanation_adds_up_to_its_score() {
    let sandbox = project();
    sandbox.run(&["index", "build"]).assert_code(0);
    for args in [
        &["retry_with_backoff_3"][..],
        &[QUESTION],
        &["how do I wait before the next try"],
        &[QUESTION, "--rank", "words"],
        &[QUESTION, "--rank", "meaning"],
        &["retry_with_backoff_3 delay", "--fusion", "ranks"],
    ] {
        let answer = sandbox.json(&[&["search", "--explain"], args].concat());
        for hit in answer["hits"].as_array().unwrap() {
            let parts = hit["explanation"]["parts"].as_array().unwrap();
            let sum: f64 = parts.iter().map(|part| part["adds"].as_f64().unwrap()).sum();
            let score = hit["score"].as_f64().unwrap();
            assert!((sum - score).abs() < 1e-5 && (0.0..=1.0001).contains(&score), "{args:?}: {hit}");
        }
    }
}

#[test]
fn what_a_session_holds_is_ranked_with_the_rest() {
    let sandbox = project();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.run(&["session", "open", "work"]).assert_code(0);
    let result = "error: the retry gave up after an exponential backoff delay of 64 s\n";
    sandbox.run(&["session", "toolcall", "bash", "--output", result]).assert_code(0);
    sandbox.run(&["session", "read", "src/retry_1.rs"]).assert_code(0);
    let plain = asked(&sandbox, &["search"]);
    assert!(plain.iter().all(|(document, ..)| !document.contains('@')), "sessions have to be asked for: {plain:?}");

    let alone = sandbox.json(&["search", QUESTION, "--kind", "session"]);
    let mut documents: Vec<&str> =
        alone["hits"].as_array().unwrap().iter().map(|hit| hit["document"].as_str().unwrap()).collect();
    documents.sort_unstable();
    assert!(documents.iter().any(|document| document.starts_with("toolcall/bash@")), "{alone}");
    assert!(documents.iter().any(|document| document.contains("src/retry_1.rs@")), "{alone}");
    assert!(alone["hits"].as_array().unwrap().iter().all(|hit| hit["session"] == "work"), "{alone}");
    assert_eq!(alone["sessions"], json!(["work"]));

    // With code, in one ranking: what was said by a tool is neither left out nor in a list of its own.
    let both = sandbox.json(&["search", QUESTION, "--kind", "session", "--kind", "code", "--limit", "13"]);
    let hits = both["hits"].as_array().unwrap();
    assert!(hits.iter().any(|hit| hit["repo"].is_string()) && hits.iter().any(|hit| hit["session"] == "work"));
    assert!(both["warnings"].as_array().unwrap().is_empty(), "{both}");
    assert!(hits.iter().all(|hit| hit["language"] != "markdown"), "{both}");
    let scores: Vec<f64> = hits.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let by_name = sandbox.json(&["search", QUESTION, "--in", "work"]);
    assert_eq!(by_name["hits"], alone["hits"]);

    // What a hit names can be read, by people and by agents.
    let text = sandbox.run(&["search", QUESTION, "--kind", "session"]).stdout();
    let place = text.split_whitespace().find(|word| word.starts_with("work/toolcall/bash@")).unwrap();
    let read = sandbox.run(&["get", place]);
    read.assert_code(0);
    assert!(read.stdout().contains("gave up after an exponential"), "{}", read.stdout());
    let folder = sandbox.project();
    let mut server = Server::start(&sandbox, &["--project", folder.to_str().unwrap()]);
    let found = server.call("search", json!({ "query": "retry gave up", "scope": "sessions" }));
    let hit =
        found["value"]["hits"].as_array().unwrap().iter().find(|hit| hit["document"].to_string().contains("toolcall"));
    let document = hit.unwrap_or_else(|| panic!("{found}"))["document"].clone();
    let read = server.call("get_document", json!({ "document": document }));
    assert!(read["value"]["text"].as_str().unwrap().contains("gave up after"), "{read}");
    // An agent of another project gets nothing of it.
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    server.hang_up();
    let mut server = Server::start(&sandbox, &["--project", elsewhere.to_str().unwrap()]);
    let found = server.call("search", json!({ "query": "retry gave up", "scope": "sessions" }));
    assert!(!found.to_string().contains("gave up after"), "{found}");
    let read = server.call("get_document", json!({ "document": document }));
    assert!(!read.to_string().contains("gave up after"), "{read}");
    server.hang_up();
}

#[test]
fn patterns_and_names_reach_collections_too() {
    let sandbox = project();
    sandbox.run(&["index", "build"]).assert_code(0);
    sandbox.write("../elsewhere/tools.py", "def whisk_eggs(count):\n    return count\n");
    sandbox.write("../elsewhere/notes.md", "# Whisking\n\nUse whisk_eggs for a meringue.\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "kitchen", "../elsewhere", "--glob", "**/*"]).assert_code(0);
    sandbox.run(&["collections", "add", "recipes", "./docs"]).assert_code(0);
    sandbox.run(&["collections", "sync"]).assert_code(0);
    let lines = |args: &[&str]| {
        let found = sandbox.json(&[&["search", "--regex"], args].concat());
        let place = |line: &Value| {
            let owner = line["collection"].as_str().or(line["repo"].as_str()).unwrap().to_owned();
            (owner, line["document"].as_str().unwrap().to_owned(), line["lines"]["start"].as_u64().unwrap())
        };
        found["lines"].as_array().unwrap().iter().map(place).collect::<Vec<_>>()
    };
    let kitchen = |document: &str, line| ("kitchen".to_owned(), document.to_owned(), line);
    assert_eq!(lines(&["whisk_eggs"]), [kitchen("notes.md", 3), kitchen("tools.py", 1)]);
    assert_eq!(lines(&["whisk_eggs", "--in", "kitchen", "--lang", "python"]), [kitchen("tools.py", 1)]);
    // A file that is in a collection and in the repository is found once.
    let soup = lines(&["(?i)soup"]);
    let mut once = soup.clone();
    once.dedup_by(|a, b| a.1.rsplit('/').next() == b.1.rsplit('/').next() && a.2 == b.2);
    assert!(!soup.is_empty() && soup == once && soup.iter().all(|(owner, ..)| owner == "recipes"), "{soup:?}");
    let text = sandbox.run(&["search", "--regex", "whisk_eggs"]).stdout();
    assert!(text.contains("kitchen/tools.py:1:def whisk_eggs"), "{text}");
    sandbox.run(&["get", "kitchen/tools.py:1"]).assert_code(0);

    let found = sandbox.json(&["search", "--symbol", "whisk_eggs"]);
    let symbol = &found["symbols"][0];
    assert_eq!((&symbol["collection"], &symbol["path"]), (&json!("kitchen"), &json!("tools.py")), "{found}");
    assert_eq!(symbol["signature"], json!("def whisk_eggs(count):"));
    let of_repo = sandbox.json(&["search", "--symbol", "retry_with_backoff_3"]);
    assert_eq!(of_repo["symbols"][0]["path"], json!("src/retry_3.rs"), "{of_repo}");
    sandbox.run(&["search", "--symbol", "whisk_eggs", "--in", "recipes"]).assert_code(1);
    let run = sandbox.run(&["search", "--regex", "x", "--in", "kitchn"]);
    run.assert_code(2);
    assert!(run.stderr().contains("kitchen"), "{}", run.stderr());
}
