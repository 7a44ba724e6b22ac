//! What the words of a program are, for whoever shows it in colours.
//!
//! One walk over the tree, judged by the names that grammars give to their nodes. They name alike what is alike (`comment`,
//! `string_literal`, `type_identifier`), so that one table serves all of them; queries of each grammar would tell a little more, and
//! would be another thing to keep up with its versions. Settings and data have no grammar here: their lines are looked at by hand.

mod data;

use std::ops::Range;

use ai_assist_base::Rounds;
use ai_assist_text::Language;
use tree_sitter::{Node, Tree};

use crate::Program;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    Comment,
    Text,
    Number,
    /// A value that the language names: `true`, `None`.
    Constant,
    Keyword,
    Type,
    /// A name that is called.
    Call,
    /// The name of a definition, where it is defined.
    Defined,
    /// Any other name.
    Name,
    /// What stands behind a dot, or the key of a setting.
    Field,
    /// An attribute, a decorator, a lifetime.
    Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub bytes: Range<usize>,
    pub kind: TokenKind,
}

/// The tokens of a text, in order and without overlap; what is between them needs no colour. Empty for what nothing is known of.
pub fn tokens(text: &str, language: Language) -> Vec<Token> {
    match Program::parse(text, language) {
        Some(program) => collect(text, &program.tree),
        None => data::tokens(text, language),
    }
}

/// Nodes that are one token with all they hold, but for what is computed within.
fn whole(kind: &str) -> Option<TokenKind> {
    if kind.contains("comment") {
        return Some(TokenKind::Comment);
    }
    if matches!(
        kind,
        "attribute_item" | "inner_attribute_item" | "decorator" | "lifetime" | "annotation" | "marker_annotation"
    ) {
        return Some(TokenKind::Mark);
    }
    let is_text = matches!(
        kind,
        "char_literal" | "character_literal" | "rune_literal" | "regex" | "heredoc_body" | "encapsed_string"
    ) || kind == "string"
        || kind.ends_with("string_literal")
        || matches!(
            kind,
            "raw_string" | "template_string" | "ansi_c_string" | "system_lib_string" | "interpreted_string_literal"
        );
    is_text.then_some(TokenKind::Text)
}

/// Code within a text.
fn is_computed(kind: &str) -> bool {
    matches!(
        kind,
        "interpolation" | "template_substitution" | "string_interpolation" | "expansion" | "command_substitution"
    )
}

fn leaf(node: Node<'_>, field: Option<&str>, above: &str, text: &str) -> Option<TokenKind> {
    let (kind, said) = (node.kind(), text.get(node.byte_range())?);
    if !node.is_named() {
        if above.ends_with("boolean_literal") {
            return Some(TokenKind::Constant);
        }
        let is_word = said.len() > 1 && said.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        return is_word.then_some(TokenKind::Keyword);
    }
    match kind {
        "true" | "false" | "none" | "null" | "nil" | "undefined" | "boolean_literal" | "null_literal"
        | "nil_literal" | "iota" => {
            return Some(TokenKind::Constant);
        }
        "self" | "super" | "crate" | "this" | "mutable_specifier" | "visibility_modifier" => {
            return Some(TokenKind::Keyword);
        }
        _ => {}
    }
    if kind.contains("integer")
        || kind.contains("float")
        || kind.ends_with("number")
        || kind.ends_with("number_literal")
        || kind == "int_literal"
    {
        return Some(TokenKind::Number);
    }
    if matches!(
        kind,
        "type_identifier"
            | "primitive_type"
            | "predefined_type"
            | "namespace_identifier"
            | "void_type"
            | "integral_type"
    ) {
        let is_defined = field == Some("name") && is_definition(above);
        return Some(if is_defined { TokenKind::Defined } else { TokenKind::Type });
    }
    let is_name =
        kind.ends_with("identifier") || matches!(kind, "constant" | "name" | "word" | "variable_name" | "command_name");
    if !is_name {
        return None;
    }
    if field == Some("name") && is_definition(above) || field == Some("declarator") && above == "function_declarator" {
        return Some(TokenKind::Defined);
    }
    let is_called = matches!(field, Some("function" | "macro" | "method" | "constructor"))
        || field == Some("name") && (above.contains("call") || above.contains("invocation") || above == "command_name");
    if is_called {
        return Some(TokenKind::Call);
    }
    if kind.starts_with("field_")
        || kind.starts_with("property_")
        || matches!(field, Some("attribute" | "field" | "property"))
    {
        return Some(TokenKind::Field);
    }
    let mut letters = said.chars().filter(|c| c.is_alphabetic());
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    Some(if is_capital && kind != "word" { TokenKind::Type } else { TokenKind::Name })
}

