//! The part of XML that manifests are written in.
//!
//! Entities are never expanded, so there is nothing to bomb with: a document type declaration is passed over whole, the five
//! entities that XML itself has and character references are decoded, and any other stays as it is written. Nothing is ever
//! fetched. What is broken ends the reading; all that came before counts.

use std::borrow::Cow;

/// Deeper elements are passed over.
const MAX_DEPTH: usize = 64;
/// Later elements are passed over.
const MAX_ELEMENTS: usize = 50_000;

/// One element. Prefixes of names are left off.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<usize>,
}

/// A document, as the list of its elements; the first is around all others.
#[derive(Debug)]
pub(super) struct Document {
    elements: Vec<Element>,
    /// Whether it was read to its end and every element is closed.
    pub(super) complete: bool,
}

/// An element of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'d> {
    document: &'d Document,
    at: usize,
}

impl<'d> Node<'d> {
    fn element(self) -> Option<&'d Element> {
        self.document.elements.get(self.at)
    }

    pub(super) fn name(self) -> &'d str {
        self.element().map_or("", |element| &element.name)
    }

    pub(super) fn all(self) -> impl Iterator<Item = Node<'d>> {
        let children = self.element().map_or(&[][..], |element| &element.children);
        children.iter().map(move |&at| Node { document: self.document, at })
    }

    pub(super) fn children(self, name: &str) -> impl Iterator<Item = Node<'d>> {
        self.all().filter(move |child| child.name() == name)
    }

    /// The first element along a path of names.
    pub(super) fn find(self, path: &[&str]) -> Option<Node<'d>> {
        let mut node = self;
        for name in path {
            node = node.children(name).next()?;
        }
        Some(node)
    }

    /// All elements along a path of names.
    pub(super) fn find_all(self, path: &[&str]) -> Vec<Node<'d>> {
        let mut nodes = vec![self];
        for name in path {
            nodes = nodes.into_iter().flat_map(|node| node.children(name)).collect();
        }
        nodes
    }

    /// What stands in the element itself, without spaces around it; `None` if that is nothing.
    pub(super) fn text(self) -> Option<&'d str> {
        self.element().map(|element| element.text.trim()).filter(|text| !text.is_empty())
    }

    /// The text of the first child of a name.
    pub(super) fn child_text(self, name: &str) -> Option<&'d str> {
        self.children(name).next()?.text()
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'d str> {
        let attributes = &self.element()?.attributes;
        attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl Document {
    /// The first element of the document that has this name, if it is the outermost.
    pub(super) fn root(&self, name: &str) -> Option<Node<'_>> {
        Node { document: self, at: 0 }.children(name).next()
    }

    pub(super) fn read(text: &str) -> Document {
        let mut document = Document { elements: vec![Element::default()], complete: false };
        let mut open = vec![0];
        // Elements that are too deep or too many.
        let mut skipped = 0_usize;
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            if skipped == 0 {
                document.add_text(&open, &decoded(&rest[..at]));
            }
            rest = &rest[at..];
            let Some((piece, after)) = piece(rest) else { return document };
            rest = after;
            match piece {
                Piece::Nothing => {}
                Piece::Text(text) if skipped == 0 => document.add_text(&open, text),
                Piece::Text(_) => {}
                Piece::Close if skipped > 0 => skipped -= 1,
                Piece::Close => {
                    if open.len() > 1 {
                        open.pop();
                    }
                }
                Piece::Open { closed, .. }
                    if skipped > 0 || open.len() > MAX_DEPTH || document.elements.len() > MAX_ELEMENTS =>
                {
                    skipped += usize::from(!closed);
                }
                Piece::Open { name, attributes, closed } => {
                    let at = document.add(&open, name, attributes);
                    if !closed {
                        open.push(at);
                    }
                }
            }
        }
        document.complete = open.len() == 1 && document.elements.len() > 1;
        document
    }

    fn add(&mut self, open: &[usize], name: String, attributes: Vec<(String, String)>) -> usize {
        let at = self.elements.len();
        self.elements.push(Element { name, attributes, ..Element::default() });
        if let Some(parent) = open.last().and_then(|&parent| self.elements.get_mut(parent)) {
            parent.children.push(at);
        }
        at
    }

    fn add_text(&mut self, open: &[usize], text: &str) {
        if let Some(element) = open.last().and_then(|&at| self.elements.get_mut(at)) {
            element.text.push_str(text);
        }
    }
}

