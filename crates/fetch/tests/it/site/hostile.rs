//! Sites that lead astray.

use std::collections::BTreeMap;

use ai_assist_fetch::site::{Scope, SiteLimits};
use ai_assist_fetch::{Client, ClientOptions};

use super::{Web, page, run};
use crate::server::{Authority, Server, redirect, reply};
use crate::support::options;

#[test]
fn redirects_in_circles_end() {
    let web = Web::new(&[
        ("/", &page("Home", &["/a", "/self", "/chain/0", "/real"])),
        ("/a", "-> /b"),
        ("/b", "-> /a"),
        ("/self", "-> /self"),
        ("/real", &page("Real", &[])),
    ]);
    (0..50).for_each(|n| web.put(&format!("/chain/{n}"), &format!("-> /chain/{}", n + 1)));
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["index.html", "real.html"]);
    assert!(outcome.why("/a").contains("in a circle") && outcome.why("/self").contains("itself"));
    assert!(outcome.crawled().left_out.iter().any(|it| it.reason.contains("`network.maxRedirects`")));
    assert!(web.asked().len() < 30, "{:?}", web.asked());
}

#[test]
fn a_redirect_elsewhere_is_left_out_and_never_asked() {
    let other = Server::http(|_| reply(200, &[("content-type", "text/html")], "<html>secret of another"));
    let to = other.url("/x").to_string();
    let web = Web::with(
        &[
            ("/d/", &page("Home", &["/d/out", "/d/up", "/d/x"])),
            ("/d/up", "-> /elsewhere"),
            ("/d/x", &page("X", &[])),
            ("/elsewhere", &page("E", &[])),
        ],
        move |hit| (hit.path() == "/d/out").then(|| redirect(&to)),
    );
    let outcome = web.crawl("/d/");
    assert_eq!(outcome.paths(), ["index.html", "x.html"]);
    assert!(outcome.why("/d/out").contains("another site") && outcome.why("/d/up").contains("part of the site"));
    assert_eq!((other.count(), web.asked().contains(&"/elsewhere".to_owned())), (0, false));
    let moved = Web::new(&[("/d/", "-> /new/")]);
    assert!(moved.crawl("/d/").error().contains("/new/"));
}

#[test]
fn calendars_without_end_get_one() {
    let web = Web::with(&[], |hit| {
        let text = match hit.path() {
            "/" => page("Home", &["/cal?month=0", "/day/0/", "/deep/", "/real"]),
            "/real" => page("Real", &[]),
            "/cal" => {
                let month: u64 = hit.uri.query().unwrap().trim_start_matches("month=").parse().unwrap();
                let next: Vec<String> = (1..=20).map(|n| format!("/cal?month={}", month * 20 + n)).collect();
                page(&format!("Month {month}"), &next.iter().map(String::as_str).collect::<Vec<_>>())
            }
            path if path.starts_with("/day/") => {
                let day: u64 = path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
                page(&format!("Day {day}"), &[&format!("/day/{}/", day + 1)])
            }
            path if path.starts_with("/deep/") => page(path, &[&format!("{path}deep/")]),
            _ => return Some(reply(404, &[], "")),
        };
        Some(reply(200, &[("content-type", "text/html")], text))
    });
    let outcome = web.crawl("/");
    let documents = outcome.documents();
    assert!(documents.contains(&"real.html".to_owned()) && documents.len() < 160, "{}", documents.len());
    assert!(
        outcome.crawled().left_out.iter().any(|it| it.reason.contains("?month")),
        "{:?}",
        outcome.crawled().left_out
    );
    assert!(outcome.crawled().left_out.iter().any(|it| it.reason.contains("`deep`")));
    assert!(outcome.crawled().warnings.iter().any(|it| it.contains("maxDepth")), "{:?}", outcome.crawled().warnings);
}

#[test]
fn a_public_site_can_not_lead_to_this_network() {
    let authority = Authority::new();
    let inner = Server::http(|_| reply(200, &[("content-type", "text/html")], "<html>of this network"));
    let to = inner.url("/secret").to_string();
    let private = to.clone();
    let server = Server::https(authority.certificate(&["docs.example"]), move |hit| match hit.path() {
        "/" => reply(200, &[("content-type", "text/html")], page("Home", &["/go", &private])),
        "/go" => redirect(&private),
        _ => reply(404, &[], ""),
    });
    // A name that the user typed may be of this network; what it leads to may not be anywhere else.
    let hosts = BTreeMap::from([("docs.example".to_owned(), vec![server.address.ip()])]);
    let client = Client::new(ClientOptions { ca_file: Some(authority.file()), hosts, ..options() });
    let scope = Scope::new(&format!("https://docs.example:{}/", server.address.port()), &[], &[]).unwrap();
    let outcome = run(&client, &scope, None, &SiteLimits::default());
    assert_eq!(outcome.paths(), ["index.html"]);
    assert_eq!(inner.count(), 0);
}

