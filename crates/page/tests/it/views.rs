//! Every view without scripts.

use ai_assist_app::Reach;
use ai_assist_session::object::Role;
use ai_assist_session::{How, NewSession, ReadFile};

use crate::markup::check;
use crate::support::{DEMO, Reply, Site};

fn open(site: &Site, address: &str) -> Reply {
    let page = site.get(address);
    assert_eq!(page.status, 200, "{address}: {}", page.body);
    check(address, &page.body);
    page
}

#[test]
fn before_anything_is_indexed_every_view_says_what_to_do() {
    let site = Site::new(&[("src/a.py", "def a(): pass\n")]);
    assert_eq!(site.get("/").header("location"), Some("/p/demo"));
    open(&site, "/p/demo").says("Ask in words");
    open(&site, "/p/demo?q=backoff").says("Nothing is indexed here yet").says("Index everything now");
    open(&site, "/p/demo/repo/demo").says("not indexed").says("Index now");
    open(&site, "/p/demo/collections").says("declares no collections").says("ai-assist add ./docs");
    open(&site, "/p/demo/sessions").says("No session is about this project").says("ai-assist session open");
    open(&site, "/p/demo/receipts").says("Nothing was packed yet");
    open(&site, "/p/demo/symbols").says("Type the name");
    open(&site, "/p/demo/pack").says("Where the tokens go");
    open(&site, "/p/demo/status").says("Look for damage");
    let nothing = site.get("/p/demo/workspace");
    assert_eq!(nothing.status, 404);
    nothing.says("ai-assist workspace init");
}

#[test]
fn what_can_t_be_shown_names_the_way_out() {
    let site = Site::indexed(DEMO);
    let cases = [
        ("/p/demo/file/demo/src/gone.py", 404, "Search for it"),
        ("/p/demo/doc/docs/gone.md", 404, "Search for it"),
        ("/p/demo/doc/other/gone.md", 404, "Search for it"),
        ("/p/demo/repo/other", 404, ""),
        ("/p/demo/sessions/other", 404, "Search for it"),
        ("/p/demo/receipts/9", 404, "Search for it"),
        ("/p/demo/jobs/99", 404, "Search for it"),
        ("/p/demo/pack?budget=3", 400, "Choose a larger one"),
        ("/p/other", 404, "no project here is called"),
        ("/nowhere", 404, "nothing at this address"),
        ("/p/demo?q=a&in=nowhere", 200, "no collection or repository"),
    ];
    for (address, status, said) in cases {
        let page = site.get(address);
        assert_eq!(page.status, status, "{address}: {}", page.body);
        page.says(said);
        check(address, &page.body);
    }
}

#[test]
fn a_search_shows_places_lines_and_reasons() {
    let site = Site::indexed(DEMO);
    let page = open(&site, "/p/demo?q=how+long+to+wait+backoff");
    page.says("<mark>").says("/p/demo/doc/docs/retries.md?lines=").says("/p/demo/file/demo/src/backoff.py?lines=");
    page.says("class=\"bars\"").says("words").says("meaning");
    let narrow = open(&site, "/p/demo?q=wait&kind=code");
    assert!(!narrow.body.contains("/doc/docs/"), "{}", narrow.body);
    narrow.says("aria-current=\"true\">code</a>");
    let role = open(&site, "/p/demo?q=wait&role=guide");
    assert!(!role.body.contains("/file/demo/src/"), "{}", role.body);
    open(&site, "/p/demo?q=wait&lang=rust").says("Nothing found").says("Search everywhere");
    let part = site.get("/p/demo?q=wait&part=results");
    assert!(part.status == 200 && !part.body.contains("<html"), "{}", part.body);
    let next = open(&site, "/p/demo?q=symbol%3Abackoff_delay");
    next.says("backoff_delay");
}

