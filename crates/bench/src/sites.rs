//! A website of many pages on this machine: crawled, asked again, changed, broken; beside curl fetching the same pages.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ai_assist_identity::Sha256;
use anyhow::{Context, Result, ensure};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri, header};
use serde_json::Value;

use crate::timing::{Sample, run};

const SECTIONS: usize = 30;
const REPEATS: usize = 3;

/// What the server has, and how it behaves.
#[derive(Default)]
struct Web {
    pages: HashMap<String, (String, String)>,
    requests: usize,
    bodies: usize,
    /// After so many requests it fails.
    dies_after: Option<usize>,
    /// Every so many requests it asks for patience.
    busy_every: Option<usize>,
}

type Shared = Arc<Mutex<Web>>;

fn lock(web: &Shared) -> std::sync::MutexGuard<'_, Web> {
    web.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A page of documentation: navigation, headings, paragraphs, code, a table.
fn page(number: usize, pages: usize, note: &str) -> String {
    let navigation: String =
        (0..SECTIONS).map(|it| format!("<li><a href=\"/docs/s{it}/\">Section {it}</a></li>")).collect();
    let (before, after) = (number.saturating_sub(1), (number + 1).min(pages - 1));
    let body: String = (0..12)
        .map(|part| {
            format!(
                "<h2 id=\"part-{part}\">Part {part} of topic {number}</h2><p>This part is about setting {part} of topic {number}. It \
                 says what the setting does, which values it takes, and what happens when it is left out{note}.</p>\
                 <pre><code class=\"language-sh\">tool --topic {number} --part {part}\n</code></pre>\
                 <table><tr><th>key</th><th>value</th></tr><tr><td>topic</td><td>{number}</td></tr></table>"
            )
        })
        .collect();
    format!(
        "<!doctype html><html><head><title>Topic {number}</title><link rel=\"stylesheet\" href=\"/style.css\"></head><body><nav><ul>{navigation}\
         </ul></nav><main><h1>Topic {number}</h1>{body}<a href=\"{}\">Before</a> <a href=\"{}\">After</a></main><footer>Made by hand</footer>\
         </body></html>",
        path_of(before),
        path_of(after)
    )
}

fn path_of(number: usize) -> String {
    format!("/docs/s{}/topic-{number}.html", number % SECTIONS)
}

impl Web {
    fn put(&mut self, path: &str, text: String) {
        let tag = format!("\"{}\"", Sha256::of(text.as_bytes()).hex());
        self.pages.insert(path.to_owned(), (text, tag));
    }

    /// A first page, sections, and pages: as many as are wanted in all.
    fn fill(&mut self, pages: usize) {
        let topics = pages - SECTIONS - 1;
        let list = |links: &mut dyn Iterator<Item = String>| {
            links.map(|it| format!("<a href=\"{it}\">x</a>\n")).collect::<String>()
        };
        let sections = list(&mut (0..SECTIONS).map(|it| format!("/docs/s{it}/")));
        self.put("/docs/", format!("<!doctype html><html><h1>Documentation</h1>{sections}</html>"));
        for section in 0..SECTIONS {
            let links = list(&mut (section..topics).step_by(SECTIONS).map(path_of));
            self.put(
                &format!("/docs/s{section}/"),
                format!("<!doctype html><html><h1>Section {section}</h1>{links}</html>"),
            );
        }
        for number in 0..topics {
            self.put(&path_of(number), page(number, topics, ""));
        }
    }
}

