//! What is known of a site, from one crawl to the next.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use ai_assist_identity::{DocPath, Sha256, Validators};
use serde::{Deserialize, Serialize};

use super::variants::Variants;

/// How the pages of a site were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundBy {
    /// The URL is that of one document.
    Document,
    LlmsTxt,
    LlmsFullTxt,
    Sitemap,
    #[default]
    Links,
}

impl fmt::Display for FoundBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FoundBy::Document => "a single document",
            FoundBy::LlmsTxt => "llms.txt",
            FoundBy::LlmsFullTxt => "llms-full.txt",
            FoundBy::Sitemap => "sitemap",
            FoundBy::Links => "links",
        })
    }
}

/// Everything that a crawl needs to know of the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SiteRecord {
    pub found_by: FoundBy,
    /// Every URL that is named below by its number.
    pub urls: Vec<String>,
    pub pages: Vec<PageRecord>,
    pub(super) lists: Vec<ListRecord>,
    pub(super) variants: Option<Variants>,
}

/// What is known of one URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PageRecord {
    pub url: u32,
    /// Its document, if it is one: not a redirect, nor the same as another, nor kept from programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<DocPath>,
    /// Where its bytes are, if they are not those of the URL: its variant as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Sha256>,
    #[serde(skip_serializing_if = "is_zero")]
    pub size: u64,
    #[serde(flatten)]
    pub validators: Validators,
    /// The page that this one leads to, in place of being one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<u32>,
    /// The page that has the same content, and is the document of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u32>,
    /// It is no document at all, such as an image.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other: bool,
    /// The pages of the site that it links to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<u32>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A file that names pages: a sitemap, or `llms.txt`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ListRecord {
    pub(super) url: u32,
    #[serde(flatten)]
    pub(super) validators: Validators,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_index: bool,
    pub(super) links: Vec<u32>,
    /// The text of `robots.txt`, which has more than links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// A page as a lock knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    pub url: String,
    /// Where the bytes are, if elsewhere.
    pub from: Option<String>,
    pub hash: Sha256,
    pub size: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    pages: BTreeMap<String, String>,
}

impl SiteRecord {
    /// As text: a line with the URLs of documents, which every search reads, and one with all the rest.
    pub fn to_text(&self) -> String {
        let head =
            Head { pages: self.documents().into_iter().map(|(path, page)| (path.to_string(), page.url)).collect() };
        // Plain data, whose keys are texts.
        let line = |value: serde_json::Result<String>| value.unwrap_or_default();
        format!("{}\n{}\n", line(serde_json::to_string(&head)), line(serde_json::to_string(self)))
    }

    /// Reads it back; nothing for a text of another version.
    pub fn parse(text: &str) -> Option<Self> {
        let record: SiteRecord = serde_json::from_str(text.lines().nth(1)?).ok()?;
        let count = record.urls.len();
        let fits = |url: u32| (url as usize) < count;
        let whole = record.pages.iter().all(|page| {
            fits(page.url)
                && page.from.is_none_or(fits)
                && page.moved.is_none_or(fits)
                && page.same_as.is_none_or(fits)
                && page.links.iter().all(|&it| fits(it))
        });
        let lists = record.lists.iter().all(|list| fits(list.url) && list.links.iter().all(|&it| fits(it)));
        (whole && lists).then_some(record)
    }

    pub(super) fn url(&self, number: u32) -> &str {
        self.urls.get(number as usize).map_or("", String::as_str)
    }

    /// The documents of the site.
    pub fn documents(&self) -> BTreeMap<DocPath, SitePage> {
        let page = |page: &PageRecord| {
            let url = self.url(page.url).to_owned();
            let from = page.from.map(|from| self.url(from).to_owned());
            Some((page.path.clone()?, SitePage { url, from, hash: page.hash?, size: page.size }))
        };
        self.pages.iter().filter_map(page).collect()
    }

    /// Forgets what is known of documents that are not what is kept under their paths: a sync may have ended between the two.
    pub fn distrust(&mut self, is_kept: impl Fn(&DocPath, &Sha256) -> bool) {
        for page in &mut self.pages {
            if let (Some(path), Some(hash)) = (&page.path, &page.hash)
                && !is_kept(path, hash)
            {
                (page.hash, page.validators) = (None, Validators::default());
            }
        }
    }

    /// A record of pages of which nothing is known but what a lock says.
    pub fn of_pages(pages: &BTreeMap<DocPath, SitePage>) -> Self {
        let mut urls = Urls::default();
        let record = |(path, page): (&DocPath, &SitePage)| PageRecord {
            url: urls.number(&page.url),
            path: Some(path.clone()),
            from: page.from.as_ref().map(|from| urls.number(from)),
            hash: Some(page.hash),
            size: page.size,
            ..PageRecord::default()
        };
        let pages = pages.iter().map(record).collect();
        SiteRecord { pages, urls: urls.texts, ..SiteRecord::default() }
    }
}

/// The URLs of documents by their paths, out of the text of a record, without reading the rest of it.
pub fn page_urls(text: &str) -> BTreeMap<String, String> {
    let head = text.lines().next().and_then(|line| serde_json::from_str::<Head>(line).ok());
    head.map(|head| head.pages).unwrap_or_default()
}

/// URLs by number, each once.
#[derive(Debug, Default)]
pub(super) struct Urls {
    numbers: HashMap<String, u32>,
    pub(super) texts: Vec<String>,
}

impl Urls {
    pub(super) fn number(&mut self, url: &str) -> u32 {
        if let Some(&number) = self.numbers.get(url) {
            return number;
        }
        // There are never more than a few links for each of the pages, whose number is limited.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(url.to_owned(), number);
        self.texts.push(url.to_owned());
        number
    }

    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    /// The numbers here of URLs that another record has numbers for.
    pub(super) fn renumber(&mut self, numbers: &[u32], of: &SiteRecord) -> Vec<u32> {
        numbers.iter().map(|&number| self.number(of.url(number))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_and_a_broken_one_does_not() {
        let page = PageRecord {
            url: 0,
            path: Some(DocPath::parse("a b.html").unwrap()),
            hash: Some(Sha256::of(b"x")),
            size: 1,
            validators: Validators { etag: Some("\"e\"".into()), last_modified: None },
            links: vec![1],
            ..PageRecord::default()
        };
        let moved = PageRecord { url: 1, moved: Some(0), ..PageRecord::default() };
        let record = SiteRecord {
            urls: vec!["https://h/a%20b".into(), "https://h/c".into()],
            pages: vec![page, moved],
            ..SiteRecord::default()
        };
        let text = record.to_text();
        assert_eq!(SiteRecord::parse(&text), Some(record.clone()));
        assert_eq!(page_urls(&text), [("a b.html".to_owned(), "https://h/a%20b".to_owned())].into());
        for bad in ["", "{}", "x\ny\n", &text.replace("\"links\":[1]", "\"links\":[9]")] {
            assert_eq!(SiteRecord::parse(bad), None, "{bad}");
        }
        let again = SiteRecord::of_pages(&record.documents());
        assert_eq!(again.documents(), record.documents());
    }
}
