//! Cleaning up: sessions that are not wanted any more, and what only they knew.

use std::collections::HashSet;

use ai_assist_store::objects::{AsOf, Forgotten, Moment, ObjectId, Objects};

use crate::error::{Error, Result};
use crate::object::ObjectKind;
use crate::session::{SessionName, Summary, load_chat, load_sets, summaries};

/// What is to go.
#[derive(Debug, Clone, Default)]
pub struct Unwanted {
    /// These sessions.
    pub names: Vec<String>,
    /// Sessions that were not changed since then.
    pub before: Option<Moment>,
}

/// What would go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Sessions.
    pub sessions: Vec<String>,
    /// Objects: those of these sessions, and files that no other session knows.
    pub objects: Vec<ObjectId>,
}

/// Says what would go.
///
/// # Errors
///
/// If a named session is not there, or the store fails.
pub fn sweep(objects: &dyn Objects, unwanted: &Unwanted) -> Result<Sweep> {
    let all = summaries(objects)?;
    if let Some(name) = unwanted.names.iter().find(|name| !all.iter().any(|session| session.name == **name)) {
        return Err(Error::UnknownSession { name: name.clone(), near: String::new() });
    }
    let goes = |session: &&Summary| {
        unwanted.names.contains(&session.name) || unwanted.before.is_some_and(|before| session.changed < before)
    };
    let (going, staying): (Vec<&Summary>, Vec<&Summary>) = all.iter().partition(goes);
    let mut kept: HashSet<ObjectId> = HashSet::new();
    for session in &staying {
        kept.extend(known_of(objects, &session.name)?);
    }
    let mut gone: Vec<ObjectId> = Vec::new();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    let mut add = |id: ObjectId| {
        if !kept.contains(&id) && seen.insert(id.clone()) {
            gone.push(id);
        }
    };
    for session in &going {
        known_of(objects, &session.name)?.into_iter().for_each(&mut add);
    }
    // Files that no session knows of: met by a watcher, or left over.
    objects.of_kind(ObjectKind::File.as_str())?.into_iter().for_each(&mut add);
    Ok(Sweep { sessions: going.iter().map(|session| session.name.clone()).collect(), objects: gone })
}

/// Takes it away.
///
/// # Errors
///
/// If the store fails; then nothing is gone.
pub fn apply(objects: &mut dyn Objects, sweep: &Sweep) -> Result<Forgotten> {
    Ok(objects.forget(&sweep.objects)?)
}

/// The objects of a session and those that it has met.
fn known_of(objects: &dyn Objects, name: &str) -> Result<Vec<ObjectId>> {
    let name: SessionName = name.parse()?;
    let [id, chat, prompt] =
        [ObjectKind::Session, ObjectKind::Chat, ObjectKind::SystemPrompt].map(|kind| name.object(kind));
    let (id, chat, prompt) = (id?, chat?, prompt?);
    let (sets, _) = load_sets(objects, &id, AsOf::default())?;
    let mut known: Vec<ObjectId> = sets.index().map(|member| member.id.clone()).collect();
    known.extend(load_chat(objects, &chat, AsOf::default())?.toolcalls().cloned());
    known.extend([id, chat, prompt]);
    Ok(known)
}
