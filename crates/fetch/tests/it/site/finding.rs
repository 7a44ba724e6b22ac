//! Which pages are found, and what they are called.

use std::io::Write;

use ai_assist_fetch::site::{FoundBy, Scope, SiteLimits};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Web, page, run};
use crate::server::reply;
use crate::support::client;

#[test]
fn links_are_followed_within_the_scope() {
    let web = Web::new(&[
        (
            "/guide/",
            &page(
                "Guide",
                &[
                    "install",
                    "/guide/use/",
                    "../other",
                    "https://elsewhere.example/x",
                    "logo.png",
                    "#top",
                    "mailto:a@b",
                ],
            ),
        ),
        ("/guide/install", &page("Install", &["/guide/install?utm_source=x#y", "deep/more.html", "/v2/guide/"])),
        ("/guide/use/", &page("Use", &["/guide/use/index.html", "/guide/"])),
        ("/guide/deep/more.html", &page("More", &[])),
        ("/other", &page("Other", &[])),
        ("/v2/guide/", &page("Version 2", &[])),
    ]);
    let outcome = web.crawl("/guide/");
    assert_eq!(outcome.paths(), ["deep/more.html", "index.html", "install.html", "use/index.html"]);
    assert_eq!(outcome.found, Some((FoundBy::Links, None)));
    let asked = web.asked();
    for never in ["/other", "/v2/guide/", "/guide/logo.png", "/guide/use/index.html"] {
        assert!(!asked.contains(&never.to_owned()), "{asked:?}");
    }
    let documents = outcome.crawled().record.documents();
    let urls: Vec<&str> = documents.values().map(|page| page.url.rsplit_once("/guide/").unwrap().1).collect();
    assert_eq!(urls, ["deep/more.html", "", "install", "use/"]);
    assert!(outcome.crawled().problems.is_empty() && outcome.crawled().stopped.is_none());
}

#[test]
fn the_same_site_gives_the_same_pages_in_whatever_order_answers_come() {
    let pages: Vec<(String, String)> = (0..60)
        .map(|n| {
            (
                format!("/s/p{n}.html"),
                page(
                    &format!("Page {}", n / 2),
                    &[&format!("/s/p{}.html", (n * 7 + 1) % 60), &format!("/s/p{}.html", (n * 3 + 2) % 60)],
                ),
            )
        })
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let slow = Web::with(&pages, |hit| {
        std::thread::sleep(std::time::Duration::from_millis((hit.number as u64 * 37) % 23));
        None
    });
    let quick = Web::new(&pages);
    let (a, b) = (slow.crawl("/s/p0.html"), quick.crawl("/s/p0.html"));
    assert!(a.documents().len() > 20);
    let paths = |outcome: &super::Outcome| outcome.new.iter().map(|page| page.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&a), paths(&b), "the same, in the same order");
}

#[test]
fn llms_txt_names_the_pages() {
    let web = Web::new(&[
        ("/docs/", &page("Docs", &["/docs/linked"])),
        ("/docs/linked", &page("Linked", &[])),
        (
            "/docs/llms.txt",
            "# Docs\n- [A]({host}/docs/a.md): first\n- [B](b.html.md)\n- [C](c)\n- [Out](/blog/x.md)\n- [Gone](gone.md)\n",
        ),
        ("/docs/a.md", "# A"),
        ("/docs/b.html.md", "# B"),
        ("/docs/c", &page("C", &[])),
        ("/docs/c.md", "# C in Markdown"),
        ("/sitemap.xml", "<urlset><url><loc>{host}/docs/mapped</loc></url></urlset>"),
    ]);
    let outcome = web.crawl("/docs/");
    assert_eq!(outcome.found, Some((FoundBy::LlmsTxt, Some(4))));
    assert_eq!(outcome.paths(), ["a.md", "b.md", "c.md", "index.html"]);
    let documents = outcome.crawled().record.documents();
    let b = documents.iter().find(|(path, _)| path.as_str() == "b.md").unwrap().1;
    assert!(b.url.ends_with("/docs/b.html") && b.from.as_deref().unwrap().ends_with("/docs/b.html.md"), "{b:?}");
    assert!(!web.asked().contains(&"/docs/linked".to_owned()));
    assert!(outcome.crawled().warnings[0].contains("1 link"), "{:?}", outcome.crawled().warnings);
}