async fn answer(State(web): State<Shared>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let mut web = lock(&web);
    web.requests += 1;
    let number = web.requests;
    let reply = |status: u16, name: header::HeaderName, value: &str, body: Body| {
        Response::builder().status(status).header(name, value).body(body).unwrap_or_default()
    };
    if web.dies_after.is_some_and(|most| number > most) {
        return reply(503, header::CONTENT_TYPE, "text/plain", Body::empty());
    }
    if web.busy_every.is_some_and(|every| number.is_multiple_of(every)) {
        return reply(429, header::RETRY_AFTER, "1", Body::empty());
    }
    let path = uri.path();
    if let Some(rest) = path.strip_prefix("/docs/loop/") {
        let number: usize = rest.parse().unwrap_or_default();
        return reply(302, header::LOCATION, &format!("/docs/loop/{}", number ^ 1), Body::empty());
    }
    if path.starts_with("/docs/calendar/") {
        let month: usize = path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or_default();
        let links: String =
            (1..=12).map(|it| format!("<a href=\"/docs/calendar/{}\">x</a>", month * 12 + it)).collect();
        web.bodies += 1;
        return reply(
            200,
            header::CONTENT_TYPE,
            "text/html",
            Body::from(format!("<html><h1>Month {month}</h1>{links}</html>")),
        );
    }
    let Some((text, tag)) = web.pages.get(path).cloned() else {
        return reply(404, header::CONTENT_TYPE, "text/html", Body::empty());
    };
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return reply(304, header::ETAG, &tag, Body::empty());
    }
    web.bodies += 1;
    let response =
        Response::builder().header(header::ETAG, &tag).header(header::CONTENT_TYPE, "text/html; charset=utf-8");
    response.body(Body::from(text)).unwrap_or_default()
}

fn serve() -> Result<(String, Shared)> {
    let web = Shared::default();
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}", listener.local_addr()?);
    let state = web.clone();
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(async move {
            let router = axum::Router::new().fallback(answer).with_state(state);
            axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await?;
            Ok(())
        })
    });
    Ok((url, web))
}

/// A project with the site as its one collection.
struct Project<'p> {
    binary: &'p Path,
    folder: PathBuf,
    web: Shared,
}

/// What one sync did.
struct Synced {
    taken: Duration,
    requests: usize,
    bodies: usize,
    report: Value,
}

impl Project<'_> {
    fn new<'p>(binary: &'p Path, folder: PathBuf, url: &str, web: &Shared) -> Result<Project<'p>> {
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let config = serde_json::json!({ "collections": { "docs": { "type": "site", "url": format!("{url}/docs/"), "maxPages": 20_000 } } });
        std::fs::write(folder.join("context.json"), config.to_string())?;
        Ok(Project { binary, folder, web: web.clone() })
    }

    fn sync(&self) -> Result<Synced> {
        let mut command = Command::new(self.binary);
        command.current_dir(&self.folder).args(["collections", "sync", "docs", "--json"]);
        command
            .env("AI_ASSIST_DATA_DIR", self.folder.join("data"))
            .env("AI_ASSIST_CACHE_ROOT", self.folder.join("cache"));
        let counts = || {
            let web = lock(&self.web);
            (web.requests, web.bodies)
        };
        let before = counts();
        let started = Instant::now();
        let output = command.output()?;
        let taken = started.elapsed();
        let answer: Value = serde_json::from_slice(&output.stdout).with_context(|| {
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        })?;
        let after = counts();
        let (requests, bodies) = (after.0 - before.0, after.1 - before.1);
        Ok(Synced { taken, requests, bodies, report: answer["collections"][0].clone() })
    }
}

fn row(what: &str, synced: &Synced) {
    let of = |key: &str| synced.report[key].as_u64().unwrap_or_default();
    let problems = synced.report["problems"].as_array().map_or(0, Vec::len);
    println!(
        "| {what} | {:.2} s | {} | {} | {} | {} | {} | {} | {problems} |",
        synced.taken.as_secs_f64(),
        synced.requests,
        synced.bodies,
        of("documents"),
        of("added"),
        of("updated"),
        of("removed"),
    );
}

