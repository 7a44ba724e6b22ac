//! Why one path comes in or stays out: the walk, taken along a single path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_base::platform::{self, Errno, FileType, Handle, Open, path_bytes, stat_at};
use ai_assist_identity::DocPath;
use serde::Serialize;

use crate::allow::Named;
use crate::candidate::Stop;
use crate::decide::Step;
use crate::found::doc_path;
use crate::links::{Followed, Links};
use crate::policy::{Refusal, last_name};
use crate::root::Root;
use crate::visit::{Folder, Link, Visitor};
use crate::{AdmitError, Candidate, Exclusion, Limits, Outcome, PathSet, Problem, Reason, Redaction, Selection, walk};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A file that is admitted, or a folder that is entered.
    Included,
    Excluded,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub path: DocPath,
    pub verdict: Verdict,
    /// Whether it is there. What is not is judged by its name, as a file.
    pub exists: bool,
    /// Whether it is a folder that is entered, which says nothing of each file in it.
    pub is_folder: bool,
    pub reason: Option<Reason>,
    /// The entry that decided: the path itself or a folder above it.
    pub at: DocPath,
    /// The rule that decided; for what comes in, the glob that selects it.
    pub rule: String,
    /// Where the rule stands: `FILE:LINE` for one in a file, the group for one of the specification.
    pub origin: Option<String>,
    /// Whether it comes in because it was named by hand.
    pub allowed: bool,
    pub redactions: Vec<Redaction>,
}

/// Says what a walk and a read make of one path below the root, and which rule decides.
///
/// Goes down from folder to folder by the steps of [`walk`](crate::walk) and reads the file at the end. Only where a
/// symlink to a folder is on the way is the whole tree walked: under which of several names a folder is listed depends on it.
pub fn explain(selection: &Selection, path: &DocPath) -> Result<Explanation, AdmitError> {
    descend(selection, path, |descent, end| match end {
        End::File(candidate) => descent.read(&candidate),
        End::Folder { exists } => descent.included(exists, true),
        End::Missing => descent.included(false, false),
        End::Refused { part, refusal, exists } => descent.excluded(&part, refusal, exists),
    })
}

/// Reads the one file that a path means, if a walk would find it and a read would admit it.
pub fn admit_one(selection: &Selection, path: &DocPath) -> Result<Outcome, AdmitError> {
    descend(selection, path, |descent, end| match end {
        End::File(candidate) => candidate.read(&selection.limits),
        End::Missing => Outcome::Vanished,
        End::Folder { .. } => Outcome::Excluded(descent.exclusion(Reason::NotAFile, "it is a folder".to_owned())),
        End::Refused { part, refusal, exists } => {
            let Explanation { rule, .. } = descent.excluded(&part, refusal.clone(), exists);
            Outcome::Excluded(descent.exclusion(refusal.reason, rule))
        }
    })
}

/// A folder as somebody sees it who may see what an index of it has, and no more: what is ignored, belongs to git, or is left
/// out for another reason is not there.
#[derive(Debug, Clone)]
pub struct IndexedView {
    pub root: PathBuf,
    pub limits: Limits,
    /// Says which files git tracks below a folder, as [`PathSet::from_ls_files`] reads it. Asked only where it matters.
    pub tracked: fn(&Path) -> Option<Vec<u8>>,
}

impl IndexedView {
    /// Reads a file.
    pub fn read(&self, path: &DocPath) -> Result<Outcome, AdmitError> {
        self.ask(path, admit_one, |outcome| matches!(outcome, Outcome::Excluded(_)))
    }

    /// Says whether a file is there, and why.
    pub fn explain(&self, path: &DocPath) -> Result<Explanation, AdmitError> {
        self.ask(path, explain, |explained| explained.reason.is_some())
    }

    /// A folder called `build` counts as one that a build made, and what is ignored stays out, unless git tracks it. To ask git
    /// for every file would take longer than to read it.
    fn ask<T>(
        &self,
        path: &DocPath,
        ask: impl Fn(&Selection, &DocPath) -> Result<T, AdmitError>,
        is_out: impl Fn(&T) -> bool,
    ) -> Result<T, AdmitError> {
        let asked = |tracked| ask(&Selection::as_indexed(&self.root, tracked, self.limits)?, path);
        let found = asked(None)?;
        if !is_out(&found) || !self.root.join(path.to_path_buf()).is_file() {
            return Ok(found);
        }
        match (self.tracked)(&self.root) {
            Some(tracked) => asked(Some(PathSet::from_ls_files(&tracked))),
            None => Ok(found),
        }
    }
}

