//! A session: its working set over objects, its chat, its system prompt.

mod about;
mod change;
mod documents;
mod files;
mod find;
mod histories;
mod open;
mod resume;
mod talk;
pub(crate) mod watching;

pub use about::{About, Counts, SessionName, Summary};
pub use files::{Indexed, ReadFile};
use histories::Histories;
pub use open::{Filesystem, NewSession, summaries};
pub use resume::{Reconciled, Reconciliation};
pub(crate) use talk::KeptCall;
pub use talk::NewToolcall;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ai_assist_admit::IndexedView;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, ObjectWrite, Objects, RequestId};

use crate::file_reader::FileReader;
use crate::indexer::Known;
use crate::object::FilesystemSource;
use crate::redact::Keep;
use crate::resolver::FilesystemResolver;
use crate::search::List;
use crate::sets::{SetChange, WorkingSet};
use crate::{Chat, Error, Result};

/// A session that is open. What another process does to it is noticed before each change.
pub struct Session {
    objects: Box<dyn Objects>,
    name: SessionName,
    about: About,
    id: ObjectId,
    chat_id: ObjectId,
    prompt_id: ObjectId,
    resolver: FilesystemResolver,
    /// Only files below this folder are read, if it is set.
    reach: Option<PathBuf>,
    /// Says what git tracks there.
    tracked: fn(&Path) -> Option<Vec<u8>>,
    sets: WorkingSet,
    /// The number of the last change of the sets that is known here.
    reached: Seq,
    chat: Chat,
    draft: Draft,
    histories: Histories,
    file_ids: HashMap<FilesystemSource, ObjectId>,
    /// What was seen, as far as it was asked for.
    pub(crate) list: Cell<Option<List>>,
    /// Files that have changed on disk since their last version, where no other could be written.
    stale: HashSet<ObjectId>,
    /// The number of its first version: one of the same name that was made later is another session.
    born: Seq,
}

#[derive(Debug, Default)]
struct Draft {
    writes: Vec<ObjectWrite>,
    /// Files that are as they were, and must still be when this is written.
    needs: Vec<(ObjectId, Seq)>,
    about: HashSet<ObjectId>,
    /// Files as they are after these writes.
    known: HashMap<ObjectId, Option<Known>>,
    /// Which of these writes are about objects that the session meets.
    met: Vec<(usize, Vec<ObjectId>)>,
    /// When it happened, if not now.
    at: Option<Moment>,
}

#[derive(Debug, Clone, Default)]
pub struct How {
    /// Names the request, so that one sent twice is done once.
    pub request: Option<RequestId>,
    /// When it happened, if not now.
    pub at: Option<Moment>,
    /// The version that there must be of what is changed: of each file that is read or met, of the system prompt; of the chat, where
    /// something is said or a call recorded; else of the session. Zero if there must be none yet.
    pub expect: Option<Seq>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("name", &self.name).field("reached", &self.reached).finish_non_exhaustive()
    }
}

impl Session {
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// What else is known of it.
    pub fn about(&self) -> &About {
        &self.about
    }

    pub fn id(&self) -> &ObjectId {
        &self.id
    }

    pub fn chat_id(&self) -> &ObjectId {
        &self.chat_id
    }

    pub fn system_prompt_id(&self) -> &ObjectId {
        &self.prompt_id
    }

    pub fn sets(&self) -> &WorkingSet {
        &self.sets
    }

    pub(crate) fn born(&self) -> Seq {
        self.born
    }

    /// The number of the last change of its sets.
    pub fn version(&self) -> Seq {
        self.reached
    }

    /// The number of the last change of its chat.
    pub fn chat_version(&self) -> Seq {
        self.chat.reached
    }

    /// Its working set at some time.
    pub fn sets_at(&self, at: AsOf) -> Result<WorkingSet> {
        Ok(load_sets(&*self.objects, &self.id, at)?.0)
    }

    pub fn chat(&self) -> &Chat {
        &self.chat
    }

    pub fn counts(&self) -> Counts {
        Counts::of(&self.sets, &self.chat)
    }

