//! One question, one answer: the same documents give the same ranking however they are asked.

use ai_assist_collections::{Find, Library, Project, Roots, members};
use ai_assist_search::{Origin, Question};
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
    let question = Question { limit: 13, ..Question::new(QUESTION.parse().unwrap()) };
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