fn descend<T>(
    selection: &Selection,
    path: &DocPath,
    then: impl FnOnce(&Descent<'_, '_>, End) -> T,
) -> Result<T, AdmitError> {
    let root = Arc::new(Root::open(&selection.root)?);
    let visitor = Visitor::new(root, selection);
    let system_path = path.to_path_buf();
    let mut descent = Descent {
        path,
        visitor: &visitor,
        links: Links::new(&visitor),
        loops: None,
        // Faults in files of rules are told by the walk.
        problems: Vec::new(),
    };
    let end = descent.run(&path_bytes(&system_path))?;
    Ok(then(&descent, end))
}

/// Where a path leads.
enum End {
    File(Candidate),
    Folder {
        exists: bool,
    },
    /// A file that is not there.
    Missing,
    /// Not to its end: this part of it stays out.
    Refused {
        part: Vec<u8>,
        refusal: Refusal,
        exists: bool,
    },
}

struct Descent<'v, 'a> {
    path: &'v DocPath,
    visitor: &'v Visitor<'a>,
    links: Links<'v, 'a>,
    /// The folders that the walk lists under another name, once a symlink was followed.
    loops: Option<Vec<Exclusion>>,
    problems: Vec<Problem>,
}

enum Next {
    Folder(Folder),
    File(Candidate),
    /// A file that is not there, or no longer.
    Missing,
}

