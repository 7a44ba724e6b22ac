//! From page to page.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use ai_assist_identity::{DocPath, Sha256, Validators};
use url::Url;

use super::discover::{Finder, Seed, is_llms, is_sitemap};
use super::html::{self, PageLinks};
use super::names::{Kind, another, document_path};
use super::record::PageRecord;
use super::scope::{normal, url_extension};
use super::traps::{Trap, Traps};
use super::variants::Variants;
use super::{
    CrawlEvent, Crawled, Events, FoundBy, NewPage, Site, SiteError, SiteRecord, Stopped, Unread, markdown, page_manner,
};
use crate::{Answer, Body, NamedBy, Request, RequestQueue, TransportError, shown};

/// How far questions may run ahead of the oldest answer that is still awaited.
const WINDOW: u64 = 64;

/// After so many failures one after the other, the server is not asked any more.
const MOST_FAILURES: usize = 5;

/// New pages are handed on in batches of at most so many, or so many bytes.
const BATCH_PAGES: usize = 64;
const BATCH_BYTES: usize = 4 << 20;

/// New pages don't wait longer than this, so that a crawl that is killed loses no more, however slowly its server may be asked.
const BATCH_TIME: Duration = Duration::from_secs(5);

/// All that is known is handed on with at least so many new pages, or after so long.
const SNAPSHOT_PAGES: usize = 256;
const SNAPSHOT_TIME: Duration = Duration::from_secs(15);

/// Links of one page beyond so many are not kept.
const MOST_LINKS: usize = 5000;

/// Of things that were left out, so many of a kind are named.
const NAMED: usize = 100;

/// Looks for the pages of a site and fetches those that are new or changed.
///
/// Fails only if nothing of the site could be had. What happens later is in the answer, with all that was had until then.
pub fn crawl(site: Site<'_>, events: Events<'_>) -> Result<Crawled, SiteError> {
    let mut finder = Finder::new(site)?;
    let start = site.scope.start();
    if !finder.allows(start) {
        return Err(SiteError::Robots(shown(start)));
    }
    let is_list = is_llms(start) || is_sitemap(start);
    let mut moves = Vec::new();
    let first = if is_list { None } else { Some(first_page(&mut finder, &mut moves)?) };
    if first.as_ref().is_some_and(|(url, outcome)| is_document(site, url, outcome)) {
        let mut crawler = Crawler::new(site, finder, Variants::default(), FoundBy::Document, events);
        return crawler.begin(moves, first, Vec::new())?.finish();
    }
    let found = finder.seeds()?;
    let (found_by, seeds) = match found {
        Some(found) => found,
        None if is_list => return Err(SiteError::NoPages { url: shown(start), why: ": it names none".to_owned() }),
        None => (FoundBy::Links, Vec::new()),
    };
    if let (FoundBy::Links, Some((_, Err(error)))) = (found_by, &first) {
        return Err(error.clone().into());
    }
    let variants = match found_by {
        FoundBy::LlmsTxt | FoundBy::Sitemap => finder.variants(&seeds)?,
        _ => Variants::default(),
    };
    // One file with everything stands for all pages, the first included.
    let first = first.filter(|_| found_by != FoundBy::LlmsFullTxt);
    let mut crawler = Crawler::new(site, finder, variants, found_by, events);
    crawler.begin(moves, first, seeds)?.finish()
}

type Outcome = Result<Answer, TransportError>;

/// Asks for the page that was named, along redirects within the site.
fn first_page(finder: &mut Finder<'_>, moves: &mut Vec<(Url, Url)>) -> Result<(Url, Outcome), SiteError> {
    let site = finder.site;
    let (start, limit) = (site.scope.start(), site.client.limits().max_redirects);
    let mut url = start.clone();
    while moves.len() <= limit {
        let validators = known_page(site, &url).map(|page| page.validators.clone()).unwrap_or_default();
        let manner = page_manner(finder.pace);
        let request = Request { url: url.clone(), validators, named_by: NamedBy::User, manner };
        match site.client.get(&request, site.client.limits().max_file_bytes, site.cancel) {
            Err(TransportError::Moved { to, .. }) => {
                let inside = normal((*to).clone()).filter(|to| site.scope.contains(to));
                let Some(to) = inside else {
                    return Err(SiteError::Moved { url: shown(&url), to: shown(&to) });
                };
                moves.push((url, to.clone()));
                url = to;
            }
            Err(TransportError::OtherType { url, kind }) => return Err(SiteError::NotAPage { url, kind }),
            Err(error) if !error.is_missing() => return Err(error.into()),
            outcome => {
                let private = match &outcome {
                    Ok(Answer::NotModified { private }) => *private,
                    Ok(Answer::Body(body)) => body.private,
                    Err(_) => super::is_loopback(start),
                };
                finder.named_by = NamedBy::Package { private };
                return Ok((url, outcome));
            }
        }
    }
    Err(TransportError::Redirects { url: shown(start), limit }.into())
}