enum Piece<'a> {
    Open { name: String, attributes: Vec<(String, String)>, closed: bool },
    Close,
    Text(&'a str),
    Nothing,
}

/// What starts with the `<` at the start, and the rest; `None` if it never ends.
fn piece(text: &str) -> Option<(Piece<'_>, &str)> {
    let up_to = |end: &str| text.find(end).map(|at| (&text[..at], &text[at + end.len()..]));
    if let Some(inside) = text.strip_prefix("<!--") {
        return inside.split_once("-->").map(|(_, rest)| (Piece::Nothing, rest));
    }
    if let Some(inside) = text.strip_prefix("<![CDATA[") {
        return inside.split_once("]]>").map(|(data, rest)| (Piece::Text(data), rest));
    }
    if text.starts_with("<?") {
        return up_to("?>").map(|(_, rest)| (Piece::Nothing, rest));
    }
    if text.starts_with("<!") {
        return declaration_end(text).map(|end| (Piece::Nothing, &text[end..]));
    }
    if text.starts_with("</") {
        return up_to(">").map(|(_, rest)| (Piece::Close, rest));
    }
    let end = tag_end(text)?;
    let inside = &text[1..end];
    let (inside, closed) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
    let name_end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let (name, attributes) = inside.split_at(name_end);
    Some((
        Piece::Open { name: local(name).to_owned(), attributes: read_attributes(attributes), closed },
        &text[end + 1..],
    ))
}

/// Where a document type declaration ends, its own declarations in brackets included.
fn declaration_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'<' | b'[') => depth += 1,
            (None, b']') => depth = depth.saturating_sub(1),
            (None, b'>') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the `>` of a tag is, if not in quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at),
            _ => {}
        }
    }
    None
}

fn read_attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, after)) = after[1..].split_once(quote) else { break };
        found.push((local(name.trim()).to_owned(), decoded(value).into_owned()));
        rest = after;
    }
    found
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A text with the entities of XML itself and character references decoded, and all others as they are.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest reference is shorter than this, so a lone `&` costs nothing.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((c, end)) => {
                plain.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_texts_are_read() {
        let text = r#"<?xml version="1.0"?><!-- <a> --><p:project xmlns:p="x" a = 'b > c'>
            <name>A &amp; B &#x41;&#66; &other;</name><empty/><t><![CDATA[<raw>]]></t><t>two</t></p:project>"#;
        let document = Document::read(text);
        assert!(document.complete);
        let root = document.root("project").unwrap();
        assert_eq!(root.attribute("a"), Some("b > c"));
        assert_eq!(root.child_text("name"), Some("A & B AB &other;"));
        assert_eq!(root.child_text("empty"), None);
        assert_eq!(root.find_all(&["t"]).into_iter().filter_map(Node::text).collect::<Vec<_>>(), ["<raw>", "two"]);
        assert_eq!(root.find(&["name"]).unwrap().name(), "name");
        assert!(document.root("name").is_none());
    }

    #[test]
    fn entities_are_not_expanded() {
        let text = r#"<!DOCTYPE p [<!ENTITY a "ha>ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
            <p><v>&b;&c;</v></p>"#;
        let document = Document::read(text);
        assert_eq!(document.root("p").unwrap().child_text("v"), Some("&b;&c;"));
    }

    #[test]
    fn what_is_broken_ends_the_reading() {
        for text in ["<a><b>x</b><c", "<a><b>x</b>", "<a><b>x</b><!-- ", "<a><b>x</b><c d='", "<a><b>x</b><!DOCTYPE ["]
        {
            let document = Document::read(text);
            assert!(!document.complete, "{text}");
            assert_eq!(document.root("a").unwrap().child_text("b"), Some("x"), "{text}");
        }
        for text in ["", "<", "</a></a>", "&", "<>", "text", "<a b=c>", "<a =''/>", "<!-->", "&#xffffffff;&#55296;<a/>"]
        {
            Document::read(text);
        }
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{}x{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let document = Document::read(&deep);
        assert!(document.elements.len() <= MAX_DEPTH + 1);
        assert!(document.complete);
        let wide = format!("<r>{}</r>", "<a/>".repeat(100_000));
        assert!(Document::read(&wide).elements.len() <= MAX_ELEMENTS + 1);
    }
}
