//! Looking for damage.

use ai_assist_identity::Sha256;
use rusqlite::{Connection, params};

use crate::contents::unpack;
use crate::error::Defect;

use super::fault::{Fault, Result};
use super::objects::check::{self as objects, Flaw};
use super::row::{CHUNK, HEAD, chunk, collection_id, doc_path, head, language, text};

/// Something wrong, with what mending it needs.
#[derive(Debug)]
pub(super) enum Finding {
    /// SQLite's own structures. Nothing behind it can be looked at.
    Structure(String),
    /// Rows whose parents are not there.
    Dangling { table: String, parent: String, rows: u64 },
    /// A document that can't be read as it was written.
    Broken { document: i64, collection: String, path: String, reason: String },
    /// A removal that can't be read.
    BadTombstone { seq: i64, collection: String },
    /// Texts of no document.
    Unused { contents: u64 },
    /// A collection whose own row can't be read.
    BadCollection { id: String, reason: String },
    /// Counters that disagree with what they count.
    Counters { collection: String, reason: String },
    /// A sequence that would give out numbers again.
    Sequence { stored: Option<i64>, highest: i64 },
    /// Something about objects.
    Objects(Flaw),
}

impl Finding {
    pub(super) fn defect(&self) -> Defect {
        let (message, repairable) = match self {
            // An index can be made anew from its table; a table can't.
            Finding::Structure(detail) => (format!("The file is damaged: {detail}."), detail.contains(" index ")),
            Finding::Dangling { table, parent, rows } => {
                (format!("{rows} rows of `{table}` belong to nothing in `{parent}`."), true)
            }
            Finding::Broken { collection, path, reason, .. } => {
                (format!("The document `{path}` of {collection} is damaged: {reason}."), true)
            }
            Finding::BadTombstone { seq, collection } => {
                (format!("The removal {seq} in {collection} can't be read."), true)
            }
            Finding::Unused { contents } => (format!("{contents} stored texts belong to no document."), true),
            Finding::BadCollection { id, reason } => (format!("The collection {id} can't be read: {reason}."), false),
            Finding::Counters { collection, reason } => {
                (format!("The counters of {collection} are wrong: {reason}."), true)
            }
            Finding::Sequence { stored: None, .. } => ("The sequence is missing.".to_owned(), true),
            Finding::Sequence { stored: Some(stored), highest } => {
                (format!("The sequence stands at {stored}, but {highest} was given out."), true)
            }
            Finding::Objects(flaw) => return flaw.defect(),
        };
        let of_file = !repairable && matches!(self, Finding::Structure(_));
        Defect { message, repairable, of_file }
    }
}

pub(super) fn inspect(db: &Connection) -> Result<Vec<Finding>> {
    let mut findings = structure(db)?;
    if findings.is_empty() {
        dangling(db, &mut findings)?;
        sequence(db, &mut findings)?;
        collections(db, &mut findings)?;
        tombstones(db, &mut findings)?;
        let mut flaws = Vec::new();
        objects::inspect(db, &mut flaws)?;
        contents(db, &mut findings, &mut flaws)?;
        findings.extend(flaws.into_iter().map(Finding::Objects));
    }
    Ok(findings)
}

pub(super) fn structure(db: &Connection) -> Result<Vec<Finding>> {
    let mut statement = db.prepare("PRAGMA integrity_check")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").map(Finding::Structure).collect())
}

fn dangling(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let mut statement =
        db.prepare("SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        // A document or a version without its text is broken, and reported by name.
        if parent != "contents" || table == "replaced_texts" {
            findings.push(Finding::Dangling { table, parent, rows: row.get::<_, i64>(2)?.unsigned_abs() });
        }
    }
    Ok(())
}

/// The greatest number in use anywhere.
pub(super) const HIGHEST: &str = "SELECT max(
    coalesce((SELECT max(seq) FROM reference_documents), 0),
    coalesce((SELECT max(id) FROM reference_documents), 0),
    coalesce((SELECT max(seq) FROM tombstones), 0),
    coalesce((SELECT max(document) FROM tombstones), 0),
    coalesce((SELECT max(seq) FROM collection_state), 0),
    coalesce((SELECT max(pruned) FROM collection_state), 0),
    coalesce((SELECT max(seq) FROM object_events), 0),
    coalesce((SELECT max(after + writes) FROM object_requests), 0))";

fn sequence(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let stored: Option<i64> = db.query_row("SELECT max(value) FROM sequence", [], |row| row.get(0))?;
    let highest: i64 = db.query_row(HIGHEST, [], |row| row.get(0))?;
    if stored.is_none_or(|stored| stored < highest) {
        findings.push(Finding::Sequence { stored, highest });
    }
    Ok(())
}

fn collections(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let mut statement = db.prepare(
        "SELECT id, type, manifest_hash, s.documents, s.chunks, s.bytes, s.seq, s.pruned,
           (SELECT count(*) FROM reference_documents d WHERE d.collection_number = c.number),
           (SELECT count(*) FROM reference_documents d JOIN reference_document_chunks ON document = d.id
            WHERE d.collection_number = c.number),
           (SELECT coalesce(sum(d.size), 0) FROM reference_documents d WHERE d.collection_number = c.number),
           max(coalesce((SELECT max(d.seq) FROM reference_documents d WHERE d.collection_number = c.number), 0),
               coalesce((SELECT max(t.seq) FROM tombstones t WHERE t.collection = c.id), 0))
         FROM collections c LEFT JOIN collection_state s ON s.collection = c.id ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let hash: Option<String> = row.get(2)?;
        let bad_hash = hash.is_some_and(|hash| hash.parse::<Sha256>().is_err());
        let mut bad = |reason: &str| {
            findings.push(Finding::BadCollection { id: id.clone(), reason: reason.to_owned() });
        };
        match collection_id(&id) {
            Err(_) => bad("its id is none"),
            Ok(parsed) if parsed.kind().as_str() != text(row, 1)? => bad("its type is not its id's"),
            Ok(_) if bad_hash => bad("the hash of its manifest is none"),
            Ok(_) => {}
        }
        let stored: [Option<i64>; 5] = [row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?];
        let counted: [i64; 4] = [row.get(8)?, row.get(9)?, row.get(10)?, row.get(11)?];
        if let Some(reason) = disagreement(stored, counted) {
            findings.push(Finding::Counters { collection: id, reason });
        }
    }
    Ok(())
}

