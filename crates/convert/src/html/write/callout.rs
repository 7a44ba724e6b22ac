//! Notes, tips and warnings.

use crate::html::content::Content;
use crate::html::tree::{Id, Tree};

const KINDS: [&str; 16] = [
    "note", "tip", "info", "warning", "danger", "caution", "important", "hint", "attention", "error", "success",
    "example", "question", "bug", "seealso", "deprecated",
];

/// Classes that make an element such a note.
const CLASSES: [&str; 12] = [
    "admonition", "admonitionblock", "alert", "aside-note", "callout", "custom-block", "markdown-alert", "notecard",
    "sd-alert", "starlight-aside", "theme-admonition", "topic",
];

pub(crate) struct Callout {
    pub(crate) title: Option<String>,
    /// The element that the title stands in.
    pub(crate) title_id: Option<Id>,
}

/// What an element notes, if it does.
pub(crate) fn of(tree: &Tree<'_>, content: &Content, id: Id) -> Option<Callout> {
    if !matches!(tree.name(id), "div" | "aside" | "section" | "details" | "blockquote" | "p") {
        return None;
    }
    let classes = tree.attribute(id, "class").unwrap_or_default();
    let mut classes = classes.split_ascii_whitespace();
    let note = tree.attribute(id, "role").is_some_and(|role| role == "note") && tree.name(id) != "p";
    // rustdoc marks a warning by that class alone.
    let is = |class: &str| CLASSES.contains(&class) || class.starts_with("admonition_") || class == "warning";
    let sidebar = tree.name(id) == "aside" && tree.has_class(id, "sidebar");
    if !note && !sidebar && !classes.any(is) {
        return None;
    }
    let title_id = tree.below(id).take(24).find(|&below| is_title(tree, content, below));
    let title = title_id.map(|title| words(&shown_text(tree, content, title))).filter(|title| !title.is_empty());
    let title = title.map(|title| cased(&title)).or_else(|| kind_of(tree, id));
    Some(Callout { title, title_id })
}

fn is_title(tree: &Tree<'_>, content: &Content, id: Id) -> bool {
    if content.is_dropped(id) || tree.text(id).is_some() {
        return false;
    }
    let is = |class: &str| {
        let class = class.to_ascii_lowercase();
        class.ends_with("title") || class.starts_with("admonitionheading") || class.starts_with("admonition-heading")
    };
    tree.name(id) == "summary"
        || tree.attribute(id, "class").is_some_and(|classes| classes.split_ascii_whitespace().any(is))
}

fn kind_of(tree: &Tree<'_>, id: Id) -> Option<String> {
    let classes = tree.attribute(id, "class")?;
    let words = || classes.split(|c: char| !c.is_ascii_alphanumeric());
    words().find(|word| KINDS.contains(word)).map(cased)
}

fn shown_text(tree: &Tree<'_>, content: &Content, id: Id) -> String {
    tree.below(id).filter(|&id| !content.is_dropped(id)).filter_map(|id| tree.text(id)).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Themes write the kind in lower or in upper case.
fn cased(title: &str) -> String {
    let lower = title.to_ascii_lowercase();
    if !KINDS.contains(&lower.as_str()) {
        return title.to_owned();
    }
    let mut chars = lower.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}
