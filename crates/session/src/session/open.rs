//! Opening sessions, new ones and those that there are.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::str::FromStr;

use ai_assist_identity::{Sha256, jcs};
use ai_assist_store::objects::{
    AsOf, Content, Expect, Moment, NewState, ObjectBatch, ObjectId, ObjectWrite, Objects, Op, Validity,
};
use ai_assist_store::{Error as StoreError, Seq};

use super::about::{About, Counts, SessionName, Summary};
use super::files::real;
use super::{Draft, Histories, Session, load_chat, load_sets};
use crate::error::{Error, Result};
use crate::object::{ChatFields, ObjectKind, SessionFields, SystemPromptFields};
use crate::redact::Keep;
use crate::resolver::{FilesystemResolver, MountMapping, RAW};

/// A session to be made; what is not said of a field here is said in [`About`].
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Its name; one that nobody has, unless given.
    pub name: Option<SessionName>,
    pub folder: Option<String>,
    /// What the model is told first.
    pub system_prompt: String,
    pub raw: bool,
    /// That of this machine.
    pub filesystem_id: String,
    pub filesystem: Filesystem,
    pub mounts: Vec<MountMapping>,
    pub hidden: Vec<PathBuf>,
    pub imported: Option<String>,
    pub parent: Option<String>,
    pub branch: Option<String>,
}

/// Whose files those are that no mount maps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Filesystem {
    /// This machine's.
    #[default]
    Here,
    /// Those of another machine, which no other session knows: two containers have the same paths and not the same files.
    Own,
    /// Those of another machine that several sessions know by this id.
    Named(String),
}

impl FromStr for Filesystem {
    type Err = Error;

    /// `here`, or an id. None can have the mark of contents that are kept as they are.
    fn from_str(text: &str) -> Result<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':');
        match text {
            "here" => Ok(Filesystem::Here),
            _ if !text.is_empty() && text.len() <= 100 && text.chars().all(plain) => {
                Ok(Filesystem::Named(text.to_owned()))
            }
            _ => Err(Error::BadFilesystem(text.chars().take(80).collect())),
        }
    }
}

impl Session {
    /// Makes a session: itself, its chat and its system prompt, in one write.
    pub fn create(mut objects: Box<dyn Objects>, new: NewSession) -> Result<Session> {
        let name = new.name.clone().unwrap_or_else(|| SessionName::fresh(Moment::now()));
        let about = about(&name, &new);
        resolver(&about)?;
        let id = name.object(ObjectKind::Session)?;
        let chat_id = name.object(ObjectKind::Chat)?;
        let prompt_id = name.object(ObjectKind::SystemPrompt)?;
        let of_session = SessionFields {
            session_id: name.to_string(),
            chat_ref: chat_id.to_string(),
            system_prompt_ref: prompt_id.to_string(),
            ..SessionFields::default()
        };
        let of_chat = ChatFields { session_ref: id.to_string(), ..ChatFields::default() };
        let extra = serde_json::to_string(&about).map_err(|error| Error::damaged(&id, error))?;
        let prompt = Content::new(Keep { raw: about.raw }.text(new.system_prompt));
        let writes = vec![
            put(&id, ObjectKind::Session, jcs::to_string(&of_session)?, Some(extra), None),
            put(&chat_id, ObjectKind::Chat, jcs::to_string(&of_chat)?, None, Some(Content::new(""))),
            put(&prompt_id, ObjectKind::SystemPrompt, jcs::to_string(&SystemPromptFields {})?, None, Some(prompt)),
        ];
        match objects.write(ObjectBatch { writes, ..ObjectBatch::default() }) {
            Err(StoreError::VersionConflict { .. }) => Err(Error::SessionExists(name.to_string())),
            written => written.map_err(Error::from).and_then(|_| Session::load(objects, name.as_str())),
        }
    }

    /// Opens a session that there is, as it is now.
    pub fn load(objects: Box<dyn Objects>, name: &str) -> Result<Session> {
        let unknown = |near: String| Error::UnknownSession { name: name.chars().take(80).collect(), near };
        let name: SessionName = name.parse().map_err(|_| unknown(String::new()))?;
        let id = name.object(ObjectKind::Session)?;
        let Some(base) = objects.get(&id, AsOf::default())? else {
            return Err(unknown(String::new()));
        };
        let about = read_about(&id, base.state.extra.as_deref())?;
        let chat_id = name.object(ObjectKind::Chat)?;
        let (sets, reached) = load_sets(&*objects, &id, AsOf::default())?;
        Ok(Session {
            resolver: resolver(&about)?,
            chat: load_chat(&*objects, &chat_id, AsOf::default())?,
            prompt_id: name.object(ObjectKind::SystemPrompt)?,
            draft: Draft::default(),
            histories: Histories::default(),
            file_ids: HashMap::new(),
            list: Cell::default(),
            stale: HashSet::new(),
            born: base.head.seq,
            reach: None,
            tracked: |_| None,
            objects,
            name,
            about,
            id,
            chat_id,
            sets,
            reached,
        })
    }
}

