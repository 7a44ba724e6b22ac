//! Syncing: reconciling what is indexed with what the source holds.

mod dependencies;
mod package;
pub(crate) mod plan;
mod run;
pub(crate) mod site;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ai_assist_admit::{Globs, Limits, Problem, RedactedAt, Selection, Walked};
use ai_assist_ecosystem::Homes;
use ai_assist_fetch::site::{FoundBy, SiteLimits};
use ai_assist_fetch::{Client, ClientOptions};
use ai_assist_identity::{CollectionId, CollectionKind, DocPath, Sha256};
use ai_assist_ingest::walk_beside;
use ai_assist_store::PackageRecord;
use serde::Serialize;

use crate::{Error, Library, LockedCollection, Member, Resolved, Result, Step, SyncEvent};
use ai_assist_base::{Cancel, FileLock};
use plan::{sort_out, wanted};
use run::{Job, Run};

#[derive(Debug, Clone)]
pub struct SyncOptions {
    /// Read and index every file, whatever is known of it.
    pub force: bool,
    /// Work out the plan and write nothing.
    pub dry_run: bool,
    pub limits: Limits,
    pub client: Arc<Client>,
    /// Of websites, unless a collection says otherwise.
    pub site: SiteLimits,
    /// What a lock says that the collection must be.
    pub pin: Option<Pin>,
    /// A folder of vendored files that is looked into before the network, where nothing but what is locked is wanted.
    pub vendor: Option<std::path::PathBuf>,
    /// Where package managers keep what a project depends on.
    pub homes: Homes,
    /// Whether what is locked has to be here, whole.
    pub locked: bool,
}

impl Default for SyncOptions {
    fn default() -> Self {
        let client = Arc::new(Client::new(ClientOptions::default()));
        SyncOptions {
            force: false,
            dry_run: false,
            limits: Limits::default(),
            client,
            site: SiteLimits::default(),
            pin: None,
            vendor: None,
            homes: Homes::default(),
            locked: false,
        }
    }
}

impl SyncOptions {
    /// The same, where a source has to be public.
    pub(crate) fn for_member(&self, member: &Member) -> Cow<'_, Self> {
        if member.spec.is_public() {
            let client = Arc::new(self.client.public_only());
            Cow::Owned(SyncOptions { client, ..self.clone() })
        } else {
            Cow::Borrowed(self)
        }
    }
}

/// A collection held to what a lock says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    pub locked: LockedCollection,
    /// Whether nothing is asked of the network while what is indexed is what the lock says.
    pub frozen: bool,
}

/// What a sync does to documents, in order.
pub type Plan = Vec<(Step, String)>;

/// What a sync did, or would do.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    pub name: String,
    pub id: CollectionId,
    #[serde(rename = "type")]
    pub kind: CollectionKind,
    pub dry_run: bool,
    pub documents: usize,
    pub added: usize,
    pub updated: usize,
    pub removed: usize,
    /// How many secret values were taken out of the documents that were read.
    pub redacted: usize,
    /// Where they stood. Sorted by path.
    pub redactions: Vec<RedactedAt>,
    /// Files that were matched but left out, each with the reason.
    pub skipped: Vec<Skipped>,
    /// What went wrong with single files or folders; what was indexed of them before is kept.
    pub problems: Vec<Skipped>,
    /// What was found at the URL of a package.
    pub package: Option<PackageInfo>,
    /// What was found of a website.
    pub site: Option<SiteInfo>,
    /// Whether the package was known, whole and unchanged, so that none of its files was looked at.
    pub up_to_date: bool,
    pub warnings: Vec<String>,
    #[serde(serialize_with = "serialize_plan")]
    pub changes: Plan,
    /// The hashes of what is new or changed.
    #[serde(skip)]
    pub(crate) hashes: BTreeMap<DocPath, Sha256>,
    /// Files that are not what they should be.
    #[serde(skip)]
    pub(crate) mismatched: Vec<DocPath>,
}

/// What a package says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageInfo {
    pub name: String,
    pub version: String,
    pub manifest_hash: Option<Sha256>,
    pub commit: Option<String>,
}

/// How the pages of a website were found, and what it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteInfo {
    pub url: String,
    pub found_by: FoundBy,
    /// How many pages were asked for.
    pub asked: usize,
    /// How many of these were as they had been.
    pub not_modified: usize,
    /// What came of the others, in bytes.
    pub bytes: u64,
}

