//! What changed between two versions of an object.

use ai_assist_store::Seq;
use ai_assist_store::objects::{Version, VersionKind};
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
    pub fn puts(&self, id: &ai_assist_store::objects::ObjectId) -> Result<Vec<Seq>> {
        let history = self.objects().history(id)?;
        Ok(history.iter().filter(|head| head.event == VersionKind::Put).map(|head| head.seq).collect())
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
