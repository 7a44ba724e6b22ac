//! Bytes that are not plain UTF-8.

use crate::support::Sandbox;

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn encodings_are_recognised() {
    let text = "# Walrus\n\nThe walrus weighs more than a small car, and sleeps on ice.\n";
    let french = "# Été\n\nLe café était fermé à Noël, où l'élève préférait le thé glacé.\n";
    let latin: Vec<u8> = french.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("utf8.md", text.into(), text),
        ("utf8-bom.md", [&b"\xef\xbb\xbf"[..], text.as_bytes()].concat(), text),
        ("utf16le-bom.md", [&b"\xff\xfe"[..], &utf16(text, false)].concat(), text),
        ("utf16be-bom.md", [&b"\xfe\xff"[..], &utf16(text, true)].concat(), text),
        ("utf16le.md", utf16(text, false), text),
        ("utf16be.md", utf16(text, true), text),
        ("latin1.md", latin, french),
    ];
    let sandbox = Sandbox::with_docs(&[]);
    for (name, bytes, _) in &cases {
        sandbox.write(format!("docs/{name}"), bytes);
    }
    let report = sandbox.json(&["collections", "sync"]);
    assert_eq!(report["collections"][0]["added"], cases.len(), "{report}");
    for (name, _, expected) in &cases {
        assert_eq!(sandbox.run(&["ref", "get", &format!("docs/{name}")]).stdout(), *expected, "{name}");
    }
    assert_eq!(sandbox.hits(&["walrus", "--mode", "lexical", "-n", "20"]).len(), 6);
    assert_eq!(sandbox.hits(&["préférait", "--mode", "lexical"]), ["docs/latin1.md:1-3"]);
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn line_ends_of_every_kind_keep_their_numbers() {
    let sandbox = Sandbox::with_docs(&[("crlf.md", "# A\r\n\r\nThe walrus.\r\n\r\n## B\r\n\r\nThe otter.\r\n")]);
    sandbox.sync();
    let read = sandbox.run(&["ref", "get", "docs/crlf.md:7"]);
    assert_eq!(read.stdout().trim_end(), "The otter.");
    let outline = sandbox.json(&["ref", "outline", "docs/crlf.md"]);
    assert_eq!(outline["entries"][1]["name"], "B");
    assert_eq!(outline["entries"][1]["lines"]["start"], 5);
    assert_eq!(sandbox.hits(&["otter", "--mode", "lexical"]).len(), 1);
}

#[test]
fn binary_under_a_text_name_is_left_out_and_named() {
    let sandbox = Sandbox::with_docs(&[("a.md", "# A\n")]);
    let bytes: Vec<u8> = (0..4096u32).map(|n| u8::try_from((n * 7919 + n / 3) % 256).unwrap()).collect();
    sandbox.write("docs/image.md", [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &bytes].concat());
    let run = sandbox.sync();
    assert!(run.stderr().contains("left out: image.md is binary"), "{}", run.stderr());
    assert_eq!(run.stdout(), "  ✓ 1 document (1 added, 0 updated, 0 removed)\n");
    // A document that turns into something else is taken out.
    sandbox.write("docs/a.md", bytes);
    let report = sandbox.json(&["collections", "sync"]);
    assert_eq!(report["collections"][0]["removed"], 1, "{report}");
    assert_eq!(sandbox.json(&["collections", "list"])["collections"][0]["status"], "synced");
}

#[test]
fn empty_files_are_documents_without_chunks() {
    let sandbox =
        Sandbox::with_docs(&[("empty.md", ""), ("blank.md", "\n \n\t\n"), ("full.md", "# Full\n\nA walrus.\n")]);
    assert_eq!(sandbox.json(&["collections", "sync"])["collections"][0]["documents"], 3);
    let run = sandbox.run(&["ref", "get", "docs/empty.md"]);
    assert_eq!(run.assert_code(0).stdout(), "");
    assert_eq!(sandbox.run(&["ref", "get", "docs/blank.md"]).assert_code(0).stdout(), "\n \n\t\n");
    sandbox.run(&["ref", "get", "docs/empty.md:1"]).assert_code(2);
    sandbox.run(&["ref", "outline", "docs/empty.md"]).assert_code(1);
    assert_eq!(sandbox.hits(&["walrus"]), ["docs/full.md:1-3"]);
    sandbox.assert_healthy();
}

#[test]
fn a_collection_of_nothing_but_empty_files_can_be_searched() {
    let sandbox = Sandbox::with_synced_docs(&[("empty.md", "")]);
    sandbox.run(&["ref", "search", "walrus"]).assert_code(1);
    sandbox.assert_healthy();
}

#[test]
fn one_line_of_megabytes_is_taken_and_fast() {
    let sandbox = Sandbox::with_docs(&[]);
    sandbox.write("docs/a.md", "a".repeat(3 << 20));
    sandbox.write("docs/b.md", "walrus ".repeat(200_000));
    let start = std::time::Instant::now();
    sandbox.sync();
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    assert!(!sandbox.hits(&["walrus", "--mode", "lexical"]).is_empty());
    let answer = sandbox.json(&["ref", "search", "walrus", "--max-tokens", "100"]);
    assert!(answer["tokens"].as_u64().unwrap() <= 100, "{}", answer["tokens"]);
}

#[test]
fn a_query_may_hold_anything() {
    let sandbox = Sandbox::with_synced_docs(&[("a.md", "# A\n\nThe walrus.\n")]);
    let long = "walrus ".repeat(5000);
    for query in [
        "\"", "\"\"", "(", ")", "*", "walrus*", "a:b:c", "path:", "-walrus", "+walrus", "AND", "日本", "😀", "\\", "~",
        "^", "[", "{}", &long,
    ] {
        let run = sandbox.run(&["ref", "search", "--", query]);
        assert!((0..=2).contains(&run.code()), "{query:?}");
        assert!(!run.stderr().contains("panicked"), "{query:?}: {}", run.stderr());
        assert!(run.code() < 2 || run.stderr().starts_with("error: "), "{query:?}: {}", run.stderr());
    }
}
