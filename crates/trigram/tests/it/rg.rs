//! The same lines as `rg`, on real code. Skipped, and said so, where there is no `rg` or no registry of crates.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ai_assist_trigram::{Limits, Pattern, PatternOptions, TrigramIndex};

use crate::{candidate_keys, index_of};

/// Bytes of source to search: enough to meet oddities, little enough for a slow machine.
const MOST_BYTES: u64 = 8 << 20;

const PATTERNS: &[&str] = &[
    "unsafe",
    "fn main",
    "Deserialize",
    "TODO",
    "deny\\(",
    "xyzzy_not_there",
    "impl",
    "é",
    "→",
    "“",
    "日本",
    "ß",
    "fn",
    "x",
    ".",
    "",
    "^",
    "$",
    "^$",
    "^\\s*$",
    "^use ",
    "^\\s+return\\b",
    ";$",
    "\\{$",
    "\\)\\?;$",
    "fn\\s+\\w+_test\\b",
    "pub(\\(crate\\))? fn \\w+",
    "\\bErr\\(",
    "(foo|bar|baz)",
    "(Mutex|RwLock)<",
    "impl<.*> Drop for",
    "unwrap\\(\\)\\.",
    "[A-Z]{8,}",
    "[0-9a-f]{16}",
    "0x[0-9a-fA-F_]+",
    "\\d{4}-\\d{2}-\\d{2}",
    "[[:upper:]]\\w+Error",
    "(?i)license",
    "(?i)kelvin",
    "(?i)STRASSE|straße",
    "(?i)skip",
    "(?i)ς",
    "\\p{Greek}",
    "\\pL{20}",
    "[^\\x00-\\x7F]",
    "a.{3}z",
    "a{3,5}",
    "(ab)+",
    "(?:un)?safe_\\w*",
    "\\w+\\s+\\w+\\s+\\w+$",
    "^[^ ]+$",
    "\\s$",
    "\\t",
    "\\r",
    "\\Ause",
    "\\}\\z",
    "(?-m)^use",
    "\\bself\\b.*\\bself\\b",
    "\\B_\\B",
    "\"[^\"]{40,}\"",
    "'[a-z]+",
    "//[!/] .*\\bmust\\b",
    "#\\[(cfg|derive)\\(",
    "(?s)struct.\\w",
    "[a\\n]b",
    "struct\\s",
    "\\.\\.=",
    "\\\\n",
    "(?x) un safe",
    "(a|b|c|d|e|f){6}",
    "https?://[\\w./-]+",
    "(((unsafe)))",
    "(?U)a.*b",
    "(?-u:\\w)+ffi",
    "memchr|memrchr|aho",
    "\\x41bc|Abc",
];

/// Flags of `rg` and the options that mean the same, with patterns of their own.
fn flagged() -> Vec<(&'static [&'static str], PatternOptions, &'static [&'static str])> {
    let none = PatternOptions::default();
    vec![
        (
            &["-i"],
            PatternOptions { ignore_case: true, ..none },
            &["unsafe", "kelvin|mask", "[a-f]{12}", "Σ", "deseri.*ſ?"],
        ),
        (&["-F"], PatternOptions { fixed: true, ..none }, &["a.b", "(", "[u8; 4]", "\\n", "$"]),
        (&["-w"], PatternOptions { word: true, ..none }, &["self", "in", "a|as", "-1", "fn \\w", "\\w+::new"]),
        (
            &["-U"],
            PatternOptions { multiline: true, ..none },
            &["\\{\n\\s*\\}", "#\\[test\\]\\s+fn", "(?s)/\\*.{0,80}\\*/", "\\n\\n\\n", "^use .*;$", "a\\n"],
        ),
        (&["--crlf"], PatternOptions { crlf: true, ..none }, &["\\}$", "^\\s*$", "//.*$", "[^;]$", "\\s$"]),
    ]
}

/// The newest `rg` at hand: one named by `AI_ASSIST_TEST_RG`, or the one on the path.
fn rg() -> Option<PathBuf> {
    let program = std::env::var_os("AI_ASSIST_TEST_RG").map_or_else(|| PathBuf::from("rg"), PathBuf::from);
    Command::new(&program).arg("--version").output().ok()?.status.success().then_some(program)
}

