//! One mode of a build: its index, its grams and its database, shared with the build before as long as nothing changes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;
use ai_assist_index::{Fork, Options, Versions, Writer, fork};
use ai_assist_trigram::{Update, share};

use super::base::{Base, totals};
use super::db::{Db, Head, Row};
use super::examine::{Part, Text};
use super::{BuildError, ModeReport, Result};
use crate::layout::{GRAMS_DIR, Mode, SQLITE_DIR};
use crate::state::Counts;

/// What is needed to write an index.
#[derive(Debug, Clone)]
pub(super) struct Making<'m> {
    pub(super) folder: &'m Path,
    pub(super) versions: &'m Versions,
    pub(super) dim: usize,
    /// How many files there are to read in all.
    pub(super) many: usize,
}

/// More files than this are worth an indexing thread on every core.
const MANY_FILES: usize = 256;

#[derive(Debug)]
pub(super) struct ModeBuild {
    pub(super) mode: Mode,
    pub(super) base: Option<Base>,
    documents: HashMap<String, Head>,
    /// The documents whose file is still there.
    kept: HashSet<String>,
    next_key: u64,
    open: Option<Open>,
    pub(super) report: ModeReport,
}

#[derive(Debug)]
struct Open {
    writer: Writer,
    grams: Update,
    db: Db,
}

impl ModeBuild {
    pub(super) fn new(mode: Mode, mut base: Option<Base>) -> Self {
        let documents = base.as_mut().map(|base| std::mem::take(&mut base.documents)).unwrap_or_default();
        let next_key = base.as_ref().map_or(1, |base| base.next_key);
        let report = ModeReport::default();
        ModeBuild { mode, base, documents, kept: HashSet::new(), next_key, open: None, report }
    }

    pub(super) fn known(&self, path: &str) -> Option<Sha256> {
        self.documents.get(path).map(|head| head.hash)
    }

    /// The file of this document is still there.
    pub(super) fn keep(&mut self, path: &str) {
        if self.documents.contains_key(path) {
            self.kept.insert(path.to_owned());
        }
    }

    /// The documents whose file was not found.
    pub(super) fn not_kept(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().filter(|path| !self.kept.contains(*path)).map(String::as_str)
    }

    pub(super) fn is_changed(&self) -> bool {
        self.open.is_some()
    }

    fn folders(&self, making: &Making<'_>) -> (PathBuf, PathBuf) {
        let sqlite = making.folder.join(SQLITE_DIR);
        (making.folder.join(self.mode.index_dir()), sqlite.join(self.mode.db_name()))
    }

    fn open(&mut self, making: &Making<'_>) -> Result<&mut Open> {
        if self.open.is_none() {
            self.open = Some(self.start(making)?);
        }
        // Just put there.
        self.open.as_mut().ok_or(BuildError::Cancelled)
    }

    fn start(&self, making: &Making<'_>) -> Result<Open> {
        let (index_dir, db) = self.folders(making);
        let sqlite = making.folder.join(SQLITE_DIR);
        std::fs::create_dir_all(&sqlite).map_err(BuildError::io("creating", &sqlite))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // The code is most of a repository. One thread each is enough for the others, and each thread takes memory.
        let threads = if self.mode == Mode::Code && making.many > MANY_FILES { cores.min(4) } else { 1 };
        let options = Options { threads, ..Options::default() };
        match &self.base {
            Some(base) => {
                base.check()?;
                fork(&base.index_dir, &index_dir, Fork::Write)?;
                std::fs::copy(&base.db, &db).map_err(BuildError::io("copying", &base.db))?;
                let writer = Writer::open(&index_dir, making.versions, making.dim, options)?;
                let grams = Update::derive(&base.index_dir.join(GRAMS_DIR), &index_dir.join(GRAMS_DIR))?;
                Ok(Open { writer, grams, db: Db::open(&db)? })
            }
            None => {
                let writer = Writer::rebuild(&index_dir, making.versions, making.dim, options)?;
                let grams = Update::create(&index_dir.join(GRAMS_DIR))?;
                Ok(Open { writer, grams, db: Db::create(&db)? })
            }
        }
    }

    pub(super) fn put(&mut self, part: Part, text: &Text, making: &Making<'_>) -> Result<()> {
        let Part { mut document, facts, references, grams, .. } = part;
        let known = self.documents.get(&document.path).copied();
        let key = known.map_or(self.next_key, |head| head.key);
        let head = Head { key, hash: text.hash, chunks: document.chunks.len() as u64 };
        document.key = key;
        let row = Row {
            key,
            path: &document.path,
            hash: text.hash,
            size: text.size,
            language: text.language,
            chunks: head.chunks,
            redacted: text.redacted,
            facts: facts.as_ref(),
            references: &references,
        };
        let open = self.open(making)?;
        open.db.put(&row)?;
        match &grams {
            Some(grams) => open.grams.add_grams(key, grams)?,
            None => open.grams.remove(key),
        }
        let path = document.path.clone();
        open.writer.put(document)?;
        self.kept.insert(path.clone());
        self.documents.insert(path, head);
        match known {
            Some(_) => self.report.changed += 1,
            None => {
                self.next_key += 1;
                self.report.added += 1;
            }
        }
        Ok(())
    }

    /// Takes out every document whose file is not there any more, except those that could not be looked for.
    pub(super) fn remove_others(&mut self, is_out_of_sight: &dyn Fn(&str) -> bool, making: &Making<'_>) -> Result<()> {
        let mut gone: Vec<String> = self.not_kept().filter(|path| !is_out_of_sight(path)).map(str::to_owned).collect();
        gone.sort_unstable();
        for path in gone {
            let Some(head) = self.documents.remove(&path) else { continue };
            let open = self.open(making)?;
            open.writer.remove(head.key);
            open.grams.remove(head.key);
            open.db.remove(head.key)?;
            self.report.removed += 1;
        }
        Ok(())
    }

    /// Makes the index and the database whole, and durable but for the names in the folders.
    pub(super) fn finish(&mut self, making: &Making<'_>) -> Result<Counts> {
        let (documents, chunks) = totals(self.documents.values());
        let (index_dir, db) = self.folders(making);
        match (&self.base, self.open.is_some()) {
            (Some(base), false) => {
                let sqlite = making.folder.join(SQLITE_DIR);
                std::fs::create_dir_all(&sqlite).map_err(BuildError::io("creating", &sqlite))?;
                fork(&base.index_dir, &index_dir, Fork::Read)?;
                share(&base.index_dir.join(GRAMS_DIR), &index_dir.join(GRAMS_DIR))?;
                if std::fs::hard_link(&base.db, &db).is_err() {
                    std::fs::copy(&base.db, &db).map_err(BuildError::io("copying", &base.db))?;
                }
                self.report.shared = true;
            }
            _ => {
                self.open(making)?;
            }
        }
        if let Some(Open { writer, grams, db }) = self.open.take() {
            // The next build goes by what the database says, so the two must say the same.
            db.finish(self.next_key)?;
            grams.finish()?;
            writer.commit(1, documents, chunks)?;
        }
        self.report.documents = documents;
        self.report.chunks = chunks;
        Ok(Counts { documents, chunks })
    }
}
