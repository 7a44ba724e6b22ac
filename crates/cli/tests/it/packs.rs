//! Packs as the binary makes them: what leaves, what does not, and what odd projects do to it.

mod encodings;
mod hostile;
mod leaks;
mod same;
mod watch;

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Run, Sandbox};

/// No limits but the program's own.
const UNLIMITED: [&str; 6] = ["--max-content-bytes", "none", "--max-file-bytes", "none", "--max-files", "none"];

/// A full pack in JSON and its receipt.
struct Packed {
    run: Run,
    pack: Value,
    receipt: Value,
}

impl Sandbox {
    /// A file outside the project.
    fn outside(&self, name: &str) -> PathBuf {
        let folder = self.root().join("out");
        std::fs::create_dir_all(&folder).unwrap();
        folder.join(name)
    }

    /// Packs the project in full, which must work.
    fn pack(&self, more: &[&str]) -> Packed {
        let (output, receipt) = (self.outside("pack.json"), self.outside("receipt.json"));
        let mut command = self.command();
        command.args(["pack", "--type", "full", "--format", "json"]).args(more);
        let run = Run(command.arg("--output").arg(&output).arg("--receipt").arg(&receipt).output().unwrap());
        assert!(run.code() < 2, "{}", run.stderr());
        let read = |file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        Packed { pack: read(output), receipt: read(receipt), run }
    }
}

impl Packed {
    /// Every text by its path, sorted.
    fn texts(&self) -> Vec<(&str, &str)> {
        let lists = [&self.pack["key_files"], &self.pack["contents"]];
        let entries = lists.iter().flat_map(|list| list.as_array().unwrap());
        let mut texts: Vec<_> =
            entries.map(|entry| (entry["path"].as_str().unwrap(), entry["content"].as_str().unwrap())).collect();
        texts.sort_unstable();
        texts
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.texts().into_iter().find(|(name, _)| *name == path).map(|(_, text)| text)
    }

    /// Why the receipt says that a path stays out.
    fn reason(&self, path: &str) -> Option<&str> {
        let excluded = self.receipt["excluded"].as_array().unwrap();
        excluded.iter().find(|file| file["path"] == path)?["reason"].as_str()
    }

    /// Whether the receipt says that a path was sent.
    fn was_sent(&self, path: &str) -> bool {
        self.receipt["files"].as_array().unwrap().iter().any(|file| file["path"] == path)
    }

    /// That the account adds up, in the pack and in the receipt.
    fn assert_accounted(&self) {
        let metadata = &self.pack["metadata"];
        let number = |key: &str| metadata[key].as_u64().unwrap();
        assert_eq!(number("files_included") + number("files_excluded"), number("total_files_scanned"));
        assert_eq!(number("files_included"), self.texts().len() as u64);
        let sent: Vec<&str> =
            self.receipt["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
        assert_eq!(sent, self.texts().iter().map(|(path, _)| *path).collect::<Vec<_>>());
    }
}
