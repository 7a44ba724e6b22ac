//! Each file of `fixtures/` and what becomes of it: `NAME.expected` holds its title, outline and chunks.
//!
//! With `UPDATE_EXPECTED=1` the expected files are written anew; read the difference before keeping it.

#![expect(clippy::unwrap_used, reason = "clippy counts only test functions as tests, not what they call")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ai_assist_chunk::{Limits, chunk, outline, title};
use ai_assist_text::Language;

/// Small, so that samples of a page are joined and cut.
const LIMITS: Limits = Limits { target: 120, max: 240 };

fn described(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let language = Language::of_path(path.to_str().unwrap()).unwrap();
    let mut out = String::new();
    let _ = writeln!(out, "language: {language}");
    let _ = writeln!(out, "title: {}", title(&text, language).unwrap_or_default());
    let _ = writeln!(out, "\noutline:");
    for entry in outline(&text, language) {
        let indent = "  ".repeat(entry.depth);
        let _ = write!(out, "{indent}{} {} [{}]", entry.kind, entry.name, entry.lines);
        let _ = writeln!(out, "{}", entry.signature.map(|s| format!(" `{s}`")).unwrap_or_default());
    }
    let _ = writeln!(out, "\nchunks:");
    for chunk in chunk(&text, language, &LIMITS) {
        let first = text[chunk.bytes.clone()].trim_start().lines().next().unwrap_or_default();
        let path = chunk.path.join(" > ");
        let _ = writeln!(out, "[{}] {} ({path}) `{first}`", chunk.lines, chunk.kind);
    }
    out
}

/// Compares each file of a folder beside this one with its `.expected`.
fn compare(folder: &str, least: usize, become_text: fn(&Path) -> String) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut seen = 0;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".expected") {
            continue;
        }
        let actual = become_text(&path);
        let expected = path.with_file_name(format!("{name}.expected"));
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&expected, &actual).unwrap();
        }
        assert_eq!(actual, std::fs::read_to_string(&expected).unwrap_or_default(), "{name}");
        seen += 1;
    }
    assert!(seen >= least, "only {seen} fixtures");
}

#[test]
fn fixtures_become_what_is_expected() {
    compare("fixtures", 20, described);
}
