//! What is particular to SQLite: files that are not ours, disks that are full, damage.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ai_assist_identity::{DocPath, Sha256};
use ai_assist_text::{Language, LineRange};
use tempfile::TempDir;

use super::*;
use crate::{Chunk, Error, NewDocument};

struct Place {
    /// Gone with its files when dropped, so it is always bound.
    folder: TempDir,
    store: SqliteStore,
    id: CollectionId,
}

fn collection() -> NewCollection {
    let id = format!("file:{}", Sha256::of(b"/docs**").hex()).parse().unwrap();
    NewCollection { id, path: Some("/docs".into()), glob: Some("**".into()), url: None }
}

fn put(at: &str, text: &str) -> Change {
    let chunk = Chunk {
        bytes: 0..text.len(),
        lines: LineRange { start: 1, end: 1 },
        path: vec!["Top".into()],
        kind: "section".into(),
        language: Language::TEXT,
        hash: None,
    };
    Change::put(NewDocument {
        path: DocPath::parse(at).unwrap(),
        hash: Sha256::of(text.as_bytes()),
        source_size: text.len() as u64,
        stamp: None,
        title: None,
        language: Language::MARKDOWN,
        encoding: "utf-8".into(),
        converter: None,
        replaced: 0,
        redacted: 0,
        text: text.into(),
        chunks: vec![chunk],
    })
    .unwrap()
}

fn place() -> Place {
    let folder = TempDir::new().unwrap();
    let mut store = SqliteStore::open(&folder.path().join("assist.db")).unwrap();
    let id = store.ensure_collection(&collection()).unwrap().id;
    store.apply(&id, vec![put("a", "first"), put("b", "second")]).unwrap();
    Place { folder, store, id }
}

fn raw(sql: &str, at: &Path) {
    Connection::open(at).unwrap().execute_batch(sql).unwrap();
}

/// Every file of the folder with its bytes.
fn files(folder: &TempDir) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_new_file_is_set_up() {
    let Place { folder: _folder, store, .. } = place();
    let ask = |pragma: &str| store.connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(ask("page_size"), 16384);
    assert_eq!(ask("foreign_keys"), 1);
    assert_eq!(ask("synchronous"), 1);
    assert!(ask("busy_timeout") >= 10_000);
    assert_eq!(ask("user_version"), migrate::known());
    let mode: String = store.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    let meta: i64 = store.connection.query_row("SELECT count(*) FROM meta", [], |row| row.get(0)).unwrap();
    assert!(meta >= 3);
}

#[test]
fn a_newer_version_is_refused_and_not_touched() {
    for with_log in [false, true] {
        let Place { folder, store, .. } = place();
        let path = store.path.clone();
        if with_log {
            // As a crash leaves it: the log not folded in.
            store.connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
            store.connection.execute_batch("PRAGMA user_version = 999").unwrap();
            drop(store);
        } else {
            drop(store);
            raw("PRAGMA user_version = 999; PRAGMA journal_mode = DELETE", &path);
        }
        let before = files(&folder);
        assert_eq!(before.iter().any(|(path, _)| path.to_string_lossy().ends_with("-wal")), with_log);
        for open in [SqliteStore::open, SqliteStore::open_read_only] {
            let error = open(&path).unwrap_err();
            assert!(matches!(error, Error::NewerVersion { found: 999, .. }), "{error}");
            assert!(error.to_string().contains("newer ai-assist"), "{error}");
            let after = files(&folder);
            // The index of the log is scratch space that every reader uses.
            let content = |files: &[(PathBuf, Vec<u8>)]| -> Vec<(PathBuf, Vec<u8>)> {
                files.iter().filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).cloned().collect()
            };
            assert_eq!(content(&before), content(&after));
        }
    }
}

#[test]
fn other_files_are_refused_and_not_touched() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text.db");
    fs::write(&text, "just a note, long enough to be looked at. ".repeat(100)).unwrap();
    let foreign = folder.path().join("foreign.db");
    raw("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)", &foreign);
    let before = files(&folder);
    assert!(matches!(SqliteStore::open(&text), Err(Error::NotADatabase { .. })));
    assert!(matches!(SqliteStore::open(&foreign), Err(Error::ForeignDatabase { .. })));
    assert!(matches!(SqliteStore::open(folder.path()), Err(Error::Open { .. })));
    assert!(matches!(SqliteStore::open_read_only(&folder.path().join("none.db")), Err(Error::Open { .. })));
    assert!(matches!(SqliteStore::open(&text.join("below")), Err(Error::Open { .. })));
    assert_eq!(files(&folder), before);
}

