//! What programs say to people: comments, and the docstrings of Python.

use std::ops::Range;

use ai_assist_base::Rounds;
use ai_assist_text::Language;
use tree_sitter::Tree;

use super::languages::Rules;

/// A comment or a docstring; comments on neighbouring lines are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The bytes of the text it covers, its markers included.
    pub bytes: Range<usize>,
}

/// The comments and docstrings of a program, in order; none if its language has no grammar or the text can't be parsed
/// with bounded effort.
pub fn remarks(text: &str, language: Language) -> Vec<Remark> {
    crate::Program::parse(text, language).map(|program| program.remarks()).unwrap_or_default()
}

impl Remark {
    /// What it says, without its markers: as many lines as it covers, so that a line keeps its number.
    pub fn prose(&self, text: &str) -> String {
        let raw = text.get(self.bytes.clone()).unwrap_or_default();
        let mut prose = String::with_capacity(raw.len());
        for (number, line) in raw.lines().enumerate() {
            if number > 0 {
                prose.push('\n');
            }
            prose.push_str(unmarked(line));
        }
        prose
    }
}

/// A line of a comment without what makes it one.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let opened = OPENING.iter().find_map(|marker| line.strip_prefix(marker));
    let line = opened.unwrap_or_else(|| line.strip_prefix('*').filter(|rest| !rest.starts_with('*')).unwrap_or(line));
    let closed = CLOSING.iter().find_map(|marker| line.strip_suffix(marker)).unwrap_or(line);
    let said = closed.trim();
    // A line of dashes or stars says nothing.
    if said.chars().any(char::is_alphanumeric) { said } else { "" }
}

/// The longer ones first.
const OPENING: [&str; 22] = [
    "r\"\"\"", "R\"\"\"", "\"\"\"", "'''", "////", "///", "//!", "//", "/***", "/**", "/*!", "/*", "####", "###",
    "##!", "##", "#!", "#", "--", ";;", "=begin", "*/",
];
const CLOSING: [&str; 6] = ["**/", "*/", "\"\"\"", "'''", "=end", "\""];

/// A node whose children are being looked at. Asking a node for its parent or for the sibling before it walks down from the
/// root each time, which takes the square of the depth.
struct Level<'t> {
    kind: &'t str,
    /// How many children were met that are no comments.
    statements: usize,
}

/// The nodes that are comments or docstrings, in order.
pub(super) fn collect(text: &str, tree: &Tree, rules: &Rules) -> Vec<Remark> {
    let mut found: Vec<Remark> = Vec::new();
    let mut around: Vec<Level<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut rounds = Rounds::default();
    while !rounds.stopped() {
        let node = cursor.node();
        let kind = node.kind();
        let is_comment = node.is_named() && kind.ends_with("comment");
        if let Some(level) = around.last_mut() {
            level.statements += usize::from(node.is_named() && !is_comment);
        }
        let is_remark = is_comment || (rules.docstrings && kind == "string" && is_docstring(&around));
        if is_remark {
            add(text, &mut found, node.byte_range());
        }
        // What lies in a comment is the comment again, in pieces.
        if !is_remark && cursor.goto_first_child() {
            around.push(Level { kind, statements: 0 });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            around.pop();
        }
    }
    found
}

/// Whether a string among these nodes is the first statement of a body.
fn is_docstring(around: &[Level<'_>]) -> bool {
    let [outer @ .., body, statement] = around else { return false };
    let owner = outer.last().map(|owner| owner.kind);
    statement.kind == "expression_statement"
        && body.statements == 1
        && (body.kind == "module" || matches!(owner, Some("function_definition" | "class_definition")))
}

/// Adds a comment, or makes the one before longer if they stand on neighbouring lines with nothing between.
fn add(text: &str, found: &mut Vec<Remark>, bytes: Range<usize>) {
    let bytes = text.floor_char_boundary(bytes.start)..text.floor_char_boundary(bytes.end);
    if let Some(last) = found.last_mut() {
        let between = text.get(last.bytes.end..bytes.start).unwrap_or("x");
        // Some grammars count the line's end in, so the line before may have ended already.
        let ended = text[last.bytes.clone()].ends_with('\n');
        let ends = between.bytes().filter(|&byte| byte == b'\n').count() + usize::from(ended);
        if between.trim().is_empty() && ends <= 1 {
            last.bytes.end = bytes.end;
            return;
        }
    }
    if !bytes.is_empty() {
        found.push(Remark { bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, language: Language) -> Vec<String> {
        remarks(text, language).iter().map(|remark| remark.prose(text)).collect()
    }

    #[test]
    fn comments_and_docstrings_are_taken_out_without_their_markers() {
        let rust = "//! Opens.\n//! The door.\n\n/// Says hello.\nfn hello() { // politely\n    /* to\n     * all */\n    print(\"// not this\");\n}\n";
        assert_eq!(said(rust, Language::RUST), ["Opens.\nThe door.", "Says hello.", "politely\nto\nall"]);
        let python = "#!/bin/python\n\"\"\"What it is.\n\nAnd why.\n\"\"\"\n\nclass A:\n    # before\n    '''A class.'''\n    x = \"no docstring\"\n    def f(self):\n        \"A function.\"\n        return \"\"\"nor this\"\"\"\n";
        assert_eq!(
            said(python, Language::PYTHON),
            ["/bin/python\nWhat it is.\n\nAnd why.\n", "before\nA class.", "\"A function."]
        );
        let go = "package a\n\n// F does.\n// ----\nfunc F() {}\n";
        assert_eq!(said(go, Language::GO), ["F does.\n"]);
        assert_eq!(said("# a\n", Language::MARKDOWN), Vec::<String>::new());
    }

    #[test]
    fn every_line_keeps_its_number() {
        for (text, language) in [
            ("/**\n * One.\n *\n * Three.\n */\nclass A {}\n", Language::JAVA),
            ("// a\r\n// b\r\nint x;\r\n", Language::C),
            ("=begin\na\n=end\ndef f; end # é\n", Language::RUBY),
        ] {
            for remark in remarks(text, language) {
                let raw = &text[remark.bytes.clone()];
                assert_eq!(
                    remark.prose(text).split('\n').count(),
                    raw.trim_end_matches('\n').split('\n').count(),
                    "{raw}"
                );
            }
        }
    }
}
