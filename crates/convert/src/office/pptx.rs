//! Presentations.

use super::blocks::{Blocks, link};
use super::xml::{Tag, Xml};
use super::{Relation, main_part, open, optional, part, relations};
use crate::archive::Archive;
use crate::{ConvertError, Limits, emit};
use std::collections::HashMap;

const FORMAT: &str = "pptx";

pub(crate) fn pptx(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut archive = open(bytes, FORMAT, limits)?;
    let main = main_part(&mut archive, "ppt/presentation.xml", FORMAT, limits)?;
    let presentation = part(&mut archive, &main, FORMAT)?;
    let links = relations(&mut archive, &main, FORMAT, limits)?;
    let mut slides = Vec::new();
    Xml::new(&presentation, FORMAT, limits).find("sldId", &mut |_, tag| {
        // `id` stands for two attributes here: a number, and with a prefix the relation.
        slides.extend(
            tag.attributes_named("id").into_iter().find_map(|id| links.get(&id)).map(|link| link.target.clone()),
        );
        Ok(())
    })?;
    let mut out = Blocks::new();
    for (number, slide) in slides.iter().enumerate() {
        if out.len() > limits.max_text {
            break;
        }
        out.place("slide", &(number + 1).to_string());
        read_slide(&mut archive, slide, &mut out, limits)?;
    }
    let text = out.finish();
    let has_text = text.lines().any(|line| !line.is_empty() && crate::place::of_line(line).is_none());
    if has_text { emit::finish(text, limits) } else { Err(ConvertError::NoText("its slides are pictures")) }
}

