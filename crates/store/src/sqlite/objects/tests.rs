//! What is particular to SQLite: settings, versions, damage, and texts shared with documents.

use std::fs;

use ai_assist_identity::{CollectionId, DocPath, Sha256};
use ai_assist_text::Language;
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::objects::{Content, Expect, NewState, ObjectWrite, Op, Validity};
use crate::sqlite::migrate;
use crate::{Change, Error, NewCollection, NewDocument, Store};

fn id(text: &str) -> ObjectId {
    text.parse().unwrap()
}

fn write(at: &str, op: Op) -> ObjectWrite {
    let (valid, expect) = (Validity::default(), Expect::Any);
    ObjectWrite { id: id(at), kind: "file", source: None, valid, expect, op }
}

fn put(at: &str, text: &str) -> ObjectWrite {
    let content = Some(Content::new(text));
    write(at, Op::Put(NewState { fields: "{}".into(), extra: None, file_hash: None, content }))
}

fn delta(at: &str, body: &str) -> ObjectWrite {
    write(at, Op::Delta { body: body.into(), content: None })
}

fn batch(writes: Vec<ObjectWrite>) -> ObjectBatch {
    ObjectBatch { writes, ..ObjectBatch::default() }
}

fn document(text: &str) -> Change {
    Change::put(NewDocument {
        path: DocPath::parse("a").unwrap(),
        hash: Sha256::of(text.as_bytes()),
        source_size: text.len() as u64,
        stamp: None,
        title: None,
        language: Language::TEXT,
        encoding: "utf-8".into(),
        converter: None,
        replaced: 0,
        redacted: 0,
        text: text.into(),
        chunks: Vec::new(),
    })
    .unwrap()
}

fn folder_of(store: &mut SqliteStore) -> CollectionId {
    let id = format!("file:{}", Sha256::of(b"/docs**").hex()).parse().unwrap();
    let new = NewCollection { id, path: Some("/docs".into()), glob: Some("**".into()), url: None };
    store.ensure_collection(&new).unwrap().id
}

/// Two versions of `a`, two deltas on it, and `b`: numbers 1 to 5.
fn place() -> (TempDir, SqliteObjects) {
    let folder = TempDir::new().unwrap();
    let mut objects = SqliteObjects::open(&folder.path().join("assist.db")).unwrap();
    objects.write(batch(vec![put("a", "first")])).unwrap();
    objects.write(batch(vec![put("a", "second"), delta("a", "{\"x\":1}"), delta("a", "{\"x\":2}")])).unwrap();
    let request = Some(RequestId("r".into()));
    let fingerprint = Some(Sha256::of(b"r"));
    objects
        .write(ObjectBatch {
            request,
            fingerprint,
            reply: None,
            writes: vec![put("b", "third")],
            ..ObjectBatch::default()
        })
        .unwrap();
    (folder, objects)
}

fn damage(objects: &SqliteObjects, sql: &str) {
    let sql = format!("PRAGMA foreign_keys = OFF; {sql}; PRAGMA foreign_keys = ON");
    objects.store.connection.execute_batch(&sql).unwrap();
}

#[test]
fn an_acknowledged_write_is_synced() {
    let (folder, objects) = place();
    let synchronous = |objects: &SqliteObjects| -> i64 {
        objects.store.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap()
    };
    assert_eq!(synchronous(&objects), 2);
    let hasty = SqliteObjects::open_with(&folder.path().join("assist.db"), Durability::Normal).unwrap();
    assert_eq!(synchronous(&hasty), 1);
}

#[test]
fn reading_only_reads() {
    let (folder, objects) = place();
    let mut reader = SqliteObjects::open_read_only(objects.path()).unwrap();
    assert_eq!(reader.history(&id("a")).unwrap().len(), 4);
    assert!(matches!(reader.write(batch(vec![put("c", "x")])), Err(Error::ReadOnly { .. })));
    assert!(matches!(reader.forget(&[id("a")], None), Err(Error::ReadOnly { .. })));
    let none = folder.path().join("none.db");
    assert!(matches!(SqliteObjects::open_read_only(&none), Err(Error::Open { .. })));
    assert!(!none.exists());
}

