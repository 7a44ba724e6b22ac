//! Other projects, other clients, other processes.

use std::thread;

use ai_assist_mcp::{Options, Pin, Server};
use ai_assist_session::{NewSession, Session};
use ai_assist_store::objects::SqliteObjects;
use serde_json::{Value, json};

use super::{bench, opened};
use crate::support::{Bench, Client};

/// A client of another project that keeps its data in the same place.
fn neighbour(bench: &Bench) -> Client {
    let folder = bench.project().parent().unwrap().join("neighbour");
    std::fs::create_dir_all(&folder).unwrap();
    let options =
        Options { pin: Some(Pin(folder)), tools: "all".parse().unwrap(), read_only: false, ..Options::default() };
    Client::new(Server::new(bench.machine(), options))
}

/// Makes a session as another program does.
fn made(bench: &Bench, name: &str, new: NewSession) -> Session {
    let objects = SqliteObjects::open(&bench.roots().data.join("assist.db")).unwrap();
    let folder = bench.project().to_str().unwrap().to_owned();
    let new = NewSession { name: Some(name.parse().unwrap()), folder: Some(folder), ..new };
    Session::create(Box::new(objects), new).unwrap()
}

#[test]
fn sessions_of_another_project_are_not_there() {
    let bench = bench();
    let mut ours = opened(&bench);
    ours.value("session_record", json!({ "turn": { "role": "user", "text": "marmalade" } }));
    let version = ours.value("session_show", json!({ "object": "src/lib.rs" }))["version"]["version"].clone();
    let mut theirs = neighbour(&bench);
    assert_eq!(theirs.value("session_list", json!({ "set": "sessions" }))["found"], 0);
    for (tool, arguments) in [
        ("session_open", json!({})),
        ("session_list", json!({})),
        ("session_read", json!({ "paths": ["x"] })),
        ("session_record", json!({ "turn": { "role": "user", "text": "Hello." } })),
        ("session_hold", json!({ "forget": ["chat"] })),
        ("session_show", json!({ "object": "chat" })),
        ("session_search", json!({ "query": "marmalade" })),
        ("session_render", json!({})),
    ] {
        let mut arguments = arguments;
        arguments["session"] = json!("s");
        let (kind, answer) = theirs.failure(tool, arguments);
        assert_eq!(kind, "not_found", "{tool}: {answer}");
        let said = answer.to_string();
        assert!(said.contains("belongs to another folder") && !said.contains("marmalade"), "{tool}: {answer}");
        assert!(!said.contains(bench.project().to_str().unwrap()), "{tool}: {answer}");
    }
    let (kind, _) = theirs.failure("session_open", json!({ "session": "s", "new": true }));
    assert_eq!(kind, "already_exists");
    // Nor are its objects, by number or by id.
    theirs.value("session_open", json!({ "session": "t" }));
    let (kind, answer) = theirs.failure("session_show", json!({ "object": "system_prompt", "version": version }));
    assert_eq!(kind, "not_found", "{answer}");
    for object in ["chat:s", "session:s", "src/lib.rs"] {
        assert_eq!(theirs.failure("session_show", json!({ "object": object })).0, "not_found", "{object}");
    }
    assert_eq!(ours.value("session_open", json!({}))["session"], "s");
}

/// What the user keeps as it is stays with the user.
#[test]
fn raw_sessions_are_not_given_out() {
    let bench = bench();
    bench.write(".env", "KEY=marmalade\n");
    let mut raw =
        made(&bench, "raw", NewSession { raw: true, filesystem_id: "fs".to_owned(), ..NewSession::default() });
    let file = ai_assist_session::ReadFile { path: ".env".into(), bytes: None };
    raw.read(&[file], &ai_assist_session::How::default()).unwrap();
    let mut client = bench.client();
    for tool in ["session_open", "session_list", "session_render"] {
        let (kind, answer) = client.failure(tool, json!({ "session": "raw" }));
        assert_eq!(kind, "refused", "{tool}: {answer}");
        assert!(!answer.to_string().contains("marmalade"));
    }
    assert_eq!(client.value("session_list", json!({ "set": "sessions" }))["found"], 0);
    assert_eq!(client.value("session_open", json!({}))["action"], "created");
}