fn read_slide(archive: &mut Archive, name: &str, out: &mut Blocks, limits: &Limits) -> Result<(), ConvertError> {
    let Some(text) = optional(archive, name)? else { return Ok(()) };
    let links = relations(archive, name, FORMAT, limits)?;
    let mut slide = Slide { links: &links, shapes: Vec::new() };
    slide.read(&mut Xml::new(&text, FORMAT, limits))?;
    // The title may be drawn last, and is read first.
    slide.shapes.sort_by_key(|shape| !shape.is_title());
    for shape in slide.shapes {
        shape.write(out);
    }
    let mut others: Vec<&Relation> = links.values().collect();
    others.sort_by(|a, b| a.target.cmp(&b.target));
    for relation in others {
        match &*relation.kind {
            "diagramData" => {
                let Some(text) = optional(archive, &relation.target)? else { continue };
                Xml::new(&text, FORMAT, limits).find("pt", &mut |xml, _| {
                    let mut words = String::new();
                    xml.find("t", &mut |xml, _| {
                        words.push_str(&xml.text()?);
                        Ok(())
                    })?;
                    out.item(0, "-", &words);
                    Ok(())
                })?;
            }
            "notesSlide" => {
                let Some(text) = optional(archive, &relation.target)? else { continue };
                let mut notes = Slide { links: &links, shapes: Vec::new() };
                notes.read(&mut Xml::new(&text, FORMAT, limits))?;
                let spoken = notes.shapes.iter().filter(|shape| shape.holder.as_deref() == Some("body"));
                let lines: Vec<&str> =
                    spoken.flat_map(|shape| &shape.paragraphs).map(|line| line.text.trim()).collect();
                if lines.iter().any(|line| !line.is_empty()) {
                    out.paragraph(&format!("Notes: {}", lines.join("\n").trim()));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

struct Slide<'r> {
    links: &'r HashMap<String, Relation>,
    shapes: Vec<Shape>,
}

#[derive(Default)]
struct Shape {
    /// What it is on the slide: `title`, `body`, `sldNum`.
    holder: Option<String>,
    paragraphs: Vec<Paragraph>,
    rows: Vec<Vec<String>>,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    level: usize,
    /// A mark of the paragraph itself, or that it has none.
    mark: Option<&'static str>,
}

impl Shape {
    fn is_title(&self) -> bool {
        matches!(self.holder.as_deref(), Some("title" | "ctrTitle"))
    }

    fn write(self, out: &mut Blocks) {
        match self.holder.as_deref() {
            // Numbers, dates and footers of slides.
            Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => return,
            Some("title" | "ctrTitle") => {
                let lines: Vec<&str> = self.paragraphs.iter().map(|line| line.text.trim()).collect();
                out.heading(1, &lines.join(" "));
                return;
            }
            _ => {}
        }
        // Bodies have marks unless they say otherwise; free boxes have none unless they say so.
        let usual = if matches!(self.holder.as_deref(), Some("body" | "obj")) { "-" } else { "" };
        for Paragraph { text, level, mark } in &self.paragraphs {
            match mark.unwrap_or(if *level > 0 { "-" } else { usual }) {
                "" => out.paragraph(text),
                mark => out.item(*level, mark, text),
            }
        }
        if !self.rows.is_empty() {
            out.table(self.rows);
        }
    }
}

impl Slide<'_> {
    fn read(&mut self, xml: &mut Xml) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "sp" | "graphicFrame" | "cxnSp" => {
                let mut shape = Shape::default();
                self.shape(xml, &mut shape)?;
                self.shapes.push(shape);
                Ok(())
            }
            "Fallback" => Ok(()),
            _ => self.read(xml),
        })
    }

    fn shape(&mut self, xml: &mut Xml, shape: &mut Shape) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "ph" => {
                // A placeholder without a type is one of content.
                shape.holder = Some(tag.attribute("type").unwrap_or_else(|| "body".to_owned()));
                Ok(())
            }
            "txBody" => self.paragraphs(xml, &mut shape.paragraphs),
            "tr" => {
                let mut row = Vec::new();
                xml.elements(|xml, tag| {
                    if tag.name() == "tc" {
                        let mut lines = Vec::new();
                        self.paragraphs(xml, &mut lines)?;
                        row.push(lines.iter().map(|line| &*line.text).collect::<Vec<_>>().join("\n"));
                    }
                    Ok(())
                })?;
                shape.rows.push(row);
                Ok(())
            }
            "Fallback" => Ok(()),
            _ => self.shape(xml, shape),
        })
    }

    fn paragraphs(&mut self, xml: &mut Xml, lines: &mut Vec<Paragraph>) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| {
            if tag.name() != "p" {
                return self.paragraphs(xml, lines);
            }
            let mut line = Paragraph::default();
            self.inline(xml, &mut line)?;
            lines.push(line);
            Ok(())
        })
    }

    fn inline(&mut self, xml: &mut Xml, line: &mut Paragraph) -> Result<(), ConvertError> {
        xml.elements(|xml, tag| match tag.name() {
            "pPr" => {
                line.level = tag.number("lvl").unwrap_or(0).min(8);
                xml.elements(|_, tag| {
                    line.mark = match tag.name() {
                        "buNone" => Some(""),
                        "buChar" | "buBlip" => Some("-"),
                        "buAutoNum" => Some("1."),
                        _ => line.mark,
                    };
                    Ok(())
                })
            }
            "r" | "fld" => self.run(xml, line),
            "br" => {
                line.text.push('\n');
                Ok(())
            }
            "t" => {
                line.text.push_str(&xml.text()?);
                Ok(())
            }
            "Fallback" => Ok(()),
            _ => self.inline(xml, line),
        })
    }

    fn run(&mut self, xml: &mut Xml, line: &mut Paragraph) -> Result<(), ConvertError> {
        let mut target = None;
        let mut text = String::new();
        xml.elements(|xml, tag: &Tag| {
            match tag.name() {
                "rPr" => xml.find("hlinkClick", &mut |_, tag| {
                    let link = tag.attribute("id").and_then(|id| self.links.get(&id));
                    target = link.filter(|link| link.kind == "hyperlink").map(|link| link.target.clone());
                    Ok(())
                })?,
                "t" => text.push_str(&xml.text()?),
                _ => {}
            }
            Ok(())
        })?;
        line.text.push_str(&target.map_or_else(|| text.clone(), |target| link(&text, &target)));
        Ok(())
    }
}
