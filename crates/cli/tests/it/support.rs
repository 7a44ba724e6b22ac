//! A project in a temporary folder, and the binary run in it with nothing of this machine's configuration.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// Whether every sandbox has a service, so that the same tests say that commands answer the same with one.
const WITH_SERVICE: &str = "AI_ASSIST_TEST_SERVICE";

/// A temporary project with data folders of its own.
pub(crate) struct Sandbox {
    service: OnceLock<Option<Service>>,
    folder: tempfile::TempDir,
}

/// A service that runs until it is dropped.
pub(crate) struct Service(Child);

impl Service {
    /// None if it does not start, as where the configuration is broken.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Option<Self> {
        Service::start_saying(sandbox, args, Stdio::null())
    }

    /// What it says of each request goes to `log`.
    pub(crate) fn start_saying(sandbox: &Sandbox, args: &[&str], log: Stdio) -> Option<Self> {
        let mut command = sandbox.command();
        command.args(["serve", "--listen", "0", "--json"]).args(args).stdout(Stdio::piped());
        command.env("AI_ASSIST_LOG", "debug").stderr(log);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        // It says where it listens once it does.
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let service = Service(child);
        line.contains("\"url\"").then_some(service)
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(self) {}
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Sandbox { service: OnceLock::new(), folder }
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    /// The folder that everything of this sandbox lies in, symlinks resolved.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The folder of the user's own configuration.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// The folder of the database and the indexes.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let file = self.project().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    /// The binary, ready to be given arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ai-assist"));
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path().join("home"))
            .env("AI_ASSIST_DATA_DIR", self.data())
            .env("AI_ASSIST_CACHE_ROOT", self.folder.path().join("cache"))
            .env("AI_ASSIST_CONFIG_DIR", self.folder.path().join("config"));
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        let wanted = std::env::var_os(WITH_SERVICE).is_some() && args.first() != Some(&"serve");
        // What is indexed stays as the test has made it.
        self.service.get_or_init(|| wanted.then(|| Service::start(self, &["--no-watch"])).flatten());
        Run(self.command().args(args).output().unwrap())
    }

    /// Runs the binary, which must succeed, and reads the JSON it prints.
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        let run = self.run(&[args, &["--json"]].concat());
        run.assert_code(0);
        serde_json::from_str(&run.stdout()).unwrap_or_else(|error| panic!("{error}\n{}", run.stdout()))
    }
}

impl Sandbox {
    /// A project with one collection `docs` over the folder `docs`, not synced yet.
    pub(crate) fn with_docs(files: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.project().join("docs")).unwrap();
        for (path, text) in files {
            sandbox.write(Path::new("docs").join(path), text);
        }
        sandbox.run(&["collections", "init"]).assert_code(0);
        sandbox.run(&["collections", "add", "docs", "./docs"]).assert_code(0);
        sandbox
    }

    /// The same, synced.
    pub(crate) fn with_synced_docs(files: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::with_docs(files);
        sandbox.sync();
        sandbox
    }

    /// Syncs everything, which must succeed.
    pub(crate) fn sync(&self) -> Run {
        let run = self.run(&["collections", "sync"]);
        run.assert_code(0);
        run
    }

    /// `path@lines` of every hit of a search in the collection `docs`, in order.
    pub(crate) fn hits(&self, query: &[&str]) -> Vec<String> {
        let run = self.run(&[&["ref", "search", "--no-sync", "--json"], query].concat());
        assert!(run.code() < 2, "{}", run.stderr());
        let answer = run.json();
        answer["hits"].as_array().unwrap().iter().map(place).collect()
    }

    /// Fails unless `doctor` finds everything sound.
    pub(crate) fn assert_healthy(&self) {
        let run = self.run(&["doctor"]);
        assert_eq!(run.code(), 0, "{}{}", run.stdout(), run.stderr());
    }

    /// What the database says of a question in SQL, one row a line, read by the `sqlite3` program.
    ///
    /// `None` if that is not installed.
    pub(crate) fn sql(&self, question: &str) -> Option<String> {
        let database = self.data().join("assist.db");
        let output = Command::new("sqlite3").arg("-batch").arg(database).arg(question).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Where a hit of a JSON answer is.
pub(crate) fn place(hit: &serde_json::Value) -> String {
    let text = |key: &str| hit[key].as_str().unwrap().to_owned();
    format!("{}/{}:{}-{}", text("collection"), text("document"), hit["lines"]["start"], hit["lines"]["end"])
}

/// Every file below a folder with its bytes, sorted by name.
pub(crate) fn bytes_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

/// Whether some bytes occur in others.
pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Numbers without a pattern, the same for the same seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next number, below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }
}