#[test]
fn llms_txt_of_the_host_counts_for_what_it_has_in_the_scope() {
    let web = Web::new(&[
        ("/docs/", &page("Docs", &["x"])),
        ("/llms.txt", "- [A](/docs/a.md)\n- [Other](/blog/b.md)"),
        ("/docs/a.md", "# A"),
        ("/blog/b.md", "# B"),
    ]);
    assert_eq!(web.crawl("/docs/").paths(), ["a.md", "index.html"]);
    let other = Web::new(&[
        ("/docs/", &page("Docs", &["x"])),
        ("/docs/x", &page("X", &[])),
        ("/llms.txt", "- [Other](/blog/b.md)"),
    ]);
    let outcome = other.crawl("/docs/");
    assert_eq!(outcome.found.unwrap().0, FoundBy::Links, "it names nothing of the scope");
    assert_eq!(outcome.paths(), ["index.html", "x.html"]);
}

#[test]
fn one_file_with_everything_stands_for_all_pages() {
    let web = Web::new(&[("/", &page("Home", &["a"])), ("/llms-full.txt", "# All of it\n"), ("/a", &page("A", &[]))]);
    let outcome = web.crawl("/");
    assert_eq!((outcome.found.unwrap().0, outcome.paths()), (FoundBy::LlmsFullTxt, vec!["llms-full.txt"]));
    let part = Web::new(&[("/docs/", &page("Docs", &[])), ("/llms-full.txt", "# All of the host\n")]);
    assert_eq!(part.crawl("/docs/").paths(), ["index.html"], "of the host is more than was asked for");
}

#[test]
fn a_server_that_answers_everything_with_a_page_has_no_lists() {
    let web = Web::with(&[], |hit| {
        Some(reply(200, &[("content-type", "text/html")], page("App", &[&format!("{}x", hit.path())])))
    });
    let outcome = web.crawl_with("/", None, &SiteLimits { max_pages: 5, ..SiteLimits::default() });
    assert_eq!(outcome.found.unwrap().0, FoundBy::Links);
}

#[test]
fn sitemaps_are_read_in_every_form() {
    let packed = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let web = Web::with(
        &[
            ("/docs/", &page("Docs", &["linked"])),
            ("/robots.txt", "Sitemap: {host}/maps/index.xml\nUser-agent: *\nDisallow: /docs/private\n"),
            (
                "/maps/index.xml",
                "<sitemapindex><sitemap><loc>{host}/maps/a.xml</loc></sitemap><sitemap><loc>{host}/maps/b.xml.gz</loc></sitemap><sitemap><loc>https://other.example/c.xml</loc></sitemap></sitemapindex>",
            ),
            (
                "/maps/a.xml",
                "<urlset><url><loc>{host}/docs/a</loc></url><url><loc>{host}/blog/x</loc></url><url><loc>{host}/docs/private/p</loc></url></urlset>",
            ),
            ("/docs/a", &page("A", &["/docs/unlisted"])),
            ("/docs/b", &page("B", &[])),
        ],
        move |hit| {
            let map = format!("<urlset><url><loc>http://{}/docs/b</loc></url></urlset>", hit.header("host").unwrap());
            (hit.path() == "/maps/b.xml.gz").then(|| reply(200, &[("content-type", "application/gzip")], packed(&map)))
        },
    );
    let outcome = web.crawl("/docs/");
    assert_eq!(outcome.found.unwrap(), (FoundBy::Sitemap, Some(3)));
    assert_eq!(outcome.paths(), ["a.html", "b.html", "index.html"]);
    assert!(outcome.why("/docs/private/p").contains("robots.txt"));
}