#[test]
fn a_database_without_objects_is_brought_up_to_date() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("assist.db");
    {
        let old = Connection::open(&path).unwrap();
        migrate::migrate(&old, &migrate::MIGRATIONS[..2], &path).unwrap();
        old.execute_batch(
            "INSERT INTO collections (id, type, created_at, updated_at) VALUES ('pkg:https://x.org', 'pkg', '', '');
             UPDATE sequence SET value = 41",
        )
        .unwrap();
    }
    assert!(matches!(SqliteObjects::open_read_only(&path), Err(Error::OlderVersion { found: 2, .. })));
    let mut objects = SqliteObjects::open(&path).unwrap();
    assert_eq!(objects.last().unwrap(), (Seq(0), Moment(0)));
    assert_eq!(objects.write(batch(vec![put("a", "first")])).unwrap().seqs, [Seq(42)]);
    assert_eq!(objects.store.collections().unwrap().len(), 1);
    drop(objects);
    let newer = Connection::open(&path).unwrap();
    newer.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 999").unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    assert!(matches!(SqliteObjects::open(&path), Err(Error::NewerVersion { found: 999, .. })));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn texts_shared_with_documents_outlive_either() {
    let contents = |objects: &SqliteObjects| -> i64 {
        objects.store.connection.query_row("SELECT count(*) FROM contents", [], |row| row.get(0)).unwrap()
    };
    for objects_first in [false, true] {
        let (_folder, mut objects) = place();
        let mut store = SqliteStore::open(objects.path()).unwrap();
        let collection = folder_of(&mut store);
        store.apply(&collection, vec![document("first")]).unwrap();
        assert_eq!(contents(&objects), 3);
        if objects_first {
            let forgotten = objects.forget(&[id("a"), id("nothing")], None).unwrap();
            assert_eq!(forgotten, Forgotten { objects: 1, events: 4, texts: 1, bytes: 6 });
            assert_eq!(store.document(&collection, &DocPath::parse("a").unwrap()).unwrap().unwrap().text, "first");
            assert_eq!(store.check().unwrap(), []);
            store.drop_collection(&collection).unwrap();
            assert_eq!(contents(&objects), 1);
        } else {
            store.apply(&collection, vec![document("another")]).unwrap();
            store.drop_collection(&collection).unwrap();
            assert_eq!(contents(&objects), 3);
            let seq = objects.history(&id("a")).unwrap()[0].seq;
            assert_eq!(objects.version(seq).unwrap().unwrap().state.text.as_deref(), Some("first"));
        }
        assert_eq!(store.check().unwrap(), []);
        assert_eq!(store.repair().unwrap(), Vec::<String>::new());
    }
}

