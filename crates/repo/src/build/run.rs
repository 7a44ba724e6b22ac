//! One build from beginning to end.

use std::collections::HashSet;
use std::path::Path;

use ai_assist_admit::{Problem, RedactedAt};
use ai_assist_base::Cancel;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_index::{VectorCache, Versions};
use ai_assist_ingest::{Stamps, Vectors, Verdict, each};
use ai_assist_syntax::SyntaxCache;
use ai_assist_trigram::Extractor;

use super::base::{Base, RepoFile};
use super::examine::{Examined, Examiner, Task};
use super::mode_build::{Making, ModeBuild};
use super::survey::{checked_out_at, plan, survey, work_tree};
use super::{BuildError, BuildEvent, BuildReport, BuildRequest, Origin, Result};
use crate::layout::{HOLD_FILE, Mode, PointerFile, SCHEMA_VERSION, STATE_FILE, StateFile};
use crate::modes::modes_of;
use crate::pointer::read_pointer;
use crate::promote::{self, FILE_MODE, builder_lock};
use crate::state::CheckedOutAt;
use crate::sums::Sums;
use ai_assist_base::{replace_file, resolve, sync_folder};

/// Fewer files than this are embedded sooner than the cache of vectors is opened.
const WORTH_A_CACHE: usize = 64;

/// Builds the indexes of a repository and makes them the current ones.
///
/// `cancel` is asked on any thread. `progress` is told on the calling thread. Whatever stops a build, the one that was
/// current before stays so.
pub fn build_repo(
    request: &BuildRequest,
    cancel: &Cancel,
    progress: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<BuildReport> {
    let mut told = false;
    let _lock = builder_lock(&request.cache, || {
        if !std::mem::replace(&mut told, true) {
            progress(BuildEvent::Waiting);
        }
        !cancel.is_cancelled()
    })?;
    promote::remove_leftovers(&request.cache)?;
    let build_id = promote::new_build_id(request.repo_id.as_str());
    let folder = promote::unfinished(&request.cache, &build_id);
    let build = Build { request, cancel, progress, build_id: build_id.clone(), folder: &folder };
    // Nothing is promoted of a build that was stopped.
    let mut built = cancel.during(|| build.all());
    if let Err(BuildError::Damaged { .. }) = built {
        // The build before can't be gone on from after all.
        promote::remove_dir(&folder)?;
        let anew = BuildRequest { force: true, ..request.clone() };
        built = cancel.during(|| Build { request: &anew, cancel, progress, build_id, folder: &folder }.all());
    }
    if built.is_err() {
        // What stopped the build says more than what stops its removal, and the next builder removes it in any case.
        let _ = promote::remove_dir(&folder);
    }
    built
}

/// The modes of a request, each once and in order.
pub(super) fn modes_of_request(request: &BuildRequest) -> Vec<Mode> {
    Mode::ALL.into_iter().filter(|mode| request.modes.contains(mode)).collect()
}

fn bases(request: &BuildRequest, repo: &RepoFile, versions: &Versions, dim: usize) -> (Vec<ModeBuild>, Origin) {
    let mut siblings = None;
    let mut origin = Origin::Nothing;
    let mut modes = Vec::new();
    for mode in modes_of_request(request) {
        let mut base = None;
        if !request.force {
            base = Base::load(&request.cache, mode, versions, dim, true, request.quick);
            if base.is_some() {
                origin = Origin::Own;
            } else {
                let siblings = siblings.get_or_insert_with(|| repo.siblings(&request.cache));
                let found = siblings.iter().find_map(|(id, cache)| {
                    Base::load(cache, mode, versions, dim, false, false).map(|base| (id, base))
                });
                base = found.map(|(id, found)| {
                    if origin == Origin::Nothing {
                        origin = Origin::Sibling(id.clone());
                    }
                    found
                });
            }
        }
        modes.push(ModeBuild::new(mode, base));
    }
    (modes, origin)
}

struct Build<'b> {
    request: &'b BuildRequest,
    cancel: &'b Cancel,
    progress: &'b mut dyn FnMut(BuildEvent<'_>),
    build_id: String,
    folder: &'b Path,
}