pub(crate) fn run_all(pages: usize, binary: Option<PathBuf>) -> Result<()> {
    let binary = match binary {
        Some(binary) => binary,
        None => std::env::current_exe()?.with_file_name("ai-assist"),
    };
    ensure!(binary.is_file(), "{} is not there; build it with `cargo build --release`", binary.display());
    ensure!(pages > 2 * SECTIONS, "at least {} pages are needed", 2 * SECTIONS + 1);
    let place = tempfile::tempdir()?;
    let (url, web) = serve()?;
    lock(&web).fill(pages);
    let bytes: usize = lock(&web).pages.values().map(|(text, _)| text.len()).sum();
    println!("{pages} pages, {:.1} MB.\n", bytes as f64 / 1e6);
    let curl = curl(place.path(), &url, &web)?;
    println!("| job | time | requests | bodies | documents | added | updated | removed | problems |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let firsts = (0..REPEATS)
        .map(|_| Project::new(&binary, place.path().join("a"), &url, &web)?.sync())
        .collect::<Result<Vec<_>>>()?;
    let first = Sample::new(firsts.iter().map(|it| it.taken).collect()).median();
    let project = Project { binary: &binary, folder: place.path().join("a"), web: web.clone() };
    row("first crawl, by links", firsts.last().context("no crawl")?);
    let unchanged = project.sync()?;
    ensure!(
        unchanged.bodies == 0 && unchanged.report["upToDate"] == true,
        "an unchanged site cost {} bodies",
        unchanged.bodies
    );
    row("unchanged", &unchanged);
    let topics = pages - SECTIONS - 1;
    (0..10)
        .for_each(|it| lock(&web).put(&path_of(it * 97 % topics), page(it * 97 % topics, topics, " and has changed")));
    row("10 pages changed", &project.sync()?);
    lock(&web).pages.remove(&path_of(42 % topics));
    row("1 page gone", &project.sync()?);
    let half = Project::new(&binary, place.path().join("b"), &url, &web)?;
    let so_far = lock(&web).requests;
    lock(&web).dies_after = Some(so_far + pages / 2);
    row("server dies half-way", &half.sync()?);
    lock(&web).dies_after = None;
    row("and comes back", &half.sync()?);
    busy(&binary, place.path(), &url, &web)?;
    traps(&binary, place.path(), &url, &web)?;
    by_sitemap(&binary, place.path(), &url, &web)?;
    println!(
        "\nFirst crawl, median of {REPEATS}: {:.2} s, {:.0} pages/s; curl of the same pages, discarded: {:.2} s; ratio {:.2}×.",
        first.as_secs_f64(),
        pages as f64 / first.as_secs_f64(),
        curl.as_secs_f64(),
        first.as_secs_f64() / curl.as_secs_f64()
    );
    Ok(())
}

/// A server that asks for a second of patience now and then.
fn busy(binary: &Path, place: &Path, url: &str, web: &Shared) -> Result<()> {
    lock(web).busy_every = Some(500);
    row("429 with `Retry-After: 1` at every 500th request", &Project::new(binary, place.join("c"), url, web)?.sync()?);
    lock(web).busy_every = None;
    Ok(())
}

/// Two hundred redirects in circles and a calendar without end, beside the same pages.
fn traps(binary: &Path, place: &Path, url: &str, web: &Shared) -> Result<()> {
    let before = lock(web).pages.get("/docs/").cloned();
    let loops: String = (0..200).map(|it| format!("<a href=\"/docs/loop/{it}\">x</a>")).collect();
    let home = before
        .as_ref()
        .map(|(text, _)| text.replace("</html>", &format!("{loops}<a href=\"/docs/calendar/0\">x</a></html>")));
    lock(web).put("/docs/", home.unwrap_or_default());
    row("and 200 redirects in circles, an endless calendar", &Project::new(binary, place.join("d"), url, web)?.sync()?);
    if let Some((text, _)) = before {
        lock(web).put("/docs/", text);
    }
    Ok(())
}

fn by_sitemap(binary: &Path, place: &Path, url: &str, web: &Shared) -> Result<()> {
    let locations: String = lock(web).pages.keys().map(|path| format!("<url><loc>{url}{path}</loc></url>")).collect();
    lock(web).put("/sitemap.xml", format!("<urlset>{locations}</urlset>"));
    let project = Project::new(binary, place.join("e"), url, web)?;
    row("first crawl, by sitemap", &project.sync()?);
    row("unchanged, by sitemap", &project.sync()?);
    lock(web).pages.remove("/sitemap.xml");
    Ok(())
}

/// The same pages, fetched and thrown away, four at once as we do it.
fn curl(place: &Path, url: &str, web: &Shared) -> Result<Duration> {
    let list = place.join("curl.txt");
    let lines: Vec<String> =
        lock(web).pages.keys().map(|path| format!("url = \"{url}{path}\"\noutput = \"/dev/null\"")).collect();
    std::fs::write(&list, lines.join("\n"))?;
    let fetch = || run(Command::new("curl").args(["-sSf", "--parallel", "--parallel-max", "4", "--config"]).arg(&list));
    Ok(Sample::new((0..REPEATS).map(|_| fetch()).collect::<Result<_>>()?).median())
}
