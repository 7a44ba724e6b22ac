//! Reading what a map needs from the index: the graph at little cost, then more of a few definitions.

use std::borrow::Cow;
use std::collections::HashMap;

use ai_assist_syntax::{CodeGraph, GraphBuilder, Packages, Symbol};
use ai_assist_text::LineRange;

use crate::build::db::open_to_read;
use crate::build::{BuildError, Result};
use crate::repo_index::SymbolDb;
use crate::symbols::{self, Blocks};

/// What is shown of a definition.
#[derive(Debug, Clone)]
pub(super) struct SymbolDetail {
    pub(super) signature: Option<String>,
    pub(super) lines: LineRange,
    pub(super) parent: Option<String>,
}

/// The graph of the files by path, and the keys of their documents.
pub(super) fn graph(db: &SymbolDb) -> Result<(CodeGraph, Vec<u64>)> {
    let documents = db.documents()?;
    let keys: Vec<u64> = documents.iter().map(|document| document.key).collect();
    let numbers: HashMap<u64, u32> = keys.iter().copied().zip(0u32..).collect();
    let mut builder = GraphBuilder::new(documents.into_iter().map(|document| (document.path, document.language)));
    read_symbols(db, &numbers, &mut builder).map_err(BuildError::db(&db.path))?;
    let uses = db.uses()?;
    let known = uses.names(|name| builder.name(name))?;
    uses.for_each(|key, used| {
        if let Some(&file) = numbers.get(&key) {
            let known = |id: u32| known.get(id as usize).copied().flatten();
            builder.uses(file, used.filter_map(|(id, count)| Some((known(id)?, count))).collect());
        }
    })?;
    read_imports(db, &numbers, &mut builder).map_err(BuildError::db(&db.path))?;
    Ok((builder.finish(Packages::default()), keys))
}

fn read_symbols(db: &SymbolDb, numbers: &HashMap<u64, u32>, builder: &mut GraphBuilder) -> rusqlite::Result<()> {
    symbols::for_each(&open_to_read(&db.path)?, None, |document, number, symbol| {
        let Some(&file) = numbers.get(&document) else { return };
        let symbol = Symbol {
            name: symbol.name,
            kind: symbol.kind(),
            signature: symbol.signature,
            lines: symbol.lines(),
            parent: symbol.parent.map(Cow::Borrowed),
        };
        builder.define(file, number, &symbol);
    })
}

fn read_imports(db: &SymbolDb, numbers: &HashMap<u64, u32>, builder: &mut GraphBuilder) -> rusqlite::Result<()> {
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
    found.into_iter().for_each(|(file, modules)| builder.imports(file, modules));
    Ok(())
}

/// More of some definitions, by the keys of their documents and their numbers, in the same order.
pub(super) fn symbol_details(db: &SymbolDb, places: impl Iterator<Item = (u64, u32)>) -> Result<Vec<SymbolDetail>> {
    let read = || {
        let connection = open_to_read(&db.path)?;
        let mut blocks = Blocks::of(&connection)?;
        let mut numbered: Vec<(usize, (u64, u32))> = places.enumerate().collect();
        // Those of one block one after another.
        numbered.sort_unstable_by_key(|&(_, place)| place);
        let mut details = vec![None; numbered.len()];
        for (at, place) in numbered {
            details[at] = blocks.symbol(place, |symbol| SymbolDetail {
                signature: symbol.signature.map(str::to_owned),
                lines: symbol.lines(),
                parent: symbol.parent.map(str::to_owned),
            })?;
        }
        details.into_iter().collect::<Option<Vec<_>>>().ok_or(rusqlite::Error::QueryReturnedNoRows)
    };
    read().map_err(BuildError::db(&db.path))
}
