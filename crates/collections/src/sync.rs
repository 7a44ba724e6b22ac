//! Syncing: reconciling what is indexed with what the source holds.

use std::path::Path;
use std::sync::atomic::AtomicUsize;

use ai_assist_admit::{Candidate, Globs, Limits, Reason, Selection, Walked, walk};
use ai_assist_identity::{CollectionId, CollectionKind, DocPath};
use ai_assist_index::{VectorCache, Writer};
use ai_assist_store::{Applied, Change, DocumentHead};
use serde::Serialize;

use crate::catch_up::writer_options;
use crate::examine::{Examined, Examiner, Ready, Task, stored};
use crate::library::Library;
use crate::progress::{Cancel, Progress, Step};
use crate::source::{Member, Resolved};
use crate::{Error, Result};

/// A transaction is closed at this many documents, or at this much text.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: usize = 8 << 20;

/// Documents that may wait between the workers and the writer.
const QUEUE: usize = 64;

/// How a sync is done.
#[derive(Debug, Clone, Default)]
pub struct SyncOptions {
    /// Read and index every file, whatever is known of it.
    pub force: bool,
    /// Work out the plan and write nothing.
    pub dry_run: bool,
    /// The limits of the source.
    pub limits: Limits,
}

/// What a sync does to documents, in order.
pub type Plan = Vec<(Step, String)>;

/// What a sync did, or would do.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    /// The collection's name.
    pub name: String,
    /// Its id.
    pub id: CollectionId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: CollectionKind,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// How many documents it has afterwards.
    pub documents: usize,
    /// How many are new.
    pub added: usize,
    /// How many have changed.
    pub updated: usize,
    /// How many are gone.
    pub removed: usize,
    /// How many secret values were taken out of the documents that were read.
    pub redacted: usize,
    /// Files that were matched but left out, each with the reason.
    pub skipped: Vec<Skipped>,
    /// What went wrong with single files or folders; what was indexed of them before is kept.
    pub problems: Vec<Skipped>,
    /// What is odd.
    pub warnings: Vec<String>,
    /// The changes, in order.
    #[serde(serialize_with = "serialize_plan")]
    pub changes: Plan,
}

/// A path and why it was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The path.
    pub path: String,
    /// Why.
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
            skipped: Vec::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn step(&mut self, step: Step, path: &str, progress: &mut dyn Progress) {
        match step {
            Step::Add => self.added += 1,
            Step::Update => self.updated += 1,
            Step::Remove => self.removed += 1,
        }
        self.changes.push((step, path.to_owned()));
        progress.step(step, path);
    }
}

impl Library {
    /// Syncs one collection.
    ///
    /// # Errors
    ///
    /// If the source can't be read at all, or something can't be written. Single files that fail are in the report.
    pub fn sync(
        &mut self,
        member: &Member,
        options: &SyncOptions,
        progress: &mut dyn Progress,
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let Resolved::File { id, folder, glob, .. } = &member.resolved else {
            let (name, url) = (member.name.clone(), member.spec.source());
            return Err(Error::PackagesNotSupported { name, url });
        };
        let source_error = |source| Error::Source { name: member.name.clone(), path: folder.clone(), source };
        std::fs::read_dir(folder).map_err(source_error)?;
        let _lock = if options.dry_run { None } else { Some(self.wait_for_sync(id, progress, cancel)?) };
        let mut report = SyncReport::new(member, options.dry_run);
        progress.walking();
        // What is known is read while the walk looks at what is there.
        let (walked, heads) = std::thread::scope(|scope| {
            let walked = scope.spawn(|| walk_source(folder, glob, options, cancel));
            let heads = self.store().heads(id);
            (walked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), heads)
        });
        let (walked, heads) = (walked?, heads?);
        if !options.dry_run {
            self.store_mut().ensure_collection(&member.resolved.record())?;
        }
        let sorted = sort_out(&walked, &heads, options.force);
        self.warn(&walked, folder, glob, &mut report);
        report.documents = sorted.unchanged;
        Run {
            library: self,
            id,
            options,
            progress,
            cancel,
            report: &mut report,
            writer: None,
            pending: Vec::new(),
            bytes: 0,
        }
        .all(sorted)?;
        if !options.dry_run {
            if self.index_seq(id) != Some(self.store().state(id)?.unwrap_or_default().seq.0) {
                progress.indexing();
                self.catch_up(id)?;
            }
            self.store_mut().mark_synced(id, None)?;
        }
        Ok(report)
    }

    fn wait_for_sync(
        &self,
        id: &CollectionId,
        progress: &mut dyn Progress,
        cancel: &Cancel,
    ) -> Result<crate::atomic::FileLock> {
        let mut told = false;
        self.lock_sync(id, || {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if !told {
                progress.waiting();
                told = true;
            }
            Ok(())
        })
    }

    fn warn(&self, walked: &Walked, folder: &Path, glob: &str, report: &mut SyncReport) {
        for problem in &walked.receipt.problems {
            report.problems.push(Skipped { path: problem.path.clone(), reason: problem.message.clone() });
        }
        for exclusion in &walked.receipt.exclusions {
            report.skipped.push(skipped(exclusion));
        }
        if walked.candidates.is_empty() {
            report.warnings.push(format!("the glob `{glob}` matches no file in {}", folder.display()));
        }
    }
}

