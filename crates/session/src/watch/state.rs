//! What is followed, and following it up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use ai_assist_admit::{FileStamp, IGNORE_FILES};
use ai_assist_base::watch::{Hint, Listener, Pending, Why};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_identity::Sha256;
use ai_assist_store::Seq;
use ai_assist_store::objects::Version;
use rayon::prelude::*;

use super::scan::{Scope, scan};
use super::stat_probe::{Look, Seen, StatProbe, Verdict, stat_probe, unread};
use super::{OnEvent, WatchEvent, WatchOptions, WatchedChange};
use crate::file_reader::ReadOutcome;
use crate::indexer::{Happened, IndexAction, is_gone, is_stub};
use crate::object::FilesystemSource;
use crate::{Error, Result, Session};

/// So many files are looked at, and written about, at once.
const BATCH: usize = 256;
/// So often a folder is scanned that has new folders in it each time.
const ROUNDS: usize = 5;

#[derive(Debug, Clone)]
struct Followed {
    source: FilesystemSource,
    /// Whether it is one of the session's own, which are followed wherever they are.
    member: bool,
    /// How it was when it was last compared with the store, if it would show a change since.
    seen: Option<Seen>,
    /// The hash that the store has of it, as far as is known here.
    hash: Option<Sha256>,
}

/// The files that are followed, by where they are.
type Files = BTreeMap<PathBuf, Followed>;

#[derive(Debug)]
pub(super) struct Watch {
    folders: Vec<PathBuf>,
    except: Vec<PathBuf>,
    files: Files,
    pending: Pending,
    /// How many members of the session's index were met.
    met: usize,
    /// How far the store's events are known.
    reached: Seq,
}

/// What is to be done with a path of a flush.
type Todo = BTreeMap<PathBuf, (Verdict, Option<FileStamp>)>;

impl Watch {
    pub(super) fn new(session: &Session, options: &WatchOptions) -> Result<Self> {
        let real = |path: &PathBuf| path.real_path().map_err(|source| Error::Io { path: path.clone(), source });
        let mut folders = options.folders.iter().map(real).collect::<Result<Vec<_>>>()?;
        for folder in &folders {
            if session.source_at(&folder.join("file")).is_none() {
                let why = "the session has no way there".to_owned();
                return Err(Error::Unreadable { path: folder.clone(), why });
            }
        }
        // One that lies in another is followed with it; a folder sorts before what is below it.
        folders.sort();
        folders.dedup_by(|later, first| later.starts_with(first));
        let except = options.except.iter().map(|path| real(path).unwrap_or_else(|_| path.clone())).collect();
        let (files, pending) = (Files::default(), Pending::default());
        Ok(Watch { folders, except, files, pending, met: 0, reached: Seq::default() })
    }

