//! Exports that somebody has meddled with.

use ai_assist_identity::object::{content_hash, identity_hash, metadata_hash, object_hash};
use ai_assist_identity::{ContentHash, Sha256};
use ai_assist_session::export::restore;
use ai_assist_session::object::Role;
use ai_assist_session::{Error, NewSession, Session};
use ai_assist_store::objects::{AsOf, Objects, Valid};
use serde_json::{Value, json};

use crate::bench::{Bench, now, read, sizes};
use crate::moving::{busy, exported};
use crate::working::call;

const TOKEN: &str = "ghp_iK2ZWeqhFWCEPyYngFb51yBMWXaSCrUZoL8g";
const PASSWORD: &str = "x7Kp!2mQz94LwRFIELD";

fn lines(session: &Session) -> Vec<Value> {
    let text = String::from_utf8(exported(session)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bytes(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn of<'l>(lines: &'l mut [Value], kind: &str) -> &'l mut Value {
    lines.iter_mut().find(|line| line["event"] == "put" && line["doc"]["type"] == kind).unwrap()
}

fn change<'l>(lines: &'l mut [Value], key: &str) -> &'l mut Value {
    lines.iter_mut().find(|line| !line["change"][key].is_null()).unwrap()
}

/// Whoever can write a document can compute its hashes.
fn hashed(line: &mut Value) {
    let doc = line["doc"].as_object_mut().unwrap();
    let envelope = ["xt/id", "type", "source", "content"];
    let hashes = ["identity_hash", "file_hash", "content_hash", "metadata_hash", "object_hash"];
    let mut fields = doc.clone();
    fields.retain(|key, _| !envelope.contains(&key.as_str()) && !hashes.contains(&key.as_str()));
    let source = (!doc["source"].is_null()).then(|| doc["source"].clone());
    let kind = doc["type"].as_str().unwrap().to_owned();
    let identity = identity_hash(&kind, source.as_ref(), doc["xt/id"].as_str().unwrap()).unwrap();
    if kind == "file" {
        doc["xt/id"] = identity.to_string().into();
    }
    let file: Option<Sha256> = doc["file_hash"].as_str().map(|hash| hash.parse().unwrap());
    let content: Option<ContentHash> = content_hash(doc["content"].as_str());
    let metadata = metadata_hash(&fields).unwrap();
    doc["identity_hash"] = json!(identity);
    doc["content_hash"] = json!(content);
    doc["metadata_hash"] = json!(metadata);
    doc["object_hash"] = json!(object_hash(file, content, metadata).unwrap());
}

/// Sets something in the document of a kind, with the right hashes.
fn set(lines: &mut [Value], kind: &str, key: &str, value: Value) {
    let line = of(lines, kind);
    line["doc"][key] = value;
    hashed(line);
}

fn before_the_end(lines: &mut Vec<Value>, line: Value) {
    lines.insert(lines.len() - 2, line);
}

fn event(id: &str, change: &Value) -> Value {
    let at = "2026-05-01T10:00:00Z";
    json!({ "seq": 900, "event": "change", "system_time": at, "valid_from": at, "valid_to": null, "xt/id": id, "change": change })
}

type Meddle = fn(&mut Vec<Value>);

