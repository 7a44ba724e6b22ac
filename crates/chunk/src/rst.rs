//! reStructuredText: titles by underline and overline, literal blocks, tables and directives kept whole. Blocks have the ranks that
//! they have in Markdown, so that a text is cut alike in both.

mod inline;

use crate::ChunkKind;
use crate::lines::{Line, lines_from, rule_of};
use crate::markdown::{BLOCK, BLOCK_IN_ITEM, INTRODUCED, LINE, NESTED_ITEM, list_marker};
use ai_assist_syntax::structure::{Section, Structure, Style};
use inline::words;

/// Directives whose content is not text.
const VERBATIM: &[&str] = &[
    "code", "code-block", "sourcecode", "highlight", "parsed-literal", "math", "raw", "prompt", "testcode",
    "testoutput", "doctest", "productionlist", "graphviz", "digraph", "mermaid", "uml", "plantuml", "ipython",
];

/// Directives whose content is a table.
const TABLES: &[&str] = &["list-table", "csv-table", "table"];

/// Directives of which a reader sees the name, or what stands for it.
const NAMED: &[&str] = &[
    "note", "warning", "tip", "hint", "important", "caution", "danger", "attention", "error", "seealso", "todo",
    "example", "deprecated", "versionadded", "versionchanged", "versionremoved",
];

/// Options whose value a reader sees.
const SHOWN: &[&str] = &["alt", "caption", "title", "header", "summary"];

/// Blocks are not followed deeper in one another.
const DEEPEST: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Paragraph,
    /// A table of lines, until an empty one.
    Grid,
    /// A table with rules over and under it, which may have empty lines.
    Simple,
}

/// Lines further in than the one that opened them.
#[derive(Clone, Copy)]
struct Inset {
    opener: usize,
    kind: InsetKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InsetKind {
    /// A literal block that a paragraph introduces, before its first line.
    Announced,
    Literal,
    Table,
    Comment,
}

struct Scanner<'a> {
    text: &'a str,
    found: Structure,
    /// The title styles seen, in order: the mark and whether there is a line over the title too.
    styles: Vec<(u8, bool)>,
    fresh: bool,
    after_blank: bool,
    open: Open,
    /// The columns at which the contents of the open items, directives and quotes start.
    items: Vec<usize>,
    inset: Option<Inset>,
    /// The indent of a directive whose options may follow.
    options: Option<usize>,
    /// Where the text began that has words in it.
    prose: usize,
}

pub(crate) fn scan(text: &str) -> Structure {
    let mut scanner = Scanner {
        text,
        found: Structure::new(Style::Prose, ChunkKind::Text),
        styles: Vec::new(),
        fresh: true,
        after_blank: true,
        open: Open::Nothing,
        items: Vec::new(),
        inset: None,
        options: None,
        prose: 0,
    };
    let mut lines = lines_from(text, 0);
    while let Some(line) = lines.next() {
        let mut ahead = lines.clone();
        let (next, after) = (ahead.next(), ahead.next());
        if let Some((name, style, last)) = scanner.title(line, next, after) {
            scanner.heading(line.start, last.end, name, style);
            while lines.clone().next().is_some_and(|line| line.end <= last.end) {
                lines.next();
            }
        } else {
            scanner.line(line, next.is_none_or(|next| next.is_blank()));
        }
    }
    scanner.end_of_prose(text.len());
    scanner.found
}

