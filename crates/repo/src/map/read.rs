//! Reading definitions as a map needs them: all of them at little cost, then more of a few.

use std::collections::HashMap;

use ai_assist_syntax::ChunkKind;

use crate::build::db::open_to_read;
use crate::build::{BuildError, Result};
use crate::repo_index::SymbolDb;

/// A definition as it lies in the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct SymbolRow<'r> {
    pub(super) document: u64,
    pub(super) number: u32,
    pub(super) name: &'r str,
    pub(super) kind: ChunkKind,
    pub(super) parent: Option<&'r str>,
    pub(super) signature: Option<&'r str>,
    pub(super) lines: (u32, u32),
}

/// What is shown of a definition.
#[derive(Debug, Clone, Default)]
pub(super) struct SymbolDetail {
    pub(super) signature: Option<String>,
    pub(super) lines: (u32, u32),
    pub(super) parent: Option<String>,
}

/// Goes through all definitions.
pub(super) fn for_each_symbol(db: &SymbolDb, mut each: impl FnMut(SymbolRow<'_>)) -> Result<()> {
    let mut read = || {
        let connection = open_to_read(&db.path)?;
        let sql = "SELECT document, number, name, kind, parent, signature, line_start, line_end FROM symbols
            ORDER BY document, number";
        let mut select = connection.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let document: i64 = row.get(0)?;
            each(SymbolRow {
                document: document.cast_unsigned(),
                number: row.get(1)?,
                name: row.get_ref(2)?.as_str()?,
                // A kind that a later version knows is still a piece of code.
                kind: row.get_ref(3)?.as_str()?.parse().unwrap_or(ChunkKind::Code),
                parent: row.get_ref(4)?.as_str_or_null()?,
                signature: row.get_ref(5)?.as_str_or_null()?,
                lines: (row.get(6)?, row.get(7)?),
            });
        }
        Ok(())
    };
    read().map_err(BuildError::db(&db.path))
}

pub(super) fn imports_by_file(db: &SymbolDb, numbers: &HashMap<u64, u32>) -> Result<Vec<(u32, Vec<String>)>> {
    let read = || {
        let connection = open_to_read(&db.path)?;
        let mut select = connection.prepare("SELECT document, module FROM imports ORDER BY document, number")?;
        let mut rows = select.query([])?;
        let mut found: Vec<(u32, Vec<String>)> = Vec::new();
        while let Some(row) = rows.next()? {
            let document: i64 = row.get(0)?;
            let Some(&file) = numbers.get(&document.cast_unsigned()) else { continue };
            match found.last_mut() {
                Some((last, modules)) if *last == file => modules.push(row.get(1)?),
                _ => found.push((file, vec![row.get(1)?])),
            }
        }
        Ok(found)
    };
    read().map_err(BuildError::db(&db.path))
}

/// More of some definitions, by the keys of their documents and their numbers, in the same order.
pub(super) fn symbol_details(db: &SymbolDb, places: impl Iterator<Item = (u64, u32)>) -> Result<Vec<SymbolDetail>> {
    let read = || {
        let connection = open_to_read(&db.path)?;
        let sql = "SELECT signature, line_start, line_end, parent FROM symbols WHERE document = ?1 AND number = ?2";
        let mut select = connection.prepare(sql)?;
        let mut details = Vec::new();
        for (document, number) in places {
            details.push(select.query_row((document.cast_signed(), number), |row| {
                Ok(SymbolDetail { signature: row.get(0)?, lines: (row.get(1)?, row.get(2)?), parent: row.get(3)? })
            })?);
        }
        Ok(details)
    };
    read().map_err(BuildError::db(&db.path))
}
