//! What has happened in a session, by sizes alone, and from which event on it is added to what stands.
//!
//! A fold is the last event that the state at the beginning shows. Which it is depends on the events up to now and on the budget, not
//! on what was rendered before: so everybody who renders the session comes to the same. It is looked for without reading a text.

use std::collections::{HashMap, HashSet};

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Objects, System, Valid, VersionHead, VersionKind};

use crate::Session;
use crate::chat::ChatChange;
use crate::error::{Error, Result};
use crate::object::Role;
use crate::sets::{Member, SetChange, Step, WorkingSet};

/// What the heading of a content takes, and what a line does, in tokens: a path, what is known of it and an id.
const HEADING: usize = 40;
const LINE: usize = 35;
/// Below so many bytes a text is shown again rather than referred to.
pub(super) const WORTH_NAMING: u64 = 200;

#[derive(Debug)]
pub(super) struct Event {
    pub(super) seq: Seq,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    /// The system prompt is another from here on.
    Prompt,
    Turn(Role, Content),
    /// A call is named in the chat.
    Call(ObjectId),
    Step(Step, Vec<ObjectId>),
    /// A version of an object.
    Put(ObjectId, Content),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Content {
    pub(super) hash: Option<ContentHash>,
    bytes: u64,
}

/// Everything in the order in which it was written.
#[derive(Debug)]
pub(super) struct History {
    pub(super) events: Vec<Event>,
}

impl History {
    /// What was known at a time.
    pub(super) fn load(session: &Session, at: AsOf) -> Result<Self> {
        let objects = session.objects();
        let mut events = Vec::new();
        let mut members: HashSet<ObjectId> = HashSet::new();
        for delta in objects.deltas(session.id(), at)? {
            let change: SetChange = serde_json::from_str(&delta.body)
                .map_err(|error| Error::damaged(format!("change {}", delta.seq), error))?;
            let ids = change.ids.iter().map(|id| Ok(id.parse()?)).collect::<Result<Vec<ObjectId>>>()?;
            members.extend(ids.iter().cloned());
            events.push(Event { seq: delta.seq, what: What::Step(change.step, ids) });
        }
        let puts = |ids: &[ObjectId]| -> Result<Vec<VersionHead>> {
            let mut heads = objects.histories(ids)?;
            heads.retain(|head| head.event == VersionKind::Put && is_known(head, at));
            Ok(heads)
        };
        let members: Vec<ObjectId> = members.into_iter().collect();
        events.extend(puts(&members)?.into_iter().map(|head| {
            let content = Content::of(&head);
            Event { seq: head.seq, what: What::Put(head.id, content) }
        }));
        let prompts = puts(std::slice::from_ref(session.system_prompt_id()))?;
        events.extend(prompts.iter().map(|head| Event { seq: head.seq, what: What::Prompt }));
        events.extend(chat(objects, session.chat_id(), at)?);
        events.sort_unstable_by_key(|event| event.seq);
        Ok(History { events })
    }

    pub(super) fn last(&self) -> Seq {
        self.events.last().map(|event| event.seq).unwrap_or_default()
    }

    /// The last event that is folded into the state at the beginning, if so many bytes are taken for a token.
    pub(super) fn fold(&self, budget: usize, bytes: usize) -> Seq {
        let mut walk = Walk::new(budget, bytes);
        self.events.iter().for_each(|event| walk.go(event));
        walk.fold
    }
}

fn is_known(head: &VersionHead, at: AsOf) -> bool {
    let is_learned = match at.system {
        System::Now => true,
        System::Seq(seq) => head.seq <= seq,
        System::Time(time) => head.system <= time,
    };
    let holds = |time: Moment| head.valid_from <= time && time < head.valid_to;
    is_learned && if let Valid::Time(time) = at.valid { holds(time) } else { true }
}

fn chat(objects: &dyn Objects, id: &ObjectId, at: AsOf) -> Result<Vec<Event>> {
    let sizes: HashMap<Seq, Content> = objects.history(id)?.iter().map(|head| (head.seq, Content::of(head))).collect();
    let event = |delta: ai_assist_store::objects::Delta| {
        let change: ChatChange = serde_json::from_str(&delta.body)
            .map_err(|error| Error::damaged(format!("change {}", delta.seq), error))?;
        let what = match change {
            ChatChange::Turn { turn, .. } => {
                let bytes = sizes.get(&delta.seq).map_or(0, |content| content.bytes);
                What::Turn(turn, Content { hash: delta.content_hash, bytes })
            }
            ChatChange::Toolcall { toolcall } => What::Call(toolcall.parse()?),
        };
        Ok(Event { seq: delta.seq, what })
    };
    objects.deltas(id, at)?.into_iter().map(event).collect()
}

impl Content {
    fn of(head: &VersionHead) -> Self {
        Content { hash: head.content_hash, bytes: head.size }
    }
}

/// Goes from fold to fold. Every number is in tokens, as far as bytes tell.
struct Walk<'h> {
    budget: usize,
    bytes: usize,
    sets: WorkingSet,
    current: HashMap<&'h ObjectId, Content>,
    chat: usize,
    /// Calls that the chat names and that are not held yet: no fold comes between.
    open: HashSet<&'h ObjectId>,
    fold: Seq,
    /// What may come after the fold, and what has come.
    room: usize,
    since: usize,
    shown: HashSet<ContentHash>,
    /// The last place where there could be a fold, and what had come by then.
    place: (Seq, usize),
    /// A fold is due at the next such place: what came is too large to be added to anything.
    is_due: bool,
}

