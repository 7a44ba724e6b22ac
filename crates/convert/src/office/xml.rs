//! XML of office documents, read element by element.
//!
//! No tree is made of it: a sheet of 100 MB would become a gigabyte. Entities are never expanded, and a document type
//! declaration is refused, as the standards of these formats do.

use std::borrow::Cow;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::{ConvertError, Limits};

pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    format: &'static str,
    depth: usize,
    max_depth: usize,
}

/// What stands in an element.
pub(super) enum Child<'c, 'a> {
    Element(&'c Tag<'a>),
    Text(&'c str),
}

/// A start of an element. Names are given without their prefixes.
pub(super) struct Tag<'a>(BytesStart<'a>);

impl Tag<'_> {
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().into_inner() == name)?;
        let value = found.normalized_value(XmlVersion::Implicit1_0).unwrap_or_else(|_| found.value.clone());
        Some(value.into_owned())
    }

    /// The values of all attributes that have a name, whatever their prefix.
    pub(super) fn attributes_named(&self, name: &str) -> Vec<String> {
        let mut attributes = self.0.attributes();
        let named =
            attributes.with_checks(false).flatten().filter(|attribute| attribute.key.local_name().into_inner() == name);
        named.map(|attribute| attribute.value.into_owned()).collect()
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.parse().ok()
    }

    /// Whether a property such as `<w:vanish/>` is on.
    pub(super) fn is_on(&self) -> bool {
        !self.attribute("val").is_some_and(|value| matches!(&*value, "0" | "false" | "off" | "none"))
    }
}

/// The text of a part of a document. Nearly all are UTF-8; the standards allow UTF-16 as well.
pub(super) fn decode(bytes: Vec<u8>) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        },
    }
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str, format: &'static str, limits: &Limits) -> Xml<'a> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Xml { reader, format, depth: 0, max_depth: limits.max_depth }
    }

    fn malformed(&self, detail: impl Into<String>) -> ConvertError {
        ConvertError::Malformed { format: self.format, detail: detail.into() }
    }

    fn event(&mut self) -> Result<Event<'a>, ConvertError> {
        let event = self.reader.read_event().map_err(|error| self.malformed(error.to_string()))?;
        match event {
            Event::Start(_) => {
                self.depth += 1;
                if self.depth > self.max_depth {
                    return Err(self.malformed(format!("its elements stand more than {} deep", self.max_depth)));
                }
            }
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::DocType(_) => return Err(self.malformed("it declares a document type")),
            _ => {}
        }
        Ok(event)
    }

    /// Calls back for all that stands directly in the open element, or at the top. What the callback leaves unread of an
    /// element is passed over.
    pub(super) fn each(
        &mut self,
        mut child: impl FnMut(&mut Self, Child<'_, 'a>) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let level = self.depth;
        loop {
            match self.event()? {
                Event::Start(tag) => {
                    child(self, Child::Element(&Tag(tag)))?;
                    self.close(level)?;
                }
                Event::End(_) => return Ok(()),
                Event::Text(text) => child(self, Child::Text(&text))?,
                Event::CData(text) => child(self, Child::Text(&text))?,
                Event::GeneralRef(name) => {
                    let text: Cow<str> = match (name.resolve_char_ref(), resolve_xml_entity(&name)) {
                        (Ok(Some(c)), _) => c.to_string().into(),
                        (_, Some(text)) => text.into(),
                        _ => format!("&{};", &*name).into(),
                    };
                    child(self, Child::Text(&text))?;
                }
                Event::Eof if level == 0 => return Ok(()),
                Event::Eof => return Err(self.malformed("it ends early")),
                _ => {}
            }
        }
    }

    /// As [`Xml::each`], of elements only.
    pub(super) fn elements(
        &mut self,
        mut element: impl FnMut(&mut Self, &Tag<'a>) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        self.each(|xml, child| match child {
            Child::Element(tag) => element(xml, tag),
            Child::Text(_) => Ok(()),
        })
    }

    /// Calls back for every element below the open one that has a name; within those it does not look further.
    pub(super) fn find(
        &mut self,
        name: &str,
        found: &mut dyn FnMut(&mut Self, &Tag<'a>) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        self.elements(|xml, tag| if tag.name() == name { found(xml, tag) } else { xml.find(name, found) })
    }

    /// All text of the open element.
    pub(super) fn text(&mut self) -> Result<String, ConvertError> {
        let mut text = String::new();
        self.text_into(&mut text)?;
        Ok(text)
    }

    fn text_into(&mut self, text: &mut String) -> Result<(), ConvertError> {
        self.each(|xml, child| match child {
            Child::Element(_) => xml.text_into(text),
            Child::Text(part) => {
                text.push_str(part);
                Ok(())
            }
        })
    }

    fn close(&mut self, level: usize) -> Result<(), ConvertError> {
        while self.depth > level {
            if let Event::Eof = self.event()? {
                return Err(self.malformed("it ends early"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, ConvertError> {
        let mut names = Vec::new();
        let limits = Limits::default();
        Xml::new(text, "test", &limits).find("t", &mut |xml, _| {
            names.push(xml.text()?);
            Ok(())
        })?;
        Ok(names)
    }

    #[test]
    fn elements_are_found_by_name_and_the_rest_is_passed_over() {
        assert_eq!(read("<a><w:t>x &amp; &#65;</w:t><b><c/><t>y<u>z</u></t></b></a>").unwrap(), ["x & A", "yz"]);
    }

    #[test]
    fn bombs_and_broken_texts_are_errors() {
        let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;\">]><a><t>&c;</t></a>";
        let deep = "<a>".repeat(100_000);
        for text in [laughs, &deep, "<a><t>x</a>", "<a><t>x", "<a b='"] {
            assert!(matches!(read(text), Err(ConvertError::Malformed { .. })), "{}", &text[..text.len().min(40)]);
        }
        assert_eq!(read("<a><t>&c;</t></a>").unwrap(), ["&c;"]);
    }
}
