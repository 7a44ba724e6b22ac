//! The part of XML that manifests are written in.
//!
//! Entities are never expanded, so there is nothing to bomb with: a document type declaration is passed over whole, the five
//! entities that XML itself has and character references are decoded, and any other stays as it is written. Nothing is ever
//! fetched. What is broken ends the reading; all that came before counts. That is why the events of a parser are taken and
//! not a tree: those are made of whole documents only.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

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
pub(crate) struct Document {
    elements: Vec<Element>,
    /// Whether it was read to its end and every element is closed.
    pub(crate) complete: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'d> {
    document: &'d Document,
    at: usize,
}

impl<'d> Node<'d> {
    fn element(self) -> Option<&'d Element> {
        self.document.elements.get(self.at)
    }

    pub(crate) fn name(self) -> &'d str {
        self.element().map_or("", |element| &element.name)
    }

    pub(crate) fn all(self) -> impl Iterator<Item = Node<'d>> {
        let children = self.element().map_or(&[][..], |element| &element.children);
        children.iter().map(move |&at| Node { document: self.document, at })
    }

    pub(crate) fn children(self, name: &str) -> impl Iterator<Item = Node<'d>> {
        self.all().filter(move |child| child.name() == name)
    }

    /// The first element along a path of names.
    pub(crate) fn find(self, path: &[&str]) -> Option<Node<'d>> {
        let mut node = self;
        for name in path {
            node = node.children(name).next()?;
        }
        Some(node)
    }

    /// All elements along a path of names.
    pub(crate) fn find_all(self, path: &[&str]) -> Vec<Node<'d>> {
        let mut nodes = vec![self];
        for name in path {
            nodes = nodes.into_iter().flat_map(|node| node.children(name)).collect();
        }
        nodes
    }

    /// What stands in the element itself, without spaces around it; `None` if that is nothing.
    pub(crate) fn text(self) -> Option<&'d str> {
        self.element().map(|element| element.text.trim()).filter(|text| !text.is_empty())
    }

    /// The text of the first child of a name.
    pub(crate) fn child_text(self, name: &str) -> Option<&'d str> {
        self.children(name).next()?.text()
    }

    pub(crate) fn attribute(self, name: &str) -> Option<&'d str> {
        let attributes = &self.element()?.attributes;
        attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl Document {
    /// The first element of the document that has this name, if it is the outermost.
    pub(crate) fn root(&self, name: &str) -> Option<Node<'_>> {
        Node { document: self, at: 0 }.children(name).next()
    }

    pub(crate) fn read(text: &str) -> Document {
        let mut document = Document { elements: vec![Element::default()], complete: false };
        let mut open = vec![0];
        // Elements that are too deep or too many.
        let mut skipped = 0_usize;
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Eof => {
                    document.complete = open.len() == 1 && document.elements.len() > 1;
                    break;
                }
                Event::Start(_) if skipped > 0 || open.len() > MAX_DEPTH || document.elements.len() > MAX_ELEMENTS => {
                    skipped += 1;
                }
                Event::Start(tag) => open.push(document.add(&open, &tag)),
                Event::End(_) if skipped > 0 => skipped -= 1,
                Event::End(_) if open.len() > 1 => drop(open.pop()),
                _ if skipped > 0 => {}
                Event::Text(text) => document.add_text(&open, &text),
                Event::CData(text) => document.add_text(&open, &text),
                Event::GeneralRef(name) => document.add_text(&open, &decoded(&name)),
                _ => {}
            }
        }
        document
    }

    fn add(&mut self, open: &[usize], tag: &BytesStart<'_>) -> usize {
        let attribute = |attribute: Attribute<'_>| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_else(|_| attribute.value.clone());
            (attribute.key.local_name().as_ref().to_owned(), value.into_owned())
        };
        let attributes = tag.attributes().with_checks(false).flatten().map(attribute).collect();
        let at = self.elements.len();
        let name = tag.local_name().as_ref().to_owned();
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

fn decoded(reference: &BytesRef<'_>) -> String {
    match (reference.resolve_char_ref(), resolve_xml_entity(reference)) {
        (Ok(Some(c)), _) => c.to_string(),
        (_, Some(text)) => text.to_owned(),
        _ => format!("&{};", &**reference),
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
