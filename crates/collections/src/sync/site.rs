//! Syncing a website.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::thread::ScopedJoinHandle;

use ai_assist_admit::{Outcome, admit_bytes};
use ai_assist_fetch::site::{
    CrawlEvent, Crawled, NewPage, Scope, Site, SiteError, SiteLimits, SitePage, SiteRecord, Stopped, Unread, crawl,
    page_manner,
};
use ai_assist_fetch::{Request, TransportError};
use ai_assist_identity::{CollectionId, DocPath, Sha256};
use ai_assist_store::{DocumentHead, PackageRecord};
use crossbeam_channel::{Receiver, bounded};
use url::Url;

use super::package::vendored;
use super::plan::{Input, Wanted, sort_out};
use super::run::{Job, Run};
use super::{PackageInfo, Pin, SiteInfo, Skipped, SyncOptions, SyncReport};
use crate::package::Place;
use crate::{CollectionSpec, Error, Library, LockedCollection, Member, Result, SyncEvent};
use ai_assist_base::{Cancel, chain};

/// What a crawl tells that may wait: a batch of pages each, at most.
const WAITING: usize = 4;

type Events<'e> = &'e mut dyn FnMut(SyncEvent<'_>);

/// What a sync of a website is about.
#[derive(Clone, Copy)]
struct Wish<'w> {
    scope: &'w Scope,
    options: &'w SyncOptions,
    /// What is known from the last time.
    known: Option<&'w SiteRecord>,
    cancel: &'w Cancel,
}

impl Library {
    pub(super) fn sync_site(
        &mut self,
        member: &Member,
        scope: &Scope,
        options: &SyncOptions,
        progress: Events<'_>,
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let report = SyncReport::new(member, options.dry_run);
        let stored = self.store().package(member.resolved.id())?;
        let known = match options.force {
            true => None,
            false => self.known_site(member.resolved.id(), stored.as_ref())?,
        };
        let wish = Wish { scope, options, known: known.as_ref(), cancel };
        let Some(pin) = &options.pin else { return self.crawl_site(member, wish, report, progress) };
        pin.locked.check_source(member)?;
        let is_held = stored.is_some() && self.drift(member.resolved.id(), &pin.locked)?.is_none();
        if !pin.frozen {
            check_upstream(member, wish, &pin.locked, progress)?;
        }
        if is_held {
            return self.nothing_to_do(member.resolved.id(), stored.as_ref(), report);
        }
        self.fetch_locked(member, wish, pin, report, progress)
    }

    /// What is known of a site, as far as its documents are here.
    fn known_site(&self, id: &CollectionId, stored: Option<&PackageRecord>) -> Result<Option<SiteRecord>> {
        let Some(mut known) = stored.and_then(|stored| SiteRecord::parse(&stored.manifest)) else { return Ok(None) };
        let heads = self.store().heads(id)?;
        let head = |path: &DocPath| heads.binary_search_by(|head| head.path.cmp(path)).ok().map(|at| &heads[at]);
        // What is not here was left out, and would be again.
        known.distrust(|path, hash| head(path).is_none_or(|head| head.hash == *hash));
        Ok(Some(known))
    }

    /// What a site has now that is not indexed so. Nothing is written.
    pub(crate) fn site_changes(
        &self,
        member: &Member,
        scope: &Scope,
        options: &SyncOptions,
        cancel: &Cancel,
    ) -> Result<SiteChanges> {
        let id = member.resolved.id();
        let known = self.known_site(id, self.store().package(id)?.as_ref())?;
        let limits = limits_of(member, &options.site);
        let site = Site { client: &options.client, scope, limits: &limits, known: known.as_ref(), cancel };
        let mut pages = Vec::new();
        let crawled = whole(crawl(site, &mut |event| {
            if let CrawlEvent::Pages { pages: new, .. } = event {
                // Only texts are kept of what may be a large site.
                let admitted = |page: NewPage| (admit_bytes(&page.path, page.bytes, &options.limits), page.path);
                pages.extend(new.into_iter().map(admitted).map(|(outcome, path)| (path, outcome)));
            }
            ControlFlow::Continue(())
        }))?;
        let heads = self.store().heads(id)?;
        let problem = |it: &Unread| Skipped { path: it.path.clone(), reason: it.reason.clone() };
        Ok(SiteChanges {
            pages,
            gone: gone(&heads, &crawled).cloned().collect(),
            problems: crawled.problems.iter().map(problem).collect(),
            info: PackageInfo::from(&record_of(scope, &crawled.record, true)),
        })
    }

