//! The content of a page as Markdown.

mod callout;
mod code;
mod inline;
pub(crate) mod lines;
mod list;
mod listing;
mod span;
mod table;
mod tabs;

use inline::Inline;
use lines::Lines;
use listing::is_signature;
use span::is_permalink;
use tabs::is_tab_set;

use super::content::Content;
use super::tree::{Id, Tree, is_block, is_heading};
use crate::Limits;

/// Quotes and lists within each other; what is deeper stands at this level, because each costs every line its prefix.
const MAX_NESTED: usize = 12;

/// What the text of a page is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style<'a> {
    /// A document, under a title if the content has none.
    Page { title: Option<&'a str> },
    /// A part of a longer one, which has a title and says where its parts stand.
    Chapter,
}

/// The content of a page, or nothing if there are no words in it.
pub(crate) fn markdown(tree: &Tree<'_>, content: &Content, style: Style<'_>, limits: &Limits) -> Option<String> {
    let is_chapter = matches!(style, Style::Chapter);
    let mut writer = Writer {
        tree,
        content,
        lines: Lines::new(limits.max_text),
        inline: Inline::default(),
        flat: 0,
        plain: 0,
        anchor: None,
        level: 1,
        shift: usize::from(is_chapter || has_several_titles(tree, content)),
        title_written: is_chapter,
        places: !is_chapter,
        has_words: false,
    };
    if let Style::Page { title: Some(title) } = style {
        writer.lines.block(&format!("# {title}"));
        writer.title_written = true;
    }
    for &root in &content.roots {
        // A root may be a listing or a heading itself.
        if is_block(tree.name(root)) && !matches!(tree.name(root), "pre" | "table" | "ul" | "ol") {
            writer.children(root);
        } else {
            writer.node(root);
        }
        writer.flush();
    }
    writer.has_words.then_some(writer.lines.text)
}

fn has_several_titles(tree: &Tree<'_>, content: &Content) -> bool {
    let is_title = |id: &Id| tree.name(*id) == "h1" && !content.is_dropped(*id) && content.facts(*id).text > 0;
    content.roots.iter().flat_map(|&root| tree.below(root)).filter(is_title).take(2).count() == 2
}

struct Writer<'t, 'a> {
    tree: &'t Tree<'a>,
    content: &'t Content,
    lines: Lines,
    /// The paragraph that is being put together.
    inline: Inline,
    /// Above 0 within a cell or a heading, where blocks are only parted by white space.
    flat: usize,
    /// Above 0 within a heading or a link, where links are only their text.
    plain: usize,
    /// The id of an element that was entered and has not written anything yet.
    anchor: Option<String>,
    /// The level of the last heading.
    level: usize,
    /// What is added to the level of all headings behind the first, when the page has several of the first level.
    shift: usize,
    title_written: bool,
    /// Whether places are written.
    places: bool,
    has_words: bool,
}

impl Writer<'_, '_> {
    fn children(&mut self, id: Id) {
        let tree = self.tree;
        for child in tree.children(id) {
            if self.lines.is_beyond(self.inline.len()) {
                return;
            }
            self.node(child);
        }
    }

    fn node(&mut self, id: Id) {
        if self.content.is_dropped(id) {
            return;
        }
        if let Some(text) = self.tree.text(id) {
            self.inline.push(text);
            return;
        }
        self.note_anchor(id);
        match self.tree.name(id) {
            name if is_heading(name) => self.heading(id),
            "p" | "div" | "section" | "aside" | "details" | "blockquote" => self.container(id),
            "pre" | "listing" | "xmp" | "plaintext" => self.listing(id),
            "ul" | "ol" | "menu" | "dir" => self.list(id),
            "dl" => self.definitions(id),
            "table" => self.table(id),
            "hr" => self.flush(),
            "br" => self.line_break(),
            "img" | "image" => self.image(id),
            "summary" | "legend" | "figcaption" | "caption" => self.labelled(id),
            "math" => self.math(id),
            name if is_block(name) => self.blocks(id),
            _ => self.inline_element(id),
        }
    }

    /// Remembers the id of an element for the heading that may follow.
    fn note_anchor(&mut self, id: Id) {
        let tree = self.tree;
        let may = match tree.name(id) {
            "section" | "a" | "span" | "li" | "article" => true,
            "div" => tree.attribute(id, "class").is_none_or(|class| class.contains("sect")),
            _ => false,
        };
        if may
            && self.inline.is_empty()
            && let Some(anchor) = tree.attribute(id, "id").or_else(|| tree.attribute(id, "name"))
        {
            self.anchor = Some(anchor.into_owned());
        }
    }

    fn container(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        if let Some(callout) = callout::of(tree, content, id) {
            return self.callout(id, &callout);
        }
        match tree.name(id) {
            "blockquote" => self.quote(id, None),
            "div" if table::is_div_table(tree, id) => self.div_table(id),
            "div" if is_signature(tree, id) => self.listing(id),
            "div" if tree.has_class(id, "highlight") && !content.facts(id).has_block => self.listing(id),
            "div" if is_tab_set(tree, id) => self.tabs(id),
            _ => self.blocks(id),
        }
    }

