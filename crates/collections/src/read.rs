//! Listing documents, and reading them back.

use ai_assist_admit::Freshness;
use ai_assist_chunk::OutlineEntry;
use ai_assist_identity::{CollectionId, DocPath, Sha256};
use ai_assist_store::Document;
use ai_assist_text::{Language, LineMap, LineRange};
use serde::Serialize;

use crate::find::freshness;
use crate::reach::{InReach, Once};
use crate::{Error, Library, Members, Result};

/// A document as people name it: `collection/path`, `category/path`, or `path` alone, and perhaps `:lines`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRef {
    /// What stands before the lines.
    pub name: String,
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
    /// The collection's name; the category's where no collection has it; the id where neither is declared here.
    pub collection: String,
    /// The category that it comes from, if it does not come from the collection's own source.
    pub category: Option<String>,
    /// The id of the collection's source or of the category.
    pub collection_id: CollectionId,
    pub document: String,
    /// The file, for collections of type `file`.
    pub file: Option<String>,
    pub title: Option<String>,
    pub language: Language,
    pub encoding: String,
    pub hash: Sha256,
    /// Whether its source is still the same.
    pub freshness: Freshness,
    /// The lines that `text` holds; nothing for an empty document.
    pub lines: Option<LineRange>,
    pub total_lines: usize,
    pub text: String,
}

impl ReadDocument {
    pub fn outline(&self) -> Vec<OutlineEntry> {
        ai_assist_chunk::outline(&self.text, self.language)
    }
}

type FoundIn = (InReach, Document);

impl Library {
    /// Reads a document, or the lines of it that the reference names.
    pub fn read(
        &self,
        members: &Members,
        collections: &[String],
        all: bool,
        reference: &DocumentRef,
    ) -> Result<ReadDocument> {
        let reach = self.reach(members, collections, all || members.is_empty())?;
        let mut found = self.look_up_shown(&reach, &reference.name)?;
        if found.is_empty() {
            found = self.ending_in(&reach, &reference.name)?;
        }
        self.one_of(&reach, found, reference)
    }

    /// The same by its whole name only; nothing where no document has it.
    pub fn read_exactly(&self, members: &Members, reference: &DocumentRef) -> Result<Option<ReadDocument>> {
        let reach = self.reach(members, &[], members.is_empty())?;
        match self.look_up_shown(&reach, &reference.name)? {
            found if found.is_empty() => Ok(None),
            found => self.one_of(&reach, found, reference).map(Some),
        }
    }

    /// The documents that a name may mean as it is, else as listings show it.
    fn look_up_shown(&self, reach: &[InReach], name: &str) -> Result<Vec<FoundIn>> {
        let found = self.look_up(reach, name)?;
        let plain = unescape(name);
        if found.is_empty() && plain != name { self.look_up(reach, &plain) } else { Ok(found) }
    }

    /// The documents whose path ends in a name: `tutorial/cors.md` means `docs/en/tutorial/cors.md` where there is no other.
    fn ending_in(&self, reach: &[InReach], name: &str) -> Result<Vec<FoundIn>> {
        let mut found = Vec::new();
        for collection in reach {
            for info in self.store().list_documents(&collection.id)? {
                let rest = info.path.as_str().strip_suffix(name);
                if rest.is_some_and(|rest| rest.ends_with('/'))
                    && let Some(document) = self.store().document(&collection.id, &info.path)?
                {
                    found.push((collection.clone(), document));
                }
            }
        }
        Ok(each_file_once(found))
    }

    /// The documents that a name may mean. `docs/a.md` with a collection `docs` means that one, even if another has a folder `docs`.
    fn look_up(&self, reach: &[InReach], name: &str) -> Result<Vec<FoundIn>> {
        let prefixed = self.with_prefix(reach, name)?;
        if !prefixed.is_empty() {
            return Ok(prefixed);
        }
        let mut found = Vec::new();
        let Ok(path) = DocPath::parse(name) else { return Ok(found) };
        for collection in reach {
            if let Some(document) = self.store().document(&collection.id, &path)? {
                found.push((collection.clone(), document));
            }
        }
        Ok(each_file_once(found))
    }