/// The seed of a test with random parts: from `AI_ASSIST_TEST_SEED`, else from the clock. It is printed, so that a failure
/// can be had again.
pub(crate) fn seed() -> u64 {
    let given = std::env::var("AI_ASSIST_TEST_SEED").ok().map(|seed| seed.parse().unwrap());
    let seed = given.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        u64::try_from(now.as_micros()).unwrap()
    });
    println!("AI_ASSIST_TEST_SEED={seed}");
    seed
}

const SUBJECTS: &[&str] = &[
    "The scheduler", "A worker", "The cache", "Every request", "The parser", "A migration", "The index", "Each tenant",
    "The gateway", "A replica", "The planner", "A snapshot", "The client", "An operator", "The ledger", "A checkpoint",
];
const VERBS: &[&str] = &[
    "retries", "drops", "compacts", "rejects", "announces", "verifies", "replays", "delays", "merges", "signs",
    "shards", "throttles", "encrypts", "discards", "forwards", "balances",
];
const OBJECTS: &[&str] = &[
    "stale leases", "large payloads", "duplicate events", "expired tokens", "orphaned segments", "slow queries",
    "conflicting writes", "old manifests", "partial uploads", "cold partitions", "audit records", "quota limits",
    "broken links", "nightly exports", "pending invoices", "unused columns",
];
const REASONS: &[&str] = &[
    "before the deadline passes",
    "when the disk is nearly full",
    "unless a lock is held",
    "after a failed handshake",
    "while the leader is elected",
    "so that readers never wait",
    "once a day at midnight",
    "because clocks drift",
];

/// A Markdown document as people write them: a title, sections, paragraphs, a list, some code. About four kilobytes.
pub(crate) fn markdown(numbers: &mut Numbers, title: &str) -> String {
    let mut text = format!("# {title}\n\n");
    for section in 1..=5 {
        text.push_str(&format!("## {} {}, part {section}\n\n", numbers.pick(SUBJECTS), numbers.pick(VERBS)));
        for _ in 0..2 {
            for _ in 0..4 {
                text.push_str(&sentence(numbers));
            }
            text.push_str("\n\n");
        }
        for _ in 0..2 {
            text.push_str(&format!("- {}\n", sentence(numbers).trim_end()));
        }
        text.push_str(&format!("\n```sh\nctl {} --limit {}\n```\n\n", numbers.pick(VERBS), numbers.below(1000)));
    }
    text
}

fn sentence(numbers: &mut Numbers) -> String {
    let (subject, verb) = (*numbers.pick(SUBJECTS), *numbers.pick(VERBS));
    format!("{subject} {verb} {} {}. ", numbers.pick(OBJECTS), numbers.pick(REASONS))
}

/// A finished run.
pub(crate) struct Run(pub(crate) Output);

impl Run {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// What was printed on standard output, as one JSON value.
    pub(crate) fn json(&self) -> serde_json::Value {
        let parsed = serde_json::from_slice(&self.0.stdout);
        parsed.unwrap_or_else(|error| panic!("{error}\n--- stdout\n{}\n--- stderr\n{}", self.stdout(), self.stderr()))
    }

    pub(crate) fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code(), code, "\n--- stdout\n{}\n--- stderr\n{}", self.stdout(), self.stderr());
        self
    }
}
