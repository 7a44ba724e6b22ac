//! Where a site says which pages it has: `robots.txt`, `llms.txt`, sitemaps.

use std::collections::{HashSet, VecDeque};

use url::Url;

use super::html::looks_like_html;
use super::record::{ListRecord, Urls};
use super::robots::{self, Robots};
use super::scope::file_name;
use super::variants::{Variants, candidates, form, page_of};
use super::{FoundBy, Site, SiteError, list_manner, markdown, page_manner, sitemap};
use crate::{Answer, Body, NamedBy, Pace, Request, TransportError};

/// Redirects of a list that are followed.
const MOST_REDIRECTS: usize = 5;
const MOST_SITEMAPS: usize = 500;

/// A `robots.txt` up to this size is kept with the record.
const KEPT_TEXT: usize = 64 << 10;

/// A page to begin with, and where its bytes are if elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seed {
    pub(super) url: Url,
    pub(super) from: Option<Url>,
}

/// Asks for lists of pages, and remembers what they said.
pub(super) struct Finder<'f> {
    pub(super) site: Site<'f>,
    pub(super) robots: Robots,
    pub(super) named_by: NamedBy,
    pub(super) pace: Pace,
    pub(super) urls: Urls,
    pub(super) lists: Vec<ListRecord>,
}

enum Listed {
    Missing,
    /// As it was the last time, by the numbers of this one.
    Same(ListRecord),
    New(Body),
}

impl<'f> Finder<'f> {
    /// Reads `robots.txt` first: everything else depends on it.
    pub(super) fn new(site: Site<'f>) -> Result<Self, SiteError> {
        let pace = site.limits.pace(site.scope.start());
        let (robots, urls) = (Robots::default(), Urls::default());
        let mut finder = Finder { site, robots, named_by: NamedBy::User, pace, urls, lists: Vec::new() };
        let Some(url) = site.scope.start().join("/robots.txt").ok() else { return Ok(finder) };
        let text = match finder.ask(&url, robots::MOST_BYTES).map_err(unknown_rules)? {
            Listed::Missing => return Ok(finder),
            Listed::Same(list) => {
                let text = list.text.clone().unwrap_or_default();
                finder.lists.push(list);
                text
            }
            Listed::New(body) if looks_like_html(&body.bytes) => return Ok(finder),
            Listed::New(body) => {
                let text = String::from_utf8_lossy(&body.bytes).into_owned();
                if text.len() <= KEPT_TEXT {
                    let (url, validators) = (finder.urls.number(url.as_str()), body.validators);
                    finder.lists.push(ListRecord {
                        url,
                        validators,
                        text: Some(text.clone()),
                        ..ListRecord::default()
                    });
                }
                text
            }
        };
        finder.robots = Robots::parse(&text);
        if let Some(delay) = finder.robots.delay {
            finder.pace.pause = finder.pace.pause.max(delay);
        }
        Ok(finder)
    }

    pub(super) fn allows(&self, url: &Url) -> bool {
        match url.query() {
            Some(query) => self.robots.allows(&format!("{}?{query}", url.path())),
            None => self.robots.allows(url.path()),
        }
    }

    /// Asks for a file that may not be there. What is known of it from the last time is asked for only if it has changed.
    fn ask(&mut self, url: &Url, most: u64) -> Result<Listed, SiteError> {
        if !self.allows(url) {
            return Ok(Listed::Missing);
        }
        let known = self.site.known.and_then(|known| {
            let list = known.lists.iter().find(|list| known.url(list.url) == url.as_str())?;
            Some((known, list))
        });
        let validators = known.map(|(_, list)| list.validators.clone()).unwrap_or_default();
        let manner = list_manner(self.pace);
        let mut request = Request { url: url.clone(), validators, named_by: self.named_by, manner };
        for _ in 0..=MOST_REDIRECTS {
            let error = match (self.site.client.get(&request, most, self.site.cancel), known) {
                (Ok(Answer::NotModified { .. }), Some((known, list))) => {
                    let links = self.urls.renumber(&list.links, known);
                    return Ok(Listed::Same(ListRecord { url: self.urls.number(url.as_str()), links, ..list.clone() }));
                }
                (Ok(Answer::NotModified { .. }), None) => return Ok(Listed::Missing),
                (Ok(Answer::Body(body)), _) => return Ok(Listed::New(body)),
                (Err(error), _) => error,
            };
            match error {
                TransportError::Moved { to, .. } if self.site.scope.same_origin(&to) => request.url = *to,
                error if is_absent(&error) => return Ok(Listed::Missing),
                // A server that breaks over a file it never had is no reason to give up, unless that file would say what may be read.
                error if known.is_none() && !self.must_know(url) && !ends_all(&error) => return Ok(Listed::Missing),
                error => return Err(error.into()),
            }
        }
        Ok(Listed::Missing)
    }

