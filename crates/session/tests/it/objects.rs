//! Spec §7: hashes, identity, indexing, discovery, and the documents.

use ai_assist_identity::{Sha256, jcs};
use ai_assist_session::Result;
use ai_assist_session::file_reader::{FileReader, ReadOutcome};
use ai_assist_session::indexer::{Happened, IndexAction, IndexResult, known, plan};
use ai_assist_session::object::{FilesystemSource, document};
use ai_assist_store::objects::{AsOf, ObjectBatch, ObjectId, Objects};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, now, read};

fn source(fs: &str, path: &str) -> FilesystemSource {
    FilesystemSource::new(fs, path.as_ref()).unwrap()
}

fn text(text: &str) -> ReadOutcome {
    FileReader::default().judge("/srv/a.md".as_ref(), text.into())
}

fn index(objects: &mut dyn Objects, source: &FilesystemSource, happened: Happened) -> Result<IndexResult> {
    let id = source.object_id()?;
    let known = known(objects, &id, AsOf::default())?;
    let planned = plan(known.as_ref(), id, source, happened)?;
    objects.write(ObjectBatch { writes: planned.write.into_iter().collect(), ..ObjectBatch::default() })?;
    Ok(planned.result)
}

/// A file whose content is at hand.
fn index_file(objects: &mut dyn Objects, source: &FilesystemSource, sight: &ReadOutcome) -> Result<IndexResult> {
    index(objects, source, Happened::Read(sight.clone()))
}

/// A file of which only the path is known.
fn discover_file(objects: &mut dyn Objects, source: &FilesystemSource) -> Result<IndexResult> {
    index(objects, source, Happened::Met)
}

fn index_file_deletion(objects: &mut dyn Objects, source: &FilesystemSource) -> Result<IndexResult> {
    index(objects, source, Happened::Gone)
}

fn stored(objects: &dyn Objects, id: &ObjectId) -> Map<String, Value> {
    document(&objects.get(id, AsOf::default()).unwrap().unwrap()).unwrap()
}

/// Computed here from the document's own fields as they stand, by the words of the specification.
fn assert_hashes(document: &Map<String, Value>, fields: &[&str], file_hash: Option<&[u8]>) {
    let sha = |value: &Value| Sha256::of(jcs::to_string(value).unwrap().as_bytes()).to_string();
    let identity = match &document["source"] {
        Value::Null => json!({ "type": document["type"], "xt/id": document["xt/id"] }),
        source => json!({ "type": document["type"], "source": source }),
    };
    assert_eq!(document["identity_hash"], sha(&identity));
    assert_eq!(document["file_hash"], file_hash.map_or(Value::Null, |bytes| Sha256::of(bytes).to_string().into()));
    let content = document["content"].as_str().map(|content| Sha256::of(content.as_bytes()).to_string());
    assert_eq!(document["content_hash"], content.map_or(Value::Null, Value::from));
    let of_kind: Map<String, Value> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), document.get(*field)?.clone()))).collect();
    assert_eq!(document["metadata_hash"], sha(&Value::Object(of_kind)));
    let composite = json!({
        "file_hash": document["file_hash"], "content_hash": document["content_hash"], "metadata_hash": document["metadata_hash"],
    });
    assert_eq!(document["object_hash"], sha(&composite));
    let envelope = [
        "xt/id", "type", "source", "identity_hash", "file_hash", "content_hash", "metadata_hash", "object_hash",
        "content", "ai_assist",
    ];
    for key in document.keys() {
        assert!(envelope.contains(&key.as_str()) || fields.contains(&key.as_str()), "{key} is of no kind");
    }
}

const FILE: [&str; 2] = ["file_type", "char_count"];

#[test]
fn hash_hierarchy_of_a_file() {
    let bench = Bench::new();
    let mut objects = bench.objects();
    let result = index_file(&mut objects, &source("fs", "/srv/a.md"), &text("# Überschrift\n")).unwrap();
    let document = stored(&objects, &result.object_id);
    assert_hashes(&document, &FILE, Some("# Überschrift\n".as_bytes()));
    assert_eq!(document["file_hash"], document["content_hash"]);
    assert_eq!(document["xt/id"], document["identity_hash"]);
    assert_eq!(document["source"], json!({ "type": "filesystem", "filesystemId": "fs", "path": "/srv/a.md" }));
    assert_eq!((&document["file_type"], &document["char_count"]), (&json!("markdown"), &json!(14)));
}

#[test]
fn the_file_hash_is_over_the_bytes_and_the_content_hash_over_what_is_kept() {
    let bench = Bench::new();
    let mut objects = bench.objects();
    let secret = "db_password = \"x7Kp!2mQz94LwR\"\n";
    let result = index_file(&mut objects, &source("fs", "/srv/a.toml"), &text(secret)).unwrap();
    let document = stored(&objects, &result.object_id);
    assert_hashes(&document, &FILE, Some(secret.as_bytes()));
    assert_ne!(document["file_hash"], document["content_hash"]);
    assert!(!document["content"].as_str().unwrap().contains("x7Kp"));
    let binary = FileReader::default().judge("/srv/b".as_ref(), vec![0, 1, 2, 3, 255, 0]);
    let result = index_file(&mut objects, &source("fs", "/srv/b"), &binary).unwrap();
    let document = stored(&objects, &result.object_id);
    assert_hashes(&document, &FILE, Some(&[0, 1, 2, 3, 255, 0]));
    assert_eq!(document["content"], Value::Null);
}

