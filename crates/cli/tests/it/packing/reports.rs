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
fn the_reported_size_is_the_size_of_the_bytes_written() {
    let sandbox = project();
    let words = "pub fn number() -> u64 {\n    \"a </file> text\".len() as u64 & 1\n}\n".repeat(40);
    (0..30).for_each(|n| sandbox.write(format!("src/m{n}.rs"), &words));
    for (kind, split) in [("full", None), ("summary", None), ("full", Some("6000"))] {
        for format in ["json", "md", "xml", "msgpack"] {
            let output = format!("../p.{format}");
            let mut args = vec!["pack", "--type", kind, "--output", &output];
            args.extend(split.iter().flat_map(|most| ["--split", most]));
            let report = sandbox.json(&args);
            let mut sum = (0, 0);
            for written in report["outputs"].as_array().unwrap() {
                let bytes = std::fs::read(written["path"].as_str().unwrap()).unwrap();
                // What a model is shown of MessagePack is the JSON.
                let shown = if format == "msgpack" {
                    let pack = ai_assist_pack::deserialize(&bytes, ai_assist_pack::Format::MessagePack).unwrap();
                    ai_assist_pack::render(&pack, ai_assist_pack::Format::Json).unwrap()
                } else {
                    bytes.clone()
                };
                let tokens = ai_assist_text::count_tokens(std::str::from_utf8(&shown).unwrap());
                assert_eq!((written["bytes"].as_u64(), &written["tokens"]), (Some(bytes.len() as u64), &tokens.into()));
                let receipt = sandbox.json(&["receipts", "show", &written["number"].to_string()]);
                assert_eq!((&receipt["pack_bytes"], &receipt["pack_tokens"]), (&written["bytes"], &written["tokens"]));
                sum = (sum.0 + bytes.len(), sum.1 + tokens);
            }
            assert_eq!((&report["bytes"], &report["tokens"]), (&sum.0.into(), &sum.1.into()));
            let said = sandbox.run(&args).stdout();
            assert!(said.contains(&format!(", {} tokens", sum.1)), "{kind} in {format}: {said}");
        }
    }
}

#[test]
fn tokens_need_not_be_counted() {
    let sandbox = project();
    let report = sandbox.json(&["pack", "--output", "../p.json", "--no-tokens"]);
    assert!(report["tokens"].is_null() && report["outputs"][0]["tokens"].is_null());
    assert!(report["metadata"]["total_content_tokens"].is_null());
    assert!(report["largestFiles"][0]["tokens"].is_null());
    let run = sandbox.run(&["pack", "--output", "../p.json", "--no-tokens"]);
    assert!(run.stdout().contains("Bytes"), "{}", run.stdout());
}