const REFUSED: &[(&str, Meddle, &str)] = &[
    (
        "a set with the objects of others",
        |l| before_the_end(l, event("session:s", &json!({ "set": "hold", "ids": ["toolcall:vic:0123456789abcdef"] }))),
        "refers to",
    ),
    (
        "a set with infrastructure",
        |l| before_the_end(l, event("session:s", &json!({ "set": "hold", "ids": ["chat:s", "session:s"] }))),
        "refers to",
    ),
    (
        "a chat with the call of another",
        |l| before_the_end(l, event("chat:s", &json!({ "toolcall": "toolcall:vic:0123456789abcdef" }))),
        "refers to",
    ),
    (
        "a file as a call",
        |l| {
            let file = of(l, "file")["doc"]["xt/id"].clone();
            before_the_end(l, event("chat:s", &json!({ "toolcall": file })));
        },
        "refers to",
    ),
    (
        "an unknown step",
        |l| before_the_end(l, event("session:s", &json!({ "set": "explode", "ids": [5] }))),
        "no change of a set",
    ),
    ("a change with more", |l| change(l, "set")["change"]["more"] = json!(TOKEN), "no change of a set"),
    ("a turn without its text", |l| before_the_end(l, event("chat:s", &json!({ "turn": "user" }))), "has its text"),
    ("a turn with a call", |l| change(l, "turn")["change"]["toolcall"] = json!("x"), "no change of a chat"),
    (
        "a change of another session",
        |l| before_the_end(l, event("session:vic", &json!({ "set": "hold", "ids": [] }))),
        "something else",
    ),
    ("a content under another hash", |l| of(l, "file")["doc"]["content"] = json!("EVIL\n"), "its hashes"),
    (
        "a hash left out",
        |l| drop(of(l, "chat")["doc"].as_object_mut().unwrap().remove("object_hash")),
        "lacks something",
    ),
    ("a wrong count", |l| set(l, "file", "char_count", json!(99)), "char_count"),
    ("a language that is none", |l| set(l, "file", "file_type", json!(TOKEN)), "file_type"),
    ("a field too many", |l| set(l, "file", "note", json!(TOKEN)), "fields are not those of a file"),
    ("a field of another sort", |l| set(l, "toolcall", "status", json!(TOKEN)), "fields are not those of a call"),
    ("a call of another chat", |l| set(l, "toolcall", "chat_ref", json!("chat:vic")), "refers to"),
    ("a call with the files of others", |l| set(l, "toolcall", "file_refs", json!(["sha256:00"])), "refers to"),
    (
        "a call with another sort of name",
        |l| set(l, "toolcall", "xt/id", json!(format!("toolcall:s:{TOKEN}"))),
        "no call of this session",
    ),
    (
        "a raw file",
        |l| {
            let mut source = of(l, "file")["doc"]["source"].clone();
            source["filesystemId"] = json!("fs1#raw");
            set(l, "file", "source", source);
        },
        "kept as they are",
    ),
    ("a raw session", |l| of(l, "session")["extra"]["raw"] = json!(true), "--raw"),
    (
        "a raw mount",
        |l| {
            of(l, "session")["extra"]["mounts"] =
                json!([{ "agentPrefix": "/a", "canonicalPrefix": "/b", "filesystemId": "x#raw" }]);
        },
        "kept as they are",
    ),
    (
        "a mount to nowhere",
        |l| {
            of(l, "session")["extra"]["mounts"] =
                json!([{ "agentPrefix": "rel", "canonicalPrefix": "x", "filesystemId": "y" }]);
        },
        "not in order",
    ),
    ("a session with something else", |l| of(l, "session")["extra"]["more"] = json!(TOKEN), "not in order"),
    (
        "a call with something beside it",
        |l| of(l, "toolcall")["extra"] = json!({ "deleted": true }),
        "beside its document",
    ),
    (
        "a file with something beside it",
        |l| of(l, "file")["extra"] = json!({ "deleted": TOKEN }),
        "beside its document",
    ),
    ("a file that is gone and there", |l| of(l, "file")["extra"] = json!({ "deleted": true }), "not read"),
    ("a session with full sets", |l| set(l, "session", "active_set", json!(["chat:vic"])), "how this session begins"),
    (
        "a chat with turns",
        |l| set(l, "chat", "turns", json!([{ "role": "user", "content": TOKEN }])),
        "how this chat begins",
    ),
    (
        "a second beginning",
        |l| {
            let again = of(l, "session").clone();
            before_the_end(l, again);
        },
        "one already",
    ),
    ("no beginning", |l| l.retain(|line| line["doc"]["type"] != "system_prompt"), "not whole"),
    (
        "changes before the beginning",
        |l| {
            let at = l.iter().position(|line| !line["change"]["set"].is_null()).unwrap();
            let line = l.remove(at);
            l.insert(1, line);
        },
        "refers to",
    ),
    (
        "a deletion",
        |l| {
            before_the_end(
                l,
                json!({ "seq": 9, "event": "delete", "system_time": "", "valid_from": "2026-05-01T10:00:00Z", "valid_to": null, "xt/id": "session:s" }),
            );
        },
        "no event that",
    ),
    ("an end", |l| l.truncate(l.len() - 1), "not whole"),
    (
        "something after the end",
        |l| {
            let last = l[1].clone();
            l.push(last);
        },
        "after the end",
    ),
    ("a time that is none", |l| of(l, "file")["valid_from"] = json!(TOKEN), "a time"),
    ("a time that runs backwards", |l| of(l, "file")["valid_to"] = json!("1999-01-01T00:00:00Z"), "ends before"),
    ("a session that is over", |l| of(l, "session")["valid_to"] = json!("2999-01-01T00:00:00Z"), "it has an end"),
    ("a line with more", |l| of(l, "file")["more"] = json!(TOKEN), "no event"),
    ("a name that is none", |l| l[0]["session"] = json!(format!("{TOKEN}/..")), "line 1: its name"),
];