    /// Looks at the whole site, and takes in what is new or changed while it goes on.
    fn crawl_site(
        &mut self,
        member: &Member,
        wish: Wish<'_>,
        mut report: SyncReport,
        progress: Events<'_>,
    ) -> Result<SyncReport> {
        progress(SyncEvent::Asking("list of pages"));
        let limits = limits_of(member, &wish.options.site);
        let heads = self.store().heads(member.resolved.id())?;
        let (sender, receiver) = bounded(WAITING);
        let site = Site {
            client: &wish.options.client,
            scope: wish.scope,
            limits: &limits,
            known: wish.known,
            cancel: wish.cancel,
        };
        let (crawled, taken) = std::thread::scope(|threads| {
            let crawling = threads.spawn(move || {
                crawl(site, &mut |event| match event {
                    // Only the last one counts, so it need not wait.
                    CrawlEvent::Asked { .. } => {
                        let _ = sender.try_send(event);
                        ControlFlow::Continue(())
                    }
                    event => {
                        if sender.send(event).is_ok() {
                            ControlFlow::Continue(())
                        } else {
                            ControlFlow::Break(())
                        }
                    }
                })
            });
            let taking = Taking { member, wish, heads: &heads, receiver };
            taking.all(self, &mut report, progress, crawling)
        })?;
        account(&crawled, wish.scope, &mut report);
        let documents = crawled.record.documents();
        let untouched = |head: &&DocumentHead| documents.contains_key(&head.path) && !taken.contains(&head.path);
        report.documents += heads.iter().filter(untouched).count();
        let complete = crawled.stopped.is_none() && report.problems.is_empty();
        let record = record_of(wish.scope, &crawled.record, complete);
        report.package = Some(PackageInfo::from(&record));
        report.site = Some(SiteInfo {
            url: wish.scope.start().to_string(),
            found_by: crawled.record.found_by,
            asked: crawled.asked,
            not_modified: crawled.not_modified,
            bytes: crawled.bytes,
        });
        report.up_to_date = wish.known.is_some() && report.is_unchanged() && complete;
        let is_cancelled = matches!(crawled.stopped, Some(Stopped::Cancelled | Stopped::Refused));
        if !wish.options.dry_run {
            self.store_mut().ensure_collection(&with_id(member, &report).resolved.record())?;
            if self.store().package(&report.id)?.as_ref() != Some(&record) {
                self.store_mut().set_package(&report.id, &record)?;
            }
            if !is_cancelled {
                self.store_mut().mark_synced(&report.id, None)?;
            }
        }
        if is_cancelled { Err(Error::Cancelled) } else { Ok(report) }
    }

    /// A state of its own, if others read the one that is there.
    fn own_state(&mut self, member: &Member, report: &mut SyncReport) -> Result<Member> {
        if report.dry_run || !self.is_read_by_others(member)? {
            return Ok(member.clone());
        }
        let copy = self.copied(member)?;
        report.id.clone_from(copy.resolved.id());
        Ok(copy)
    }

