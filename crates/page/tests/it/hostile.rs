//! Documents, names and contents that mean harm.

use std::collections::{BTreeSet, VecDeque};

use crate::markup::{check, tags};
use crate::support::Site;

const MARKUP: &str = "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>";

fn site() -> Site {
    let markdown = format!(
        "# {MARKUP}\n\n{MARKUP}\n\n[a](javascript:alert(1)) [b](data:text/html,x) ![p](https://evil.example/p.png) [up](../../../../etc/passwd)\n\n| {MARKUP} |\n|---|\n| x |\n\n```html\n{MARKUP}\n```\n\nneedle `{MARKUP}`\n"
    );
    let python =
        format!("# {MARKUP} needle\ndef needle(a='{MARKUP}'):\n    \"\"\"{MARKUP}\"\"\"\n    return needle()\n");
    Site::indexed(&[
        ("docs/plain.md", &markdown),
        ("docs/<img src=x onerror=alert(1)>.md", &markdown),
        ("docs/\"onmouseover=\"alert(1).md", "# needle\n\nquotes in a name\n"),
        ("docs/page.html", &format!("<html><body><h1>needle</h1><p>{MARKUP}</p></body></html>")),
        ("src/<b onclick=alert(1)>needle.py", &python),
        ("src/plain.py", &python),
        ("src/'\"><svg onload=alert(1)>/needle.py", &python),
        ("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script><text>needle</text></svg>"),
        ("data.json", "{\"<script>\": \"needle </script><script>alert(1)</script>\"}"),
    ])
}

#[test]
fn whatever_is_in_documents_every_page_is_made_of_our_own_tags() {
    let site = site();
    let mut open: VecDeque<String> =
        ["/p/demo", "/p/demo?q=needle", "/p/demo?q=%3Cscript%3Ealert(1)%3C/script%3E"].map(str::to_owned).into();
    open.extend(
        [
            "/p/demo/symbols?name=%22%3E%3Cscript%3E",
            "/p/demo/symbols?name=needle",
            "/p/demo/%3Cscript%3E",
            "/p/%3Cscript%3E",
        ]
        .map(str::to_owned),
    );
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    let mut documents = 0;
    while let Some(address) = open.pop_front() {
        let page = site.get(&address);
        assert!(page.status < 500, "{address}: {}", page.body);
        let kind = page.header("content-type").unwrap_or_default().to_owned();
        assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"), "{address}");
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{address}");
        if (300..400).contains(&page.status) {
            continue;
        }
        if address.contains("view=prompt") {
            // The text itself, which a browser takes for nothing else.
            assert_eq!(kind, "text/plain; charset=utf-8", "{address}");
            continue;
        }
        assert_eq!(kind, "text/html; charset=utf-8", "{address}");
        documents += usize::from(address.contains("/doc/") || address.contains("/file/"));
        for next in check(&address, &page.body) {
            let next = next.split('#').next().unwrap().to_owned();
            // Chips lead to every combination of themselves.
            let is_far = next.matches('=').count() > 2 || seen.len() > 400;
            if !is_far && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    assert!(documents >= 9, "only {documents} documents were reached: {seen:?}");
}

#[test]
fn names_are_shown_as_they_are() {
    let site = site();
    let page = site.get("/p/demo/collections/docs");
    page.says("&#60;img src=x onerror=alert(1)&#62;.md");
    let links = tags(&page.body).into_iter().filter_map(|tag| Some(tag.get("href")?.to_owned()));
    let odd: Vec<String> = links.filter(|link| link.contains("/doc/docs/%")).collect();
    assert_eq!(odd.len(), 2, "{odd:?}");
    for link in odd {
        assert_eq!(site.get(&link).status, 200, "{link}");
    }
}

#[test]
fn a_picture_of_a_repository_is_never_served_as_one() {
    let site = site();
    let page = site.get("/p/demo/file/demo/logo.svg");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    page.says("&lt;script&gt;");
}

#[test]
fn no_address_leads_out_of_the_project() {
    let site = site();
    std::fs::write(site.folder.parent().unwrap().join("outside.txt"), "outside of the project").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(site.folder.parent().unwrap().join("outside.txt"), site.folder.join("link.txt"))
        .unwrap();
    let ways = [
        "../outside.txt",
        "..%2foutside.txt",
        "%2e%2e/outside.txt",
        "%2e%2e%2foutside.txt",
        "src/../../outside.txt",
        "src%2f..%2f..%2foutside.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "..\\outside.txt",
        "..%5coutside.txt",
        "link.txt",
        "%00",
        "a%00b",
        ".git/config",
        "%c0%ae%c0%ae/outside.txt",
        "./outside.txt",
    ];
    for way in ways {
        for route in [
            "/p/demo/file/demo/", "/p/demo/doc/docs/", "/p/demo/seen/", "/p/demo/seen/s/", "/assets/", "/p/",
            "/p/demo/repo/", "/p/demo/collections/", "/p/demo/sessions/",
        ] {
            let page = site.get(&format!("{route}{way}"));
            let is_refused = (400..500).contains(&page.status) || (300..400).contains(&page.status);
            assert!(is_refused || !page.body.contains("outside of the project"), "{route}{way}: {}", page.status);
            assert!(!page.body.contains("outside of the project") && !page.body.contains("root:x:"), "{route}{way}");
            assert!(page.status < 500, "{route}{way}: {}", page.body);
        }
    }
    for at in ["..", "../..", "/etc", "%2e%2e", "src/../.."] {
        let page = site.get(&format!("/p/demo/repo/demo?at={at}"));
        assert!(!page.body.contains("outside.txt") && page.status < 500, "{at}");
    }
}
