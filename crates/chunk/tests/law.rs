//! The law of chunking: whatever the text, the chunks cover it in order without loss, within the limits.

#![expect(clippy::unwrap_used, reason = "clippy counts only test functions as tests, not what they call")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ai_assist_chunk::{Chunk, Limits, chunk, outline, title};
use ai_assist_text::{Language, LineMap, head};
use proptest::prelude::*;

/// Asserts the law and gives back the chunks.
#[track_caller]
fn lawful(text: &str, language: Language, limits: &Limits) -> Vec<Chunk> {
    let chunks = chunk(text, language, limits);
    let map = LineMap::new(text);
    let blank = |chunk: &Chunk| text[chunk.bytes.clone()].trim().is_empty();
    let mut end = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk.bytes.start, end, "{language}: a gap or an overlap before chunk {index}");
        assert!(!chunk.bytes.is_empty(), "{language}: chunk {index} is empty");
        assert!(chunk.bytes.len() <= limits.max, "{language}: {} > {} in chunk {index}", chunk.bytes.len(), limits.max);
        assert!(text.is_char_boundary(chunk.bytes.end), "{language}: chunk {index} ends inside a character");
        assert_eq!(chunk.lines, map.lines_of(&chunk.bytes));
        assert_eq!(chunk.language, language);
        assert!(chunk.path.iter().all(|name| !name.is_empty()), "{language}: an empty name in {:?}", chunk.path);
        end = chunk.bytes.end;
        if blank(chunk) && chunks.len() > 1 {
            // White space stands alone only where it does not fit with what is before it.
            let other = if index == 0 { &chunks[1] } else { &chunks[index - 1] };
            let together = chunk.bytes.len() + other.bytes.len();
            assert!(
                together > limits.max.min(limits.target * 16),
                "{language}: chunk {index} of {} is white space",
                chunks.len()
            );
        }
    }
    assert_eq!(end, text.len(), "{language}: the end is missing");
    for entry in outline(text, language) {
        assert!(entry.lines.start <= entry.lines.end && entry.lines.end as usize <= map.count());
        assert!(!entry.name.is_empty());
    }
    assert!(title(text, language).is_none_or(|title| !title.is_empty()));
    chunks
}

