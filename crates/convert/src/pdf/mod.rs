//! PDF files: text in reading order, page by page.
//!
//! A reader of its own, because what is on crates.io reads all of a file into memory before it can be asked, has no limits,
//! or brings renderers and network clients along. Steps: objects of the file ([`file`]), words of a page ([`content`]),
//! lines in reading order ([`layout`]), without what repeats on each page ([`running`]), as Markdown ([`render`]).

mod accent;
mod annotation;
mod cff;
mod cmap;
mod content;
mod crypt;
mod encoding;
mod file;
mod filter;
mod font;
mod layout;
mod object;
mod outline;
mod render;
mod running;
mod tex_codes;

use std::collections::HashSet;
use std::rc::Rc;

use self::content::{Fonts, Frame, Work};
use self::file::File;
use self::object::{Dict, Object};
use crate::{ConvertError, Format, Limits, emit, place};

const MAX_PAGES: usize = 50_000;
/// Nodes of the tree of pages.
const MAX_NODES: usize = 4 * MAX_PAGES;

/// Some writers put other bytes before the mark. Text that goes on into it, in a file that is not called a PDF, only speaks of it.
pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let head = &bytes[..bytes.len().min(1024)];
    let before = &head[..memchr::memmem::find(head, b"%PDF-")?];
    let is_within_line = before.last().is_some_and(|&last| !matches!(last, b'\n' | b'\r'));
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    let is_text = || std::str::from_utf8(before).is_ok_and(|text| !text.contains(is_control));
    let speaks_of_it = is_within_line && !path.to_ascii_lowercase().ends_with(".pdf") && is_text();
    (!speaks_of_it).then_some(Format::Pdf)
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let mut file = File::open(bytes, limits)?;
    let mut pages = pages(&file);
    if pages.is_empty() {
        // The table may be right for the catalog and wrong for the rest.
        file.rebuild();
        pages = self::pages(&file);
    }
    if pages.is_empty() {
        let detail = "it has no pages".to_owned();
        return Err(ConvertError::Malformed { format: "PDF", detail });
    }
    let mut fonts = Fonts::default();
    // More than what goes out, as much of it may be dropped again; what is beyond it is cut for certain.
    let mut work = Work::new(limits.max_text.saturating_mul(2));
    let mut read = Vec::new();
    for page in &pages {
        let words = content::words(&file, page.dict(), &page.resources, &mut fonts, &mut work, &page.frame);
        read.push(layout::blocks(words));
        if file.budget.is_spent() {
            return Err(ConvertError::TooLarge { what: "bytes unpacked", limit: limits.max_unpacked });
        }
        if work.operators == 0 {
            return Err(ConvertError::TooLarge { what: "drawing operators", limit: content::MAX_OPERATORS });
        }
    }
    if read.iter().all(Vec::is_empty) {
        return Err(ConvertError::NoText("scanned pages have no text"));
    }
    running::drop_running(&mut read);
    let style = render::Style::of(&read, &outline::read(&file));
    let mut text = String::new();
    for (number, blocks) in read.iter().enumerate() {
        if blocks.is_empty() {
            continue;
        }
        if text.len() > limits.max_text {
            break;
        }
        place::write(&mut text, "page", &(number + 1).to_string());
        render::page(&mut text, blocks, &style);
    }
    emit::finish(text, limits)
}

struct Page {
    object: Rc<Object>,
    resources: Dict,
    frame: Frame,
}

impl Page {
    fn dict(&self) -> &Dict {
        const EMPTY: &Dict = &Dict::EMPTY;
        self.object.dict().unwrap_or(EMPTY)
    }
}

/// What a page has from the nodes above it.
#[derive(Clone)]
struct Inherited {
    resources: Rc<Object>,
    frame: Rc<Object>,
    turn: i64,
}

/// The pages in their order; those that stand loose in the file if its tree of pages leads to none.
fn pages(file: &File) -> Vec<Page> {
    let root = file.catalog().and_then(|catalog| Some(catalog.dict()?.get("Pages").clone()));
    let pages = pages_below(file, root);
    if !pages.is_empty() {
        return pages;
    }
    pages_below(file, file.loose_pages().into_iter().take(MAX_PAGES).rev().map(Object::Ref))
}

/// The pages below some nodes, the last node first. A tree that goes round is cut where it does.
fn pages_below(file: &File, nodes: impl IntoIterator<Item = Object>) -> Vec<Page> {
    let nothing = Rc::new(Object::Null);
    let top = Inherited { resources: nothing.clone(), frame: nothing, turn: 0 };
    let mut stack: Vec<_> = nodes.into_iter().map(|node| (node, top.clone())).collect();
    let mut seen = HashSet::new();
    let mut pages = Vec::new();
    let mut nodes = 0;
    while let Some((node, mut inherited)) = stack.pop() {
        nodes += 1;
        if pages.len() >= MAX_PAGES || nodes > MAX_NODES {
            break;
        }
        if let Object::Ref(number) = node
            && !seen.insert(number)
        {
            continue;
        }
        let object = file.resolve(&node);
        let Some(dict) = object.dict() else { continue };
        inherited.take_from(file, dict);
        let kids = file.resolve(dict.get("Kids"));
        if kids.array().is_empty() {
            let is_page = dict.get("Type").name() != Some("Pages");
            if is_page {
                let resources = inherited.resources.dict().cloned().unwrap_or_default();
                let frame = inherited.frame(file);
                pages.push(Page { object, resources, frame });
            }
            continue;
        }
        stack.extend(kids.array().iter().rev().take(MAX_NODES).map(|kid| (kid.clone(), inherited.clone())));
    }
    pages
}

impl Inherited {
    fn take_from(&mut self, file: &File, dict: &Dict) {
        let resources = file.resolve(dict.get("Resources"));
        if resources.dict().is_some() {
            self.resources = resources;
        }
        for key in ["MediaBox", "CropBox"] {
            let frame = file.resolve(dict.get(key));
            if frame.array().len() == 4 {
                self.frame = frame;
            }
        }
        self.turn = file.resolve(dict.get("Rotate")).int().unwrap_or(self.turn);
    }

    fn frame(&self, file: &File) -> Frame {
        let sides: Vec<f64> = self.frame.array().iter().filter_map(|side| file.resolve(side).number()).collect();
        let &[a, b, c, d] = &sides[..] else {
            return Frame { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0, turn: self.turn };
        };
        Frame { left: a.min(c), bottom: b.min(d), right: a.max(c), top: b.max(d), turn: self.turn }
    }
}