/// Looks for the files of a source.
pub(crate) fn walk_source(folder: &Path, glob: &str, options: &SyncOptions, cancel: &Cancel) -> Result<Walked> {
    let selection = Selection {
        root: folder.to_owned(),
        globs: Globs::new(&[glob])?,
        limits: options.limits,
        honour_ignore_files: true,
    };
    match walk(&selection, &|| cancel.is_cancelled(), &|_| {}) {
        Err(ai_assist_admit::AdmitError::Cancelled) => Err(Error::Cancelled),
        walked => Ok(walked?),
    }
}

pub(crate) fn skipped(exclusion: &ai_assist_admit::Exclusion) -> Skipped {
    let rule = if exclusion.rule.is_empty() { String::new() } else { format!(" ({})", exclusion.rule) };
    Skipped { path: exclusion.path.as_str().to_owned(), reason: format!("{}{rule}", exclusion.reason.describe()) }
}

/// What the walk and the store say when laid side by side.
pub(crate) struct Sorted<'w> {
    pub(crate) tasks: Vec<Task<'w>>,
    pub(crate) removed: Vec<DocPath>,
    /// Documents whose stamp says that they are as they were, or that must be kept for want of a look at them.
    pub(crate) unchanged: usize,
}

pub(crate) fn sort_out<'w>(walked: &'w Walked, heads: &[DocumentHead], force: bool) -> Sorted<'w> {
    let mut sorted = Sorted { tasks: Vec::new(), removed: Vec::new(), unchanged: 0 };
    let mut heads = heads.iter().peekable();
    let gone = |head: &DocumentHead, sorted: &mut Sorted<'w>| {
        if is_out_of_sight(head.path.as_str(), walked) {
            sorted.unchanged += 1;
        } else {
            sorted.removed.push(head.path.clone());
        }
    };
    for candidate in &walked.candidates {
        while let Some(head) = heads.next_if(|head| head.path < *candidate.path()) {
            gone(head, &mut sorted);
        }
        match heads.next_if(|head| head.path == *candidate.path()) {
            None => sorted.tasks.push(Task { candidate, known: None, exists: false }),
            Some(head) if !force && head.stamp == Some(stored(candidate.stamp())) => sorted.unchanged += 1,
            Some(head) => sorted.tasks.push(Task { candidate, known: (!force).then_some(head.hash), exists: true }),
        }
    }
    heads.for_each(|head| gone(head, &mut sorted));
    sorted
}

