//! Cleaning up: sessions that are not wanted any more, and what only they knew.

use std::collections::HashSet;

use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Forgotten, Moment, ObjectId, Objects};

use crate::error::{Error, Result};
use crate::object::ObjectKind;
use crate::session::{SessionName, Summary, load_sets, summaries};

#[derive(Debug, Clone, Default)]
pub struct Unwanted {
    pub names: Vec<String>,
    /// Sessions that were not changed since then.
    pub before: Option<Moment>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GcCounts {
    pub sessions: Vec<String>,
    /// Objects: those of these sessions, and files that no other session knows.
    pub objects: Vec<ObjectId>,
    /// What was known when this was decided.
    reached: Seq,
}

pub fn plan(objects: &dyn Objects, unwanted: &Unwanted) -> Result<GcCounts> {
    let (reached, _) = objects.last()?;
    let all = summaries(objects)?;
    for name in &unwanted.names {
        let id = name.parse::<SessionName>().and_then(|name| Ok(name.object(ObjectKind::Session)?));
        if id.ok().map(|id| objects.last_of(&id)).transpose()?.flatten().is_none() {
            return Err(Error::UnknownSession { name: name.clone(), near: String::new() });
        }
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
    let mut sessions: Vec<String> = going.iter().map(|session| session.name.clone()).collect();
    // Those that can't be read are in no list, and can be named all the same.
    sessions.extend(unwanted.names.iter().filter(|name| !going.iter().any(|session| session.name == **name)).cloned());
    for name in &sessions {
        known_of(objects, name)?.into_iter().for_each(&mut add);
    }
    // Files that no session knows of: met by a watcher, or left over.
    objects.of_kind(ObjectKind::File.as_str())?.into_iter().for_each(&mut add);
    Ok(GcCounts { sessions, objects: gone, reached })
}

/// Takes it away. What is written meanwhile may need some of it, and then it is decided anew.
pub fn collect(objects: &mut dyn Objects, unwanted: &Unwanted) -> Result<(GcCounts, Forgotten)> {
    loop {
        let planned = plan(objects, unwanted)?;
        match objects.forget(&planned.objects, Some(planned.reached)) {
            Err(ai_assist_store::Error::Moved) => {}
            other => return Ok((planned, other?)),
        }
    }
}

/// The objects of a session and those that it has met.
fn known_of(objects: &dyn Objects, name: &str) -> Result<Vec<ObjectId>> {
    let name: SessionName = name.parse()?;
    let [id, chat, prompt] =
        [ObjectKind::Session, ObjectKind::Chat, ObjectKind::SystemPrompt].map(|kind| name.object(kind));
    let (id, chat, prompt) = (id?, chat?, prompt?);
    let mut known: Vec<ObjectId> = match load_sets(objects, &id, AsOf::default()) {
        Ok((sets, _)) => sets.index().map(|member| member.id.clone()).collect(),
        // Of one that can't be read, what has its name.
        Err(Error::Damaged { .. } | Error::Id(_)) => Vec::new(),
        Err(error) => return Err(error),
    };
    let calls = format!("{}:{name}:", ObjectKind::Toolcall.as_str());
    known.extend(objects.starting_with(&calls, usize::MAX)?);
    known.extend([id, chat, prompt]);
    Ok(known)
}
