//! Websites as the binary meets them.

use crate::packages::site::Site;
use crate::support::Sandbox;

fn page(title: &str, text: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|link| format!("<a href=\"{link}\">{link}</a>\n")).collect();
    format!(
        "<!doctype html>\n<html><head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n<p>{text}</p>\n{links}</body></html>\n"
    )
}

/// A small site: a first page and some others.
fn guide() -> Site {
    let site = Site::http();
    site.put("/guide/", page("Guide", "Where everything begins.", &["install", "use/", "/guide/faq.html"]));
    site.put("/guide/install", page("Installing", "How to install the zebra on a machine.", &["/guide/"]));
    site.put("/guide/use/", page("Using", "How to use the giraffe every day.", &[]));
    site.put("/guide/faq.html", page("Questions", "What an okapi is.", &[]));
    site
}

fn context(sandbox: &Sandbox) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(sandbox.project().join("context.json")).unwrap()).unwrap()
}

fn lock(sandbox: &Sandbox) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(sandbox.project().join("context.lock")).unwrap()).unwrap()
}

/// A project with the guide as `guide`, synced.
fn synced(site: &Site) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["add", &site.url("/guide/"), "--name", "guide"]).assert_code(0);
    site.asked();
    sandbox
}

fn report(sandbox: &Sandbox, args: &[&str], code: i32) -> serde_json::Value {
    let run = sandbox.run(&[&["collections", "sync", "guide", "--json"], args].concat());
    run.assert_code(code);
    run.json()["collections"][0].clone()
}

#[test]
fn a_url_is_added_searched_and_cited() {
    let site = guide();
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["add", &site.url("/guide/")]);
    run.assert_code(0);
    let said = format!("{}{}", run.stdout(), run.stderr());
    for part in ["(website)", "found by links", "4 documents"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let declared = &context(&sandbox)["collections"];
    let (name, entry) = declared.as_object().unwrap().iter().next().unwrap();
    assert_eq!((entry["type"].as_str(), entry["url"].as_str()), (Some("site"), Some(site.url("/guide/").as_str())));
    assert!(name.ends_with("guide"), "{name}");
    let hit = sandbox.json(&["search", "zebra"])["hits"][0].clone();
    assert_eq!(hit["url"], site.url("/guide/install"), "{hit}");
    assert_eq!(hit["document"], "install.html");
    let shown = sandbox.run(&["search", "zebra"]).stdout();
    assert!(shown.contains(&site.url("/guide/install")), "{shown}");
    let listed = sandbox.json(&["collections", "list"])["collections"][0].clone();
    assert_eq!((listed["type"].as_str(), listed["status"].as_str()), (Some("site"), Some("synced")), "{listed}");
    sandbox.assert_healthy();
    assert!(sandbox.run(&["add", &site.url("/guide/")]).stdout().contains("Already here"));
}

#[test]
fn the_lock_names_every_page_and_an_unchanged_site_costs_no_body() {
    let site = guide();
    let sandbox = synced(&site);
    let before = lock(&sandbox);
    let files = before["collections"]["guide"]["files"].as_object().unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["faq.html", "index.html", "install.html", "use/index.html"]);
    assert_eq!(files["use/index.html"]["url"], site.url("/guide/use/"));
    assert!(
        files["faq.html"]["hash"].as_str().unwrap().starts_with("sha256:")
            && files["faq.html"]["size"].as_u64().unwrap() > 50
    );
    let again = report(&sandbox, &[], 0);
    assert_eq!(
        (again["upToDate"].as_bool(), again["site"]["notModified"].as_u64(), again["site"]["bytes"].as_u64()),
        (Some(true), Some(4), Some(0)),
        "{again}"
    );
    let bodies: Vec<String> = site.asked().into_iter().filter(|asked| asked.starts_with("200")).collect();
    assert!(bodies.is_empty(), "{bodies:?}");
    assert_eq!(lock(&sandbox), before);
    sandbox.run(&["collections", "verify"]).assert_code(0);
}

