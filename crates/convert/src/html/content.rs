//! What of a page is its content.
//!
//! Generators of documentation mark the content, each in its own way; those marks are looked for first. Heuristics of
//! reading modes, which weigh paragraphs, lose most of a reference page: signatures, tables and short entries. Only a page
//! without any mark is judged by its words, and there what is left out has to look like navigation by name or by links.

use super::chrome;
use super::tree::{Id, Tree, is_block, is_heading};

pub(crate) struct Content {
    /// The elements that hold the content, in the order of the page, none within another.
    pub(crate) roots: Vec<Id>,
    dropped: Vec<bool>,
    facts: Vec<Facts>,
}

/// What stands below a node, without what is dropped.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    /// Bytes of text that are no white space. In 32 bits, as there is one of these for each node.
    pub(crate) text: u32,
    /// Of these, the ones in links.
    pub(crate) link_text: u32,
    pub(crate) has_block: bool,
    pub(crate) has_heading: bool,
}

/// How the content is marked, most telling first. The share is what of the page's text it must hold to be believed.
const MARKS: [(Mark, f64); 43] = [
    (Mark::Class("theme-doc-markdown"), 0.0),
    (Mark::Class("vp-doc"), 0.0),
    (Mark::Class("theme-default-content"), 0.0),
    (Mark::Class("md-content__inner"), 0.0),
    (Mark::Class("md-content"), 0.0),
    (Mark::Id("furo-main-content"), 0.0),
    (Mark::Class("bd-article"), 0.0),
    (Mark::ItemProp("articleBody"), 0.3),
    (Mark::Class("markdown-body"), 0.1),
    (Mark::Class("sl-markdown-content"), 0.0),
    (Mark::Class("nextra-content"), 0.0),
    (Mark::Id("mw-content-text"), 0.0),
    (Mark::Id("main-content"), 0.3),
    (Mark::Name("main"), 0.25),
    (Mark::Role("main"), 0.25),
    (Mark::Name("article"), 0.4),
    (Mark::Role("article"), 0.4),
    (Mark::Id("content"), 0.4),
    (Mark::Id("main"), 0.4),
    (Mark::Id("bodyContent"), 0.4),
    (Mark::Id("page-content"), 0.4),
    (Mark::Id("docs-content"), 0.4),
    (Mark::Id("article"), 0.4),
    (Mark::Id("post"), 0.4),
    (Mark::Class("body"), 0.4),
    (Mark::Class("entry-content"), 0.4),
    (Mark::Class("post-content"), 0.4),
    (Mark::Class("post-body"), 0.4),
    (Mark::Class("article-content"), 0.4),
    (Mark::Class("article-body"), 0.4),
    (Mark::Class("article__body"), 0.4),
    (Mark::Class("page-content"), 0.4),
    (Mark::Class("main-content"), 0.4),
    (Mark::Class("docs-content"), 0.4),
    (Mark::Class("doc-content"), 0.4),
    (Mark::Class("documentation"), 0.4),
    (Mark::Class("contents"), 0.4),
    (Mark::Class("content"), 0.4),
    (Mark::Class("markdown"), 0.4),
    (Mark::Class("prose"), 0.4),
    (Mark::Class("rst-content"), 0.4),
    (Mark::Class("book-body"), 0.4),
    (Mark::Class("main"), 0.4),
];

