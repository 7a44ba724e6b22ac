//! Pages: their main content, without what surrounds it.
//!
//! The way of a page: [`encoding`] makes characters of its bytes, [`tokens`] and [`tree`] elements of those, [`content`]
//! finds the elements that hold the content, [`write`] makes Markdown of them. Each step is one pass over the page.

mod chrome;
mod content;
mod encoding;
mod entities;
mod template;
mod title;
mod tokens;
pub(crate) mod tree;
pub(crate) mod write;

pub(crate) use encoding::decode;

use content::Content;
use tree::{Tree, is_heading};
use write::Style;

use crate::{ConvertError, Format, Limits, emit};

/// Bytes at the start of a file in which a page says that it is one.
const HEAD: usize = 2048;
/// Bytes of one page. The longest standards that are published as one page have about 15 million.
const MAX_PAGE: usize = 32 << 20;

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    // A name saved from an address may go on with its query.
    let name = name.split(['?', '#']).next().unwrap_or(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let is_page = match extension.as_str() {
        "html" | "htm" | "xhtml" => !bytes.contains(&0) || starts_as_page(bytes),
        "" | "txt" => starts_as_page(bytes),
        // Not an extension but the end of a version: `release-1.2`.
        other => !other.bytes().any(|byte| byte.is_ascii_lowercase()) && starts_as_page(bytes),
    };
    (is_page && !template::is_template(bytes)).then_some(Format::Html)
}

fn starts_as_page(bytes: &[u8]) -> bool {
    let head = decode(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let mut rest = head.trim_start();
    // Comments and the declaration of XML may stand before the page.
    while let Some(after) = rest.strip_prefix("<!--").and_then(|rest| rest.split_once("-->")) {
        rest = after.1.trim_start();
    }
    if let Some((_, after)) = rest.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        rest = after.trim_start();
    }
    let starts = |mark: &str| {
        rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '>'))
    };
    starts("<!doctype html") || starts("<html")
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    check_size(bytes)?;
    let text = decode(bytes);
    let xml = text.trim_start().starts_with("<?xml");
    let page = Page::parse(&text, xml, limits)?;
    let title = page.title();
    match page.write(title.as_deref(), limits) {
        Some(mut text) => {
            emit::cut(&mut text, limits);
            Ok(text)
        }
        None if page.has_script() => Err(ConvertError::NoText("the page is drawn by a script")),
        None => Err(ConvertError::NoText("")),
    }
}

/// What is read as one page takes several times its bytes of memory, so that is bounded whatever holds the page.
pub(crate) fn check_size(bytes: &[u8]) -> Result<(), ConvertError> {
    if bytes.len() > MAX_PAGE {
        return Err(ConvertError::TooLarge { what: "bytes in one page", limit: MAX_PAGE as u64 });
    }
    Ok(())
}

/// A page that was read, and where its content stands.
pub(crate) struct Page<'a> {
    tree: Tree<'a>,
    content: Content,
}

impl<'a> Page<'a> {
    fn parse(text: &'a str, xml: bool, limits: &Limits) -> Result<Self, ConvertError> {
        let tree = Tree::parse(text, xml, limits.max_depth)?;
        let content = Content::find(&tree);
        Ok(Page { tree, content })
    }

    /// A page of a book: all of it is content.
    pub(crate) fn parse_whole(text: &'a str, limits: &Limits) -> Result<Self, ConvertError> {
        let tree = Tree::parse(text, true, limits.max_depth)?;
        let content = Content::whole(&tree);
        Ok(Page { tree, content })
    }

    /// The first heading of the content, else what the page is called.
    fn title(&self) -> Option<String> {
        title::of(&self.tree, &self.content)
    }

    /// The content as Markdown under a title, or nothing if there are no words in it.
    fn write(&self, title: Option<&str>, limits: &Limits) -> Option<String> {
        if self.is_shell() {
            return None;
        }
        write::markdown(&self.tree, &self.content, Style::Page { title }, limits)
    }

    /// The content as part of a longer text, its headings below the title of that, or nothing without words.
    pub(crate) fn write_chapter(&self, limits: &Limits) -> Option<String> {
        write::markdown(&self.tree, &self.content, Style::Chapter, limits)
    }

    /// The first heading of a chapter, else what its file is called.
    pub(crate) fn chapter_title(&self) -> Option<String> {
        let tree = &self.tree;
        let shown = |id: &tree::Id| !self.content.is_dropped(*id) && self.content.facts(*id).text > 0;
        let heading = tree.below(Tree::ROOT).find(|id| is_heading(tree.name(*id)) && shown(id));
        let heading = heading.or_else(|| tree.below(Tree::ROOT).find(|&id| tree.name(id) == "title"));
        heading.map(|id| title::plain(&tree.raw_text(id))).filter(|title| !title.is_empty())
    }

    fn has_script(&self) -> bool {
        self.tree.below(Tree::ROOT).any(|id| self.tree.name(id) == "script")
    }

    /// Whether the page is what a script draws into: hardly a word, such as "Loading", in an element made for that.
    fn is_shell(&self) -> bool {
        let text: u32 = self.content.roots.iter().map(|&id| self.content.facts(id).text).sum();
        let is_mount = |id: tree::Id| {
            let id = self.tree.attribute(id, "id");
            id.is_some_and(|id| matches!(&*id, "root" | "app" | "__next" | "__nuxt" | "___gatsby" | "svelte"))
        };
        text < 40 && self.has_script() && self.tree.below(Tree::ROOT).any(is_mount)
    }
}

#[cfg(test)]
mod tests;