impl From<&PackageRecord> for PackageInfo {
    fn from(record: &PackageRecord) -> Self {
        PackageInfo {
            name: record.name.clone(),
            version: record.version.clone(),
            manifest_hash: record.hash,
            commit: record.revision.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

fn serialize_plan<S: serde::Serializer>(plan: &Plan, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Entry<'p> {
        change: Step,
        path: &'p str,
    }
    serializer.collect_seq(plan.iter().map(|(change, path)| Entry { change: *change, path }))
}

impl SyncReport {
    /// Whether nothing was done and nothing went wrong.
    pub fn is_unchanged(&self) -> bool {
        self.added + self.updated + self.removed == 0 && self.problems.is_empty()
    }

    fn new(member: &Member, dry_run: bool) -> Self {
        SyncReport {
            name: member.name.clone(),
            id: member.resolved.id().clone(),
            kind: member.spec.kind(),
            dry_run,
            documents: 0,
            added: 0,
            updated: 0,
            removed: 0,
            redacted: 0,
            redactions: Vec::new(),
            skipped: Vec::new(),
            problems: Vec::new(),
            package: None,
            site: None,
            up_to_date: false,
            warnings: Vec::new(),
            changes: Vec::new(),
            hashes: BTreeMap::new(),
            mismatched: Vec::new(),
        }
    }

    fn step(&mut self, step: Step, path: &str, progress: &mut dyn FnMut(SyncEvent<'_>)) {
        match step {
            Step::Add => self.added += 1,
            Step::Update => self.updated += 1,
            Step::Remove => self.removed += 1,
        }
        self.changes.push((step, path.to_owned()));
        progress(SyncEvent::Step(step, path));
    }
}

impl Library {
    /// Syncs one collection. Single files that fail are in the report.
    pub fn sync(
        &mut self,
        member: &Member,
        options: &SyncOptions,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let id = member.resolved.id();
        member.resolved.usable()?;
        let options = &options.for_member(member);
        if let Resolved::File { folder, .. } = &member.resolved {
            let source_error = |source| Error::Source { name: member.name.clone(), path: folder.clone(), source };
            std::fs::read_dir(folder).map_err(source_error)?;
        }
        let _lock = if options.dry_run { None } else { Some(self.wait_for_sync(id, progress, cancel)?) };
        let mut report = match &member.resolved {
            Resolved::File { folder, glob, .. } => self.sync_folder(member, (folder, glob), options, progress, cancel),
            Resolved::Pkg { url, .. } => self.sync_package(member, url, options, progress, cancel),
            Resolved::Dep { project, chosen, .. } => {
                self.sync_dependencies(member, (project, chosen), options, progress, cancel)
            }
            Resolved::Site { scope, .. } => self.sync_site(member, scope, options, progress, cancel),
            Resolved::Broken { why, .. } => Err(Error::Unusable(why.clone())),
        }?;
        let id = &report.id;
        if !options.dry_run && self.index_seq(id) != Some(self.store().state(id)?.unwrap_or_default().seq.0) {
            progress(SyncEvent::Indexing);
            self.catch_up(id)?;
        }
        if !options.dry_run {
            self.forget_replaced(id)?;
            self.note_synced(member, id)?;
        }
        report.redactions.sort();
        Ok(report)
    }

    fn sync_folder(
        &mut self,
        member: &Member,
        (folder, glob): (&Path, &str),
        options: &SyncOptions,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let id = member.resolved.id();
        let mut report = SyncReport::new(member, options.dry_run);
        progress(SyncEvent::Walking);
        let globs = Globs::new(&[glob])?;
        let selection = Selection::new(folder, globs, options.limits);
        let (walked, heads) = walk_beside(&selection, cancel, || self.store().heads(id));
        let (walked, heads) = (walked?, heads?);
        if !options.dry_run {
            self.store_mut().ensure_collection(&member.resolved.record())?;
        }
        let hidden = |path: &DocPath| walked.receipt.hides(path.as_str());
        let sorted = sort_out(wanted(&walked), &heads, options.force, &hidden);
        account(&walked, folder, glob, &mut report);
        report.documents = sorted.unchanged;
        let job = Job { id, options, cancel, requests: &[], keep_stamps: true, vectors: None, unsettled: None };
        Run::new(self, job, &mut report, progress).all(sorted)?;
        if !options.dry_run {
            self.store_mut().mark_synced(id, None)?;
        }
        Ok(report)
    }

    fn wait_for_sync(
        &self,
        id: &CollectionId,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<FileLock> {
        let mut told = false;
        self.lock_sync(id, || {
            if !told {
                progress(SyncEvent::Waiting);
                told = true;
            }
            !cancel.is_cancelled()
        })
    }
}

fn account(walked: &Walked, folder: &Path, glob: &str, report: &mut SyncReport) {
    for problem in &walked.receipt.problems {
        report.problems.push(Skipped { path: problem.path.clone(), reason: problem.message.clone() });
    }
    for exclusion in &walked.receipt.exclusions {
        report.skipped.push(skipped(exclusion));
    }
    if let Some(Problem { path, message, .. }) = walked.receipt.swallowed() {
        report.problems.push(Skipped { path, reason: message });
    } else if walked.candidates.is_empty() {
        report.warnings.push(format!("the glob `{glob}` matches no file in {}", folder.display()));
    }
}

pub(crate) fn skipped(exclusion: &ai_assist_admit::Exclusion) -> Skipped {
    let rule = if exclusion.rule.is_empty() { String::new() } else { format!(" ({})", exclusion.rule) };
    Skipped { path: exclusion.path.as_str().to_owned(), reason: format!("{}{rule}", exclusion.reason.describe()) }
}