#[test]
fn documents_are_rendered_and_sources_coloured() {
    let site = Site::indexed(DEMO);
    let page = open(&site, "/p/demo/doc/docs/retries.md?lines=3-5");
    page.says("<h3 id=\"hit\" class=\"wanted\">Backoff</h3>")
        .says("href=\"/p/demo/doc/docs/cache.md\"")
        .says("<span class=\"tk\">def</span>");
    open(&site, "/p/demo/doc/docs/retries.md?view=source").says("id=\"L3\"").says("## Backoff");
    let source = open(&site, "/p/demo/file/demo/src/backoff.py?lines=6-8");
    source.says("<span class=\"line wanted\" id=\"L6\">").says("<span class=\"td\">backoff_delay</span>");
    source.says("href=\"#L6\">backoff_delay</a>");
    source.says("href=\"/p/demo/file/demo/src/clock.py#L1\">Clock</a>");
    source.says("Imports").says("src/clock.py");
    let prompt = site.get("/p/demo/file/demo/src/backoff.py?lines=6-8&view=prompt");
    assert!(prompt.body.starts_with("demo/src/backoff.py:6-8\n\n```python\ndef backoff_delay"), "{}", prompt.body);
    open(&site, "/p/demo/file/demo/src/settings.json").says("<span class=\"tp\">&quot;retries&quot;</span>");
    open(&site, "/p/demo/symbols?name=backoff_delay")
        .says("Definitions")
        .says("src/backoff.py:6-8")
        .says("<mark><span class=\"tf\">backoff_delay</span></mark>");
}

#[test]
fn repository_collections_and_status_show_how_things_stand() {
    let site = Site::indexed(DEMO);
    assert_eq!(site.get("/p/demo/repo").header("location"), Some("/p/demo/repo/demo"));
    open(&site, "/p/demo/repo/demo").says("up to date").says("src/").says("backoff_delay").says("python");
    open(&site, "/p/demo/repo/demo?at=src").says("backoff.py").says("settings.json");
    open(&site, "/p/demo/collections").says("docs").says("up to date");
    open(&site, "/p/demo/collections/docs").says("Retries").says("2 documents");
    open(&site, "/p/demo/collections/docs?path=cache").says("1 document");
    open(&site, "/p/demo/status").says("Index everything").says("indexes of repositories");
    open(&site, "/p/demo/status?doctor=1").says("Everything is sound.");
    site.write("docs/new.md", "# New\n\nA new page about marmalade.\n");
    open(&site, "/p/demo/collections").says("stale");
    let job = site.post("/p/demo/sync", "name=docs");
    let done = site.finished(job.header("location").unwrap());
    done.says("docs: 3 documents, 1 added, 0 updated, 0 removed").says(">done<");
    open(&site, "/p/demo?q=marmalade").says("/p/demo/doc/docs/new.md");
    let repaired = site.post("/p/demo/repair", "");
    site.finished(repaired.header("location").unwrap()).says(">done<");
    let checked = site.post("/p/demo/outdated", "");
    site.finished(checked.header("location").unwrap()).says("Folders have no upstream");
}

#[test]
fn a_pack_leaves_with_a_receipt() {
    let site = Site::indexed(DEMO);
    site.write("image.png", "\u{0}\u{1}png");
    open(&site, "/p/demo/pack?budget=8000")
        .says("class=\"treemap\"")
        .says("src/backoff.py")
        .says("binary")
        .says("image.png");
    open(&site, "/p/demo/pack?type=summary").says("A summary holds no texts");
    open(&site, "/p/demo/pack?include=src/**").says("src/clock.py");
    for (ending, said) in
        [("md", "backoff_delay"), ("xml", "backoff_delay"), ("json", "backoff_delay"), ("msgpack", "backoff_delay")]
    {
        let pack = site.post("/p/demo/pack/download", &format!("format={ending}&budget=8000"));
        assert_eq!(pack.status, 200, "{}", pack.body);
        let expected = format!("attachment; filename=\"demo-pack.{ending}\"");
        assert_eq!(pack.header("content-disposition"), Some(expected.as_str()));
        pack.says(said);
    }
    assert_eq!(site.post("/p/demo/pack/download", "format=exe").status, 400);
    open(&site, "/p/demo/receipts").says("4 receipts, none changed, missing or moved");
    open(&site, "/p/demo/receipts/1").says("src/backoff.py").says("image.png");
}