#[test]
fn changes_are_seen_before_and_taken_in_after() {
    let site = guide();
    let sandbox = synced(&site);
    site.put("/guide/install", page("Installing", "How to install the quagga instead.", &["/guide/new"]));
    site.put("/guide/new", page("New", "A page about tapirs.", &[]));
    site.fail("/guide/faq.html", 410);
    let outdated = sandbox.json(&["collections", "outdated"])["collections"][0].clone();
    assert_eq!(
        (&outdated["added"], &outdated["updated"], &outdated["removed"]),
        (&serde_json::json!(["new.html"]), &serde_json::json!(["install.html"]), &serde_json::json!(["faq.html"])),
        "{outdated}"
    );
    assert_eq!(outdated["outdated"], true);
    for names in [&["guide"][..], &[]] {
        let diff = sandbox.run(&[&["collections", "diff"], names].concat()).stdout();
        for line in [
            "- faq.html (+0 -",
            "-How to install the zebra on a machine.",
            "+How to install the quagga instead.",
            "+ new.html (+",
        ] {
            assert!(diff.contains(line), "{line}: {diff}");
        }
    }
    assert_eq!(
        sandbox.json(&["search", "zebra", "--no-sync"])["hits"][0]["document"],
        "install.html",
        "nothing was written"
    );
    let locked = sandbox.run(&["collections", "sync", "guide", "--locked"]);
    assert!(locked.code() > 0 && locked.stderr().contains("not what the lock says"), "{}", locked.stderr());
    let synced = report(&sandbox, &[], 0);
    assert_eq!(
        [&synced["added"], &synced["updated"], &synced["removed"]].map(|it| it.as_u64().unwrap()),
        [1, 1, 1],
        "{synced}"
    );
    assert_eq!(sandbox.json(&["search", "tapirs"])["hits"][0]["url"], site.url("/guide/new"));
    report(&sandbox, &["--locked"], 0);
}

#[test]
fn what_can_not_be_had_stays_and_the_next_sync_goes_on() {
    let site = guide();
    let sandbox = synced(&site);
    site.fail("/guide/use/", 500);
    let broken = report(&sandbox, &[], 1);
    assert_eq!((broken["documents"].as_u64(), broken["removed"].as_u64()), (Some(4), Some(0)), "{broken}");
    let problem = &broken["problems"][0];
    assert!(problem["path"] == "use/index.html" && problem["reason"].as_str().unwrap().contains("500"), "{broken}");
    assert_eq!(sandbox.json(&["search", "giraffe", "--no-sync"])["hits"][0]["document"], "use/index.html");
    let listed = sandbox.json(&["collections", "list"])["collections"][0].clone();
    assert_eq!(listed["status"], "stale", "{listed}");
    site.put("/guide/use/", page("Using", "How to use the giraffe every day.", &[]));
    let whole = report(&sandbox, &[], 0);
    assert_eq!((whole["documents"].as_u64(), whole["updated"].as_u64()), (Some(4), Some(0)), "{whole}");
}

#[test]
fn a_frozen_sync_has_the_locked_pages_and_no_others() {
    let site = guide();
    let first = synced(&site);
    let second = Sandbox::new();
    for name in ["context.json", "context.lock"] {
        second.write(name, std::fs::read(first.project().join(name)).unwrap());
    }
    site.asked();
    site.put("/guide/other", page("Other", "Not locked.", &[]));
    site.put("/guide/", page("Guide", "Where everything begins.", &["install", "use/", "/guide/faq.html"]));
    let frozen = report(&second, &["--frozen"], 0);
    assert_eq!(frozen["documents"], 4, "{frozen}");
    assert_eq!(site.asked().len(), 4, "the pages, and nothing to find them by");
    assert_eq!(second.json(&["search", "zebra"])["hits"][0]["url"], site.url("/guide/install"));
    report(&second, &["--frozen"], 0);
    assert!(site.asked().is_empty(), "all of it is here");
    let third = Sandbox::new();
    for name in ["context.json", "context.lock"] {
        third.write(name, std::fs::read(first.project().join(name)).unwrap());
    }
    site.put("/guide/install", page("Installing", "Something else.", &[]));
    let changed = report(&third, &["--frozen"], 1);
    assert_eq!(changed["documents"], 3, "{changed}");
    assert!(
        changed["problems"][0]["path"] == "install.html"
            && changed["problems"][0]["reason"].as_str().unwrap().contains("is expected"),
        "{changed}"
    );
}

