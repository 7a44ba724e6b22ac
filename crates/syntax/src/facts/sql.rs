//! Queries that are put together from pieces of text.

use tree_sitter::Node;

use super::Place;
use super::nodes::{CALL, Family, Field, JOIN, MACRO, STRING};
use super::source::{Call, Source, line};
use crate::{Facts, Risk, Risky};

/// How far down the left side of `a + b + c` its first piece is looked for.
const MOST_PIECES: usize = 16;

/// Functions that fill in a template, by language. Ruby's and Python's own are operators and methods of strings.
const FORMATS: &[(Family, &str)] = &[
    (Family::Go, "Sprintf"),
    (Family::Java, "format"),
    (Family::Java, "formatted"),
    (Family::CSharp, "Format"),
    (Family::Php, "sprintf"),
    (Family::C, "sprintf"),
    (Family::C, "snprintf"),
    (Family::Ruby, "format"),
    (Family::Ruby, "sprintf"),
];

fn push(facts: &mut Facts, what: &str, node: Node<'_>) {
    facts.risky.push(Risky { kind: Risk::Sql, what: what.to_owned(), line: line(node) });
}

/// Whether a text starts as a query does, rather than as a sentence: `Select a file` is none.
fn is_query(text: &str) -> bool {
    let text = ai_assist_text::head(
        text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '$' | '@')),
        400,
    );
    let upper = text.to_ascii_uppercase();
    let has = |word: &str| upper.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other == word);
    match upper.split(char::is_whitespace).next().unwrap_or_default() {
        "SELECT" => has("FROM") || text.starts_with("SELECT") && upper.len() > 6,
        "INSERT" => has("INTO"),
        "DELETE" => has("FROM"),
        "UPDATE" => has("SET") || upper.trim_end() == "UPDATE",
        _ => false,
    }
}

/// Whether a string literal starts as a query does, pieces that are computed aside.
fn starts_query(source: Source<'_>, node: Node<'_>) -> bool {
    if !source.kinds.is(node, STRING) || node.kind() == "word" {
        return false;
    }
    let text = ai_assist_text::head(source.of(node), 400);
    let quoted = text.find(['"', '\'', '`']).map_or("", |at| &text[at..]);
    is_query(quoted)
}

/// Takes the risk of a string, of an operator between strings, or of a macro.
pub(super) fn node(place: &Place<'_, '_>, facts: &mut Facts) {
    let (source, node) = (place.source, place.node);
    if place.acts & STRING != 0 {
        // A tag such as sql`…` gets the pieces apart from the values.
        let is_tagged = place.parent().is_some_and(|parent| {
            source.kinds.child(parent.node, Field::Arguments).is_some_and(|arguments| arguments.id() == node.id())
        });
        if starts_query(source, node) && !is_tagged && source.has_insert(node) {
            push(facts, "interpolation", node);
        }
    } else if place.acts & JOIN != 0 {
        joined(source, node, facts);
    } else if place.acts & MACRO != 0 {
        filled(source, node, facts);
    }
}

/// `"SELECT …" + x`, reported at the first piece that is computed.
fn joined(source: Source<'_>, node: Node<'_>, facts: &mut Facts) {
    let sides = |node| Some((source.kinds.child(node, Field::Left)?, source.kinds.child(node, Field::Right)?));
    let Some((mut left, right)) = sides(node) else { return };
    let what @ ("+" | "." | "%") = operator(source, node) else { return };
    if source.literal(right).is_some() {
        return;
    }
    for _ in 0..MOST_PIECES {
        if !source.kinds.is(left, JOIN) {
            break;
        }
        let Some((inner, piece)) = sides(left) else { return };
        if source.literal(piece).is_none() {
            return;
        }
        left = inner;
    }
    // Rust adds to what owns its text: `"…".to_owned() + x`.
    if source.kinds.is(left, CALL) && source.kinds.family == Family::Rust {
        left = source.call(left).and_then(|call| call.on).unwrap_or(left);
    }
    if starts_query(source, left) && (source.literal(left).is_some() || left.kind() == "concatenated_string") {
        push(facts, what, node);
    }
}

fn operator<'a>(source: Source<'a>, node: Node<'_>) -> &'a str {
    source.kinds.child(node, Field::Operator).map_or("", |operator| source.of(operator))
}

/// `format!("SELECT … {}", x)`.
fn filled(source: Source<'_>, node: Node<'_>, facts: &mut Facts) {
    let name = node.named_child(0).map_or("", |name| source.last_name(name));
    if name != "format" {
        return;
    }
    let Some(tokens) = node.named_child(1) else { return };
    let Some(template) = tokens.named_child(0).and_then(|first| source.literal(first)) else { return };
    if is_query(template) && template.replace("{{", "").contains('{') {
        push(facts, "format!", node);
    }
}

/// Takes the risk of a call that fills in a template.
pub(super) fn call(source: Source<'_>, call: &Call<'_, '_>, facts: &mut Facts) {
    let family = source.kinds.family;
    if family == Family::Python && call.name == "format" {
        if call.on.is_some_and(|on| starts_query(source, on)) {
            push(facts, "format", call.node);
        }
        return;
    }
    if !FORMATS.contains(&(family, call.name)) {
        return;
    }
    let arguments = source.arguments(call.arguments);
    let template = arguments.iter().take(3).position(|argument| source.literal(*argument).is_some_and(is_query));
    if template.is_some_and(|at| at + 1 < arguments.len()) {
        push(facts, call_name(family, call), call.at());
    }
}

/// The name in the table, so that nothing of the text is repeated.
fn call_name(family: Family, call: &Call<'_, '_>) -> &'static str {
    FORMATS.iter().find(|row| row.0 == family && row.1 == call.name).map_or("", |row| row.1)
}

#[cfg(test)]
mod tests {
    use super::is_query;

    #[test]
    fn queries_are_told_from_sentences() {
        for query in [
            "SELECT a FROM b", "select a from b", "SELECT ", "INSERT INTO a", "DELETE FROM a", "UPDATE a SET b",
            "UPDATE ",
        ] {
            assert!(is_query(query), "{query}");
        }
        for sentence in
            ["Select a file: ", "Update available: ", "UPDATE available", "Delete ", "selected", "Insert a coin", ""]
        {
            assert!(!is_query(sentence), "{sentence}");
        }
    }
}
