//! Markdown (CommonMark, GFM, MDX) by lines.
//!
//! This is not a renderer: it tells headings, lists, fences, HTML and tables apart, which takes one pass over the lines and
//! no tree. A full parser finds the same headings at a tenth of the speed and has inputs on which it is slow.

mod blocks;
mod front_matter;
mod inline;
mod jsx;
mod mdx;

use crate::ChunkKind;
use crate::lines::{Line, indented, lines_from};
use ai_assist_syntax::structure::{Section, Structure, Style};
use blocks::{Fence, Until};

pub(crate) use blocks::list_marker;
pub(crate) use inline::plain;

/// List items are not followed deeper than this on one line or in one another.
const DEEPEST_LIST: usize = 32;

/// Ranks of breaks.
pub(crate) const BLOCK: u8 = 0;
/// A fence, a list or a table is often introduced by what is before it.
pub(crate) const INTRODUCED: u8 = 1;
pub(crate) const NESTED_ITEM: u8 = 2;
pub(crate) const BLOCK_IN_ITEM: u8 = 3;
pub(crate) const LINE: u8 = 4;

/// What the line before left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A paragraph; `heading` if an underline would make it one.
    Paragraph {
        start: usize,
        heading: bool,
    },
    Fence(Fence),
    Html(Until),
    Quote,
    Table,
    IndentedCode,
}

struct Scanner<'a> {
    text: &'a str,
    mdx: bool,
    found: Structure,
    open: Open,
    /// The columns at which the contents of the open list items start.
    items: Vec<usize>,
    /// Nothing but white space since the last heading: a cut here would leave the heading alone.
    fresh: bool,
    after_blank: bool,
    /// Whether the open block exports what describes the document.
    in_meta: bool,
    /// Of MDX, where what is no listing began.
    prose: usize,
    /// Where comments began that nothing has followed yet: those right before a heading belong to it.
    comment: Option<usize>,
}

pub(crate) fn scan(text: &str, mdx: bool) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Text);
    let mut from = 0;
    if let Some(matter) = front_matter::find(text) {
        found.sections.push(Section { alone: true, ..Section::unnamed(0, ChunkKind::FrontMatter) });
        found.title = matter.title;
        from = matter.end;
        if from < text.len() {
            // What follows is another section, headed or not.
            found.sections.push(Section::unnamed(from, ChunkKind::Text));
        }
    }
    if mdx && let Some(end) = mdx::imports_end(text, from) {
        // What a module imports and exports at its top is no text about anything.
        let kind = ChunkKind::Imports;
        match found.sections.last_mut().filter(|last| last.start == from) {
            Some(section) => (section.kind, section.alone) = (kind, true),
            None => found.sections.push(Section { alone: true, ..Section::unnamed(from, kind) }),
        }
        if end < text.len() {
            found.sections.push(Section::unnamed(end, ChunkKind::Text));
        }
    }
    let (open, items) = (Open::Nothing, Vec::new());
    let mut scanner = Scanner {
        text,
        mdx,
        found,
        open,
        items,
        fresh: true,
        after_blank: true,
        in_meta: false,
        prose: 0,
        comment: None,
    };
    scanner.prose = scanner.found.sections.last().map_or(0, |section| section.start);
    for line in lines_from(text, from) {
        scanner.line(line);
    }
    scanner.end_of_prose(text.len());
    scanner.found
}

