//! Websites: real servers on this machine, polite ones and others.

mod finding;
mod hostile;
mod refreshing;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ai_assist_base::Cancel;
use ai_assist_fetch::Client;
use ai_assist_fetch::site::{
    CrawlEvent, Crawled, FoundBy, NewPage, Scope, Site, SiteError, SiteLimits, SiteRecord, crawl,
};
use axum::response::Response;

use crate::server::{Hit, Server, reply};
use crate::support::client;

/// A page as a server has it: the content type and the text.
type Files = Arc<Mutex<BTreeMap<String, (String, String)>>>;

/// A website whose pages a test may change.
pub(crate) struct Web {
    pub(crate) server: Server,
    files: Files,
}

impl Web {
    /// Pages by their paths. What ends in `.html`, `/` or nothing is HTML.
    pub(crate) fn new(pages: &[(&str, &str)]) -> Self {
        Self::with(pages, |_| None)
    }

    /// Asks `first` before looking for a page.
    pub(crate) fn with(
        pages: &[(&str, &str)],
        first: impl Fn(&Hit) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        let files: Files = Arc::default();
        let served = files.clone();
        let server = Server::http(move |hit| first(hit).unwrap_or_else(|| answer(&served, hit)));
        let web = Web { server, files };
        pages.iter().for_each(|(path, text)| web.put(path, text));
        web
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let name = path.rsplit('/').next().unwrap();
        let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("md") => "text/markdown",
            Some("txt") => "text/plain",
            Some("xml") => "application/xml",
            Some("pdf") => "application/pdf",
            Some("png") => "image/png",
            _ => "text/html; charset=utf-8",
        };
        self.put_as(path, kind, text);
    }

    pub(crate) fn put_as(&self, path: &str, kind: &str, text: &str) {
        let text = text.replace("{host}", self.server.url("").as_str().trim_end_matches('/'));
        self.files.lock().unwrap().insert(path.to_owned(), (kind.to_owned(), text));
    }

    pub(crate) fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }

    pub(crate) fn crawl(&self, path: &str) -> Outcome {
        self.crawl_with(path, None, &SiteLimits::default())
    }

    pub(crate) fn again(&self, path: &str, known: &SiteRecord) -> Outcome {
        self.crawl_with(path, Some(known), &SiteLimits::default())
    }

    pub(crate) fn crawl_with(&self, path: &str, known: Option<&SiteRecord>, limits: &SiteLimits) -> Outcome {
        let scope = Scope::new(self.server.url(path).as_str(), &[], &[]).unwrap();
        run(&client(), &scope, known, limits)
    }

    /// What was asked for since the last time this was asked, in the order of the questions.
    pub(crate) fn asked(&self) -> Vec<String> {
        let hits = self.server.hits();
        hits.iter().map(|hit| hit.uri.to_string()).collect()
    }
}

fn answer(files: &Files, hit: &Hit) -> Response {
    let files = files.lock().unwrap();
    let Some((kind, text)) = files.get(&hit.uri.to_string()).or_else(|| files.get(hit.path())) else {
        return reply(404, &[("content-type", "text/html")], "<html>Not found</html>");
    };
    if let Some(to) = text.strip_prefix("-> ") {
        return reply(302, &[("location", to)], "");
    }
    let tag = format!("\"{}\"", ai_assist_identity::Sha256::of(text.as_bytes()).hex());
    if hit.header("if-none-match") == Some(tag.as_str()) {
        return reply(304, &[("etag", &tag)], "");
    }
    reply(200, &[("content-type", kind), ("etag", &tag)], text.clone())
}

/// What a crawl gave.
pub(crate) struct Outcome {
    pub(crate) crawled: Result<Crawled, SiteError>,
    pub(crate) new: Vec<NewPage>,
    pub(crate) found: Option<(FoundBy, Option<usize>)>,
}

impl Outcome {
    pub(crate) fn crawled(&self) -> &Crawled {
        self.crawled.as_ref().unwrap()
    }

    pub(crate) fn error(&self) -> String {
        self.crawled.as_ref().expect_err("an error").to_string()
    }

    /// The paths of new pages, sorted.
    pub(crate) fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.new.iter().map(|page| page.path.as_str()).collect();
        paths.sort_unstable();
        paths
    }

    /// The paths of all documents.
    pub(crate) fn documents(&self) -> Vec<String> {
        self.crawled().record.documents().keys().map(|path| path.as_str().to_owned()).collect()
    }

    /// Why something was left out.
    pub(crate) fn why(&self, part: &str) -> &str {
        let all = &self.crawled().left_out;
        all.iter().find(|it| it.path.contains(part)).map_or_else(|| panic!("{part}: {all:?}"), |it| &it.reason)
    }
}

pub(crate) fn run(client: &Client, scope: &Scope, known: Option<&SiteRecord>, limits: &SiteLimits) -> Outcome {
    run_until(client, scope, known, limits, &Cancel::default(), |_| ControlFlow::Continue(()))
}

pub(crate) fn run_until(
    client: &Client,
    scope: &Scope,
    known: Option<&SiteRecord>,
    limits: &SiteLimits,
    cancel: &Cancel,
    mut each: impl FnMut(&CrawlEvent) -> ControlFlow<()>,
) -> Outcome {
    let (mut new, mut found) = (Vec::new(), None);
    let crawled = crawl(Site { client, scope, limits, known, cancel }, &mut |event| {
        let flow = each(&event);
        match event {
            CrawlEvent::Pages { pages, .. } => new.extend(pages),
            CrawlEvent::Found(by, count) => found = Some((by, count)),
            CrawlEvent::Asked { .. } => {}
        }
        flow
    });
    Outcome { crawled, new, found }
}

/// A page with links.
pub(crate) fn page(title: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|link| format!("<a href=\"{link}\">x</a> ")).collect();
    format!("<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1>{links}</body></html>")
}
