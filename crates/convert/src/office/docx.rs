//! Word documents.

use std::collections::HashMap;

use super::blocks::{Blocks, link};
use super::docx_styles::{Numbering, ParagraphProperties, Styles, paragraph_properties};
use super::xml::{Child, Tag, Xml};
use super::{Relation, main_part, open, optional, part, relations};
use crate::{ConvertError, Limits, emit};

const FORMAT: &str = "docx";

pub(crate) fn docx(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut archive = open(bytes, FORMAT, limits)?;
    let main = main_part(&mut archive, "word/document.xml", FORMAT, limits)?;
    let text = part(&mut archive, &main, FORMAT)?;
    let links = relations(&mut archive, &main, FORMAT, limits)?;
    let mut named = |kind: &str| {
        let relation = links.values().find(|relation| relation.kind == kind);
        relation.map_or(Ok(None), |relation| optional(&mut archive, &relation.target))
    };
    let styles = named("styles")?.map(|text| Styles::parse(&text, limits)).transpose()?.unwrap_or_default();
    let numbering = named("numbering")?.map(|text| Numbering::parse(&text, limits)).transpose()?.unwrap_or_default();
    let (footnotes, endnotes) = (named("footnotes")?, named("endnotes")?);
    let mut reader = Reader { styles, numbering, links, notes: Vec::new(), max_text: limits.max_text, written: 0 };
    let mut out = Blocks::new();
    reader.blocks(&mut Xml::new(&text, FORMAT, limits), &mut out)?;
    drop(text);
    for (kind, text) in [("footnote", footnotes), ("endnote", endnotes)] {
        let Some(text) = text else { continue };
        reader.write_notes(&mut Xml::new(&text, FORMAT, limits), kind, &mut out)?;
    }
    emit::finish(out.finish(), limits)
}

struct Reader {
    styles: Styles,
    numbering: Numbering,
    links: HashMap<String, Relation>,
    /// Kind and id of the notes that were referred to.
    notes: Vec<(&'static str, String)>,
    max_text: usize,
    written: usize,
}

/// The text of a paragraph while it is read.
#[derive(Default)]
struct Inline {
    text: String,
    properties: ParagraphProperties,
    /// Text boxes that hang on the paragraph.
    boxes: Vec<Blocks>,
    /// Fields that are open: what they do, and where their result begins.
    fields: Vec<(String, Option<usize>)>,
}

impl Inline {
    /// Whether what is read now is a field's instruction, which nobody sees.
    fn is_instruction(&self) -> bool {
        self.fields.last().is_some_and(|(_, result)| result.is_none())
    }

    fn push(&mut self, text: &str) {
        if !self.is_instruction() {
            self.text.push_str(text);
        }
    }

    /// Makes a link of all since a byte. The mark of code before it may have been taken back meanwhile.
    fn link_from(&mut self, start: usize, target: &str) {
        if self.text.is_char_boundary(start) {
            let shown = self.text.split_off(start);
            self.text.push_str(&link(&shown, target));
        }
    }

    fn field(&mut self, kind: Option<&str>) {
        match kind {
            Some("begin") if self.fields.len() < 16 => self.fields.push((String::new(), None)),
            Some("separate") => {
                let start = self.text.len();
                if let Some((_, result)) = self.fields.last_mut() {
                    *result = Some(start);
                }
            }
            Some("end") => {
                let Some((instruction, Some(start))) = self.fields.pop() else { return };
                if let Some(target) = link_of_field(&instruction) {
                    self.link_from(start, target);
                }
            }
            _ => {}
        }
    }
}

/// The target of `HYPERLINK "https://…"`.
fn link_of_field(instruction: &str) -> Option<&str> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}

