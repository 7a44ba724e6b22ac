//! Listings.

use crate::html::content::Content;
use crate::html::tree::{Id, Tree, is_block};

/// A listing as a fenced block.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let longest =
        text.lines().map(|line| line.trim_start()).map(|line| line.len() - line.trim_start_matches('`').len());
    let fence = "`".repeat(longest.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// The text of a listing without the numbers of its lines, or nothing if it is blank.
pub(crate) fn text_of(tree: &Tree<'_>, content: &Content, id: Id) -> Option<String> {
    let mut text = String::new();
    collect(tree, content, id, &mut text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    Some(lines[first..=last].join("\n"))
}

fn collect(tree: &Tree<'_>, content: &Content, id: Id, text: &mut String) {
    for child in tree.children(id).filter(|&child| !content.is_dropped(child)) {
        if let Some(part) = tree.text(child) {
            text.extend(
                part.chars()
                    .filter(|c| !matches!(c, '\u{200b}' | '\u{feff}'))
                    .map(|c| if c == '\u{a0}' { ' ' } else { c }),
            );
            continue;
        }
        let name = tree.name(child);
        if name == "br" {
            text.push('\n');
            continue;
        }
        // Themes that draw each line as a block leave out the line feeds.
        let line = (is_block(name) && name != "pre") || is_block(tree.name(child));
        if line && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let start = text.len();
        collect(tree, content, child, text);
        if line && text.len() > start && !text.ends_with('\n') {
            text.push('\n');
        }
    }
}

/// The language of a listing, said by its own classes, by those of its `code`, or by those of what holds it.
pub(crate) fn language_of(tree: &Tree<'_>, id: Id) -> String {
    let inner = tree.children(id).find(|&child| tree.name(child) == "code");
    // Between a listing and what names its language may stand the table that holds the numbers of its lines.
    let around =
        tree.ancestors(id).take(8).take_while(|&id| !matches!(tree.name(id), "section" | "article" | "main" | "li"));
    let found = inner.into_iter().chain([id]).chain(around).find_map(|id| said_by(tree, id));
    normal(&found.unwrap_or_default())
}

fn said_by(tree: &Tree<'_>, id: Id) -> Option<String> {
    for name in ["data-lang", "data-language"] {
        if let Some(language) = tree.attribute(id, name).filter(|language| !language.trim().is_empty()) {
            return Some(language.trim().to_owned());
        }
    }
    let classes = tree.attribute(id, "class")?;
    let mut classes = classes.split_ascii_whitespace().peekable();
    let listing = matches!(tree.name(id), "pre" | "code");
    let mut last = None;
    while let Some(class) = classes.next() {
        let after = |prefix: &str| class.strip_prefix(prefix).filter(|rest| !rest.is_empty()).map(str::to_owned);
        if class == "brush:" {
            return classes.next().map(|next| next.trim_end_matches(';').to_owned());
        }
        let said = after("language-")
            .or_else(|| after("lang-"))
            .or_else(|| after("highlight-source-"))
            .or_else(|| after("highlight-text-"))
            .or_else(|| after("highlight-"))
            .or_else(|| after("brush:").map(|rest| rest.trim_end_matches(';').to_owned()))
            .or_else(|| after("src-").filter(|_| listing));
        if said.is_some() {
            return said;
        }
        // rustdoc, pandoc and highlight.js write the bare name beside a class of their own.
        if listing && last.is_some_and(|last| matches!(last, "sourceCode" | "hljs" | "src")) {
            return Some(class.to_owned());
        }
        if listing && class == "rust" {
            return Some(class.to_owned());
        }
        last = Some(class);
    }
    None
}

fn normal(language: &str) -> String {
    let language = language.to_ascii_lowercase();
    let known = language.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte));
    match language.as_str() {
        "default" | "none" | "text" | "txt" | "plain" | "plaintext" | "nohighlight" | "notranslate" | "source" => {
            String::new()
        }
        "ipython" | "ipython3" | "python3" | "py3" => "python".to_owned(),
        "html-basic" => "html".to_owned(),
        "copy-button" => String::new(),
        _ if !known || language.len() > 24 => String::new(),
        _ => language,
    }
}
