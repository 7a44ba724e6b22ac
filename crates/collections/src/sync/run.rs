//! One sync at work: files read and fetched, documents written, the index fed.

use std::ops::ControlFlow;

use ai_assist_admit::RedactedAt;
use ai_assist_fetch::site::NewPage;
use ai_assist_fetch::{Request, TransportError};
use ai_assist_identity::{CollectionId, DocPath, Sha256};
use ai_assist_index::{IndexChunk, IndexDocument, VectorCache, Writer};
use ai_assist_ingest::{Vectors, each};
use ai_assist_store::{Applied, Change, DocumentHead, FileValidators, PackageRecord, Validators};

use super::plan::{Input, Sorted, Task, Wanted};
use super::{Skipped, SyncOptions, SyncReport, skipped};
use crate::catch_up::writer_options;
use crate::examine::{Arrival, Delivery, Examined, Examiner, Ready};
use crate::package::PackageVectors;
use crate::{Error, Library, Result, Step, SyncEvent};
use ai_assist_base::Cancel;

/// A transaction is closed at this many documents, or at this much text.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: usize = 8 << 20;

/// Fetched files that may wait for a worker. Each may be as large as the limit, so there are few.
const FETCHED: usize = 8;

pub(super) struct Job<'r> {
    pub(super) id: &'r CollectionId,
    pub(super) options: &'r SyncOptions,
    pub(super) cancel: &'r Cancel,
    /// What to fetch, by the numbers in the tasks.
    pub(super) requests: &'r [Request],
    /// Whether the stamps of files may be kept: not of those that are unpacked for this sync only.
    pub(super) keep_stamps: bool,
    pub(super) vectors: Option<PackageVectors>,
    /// What is noted of a package before its first document changes, for the case that the last one never does.
    pub(super) unsettled: Option<PackageRecord>,
}