/// Whether a document lies where the walk could not look. That it was not seen says nothing then.
fn is_out_of_sight(path: &str, walked: &Walked) -> bool {
    walked.receipt.problems.iter().any(|problem| {
        let folder = problem.path.as_str();
        folder.is_empty()
            || folder == "."
            || path == folder
            || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// One sync at work.
struct Run<'r> {
    library: &'r mut Library,
    id: &'r CollectionId,
    options: &'r SyncOptions,
    progress: &'r mut dyn Progress,
    cancel: &'r Cancel,
    report: &'r mut SyncReport,
    /// Opened when the first change is due, because opening it costs more than a sync without changes.
    writer: Option<Writer>,
    pending: Vec<(Change, Option<ai_assist_index::IndexDocument>)>,
    bytes: usize,
}

impl Run<'_> {
    fn all(mut self, sorted: Sorted<'_>) -> Result<()> {
        let cache =
            if sorted.tasks.is_empty() || self.options.dry_run { None } else { Some(self.library.vector_cache()?) };
        let many = sorted.tasks.len() + sorted.removed.len();
        for path in sorted.removed {
            self.remove(path, many, cache.as_ref())?;
        }
        let examined = self.examine(&sorted.tasks, many, cache.as_ref());
        // What was read before an interrupt is written and indexed, so that the next sync need not do it again.
        if matches!(examined, Ok(()) | Err(Error::Cancelled)) {
            self.flush(many, cache.as_ref())?;
            if let Some(writer) = self.writer.take() {
                self.progress.indexing();
                self.library.commit(self.id, writer)?;
            }
        }
        if let Some(Err(error)) = cache.map(VectorCache::save) {
            self.report.warnings.push(format!("the cache of vectors was not saved: {error}"));
        }
        self.report.changes.sort_by(|a, b| a.1.cmp(&b.1));
        examined
    }

    fn examine(&mut self, tasks: &[Task<'_>], many: usize, cache: Option<&VectorCache>) -> Result<()> {
        if tasks.is_empty() {
            return Ok(());
        }
        self.progress.reading(tasks.len());
        let next = AtomicUsize::new(0);
        let examiner = Examiner {
            limits: &self.options.limits,
            embedder: self.library.embedder(),
            cache,
            prepare: !self.options.dry_run,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cancel = self.cancel;
        std::thread::scope(|scope| {
            let (sender, receiver) = crossbeam_channel::bounded(QUEUE);
            for _ in 0..cores.min(tasks.len()) {
                let (examiner, next, sender) = (&examiner, &next, sender.clone());
                scope.spawn(move || examiner.run(tasks, next, cancel, &sender));
            }
            drop(sender);
            for (number, examined) in receiver {
                self.take(&tasks[number], examined?, many, cache)?;
                self.progress.file_done();
            }
            Ok::<(), Error>(())
        })?;
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn take(&mut self, task: &Task<'_>, examined: Examined, many: usize, cache: Option<&VectorCache>) -> Result<()> {
        let path = task.candidate.path();
        match examined {
            Examined::Same { stamp } => {
                self.report.documents += 1;
                let untouched = self.options.dry_run || stamp.is_none();
                if !untouched {
                    self.push(Change::Touch { path: path.clone(), stamp }, None, 0, many, cache)?;
                }
            }
            Examined::Changed(ready) => {
                self.report.documents += 1;
                let step = if task.exists { Step::Update } else { Step::Add };
                self.report.step(step, path.as_str(), self.progress);
                if let Some(ready) = ready {
                    let Ready { prepared, indexed, redactions } = *ready;
                    self.report.redacted += redactions;
                    let bytes = prepared.document().text.len();
                    self.push(Change::Put(prepared), Some(indexed), bytes, many, cache)?;
                }
            }
            Examined::Excluded(exclusion) => {
                let unread = matches!(exclusion.reason, Reason::Unreadable | Reason::Unstable);
                let entry = skipped(&exclusion);
                if unread {
                    self.report.documents += usize::from(task.exists);
                    self.report.problems.push(entry);
                } else {
                    self.report.skipped.push(entry);
                    if task.exists {
                        self.remove(path.clone(), many, cache)?;
                    }
                }
            }
            Examined::Vanished => {
                if task.exists {
                    self.remove(path.clone(), many, cache)?;
                }
            }
        }
        Ok(())
    }

    fn remove(&mut self, path: DocPath, many: usize, cache: Option<&VectorCache>) -> Result<()> {
        self.report.step(Step::Remove, path.as_str(), self.progress);
        if self.options.dry_run { Ok(()) } else { self.push(Change::Remove(path), None, 0, many, cache) }
    }

    fn push(
        &mut self,
        change: Change,
        indexed: Option<ai_assist_index::IndexDocument>,
        bytes: usize,
        many: usize,
        cache: Option<&VectorCache>,
    ) -> Result<()> {
        self.pending.push((change, indexed));
        self.bytes += bytes;
        if self.pending.len() >= BATCH_DOCUMENTS || self.bytes >= BATCH_BYTES {
            self.flush(many, cache)
        } else {
            Ok(())
        }
    }

    /// Writes what is pending: to the store in one transaction, then to the index, which is committed at the end.
    fn flush(&mut self, many: usize, cache: Option<&VectorCache>) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let (changes, indexed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().unzip();
        self.bytes = 0;
        let only_touches = changes.iter().all(|change| matches!(change, Change::Touch { .. }));
        if self.writer.is_none() && !only_touches {
            // Before the store moves on, so that catching up does not meet the documents at hand.
            self.writer = Some(self.library.writer(self.id, writer_options(many), cache)?);
        }
        let applied = self.library.store_mut().apply(self.id, changes)?;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        for (applied, indexed) in applied.into_iter().zip(indexed) {
            match (applied, indexed) {
                (Applied::Put { id, .. }, Some(mut document)) => {
                    document.key = id.0.cast_unsigned();
                    writer.put(document)?;
                }
                (Applied::Removed { id, .. }, _) => writer.remove(id.0.cast_unsigned()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a candidate's text differs from what a head remembers, read if its stamp does not settle it.
pub(crate) fn differs(candidate: &Candidate, head: &DocumentHead, limits: &Limits) -> bool {
    if head.stamp == Some(stored(candidate.stamp())) {
        return false;
    }
    match candidate.read(limits) {
        ai_assist_admit::Outcome::Admitted(admitted) => admitted.hash() != head.hash,
        _ => true,
    }
}
