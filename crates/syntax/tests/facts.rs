//! What programs say about themselves: each file of `facts/` and what is expected of it, and what holds of any text.
//!
//! With `UPDATE_EXPECTED=1` the expected files are written anew; read the difference before keeping it.

#![expect(clippy::unwrap_used, reason = "clippy counts only test functions as tests, not what they call")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ai_assist_syntax::{Program, facts, has_grammar, references};
use ai_assist_text::{Language, LineMap, head};
use proptest::prelude::*;

/// What is put into programs to break them.
const SCRAPS: &[&str] = &[
    "fn f() {", "mod m {\n", "use a::b;\n", "class A {", "def f(:\n", "}", "{", "(", ")", "\"", "'''", "/*", "// é\n",
    "#", "\n\n", "import a from 'b';\n", "@app.get('/x')\n", "=>", "<T,", "\0", "日本", "eval(", "unsafe {", "\\",
];

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

/// What a program says about itself, but for its definitions, which are its outline.
fn stated(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let language = Language::of_path(path.to_str().unwrap()).unwrap();
    let found = facts(&text, language).unwrap();
    let mut out = String::new();
    let mut add = |line: std::fmt::Arguments<'_>| {
        let _ = writeln!(out, "{line}");
    };
    add(format_args!("exports:"));
    found.exports.iter().for_each(|export| add(format_args!("  {} {} {}", export.line, export.kind, export.name)));
    add(format_args!("imports:"));
    found.imports.iter().for_each(|import| add(format_args!("  {} {}", import.line, import.module)));
    add(format_args!("routes:"));
    for route in &found.routes {
        add(format_args!("  {} {} {}", route.line, route.method.as_deref().unwrap_or("-"), route.path));
    }
    add(format_args!("commands:"));
    found.commands.iter().for_each(|command| add(format_args!("  {} {}", command.line, command.name)));
    add(format_args!("risky:"));
    found.risky.iter().for_each(|risky| add(format_args!("  {} {:?} {}", risky.line, risky.kind, risky.what)));
    add(format_args!("functions: {}, branches: {}", found.functions, found.branches));
    for (label, most) in [("longest", &found.longest_function), ("deepest", &found.deepest_nesting)] {
        if let Some(most) = most {
            add(format_args!("{label}: {} {} {}", most.line, most.name, most.value));
        }
    }
    out
}

#[test]
fn programs_say_about_themselves_what_is_expected() {
    compare("facts", 17, stated);
}

/// Asserts what holds of any program's facts: lines of the text, strings that are neither empty nor long.
#[track_caller]
fn lawful_facts(text: &str, language: Language) {
    let Some(found) = facts(text, language) else { return };
    let lines = LineMap::new(text).count();
    let exports = found.exports.iter().map(|export| (&export.name, export.line));
    let imports = found.imports.iter().map(|import| (&import.module, import.line));
    let commands = found.commands.iter().map(|command| (&command.name, command.line));
    let risky = found.risky.iter().map(|risky| (&risky.what, risky.line));
    for (name, line) in exports.chain(imports).chain(commands).chain(risky) {
        assert!(!name.is_empty() && name.len() <= 200, "{language}: {name:?}");
        assert!((1..=lines).contains(&line), "{language}: {name} in line {line} of {lines}");
    }
    for route in &found.routes {
        assert!(route.path.len() <= 200 && (1..=lines).contains(&route.line), "{language}: {route:?}");
    }
    for measured in found.longest_function.iter().chain(&found.deepest_nesting) {
        assert!((1..=lines).contains(&measured.line) && measured.name.len() <= 200, "{language}: {measured:?}");
        assert!(measured.value > 0 && found.functions > 0, "{language}: {measured:?}");
    }
    assert_eq!(found.definitions, Program::parse(text, language).unwrap().definitions(), "{language}");
    let used = references(text, language).unwrap_or_default();
    assert!(used.is_sorted_by(|a, b| a.name < b.name), "{language}: {used:?}");
    for used in used {
        assert!(used.count > 0 && used.name.len() <= 100 && used.name.chars().count() >= 3, "{language}: {used:?}");
        assert!(text.contains(&used.name), "{language}: {used:?}");
    }
}

/// The samples whose facts are tested, each with its language.
fn programs() -> Vec<(String, Language)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/facts");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "expected"));
    paths.sort();
    let read = |path: &PathBuf| {
        let language = Language::of_path(path.to_str().unwrap()).unwrap();
        (std::fs::read_to_string(path).unwrap(), language)
    };
    paths.iter().map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Broken programs: cut anywhere, bytes swapped, a scrap put in.
    #[test]
    fn broken_programs_have_lawful_facts(
        cut in 0.0..1.0f64,
        swaps in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 0..8),
        scrap in prop::sample::select(SCRAPS),
        at in 0.0..1.0f64,
    ) {
        for (program, language) in programs() {
            let place = |part: f64| (part * program.len() as f64) as usize;
            let mut bytes = program.clone().into_bytes();
            for &(one, other) in &swaps {
                bytes.swap(place(one), place(other));
            }
            bytes.splice(place(at)..place(at), scrap.bytes());
            lawful_facts(&String::from_utf8_lossy(&bytes), language);
            bytes.truncate(place(cut));
            lawful_facts(&String::from_utf8_lossy(&bytes), language);
            lawful_facts(&String::from_utf8_lossy(&program.as_bytes()[place(cut)..]), language);
        }
    }
}

#[test]
fn facts_of_large_nasty_texts_take_little_time() {
    let megabyte = 1 << 20;
    let many = |scrap: &str, bytes: usize| scrap.repeat(bytes / scrap.len());
    let texts = [
        many("a", 2 * megabyte),
        many("(", megabyte),
        many("a.b(", megabyte / 8),
        many("a.get('/x', b).", megabyte / 8),
        many("x = 'SELECT ' + a + b\n", megabyte / 8),
        format!("class {} {{ {} }}", "A".repeat(megabyte / 8), many("public void f() {} ", megabyte / 8)),
        format!("use {}::{{{}}};", "a".repeat(megabyte / 8), many("b,", megabyte / 8)),
        format!("f({})", many("1, ", megabyte / 8)),
        format!("\"SELECT {}\"", many("\\n", megabyte / 8)),
    ];
    for language in Language::all().filter(|language| has_grammar(*language)) {
        for text in &texts {
            let started = Instant::now();
            let _ = Program::parse(text, language).map(|program| program.definitions());
            let alone = started.elapsed();
            let started = Instant::now();
            let _ = facts(text, language);
            // Wide enough for a busy machine; time that grows with the square would take minutes.
            let limit = 4 * alone + Duration::from_secs(5);
            assert!(started.elapsed() < limit, "{language}: {:?} for {}…", started.elapsed(), head(text, 20));
        }
    }
}