/// Every session there is, the one that was changed last first.
pub fn summaries(objects: &dyn Objects) -> Result<Vec<Summary>> {
    let mut found: Vec<(Seq, Summary)> = Vec::new();
    for id in objects.of_kind(ObjectKind::Session.as_str())? {
        match summary(objects, &id) {
            Ok(summary) => found.extend(summary),
            // One that can't be read must not hide the others; whoever names it is told.
            Err(Error::Damaged { .. } | Error::Id(_)) => {}
            Err(error) => return Err(error),
        }
    }
    found.sort_by_key(|(last, _)| std::cmp::Reverse(*last));
    Ok(found.into_iter().map(|(_, summary)| summary).collect())
}

/// A session with the number of its last change.
fn summary(objects: &dyn Objects, id: &ObjectId) -> Result<Option<(Seq, Summary)>> {
    let Some(base) = objects.get(id, AsOf::default())? else { return Ok(None) };
    let about = read_about(id, base.state.extra.as_deref())?;
    let Some(name) = id.as_str().split_once(':').map(|(_, name)| name.to_owned()) else { return Ok(None) };
    let (sets, reached) = load_sets(objects, id, AsOf::default())?;
    let chat_id = format!("{}:{name}", ObjectKind::Chat.as_str()).parse()?;
    let chat = load_chat(objects, &chat_id, AsOf::default())?;
    let counts = Counts::of(&sets, &chat);
    let last = reached.max(chat.reached);
    let changed = time_of(objects, last)?.unwrap_or(base.head.system);
    Ok(Some((last, Summary { name, about, opened: base.head.system, changed, closed: sets.is_closed(), counts })))
}

fn time_of(objects: &dyn Objects, seq: Seq) -> Result<Option<Moment>> {
    let before = Seq(seq.0.saturating_sub(1));
    Ok(objects.events_since(before, 1)?.pop().map(|head| head.system))
}

fn read_about(id: &ObjectId, extra: Option<&str>) -> Result<About> {
    let extra = extra.ok_or_else(|| Error::damaged(id, "nothing is known of it"))?;
    serde_json::from_str(extra).map_err(|error| Error::damaged(id, error))
}

/// Contents that are kept as they are get a filesystem of their own, so that no other session ever meets them; and so do the
/// inner paths of an agent that lives in a container, and those of another machine.
fn about(name: &SessionName, new: &NewSession) -> About {
    let marked = |id: &str| if new.raw { format!("{id}{RAW}") } else { id.to_owned() };
    let machine = &new.filesystem_id;
    let inner = match &new.filesystem {
        Filesystem::Named(id) => id.clone(),
        Filesystem::Here if new.mounts.is_empty() => machine.clone(),
        Filesystem::Here | Filesystem::Own => Sha256::of(format!("{machine}\n{name}").as_bytes()).to_string(),
    };
    // Paths are kept with their links resolved, so the ends of mounts must be, or there is no way back.
    let mount = |mount: &MountMapping| MountMapping {
        agent_prefix: mount.agent_prefix.clone(),
        canonical_prefix: real(&mount.canonical_prefix),
        filesystem_id: marked(&mount.filesystem_id),
    };
    About {
        folder: new.folder.clone(),
        raw: new.raw,
        filesystem_id: marked(&inner),
        mounts: new.mounts.iter().map(mount).collect(),
        hidden: new.hidden.clone(),
        elsewhere: new.filesystem != Filesystem::Here,
        imported: new.imported.clone(),
        parent: new.parent.clone(),
        branch: new.branch.clone(),
    }
}

fn resolver(about: &About) -> Result<FilesystemResolver> {
    if about.sees_this_machine() {
        return Ok(FilesystemResolver::local(&about.filesystem_id));
    }
    let resolver = FilesystemResolver::new(&about.filesystem_id, about.mounts.clone())?.hiding(&about.hidden)?;
    Ok(if about.elsewhere { resolver.elsewhere() } else { resolver })
}

fn put(
    id: &ObjectId,
    kind: ObjectKind,
    fields: String,
    extra: Option<String>,
    content: Option<Content>,
) -> ObjectWrite {
    let state = NewState { fields, extra, file_hash: None, content };
    // From the beginning of time, so that what happened before it was opened has something to happen to.
    let valid = Validity { from: Some(Moment(0)), to: None };
    ObjectWrite { valid, expect: Expect::Absent, ..ObjectWrite::new(id.clone(), kind.as_str(), Op::Put(state)) }
}