fn disagreement(stored: [Option<i64>; 5], counted: [i64; 4]) -> Option<String> {
    let [Some(documents), Some(chunks), Some(bytes), Some(seq), Some(pruned)] = stored else {
        return Some("they are missing".to_owned());
    };
    for (name, stored, counted) in
        [("documents", documents, counted[0]), ("chunks", chunks, counted[1]), ("bytes", bytes, counted[2])]
    {
        if stored != counted {
            return Some(format!("{stored} {name} are noted, {counted} are there"));
        }
    }
    if seq < counted[3] {
        return Some(format!("its last change is noted as {seq}, but there is {}", counted[3]));
    }
    (pruned > seq).then(|| format!("it is pruned up to {pruned}, but its last change is {seq}"))
}

fn tombstones(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let mut statement = db.prepare("SELECT seq, collection, path FROM tombstones ORDER BY seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if doc_path(text(row, 2)?).is_err() {
            findings.push(Finding::BadTombstone { seq: row.get(0)?, collection: row.get(1)? });
        }
    }
    Ok(())
}

/// Every text once, and with it every document and object that uses it.
fn contents(db: &Connection, findings: &mut Vec<Finding>, flaws: &mut Vec<Flaw>) -> Result<()> {
    let mut statement = db.prepare("SELECT id, hash, size, codec, data FROM contents ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut unused = 0;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let hash: Vec<u8> = row.get(1)?;
        let data = row.get_ref(4)?;
        let data = data.as_blob().map_err(|error| Fault::Corrupt(error.to_string()))?;
        let codec = row.get(3)?;
        let text = unpack(codec, row.get(2)?, data).and_then(|text| {
            let same = Sha256::of(text.as_bytes()).as_bytes().as_slice() == hash;
            if same { Ok(text) } else { Err("a text that does not have its hash".to_owned()) }
        });
        let text = text.as_deref().map_err(String::as_str);
        let named = objects::names(db, id, codec, text, flaws)?;
        if documents(db, Some(id), text, findings)? == 0 && !named && !replaced(db, id)? {
            unused += 1;
        }
    }
    if unused > 0 {
        findings.push(Finding::Unused { contents: unused });
    }
    documents(db, None, Err("no text"), findings)?;
    Ok(())
}

/// Whether it is the text that a document had before its last change.
fn replaced(db: &Connection, content: i64) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM replaced_texts WHERE content = ?1")?;
    Ok(statement.exists([content])?)
}

/// The documents of one content, or those whose content is not there. Answers how many.
fn documents(
    db: &Connection,
    content: Option<i64>,
    found: Result<&str, &str>,
    findings: &mut Vec<Finding>,
) -> Result<u64> {
    let condition = match content {
        Some(_) => "content = ?1",
        None => "?1 IS NULL AND content NOT IN (SELECT id FROM contents)",
    };
    let sql = format!(
        "SELECT {HEAD}, coalesce((SELECT c.id FROM collections c WHERE c.number = collection_number), ''), size, chunks, language
         FROM reference_documents WHERE {condition} ORDER BY id"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params![content])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        let document = row.get(0)?;
        let reason = match (head(row), found) {
            (Err(Fault::Corrupt(reason)), _) => Some(reason),
            (Err(other), _) => return Err(other),
            (Ok(_), Err(reason)) => Some(format!("it has {reason}")),
            (Ok(_), Ok(found)) if row.get::<_, i64>(10)? != found.len() as i64 => {
                Some(format!("its text has {} bytes", found.len()))
            }
            (Ok(_), Ok(found)) => {
                let wrong = chunks(db, document, found, row.get(11)?, language(text(row, 12)?));
                wrong.or_else(|fault| objects::corrupt(Err::<(), _>(fault)))?
            }
        };
        if let Some(reason) = reason {
            let (collection, path) = (row.get(9)?, row.get(1)?);
            findings.push(Finding::Broken { document, collection, path, reason });
        }
    }
    Ok(count)
}

fn chunks(
    db: &Connection,
    document: i64,
    text: &str,
    expected: i64,
    of: ai_assist_text::Language,
) -> Result<Option<String>> {
    let sql = format!("SELECT {CHUNK}, ordinal FROM reference_document_chunks WHERE document = ?1 ORDER BY ordinal");
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([document])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let chunk = chunk(row, of)?;
        if row.get::<_, i64>(8)? != count {
            return Ok(Some(format!("chunk {count} is missing")));
        }
        let Some(piece) = text.get(chunk.bytes) else {
            return Ok(Some(format!("chunk {count} is not a piece of it")));
        };
        if chunk.hash.is_some_and(|hash| hash.0 != Sha256::of(piece.as_bytes())) {
            return Ok(Some(format!("chunk {count} does not have its hash")));
        }
        count += 1;
    }
    Ok((count != expected).then(|| format!("{expected} chunks are noted, {count} are there")))
}
