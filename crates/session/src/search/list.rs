//! The list of everything that a session has seen, kept from one question to the next.
//!
//! It says of which state of the store it is. If nothing was written since, it stands as it is; else what was written says which of its
//! objects are read again. A copy lies beside the session's index, so that a process which answers one question need not read every
//! history. It may be lost: then it is made anew.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ai_assist_base::{read_bounded, replace_file};
use ai_assist_identity::{CanonicalPath, ContentHash, Sha256};
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Objects, Stamp, Version, VersionHead, VersionKind};
use serde::{Deserialize, Serialize};

use super::seen::Seen;
use crate::error::Result;
use crate::object::{FilesystemSource, ObjectKind, ToolcallFields, fields};
use crate::session::Session;
use crate::sets::Member;

/// Another shape of the file is another number, and one that is not known is made anew.
const SHAPE: u32 = 1;
const FILE: &str = "seen";
const LARGEST: u64 = 1 << 30;
/// After more events than this, everything is read at once.
const MANY: usize = 2000;
/// So many events may have happened since the copy was written: reading them takes less than writing it each time.
const WORTH_SAVING: usize = 200;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct List {
    shape: u32,
    /// The first event of the session that it is of.
    born: u64,
    stamp: (u64, u64),
    /// From when to when all that holds now holds, if nobody writes.
    since: i64,
    until: i64,
    /// One for each member of the session's index, in that order.
    groups: Vec<Group>,
    /// How many events have changed it since it was written to its file.
    #[serde(skip)]
    unsaved: usize,
}