#[test]
fn identity_is_the_source() {
    let id = |fs: &str, path: &str| source(fs, path).object_id().unwrap();
    assert_eq!(id("a", "/x/y"), id("a", "/x/y"));
    assert_ne!(id("a", "/x/y"), id("b", "/x/y"));
    assert_ne!(id("a", "/x/y"), id("a", "/x/z"));
}

#[test]
fn indexing_is_created_unchanged_updated() {
    let bench = Bench::new();
    let mut objects = bench.objects();
    let at = source("fs", "/srv/a.md");
    let id = at.object_id().unwrap();
    let actions: Vec<IndexAction> = ["one", "one", "two", "one"]
        .into_iter()
        .map(|content| index_file(&mut objects, &at, &text(content)).unwrap().action)
        .collect();
    use IndexAction::{Created, Unchanged, Updated};
    assert_eq!(actions, [Created, Unchanged, Updated, Updated]);
    // An unchanged read has written nothing.
    assert_eq!(objects.history(&id).unwrap().len(), 3);
}

#[test]
fn a_stub_becomes_a_file() {
    let bench = Bench::new();
    let mut objects = bench.objects();
    let at = source("fs", "/srv/a.rs");
    let id = at.object_id().unwrap();
    assert_eq!(discover_file(&mut objects, &at).unwrap().action, IndexAction::Created);
    let stub = stored(&objects, &id);
    assert_hashes(&stub, &FILE, None);
    assert_eq!((&stub["content"], &stub["char_count"], &stub["file_type"]), (&Value::Null, &json!(0), &json!("rust")));
    assert_eq!(index_file(&mut objects, &at, &text("fn a() {}\n")).unwrap().action, IndexAction::Updated);
    assert_hashes(&stored(&objects, &id), &FILE, Some(b"fn a() {}\n"));
    // Discovery does not overwrite.
    assert_eq!(discover_file(&mut objects, &at).unwrap().action, IndexAction::Unchanged);
    assert_eq!(stored(&objects, &id)["content"], "fn a() {}\n");
}

#[test]
fn a_deletion_is_a_version() {
    let bench = Bench::new();
    let mut objects = bench.objects();
    let at = source("fs", "/srv/a.rs");
    let id = at.object_id().unwrap();
    assert_eq!(index_file_deletion(&mut objects, &at).unwrap().action, IndexAction::Unchanged);
    index_file(&mut objects, &at, &text("x")).unwrap();
    assert_eq!(index_file_deletion(&mut objects, &at).unwrap().action, IndexAction::Updated);
    assert_eq!(index_file_deletion(&mut objects, &at).unwrap().action, IndexAction::Unchanged);
    assert_hashes(&stored(&objects, &id), &FILE, None);
    // It may come back, by being met or by being read.
    assert_eq!(discover_file(&mut objects, &at).unwrap().action, IndexAction::Updated);
    assert_eq!(index_file(&mut objects, &at, &text("x")).unwrap().action, IndexAction::Updated);
    assert_eq!(objects.history(&id).unwrap().len(), 4);
}

#[test]
fn documents_of_every_kind() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "# A\n");
    let id = read(&mut session, "a.md");
    session.say(ai_assist_session::object::Role::User, "What is in a.md?", &now()).unwrap();
    let call = ai_assist_session::NewToolcall {
        tool: "cat".to_owned(),
        args: Map::from_iter([("path".to_owned(), json!("a.md"))]),
        args_display: None,
        content: "# A\n".to_owned(),
        status: ai_assist_session::object::Status::Ok,
        files: vec!["a.md".into()],
        read: Vec::new(),
    };
    let call = session.toolcall(&call, &now()).unwrap();
    session.say(ai_assist_session::object::Role::Assistant, "A heading.", &now()).unwrap();
    let of = |id: &ObjectId| session.document(id, AsOf::default()).unwrap().unwrap();

    let toolcall = of(&call);
    assert_hashes(&toolcall, &["tool", "args", "args_display", "status", "chat_ref", "file_refs"], None);
    assert_eq!(toolcall["file_refs"], json!([id.as_str()]));
    assert!(!toolcall.contains_key("args_display") && toolcall["source"].is_null());

    let chat = of(session.chat_id());
    assert_hashes(&chat, &["turns", "session_ref", "turn_count", "toolcall_refs"], None);
    assert_eq!(chat["content"], "user: What is in a.md?\n\nassistant: A heading.");
    assert_eq!(chat["turn_count"], 2);
    assert_eq!(chat["turns"][0]["toolcall_refs"], json!([call.as_str()]));

    let prompt = of(session.system_prompt_id());
    assert_hashes(&prompt, &[], None);
    assert_eq!(prompt["metadata_hash"], Sha256::of(b"{}").to_string());

    let own = of(session.id());
    let fields =
        ["session_id", "chat_ref", "system_prompt_ref", "session_index", "metadata_pool", "active_set", "pinned_set"];
    assert_hashes(&own, &fields, None);
    assert_eq!(own["session_index"], json!([id.as_str(), call.as_str()]));
    // Infrastructure is never a member.
    for own in [session.id(), session.chat_id(), session.system_prompt_id()] {
        assert!(session.sets().member(own).is_none());
    }
}