impl<'t> Scanner<'t> {
    /// The name, the style and the last line of a title that starts with `line`.
    fn title<'a>(
        &self,
        line: Line<'a>,
        next: Option<Line<'a>>,
        after: Option<Line<'a>>,
    ) -> Option<(&'a str, (u8, bool), Line<'a>)> {
        let next = next?;
        if !self.after_blank || self.open == Open::Simple || line.text.starts_with([' ', '\t']) || line.is_blank() {
            return None;
        }
        if let Some(over) = rule_of(line.text, 2) {
            let under = after?;
            let matches = rule_of(under.text, 2) == Some(over) && !next.is_blank() && fits(next.text, under.text);
            return matches.then_some((next.text.trim(), (over, true), under));
        }
        let under = rule_of(next.text, 2)?;
        fits(line.text, next.text).then_some((line.text.trim(), (under, false), next))
    }

    fn heading(&mut self, start: usize, end: usize, name: &str, style: (u8, bool)) {
        let known = self.styles.iter().position(|&seen| seen == style);
        let level = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        self.found.sections.push(Section::named(start, end, level + 1, &words(name), ChunkKind::Section));
        (self.fresh, self.after_blank) = (true, true);
        (self.open, self.inset, self.options) = (Open::Nothing, None, None);
        self.items.clear();
    }

    fn line(&mut self, line: Line<'_>, last_of_block: bool) {
        if line.is_blank() {
            self.after_blank = true;
            self.options = None;
            if self.open != Open::Simple {
                self.open = Open::Nothing;
            }
            return;
        }
        let (indent, content) = line.indented();
        if self.option(line, indent, content) || self.inset(line, indent) {
            self.after_blank = false;
            return;
        }
        if self.open == Open::Simple {
            // The last rule of such a table has nothing under it.
            if last_of_block && is_simple_rule(content) && !self.after_blank {
                self.open = Open::Nothing;
            }
            self.after_blank = false;
            return;
        }
        while self.items.last().is_some_and(|&column| column > indent) {
            self.items.pop();
            self.open = Open::Nothing;
        }
        if let Some(title) = content.strip_prefix(".. title::").map(words).filter(|title| !title.is_empty())
            && self.found.title.is_none()
        {
            self.found.title = Some(title);
        }
        self.block(line, indent, content);
        self.after_blank = false;
    }

    fn block(&mut self, line: Line<'_>, indent: usize, content: &str) {
        let marker = if content.starts_with("#. ") { Some(2) } else { list_marker(content) };
        if content == ".." || content.starts_with(".. ") {
            self.explicit(line, indent, content);
        } else if let Some(marker) = marker {
            self.start_block(line.start, if self.items.is_empty() { INTRODUCED } else { NESTED_ITEM });
            let after = &content[marker.min(content.len())..];
            self.within(indent + marker + after.len() - after.trim_start().len());
            self.open = Open::Paragraph;
            self.announce(indent, content);
        } else if self.open == Open::Paragraph && !self.after_blank {
            self.cut(line.start, LINE);
            self.announce(indent, content);
        } else if self.open != Open::Grid {
            let rank = if self.items.is_empty() { BLOCK } else { BLOCK_IN_ITEM };
            self.start_block(line.start, rank);
            if indent > self.items.last().copied().unwrap_or(0) {
                self.within(indent);
            }
            self.open = match content.as_bytes() {
                [b'+', b'-' | b'=', ..] => Open::Grid,
                _ if is_simple_rule(content) => Open::Simple,
                _ => Open::Paragraph,
            };
            self.announce(indent, content);
        } else if content.starts_with("+-") {
            // Between two rows, if a table can't stay whole.
            self.cut(line.start, LINE + 1);
        }
    }

    fn within(&mut self, column: usize) {
        if self.items.len() < DEEPEST {
            self.items.push(column);
        }
    }

    /// A paragraph may end in the marks that say that a literal block follows.
    fn announce(&mut self, opener: usize, content: &str) {
        if content.trim_end().ends_with("::") {
            self.inset = Some(Inset { opener, kind: InsetKind::Announced });
        } else if matches!(self.inset, Some(Inset { kind: InsetKind::Announced, .. })) {
            self.inset = None;
        }
    }

    /// What starts with two dots: a directive, a target, a footnote or a comment.
    fn explicit(&mut self, line: Line<'_>, indent: usize, content: &str) {
        let at = line.start + (line.text.len() - content.len());
        let rest = content[2..].trim_start();
        let from = at + (content.len() - rest.len());
        let name = rest.split_once("::").map(|(name, _)| name.trim_end()).filter(|name| is_name(name));
        self.open = Open::Nothing;
        if let Some(name) = name {
            let args = from + rest.find("::").unwrap_or(0) + 2;
            let is_code = VERBATIM.contains(&name);
            let is_table = TABLES.contains(&name);
            self.start_block(line.start, if is_code { INTRODUCED } else { BLOCK });
            if is_code {
                self.end_of_prose(at);
                self.found.hide(at..args, false);
                self.found.hide(args..at + content.len(), true);
                self.prose = line.end;
            } else if !NAMED.contains(&name) {
                self.hide_in_prose(at..args, at);
            }
            self.options = Some(indent);
            let inset = |kind| Some(Inset { opener: indent, kind });
            match (is_code, is_table) {
                (true, _) => self.inset = inset(InsetKind::Literal),
                (_, true) => self.inset = inset(InsetKind::Table),
                _ => self.within(indent + 1),
            }
        } else if rest.starts_with(['_', '[', '|']) {
            self.start_block(line.start, BLOCK);
            if rest.starts_with('_') && rest.trim_end().ends_with(':') {
                self.hide_in_prose(at..at + content.len(), at);
            } else {
                self.within(indent + 1);
                self.open = Open::Paragraph;
            }
        } else {
            self.start_block(line.start, BLOCK);
            self.hide_in_prose(at..at + content.len(), at);
            self.inset = Some(Inset { opener: indent, kind: InsetKind::Comment });
        }
    }

    /// An option of a directive, on the lines right under it.
    fn option(&mut self, line: Line<'_>, indent: usize, content: &str) -> bool {
        let Some(opener) = self.options else { return false };
        let name = content.strip_prefix(':').and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
        let Some(name) = name.filter(|name| indent > opener && is_name(name)) else {
            self.options = None;
            return false;
        };
        let at = line.start + (line.text.len() - content.len());
        let end = at + if SHOWN.contains(&name) { name.len() + 2 } else { content.len() };
        self.hide_in_prose(at..end, at);
        true
    }

    /// Whether a line is part of what the last opener has, such as a listing.
    fn inset(&mut self, line: Line<'_>, indent: usize) -> bool {
        let Some(inset) = self.inset else { return false };
        let announced = inset.kind == InsetKind::Announced;
        if indent <= inset.opener || announced && !self.after_blank {
            // A paragraph that goes on has not introduced anything yet.
            if !announced || self.after_blank {
                self.inset = None;
            }
            return false;
        }
        if announced {
            self.start_block(line.start, INTRODUCED);
            self.inset = Some(Inset { kind: InsetKind::Literal, ..inset });
        }
        match inset.kind {
            InsetKind::Announced | InsetKind::Literal => {
                self.end_of_prose(line.start);
                self.prose = line.end;
            }
            InsetKind::Comment => self.hide_in_prose(line.start..line.start + line.text.len(), line.start),
            InsetKind::Table => {}
        }
        true
    }

    /// Hides a part of a line, whatever stands in it.
    fn hide_in_prose(&mut self, bytes: std::ops::Range<usize>, at: usize) {
        self.end_of_prose(at);
        self.prose = bytes.end;
        self.found.hide(bytes, false);
    }

    fn end_of_prose(&mut self, at: usize) {
        if self.prose < at {
            inline::hide(self.text, self.prose..at, &mut self.found);
            self.prose = at;
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

/// The name of a directive, a role or an option.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(c))
}

/// `==== ====`, over and under a table without lines between its columns.
fn is_simple_rule(content: &str) -> bool {
    content.contains(' ') && content.trim_end().bytes().all(|byte| byte == b'=' || byte == b' ')
}

/// An underline is as long as its title; writers are off by a few, and a short rule under a long line is no underline.
fn fits(title: &str, rule: &str) -> bool {
    let rule = rule.trim_end().len();
    rule >= 4 && rule * 3 >= title.trim().chars().count() * 2 || rule >= title.trim().chars().count()
}
