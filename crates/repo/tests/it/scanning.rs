//! A scan of an index gives what `rg` gives for the files.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_index::{Filter, PathGlobs};
use ai_assist_repo::build::BuildError;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_repo::scan::{Scan, ScanRequest, scan};
use ai_assist_text::Language;
use ai_assist_trigram::{Pattern, PatternOptions};

use crate::support::{Numbers, Sandbox};

const SECRETS: [(&str, &str); 2] = [
    ("AKIAIOSFODNN7EXAMPL2", "[redacted:aws-access-key-id]"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[redacted:github-token]"),
];

/// Every file belongs to exactly one of these.
const WHOLE: [Mode; 3] = [Mode::Code, Mode::Prose, Mode::Records];

/// Path, line and text.
type Line = (String, u32, String);

fn plant(sandbox: &Sandbox) {
    let mut numbers = Numbers(11);
    for file in 0..300 {
        let (path, text) = numbers.file(file);
        let text = match file % 9 {
            0 => text.replace('\n', "\r\n"),
            1 => text.trim_end().to_owned(),
            2 => format!("{text}\n\n\r\n{}\n", "ünï ΣΑΣ straße 東京 \u{212a}"),
            3 => format!("use {}\n{text}use {} twice {}", SECRETS[0].0, SECRETS[1].0, SECRETS[0].0),
            4 => String::new(),
            _ => text,
        };
        sandbox.write(&path, text);
    }
    sandbox.write("odd/long.txt", format!("needle {}é needle\nshort needle\n", "x".repeat(9000)));
    sandbox.write("odd/blank.txt", "\n\n\n");
    sandbox.write("odd/space.md", " \n\t\n lease\t\r\n");
    sandbox.write("odd/one.css", "a{color:red}");
    sandbox.write("odd/run.csv", "lease 1\nlease 2\r\nLEASE 3");
    sandbox.write("odd/no extension", "#!/bin/sh\necho lease # harbor\n");
}

/// Copies the repository as indexing sees it, without the secrets.
fn mirror(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).unwrap();
        if from.is_dir() {
            mirror(&from, &to);
        } else {
            let text = std::fs::read_to_string(from).unwrap();
            let text = SECRETS.iter().fold(text, |text, (secret, marker)| text.replace(secret, marker));
            std::fs::write(to, text).unwrap();
        }
    }
}

fn rg(folder: &Path, pattern: &str, flags: &[&str]) -> Vec<Line> {
    let output = Command::new("rg")
        .args(["--no-config", "--no-ignore", "--null", "--no-heading", "--color=never", "-n"])
        .args(flags)
        .args(["-e", pattern, "."])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Line> = Vec::new();
    for line in said.strip_suffix('\n').unwrap_or(&said).split('\n').filter(|line| !line.is_empty()) {
        let (path, rest) = line.split_once('\0').unwrap();
        let (number, text) = rest.split_once(':').unwrap();
        let text = &text[..text.floor_char_boundary(4096)];
        lines.push((path.trim_start_matches("./").to_owned(), number.parse().unwrap(), text.to_owned()));
    }
    lines.sort();
    lines
}

fn run(sandbox: &Sandbox, mode: Mode, pattern: &Pattern, filter: &Filter, limit: usize) -> Scan {
    scan(&sandbox.open(mode), &ScanRequest { pattern, filter, limit, until: None }, &Cancel::default()).unwrap()
}

fn options(flags: &[&str]) -> PatternOptions {
    PatternOptions {
        ignore_case: flags.contains(&"-i"),
        fixed: flags.contains(&"-F"),
        word: flags.contains(&"-w"),
        ..PatternOptions::default()
    }
}

const PATTERNS: [(&str, &[&str]); 24] = [
    ("lease", &[]),
    ("LEASE", &["-i"]),
    ("lease", &["-w"]),
    ("fn [a-z]+_", &[]),
    ("pub fn .* u32", &[]),
    ("harbor|socket", &[]),
    ("^$", &[]),
    (".", &[]),
    ("", &[]),
    ("x", &[]),
    ("^#", &[]),
    ("\\}$", &[]),
    ("\\r$", &[]),
    ("needle$", &[]),
    ("é needle", &[]),
    ("STRASSE|STRASSE|straße", &["-i"]),
    ("σας", &["-i"]),
    ("[redacted:", &["-F"]),
    ("AKIA|ghp_", &[]),
    ("AWS-ACCESS-KEY", &["-i"]),
    ("\\d{2,}", &[]),
    ("東京\\s\\w", &[]),
    ("\\bthe (\\w+) first\\b", &[]),
    ("no such text anywhere", &[]),
];