    /// Brings the pages that a lock names, and no others. One that is not what the lock says is a problem of its own.
    fn fetch_locked(
        &mut self,
        member: &Member,
        wish: Wish<'_>,
        pin: &Pin,
        mut report: SyncReport,
        progress: Events<'_>,
    ) -> Result<SyncReport> {
        let Wish { scope, options, cancel, .. } = wish;
        let vendored = vendored(options, &self.roots().cache.join("tmp"), &mut report)?;
        let locked = LockedPages::new(&pin.locked, scope, &limits_of(member, &options.site));
        report.problems.extend(locked.problems);
        let requests = locked.requests;
        let wanted = locked.paths.iter().enumerate().map(|(number, (path, hash))| {
            let input = match vendored.as_ref().map(|package| &package.place) {
                Some(Place::Staging(staging)) => Input::Packed(staging),
                _ => Input::Fetch(number),
            };
            Wanted { path, input, expected: Some(*hash), settled: true }
        });
        let heads = self.store().heads(member.resolved.id())?;
        let missing: HashSet<String> = report.problems.iter().map(|problem| problem.path.clone()).collect();
        let sorted = sort_out(wanted, &heads, false, &|path| missing.contains(path.as_str()));
        report.documents = sorted.unchanged;
        let member = &self.own_state(member, &mut report)?;
        let id = member.resolved.id();
        if !options.dry_run {
            self.store_mut().ensure_collection(&member.resolved.record())?;
        }
        let job = Job { id, options, cancel, requests: &requests, keep_stamps: false, vectors: None, unsettled: None };
        Run::new(self, job, &mut report, progress).all(sorted)?;
        let record = locked_record(&pin.locked, wish.known);
        let record = record_of(scope, &record, report.problems.is_empty());
        report.package = Some(PackageInfo::from(&record));
        if !options.dry_run {
            self.store_mut().set_package(id, &record)?;
            self.store_mut().mark_synced(id, None)?;
        }
        Ok(report)
    }
}

/// The pages that a lock names, and how each is asked for.
pub(crate) struct LockedPages<'l> {
    pub(crate) paths: Vec<(&'l DocPath, Sha256)>,
    /// One for each path.
    pub(crate) requests: Vec<Request>,
    pub(crate) problems: Vec<Skipped>,
}

impl<'l> LockedPages<'l> {
    pub(crate) fn new(locked: &'l LockedCollection, scope: &Scope, limits: &SiteLimits) -> Self {
        let manner = page_manner(limits.pace(scope.start()));
        let mut pages = LockedPages { paths: Vec::new(), requests: Vec::new(), problems: Vec::new() };
        for (path, file) in &locked.files {
            let url = file.from.as_ref().or(file.url.as_ref()).and_then(|url| Url::parse(url).ok());
            let Some(url) = url.filter(|url| url.origin() == scope.start().origin()) else {
                let reason = "has no URL of this site in the lock".to_owned();
                pages.problems.push(Skipped { path: path.as_str().to_owned(), reason });
                continue;
            };
            pages.paths.push((path, file.hash));
            pages.requests.push(Request { manner: manner.clone(), ..Request::by_user(url) });
        }
        pages
    }
}

/// What a site has now, beside what is indexed of it.
pub(crate) struct SiteChanges {
    /// New or changed pages, as they would be taken in.
    pub(crate) pages: Vec<(DocPath, Outcome)>,
    pub(crate) gone: Vec<DocPath>,
    pub(crate) problems: Vec<Skipped>,
    pub(crate) info: PackageInfo,
}

/// The receiving end of a crawl.
struct Taking<'t> {
    member: &'t Member,
    wish: Wish<'t>,
    heads: &'t [DocumentHead],
    receiver: Receiver<CrawlEvent>,
}

type Crawling<'c> = ScopedJoinHandle<'c, std::result::Result<Crawled, SiteError>>;

