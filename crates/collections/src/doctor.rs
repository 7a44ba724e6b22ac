//! Checking everything that is kept, and mending what can be mended.

use std::collections::HashSet;

use ai_assist_store::{Defect, SqliteStore};
use serde::Serialize;

use crate::reach::short;
use crate::{DATABASE_FILE, Error, Library, Result, Roots};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    Good,
    /// It was not, and has been mended.
    Repaired,
    /// It is not, and `--repair` mends it.
    Repairable,
    /// It is not, and nothing here mends it.
    Broken,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub subject: String,
    pub health: Health,
    pub message: String,
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// What became of the file of the database.
#[derive(Debug)]
pub enum CheckedFile {
    /// It can be worked with; this is wrong in it.
    Usable(Vec<Defect>),
    /// It can't, and a repair makes it anew.
    Damaged(Vec<Finding>),
    MadeAnew(Vec<Finding>),
}

/// Makes the database of a machine anew that is damaged, out of what can be read of it; or says that this can be done.
pub fn check_file(roots: &Roots, repair: bool) -> Result<CheckedFile> {
    let file = roots.data.join(DATABASE_FILE);
    let damage = match Library::open(roots).and_then(|library| Ok(library.store().check()?)) {
        Ok(defects) => match defects.iter().find(|defect| defect.of_file) {
            Some(defect) => defect.message.clone(),
            None => return Ok(CheckedFile::Usable(defects)),
        },
        Err(Error::Store(error)) if error.recovery_helps() => error.to_string(),
        Err(error) => return Err(error),
    };
    if !repair {
        return Ok(CheckedFile::Damaged(vec![Finding::new("database", Health::Repairable, damage)]));
    }
    let recovered = SqliteStore::recover(&file)?;
    let mut findings: Vec<Finding> =
        recovered.mended.iter().map(|done| Finding::new("database", Health::Repaired, done)).collect();
    let rows = |name: &str| recovered.tables.iter().find(|table| table.name == name).map_or(0, |table| table.rows);
    let lost: Vec<&str> = recovered.tables.iter().filter(|table| !table.whole).map(|table| table.name).collect();
    let lost = match lost.is_empty() {
        true => "nothing was lost".to_owned(),
        false => format!("lost is what could not be read of {}", lost.join(", ")),
    };
    let message = format!(
        "{damage}; made anew with {}, {} and {} of sessions; {lost}. A sync brings documents back. The damaged file is kept as {}",
        count(rows("collections"), "collection"),
        count(rows("reference_documents"), "document"),
        count(rows("object_events"), "version"),
        recovered.aside.display(),
    );
    findings.push(Finding::new("database", Health::Repaired, message));
    Ok(CheckedFile::MadeAnew(findings))
}

impl Finding {
    pub fn new(subject: impl Into<String>, health: Health, message: impl Into<String>) -> Self {
        Finding { subject: subject.into(), health, message: message.into() }
    }
}

impl Library {
    /// Checks the database, unless that was done, every index and the model.
    pub fn doctor(&mut self, defects: Option<Vec<Defect>>, repair: bool) -> Result<Vec<Finding>> {
        let mut findings = self.check_database(defects, repair)?;
        for record in self.store().collections()? {
            findings.push(self.check_index(&record.id, repair)?);
            if repair {
                self.forget_replaced(&record.id)?;
            }
        }
        findings.extend(self.check_leftovers(repair)?);
        findings.push(self.check_model());
        Ok(findings)
    }

    fn check_database(&mut self, defects: Option<Vec<Defect>>, repair: bool) -> Result<Vec<Finding>> {
        let defects = defects.map_or_else(|| self.store().check(), Ok)?;
        if defects.is_empty() {
            let message = format!("sound, {}", count(self.store().collections()?.len() as u64, "collection"));
            return Ok(vec![Finding::new("database", Health::Good, message)]);
        }
        let mut findings: Vec<Finding> = Vec::new();
        if repair {
            for done in self.store_mut().repair()? {
                findings.push(Finding::new("database", Health::Repaired, done));
            }
        }
        for defect in if repair { self.store().check()? } else { defects } {
            let health = if defect.repairable && !repair { Health::Repairable } else { Health::Broken };
            findings.push(Finding::new("database", health, defect.message));
        }
        Ok(findings)
    }

