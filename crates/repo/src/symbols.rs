//! What code defines, as the database of a mode keeps it: the definitions of each document packed into blocks, and for each name
//! the documents and numbers under which it is defined.
//!
//! A repository of headers has millions of definitions. As rows of their own they took a third of all that is kept of it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::thread::LocalKey;

use ai_assist_syntax::{ChunkKind, Symbol};
use ai_assist_text::LineRange;
use rusqlite::{Connection, OptionalExtension, Statement, params};
use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};

/// So many definitions are unpacked for one of them: a block takes some 50 µs.
const IN_BLOCK: usize = 128;

/// No block unpacks to more: names and signatures are as long as a line at most, and a document has as many as it has lines.
const LARGEST_BLOCK: usize = 64 << 20;

const LEVEL: i32 = 3;

thread_local! {
    // To make one takes longer than most blocks do: its tables are a megabyte, which the system hands out anew each time.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Uses what this thread keeps, which is made at its first use.
fn kept<K, T>(
    slot: &'static LocalKey<RefCell<Option<K>>>,
    make: impl FnOnce() -> io::Result<K>,
    work: impl FnOnce(&mut K) -> io::Result<T>,
) -> io::Result<T> {
    slot.with_borrow_mut(|slot| match slot {
        Some(kept) => work(kept),
        None => work(slot.insert(make()?)),
    })
}

pub(crate) const TABLES: &str = "
    CREATE TABLE symbols (
        document INTEGER NOT NULL,
        block INTEGER NOT NULL,
        said BLOB NOT NULL,
        PRIMARY KEY (document, block)
    ) WITHOUT ROWID;
    CREATE TABLE definitions (
        name INTEGER NOT NULL,
        document INTEGER NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (name, document, number)
    ) WITHOUT ROWID;";

/// Where the definitions of a first build wait: to put millions into a sorted table one by one takes longer than to sort them once.
pub(crate) const UNSORTED: &str =
    "CREATE TEMP TABLE unsorted (name INTEGER NOT NULL, document INTEGER NOT NULL, number INTEGER NOT NULL);";

pub(crate) const SORT: &str = "
    INSERT INTO definitions SELECT name, document, number FROM unsorted ORDER BY name, document, number;
    DROP TABLE temp.unsorted;";

/// A definition as it is packed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Packed<'p> {
    #[serde(borrow)]
    pub(crate) name: &'p str,
    kind: &'p str,
    pub(crate) signature: Option<&'p str>,
    start: u32,
    end: u32,
    pub(crate) parent: Option<&'p str>,
}

impl<'p> Packed<'p> {
    fn of(symbol: &'p Symbol<'_>) -> Self {
        Packed {
            name: symbol.name,
            kind: symbol.kind.name(),
            signature: symbol.signature,
            start: symbol.lines.start,
            end: symbol.lines.end,
            parent: symbol.parent.as_deref(),
        }
    }

    /// A kind that a later version knows is still a piece of code.
    pub(crate) fn kind(&self) -> ChunkKind {
        self.kind.parse().unwrap_or(ChunkKind::Code)
    }

    pub(crate) fn lines(&self) -> LineRange {
        LineRange { start: self.start, end: self.end }
    }
}

