//! What changed between two versions of an object.

use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, Moment, ObjectId, Version, VersionHead, VersionKind};
use similar::TextDiff;

use crate::object::document;
use crate::{Error, Result, Session};

/// Lines around a change.
const AROUND: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Fields of the document that differ, with both values as JSON; the content is not among them.
    pub fields: Vec<(String, String, String)>,
    /// The content, as a unified diff; empty if it is the same.
    pub unified: String,
    pub added: usize,
    pub removed: usize,
}

impl Session {
    /// The puts of an object, by their numbers.
    pub fn puts(&self, id: &ObjectId) -> Result<Vec<Seq>> {
        Ok(puts(&self.objects().history(id)?).collect())
    }

    /// Which versions to compare, the earlier one first: those that are given; else the one that holds now, and the one that held
    /// before the other, as far as is known now. The sequence does not tell, because a correction of the past comes later in it than
    /// what followed. None if nothing held before.
    pub fn compared(&self, id: &ObjectId, from: Option<Seq>, to: Option<Seq>) -> Result<Option<(Seq, Seq)>> {
        let history = self.objects().history(id)?;
        let now = self.objects().get(id, AsOf::default())?.map(|version| version.head.seq);
        let Some(to) = to.or(now).or_else(|| puts(&history).last()) else { return Ok(None) };
        let held = held(&history);
        let before = || match held.iter().rposition(|seq| *seq == to) {
            Some(place) => place.checked_sub(1).map(|place| held[place]),
            // A correction has taken the whole of its place: what was known before it is the next best.
            None => puts(&history).filter(|seq| *seq < to).last(),
        };
        Ok(from.or_else(before).map(|from| (from, to)))
    }

    /// Compares two versions by their numbers.
    pub fn diff(&self, from: Seq, to: Seq) -> Result<Difference> {
        let version = |seq: Seq| -> Result<Version> {
            let unknown = || Error::UnknownObject { session: self.name().to_owned(), name: format!("version {seq}") };
            self.objects().version(seq)?.ok_or_else(unknown)
        };
        let (old, new) = (version(from)?, version(to)?);
        let (before, after) = (document(&old)?, document(&new)?);
        let mut fields = Vec::new();
        for key in before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))) {
            let value = |of: &serde_json::Map<String, serde_json::Value>| {
                of.get(key).map_or("—".to_owned(), ToString::to_string)
            };
            if key != "content" && before.get(key) != after.get(key) {
                fields.push((key.clone(), value(&before), value(&after)));
            }
        }
        let texts = [&old, &new].map(|version| version.state.text.as_deref().unwrap_or_default());
        let diff = TextDiff::configure().timeout(std::time::Duration::from_secs(5)).diff_lines(texts[0], texts[1]);
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        let unified = match texts[0] == texts[1] {
            true => String::new(),
            false => diff
                .unified_diff()
                .context_radius(AROUND)
                .header(&format!("version {from}"), &format!("version {to}"))
                .to_string(),
        };
        let (added, removed) = (count(similar::ChangeTag::Insert), count(similar::ChangeTag::Delete));
        Ok(Difference { fields, unified, added, removed })
    }
}

fn puts(history: &[VersionHead]) -> impl Iterator<Item = Seq> {
    history.iter().filter(|head| head.event == VersionKind::Put).map(|head| head.seq)
}

/// The versions that hold at some time, by what is known now, in the order of these times.
fn held(history: &[VersionHead]) -> Vec<Seq> {
    let mut times: Vec<Moment> = history.iter().flat_map(|head| [head.valid_from, head.valid_to]).collect();
    times.sort_unstable();
    let at = |time: &Moment| {
        let holds = |head: &&VersionHead| (head.valid_from..head.valid_to).contains(time);
        history.iter().filter(|head| head.event != VersionKind::Delta).rfind(holds)
    };
    let mut held: Vec<Seq> =
        times.iter().filter_map(at).filter(|head| head.event == VersionKind::Put).map(|head| head.seq).collect();
    held.dedup();
    held
}
