//! What a page is called.

use super::content::Content;
use super::tree::{Id, Tree};

/// The title of a page whose content has no first heading; nothing if it has one, because that is written in its place.
pub(crate) fn of(tree: &Tree<'_>, content: &Content) -> Option<String> {
    let h1 = |id: &Id| tree.name(*id) == "h1" && !content.is_dropped(*id) && content.facts(*id).text > 0;
    if content.roots.iter().any(|&root| tree.name(root) == "h1" || tree.below(root).any(|id| h1(&id))) {
        return None;
    }
    let title = tree.below(Tree::ROOT).find(|&id| tree.name(id) == "title").map(|id| plain(&tree.raw_text(id)));
    let title = title.filter(|title| !title.is_empty());
    // A heading beside the content is the title of the page if the page says so too; else it is that of the site.
    let beside = tree.below(Tree::ROOT).filter(h1).map(|id| plain(&tree.raw_text(id)));
    let beside = beside.into_iter().find(|text| title.as_ref().is_none_or(|title| title.contains(text.as_str())));
    beside.or_else(|| title.map(|title| without_site(&title, site(tree).as_deref())))
}

pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(['¶', '#']).trim_end().to_owned()
}

/// What the page says its site is called.
fn site(tree: &Tree<'_>) -> Option<String> {
    let is = |id: &Id| tree.attribute(*id, "property").is_some_and(|property| property == "og:site_name");
    let meta = tree.below(Tree::ROOT).filter(|&id| tree.name(id) == "meta").find(is)?;
    tree.attribute(meta, "content").map(|site| plain(&site))
}

/// A title without the name of the site, which stands behind the last separator.
fn without_site(title: &str, site: Option<&str>) -> String {
    const SEPARATORS: [&str; 8] =
        [" | ", " \u{2014} ", " \u{2013} ", " \u{b7} ", " \u{2022} ", " :: ", " \u{bb} ", " - "];
    if let Some(site) = site {
        for separator in SEPARATORS {
            let rest = title.strip_suffix(site).and_then(|rest| rest.strip_suffix(separator));
            let rest = rest.or_else(|| title.strip_prefix(site).and_then(|rest| rest.strip_prefix(separator)));
            if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
                return rest.to_owned();
            }
        }
    }
    let last = SEPARATORS.iter().filter_map(|separator| title.rfind(separator)).max();
    last.filter(|&at| at > 0).map_or(title, |at| &title[..at]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_site_is_left_out() {
        let cases = [
            ("Install | Tool", None, "Install"),
            ("json \u{2014} JSON encoder \u{2014} Python 3.11 documentation", None, "json \u{2014} JSON encoder"),
            ("Tool - Install", Some("Tool"), "Install"),
            ("Vec in std::vec - Rust", None, "Vec in std::vec"),
            ("A well-known thing", None, "A well-known thing"),
            (" | Tool", None, "| Tool"),
        ];
        for (title, site, wanted) in cases {
            assert_eq!(without_site(title, site), wanted);
        }
    }
}