    /// Takes a hint, if it is about anything that is followed.
    pub(super) fn hint(&mut self, hint: Hint) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.hint(hint, |path| self.is_ours(path));
        self.pending = pending;
    }

    pub(super) fn look_at_everything(&mut self, why: Why) {
        self.pending.add_everything(why);
    }

    pub(super) fn is_due(&self, options: &WatchOptions) -> bool {
        self.pending.is_due(options.pacing.quiet, options.pacing.patience)
    }

    fn is_ours(&self, path: &Path) -> bool {
        self.is_below_a_folder(path)
            || self.folders.iter().any(|folder| folder.starts_with(path))
            || below(&self.files, path).next().is_some()
    }

    fn is_below_a_folder(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
            && !self.except.iter().any(|except| path.starts_with(except))
    }

    /// Notices files that have joined the session. They are compared once, as they may have changed before they were followed;
    /// those that were never read stay so until they change.
    pub(super) fn meet(&mut self, session: &mut Session) -> Result<()> {
        session.refresh()?;
        let members = session.sets().index().len();
        if members == self.met {
            return Ok(());
        }
        for (version, source) in session.files_from(self.met)? {
            if !session.is_watchable(&source) {
                continue;
            }
            let path = source.to_path_buf();
            let mut file = followed(&version, source, true);
            if is_stub(&version) && !self.is_below_a_folder(&path) {
                file.seen = unread(&path);
            }
            self.files.insert(path.clone(), file);
            self.pending.add(path);
        }
        self.met = members;
        Ok(())
    }

    /// Looks at all that hints were about, and has it noted. After an error, what was not noted is still to be.
    pub(super) fn flush(
        &mut self,
        session: &mut Session,
        ears: &mut Listener,
        cancel: &Cancel,
        told: OnEvent<'_>,
    ) -> Result<()> {
        let first = self.meet(session);
        let asked = std::mem::take(&mut self.pending);
        let done = first.and_then(|()| self.follow_up(&asked, session, ears, cancel, told));
        if done.is_err() {
            self.pending.put_back(asked);
        }
        done
    }

    fn follow_up(
        &mut self,
        asked: &Pending,
        session: &mut Session,
        ears: &mut Listener,
        cancel: &Cancel,
        told: OnEvent<'_>,
    ) -> Result<()> {
        if let Some(why) = &asked.everything {
            self.catch_up(session)?;
            if why.is_distrust() {
                ears.forget_all();
            }
            ears.try_again();
        }
        let (dirty, mut todo) = self.spread(asked, ears);
        self.listen_for_files(ears);
        for folder in self.folders.clone() {
            if let Some(scope) = scope_in(&folder, asked.everything.is_some(), &dirty) {
                self.scan(&folder, &scope, ears, cancel, &mut todo)?;
            }
        }
        self.compare(session, todo, cancel, told)?;
        if let Some(why) = asked.everything.as_ref().filter(|why| **why != Why::Start) {
            told(WatchEvent::Rescanned { why: why.to_string() });
        }
        Ok(())
    }

    /// Learns what others have written about files that are followed here, or should be.
    fn catch_up(&mut self, session: &Session) -> Result<()> {
        let (files, reached) = session.files_since(self.reached)?;
        for (version, source) in files {
            let path = source.to_path_buf();
            match self.files.get_mut(&path) {
                Some(file) if file.source != source => {}
                Some(file) if file.hash != version.head.file_hash => {
                    (file.hash, file.seen) = (version.head.file_hash, None);
                }
                Some(_) => {}
                None => {
                    let ours = !is_gone(&version) && self.is_below_a_folder(&path) && session.is_watchable(&source);
                    if ours {
                        self.files.insert(path, followed(&version, source, false));
                    }
                }
            }
        }
        self.reached = reached;
        Ok(())
    }

    /// The paths that a scan has to do with, and the files that are to be looked at whatever it finds.
    fn spread(&self, asked: &Pending, ears: &mut Listener) -> (BTreeSet<PathBuf>, Todo) {
        let mut dirty = asked.paths.clone();
        for path in &asked.paths {
            let is_rules =
                path.file_name().and_then(|name| name.to_str()).is_some_and(|name| IGNORE_FILES.contains(&name));
            dirty.extend(path.parent().filter(|_| is_rules).map(Path::to_owned));
            // A folder that came, went or moved: what was heard below it may have another name by now. All are forgotten
            // before any is listened to again, as the system has one watch for all names of a folder.
            ears.forget_below(path);
        }
        let looked_at = |path: &PathBuf| (path.clone(), (Verdict::NotFound, None));
        let todo = match asked.everything {
            Some(_) => self.files.keys().map(looked_at).collect(),
            None => dirty.iter().flat_map(|path| below(&self.files, path)).map(looked_at).collect(),
        };
        (dirty, todo)
    }

    /// Listens to the folders of the session's own files, and to those above the folders that are not there.
    fn listen_for_files(&self, ears: &mut Listener) {
        let mut known: HashMap<&Path, bool> = HashMap::new();
        let members = self.files.iter().filter(|(_, file)| file.member);
        let homes = members.filter_map(|(path, _)| path.parent());
        for home in homes.chain(self.folders.iter().map(PathBuf::as_path)) {
            for folder in home.ancestors() {
                if ears.hears(folder) {
                    break;
                }
                let is_there = *known.entry(folder).or_insert_with(|| folder.is_dir());
                if is_there {
                    ears.listen(folder);
                    break;
                }
            }
        }
    }

    /// Scans a folder, until no folder in it is new: what happened in one before it was listened to was not heard.
    fn scan(
        &mut self,
        folder: &Path,
        scope: &Scope,
        ears: &mut Listener,
        cancel: &Cancel,
        todo: &mut Todo,
    ) -> Result<()> {
        for round in 1.. {
            let found = scan(folder, scope, &self.except, cancel)?;
            let mut new = 0;
            for folder in &found.folders {
                new += usize::from(ears.listen(folder));
            }
            if new > 0 && round < ROUNDS {
                continue;
            }
            if new > 0 {
                self.pending.add(folder.to_owned());
            }
            todo.extend(found.files.into_iter().map(|(path, stamp)| (path, (Verdict::Admitted, Some(stamp)))));
            todo.extend(found.refused.into_iter().map(|path| (path, (Verdict::Refused, None))));
            break;
        }
        Ok(())
    }

    /// Looks at files and notes what has changed, so many at once.
    fn compare(&mut self, session: &mut Session, todo: Todo, cancel: &Cancel, told: OnEvent<'_>) -> Result<()> {
        let looks: Vec<Look> = todo.into_iter().filter_map(|(path, found)| self.look(session, path, found)).collect();
        let looker = session.looker();
        for batch in looks.chunks(BATCH) {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let glances: Vec<StatProbe> = batch.par_iter().map(|look| stat_probe(look, &looker)).collect();
            let changes = self.note(session, batch, glances)?;
            if !changes.is_empty() {
                told(WatchEvent::Changed(&changes));
            }
        }
        Ok(())
    }

    /// What there is to look at; nothing if stat has said already that it has not changed.
    fn look(&self, session: &Session, path: PathBuf, (verdict, stamp): (Verdict, Option<FileStamp>)) -> Option<Look> {
        let Some(file) = self.files.get(&path) else {
            let source = session.source_at(&path)?;
            return Some(Look { path, source, member: false, seen: None, verdict });
        };
        if stamp.is_some_and(|stamp| file.seen == Some(Seen::There(stamp))) {
            return None;
        }
        Some(Look { path, source: file.source.clone(), member: file.member, seen: file.seen, verdict })
    }

    fn note(&mut self, session: &mut Session, batch: &[Look], glances: Vec<StatProbe>) -> Result<Vec<WatchedChange>> {
        let (mut news, mut about) = (Vec::new(), Vec::new());
        for (look, glance) in batch.iter().zip(glances) {
            if let StatProbe::Noted { happened, seen, hash } = glance {
                news.push((look.source.clone(), happened));
                about.push((look, seen, hash));
            }
        }
        let actions = session.note(&news)?;
        let mut changes = Vec::new();
        for (((source, happened), (look, seen, hash)), action) in news.iter().zip(about).zip(actions) {
            let deleted = matches!(happened, Happened::Gone | Happened::Read(ReadOutcome::Missing));
            if deleted && !look.member {
                self.files.remove(&look.path);
            } else {
                let file = Followed { source: source.clone(), member: look.member, seen, hash };
                self.files.insert(look.path.clone(), file);
            }
            if action != IndexAction::Unchanged {
                changes.push(WatchedChange { path: session.shown(source), action, deleted });
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// How many of the files that there are would be read now.
    #[cfg(test)]
    pub(super) fn unseen(&self, session: &Session) -> usize {
        let scans = self.folders.iter().map(|folder| scan(folder, &Scope::Whole, &self.except, &Cancel::default()));
        let files = scans.flat_map(|scan| scan.map(|scan| scan.files).unwrap_or_default());
        let looks = files.filter_map(|(path, stamp)| self.look(session, path, (Verdict::Admitted, Some(stamp))));
        looks.count()
    }
}

fn followed(version: &Version, source: FilesystemSource, member: bool) -> Followed {
    Followed { source, member, seen: None, hash: version.head.file_hash }
}

/// What is to be scanned of a folder; nothing if nothing has to do with it.
fn scope_in(folder: &Path, everything: bool, dirty: &BTreeSet<PathBuf>) -> Option<Scope> {
    if everything || dirty.iter().any(|path| folder.starts_with(path)) {
        return Some(Scope::Whole);
    }
    let below: Vec<PathBuf> = dirty.iter().filter(|path| path.starts_with(folder)).cloned().collect();
    (!below.is_empty()).then_some(Scope::Only(below))
}

/// Those at a path and below it.
fn below<'f>(files: &'f Files, path: &'f Path) -> impl Iterator<Item = &'f PathBuf> {
    let from = (Bound::Included(path), Bound::Unbounded);
    files.range::<Path, _>(from).map(|(path, _)| path).take_while(move |found| found.starts_with(path))
}