impl Reader {
    /// Reads paragraphs and tables, and whatever is only around them.
    fn blocks(&mut self, xml: &mut Xml, out: &mut Blocks) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| {
            if self.written > self.max_text {
                return Ok(());
            }
            match tag.name() {
                "p" => self.paragraph(xml, out),
                "tbl" => self.table(xml, out),
                "del" | "moveFrom" | "sectPr" | "tblPr" | "Fallback" | "sdtPr" | "sdtEndPr" => Ok(()),
                _ => self.blocks(xml, out),
            }
        })
    }

    fn paragraph(&mut self, xml: &mut Xml, out: &mut Blocks) -> Result<(), ConvertError> {
        let mut inline = Inline::default();
        self.inline(xml, &mut inline)?;
        self.written += inline.text.len();
        self.write_paragraph(&inline, out);
        inline.boxes.into_iter().for_each(|blocks| out.append(blocks));
        Ok(())
    }

    fn write_paragraph(&mut self, inline: &Inline, out: &mut Blocks) {
        let Inline { text, properties, .. } = inline;
        let style = properties.style.as_deref().unwrap_or_default();
        if self.styles.is_contents(style) {
            return;
        }
        if self.styles.is_code(style) {
            text.split('\n').for_each(|line| out.code(line));
            return;
        }
        let text = text.trim();
        let own_level = properties.outline.filter(|level| *level < 9).map(|level| level + 1);
        if let Some(level) = own_level.or_else(|| self.styles.heading(style)).filter(|_| !text.is_empty()) {
            out.heading(level, text);
            return;
        }
        let inherited = self.styles.numbering(style);
        let num = properties.num.clone().or_else(|| inherited.as_ref().map(|(num, _)| num.clone()));
        let level = properties.level.or(inherited.map(|(_, level)| level)).unwrap_or(0);
        let mark = num.filter(|_| !text.is_empty()).and_then(|num| self.numbering.mark(&num, level));
        let by_name = || self.styles.list_by_name(style).map(|ordered| if ordered { "1." } else { "-" }.to_owned());
        match mark.or_else(by_name) {
            Some(mark) => out.item(level, &mark, text),
            None if self.styles.is_quote(style) && !text.is_empty() => {
                out.paragraph(&format!("> {}", text.replace('\n', "\n> ")));
            }
            None => out.paragraph(text),
        }
    }

    fn inline(&mut self, xml: &mut Xml, inline: &mut Inline) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| self.inline_element(xml, tag, inline))
    }

    fn inline_element(&mut self, xml: &mut Xml, tag: &Tag, inline: &mut Inline) -> Result<(), ConvertError> {
        match tag.name() {
            "pPr" => inline.properties = paragraph_properties(xml)?,
            "r" => self.run(xml, inline)?,
            // Deleted, moved away, or said a second time for old readers.
            "del" | "moveFrom" | "delText" | "Fallback" | "rPr" | "sdtPr" | "annotation" => {}
            "hyperlink" => {
                let start = inline.text.len();
                let target = tag.attribute("id").and_then(|id| self.links.get(&id)).map(|link| link.target.clone());
                self.inline(xml, inline)?;
                if let Some(target) = target {
                    inline.link_from(start, &target);
                }
            }
            "fldSimple" => {
                let target = tag.attribute("instr").unwrap_or_default();
                let start = inline.text.len();
                self.inline(xml, inline)?;
                if let Some(target) = link_of_field(&target) {
                    inline.link_from(start, target);
                }
            }
            "t" | "instrText" => {
                let text = xml.text()?;
                match inline.fields.last_mut() {
                    Some((instruction, None)) if instruction.len() < 4096 => instruction.push_str(&text),
                    _ => inline.push(&text),
                }
            }
            "tab" | "ptab" => inline.push("\t"),
            "br" | "cr" => inline.push("\n"),
            "noBreakHyphen" => inline.push("-"),
            "fldChar" => inline.field(tag.attribute("fldCharType").as_deref()),
            "footnoteReference" => self.refer("footnote", tag, inline),
            "endnoteReference" => self.refer("endnote", tag, inline),
            "txbxContent" => {
                let mut blocks = Blocks::new();
                self.blocks(xml, &mut blocks)?;
                inline.boxes.push(blocks);
            }
            _ => self.inline(xml, inline)?,
        }
        Ok(())
    }

    /// A run of text of one look.
    fn run(&mut self, xml: &mut Xml, inline: &mut Inline) -> Result<(), ConvertError> {
        let start = inline.text.len();
        let (mut hidden, mut code) = (false, false);
        xml.elements(|xml, tag| {
            if tag.name() == "rPr" {
                return xml.elements(|_, tag| {
                    match tag.name() {
                        "vanish" => hidden = tag.is_on(),
                        "rStyle" => {
                            let style = tag.attribute("val").unwrap_or_default();
                            code = self.styles.is_code(&style);
                            hidden |= self.styles.is_hidden(&style);
                        }
                        _ => {}
                    }
                    Ok(())
                });
            }
            self.inline_element(xml, tag, inline)
        })?;
        if !inline.text.is_char_boundary(start) {
            return Ok(());
        }
        if hidden {
            inline.text.truncate(start);
        } else if code && !inline.text[start..].trim().is_empty() && !inline.text[start..].contains(['`', '\n']) {
            let text = inline.text.split_off(start);
            // Two runs of code that touch are one.
            if inline.text.ends_with('`') {
                inline.text.truncate(start - 1);
            } else {
                inline.text.push('`');
            }
            inline.text.push_str(&text);
            inline.text.push('`');
        }
        Ok(())
    }

    fn refer(&mut self, kind: &'static str, tag: &Tag, inline: &mut Inline) {
        let Some(id) = tag.attribute("id") else { return };
        inline.push(&format!("[^{}]", note_label(kind, &id)));
        self.notes.push((kind, id));
    }

    fn write_notes(&mut self, xml: &mut Xml, kind: &'static str, out: &mut Blocks) -> Result<(), ConvertError> {
        xml.find(kind, &mut |xml, tag| {
            let id = tag.attribute("id").unwrap_or_default();
            if self.notes.iter().any(|(noted, of)| *noted == kind && *of == id) {
                let mut note = Blocks::new();
                self.blocks(xml, &mut note)?;
                out.note(&note_label(kind, &id), &note.finish());
            }
            Ok(())
        })
    }

    fn table(&mut self, xml: &mut Xml, out: &mut Blocks) -> Result<(), ConvertError> {
        let mut rows: Vec<Vec<Blocks>> = Vec::new();
        self.rows(xml, &mut rows)?;
        // A frame around a passage is often made with a table of one cell.
        if rows.len() == 1 && rows[0].len() == 1 {
            rows.into_iter().flatten().for_each(|cell| out.append(cell));
            return Ok(());
        }
        out.table(rows.into_iter().map(|row| row.into_iter().map(Blocks::finish).collect()).collect());
        Ok(())
    }

    fn rows(&mut self, xml: &mut Xml, rows: &mut Vec<Vec<Blocks>>) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "tr" => {
                let mut cells = Vec::new();
                let mut deleted = false;
                self.cells(xml, &mut cells, &mut deleted)?;
                if !deleted {
                    rows.push(cells);
                }
                Ok(())
            }
            "tblPr" | "tblGrid" | "del" | "Fallback" => Ok(()),
            _ => self.rows(xml, rows),
        })
    }

    fn cells(&mut self, xml: &mut Xml, cells: &mut Vec<Blocks>, deleted: &mut bool) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "tc" => {
                let mut cell = Blocks::new();
                let mut span = 1;
                xml.each(|xml, child| match child {
                    Child::Element(tag) if tag.name() == "tcPr" => xml.find("gridSpan", &mut |_, tag| {
                        span = tag.number("val").unwrap_or(1).clamp(1, 64);
                        Ok(())
                    }),
                    Child::Element(tag) => self.cell_child(xml, tag, &mut cell),
                    Child::Text(_) => Ok(()),
                })?;
                cells.push(cell);
                cells.extend((1..span).map(|_| Blocks::new()));
                Ok(())
            }
            "trPr" => xml.elements(|_, tag| {
                *deleted |= tag.name() == "del";
                Ok(())
            }),
            "tblPrEx" | "Fallback" => Ok(()),
            _ => self.cells(xml, cells, deleted),
        })
    }

    fn cell_child(&mut self, xml: &mut Xml, tag: &Tag, cell: &mut Blocks) -> Result<(), ConvertError> {
        match tag.name() {
            "p" => self.paragraph(xml, cell),
            "tbl" => self.table(xml, cell),
            "del" | "moveFrom" | "Fallback" | "sdtPr" => Ok(()),
            _ => self.blocks(xml, cell),
        }
    }
}

fn note_label(kind: &str, id: &str) -> String {
    if kind == "endnote" { format!("end-{id}") } else { id.to_owned() }
}
