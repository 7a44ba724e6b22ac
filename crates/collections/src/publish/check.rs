//! Looking at a package before it leaves the machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ai_assist_admit::{Candidate, Limits, Outcome, Reason, Walked, pick};
use ai_assist_fetch::{Base, Contents, Declared, Entry, Location};
use ai_assist_identity::{DocPath, Sha256};
use serde::Serialize;

use crate::sync::plan::walk_source;
use crate::{Error, Result};
use ai_assist_base::Cancel;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The package can't be packed like this.
    Error,
    /// It can, and should perhaps not.
    Warning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LintCode {
    /// A name or version that can't be part of a file name.
    BadName,
    MissingFile,
    SecretName,
    SecretValue,
    TooLarge,
    HashMismatch,
    /// A listed file at a URL, which a bundle can't hold.
    UrlEntry,
    Unreadable,
    Empty,
    // The rest are warnings.
    /// Not text; it would not be indexed.
    NotText,
    LeftOut,
    /// The same bytes as another file.
    DuplicateContent,
    /// Characters that could not be decoded.
    BadEncoding,
    /// What the reader of the manifest warned of.
    Manifest,
}

impl LintCode {
    pub fn severity(self) -> Severity {
        if self < LintCode::NotText { Severity::Error } else { Severity::Warning }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintFinding {
    pub severity: Severity,
    pub code: LintCode,
    /// The file, if it is about one.
    pub path: Option<String>,
    /// In words. Never a secret.
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct Checked {
    pub declared: Declared,
    /// What is wrong, errors first.
    pub findings: Vec<LintFinding>,
    /// The files that can be packed, sorted by path.
    pub(super) files: Vec<CheckedFile>,
}

#[derive(Debug, Clone)]
pub(super) struct CheckedFile {
    pub(super) path: DocPath,
    pub(super) candidate: Candidate,
    pub(super) hash: Sha256,
    pub(super) size: u64,
}

impl Checked {
    pub fn files(&self) -> usize {
        self.files.len()
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Severity::Warning)
    }
}

/// Reads a manifest and looks at every file of the package. With `redact`, a secret value is taken out and only warned of.
pub(super) fn check(manifest: &Path, limits: &Limits, redact: bool, cancel: &Cancel) -> Result<Checked> {
    let bytes = crate::package::read_capped(manifest, limits.max_file_bytes.max(32 << 20))?;
    let name = manifest.display().to_string();
    let Ok(decoded) = ai_assist_text::decode(&bytes) else {
        return Err(Error::BadPackage { url: name, reason: "the manifest is not text".to_owned() });
    };
    let read = |base: &Base| Declared::read(&name, &decoded.text, base, limits.max_files);
    let on_server =
        |declared: &Declared| declared.manifest.base_url.as_deref().is_some_and(|url| url.starts_with("http"));
    // What will lie on a server lies beside the manifest now, and that is what is packed.
    let declared = match read(&Base::Folder) {
        Ok(declared) if !on_server(&declared) => declared,
        as_written => match read(&Base::Bundle) {
            Ok(declared) if on_server(&declared) => declared,
            _ => as_written?,
        },
    };
    let folder = manifest.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut linter = Linter { limits, redact, findings: Vec::new(), hashes: HashMap::new() };
    for warning in &declared.warnings {
        linter.add(LintCode::Manifest, None, warning.to_string());
    }
    linter.names(&declared);
    let own_name = manifest.file_name().and_then(|name| DocPath::from_relative(Path::new(name)).ok());
    let candidates = match &declared.contents {
        Contents::Globs(globs) => {
            let root = declared.folder.as_deref().unwrap_or(folder);
            let walked = walk_source(root, globs.clone(), *limits, cancel)?;
            linter.account(&walked);
            let named = |candidate: Candidate| (candidate.path().clone(), candidate, None);
            walked.candidates.into_iter().filter(|found| Some(found.path()) != own_name.as_ref()).map(named).collect()
        }
        Contents::Files(entries) => linter.listed(entries, folder)?,
    };
    let mut files = Vec::with_capacity(candidates.len());
    for (path, candidate, expected) in candidates {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        files.extend(linter.file(path, candidate, expected));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    if files.is_empty() {
        linter.add(LintCode::Empty, None, "the package has no file that can be packed".to_owned());
    }
    let mut findings = linter.findings;
    findings.sort();
    findings.dedup();
    Ok(Checked { declared, findings, files })
}

struct Linter<'l> {
    limits: &'l Limits,
    redact: bool,
    findings: Vec<LintFinding>,
    hashes: HashMap<Sha256, DocPath>,
}

type Named = (DocPath, Candidate, Option<Sha256>);

impl Linter<'_> {
    fn add(&mut self, code: LintCode, path: Option<&str>, message: String) {
        let path = path.map(str::to_owned);
        self.findings.push(LintFinding { severity: code.severity(), code, path, message });
    }

    fn names(&mut self, declared: &Declared) {
        let manifest = &declared.manifest;
        for (what, text, more) in [("name", &manifest.name, "@/"), ("version", &manifest.version, "+")] {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c) || more.contains(c);
            let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@');
            if !starts || text.len() > 100 || text.contains("..") || !text.chars().all(allowed) {
                let message = format!("the {what} `{text}` may have only letters, digits and `-_.{more}`");
                self.add(LintCode::BadName, None, message);
            }
        }
    }

