//! OpenDocument texts.

use std::collections::HashMap;

use super::blocks::{Blocks, is_code_style, link};
use super::xml::{Child, Tag, Xml};
use super::{malformed, open, optional, part};
use crate::{ConvertError, Limits, emit};

const FORMAT: &str = "odt";
/// An empty cell that says it stands a million times is one.
const MAX_REPEATED: usize = 64;

pub(crate) fn odt(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut archive = open(bytes, FORMAT, limits)?;
    if let Some(manifest) = optional(&mut archive, "META-INF/manifest.xml")?
        && manifest.contains("encryption-data")
    {
        return Err(ConvertError::Encrypted);
    }
    let content = part(&mut archive, "content.xml", FORMAT)?;
    let mut styles = Styles::default();
    if let Some(text) = optional(&mut archive, "styles.xml")? {
        styles.read(&mut Xml::new(&text, FORMAT, limits))?;
    }
    styles.read(&mut Xml::new(&content, FORMAT, limits))?;
    let mut reader = Reader { styles, notes: Vec::new(), max_text: limits.max_text, written: 0 };
    let mut out = Blocks::new();
    let mut found = false;
    Xml::new(&content, FORMAT, limits).find("body", &mut |xml, _| {
        found = true;
        reader.blocks(xml, &mut out, &List::default())
    })?;
    if !found {
        return Err(malformed(FORMAT, "content.xml has no body"));
    }
    for (id, text) in std::mem::take(&mut reader.notes) {
        out.note(&id, &text);
    }
    emit::finish(out.finish(), limits)
}

#[derive(Default)]
struct Styles {
    /// The style a style is based on, and the name a person sees.
    styles: HashMap<String, (Option<String>, String)>,
    /// For each level of a list's style, whether it counts.
    lists: HashMap<String, Vec<bool>>,
}

impl Styles {
    fn read(&mut self, xml: &mut Xml) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "style" => {
                let name = tag.attribute("name").unwrap_or_default();
                let shown = tag.attribute("display-name").unwrap_or_else(|| name.clone());
                self.styles.insert(name, (tag.attribute("parent-style-name"), shown));
                Ok(())
            }
            "list-style" => {
                let mut levels = Vec::new();
                xml.elements(|_, tag| {
                    if tag.name().starts_with("list-level-style") && levels.len() < 10 {
                        let shown = tag.attribute("num-format").is_none_or(|format| !format.is_empty());
                        levels.push(tag.name() == "list-level-style-number" && shown);
                    }
                    Ok(())
                })?;
                self.lists.insert(tag.attribute("name").unwrap_or_default(), levels);
                Ok(())
            }
            "body" => Ok(()),
            _ => self.read(xml),
        })
    }

    fn names<'s>(&'s self, style: &'s str) -> impl Iterator<Item = &'s str> {
        let mut next = Some(style);
        std::iter::from_fn(move || {
            let (parent, shown) = self.styles.get(next?)?;
            next = parent.as_deref();
            Some(shown.as_str())
        })
        .take(16)
    }

    fn is_code(&self, style: &str) -> bool {
        self.names(style).any(is_code_style)
    }

    fn heading(&self, style: &str) -> Option<usize> {
        self.names(style).find_map(|name| match name {
            "Title" => Some(0),
            "Subtitle" => Some(1),
            _ => None,
        })
    }
}

/// The list that a paragraph stands in.
#[derive(Default, Clone)]
struct List {
    depth: usize,
    style: Option<String>,
    mark: Option<String>,
}

struct Reader {
    styles: Styles,
    notes: Vec<(String, String)>,
    max_text: usize,
    written: usize,
}

impl Reader {
    fn blocks(&mut self, xml: &mut Xml, out: &mut Blocks, list: &List) -> Result<(), ConvertError> {
        let mut list = list.clone();
        xml.elements(|xml, tag| {
            if self.written > self.max_text {
                return Ok(());
            }
            match tag.name() {
                "p" | "h" => {
                    self.paragraph(xml, tag, out, &list)?;
                    // Only the first paragraph of an item has its mark.
                    list.mark = None;
                    Ok(())
                }
                "list" => self.list(xml, tag, out, &list),
                "table" => self.table(xml, out),
                // Deletions, tables of contents, what belongs to forms and settings.
                "tracked-changes" | "table-of-content" | "annotation" | "forms" | "sequence-decls"
                | "variable-decls" => Ok(()),
                _ => self.blocks(xml, out, &list),
            }
        })
    }

    fn list(&mut self, xml: &mut Xml, tag: &Tag, out: &mut Blocks, around: &List) -> Result<(), ConvertError> {
        let style = tag.attribute("style-name").or_else(|| around.style.clone());
        let depth = around.depth + 1;
        let levels = style.as_deref().and_then(|style| self.styles.lists.get(style));
        let is_ordered = levels.and_then(|levels| levels.get(depth - 1)).copied().unwrap_or(false);
        let mut number = 0;
        xml.elements(|xml, tag| {
            number += usize::from(tag.name() == "list-item");
            let mark = match tag.name() {
                "list-item" if is_ordered => Some(format!("{number}.")),
                "list-item" => Some("-".to_owned()),
                _ => None,
            };
            self.blocks(xml, out, &List { depth, style: style.clone(), mark })
        })
    }

