//! The current build of a repository, open for search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ai_assist_chunk::ChunkKind;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::Sha256;
use ai_assist_index::{PathGlobs, Reader, Versions};
use ai_assist_text::{Language, LineRange};
use ai_assist_trigram::TrigramIndex;
use rusqlite::{Connection, OptionalExtension, Row, Statement};
use serde::{Deserialize, Serialize};

use crate::build::db::open_to_read;
use crate::build::{BuildError, Result};
use crate::layout::{GRAMS_DIR, Mode, RepoCache, SQLITE_DIR, StateFile};
use crate::pointer::read_pointer;
use crate::promote::{ATTEMPTS, Hold, is_gone};
use crate::signature::Artefacts;
use crate::sums::check_sizes;
use crate::symbols::{self, Blocks, Packed};
use crate::uses::number_of;

/// One index of a build. The build stays on the disk while this lives, whatever becomes current meanwhile.
#[derive(Debug)]
pub struct RepoIndex {
    pub reader: Reader,
    pub state: StateFile,
    pub db: SymbolDb,
    pub build: PathBuf,
    grams: OnceLock<TrigramIndex>,
    _hold: Hold,
}

impl RepoIndex {
    /// Opens a mode of the current build.
    pub fn open(cache: &RepoCache, mode: Mode) -> Result<Self> {
        Self::open_modes(cache, &[mode])?.pop().ok_or(BuildError::NoBuild(mode))
    }