#[test]
fn odd_answers_are_no_pages_and_cost_no_body() {
    let web = Web::with(
        &[("/", &page("Home", &["/img", "/huge", "/forbidden", "/ok", "/json"])), ("/ok", &page("Fine", &[]))],
        |hit| match hit.path() {
            "/img" => Some(reply(200, &[("content-type", "image/png")], vec![0; 1 << 20])),
            "/json" => Some(reply(200, &[("content-type", "application/json")], "{}")),
            "/huge" => Some(reply(200, &[("content-type", "text/html")], vec![b'x'; 17 << 20])),
            "/forbidden" => Some(reply(403, &[], "no")),
            _ => None,
        },
    );
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["index.html", "ok.html"]);
    assert!(outcome.why("/huge").contains("`sync.maxFileBytes`") && outcome.why("/forbidden").contains("403"));
    let before = web.asked().len();
    web.again("/", &outcome.crawled().record);
    let again = &web.asked()[before..];
    assert!(!again.contains(&"/img".to_owned()), "what is no document is not asked for again: {again:?}");
}

#[test]
fn a_list_that_names_thousands_of_lists_is_not_followed_for_ever() {
    let web = Web::with(&[("/", &page("Home", &["/a"])), ("/a", &page("A", &[]))], |hit| {
        let host = hit.header("host").unwrap().to_owned();
        let number: Option<u64> = hit
            .path()
            .strip_prefix("/sitemap")
            .and_then(|it| it.strip_suffix(".xml"))
            .map(|it| it.parse().unwrap_or_default());
        number.map(|number| {
            let maps: String = (1..=3)
                .map(|n| format!("<sitemap><loc>http://{host}/sitemap{}.xml</loc></sitemap>", number * 3 + n))
                .collect();
            reply(200, &[("content-type", "application/xml")], format!("<sitemapindex>{maps}</sitemapindex>"))
        })
    });
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["a.html", "index.html"]);
    assert!(web.asked().len() < 600, "{}", web.asked().len());
}

#[test]
fn a_server_that_breaks_over_lists_it_never_had_is_crawled_by_links() {
    let web = Web::with(&[("/", &page("Home", &["/a"])), ("/a", &page("A", &[]))], |hit| {
        let is_list = hit.path().contains("llms") || hit.path().contains("sitemap");
        // A length that never comes: the connection breaks off.
        is_list.then(|| {
            reply(200, &[("content-length", "100"), ("content-type", "text/plain")], axum::body::Body::from("x"))
        })
    });
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["a.html", "index.html"]);
}

#[test]
fn a_server_that_can_not_say_what_may_be_read_is_not_read() {
    let server = Server::http(|hit| match hit.path() {
        "/robots.txt" => reply(503, &[], ""),
        _ => reply(200, &[("content-type", "text/html")], page("Home", &[])),
    });
    let hosts = BTreeMap::from([("docs.example".to_owned(), vec![server.address.ip()])]);
    let client = Client::new(ClientOptions { allow_http: true, hosts, ..options() });
    let crawled = |host: &str| {
        let scope = Scope::new(server.url_at(host, "/").as_str(), &[], &[]).unwrap();
        run(&client, &scope, None, &SiteLimits::default())
    };
    assert!(crawled("docs.example").error().contains("robots.txt can't be had"));
    assert!(server.hits().iter().all(|hit| hit.path() == "/robots.txt"));
    assert_eq!(crawled("127.0.0.1").paths(), ["index.html"], "on this machine nobody has to ask");
}

fn packed(text: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn pages_may_come_compressed_but_not_as_bombs() {
    let web = Web::with(&[("/", &page("Home", &["/gzip", "/bomb", "/br", "/cut", "/plain"]))], |hit| {
        let html = ("content-type", "text/html");
        let gzip = ("content-encoding", "gzip");
        Some(match hit.path() {
            "/gzip" => {
                assert_eq!(hit.header("accept-encoding"), Some("gzip"));
                reply(200, &[html, gzip], packed(&page("Packed", &[])))
            }
            "/bomb" => reply(200, &[html, gzip], packed(&"0".repeat(64 << 20))),
            "/br" => reply(200, &[html, ("content-encoding", "br")], "x"),
            "/cut" => reply(200, &[html, gzip], packed(&page("Cut", &[]))[..20].to_vec()),
            "/plain" => reply(200, &[html, ("content-encoding", "identity")], page("Plain", &[])),
            _ => return None,
        })
    });
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["gzip.html", "index.html", "plain.html"]);
    let packed = outcome.new.iter().find(|page| page.path.as_str() == "gzip.html").unwrap();
    assert_eq!(String::from_utf8_lossy(&packed.bytes), page("Packed", &[]));
    assert!(outcome.why("/bomb").contains("larger than"));
    let problems: Vec<&str> = outcome.crawled().problems.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(problems, ["br.html", "cut.html"]);
}