#[test]
fn a_session_shows_what_was_seen_and_what_differs() {
    let site = Site::indexed(DEMO);
    let project = site.project();
    let folder = Some(project.session_folder().unwrap());
    let mut session = project
        .create_session(
            NewSession { folder, filesystem_id: project.filesystem_id().unwrap(), ..NewSession::default() },
            Reach::Machine,
        )
        .unwrap();
    let name = session.name().to_owned();
    let read = |session: &mut ai_assist_session::Session| {
        let files = [ReadFile { path: site.folder.join("src/clock.py"), bytes: None }];
        session.read(&files, &How::default()).unwrap();
    };
    read(&mut session);
    session.say(Role::User, "What <b>time</b> is it?", &How::default()).unwrap();
    site.write("src/clock.py", "class Clock:\n    def now(self):\n        return 42\n");
    read(&mut session);
    open(&site, "/p/demo/sessions").says(&name);
    let page = open(&site, &format!("/p/demo/sessions/{name}"));
    page.says("What &#60;b&#62;time&#60;/b&#62; is it?")
        .says("edited")
        .says("read")
        .says("What the model would see")
        .says("return 42");
    let diff = page
        .body
        .split("href=\"")
        .find_map(|rest| rest.split('"').next().filter(|link| link.contains("of=object")))
        .unwrap();
    open(&site, &diff.replace("&#38;", "&").replace("&amp;", "&"))
        .says("+        return 42")
        .says("1 line added, 1 line removed");
    open(&site, &format!("/p/demo/sessions/{name}?q=time")).says("Found").says("chat, turn 1");
    let first = page.body.split("?at=").filter_map(|rest| rest.split('"').next()?.parse::<u64>().ok()).min().unwrap();
    let then = open(&site, &format!("/p/demo/sessions/{name}?at={first}"));
    then.says("As it was at moment").says("return 0");
    assert!(!then.body.contains("return 42"), "{}", then.body);
    let last = page.body.split("?at=").filter_map(|rest| rest.split('"').next()?.parse::<u64>().ok()).max().unwrap();
    open(&site, &format!("/p/demo/sessions/{name}/diff?from={first}&to={last}"))
        .says("What the model would see")
        .says("return 42");
    let seen = page
        .body
        .split("href=\"")
        .find_map(|rest| rest.split('"').next().filter(|link| link.contains("/seen/") && link.contains("clock.py")))
        .unwrap();
    open(&site, seen).says("Clock");
}

#[test]
fn a_workspace_shows_every_repository_and_what_it_needs() {
    let site = Site::indexed(DEMO);
    let beside = site.folder.parent().unwrap();
    std::fs::create_dir_all(beside.join("other/src")).unwrap();
    std::fs::write(beside.join("other/src/lib.rs"), "pub fn elsewhere() {}\n").unwrap();
    std::fs::write(beside.join("other/.ai-assist.json"), "{}").unwrap();
    let workspace = r#"{"schemaVersion": 1, "name": "both", "repos": [{"root": "./demo"}, {"root": "./other"}]}"#;
    std::fs::write(beside.join(".ai-assist-workspace.jsonc"), workspace).unwrap();
    let page = open(&site, "/p/demo/workspace");
    page.says("both").says("other").says("not indexed").says("2 repositories, 1 in need of indexing");
    let job = site.post("/p/demo/sync", "name=other");
    site.finished(job.header("location").unwrap()).says("other: 2 files");
    open(&site, "/p/demo/workspace").says("all up to date");
    open(&site, "/p/demo/repo/other").says("elsewhere");
}