    /// Opens several modes as one pointer names them, so that they belong together.
    pub fn open_modes(cache: &RepoCache, modes: &[Mode]) -> Result<Vec<Self>> {
        // A build may be replaced, and then removed, between reading the pointer and holding what it names.
        for _ in 0..ATTEMPTS {
            let pointer = read_pointer(cache);
            let mut open = Vec::with_capacity(modes.len());
            for &mode in modes {
                let root = pointer.index_root(mode).filter(|root| root.is_dir());
                if root.is_none() && read_pointer(cache) == pointer {
                    return Err(BuildError::NoBuild(mode));
                }
                match root.map(|root| Self::open_build(root, mode)).transpose()?.flatten() {
                    Some(index) => open.push(index),
                    None => break,
                }
            }
            if open.len() == modes.len() {
                return Ok(open);
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        Err(BuildError::Unsteady(cache.builds()))
    }

    /// Opens a mode of a build by its folder. None if the build is gone, or going.
    pub fn open_build(build: &Path, mode: Mode) -> Result<Option<Self>> {
        let Some(hold) = Hold::take(build).map_err(BuildError::io("opening", build))? else { return Ok(None) };
        check_plain(build, mode)?;
        let index_dir = build.join(mode.index_dir());
        let model = StaticModel::bundled();
        let reader = Reader::open(&index_dir, &Versions::current(model.model()), model.dim())?;
        let state = StateFile::read(&index_dir).map_err(BuildError::io("reading", &index_dir))?;
        let db = SymbolDb { path: build.join(SQLITE_DIR).join(mode.db_name()) };
        Ok(Some(RepoIndex { reader, state, db, build: build.to_owned(), grams: OnceLock::new(), _hold: hold }))
    }

    /// Which of its documents could match a pattern, by the keys that they have in the index. Opened when it is first
    /// asked for.
    pub fn grams(&self) -> Result<&TrigramIndex> {
        if let Some(grams) = self.grams.get() {
            return Ok(grams);
        }
        let opened = TrigramIndex::open(&self.build.join(self.state.mode.index_dir()).join(GRAMS_DIR))?;
        Ok(self.grams.get_or_init(|| opened))
    }
}

impl ai_assist_search::Indexed for RepoIndex {
    fn reader(&self) -> &Reader {
        &self.reader
    }
}

/// Checks that everything a mode has in a build is a plain file or folder of that build, of the size that it was written with:
/// nothing is opened that lies elsewhere.
pub(crate) fn check_plain(build: &Path, mode: Mode) -> Result<()> {
    let (index_dir, sqlite) = (build.join(mode.index_dir()), build.join(SQLITE_DIR));
    let db = sqlite.join(mode.db_name());
    let looks = [(&index_dir, true), (&sqlite, true), (&db, false)];
    for (path, is_folder) in looks {
        match path.symlink_metadata() {
            // What is missing is for whoever opens it to say.
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(BuildError::io("reading", path)(error)),
            Ok(found) if if is_folder { found.is_dir() } else { found.is_file() } => {}
            Ok(_) => return Err(BuildError::NotPlain(path.clone())),
        }
    }
    match Artefacts::of(&index_dir) {
        Err(error) if is_gone(&error) => Ok(()),
        Err(error) => Err(BuildError::io("reading", &index_dir)(error)),
        Ok(artefacts) => match artefacts.odd(&index_dir) {
            Some(odd) => Err(BuildError::NotPlain(odd)),
            None => check_sizes(build, mode, &artefacts),
        },
    }
}

#[derive(Debug, Clone)]
pub struct SymbolDb {
    pub(crate) path: PathBuf,
}

/// How the name of a symbol is matched. The case of letters does not matter, but what agrees in it comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMatch {
    Exact(String),
    Prefix(String),
    Contains(String),
}

#[derive(Debug, Clone)]
pub struct SymbolQuery {
    pub name: NameMatch,
    pub kind: Option<ChunkKind>,
    pub paths: Option<PathGlobs>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Symbol {
    pub name: String,
    pub kind: ChunkKind,
    pub signature: Option<String>,
    /// From its doc comment to its end.
    pub lines: LineRange,
    /// What it lies in, outermost first, with dots between.
    pub parent: Option<String>,
    pub path: String,
    pub language: Language,
    pub hash: Sha256,
}

/// Something that a file takes from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRecord {
    /// The module, file or package as it is written there.
    pub module: String,
    pub line: u32,
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRecord {
    pub key: u64,
    pub path: String,
    pub hash: Sha256,
    pub size: u64,
    pub language: Language,
    pub chunks: u64,
    /// How many secret values were taken out of it.
    pub redacted: u64,
}

/// A document that defines something.
#[derive(Debug, Clone)]
struct Defines {
    key: u64,
    path: String,
    language: Language,
    hash: Sha256,
}

impl Defines {
    fn symbol(&self, packed: &Packed<'_>) -> Symbol {
        Symbol {
            name: packed.name.to_owned(),
            kind: packed.kind(),
            signature: packed.signature.map(str::to_owned),
            lines: packed.lines(),
            parent: packed.parent.map(str::to_owned),
            path: self.path.clone(),
            language: self.language,
            hash: self.hash,
        }
    }
}

impl SymbolDb {
    /// The definitions that a query wants: the same letters first, then the shorter name, then by place.
    pub fn symbols(&self, query: &SymbolQuery) -> Result<Vec<Symbol>> {
        let (text, condition, pattern) = match &query.name {
            NameMatch::Exact(text) => (text, "name = ?1 COLLATE NOCASE", text.clone()),
            NameMatch::Prefix(text) => (text, "name LIKE ?1 ESCAPE '\\'", format!("{}%", escaped(text))),
            NameMatch::Contains(text) => (text, "name LIKE ?1 ESCAPE '\\'", format!("%{}%", escaped(text))),
        };
        let sql = format!(
            "SELECT id FROM names WHERE {condition} AND EXISTS (SELECT 1 FROM definitions WHERE definitions.name = names.id)
             ORDER BY instr(name, ?2) = 0, length(name), name"
        );
        let wanted = |symbol: &Symbol| {
            query.kind.is_none_or(|kind| kind == symbol.kind)
                && query.paths.as_ref().is_none_or(|paths| paths.matches(&symbol.path))
        };
        let collect = || {
            let connection = open_to_read(&self.path)?;
            let mut select = connection.prepare(&sql)?;
            let names = select.query_map([&pattern, text], |row| row.get::<_, i64>(0))?;
            let mut definitions = DefinitionsOf::new(&connection)?;
            let mut found = Vec::new();
            for name in names {
                if found.len() >= query.limit {
                    break;
                }
                definitions.read(name?, |defines, packed| {
                    found.extend(Some(defines.symbol(packed)).filter(&wanted));
                    found.len() < query.limit
                })?;
            }
            Ok(found)
        };
        collect().map_err(BuildError::db(&self.path))
    }

    /// Where each of some names is defined, exactly so spelled; names that nothing defines are left out.
    pub fn definitions(&self, names: &BTreeSet<&str>) -> Result<BTreeMap<String, Vec<(String, LineRange)>>> {
        const MOST: usize = 20;
        let collect = || {
            let connection = open_to_read(&self.path)?;
            let mut definitions = DefinitionsOf::new(&connection)?;
            let mut found = BTreeMap::new();
            for name in names {
                let Some(number) = number_of(&connection, name)? else { continue };
                let mut places = Vec::new();
                definitions.read(i64::from(number), |defines, packed| {
                    places.push((defines.path.clone(), packed.lines()));
                    places.len() < MOST
                })?;
                if !places.is_empty() {
                    found.insert((*name).to_owned(), places);
                }
            }
            Ok(found)
        };
        collect().map_err(BuildError::db(&self.path))
    }