impl Descent<'_, '_> {
    fn run(&mut self, path: &[u8]) -> Result<End, AdmitError> {
        let refused = |part: &[u8], refusal, exists| End::Refused { part: part.to_vec(), refusal, exists };
        if self.visitor.allowed.contains(path) {
            match self.links.named(path, &mut self.problems) {
                Named::File(candidate) => return Ok(End::File(candidate)),
                Named::Refused(refusal) => return Ok(refused(path, refusal, true)),
                Named::Folder | Named::Missing => {}
            }
        }
        let mut folder = Folder::default();
        let mut exists = true;
        let ends = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let (part, last) = (&path[..end], end == path.len());
            let next = match self.next(folder, part, last, &mut exists)? {
                Ok(next) => next,
                Err(refusal) => return Ok(refused(part, refusal, exists)),
            };
            match next {
                Next::Folder(_) if last => return Ok(End::Folder { exists }),
                Next::Folder(below) => folder = below,
                Next::File(candidate) if last => return Ok(End::File(candidate)),
                Next::Missing if last => return Ok(End::Missing),
                Next::File(_) | Next::Missing => {
                    return Ok(refused(part, Refusal::new(Reason::NotAFile, "it is no folder"), false));
                }
            }
        }
        Ok(End::Missing)
    }

    /// One step down, into the entry at `path` of a folder.
    fn next(
        &mut self,
        mut folder: Folder,
        path: &[u8],
        last: bool,
        exists: &mut bool,
    ) -> Result<Result<Next, Refusal>, AdmitError> {
        let name = last_name(path);
        let handle = match self.open(&mut folder, *exists) {
            Ok(handle) => handle,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let kind = handle.as_ref().map(|handle| stat_at(handle, name));
        let kind = match kind {
            Some(Ok(stat)) => platform::kind(&stat),
            Some(Err(errno)) if errno != Errno::NOENT => return Ok(Err(unreadable(errno))),
            Some(Err(_)) | None => {
                *exists = false;
                if last { FileType::RegularFile } else { FileType::Directory }
            }
        };
        let step = match self.visitor.step(&folder, path, name, kind) {
            Ok(step) => step,
            Err(refusal) => return Ok(Err(refusal)),
        };
        Ok(match step {
            Step::Enter(below) => match self.listed_elsewhere(path) {
                Some(refusal) => Err(refusal),
                None => Ok(Next::Folder(below)),
            },
            Step::Select => self.select(&folder, handle.as_ref().filter(|_| *exists), path),
            Step::Follow => {
                let link = Link { folder: Arc::new(folder), path: path.to_vec() };
                match self.links.follow(link, &mut self.problems) {
                    Ok(Followed::File(candidate)) => Ok(Next::File(candidate)),
                    Ok(Followed::Folder(below)) => {
                        self.find_loops()?;
                        self.listed_elsewhere(path).map_or(Ok(Next::Folder(below)), Err)
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        })
    }

    /// Opens a folder and reads its files of rules. Nothing for one that is not there.
    fn open(&mut self, folder: &mut Folder, exists: bool) -> Result<Option<Handle>, Refusal> {
        if !exists {
            return Ok(None);
        }
        let real = folder.real.as_deref().unwrap_or(&folder.path);
        match self.visitor.root.open_beneath(real, Open::Folder) {
            Ok(handle) => {
                let files: Vec<usize> = self.visitor.wanted().files().collect();
                self.visitor.load_rules(folder, &handle, &files, &mut self.problems);
                Ok(Some(handle))
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(errno) => Err(unreadable(errno)),
        }
    }

    fn select(&self, folder: &Folder, handle: Option<&Handle>, path: &[u8]) -> Result<Next, Refusal> {
        let Some(handle) = handle else { return Ok(Next::Missing) };
        let name = last_name(path);
        match stat_at(handle, name) {
            Ok(stat) => self.visitor.select(path, folder.real_of(name), &stat).map(Next::File),
            Err(Errno::NOENT) => Ok(Next::Missing),
            Err(errno) => Err(unreadable(errno)),
        }
    }

    fn find_loops(&mut self) -> Result<(), AdmitError> {
        if self.loops.is_none() {
            let mut exclusions = walk(self.visitor.selection, &Cancel::default(), &|_| {})?.receipt.exclusions;
            exclusions.retain(|exclusion| exclusion.reason == Reason::SymlinkLoop);
            self.loops = Some(exclusions);
        }
        Ok(())
    }

    fn listed_elsewhere(&self, path: &[u8]) -> Option<Refusal> {
        let path = doc_path(path).ok()?;
        let found = self.loops.as_ref()?.iter().find(|exclusion| exclusion.path == path)?;
        Some(Refusal::new(found.reason, found.rule.clone()))
    }

    fn read(&self, candidate: &Candidate) -> Explanation {
        match candidate.try_read(&self.visitor.selection.limits, &mut || {}, &mut |_| {}) {
            Ok(admitted) => {
                let mut explanation = self.included(true, false);
                if admitted.is_allowed() {
                    "it was named by hand".clone_into(&mut explanation.rule);
                }
                explanation.allowed = admitted.is_allowed();
                explanation.redactions = admitted.redactions;
                explanation
            }
            Err(Stop::Gone) => self.included(false, false),
            Err(Stop::Refused(refusal)) => self.answer(Verdict::Excluded, self.path.clone(), Some(refusal), true),
        }
    }

    fn exclusion(&self, reason: Reason, rule: String) -> Exclusion {
        Exclusion { path: self.path.clone(), reason, rule }
    }

    fn included(&self, exists: bool, is_folder: bool) -> Explanation {
        let mut explanation = self.answer(Verdict::Included, self.path.clone(), None, exists);
        let path = self.path.to_path_buf();
        let glob = self.visitor.selection.globs.decided_by(&path_bytes(&path), is_folder);
        explanation.rule = glob.unwrap_or_default();
        explanation.is_folder = is_folder;
        explanation
    }

    fn excluded(&self, part: &[u8], mut refusal: Refusal, exists: bool) -> Explanation {
        let is_folder = part.len() < self.path.to_path_buf().as_os_str().len();
        if refusal.rule.is_empty() {
            refusal.rule = self.unspoken_rule(part, is_folder, refusal.reason);
        }
        let at = doc_path(part).unwrap_or_else(|_| self.path.clone());
        self.answer(Verdict::Excluded, at, Some(refusal), exists)
    }

    /// The rule of a refusal that the walk gives without one, because it gives it for every other file.
    fn unspoken_rule(&self, part: &[u8], is_folder: bool, reason: Reason) -> String {
        let globs = &self.visitor.selection.globs;
        match (globs.decided_by(part, is_folder), reason) {
            (Some(glob), Reason::Hidden) => format!("`{glob}` does not write the dot"),
            (Some(glob), _) => glob,
            (None, _) => format!("none of {}", globs.patterns().join(" ")),
        }
    }

    fn answer(&self, verdict: Verdict, at: DocPath, refusal: Option<Refusal>, exists: bool) -> Explanation {
        let (reason, rule, origin) = match refusal {
            Some(Refusal { reason, rule, origin }) => (Some(reason), rule, origin),
            None => (None, String::new(), None),
        };
        let path = self.path.clone();
        Explanation {
            path,
            verdict,
            exists,
            is_folder: false,
            reason,
            at,
            rule,
            origin,
            allowed: false,
            redactions: Vec::new(),
        }
    }
}

fn unreadable(errno: Errno) -> Refusal {
    Refusal::new(Reason::Unreadable, std::io::Error::from(errno).to_string())
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
