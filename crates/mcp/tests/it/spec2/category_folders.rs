//! A category's folder lies inside the project, however it is spelled.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::{refused, shelf, text};
use crate::support::Bench;

/// What must never come back.
const OUTSIDE: &str = "marmalade-outside";

/// A project beside a folder that is nobody's business, with links that lead there.
fn bench() -> Bench {
    let bench = shelf();
    let above = bench.project().parent().unwrap().to_owned();
    std::fs::create_dir(above.join("outside")).unwrap();
    std::fs::write(above.join("outside/in.md"), format!("# {OUTSIDE}\n")).unwrap();
    symlink("../outside", bench.project().join("link")).unwrap();
    symlink(above.join("outside"), bench.project().join("docs/absolute")).unwrap();
    symlink("link", bench.project().join("twice")).unwrap();
    symlink("/", bench.project().join("root")).unwrap();
    symlink("docs", bench.project().join("inside")).unwrap();
    bench
}

/// Spellings of a folder outside.
fn hostile(bench: &Bench) -> Vec<String> {
    let above = bench.project().parent().unwrap().display().to_string();
    let mut dirs: Vec<String> = [
        "",
        "..",
        "../",
        "../outside",
        "./../outside",
        "docs/../../outside",
        "docs/..",
        "docs/./../../outside",
        "/",
        "//",
        "/etc",
        "//etc",
        "link",
        "link/",
        "./link",
        "link/below",
        "twice",
        "docs/absolute",
        "root",
        "root/etc",
        "\u{0}",
        "docs\u{0}",
        "docs\u{0}/../../outside",
        "docs\n",
        "%2e%2e",
        "%2e%2e/outside",
        "%2E%2E%2Foutside",
        "..%2foutside",
        "docs/%2e%2e/%2e%2e/outside",
        ".%2e/outside",
        "%2fetc",
        "%00",
        "docs%00/x",
        "%252e%252e/outside",
        "..\\outside",
        "docs\\..\\..\\outside",
        "..%5coutside",
        "\\\\server\\share",
        "C:\\Windows",
        "file:///etc",
        "~",
        "~/outside",
    ]
    .map(str::to_owned)
    .to_vec();
    dirs.push(format!("{above}/outside"));
    dirs.push(format!("{}/docs", bench.project().display()));
    dirs.push(format!("file://{above}/outside"));
    dirs.push("x".repeat(501));
    dirs
}

#[test]
fn a_folder_outside_is_refused_in_every_spelling() {
    let bench = bench();
    let mut client = bench.client();
    for dir in hostile(&bench) {
        for (tool, arguments) in [
            ("category_add", json!({ "name": "new", "dir": dir })),
            ("category_change", json!({ "name": "guide", "dir": dir })),
        ] {
            let failure = refused(&bench, &mut client, tool, arguments, "validation_error");
            assert_eq!(failure["field"], "dir", "{dir:?}: {failure}");
            assert!(failure["expected"].as_str().unwrap().contains("inside the project"), "{failure}");
        }
    }
}

#[test]
fn folders_inside_are_taken() {
    let bench = bench();
    let mut client = bench.client();
    for (at, dir) in
        [".", "docs", "./docs", "docs/guide/", "inside", "inside/guide", "a b", "…", "..docs", "50%", "名前"]
            .into_iter()
            .enumerate()
    {
        let value = client.value("category_add", json!({ "name": format!("c{at}"), "dir": dir }));
        assert_eq!(value["dir"], dir);
    }
}

/// A folder that becomes a link out of the project after it was declared gives nothing away.
#[test]
fn a_folder_that_is_swapped_for_a_link_gives_nothing_away() {
    let bench = bench();
    let mut client = bench.client();
    client.value("category_add", json!({ "name": "later" }));
    client.value("collection_add", json!({ "name": "swapped", "categories": ["later"] }));
    symlink("../outside", bench.project().join("later")).unwrap();
    for (tool, arguments) in [
        ("collection_sync", json!({ "collections": ["swapped"] })),
        ("collection_list", json!({})),
        ("category_list", json!({})),
        ("list_documents", json!({})),
        ("list_documents", json!({ "collection": "swapped" })),
        ("get_content", json!({ "expression": "later" })),
        ("get_document", json!({ "document": "later/in.md" })),
        ("get_document", json!({ "document": "swapped/in.md" })),
        ("search", json!({ "query": OUTSIDE })),
    ] {
        let answer = client.call(tool, arguments);
        assert_ne!(answer["error_type"], "validation_error", "{tool}: {answer}");
        assert!(!answer["value"].to_string().contains(OUTSIDE), "{tool}: {answer}");
        assert!(!answer["value"].to_string().contains("in.md"), "{tool}: {answer}");
    }
    // It can still be put right.
    client.value("category_remove", json!({ "name": "later" }));
    assert!(!text(&bench).contains("later"), "{}", text(&bench));
}

/// Links below a folder that lead out are not followed either.
#[test]
fn links_below_a_folder_are_not_followed() {
    let bench = bench();
    let mut client = bench.client();
    client.value("category_add", json!({ "name": "all", "dir": ".", "patterns": ["**/*"] }));
    client.value("collection_add", json!({ "name": "all", "categories": ["all"] }));
    client.value("collection_sync", json!({ "collections": ["all"] }));
    let listed = client.value("list_documents", json!({ "collection": "all" }));
    assert!(listed["found"].as_u64().unwrap() >= 4, "{listed}");
    assert!(!listed.to_string().contains(OUTSIDE) && !listed.to_string().contains("in.md"), "{listed}");
}
