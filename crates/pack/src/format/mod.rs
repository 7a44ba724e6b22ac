//! The pack as bytes: JSON and MessagePack to be read back, Markdown and XML to be pasted into a chat.
//!
//! No text of a file can forge structure. JSON and MessagePack escape or measure by nature; XML escapes; Markdown chooses
//! fences that do not occur inside. In all three text forms every file and every line of the list of files starts on a
//! line of its own, with a mark at which the tokenizer cuts in any case: so the tokens of the parts add up to those of
//! the whole.

mod json;
mod markdown;
mod split;
mod xml;

use std::io::Write;

use rayon::prelude::*;

use crate::PackError;
use crate::tokens::{Meter, TokenCounter};
use crate::types::{ContextPack, FileContent, FileIndexEntry, FileOutline, FullPack, KeyFile, SummaryPack};

pub(crate) use ai_assist_base::json::word;
pub(crate) use json::line;
pub use split::split;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    Json,
    MessagePack,
    Markdown,
    /// For a chat with a model that is used to it.
    Xml,
}

pub type Rendered = Vec<u8>;

/// Takes a pack's text piece by piece.
type Sink<'a> = &'a mut dyn FnMut(&str) -> Result<(), PackError>;

/// Writes to a string, which can't fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => { let _ = write!($out, $($arg)*); };
}
use put;

/// How many entries are written at once: enough for all cores, and few enough to hold.
const BATCH: usize = 256;

/// A pack of either kind, not owned.
#[derive(Clone, Copy)]
pub(crate) enum PackRef<'a> {
    Full(&'a FullPack),
    Summary(&'a SummaryPack),
}

impl<'a> From<&'a ContextPack> for PackRef<'a> {
    fn from(pack: &'a ContextPack) -> Self {
        match pack {
            ContextPack::Full(pack) => PackRef::Full(pack),
            ContextPack::Summary(pack) => PackRef::Summary(pack),
        }
    }
}

/// A file in a pack, with its text or its outline.
#[derive(Clone, Copy)]
pub(crate) enum FileRef<'a> {
    Key(&'a KeyFile),
    Content(&'a FileContent),
    Outline(&'a FileOutline),
}

impl FileRef<'_> {
    pub(crate) fn content(&self) -> &str {
        match self {
            FileRef::Key(file) => &file.content,
            FileRef::Content(file) => &file.content,
            FileRef::Outline(file) => &file.outline,
        }
    }

    pub(crate) fn path(&self) -> &str {
        match self {
            FileRef::Key(file) => &file.path,
            FileRef::Content(file) => &file.path,
            FileRef::Outline(file) => &file.path,
        }
    }

    fn truncated(&self) -> bool {
        match self {
            FileRef::Key(file) => file.truncated,
            FileRef::Content(file) => file.truncated,
            FileRef::Outline(_) => false,
        }
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "JSON",
            Format::MessagePack => "MessagePack",
            Format::Markdown => "Markdown",
            Format::Xml => "XML",
        }
    }

    /// One file as it stands in the pack. MessagePack is no text; what a model is shown of it is the JSON.
    pub(crate) fn file(self, file: FileRef<'_>) -> Result<String, PackError> {
        match self {
            Format::Json | Format::MessagePack => json::file(file),
            Format::Markdown => Ok(markdown::file(file)),
            Format::Xml => Ok(xml::file(file)),
        }
    }

    /// One line of the list of files.
    pub(crate) fn index_entry(self, entry: &FileIndexEntry) -> Result<String, PackError> {
        match self {
            Format::Json | Format::MessagePack => line(entry),
            Format::Markdown => Ok(markdown::index_entry(entry)),
            Format::Xml => Ok(xml::index_entry(entry)),
        }
    }

    pub(crate) fn text(self, pack: PackRef<'_>) -> Result<String, PackError> {
        let mut out = String::new();
        self.pieces(pack, &mut |piece| {
            out.push_str(piece);
            Ok(())
        })?;
        Ok(out)
    }

    /// The whole pack as text, piece by piece, so that it need not be held.
    fn pieces(self, pack: PackRef<'_>, sink: Sink<'_>) -> Result<(), PackError> {
        match self {
            Format::Json | Format::MessagePack => json::pack(pack, sink),
            Format::Markdown => markdown::pack(pack, sink),
            Format::Xml => xml::pack(pack, sink),
        }
    }
}

pub fn render(pack: &ContextPack, format: Format) -> Result<Rendered, PackError> {
    if format == Format::MessagePack {
        return rmp_serde::to_vec_named(pack)
            .map_err(|error| PackError::Write { format: format.name(), message: error.to_string() });
    }
    Ok(format.text(pack.into())?.into_bytes())
}

/// Writes a pack without holding its bytes; they are the same as those of [`render`]. Says how many tokens they have, if
/// there is a counter. MessagePack is no text: its tokens are those of the JSON that a model is shown of it.
pub fn render_to(
    pack: &ContextPack,
    format: Format,
    out: &mut dyn Write,
    counter: Option<&TokenCounter>,
) -> Result<Option<usize>, PackError> {
    let is_text = format != Format::MessagePack;
    if !is_text {
        rmp_serde::encode::write_named(out, pack).map_err(|error| match error {
            rmp_serde::encode::Error::InvalidValueWrite(error) => PackError::Output { source: error.into() },
            error => PackError::Write { format: format.name(), message: error.to_string() },
        })?;
        if counter.is_none() {
            return Ok(None);
        }
    }
    let mut meter = counter.map(Meter::new);
    format.pieces(pack.into(), &mut |piece| {
        meter.iter_mut().for_each(|meter| meter.add(piece));
        if is_text { out.write_all(piece.as_bytes()).map_err(|source| PackError::Output { source }) } else { Ok(()) }
    })?;
    Ok(meter.map(Meter::finish))
}

pub fn deserialize(bytes: &[u8], format: Format) -> Result<ContextPack, PackError> {
    let name = format.name();
    let read = match format {
        Format::Json => serde_json::from_slice(bytes).map_err(|error| error.to_string()),
        Format::MessagePack => rmp_serde::from_slice(bytes).map_err(|error| error.to_string()),
        Format::Markdown | Format::Xml => return Err(PackError::NotReadable { format: name }),
    };
    read.map_err(|message| PackError::Read { format: name, message })
}

/// Writes files on all cores, in their order.
fn blocks<'a, T: Sync>(
    sink: Sink<'_>,
    files: &'a [T],
    as_file: impl Fn(&'a T) -> FileRef<'a> + Sync,
    written: fn(FileRef<'_>) -> String,
) -> Result<(), PackError> {
    for batch in files.chunks(BATCH) {
        let blocks: Vec<String> = batch.par_iter().map(|each| written(as_file(each))).collect();
        blocks.iter().try_for_each(|block| sink(block))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
