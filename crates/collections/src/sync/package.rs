//! Syncing a package.

use std::collections::HashSet;
use std::path::Path;

use ai_assist_fetch::{Answer, DeclaredVectors, Location, Request};
use ai_assist_identity::{CollectionId, PackageUrl, Sha256};
use ai_assist_store::{FileValidators, PackageRecord, Validators};

use super::plan::{Input, Sorted, Task, sort_out};
use super::run::{Job, Run};
use super::{PackageInfo, Pin, SyncOptions, SyncReport};
use crate::package::{Ask, Looked, Package, PackageVectors, Place, read_capped};
use crate::{Drift, Error, Library, LockedCollection, Member, Result, Step, SyncEvent, Vendor, silent};
use ai_assist_base::{Cancel, RealPath};

/// A file of vectors larger than this is not read.
const MAX_VECTOR_BYTES: u64 = 256 << 20;

impl Library {
    pub(super) fn sync_package(
        &mut self,
        member: &Member,
        url: &PackageUrl,
        options: &SyncOptions,
        progress: &mut dyn FnMut(SyncEvent<'_>),
        cancel: &Cancel,
    ) -> Result<SyncReport> {
        let mut id = member.resolved.id();
        let mut report = SyncReport::new(member, options.dry_run);
        let pinned_hash = member.spec.hash()?;
        let stored = self.store().package(id)?;
        // What is known is of no use if the configuration asks for something else.
        let known = stored.clone().filter(|known| pinned_hash.is_none() || known.hash == pinned_hash);
        let pin = options.pin.as_ref();
        if let Some(pin) = pin {
            pin.locked.check_source(member)?;
            if pin.frozen && known.is_some() && self.drift(id, &pin.locked)?.is_none() {
                return self.nothing_to_do(id, known.as_ref(), report);
            }
        }
        let temporary = self.roots().cache.join("tmp");
        let ask = Ask {
            url,
            client: &options.client,
            known: known.as_ref().filter(|_| !options.force),
            revision: pin.filter(|pin| pin.frozen).and_then(|pin| pin.locked.commit.as_deref()),
            hash: pinned_hash,
            temporary: &temporary,
            cancel,
        };
        check_pin(options, pinned_hash)?;
        let vendored = vendored(options, &temporary, &mut report)?;
        let package = match vendored.map_or_else(|| ask.look(progress), |package| Ok(Looked::Found(package))) {
            Ok(Looked::Found(package)) => package,
            Ok(Looked::Unchanged(validators)) => {
                if !options.dry_run {
                    self.retag(id, known.as_ref(), validators)?;
                    let hash = self.store().collection(id)?.and_then(|record| record.manifest_hash);
                    self.store_mut().mark_synced(id, hash)?;
                }
                self.hold(member, pin, &report)?;
                return self.nothing_to_do(id, known.as_ref(), report);
            }
            Err(_) if cancel.is_cancelled() => return Err(Error::Cancelled),
            Err(error) => return Err(error),
        };
        report.package = Some(PackageInfo::from(&package.record));
        report.warnings.extend(package.declared.warnings.iter().map(ToString::to_string));
        if let Some(pin) = pin {
            pin.locked.check_package(&member.name, &package.record)?;
        }
        progress(SyncEvent::Walking);
        let gathered = package.gather(&options.limits, ask.known, cancel)?;
        let mut wanted = gathered.wanted(&package, pin);
        if let Some(pin) = pin {
            if package.cannot_change() {
                // What the lock does not have was there when it was written, and was no document to whoever wrote it.
                wanted.retain(|file| pin.locked.files.contains_key(file.path));
            }
            pin.locked.check_files(&member.name, &wanted)?;
        }
        if wanted.is_empty() {
            report.warnings.push("the package has no files".to_owned());
        }
        gathered.account(&mut report.skipped, &mut report.problems);
        let too_large = format!("is larger than the limit of {} bytes", options.client.limits().max_file_bytes);
        let large =
            package.too_large.iter().map(|path| super::Skipped { path: path.clone(), reason: too_large.clone() });
        report.skipped.extend(large);
        let heads = self.store().heads(id)?;
        let mut sorted = sort_out(wanted.into_iter(), &heads, options.force, &|path| gathered.hides(path));
        report.documents = sorted.unchanged;
        let mut member = member.clone();
        if !options.dry_run && sorted.changes_something() && self.is_read_by_others(&member)? {
            let dry = SyncOptions { dry_run: true, ..options.clone() };
            let probe = Job {
                id,
                options: &dry,
                cancel,
                requests: &gathered.requests,
                keep_stamps: false,
                vectors: None,
                unsettled: None,
            };
            if !self.foreseen(&member, &sorted.tasks, probe)?.is_empty() || !sorted.removed.is_empty() {
                // What they read stays as it is.
                member = self.copied(&member)?;
                report.id.clone_from(member.resolved.id());
            }
        }
        let member = &member;
        id = member.resolved.id();
        let job = || Job {
            id,
            options,
            cancel,
            requests: &gathered.requests,
            keep_stamps: package.keeps_stamps(),
            vectors: None,
            // Between two states, nothing that a server calls the old one may stand in for looking.
            unsettled: stored.clone().map(|known| PackageRecord { complete: false, files: Vec::new(), ..known }),
        };
        if options.dry_run {
            foresee(&mut sorted, &mut report, progress);
        }
        if let Some(pin) = pin {
            self.nothing_new(member, pin, &sorted, job())?;
        }
        if !options.dry_run {
            self.store_mut().ensure_collection(&member.resolved.record())?;
        }
        let vectors = self.package_vectors(&package, options, cancel, &mut report);
        let job = Job { vectors, ..job() };
        let validators = Run::new(self, job, &mut report, progress).all(sorted)?;
        if pin.is_some()
            && let Some(path) = report.mismatched.first()
        {
            return Err(Error::LockChanged { name: member.name.clone(), what: format!("`{path}` has changed") });
        }
        if !options.dry_run {
            drop(gathered);
            self.remember(id, package, validators, known.as_ref().filter(|_| !options.force), &report)?;
        }
        self.hold(member, pin, &report)?;
        Ok(report)
    }

    pub(super) fn nothing_to_do(
        &self,
        id: &CollectionId,
        known: Option<&PackageRecord>,
        mut report: SyncReport,
    ) -> Result<SyncReport> {
        report.documents = usize::try_from(self.store().state(id)?.unwrap_or_default().documents).unwrap_or(usize::MAX);
        report.package = known.map(PackageInfo::from);
        report.up_to_date = true;
        Ok(report)
    }

    /// Notes what a server calls now what is known already.
    fn retag(&mut self, id: &CollectionId, known: Option<&PackageRecord>, now: Option<Validators>) -> Result<()> {
        match (known, now) {
            (Some(known), Some(validators)) if known.validators != validators => {
                self.store_mut().set_package(id, &PackageRecord { validators, ..known.clone() })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes what was fetched. Only what is whole may stand in for looking at it again.
    fn remember(
        &mut self,
        id: &CollectionId,
        package: Package,
        fresh: Vec<FileValidators>,
        known: Option<&PackageRecord>,
        report: &SyncReport,
    ) -> Result<()> {
        let sealed = package.declared.is_sealed() || matches!(package.place, Place::Temporary(..) | Place::Staging(_));
        let mut record = package.record;
        record.complete = report.problems.is_empty();
        record.files = fresh;
        // What was answered with `not modified` keeps its validators; what could not be had may have moved.
        let heads = self.store().heads(id)?;
        let failed: HashSet<&str> = report.problems.iter().map(|problem| problem.path.as_str()).collect();
        for file in known.map(|known| known.files.as_slice()).unwrap_or_default() {
            let is_new = record.files.binary_search_by(|found| found.path.cmp(&file.path)).is_err();
            let is_kept = is_new && !failed.contains(file.path.as_str());
            if is_kept && heads.binary_search_by(|head| head.path.cmp(&file.path)).is_ok() {
                record.files.push(file.clone());
            }
        }
        record.files.sort_by(|a, b| a.path.cmp(&b.path));
        record.files.dedup_by(|a, b| a.path == b.path);
        self.store_mut().set_package(id, &record)?;
        self.store_mut().mark_synced(id, record.hash.filter(|_| record.complete && sealed))?;
        Ok(())
    }

    /// Looks, before anything is written, whether a file that the lock does not have would become a document.
    fn nothing_new(&mut self, member: &Member, pin: &Pin, sorted: &Sorted<'_>, job: Job<'_>) -> Result<()> {
        let is_new = |task: &&Task<'_>| !pin.locked.files.contains_key(task.wanted.path);
        let tasks: Vec<Task<'_>> = sorted.tasks.iter().filter(is_new).copied().collect();
        if tasks.is_empty() {
            return Ok(());
        }
        let dry = SyncOptions { dry_run: true, ..job.options.clone() };
        match self.foreseen(member, &tasks, Job { options: &dry, ..job })?.first() {
            Some((_, path)) => {
                Err(Error::LockChanged { name: member.name.clone(), what: format!("`{path}` is not in the lock") })
            }
            None => Ok(()),
        }
    }

    /// What some tasks would change, found out by a dry run.
    fn foreseen(&mut self, member: &Member, tasks: &[Task<'_>], job: Job<'_>) -> Result<super::Plan> {
        let mut scratch = SyncReport::new(member, true);
        let sorted = Sorted { tasks: tasks.to_vec(), removed: Vec::new(), unchanged: 0 };
        Run::new(self, job, &mut scratch, &mut silent).all(sorted)?;
        Ok(scratch.changes)
    }

    /// Whether what is indexed is what a lock says, after a sync that was held to it.
    fn hold(&self, member: &Member, pin: Option<&Pin>, report: &SyncReport) -> Result<()> {
        let Some(pin) = pin.filter(|_| !report.dry_run) else { return Ok(()) };
        let Some(drift) = self.drift(member.resolved.id(), &pin.locked)? else { return Ok(()) };
        // What could not be had is the likely reason.
        let why = report.problems.first().map(|problem| format!(" ({}: {})", problem.path, problem.reason));
        let what = format!("{drift}{}", why.unwrap_or_default());
        Err(Error::LockChanged { name: member.name.clone(), what })
    }

    /// How what is indexed differs from what a lock says.
    pub(crate) fn drift(&self, id: &CollectionId, locked: &LockedCollection) -> Result<Option<Drift>> {
        Ok(Drift::between(locked, &self.store().heads(id)?))
    }

    /// The vectors that come with a package, if they can be used here.
    fn package_vectors(
        &self,
        package: &Package,
        options: &SyncOptions,
        cancel: &Cancel,
        report: &mut SyncReport,
    ) -> Option<PackageVectors> {
        let declared = package.declared.vectors.as_ref().filter(|_| !options.dry_run)?;
        if declared.model != self.embedder().model().as_str() {
            return None;
        }
        let read = vector_bytes(package, declared, options, cancel)
            .and_then(|bytes| PackageVectors::read(&bytes, self.embedder()));
        match read {
            Ok(vectors) => Some(vectors),
            Err(reason) => {
                report.warnings.push(format!("the vectors that come with the package are not used: {reason}"));
                None
            }
        }
    }
}

/// Whether a lock is of what the configuration wants, where nobody else is asked.
fn check_pin(options: &SyncOptions, pinned_hash: Option<Sha256>) -> Result<()> {
    let locked = options.pin.as_ref().filter(|pin| pin.frozen).map(|pin| &pin.locked);
    match locked.and_then(|locked| Some((locked, pinned_hash?, locked.manifest_hash?))) {
        Some((locked, expected, found)) if expected != found => {
            Err(Error::PackageHash { url: locked.url.clone(), expected, found })
        }
        _ => Ok(()),
    }
}

/// A package out of the vendor folder, if a sync is held to its lock and all of it is there. What is there and is not as locked is an
/// error, because somebody has changed it.
pub(super) fn vendored(options: &SyncOptions, temporary: &Path, report: &mut SyncReport) -> Result<Option<Package>> {
    let (Some(folder), Some(pin)) = (&options.vendor, options.pin.as_ref().filter(|pin| pin.frozen)) else {
        return Ok(None);
    };
    let Some(vendor) = Vendor::open(folder)? else { return Ok(None) };
    let locked = &pin.locked;
    match vendor.package(locked, options.client.limits(), temporary)? {
        Ok(package) => Ok(Some(package)),
        Err(missing) => {
            let of = locked.files.len();
            report.warnings.push(format!("{} lacks {missing} of {of} files, so it is not used", folder.display()));
            Ok(None)
        }
    }
}

fn vector_bytes(
    package: &Package,
    declared: &DeclaredVectors,
    options: &SyncOptions,
    cancel: &Cancel,
) -> std::result::Result<Vec<u8>, String> {
    let bytes = match (&declared.entry.location, &package.place) {
        (Location::Url(url), _) => {
            let request = Request::by_package(url.clone(), package.record.private);
            match options.client.get(&request, MAX_VECTOR_BYTES, cancel) {
                Ok(Answer::Body(body)) => body.bytes,
                Ok(Answer::NotModified { .. }) => return Err("the server sent none".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
        }
        (Location::Beside, Place::Folder(root, _) | Place::Temporary(_, root, _)) => {
            let file = root.join(declared.entry.path.to_path_buf());
            let (file, root) = (file.real_path(), root.real_path());
            let file = match (file, root) {
                (Ok(file), Ok(root)) if file.starts_with(&root) => file,
                _ => return Err("they are not where the manifest says".to_owned()),
            };
            read_capped(&file, MAX_VECTOR_BYTES).map_err(|error| error.to_string())?
        }
        (Location::Beside, Place::Staging(staging)) => match staging.read(&declared.entry.path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err("they are not in the bundle".to_owned()),
            Err(error) => return Err(error.to_string()),
        },
        _ => return Err("they are not where the manifest says".to_owned()),
    };
    match declared.entry.hash {
        Some(expected) if expected != Sha256::of(&bytes) => Err("their hash is not the one in the manifest".to_owned()),
        _ => Ok(bytes),
    }
}

/// Takes out of a plan what the hashes in the manifest say already, so that a plan fetches no file whose hash is known.
fn foresee(sorted: &mut Sorted<'_>, report: &mut SyncReport, progress: &mut dyn FnMut(SyncEvent<'_>)) {
    sorted.tasks.retain(|task| {
        let (Input::Fetch(_), Some(expected)) =
            (task.wanted.input, task.wanted.expected.filter(|_| task.wanted.settled))
        else {
            return true;
        };
        report.documents += 1;
        report.hashes.insert(task.wanted.path.clone(), expected);
        let step = if task.exists { Step::Update } else { Step::Add };
        report.step(step, task.wanted.path.as_str(), progress);
        false
    });
}