#[derive(Debug, Clone, Copy)]
enum Mark {
    Name(&'static str),
    Id(&'static str),
    Class(&'static str),
    Role(&'static str),
    ItemProp(&'static str),
}

impl Mark {
    fn is_on(self, tree: &Tree<'_>, id: Id) -> bool {
        let has = |name: &str, wanted: &str| tree.attribute(id, name).is_some_and(|value| value == wanted);
        match self {
            Mark::Name(name) => tree.name(id) == name,
            Mark::Id(wanted) => has("id", wanted) && !is_heading(tree.name(id)) && tree.name(id) != "a",
            Mark::Class(class) => tree.has_class(id, class),
            Mark::Role(role) => has("role", role),
            Mark::ItemProp(property) => has("itemprop", property),
        }
    }
}

impl Content {
    pub(crate) fn find(tree: &Tree<'_>) -> Self {
        let mut content = Content { roots: Vec::new(), dropped: vec![false; tree.len()], facts: Vec::new() };
        content.drop_where(tree, Tree::ROOT, |id| chrome::is_never_content(tree, id));
        content.measure(tree);
        content.roots = content.marked(tree).unwrap_or_else(|| {
            let body = tree.below(Tree::ROOT).find(|&id| tree.name(id) == "body").unwrap_or(Tree::ROOT);
            content.drop_unmarked(tree, body);
            vec![body]
        });
        content.restore_page_header(tree);
        content.measure(tree);
        content
    }

    /// A page that is content as a whole, but for what is never shown.
    pub(crate) fn whole(tree: &Tree<'_>) -> Self {
        let mut content = Content { roots: vec![Tree::ROOT], dropped: vec![false; tree.len()], facts: Vec::new() };
        content.drop_where(tree, Tree::ROOT, |id| chrome::is_never_shown(tree, id));
        content.measure(tree);
        content
    }

    pub(crate) fn is_dropped(&self, id: Id) -> bool {
        self.dropped[id]
    }

    pub(crate) fn facts(&self, id: Id) -> Facts {
        self.facts[id]
    }

    /// The elements with the first mark whose elements hold enough of the page.
    fn marked(&self, tree: &Tree<'_>) -> Option<Vec<Id>> {
        // One pass over the page for all marks.
        let mut found: Vec<Vec<Id>> = vec![Vec::new(); MARKS.len()];
        for id in tree.below(Tree::ROOT).filter(|&id| !self.dropped[id] && self.facts[id].text > 0) {
            for ((mark, _), found) in MARKS.iter().zip(&mut found) {
                let nested = found.last().is_some_and(|&last| tree.contains(last, id));
                if !nested && mark.is_on(tree, id) {
                    found.push(id);
                }
            }
        }
        let all = f64::from(self.facts[Tree::ROOT].text);
        let enough = |(roots, share): (Vec<Id>, f64)| {
            let text: u32 = roots.iter().map(|&id| self.facts[id].text).sum();
            (text > 0 && f64::from(text) >= all * share).then_some(roots)
        };
        found.into_iter().zip(MARKS.iter().map(|(_, share)| *share)).find_map(enough)
    }

    fn drop_where(&mut self, tree: &Tree<'_>, root: Id, is_chrome: impl Fn(Id) -> bool) {
        for id in tree.below(root) {
            let parent = tree.parent(id);
            self.dropped[id] |= (parent != root && self.dropped[parent]) || is_chrome(id);
        }
    }

    /// Counts what stands below each node. Nodes stand behind their parents, so one pass from the end does it.
    fn measure(&mut self, tree: &Tree<'_>) {
        self.facts.clear();
        self.facts.resize(tree.len(), Facts::default());
        for id in (1..tree.len()).rev().filter(|&id| !self.dropped[id]) {
            let name = tree.name(id);
            let mut below = self.facts[id];
            if let Some(text) = tree.text(id) {
                below.text = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() as u32;
                self.facts[id] = below;
            }
            if name == "a" {
                below.link_text = below.text;
            }
            below.has_block |= is_block(name);
            below.has_heading |= is_heading(name);
            let parent = &mut self.facts[tree.parent(id)];
            parent.text += below.text;
            parent.link_text += below.link_text;
            parent.has_block |= below.has_block;
            parent.has_heading |= below.has_heading;
        }
    }

    /// Leaves out of a page without marks what looks like navigation by its name, or by where its links stand.
    fn drop_unmarked(&mut self, tree: &Tree<'_>, body: Id) {
        let all = self.facts[body].text;
        let small: Vec<bool> = self.facts.iter().map(|facts| facts.text * 2 <= all).collect();
        self.drop_where(tree, body, |id| small[id] && chrome::is_around_content(tree, id));
        self.measure(tree);
        let first_heading = tree.below(body).find(|&id| !self.dropped[id] && is_heading(tree.name(id)));
        let is_prose = |id: Id| matches!(tree.name(id), "p" | "pre" | "dd") && !self.is_link_list(id);
        let last_prose = tree.below(body).rfind(|&id| !self.dropped[id] && is_prose(id));
        let (Some(first), Some(last)) = (first_heading, last_prose) else { return };
        let outside: Vec<Id> = tree
            .below(body)
            .filter(|&id| !tree.contains(id, first) && !tree.contains(id, last) && (id < first || id > last))
            .filter(|&id| is_block(tree.name(id)) && self.is_link_list(id))
            .collect();
        for id in outside {
            self.drop_all(tree, id);
        }
    }

    fn is_link_list(&self, id: Id) -> bool {
        let facts = self.facts[id];
        facts.link_text * 4 > facts.text * 3
    }

    fn drop_all(&mut self, tree: &Tree<'_>, id: Id) {
        self.dropped[id..tree.below(id).end].fill(true);
    }

    /// The header of a page holds its name and its navigation; if it holds the only `h1`, that one is content.
    fn restore_page_header(&mut self, tree: &Tree<'_>) {
        let roots = self.roots.clone();
        let within = |id: Id| roots.iter().any(|&root| tree.contains(root, id));
        let is_title = |id: Id| matches!(tree.name(id), "h1" | "h2") && within(id);
        if tree.below(Tree::ROOT).any(|id| is_title(id) && tree.name(id) == "h1" && !self.dropped[id]) {
            return;
        }
        let in_header = |id: Id| {
            let outermost = tree.ancestors(id).take_while(|&id| self.dropped[id]).last();
            outermost.is_some_and(|outermost| chrome::is_header(tree, outermost))
        };
        let title = tree.below(Tree::ROOT).find(|&id| is_title(id) && self.dropped[id] && in_header(id));
        if let Some(title) = title {
            for id in std::iter::once(title).chain(tree.ancestors(title)) {
                self.dropped[id] = false;
            }
            for id in tree.below(title) {
                self.dropped[id] = chrome::is_never_content(tree, id) || self.dropped[tree.parent(id)];
            }
        }
    }
}