fn is_definition(kind: &str) -> bool {
    ["definition", "declaration", "declarator", "_item", "_spec", "specifier"]
        .iter()
        .any(|ending| kind.ends_with(ending))
        || matches!(kind, "method" | "class" | "module" | "singleton_method")
}

fn collect(text: &str, tree: &Tree) -> Vec<Token> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // What the nodes above are, and of what whole token the node is a part.
    let mut above: Vec<(&str, Option<&str>, Option<TokenKind>)> = Vec::new();
    let mut rounds = Rounds::default();
    while !rounds.stopped() {
        let node = cursor.node();
        let (kind, field) = (node.kind(), cursor.field_name());
        let around = above.last().copied().unwrap_or(("", None, None));
        let mut part_of = around.2.filter(|_| !is_computed(kind));
        if part_of.is_none() && node.is_named() {
            part_of = whole(kind);
        }
        if cursor.goto_first_child() {
            above.push((kind, field, part_of));
            if let Some(part) = part_of {
                // The quotes may be no nodes of their own.
                add(&mut found, node.start_byte()..cursor.node().start_byte(), part);
            }
            continue;
        }
        // The last part of a path that is called is what is called.
        let field = match field {
            Some("field" | "property" | "attribute" | "name") if around.1 == Some("function") => Some("function"),
            other => other,
        };
        if let Some(kind) = part_of.or_else(|| leaf(node, field, around.0, text)) {
            add(&mut found, node.byte_range(), kind);
        }
        let mut end = node.end_byte();
        loop {
            let around = above.last().copied();
            if cursor.goto_next_sibling() {
                if let Some((.., Some(part))) = around {
                    add(&mut found, end..cursor.node().start_byte(), part);
                }
                break;
            }
            if !cursor.goto_parent() {
                return found;
            }
            if let Some((.., Some(part))) = above.pop() {
                add(&mut found, end..cursor.node().end_byte(), part);
            }
            end = cursor.node().end_byte();
        }
    }
    found
}

/// Adds a token behind the others, as a part of the last one if it goes on with it.
fn add(found: &mut Vec<Token>, bytes: Range<usize>, kind: TokenKind) {
    let start = found.last().map_or(bytes.start, |last| bytes.start.max(last.bytes.end));
    if start >= bytes.end {
        return;
    }
    match found.last_mut() {
        Some(last) if last.kind == kind && last.bytes.end == start && kind != TokenKind::Name => {
            last.bytes.end = bytes.end;
        }
        _ => found.push(Token { bytes: start..bytes.end, kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, language: Language) -> Vec<(&str, TokenKind)> {
        tokens(text, language).into_iter().map(|token| (&text[token.bytes], token.kind)).collect()
    }

    #[test]
    fn words_of_programs_are_told_apart() {
        use TokenKind::*;
        let rust = "// why\n#[inline]\nfn open(path: &Path) -> u8 { read(\"a\\n\", 0x1f, true).len() }";
        let found = shown(rust, Language::RUST);
        for token in [
            ("// why", Comment),
            ("#[inline]", Mark),
            ("fn", Keyword),
            ("open", Defined),
            ("Path", Type),
            ("u8", Type),
            ("read", Call),
            ("\"a\\n\"", Text),
            ("0x1f", Number),
            ("true", Constant),
            ("len", Call),
        ] {
            assert!(found.contains(&token), "{token:?}: {found:?}");
        }
        let python = "@cache\ndef get(self, url):\n    return f'{self.base}/x' + None\n";
        let found = shown(python, Language::PYTHON);
        for token in
            [("@cache", Mark), ("def", Keyword), ("get", Defined), ("base", Field), ("None", Constant), ("/x'", Text)]
        {
            assert!(found.contains(&token), "{token:?}: {found:?}");
        }
    }

    #[test]
    fn tokens_are_in_order_whatever_the_text() {
        let texts = [
            "fn a( {{{ \"é",
            "class É:\n  def x",
            "a = `${b}` + 'c",
            "<?php echo \"$x\"; ?> <b>",
            "{\"a\": [1, \"b\"",
            "a: 'b # c\n# d",
        ];
        for text in texts {
            for language in Language::all() {
                let mut end = 0;
                for Token { bytes, .. } in tokens(text, language) {
                    assert!(end <= bytes.start && bytes.start < bytes.end, "{text} as {language}");
                    assert!(text.get(bytes.clone()).is_some(), "{text} as {language}: {bytes:?}");
                    end = bytes.end;
                }
            }
        }
    }
}
