use ai_assist_base::Cancel;
use serde_json::Value;

use super::*;
use crate::{FullPackBuilder, ScanOptions, TokenCounter, scan, whole_tree};

fn file(path: &str, tokens: usize, bytes: u64, state: PageState) -> PageFile {
    PageFile { path: path.to_owned(), tokens, bytes, state, note: "a rule".to_owned() }
}

fn page_of(title: &str, files: &[PageFile]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.py"), "print('a text that is nowhere on the page')\n").unwrap();
    let selection = whole_tree(folder.path(), ai_assist_admit::PackRules::default()).unwrap();
    let snapshot = scan(&selection, &ScanOptions::default(), &Cancel::default(), &|_| {}).unwrap();
    let pack = FullPackBuilder::default().build(&snapshot, &TokenCounter::new()).unwrap();
    html(&Page { title, pack: &pack.into(), snapshot: &snapshot, files, tokens: None })
}

/// What stands between two parts, of which the first is taken.
fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let from = page.find(start).unwrap() + start.len();
    &page[from..from + page[from..].find(end).unwrap()]
}

fn data_of(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"data\">", "</script>")).unwrap()
}

#[test]
fn hostile_names_are_text() {
    let names = [
        "</script><script>alert(1)</script>",
        "</ScRiPt ><img src=x onerror=alert(1)>",
        "<!--<script>",
        "]]>",
        "\"quotes\" 'and' `ticks`",
        "&lt;b&gt;",
        "\\u003c/script>",
        "${alert(1)}",
        "</style>",
        "</noscript><b>",
    ];
    for name in names {
        let page = page_of(name, &[file(&format!("{name}/{name}"), 1, 1, PageState::Included)]);
        let lower = page.to_ascii_lowercase();
        assert_eq!(lower.matches("</script").count(), 2, "{name}");
        assert_eq!(lower.matches("<script").count(), 2, "{name}");
        assert_eq!(lower.matches("</style").count(), 1, "{name}");
        assert_eq!(lower.matches("</noscript").count(), 1, "{name}");
        assert!(!page.contains("<img") && !page.contains("<b>") && !page.contains("<!--"), "{name}");
        // A slash in a name is one between folders.
        let last = name.rsplit('/').next().unwrap();
        assert_eq!(data_of(&page)["files"][0][1], last, "{name}");
        assert_eq!(data_of(&page)["folders"][1][1], name.split('/').next().unwrap(), "{name}");
    }
}

#[test]
fn what_can_t_be_seen_is_written_out() {
    for (name, shown) in [
        ("a\u{2028}b", "a\\u{2028}b"),
        ("a\u{2029}b", "a\\u{2029}b"),
        ("a\u{202e}sj.txt", "a\\u{202e}sj.txt"),
        ("a\u{200f}b", "a\\u{200f}b"),
        ("a\nb\tc\u{1b}[31m\0", "a\\u{a}b\\u{9}c\\u{1b}[31m\\u{0}"),
        ("a\u{feff}", "a\\u{feff}"),
    ] {
        let mut hidden = file(&format!("{name}/{name}"), 1, 1, PageState::Excluded);
        hidden.note = name.to_owned();
        let page = page_of(name, &[hidden]);
        assert_eq!(data_of(&page)["files"][0][1], shown);
        assert_eq!(data_of(&page)["folders"][1][1], shown);
        assert_eq!(data_of(&page)["notes"][0], shown);
        assert!(page.contains(&format!("<title>{shown}</title>")));
        let odd = name.chars().find(|c| !c.is_ascii_graphic() && *c != '\n').unwrap();
        assert!(!page.contains(odd), "{odd:?}");
    }
}

#[test]
fn the_page_asks_nothing_of_anybody() {
    let page = page_of("A pack", &[file("a/b.rs", 1, 1, PageState::Included)]);
    for part in
        ["http://", "https://", " src=", " href=", "url(", "@import", "fetch(", "XMLHttp", "import(", " onclick"]
    {
        assert!(!page.contains(part), "{part}");
    }
    for part in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function"] {
        assert!(!SCRIPT.contains(part), "{part}");
    }
    assert!(!page.contains("a text that is nowhere"), "no content");
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (start, end, kind) in [("<style>", "</style>", "style"), ("<script>", "</script>", "script")] {
        let hash = BASE64_STANDARD.encode(Sha256::of(between(&page, start, end).as_bytes()).as_bytes());
        assert!(policy.contains(&format!("{kind}-src 'sha256-{hash}'")), "{policy}");
    }
}

#[test]
fn folders_are_summed_up() {
    let files = [
        file("top.md", 5, 50, PageState::Included),
        file("src/a.rs", 10, 100, PageState::Included),
        file("src/deep/b.rs", 20, 200, PageState::Redacted),
        file("src/deep/c.bin", 0, 4000, PageState::Excluded),
        file("docs/d.md", 30, 300, PageState::Truncated),
    ];
    let page = page_of("x", &files);
    let data = data_of(&page);
    let folders = serde_json::json!([
        [0, "", [15, 30, 20, 0, 0], 4000, 5],
        [0, "src", [10, 0, 20, 0, 0], 4000, 3],
        [1, "deep", [0, 0, 20, 0, 0], 4000, 2],
        [0, "docs", [0, 30, 0, 0, 0], 0, 1],
    ]);
    assert_eq!(data["folders"], folders);
    assert_eq!(data["files"][2], serde_json::json!([2, "b.rs", 20, 200, 2, 0]));
    assert_eq!(data["notes"], serde_json::json!(["a rule"]));
    let plain = between(&page, "<noscript>", "</noscript>");
    assert!(plain.contains("<tr><td>docs/</td><td>30</td><td>1</td><td>0</td></tr>\n<tr><td>src/</td>"), "{plain}");
    assert!(plain.contains("<td>4\u{202f}000</td>"), "{plain}");
    assert!(!plain.contains("deep"), "only those at the top");
}

#[test]
fn a_page_of_31_000_files_is_small() {
    let path = |n: usize| format!("some/folder-{}/another-{}/a-file-with-a-name-{n}.rs", n % 40, n % 700);
    let files: Vec<PageFile> = (0..31_000).map(|n| file(&path(n), n, 9, PageState::ALL[n % 5])).collect();
    let page = page_of("x", &files);
    assert!(page.len() < 2_500_000, "{}", page.len());
    let data = data_of(&page);
    assert_eq!(data["files"].as_array().unwrap().len(), 31_000);
    let tokens: u64 = data["folders"][0][2].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert_eq!(tokens, (0..31_000).sum::<u64>());
    assert!(page_of("x", &[]).contains("\"files\":[]"));
}
