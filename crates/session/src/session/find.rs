//! Objects by the names that people and agents have for them.

use std::path::Path;

use ai_assist_store::objects::ObjectId;

use super::Session;
use crate::error::{Error, Result};

/// A shorter beginning of an id says too little.
const SHORTEST: usize = 4;
const SHOWN: usize = 5;

impl Session {
    /// The object that a name stands for: its id or the start of it, `chat`, `system_prompt` or `session`, a path, or the end of a
    /// path.
    pub fn find(&self, name: &str) -> Result<ObjectId> {
        let own = match name {
            "chat" => Some(&self.chat_id),
            "system_prompt" => Some(&self.prompt_id),
            "session" => Some(&self.id),
            _ => None,
        };
        if let Some(id) = own {
            return Ok(id.clone());
        }
        if let Some(id) = self.by_whole_id(name).or_else(|| self.by_path(name)) {
            return Ok(id);
        }
        if let Some(id) = self.by_start_of_id(name)? {
            return Ok(id);
        }
        self.by_end_of_path(name)
    }

    /// What people call an object.
    pub(crate) fn name_of(&self, id: &ObjectId) -> Result<String> {
        let version = self.stored(std::slice::from_ref(id))?.pop();
        Ok(match version {
            Some((_, source)) => self.shown(&source),
            None => id.to_string(),
        })
    }

    fn by_whole_id(&self, name: &str) -> Option<ObjectId> {
        let id: ObjectId = name.parse().ok()?;
        let is_own = [&self.id, &self.chat_id, &self.prompt_id].contains(&&id);
        (is_own || self.sets.member(&id).is_some()).then_some(id)
    }

    fn by_start_of_id(&self, name: &str) -> Result<Option<ObjectId>> {
        if name.len() < SHORTEST {
            return Ok(None);
        }
        let starts = |id: &ObjectId| {
            let id = id.as_str();
            id.starts_with(name)
                || id.strip_prefix("sha256:").is_some_and(|hex| hex.starts_with(name))
                || id.rsplit_once(':').is_some_and(|(kind, key)| kind.starts_with("toolcall") && key.starts_with(name))
        };
        let found: Vec<&ObjectId> = self.sets.index().map(|member| &member.id).filter(|id| starts(id)).collect();
        one_of(name, found.iter().map(|id| ((*id).clone(), id.to_string())).collect())
    }

    fn by_path(&self, name: &str) -> Option<ObjectId> {
        let place = self.place(Path::new(name)).ok()?;
        let id = place.source.object_id().ok()?;
        self.sets.member(&id).map(|member| member.id.clone())
    }

    fn by_end_of_path(&self, name: &str) -> Result<ObjectId> {
        let end = Path::new(name);
        let files = self.files_from(0)?;
        let found = files.into_iter().filter(|(_, source)| source.to_path_buf().ends_with(end));
        let found = found.map(|(version, source)| (version.head.id, self.shown(&source))).collect();
        one_of(name, found)?
            .ok_or_else(|| Error::UnknownObject { session: self.name.to_string(), name: name.to_owned() })
    }
}

/// The only one of some candidates.
fn one_of(name: &str, mut found: Vec<(ObjectId, String)>) -> Result<Option<ObjectId>> {
    if found.len() > 1 {
        let candidates = found.into_iter().take(SHOWN).map(|(_, shown)| shown).collect();
        return Err(Error::Ambiguous { name: name.to_owned(), candidates });
    }
    Ok(found.pop().map(|(id, _)| id))
}