/// Compares all patterns, and says how many lines they had.
fn compare(sandbox: &Sandbox, mirror: &Path) -> usize {
    let mut total = 0;
    for (pattern, flags) in PATTERNS {
        let expected = rg(mirror, pattern, flags);
        let compiled = Pattern::new(pattern, options(flags)).unwrap();
        let scans = WHOLE.map(|mode| run(sandbox, mode, &compiled, &Filter::default(), usize::MAX));
        for scan in &scans {
            let places: Vec<(&str, u32)> =
                scan.lines.iter().map(|line| (line.document.as_str(), line.lines.start)).collect();
            assert!(places.is_sorted(), "{pattern}");
            assert_eq!(scan.found, scan.lines.len());
            assert!(scan.files <= scan.scanned && scan.scanned <= scan.documents, "{pattern}");
        }
        let lines = scans.iter().flat_map(|scan| &scan.lines);
        let mut ours: Vec<Line> =
            lines.map(|line| (line.document.clone(), line.lines.start, line.text.clone())).collect();
        ours.sort();
        let differs = ours.iter().zip(&expected).find(|(ours, expected)| ours != expected);
        assert_eq!((ours.len(), differs), (expected.len(), None), "{pattern} {flags:?}");
        total += ours.len();
    }
    total
}

#[test]
fn a_scan_equals_rg_after_every_build() {
    let sandbox = Sandbox::new();
    let copy = sandbox.root().join("mirror");
    plant(&sandbox);
    sandbox.build();
    mirror(&sandbox.repo(), &copy);
    assert!(compare(&sandbox, &copy) > 5000);
    let mut numbers = Numbers(12);
    for file in 0..60 {
        let (path, text) = numbers.file(file);
        match file % 3 {
            0 => sandbox.write(&path, format!("{text}// needle lease\n")),
            1 => sandbox.remove(&path),
            _ => sandbox.write(&format!("new/{file}.md"), format!("# {text}use {}", SECRETS[1].0)),
        }
    }
    sandbox.write("odd/run.csv", "");
    let report = sandbox.build();
    assert!(report.chunked < 60, "the build is an incremental one");
    std::fs::remove_dir_all(&copy).unwrap();
    mirror(&sandbox.repo(), &copy);
    compare(&sandbox, &copy);
}

#[test]
fn the_matches_are_those_of_the_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "one\ntwo lease, Lease\n");
    sandbox.build();
    let pattern = Pattern::new("lease", PatternOptions { ignore_case: true, ..PatternOptions::default() }).unwrap();
    let found = run(&sandbox, Mode::Prose, &pattern, &Filter::default(), 10);
    assert_eq!((found.found, found.files, found.scanned, found.documents), (1, 1, 1, 1));
    let line = &found.lines[0];
    assert_eq!((line.text.as_str(), line.matches.as_slice()), ("two lease, Lease", &[(4, 9), (11, 16)][..]));
    assert_eq!((line.language, line.lines.start), (Language::MARKDOWN, 2));
    assert_eq!(line.hash, ai_assist_identity::Sha256::of(b"one\ntwo lease, Lease\n"));
}

#[test]
fn the_limit_keeps_the_first_lines_and_counts_all() {
    let sandbox = Sandbox::new();
    plant(&sandbox);
    sandbox.build();
    let pattern = Pattern::new("e", PatternOptions::default()).unwrap();
    let whole = run(&sandbox, Mode::Code, &pattern, &Filter::default(), usize::MAX);
    for limit in [0, 1, 2, 10, 57, whole.found] {
        let some = run(&sandbox, Mode::Code, &pattern, &Filter::default(), limit);
        assert_eq!((some.found, some.files, some.lines.as_slice()), (whole.found, whole.files, &whole.lines[..limit]));
    }
}

#[test]
fn filters_and_grams_leave_documents_out_unread() {
    let sandbox = Sandbox::new();
    plant(&sandbox);
    sandbox.build();
    let pattern = Pattern::new("lease", PatternOptions::default()).unwrap();
    let whole = run(&sandbox, Mode::Code, &pattern, &Filter::default(), usize::MAX);
    assert!(whole.scanned == whole.files && whole.scanned < whole.documents, "{}", whole.scanned);
    let filters = [
        Filter { paths: Some(PathGlobs::new(&["lib".to_owned()]).unwrap()), ..Filter::default() },
        Filter { languages: vec![Language::PYTHON], ..Filter::default() },
    ];
    for filter in filters {
        let some = run(&sandbox, Mode::Code, &pattern, &filter, usize::MAX);
        let lines: Vec<_> = whole.lines.iter().filter(|line| line.document.starts_with("lib/")).cloned().collect();
        assert!(!lines.is_empty() && lines.len() < whole.lines.len());
        assert_eq!(some.lines, lines);
        assert!(some.scanned < whole.scanned);
    }
}