#[test]
fn reading_only_reads() {
    let Place { folder, store, id } = place();
    let mut reader = SqliteStore::open_read_only(&store.path).unwrap();
    assert_eq!(reader.heads(&id).unwrap().len(), 2);
    assert!(matches!(reader.apply(&id, vec![put("c", "third")]), Err(Error::ReadOnly { .. })));
    let empty = folder.path().join("empty.db");
    raw("CREATE TABLE x (y); DROP TABLE x", &empty);
    assert!(matches!(SqliteStore::open_read_only(&empty), Err(Error::OlderVersion { found: 0, .. })));
    // The same file is as good as none to a writer.
    SqliteStore::open(&empty).unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_in_the_log_is_not_left_out() {
    let Place { folder, store, id } = place();
    let path = store.path.clone();
    drop(store);
    let mut store = SqliteStore::open(&path).unwrap();
    store.apply(&id, vec![put("c", "third")]).unwrap();
    // As a crash leaves it.
    store.connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    drop(store);
    let shared = folder.path().join("assist.db-shm");
    if shared.exists() {
        fs::remove_file(&shared).unwrap();
    }
    // In the way of the file that SQLite wants there: it follows no link.
    std::os::unix::fs::symlink("nowhere", &shared).unwrap();
    let error = SqliteStore::open_read_only(&path).map(|store| store.heads(&id).unwrap().len()).unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error}");
    fs::remove_file(&shared).unwrap();
    assert_eq!(SqliteStore::open_read_only(&path).unwrap().heads(&id).unwrap().len(), 3);
}

#[test]
fn a_full_disk_loses_nothing() {
    let Place { folder: _folder, mut store, id } = place();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages + 3).unwrap();
    let before = (store.heads(&id).unwrap(), store.state(&id).unwrap());
    let noise: String = (0..40_000u32).map(|i| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect();
    let batch = || vec![put("c", "third"), Change::Remove(DocPath::parse("a").unwrap()), put("d", &noise)];
    let error = store.apply(&id, batch()).unwrap_err();
    assert!(matches!(&error, Error::Full { path } if *path == store.path), "{error}");
    assert_eq!((store.heads(&id).unwrap(), store.state(&id).unwrap()), before);
    assert_eq!(store.check().unwrap(), []);
    // What fits still goes in, and all of it once there is room.
    store.apply(&id, vec![put("c", "third")]).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages + 10_000).unwrap();
    store.apply(&id, batch()).unwrap();
    assert_eq!(store.heads(&id).unwrap().len(), 3);
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn a_lock_that_is_not_let_go_is_named() {
    let Place { folder: _folder, mut store, id } = place();
    let other = SqliteStore::open(&store.path).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.connection.busy_timeout(Duration::from_millis(50)).unwrap();
    let error = store.apply(&id, vec![put("c", "third")]).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    assert!(error.to_string().contains("another process"));
    // Reading does not wait, and neither does making sure of what is there.
    assert_eq!(store.heads(&id).unwrap().len(), 2);
    store.ensure_collection(&collection()).unwrap();
    other.connection.execute_batch("ROLLBACK").unwrap();
    store.apply(&id, vec![put("c", "third")]).unwrap();
}

#[test]
fn damaged_pages_are_an_error() {
    let Place { folder: _folder, mut store, id } = place();
    let path = store.path.clone();
    store.apply(&id, (0..500).map(|i| put(&format!("{i}"), &format!("text {i}"))).collect()).unwrap();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let middle = 16384 * 2..bytes.len();
    bytes[middle].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let mut store = SqliteStore::open(&path).unwrap();
    assert!(matches!(store.heads(&id), Err(Error::Corrupt { .. })));
    // Either way of saying so will do; saying that all is well will not.
    assert!(store.check().map_or(true, |defects| !defects.is_empty()));
    assert!(matches!(store.repair(), Err(Error::Corrupt { .. })));
}

