//! A project with a server, and a client that sends requests as they are written.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ai_assist_app::{Environment, Machine, Project};
use ai_assist_page::{Change, Host, Pages, router};
use tokio::sync::{Semaphore, broadcast};

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) machine: Arc<Machine>,
    pub(crate) folder: PathBuf,
    _runtime: tokio::runtime::Runtime,
    _place: tempfile::TempDir,
}

/// A server with nothing to say of itself.
#[derive(Debug)]
pub(crate) struct TestHost {
    pub(crate) read_only: bool,
    turns: Arc<Semaphore>,
}

impl TestHost {
    pub(crate) fn new(read_only: bool) -> Self {
        TestHost { read_only, turns: Arc::new(Semaphore::new(2)) }
    }
}

impl Host for TestHost {
    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn following(&self, project: &Path) -> Vec<(bool, String)> {
        vec![(false, format!("{} is looked at every few seconds <b>", project.display()))]
    }

    fn turns(&self) -> &Arc<Semaphore> {
        &self.turns
    }

    fn log(&self) -> Vec<String> {
        vec!["1.000 warn  <script>of a name</script>".to_owned()]
    }
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.body.contains(text), "{text} is missing in:\n{}", self.body);
        self
    }
}

impl Site {
    /// A project called `demo` with these files, and `docs` as a collection if there is such a folder.
    pub(crate) fn new(files: &[(&str, &str)]) -> Site {
        Site::of(files, TestHost::new(false))
    }

    pub(crate) fn of(files: &[(&str, &str)], host: TestHost) -> Site {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap().join("demo");
        for (path, text) in files {
            write(&folder.join(path), text);
        }
        if folder.join("docs").is_dir() {
            let config = r#"{"collections": {"docs": {"type": "file", "path": "./docs", "glob": "**/*"}}}"#;
            write(&folder.join("context.json"), config);
        }
        let machine = Machine::new(Environment::within(&place.path().join("state")));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (changes, _) = broadcast::channel(64);
        let pages = Pages::new(Arc::clone(&machine), vec![folder.clone()], changes.clone(), Arc::new(host));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, router(pages)).await });
        Site { address, changes, machine, folder, _runtime: runtime, _place: place }
    }

    pub(crate) fn indexed(files: &[(&str, &str)]) -> Site {
        let site = Site::new(files);
        site.sync();
        site
    }

    pub(crate) fn project(&self) -> Project {
        self.machine.open(&self.folder).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        write(&self.folder.join(path), text);
    }

    /// Indexes everything by the button.
    pub(crate) fn sync(&self) {
        let job = self.post("/p/demo/sync", "");
        self.finished(job.header("location").unwrap());
    }

    /// The page of a job that has come to its end.
    pub(crate) fn finished(&self, job: &str) -> Reply {
        let started = Instant::now();
        loop {
            let page = self.get(job);
            assert_eq!(page.status, 200, "{}", page.body);
            if !page.body.contains(">running<") {
                return page;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "the job does not end");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }

    /// A form of the page itself.
    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        self.post_from(path, body, &format!("Origin: http://{}\r\n", self.address))
    }

    pub(crate) fn post_from(&self, path: &str, body: &str, headers: &str) -> Reply {
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        ))
    }

    pub(crate) fn send(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }
}

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// Documents and code to look at.
pub(crate) const DEMO: &[(&str, &str)] = &[
    (
        "docs/retries.md",
        "# Retries\n\n## Backoff\n\nThe wait doubles each time, up to ten seconds. See [the cache](cache.md).\n\n```python\ndef wait(attempt):\n    return 2 ** attempt\n```\n",
    ),
    ("docs/cache.md", "# Cache\n\nAnswers are cached for an hour by the hash of the question.\n"),
    (
        "src/backoff.py",
        "\"\"\"How long to wait.\"\"\"\n\nfrom src.clock import Clock\n\n\ndef backoff_delay(attempt: int) -> float:\n    \"\"\"The wait doubles each time.\"\"\"\n    return min(10.0, 0.1 * 2**attempt)\n\n\nclass Retry:\n    def __init__(self, clock: Clock):\n        self.clock = clock\n\n    def run(self, attempt):\n        return backoff_delay(attempt)\n",
    ),
    ("src/clock.py", "class Clock:\n    def now(self):\n        return 0\n"),
    ("src/settings.json", "{\"retries\": 5, \"verbose\": true}\n"),
];
