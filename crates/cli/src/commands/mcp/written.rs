//! What was done with a file of a client: its settings, its hooks, its rules.

use ai_assist_clients::{Client, Kind, Written};
use serde_json::Map;

use crate::commands::prelude::*;

pub(crate) struct FileReport {
    pub(crate) client: Client,
    /// What was put there or taken out, as it stands in a sentence.
    pub(crate) what: String,
    pub(crate) file: PathBuf,
    /// What belongs into the file; none where it was to be taken out.
    pub(crate) snippet: Option<String>,
    /// None if it was only to be printed.
    pub(crate) written: Option<Written>,
    pub(crate) notes: Vec<String>,
}

impl FileReport {
    /// Prints it. As JSON, `more` stands beside what all of these reports have.
    pub(crate) fn print(&self, terminal: Terminal, more: Value) -> Result<()> {
        if terminal.json { terminal.json(&self.json(more)) } else { self.say(terminal) }
    }

    pub(crate) fn json(&self, more: Value) -> Value {
        let status = self.written.as_ref().map_or(json!("printed"), |written| json!(written.kind));
        let mut value = Map::from_iter([
            ("client".to_owned(), json!(self.client)),
            ("file".to_owned(), json!(self.file.display().to_string())),
            ("status".to_owned(), status),
            ("backup".to_owned(), json!(self.backup())),
            ("snippet".to_owned(), json!(self.snippet)),
            ("notes".to_owned(), json!(self.notes)),
        ]);
        if let Value::Object(more) = more {
            value.extend(more);
        }
        Value::Object(value)
    }

    pub(crate) fn say(&self, terminal: Terminal) -> Result<()> {
        let (what, shown) = (&self.what, self.file.display());
        match self.written.as_ref().map(|written| written.kind) {
            None => {
                terminal.write(self.snippet.as_deref().unwrap_or_default())?;
                terminal.note(format!("This belongs into {shown}; --write puts it there."))?;
            }
            Some(Kind::Added) => terminal.say(format!("Added {what} to {shown}"))?,
            Some(Kind::Replaced) => terminal.say(format!("Replaced {what} in {shown}"))?,
            Some(Kind::Removed) => terminal.say(format!("Removed {what} from {shown}"))?,
            Some(Kind::Unchanged) if self.snippet.is_none() => {
                terminal.say(format!("Unchanged: {shown} does not have {what}"))?;
            }
            Some(Kind::Unchanged) => terminal.say(format!("Unchanged: {shown} has {what} already"))?,
        }
        if let Some(backup) = self.backup() {
            terminal.note(format!("Before: {backup}"))?;
        }
        self.notes.iter().try_for_each(|note| terminal.note(note))
    }

    fn backup(&self) -> Option<String> {
        self.written.as_ref().and_then(|written| written.backup.as_ref()).map(|backup| backup.display().to_string())
    }
}