impl Taking<'_> {
    /// Takes in pages as they come, and in the end takes out those that are gone. Gives the paths of those that came.
    fn all(
        self,
        library: &mut Library,
        report: &mut SyncReport,
        progress: Events<'_>,
        crawling: Crawling<'_>,
    ) -> Result<(Crawled, HashSet<DocPath>)> {
        let Taking { wish, heads, .. } = self;
        let Some(first) = self.first(progress) else {
            let crawled = joined(crawling)?;
            // If nothing has changed, nothing is opened and nothing written.
            if gone(heads, &crawled).next().is_some() {
                let member = self.own(library, report)?;
                let job = job(&member, wish);
                let mut run = Run::new(library, job, report, progress);
                gone(heads, &crawled).try_for_each(|path| run.remove(path.clone(), None))?;
                run.finish(Ok(()), None)?;
            }
            return Ok((crawled, HashSet::new()));
        };
        let member = self.own(library, report)?;
        let mut run = Run::new(library, job(&member, wish), report, progress);
        let cache = run.cache()?;
        let mut paths = HashSet::new();
        let rest = self.receiver.iter();
        let taken = std::iter::once(first).chain(rest).try_for_each(|event| {
            let CrawlEvent::Pages { pages, record } = event else {
                tell(&event, &mut |event| run.tell(event));
                return Ok(());
            };
            paths.extend(pages.iter().map(|page| page.path.clone()));
            run.tell(SyncEvent::Fetched(pages.iter().map(|page| page.bytes.len() as u64).sum()));
            run.pages(pages, heads, cache.as_ref())?;
            match record {
                Some(record) => run.note_record(&record_of(wish.scope, &record, false), cache.as_ref()),
                None => Ok(()),
            }
        });
        // Without anybody to take its pages, the crawl ends.
        drop(self.receiver);
        let crawled = joined(crawling);
        if let (Ok(()), Ok(crawled)) = (&taken, &crawled) {
            gone(heads, crawled).try_for_each(|path| run.remove(path.clone(), cache.as_ref()))?;
        }
        run.finish(taken, cache.as_ref())?;
        Ok((crawled?, paths))
    }

    /// What comes with the first new pages.
    fn first(&self, progress: Events<'_>) -> Option<CrawlEvent> {
        for event in &self.receiver {
            match event {
                CrawlEvent::Pages { .. } => return Some(event),
                event => tell(&event, progress),
            }
        }
        None
    }

    /// The collection that is written to.
    fn own(&self, library: &mut Library, report: &mut SyncReport) -> Result<Member> {
        let member = library.own_state(self.member, report)?;
        if !report.dry_run {
            library.store_mut().ensure_collection(&member.resolved.record())?;
        }
        Ok(member)
    }
}

fn job<'j>(member: &'j Member, wish: Wish<'j>) -> Job<'j> {
    let (id, options, cancel) = (member.resolved.id(), wish.options, wish.cancel);
    Job { id, options, cancel, requests: &[], keep_stamps: false, vectors: None, unsettled: None }
}

fn joined(crawling: Crawling<'_>) -> Result<Crawled> {
    begun(crawling.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// A crawl that came to something.
fn begun(crawled: std::result::Result<Crawled, SiteError>) -> Result<Crawled> {
    crawled.map_err(|error| match error {
        SiteError::Transport(TransportError::Cancelled) => Error::Cancelled,
        error => error.into(),
    })
}

/// A crawl that came to its end: one that broke off says nothing about what is gone.
fn whole(crawled: std::result::Result<Crawled, SiteError>) -> Result<Crawled> {
    let crawled = begun(crawled)?;
    match &crawled.stopped {
        Some(Stopped::Cancelled | Stopped::Refused) => Err(Error::Cancelled),
        Some(Stopped::Failed(error)) => Err(error.clone().into()),
        None => Ok(crawled),
    }
}

/// Documents that are no page of the site any more.
fn gone<'g>(heads: &'g [DocumentHead], crawled: &Crawled) -> impl Iterator<Item = &'g DocPath> {
    let paths: HashSet<DocPath> = crawled.record.pages.iter().filter_map(|page| page.path.clone()).collect();
    heads.iter().map(|head| &head.path).filter(move |path| !paths.contains(path))
}