/// Languages with a scanner of their own, and one of each other sort.
fn languages() -> Vec<Language> {
    let names = [
        "markdown", "mdx", "restructuredtext", "asciidoc", "org", "html", "text", "json", "jsonl", "csv", "yaml",
        "graphql", "protobuf", "lua", "rust", "python", "typescript", "tsx", "javascript", "go", "java", "c", "cpp",
        "csharp", "ruby", "php", "bash",
    ];
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Scraps that mean something in one format or another, to be thrown together.
const SCRAPS: &[&str] = &[
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "a",
    "word ",
    "A sentence. Another one! ",
    "é",
    "日本語。",
    "👩‍👩‍👧",
    "\u{a0}",
    "\u{2028}",
    "\0",
    "\\",
    "# ",
    "## Head\n",
    "###### ",
    "#",
    "Title\n=====\n",
    "Sub\n---\n",
    "---\n",
    "+++\n",
    "title: x\n",
    "```\n",
    "```rust\n",
    "~~~~\n",
    "- ",
    "* ",
    "1. ",
    "  - ",
    "> ",
    "| a | b |\n|---|---|\n",
    "<!-- ",
    "-->",
    "<div>\n",
    "</div>",
    "<h1>",
    "</h1>",
    "<h2 class=\"",
    "<script>",
    "</script>",
    "<pre>",
    "import x from 'y'\n",
    "export ",
    "{/*",
    "*/}",
    ".. code::\n",
    "::\n\n   lit\n",
    "=====\n",
    "== Sec\n",
    "----\n",
    "....\n",
    "|===\n",
    "* Head\n",
    "#+begin_src\n",
    "#+end_src\n",
    "fn f() {",
    "type Query {\n",
    "\"\"\"",
    "message A {\n",
    "rpc B(C) returns (D);\n",
    "// a\n",
    "<Tabs>\n",
    "export const title = 'x'\n",
    ".. note::\n",
    ":func:`x`",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "// c\n",
    "/// doc\n",
    "#[test]\n",
    "impl A for B<C> {\n",
    "mod m {\n",
    "class A {\n",
    "class B:\n    def f(self):\n        pass\n",
    "@dec\n",
    "def g; end\n",
    "<?php\n",
    "function f() {",
    "const x = () => {",
    "export class K {",
    "namespace n {",
    "template<class T>\n",
    "void A::b() {",
    "struct s { int a; };\n",
    "#include <x>\n",
    "#ifdef X\n",
    "#endif\n",
    "func (s *S) M() {",
    "type T struct {",
    "package p\n",
    "use a::b;\n",
    "f() {\n",
    "<<EOF\n",
    "EOF\n",
    ";",
    ",",
];

fn text() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        8 => proptest::sample::select(SCRAPS).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z ]{0,40}",
    ];
    proptest::collection::vec(scrap, 0..120).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_text_in_any_language_is_covered(text in text(), target in 1usize..300, more in 0usize..300) {
        let limits = Limits { target, max: (target + more).max(4) };
        for language in languages() {
            lawful(&text, language, &limits);
        }
    }

    #[test]
    fn a_line_end_is_never_cut_in_two(text in "([a-z .]|\r\n|é){0,400}", target in 1usize..60, more in 0usize..60) {
        let limits = Limits { target, max: (target + more).max(4) };
        for language in [Language::TEXT, Language::MARKDOWN, Language::PYTHON] {
            for chunk in lawful(&text, language, &limits) {
                prop_assert!(!(text[..chunk.bytes.end].ends_with('\r') && text[chunk.bytes.end..].starts_with('\n')));
            }
        }
    }

    #[test]
    fn the_same_text_gives_the_same_chunks(text in text()) {
        for language in languages() {
            let limits = Limits { target: 60, max: 120 };
            prop_assert_eq!(chunk(&text, language, &limits), chunk(&text, language, &limits));
        }
    }
}

#[test]
fn small_nasty_texts_are_covered() {
    let cases = [
        "", " ", "\n", "\r\n", "\r", "\t\n \n", "a", "#", "# ", "######", "---", "---\n", "---\n---\n", "+++\n+++",
        "```", "```\n# a", "~~~\n```\n~~~\n# a", "\n\n\n# a\n\n\n", "=\n=", "a\n=", "=====\na\n=====", "<", "<h1",
        "<h1>", "</", "<!--", "<script>", "<a href=\"x", "* ", "|===\n", "----\n", "{", "}", "(((", "\"", "'''", "/*",
        "é", "\u{feff}", "日本語", "- - - - - a", "> > > a", "1) a\n   ```\n# b", "fn", "class", "\u{2028}\u{2028}",
        "\0\0", "def f(:\n", "#include", "<?php", "<<X", "{\u{e2f5a}", "{1..\u{e2f5a}",
    ];
    for language in Language::all() {
        for text in cases {
            for (target, max) in [(1, 4), (3, 7), (20, 40), (1200, 2400)] {
                lawful(text, language, &Limits { target, max });
            }
        }
    }
}