/// Each of these is found, called what it is, and mended so that nothing is found any more; with how many events are left.
#[test]
fn defects_are_found_and_mended() {
    for (sql, message, left) in [
        ("UPDATE sequence SET value = 3", "The sequence stands at 3, but 5 was given out", 5),
        ("DELETE FROM object_events WHERE seq = 5; UPDATE sequence SET value = 4", "but 5 was given out", 4),
        ("UPDATE object_clock SET system_time = 1", "noted as 1970-01-01T00:00:00.000001Z, but", 5),
        ("DELETE FROM object_clock", "The last system time is missing", 5),
        ("UPDATE objects SET xt_id = 'a b' WHERE xt_id = 'a'", "The object in row 1 can't be read", 5),
        ("DELETE FROM objects WHERE xt_id = 'a'", "4 rows of `object_events` belong to nothing in `objects`", 5),
        ("UPDATE object_events SET op = 9 WHERE seq = 3", "Version 3 of `a` is damaged: an event of sort 9", 4),
        ("UPDATE object_events SET fields = NULL WHERE seq = 3", "it has no fields", 4),
        ("UPDATE object_events SET fields = x'00' WHERE seq = 1", "too short", 4),
        ("UPDATE object_events SET fields = x'050000000000000028b52ffd' WHERE seq = 1", "does not unpack", 4),
        ("UPDATE object_events SET extra = 7 WHERE seq = 1", "a number", 4),
        ("UPDATE object_events SET file_hash = x'00' WHERE seq = 5", "a hash of 1 bytes", 4),
        ("UPDATE object_events SET valid_to = valid_from WHERE seq = 5", "it holds from", 4),
        ("DELETE FROM contents WHERE id = 2", "The text of version 2 of `a` is missing", 5),
        ("UPDATE object_events SET aside = NULL WHERE seq = 2", "The versions of `a` are not marked", 5),
        ("UPDATE object_events SET aside = 0 WHERE seq = 3", "The versions of `a` are not marked", 5),
        ("UPDATE object_events SET aside = 7 WHERE seq = 5", "The versions of `b` are not marked", 5),
        ("UPDATE object_events SET valid_from = 1 WHERE seq = 2", "The versions of `a` are not marked", 5),
        ("UPDATE object_events SET valid_to = 9e15 WHERE seq = 2", "The versions of `a` are not marked", 5),
        (
            "INSERT INTO contents (hash, size, codec, data) VALUES (x'00', 1, 0, x'41')",
            "1 stored texts belong to no document",
            5,
        ),
    ] {
        let (_folder, mut objects) = place();
        let given = objects.last().unwrap();
        damage(&objects, sql);
        let defects = objects.store.check().unwrap();
        assert!(defects.iter().any(|defect| defect.message.contains(message)), "{sql}: {defects:?}");
        assert!(defects.iter().all(|defect| defect.repairable), "{sql}: {defects:?}");
        let done = objects.store.repair().unwrap();
        assert!(!done.is_empty(), "{sql}");
        assert_eq!(objects.store.check().unwrap(), [], "{sql}: {done:?}");
        assert_eq!(objects.store.repair().unwrap(), Vec::<String>::new(), "{sql}");
        assert_eq!(objects.events_since(Seq(0), 100).unwrap().len(), left, "{sql}");
        let written = objects.write(batch(vec![put("a", "fourth"), delta("a", "{}")])).unwrap();
        assert!(written.system >= given.1 && written.seqs[0] > given.0, "{sql}: {written:?}");
        let now = objects.get(&id("a"), AsOf::default()).unwrap().unwrap();
        assert_eq!((now.head.seq, now.state.text.as_deref()), (written.seqs[0], Some("fourth")), "{sql}");
        assert_eq!(objects.store.check().unwrap(), [], "{sql}");
    }
}

#[test]
fn a_damaged_text_leaves_its_version_and_comes_back() {
    for sql in [
        "UPDATE contents SET data = x'6669727375' WHERE id = 1",
        "UPDATE contents SET codec = 9 WHERE id = 1",
        "UPDATE contents SET size = 3 WHERE id = 1",
        "UPDATE contents SET data = x'ff', size = 1 WHERE id = 1",
    ] {
        let (_folder, objects) = place();
        // A document has the same text. It can be had again, so it is taken out.
        let mut store = SqliteStore::open(objects.path()).unwrap();
        let collection = folder_of(&mut store);
        store.apply(&collection, vec![document("first")]).unwrap();
        damage(&objects, sql);
        let defects = store.check().unwrap();
        assert_eq!(defects.len(), 2, "{defects:?}");
        assert!(defects.iter().all(|defect| defect.repairable), "{sql}: {defects:?}");
        assert!(defects[1].message.starts_with("The text of version 1 of `a` is damaged"), "{defects:?}");
        let done = store.repair().unwrap();
        assert_eq!(store.heads(&collection).unwrap(), [], "{done:?}");
        let version = objects.version(Seq(1)).unwrap().unwrap();
        assert_eq!((version.state.fields.as_str(), version.state.text), ("{}", None));
        assert_eq!(version.head.content_hash, Some(ContentHash::of("first")));
        assert_eq!(objects.texts(&[ContentHash::of("first")]).unwrap(), [None]);
        let left = store.check().unwrap();
        assert!(left.len() == 1 && !left[0].repairable && left[0].message.contains("is lost"), "{left:?}");
        assert_eq!(store.repair().unwrap(), Vec::<String>::new());
        // The next sync, or the same file read again, brings it back.
        store.apply(&collection, vec![document("first")]).unwrap();
        assert_eq!(objects.version(Seq(1)).unwrap().unwrap().state.text.as_deref(), Some("first"));
        assert_eq!(store.check().unwrap(), []);
    }
}