    fn check_index(&mut self, id: &ai_assist_identity::CollectionId, repair: bool) -> Result<Finding> {
        let subject = format!("index of {}", short(id));
        let defect = match self.index_defect(id) {
            Ok(None) => {
                let state = self.store().state(id)?.unwrap_or_default();
                let (documents, chunks) = (count(state.documents, "document"), count(state.chunks, "chunk"));
                let message = format!("sound, {documents}, {chunks}");
                return Ok(Finding::new(subject, Health::Good, message));
            }
            Ok(Some(defect)) => defect,
            Err(error) => error.to_string(),
        };
        if !repair {
            return Ok(Finding::new(subject, Health::Repairable, defect));
        }
        let Some(_lock) = self.try_lock_sync(id)? else {
            return Ok(Finding::new(subject, Health::Repairable, format!("{defect}; a sync is at work on it")));
        };
        self.rebuild(id)?;
        Ok(Finding::new(subject, Health::Repaired, format!("{defect}; built anew from the database")))
    }

    fn index_defect(&self, id: &ai_assist_identity::CollectionId) -> Result<Option<String>> {
        let reader = match self.open_index(id) {
            Ok(reader) => reader,
            Err(error) if error.rebuild_helps() => return Ok(Some(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        if let Err(error) = reader.verify(self.embedder()) {
            return Ok(Some(error.to_string()));
        }
        let state = self.store().state(id)?.unwrap_or_default();
        let commit = reader.commit();
        if commit.seq != state.seq.0 {
            return Ok(Some(format!("it is at change {} and the database at {}", commit.seq, state.seq)));
        }
        if (commit.documents, commit.chunks) != (state.documents, state.chunks) {
            return Ok(Some(format!("it has {} chunks and the database {}", commit.chunks, state.chunks)));
        }
        Ok(None)
    }

    /// Index folders of collections that are not in the database any more.
    fn check_leftovers(&mut self, repair: bool) -> Result<Vec<Finding>> {
        let known: HashSet<_> =
            self.store().collections()?.iter().map(|record| self.index_folder(&record.id)).collect();
        let folder = self.indexes_folder();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("reading", &folder)(error)),
        };
        let mut findings = Vec::new();
        for entry in entries {
            let path = entry.map_err(Error::io("reading", &folder))?.path();
            // A stray file is nobody's index, and does no harm.
            if known.contains(&path) || !path.is_dir() {
                continue;
            }
            let subject = format!("index folder {}", path.display());
            if repair {
                std::fs::remove_dir_all(&path).map_err(Error::io("removing", &path))?;
                findings.push(Finding::new(subject, Health::Repaired, "belonged to no collection; removed"));
            } else {
                findings.push(Finding::new(subject, Health::Repairable, "belongs to no collection"));
            }
        }
        Ok(findings)
    }

    fn check_model(&self) -> Finding {
        let embedder = self.embedder();
        let subject = format!("model {}", embedder.model());
        let probe = embedder.embed(&["the quick brown fox"]);
        let length = probe.map(|vectors| vectors.iter().flatten().map(|value| value * value).sum::<f32>().sqrt());
        match length {
            Ok(length) if (length - 1.0).abs() < 1e-3 => {
                Finding::new(subject, Health::Good, format!("sound, {} dimensions", embedder.dim()))
            }
            Ok(length) => Finding::new(subject, Health::Broken, format!("a vector has length {length}, not 1")),
            Err(error) => Finding::new(subject, Health::Broken, error.to_string()),
        }
    }
}