impl Build<'_> {
    fn go_on(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(BuildError::Cancelled) } else { Ok(()) }
    }

    fn all(mut self) -> Result<BuildReport> {
        let request = self.request;
        let embedder: &dyn Embedder = StaticModel::bundled();
        let versions = Versions::current(embedder.model());
        let mut git = work_tree(&request.root, self.cancel);
        let repo = RepoFile::look(&request.cache, &request.repo_id, &request.root, git.repo.as_ref());
        repo.keep(&request.cache)?;
        (self.progress)(BuildEvent::Walking);
        let (walked, mut stamps) = survey(request, &git, self.cancel)?;
        self.go_on()?;
        let (mut modes, origin) = bases(request, &repo, &versions, embedder.dim());
        let tasks = plan(&walked, &stamps, &mut modes, request.force);
        let mut report = BuildReport {
            build_id: self.build_id.clone(),
            origin,
            files: walked.receipt.candidates,
            excluded: walked.receipt.excluded.clone(),
            problems: walked.receipt.problems.clone(),
            warnings: std::mem::take(&mut git.warnings),
            ..BuildReport::default()
        };
        report.problems.extend(walked.receipt.swallowed());
        let making = Making { folder: self.folder, versions: &versions, dim: embedder.dim(), many: tasks.len() };
        let checked_out = std::thread::scope(|scope| {
            let checked_out = scope.spawn(|| checked_out_at(&git));
            let read = self.read(&tasks, &mut modes, &making, &mut report, &mut stamps);
            let checked_out = checked_out.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            read.map(|()| checked_out)
        });
        let (checked_out, warning) = checked_out?;
        report.warnings.extend(warning);
        for mode in &mut modes {
            mode.remove_others(&|path| walked.receipt.hides(path), &making)?;
        }
        if let Some(current) = self.is_unchanged(&modes, &checked_out) {
            report.build_id = current;
            report.unchanged = true;
            for mode in &modes {
                let state = mode.base.as_ref().map(|base| &base.state);
                let (documents, chunks) = state.map_or((0, 0), |state| (state.documents, state.chunks));
                let counts = super::ModeReport { documents, chunks, shared: true, ..mode.report };
                report.modes.insert(mode.mode, counts);
            }
        } else {
            self.finish(&mut modes, &checked_out, &making, &mut report)?;
        }
        let paths: HashSet<&str> = walked.candidates.iter().map(|candidate| candidate.path().as_str()).collect();
        stamps.retain(|path| paths.contains(path));
        if let Err(error) = stamps.save(&request.cache.stamps_db()) {
            report.warnings.push(format!("the stamps of the files were not saved: {error}"));
        }
        report.redactions.sort();
        Ok(report)
    }

    /// Reads what has to be read and writes what is new.
    fn read(
        &mut self,
        tasks: &[Task<'_>],
        modes: &mut [ModeBuild],
        making: &Making<'_>,
        report: &mut BuildReport,
        stamps: &mut Stamps,
    ) -> Result<()> {
        if tasks.is_empty() {
            return self.go_on();
        }
        (self.progress)(BuildEvent::Reading(tasks.len()));
        let cache = self.vector_cache(tasks.len(), report);
        let syntax = self.request.shared_cache.as_deref().map(SyntaxCache::open).unwrap_or_default();
        let wanted: Vec<Mode> = modes.iter().map(|mode| mode.mode).collect();
        let examiner = Examiner {
            modes: &wanted,
            limits: &self.request.limits,
            vectors: Vectors::new(StaticModel::bundled(), cache.as_ref()),
            syntax: &syntax,
            prepare: true,
        };
        examine_each(&examiner, tasks, self.cancel, |task, examined| {
            let path = task.candidate.path().as_str();
            take(path, examined, modes, making, report, stamps)?;
            (self.progress)(BuildEvent::FileDone(path));
            Ok(())
        })?;
        if let Some(Err(error)) = cache.as_ref().map(VectorCache::save) {
            report.warnings.push(format!("the cache of vectors was not saved: {error}"));
        }
        if let Err(error) = syntax.save() {
            report.warnings.push(format!("the cache of what code says was not saved: {error}"));
        }
        self.go_on()
    }

    fn vector_cache(&self, files: usize, report: &mut BuildReport) -> Option<VectorCache> {
        let folder = self.request.shared_cache.as_ref().filter(|_| files >= WORTH_A_CACHE)?.join("vectors");
        let model = StaticModel::bundled();
        let opened = VectorCache::open(&folder, model.model(), model.dim(), VectorCache::DEFAULT_CAP);
        opened.map_err(|error| report.warnings.push(format!("the cache of vectors was not used: {error}"))).ok()
    }

    /// The current build, if a new one would say the same.
    fn is_unchanged(&self, modes: &[ModeBuild], checked_out: &CheckedOutAt) -> Option<String> {
        let same = |mode: &ModeBuild| {
            !mode.is_changed()
                && mode.base.as_ref().is_some_and(|base| base.own && base.state.checked_out_at() == *checked_out)
        };
        let pointer = read_pointer(&self.request.cache);
        pointer.build_id.filter(|_| pointer.problem.is_none() && modes.iter().all(same))
    }

    fn finish(
        &mut self,
        modes: &mut [ModeBuild],
        checked_out: &CheckedOutAt,
        making: &Making<'_>,
        report: &mut BuildReport,
    ) -> Result<()> {
        std::fs::create_dir_all(self.folder).map_err(BuildError::io("creating", self.folder))?;
        let built_at = jiff::Timestamp::now().to_string();
        for mode in modes.iter_mut() {
            self.go_on()?;
            (self.progress)(BuildEvent::Writing(mode.mode));
            let counts = mode.finish(making)?;
            let state = StateFile::new(mode.mode, &self.build_id, &built_at, making.versions, checked_out, counts);
            let path = self.folder.join(mode.mode.index_dir()).join(STATE_FILE);
            let json =
                serde_json::to_vec_pretty(&state).map_err(|error| BuildError::io("writing", &path)(error.into()))?;
            replace_file(&path, &json, FILE_MODE).map_err(BuildError::io("writing", &path))?;
            Sums::write(self.folder, mode.mode, mode.base.as_ref().map(|base| base.build.as_path()))?;
            report.modes.insert(mode.mode, mode.report);
        }
        // From nothing it takes long anyway; after a change of a few files it would take longer than the rest.
        if modes.iter().any(|mode| mode.mode == Mode::Code && mode.base.is_none()) {
            crate::map::prepare(self.folder)?;
        }
        let hold = self.folder.join(HOLD_FILE);
        std::fs::File::create(&hold).map_err(BuildError::io("creating", &hold))?;
        sync_folders(self.folder)?;
        self.go_on()?;
        (self.progress)(BuildEvent::Promoting);
        let pointer = self.pointer(modes, &built_at);
        promote::promote(&self.request.cache, self.folder, &pointer)
    }

    /// The modes that were not asked for stay where they are.
    fn pointer(&self, modes: &[ModeBuild], now: &str) -> PointerFile {
        let cache = &self.request.cache;
        let build_root = format!("builds/{}", self.build_id);
        let mut pointer = PointerFile {
            schema_version: SCHEMA_VERSION,
            build_id: self.build_id.clone(),
            build_root: build_root.clone(),
            build_roots: std::collections::BTreeMap::new(),
            modes: Vec::new(),
            promoted_at: now.to_owned(),
        };
        let before = read_pointer(cache);
        let base = resolve(&cache.root).ok();
        for mode in Mode::ALL {
            let elsewhere = || {
                let root = before.index_root(mode).filter(|root| root.is_dir())?;
                Some(root.strip_prefix(base.as_ref()?).ok()?.to_str()?.to_owned())
            };
            let root =
                if modes.iter().any(|built| built.mode == mode) { Some(build_root.clone()) } else { elsewhere() };
            if let Some(root) = root {
                pointer.build_roots.insert(mode, root);
                pointer.modes.push(mode);
            }
        }
        pointer
    }
}