    pub fn objects(&self) -> &dyn Objects {
        &*self.objects
    }

    /// Lets only files below this folder be read from now on, and of those what an index of it would have. `tracked` says what
    /// git tracks there.
    pub fn limit_to(&mut self, root: PathBuf, tracked: fn(&Path) -> Option<Vec<u8>>) {
        self.reach = Some(root);
        self.tracked = tracked;
    }

    /// Whether only files below a folder may be read.
    pub(crate) fn is_limited(&self) -> bool {
        self.reach.is_some()
    }

    pub(crate) fn file_reader(&self) -> FileReader {
        let reader = FileReader { raw: self.about.raw, ..FileReader::default() };
        let view = |root: &PathBuf| IndexedView { root: root.clone(), limits: reader.limits(), tracked: self.tracked };
        FileReader { within: self.reach.as_ref().map(view), ..reader }
    }

    /// Whether the content of a file may be given out: where only files below a folder may be read, others may not be shown
    /// either, nor those of it that an index would not have.
    pub fn may_show(&self, source: &FilesystemSource) -> bool {
        self.kept_back(source).is_none()
    }

    /// Why the content of a file may not be given out, if so.
    pub(crate) fn kept_back(&self, source: &FilesystemSource) -> Option<Error> {
        let root = self.reach.as_ref()?;
        let (path, place) = (self.agent_path(source), source.to_path_buf());
        if !place.starts_with(root) {
            return Some(Error::Outside { path, root: root.clone() });
        }
        self.file_reader().keeps_back(&place).map(|why| Error::Refused { path, why })
    }

    pub(crate) fn keep(&self) -> Keep {
        Keep { raw: self.about.raw }
    }

    pub fn refresh(&mut self) -> Result<()> {
        let gone = || Error::UnknownSession { name: self.name.to_string(), near: String::new() };
        let sets = self.objects.last_of(&self.id)?.ok_or_else(gone)?;
        let chat = self.objects.last_of(&self.chat_id)?.unwrap_or_default();
        if sets != self.reached || chat != self.chat.reached {
            self.reload()?;
        }
        Ok(())
    }

    /// Forgets what is not written and reads everything again.
    fn reload(&mut self) -> Result<()> {
        self.draft = Draft::default();
        (self.sets, self.reached) = load_sets(&*self.objects, &self.id, AsOf::default())?;
        self.chat = load_chat(&*self.objects, &self.chat_id, AsOf::default())?;
        Ok(())
    }
}

/// The working set of a session at some time, and the number of the change it is from.
pub(crate) fn load_sets(objects: &dyn Objects, id: &ObjectId, at: AsOf) -> Result<(WorkingSet, Seq)> {
    let mut sets = WorkingSet::default();
    let mut reached = match objects.get(id, at)? {
        Some(base) => base.head.seq,
        None => return Ok((sets, Seq::default())),
    };
    // What holds only from some other time on counts for the order of writing all the same.
    if at == AsOf::default() {
        reached = objects.last_of(id)?.unwrap_or(reached);
    }
    for delta in objects.deltas(id, at)? {
        let damaged = |error| Error::damaged(format!("change {}", delta.seq), error);
        let change: SetChange = serde_json::from_str(&delta.body).map_err(damaged)?;
        sets.note(change.step);
        for id in &change.ids {
            let id = id.parse()?;
            sets.apply(change.step, &id);
            sets.met(&id, delta.seq);
        }
        reached = reached.max(delta.seq);
    }
    Ok((sets, reached))
}

pub(crate) fn load_chat(objects: &dyn Objects, id: &ObjectId, at: AsOf) -> Result<Chat> {
    let mut chat = Chat::default();
    if let Some(base) = objects.get(id, at)? {
        chat.reached = base.head.seq;
    }
    for delta in objects.deltas(id, at)? {
        chat.apply(&delta)?;
    }
    if at == AsOf::default() {
        chat.reached = objects.last_of(id)?.unwrap_or(chat.reached);
    }
    Ok(chat)
}