/// Time grows with the text and not with its square, and no stack overflows.
#[test]
fn large_nasty_texts_take_little_time() {
    let many = |scrap: &str, bytes: usize| scrap.repeat(bytes / scrap.len());
    let megabyte = 1 << 20;
    let nested = |open: &str| many(open, 100_000 * open.len());
    let texts = [
        ("one line of letters", many("a", 8 * megabyte)),
        ("one line of words", many("word and ", 8 * megabyte)),
        ("one line of kanji", many("字", 4 * megabyte)),
        ("line ends", many("\n", 4 * megabyte)),
        ("dos line ends", many("\r\n", 4 * megabyte)),
        ("spaces", many(" ", 4 * megabyte)),
        ("hashes", many("#", megabyte)),
        ("headings", many("# a\n", 400_000)),
        ("deeper headings", (1..2000).map(|depth| format!("{} h\n", "*".repeat(depth))).collect()),
        ("long headings", many(&format!("# {}\n", "x".repeat(2000)), megabyte)),
        ("one long heading", format!("# {}\n{}", "x".repeat(megabyte), many("text\n", megabyte))),
        ("html headings", many("<h1>", 400_000)),
        ("open tags", many("<a \"", 400_000)),
        ("open comments", many("<!--", 400_000)),
        ("raw tags", many("<script", 400_000)),
        ("ends in script", format!("<script>{}", many("</", megabyte))),
        ("brackets", nested("[")),
        ("braces", nested("{")),
        ("parentheses", nested("(")),
        ("quotes", nested(">")),
        ("spaced quotes", nested("> ")),
        ("lists", nested("- ")),
        ("fences", many("```\n", megabyte)),
        ("back-ticks", many("`", megabyte)),
        ("stars", many("*a_", megabyte)),
        ("indents", (0..2000).map(|depth| format!("{}- a\n", " ".repeat(depth))).collect()),
        ("underlined", many("a\n=\n", megabyte)),
        ("classes", nested("class A {")),
        ("modules", nested("mod m {")),
        ("python classes", (0..400).map(|depth| format!("{}class A:\n", " ".repeat(depth))).collect()),
        ("functions on one line", many("function f(){return 1}", megabyte)),
        ("strings", many("\"", megabyte)),
        ("comments", many("// a\n", megabyte)),
        ("open templates", nested("a<")),
        ("here documents", many("<<A ", 400_000)),
        ("errors", many("fn ) class ; } def @ ", megabyte)),
    ];
    let mut slow = Vec::new();
    for (name, text) in &texts {
        for language in languages() {
            // Grammars are slow on what is no program; what counts here is that they are stopped.
            let is_code = Language::RUST.kind() == language.kind();
            let text = if is_code { head(text, 20_000) } else { text };
            let started = Instant::now();
            chunk(text, language, &Limits::default());
            let taken = started.elapsed();
            if taken > Duration::from_secs(6) {
                slow.push(format!("{name} as {language}: {taken:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
    for (_, text) in texts.iter().take(10) {
        lawful(text, Language::MARKDOWN, &Limits::default());
        lawful(text, Language::HTML, &Limits::default());
    }
}

/// Trees are walked without recursion, and those too deep for the parser's error recovery are not built.
#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for depth in [450, 100_000] {
        nested(depth);
    }
}

fn nested(depth: usize) {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let cases = [
        (Language::RUST, deep("mod m {", "}")),
        (Language::RUST, format!("fn f() {}", deep("{", "}"))),
        (Language::JAVASCRIPT, deep("[", "]")),
        (Language::JAVASCRIPT, deep("(", ")")),
        (Language::JAVA, deep("class A {", "}")),
        (Language::C, format!("int x = {};", deep("(", ")"))),
        (Language::CPP, deep("namespace n {", "}")),
        (Language::PYTHON, deep("[", "]")),
        (Language::GO, format!("var x = {}", deep("(", ")"))),
    ];
    for (language, text) in cases {
        lawful(&text, language, &Limits::default());
    }
}

/// Real files: those that cargo has unpacked on this machine.
#[test]
fn real_files_are_covered() {
    let Some(home) =
        std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))
    else {
        return;
    };
    let mut folders = vec![home.join("registry/src")];
    let mut left = 500;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        // A few files of each folder, so that many crates are seen.
        let mut here = 0;
        for path in paths {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let wanted = path.extension().and_then(|e| e.to_str()).is_some_and(|e| {
                matches!(
                    e,
                    "rs" | "md" | "py" | "html" | "js" | "ts" | "c" | "h" | "cpp" | "sh" | "rst" | "json" | "toml"
                )
            });
            if !wanted || here >= 3 || left == 0 {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let language = Language::detect(&path.to_string_lossy(), &text);
            lawful(&text, language, &Limits::default());
            if left % 4 == 0 {
                lawful(&text, language, &Limits { target: 200, max: 300 });
            }
            (left, here) = (left - 1, here + 1);
        }
    }
}