    fn paragraph(&mut self, xml: &mut Xml, tag: &Tag, out: &mut Blocks, list: &List) -> Result<(), ConvertError> {
        let style = tag.attribute("style-name").unwrap_or_default();
        let mut text = String::new();
        let mut boxes = Vec::new();
        self.inline(xml, &mut text, &mut boxes)?;
        self.written += text.len();
        let level =
            if tag.name() == "h" { tag.number("outline-level").or(Some(1)) } else { self.styles.heading(&style) };
        match (level, &list.mark) {
            (Some(level), _) => out.heading(level, &text),
            (None, _) if self.styles.is_code(&style) => text.split('\n').for_each(|line| out.code(line)),
            (None, Some(mark)) => out.item(list.depth.saturating_sub(1), mark, &text),
            (None, None) => out.paragraph(&text),
        }
        boxes.into_iter().for_each(|blocks| out.append(blocks));
        Ok(())
    }

    fn inline(&mut self, xml: &mut Xml, text: &mut String, boxes: &mut Vec<Blocks>) -> Result<(), ConvertError> {
        xml.each(|xml, child| match child {
            Child::Text(part) => {
                push_collapsed(text, part);
                Ok(())
            }
            Child::Element(tag) => self.inline_element(xml, tag, text, boxes),
        })
    }

    fn inline_element(
        &mut self,
        xml: &mut Xml,
        tag: &Tag,
        text: &mut String,
        boxes: &mut Vec<Blocks>,
    ) -> Result<(), ConvertError> {
        match tag.name() {
            "s" => text.extend(std::iter::repeat_n(' ', tag.number("c").unwrap_or(1).min(200))),
            "tab" => text.push('\t'),
            "line-break" => text.push('\n'),
            "a" => {
                let target = tag.attribute("href").unwrap_or_default();
                let mut shown = String::new();
                self.inline(xml, &mut shown, boxes)?;
                text.push_str(&link(&shown, &target));
            }
            "note" => self.note(xml, text)?,
            // A frame with text in it, or a shape that has a label.
            "text-box" | "custom-shape" | "rect" | "ellipse" | "circle" | "polygon" | "path" => {
                let mut blocks = Blocks::new();
                self.blocks(xml, &mut blocks, &List::default())?;
                boxes.push(blocks);
            }
            "annotation" | "annotation-end" | "tracked-changes" | "ruby-text" | "desc" | "title" => {}
            _ => self.inline(xml, text, boxes)?,
        }
        Ok(())
    }

    fn note(&mut self, xml: &mut Xml, text: &mut String) -> Result<(), ConvertError> {
        let id = (self.notes.len() + 1).to_string();
        text.push_str(&format!("[^{id}]"));
        // Its place is taken before it is read, as a note may stand in a note.
        let at = self.notes.len();
        self.notes.push((id, String::new()));
        xml.elements(|xml, tag| {
            if tag.name() == "note-body" {
                let mut body = Blocks::new();
                self.blocks(xml, &mut body, &List::default())?;
                self.notes[at].1 = body.finish();
            }
            Ok(())
        })
    }

    fn table(&mut self, xml: &mut Xml, out: &mut Blocks) -> Result<(), ConvertError> {
        let mut rows = Vec::new();
        self.rows(xml, &mut rows)?;
        if rows.len() == 1 && rows[0].len() == 1 {
            rows.into_iter().flatten().for_each(|cell| out.append(cell));
            return Ok(());
        }
        out.table(rows.into_iter().map(|row| row.into_iter().map(Blocks::finish).collect()).collect());
        Ok(())
    }

    fn rows(&mut self, xml: &mut Xml, rows: &mut Vec<Vec<Blocks>>) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| {
            if tag.name() != "table-row" {
                return self.rows(xml, rows);
            }
            let mut row = Vec::new();
            xml.elements(|xml, tag| {
                if matches!(tag.name(), "table-cell" | "covered-table-cell") {
                    let mut cell = Blocks::new();
                    self.blocks(xml, &mut cell, &List::default())?;
                    let repeated = tag.number("number-columns-repeated").unwrap_or(1).clamp(1, MAX_REPEATED);
                    row.push(cell);
                    row.extend((1..repeated).map(|_| Blocks::new()));
                }
                Ok(())
            })?;
            rows.push(row);
            Ok(())
        })
    }
}

/// Blanks and line ends of the file are one blank, as the standard has it.
fn push_collapsed(text: &mut String, part: &str) {
    for c in part.chars() {
        let blank = matches!(c, ' ' | '\n' | '\r' | '\t');
        if !blank {
            text.push(c);
        } else if !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}