    pub fn symbols_of(&self, path: &str) -> Result<Vec<Symbol>> {
        let sql = "SELECT key, path, language, hash FROM documents WHERE path = ?1";
        let collect = || {
            let connection = open_to_read(&self.path)?;
            let found = connection.query_row(sql, [path], defines).optional()?;
            let mut symbols = Vec::new();
            if let Some(defines) = found {
                let key = defines.key.cast_signed();
                symbols::for_each(&connection, Some(key), |_, _, packed| symbols.push(defines.symbol(packed)))?;
            }
            Ok(symbols)
        };
        collect().map_err(BuildError::db(&self.path))
    }

    /// Everything that files take from elsewhere, by path and place.
    pub fn imports(&self) -> Result<Vec<ImportRecord>> {
        let sql = "SELECT i.module, i.line, d.path FROM imports i JOIN documents d ON d.key = i.document
            ORDER BY d.path, i.number";
        let record = |row: &Row<'_>| {
            let (module, line, path) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(ImportRecord { module, line, path })
        };
        self.collect(sql, [], record, usize::MAX, |_| true)
    }

    /// Every document, by path, those without chunks included.
    pub fn documents(&self) -> Result<Vec<DocumentRecord>> {
        let sql = "SELECT key, path, hash, size, language, chunks, redacted FROM documents ORDER BY path";
        let record = |row: &Row<'_>| {
            let number = |at| row.get(at).map(i64::cast_unsigned);
            Ok(DocumentRecord {
                key: number(0)?,
                path: row.get(1)?,
                hash: Sha256::from_bytes(row.get(2)?),
                size: number(3)?,
                language: language(row, 4)?,
                chunks: number(5)?,
                redacted: number(6)?,
            })
        };
        self.collect(sql, [], record, usize::MAX, |_| true)
    }

    fn collect<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        record: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        limit: usize,
        wanted: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>> {
        let collect = || {
            let connection: Connection = open_to_read(&self.path)?;
            let mut select = connection.prepare(sql)?;
            let mut rows = select.query(values)?;
            let mut found = Vec::new();
            while found.len() < limit
                && let Some(row) = rows.next()?
            {
                found.extend(Some(record(row)?).filter(&wanted));
            }
            Ok(found)
        };
        collect().map_err(BuildError::db(&self.path))
    }
}

/// Reads the definitions of names, by path and number.
struct DefinitionsOf<'c> {
    select: Statement<'c>,
    blocks: Blocks<'c>,
}

impl<'c> DefinitionsOf<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let sql = "SELECT d.key, d.path, d.language, d.hash, f.number
            FROM definitions f JOIN documents d ON d.key = f.document
            WHERE f.name = ?1 ORDER BY d.path, f.number";
        Ok(DefinitionsOf { select: connection.prepare(sql)?, blocks: Blocks::of(connection)? })
    }

    /// Goes through the definitions of a name, by its number, until one is enough.
    fn read(&mut self, name: i64, mut go_on: impl FnMut(&Defines, &Packed<'_>) -> bool) -> rusqlite::Result<()> {
        let mut rows = self.select.query([name])?;
        while let Some(row) = rows.next()? {
            let defines = defines(row)?;
            let place = (defines.key, row.get(4)?);
            if self.blocks.symbol(place, |packed| go_on(&defines, packed))? == Some(false) {
                break;
            }
        }
        Ok(())
    }
}

fn defines(row: &Row<'_>) -> rusqlite::Result<Defines> {
    let key: i64 = row.get(0)?;
    let (path, language, hash) = (row.get(1)?, language(row, 2)?, Sha256::from_bytes(row.get(3)?));
    Ok(Defines { key: key.cast_unsigned(), path, language, hash })
}

fn language(row: &Row<'_>, at: usize) -> rusqlite::Result<Language> {
    Ok(row.get::<_, String>(at)?.parse().unwrap_or(Language::TEXT))
}

/// A text in which no character means anything to `LIKE`.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| matches!(c, '\\' | '%' | '_').then_some('\\').into_iter().chain([c])).collect()
}