#[test]
fn what_could_not_have_been_exported_is_refused() {
    let bench = Bench::new();
    let good = lines(&busy(&bench));
    let other = Bench::new();
    let mut objects = other.objects();
    for (what, meddle, expected) in REFUSED {
        let mut bad = good.clone();
        meddle(&mut bad);
        assert_ne!(bad, good, "{what}");
        let error = restore(&mut objects, &mut bytes(&bad).as_slice(), false, "fs1").expect_err(what);
        assert!(matches!(error, Error::BadLine { .. }), "{what}: {error}");
        let error = error.to_string();
        assert!(error.contains(expected) && !error.contains(TOKEN), "{what}: {error}");
        assert_eq!(objects.last().unwrap().0, Default::default(), "{what}");
    }
    assert_eq!(restore(&mut objects, &mut bytes(&good).as_slice(), false, "fs1").unwrap(), "s");
}

#[test]
fn secrets_of_an_export_are_taken_out() {
    let bench = Bench::new();
    let mut evil = lines(&busy(&bench));
    let text = format!("key {TOKEN}\n");
    let count = text.chars().count();
    of(&mut evil, "file")["doc"]["content"] = json!(text);
    set(&mut evil, "file", "char_count", json!(count));
    set(&mut evil, "system_prompt", "content", json!(text));
    set(&mut evil, "toolcall", "content", json!(text));
    set(&mut evil, "toolcall", "tool", json!(text));
    set(&mut evil, "toolcall", "args_display", json!(format!("curl -H {TOKEN}")));
    set(&mut evil, "toolcall", "args", json!({ "db_password": PASSWORD, "k": TOKEN }));
    let turn = change(&mut evil, "turn");
    turn["content"] = json!(text);
    turn["change"]["key"] = json!(TOKEN);
    let other = Bench::new();
    restore(&mut other.objects(), &mut bytes(&evil).as_slice(), false, "fs1").unwrap();
    let back = other.load("s");
    let out = String::from_utf8(exported(&back)).unwrap();
    assert!(out.contains("key ") && !out.contains(TOKEN) && !out.contains(PASSWORD), "{out}");
    let id = back.find("a.md").unwrap();
    assert_eq!(back.puts(&id).unwrap().len(), 3);
    let folder = other.database().parent().unwrap().to_owned();
    for entry in std::fs::read_dir(folder).unwrap() {
        let stored = std::fs::read(entry.unwrap().path()).unwrap();
        for secret in [TOKEN, PASSWORD] {
            assert!(!stored.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
        }
    }
    // What was taken out can be exported and taken in once more.
    let third = Bench::new();
    restore(&mut third.objects(), &mut out.as_bytes(), false, "fs1").unwrap();
    assert_eq!(sizes(&third.load("s")), sizes(&back));
}

#[test]
fn what_is_kept_as_it_is_comes_back_only_if_that_is_wanted() {
    let bench = Bench::new();
    let new = NewSession { raw: true, ..bench.new_session("s") };
    let mut session = Session::create(Box::new(bench.objects()), new).unwrap();
    bench.write("a.md", format!("key {TOKEN}\n"));
    read(&mut session, "a.md");
    session.say(Role::User, TOKEN, &now()).unwrap();
    session.toolcall(&call(TOKEN, TOKEN), &now()).unwrap();
    let good = lines(&session);
    let other = Bench::new();
    let refused = |lines: &[Value], raw: bool| {
        let error = restore(&mut other.objects(), &mut bytes(lines).as_slice(), raw, "fs1").unwrap_err();
        assert_eq!(other.objects().last().unwrap().0, Default::default());
        error.to_string()
    };
    assert!(refused(&good, false).contains("--raw"));
    let mut posing = good.clone();
    of(&mut posing, "session")["extra"]["filesystemId"] = json!("fs1");
    assert!(refused(&posing, true).contains("kept as they are"));
    let mut posing = good.clone();
    let path = of(&mut posing, "file")["doc"]["source"]["path"].clone();
    set(&mut posing, "file", "source", json!({ "type": "filesystem", "filesystemId": "fs1", "path": path }));
    assert!(refused(&posing, true).contains("kept as they are"));
    assert!(refused(&lines(&busy(&Bench::new())), true).contains("leave out --raw"));
    restore(&mut other.objects(), &mut bytes(&good).as_slice(), true, "fs1").unwrap();
    assert_eq!(lines(&other.load("s")).len(), good.len());
    let back = other.load("s").render(Default::default()).unwrap();
    assert_eq!(back, session.render(Default::default()).unwrap());
}

#[test]
fn what_holds_now_of_known_files_stays() {
    let bench = Bench::new();
    let mut session = bench.session("s");
    bench.write("a.md", "mine\n");
    let id = read(&mut session, "a.md");
    let mut evil: Vec<Value> = lines(&session)
        .iter()
        .map(|line| serde_json::from_str(&line.to_string().replace(":s\"", ":t\"")).unwrap())
        .collect();
    evil[0]["session"] = json!("t");
    set(&mut evil, "session", "session_id", json!("t"));
    ["chat", "system_prompt"].iter().for_each(|kind| hashed(of(&mut evil, kind)));
    let mut at = |time: &str, text: &str| {
        let mut line = of(&mut evil, "file").clone();
        line["valid_from"] = json!(time);
        line["doc"]["content"] = json!(text);
        line["doc"]["char_count"] = json!(text.chars().count());
        hashed(&mut line);
        before_the_end(&mut evil, line);
    };
    at("2020-01-01T00:00:00Z", "EVIL then\n");
    at(&ai_assist_store::objects::Moment::now().to_string(), "EVIL now\n");
    at("2999-01-01T00:00:00Z", "EVIL later\n");
    restore(&mut bench.objects(), &mut bytes(&evil).as_slice(), false, "fs1").unwrap();
    let content = |valid: Valid| {
        let at = AsOf { valid, ..AsOf::default() };
        bench.load("s").document(&id, at).unwrap().unwrap()["content"].clone()
    };
    assert_eq!(content(Valid::Now), "mine\n");
    assert_eq!(content(Valid::Time("2999-06-01T00:00:00Z".parse().unwrap())), "mine\n");
    assert_eq!(content(Valid::Time("2020-06-01T00:00:00Z".parse().unwrap())), "EVIL then\n");
    // The one that is the same was not written again, nor the one that would begin now.
    assert_eq!(bench.load("t").puts(&id).unwrap().len(), 3);
    assert_eq!(sizes(&bench.load("t")), sizes(&session));
}

#[test]
fn nothing_comes_from_the_future() {
    let bench = Bench::new();
    let mut evil = lines(&busy(&bench));
    for line in evil.iter_mut().filter(|line| !line["valid_from"].is_null()) {
        line["valid_from"] = json!("2999-01-01T00:00:00Z");
    }
    let other = Bench::new();
    restore(&mut other.objects(), &mut bytes(&evil).as_slice(), false, "fs1").unwrap();
    let back = other.load("s");
    assert_eq!(back.chat().said.len(), 1);
    assert_eq!(sizes(&back), sizes(&bench.load("s")));
    let history = other.objects().history(back.id()).unwrap();
    assert!(history.iter().all(|head| head.valid_from <= head.system), "{history:?}");
}
