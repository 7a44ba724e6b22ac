//! What a file says of itself in its first comment.

use ai_assist_text::Language;

const LONGEST: usize = 300;

/// What is looked at: a comment at the top stands at the top.
const LOOKED_AT: usize = 16 * 1024;

/// The first sentence of a file's own comment or docstring, with its line; a licence is none.
pub(super) fn first_sentence(text: &str, language: Language) -> Option<(String, usize)> {
    let text = ai_assist_text::head(text, LOOKED_AT);
    let marks = marks(language)?;
    let mut block: Vec<(usize, String)> = Vec::new();
    let mut closing: Option<&str> = None;
    for (at, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if let Some(close) = closing {
            let (words, ends) = match line.find(close) {
                Some(end) => (&line[..end], true),
                None => (line, false),
            };
            block.push((at + 1, undecorated(words)));
            if ends {
                closing = None;
                if let Some(found) = sentence(&block) {
                    return Some(found);
                }
                block.clear();
            }
            continue;
        }
        if let Some(words) = marks.lines.iter().find_map(|mark| line.strip_prefix(mark)) {
            block.push((at + 1, undecorated(words)));
            continue;
        }
        if let Some(found) = sentence(&block) {
            return Some(found);
        }
        block.clear();
        if let Some((rest, close)) =
            marks.blocks.iter().find_map(|(open, close)| Some((line.strip_prefix(open)?, *close)))
        {
            match rest.find(close) {
                Some(end) => {
                    if let Some(found) = sentence(&[(at + 1, undecorated(&rest[..end]))]) {
                        return Some(found);
                    }
                }
                None => {
                    block.push((at + 1, undecorated(rest)));
                    closing = Some(close);
                }
            }
        } else if !passes(line) {
            return None;
        }
    }
    sentence(&block)
}

struct Marks {
    lines: &'static [&'static str],
    blocks: &'static [(&'static str, &'static str)],
}

fn marks(language: Language) -> Option<Marks> {
    Some(match language.name() {
        "rust" => Marks { lines: &["//!"], blocks: &[("/*!", "*/")] },
        "python" => Marks { lines: &[], blocks: &[("\"\"\"", "\"\"\""), ("'''", "'''"), ("r\"\"\"", "\"\"\"")] },
        "ruby" | "bash" | "make" | "dockerfile" | "perl" | "yaml" | "toml" | "cmake" | "r" | "elixir" => {
            Marks { lines: &["#"], blocks: &[] }
        }
        "javascript" | "typescript" | "tsx" | "go" | "java" | "kotlin" | "scala" | "groovy" | "c" | "cpp"
        | "csharp" | "swift" | "php" | "dart" | "objective-c" | "protobuf" => {
            Marks { lines: &["///", "//"], blocks: &[("/**", "*/"), ("/*", "*/")] }
        }
        "sql" | "lua" | "haskell" => Marks { lines: &["--"], blocks: &[] },
        _ => return None,
    })
}

/// Whether a line may stand before the comment that speaks of the file.
fn passes(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("#!")
        || line.starts_with("# -*-")
        || line.starts_with('#')
        || line.starts_with("//")
        || line.starts_with("<?php")
        || line.starts_with("package ")
        || line.starts_with("'use strict'")
        || line.starts_with("\"use strict\"")
        || line.starts_with("declare(")
}

fn undecorated(words: &str) -> String {
    words
        .trim()
        .trim_start_matches(['*', '!', '/', '-', '=', '#'])
        .trim_end_matches(['*', '=', '-', '#'])
        .trim()
        .to_owned()
}

/// The first sentence of a comment, if it is about the file and not about rights or tools.
fn sentence(block: &[(usize, String)]) -> Option<(String, usize)> {
    let is_rights = |words: &str| {
        let lower = words.to_lowercase();
        ["copyright", "license", "licence", "spdx-", "all rights reserved", "(c) "]
            .iter()
            .any(|word| lower.contains(word))
    };
    let is_tool = |words: &str| {
        [
            "eslint", "@ts-", "prettier", "jshint", "istanbul", "vim:", "!/", "frozen_string_literal", "-*-", "@flow",
            "go:build", "+build", "syntax=",
        ]
        .iter()
        .any(|word| words.starts_with(word))
    };
    if block.iter().any(|(_, words)| is_rights(words)) {
        return None;
    }
    let start = block.iter().position(|(_, words)| words.chars().any(char::is_alphabetic) && !is_tool(words))?;
    let (line, _) = block[start];
    let words: Vec<&str> = block[start..]
        .iter()
        .map(|(_, words)| words.as_str())
        .take_while(|words| !words.is_empty() && !words.starts_with('@'))
        .collect();
    let joined = words.join(" ");
    let end = joined.find(". ").map_or(joined.len(), |at| at + 1);
    let sentence = crate::survey::one_line(&joined[..end], LONGEST);
    (sentence.len() > 3).then_some((sentence, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_speaks_of_itself_in_its_first_comment() {
        for (path, text, expected) in [
            ("a.rs", "//! Walks the tree. And more.\n\nfn f() {}\n", Some(("Walks the tree.", 1))),
            ("a.rs", "// a note\nfn f() {}\n", None),
            ("a.py", "#!/usr/bin/env python\n\"\"\"Serves pages.\n\nLong.\n\"\"\"\n", Some(("Serves pages.", 2))),
            ("a.py", "import os\n\"\"\"No docstring.\"\"\"\n", None),
            (
                "a.go",
                "// Copyright 2020 The Authors.\n\n// Package x does y and\n// z. More.\npackage x\n",
                Some(("Package x does y and z.", 3)),
            ),
            (
                "a.ts",
                "/* eslint-disable */\n/**\n * Routes of the shop.\n * @module x\n */\n",
                Some(("Routes of the shop.", 3)),
            ),
            ("a.java", "package a.b;\n\n/** Keeps users. */\nclass A {}\n", Some(("Keeps users.", 3))),
            ("a.rb", "# frozen_string_literal: true\n\n# Sends mail.\nclass A\n", Some(("Sends mail.", 3))),
            ("a.php", "<?php\n/** Starts it. */\n", Some(("Starts it.", 2))),
            ("a.js", "const a = 1;\n// later\n", None),
            ("a.csv", "# x", None),
        ] {
            let found = Language::of_path(path).and_then(|language| first_sentence(text, language));
            assert_eq!(found, expected.map(|(words, line)| (words.to_owned(), line)), "{path}: {text}");
        }
    }
}