    fn blocks(&mut self, id: Id) {
        self.flush();
        self.children(id);
        self.flush();
    }

    /// Writes the paragraph that was put together so far.
    fn flush(&mut self) {
        if self.flat > 0 {
            self.inline.space();
            return;
        }
        let text = self.inline.take();
        if !text.is_empty() {
            self.write(&inline::escape_start(&text));
        }
    }

    fn write(&mut self, block: &str) {
        self.has_words |= block.contains(char::is_alphanumeric);
        self.anchor = None;
        self.lines.block(block);
    }

    /// What stands in an element as one line.
    fn line_of(&mut self, id: Id) -> String {
        let outer = std::mem::take(&mut self.inline);
        self.flat += 1;
        self.children(id);
        self.flat -= 1;
        std::mem::replace(&mut self.inline, outer).take().replace('\n', " ")
    }

    fn heading(&mut self, id: Id) {
        if self.flat > 0 {
            return self.blocks(id);
        }
        self.flush();
        let anchor = self.anchor_of(id);
        self.plain += 1;
        let mut text = self.line_of(id);
        self.plain -= 1;
        if text.is_empty() {
            return;
        }
        if self.tree.has_class(id, "code-header") {
            text = inline::code(&self.tree_text(id));
        }
        let level = self.tree.name(id)[1..].parse().unwrap_or(6);
        self.titled(&text, level, anchor);
    }

    #[expect(clippy::needless_pass_by_value, reason = "its callers have no more use for it")]
    fn titled(&mut self, text: &str, level: usize, anchor: Option<String>) {
        if !self.lines.is_outermost() {
            return self.write(&format!("**{text}**"));
        }
        // One title: later headings of the first level stand below it.
        let level = if self.title_written { (level + self.shift).clamp(2, 6) } else { level };
        self.title_written |= level == 1;
        self.level = level;
        self.place(anchor.as_deref());
        self.write(&format!("{} {text}", "#".repeat(level)));
        self.has_words |= level > 1;
    }

    fn place(&mut self, anchor: Option<&str>) {
        if let Some(anchor) = anchor.filter(|_| self.places) {
            self.lines.place("section", &format!("#{anchor}"));
        }
    }

    /// What an address needs to name a heading: its own id, that of an anchor in or beside it, or of what it opens.
    fn anchor_of(&mut self, id: Id) -> Option<String> {
        let tree = self.tree;
        let fragment = |id: Id| tree.attribute(id, "href").and_then(|href| Some(href.strip_prefix('#')?.to_owned()));
        let links = |range: std::ops::Range<Id>| range.take(16).filter(|&id| tree.name(id) == "a");
        // GitHub prefixes the ids, not the addresses.
        let own = tree.attribute(id, "id").map(std::borrow::Cow::into_owned);
        let inside = || links(tree.below(id)).find_map(|link| fragment(link).filter(|_| is_permalink(tree, link)));
        let named =
            || links(tree.below(id)).find_map(|id| tree.attribute(id, "id").or_else(|| tree.attribute(id, "name")));
        let parent = tree.parent(id);
        let beside = || {
            let wrapped = tree.has_class(parent, "markdown-heading");
            links(tree.below(if wrapped { parent } else { id })).find_map(fragment)
        };
        let opened = self.anchor.take();
        own.or_else(inside)
            .or_else(|| named().map(std::borrow::Cow::into_owned))
            .or_else(|| tree.has_class(parent, "markdown-heading").then(beside).flatten())
            .or(opened)
            .filter(|anchor| !anchor.is_empty() && anchor.len() < 300)
    }

    fn callout(&mut self, id: Id, callout: &callout::Callout) {
        self.quote(id, Some(callout));
    }

    fn quote(&mut self, id: Id, callout: Option<&callout::Callout>) {
        if self.flat > 0 || self.lines.depth() >= MAX_NESTED {
            return self.blocks(id);
        }
        self.flush();
        self.lines.open_quote();
        if let Some(title) = callout.and_then(|callout| callout.title.as_deref()) {
            self.write(&format!("**{title}**"));
        }
        self.children_but(id, callout.and_then(|callout| callout.title_id));
        self.flush();
        self.lines.close_quote();
    }

    /// Writes what stands in an element, without one element somewhere in it.
    fn children_but(&mut self, id: Id, left_out: Option<Id>) {
        let tree = self.tree;
        let Some(left_out) = left_out else { return self.children(id) };
        for child in tree.children(id) {
            if child == left_out {
                self.flush();
            } else if tree.contains(child, left_out) {
                self.children_but(child, Some(left_out));
            } else {
                self.node(child);
            }
        }
    }

    /// A line that says what follows: bold, unless it holds blocks of its own.
    fn labelled(&mut self, id: Id) {
        if self.flat > 0 || self.content.facts(id).has_heading {
            return self.blocks(id);
        }
        self.flush();
        let text = self.line_of(id);
        if !text.is_empty() {
            let bold = self.tree.name(id) == "summary" && !text.contains("**");
            self.write(&if bold { format!("**{text}**") } else { text });
        }
    }

    fn line_break(&mut self) {
        if self.flat > 0 { self.inline.space() } else { self.inline.line_break() }
    }
}