/// Each of these is found, called what it is, and mended so that nothing is found any more.
#[test]
fn defects_are_found_and_mended() {
    for (damage, message, documents_left) in [
        ("UPDATE collection_state SET documents = 7", "7 documents are noted, 2 are there", 2),
        ("UPDATE collection_state SET chunks = 0", "0 chunks are noted, 2 are there", 2),
        ("UPDATE collection_state SET pruned = 99", "pruned up to 99", 2),
        ("UPDATE collection_state SET seq = 1", "last change is noted as 1, but there is 2", 2),
        ("DELETE FROM collection_state", "they are missing", 2),
        ("UPDATE sequence SET value = 1", "The sequence stands at 1, but 2 was given out", 2),
        ("DELETE FROM sequence", "The sequence is missing", 2),
        (
            "INSERT INTO contents (hash, size, codec, data) VALUES (x'00', 1, 0, x'41')",
            "1 stored texts belong to no",
            2,
        ),
        ("UPDATE contents SET data = x'6669727375' WHERE id = 1", "`a` of file:", 1),
        ("UPDATE contents SET codec = 9 WHERE id = 1", "codec 9", 1),
        ("UPDATE contents SET size = 3 WHERE id = 1", "5 bytes where 3 were stored", 1),
        ("DELETE FROM contents WHERE id = 2", "`b` of file:", 1),
        ("DELETE FROM reference_document_chunks WHERE document = 1", "1 chunks are noted, 0 are there", 1),
        ("UPDATE reference_document_chunks SET byte_end = 99 WHERE document = 1", "not a piece of it", 1),
        ("UPDATE reference_document_chunks SET path = '{' WHERE document = 2", "a chunk's path", 1),
        ("UPDATE reference_document_chunks SET ordinal = 4 WHERE document = 2", "chunk 0 is missing", 1),
        (
            "UPDATE reference_document_chunks SET document = 77 WHERE document = 2",
            "rows of `reference_document_chunks`",
            1,
        ),
        ("UPDATE reference_documents SET hash = x'00' WHERE id = 2", "a hash of 1 bytes", 1),
        ("UPDATE reference_documents SET path = '../up' WHERE id = 2", "a document's path", 1),
        (
            "UPDATE reference_documents SET collection_number = 99 WHERE id = 2",
            "rows of `reference_documents` belong to",
            1,
        ),
        (
            "INSERT INTO tombstones SELECT 3, id, 3, '/abs' FROM collections; UPDATE sequence SET value = 3; UPDATE collection_state SET seq = 3",
            "The removal 3",
            2,
        ),
    ] {
        let Place { folder: _folder, mut store, id } = place();
        let before = store.state(&id).unwrap().unwrap();
        store.mark_synced(&id, Some(Sha256::of(b"manifest"))).unwrap();
        store
            .connection
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; {damage}; PRAGMA foreign_keys = ON"))
            .unwrap();
        let defects = store.check().unwrap();
        assert!(defects.iter().any(|defect| defect.message.contains(message)), "{damage}: {defects:?}");
        assert!(defects.iter().all(|defect| defect.repairable), "{damage}: {defects:?}");
        let done = store.repair().unwrap();
        assert!(!done.is_empty(), "{damage}");
        assert_eq!(store.check().unwrap(), [], "{damage}: {done:?}");
        assert_eq!(store.repair().unwrap(), Vec::<String>::new(), "{damage}");
        assert_eq!(store.heads(&id).unwrap().len(), documents_left, "{damage}");
        if documents_left == 1 && !damage.contains("collection_number = 99") {
            // Nothing may keep the next sync from bringing it back, or an index from forgetting it.
            let state = store.state(&id).unwrap().unwrap();
            assert!(state.pruned > before.seq, "{damage}: {state:?}");
            assert_eq!(store.collection(&id).unwrap().unwrap().manifest_hash, None, "{damage}");
        }
        store.apply(&id, vec![put("a", "first"), put("b", "second"), put("c", "third")]).unwrap();
        assert_eq!(store.changes_since(&id, Seq(0), 10).unwrap().len(), 3, "{damage}");
        assert_eq!(store.check().unwrap(), [], "{damage}");
    }
}

#[test]
fn what_can_not_be_mended_says_so() {
    let Place { folder: _folder, mut store, .. } = place();
    store.connection.execute_batch("UPDATE collections SET type = 'pkg'").unwrap();
    let defects = store.check().unwrap();
    assert!(defects.iter().any(|defect| !defect.repairable && defect.message.contains("type")), "{defects:?}");
    store.repair().unwrap();
    assert_eq!(store.check().unwrap(), defects);
}