    /// The documents that `prefix/path` may mean: a source's before that of a category of this name, and both before those of
    /// the categories of a collection of this name.
    fn with_prefix(&self, reach: &[InReach], name: &str) -> Result<Vec<FoundIn>> {
        let mut found: Vec<(u8, FoundIn)> = Vec::new();
        for collection in reach {
            for (prefix, rank) in collection.prefixes() {
                let Some(path) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/')) else { continue };
                let Ok(path) = DocPath::parse(path) else { continue };
                if let Some(document) = self.store().document(&collection.id, &path)? {
                    found.push((rank, (collection.shown_as(prefix), document)));
                }
            }
        }
        let best = found.iter().map(|(rank, _)| *rank).min();
        let best = found.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, found)| found);
        Ok(each_file_once(best.collect()))
    }

    fn one_of(&self, reach: &[InReach], mut found: Vec<FoundIn>, reference: &DocumentRef) -> Result<ReadDocument> {
        if found.len() > 1 {
            let names = found.iter().map(|found| self.unmistakable(reach, found)).collect::<Result<_>>()?;
            return Err(Error::AmbiguousDocument { path: reference.name.clone(), names });
        }
        let Some((collection, document)) = found.pop() else {
            return Err(Error::UnknownDocument(reference.name.clone()));
        };
        opened(&collection, document, reference)
    }

    /// A name by which a document, and no other, is found.
    fn unmistakable(&self, reach: &[InReach], (collection, document): &FoundIn) -> Result<String> {
        let path = document.path.as_str();
        let own = [collection.category.as_deref(), Some(collection.collection.as_str())].into_iter().flatten();
        for prefix in own.chain(collection.prefixes().map(|(prefix, _)| prefix)) {
            let name = format!("{prefix}/{path}");
            if let [(found, _)] = self.with_prefix(reach, &name)?.as_slice()
                && found.id == collection.id
            {
                return Ok(name);
            }
        }
        Ok(format!("{}/{path}", collection.collection))
    }
}

/// Of several indexes with the same file, the first counts.
fn each_file_once(found: Vec<FoundIn>) -> Vec<FoundIn> {
    let mut once: Vec<FoundIn> = Vec::new();
    for (collection, document) in found {
        let file = collection.file(document.path.as_str());
        let is_known = |(known, other): &FoundIn| {
            let same_index = known.id == collection.id && other.path == document.path;
            same_index || (file.is_some() && known.file(other.path.as_str()) == file)
        };
        if !once.iter().any(is_known) {
            once.push((collection, document));
        }
    }
    once
}

/// A stored document, or the lines of it that a reference names.
pub(crate) fn opened(collection: &InReach, document: Document, reference: &DocumentRef) -> Result<ReadDocument> {
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
    let path = document.path.as_str();
    let lines = (total_lines > 0).then(|| LineRange { start: asked.start, end: asked.end.min(whole.end) });
    Ok(ReadDocument {
        collection: collection.collection.clone(),
        category: collection.category.clone(),
        collection_id: collection.id.clone(),
        document: path.to_owned(),
        freshness: freshness(collection.path.as_deref(), path, document.hash),
        file: collection.file(path).map(|file| file.display().to_string()),
        title: document.title,
        language: document.language,
        encoding: document.encoding,
        hash: document.hash,
        lines,
        total_lines,
        text: document.text.get(bytes).unwrap_or_default().to_owned(),
    })
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

/// A document without its text, named as a [`ReadDocument`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentHead {
    pub collection: String,
    pub category: Option<String>,
    pub collection_id: CollectionId,
    pub document: String,
    pub file: Option<String>,
    pub title: Option<String>,
    pub language: Language,
    pub hash: Sha256,
    /// How many bytes its text has.
    pub bytes: u64,
    pub lines: u64,
    #[serde(skip)]
    root: Option<String>,
}

impl DocumentHead {
    /// Whether its source is still what was indexed. Reads the file.
    pub fn freshness(&self) -> Freshness {
        freshness(self.root.as_deref(), &self.document, self.hash)
    }
}

impl Library {
    /// Every document of some collections and categories, once, by collection and path; of everything that is declared, if no
    /// names are given. What was never synced has none.
    pub fn documents(&self, members: &Members, names: &[String]) -> Result<Vec<DocumentHead>> {
        let reach = self.reach(members, names, members.is_empty())?;
        let reach = self.synced(reach, !names.is_empty(), &mut Vec::new())?;
        let mut once = Once::new(&reach);
        let mut heads = Vec::new();
        for (at, collection) in reach.iter().enumerate() {
            let own = self.heads_of(collection)?;
            heads.extend(own.into_iter().filter(|head| once.is_first(at, &head.document)));
        }
        let key = |head: &DocumentHead| (head.collection.clone(), head.document.clone(), head.category.clone());
        heads.sort_by_cached_key(key);
        Ok(heads)
    }

    /// The documents of one index, by path.
    pub(crate) fn heads_of(&self, collection: &InReach) -> Result<Vec<DocumentHead>> {
        let documents = self.store().list_documents(&collection.id)?;
        let head = |document: ai_assist_store::DocumentInfo| DocumentHead {
            collection: collection.collection.clone(),
            category: collection.category.clone(),
            collection_id: collection.id.clone(),
            file: collection.file(document.path.as_str()).map(|file| file.display().to_string()),
            document: document.path.as_str().to_owned(),
            title: document.title,
            language: document.language,
            hash: document.hash,
            bytes: document.size,
            lines: document.lines,
            root: collection.path.clone(),
        };
        Ok(documents.into_iter().map(head).collect())
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
