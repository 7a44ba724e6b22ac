//! A project that wants one package, and what its user sees of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use ai_assist_identity::Sha256;
use serde_json::{Value, json};

use super::site::Site;
use crate::support::{Run, Sandbox};

/// A text that is found by its word, and by `shared`, which all of them have.
pub(crate) fn page(word: &str) -> String {
    format!("# About {word}\n\nThis shared text is about {word} and little else.\n")
}

pub(crate) fn hash(text: impl AsRef<[u8]>) -> String {
    Sha256::of(text.as_ref()).to_string()
}

/// A file of a manifest with its hash.
pub(crate) fn hashed(path: &str, text: impl AsRef<[u8]>) -> Value {
    json!({ "path": path, "hash": hash(text) })
}

/// A manifest of some files.
pub(crate) fn manifest(files: &[Value]) -> String {
    json!({ "name": "guide", "version": "1.0.0", "sources": { "files": files } }).to_string()
}

/// A project in a sandbox, and the variables that its user has set.
pub(crate) struct Desk {
    pub(crate) sandbox: Sandbox,
    env: Vec<(String, OsString)>,
}

impl Desk {
    /// With one collection `docs` at a URL.
    pub(crate) fn new(url: &str) -> Self {
        let desk = Desk { sandbox: Sandbox::new(), env: Vec::new() };
        desk.declare(&[("docs", url)]);
        desk
    }

    /// With one collection `docs` at a site, whose authority is trusted.
    pub(crate) fn at(site: &Site, path: &str) -> Self {
        Desk::new(&site.url(path)).trusting(site)
    }

    pub(crate) fn trusting(self, site: &Site) -> Self {
        match site.authority() {
            Some(file) => self.with("AI_ASSIST_CA_FILE", file),
            None => self,
        }
    }

    /// With a variable of the environment.
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Writes the configuration: names and URLs.
    pub(crate) fn declare(&self, packages: &[(&str, &str)]) {
        let collections: serde_json::Map<String, Value> =
            packages.iter().map(|(name, url)| ((*name).to_owned(), json!({ "type": "pkg", "url": url }))).collect();
        self.sandbox.write("context.json", json!({ "collections": collections }).to_string());
        self.allow();
    }

    /// Lets the project reach out of its folder, as its user would who wrote the configuration.
    pub(crate) fn allow(&self) {
        if std::fs::read_to_string(self.sandbox.project().join("context.json")).unwrap().contains("file://") {
            self.run(&["config", "allow", "--all"]).assert_code(0);
        }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = self.sandbox.command();
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run(self.command().args(args).output().unwrap())
    }

    /// Syncs, and reads the report of the first collection.
    pub(crate) fn sync_with(&self, args: &[&str], code: i32) -> Report {
        let run = self.run(&[&["collections", "sync", "--json"], args].concat());
        run.assert_code(code);
        Report(run.json()["collections"][0].clone())
    }

    pub(crate) fn sync(&self) -> Report {
        self.sync_with(&[], 0)
    }

    /// Syncs, which must be refused altogether; says with what words and what hint.
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let run = self.run(&[&["collections", "sync", "--json"], args].concat());
        run.assert_code(2);
        assert_eq!(run.stdout(), "");
        let stderr = run.stderr();
        let last = stderr.lines().last().unwrap_or_default();
        let said: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}\n{stderr}"));
        format!("{}\n{}", said["error"]["message"].as_str().unwrap(), said["error"]["hint"].as_str().unwrap_or("-"))
    }

    /// The hits of a search.
    pub(crate) fn search(&self, query: &[&str]) -> Vec<Value> {
        let run = self.run(&[&["ref", "search", "--json"], query].concat());
        assert!(run.code() < 2, "{}", run.stderr());
        run.json()["hits"].as_array().unwrap().clone()
    }

    /// Whether a word is found, in which documents.
    pub(crate) fn found(&self, word: &str) -> Vec<String> {
        let hits = self.search(&[word, "--mode", "lexical", "-n", "1000"]);
        let documents = hits.iter().map(|hit| hit["document"].as_str().unwrap().to_owned());
        documents.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// All documents that search knows, with their hashes, by the word that each of them has.
    pub(crate) fn documents(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let hits = self.search(&["shared", "--mode", "lexical", "-n", "1000"]);
        hits.iter().map(|hit| (text(&hit["document"]), text(&hit["hash"]))).collect()
    }

    /// State and detail of the first collection in the list.
    pub(crate) fn status(&self) -> (String, String) {
        let run = self.run(&["collections", "list", "--json"]);
        run.assert_code(0);
        let entry = run.json()["collections"][0].clone();
        (entry["status"].as_str().unwrap().to_owned(), entry["detail"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn lock(&self) -> Value {
        serde_json::from_str(&self.lock_text()).unwrap()
    }

    pub(crate) fn lock_text(&self) -> String {
        std::fs::read_to_string(self.sandbox.project().join("context.lock")).unwrap()
    }

    /// What is left in the folder of things that are needed for one sync only.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let folder = self.sandbox.root().join("cache/tmp");
        match std::fs::read_dir(folder) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// What the database holds of collections.
    pub(crate) fn store(&self) -> Value {
        let run = self.run(&["ref", "ls", "--json"]);
        // 1 says that there is nothing.
        assert!(run.code() < 2, "{}", run.stderr());
        run.json()
    }
}

/// What a sync says of one collection.
#[derive(Debug)]
pub(crate) struct Report(pub(crate) Value);

impl Report {
    /// How many documents there are, and were added, updated and removed.
    pub(crate) fn counts(&self) -> [u64; 4] {
        ["documents", "added", "updated", "removed"].map(|key| self.0[key].as_u64().unwrap())
    }

    pub(crate) fn is_up_to_date(&self) -> bool {
        self.0["upToDate"].as_bool().unwrap()
    }

    /// `path: reason` of each problem.
    pub(crate) fn problems(&self) -> Vec<String> {
        let problems = self.0["problems"].as_array().unwrap();
        problems.iter().map(|p| format!("{}: {}", p["path"].as_str().unwrap(), p["reason"].as_str().unwrap())).collect()
    }

    pub(crate) fn skipped(&self) -> usize {
        self.0["skipped"].as_array().unwrap().len()
    }

    pub(crate) fn warnings(&self) -> String {
        self.0["warnings"].to_string()
    }

    /// `change path` of each change.
    pub(crate) fn changes(&self) -> Vec<String> {
        let changes = self.0["changes"].as_array().unwrap();
        changes.iter().map(|c| format!("{} {}", c["change"].as_str().unwrap(), c["path"].as_str().unwrap())).collect()
    }
}
