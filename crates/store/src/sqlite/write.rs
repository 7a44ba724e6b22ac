//! Batches of changes in.

use ai_assist_base::FileStamp;
use ai_assist_identity::{CollectionId, DocPath};
use jiff::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use crate::{Applied, Change, CollectionState, DocumentId, Error, PreparedDocument, Seq};

use super::collections;
use super::fault::{Fault, Result};
use super::row::int;

/// Any table that comes to hold contents must be asked here too; until it is, its foreign key makes this fail rather
/// than lose a text.
pub(super) const FREE_CONTENT: &str = "DELETE FROM contents WHERE id = ?1
     AND NOT EXISTS (SELECT 1 FROM reference_documents WHERE content = ?1)
     AND NOT EXISTS (SELECT 1 FROM replaced_texts WHERE content = ?1)
     AND NOT EXISTS (SELECT 1 FROM object_events WHERE content = ?1)";

/// Answers with the row's id, unless the text is there. One that was lost comes back with this.
pub(super) const ADD_CONTENT: &str = "INSERT INTO contents (hash, size, codec, data) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (hash) DO UPDATE SET size = excluded.size, codec = excluded.codec, data = excluded.data
     WHERE contents.codec = 2 RETURNING id";

pub(super) const FIND_CONTENT: &str = "SELECT id FROM contents WHERE hash = ?1";

pub(super) fn apply(db: &Connection, id: &CollectionId, changes: &[Change]) -> Result<Vec<Applied>> {
    let mut batch = Batch::begin(db, id)?;
    let mut applied = Vec::with_capacity(changes.len());
    for change in changes {
        applied.push(match change {
            Change::Put(prepared) => batch.put(prepared)?,
            Change::Touch { path, stamp } => batch.touch(path, *stamp)?,
            Change::Remove(path) => batch.remove(path)?,
        });
    }
    batch.end(db)?;
    Ok(applied)
}

/// What a batch carries along, written back once at its end.
struct Batch<'db> {
    collection: &'db str,
    number: i64,
    next: u64,
    state: CollectionState,
    now: i64,
    sql: Statements<'db>,
}

/// Held for the whole batch: a first sync has a hundred thousand chunks, and each need not look its statement up by text.
struct Statements<'db> {
    find: CachedStatement<'db>,
    add_content: CachedStatement<'db>,
    find_content: CachedStatement<'db>,
    keep_replaced: CachedStatement<'db>,
    add: CachedStatement<'db>,
    replace: CachedStatement<'db>,
    touch: CachedStatement<'db>,
    remove: CachedStatement<'db>,
    bury: CachedStatement<'db>,
    add_chunk: CachedStatement<'db>,
    remove_chunks: CachedStatement<'db>,
}

struct Present {
    id: i64,
    seq: i64,
    hash: Vec<u8>,
    content: i64,
    size: i64,
    chunks: i64,
}

impl<'db> Batch<'db> {
    fn begin(db: &'db Connection, id: &'db CollectionId) -> Result<Self> {
        let unknown = || Error::UnknownCollection(id.clone());
        let state = collections::state(db, id)?.ok_or_else(unknown)?;
        let last: i64 = db.prepare_cached("SELECT value FROM sequence")?.query_row([], |row| row.get(0))?;
        let next = u64::try_from(last).map_err(|_| Fault::Corrupt(format!("a sequence at {last}")))?;
        let number = collections::number(db, id)?.ok_or_else(unknown)?;
        Ok(Batch {
            collection: id.as_str(),
            number,
            next,
            state,
            now: Timestamp::now().as_millisecond(),
            sql: Statements::prepare(db)?,
        })
    }

    fn end(self, db: &Connection) -> Result<()> {
        let state = self.state;
        db.prepare_cached("UPDATE sequence SET value = ?1")?.execute([int(self.next)])?;
        db.prepare_cached(
            "UPDATE collection_state SET documents = ?2, chunks = ?3, bytes = ?4, seq = ?5 WHERE collection = ?1",
        )?
        .execute(params![
            self.collection,
            int(state.documents),
            int(state.chunks),
            int(state.bytes),
            int(state.seq.0)
        ])?;
        Ok(())
    }