    /// Whether it has to be known what is in a file: what may be read, but not of this machine, where nobody has to ask.
    fn must_know(&self, url: &Url) -> bool {
        url.path() == "/robots.txt" && !super::is_loopback(url)
    }

    /// The pages that the site names itself, and how. None if it names none of the scope.
    pub(super) fn seeds(&mut self) -> Result<Option<(FoundBy, Vec<Seed>)>, SiteError> {
        let start = self.site.scope.start().clone();
        if is_llms(&start) {
            return Ok(self.llms(&start)?.map(|seeds| (FoundBy::LlmsTxt, seeds)));
        }
        if is_sitemap(&start) {
            return Ok(self.sitemaps(vec![start])?.map(|seeds| (FoundBy::Sitemap, seeds)));
        }
        for of_host in self.roots() {
            if let Some(url) = self.site.scope.file("llms.txt", of_host)
                && let Some(seeds) = self.llms(&url)?
            {
                return Ok(Some((FoundBy::LlmsTxt, seeds)));
            }
        }
        // All of the host in one file is more than was asked for, unless all of the host was.
        if let Some(url) = self.site.scope.file("llms-full.txt", false)
            && self.has_text(&url)?
        {
            return Ok(Some((FoundBy::LlmsFullTxt, vec![Seed { url, from: None }])));
        }
        let named: Vec<Url> = self.robots.sitemaps.iter().filter_map(|it| start.join(it).ok()).collect();
        let guesses = self.roots().into_iter().filter_map(|of_host| self.site.scope.file("sitemap.xml", of_host));
        let guesses: Vec<Url> = guesses.chain(self.site.scope.file("sitemap_index.xml", true)).collect();
        for several in [named].into_iter().chain(guesses.into_iter().map(|url| vec![url])) {
            if let Some(seeds) = self.sitemaps(several)? {
                return Ok(Some((FoundBy::Sitemap, seeds)));
            }
        }
        Ok(None)
    }

    /// The root of the scope, and that of the host if it is another.
    fn roots(&self) -> Vec<bool> {
        if self.site.scope.is_host() { vec![false] } else { vec![false, true] }
    }

    /// Whether there is a text, and not a page that says that there is none. Its bytes are asked for with those of the other pages.
    fn has_text(&mut self, url: &Url) -> Result<bool, SiteError> {
        if self.site.known.is_some_and(|known| known.found_by == FoundBy::LlmsFullTxt) {
            return Ok(true);
        }
        match self.ask(url, self.site.client.limits().max_file_bytes)? {
            Listed::New(body) => Ok(!looks_like_html(&body.bytes) && !body.bytes.trim_ascii().is_empty()),
            Listed::Missing | Listed::Same(_) => Ok(false),
        }
    }

    fn llms(&mut self, url: &Url) -> Result<Option<Vec<Seed>>, SiteError> {
        let list = match self.ask(url, self.site.client.limits().max_file_bytes)? {
            Listed::Missing => return Ok(None),
            Listed::Same(list) => list,
            Listed::New(body) if looks_like_html(&body.bytes) => return Ok(None),
            Listed::New(body) => {
                let links = markdown::links(&String::from_utf8_lossy(&body.bytes));
                let pages = links.iter().filter_map(|link| self.site.scope.page(&body.url, link));
                let links = self.numbers(pages.filter(|page| !is_llms(page)));
                ListRecord {
                    url: self.urls.number(url.as_str()),
                    validators: body.validators,
                    links,
                    ..ListRecord::default()
                }
            }
        };
        let seeds = self.seeds_of(&list.links);
        self.lists.push(list);
        Ok((!seeds.is_empty()).then_some(seeds))
    }

