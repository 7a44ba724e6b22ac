//! The styles and numberings of a Word document.

use std::collections::HashMap;

use super::blocks::is_code_style;
use super::xml::{Tag, Xml};
use crate::{ConvertError, Limits};

const FORMAT: &str = "docx";

#[derive(Debug, Default, Clone)]
pub(super) struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<usize>,
    numbering: Option<(String, usize)>,
    hidden: bool,
}

#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

impl Styles {
    pub(super) fn parse(text: &str, limits: &Limits) -> Result<Styles, ConvertError> {
        let mut styles = HashMap::new();
        Xml::new(text, FORMAT, limits).find("style", &mut |xml, tag| {
            let mut style = Style::default();
            let id = tag.attribute("styleId").unwrap_or_default();
            xml.elements(|xml, tag| {
                match tag.name() {
                    "name" => style.name = tag.attribute("val").unwrap_or_default(),
                    "basedOn" => style.based_on = tag.attribute("val"),
                    "rPr" => xml.find("vanish", &mut |_, tag| {
                        style.hidden = tag.is_on();
                        Ok(())
                    })?,
                    "pPr" => {
                        let found = paragraph_properties(xml)?;
                        style.outline = found.outline;
                        style.numbering = found.numbering();
                    }
                    _ => {}
                }
                Ok(())
            })?;
            styles.insert(id, style);
            Ok(())
        })?;
        Ok(Styles(styles))
    }

    /// A style and those it is based on.
    fn chain<'s>(&'s self, id: &'s str) -> impl Iterator<Item = &'s Style> {
        let mut next = Some(id);
        // Styles that are based on each other would go round.
        std::iter::from_fn(move || {
            let style = self.0.get(next?)?;
            next = style.based_on.as_deref();
            Some(style)
        })
        .take(16)
    }

    /// The level of a heading, 0 for the title of the document. The names of built-in styles are English in every language; their ids are not.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.chain(id).find_map(|style| {
            let name = style.name.to_ascii_lowercase();
            let by_name = match &*name {
                "title" => Some(0),
                "subtitle" => Some(1),
                _ => name.strip_prefix("heading ").and_then(|level| level.trim().parse().ok()),
            };
            by_name.or(style.outline.filter(|level| *level < 9).map(|level| level + 1))
        })
    }

    pub(super) fn numbering(&self, id: &str) -> Option<(String, usize)> {
        self.chain(id).find_map(|style| style.numbering.clone())
    }

    pub(super) fn is_code(&self, id: &str) -> bool {
        self.chain(id).any(|style| is_code_style(&style.name))
    }

    pub(super) fn is_hidden(&self, id: &str) -> bool {
        self.chain(id).any(|style| style.hidden)
    }

    /// An entry of a table of contents, which says again what the headings say.
    pub(super) fn is_contents(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|style| style.name.to_ascii_lowercase().starts_with("toc "))
    }

    pub(super) fn is_quote(&self, id: &str) -> bool {
        self.0
            .get(id)
            .is_some_and(|style| matches!(&*style.name.to_ascii_lowercase(), "quote" | "intense quote" | "block text"))
    }

    /// "List Bullet" and "List Number" of documents whose numbering is lost.
    pub(super) fn list_by_name(&self, id: &str) -> Option<bool> {
        let name = self.0.get(id)?.name.to_ascii_lowercase();
        let is_list = name.starts_with("list bullet") || name.starts_with("list number");
        is_list.then(|| name.starts_with("list number"))
    }
}

#[derive(Default)]
pub(super) struct ParagraphProperties {
    pub(super) style: Option<String>,
    pub(super) outline: Option<usize>,
    pub(super) num: Option<String>,
    pub(super) level: Option<usize>,
}

impl ParagraphProperties {
    fn numbering(&self) -> Option<(String, usize)> {
        Some((self.num.clone()?, self.level.unwrap_or(0)))
    }
}

/// Reads the inside of `pPr`.
pub(super) fn paragraph_properties(xml: &mut Xml) -> Result<ParagraphProperties, ConvertError> {
    let mut found = ParagraphProperties::default();
    xml.elements(|xml, tag| {
        match tag.name() {
            "pStyle" => found.style = tag.attribute("val"),
            "outlineLvl" => found.outline = tag.number("val"),
            "numPr" => xml.elements(|_, tag| {
                match tag.name() {
                    "numId" => found.num = tag.attribute("val"),
                    "ilvl" => found.level = tag.number("val"),
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(found)
}

#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    None,
    Bullet,
    Ordered,
}

#[derive(Default)]
pub(super) struct Numbering {
    /// Levels of each numbering.
    levels: HashMap<String, Vec<Level>>,
    counters: HashMap<String, Vec<usize>>,
}

impl Numbering {
    pub(super) fn parse(text: &str, limits: &Limits) -> Result<Numbering, ConvertError> {
        let mut abstracts: HashMap<String, Vec<Level>> = HashMap::new();
        let mut levels = HashMap::new();
        Xml::new(text, FORMAT, limits).elements(|xml, _| {
            xml.elements(|xml, tag| match tag.name() {
                "abstractNum" => {
                    let id = tag.attribute("abstractNumId").unwrap_or_default();
                    abstracts.insert(id, read_levels(xml)?);
                    Ok(())
                }
                "num" => {
                    let id = tag.attribute("numId").unwrap_or_default();
                    xml.elements(|_, tag| {
                        if tag.name() == "abstractNumId" {
                            let of = tag.attribute("val").and_then(|of| abstracts.get(&of));
                            levels.insert(id.clone(), of.cloned().unwrap_or_default());
                        }
                        Ok(())
                    })
                }
                _ => Ok(()),
            })
        })?;
        Ok(Numbering { levels, counters: HashMap::new() })
    }

    /// The mark of the next item of a list, or nothing if its paragraphs carry none.
    pub(super) fn mark(&mut self, num: &str, level: usize) -> Option<String> {
        if num == "0" {
            return None;
        }
        let level = level.min(8);
        let levels = self.levels.get(num)?;
        let found = levels.get(level).copied().unwrap_or(Level { kind: Kind::Bullet, start: 1 });
        match found.kind {
            Kind::None => None,
            Kind::Bullet => Some("-".to_owned()),
            Kind::Ordered => {
                let counters = self.counters.entry(num.to_owned()).or_default();
                counters.truncate(level + 1);
                while counters.len() <= level {
                    let start = levels.get(counters.len()).map_or(1, |level| level.start);
                    counters.push(start.saturating_sub(1));
                }
                counters[level] = counters[level].saturating_add(1);
                Some(format!("{}.", counters[level]))
            }
        }
    }
}

fn read_levels(xml: &mut Xml) -> Result<Vec<Level>, ConvertError> {
    let mut levels = Vec::new();
    xml.elements(|xml, tag: &Tag| {
        if tag.name() != "lvl" || levels.len() >= 9 {
            return Ok(());
        }
        let mut level = Level { kind: Kind::Ordered, start: 1 };
        xml.elements(|_, tag| {
            match tag.name() {
                "start" => level.start = tag.number("val").unwrap_or(1),
                "numFmt" => {
                    level.kind = match tag.attribute("val").as_deref() {
                        Some("bullet") => Kind::Bullet,
                        Some("none") => Kind::None,
                        _ => Kind::Ordered,
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        levels.push(level);
        Ok(())
    })?;
    Ok(levels)
}
