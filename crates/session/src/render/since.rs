//! What has happened since a fold, in the order in which it was written. Nothing of it is ever taken back: a later event only adds.

use std::collections::HashMap;

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, ObjectId, System, Version};

use super::held::{Heading, Shown, fenced, heading};
use super::history::{Event, History, WORTH_NAMING, What};
use super::prefix::unframed;
use super::{SINCE, metadata_line};
use crate::Session;
use crate::error::{Error, Result};
use crate::indexer::is_gone;
use crate::object::ObjectKind;
use crate::sets::{Member, Step, WorkingSet};

pub(super) struct Since<'s> {
    session: &'s Session,
    at: AsOf,
    fold: Seq,
    sets: WorkingSet,
    /// The version of each object that is shown in full above.
    shown: HashMap<ObjectId, Seq>,
    /// What the texts are called that are shown above.
    texts: HashMap<ContentHash, String>,
    out: String,
}

impl<'s> Since<'s> {
    /// `sets` and `shown` are those of the state at the fold.
    pub(super) fn new(session: &'s Session, at: AsOf, fold: Seq, sets: WorkingSet, shown: Vec<Shown>) -> Self {
        let out = format!("{SINCE}\n\n");
        let mut since = Since { session, at, fold, sets, shown: HashMap::new(), texts: HashMap::new(), out };
        for Shown { id, version, text } in shown {
            since.shown.insert(id, version);
            if let Some((name, hash)) = text {
                since.texts.entry(hash).or_insert(name);
            }
        }
        since
    }

    pub(super) fn text(mut self, history: &History) -> Result<String> {
        let events: Vec<&Event> = history.events.iter().filter(|event| event.seq > self.fold).collect();
        let mut turns = self.turns(&events)?.into_iter();
        for event in events {
            match &event.what {
                What::Prompt | What::Call(_) => {}
                What::Turn(role, _) => {
                    let text = turns.next().unwrap_or_default();
                    self.heading(&format!("## {}\n\n{}\n\n", role.as_str(), unframed(text.trim_end(), true)));
                }
                What::Put(id, _) => self.put(event.seq, id)?,
                What::Step(step, ids) => ids.iter().try_for_each(|id| self.step(event.seq, *step, id))?,
            }
        }
        self.stale()?;
        Ok(self.out)
    }

    fn turns(&self, events: &[&Event]) -> Result<Vec<String>> {
        let said = events.iter().filter_map(|event| match &event.what {
            What::Turn(_, content) => Some((event.seq, content.hash)),
            _ => None,
        });
        let gone = |seq: Seq| Error::damaged(format!("change {seq}"), "its text is gone");
        let said: Vec<(Seq, ContentHash)> =
            said.map(|(seq, hash)| Ok((seq, hash.ok_or_else(|| gone(seq))?))).collect::<Result<_>>()?;
        let hashes: Vec<ContentHash> = said.iter().map(|(_, hash)| *hash).collect();
        let texts = self.session.objects().texts(&hashes)?;
        said.iter().zip(texts).map(|((seq, _), text)| text.ok_or_else(|| gone(*seq))).collect()
    }

    /// The version that there was after an event.
    fn version(&self, seq: Seq, id: &ObjectId, with_text: bool) -> Result<Option<Version>> {
        let at = AsOf { system: System::Seq(seq), ..self.at };
        Ok(self.session.objects().get_many(std::slice::from_ref(id), at, with_text)?.pop().flatten())
    }

    fn put(&mut self, seq: Seq, id: &ObjectId) -> Result<()> {
        let Some(member) = self.sets.member(id).filter(|member| member.in_pool()) else { return Ok(()) };
        let is_active = member.is_active();
        // One that is put beside what is known of later times changes nothing that there is now.
        let Some(version) = self.version(seq, id, is_active)?.filter(|version| version.head.seq == seq) else {
            return Ok(());
        };
        match is_active && !is_gone(&version) {
            true => self.content(version),
            false => self.line("", &version),
        }
    }

