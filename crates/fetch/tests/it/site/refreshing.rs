//! The second time: what has not changed costs nothing, and what is broken keeps what was had.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_fetch::site::{CrawlEvent, Scope, SiteLimits, SiteRecord, Stopped};
use ai_assist_fetch::{Client, Limits};

use super::{Web, page, run, run_until};
use crate::server::reply;
use crate::support::{client, limits, with_limits};

fn book(count: usize) -> Vec<(String, String)> {
    let links: Vec<String> = (0..count).map(|n| format!("/b/{n}.html")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let mut pages = vec![("/b/".to_owned(), page("Book", &links))];
    pages.extend((0..count).map(|n| (format!("/b/{n}.html"), page(&format!("Chapter {n}"), &["/b/"]))));
    pages
}

fn web(pages: &[(String, String)]) -> Web {
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Web::new(&pages)
}

/// As it is kept between two crawls.
fn kept(record: &SiteRecord) -> SiteRecord {
    SiteRecord::parse(&record.to_text()).expect("what was written")
}

#[test]
fn an_unchanged_site_costs_no_body() {
    for list in [None, Some("/sitemap.xml"), Some("/b/llms.txt")] {
        let web = web(&book(30));
        let urls: String = (0..30).map(|n| format!("<url><loc>{{host}}/b/{n}.html</loc></url>")).collect();
        match list {
            Some("/sitemap.xml") => web.put("/sitemap.xml", &format!("<urlset>{urls}</urlset>")),
            Some(name) => web.put(name, &(0..30).map(|n| format!("- [x](/b/{n}.html)\n")).collect::<String>()),
            None => {}
        }
        let first = web.crawl("/b/");
        assert_eq!(first.new.len(), 31);
        let record = kept(&first.crawled().record);
        let again = web.again("/b/", &record);
        let crawled = again.crawled();
        assert_eq!((again.new.len(), crawled.asked, crawled.not_modified, crawled.bytes), (0, 31, 31, 0), "{list:?}");
        assert_eq!(crawled.record, record, "the same record, byte for byte");
    }
}

#[test]
fn only_what_changed_comes_again_and_what_is_gone_goes() {
    let web = web(&book(30));
    let record = kept(&web.crawl("/b/").crawled().record);
    web.put("/b/7.html", &page("Chapter 7, revised", &["/b/new.html"]));
    web.put("/b/new.html", &page("New", &[]));
    web.remove("/b/9.html");
    let again = web.again("/b/", &record);
    assert_eq!(again.paths(), ["7.html", "new.html"]);
    assert_eq!(again.documents().len(), 31);
    assert!(!again.documents().contains(&"9.html".to_owned()));
    web.put("/b/", &page("Book", &["/b/7.html"]));
    let last = web.again("/b/", &kept(&again.crawled().record));
    assert_eq!(last.documents(), ["7.html", "index.html", "new.html"], "what nothing leads to is no page of the site");
}

#[test]
fn a_copy_becomes_a_page_when_the_first_is_gone() {
    let web = Web::new(&[("/", &page("Home", &["a", "b"])), ("/a", "<html>same"), ("/b", "<html>same")]);
    let first = web.crawl("/");
    assert_eq!(first.paths(), ["a.html", "index.html"]);
    web.remove("/a");
    let again = web.again("/", &kept(&first.crawled().record));
    assert_eq!(
        (again.paths(), again.documents()),
        (vec!["b.html"], vec!["b.html".to_owned(), "index.html".to_owned()])
    );
}

#[test]
fn what_can_not_be_reached_is_kept() {
    let broken = Arc::new(AtomicBool::new(false));
    let is_broken = broken.clone();
    let pages = book(5);
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let web = Web::with(&pages, move |hit| {
        let down = is_broken.load(Ordering::SeqCst) && hit.path() == "/b/3.html";
        down.then(|| reply(500, &[], "sorry"))
    });
    let record = kept(&web.crawl("/b/").crawled().record);
    broken.store(true, Ordering::SeqCst);
    let again = web.again("/b/", &record);
    assert_eq!(again.documents().len(), 6);
    let problems = &again.crawled().problems;
    assert!(problems.len() == 1 && problems[0].path == "3.html" && problems[0].reason.contains("500"), "{problems:?}");
    broken.store(false, Ordering::SeqCst);
    let last = web.again("/b/", &kept(&again.crawled().record));
    assert_eq!((last.new.len(), last.crawled().problems.len(), last.crawled().not_modified), (0, 0, 6));
}

#[test]
fn a_server_that_dies_half_way_keeps_what_was_had_and_goes_on() {
    let (dead, count) = (Arc::new(AtomicBool::new(true)), 100);
    let is_dead = dead.clone();
    let pages = book(count);
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let web = Web::with(&pages, move |hit| {
        (is_dead.load(Ordering::SeqCst) && hit.number > 50).then(|| reply(503, &[], "dying"))
    });
    let first = web.crawl("/b/");
    let crawled = first.crawled();
    assert!(matches!(crawled.stopped, Some(Stopped::Failed(_))), "{:?}", crawled.stopped);
    let had = first.documents().len();
    assert!((30..60).contains(&had), "{had}");
    let asked = web.asked().len();
    assert!(asked < 50 + 60, "it is left alone soon: {asked}");
    dead.store(false, Ordering::SeqCst);
    let again = web.again("/b/", &kept(&crawled.record));
    assert_eq!(again.documents().len(), count + 1);
    assert_eq!((again.new.len(), again.crawled().not_modified), (count + 1 - had, had), "nothing comes twice");
}

#[test]
fn an_interrupted_crawl_goes_on() {
    let web = web(&book(400));
    let scope = Scope::new(web.server.url("/b/").as_str(), &[], &[]).unwrap();
    let cancel = Cancel::default();
    let limits = SiteLimits::default();
    let first = run_until(&client(), &scope, None, &limits, &cancel, |event| {
        if matches!(event, CrawlEvent::Asked { done: 150, .. }) {
            cancel.cancel();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(first.crawled().stopped, Some(Stopped::Cancelled));
    let had = first.new.len();
    assert!((100..300).contains(&had), "{had}");
    assert_eq!(first.documents().len(), had, "every page that is known was handed on");
    let again = run(&client(), &scope, Some(&kept(&first.crawled().record)), &limits);
    assert_eq!((again.documents().len(), again.new.len()), (401, 401 - had));
}

#[test]
fn what_is_known_is_handed_on_with_the_pages() {
    let web = web(&book(400));
    let scope = Scope::new(web.server.url("/b/").as_str(), &[], &[]).unwrap();
    let mut handed = 0;
    let mut snapshots = Vec::new();
    run_until(&client(), &scope, None, &SiteLimits::default(), &Cancel::default(), |event| {
        if let CrawlEvent::Pages { pages, record } = event {
            handed += pages.len();
            snapshots.extend(record.as_ref().map(|record| (handed, kept(record))));
        }
        ControlFlow::Continue(())
    });
    assert!(!snapshots.is_empty());
    for (handed, record) in snapshots {
        assert_eq!(record.documents().len(), handed, "no page is known that was not handed on");
    }
}

#[test]
fn a_busy_server_is_waited_for_by_all_requests() {
    let pages = book(20);
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let told = Arc::new(std::sync::Mutex::new(None::<Instant>));
    let early = Arc::new(AtomicBool::new(false));
    let (when, too_early) = (told.clone(), early.clone());
    let web = Web::with(&pages, move |hit| {
        if !hit.path().starts_with("/b/1") {
            return None;
        }
        let mut when = when.lock().unwrap();
        match *when {
            None => {
                *when = Some(Instant::now());
                Some(reply(429, &[("retry-after", "1")], ""))
            }
            Some(at) => {
                // Those that were on their way may come.
                let since = at.elapsed();
                if since > Duration::from_millis(100) && since < Duration::from_millis(900) {
                    too_early.store(true, Ordering::SeqCst);
                }
                None
            }
        }
    });
    let started = Instant::now();
    let outcome = web.crawl("/b/");
    assert_eq!((outcome.documents().len(), outcome.crawled().problems.len()), (21, 0));
    assert!(started.elapsed() >= Duration::from_secs(1) && !early.load(Ordering::SeqCst));
}

#[test]
fn a_pace_is_kept() {
    let web = web(&book(12));
    let pace = SiteLimits { requests_per_second: Some(20), ..SiteLimits::default() };
    let started = Instant::now();
    web.crawl_with("/b/", None, &pace);
    let requests = web.asked().len();
    let least = Duration::from_millis(50) * u32::try_from(requests - 1).unwrap();
    assert!(started.elapsed() >= least, "{requests} in {:?}", started.elapsed());
    let slow = Web::new(&[
        ("/robots.txt", "User-agent: *\nCrawl-delay: 0.2"),
        ("/", &page("Home", &["a"])),
        ("/a", &page("A", &[])),
    ]);
    let started = Instant::now();
    slow.crawl("/");
    let asked = u32::try_from(slow.asked().len()).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(200) * (asked - 2), "{asked} in {:?}", started.elapsed());
}

#[test]
fn limits_of_bytes_and_time_end_a_crawl_with_what_was_had() {
    let web = web(&book(50));
    let small: Client = with_limits(Limits { max_total_bytes: 5000, ..limits() });
    let scope = Scope::new(web.server.url("/b/").as_str(), &[], &[]).unwrap();
    let outcome = run(&small, &scope, None, &SiteLimits::default());
    let Some(Stopped::Failed(error)) = &outcome.crawled().stopped else { panic!("{:?}", outcome.crawled().stopped) };
    assert!(error.hint().unwrap().contains("`network.maxTotalBytes`"));
    assert!(!outcome.documents().is_empty());
    let slow = SiteLimits { requests_per_second: Some(20), ..SiteLimits::default() };
    let hasty: Client = with_limits(Limits { total_timeout: Duration::from_secs(1), ..limits() });
    let outcome = run(&hasty, &scope, None, &slow);
    let Some(Stopped::Failed(error)) = &outcome.crawled().stopped else { panic!("{:?}", outcome.crawled().stopped) };
    assert!(error.hint().unwrap().contains("`network.totalTimeout`"), "{error}");
    assert!(!outcome.documents().is_empty());
}