#[test]
fn an_index_of_the_database_is_made_anew() {
    let Place { folder: _folder, mut store, id } = place();
    // An index whose entries are not those of its table: its definition is changed behind SQLite's back and back again.
    store
        .connection
        .execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX reference_documents_by_seq ON reference_documents (collection_number, seq) WHERE seq > 99'
             WHERE name = 'reference_documents_by_seq';
             PRAGMA writable_schema = RESET;
             REINDEX reference_documents_by_seq;
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX reference_documents_by_seq ON reference_documents (collection_number, seq)'
             WHERE name = 'reference_documents_by_seq';
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
    let defects = store.check().unwrap();
    assert!(!defects.is_empty() && defects.iter().all(|defect| defect.repairable), "{defects:?}");
    store.repair().unwrap();
    assert_eq!(store.check().unwrap(), []);
    assert_eq!(store.changes_since(&id, Seq(0), 10).unwrap().len(), 2);
}

#[test]
fn room_is_given_back() {
    let Place { folder: _folder, mut store, id } = place();
    let noise: String = (0..200_000u32).map(|i| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect();
    store.apply(&id, vec![put("large", &noise)]).unwrap();
    store.apply(&id, vec![Change::Remove(DocPath::parse("large").unwrap())]).unwrap();
    let pages = |store: &SqliteStore| -> i64 {
        store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
    };
    // The text is kept until whoever may read it is gone.
    store.prune_tombstones(&id, Seq(u64::MAX)).unwrap();
    store.forget_replaced(&id, Duration::ZERO).unwrap();
    let before = pages(&store);
    store.compact().unwrap();
    assert!(pages(&store) < before / 2, "{before} to {}", pages(&store));
    assert_eq!(store.heads(&id).unwrap().len(), 2);
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn looking_for_replaced_texts_writes_nothing() {
    let Place { folder: _folder, mut store, id } = place();
    let other = SqliteStore::open(&store.path).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.connection.busy_timeout(Duration::ZERO).unwrap();
    store.forget_replaced(&id, Duration::ZERO).unwrap();
    other.connection.execute_batch("ROLLBACK").unwrap();
    store.apply(&id, vec![put("a", "later")]).unwrap();
    store.prune_tombstones(&id, Seq(u64::MAX)).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.forget_replaced(&id, Duration::from_secs(60)).unwrap();
    assert!(matches!(store.forget_replaced(&id, Duration::ZERO), Err(Error::Busy { .. })));
    let plan = "EXPLAIN QUERY PLAN SELECT seq, replaced_at FROM replaced_texts WHERE collection_number = 1 ORDER BY seq LIMIT 1";
    let plan: String = store.connection.query_row(plan, [], |row| row.get(3)).unwrap();
    assert!(plan.contains("SEARCH replaced_texts USING INDEX replaced_texts_by_collection"), "{plan}");
}

/// Documents of a database as it was before collections had numbers.
const BEFORE_NUMBERS: &str = "
    INSERT INTO collections VALUES ('ID', 'file', '/docs', '**', NULL, NULL, NULL, '2026-01-01T00:00:00.000Z', '2026-01-02T03:04:05.678Z');
    INSERT INTO collection_state VALUES ('ID', 2, 2, 8, 3, 0);
    INSERT INTO contents VALUES (1, unhex('A7937B64B8CAA58F03721BB6BACF5C78CB235FEBE0E70B1B84CD99541461A08E'), 5, 0, x'6669727374');
    INSERT INTO contents VALUES (2, unhex('CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB'), 1, 0, x'61');
    INSERT INTO reference_documents
      (id, collection, path, hash, seq, stat_size, stat_mtime_ns, stat_ctime_ns, stat_inode, content, size, lines, chunks,
       replaced, redacted, language, encoding, title, updated_at, source_size, converter)
      VALUES (1, 'ID', 'a', zeroblob(32), 1, 5, 6, 7, 8, 1, 5, 1, 1, 2, 3, 'markdown', 'utf-8', 'A', '2026-01-02T03:04:05.678Z', 9, 'text/1'),
             (2, 'ID', 'b', zeroblob(32), 3, NULL, NULL, NULL, NULL, 2, 1, 1, 1, 0, 0, 'text', 'utf-8', NULL, 'none', 0, NULL);
    UPDATE collection_state SET bytes = 6;
    INSERT INTO reference_document_chunks VALUES (1, 0, 0, 5, 1, 1, '[]', 'section', NULL, NULL), (2, 0, 0, 1, 1, 1, '[]', 'text', NULL, NULL);
    INSERT INTO tombstones VALUES (2, 'ID', 7, 'gone');
    INSERT INTO packages VALUES ('ID', 'p', '1', NULL, '', NULL, NULL, NULL, 0, 1);
    UPDATE sequence SET value = 7;";

fn database_of_before(path: &Path) -> Connection {
    let old = Connection::open(path).unwrap();
    migrate::migrate(&old, &migrate::MIGRATIONS[..5], path).unwrap();
    old.execute_batch(&BEFORE_NUMBERS.replace("ID", collection().id.as_str())).unwrap();
    old
}

#[test]
fn a_database_of_before_keeps_everything() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    let id = collection().id;
    drop(database_of_before(&path));
    let mut store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.check().unwrap(), []);
    let record = store.collection(&id).unwrap().unwrap();
    assert_eq!((record.path.as_deref(), record.updated_at.as_str()), (Some("/docs"), "2026-01-02T03:04:05.678Z"));
    let document = store.document(&id, &DocPath::parse("a").unwrap()).unwrap().unwrap();
    assert_eq!((document.text.as_str(), document.updated_at.as_str()), ("first", "2026-01-02T03:04:05.678Z"));
    assert_eq!((document.seq, document.replaced, document.redacted, document.source_size), (Seq(1), 2, 3, 9));
    assert_eq!((document.title.as_deref(), document.converter.as_deref()), (Some("A"), Some("text/1")));
    assert_eq!(document.stamp.map(|stamp| (stamp.size, stamp.inode)), Some((5, 8)));
    assert_eq!(store.list_documents(&id).unwrap()[1].updated_at, "1970-01-01T00:00:00.000Z");
    assert_eq!(store.changes_since(&id, Seq(0), 10).unwrap().len(), 3);
    assert_eq!(store.package(&id).unwrap().unwrap().name, "p");
    // It lives on: replaced, added to, dropped.
    store.apply(&id, vec![put("a", "other"), put("c", "third")]).unwrap();
    assert_eq!(store.text_at(document.id, document.seq, &document.hash).unwrap().as_deref(), Some("first"));
    assert_eq!(store.check().unwrap(), []);
    assert!(store.drop_collection(&id).unwrap());
    assert_eq!(store.check().unwrap(), []);
}