    fn step(&mut self, seq: Seq, step: Step, id: &ObjectId) -> Result<()> {
        let was_active = self.sets.member(id).is_some_and(Member::is_active);
        if !self.sets.apply(step, id) {
            return Ok(());
        }
        let is_held = !was_active && self.sets.member(id).is_some_and(Member::is_active);
        let Some(version) = self.version(seq, id, is_held)? else { return Ok(()) };
        match step {
            Step::Hold | Step::Activate if is_held && self.shown.get(id) == Some(&version.head.seq) => {
                self.line("held again, as above: ", &version)
            }
            Step::Hold | Step::Activate if is_held => self.content(version),
            Step::Hold | Step::Activate | Step::Close | Step::Reopen => Ok(()),
            Step::Meet => self.line("", &version),
            Step::Deactivate => self.line("let go: ", &version),
            Step::Pin => self.line("pinned: ", &version),
            Step::Unpin => self.line("not pinned any more: ", &version),
            Step::Forget => self.line("forgotten: ", &version),
        }
    }

    fn content(&mut self, version: Version) -> Result<()> {
        let id = version.head.id.clone();
        let Some(Heading { name, line, language }) = heading(self.session, &version)? else {
            return self.line("", &version);
        };
        let replaces = self.shown.insert(id, version.head.seq).is_some();
        let mark = if replaces { " [in place of the one above]" } else { "" };
        let above = version.head.content_hash.and_then(|hash| self.above(hash, &version));
        let body = match (&above, version.state.text) {
            (Some(name), _) => format!("(the same text as {name} above)\n\n"),
            (None, Some(text)) => fenced(&text, &language),
            (None, None) => "\n".to_owned(),
        };
        if above.is_none() && version.head.size >= WORTH_NAMING {
            version.head.content_hash.and_then(|hash| self.texts.insert(hash, name));
        }
        self.heading(&format!("{line}{mark}\n{body}"));
        Ok(())
    }

    /// What is shown above with this text. What a tool has read is often numbered by lines.
    fn above(&self, hash: ContentHash, version: &Version) -> Option<String> {
        if version.head.size < WORTH_NAMING {
            return None;
        }
        let is_call = version.head.kind == ObjectKind::Toolcall.as_str();
        let plain = || without_numbers(version.state.text.as_deref()?).filter(|_| is_call);
        let found = self.texts.get(&hash).cloned();
        found.or_else(|| {
            let plain = plain()?;
            let ends = [ContentHash::of(&plain), ContentHash::of(plain.trim_end_matches('\n'))];
            ends.iter().find_map(|hash| self.texts.get(hash).cloned())
        })
    }

    fn heading(&mut self, text: &str) {
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.out.push_str(text);
    }

    fn line(&mut self, what: &str, version: &Version) -> Result<()> {
        self.out.push_str(&format!("- {what}{}\n", metadata_line(self.session, version)?));
        Ok(())
    }

    /// Files that have changed on disk where that could not be written stand last, because the next rendering may have their text.
    fn stale(&mut self) -> Result<()> {
        let ids: Vec<ObjectId> = self.sets.active().into_iter().map(|member| member.id.clone()).collect();
        for id in ids.iter().filter(|id| self.session.is_stale(id)) {
            if let Some(version) =
                self.session.objects().get_many(std::slice::from_ref(id), self.at, false)?.pop().flatten()
            {
                self.line("changed on disk since: ", &version)?;
            }
        }
        Ok(())
    }
}

/// A text whose every line begins with its number, without the numbers, and with an end of the last line.
fn without_numbers(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    for (n, line) in text.lines().enumerate() {
        let (number, rest) = line.split_once(['\u{2192}', '\t'])?;
        if number.trim_start().parse::<usize>().ok()? != n + 1 {
            return None;
        }
        plain.push_str(rest);
        plain.push('\n');
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_lines() {
        assert_eq!(without_numbers("     1\u{2192}a\n     2\u{2192}\tb").as_deref(), Some("a\n\tb\n"));
        assert_eq!(without_numbers("1\ta\n2\t\n").as_deref(), Some("a\n\n"));
        assert_eq!(without_numbers("     1\u{2192}a\n     3\u{2192}b"), None);
        assert_eq!(without_numbers("a\n"), None);
    }
}