#[test]
fn a_package_of_a_site_is_shared() {
    let site = guide();
    let sandbox = synced(&site);
    let run = sandbox.run(&["collections", "pack", "guide", "-o", "guide.tar.gz"]);
    run.assert_code(0);
    let other = Sandbox::new();
    other.run(&["collections", "init"]).assert_code(0);
    let bundle = format!("file://{}", sandbox.project().join("guide.tar.gz").display());
    other.run(&["collections", "add", "shared", &bundle]).assert_code(0);
    other.run(&["collections", "sync"]).assert_code(0);
    let before = site.asked().len();
    let hit = other.json(&["search", "giraffe"])["hits"][0].clone();
    assert_eq!(hit["url"], site.url("/guide/use/"), "{hit}");
    assert_eq!((site.asked().len(), before), (0, 0), "nobody asked the site");
    let not_a_site = Sandbox::with_synced_docs(&[("a.md", "# A\n")]);
    let refused = not_a_site.run(&["collections", "pack", "docs"]);
    assert!(refused.code() > 0 && refused.stderr().contains("not a website"), "{}", refused.stderr());
}

#[test]
fn what_is_no_site_is_refused_with_a_reason_and_nothing_is_declared() {
    let site = guide();
    site.make("/image", |_| crate::packages::site::reply(200, &[("content-type", "image/png")], "PNG"));
    site.put("/empty/", "<!doctype html><html><meta name=\"robots\" content=\"noindex\"></html>");
    site.put("/robots.txt", "User-agent: *\nDisallow: /closed/\n");
    site.put("/closed/", page("Closed", "For people only.", &[]));
    for (path, reason) in
        [("/nowhere", "404"), ("/image", "image/png"), ("/empty/", "noindex"), ("/closed/", "robots.txt")]
    {
        let sandbox = Sandbox::new();
        let run = sandbox.run(&["add", &site.url(path)]);
        assert_eq!(run.code(), 1, "{path}: {}", run.stderr());
        assert!(run.stderr().contains(reason), "{path}: {}", run.stderr());
    }
    let sandbox = Sandbox::new();
    sandbox.run(&["add", &site.url("/nowhere")]);
    assert!(!sandbox.project().join("context.json").exists());
}

#[test]
fn a_moved_site_is_added_where_it_is() {
    let site = guide();
    site.redirect("/", "/guide/");
    site.redirect("/guide", "/guide/");
    let sandbox = Sandbox::new();
    sandbox.run(&["add", &site.url("/"), "--name", "moved"]).assert_code(0);
    assert_eq!(context(&sandbox)["collections"]["moved"]["url"], site.url("/guide/"));
    let plain = Sandbox::new();
    plain.run(&["add", &site.url("/guide"), "--name", "same"]).assert_code(0);
    assert_eq!(context(&plain)["collections"]["same"]["url"], site.url("/guide"), "what was typed stands for the same");
    assert_eq!(plain.json(&["search", "zebra"])["hits"][0]["document"], "install.html");
}