pub(super) struct Run<'r> {
    library: &'r mut Library,
    job: Job<'r>,
    progress: &'r mut dyn FnMut(SyncEvent<'_>),
    report: &'r mut SyncReport,
    /// Opened when the first change is due, because opening it costs more than a sync without changes.
    writer: Option<Writer>,
    pending: Vec<(Change, Option<IndexDocument>)>,
    bytes: usize,
    /// How many changes there may be in all.
    many: usize,
    validators: Vec<FileValidators>,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        library: &'r mut Library,
        job: Job<'r>,
        report: &'r mut SyncReport,
        progress: &'r mut dyn FnMut(SyncEvent<'_>),
    ) -> Self {
        Run {
            library,
            job,
            progress,
            report,
            writer: None,
            pending: Vec::new(),
            bytes: 0,
            many: 0,
            validators: Vec::new(),
        }
    }

    /// Does all the work, and answers with the validators of what was fetched.
    pub(super) fn all(mut self, sorted: Sorted<'_>) -> Result<Vec<FileValidators>> {
        let cache = if sorted.tasks.is_empty() { None } else { self.cache()? };
        self.many = sorted.tasks.len() + sorted.removed.len();
        for path in sorted.removed {
            self.remove(path, cache.as_ref())?;
        }
        let examined = self.examine(&sorted.tasks, cache.as_ref());
        self.finish(examined, cache.as_ref())
    }

    /// What embedding is looked up in, unless nothing is embedded.
    pub(super) fn cache(&self) -> Result<Option<VectorCache>> {
        if self.job.options.dry_run { Ok(None) } else { self.library.vector_cache().map(Some) }
    }

    /// Writes and indexes what came of the work, and answers with the validators of what was fetched.
    pub(super) fn finish(mut self, examined: Result<()>, cache: Option<&VectorCache>) -> Result<Vec<FileValidators>> {
        // What was read before an interrupt is written and indexed, so that the next sync need not do it again.
        if matches!(examined, Ok(()) | Err(Error::Cancelled | Error::Fetch(_))) {
            self.flush(cache)?;
            if let Some(writer) = self.writer.take() {
                (self.progress)(SyncEvent::Indexing);
                self.library.commit(self.job.id, writer)?;
            }
        }
        if let Some(Err(error)) = cache.map(VectorCache::save) {
            self.report.warnings.push(format!("the cache of vectors was not saved: {error}"));
        }
        self.report.changes.sort_by(|a, b| a.1.cmp(&b.1));
        examined?;
        self.validators.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.validators)
    }

    fn examine(&mut self, tasks: &[Task<'_>], cache: Option<&VectorCache>) -> Result<()> {
        if tasks.is_empty() {
            return Ok(());
        }
        (self.progress)(SyncEvent::Reading(tasks.len()));
        let vectors = self.job.vectors.take();
        let options = self.job.options;
        let remote = tasks.iter().enumerate().filter_map(|(number, task)| {
            let Input::Fetch(at) = task.wanted.input else { return None };
            let mut request = self.job.requests.get(at)?.clone();
            if task.known.is_none() {
                // An answer that it has not changed would say nothing, for there is nothing it could be the same as.
                request.validators = Validators::default();
            }
            Some((number, request))
        });
        let (remote, requests): (Vec<usize>, Vec<Request>) = remote.unzip();
        let is_local = |&number: &usize| !matches!(tasks[number].wanted.input, Input::Fetch(_));
        let local = (0..tasks.len()).filter(is_local).map(|task| Delivery { task, answer: None });
        let given = |title: Option<&str>, chunks: &[IndexChunk]| vectors.as_ref().and_then(|it| it.of(title, chunks));
        let examiner = Examiner {
            limits: &options.limits,
            vectors: Vectors { embedder: self.library.embedder(), cache, given: Some(&given) },
            prepare: !options.dry_run,
            keep_stamps: self.job.keep_stamps,
            kind: self.job.id.kind(),
        };
        let (cancel, client) = (self.job.cancel, &options.client);
        let fetched: Result<std::result::Result<(), TransportError>> = std::thread::scope(|scope| {
            let (deliver, deliveries) = crossbeam_channel::bounded::<Delivery>(FETCHED);
            let fetching = scope.spawn(move || {
                if requests.is_empty() {
                    return Ok(());
                }
                client.get_all(&requests, cancel, &mut |number, answer| {
                    // Nobody takes it: the writer has failed and says so itself.
                    match deliver.send(Delivery { task: remote[number], answer: Some(answer) }) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                })
            });
            let work = || |delivery| examiner.work(tasks, delivery);
            each(local.chain(deliveries), cancel, work, |Arrival { task, fetched, examined }| {
                if let Some(fetched) = &fetched {
                    (self.progress)(SyncEvent::Fetched(fetched.bytes));
                }
                self.take(&tasks[task], examined?, fetched.map(|fetched| fetched.validators), cache)?;
                (self.progress)(SyncEvent::FileDone);
                Ok::<(), Error>(())
            })?;
            Ok(fetching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        if vectors.as_ref().is_some_and(PackageVectors::is_distrusted) {
            let message = "the vectors that came with the package are not those of the model, and were not used";
            self.report.warnings.push(message.to_owned());
        }
        let fetched = fetched?;
        if self.job.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(fetched?)
    }

    /// Takes in some pages of a website, all of them, so that what was fetched is not fetched again.
    pub(super) fn pages(
        &mut self,
        pages: Vec<NewPage>,
        heads: &[DocumentHead],
        cache: Option<&VectorCache>,
    ) -> Result<()> {
        let options = self.job.options;
        let examiner = Examiner {
            limits: &options.limits,
            vectors: Vectors { embedder: self.library.embedder(), cache, given: None },
            prepare: !options.dry_run,
            keep_stamps: false,
            kind: self.job.id.kind(),
        };
        self.many += pages.len();
        let head = |path: &DocPath| heads.binary_search_by(|head| head.path.cmp(path)).ok().map(|at| &heads[at]);
        let known = |path: &DocPath| head(path).map(|head| head.hash).filter(|_| !options.force);
        let work = || {
            |page: NewPage| {
                let examined = examiner.page(&page_task(&page.path, known(&page.path), false), page.bytes, page.hash);
                (page.path, examined)
            }
        };
        each(pages.into_iter(), &Cancel::default(), work, |(path, examined)| {
            self.take(&page_task(&path, None, head(&path).is_some()), examined?, None, cache)
        })
    }

    /// Writes what is pending and notes what is known of the collection now.
    pub(super) fn note_record(&mut self, record: &PackageRecord, cache: Option<&VectorCache>) -> Result<()> {
        if self.job.options.dry_run {
            return Ok(());
        }
        self.flush(cache)?;
        Ok(self.library.store_mut().set_package(self.job.id, record)?)
    }

    pub(super) fn tell(&mut self, event: SyncEvent<'_>) {
        (self.progress)(event);
    }

    fn take(
        &mut self,
        task: &Task<'_>,
        examined: Examined,
        validators: Option<Validators>,
        cache: Option<&VectorCache>,
    ) -> Result<()> {
        let path = task.wanted.path;
        match examined {
            Examined::Same { stamp } => {
                self.report.documents += 1;
                self.note(path, validators);
                let untouched = self.job.options.dry_run || stamp.is_none();
                if !untouched {
                    self.push(Change::Touch { path: path.clone(), stamp }, None, 0, cache)?;
                }
            }
            Examined::Changed { hash, ready } => {
                self.report.documents += 1;
                self.report.hashes.insert(path.clone(), hash);
                self.note(path, validators);
                let step = if task.exists { Step::Update } else { Step::Add };
                self.report.step(step, path.as_str(), self.progress);
                if let Some(ready) = ready {
                    let Ready { prepared, indexed, redactions } = *ready;
                    self.report.redacted += redactions.iter().map(|it| it.count).sum::<usize>();
                    self.report.redactions.extend(RedactedAt::of(path.as_str(), &redactions));
                    let bytes = prepared.document().text.len();
                    self.push(Change::Put(prepared), Some(indexed), bytes, cache)?;
                }
            }
            Examined::Excluded(exclusion) => {
                let entry = Skipped { path: path.as_str().to_owned(), ..skipped(&exclusion) };
                if exclusion.reason.is_failure() {
                    self.keep(task, entry.reason);
                } else {
                    self.report.skipped.push(entry);
                    if task.exists {
                        self.remove(path.clone(), cache)?;
                    }
                }
            }
            Examined::Failed(reason) => self.keep(task, reason),
            Examined::Mismatch(reason) => {
                self.report.mismatched.push(path.clone());
                self.keep(task, reason);
            }
            Examined::Vanished => {
                if task.exists {
                    self.remove(path.clone(), cache)?;
                }
            }
        }
        Ok(())
    }

    /// A file that could not be had: what was indexed of it stays.
    fn keep(&mut self, task: &Task<'_>, reason: String) {
        self.report.documents += usize::from(task.exists);
        self.report.problems.push(Skipped { path: task.wanted.path.as_str().to_owned(), reason });
    }

    fn note(&mut self, path: &DocPath, validators: Option<Validators>) {
        if let Some(validators) = validators.filter(|validators| *validators != Validators::default()) {
            self.validators.push(FileValidators { path: path.clone(), validators });
        }
    }

    pub(super) fn remove(&mut self, path: DocPath, cache: Option<&VectorCache>) -> Result<()> {
        self.report.step(Step::Remove, path.as_str(), self.progress);
        if self.job.options.dry_run { Ok(()) } else { self.push(Change::Remove(path), None, 0, cache) }
    }

    fn push(
        &mut self,
        change: Change,
        indexed: Option<IndexDocument>,
        bytes: usize,
        cache: Option<&VectorCache>,
    ) -> Result<()> {
        self.pending.push((change, indexed));
        self.bytes += bytes;
        if self.pending.len() >= BATCH_DOCUMENTS || self.bytes >= BATCH_BYTES { self.flush(cache) } else { Ok(()) }
    }

    /// Writes what is pending: to the store in one transaction, then to the index, which is committed at the end.
    fn flush(&mut self, cache: Option<&VectorCache>) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let (changes, indexed): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().unzip();
        self.bytes = 0;
        let only_touches = changes.iter().all(|change| matches!(change, Change::Touch { .. }));
        if self.writer.is_none() && !only_touches {
            if let Some(record) = self.job.unsettled.take() {
                self.library.store_mut().set_package(self.job.id, &record)?;
            }
            // Before the store moves on, so that catching up does not meet the documents at hand.
            self.writer = Some(self.library.writer(self.job.id, writer_options(self.many), cache)?);
        }
        let applied = self.library.store_mut().apply(self.job.id, changes)?;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        for (applied, indexed) in applied.into_iter().zip(indexed) {
            match (applied, indexed) {
                (Applied::Put { id, seq }, Some(mut document)) => {
                    document.key = id.0.cast_unsigned();
                    document.kept.iter_mut().for_each(|kept| kept.put = seq.0);
                    writer.put(document)?;
                }
                (Applied::Removed { id, .. }, _) => writer.remove(id.0.cast_unsigned()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A page as something to be examined.
fn page_task(path: &DocPath, known: Option<Sha256>, exists: bool) -> Task<'_> {
    Task { wanted: Wanted { path, input: Input::Fetch(0), expected: None, settled: false }, known, exists }
}
