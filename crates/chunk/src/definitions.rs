//! GraphQL and protobuf: a section for each type, operation, message, service and call.
//!
//! Both languages define things in braces, with what is said about them before them, so that one pass over the lines finds
//! all: no grammar is needed.

use crate::ChunkKind;
use crate::lines::{Line, lines_from};
use ai_assist_syntax::structure::{Section, Structure, Style};

/// How deep braces are counted; beyond it nothing is defined.
const DEEPEST: usize = 60;

/// What a line defines: the kind, the name, and whether its members are worth a section of their own.
struct Definition<'a> {
    kind: ChunkKind,
    name: &'a str,
}

/// How a language writes its definitions and its remarks.
struct Notation {
    define: for<'a> fn(&'a str, depth: usize, within: Option<&str>) -> Option<Definition<'a>>,
    /// What starts a remark that runs to the end of its line.
    remark: &'static str,
    /// What starts and ends a text or a remark over lines.
    long: (&'static str, &'static str),
}

pub(crate) fn graphql(text: &str) -> Structure {
    scan(text, &Notation { define: define_graphql, remark: "#", long: ("\"\"\"", "\"\"\"") })
}

pub(crate) fn protobuf(text: &str) -> Structure {
    scan(text, &Notation { define: define_protobuf, remark: "//", long: ("/*", "*/") })
}

fn define_graphql<'a>(line: &'a str, depth: usize, within: Option<&str>) -> Option<Definition<'a>> {
    let (word, rest) = split_word(line);
    if depth == 1 {
        // The fields of the root types are the operations of an API.
        let is_operation =
            matches!(within, Some("Query" | "Mutation" | "Subscription")) && rest.starts_with(['(', ':']);
        return is_operation.then_some(Definition { kind: ChunkKind::Method, name: word });
    }
    let (word, rest) = if word == "extend" { split_word(rest.trim_start()) } else { (word, rest) };
    let kind = match word {
        "type" | "input" => ChunkKind::Struct,
        "interface" => ChunkKind::Interface,
        "enum" => ChunkKind::Enum,
        "union" | "scalar" => ChunkKind::Type,
        "directive" => ChunkKind::Macro,
        "schema" => return Some(Definition { kind: ChunkKind::Module, name: word }),
        "query" | "mutation" | "subscription" | "fragment" => ChunkKind::Function,
        _ => return None,
    };
    let (name, _) = split_word(rest.trim_start().trim_start_matches('@'));
    (depth == 0 && !name.is_empty()).then_some(Definition { kind, name })
}

fn define_protobuf<'a>(line: &'a str, _depth: usize, _within: Option<&str>) -> Option<Definition<'a>> {
    let (word, rest) = split_word(line);
    let kind = match word {
        "message" => ChunkKind::Struct,
        "enum" => ChunkKind::Enum,
        "service" => ChunkKind::Interface,
        "rpc" => ChunkKind::Method,
        "extend" => ChunkKind::Impl,
        _ => return None,
    };
    let rest = rest.trim_start().trim_start_matches('.');
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    // A field may have a type that is called as these words are.
    let opens = after.trim_start().starts_with(if word == "rpc" { '(' } else { '{' }) || after.trim().is_empty();
    (opens && !name.is_empty()).then_some(Definition { kind, name })
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len()))
}

struct Scanner<'n> {
    notation: &'n Notation,
    found: Structure,
    depth: usize,
    /// How many parentheses are open: what stands in them are arguments, over as many lines as they take.
    arguments: usize,
    /// What ends the text or remark over lines that a line lies in.
    within: Option<&'static str>,
    /// Where the remarks before the next line start.
    remarks: Option<usize>,
    /// The sections whose braces are open, each with the depth it was defined in.
    open: Vec<(usize, usize)>,
    /// A definition ended: what follows in the braces around it is theirs again.
    after_inner: bool,
}

fn scan(text: &str, notation: &Notation) -> Structure {
    let found = Structure::new(Style::Code, ChunkKind::Code);
    let mut scanner = Scanner {
        notation,
        found,
        depth: 0,
        arguments: 0,
        within: None,
        remarks: None,
        open: Vec::new(),
        after_inner: false,
    };
    for line in lines_from(text, 0) {
        scanner.line(line);
    }
    scanner.found
}

