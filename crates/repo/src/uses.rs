//! The names that code uses, as the database of a mode keeps them: each name once for the whole repository, and for each
//! document the numbers of its names, sorted, as differences.
//!
//! A number is given in the order in which names come, which depends on the timing of a build. What is read goes by names.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use ai_assist_syntax::Reference;
use rusqlite::{Connection, OptionalExtension, params};

use crate::build::db::open_to_read;
use crate::build::{BuildError, Result};
use crate::repo_index::SymbolDb;

pub(crate) const TABLES: &str = "
    CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE uses (document INTEGER PRIMARY KEY, names BLOB NOT NULL);";

/// The numbers that names have in a database that is being written.
///
/// A large repository has millions of names, so they are known by 64 bits of their hashes: two that share them, of which a
/// repository has one pair in a million, count as one name for its map.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    known: HashMap<u64, u32>,
    next: Option<u32>,
    /// Whether all names of the database are known, as they are of a new one.
    all_known: bool,
}

impl Numbers {
    /// For a database that has no names yet, and no index of them either.
    pub(crate) fn of_new() -> Self {
        Numbers { all_known: true, ..Numbers::default() }
    }

    pub(crate) fn put(&mut self, to: &Connection, document: i64, used: &[Reference]) -> rusqlite::Result<()> {
        let mut numbered = Vec::with_capacity(used.len());
        for Reference { name, count } in used {
            numbered.push((self.number(to, name)?, *count));
        }
        numbered.sort_unstable();
        let mut insert = to.prepare_cached("INSERT INTO uses (document, names) VALUES (?1, ?2)")?;
        insert.execute(params![document, encoded(&numbered)]).map(drop)
    }

    pub(crate) fn number(&mut self, to: &Connection, name: &str) -> rusqlite::Result<u32> {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(&id) = self.known.get(&hash) {
            return Ok(id);
        }
        let next = match self.next {
            Some(next) => next,
            None => to.query_row("SELECT coalesce(max(id) + 1, 0) FROM names", [], |row| row.get(0))?,
        };
        let id = match if self.all_known { None } else { number_of(to, name)? } {
            Some(id) => id,
            None => {
                to.prepare_cached("INSERT INTO names (name, id) VALUES (?1, ?2)")?.execute(params![name, next])?;
                next
            }
        };
        self.next = Some(next.max(id.saturating_add(1)));
        self.known.insert(hash, id);
        Ok(id)
    }
}

/// The number of a name, exactly so spelled. The index of names is one for both cases.
pub(crate) fn number_of(from: &Connection, name: &str) -> rusqlite::Result<Option<u32>> {
    let mut select = from.prepare_cached("SELECT id FROM names WHERE name = ?1 COLLATE NOCASE AND name = ?1")?;
    select.query_row([name], |row| row.get(0)).optional()
}

/// The numbers of names, sorted, each with how often it is used. Most are used once: a bit says whether a count follows.
fn encoded(numbered: &[(u32, u32)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbered.len() * 3);
    let mut before = 0;
    for &(id, count) in numbered {
        let more = count.saturating_sub(1);
        push(&mut out, u64::from(id - before) << 1 | u64::from(more > 0));
        if more > 0 {
            push(&mut out, u64::from(more));
        }
        before = id;
    }
    out
}

fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what [`encoded`] wrote. Bytes that make no sense end it.
#[derive(Debug)]
pub(crate) struct Numbered<'b> {
    bytes: &'b [u8],
    before: u32,
}

impl Numbered<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..=35).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

impl Iterator for Numbered<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let step = self.number()?;
        let more = if step & 1 == 0 { 0 } else { self.number()? };
        self.before = self.before.checked_add(u32::try_from(step >> 1).ok()?)?;
        Some((self.before, u32::try_from(more).ok()?.saturating_add(1)))
    }
}

/// What `find` makes of each name, in the order of their numbers. There are millions, so none is kept.
fn found_of(from: &Connection, find: impl Fn(&str) -> Option<u32>) -> rusqlite::Result<Vec<Option<u32>>> {
    let count: u32 = from.query_row("SELECT count(*) FROM names", [], |row| row.get(0))?;
    let mut found = vec![None; count as usize];
    let mut select = from.prepare("SELECT id, name FROM names")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let id: u32 = row.get(0)?;
        if let Some(slot) = found.get_mut(id as usize) {
            *slot = find(row.get_ref(1)?.as_str()?);
        }
    }
    Ok(found)
}

impl SymbolDb {
    pub(crate) fn uses(&self) -> Result<Uses> {
        let connection = open_to_read(&self.path).map_err(BuildError::db(&self.path))?;
        Ok(Uses { connection, path: self.path.clone() })
    }
}

#[derive(Debug)]
pub(crate) struct Uses {
    connection: Connection,
    path: PathBuf,
}

impl Uses {
    /// What `find` makes of the names, by their numbers.
    pub(crate) fn names(&self, find: impl Fn(&str) -> Option<u32>) -> Result<Vec<Option<u32>>> {
        found_of(&self.connection, find).map_err(BuildError::db(&self.path))
    }

    /// Goes through the documents by their keys, each with the numbers of its names and how often they occur.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u64, Numbered<'_>)) -> Result<()> {
        let mut read = || {
            let mut select = self.connection.prepare("SELECT document, names FROM uses")?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let key: i64 = row.get(0)?;
                each(key.cast_unsigned(), Numbered { bytes: row.get_ref(1)?.as_blob()?, before: 0 });
            }
            Ok(())
        };
        read().map_err(BuildError::db(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(used in prop::collection::btree_map(any::<u32>(), 1u32.., 0..200)) {
            let used: Vec<(u32, u32)> = used.into_iter().collect();
            let bytes = encoded(&used);
            prop_assert_eq!(Numbered { bytes: &bytes, before: 0 }.collect::<Vec<_>>(), used);
        }

        #[test]
        fn any_bytes_are_read_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let read = Numbered { bytes: &bytes, before: 0 }.count();
            prop_assert!(read <= bytes.len());
        }
    }

    #[test]
    fn names_keep_their_numbers() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        let used = |names: &[(&str, u32)]| -> Vec<Reference> {
            names.iter().map(|&(name, count)| Reference { name: name.to_owned(), count }).collect()
        };
        Numbers::default().put(&connection, 1, &used(&[("beta", 1), ("gamma", 3)])).unwrap();
        // Another build goes on where this one ended.
        Numbers::default().put(&connection, 2, &used(&[("alpha", 2), ("gamma", 1)])).unwrap();
        let order = ["alpha", "beta"];
        let place = |name: &str| order.iter().position(|known| *known == name).and_then(|at| u32::try_from(at).ok());
        assert_eq!(found_of(&connection, place).unwrap(), [Some(1), None, Some(0)]);
        let blob: Vec<u8> =
            connection.query_row("SELECT names FROM uses WHERE document = 2", [], |row| row.get(0)).unwrap();
        assert_eq!(Numbered { bytes: &blob, before: 0 }.collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    }
}
