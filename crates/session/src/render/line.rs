//! One line for an object.

use ai_assist_store::objects::{ObjectId, Version};

use crate::error::Result;
use crate::indexer::{is_gone, is_stub};
use crate::object::{FileFields, FilesystemSource, ObjectKind, ToolcallFields, fields};
use crate::session::Session;

/// So much of a call's arguments is shown.
const WIDEST: usize = 100;
/// So many digits of an id tell objects of one session apart.
const DIGITS: usize = 12;

/// The end of an id that is enough to name an object by.
pub fn short_id(id: &ObjectId) -> &str {
    let last = id.as_str().rsplit(':').next().unwrap_or_default();
    ai_assist_text::head(last, DIGITS)
}

/// What is known of an object without its content.
pub fn metadata_line(session: &Session, version: &Version) -> Result<String> {
    let id = short_id(&version.head.id);
    Ok(match ObjectKind::of(&version.head.kind) {
        Some(ObjectKind::Toolcall) => format!("toolcall {} {id}", called(&fields(version)?)),
        _ => {
            let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
            format!("file {} {} {id}", on_one_line(&session.shown(&source)), state(version)?)
        }
    })
}

pub(super) fn state(version: &Version) -> Result<String> {
    if is_gone(version) {
        return Ok("[deleted]".to_owned());
    }
    if is_stub(version) {
        return Ok("[unread]".to_owned());
    }
    let FileFields { file_type, char_count } = fields(version)?;
    Ok(match version.head.content_hash {
        Some(_) => format!("({file_type}, {char_count} chars)"),
        None => "[binary]".to_owned(),
    })
}

pub(super) fn called(fields: &ToolcallFields) -> String {
    let mut line = format!("{} {}", on_one_line(&fields.tool), fields.status.as_str());
    if let Some(display) = fields.args_display.as_deref().filter(|display| !display.trim().is_empty()) {
        let display = on_one_line(display.trim());
        let cut = ai_assist_text::head(&display, WIDEST);
        line.push_str(&format!(": {cut}{}", if cut.len() < display.len() { "…" } else { "" }));
    }
    line
}

/// Nothing of a name may look like a line of its own.
pub(super) fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}