impl Scanner<'_> {
    fn line(&mut self, line: Line<'_>) {
        let content = line.text.trim();
        if self.within.is_some() {
            self.braces(line, content);
            return;
        }
        if content.is_empty() {
            self.remarks = None;
            return;
        }
        let is_remark = content.starts_with(self.notation.remark)
            || content.starts_with(self.notation.long.0)
            || (content.starts_with('"') && content.ends_with('"'));
        if is_remark {
            self.remarks = self.remarks.or(Some(line.start));
            self.braces(line, content);
            return;
        }
        let start = self.remarks.take().unwrap_or(line.start);
        let within = self.open.last().and_then(|&(section, _)| self.found.sections[section].name.as_deref());
        let may_define = self.depth < DEEPEST && self.arguments == 0;
        if let Some(definition) = (self.notation.define)(content, self.depth, within).filter(|_| may_define) {
            self.define(line, start, content, &definition);
        } else if self.after_inner && self.depth > 0 && !content.starts_with('}') {
            // The rest of what stands around an inner definition.
            let level = self.depth + 1;
            self.found.sections.push(Section { level, ..Section::unnamed(start, ChunkKind::Code) });
            self.after_inner = false;
        } else if !content.starts_with(['}', ')', ']']) {
            self.found.cut(start, u8::try_from(self.depth.min(DEEPEST)).unwrap_or(u8::MAX));
        }
        self.braces(line, content);
    }

    fn define(&mut self, line: Line<'_>, start: usize, content: &str, definition: &Definition<'_>) {
        let level = self.depth + 1;
        let named = Section::named(start, start, level, definition.name, definition.kind);
        let signature = content.split('{').next().unwrap_or(content).trim();
        let signature = Some(ai_assist_text::head(signature, 200).to_owned());
        // Each is found and shown by itself, however small.
        let section = Section { at: line.start, alone: self.depth == 0, signature, ..named };
        self.found.sections.push(section);
        self.open.push((self.found.sections.len() - 1, self.depth));
        self.after_inner = false;
    }

    /// Follows the braces of a line, and closes the definitions that end in it.
    fn braces(&mut self, line: Line<'_>, content: &str) {
        let (open, close) = self.notation.long;
        let mut opened = false;
        let in_arguments = self.arguments > 0;
        let mut rest = content;
        while !rest.is_empty() {
            if let Some(end) = self.within {
                let Some(at) = rest.find(end) else { return };
                self.within = None;
                rest = &rest[at + end.len()..];
                continue;
            }
            if rest.starts_with(self.notation.remark) {
                break;
            }
            if let Some(after) = rest.strip_prefix(open) {
                self.within = Some(close);
                rest = after;
                continue;
            }
            let mut taken = rest.chars().next().map_or(1, char::len_utf8);
            match rest.as_bytes()[0] {
                b'"' | b'\'' => taken = string_length(rest),
                b'(' => self.arguments += 1,
                b')' => self.arguments = self.arguments.saturating_sub(1),
                // A value of several fields, not a definition.
                b'{' | b'}' if self.arguments > 0 => {}
                b'{' => {
                    self.depth += 1;
                    opened = true;
                }
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.close(line.end);
                }
                _ => {}
            }
            rest = &rest[taken..];
        }
        // A definition without braces ends with its line, or with that of its last argument; one whose brace comes on a later line is
        // still open.
        let last = self.open.last().copied();
        if let Some((section, depth)) = last
            && !opened
            && depth == self.depth
            && self.arguments == 0
            && (in_arguments || self.found.sections[section].at == line.start)
            && (content.ends_with(';') || self.notation.remark == "#" && depth == 1)
        {
            self.close(line.end);
        }
    }

    fn close(&mut self, end: usize) {
        while let Some(&(section, depth)) = self.open.last()
            && depth >= self.depth
        {
            self.found.sections[section].end = Some(end);
            self.after_inner = depth > 0;
            self.open.pop();
        }
    }
}

/// The length of a string on one line, its quotes included.
fn string_length(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_over_lines_are_no_operations() {
        let text = "type Query {\n  users(\n    first: Int = 10\n    filter: Filter = {name: \"(\"}\n  ): [User!]!\n  me: User\n}\n\
                    type Other {\n  a: Int\n}\n";
        let found = graphql(text);
        let named: Vec<(&str, &str)> = found
            .sections
            .iter()
            .filter_map(|section| Some((section.name.as_deref()?, &text[section.start..section.end?])))
            .collect();
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["Query", "users", "me", "Other"]);
        assert!(named[1].1.ends_with("): [User!]!\n"), "{:?}", named[1]);
    }
}
