//! Reading documents back.

use ai_assist_admit::Freshness;
use ai_assist_chunk::OutlineEntry;
use ai_assist_identity::{CollectionId, DocPath, Sha256};
use ai_assist_text::{Language, LineMap, LineRange};
use serde::Serialize;

use crate::find::{InReach, file_of, freshness};
use crate::library::Library;
use crate::source::Member;
use crate::{Error, Result};

/// A document as people name it: `collection/path`, or `path` alone, and perhaps `:lines`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRef {
    /// What stands before the lines.
    pub name: String,
    /// The lines.
    pub lines: Option<LineRange>,
}

impl DocumentRef {
    /// Reads a reference. A suffix that is not a range of lines belongs to the name.
    pub fn parse(text: &str) -> Self {
        if let Some((name, lines)) = text.rsplit_once(':')
            && let Ok(lines) = lines.parse()
            && !name.is_empty()
        {
            return DocumentRef { name: name.to_owned(), lines: Some(lines) };
        }
        DocumentRef { name: text.to_owned(), lines: None }
    }
}

/// A document, or some of its lines.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadDocument {
    /// The collection's name.
    pub collection: String,
    /// The collection's id.
    pub collection_id: CollectionId,
    /// The document's path.
    pub document: String,
    /// The file, for collections of type `file`.
    pub file: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its language.
    pub language: Language,
    /// The encoding it was read in.
    pub encoding: String,
    /// The hash of its source.
    pub hash: Sha256,
    /// Whether its source is still the same.
    pub freshness: Freshness,
    /// The lines that `text` holds; nothing for an empty document.
    pub lines: Option<LineRange>,
    /// How many lines the whole has.
    pub total_lines: usize,
    /// The text.
    pub text: String,
}

impl ReadDocument {
    /// Its headings or definitions.
    pub fn outline(&self) -> Vec<OutlineEntry> {
        ai_assist_chunk::outline(&self.text, self.language)
    }
}

impl Library {
    /// Reads a document, or the lines of it that the reference names.
    ///
    /// # Errors
    ///
    /// If there is no such document, or several.
    pub fn read(
        &self,
        members: &[Member],
        collections: &[String],
        all: bool,
        reference: &DocumentRef,
    ) -> Result<ReadDocument> {
        let reach = self.reach(members, collections, all || members.is_empty())?;
        let found = self.look_up(&reach, reference)?;
        let shown = DocumentRef { name: unescape(&reference.name), lines: reference.lines };
        if found.is_empty() && shown != *reference {
            return self.reading(self.look_up(&reach, &shown)?, &shown);
        }
        self.reading(found, reference)
    }

    fn look_up(&self, reach: &[InReach], reference: &DocumentRef) -> Result<Vec<(InReach, ai_assist_store::Document)>> {
        let mut found: Vec<(InReach, ai_assist_store::Document)> = Vec::new();
        for collection in reach {
            let in_collection = reference.name.strip_prefix(&collection.name).and_then(|rest| rest.strip_prefix('/'));
            for path in [in_collection, Some(reference.name.as_str())].into_iter().flatten() {
                let Ok(path) = DocPath::parse(path) else { continue };
                if let Some(document) = self.store().document(&collection.id, &path)? {
                    let exact = in_collection == Some(path.as_str());
                    if exact {
                        // `docs/a.md` with a collection `docs` means that one, even if another has a folder `docs`.
                        return Ok(vec![(collection.clone(), document)]);
                    }
                    found.push((collection.clone(), document));
                }
            }
        }
        Ok(found)
    }

    fn reading(
        &self,
        mut found: Vec<(InReach, ai_assist_store::Document)>,
        reference: &DocumentRef,
    ) -> Result<ReadDocument> {
        if found.len() > 1 {
            let names = found.iter().map(|(collection, _)| format!("{}/{}", collection.name, reference.name)).collect();
            return Err(Error::AmbiguousDocument { path: reference.name.clone(), names });
        }
        let Some((collection, document)) = found.pop() else {
            return Err(Error::UnknownDocument(reference.name.clone()));
        };
        let map = LineMap::new(&document.text);
        let total_lines = map.count();
        let whole = LineRange { start: 1, end: u32::try_from(total_lines).unwrap_or(u32::MAX) };
        let asked = reference.lines.unwrap_or(whole);
        let bytes = match map.bytes_of(asked) {
            Some(bytes) => bytes,
            None if reference.lines.is_none() => 0..0,
            None => {
                let (path, asked) = (reference.name.clone(), asked.to_string());
                return Err(Error::NoSuchLines { path, lines: total_lines, asked });
            }
        };
        let file = file_of(collection.path.as_deref(), document.path.as_str());
        let lines = (total_lines > 0).then(|| LineRange { start: asked.start, end: asked.end.min(whole.end) });
        Ok(ReadDocument {
            collection: collection.name,
            collection_id: collection.id,
            document: document.path.as_str().to_owned(),
            freshness: freshness(collection.path.as_deref(), document.path.as_str(), document.hash),
            file: file.map(|file| file.display().to_string()),
            title: document.title,
            language: document.language,
            encoding: document.encoding,
            hash: document.hash,
            lines,
            total_lines,
            text: document.text[bytes].to_owned(),
        })
    }
}

/// A name as listings show it, back to what it is: there control characters are written `\n`, `\t`, `\u{1b}`.
fn unescape(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = escaped(rest).unwrap_or(('\\', 1));
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}

/// The control character that an escape at the start of a text stands for, and the escape's length.
fn escaped(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().get(1)? {
        b'n' => Some(('\n', 2)),
        b't' => Some(('\t', 2)),
        b'r' => Some(('\r', 2)),
        b'u' => {
            let digits = text.strip_prefix("\\u{")?.split_once('}')?.0;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((c, digits.len() + 4))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_names_are_read_back() {
        for name in ["plain.md", "two\nlines.md", "tab\there", "esc\u{1b}[0m", "a\u{7f}b"] {
            let shown: String = name
                .chars()
                .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
                .collect();
            assert_eq!(unescape(&shown), name);
        }
        for odd in ["a\\", "\\x", "\\u{zz}", "\\u{110000}", "\\u{"] {
            assert_eq!(unescape(odd), odd);
        }
    }

    #[test]
    fn references_are_read() {
        for (text, name, lines) in [
            ("docs/a.md", "docs/a.md", None),
            ("docs/a.md:3", "docs/a.md", Some("3")),
            ("docs/a.md:3-9", "docs/a.md", Some("3-9")),
            ("odd:name", "odd:name", None),
            ("odd:name:2", "odd:name", Some("2")),
            (":2", ":2", None),
        ] {
            let reference = DocumentRef::parse(text);
            assert_eq!((reference.name.as_str(), reference.lines), (name, lines.map(|l| l.parse().unwrap())), "{text}");
        }
    }
}
