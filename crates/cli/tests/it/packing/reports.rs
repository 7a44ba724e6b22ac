//! What is shown besides the pack: reports and the page.

use super::{aws_key, project};

#[test]
fn a_report_for_programs_names_what_was_written() {
    let sandbox = project();
    let report = sandbox.json(&["pack", "--output", "../p.json", "--html", "../p.html", "--top", "2"]);
    assert_eq!(report["type"], "full");
    assert_eq!(report["outputs"].as_array().unwrap().len(), 1);
    assert_eq!(report["outputs"][0]["number"], 1);
    assert_eq!(report["largestFiles"].as_array().unwrap().len(), 2);
    assert!(report["largestFolders"][0]["tokens"].as_u64() > Some(0));
    let bytes = std::fs::read(report["outputs"][0]["path"].as_str().unwrap()).unwrap();
    assert_eq!(report["outputs"][0]["bytes"], bytes.len());
    let page = std::fs::read_to_string(report["html"].as_str().unwrap()).unwrap();
    assert!(page.contains("src/money.rs") || page.contains("money.rs"));
    assert!(
        !page.contains("http://") && !page.contains("https://") && !page.contains(" src="),
        "it asks nobody for anything"
    );
    assert!(!page.contains(&aws_key()));
    let run = sandbox.run(&["pack", "--json", "--format", "xml"]);
    run.assert_code(2);
    assert!(run.stderr().contains("--output"), "{}", run.stderr());
    let pack = sandbox.json(&["pack"]);
    assert_eq!(pack["type"], "full");
}

#[test]
fn tokens_need_not_be_counted() {
    let sandbox = project();
    let report = sandbox.json(&["pack", "--output", "../p.json", "--no-tokens"]);
    assert!(report["metadata"]["total_content_tokens"].is_null());
    assert!(report["largestFiles"][0]["tokens"].is_null());
    let run = sandbox.run(&["pack", "--output", "../p.json", "--no-tokens"]);
    assert!(run.stdout().contains("Bytes"), "{}", run.stdout());
}
