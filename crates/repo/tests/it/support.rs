//! A repository and a cache in a temporary folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_identity::CanonicalPath;
use ai_assist_repo::build::{BuildReport, BuildRequest, build_repo};
use ai_assist_repo::layout::{Mode, SQLITE_DIR};
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{Hit, Origin, Question, Source, search};
use ai_assist_trigram::{Candidates, Pattern, PatternOptions};

pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(sandbox.root().join("repo")).unwrap();
        sandbox
    }

    /// One with a repository of git.
    pub(crate) fn with_git() -> Self {
        let sandbox = Sandbox::new();
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.root().join("repo")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root().join("cache")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.repo().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.repo().join(path)).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        git(&self.repo(), arguments);
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "change", "--allow-empty"]);
    }

    pub(crate) fn request(&self) -> BuildRequest {
        request(&self.repo(), &self.cache())
    }

    pub(crate) fn build(&self) -> BuildReport {
        build(&self.request())
    }

    pub(crate) fn open(&self, mode: Mode) -> RepoIndex {
        RepoIndex::open(&self.request().cache, mode).unwrap()
    }

    /// The names in the folder of builds, without the pointer and the lock.
    pub(crate) fn builds(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.request().cache.builds()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "current.json" && name != "build.lock");
        names.sort();
        names
    }
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn request(repo: &Path, cache: &Path) -> BuildRequest {
    BuildRequest::new(CanonicalPath::from_absolute(repo).unwrap(), cache)
}

pub(crate) fn build(request: &BuildRequest) -> BuildReport {
    let report = build_repo(request, &Cancel::default(), &mut |_| {}).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
    report
}

/// The best hits of a query: score, path and lines.
pub(crate) fn hits(index: &RepoIndex, query: &str) -> Vec<(f32, String, String)> {
    let question = Question { limit: 20, ..Question::new(query.parse().unwrap()) };
    let origin = Origin::Session { session: "test".to_owned() };
    // A search keeps what it looks in, so it gets the same build once more.
    let again = RepoIndex::open_build(&index.build, index.state.mode).unwrap().unwrap();
    let source = Source::new(Arc::new(again), origin, None, 0);
    let outcome = search(&[source], &question, StaticModel::bundled(), &Cancel::default()).unwrap();
    assert!(outcome.lost.is_empty(), "{:?}", outcome.lost);
    outcome.hits.into_iter().map(|hit: Hit| (hit.score, hit.document, hit.lines.to_string())).collect()
}

/// The paths that have chunks in an index.
pub(crate) fn paths(index: &RepoIndex) -> Vec<String> {
    let mut paths: Vec<String> =
        index.reader.live().iter().map(|position| index.reader.chunk(position).unwrap().document).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Everything that an index says: its chunks with their vectors' scores for some queries, its symbols and imports.
pub(crate) fn everything(index: &RepoIndex, queries: &[&str]) -> Vec<String> {
    let mut said = Vec::new();
    for position in index.reader.live().iter() {
        let mut chunk = index.reader.chunk(position).unwrap();
        chunk.key = 0;
        said.push(format!("{chunk:?} {}", chunk.text));
    }
    for document in index.db.documents().unwrap() {
        said.push(format!("{} {} {} {}", document.path, document.hash, document.size, document.chunks));
        let symbols = index.db.symbols_of(&document.path).unwrap();
        said.extend(symbols.iter().map(|symbol| format!("{symbol:?}")));
    }
    said.extend(references(index).iter().map(|(path, used)| format!("{path} uses {used:?}")));
    said.extend(index.db.imports().unwrap().iter().map(|import| format!("{import:?}")));
    said.sort();
    said.extend(candidates(index));
    for query in queries {
        said.push(format!("{query}: {:?}", hits(index, query)));
    }
    said.push(format!("{} {}", index.state.documents, index.state.chunks));
    index.reader.verify(StaticModel::bundled()).unwrap();
    said
}

/// The names that files use, by path, each with how often it occurs, by name: read off the database as it is documented.
pub(crate) fn references(index: &RepoIndex) -> Vec<(String, Vec<(String, u32)>)> {
    let mode = index.state.mode;
    let db = rusqlite::Connection::open(index.build.join(SQLITE_DIR).join(mode.db_name())).unwrap();
    let mut select = db.prepare("SELECT id, name FROM names").unwrap();
    let names: BTreeMap<u32, String> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let sql = "SELECT d.path, u.names FROM documents d JOIN uses u ON u.document = d.key ORDER BY d.path";
    let mut select = db.prepare(sql).unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?))).unwrap();
    let used = |bytes: &[u8]| {
        let mut numbers = bytes
            .split_inclusive(|byte| byte & 0x80 == 0)
            .map(|group| group.iter().rev().fold(0u64, |number, byte| number << 7 | u64::from(byte & 0x7f)));
        let (mut id, mut used) = (0, Vec::new());
        while let Some(step) = numbers.next() {
            id += u32::try_from(step >> 1).unwrap();
            let more = if step & 1 == 0 { 0 } else { numbers.next().unwrap() };
            used.push((names[&id].clone(), u32::try_from(more).unwrap() + 1));
        }
        used.sort();
        used
    };
    rows.map(|row| row.unwrap()).map(|(path, bytes)| (path, used(&bytes))).collect()
}