    /// The pages of some sitemaps, and of those that they name.
    fn sitemaps(&mut self, first: Vec<Url>) -> Result<Option<Vec<Seed>>, SiteError> {
        let mut waiting: VecDeque<Url> = first.into();
        let mut seen: HashSet<Url> = HashSet::new();
        let mut pages = Vec::new();
        while let Some(url) = waiting.pop_front() {
            let is_new = self.site.scope.same_origin(&url) && seen.len() < MOST_SITEMAPS && seen.insert(url.clone());
            if !is_new || self.lists.iter().any(|list| self.urls.text(list.url) == url.as_str()) {
                continue;
            }
            let list = match self.ask(&url, sitemap::MOST_BYTES)? {
                Listed::Missing => continue,
                Listed::Same(list) => list,
                Listed::New(body) => {
                    let Some(found) = sitemap::read(body.bytes) else { continue };
                    let links = if found.is_index {
                        let maps = found.locations.iter().filter_map(|it| url.join(it).ok());
                        self.numbers(maps)
                    } else {
                        let inside = found.locations.iter().filter_map(|it| self.site.scope.page(&url, it));
                        self.numbers(inside)
                    };
                    let (url, validators, is_index) = (self.urls.number(url.as_str()), body.validators, found.is_index);
                    ListRecord { url, validators, is_index, links, text: None }
                }
            };
            let texts = list.links.iter().map(|&it| self.urls.text(it));
            match list.is_index {
                true => waiting.extend(texts.filter_map(|it| Url::parse(it).ok())),
                false => pages.extend(list.links.iter().copied()),
            }
            self.lists.push(list);
        }
        let seeds = self.seeds_of(&pages);
        Ok((!seeds.is_empty()).then_some(seeds))
    }

    /// Numbers of URLs, each once, in order.
    fn numbers(&mut self, urls: impl Iterator<Item = Url>) -> Vec<u32> {
        let mut seen = HashSet::new();
        let mut numbers = Vec::new();
        for url in urls {
            let number = self.urls.number(url.as_str());
            if seen.insert(number) {
                numbers.push(number);
            }
        }
        numbers
    }

    fn seeds_of(&self, numbers: &[u32]) -> Vec<Seed> {
        let seed = |&number: &u32| {
            let url = Url::parse(self.urls.text(number)).ok()?;
            Some(match page_of(&url) {
                Some(page) => Seed { url: page, from: Some(url) },
                None => Seed { url, from: None },
            })
        };
        numbers.iter().filter_map(seed).collect()
    }

    /// Whether pages come as Markdown too, found out with one page of each form.
    pub(super) fn variants(&mut self, seeds: &[Seed]) -> Result<Variants, SiteError> {
        if let Some(variants) = self.site.known.and_then(|known| known.variants) {
            return Ok(variants);
        }
        let mut variants = Variants::default();
        let mut tried = Vec::new();
        for seed in seeds.iter().filter(|seed| seed.from.is_none()) {
            let Some(form) = form(&seed.url).filter(|form| !tried.contains(form)) else { continue };
            tried.push(form);
            for (number, url) in candidates(&seed.url).into_iter().enumerate() {
                if self.is_markdown(&url)? {
                    variants.set(form, number);
                    break;
                }
            }
        }
        Ok(variants)
    }

    fn is_markdown(&mut self, url: &Url) -> Result<bool, SiteError> {
        if !self.allows(url) {
            return Ok(false);
        }
        let manner = page_manner(self.pace);
        let request = Request { manner, named_by: self.named_by, ..Request::by_user(url.clone()) };
        match self.site.client.get(&request, self.site.client.limits().max_file_bytes, self.site.cancel) {
            Ok(Answer::Body(body)) => {
                let is_text = body.content_type.as_deref().is_none_or(|kind| kind != "text/html");
                Ok(is_text && !looks_like_html(&body.bytes) && !body.bytes.is_empty())
            }
            Ok(Answer::NotModified { .. }) => Ok(false),
            Err(error) if ends_all(&error) => Err(error.into()),
            Err(_) => Ok(false),
        }
    }
}

/// A server that can't say what may be read has not allowed it (RFC 9309, 2.3.1.4).
fn unknown_rules(error: SiteError) -> SiteError {
    match error {
        SiteError::Transport(error @ TransportError::Status { .. }) => SiteError::RobotsUnknown(error),
        error => error,
    }
}

/// Whether an error is one of all requests rather than of this one.
fn ends_all(error: &TransportError) -> bool {
    matches!(
        error,
        TransportError::Cancelled
            | TransportError::Offline { .. }
            | TransportError::TotalTooLarge { .. }
            | TransportError::TotalTime { .. }
    )
}

/// Whether an error says that there is nothing, and will not be a little later.
fn is_absent(error: &TransportError) -> bool {
    match error {
        TransportError::Status { status, .. } => (400..500).contains(status) && !matches!(status, 408 | 425 | 429),
        TransportError::Moved { .. }
        | TransportError::TooLarge { .. }
        | TransportError::OtherType { .. }
        | TransportError::BadRedirect { .. } => true,
        _ => false,
    }
}

pub(super) fn is_llms(url: &Url) -> bool {
    matches!(file_name(url), "llms.txt" | "llms-full.txt")
}

pub(super) fn is_sitemap(url: &Url) -> bool {
    let name = file_name(url).to_ascii_lowercase();
    name.contains("sitemap") && (name.ends_with(".xml") || name.ends_with(".xml.gz"))
}
