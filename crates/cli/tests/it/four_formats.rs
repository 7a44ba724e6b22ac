//! One document in four formats, among the pages of this project's own documentation: it is cut into the same chunks, and each
//! question finds the same passage first, whatever the format.
//!
//! `make.py` writes the guide; `pandoc.sh` converts two pages of `docs/` as they were on one day.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_chunk::{Limits as ChunkLimits, chunk};
use ai_assist_convert::{Format, Limits, convert, place};
use ai_assist_text::Language;

use crate::support::Sandbox;

const ENDINGS: [&str; 4] = ["md", "rst", "html", "docx"];

/// Questions about the guide, and words of the passage that answers each. The last eight, and three of those below, were written from the guide
/// before any was asked; the first nine are older, and two of them once took the place of questions that failed.
const QUESTIONS: [(&str, &str); 17] = [
    ("what happens when the disk fills up", "producers get the answer \"try later\""),
    ("which sync setting survives a power cut", "all but five milliseconds"),
    ("how long is a message hidden after it was handed to a worker", "lease of sixty seconds"),
    ("send messages from the graveyard back to their queue", "tidegate graveyard revive"),
    ("revoke a token", "tidegate token revoke NAME"),
    ("which number should I alert on", "oldest_seconds"),
    ("how do I move a queue to a new machine", "tidegate handover"),
    ("segment ends early after a full disk", "segment 4711"),
    ("how many queues can a server have", "ten thousand queues"),
    ("how many seconds of messages can a power cut lose", "lose the last thirty seconds"),
    ("what happens to a message whose worker does not confirm it in time", "lease of sixty seconds runs out"),
    ("how long are messages kept that nobody could handle", "for two weeks"),
    ("what may a producer's token do", "Producers may only write"),
    ("on which port are the numbers for Prometheus", "port 7401"),
    ("do clients have to be restarted when a queue moves to another machine", "need not be restarted"),
    ("what happens if a backup is restored without the offsets file", "handed out once more"),
    ("the server stops with segment ends early", "segment 4711 ends early"),
];

/// Questions of the same kind that are answered first by another passage, because of ranking: the document, and words of that passage.
/// The right one has, in their order, *apt-get install tidegate*, *deleted by the janitor*, *Going back is possible* and twice *at most one
/// megabyte*. It is the same wrong passage in every format.
const RANKED_WRONG: [(&str, Option<&str>, &str); 5] = [
    // Another page of the documentation says how to install something else on Debian.
    ("how do I install the server on Debian", Some("install.md"), "Each of these carries the same binary"),
    ("when are segment files deleted", None, "Copy sealed segments with any tool"),
    ("can I go back to the old version after an upgrade", Some("publish.md"), "Take a version back"),
    ("what is the largest size of a message", None, "The setting sync decides"),
    ("is there a limit for the size of a message", None, "The setting sync decides"),
];

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// The chunks of a document: the headings each stands under, and its words. A table may have its cells line by line, so that the words
/// of a chunk are in some order.
fn cuts(file: &str) -> Vec<(String, Vec<String>)> {
    let bytes = std::fs::read(folder("tests/four_formats").join(file)).unwrap();
    let (text, language) = match Format::detect(file, &bytes) {
        Some(format) => (convert(format, &bytes, &Limits::default()).unwrap().text, Language::MARKDOWN),
        None => (String::from_utf8(bytes).unwrap(), Language::of_path(file).unwrap()),
    };
    let words = |of: &str| -> Vec<String> {
        let words = of.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let of_chunk = |chunk: ai_assist_chunk::Chunk| {
        // The languages of listings are not in every format.
        let is_language = |line: &str| line.trim_start().starts_with("```") || line.starts_with(".. code");
        let blank = |line: &str| if is_language(line) { " ".repeat(line.len()) } else { line.to_owned() };
        let mut seen: String = text[chunk.bytes.clone()].split_inclusive('\n').map(blank).collect();
        for unseen in chunk.unseen.iter().rev() {
            seen.replace_range(unseen.start - chunk.bytes.start..unseen.end - chunk.bytes.start, " ");
        }
        // Nor are the lines that say where in the original something stands.
        let lines = seen.lines().filter(|line| place::of_line(line).is_none());
        let mut words: Vec<String> = lines.flat_map(words).collect();
        words.sort();
        (chunk.path.join(" > "), words)
    };
    chunk(&text, language, &ChunkLimits::default()).into_iter().map(of_chunk).collect()
}

/// The words under each heading.
fn by_heading(cuts: &[(String, Vec<String>)]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (heading, words) in cuts {
        all.entry(heading).or_default().extend(words.iter().map(String::as_str));
    }
    all.values_mut().for_each(|words| words.sort_unstable());
    all
}

#[test]
fn a_document_is_cut_alike_in_every_format() {
    for document in ["guide", "websites", "formats"] {
        let expected = cuts(&format!("{document}.md"));
        assert!(expected.len() > 2, "{document}");
        for ending in ENDINGS {
            let actual = cuts(&format!("{document}.{ending}"));
            // A grid pads its cells with blanks, and this one has over 4,000 bytes, which no chunk may have: it is cut between two rows.
            if (document, ending) == ("formats", "rst") {
                assert_eq!(by_heading(&expected), by_heading(&actual));
                continue;
            }
            for (expected, actual) in expected.iter().zip(&actual) {
                assert_eq!(expected, actual, "{document}.{ending}");
            }
            assert_eq!(expected.len(), actual.len(), "{document}.{ending}");
        }
    }
}

/// The first passage for each question, of a project with the guide in one format.
fn answers(file: &str, questions: &[&str]) -> Vec<(String, String)> {
    let sandbox = Sandbox::with_docs(&[]);
    for page in
        ["concepts", "guides"].iter().flat_map(|part| std::fs::read_dir(folder("../../docs").join(part)).unwrap())
    {
        let page = page.unwrap();
        sandbox.write(Path::new("docs").join(page.file_name()), std::fs::read(page.path()).unwrap());
    }
    sandbox.write(Path::new("docs").join(file), std::fs::read(folder("tests/four_formats").join(file)).unwrap());
    sandbox.sync();
    let first = |question: &&str| {
        let answer = sandbox.json(&["ref", "search", "--no-sync", question]);
        let hit = &answer["hits"][0];
        let text = hit["text"].as_str().unwrap_or_default();
        // Markdown may escape a sign, and wraps lines where it likes.
        let plain = text.replace(['\\', '`'], "").split_whitespace().collect::<Vec<_>>().join(" ");
        (hit["document"].as_str().unwrap_or_default().to_owned(), plain)
    };
    questions.iter().map(first).collect()
}

#[test]
fn the_same_passage_answers_in_every_format() {
    let right = QUESTIONS.iter().map(|(question, words)| (*question, None, *words));
    let asked: Vec<(&str, Option<&str>, &str)> = right.chain(RANKED_WRONG).collect();
    let questions: Vec<&str> = asked.iter().map(|(question, ..)| *question).collect();
    let mut wrong = Vec::new();
    for ending in ENDINGS {
        let file = format!("guide.{ending}");
        for ((question, page, words), (document, text)) in asked.iter().zip(answers(&file, &questions)) {
            if document != page.unwrap_or(&file) || !text.contains(words) {
                wrong.push(format!("{ending}: {question}: {document}: {text:.80}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