    /// The files of a list, each picked from the folder it is in.
    fn listed(&mut self, entries: &[Entry], folder: &Path) -> Result<Vec<Named>> {
        let mut folders: HashMap<PathBuf, Vec<(DocPath, &Entry)>> = HashMap::new();
        for entry in entries {
            let (root, name) = match &entry.location {
                Location::Beside => (folder.to_owned(), entry.path.clone()),
                Location::File { folder, name } => (folder.clone(), name.clone()),
                Location::Url(url) => {
                    let message = format!("is at {}, and a bundle can't hold it", ai_assist_fetch::shown(url));
                    self.add(LintCode::UrlEntry, Some(entry.path.as_str()), message);
                    continue;
                }
            };
            folders.entry(root).or_default().push((name, entry));
        }
        let mut found = Vec::with_capacity(entries.len());
        for (root, mut names) in folders {
            names.sort_by(|a, b| a.0.cmp(&b.0));
            let paths: Vec<DocPath> = names.iter().map(|(name, _)| name.clone()).collect();
            let walked = pick(&root, &paths, self.limits)?;
            self.account(&walked);
            for candidate in walked.candidates {
                let at = names.binary_search_by(|(name, _)| name.cmp(candidate.path()));
                if let Some((_, entry)) = at.ok().map(|at| &names[at]) {
                    found.push((entry.path.clone(), candidate, entry.hash));
                }
            }
        }
        Ok(found)
    }

    fn account(&mut self, walked: &Walked) {
        for problem in &walked.receipt.problems {
            let code = if problem.missing { LintCode::MissingFile } else { LintCode::Unreadable };
            self.add(code, Some(&problem.path), problem.message.clone());
        }
        for exclusion in &walked.receipt.exclusions {
            self.refused(exclusion.path.as_str(), exclusion);
        }
    }

    fn refused(&mut self, path: &str, exclusion: &ai_assist_admit::Exclusion) {
        let code = match exclusion.reason {
            Reason::SecretName => LintCode::SecretName,
            Reason::TooLarge => LintCode::TooLarge,
            Reason::Binary => LintCode::NotText,
            Reason::Unreadable | Reason::Unstable => LintCode::Unreadable,
            _ => LintCode::LeftOut,
        };
        let reason = crate::sync::skipped(exclusion).reason;
        self.add(code, Some(path), reason);
    }

    fn file(&mut self, path: DocPath, candidate: Candidate, expected: Option<Sha256>) -> Option<CheckedFile> {
        let admitted = match candidate.read(self.limits) {
            Outcome::Admitted(admitted) => admitted,
            Outcome::Excluded(exclusion) => {
                self.refused(path.as_str(), &exclusion);
                return None;
            }
            Outcome::Vanished => {
                self.add(LintCode::MissingFile, Some(path.as_str()), "is not there".to_owned());
                return None;
            }
        };
        let name = path.as_str().to_owned();
        if let Some(expected) = expected.filter(|expected| *expected != admitted.hash()) {
            let message = format!("has the hash {}; the manifest says {expected}", admitted.hash());
            self.add(LintCode::HashMismatch, Some(&name), message);
        }
        if admitted.replaced() > 0 {
            let message = format!("has {} characters that could not be decoded", admitted.replaced());
            self.add(LintCode::BadEncoding, Some(&name), message);
        }
        let (hash, size) = if admitted.redactions().is_empty() {
            (admitted.hash(), admitted.size())
        } else {
            let rules: Vec<String> =
                admitted.redactions().iter().map(|found| format!("{} ({})", found.rule, found.count)).collect();
            let message = format!("has secret values: {}", rules.join(", "));
            let severity = if self.redact { Severity::Warning } else { Severity::Error };
            let path = Some(name.clone());
            self.findings.push(LintFinding { severity, code: LintCode::SecretValue, path, message });
            (Sha256::of(admitted.text().as_bytes()), admitted.text().len() as u64)
        };
        match self.hashes.get(&hash).filter(|_| size > 0) {
            Some(first) => {
                let message = format!("has the same content as `{first}`");
                self.add(LintCode::DuplicateContent, Some(&name), message);
            }
            None => {
                self.hashes.insert(hash, path.clone());
            }
        }
        Some(CheckedFile { path, candidate, hash, size })
    }
}
