//! Packs: which files go into one, what git knows of them, and the record of what left.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_admit::{Allowance, Explanation, OnSecret, PackRules, PathSet, explain};
use ai_assist_base::Cancel;
use ai_assist_git::{Ask, Repo, WorkTree};
use ai_assist_identity::DocPath;
use ai_assist_pack::types::ContextPack;
use ai_assist_pack::{
    Caches, Choice, History, Ledger, Made, PackRequest, Sending, Stage, TransparencyRecord, Written, make, record,
};

use crate::{Error, Project, Result};

/// In so many of the last commits files are looked for, to tell which change often.
const COMMITS: usize = 500;

#[derive(Debug, Clone, Default)]
pub struct PackFiles {
    /// The folder, links resolved.
    pub root: PathBuf,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub allow: Vec<DocPath>,
    /// What a rule finds in a file and is to stay, and why; also why a file is allowed as a whole.
    pub allowances: Vec<Allowance>,
    pub on_secret: OnSecret,
    /// Only what has changed since this revision.
    pub changed_since: Option<String>,
}

/// A choice of files, with what git knows of them.
#[derive(Debug)]
pub struct Chosen {
    pub choice: Choice,
    /// What git could not say, and what follows from that.
    pub warnings: Vec<String>,
    git: WorkTree,
}

impl PackFiles {
    /// Asks git which files are tracked. That it can't tell stops nothing, unless changes were asked for.
    pub fn choose(self, cancel: &Cancel) -> Result<Chosen> {
        let ask = Ask { cancel: cancel.clone(), ..Ask::default() };
        let mut git = WorkTree::look(&self.root, &ask);
        let tracked = git.tracked.as_deref().map(|files| Arc::new(PathSet::from_ls_files(files)));
        let only = match (&self.changed_since, &git.repo) {
            (Some(revision), Some(repo)) => Some(Arc::new(PathSet::new(&repo.changed_since(revision)?))),
            (Some(_), None) => {
                // It is in a repository that git refuses, or in none.
                Repo::find(&self.root, &ask)?;
                return Err(Error::NoGit(self.root));
            }
            (None, _) => None,
        };
        let (allow, allowances) = (self.allow, self.allowances);
        let rules = PackRules { tracked, allow, allowances, on_secret: self.on_secret, tracked_logs: false };
        let choice = Choice { root: self.root, include: self.include, exclude: self.exclude, only, rules };
        Ok(Chosen { choice, warnings: std::mem::take(&mut git.warnings), git })
    }
}

impl Chosen {
    pub fn pack(
        &self,
        request: &PackRequest,
        caches: &Caches,
        cancel: &Cancel,
        progress: &(dyn Fn(Stage) + Sync),
    ) -> Result<Made> {
        let failed = RefCell::new(None);
        let history = || match self.git.repo.as_ref()?.churn(COMMITS) {
            Ok(churn) => Some(History { commits_by_path: churn.by_path, looked_at: churn.commits_looked_at }),
            Err(error) => {
                failed.replace(Some(format!("{error}; the ranking goes without the history")));
                None
            }
        };
        let mut made = make(request, &history, caches, cancel, progress)?;
        made.warnings.extend(failed.take());
        Ok(made)
    }

    /// Whether a path would be packed, and which rule decides.
    pub fn explain(&self, path: &DocPath) -> Result<Explanation> {
        Ok(explain(&self.choice.selection()?, path)?)
    }
}

impl Project {
    pub fn caches(&self) -> Caches {
        Caches::open(&self.roots.cache)
    }

    pub fn receipts(&self) -> Result<Ledger> {
        Ok(Ledger::open(&self.roots.data.join("receipts"))?)
    }

    /// Records a pack that is about to leave. It never leaves without.
    pub fn record_pack(
        &self,
        made: &Made,
        pack: &ContextPack,
        written: Written,
        provider: Option<&str>,
    ) -> Result<(u64, TransparencyRecord)> {
        let (snapshot, tool_version) = (&made.snapshot, env!("CARGO_PKG_VERSION"));
        let recorded = self
            .receipts()?
            .append(&mut |previous| record(&Sending { snapshot, pack, written, provider, tool_version, previous }))?;
        Ok(recorded)
    }
}