impl Scanner<'_> {
    fn line(&mut self, line: Line<'_>) {
        let (indent, content) = line.indented();
        let blank = content.is_empty();
        let in_comment = blank || matches!(self.open, Open::Html(Until::Text("-->", _)));
        if !in_comment && !content.starts_with("<!--") && !content.starts_with('#') {
            self.comment = None;
        }
        match self.open {
            Open::Fence(fence) if blank || indent >= fence.container => {
                if fence.is_closed_by(indent, content) {
                    self.prose = line.end;
                    self.close();
                }
                return;
            }
            Open::Html(until) if !(blank && until.ends_at_blank()) && (blank || indent >= until.container()) => {
                if self.in_meta && self.found.title.is_none() {
                    self.found.title = mdx::title_in(content);
                }
                self.hide_comment(until, content);
                if until.ends_in(content) {
                    self.close();
                }
                return;
            }
            _ => {}
        }
        if blank {
            self.close();
            return;
        }
        // A fence or HTML block of a list item ends with the item, whatever follows.
        if matches!(self.open, Open::Fence(_) | Open::Html(_)) {
            self.prose = self.prose.max(if matches!(self.open, Open::Fence(_)) { line.start } else { 0 });
            self.open = Open::Nothing;
        }
        while self.items.last().is_some_and(|&column| column > indent) {
            self.items.pop();
            self.open = Open::Nothing;
        }
        if indent - self.items.last().copied().unwrap_or(0) >= 4 && !self.mdx {
            self.far_in(line);
        } else {
            self.block(line, indent, content);
        }
        self.after_blank = matches!(self.open, Open::Nothing) && self.after_blank;
    }

    /// An import or an export: what the module exports may name the document.
    fn module_line(&mut self, content: &str) {
        let Some(exported) = mdx::exported(content) else { return };
        self.in_meta = mdx::is_meta(exported);
        if self.found.title.is_none() {
            self.found.title = if exported == "title" { mdx::string_after(content, '=') } else { None };
        }
        if self.in_meta && self.found.title.is_none() {
            self.found.title = mdx::title_in(content);
        }
    }

    /// The block is over; what comes next is a new one.
    fn close(&mut self) {
        self.in_meta = false;
        self.open = Open::Nothing;
        self.after_blank = true;
    }

    /// A line indented too far to start anything: code, or more of a paragraph.
    fn far_in(&mut self, line: Line<'_>) {
        match self.open {
            Open::Paragraph { .. } => self.cut(line.start, LINE),
            Open::IndentedCode => {}
            _ => {
                self.start_block(line.start, INTRODUCED);
                self.open = Open::IndentedCode;
            }
        }
    }

    fn block(&mut self, line: Line<'_>, indent: usize, content: &str) {
        match content.as_bytes()[0] {
            b'#' if self.items.is_empty() => {
                if let Some((level, name)) = blocks::atx(content) {
                    self.heading(line.start, line.end, level, name);
                    return;
                }
            }
            b'`' | b'~' if self.fence(line.start, indent, content) => return,
            b'=' | b'-' => {
                if let Open::Paragraph { start, heading: true } = self.open
                    && let Some(level) = blocks::underline(content)
                {
                    let text = self.text;
                    self.heading(start, line.end, level, &text[start..line.start]);
                    return;
                }
            }
            b'>' => {
                if self.open != Open::Quote {
                    self.start_block(line.start, BLOCK);
                    self.open = Open::Quote;
                }
                return;
            }
            b'<' if self.html(line.start, content) => return,
            b'{' | b'i' | b'e' if self.mdx => {
                if self.open == Open::Nothing
                    && let Some(until) = Until::of_mdx(content)
                {
                    self.module_line(content);
                    self.start_block(line.start, BLOCK);
                    self.open = Open::Html(until);
                    if until.ends_in(content) {
                        self.close();
                    }
                    return;
                }
            }
            _ => {}
        }
        if blocks::is_thematic_break(content) {
            self.start_block(line.start, BLOCK);
            self.close();
        } else if list_marker(content).is_some() {
            self.item(line, indent, content);
        } else {
            self.text_line(line, content);
        }
    }

    fn heading(&mut self, start: usize, end: usize, level: usize, raw: &str) {
        let (at, start) = (start, self.comment.take().unwrap_or(start));
        // An underline shows only after the fact that the lines before it were no paragraph to cut.
        while self.found.breaks.last().is_some_and(|last| last.at >= start) {
            self.found.breaks.pop();
        }
        let section = |from| Section { at, ..Section::named(from, end, level, &plain(raw), ChunkKind::Section) };
        // The unnamed section after front matter is there only if there is something in it.
        if let Some(last) = self.found.sections.last()
            && last.name.is_none()
            && last.kind == ChunkKind::Text
            && self.text[last.start..start].trim().is_empty()
        {
            let from = last.start;
            self.found.sections.pop();
            self.found.sections.push(section(from));
        } else {
            self.found.sections.push(section(start));
        }
        self.close();
        self.fresh = true;
    }

    fn fence(&mut self, start: usize, indent: usize, content: &str) -> bool {
        let container = self.items.last().copied().unwrap_or(0);
        let Some(fence) = Fence::of(content, indent, container) else { return false };
        self.start_block(start, INTRODUCED);
        self.open_fence(fence, content);
        true
    }

    fn html(&mut self, start: usize, content: &str) -> bool {
        let container = self.items.last().copied().unwrap_or(0);
        let in_paragraph = matches!(self.open, Open::Paragraph { .. });
        let Some(until) = Until::of_html(content, in_paragraph, container) else { return false };
        self.start_block(start, BLOCK);
        self.open = Open::Html(until);
        if matches!(until, Until::Text("-->", _)) && self.items.is_empty() {
            self.comment.get_or_insert(start);
        }
        self.hide_comment(until, content);
        if until.ends_in(content) {
            self.close();
        }
        true
    }

    /// A listing begins, with the name of its language.
    fn open_fence(&mut self, fence: Fence, content: &str) {
        let at = self.offset_of(content);
        self.end_of_prose(at);
        self.found.hide(at..at + content.len(), true);
        self.open = Open::Fence(fence);
    }

    /// A line of a comment, and the lines that say where in an original something stands: nobody reads those.
    fn hide_comment(&mut self, until: Until, content: &str) {
        let Until::Text(end @ "-->", _) = until else { return };
        if !self.mdx {
            let at = self.offset_of(content);
            let length = content.find(end).map_or(content.len(), |found| found + end.len());
            self.found.hide(at..at + length, true);
        }
    }

    fn end_of_prose(&mut self, at: usize) {
        if self.mdx && self.prose < at {
            jsx::hide(self.text, self.prose..at, &mut self.found);
            self.prose = at;
        }
    }

    /// Where a part of a line stands in the text.
    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// A list item, and those that start on the same line in it.
    fn item(&mut self, line: Line<'_>, indent: usize, content: &str) {
        let rank = if self.items.is_empty() { INTRODUCED } else { NESTED_ITEM };
        self.start_block(line.start, rank);
        self.open = Open::Nothing;
        let (mut column, mut rest) = (indent, content);
        while let Some(marker) = list_marker(rest) {
            if self.items.len() >= DEEPEST_LIST {
                break;
            }
            let (space, after) = indented(&rest[marker..]);
            // Five spaces or more are one, and then indented code.
            column += marker + if after.is_empty() || space > 4 { 1 } else { space };
            self.items.push(column);
            rest = after;
        }
        if let Some(fence) = Fence::of(rest, column, column) {
            self.open_fence(fence, rest);
        } else if let Some(until) = Until::of_html(rest, false, column).filter(|until| !until.ends_in(rest)) {
            self.open = Open::Html(until);
        } else if !rest.is_empty() {
            self.open = Open::Paragraph { start: line.start, heading: false };
        }
    }

    fn text_line(&mut self, line: Line<'_>, content: &str) {
        match self.open {
            Open::Paragraph { .. } if blocks::is_table_rule(content) => self.open = Open::Table,
            Open::Paragraph { .. } => self.cut(line.start, LINE),
            Open::Table | Open::Quote => {}
            _ => {
                let rank = if self.items.is_empty() { BLOCK } else { BLOCK_IN_ITEM };
                self.start_block(line.start, rank);
                self.open = Open::Paragraph { start: line.start, heading: self.items.is_empty() };
            }
        }
    }

    fn start_block(&mut self, at: usize, rank: u8) {
        if !self.fresh {
            let rank = if self.items.is_empty() { rank } else { rank.max(NESTED_ITEM) };
            self.cut(at, if self.after_blank { rank } else { rank.max(INTRODUCED) });
        }
        self.fresh = false;
    }

    fn cut(&mut self, at: usize, rank: u8) {
        self.found.cut(at, rank);
    }
}