fn known_page<'k>(site: Site<'k>, url: &Url) -> Option<&'k PageRecord> {
    let known = site.known?;
    known.pages.iter().find(|page| known.url(page.url) == url.as_str())
}

/// Whether the URL that was named is that of one document rather than of a site.
fn is_document(site: Site<'_>, url: &Url, outcome: &Outcome) -> bool {
    match outcome {
        Ok(Answer::NotModified { .. }) => site.known.is_some_and(|known| known.found_by == FoundBy::Document),
        Ok(Answer::Body(body)) => match Kind::of(url, body.content_type.as_deref(), &body.bytes) {
            Kind::Html => false,
            // A site may send its first page as Markdown because we would rather have that.
            Kind::Markdown => url_extension(url).is_some(),
            Kind::Text | Kind::Other(_) => true,
        },
        Err(_) => false,
    }
}

#[derive(Debug, Clone)]
struct Job {
    url: u32,
    depth: usize,
    redirects: usize,
    /// Where the bytes are looked for first, if not at the URL itself.
    from: Option<u32>,
    /// Asked for as if nothing were known of it.
    anew: bool,
}

struct Crawler<'c, 'e> {
    site: Site<'c>,
    finder: Finder<'c>,
    variants: Variants,
    found_by: FoundBy,
    events: Events<'e>,
    known: HashMap<&'c str, &'c PageRecord>,
    queue: VecDeque<Job>,
    seen: HashSet<u32>,
    under_way: HashMap<u64, Job>,
    arrived: BTreeMap<u64, Outcome>,
    handed: u64,
    committed: u64,
    rows: BTreeMap<u32, PageRecord>,
    by_hash: HashMap<Sha256, u32>,
    names: HashMap<DocPath, u32>,
    gone: HashSet<u32>,
    unreached: HashSet<u32>,
    traps: Traps,
    failures: usize,
    new: Vec<NewPage>,
    new_bytes: usize,
    batch_began: Instant,
    since_snapshot: usize,
    snapshot_at: Instant,
    out: Account,
    stopped: Option<Stopped>,
}

#[derive(Default)]
struct Account {
    left_out: Vec<Unread>,
    problems: Vec<Unread>,
    broken: usize,
    kept_out: usize,
    too_deep: usize,
    too_many: usize,
    asked: usize,
    not_modified: usize,
    bytes: u64,
}

impl<'c, 'e> Crawler<'c, 'e> {
    fn new(site: Site<'c>, finder: Finder<'c>, variants: Variants, found_by: FoundBy, events: Events<'e>) -> Self {
        let known = site.known.map(|known| known.pages.iter().map(|page| (known.url(page.url), page)).collect());
        Crawler {
            site,
            finder,
            variants,
            found_by,
            events,
            known: known.unwrap_or_default(),
            queue: VecDeque::new(),
            seen: HashSet::new(),
            under_way: HashMap::new(),
            arrived: BTreeMap::new(),
            handed: 0,
            committed: 0,
            rows: BTreeMap::new(),
            by_hash: HashMap::new(),
            names: HashMap::new(),
            gone: HashSet::new(),
            unreached: HashSet::new(),
            traps: Traps::default(),
            failures: 0,
            new: Vec::new(),
            new_bytes: 0,
            batch_began: Instant::now(),
            since_snapshot: 0,
            snapshot_at: Instant::now(),
            out: Account::default(),
            stopped: None,
        }
    }