fn tell(event: &CrawlEvent, progress: &mut dyn FnMut(SyncEvent<'_>)) {
    match event {
        CrawlEvent::Found(by, pages) => progress(SyncEvent::Found(*by, *pages)),
        CrawlEvent::Asked { done, waiting } => progress(SyncEvent::Pages { done: *done, waiting: *waiting }),
        CrawlEvent::Pages { .. } => {}
    }
}

/// What a crawl left out or could not have, for people.
fn account(crawled: &Crawled, scope: &Scope, report: &mut SyncReport) {
    let entry = |it: &Unread| Skipped { path: it.path.clone(), reason: it.reason.clone() };
    report.skipped.extend(crawled.left_out.iter().map(entry));
    report.problems.extend(crawled.problems.iter().map(entry));
    report.warnings.extend(crawled.warnings.iter().cloned());
    if let Some(Stopped::Failed(error)) = &crawled.stopped {
        let hint = error.hint().map_or(String::new(), |hint| format!(" ({hint})"));
        let reason = format!(
            "was not read to its end; what was had is kept, and the next sync goes on from there: {}{hint}",
            chain(error)
        );
        report.problems.push(Skipped { path: scope.name(), reason });
    }
}

/// What is kept of a site. Its version is a hash of what its pages hold.
fn record_of(scope: &Scope, site: &SiteRecord, complete: bool) -> PackageRecord {
    let mut text = String::new();
    for (path, page) in site.documents() {
        text.push_str(&format!("{path} {}\n", page.hash));
    }
    PackageRecord {
        name: scope.name(),
        version: Sha256::of(text.as_bytes()).hex().chars().take(12).collect(),
        manifest: site.to_text(),
        complete,
        ..PackageRecord::default()
    }
}

/// The limits of one site: its own, else those of all.
pub(crate) fn limits_of(member: &Member, limits: &SiteLimits) -> SiteLimits {
    let CollectionSpec::Site { max_pages, max_depth, .. } = &member.spec else { return *limits };
    SiteLimits {
        max_pages: max_pages.unwrap_or(limits.max_pages),
        max_depth: max_depth.unwrap_or(limits.max_depth),
        ..*limits
    }
}

fn with_id(member: &Member, report: &SyncReport) -> Member {
    let mut member = member.clone();
    member.resolved.read_as(report.id.clone());
    member
}

/// The pages that a lock names, as a record. What is known beyond that is kept if it is of the same pages.
fn locked_record(locked: &LockedCollection, known: Option<&SiteRecord>) -> SiteRecord {
    let pages: BTreeMap<DocPath, SitePage> = locked
        .files
        .iter()
        .filter_map(|(path, file)| {
            let (url, from) = (file.url.clone()?, file.from.clone());
            Some((path.clone(), SitePage { url, from, hash: file.hash, size: file.size }))
        })
        .collect();
    match known {
        Some(known) if known.documents() == pages => known.clone(),
        _ => SiteRecord::of_pages(&pages),
    }
}

/// Whether a site is still what a lock says.
fn check_upstream(member: &Member, wish: Wish<'_>, locked: &LockedCollection, progress: Events<'_>) -> Result<()> {
    let Wish { scope, options, known, cancel } = wish;
    let limits = limits_of(member, &options.site);
    let changed = |what: String| Err(Error::LockChanged { name: member.name.clone(), what });
    let mut new = None;
    let site = Site { client: &options.client, scope, limits: &limits, known, cancel };
    let crawled = crawl(site, &mut |event| {
        if let CrawlEvent::Pages { pages, .. } = event {
            // Of pages that the lock does not have, only those count that would be documents.
            let unknown = pages.into_iter().find(|page| {
                let is_locked = locked.files.contains_key(&page.path);
                !is_locked
                    && matches!(admit_bytes(&page.path, page.bytes.clone(), &options.limits), Outcome::Admitted(_))
            });
            new = new.take().or(unknown.map(|page| page.path));
        } else {
            tell(&event, progress);
        }
        ControlFlow::Continue(())
    });
    let crawled = whole(crawled)?;
    if let Some(problem) = crawled.problems.first() {
        return changed(format!("`{}` could not be compared: {}", problem.path, problem.reason));
    }
    let documents = crawled.record.documents();
    for (path, file) in &locked.files {
        match documents.get(path) {
            None => return changed(format!("`{path}` is gone")),
            Some(page) if page.hash != file.hash => return changed(format!("`{path}` has changed")),
            Some(_) => {}
        }
    }
    match new {
        Some(path) => changed(format!("`{path}` is not in the lock")),
        None => Ok(()),
    }
}