    /// The next number, which is then that of the collection's last change.
    fn advance(&mut self) -> Seq {
        self.next += 1;
        self.state.seq = Seq(self.next);
        self.state.seq
    }

    fn find(&mut self, path: &DocPath) -> Result<Option<Present>> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Present {
                id: row.get(0)?,
                seq: row.get(1)?,
                hash: row.get(2)?,
                content: row.get(3)?,
                size: row.get(4)?,
                chunks: row.get(5)?,
            })
        };
        Ok(self.sql.find.query_row(params![self.number, path.as_str()], read).optional()?)
    }

    fn put(&mut self, prepared: &PreparedDocument) -> Result<Applied> {
        let document = &prepared.document;
        let present = self.find(&document.path)?;
        let seq = self.advance();
        let content = self.content(prepared)?;
        let [size, mtime, ctime, inode] = columns(document.stamp);
        let id = present.as_ref().map_or(int(seq.0), |present| present.id);
        let (text_size, chunk_count) = (document.text.len() as u64, document.chunks.len() as u64);
        let values = params![
            id,
            self.number,
            document.path.as_str(),
            document.hash.as_bytes(),
            int(seq.0),
            size,
            mtime,
            ctime,
            inode,
            content,
            int(text_size),
            int(prepared.lines),
            int(chunk_count),
            int(document.replaced),
            int(document.redacted),
            document.language.name(),
            document.encoding,
            document.title,
            self.now,
            int(document.source_size),
            document.converter,
        ];
        match &present {
            None => {
                self.sql.add.execute(values)?;
            }
            Some(present) => {
                self.sql.replace.execute(values)?;
                self.sql.remove_chunks.execute([id])?;
                self.keep_replaced(present, seq)?;
                self.forget(present)?;
            }
        }
        self.add_chunks(id, prepared)?;
        self.state.documents += 1;
        self.state.bytes += text_size;
        self.state.chunks += chunk_count;
        Ok(Applied::Put { id: DocumentId(id), seq })
    }

    /// The row of the text, written if no one else has it.
    fn content(&mut self, prepared: &PreparedDocument) -> Result<i64> {
        let hash = prepared.content.as_bytes();
        let (text, packed) = (&*prepared.document.text, &prepared.packed);
        let row = params![hash, int(text.len() as u64), packed.codec(), packed.data(text)];
        let added = self.sql.add_content.query_row(row, |row| row.get(0)).optional()?;
        match added {
            Some(id) => Ok(id),
            None => Ok(self.sql.find_content.query_row([hash], |row| row.get(0))?),
        }
    }

    fn add_chunks(&mut self, id: i64, prepared: &PreparedDocument) -> Result<()> {
        let document = &prepared.document;
        for (ordinal, (chunk, path)) in document.chunks.iter().zip(&prepared.chunk_paths).enumerate() {
            let language = (chunk.language != document.language).then(|| chunk.language.name());
            self.sql.add_chunk.execute(params![
                id,
                int(ordinal as u64),
                int(chunk.bytes.start as u64),
                int(chunk.bytes.end as u64),
                chunk.lines.start,
                chunk.lines.end,
                path,
                chunk.kind,
                language,
                chunk.hash.as_ref().map(|hash| hash.0.as_bytes()),
            ])?;
        }
        Ok(())
    }

    fn touch(&mut self, path: &DocPath, stamp: Option<FileStamp>) -> Result<Applied> {
        let Some(present) = self.find(path)? else { return Ok(Applied::Absent) };
        let [size, mtime, ctime, inode] = columns(stamp);
        self.sql.touch.execute(params![present.id, size, mtime, ctime, inode])?;
        Ok(Applied::Touched { id: DocumentId(present.id), seq: Seq(present.seq.cast_unsigned()) })
    }

    fn remove(&mut self, path: &DocPath) -> Result<Applied> {
        let Some(present) = self.find(path)? else { return Ok(Applied::Absent) };
        let seq = self.advance();
        // The chunks go with it.
        self.sql.remove.execute([present.id])?;
        self.keep_replaced(&present, seq)?;
        self.sql.bury.execute(params![int(seq.0), self.collection, present.id, path.as_str()])?;
        self.forget(&present)?;
        Ok(Applied::Removed { id: DocumentId(present.id), seq })
    }

    /// Keeps the text that a document had until the indexes have followed.
    fn keep_replaced(&mut self, old: &Present, seq: Seq) -> Result<()> {
        let row = params![old.id, old.seq, old.hash, old.content, self.number, int(seq.0), self.now];
        self.sql.keep_replaced.execute(row)?;
        Ok(())
    }

    /// Takes a document out of the counters. Less than nothing means that they were wrong before.
    fn forget(&mut self, present: &Present) -> Result<()> {
        let less = |counter: u64, by: i64| {
            let by = u64::try_from(by).ok();
            by.and_then(|by| counter.checked_sub(by))
                .ok_or_else(|| Fault::Corrupt("the counters of a collection disagree with its documents".to_owned()))
        };
        self.state.documents = less(self.state.documents, 1)?;
        self.state.bytes = less(self.state.bytes, present.size)?;
        self.state.chunks = less(self.state.chunks, present.chunks)?;
        Ok(())
    }
}

