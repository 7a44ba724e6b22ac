//! The working set: which objects a session has met, knows of, holds and keeps.
//!
//! Four sets with laws: active ⊂ pool ⊂ index, pinned ⊂ pool, and the index only grows. The laws hold after any sequence of
//! changes, because a change that would break one has no effect; so writers that don't know of each other can't break them
//! either.

use std::collections::HashMap;

use ai_assist_store::Seq;
use ai_assist_store::objects::ObjectId;
use serde::{Deserialize, Serialize};

/// A change of the working set: a word and the objects it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetChange {
    #[serde(rename = "set")]
    pub step: Step,
    pub ids: Vec<String>,
}

/// What may be done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// It was read or called: index, pool and active.
    Hold,
    /// It was met: index and pool.
    Meet,
    /// Active, if it is in the pool.
    Activate,
    Deactivate,
    /// Pinned, if it is in the pool.
    Pin,
    Unpin,
    /// Out of the pool, and so of active and pinned; it stays in the index.
    Forget,
    /// The session is over until it is opened again or something else changes. About no object.
    Close,
    /// The session goes on. About no object.
    Reopen,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub id: ObjectId,
    /// The number of the change that it came with; zero as long as that is not written.
    met: Seq,
    /// Since when it is in the pool, as a place in the order of changes.
    pool: Option<u64>,
    active: Option<u64>,
    pinned: Option<u64>,
}

impl Member {
    pub(crate) fn met(&self) -> Seq {
        self.met
    }

    pub fn in_pool(&self) -> bool {
        self.pool.is_some()
    }

    pub fn is_active(&self) -> bool {
        self.active.is_some()
    }