impl<'h> Walk<'h> {
    fn new(budget: usize, bytes: usize) -> Self {
        Walk {
            budget,
            bytes,
            sets: WorkingSet::default(),
            current: HashMap::new(),
            chat: 0,
            open: HashSet::new(),
            fold: Seq::default(),
            room: budget,
            since: 0,
            shown: HashSet::new(),
            place: Default::default(),
            is_due: false,
        }
    }

    fn go(&mut self, event: &'h Event) {
        let cost = self.cost(&event.what);
        if self.since + cost > self.room {
            let (place, before) = self.place;
            self.fold_at(place, self.since - before);
            self.is_due |= self.since + cost > self.room;
        }
        self.since += cost;
        self.apply(&event.what);
        if self.open.is_empty() {
            self.place = (event.seq, self.since);
        }
        // A prompt stands before everything.
        if matches!(event.what, What::Prompt) || (self.is_due && self.open.is_empty()) {
            self.fold_at(event.seq, 0);
            self.is_due = false;
        }
    }

    fn fold_at(&mut self, place: Seq, since: usize) {
        self.fold = place;
        self.since = since;
        self.place = (place, 0);
        self.shown.clear();
        self.room = self.budget - self.state().min(self.budget / 2);
    }

    /// What the state as it is now takes, as far as it matters.
    fn state(&self) -> usize {
        let most = self.budget / 2;
        let known = self.chat + self.sets.index().len() * LINE;
        if known >= most {
            return most;
        }
        let held = self.sets.index().filter(|member| member.is_active());
        known + held.map(|member| self.content(&member.id)).sum::<usize>()
    }

    fn content(&self, id: &ObjectId) -> usize {
        self.current.get(id).map_or(LINE, |content| HEADING + self.tokens(*content))
    }

    fn tokens(&self, content: Content) -> usize {
        usize::try_from(content.bytes).unwrap_or(usize::MAX / 4) / self.bytes
    }

    /// What it adds.
    fn cost(&self, what: &What) -> usize {
        match what {
            What::Prompt | What::Call(_) => 0,
            What::Turn(_, content) => LINE + self.tokens(*content),
            What::Put(id, content) => match self.sets.member(id) {
                Some(member) if member.is_active() => self.shown_once(*content),
                Some(member) if member.in_pool() => LINE,
                _ => 0,
            },
            What::Step(Step::Hold | Step::Activate, ids) => ids.iter().map(|id| self.held(id)).sum(),
            What::Step(_, ids) => ids.len() * LINE,
        }
    }

    fn held(&self, id: &ObjectId) -> usize {
        match self.current.get(id) {
            _ if self.sets.member(id).is_some_and(Member::is_active) => 0,
            Some(content) => self.shown_once(*content),
            None => LINE,
        }
    }

    /// A text that has come before is named.
    fn shown_once(&self, content: Content) -> usize {
        match content.hash {
            Some(hash) if self.shown.contains(&hash) => HEADING + LINE,
            _ => HEADING + self.tokens(content),
        }
    }

    fn apply(&mut self, what: &'h What) {
        match what {
            What::Prompt => {}
            What::Turn(_, content) => self.chat += LINE + self.tokens(*content),
            What::Call(id) => {
                self.chat += LINE;
                if self.sets.member(id).is_none() {
                    self.open.insert(id);
                }
            }
            What::Put(id, content) => {
                self.current.insert(id, *content);
                if self.sets.member(id).is_some_and(Member::is_active) {
                    self.show(*content);
                }
            }
            What::Step(step, ids) => {
                for id in ids {
                    self.sets.apply(*step, id);
                    self.open.remove(id);
                    if let (Step::Hold | Step::Activate, Some(content)) = (step, self.current.get(id).copied()) {
                        self.show(content);
                    }
                }
            }
        }
    }

    fn show(&mut self, content: Content) {
        if content.bytes >= WORTH_NAMING {
            self.shown.extend(content.hash);
        }
    }
}