#[test]
fn pages_that_come_as_markdown_too_are_read_so() {
    let map =
        "<urlset><url><loc>{host}/a</loc></url><url><loc>{host}/b</loc></url><url><loc>{host}/d/</loc></url></urlset>";
    let web = Web::new(&[
        ("/", &page("Home", &[])),
        ("/sitemap.xml", map),
        ("/a", &page("A", &[])),
        ("/a.md", "# A"),
        ("/b", &page("B", &[])),
        ("/d/", &page("D", &[])),
        ("/d/index.html.md", "# D"),
    ]);
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["a.md", "b.html", "d/index.md", "index.html"]);
    let documents = outcome.crawled().record.documents();
    let a = documents.iter().find(|(path, _)| path.as_str() == "a.md").unwrap().1;
    assert!(a.url.ends_with("/a") && a.from.as_deref().unwrap().ends_with("/a.md"), "{a:?}");
    let negotiating = Web::with(&[("/", "x")], |hit| {
        let wants = hit.header("accept").is_some_and(|accept| accept.starts_with("text/markdown"));
        let markdown = |text: &'static str| Some(reply(200, &[("content-type", "text/markdown")], text));
        match hit.path() {
            "/" if wants => markdown("# Home\n[A](/a)"),
            "/a" if wants => markdown("# A"),
            _ => None,
        }
    });
    assert_eq!(negotiating.crawl("/").paths(), ["a.md", "index.md"]);
}

#[test]
fn a_url_of_one_document_is_a_collection_of_it() {
    let web = Web::new(&[
        ("/notes/read.md", "# Read\n[x](other.md)"),
        ("/notes/other.md", "# Other"),
        ("/a.pdf", "%PDF-1.7 ..."),
    ]);
    let outcome = web.crawl("/notes/read.md");
    assert_eq!((outcome.found.unwrap().0, outcome.paths()), (FoundBy::Document, vec!["read.md"]));
    assert_eq!(web.crawl("/a.pdf").paths(), ["a.pdf"]);
    let again = web.again("/notes/read.md", &outcome.crawled().record);
    assert_eq!((again.paths().len(), again.crawled().not_modified), (0, 1));
}

#[test]
fn robots_txt_is_obeyed() {
    let web = Web::new(&[
        (
            "/robots.txt",
            "User-agent: *\nDisallow: /\n\nUser-agent: ai-assist\nDisallow: /private\nAllow: /private/but\n",
        ),
        ("/", &page("Home", &["/private/a", "/private/but", "/x"])),
        ("/private/a", &page("Private", &[])),
        ("/private/but", &page("But", &[])),
        ("/x", &page("X", &[])),
    ]);
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["index.html", "private/but.html", "x.html"]);
    assert!(!web.asked().contains(&"/private/a".to_owned()));
    assert!(web.crawl("/private/a").error().contains("robots.txt"));
}

#[test]
fn what_a_page_says_to_programs_counts() {
    let web = Web::with(
        &[
            ("/", &page("Home", &["/noindex", "/nofollow", "/tagged", "/both"])),
            ("/noindex", "<meta name=robots content=noindex><a href=/by-noindex>x</a>"),
            ("/by-noindex", &page("By noindex", &[])),
            ("/nofollow", "<html><meta name=robots content=nofollow><p>text</p><a href=/by-nofollow>x</a>"),
            ("/by-nofollow", &page("By nofollow", &[])),
            ("/both", "<html><meta name=robots content=none><a href=/by-both>x</a>"),
        ],
        |hit| {
            let tagged = || reply(200, &[("content-type", "text/html"), ("x-robots-tag", "noindex")], "<html>tagged");
            (hit.path() == "/tagged").then(tagged)
        },
    );
    let outcome = web.crawl("/");
    assert_eq!(outcome.paths(), ["by-noindex.html", "index.html", "nofollow.html"]);
    assert!(outcome.why("/tagged").contains("noindex"));
    assert!(!web.asked().iter().any(|it| it == "/by-nofollow" || it == "/by-both"));
}

