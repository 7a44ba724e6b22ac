//! Where the documents of websites are, so that a hit can cite its page.

use std::collections::{BTreeMap, HashMap};

use ai_assist_fetch::site::page_urls;
use ai_assist_identity::{CollectionId, CollectionKind, DocPath};
use ai_assist_search::{Hit, Origin};
use ai_assist_text::LineRange;

use crate::{DocumentRef, Library, Members, ReadDocument, Result};

/// The key in a package's `metadata` under which the URLs of its documents stand, if it was made of a website.
pub(crate) const PAGES_KEY: &str = "pages";

impl Library {
    /// Gives hits of websites, and of packages made of them, the URL of their page, with the section where the text says it.
    pub fn cite(&self, hits: &mut [Hit]) -> Result<()> {
        let mut sites: HashMap<CollectionId, BTreeMap<String, String>> = HashMap::new();
        for hit in hits {
            let Origin::Collection { collection_id, .. } = &hit.origin else { continue };
            if !sites.contains_key(collection_id) {
                sites.insert(collection_id.clone(), self.urls_of(collection_id)?);
            }
            let Some(url) = sites.get(collection_id).and_then(|urls| urls.get(&hit.document)) else { continue };
            let Ok(path) = DocPath::parse(&hit.document) else { continue };
            let document = self.store().document(collection_id, &path)?;
            hit.url = Some(page_url(url, document.as_ref().map_or("", |document| &document.text), hit.lines.start));
        }
        Ok(())
    }

    /// The document that is the page at a URL, and the lines of the section that the URL names.
    pub fn page_at(&self, members: &Members, url: &str) -> Result<Option<(ReadDocument, Option<LineRange>)>> {
        let (page, anchor) = url.split_once('#').map_or((url, None), |(page, anchor)| (page, Some(anchor)));
        let same = |known: &str| known.trim_end_matches('/') == page.trim_end_matches('/');
        for member in members.iter() {
            let urls = self.urls_of(member.resolved.id())?;
            let Some((path, _)) = urls.iter().find(|(_, known)| same(known)) else { continue };
            let reference = DocumentRef { name: format!("{}/{path}", member.name), lines: None };
            let document = self.read(members, std::slice::from_ref(&member.name), false, &reference)?;
            let section = anchor.and_then(|anchor| section(&document.text, anchor));
            return Ok(Some((document, section)));
        }
        Ok(None)
    }

    fn urls_of(&self, id: &CollectionId) -> Result<BTreeMap<String, String>> {
        match id.kind() {
            CollectionKind::File | CollectionKind::Dep => Ok(BTreeMap::new()),
            CollectionKind::Site => {
                let package = self.store().package(id)?;
                Ok(package.map(|package| page_urls(&package.manifest)).unwrap_or_default())
            }
            CollectionKind::Pkg => {
                let package = self.store().package(id)?;
                Ok(package.map(|package| packed_urls(&package.manifest)).unwrap_or_default())
            }
        }
    }
}

/// The URLs of documents that the manifest of a package has.
fn packed_urls(manifest: &str) -> BTreeMap<String, String> {
    // Most packages have none, and their manifests may be long.
    if !manifest.contains("\"site\"") {
        return BTreeMap::new();
    }
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(manifest) else { return BTreeMap::new() };
    let pages = manifest.pointer("/metadata/pages").and_then(|pages| pages.as_object());
    let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
    let url = |(path, url): (&String, &serde_json::Value)| {
        Some((path.clone(), url.as_str().filter(|url| is_web(url))?.to_owned()))
    };
    pages.into_iter().flatten().filter_map(url).collect()
}

/// The lines from the mark of a section to that of the next.
fn section(text: &str, anchor: &str) -> Option<LineRange> {
    let mark = format!("<!-- section #{anchor} -->");
    let start = text.lines().position(|line| line.trim() == mark)?;
    let next = text.lines().skip(start + 1).position(|line| line.trim().starts_with("<!-- section #"));
    let end = next.map_or_else(|| text.lines().count(), |next| start + 1 + next);
    Some(LineRange { start: u32::try_from(start + 1).ok()?, end: u32::try_from(end).ok()? })
}

/// The URL of the section in which a line of a document stands: a line `<!-- section #id -->` above it, or itself, names it.
pub fn page_url(url: &str, text: &str, line: u32) -> String {
    let above = text.lines().take(line as usize);
    let anchor = above.filter_map(|line| {
        let anchor = line.trim().strip_prefix("<!-- section #")?.strip_suffix(" -->")?;
        (!anchor.is_empty() && !anchor.contains(char::is_whitespace)).then_some(anchor)
    });
    match anchor.last() {
        Some(anchor) => format!("{url}#{anchor}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_the_last_one_named_above() {
        let text = "intro\n<!-- section #one -->\n# One\ntext\n<!-- section #two -->\n# Two\n<!-- section bad -->\n";
        for (line, expected) in [(1, "u"), (2, "u#one"), (4, "u#one"), (5, "u#two"), (99, "u#two")] {
            assert_eq!(page_url("u", text, line), expected, "{line}");
        }
    }

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text = "intro\n<!-- section #one -->\n# One\ntext\n<!-- section #two -->\n# Two\n";
        assert_eq!(section(text, "one"), Some(LineRange { start: 2, end: 4 }));
        assert_eq!(section(text, "two"), Some(LineRange { start: 5, end: 6 }));
        assert_eq!(section(text, "three"), None);
    }

    #[test]
    fn only_web_addresses_of_a_package_are_cited() {
        let manifest = r#"{"metadata": {"site": "https://h/", "pages": {"a.md": "https://h/a", "b.md": "javascript:x", "c.md": 1}}}"#;
        assert_eq!(packed_urls(manifest), [("a.md".to_owned(), "https://h/a".to_owned())].into());
        assert!(packed_urls("{\"site\"").is_empty());
    }
}
