//! What of a page is not content: navigation, controls, hidden parts.

use super::tree::{Id, Tree, is_heading};

/// Names that themes give to navigation and controls, also within the content. Words of a class are joined by `-`, so that
/// `tableOfContents_bqdL` and `table-of-contents` are one.
const ANYWHERE: [&str; 70] = [
    "announcement-bar", "back-to-top", "back-to-top-button", "breadcrumb", "breadcrumbs", "btn-copy", "carbon-ads",
    "clipboard", "clipboard-container", "code-copy", "consent", "cookie", "cookies", "copy-button", "copybtn",
    "copybutton", "doc-footer", "edit-link", "edit-page", "edit-page-link", "edit-this-page", "editlink",
    "editsection", "feedback", "gdpr", "github-edit", "hash-link", "header-anchor", "header-link", "headerlink",
    "jp-toolbar", "last-updated", "lineno", "linenos", "linenumber", "md-content-button", "md-source-file",
    "nav-chapters", "nav-wrapper", "navbar", "navigation", "navbox", "newsletter", "next-prev", "page-nav",
    "page-edit", "pager", "pagination", "prev-next", "print-only", "read-time", "reading-time", "screen-reader-text",
    "search-bar", "search-box", "search-form", "searchbar", "searchbox", "share", "share-buttons", "skip-link",
    "skip-nav", "skip-to-content", "sphinxsidebar", "sr-only", "table-of-contents", "toc", "toc-mobile",
    "version-badge", "visually-hidden",
];

/// Classes of one theme that say too little as words.
const EXACT: [&str; 23] = [
    "anchor-link", "backtotop", "blob-num", "boring", "copy-path", "gutter", "hideme", "hljs-ln-numbers", "katex-html",
    "line-numbers", "line-numbers-rows", "line-numbers-wrapper", "linenodiv", "ln", "lnt", "md-annotation",
    "notable-traits", "out-of-band", "rightside", "rouge-gutter", "src", "srclink", "test-arrow",
];

/// Names that mean navigation where nothing marks the content.
const AROUND: [&str; 38] = [
    "ads", "advert", "advertisement", "aside", "banner", "bottom-nav", "comments", "crumbs", "footer", "foot",
    "global-nav", "head-nav", "header", "left-nav", "links-bar", "masthead", "menu", "menubar", "nav", "nav-bar",
    "nav-panel", "navi", "navlinks", "page-footer", "page-header", "promo", "related", "related-posts", "right-nav",
    "side-bar", "sidebar", "sidenav", "site-footer", "site-header", "social", "sponsor", "top-nav", "topbar",
];

/// Whether an element is left out wherever it stands.
pub(crate) fn is_never_content(tree: &Tree<'_>, id: Id) -> bool {
    let name = tree.name(id);
    if name.is_empty() || name == "body" || name == "html" {
        return false;
    }
    is_control(name)
        || is_hidden(tree, id)
        || (name == "footer" && !tree.ancestors(id).any(|id| tree.name(id) == "blockquote"))
        || (name == "header" && is_page_header(tree, id))
        || (name == "form" && !holds_prose(tree, id))
        || (name == "span"
            && tree.has_class(id, "lang")
            && tree.children(tree.parent(id)).any(|id| tree.name(id) == "pre"))
        || (name == "label" && !is_tab_label(tree, id))
        || has_chrome_role(tree, id)
        || has_chrome_class(tree, id)
}

/// Whether an element shows nothing, or only controls, in a page that has no navigation around its content.
pub(crate) fn is_never_shown(tree: &Tree<'_>, id: Id) -> bool {
    is_control(tree.name(id)) || is_hidden(tree, id)
}

fn is_control(name: &str) -> bool {
    matches!(
        name,
        "audio"
            | "base"
            | "button"
            | "canvas"
            | "clipboard-copy"
            | "datalist"
            | "dialog"
            | "embed"
            | "head"
            | "iframe"
            | "input"
            | "link"
            | "map"
            | "meta"
            | "meter"
            | "nav"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "progress"
            | "script"
            | "search"
            | "select"
            | "style"
            | "svg"
            | "template"
            | "textarea"
            | "title"
            | "video"
    )
}

fn is_hidden(tree: &Tree<'_>, id: Id) -> bool {
    let is =
        |name: &str, wanted: &str| tree.attribute(id, name).is_some_and(|value| value.eq_ignore_ascii_case(wanted));
    // Only one panel of a set of tabs is shown at a time, but all are content.
    if is("role", "tabpanel") || tree.attribute(id, "class").is_some_and(|class| class.contains("tab")) {
        return false;
    }
    if tree.attribute(id, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return true;
    }
    // A permalink says so to screen readers only by being hidden from them; formulas hide their drawing.
    is("aria-hidden", "true")
        || tree.attribute(id, "style").is_some_and(|style| {
            let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        })
}

/// The header of a page, in contrast to that of an article.
fn is_page_header(tree: &Tree<'_>, id: Id) -> bool {
    !tree.ancestors(id).any(|id| matches!(tree.name(id), "main" | "article" | "section"))
        && !tree.ancestors(id).any(|id| tree.attribute(id, "role").is_some_and(|role| role == "main"))
}