/// A session that another program made is held to the project all the same.
#[test]
fn a_session_made_elsewhere_reaches_no_further() {
    let bench = bench();
    let outside = bench.project().parent().unwrap().join("outside.md");
    std::fs::write(&outside, "marmalade\n").unwrap();
    let mut theirs = made(&bench, "cli", NewSession { filesystem_id: "fs".to_owned(), ..NewSession::default() });
    theirs.discover(std::slice::from_ref(&outside), &ai_assist_session::How::default()).unwrap();
    let mut client = bench.client();
    let opened = client.value("session_open", json!({}));
    assert_eq!((&opened["session"], &opened["unreachable"]), (&json!("cli"), &json!(1)), "{opened}");
    for tool in ["session_hold", "session_read"] {
        let list = if tool == "session_hold" { "activate" } else { "paths" };
        let (kind, answer) = client.failure(tool, json!({ list: [outside] }));
        assert_eq!(kind, "refused", "{tool}: {answer}");
    }
    assert!(!client.value("session_render", json!({})).to_string().contains("marmalade"));
}

/// The project is found upwards from where an agent works, by its configuration or its repository.
#[test]
fn an_agent_in_a_folder_of_the_project_has_its_sessions() {
    for marker in ["context.json", ".ai-assist.json"] {
        let bench = bench();
        bench.write(marker, "{}");
        opened(&bench);
        let pin = Some(Pin(bench.project().join("src")));
        let mut inner = bench.client_with(Options { pin, tools: "all".parse().unwrap(), ..Options::default() });
        assert_eq!(inner.value("session_list", json!({ "set": "sessions" }))["found"], 1, "{marker}");
        let opened = inner.value("session_open", json!({}));
        assert_eq!((&opened["session"], &opened["action"]), (&json!("s"), &json!("resumed")), "{marker}");
        inner.value("session_read", json!({ "paths": ["notes.txt"] }));
        // One that is about this folder alone is there as well, and reads nothing outside of it.
        let folder = Some(bench.project().join("src").to_str().unwrap().to_owned());
        let objects = SqliteObjects::open(&bench.roots().data.join("assist.db")).unwrap();
        let own = NewSession { name: Some("own".parse().unwrap()), folder, ..NewSession::default() };
        Session::create(Box::new(objects), own).unwrap();
        assert_eq!(inner.value("session_open", json!({}))["session"], "own", "{marker}");
        assert_eq!(inner.failure("session_read", json!({ "paths": ["../notes.txt"] })).0, "refused", "{marker}");
        // From above, it is that of a part.
        assert_eq!(bench.client().failure("session_open", json!({ "session": "own" })).0, "not_found", "{marker}");
    }
}

#[test]
fn two_clients_share_a_session() {
    const EACH: usize = 25;
    let bench = bench();
    for number in 0..EACH * 2 {
        bench.write(&format!("many/{number}.txt"), &format!("Number {number}.\n"));
    }
    opened(&bench);
    let work = |mut client: Client, who: usize| {
        for number in 0..EACH {
            let path = format!("many/{}.txt", number * 2 + who);
            client.value("session_read", json!({ "session": "s", "paths": [path] }));
            let turn = json!({ "role": "user", "text": format!("{who} says {number}.") });
            client
                .value("session_record", json!({ "session": "s", "turn": turn, "request": format!("{who}-{number}") }));
            client.value("session_hold", json!({ "session": "s", "deactivate": [path] }));
        }
    };
    let clients = [bench.client(), bench.client()];
    thread::scope(|scope| {
        for (who, client) in clients.into_iter().enumerate() {
            scope.spawn(move || work(client, who));
        }
    });
    let mut client = bench.client();
    let counts = client.value("session_list", json!({ "set": "index" }))["counts"].clone();
    assert_eq!(
        counts,
        json!({ "index": 3 + 2 * EACH, "pool": 3 + 2 * EACH, "active": 2, "pinned": 0, "turns": 2 * EACH })
    );
    // Each of them in its own order.
    let chat = client.value("session_show", json!({ "object": "chat", "max_tokens": 24000 }));
    let chat = chat["text"].as_str().unwrap();
    for who in 0..2 {
        let places: Vec<usize> = (0..EACH).map(|number| chat.find(&format!("{who} says {number}.")).unwrap()).collect();
        assert!(places.is_sorted(), "{chat}");
    }
}

#[test]
fn a_request_raced_by_two_clients_is_done_once() {
    let bench = bench();
    opened(&bench);
    let call = json!({ "session": "s", "toolcall": { "tool": "t", "output": "once" }, "request": "r" });
    let clients = [bench.client(), bench.client(), bench.client()];
    let ids: Vec<Value> = thread::scope(|scope| {
        let started: Vec<_> = clients
            .into_iter()
            .map(|mut client| {
                let call = call.clone();
                scope.spawn(move || client.value("session_record", call)["id"].clone())
            })
            .collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| id.is_string() && *id == ids[0]), "{ids:?}");
    assert_eq!(bench.client().value("session_list", json!({}))["counts"]["index"], 4);
}