#[test]
fn a_page_has_one_name_however_it_is_reached() {
    let canonical = |to: &str| format!("<html><link rel=canonical href=\"{to}\"><h1>Same</h1>");
    let web = Web::new(&[
        ("/d/", &page("Home", &["print", "old", "moved", "copy", "real", "away", "home"])),
        ("/d/print", &canonical("/d/real")),
        ("/d/real", "<html><h1>Real</h1>"),
        ("/d/old", "<html><meta http-equiv=refresh content=\"0; url=new\">"),
        ("/d/new", "<html><h1>New</h1>"),
        ("/d/moved", "-> /d/real"),
        ("/d/copy", "<html><h1>Real</h1>"),
        ("/d/away", &canonical("https://elsewhere.example/d/away")),
        ("/d/home", &canonical("/d/")),
    ]);
    let outcome = web.crawl("/d/");
    assert_eq!(outcome.paths(), ["away.html", "copy.html", "home.html", "index.html", "new.html"]);
    assert!(outcome.why("/d/real").contains("is the same as"), "{:?}", outcome.crawled().left_out);
}

#[test]
fn names_that_collide_are_told_apart() {
    let web = Web::new(&[
        ("/", &page("Home", &["/a", "/a.html", "/b%20c", "/b c", "/q?x=1", "/q?x=2"])),
        ("/a", "<html>bare"),
        ("/a.html", "<html>with ending"),
        ("/b%20c", "<html>b c"),
        ("/q?x=1", "<html>one"),
        ("/q?x=2", "<html>two"),
    ]);
    let (outcome, again) = (web.crawl("/"), web.crawl("/"));
    let paths = outcome.paths();
    assert_eq!(paths.len(), 6, "{paths:?}");
    assert!(paths.contains(&"a.html") && paths.iter().any(|path| path.starts_with("a-")), "{paths:?}");
    assert!(paths.contains(&"b c.html") && paths.contains(&"q@x=1.html") && paths.contains(&"q@x=2.html"), "{paths:?}");
    assert_eq!(again.paths(), paths);
}

#[test]
fn globs_choose_pages() {
    let web = Web::new(&[
        ("/", &page("Home", &["/api/a", "/blog/b", "/api/old/c"])),
        ("/api/a", &page("A", &["/api/d"])),
        ("/api/d", &page("D", &[])),
        ("/api/old/c", &page("C", &[])),
        ("/blog/b", &page("B", &[])),
    ]);
    let list = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let scope =
        Scope::new(web.server.url("/").as_str(), &list(&["api/**", "index.html"]), &list(&["api/old/**"])).unwrap();
    let outcome = run(&client(), &scope, None, &SiteLimits::default());
    assert_eq!(outcome.paths(), ["api/a.html", "api/d.html", "index.html"]);
}

#[test]
fn limits_are_named_with_their_settings() {
    let pages: Vec<(String, String)> =
        (0..40).map(|n| (format!("/p/{n}/x"), page(&format!("{n}"), &[&format!("/p/{}/x", n + 1)]))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let web = Web::new(&[&pages[..], &[("/", &page("Home", &["/p/0/x"]))]].concat());
    let outcome = web.crawl_with("/", None, &SiteLimits { max_pages: 10, ..SiteLimits::default() });
    assert_eq!(outcome.documents().len(), 10);
    assert!(outcome.crawled().warnings[0].contains("`site.maxPages`"), "{:?}", outcome.crawled().warnings);
    let outcome = web.crawl_with("/", None, &SiteLimits { max_depth: 3, ..SiteLimits::default() });
    assert_eq!(outcome.documents().len(), 4);
    assert!(outcome.crawled().warnings[0].contains("`site.maxDepth`"), "{:?}", outcome.crawled().warnings);
}

#[test]
fn a_site_without_pages_says_why() {
    let web = Web::new(&[("/", "<meta name=robots content=noindex>"), ("/x.png", "PNG")]);
    assert!(web.crawl("/").error().contains("noindex"), "{}", web.crawl("/").error());
    assert!(web.crawl("/x.png").error().contains("image/png"));
    assert!(web.crawl("/nowhere").error().contains("404"));
}