/// Which documents could match some patterns, by their grams.
fn candidates(index: &RepoIndex) -> Vec<String> {
    let documents = index.db.documents().unwrap();
    let grams = index.grams().unwrap();
    let with_chunks = documents.iter().filter(|found| found.chunks > 0).map(|found| found.key);
    assert_eq!(grams.keys(), with_chunks.collect::<BTreeSet<u64>>().into_iter().collect::<Vec<u64>>());
    let of_pattern = |text: &str| {
        let pattern = Pattern::new(text, PatternOptions::default()).unwrap();
        let Candidates::Some(keys) = grams.candidates(&pattern.plan).unwrap() else { panic!("{text} has no grams") };
        let may_match = documents.iter().filter(|found| keys.contains(&found.key));
        format!("{text} {:?}", may_match.map(|found| found.path.as_str()).collect::<Vec<&str>>())
    };
    ["lease", "quo.a.*ledger", "the (first|only)", "beacon|mirror", "struct"].map(of_pattern).to_vec()
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 16] = [
            "lease", "quota", "shard", "cursor", "packet", "ledger", "mirror", "beacon", "socket", "harbor", "parser",
            "signal", "branch", "folder", "matrix", "window",
        ];
        WORDS[self.below(16) as usize]
    }

    /// A file of a kind that its number gives.
    pub(crate) fn file(&mut self, number: u64) -> (String, String) {
        let words: Vec<&str> = (0..6).map(|_| self.word()).collect();
        let [a, b, c, d, e, f] = words[..] else { panic!() };
        match number % 4 {
            0 => (
                format!("src/m{number}.rs"),
                format!(
                    "use std::{a};\n\n/// Takes the {b} of a {c}.\npub fn {a}_{b}() -> u32 {{\n    // the {d} first\n    {number}\n}}\n\n\
                     pub struct {e}{number};\n\nimpl {e}{number} {{\n    pub fn {f}(&self) {{}}\n}}\n"
                ),
            ),
            1 => (
                format!("docs/d{number}.md"),
                format!("# The {a} {number}\n\nA {b} has a {c}.\n\n## {d}\n\nIt {e}s the {f}.\n"),
            ),
            2 => (format!("data/r{number}.jsonl"), format!("{{\"{a}\": \"{b} {c}\"}}\n{{\"{d}\": {number}}}\n")),
            _ => (
                format!("lib/p{number}.py"),
                format!(
                    "\"\"\"About the {a}.\"\"\"\nimport {b}\n\ndef {c}_{d}({e}):\n    # only the {f}\n    return {number}\n"
                ),
            ),
        }
    }
}