/// Sizes and inodes keep their bits; they are compared for equality only.
fn columns(stamp: Option<FileStamp>) -> [Option<i64>; 4] {
    match stamp {
        None => [None; 4],
        Some(FileStamp { size, mtime_ns, ctime_ns, inode }) => {
            [Some(size.cast_signed()), Some(mtime_ns), Some(ctime_ns), Some(inode.cast_signed())]
        }
    }
}

impl<'db> Statements<'db> {
    fn prepare(db: &'db Connection) -> Result<Self> {
        Ok(Statements {
            find: db.prepare_cached(
                "SELECT id, seq, hash, content, size, chunks FROM reference_documents
                 WHERE collection_number = ?1 AND path = ?2",
            )?,
            add_content: db.prepare_cached(ADD_CONTENT)?,
            find_content: db.prepare_cached(FIND_CONTENT)?,
            keep_replaced: db.prepare_cached(
                "INSERT OR REPLACE INTO replaced_texts
                 (document, put, hash, content, collection_number, seq, replaced_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?,
            add: db.prepare_cached(
                "INSERT INTO reference_documents
                 (id, collection_number, path, hash, seq, stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, content, size,
                  lines, chunks, replaced, redacted, language, encoding, title, updated_at, source_size, converter)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
                  ?20, ?21)",
            )?,
            // Takes the same values as the insertion, two of which say which row and are not written again.
            replace: db.prepare_cached(
                "UPDATE reference_documents
                 SET hash = ?4, seq = ?5, stat_size = ?6, stat_mtime_ns = ?7, stat_ctime_ns = ?8, stat_inode = ?9,
                     content = ?10, size = ?11, lines = ?12, chunks = ?13, replaced = ?14, redacted = ?15,
                     language = ?16, encoding = ?17, title = ?18, updated_at = ?19, source_size = ?20,
                     converter = ?21
                 WHERE id = ?1 AND collection_number = ?2 AND path = ?3",
            )?,
            touch: db.prepare_cached(
                "UPDATE reference_documents
                 SET stat_size = ?2, stat_mtime_ns = ?3, stat_ctime_ns = ?4, stat_inode = ?5 WHERE id = ?1",
            )?,
            remove: db.prepare_cached("DELETE FROM reference_documents WHERE id = ?1")?,
            bury: db
                .prepare_cached("INSERT INTO tombstones (seq, collection, document, path) VALUES (?1, ?2, ?3, ?4)")?,
            add_chunk: db.prepare_cached(
                "INSERT INTO reference_document_chunks
                 (document, ordinal, byte_start, byte_end, line_start, line_end, path, kind, language, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            remove_chunks: db.prepare_cached("DELETE FROM reference_document_chunks WHERE document = ?1")?,
        })
    }
}
