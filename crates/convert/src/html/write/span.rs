//! Links, code and other parts of a paragraph.

use super::{Writer, inline};
use crate::html::tree::{Id, Tree, is_block};

impl Writer<'_, '_> {
    pub(super) fn image(&mut self, id: Id) {
        if let Some(alt) = self.tree.attribute(id, "alt") {
            self.inline.push(&alt);
        }
    }

    /// A formula: what it was written as, if the page keeps that, else its text.
    pub(super) fn math(&mut self, id: Id) {
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

    pub(super) fn inline_element(&mut self, id: Id) {
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

    pub(super) fn inline_code(&mut self, text: &str) {
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
    pub(super) fn tree_text(&self, id: Id) -> String {
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

    pub(super) fn strong(&mut self, id: Id) {
        if self.plain > 0 || self.content.facts(id).text == 0 {
            return self.children(id);
        }
        let from = self.inline.mark();
        self.plain += 1;
        self.children(id);
        self.plain -= 1;
        self.inline.wrap(from, "**", "**");
    }

    pub(super) fn link(&mut self, id: Id) {
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
pub(super) fn is_permalink(tree: &Tree<'_>, id: Id) -> bool {
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
