//! Lists and definitions.

use super::lines::Item;
use super::{MAX_NESTED, Writer, inline};
use crate::html::tree::Id;

impl Writer<'_, '_> {
    pub(super) fn list(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        // A list around headings arranges a page, as older Javadoc does.
        if self.flat > 0 || content.facts(id).has_heading || self.lines.depth() >= MAX_NESTED {
            return self.flat_list(id);
        }
        self.flush();
        let ordered = tree.name(id) == "ol";
        let start = tree.attribute(id, "start").and_then(|start| start.trim().parse::<u32>().ok()).unwrap_or(1);
        let mut number = start;
        self.continue_item();
        for child in tree.children(id).filter(|&child| !content.is_dropped(child)) {
            if tree.name(child) != "li" {
                self.node(child);
                continue;
            }
            if content.facts(child).text == 0 && !has_images(self, child) {
                continue;
            }
            let bullet = if ordered { format!("{number}. ") } else { "- ".to_owned() };
            number = number.saturating_add(1);
            self.item(child, bullet);
        }
        self.flush();
        self.lines.part();
    }

    /// A list within an item follows its text at once.
    fn continue_item(&mut self) {
        if !self.lines.is_outermost() {
            self.lines.join();
        }
    }

    fn item(&mut self, id: Id, bullet: String) {
        self.flush();
        let item = self.lines.open_item(bullet);
        self.children(id);
        self.flush();
        self.lines.close_item(item);
    }

    fn flat_list(&mut self, id: Id) {
        let tree = self.tree;
        self.flush();
        for child in tree.children(id) {
            if self.flat > 0 && tree.name(child) == "li" && !self.inline.is_empty() && !self.content.is_dropped(child) {
                self.inline.space();
                self.inline.push_verbatim("\u{2022}");
                self.inline.space();
            }
            self.node(child);
        }
        self.flush();
    }

    pub(super) fn definitions(&mut self, id: Id) {
        let (tree, content) = (self.tree, self.content);
        if self.flat > 0 || content.facts(id).has_heading || self.lines.depth() >= MAX_NESTED {
            return self.flat_list(id);
        }
        self.flush();
        let level = self.level;
        let mut entry = None;
        for child in self.definition_parts(id) {
            if tree.name(child) != "dt" {
                self.blocks(child);
                continue;
            }
            if let Some(entry) = entry.take() {
                self.lines.close_item(entry);
            }
            self.level = level;
            entry = self.term(child);
        }
        if let Some(entry) = entry {
            self.lines.close_item(entry);
        }
        self.lines.part();
        self.level = level;
    }

    /// The terms and definitions of a list, which may stand in groups.
    fn definition_parts(&self, id: Id) -> Vec<Id> {
        let (tree, content) = (self.tree, self.content);
        let kept = |id: Id| tree.children(id).filter(|&child| !content.is_dropped(child) && tree.text(child).is_none());
        kept(id).flat_map(|child| if tree.name(child) == "div" { kept(child).collect() } else { vec![child] }).collect()
    }

    /// Writes a term, and gives the item that its definitions belong to, if they stand in one.
    fn term(&mut self, id: Id) -> Option<Item> {
        let tree = self.tree;
        let anchor = tree.attribute(id, "id").map(std::borrow::Cow::into_owned);
        if tree.has_class(id, "sig") && self.lines.is_outermost() {
            // The signature of a function or a class is what a section of a reference is about.
            let text = inline::code(&self.tree_text(id));
            if !text.is_empty() {
                self.titled(&text, (self.level + 1).min(6), anchor);
            }
            return None;
        }
        let anchored = anchor.is_some() && self.places && self.lines.is_outermost();
        self.place(anchor.as_deref());
        self.plain += 1;
        let text = self.line_of(id);
        self.plain -= 1;
        if anchored {
            if !text.is_empty() {
                self.write(&format!("**{text}**"));
            }
            return None;
        }
        let item = self.lines.open_item("- ".to_owned());
        if !text.is_empty() {
            self.write(&format!("**{text}**"));
            self.lines.join();
        }
        Some(item)
    }
}

fn has_images(writer: &Writer<'_, '_>, id: Id) -> bool {
    let tree = writer.tree;
    tree.below(id).any(|id| tree.name(id) == "img" && tree.attribute(id, "alt").is_some_and(|alt| !alt.is_empty()))
}
