//! Limits: full or summary, how many tokens, how many parts.

use ai_assist_text::count_tokens;
use serde_json::Value;

use super::{project, sent};
use crate::support::Sandbox;

fn many_files(number: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[package]\nname = \"many\"\nversion = \"0.1.0\"\n");
    sandbox.write("src/main.rs", "mod f0;\nfn main() {}\n");
    for n in 0..number {
        let body: String = (0..40).map(|line| format!("    let value_{line} = {n} + {line};\n")).collect();
        sandbox.write(
            format!("src/f{n}.rs"),
            format!("/// Adds {n}.\npub fn add_{n}(to: i64) -> i64 {{\n{body}    to\n}}\n"),
        );
    }
    sandbox
}

#[test]
fn the_kind_follows_from_the_limits_and_the_reason_is_given() {
    let sandbox = project();
    for (args, kind, reason) in [
        (&[][..], "full", "All 6 files"),
        (&["--max-files", "5"], "summary", "There are 6 files, more than 5."),
        (&["--max-content-bytes", "100"], "summary", "more than 100."),
        (&["--prefer-summary"], "summary", "asked for"),
        (&["--type", "summary"], "summary", "asked for"),
        (&["--type", "full", "--max-files", "2"], "full", "asked for"),
    ] {
        let pack: Value = sandbox.run(&[&["pack"], args].concat()).json();
        assert_eq!(pack["type"], kind, "{args:?}");
        let said = pack["metadata"]["selection_reason"].as_str().unwrap();
        assert!(said.contains(reason), "{args:?}: {said}");
    }
    let pack: Value = sandbox.run(&["pack", "--type", "full", "--max-files", "2"]).json();
    assert_eq!(sent(&pack).len(), 2);
}

#[test]
fn a_summary_says_what_it_is_derived_from() {
    let sandbox = project();
    let pack: Value = sandbox.run(&["pack", "--type", "summary"]).json();
    assert!(pack["repo_summary"]["description"].as_str().unwrap().contains("Cargo.toml"), "{}", pack["repo_summary"]);
    assert!(!pack["key_files_summary"].as_array().unwrap().is_empty());
    assert_eq!(pack["entrypoints"][0]["path"], "src/main.rs");
    assert!(pack["risk_hotspots"].is_array());
    for format in ["json", "msgpack", "markdown", "xml"] {
        sandbox.run(&["pack", "--type", "summary", "--format", format]).assert_code(0);
    }
}

#[test]
fn no_budget_is_passed_and_what_matters_comes_first() {
    let sandbox = many_files(150);
    for format in ["json", "markdown", "xml"] {
        for budget in [1_500, 5_000, 40_000] {
            let run = sandbox.run(&["pack", "--max-tokens", &budget.to_string(), "--format", format, "--quiet"]);
            run.assert_code(0);
            let tokens = count_tokens(&run.stdout());
            assert!(tokens <= budget, "{format}: {tokens} of {budget}");
            // It would be no use to send nothing.
            assert!(tokens * 2 > budget, "{format}: {tokens} of {budget}");
        }
    }
    let pack: Value = sandbox.run(&["pack", "--max-tokens", "5000"]).json();
    assert!(sent(&pack).contains(&"src/main.rs".to_owned()));
    assert!(!pack["outlines"].as_array().unwrap().is_empty());
    assert!(pack["outlines"][0]["outline"].as_str().unwrap().contains("pub fn add_"), "{}", pack["outlines"][0]);
    let run = sandbox.run(&["pack", "--max-tokens", "10"]);
    run.assert_code(2);
    assert!(run.stderr().contains("at most 10 tokens"), "{}", run.stderr());
}

#[test]
fn parts_are_small_enough_and_make_the_whole() {
    let sandbox = many_files(60);
    for (format, extension) in [("json", "json"), ("xml", "xml"), ("markdown", "md")] {
        let output = format!("../parts.{extension}");
        let report = sandbox.json(&["pack", "--split", "6000", "--format", format, "--output", &output]);
        let outputs = report["outputs"].as_array().unwrap();
        assert!(outputs.len() > 2, "{}", outputs.len());
        let mut paths = Vec::new();
        for output in outputs {
            let text = std::fs::read_to_string(output["path"].as_str().unwrap()).unwrap();
            assert!(count_tokens(&text) <= 6000);
            assert!(std::path::Path::new(output["receipt"].as_str().unwrap()).is_file());
            if format == "json" {
                paths.extend(sent(&serde_json::from_str(&text).unwrap()));
            }
        }
        if format == "json" {
            paths.sort();
            assert_eq!(paths.len(), 62);
            paths.dedup();
            assert_eq!(paths.len(), 62);
        }
    }
    sandbox.run(&["pack", "--split", "6000"]).assert_code(2);
    let run = sandbox.run(&["pack", "--split", "6000", "--type", "summary", "-o", "../x.json"]);
    run.assert_code(2);
    assert!(run.stderr().contains("--type full"), "{}", run.stderr());
}

#[test]
fn providers_have_limits_that_can_be_set() {
    let sandbox = project();
    let run = sandbox.run(&["pack", "--provider", "nobody"]);
    run.assert_code(2);
    assert!(run.stderr().contains("anthropic") && run.stderr().contains("pack.providerLimits"), "{}", run.stderr());
    let pack: Value = sandbox.run(&["pack", "--provider", "anthropic"]).json();
    assert_eq!(pack["type"], "full");
    sandbox.write(
        "context.json",
        r#"{ "collections": {}, "settings": { "pack": { "providerLimits": { "tiny": 50, "few": { "tokens": 60 } } } } }"#,
    );
    let pack: Value = sandbox.run(&["pack", "--provider", "tiny"]).json();
    assert_eq!(pack["type"], "summary");
    assert!(pack["metadata"]["selection_reason"].as_str().unwrap().contains("the 50 that tiny takes"));
    let run = sandbox.run(&["pack", "--provider", "few"]);
    run.assert_code(2);
    assert!(run.stderr().contains("at most 60 tokens"), "{}", run.stderr());
    sandbox.write("context.json", r#"{ "settings": { "pack": { "providerLimits": { "tiny": "many" } } } }"#);
    let run = sandbox.run(&["pack"]);
    run.assert_code(2);
    assert!(run.stderr().contains("pack.providerLimits"), "{}", run.stderr());
}

#[test]
fn more_than_twenty_parts_are_asked_about() {
    let sandbox = project();
    (0..40).for_each(|n| sandbox.write(format!("src/m{n}.rs"), "pub fn many() -> u64 {\n    1\n}\n".repeat(120)));
    let run = sandbox.run(&["pack", "--split", "3000", "-o", "../p.json"]);
    run.assert_code(2);
    assert!(run.stderr().contains("--yes") && run.stderr().contains(" parts"), "{}", run.stderr());
    assert!(!sandbox.root().join("p.01.json").exists(), "nothing is written");
    assert!(sandbox.run(&["receipts", "list"]).stderr().contains("Nothing was packed yet"), "and nothing recorded");
    sandbox.run(&["pack", "--split", "3000", "-o", "../p.json", "--yes"]).assert_code(0);
    assert!(sandbox.root().join("p.01.json").exists() && sandbox.root().join("p.21.json").exists());
    sandbox.run(&["pack", "--split", "60000", "-o", "../q.json"]).assert_code(0);
}