    /// Takes the first page, and goes on from there until nothing is left.
    fn begin(
        &mut self,
        moves: Vec<(Url, Url)>,
        first: Option<(Url, Outcome)>,
        seeds: Vec<Seed>,
    ) -> Result<&mut Self, SiteError> {
        let count = (self.found_by != FoundBy::Links).then_some(seeds.len());
        let mut flow = (self.events)(CrawlEvent::Found(self.found_by, count));
        for (from, to) in moves {
            let (url, moved) = (self.number(&from), Some(self.number(&to)));
            self.seen.insert(url);
            self.rows.insert(url, PageRecord { url, moved, ..PageRecord::default() });
        }
        if let Some((url, outcome)) = first {
            let url = self.number(&url);
            self.seen.insert(url);
            flow = self.commit(Job { url, depth: 0, redirects: 0, from: None, anew: false }, outcome);
        }
        for seed in seeds {
            let from = seed.from.or_else(|| self.variants.of(&seed.url)).map(|from| self.number(&from));
            self.enqueue(&seed.url, 0, 0, from);
        }
        if flow.is_break() {
            return Ok(self);
        }
        let (client, at_once, cancel) = (self.site.client, self.finder.pace.at_once, self.site.cancel);
        match client.get_growing(self, at_once, cancel) {
            Ok(()) => {}
            Err(TransportError::Cancelled) => self.stopped = Some(Stopped::Cancelled),
            Err(error) => self.stopped = Some(Stopped::Failed(error)),
        }
        Ok(self)
    }

    fn number(&mut self, url: &Url) -> u32 {
        self.finder.urls.number(url.as_str())
    }

    fn url(&self, number: u32) -> Url {
        // Every number here is of a URL that was one.
        Url::parse(self.finder.urls.text(number)).unwrap_or_else(|_| self.site.scope.start().clone())
    }

