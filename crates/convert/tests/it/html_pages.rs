//! Saved pages of the common generators of documentation, and what their content is.
//!
//! Beside each page stands what was taken from it by another program (`tests/pages/README.md` says how): the words of its
//! content in order, its listings, the cells of its tables, and words that stand only around the content.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ai_assist_convert::{Format, Limits, convert, place};

/// The share of the content's words that must be there.
const WANTED: f64 = 0.98;

#[derive(serde::Deserialize)]
struct Expected {
    main: String,
    code: Vec<String>,
    tables: Vec<Vec<Vec<String>>>,
    absent: String,
}

pub(crate) fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    bytes
}

pub(crate) fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".html.gz"))
        .collect();
    pages.sort();
    pages
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// A Markdown text without what a reader does not see: places, addresses of links, languages of listings.
fn shown(text: &str) -> String {
    let mut fence = None;
    let lines = text.lines().filter(|line| place::of_line(line).is_none());
    lines
        .map(|line| {
            let ticks = line.trim_start().trim_start_matches("> ").bytes().take_while(|byte| *byte == b'`').count();
            match fence {
                // What a listing says is all there to see.
                Some(opened) if ticks != opened => format!("{line}\n"),
                Some(_) => {
                    fence = None;
                    String::new()
                }
                None if ticks >= 3 => {
                    fence = Some(ticks);
                    String::new()
                }
                None => without_addresses(line) + "\n",
            }
        })
        .collect()
}

fn without_addresses(mut line: &str) -> String {
    let mut shown = String::new();
    while let Some((before, after)) = line.split_once("](") {
        let (label_start, address_end) = (before.rfind('['), after.find(')'));
        let (Some(start), Some(end)) = (label_start, address_end) else { break };
        shown.push_str(&before[..start]);
        shown.push_str(&before[start + 1..]);
        line = &after[end + 1..];
    }
    shown + line
}

/// The share of words that are in a text as often as they are wanted.
fn share(wanted: &[String], text: &str) -> (f64, Vec<String>) {
    let mut there: HashMap<String, usize> = HashMap::new();
    for word in words(text) {
        *there.entry(word).or_default() += 1;
    }
    let mut missing = Vec::new();
    for word in wanted {
        match there.get_mut(word).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => missing.push(word.clone()),
        }
    }
    (1.0 - missing.len() as f64 / wanted.len().max(1) as f64, missing)
}

/// The listings of a Markdown text.
fn listings(text: &str) -> Vec<String> {
    let mut listings = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let inner = line.trim_start().trim_start_matches("> ");
        let indent = indent + line.trim_start().len() - inner.len();
        let fence: String = inner.chars().take_while(|c| *c == '`').collect();
        if fence.len() < 3 {
            continue;
        }
        let is_end = |line: &&str| line.get(indent..).is_some_and(|rest| rest.trim_end() == fence);
        let body: Vec<&str> = lines.by_ref().take_while(|line| !is_end(line)).collect();
        listings.push(body.iter().map(|line| line.get(indent..).unwrap_or("")).collect::<Vec<_>>().join("\n"));
    }
    listings
}

/// What is wrong with the text of one page.
fn faults(text: &str, expected: &Expected) -> Vec<String> {
    let mut faults = Vec::new();
    let shown = shown(text);
    let wanted = words(&expected.main);
    let (share, missing) = share(&wanted, &shown);
    if share < WANTED {
        faults.push(format!("{:.1} % of {} words; missing {missing:?}", share * 100.0, wanted.len()));
    }
    let text_words: std::collections::HashSet<String> = words(&shown).into_iter().collect();
    let around: Vec<&str> = expected.absent.split(' ').filter(|word| text_words.contains(*word)).collect();
    if !around.is_empty() {
        faults.push(format!("words from around the content: {around:?}"));
    }
    let found = listings(text);
    for code in &expected.code {
        let squeezed = |code: &str| code.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        if !found.iter().any(|found| squeezed(found) == squeezed(code)) {
            faults.push(format!("no listing {code:?}"));
        }
    }
    let rows: Vec<Vec<String>> =
        text.lines().filter(|line| line.trim_start().trim_start_matches("> ").starts_with('|')).map(words).collect();
    for row in expected.tables.iter().flatten() {
        let wanted = words(&row.join(" "));
        if !rows.iter().any(|row| wanted.iter().all(|word| row.contains(word))) {
            faults.push(format!("no row {row:?}"));
        }
    }
    faults
}

#[test]
fn saved_pages_keep_their_content_and_nothing_else() {
    let pages = pages();
    assert!(pages.len() >= 40, "{} pages", pages.len());
    let mut report = Vec::new();
    for path in &pages {
        let page = unpacked(path);
        let name = path.file_name().unwrap().to_string_lossy().replace(".html.gz", "");
        let expected: Expected =
            serde_json::from_slice(&unpacked(&path.with_file_name(format!("{name}.json.gz")))).unwrap();
        assert_eq!(Format::detect(&format!("{name}.html"), &page), Some(Format::Html), "{name}");
        let text = convert(Format::Html, &page, &Limits::default()).unwrap().text;
        report.extend(faults(&text, &expected).into_iter().map(|fault| format!("{name}: {fault}")));
        let titles = text.lines().filter(|line| line.starts_with("# ")).count();
        // A line of a listing may begin like a title.
        if titles == 0 || !text.lines().take(3).any(|line| line.starts_with("# ")) {
            report.push(format!("{name}: {titles} titles"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

#[test]
fn every_generator_is_there() {
    let names: Vec<String> =
        pages().iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    for generator in ["docusaurus", "vitepress", "sphinx", "mkdocs", "mdbook", "rustdoc", "javadoc", "github", "hand"] {
        let count = names.iter().filter(|name| name.starts_with(generator)).count();
        assert!(count >= 4, "{generator} has {count} pages");
    }
}
