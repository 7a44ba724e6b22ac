//! The content of a page as Markdown.

mod callout;
mod code;
mod inline;
pub(crate) mod lines;
mod list;
mod table;

use inline::Inline;
use lines::Lines;

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
    writer.has_words.then(|| writer.lines.finish())
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
            if self.lines.is_full() {
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

    fn listing(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        let Some(text) = code::text_of(tree, content, id) else { return };
        if self.flat > 0 {
            self.inline.space();
            self.inline.push_verbatim(&inline::code(&text));
            self.inline.space();
            return;
        }
        self.flush();
        let language = if is_signature(tree, id) { "java".to_owned() } else { code::language_of(tree, id) };
        self.write(&code::fenced(&text, &language));
    }

    fn table(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        if self.flat > 0 {
            return self.blocks(id);
        }
        match table::shape_of(tree, content, id) {
            table::Shape::Grid => {
                let caption = tree.below(id).find(|&id| tree.name(id) == "caption");
                let rows = table::rows_of(tree, content, id);
                self.grid(caption, &rows);
            }
            table::Shape::Code => {
                let rows = table::rows_of(tree, content, id);
                let has_pre = tree.below(id).any(|id| tree.name(id) == "pre" && !content.is_dropped(id));
                if has_pre { self.blocks(id) } else { self.lines_of_code(id, &rows) }
            }
            table::Shape::Blocks => self.blocks(id),
        }
    }

    /// A listing whose lines are the rows of a table.
    fn lines_of_code(&mut self, id: Id, rows: &[Vec<Id>]) {
        let (tree, content) = (self.tree, self.content);
        let line = |row: &Vec<Id>| {
            let cells = row.iter().filter(|&&cell| tree.attribute(cell, "data-line-number").is_none());
            cells.filter_map(|&cell| code::text_of(tree, content, cell)).collect::<String>()
        };
        let text: Vec<String> = rows.iter().map(line).collect();
        self.flush();
        self.write(&code::fenced(&text.join("\n"), &code::language_of(tree, id)));
    }

    fn div_table(&mut self, id: Id) {
        let rows = table::rows_of_divs(self.tree, self.content, id);
        if self.flat > 0 { self.blocks(id) } else { self.grid(None, &rows) }
    }

    fn grid(&mut self, caption: Option<Id>, rows: &[Vec<Id>]) {
        self.flush();
        if let Some(caption) = caption {
            let caption = self.line_of(caption);
            if !caption.is_empty() {
                self.write(&caption);
            }
        }
        let mut cells = Vec::with_capacity(rows.len());
        let mut size = 0;
        for row in rows {
            let row: Vec<table::Cell> = row
                .iter()
                .map(|&cell| table::Cell {
                    text: self.line_of(cell),
                    columns: table::span(self.tree, cell, "colspan"),
                    rows: table::span(self.tree, cell, "rowspan"),
                })
                .collect();
            size += row.iter().map(|cell| cell.text.len()).sum::<usize>();
            cells.push(row);
            if self.lines.is_beyond(size) {
                break;
            }
        }
        if let Some(grid) = table::grid(cells) {
            self.write(&grid);
        }
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

    /// The names of tabs and their panels stand apart; each name belongs before its panel.
    fn tabs(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        let is_panel = |id: Id| {
            let class = tree.attribute(id, "class").unwrap_or_default();
            let role = tree.attribute(id, "role");
            role.is_some_and(|role| role == "tabpanel")
                || class.split_ascii_whitespace().any(|class| matches!(class, "tabbed-block" | "tab-panel"))
                || (tree.has_class(tree.parent(id), "blocks") && tree.name(id) == "div")
        };
        let is_label = |id: Id| {
            !content.is_dropped(id)
                && (tree.name(id) == "label" || tree.attribute(id, "role").is_some_and(|role| role == "tab"))
        };
        let outermost = |found: Vec<Id>| {
            let mut end = 0;
            let first = |id: &Id| {
                *id >= end && {
                    end = tree.below(*id).end;
                    true
                }
            };
            found.into_iter().filter(first).collect::<Vec<_>>()
        };
        let panels = outermost(tree.below(id).filter(|&id| is_panel(id) && !content.is_dropped(id)).collect());
        let in_panel = |label: Id| panels.iter().any(|&panel| tree.contains(panel, label));
        let labels: Vec<Id> = tree.below(id).filter(|&id| is_label(id) && !in_panel(id)).collect();
        if panels.is_empty() || labels.len() != panels.len() {
            return self.blocks(id);
        }
        self.flush();
        for (label, panel) in labels.into_iter().zip(panels) {
            let label = self.line_of(label);
            if !label.is_empty() {
                self.write(&format!("**{label}**"));
            }
            self.blocks(panel);
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

    fn image(&mut self, id: Id) {
        if let Some(alt) = self.tree.attribute(id, "alt") {
            self.inline.push(&alt);
        }
    }

    /// A formula: what it was written as, if the page keeps that, else its text.
    fn math(&mut self, id: Id) {
        let tree = self.tree;
        let is_tex = |id: &Id| {
            tree.name(*id) == "annotation" && tree.attribute(*id, "encoding").is_some_and(|kind| kind.contains("tex"))
        };
        let source = tree.below(id).find(is_tex).map(|id| tree.raw_text(id));
        let source = source.or_else(|| tree.attribute(id, "alttext").map(std::borrow::Cow::into_owned));
        match source {
            Some(source) => {
                let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
                self.inline.push_verbatim(&format!("${source}$"));
            }
            None => self.children(id),
        }
    }

    fn inline_element(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        // An inline element around blocks, as a card that is one link.
        if content.facts(id).has_block && self.flat == 0 {
            return self.children(id);
        }
        match tree.name(id) {
            "code" | "kbd" | "samp" | "tt" => {
                let text = self.tree_text(id);
                self.inline_code(&text);
            }
            "a" => self.link(id),
            "strong" | "b" => self.strong(id),
            "label" => {
                let text = self.line_of(id);
                self.flush();
                if !text.is_empty() {
                    self.inline.push_verbatim(&format!("**{text}**"));
                    self.flush();
                }
            }
            "rp" => {}
            _ => self.children(id),
        }
    }

    fn inline_code(&mut self, text: &str) {
        // White space at the edges parts words, not code.
        if text.starts_with(char::is_whitespace) {
            self.inline.space();
        }
        self.inline.push_verbatim(&inline::code(text));
        if text.ends_with(char::is_whitespace) {
            self.inline.space();
        }
    }

    /// The text of an element that is shown.
    fn tree_text(&self, id: Id) -> String {
        let (tree, content) = (self.tree, self.content);
        let mut text = String::new();
        for id in tree.below(id).filter(|&id| !content.is_dropped(id)) {
            match tree.text(id) {
                Some(part) if !(is_permalink(tree, tree.parent(id))) => text.push_str(part),
                None if tree.name(id) == "br" || is_block(tree.name(id)) => text.push(' '),
                _ => {}
            }
        }
        text.retain(|c| !matches!(c, '\u{200b}' | '\u{ad}' | 'ⓘ'));
        text
    }

    fn strong(&mut self, id: Id) {
        if self.plain > 0 || self.content.facts(id).text == 0 {
            return self.children(id);
        }
        let from = self.inline.mark();
        self.plain += 1;
        self.children(id);
        self.plain -= 1;
        self.inline.wrap(from, "**", "**");
    }

    fn link(&mut self, id: Id) {
        let tree = self.tree;
        if is_permalink(tree, id) {
            return;
        }
        let href = tree.attribute(id, "href").map(|href| href.trim().to_owned()).filter(|href| is_address(href));
        let Some(href) = href.filter(|_| self.plain == 0) else { return self.children(id) };
        let from = self.inline.mark();
        self.plain += 1;
        self.children(id);
        self.plain -= 1;
        if self.inline.since(from) != href {
            let plain = !href.contains([' ', '(', ')', '<', '>']);
            let href = if plain { href } else { format!("<{}>", href.replace(['<', '>', '\n'], "")) };
            self.inline.wrap(from, "[", &format!("]({href})"));
        }
    }
}

/// Whether an address leads somewhere and is worth its length.
fn is_address(href: &str) -> bool {
    let lower = href.get(..11).unwrap_or(href).to_ascii_lowercase();
    !href.is_empty()
        && href.len() <= 1000
        && href != "#"
        && !["javascript:", "data:", "vbscript:", "blob:"].iter().any(|scheme| lower.starts_with(scheme))
}

/// A link that only names its own place: `¶`, `#`, an icon.
fn is_permalink(tree: &Tree<'_>, id: Id) -> bool {
    if tree.name(id) != "a" || !tree.attribute(id, "href").is_some_and(|href| href.contains('#')) {
        return false;
    }
    let text: String = tree.below(id).filter_map(|id| tree.text(id)).take(4).collect();
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{200b}');
    let has_image = || tree.below(id).any(|id| tree.name(id) == "img");
    (text.is_empty() && !has_image())
        || matches!(
            text,
            "¶" | "#"
                | "§"
                | "🔗"
                | "ⓘ"
                | "⚓"
                | "\u{f0c1}"
                | "↩"
                | "↩\u{fe0e}"
                | "Permalink"
                | "permalink"
                | "Link to this heading"
        )
}

/// A signature of Javadoc, whose lines CSS keeps.
fn is_signature(tree: &Tree<'_>, id: Id) -> bool {
    ["member-signature", "type-signature", "package-signature", "module-signature"]
        .iter()
        .any(|class| tree.has_class(id, class))
}

fn is_tab_set(tree: &Tree<'_>, id: Id) -> bool {
    ["tabs-container", "tabbed-set", "vp-code-group", "sphinx-tabs"].iter().any(|class| tree.has_class(id, class))
}