#[test]
fn options_are_declared_checked_and_count() {
    let site = guide();
    let sandbox = Sandbox::new();
    let url = site.url("/guide/");
    sandbox.write("context.json", format!(r#"{{"collections": {{"guide": {{"type": "site", "url": "{url}", "exclude": ["use/**"], "maxPages": 10}}}}}}"#));
    assert_eq!(report(&sandbox, &[], 0)["documents"], 3);
    sandbox.write(
        "context.json",
        format!(r#"{{"collections": {{"guide": {{"type": "site", "url": "{url}", "maxPages": 2}}}}}}"#),
    );
    let limited = report(&sandbox, &[], 0);
    assert!(
        limited["documents"] == 2 && limited["warnings"][0].as_str().unwrap().contains("`site.maxPages`"),
        "{limited}"
    );
    for (text, part) in [
        (r#""url": "ftp://x/""#, "website"),
        (r#""url": "https://x/", "include": ["["]"#, "["),
        (r#""url": "https://x/", "maxPages": 0"#, "at least 1"),
        (r#""include": []"#, "has no `url`"),
    ] {
        sandbox.write("context.json", format!(r#"{{"collections": {{"guide": {{"type": "site", {text}}}}}}}"#));
        let run = sandbox.run(&["collections", "list"]);
        assert!(run.code() > 0 && run.stderr().contains(part), "{text}: {}", run.stderr());
    }
    let added = Sandbox::new();
    added.run(&["collections", "init"]).assert_code(0);
    added.run(&["collections", "add", "docs", &url, "--description", "The guide"]).assert_code(0);
    added.run(&["collections", "add", "more", "--type", "site", "--url", &url]).assert_code(0);
    assert_eq!(context(&added)["collections"]["docs"]["type"], "site");
    added.run(&["collections", "sync"]).assert_code(0);
}

#[test]
fn a_killed_sync_is_finished_by_the_next_and_converts_nothing_twice() {
    let site = Site::http();
    let links: Vec<String> = (0..600).map(|n| format!("/b/{n}")).collect();
    site.put("/b/", page("Book", "All chapters.", &links.iter().map(String::as_str).collect::<Vec<_>>()));
    for n in 0..600 {
        site.put(&format!("/b/{n}"), page(&format!("Chapter {n}"), &format!("The text of chapter {n}."), &[]));
    }
    let sandbox = Sandbox::new();
    sandbox.write(
        "context.json",
        format!(r#"{{"collections": {{"guide": {{"type": "site", "url": "{}"}}}}}}"#, site.url("/b/")),
    );
    let mut child = sandbox
        .command()
        .args(["-q", "collections", "sync"])
        .env("AI_ASSIST_SITE_REQUESTS_PER_SECOND", "300")
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    while site.hits().len() < 400 && started.elapsed() < std::time::Duration::from_secs(60) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let had: u64 =
        sandbox.sql("SELECT count(*) FROM reference_documents").map_or(0, |text| text.trim().parse().unwrap_or(0));
    let done = report(&sandbox, &[], 0);
    assert_eq!((done["documents"].as_u64(), done["problems"].as_array().map(Vec::len)), (Some(601), Some(0)), "{done}");
    assert!(done["added"].as_u64().unwrap() <= 601 - had, "{had} were there: {done}");
    sandbox.assert_healthy();
}

#[test]
fn locked_pages_are_vendored_and_need_no_server() {
    let mut site = guide();
    let sandbox = synced(&site);
    sandbox.run(&["collections", "vendor"]).assert_code(0);
    sandbox.run(&["collections", "vendor", "--check"]).assert_code(0);
    site.close();
    // As on another machine, which has nothing but the repository.
    std::fs::remove_dir_all(sandbox.data()).unwrap();
    let report = report(&sandbox, &["--frozen"], 0);
    assert_eq!((report["added"].as_u64(), report["problems"].as_array().unwrap().len()), (Some(4), 0), "{report}");
    assert_eq!(sandbox.json(&["search", "zebra", "--no-sync"])["hits"][0]["url"], site.url("/guide/install"));
}

#[test]
fn a_server_that_is_gone_is_given_up_soon() {
    let mut site = Site::http();
    let links: Vec<String> = (0..200).map(|number| format!("/guide/{number}")).collect();
    site.put("/guide/", page("Guide", "Many.", &links.iter().map(String::as_str).collect::<Vec<_>>()));
    links.iter().for_each(|link| site.put(link, page(link, "One of them.", &[])));
    let sandbox = synced(&site);
    site.close();
    std::fs::remove_dir_all(sandbox.data()).unwrap();
    let started = std::time::Instant::now();
    let report = report(&sandbox, &["--frozen"], 1);
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 201, "each page is accounted for");
    let given_up = |problem: &&serde_json::Value| problem["reason"].as_str().unwrap().contains("was not asked for");
    assert!(problems.iter().filter(given_up).count() > 150, "{report}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_site_that_has_to_be_public_is_never_asked_for_here() {
    let site = guide();
    let sandbox = synced(&site);
    let url = site.url("/guide/");
    sandbox.write(
        "context.json",
        format!(r#"{{"collections": {{"guide": {{"type": "site", "url": "{url}", "public": true}}}}}}"#),
    );
    site.asked();
    let run = sandbox.run(&["collections", "sync", "guide"]);
    assert!(run.code() > 0 && run.stderr().contains("an address of this machine"), "{}", run.stderr());
    assert!(site.asked().is_empty());
    sandbox.write("context.json", r#"{"collections": {"g": {"type": "site", "url": "https://h/", "public": 1}}}"#);
    assert!(sandbox.run(&["collections", "list"]).stderr().contains("`public` must be true or false"));
}
