//! Websites: which pages there are, and the pages themselves.
//!
//! What comes in: a URL and what is known of the site from the last time. What goes out: pages that are new or changed, and a
//! record of all of them ([`SiteRecord`]) for the next time. How pages are found, in this order: `llms.txt`, a sitemap, links.
//!
//! A crawl is a function of what the server answers: answers are taken in the order of the questions, whatever order they come in,
//! so the same site gives the same pages under the same names.

mod crawl;
mod discover;
mod html;
mod markdown;
mod names;
mod record;
mod robots;
mod scope;
mod sitemap;
mod traps;
mod variants;

use std::ops::ControlFlow;
use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_identity::{DocPath, Sha256};
use url::Url;

pub use crawl::crawl;
pub use record::{FoundBy, PageRecord, SitePage, SiteRecord, page_urls};
pub use scope::{BadSite, Scope};

use crate::{Client, Manner, Pace, TransportError};

/// What we would rather have. A site that has its pages as Markdown too may send those.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteLimits {
    pub max_pages: usize,
    /// Links from the first page to the last.
    pub max_depth: usize,
    /// By default eight; this machine may be asked as often as it answers.
    pub requests_per_second: Option<u32>,
    pub at_once: usize,
}

impl Default for SiteLimits {
    fn default() -> Self {
        SiteLimits { max_pages: 10_000, max_depth: 24, requests_per_second: None, at_once: 4 }
    }
}

/// How often a host is asked that says nothing about it.
const REQUESTS_PER_SECOND: u32 = 8;

impl SiteLimits {
    /// How a site is asked, unless its `robots.txt` wants to be asked more slowly.
    pub fn pace(&self, start: &Url) -> Pace {
        let pause = match self.requests_per_second {
            Some(number) => Duration::from_secs(1) / number.max(1),
            None if is_loopback(start) => Duration::ZERO,
            None => Duration::from_secs(1) / REQUESTS_PER_SECOND,
        };
        Pace { pause, at_once: self.at_once.max(1) }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// A page that takes longer is left for the next time: a server that sends a byte a second must not hold up all the others.
const LONGEST_PAGE: Duration = Duration::from_secs(60);

/// How a page is asked for.
pub fn page_manner(pace: Pace) -> Manner {
    Manner { accept: Some(ACCEPT), documents_only: true, ..list_manner(pace) }
}

/// How a list of pages is asked for.
fn list_manner(pace: Pace) -> Manner {
    Manner { stay: true, compressed: true, longest: Some(LONGEST_PAGE), pace: Some(pace), ..Manner::default() }
}

/// Why a site was not crawled at all. What is known of it stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("`{0}` may not be read by programs, says the robots.txt of the site")]
    Robots(String),
    #[error("what may be read of the site is not known, because its robots.txt can't be had; try again later")]
    RobotsUnknown(#[source] TransportError),
    #[error("`{url}` has moved to `{to}`")]
    Moved { url: String, to: String },
    #[error("`{url}` is of the type `{kind}`, which is neither a page nor another document")]
    NotAPage { url: String, kind: String },
    #[error("`{url}` has no page that could be read{why}")]
    NoPages { url: String, why: String },
}

/// A page that is new or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    pub path: DocPath,
    pub url: String,
    pub bytes: Vec<u8>,
    pub hash: Sha256,
}

/// What a crawl tells on its way.
#[derive(Debug)]
pub enum CrawlEvent {
    /// Pages were found this way; how many, if that is known beforehand.
    Found(FoundBy, Option<usize>),
    /// So many pages were asked for, and so many more are known to be.
    Asked { done: usize, waiting: usize },
    /// New pages, and now and then all that is known up to them: whoever keeps both can go on from there.
    Pages { pages: Vec<NewPage>, record: Option<Box<SiteRecord>> },
}

/// Something that is not part of the site as it is here, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The path of its document if it has or would have one, else its URL.
    pub path: String,
    pub reason: String,
}

/// Why a crawl ended before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    /// Nobody takes the pages any more.
    Refused,
    /// The last of several requests that failed one after the other, or a limit of all of them.
    Failed(TransportError),
}

/// What came of a crawl.
#[derive(Debug)]
pub struct Crawled {
    pub record: SiteRecord,
    pub stopped: Option<Stopped>,
    /// Left out by the rules.
    pub left_out: Vec<Unread>,
    /// Could not be had this time; what was had before is still in the record.
    pub problems: Vec<Unread>,
    pub warnings: Vec<String>,
    pub asked: usize,
    /// Of these, how many had not changed.
    pub not_modified: usize,
    pub bytes: u64,
}

/// What every part of a crawl needs.
#[derive(Clone, Copy)]
pub struct Site<'s> {
    pub client: &'s Client,
    pub scope: &'s Scope,
    pub limits: &'s SiteLimits,
    /// What is known from the last time.
    pub known: Option<&'s SiteRecord>,
    pub cancel: &'s Cancel,
}

/// Takes what a crawl tells; `Break` ends it.
pub type Events<'e> = &'e mut dyn FnMut(CrawlEvent) -> ControlFlow<()>;