/// Some pages stand in one form as a whole.
fn holds_prose(tree: &Tree<'_>, id: Id) -> bool {
    tree.below(id).any(|id| is_heading(tree.name(id)) || matches!(tree.name(id), "p" | "pre" | "table" | "article"))
}

/// The names of tabs are labels of the switches between them.
pub(crate) fn is_tab_label(tree: &Tree<'_>, id: Id) -> bool {
    tree.ancestors(id).take(2).any(|id| tree.attribute(id, "class").is_some_and(|class| class.contains("tab")))
}

fn has_chrome_role(tree: &Tree<'_>, id: Id) -> bool {
    tree.attribute(id, "role").is_some_and(|role| {
        matches!(
            &*role,
            "alertdialog"
                | "banner"
                | "button"
                | "contentinfo"
                | "dialog"
                | "menu"
                | "menubar"
                | "navigation"
                | "search"
                | "searchbox"
                | "toolbar"
                | "tooltip"
                | "doc-toc"
        )
    })
}

fn has_chrome_class(tree: &Tree<'_>, id: Id) -> bool {
    let Some(classes) = tree.attribute(id, "class") else { return is_toc_id(tree, id) };
    let has = |wanted: &str| classes.split_ascii_whitespace().any(|class| class == wanted);
    // The directive `contents` of docutils makes a table of contents of the page.
    (has("contents") && has("topic"))
        || is_toc_id(tree, id)
        || (!is_code(tree.name(id))
            && (classes.split_ascii_whitespace().any(|class| EXACT.contains(&class)) || names_one(&classes, &ANYWHERE)))
}

fn is_toc_id(tree: &Tree<'_>, id: Id) -> bool {
    matches!(tree.name(id), "div" | "ul" | "aside" | "details" | "table")
        && tree
            .attribute(id, "id")
            .is_some_and(|id| matches!(&*id, "toc" | "TOC" | "table-of-contents" | "cookie-banner"))
}

/// Classes of a listing speak of what it holds: `<pre class="language-toc">`.
fn is_code(name: &str) -> bool {
    matches!(name, "pre" | "code") || is_heading(name)
}

/// Whether an element stands around the content of a page on which nothing marks that.
pub(crate) fn is_around_content(tree: &Tree<'_>, id: Id) -> bool {
    let name = tree.name(id);
    if matches!(name, "aside" | "header") {
        return name == "aside" || is_page_header(tree, id);
    }
    let may_be = matches!(name, "div" | "ul" | "ol" | "table" | "td" | "p" | "section" | "center" | "dl" | "span");
    let names_of = |attribute: &str| tree.attribute(id, attribute).is_some_and(|value| names_one(&value, &AROUND));
    // The id of a section is its title.
    may_be && (names_of("class") || (name != "section" && !tree.has_class(id, "section") && names_of("id")))
}

/// Whether an element that was left out is the header of the page, which may hold its title.
pub(crate) fn is_header(tree: &Tree<'_>, id: Id) -> bool {
    let names = ["header", "page-header", "masthead"];
    let named = |attribute: &str| tree.attribute(id, attribute).is_some_and(|value| names_one(&value, &names));
    tree.name(id) == "header" || (tree.name(id) == "div" && (named("class") || named("id")))
}

/// Whether one of these names stands in a class as whole words, as in `site-footer` or `breadcrumbs_Xy1z`.
fn names_one(classes: &str, names: &[&str]) -> bool {
    // A heading in docutils links back to the table of contents.
    let is_name = |class: &&str| *class != "toc-backref";
    let whole = |class: &str, at: usize, len: usize| {
        let (before, after) = (class[..at].chars().next_back(), class[at + len..].chars().next());
        before.is_none_or(|c| c == '-') && after.is_none_or(|c| c == '-')
    };
    classes
        .split_ascii_whitespace()
        .filter(is_name)
        .map(words_of)
        .any(|class| names.iter().any(|name| class.match_indices(name).any(|(at, _)| whole(&class, at, name.len()))))
}

/// A class as words in lower case: `VPDocFooter` is `vp-doc-footer`.
fn words_of(class: &str) -> String {
    let mut words = String::with_capacity(class.len() + 8);
    let mut before = ' ';
    let mut chars = class.chars().take(80).peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            if !words.ends_with('-') {
                words.push('-');
            }
        } else {
            let starts_word = c.is_uppercase()
                && (before.is_lowercase()
                    || (before.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase())));
            if starts_word && !words.is_empty() && !words.ends_with('-') {
                words.push('-');
            }
            words.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_as_words() {
        for (class, words) in [
            ("tableOfContents_bqdL", "table-of-contents-bqd-l"),
            ("VPDocFooter", "vp-doc-footer"),
            ("md-content__button", "md-content-button"),
            ("breadcrumbs", "breadcrumbs"),
        ] {
            assert_eq!(words_of(class), words);
        }
        for (class, is) in [
            ("pagination-nav", true),
            ("theme-doc-breadcrumbs", true),
            ("tocCollapsible_ETCw", true),
            ("toctree-wrapper", false),
            ("shared-memory", false),
            ("a cookie-banner", true),
        ] {
            assert_eq!(names_one(class, &ANYWHERE), is, "{class}");
        }
    }
}
