//! The words that other programs find in the same documents.

use std::collections::{HashMap, HashSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ai_assist_convert::{Format, Limits, convert, place};
use anyhow::Result;

use super::Document;

/// Documents of which the other program finds less than this say nothing.
const FEW: usize = 20;
/// Lines at either end of a page that may be its head or foot.
const EDGE: usize = 3;

struct Peer {
    format: Format,
    program: &'static str,
    args: &'static [&'static str],
    /// What follows the path of the document.
    after: &'static [&'static str],
    /// What of its output is no text of the document.
    clean: fn(&str) -> String,
}

const PEERS: [Peer; 2] = [
    Peer {
        format: Format::Pdf,
        program: "pdftotext",
        args: &["-enc", "UTF-8"],
        after: &["-"],
        clean: without_running_lines,
    },
    Peer {
        format: Format::Man,
        program: "mandoc",
        args: &["-T", "utf8", "-O", "width=980"],
        after: &[],
        clean: without_title_lines,
    },
];

/// What was found of one document.
struct Found<'a> {
    document: &'a Document,
    peer: usize,
    ours: usize,
    shared: usize,
    /// Pairs of words that follow each other in both.
    in_order: usize,
}

pub(super) fn compare(documents: &[Document], show: bool) -> Result<()> {
    println!(
        "\n| format | against | documents | words | found | in order | invented | ≥ 98 % found | ≥ 90 % found | time, ours | theirs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for peer in &PEERS {
        if Command::new(peer.program).arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            println!("| {:?} | {} is not on the PATH |", peer.format, peer.program);
            continue;
        }
        let (mut found, mut ours, mut theirs) = (Vec::new(), Duration::ZERO, Duration::ZERO);
        for document in documents.iter().filter(|document| document.format == peer.format) {
            let started = Instant::now();
            let mut command = Command::new(peer.program);
            let output = command.args(peer.args).arg(&document.path).args(peer.after).stderr(Stdio::null()).output()?;
            theirs += started.elapsed();
            let expected = words(&(peer.clean)(&String::from_utf8_lossy(&output.stdout)));
            let started = Instant::now();
            let text = convert(document.format, &document.bytes, &Limits::default())
                .map_or(String::new(), |converted| converted.text);
            ours += started.elapsed();
            if expected.len() >= FEW {
                found.push(Found::of(document, &expected, &words(&shown(&text))));
            }
        }
        row(peer, &found, ours, theirs);
        if show {
            found.sort_by(|a, b| a.share().total_cmp(&b.share()));
            for it in found.iter().take(15) {
                println!("|  | {:.3} of {} words | {} |", it.share(), it.peer, it.document.path.display());
            }
        }
    }
    Ok(())
}

fn row(peer: &Peer, found: &[Found], ours: Duration, theirs: Duration) {
    let sum = |of: fn(&Found) -> usize| found.iter().map(of).sum::<usize>() as f64;
    let words = sum(|it| it.peer);
    let at_least = |share: f64| found.iter().filter(|it| it.share() >= share).count();
    println!(
        "| {:?} | {} | {} | {words} | {:.2} % | {:.2} % | {:.2} % | {} | {} | {:.2} s | {:.2} s |",
        peer.format,
        peer.program,
        found.len(),
        100.0 * sum(|it| it.shared) / words,
        100.0 * sum(|it| it.in_order) / words,
        100.0 * (sum(|it| it.ours) - sum(|it| it.shared)) / sum(|it| it.ours),
        at_least(0.98),
        at_least(0.9),
        ours.as_secs_f64(),
        theirs.as_secs_f64(),
    );
}

impl<'a> Found<'a> {
    fn of(document: &'a Document, expected: &[String], ours: &[String]) -> Found<'a> {
        let pairs = |words: &[String]| -> Vec<(String, String)> {
            words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
        };
        Found {
            document,
            peer: expected.len(),
            ours: ours.len(),
            shared: shared(expected, ours),
            in_order: shared(&pairs(expected), &pairs(ours)) + 1,
        }
    }

    fn share(&self) -> f64 {
        self.shared as f64 / self.peer as f64
    }
}

/// How many of some things are among others, each as often as it is there.
fn shared<T: std::hash::Hash + Eq>(wanted: &[T], there: &[T]) -> usize {
    let mut counts: HashMap<&T, usize> = HashMap::new();
    there.iter().for_each(|it| *counts.entry(it).or_default() += 1);
    let take = |it: &&T| counts.get_mut(*it).filter(|count| **count > 0).map(|count| *count -= 1).is_some();
    wanted.iter().filter(take).count()
}

/// Words in small letters; one that is cut at the end of a line is one.
fn words(text: &str) -> Vec<String> {
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        match line.trim_end().strip_suffix(['-', '\u{ad}']) {
            Some(head) if head.ends_with(char::is_alphanumeric) => whole.push_str(head),
            _ => {
                whole.push_str(line);
                whole.push('\n');
            }
        }
    }
    for (ligature, letters) in [("ﬀ", "ff"), ("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬃ", "ffi"), ("ﬄ", "ffl")] {
        whole = whole.replace(ligature, letters);
    }
    whole.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// A converted text without the lines that say where a passage stands.
fn shown(text: &str) -> String {
    text.lines().filter(|line| place::of_line(line).is_none()).map(|line| format!("{line}\n")).collect()
}

/// Manual pages have their name at the top and a date at the bottom, and backspaces where letters are bold.
fn without_title_lines(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\u{8}' {
            plain.pop();
        } else {
            plain.push(c);
        }
    }
    let lines: Vec<&str> = plain.trim().lines().collect();
    lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default().join("\n")
}

/// Heads and feet that at least three pages have, whatever numbers are in them, are no text: we leave them out too, but for the first.
fn without_running_lines(text: &str) -> String {
    let pages: Vec<Vec<&str>> =
        text.split('\u{c}').map(|page| page.lines().filter(|line| !line.trim().is_empty()).collect()).collect();
    let pattern = |line: &str| line.replace(|c: char| c.is_ascii_digit() || c.is_whitespace(), "");
    let at_edge = |page: &[&str], at: usize| at < EDGE || at + EDGE >= page.len();
    let mut pages_with: HashMap<String, usize> = HashMap::new();
    for page in &pages {
        let edges = page.iter().enumerate().filter(|(at, _)| at_edge(page, *at)).map(|(_, line)| pattern(line));
        edges.collect::<HashSet<_>>().into_iter().for_each(|line| *pages_with.entry(line).or_default() += 1);
    }
    let mut kept = String::new();
    for page in &pages {
        for (at, line) in page.iter().enumerate() {
            if !at_edge(page, at) || pages_with.get(&pattern(line)).is_none_or(|pages| *pages < 3) {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept
}