    fn known(&self, number: u32) -> Option<&'c PageRecord> {
        self.known.get(self.finder.urls.text(number)).copied()
    }

    fn enqueue(&mut self, url: &Url, depth: usize, redirects: usize, from: Option<u32>) {
        let number = self.number(url);
        if self.seen.contains(&number) || !self.site.scope.is_wanted(url) {
            return;
        }
        if !self.finder.allows(url) {
            self.seen.insert(number);
            self.out.kept_out += 1;
            self.leave_out(number, "is kept from programs by robots.txt".to_owned());
            return;
        }
        if depth > self.site.limits.max_depth {
            self.out.too_deep += 1;
            return;
        }
        if self.seen.len() >= self.site.limits.max_pages {
            self.out.too_many += 1;
            return;
        }
        if self.found_by == FoundBy::Links
            && let Err(Trap(reason)) = self.traps.admit(url, depth)
        {
            if let Some(reason) = reason {
                self.leave_out(number, reason);
            }
            return;
        }
        self.seen.insert(number);
        self.queue.push_back(Job { url: number, depth, redirects, from, anew: false });
    }

    fn leave_out(&mut self, number: u32, reason: String) {
        if self.out.left_out.len() < NAMED {
            let path = self.finder.urls.text(number).to_owned();
            self.out.left_out.push(Unread { path, reason });
        }
    }

    fn request(&self, job: &Job) -> Request {
        let known = self.known(job.url).filter(|_| !job.anew);
        let known_from = known.and_then(|page| page.from).and_then(|from| Some(self.site.known?.url(from)));
        let url = match (known_from, job.from) {
            (Some(from), _) => Url::parse(from).ok(),
            (None, Some(from)) => Some(self.url(from)),
            (None, None) => None,
        };
        // What a server calls a variant says nothing about the page itself.
        let same = known.filter(|page| page.from.is_some() == url.is_some());
        let validators = same.map(|page| page.validators.clone()).unwrap_or_default();
        let (named_by, manner) = (self.finder.named_by, page_manner(self.finder.pace));
        Request { url: url.unwrap_or_else(|| self.url(job.url)), validators, named_by, manner }
    }

    /// Takes an answer, in the order of the questions.
    fn commit(&mut self, job: Job, outcome: Outcome) -> ControlFlow<()> {
        self.out.asked += 1;
        match outcome {
            Ok(Answer::NotModified { .. }) => {
                self.failures = 0;
                self.out.not_modified += 1;
                match self.known(job.url) {
                    Some(page) => self.unchanged(job, page),
                    None => self.again(job),
                }
            }
            Ok(Answer::Body(body)) => {
                self.failures = 0;
                self.page(job, body);
            }
            Err(error) => self.failed(job, error)?,
        }
        let waiting = self.queue.len() + self.under_way.len();
        (self.events)(CrawlEvent::Asked { done: self.out.asked, waiting })?;
        let is_full = self.new.len() >= BATCH_PAGES || self.new_bytes >= BATCH_BYTES;
        if is_full || self.batch_began.elapsed() >= BATCH_TIME { self.hand_on() } else { ControlFlow::Continue(()) }
    }

    /// Asks for a page again, at its own URL and as if nothing were known of it.
    #[expect(clippy::needless_pass_by_value, reason = "a job is asked once")]
    fn again(&mut self, job: Job) {
        if job.anew && job.from.is_none() {
            // A server that answers so twice has no answer.
            self.gone.insert(job.url);
            return;
        }
        self.queue.push_front(Job { from: None, anew: true, ..job });
    }

    fn unchanged(&mut self, job: Job, page: &'c PageRecord) {
        let Some(known) = self.site.known else { return };
        if let (None, None, Some(hash)) = (&page.path, page.moved, page.hash)
            && page.same_as.is_some()
            && !self.by_hash.contains_key(&hash)
        {
            // It was the same as a page that is here no longer, so now it is a page of its own.
            return self.again(job);
        }
        let urls = &mut self.finder.urls;
        let mut row = PageRecord {
            url: job.url,
            from: page.from.map(|it| urls.number(known.url(it))),
            moved: page.moved.map(|it| urls.number(known.url(it))),
            same_as: page.same_as.map(|it| urls.number(known.url(it))),
            links: urls.renumber(&page.links, known),
            ..page.clone()
        };
        if let Some(path) = &row.path
            && self.names.contains_key(path)
        {
            return self.again(job);
        }
        if let Some(hash) = row.hash.filter(|_| row.path.is_some()) {
            match self.by_hash.get(&hash) {
                Some(&first) => (row.path, row.same_as) = (None, Some(first)),
                None => drop(self.by_hash.insert(hash, job.url)),
            }
        }
        if let Some(path) = &row.path {
            self.names.insert(path.clone(), job.url);
        }
        self.follow(&job, row);
    }

    /// Enters a page, and goes where it leads.
    fn follow(&mut self, job: &Job, row: PageRecord) {
        if let Some(moved) = row.moved {
            self.lead(job, moved);
        }
        if self.found_by == FoundBy::Links {
            for &link in &row.links {
                if !self.seen.contains(&link) {
                    self.enqueue(&self.url(link), job.depth + 1, 0, None);
                }
            }
        }
        self.rows.insert(job.url, row);
    }

    /// Goes where a page is redirected to.
    fn lead(&mut self, job: &Job, to: u32) {
        let limit = self.site.client.limits().max_redirects;
        if job.redirects >= limit {
            let reason =
                format!("is redirected more than {limit} times (the limit is the setting `network.maxRedirects`)");
            return self.leave_out(job.url, reason);
        }
        self.enqueue(&self.url(to), job.depth, job.redirects + 1, None);
    }

    fn page(&mut self, job: Job, body: Body) {
        let url = self.url(job.url);
        let kind = Kind::of(&body.url, body.content_type.as_deref(), &body.bytes);
        let is_variant = body.url != url;
        if is_variant && kind != Kind::Markdown {
            return self.again(job);
        }
        let (hash, size) = (Sha256::of(&body.bytes), body.bytes.len() as u64);
        self.out.bytes += size;
        let from = is_variant.then(|| self.number(&body.url));
        let mut row = PageRecord {
            url: job.url,
            from,
            hash: Some(hash),
            size,
            validators: body.validators,
            ..PageRecord::default()
        };
        let mut said = match kind {
            Kind::Html => html::scan(&body.bytes),
            Kind::Markdown if self.found_by == FoundBy::Links => {
                PageLinks { links: markdown::links(&String::from_utf8_lossy(&body.bytes)), ..PageLinks::default() }
            }
            _ => PageLinks::default(),
        };
        if let Some(tag) = &body.robots_tag {
            said.robots(tag);
        }
        row.moved = self.elsewhere(&url, &said);
        if row.moved.is_none() && self.found_by == FoundBy::Links && !said.nofollow {
            row.links = self.links(&url, &said);
        }
        if row.moved.is_none() && said.noindex {
            self.leave_out(job.url, "asks not to be indexed (`noindex`)".to_owned());
        } else if row.moved.is_none() {
            match self.by_hash.get(&hash) {
                Some(&first) => {
                    row.same_as = Some(first);
                    let reason = format!("is the same as {}", self.finder.urls.text(first));
                    self.leave_out(job.url, reason);
                }
                None => self.document(&job, &url, &kind, &mut row, body.bytes),
            }
        }
        self.follow(&job, row);
    }

    /// Makes a page a document.
    fn document(&mut self, job: &Job, url: &Url, kind: &Kind, row: &mut PageRecord, bytes: Vec<u8>) {
        let hash = Sha256::of(&bytes);
        let mut path = document_path(self.site.scope, url, kind);
        if self.names.contains_key(&path) {
            path = another(&path, url);
        }
        self.names.insert(path.clone(), job.url);
        self.by_hash.insert(hash, job.url);
        row.path = Some(path.clone());
        let is_known =
            self.known(job.url).is_some_and(|known| known.hash == Some(hash) && known.path.as_ref() == Some(&path));
        if !is_known {
            self.new_bytes += bytes.len();
            self.new.push(NewPage { path, url: url.to_string(), bytes, hash });
        }
    }

    /// The page that stands for this one, if it says so.
    fn elsewhere(&mut self, url: &Url, said: &PageLinks) -> Option<u32> {
        let base = base(url, said);
        let inside =
            |link: &str| self.site.scope.page(&base, link).filter(|to| to != url && self.site.scope.is_wanted(to));
        let refresh = said.refresh.as_deref().and_then(inside);
        // A template that calls the first page the canonical one of all would leave nothing of a site but that.
        let canonical =
            said.canonical.as_deref().and_then(inside).filter(|to| to != self.site.scope.start() && to.path() != "/");
        let to = self.number(&refresh.or(canonical)?);
        let own = self.number(url);
        // Two pages that each stand for the other are two pages.
        let leads_back = self.rows.get(&to).is_some_and(|row| row.moved == Some(own));
        (!leads_back && !self.gone.contains(&to)).then_some(to)
    }

    fn links(&mut self, url: &Url, said: &PageLinks) -> Vec<u32> {
        let base = base(url, said);
        let mut seen = HashSet::new();
        let mut links = Vec::new();
        for link in &said.links {
            if let Some(to) = self.site.scope.page(&base, link).filter(|to| to != url) {
                let number = self.number(&to);
                if seen.insert(number) && links.len() < MOST_LINKS {
                    links.push(number);
                }
            }
        }
        links
    }

    fn failed(&mut self, job: Job, error: TransportError) -> ControlFlow<()> {
        let is_variant =
            !job.anew && (job.from.is_some() || self.known(job.url).is_some_and(|page| page.from.is_some()));
        match error {
            TransportError::Moved { .. } | TransportError::OtherType { .. } | TransportError::TooLarge { .. }
                if is_variant =>
            {
                self.again(job);
            }
            error if error.is_missing() && is_variant => self.again(job),
            TransportError::Moved { to, .. } => self.moved(&job, *to),
            error if error.is_missing() => {
                self.gone.insert(job.url);
                self.out.broken += 1;
            }
            TransportError::OtherType { .. } => {
                self.rows.insert(job.url, PageRecord { url: job.url, other: true, ..PageRecord::default() });
            }
            TransportError::TooLarge { limit, .. } => {
                self.gone.insert(job.url);
                self.leave_out(
                    job.url,
                    format!("is larger than {limit} bytes (the limit is the setting `sync.maxFileBytes`)"),
                );
            }
            error @ (TransportError::Cancelled
            | TransportError::Offline { .. }
            | TransportError::TotalTooLarge { .. }
            | TransportError::TotalTime { .. }) => {
                self.stopped = Some(match error {
                    TransportError::Cancelled => Stopped::Cancelled,
                    error => Stopped::Failed(error),
                });
                return ControlFlow::Break(());
            }
            TransportError::Status { status: status @ (401 | 403 | 405 | 451), .. }
                if self.known(job.url).is_none() =>
            {
                self.gone.insert(job.url);
                self.leave_out(job.url, format!("may not be read (status {status})"));
            }
            error => return self.unreached(&job, error),
        }
        ControlFlow::Continue(())
    }

    /// A page that could not be had this time: what is known of it stays.
    fn unreached(&mut self, job: &Job, error: TransportError) -> ControlFlow<()> {
        self.unreached.insert(job.url);
        self.failures += 1;
        let path = match self.known(job.url).and_then(|page| page.path.clone()) {
            Some(path) => path,
            None => document_path(self.site.scope, &self.url(job.url), &Kind::Html),
        };
        self.out.problems.push(Unread { path: path.as_str().to_owned(), reason: error.to_string() });
        if self.failures < MOST_FAILURES {
            return ControlFlow::Continue(());
        }
        self.stopped = Some(Stopped::Failed(error));
        ControlFlow::Break(())
    }

    #[expect(clippy::needless_pass_by_value, reason = "the answer that it is from is gone after this")]
    fn moved(&mut self, job: &Job, to: Url) {
        self.failures = 0;
        let Some(inside) = normal(to.clone()).filter(|to| self.site.scope.contains(to)) else {
            let what = if self.site.scope.same_origin(&to) {
                "out of the part of the site that is wanted"
            } else {
                "to another site"
            };
            self.gone.insert(job.url);
            return self.leave_out(job.url, format!("is redirected {what} ({})", shown(&to)));
        };
        let number = self.number(&inside);
        if number == job.url {
            self.gone.insert(job.url);
            return self.leave_out(job.url, "is redirected to itself".to_owned());
        }
        self.follow(job, PageRecord { url: job.url, moved: Some(number), ..PageRecord::default() });
    }

    /// Hands on the new pages, and now and then what is known so far.
    fn hand_on(&mut self) -> ControlFlow<()> {
        self.batch_began = Instant::now();
        if self.new.is_empty() {
            return ControlFlow::Continue(());
        }
        let pages = std::mem::take(&mut self.new);
        self.new_bytes = 0;
        self.since_snapshot += pages.len();
        let is_due = self.since_snapshot >= SNAPSHOT_PAGES.max(self.rows.len() / 4)
            || self.snapshot_at.elapsed() >= SNAPSHOT_TIME;
        let record = is_due.then(|| {
            (self.since_snapshot, self.snapshot_at) = (0, Instant::now());
            Box::new(self.record(true))
        });
        let flow = (self.events)(CrawlEvent::Pages { pages, record });
        if flow.is_break() {
            self.stopped.get_or_insert(Stopped::Refused);
        }
        flow
    }

    /// All that is known now. Before the end, what was not reached yet is as it was.
    fn record(&mut self, unfinished: bool) -> SiteRecord {
        let mut pages: Vec<PageRecord> = self.rows.values().cloned().collect();
        let mut names: HashSet<DocPath> = self.names.keys().cloned().collect();
        for page in self.site.known.iter().flat_map(|known| &known.pages) {
            let Some(known) = self.site.known else { continue };
            let url = self.finder.urls.number(known.url(page.url));
            let is_open = unfinished || self.unreached.contains(&url);
            if !is_open || self.rows.contains_key(&url) || self.gone.contains(&url) {
                continue;
            }
            let urls = &mut self.finder.urls;
            let mut kept = PageRecord {
                url,
                from: page.from.map(|it| urls.number(known.url(it))),
                moved: page.moved.map(|it| urls.number(known.url(it))),
                same_as: page.same_as.map(|it| urls.number(known.url(it))),
                links: urls.renumber(&page.links, known),
                ..page.clone()
            };
            if let Some(path) = &kept.path
                && !names.insert(path.clone())
            {
                (kept.path, kept.validators) = (None, Validators::default());
            }
            pages.push(kept);
        }
        SiteRecord {
            found_by: self.found_by,
            urls: self.finder.urls.texts.clone(),
            pages,
            lists: self.finder.lists.clone(),
            variants: matches!(self.found_by, FoundBy::LlmsTxt | FoundBy::Sitemap).then_some(self.variants),
        }
    }

    /// Redirects that lead in a circle.
    fn name_loops(&mut self) {
        let moved = |number: &u32| self.rows.get(number).and_then(|row| row.moved);
        let mut looping = Vec::new();
        for &first in self.rows.keys() {
            let mut at = first;
            // Every step is to another page, so a way longer than there are pages goes in a circle; most are found at once.
            for _ in 0..=self.site.client.limits().max_redirects {
                match moved(&at) {
                    Some(next) if next == first => {
                        looping.push(first);
                        break;
                    }
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
        looping.into_iter().for_each(|number| self.leave_out(number, "is redirected in a circle".to_owned()));
    }

    fn warnings(&self) -> Vec<String> {
        let Account { broken, kept_out, too_deep, too_many, .. } = self.out;
        let limits = self.site.limits;
        let mut warnings = Vec::new();
        if too_many > 0 {
            warnings.push(format!(
                "the site has more than {} pages, which is the limit, and the rest is left out: raise `maxPages` of the collection \
                 or the setting `site.maxPages`, or choose pages with `include` and `exclude`",
                limits.max_pages
            ));
        }
        if too_deep > 0 {
            warnings.push(format!(
                "{too_deep} links lead further than {} pages from the first one, which is the limit, and were not followed: raise \
                 `maxDepth` of the collection or the setting `site.maxDepth`",
                limits.max_depth
            ));
        }
        if broken > 0 {
            let (links, lead) = if broken == 1 { ("link", "leads") } else { ("links", "lead") };
            warnings.push(format!("{broken} {links} of the site {lead} to a page that is not there"));
        }
        if kept_out > NAMED {
            warnings.push(format!("{kept_out} pages are kept from programs by robots.txt"));
        }
        warnings
    }

    fn finish(&mut self) -> Result<Crawled, SiteError> {
        // Whoever ended it does not want them.
        if !matches!(self.stopped, Some(Stopped::Refused)) {
            let _ = self.hand_on();
        }
        self.name_loops();
        let record = self.record(self.stopped.is_some());
        let has_documents = record.pages.iter().any(|page| page.path.is_some());
        if !has_documents && self.stopped.is_none() {
            let why = match self
                .out
                .left_out
                .first()
                .map(|it| (&it.path, &it.reason))
                .or_else(|| self.out.problems.first().map(|it| (&it.path, &it.reason)))
            {
                Some((path, reason)) => format!(": {path} {reason}"),
                None => String::new(),
            };
            return Err(SiteError::NoPages { url: shown(self.site.scope.start()), why });
        }
        let warnings = self.warnings();
        let out = std::mem::take(&mut self.out);
        Ok(Crawled {
            record,
            stopped: self.stopped.take(),
            left_out: out.left_out,
            problems: out.problems,
            warnings,
            asked: out.asked,
            not_modified: out.not_modified,
            bytes: out.bytes,
        })
    }
}

/// What the links of a page are relative to.
fn base(url: &Url, said: &PageLinks) -> Url {
    said.base.as_deref().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone())
}

impl RequestQueue for Crawler<'_, '_> {
    fn next(&mut self) -> Option<(u64, Request)> {
        while self.stopped.is_none() && self.handed - self.committed < WINDOW {
            let job = self.queue.pop_front()?;
            if self.known(job.url).is_some_and(|page| page.other) {
                // It was no document the last time, and nobody calls a document so.
                self.rows.insert(job.url, PageRecord { url: job.url, other: true, ..PageRecord::default() });
                continue;
            }
            let (number, request) = (self.handed, self.request(&job));
            self.handed += 1;
            self.under_way.insert(number, job);
            return Some((number, request));
        }
        None
    }

    fn take(&mut self, number: u64, outcome: Outcome) -> ControlFlow<()> {
        self.arrived.insert(number, outcome);
        while let Some(outcome) = self.arrived.remove(&self.committed) {
            let job = self.under_way.remove(&self.committed);
            self.committed += 1;
            if let Some(job) = job {
                self.commit(job, outcome)?;
            }
        }
        ControlFlow::Continue(())
    }
}