/// A process may have a database open that one of a later version then brings up to date.
#[test]
fn a_process_of_the_version_before_is_refused_and_finds_nothing_missing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    let id = collection().id;
    let old = database_of_before(&path);
    let asked = |condition: &str| -> rusqlite::Result<i64> {
        let sql = format!("SELECT count(*) FROM reference_documents WHERE {condition}");
        old.prepare_cached(&sql)?.query_row([id.as_str()], |row| row.get(0))
    };
    // As heads, single documents and changes were asked for.
    let conditions = ["collection = ?1", "collection = ?1 AND path = 'a'", "collection = ?1 AND seq > 0"];
    assert_eq!(conditions.map(|condition| asked(condition).unwrap()), [2, 1, 2]);
    SqliteStore::open(&path).unwrap();
    for condition in conditions {
        let refused = asked(condition).unwrap_err();
        assert!(refused.to_string().contains("no such column"), "{refused}");
    }
}

#[test]
fn a_damaged_database_of_before_keeps_what_can_be_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    let id = collection().id;
    let old = database_of_before(&path);
    for (number, text) in (11..).zip((0..400).map(|n| format!("text {n}"))) {
        let hash = Sha256::of(text.as_bytes());
        let content = (number, hash.as_bytes(), text.len() as i64, text.as_bytes());
        old.execute("INSERT INTO contents VALUES (?1, ?2, ?3, 0, ?4)", content).unwrap();
        let document = (number, id.as_str(), format!("d{number}"), hash.as_bytes(), text.len() as i64);
        old.execute(
            "INSERT INTO reference_documents
               (id, collection, path, hash, seq, content, size, lines, chunks, replaced, redacted, language, encoding, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?1, ?1, ?5, 1, 0, 0, 0, 'text', 'utf-8', '2026-01-02T03:04:05.678Z')",
            document,
        )
        .unwrap();
    }
    old.execute_batch("UPDATE sequence SET value = 500").unwrap();
    let page: i64 = old
        .query_row(
            "SELECT pageno FROM dbstat WHERE name = 'reference_documents' AND pagetype = 'leaf' LIMIT 1 OFFSET 3",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(old);
    let mut bytes = fs::read(&path).unwrap();
    let from = usize::try_from(page - 1).unwrap() * 4096;
    bytes[from..from + 4096].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let recovered = SqliteStore::recover(&path).unwrap();
    let table = |name: &str| recovered.tables.iter().find(|table| table.name == name).unwrap();
    assert!(!table("reference_documents").whole && table("contents").whole, "{recovered:?}");
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.check().unwrap(), []);
    let heads = store.heads(&id).unwrap();
    assert_eq!(heads.len() as u64, table("reference_documents").rows);
    assert!((350..402).contains(&heads.len()), "{} of 402", heads.len());
    let last = store.document(&id, &DocPath::parse("d410").unwrap()).unwrap().unwrap();
    assert_eq!((last.text.as_str(), last.updated_at.as_str()), ("text 399", "2026-01-02T03:04:05.678Z"));
    assert_eq!(store.package(&id).unwrap().unwrap().name, "p");
}