/// What was seen of an object.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Group {
    id: String,
    /// Nothing of what has no text that is searched.
    is: Option<Thing>,
    versions: Vec<SeenVersion>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Thing {
    /// Of a file: its filesystem and its path there.
    source: Option<(String, CanonicalPath)>,
    path: String,
    label: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SeenVersion {
    seq: u64,
    at: i64,
    current: bool,
    text: ContentHash,
}

impl Session {
    /// Every version with a text that the session has seen: of its objects, the one that there was when it met them and all that
    /// came after; and what was said.
    pub fn seen(&self) -> Result<Vec<Seen>> {
        self.seen_beside(None)
    }

    /// The same. `folder` is that of the session's index, where a copy of the list is kept.
    pub fn seen_kept(&self, folder: &Path) -> Result<Vec<Seen>> {
        self.seen_beside(Some(folder))
    }

    fn seen_beside(&self, folder: Option<&Path>) -> Result<Vec<Seen>> {
        let kept = self.list.take().or_else(|| List::load(folder?));
        let mut list = self.brought_up_to_date(kept.unwrap_or_default())?;
        if let Some(folder) = folder.filter(|_| list.unsaved > 0 && list.unsaved >= WORTH_SAVING.min(list.groups.len()))
        {
            // Without it the next process reads what this one has read.
            list.unsaved = if list.save(folder).is_ok() { 0 } else { list.unsaved };
        }
        let mut seen = Vec::new();
        for group in &list.groups {
            let Some(is) = &group.is else { continue };
            if is.source.as_ref().is_some_and(|source| !self.may_show_at(source)) {
                continue;
            }
            let kind = if is.source.is_some() { ObjectKind::File } else { ObjectKind::Toolcall };
            let id: ObjectId = group.id.parse()?;
            seen.extend(group.versions.iter().map(|version| Seen {
                seq: Seq(version.seq),
                id: id.clone(),
                kind,
                path: is.path.clone(),
                label: is.label.clone(),
                at: Moment(version.at),
                current: version.current,
                text: version.text,
            }));
        }
        seen.extend(self.turns_seen());
        self.list.replace(Some(list));
        Ok(seen)
    }

    fn may_show_at(&self, (filesystem_id, path): &(String, CanonicalPath)) -> bool {
        let source = || FilesystemSource { filesystem_id: filesystem_id.clone(), path: path.clone() };
        !self.is_limited() || self.may_show(&source())
    }

    fn brought_up_to_date(&self, mut list: List) -> Result<List> {
        let objects = self.objects();
        // Asked first: what is written while the rest is read is met again.
        let stamp = objects.stamp()?;
        let now = objects.last()?.1.max(Moment::now());
        let mut changed: HashSet<ObjectId> = HashSet::new();
        match list.written_since(self, objects, stamp, now)? {
            Some(ids) => changed.extend(ids),
            None => {
                list = List { shape: SHAPE, born: self.born().0, since: i64::MIN, until: i64::MAX, ..List::default() }
            }
        }
        let known = list.groups.len();
        let is_due = |(n, member): &(usize, &Member)| *n >= known || changed.contains(&member.id);
        let due: Vec<(usize, &Member)> = self.sets().index().enumerate().filter(is_due).collect();
        let ids: Vec<ObjectId> = due.iter().map(|(_, member)| member.id.clone()).collect();
        let mut versions: HashMap<ObjectId, Option<Version>> = HashMap::new();
        let mut histories: HashMap<ObjectId, Vec<VersionHead>> = HashMap::new();
        versions.extend(ids.iter().cloned().zip(objects.get_many(&ids, AsOf::default(), false)?));
        for head in objects.histories(&ids)? {
            histories.entry(head.id.clone()).or_default().push(head);
        }
        for (n, member) in &due {
            let version = versions.remove(&member.id).flatten();
            let history = histories.remove(&member.id).unwrap_or_default();
            for end in
                history.iter().flat_map(|head| [head.valid_from, head.valid_to]).filter(|end| *end != Moment::FOREVER)
            {
                match end <= now {
                    true => list.since = list.since.max(end.0),
                    false => list.until = list.until.min(end.0),
                }
            }
            let group = self.group(member, version.as_ref(), history)?;
            match list.groups.get_mut(*n) {
                Some(known) => *known = group,
                None => list.groups.push(group),
            }
        }
        list.unsaved += due.len();
        list.stamp = (stamp.sequence.0, stamp.removals);
        Ok(list)
    }

    fn group(&self, member: &Member, version: Option<&Version>, history: Vec<VersionHead>) -> Result<Group> {
        let is = version.map(|version| self.thing(version)).transpose()?.flatten();
        let mut versions = Vec::new();
        if let Some(version) = version.filter(|_| is.is_some()) {
            let seen = |head: VersionHead| {
                let (seq, at, current) = (head.seq.0, head.valid_from.0, head.seq == version.head.seq);
                Some(SeenVersion { seq, at, current, text: head.content_hash? })
            };
            versions.extend(since(history, member.met()).into_iter().filter_map(seen));
        }
        Ok(Group { id: member.id.to_string(), is, versions })
    }

    fn thing(&self, version: &Version) -> Result<Option<Thing>> {
        Ok(match ObjectKind::of(&version.head.kind) {
            Some(ObjectKind::File) => {
                let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
                let label = self.shown(&source);
                let FilesystemSource { filesystem_id, path } = source;
                let source = Some((filesystem_id, path));
                Some(Thing { source, path: label.trim_start_matches('/').to_owned(), label })
            }
            Some(ObjectKind::Toolcall) => {
                let call: ToolcallFields = fields(version)?;
                let label = match &call.args_display {
                    Some(display) => format!("{}: {display}", call.tool),
                    None => call.tool.clone(),
                };
                Some(Thing { source: None, path: format!("toolcall/{}", call.tool), label })
            }
            _ => None,
        })
    }
}

impl List {
    /// The objects that were written about since; nothing if that can't be told, or is too much.
    fn written_since(
        &self,
        session: &Session,
        objects: &dyn Objects,
        stamp: Stamp,
        now: Moment,
    ) -> Result<Option<Vec<ObjectId>>> {
        let members = session.sets().index();
        let is_ours = self.shape == SHAPE
            && self.born == session.born().0
            && self.stamp.1 == stamp.removals
            && self.stamp.0 <= stamp.sequence.0
            && (self.since..self.until).contains(&now.0)
            && self.groups.len() <= members.len()
            && self.groups.iter().zip(members).all(|(group, member)| group.id == member.id.as_str());
        if !is_ours {
            return Ok(None);
        }
        if self.stamp.0 == stamp.sequence.0 {
            return Ok(Some(Vec::new()));
        }
        let events = objects.events_since(Seq(self.stamp.0), MANY + 1)?;
        Ok((events.len() <= MANY).then(|| events.into_iter().map(|event| event.id).collect()))
    }

    /// The one that lies in a folder, if it is whole.
    fn load(folder: &Path) -> Option<List> {
        let bytes = read_bounded(&folder.join(FILE), LARGEST).ok()?;
        let (sum, body) = bytes.split_first_chunk::<32>()?;
        (Sha256::of(body).as_bytes() == sum).then(|| rmp_serde::from_slice(body).ok()).flatten()
    }

    fn save(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let body = rmp_serde::to_vec(self).map_err(std::io::Error::other)?;
        replace_file(&folder.join(FILE), &[Sha256::of(&body).as_bytes().as_slice(), &body].concat(), 0o600)
    }
}

/// The puts from the one that counted at a place of the sequence on.
fn since(history: Vec<VersionHead>, met: Seq) -> Vec<VersionHead> {
    let mut puts: Vec<VersionHead> = history.into_iter().filter(|head| head.event == VersionKind::Put).collect();
    let first = puts.iter().rposition(|head| head.seq <= met).unwrap_or(0);
    puts.split_off(first)
}

#[cfg(test)]
mod tests {
    use ai_assist_base::RealPath;
    use ai_assist_store::objects::SqliteObjects;

    use super::*;
    use crate::{How, NewSession, ReadFile};

    #[test]
    fn the_copy_is_read_and_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().real_path().unwrap();
        let open = || Box::new(SqliteObjects::open(&root.join("assist.db")).unwrap());
        let mut session =
            Session::create(open(), NewSession { name: Some("s".parse().unwrap()), ..NewSession::default() }).unwrap();
        let read = |session: &mut Session, name: &str| {
            let path = root.join(name);
            std::fs::write(&path, name).unwrap();
            session.read(&[ReadFile { path, bytes: None }], &How::default()).unwrap();
        };
        (0..3).for_each(|n| read(&mut session, &format!("{n}.md")));
        let index = root.join("index");
        session.seen_kept(&index).unwrap();
        let kept = List::load(&index).unwrap();
        assert_eq!(kept.groups.len(), 3);
        let events = |list: &List, session: &Session| {
            let (objects, now) = (session.objects(), Moment::now());
            list.written_since(session, objects, objects.stamp().unwrap(), now).unwrap()
        };
        assert_eq!(events(&kept, &session), Some(Vec::new()));
        read(&mut session, "1.md");
        read(&mut session, "new.md");
        let new = session.sets().index().last().unwrap().id.clone();
        assert!(events(&kept, &session).unwrap().contains(&new));
        // One that holds from some time on, or only until then, is of no use before and after it.
        let (past, future) = (List { until: 1, ..kept.clone() }, List { since: i64::MAX - 1, ..kept.clone() });
        assert_eq!((events(&past, &session), events(&future, &session)), (None, None));
        let (other, shape) = (List { born: 77, ..kept.clone() }, List { shape: SHAPE + 1, ..kept.clone() });
        assert_eq!((events(&other, &session), events(&shape, &session)), (None, None));
        let removed = List { stamp: (kept.stamp.0, kept.stamp.1 + 1), ..kept };
        assert_eq!(events(&removed, &session), None);
    }
}