/// Source files of the registry that a plain reader and we take alike: UTF-8, no NUL, no byte order mark.
fn real_files(folder: &Path) -> Option<Vec<String>> {
    let home =
        std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registry = fs::read_dir(home.join("registry/src")).ok()?.flatten().next()?.path();
    let mut crates: Vec<_> = fs::read_dir(registry).ok()?.flatten().map(|entry| entry.path()).collect();
    crates.sort();
    let (mut texts, mut bytes) = (Vec::new(), 0);
    // Every few crates, so that the choice is not all of one kind.
    let mut pending: Vec<PathBuf> = crates.into_iter().step_by(5).collect();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let mut inside: Vec<_> = fs::read_dir(&path).ok()?.flatten().map(|entry| entry.path()).collect();
            inside.sort();
            pending.extend(inside);
        } else if let Ok(text) = fs::read_to_string(&path)
            && !text.contains('\0')
            && !text.starts_with('\u{feff}')
            && text.len() < 60_000
        {
            bytes += text.len() as u64;
            texts.push(text);
        }
        if bytes > MOST_BYTES {
            break;
        }
    }
    // Some that real code seldom has.
    texts.extend(
        [
            "",
            "\n",
            "\n\n",
            "use x",
            "a\r\nb;\r\n\r\nuse y\r\n",
            "ſKIP kelvin \u{212A}ELVIN\nΣς",
            "x\n}\n\u{85}\u{2028}y",
        ]
        .map(str::to_owned),
    );
    for (key, text) in texts.iter().enumerate() {
        fs::write(folder.join(key.to_string()), text).ok()?;
    }
    Some(texts)
}

/// The lines and matches that `rg` gives: `(file, line) → text`.
fn lines_of_rg(rg: &Path, folder: &Path, flags: &[&str], pattern: &str) -> BTreeMap<(u64, usize), String> {
    let fixed =
        ["--no-config", "--no-heading", "--with-filename", "--line-number", "--color=never", "--null", "--text"];
    let out = Command::new(rg).current_dir(folder).args(fixed).args(flags).args(["-e", pattern, "."]).output().unwrap();
    assert_ne!(out.status.code(), Some(2), "{pattern}: {}", String::from_utf8_lossy(&out.stderr));
    let mut lines = BTreeMap::new();
    for record in out.stdout.split(|&byte| byte == b'\n').filter(|record| !record.is_empty()) {
        let record = std::str::from_utf8(record).unwrap();
        let (file, rest) = record.split_once('\0').unwrap();
        let (line, text) = rest.split_once(':').unwrap();
        let file = file.strip_prefix("./").unwrap_or(file).parse().unwrap();
        // Under `--crlf` rg ends a last line without a line end in its own way; the carriage return is not compared.
        let text = if flags.contains(&"--crlf") { text.trim_end_matches('\r') } else { text };
        lines.insert((file, line.parse().unwrap()), text.to_owned());
    }
    lines
}

fn lines_of_ours(
    index: &TrigramIndex,
    texts: &[String],
    pattern: &Pattern,
    crlf: bool,
) -> BTreeMap<(u64, usize), String> {
    let mut lines = BTreeMap::new();
    for key in candidate_keys(index, pattern) {
        let text = &texts[key as usize];
        for found in pattern.matching_lines(text, Limits::default()) {
            for (nth, line) in text[found.bytes].split('\n').enumerate() {
                let line = if crlf { line.trim_end_matches('\r') } else { line };
                lines.insert((key, found.line + nth), line.to_owned());
            }
        }
    }
    lines
}

#[test]
fn the_lines_are_those_of_rg() {
    let Some(rg) = rg() else { return eprintln!("skipped: there is no rg on the path") };
    let (files, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(texts) = real_files(files.path()) else { return eprintln!("skipped: there is no registry of crates") };
    let index = index_of(folder.path(), &texts);
    let plain = PATTERNS.iter().map(|&source| (&[][..], PatternOptions::default(), source));
    let flagged = flagged();
    let flagged =
        flagged.iter().flat_map(|&(flags, options, sources)| sources.iter().map(move |&s| (flags, options, s)));
    let (mut compared, mut matched) = (0, 0);
    for (flags, options, source) in plain.chain(flagged) {
        let ours = lines_of_ours(&index, &texts, &Pattern::new(source, options).unwrap(), options.crlf);
        let theirs = lines_of_rg(&rg, files.path(), flags, source);
        let first = ours.iter().find(|(place, line)| theirs.get(place) != Some(line));
        let first_missing = theirs.iter().find(|(place, line)| ours.get(place) != Some(line));
        assert!(
            first.is_none() && first_missing.is_none(),
            "{flags:?} {source:?}: ours {first:?}, theirs {first_missing:?}"
        );
        compared += 1;
        matched += ours.len();
    }
    eprintln!("{compared} patterns over {} files: {matched} lines, all alike", texts.len());
}