    pub fn is_pinned(&self) -> bool {
        self.pinned.is_some()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkingSet {
    /// The index, in the order in which objects were met.
    members: Vec<Member>,
    places: HashMap<ObjectId, usize>,
    changes: u64,
    closed: bool,
}

impl WorkingSet {
    /// Does a step with one object. False if it changed nothing.
    pub fn apply(&mut self, step: Step, id: &ObjectId) -> bool {
        self.changes += 1;
        let now = Some(self.changes);
        let known = self.places.get(id).copied();
        let member = match (step, known) {
            (_, Some(place)) => &mut self.members[place],
            (Step::Hold | Step::Meet, None) => {
                self.places.insert(id.clone(), self.members.len());
                self.members.push(Member {
                    id: id.clone(),
                    met: Seq::default(),
                    pool: None,
                    active: None,
                    pinned: None,
                });
                let place = self.members.len() - 1;
                &mut self.members[place]
            }
            (_, None) => return false,
        };
        let before = (member.pool, member.active, member.pinned);
        match step {
            Step::Hold => {
                member.pool = member.pool.or(now);
                member.active = member.active.or(now);
            }
            Step::Meet => member.pool = member.pool.or(now),
            Step::Activate if member.in_pool() => member.active = member.active.or(now),
            Step::Pin if member.in_pool() => member.pinned = member.pinned.or(now),
            Step::Activate | Step::Pin | Step::Close | Step::Reopen => {}
            Step::Deactivate => member.active = None,
            Step::Unpin => member.pinned = None,
            Step::Forget => (member.pool, member.active, member.pinned) = (None, None, None),
        }
        known.is_none() || before != (member.pool, member.active, member.pinned)
    }

    /// Takes note of the number of a change, of an object that came with it.
    pub(crate) fn met(&mut self, id: &ObjectId, seq: Seq) {
        if let Some(&place) = self.places.get(id)
            && self.members[place].met == Seq::default()
        {
            self.members[place].met = seq;
        }
    }

    /// Takes note of a step as a whole, besides what it does with objects.
    pub fn note(&mut self, step: Step) {
        self.closed = step == Step::Close;
    }

    /// Whether somebody has closed the session, and nothing was changed since.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Where an object stands, if it was ever met.
    pub fn member(&self, id: &ObjectId) -> Option<&Member> {
        self.places.get(id).map(|&place| &self.members[place])
    }

    /// Everything that was ever met, in that order.
    pub fn index(&self) -> impl ExactSizeIterator<Item = &Member> {
        self.members.iter()
    }

    /// What is known of, in the order in which it came to be.
    pub fn pool(&self) -> Vec<&Member> {
        self.by(|member| member.pool)
    }

    /// What is held, the latest last.
    pub fn active(&self) -> Vec<&Member> {
        self.by(|member| member.active)
    }

    /// What stays, the latest last.
    pub fn pinned(&self) -> Vec<&Member> {
        self.by(|member| member.pinned)
    }

    fn by(&self, since: impl Fn(&Member) -> Option<u64>) -> Vec<&Member> {
        let mut found: Vec<(u64, &Member)> =
            self.members.iter().filter_map(|member| Some((since(member)?, member))).collect();
        // Objects of one change have one place in the order of changes only if they came alone, so this is total.
        found.sort_by_key(|(since, _)| *since);
        found.into_iter().map(|(_, member)| member).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ids<'m>(members: impl IntoIterator<Item = &'m Member>) -> Vec<&'m str> {
        members.into_iter().map(|member| member.id.as_str()).collect()
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::Hold),
            Just(Step::Meet),
            Just(Step::Activate),
            Just(Step::Deactivate),
            Just(Step::Pin),
            Just(Step::Unpin),
            Just(Step::Forget),
        ]
    }

    proptest! {
        #[test]
        fn the_laws_hold_after_any_sequence(steps in prop::collection::vec((step(), 0u8..6), 0..80)) {
            let mut sets = WorkingSet::default();
            // The plainest model: four sets, the laws by hand.
            let [mut index, mut pool, mut active, mut pinned] = [const { BTreeSet::<String>::new() }; 4];
            for (step, object) in steps {
                let id: ObjectId = format!("o{object}").parse().unwrap();
                let before: Vec<String> = ids(sets.index()).into_iter().map(str::to_owned).collect();
                sets.apply(step, &id);
                let name = id.to_string();
                match step {
                    Step::Hold => { index.insert(name.clone()); pool.insert(name.clone()); active.insert(name); }
                    Step::Meet => { index.insert(name.clone()); pool.insert(name); }
                    Step::Activate => if pool.contains(&name) { active.insert(name); },
                    Step::Pin => if pool.contains(&name) { pinned.insert(name); },
                    Step::Deactivate => { active.remove(&name); }
                    Step::Unpin => { pinned.remove(&name); }
                    Step::Forget => { pool.remove(&name); active.remove(&name); pinned.remove(&name); }
                    Step::Close | Step::Reopen => {}
                }
                let set = |members: Vec<&Member>| members.iter().map(|m| m.id.to_string()).collect::<BTreeSet<_>>();
                prop_assert_eq!(&set(sets.index().collect()), &index);
                prop_assert_eq!(&set(sets.pool()), &pool);
                prop_assert_eq!(&set(sets.active()), &active);
                prop_assert_eq!(&set(sets.pinned()), &pinned);
                prop_assert!(active.is_subset(&pool) && pinned.is_subset(&pool) && pool.is_subset(&index));
                // Append-only, in its order too.
                prop_assert!(ids(sets.index()).starts_with(&before.iter().map(String::as_str).collect::<Vec<_>>()));
            }
        }
    }

    #[test]
    fn order_is_that_of_coming() {
        let mut sets = WorkingSet::default();
        let id = |name: &str| name.parse::<ObjectId>().unwrap();
        for (step, name) in [
            (Step::Meet, "a"),
            (Step::Hold, "b"),
            (Step::Hold, "c"),
            (Step::Activate, "a"),
            (Step::Deactivate, "b"),
            (Step::Activate, "b"),
            (Step::Forget, "a"),
            (Step::Meet, "a"),
        ] {
            assert!(sets.apply(step, &id(name)), "{step:?} {name}");
        }
        assert_eq!(ids(sets.index()), ["a", "b", "c"]);
        assert_eq!(ids(sets.pool()), ["b", "c", "a"]);
        assert_eq!(ids(sets.active()), ["c", "b"]);
        assert!(!sets.apply(Step::Hold, &id("c")) && !sets.apply(Step::Activate, &id("nobody")));
    }
}