#[test]
fn remarks_are_found_at_their_lines() {
    let sandbox = Sandbox::new();
    plant(&sandbox);
    sandbox.build();
    let pattern = Pattern::new("[Tt]akes the|only the", PatternOptions::default()).unwrap();
    let found = run(&sandbox, Mode::ExtractedProse, &pattern, &Filter::default(), usize::MAX);
    assert!(found.files > 50, "{}", found.files);
    for line in &found.lines {
        let file = std::fs::read_to_string(sandbox.repo().join(&line.document)).unwrap();
        let there = file.lines().nth(line.lines.start as usize - 1).unwrap();
        assert!(there.contains(line.text.trim()), "{line:?}: {there}");
    }
    let code = Pattern::new("pub fn", PatternOptions::default()).unwrap();
    assert_eq!(run(&sandbox, Mode::ExtractedProse, &code, &Filter::default(), 1).found, 0);
}

#[test]
fn a_match_may_run_over_chunks() {
    let sandbox = Sandbox::new();
    let filler = "Words that fill a line of a paragraph, again and again.\n".repeat(200);
    sandbox.write("a.md", format!("# A\n\nbegin here\n{filler}\n# B\n\n{filler}end here\n"));
    sandbox.build();
    assert!(sandbox.open(Mode::Prose).state.chunks > 2);
    let options = PatternOptions { multiline: true, ..PatternOptions::default() };
    let pattern = Pattern::new("(?s)begin.*end", options).unwrap();
    let found = run(&sandbox, Mode::Prose, &pattern, &Filter::default(), 10);
    let line = &found.lines[0];
    assert_eq!((found.found, line.lines.start, line.lines.end), (1, 3, 407));
    assert_eq!((line.text.len(), line.matches.len()), (4096, 0));
}

#[test]
fn a_scan_can_be_cancelled_and_says_what_is_broken() {
    let sandbox = Sandbox::new();
    plant(&sandbox);
    sandbox.build();
    let pattern = Pattern::new("lease", PatternOptions::default()).unwrap();
    let request = ScanRequest { pattern: &pattern, filter: &Filter::default(), limit: 1, until: None };
    let index = sandbox.open(Mode::Code);
    assert!(matches!(scan(&index, &request, &Cancel::when(|| true)), Err(BuildError::Cancelled)));
    std::fs::remove_file(index.build.join("index-code/grams/segments")).unwrap();
    let opened = RepoIndex::open(&sandbox.request().cache, Mode::Code);
    assert!(matches!(opened, Err(BuildError::Damaged { .. })), "{opened:?}");
    assert!(!sandbox.build().unchanged);
    assert!(run(&sandbox, Mode::Code, &pattern, &Filter::default(), 1).found > 0);
}

#[test]
fn a_pattern_that_takes_long_ends_in_time_and_says_so() {
    let sandbox = Sandbox::new();
    let words = "some words in a line that goes on and on without an end of any kind ".repeat(30);
    for number in 0..40 {
        sandbox.write(&format!("{number}.md"), format!("# {number}\n\n{}", format!("{words}!\n\n").repeat(20)));
    }
    sandbox.build();
    let index = sandbox.open(Mode::Prose);
    for (source, multiline) in [(r"(\w+\s?){60}$", false), (r"[\s\S]{0,5000}z", true)] {
        let pattern = Pattern::new(source, PatternOptions { multiline, ..PatternOptions::default() }).unwrap();
        let start = Instant::now();
        let until = Some(start + Duration::from_millis(300));
        let request = ScanRequest { pattern: &pattern, filter: &Filter::default(), limit: 10, until };
        let found = scan(&index, &request, &Cancel::default()).unwrap();
        assert!(found.unfinished > 0, "{source}: {found:?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{source} took {:?}", start.elapsed());
        let cancel = Cancel::default();
        let request = ScanRequest { until: None, ..request };
        std::thread::scope(|scope| {
            let scanning = scope.spawn(|| scan(&index, &request, &cancel));
            std::thread::sleep(Duration::from_millis(20));
            let start = Instant::now();
            cancel.cancel();
            assert!(matches!(scanning.join().unwrap(), Err(BuildError::Cancelled)));
            assert!(start.elapsed() < Duration::from_secs(3), "{source} took {:?}", start.elapsed());
        });
    }
    let pattern = Pattern::new(r"an end of \w+", PatternOptions::default()).unwrap();
    let found = run(&sandbox, Mode::Prose, &pattern, &Filter::default(), 10);
    assert_eq!((found.found, found.unfinished), (800, 0));
}