#[test]
fn what_can_not_be_mended_says_so() {
    for (sql, message) in [
        ("UPDATE object_events SET system_time = 5 WHERE seq = 4", "an earlier system time"),
        ("UPDATE object_requests SET fingerprint = x'00'", "The request `r` can't be read: a hash of 1 bytes"),
        ("UPDATE object_requests SET reply = x'00'", "The request `r` can't be read: fields that can't be read"),
    ] {
        let (_folder, mut objects) = place();
        damage(&objects, sql);
        let defects = objects.store.check().unwrap();
        assert!(defects.len() == 1 && !defects[0].repairable, "{defects:?}");
        assert!(defects[0].message.contains(message), "{defects:?}");
        assert_eq!(objects.store.repair().unwrap(), Vec::<String>::new());
        assert_eq!(objects.store.check().unwrap(), defects);
    }
}

/// Damage that a read meets is an error and not another answer.
#[test]
fn damage_is_met_with_an_error() {
    for sql in [
        "UPDATE object_events SET fields = x'00' WHERE seq = 5",
        "UPDATE object_events SET file_hash = x'00' WHERE seq = 5",
        "UPDATE object_events SET op = 4 WHERE seq = 5",
        "DELETE FROM contents WHERE id = 3",
        "UPDATE contents SET codec = 9 WHERE id = 3",
    ] {
        let (_folder, objects) = place();
        damage(&objects, sql);
        let read = objects.get(&id("b"), AsOf::default());
        assert!(matches!(read, Err(Error::Corrupt { .. })), "{sql}: {read:?}");
    }
}

/// Answers must be found by index, whatever the planner thinks of the tables.
#[test]
fn texts_are_freed_by_index() {
    let (_folder, objects) = place();
    let plan = |sql: &str| -> String {
        let mut statement = objects.store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let rows = statement.query_map([1], |row| row.get::<_, String>(3)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    };
    let free = plan(crate::sqlite::write::FREE_CONTENT);
    assert!(free.contains("object_events_by_content") && !free.contains("SCAN"), "{free}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let (_folder, mut objects) = place();
    let db = &objects.store.connection;
    let pages: i64 = db.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    db.pragma_update(None, "max_page_count", pages + 3).unwrap();
    let before = objects.events_since(Seq(0), 100).unwrap();
    let noise: String = (0..40_000u32).map(|i| format!("{:x}", i.wrapping_mul(2_654_435_761))).collect();
    let large = || {
        let request = Some(RequestId("large".into()));
        ObjectBatch { request, ..batch(vec![put("c", "small"), put("a", &noise)]) }
    };
    let error = objects.write(large()).unwrap_err();
    assert!(matches!(error, Error::Full { .. }), "{error}");
    assert_eq!(objects.events_since(Seq(0), 100).unwrap(), before);
    assert_eq!(objects.recorded(&RequestId("large".into())).unwrap(), None);
    objects.store.connection.pragma_update(None, "max_page_count", pages + 10_000).unwrap();
    assert!(!objects.write(large()).unwrap().replayed);
    assert_eq!(objects.store.check().unwrap(), []);
}
