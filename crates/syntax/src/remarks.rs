//! What programs say to people: comments, and the docstrings of Python.

use std::ops::Range;

use ai_assist_text::Language;
use tree_sitter::Node;

use super::languages::{ByKind, Rules};
use super::visit::Visitor;

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

/// What a kind of node is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    Comment,
    String,
    Statement,
    Module,
    /// A function or class of a language with docstrings.
    Owner,
    /// Any other named node.
    Named,
    #[default]
    Other,
}

fn kind(rules: &Rules, name: &str) -> Kind {
    match name {
        _ if name.ends_with("comment") => Kind::Comment,
        "string" if rules.docstrings => Kind::String,
        "expression_statement" => Kind::Statement,
        "module" => Kind::Module,
        "function_definition" | "class_definition" => Kind::Owner,
        _ => Kind::Named,
    }
}

/// A node whose children are being looked at. Asking a node for its parent or for the sibling before it walks down from the
/// root each time, which takes the square of the depth.
struct Level {
    kind: Kind,
    /// How many children were met that are no comments.
    statements: usize,
}

/// The nodes that are comments or docstrings, in order.
pub(super) struct Remarks<'a> {
    text: &'a str,
    kinds: &'static [Kind],
    found: Vec<Remark>,
    around: Vec<Level>,
}

impl<'a> Remarks<'a> {
    pub(super) fn new(text: &'a str, language: Language) -> Self {
        static KINDS: ByKind<Kind> = ByKind::new();
        Remarks { text, kinds: KINDS.of(language, kind), found: Vec::new(), around: Vec::new() }
    }

    pub(super) fn finish(self) -> Vec<Remark> {
        self.found
    }

    /// Whether a string here is the first statement of a body.
    fn is_docstring(&self) -> bool {
        let [outer @ .., body, statement] = &self.around[..] else { return false };
        statement.kind == Kind::Statement
            && body.statements == 1
            && (body.kind == Kind::Module || outer.last().is_some_and(|owner| owner.kind == Kind::Owner))
    }
}

impl<'t> Visitor<'t> for Remarks<'_> {
    fn enter(&mut self, node: Node<'t>) -> bool {
        // `ERROR` is named, and has no number of the grammar's.
        let known = self.kinds.get(usize::from(node.kind_id())).copied();
        let kind = known.unwrap_or(if node.is_named() { Kind::Named } else { Kind::Other });
        if let Some(level) = self.around.last_mut() {
            level.statements += usize::from(!matches!(kind, Kind::Comment | Kind::Other));
        }
        // What lies in a comment is the comment again, in pieces.
        if kind == Kind::Comment || kind == Kind::String && self.is_docstring() {
            add(self.text, &mut self.found, node.byte_range());
            return false;
        }
        self.around.push(Level { kind, statements: 0 });
        true
    }

    fn leave(&mut self) {
        self.around.pop();
    }
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