/// Examines files on all cores and hands the answers to the calling thread.
pub(super) fn examine_each(
    examiner: &Examiner<'_>,
    tasks: &[Task<'_>],
    cancel: &Cancel,
    mut take: impl FnMut(&Task<'_>, Examined) -> Result<()>,
) -> Result<()> {
    let worker = || {
        let mut extractor = Extractor::new();
        move |task| (task, examiner.examine(task, &mut extractor))
    };
    each(tasks.iter(), cancel, worker, |(task, examined)| take(task, examined?))
}

/// Writes what a file turned out to be.
fn take(
    path: &str,
    examined: Examined,
    modes: &mut [ModeBuild],
    making: &Making<'_>,
    report: &mut BuildReport,
    stamps: &mut Stamps,
) -> Result<()> {
    match examined {
        Examined::Text(mut text) => {
            report.read += 1;
            report.bytes_read += text.size;
            report.chunked += usize::from(!text.parts.is_empty());
            if !text.parts.is_empty() {
                report.redacted += text.redacted;
                report.redactions.extend(RedactedAt::of(path, &text.redactions));
            }
            if text.given_up {
                report.warnings.push(format!("{path} takes its parser too long, and is cut as plain text"));
            }
            stamps.note(path, text.stamp, Verdict::Text(text.hash, text.language));
            let belongs = modes_of(path, text.language);
            modes.iter_mut().filter(|mode| belongs.contains(&mode.mode)).for_each(|mode| mode.keep(path));
            for part in std::mem::take(&mut text.parts) {
                if let Some(mode) = modes.iter_mut().find(|mode| mode.mode == part.mode) {
                    mode.put(part, &text, making)?;
                }
            }
        }
        Examined::Refused(exclusion, stamp) => {
            *report.excluded.entry(exclusion.reason).or_default() += 1;
            stamps.note(path, stamp, Verdict::Refused);
        }
        Examined::Failed(exclusion) => {
            *report.excluded.entry(exclusion.reason).or_default() += 1;
            let message = format!("{} ({})", exclusion.reason.describe(), exclusion.rule);
            report.problems.push(Problem { path: path.to_owned(), message, missing: false });
            modes.iter_mut().for_each(|mode| mode.keep(path));
        }
        Examined::Vanished => {}
    }
    Ok(())
}

/// Makes the names in a folder and those below it durable.
fn sync_folders(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(BuildError::io("reading", folder))? {
        let entry = entry.map_err(BuildError::io("reading", folder))?;
        if entry.file_type().map_err(BuildError::io("reading", &entry.path()))?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder).map_err(BuildError::io("writing", folder))
}
