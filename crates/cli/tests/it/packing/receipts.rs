//! The record of what left the machine.

use std::fs;

use super::{aws_key, project};

#[test]
fn every_pack_has_a_receipt_and_the_chain_can_be_checked() {
    let sandbox = project();
    let empty = sandbox.run(&["receipts", "list"]);
    empty.assert_code(1);
    sandbox.run(&["receipts", "verify"]).assert_code(0);
    sandbox.run(&["pack", "-o", "../a.json", "--provider", "anthropic"]).assert_code(0);
    sandbox.run(&["pack", "--format", "xml"]).assert_code(0);
    sandbox.run(&["pack", "--type", "summary", "-o", "../s.md", "--receipt", "../s.json"]).assert_code(0);
    let list = sandbox.json(&["receipts", "list"]);
    let numbers: Vec<u64> =
        list["receipts"].as_array().unwrap().iter().map(|line| line["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(list["receipts"][0]["provider"], "anthropic");
    assert_eq!(sandbox.json(&["receipts", "list", "-n", "1"])["receipts"].as_array().unwrap().len(), 1);

    let yaml = fs::read_to_string(sandbox.root().join("a.json.receipt.yaml")).unwrap();
    for part in [
        "context_pack_info:", "type: \"full\"", "selection_reason:", "files_included: 6", "credentials: 1",
        "pack_hash:", "record_hash:", "src/auth.rs", "tool_version:",
    ] {
        assert!(yaml.contains(part), "{part} in {yaml}");
    }
    assert!(!yaml.contains(&aws_key()));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(sandbox.root().join("s.json")).unwrap()).unwrap();
    assert_eq!(json, sandbox.json(&["receipts", "show"]), "the last one");
    assert_eq!(json["context_pack_info"]["type"], "summary");
    assert!(sandbox.run(&["receipts", "show", "1"]).stdout().starts_with("tool_version:"));
    for number in ["9", "zero"] {
        let run = sandbox.run(&["receipts", "show", number]);
        run.assert_code(2);
        assert!(run.stderr().contains(number), "{}", run.stderr());
    }

    let run = sandbox.run(&["receipts", "verify", "../a.json"]);
    run.assert_code(0);
    assert!(run.stdout().contains("3 receipts") && run.stdout().contains("receipt 1"), "{}", run.stdout());
    fs::write(sandbox.root().join("a.json"), "{}").unwrap();
    sandbox.run(&["receipts", "verify", "../a.json"]).assert_code(1);
}

#[test]
fn a_receipt_that_was_touched_is_found() {
    let sandbox = project();
    for _ in 0..3 {
        sandbox.run(&["pack", "-o", "../a.json"]).assert_code(0);
    }
    let folder = sandbox.data().join("receipts");
    let mut records: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    records.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    records.sort();
    assert_eq!(records.len(), 3);
    let whole = fs::read_to_string(&records[1]).unwrap();
    fs::write(&records[1], whole.replace("\"files_included\":6", "\"files_included\":5")).unwrap();
    let run = sandbox.run(&["receipts", "verify"]);
    run.assert_code(2);
    assert!(run.stderr().contains('2'), "{}", run.stderr());
    fs::write(&records[1], &whole).unwrap();
    sandbox.run(&["receipts", "verify"]).assert_code(0);
    fs::remove_file(&records[1]).unwrap();
    sandbox.run(&["receipts", "verify"]).assert_code(2);
}