#[test]
fn a_database_that_changes_its_version_is_not_used_any_more() {
    let Place { folder: _folder, mut store, id } = place();
    let reader = SqliteStore::open_read_only(&store.path).unwrap();
    assert_eq!(reader.heads(&id).unwrap().len(), 2);
    raw(&format!("PRAGMA user_version = {}", migrate::known() + 1), &store.path);
    for error in [
        reader.heads(&id).unwrap_err(),
        store.heads(&id).unwrap_err(),
        store.apply(&id, vec![put("c", "third")]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::NewerVersion { .. }), "{error}");
    }
    raw(&format!("PRAGMA user_version = {}", migrate::known() - 1), &store.path);
    let error = store.apply(&id, vec![put("c", "third")]).unwrap_err();
    assert!(matches!(error, Error::OlderVersion { .. }), "{error}");
    raw(&format!("PRAGMA user_version = {}", migrate::known()), &store.path);
    store.apply(&id, vec![put("c", "third")]).unwrap();
    assert_eq!(reader.heads(&id).unwrap().len(), 3);
}

#[test]
fn texts_that_are_kept_for_an_index_may_be_damaged() {
    for (damage, message) in [
        ("DELETE FROM contents WHERE id = (SELECT content FROM replaced_texts)", "belong to nothing in `contents`"),
        ("UPDATE replaced_texts SET collection_number = 99", "belong to nothing in `collections`"),
    ] {
        let Place { folder: _folder, mut store, id } = place();
        let first = store.heads(&id).unwrap()[0].clone();
        let before = store.text_at(first.id, first.seq, &first.hash).unwrap();
        store.apply(&id, vec![put("a", "later")]).unwrap();
        assert_eq!(store.text_at(first.id, first.seq, &first.hash).unwrap(), before);
        let damage = format!("PRAGMA foreign_keys = OFF; {damage}; PRAGMA foreign_keys = ON");
        store.connection.execute_batch(&damage).unwrap();
        let defects = store.check().unwrap();
        assert!(defects.iter().any(|it| it.repairable && it.message.contains(message)), "{damage}: {defects:?}");
        store.repair().unwrap();
        assert_eq!(store.check().unwrap(), [], "{damage}");
        assert_eq!(store.text_at(first.id, first.seq, &first.hash).unwrap(), None, "{damage}");
        assert_eq!(store.heads(&id).unwrap().len(), 2);
    }
    // One that does not unpack any more is nobody's document, and says so to whoever asks for it.
    let Place { folder: _folder, mut store, id } = place();
    let first = store.heads(&id).unwrap()[0].clone();
    store.apply(&id, vec![put("a", "later")]).unwrap();
    store.connection.execute("UPDATE contents SET codec = 1 WHERE id = 1", []).unwrap();
    let error = store.text_at(first.id, first.seq, &first.hash).unwrap_err();
    assert!(error.to_string().contains("does not unpack"), "{error}");
    assert_eq!(store.check().unwrap(), []);
}