/// Puts the definitions of a document in blocks.
pub(crate) fn put_blocks(to: &Connection, document: i64, symbols: &[Symbol<'_>]) -> rusqlite::Result<()> {
    let mut insert = to.prepare_cached("INSERT INTO symbols (document, block, said) VALUES (?1, ?2, ?3)")?;
    for (block, symbols) in (0i64..).zip(symbols.chunks(IN_BLOCK)) {
        let packed: Vec<Packed<'_>> = symbols.iter().map(Packed::of).collect();
        insert.execute(params![document, block, pack(&packed).map_err(unreadable)?])?;
    }
    Ok(())
}

fn pack(symbols: &[Packed<'_>]) -> io::Result<Vec<u8>> {
    let plain = rmp_serde::to_vec(symbols).map_err(io::Error::other)?;
    let length = u32::try_from(plain.len()).map_err(io::Error::other)?;
    let packed = kept(&COMPRESSOR, || Compressor::new(LEVEL), |compressor| compressor.compress(&plain))?;
    Ok([&length.to_le_bytes()[..], &packed].concat())
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// An unpacked block, from which its definitions are read.
#[derive(Debug, Default)]
pub(crate) struct Block(Vec<u8>);

impl Block {
    fn unpack(packed: &[u8]) -> rusqlite::Result<Self> {
        let Some((length, packed)) = packed.split_first_chunk() else {
            return Err(unreadable(io::Error::from(io::ErrorKind::UnexpectedEof)));
        };
        let length = (u32::from_le_bytes(*length) as usize).min(LARGEST_BLOCK);
        let plain = kept(&DECOMPRESSOR, Decompressor::new, |decompressor| decompressor.decompress(packed, length));
        plain.map(Block).map_err(unreadable)
    }

    pub(crate) fn symbols(&self) -> rusqlite::Result<Vec<Packed<'_>>> {
        if self.0.is_empty() { Ok(Vec::new()) } else { rmp_serde::from_slice(&self.0).map_err(unreadable) }
    }
}

/// Reads single definitions, and keeps the last block.
pub(crate) struct Blocks<'c> {
    select: Statement<'c>,
    last: Option<((u64, usize), Block)>,
}

impl<'c> Blocks<'c> {
    pub(crate) fn of(connection: &'c Connection) -> rusqlite::Result<Self> {
        let select = connection.prepare("SELECT said FROM symbols WHERE document = ?1 AND block = ?2")?;
        Ok(Blocks { select, last: None })
    }

    /// Hands a definition to `read`. None if the document has no definition of this number.
    pub(crate) fn symbol<T>(
        &mut self,
        (document, number): (u64, u32),
        read: impl FnOnce(&Packed<'_>) -> T,
    ) -> rusqlite::Result<Option<T>> {
        let (number, place) = (number as usize, (document, number as usize / IN_BLOCK));
        if self.last.as_ref().is_none_or(|(last, _)| *last != place) {
            let unpack = |row: &rusqlite::Row<'_>| Block::unpack(row.get_ref(0)?.as_blob()?);
            let block = self.select.query_row(params![document.cast_signed(), place.1 as i64], unpack).optional()?;
            self.last = Some((place, block.unwrap_or_default()));
        }
        let Some((_, block)) = &self.last else { return Ok(None) };
        Ok(block.symbols()?.get(number % IN_BLOCK).map(read))
    }
}

/// Goes through the definitions of all documents, or of one, by document and number.
pub(crate) fn for_each(
    connection: &Connection,
    document: Option<i64>,
    mut each: impl FnMut(u64, u32, &Packed<'_>),
) -> rusqlite::Result<()> {
    let condition = if document.is_some() { "WHERE document = ?1" } else { "" };
    let sql = format!("SELECT document, block, said FROM symbols {condition} ORDER BY document, block");
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query(rusqlite::params_from_iter(document))?;
    while let Some(row) = rows.next()? {
        let (key, block): (i64, u32) = (row.get(0)?, row.get(1)?);
        let unpacked = Block::unpack(row.get_ref(2)?.as_blob()?)?;
        let first = block.saturating_mul(u32::try_from(IN_BLOCK).unwrap_or(u32::MAX));
        for (number, symbol) in (first..).zip(&unpacked.symbols()?) {
            each(key.cast_unsigned(), number, symbol);
        }
    }
    Ok(())
}

/// Takes out what a document defines.
pub(crate) fn remove(from: &Connection, document: i64) -> rusqlite::Result<()> {
    let mut names = BTreeSet::new();
    for_each(from, Some(document), |_, _, symbol| {
        names.insert(symbol.name.to_owned());
    })?;
    let mut delete = from.prepare_cached(
        "DELETE FROM definitions WHERE document = ?2 AND name IN (SELECT id FROM names WHERE name = ?1 COLLATE NOCASE)",
    )?;
    for name in names {
        delete.execute(params![name, document])?;
    }
    from.prepare_cached("DELETE FROM symbols WHERE document = ?1")?.execute([document]).map(drop)
}

#[cfg(test)]
mod tests {
    use ai_assist_identity::Sha256;
    use ai_assist_syntax::facts;
    use ai_assist_text::Language;

    use super::*;
    use crate::build::db::{Db, Row, open_to_read};
    use crate::repo_index::{NameMatch, SymbolDb, SymbolQuery};

    fn put(db: &Db, key: u64, path: &str, text: &str) {
        db.put(&Row {
            key,
            path,
            hash: Sha256::of(text.as_bytes()),
            size: text.len() as u64,
            language: Language::RUST,
            chunks: 1,
            redacted: 0,
            facts: facts(text, Language::RUST).as_ref(),
            references: &[],
        })
        .unwrap();
    }

    fn functions(from: usize, to: usize) -> String {
        (from..to).map(|n| format!("/// Number {n}.\npub fn item_{n}() {{}}\n")).collect()
    }

    fn found(db: &SymbolDb, name: NameMatch) -> Vec<(String, String, u32)> {
        let query = SymbolQuery { name, kind: None, paths: None, limit: 1000 };
        let found = db.symbols(&query).unwrap();
        found.into_iter().map(|symbol| (symbol.name, symbol.path, symbol.lines.start)).collect()
    }

    #[test]
    fn definitions_of_many_blocks_are_found_and_go_with_their_document() {
        let folder = tempfile::tempdir().unwrap();
        let symbols = SymbolDb { path: folder.path().join("code.index.db") };
        let db = Db::create(&symbols.path).unwrap();
        put(&db, 1, "a.rs", &functions(0, 300));
        put(&db, 2, "b.rs", "pub fn item_299() {}\npub struct Item_299;\n");
        db.finish(3).unwrap();
        for n in [0, 127, 128, 255, 256, 298] {
            let name = format!("item_{n}");
            let expected = vec![(name.clone(), "a.rs".to_owned(), n * 2 + 1)];
            assert_eq!(found(&symbols, NameMatch::Exact(name)), expected);
        }
        let place = |name: &str, path: &str, line| (name.to_owned(), path.to_owned(), line);
        let both =
            [place("item_299", "a.rs", 599), place("item_299", "b.rs", 1), place("Item_299", "b.rs", 2)].to_vec();
        assert_eq!(found(&symbols, NameMatch::Exact("item_299".to_owned())), both, "the same letters first");
        assert_eq!(found(&symbols, NameMatch::Contains("EM_29".to_owned())).len(), 13);
        let all = symbols.symbols_of("a.rs").unwrap();
        assert_eq!(all.len(), 300);
        assert!(all.is_sorted_by_key(|symbol| symbol.lines.start));

        // Another build goes on from a copy.
        let db = Db::open(&symbols.path).unwrap();
        put(&db, 1, "a.rs", &functions(299, 301));
        db.remove(2).unwrap();
        db.finish(3).unwrap();
        assert_eq!(found(&symbols, NameMatch::Prefix("item_".to_owned())).len(), 2);
        assert_eq!(found(&symbols, NameMatch::Exact("item_299".to_owned())), [place("item_299", "a.rs", 1)]);
        let names = ["item_0", "item_300", "Item_300"].into();
        assert_eq!(symbols.definitions(&names).unwrap().keys().collect::<Vec<_>>(), ["item_300"]);
        let left = |table: &str| -> i64 {
            let sql = format!("SELECT count(*) FROM {table}");
            open_to_read(&symbols.path).unwrap().query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!((left("symbols"), left("definitions")), (1, 2));
    }

    #[test]
    fn a_block_that_is_damaged_is_an_error() {
        let text = functions(0, 20);
        let facts = facts(&text, Language::RUST).unwrap();
        let symbols = facts.symbols();
        let packed = pack(&symbols.iter().map(Packed::of).collect::<Vec<_>>()).unwrap();
        assert_eq!(Block::unpack(&packed).unwrap().symbols().unwrap().len(), 20);
        for damaged in [&packed[..packed.len() / 2], &packed[..2], &[0xff; 40], &[]] {
            assert!(Block::unpack(damaged).and_then(|block| block.symbols().map(|all| all.len())).is_err());
        }
    }
}
