//! Which project a call is about.

use ai_assist_mcp::{Options, Pin, Server};
use serde_json::{Value, json};

use crate::support::{Bench, Client};

/// A project with one document about one thing.
fn bench(topic: &str) -> Bench {
    let bench = Bench::new();
    bench.write("docs/a.md", &format!("# {topic}\n"));
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    bench.client().value("collection_sync", json!({}));
    bench
}

fn title(listed: &Value) -> &str {
    listed["value"]["documents"][0]["title"].as_str().unwrap_or_else(|| panic!("{listed}"))
}

fn root(bench: &Bench) -> Value {
    json!({ "uri": format!("file://{}", bench.project().display()), "name": "project" })
}

#[test]
fn without_a_project_there_is_no_session() {
    let mut client = bench("Oaks").client_with(Options::default());
    let (kind, answer) = client.failure("list_documents", json!({}));
    assert_eq!(kind, "no_session");
    assert!(answer["instruction"].as_str().unwrap().contains("`project`"), "{answer}");
    // A list has no way to fail that would help.
    assert_eq!(client.request("resources/list", json!({}))["result"]["resources"], json!([]));
}

#[test]
fn the_argument_names_the_project() {
    let oaks = bench("Oaks");
    let mut client = oaks.client_with(Options::default());
    assert_eq!(title(&client.call("list_documents", json!({ "project": oaks.project() }))), "Oaks");
    for wrong in [json!("relative/path"), json!("/no/such/folder"), json!(3), json!(""), json!("/a\u{0}b")] {
        let (kind, answer) = client.failure("list_documents", json!({ "project": wrong }));
        assert_eq!((kind.as_str(), &answer["field"]), ("validation_error", &json!("project")), "{answer}");
    }
}

#[test]
fn a_pin_wins_and_says_so() {
    let (oaks, elms) = (bench("Oaks"), bench("Elms"));
    let mut client = oaks.client();
    let listed = client.call("list_documents", json!({ "project": elms.project() }));
    assert_eq!(title(&listed), "Oaks");
    assert!(listed["message"].as_str().unwrap().contains("`project` was ignored"), "{listed}");
}

#[test]
fn a_root_of_the_client_counts_if_nothing_else_is_said() {
    let (oaks, elms) = (bench("Oaks"), bench("Elms"));
    let mut client = Client::raw(Server::new(oaks.machine(), Options::default()));
    client.handshake(json!({ "roots": { "listChanged": true } }));
    client.roots = json!({ "roots": [{ "uri": "https://a/b" }, { "uri": "file:///no/such" }, root(&oaks)] });
    assert_eq!(title(&client.call("list_documents", json!({}))), "Oaks");
    // The argument is more than a root.
    let answer = client.call("list_documents", json!({ "project": elms.project() }));
    assert_eq!(answer["success"], true, "{answer}");
    // What a client says once holds until it says that it changed.
    client.roots = json!({ "roots": [] });
    assert_eq!(title(&client.call("list_documents", json!({}))), "Oaks");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    // Notifications are worked on beside requests, so it may take a moment.
    let failed = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        client.call("list_documents", json!({}))["error_type"] == "no_session"
    });
    assert!(failed);
}

#[test]
fn a_client_without_a_handshake_is_asked_in_the_answer() {
    let oaks = bench("Oaks");
    let mut client = Client::raw(Server::new(oaks.machine(), Options::default()));
    let meta = |capabilities: Value| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        })
    };
    let call = |capabilities: Value| json!({ "name": "list_documents", "arguments": {}, "_meta": meta(capabilities) });
    client.request("server/discover", json!({ "_meta": meta(json!({})) }));
    let without = client.request("tools/call", call(json!({})));
    assert_eq!(without["result"]["structuredContent"]["error_type"], "no_session", "{without}");
    let asked = client.request("tools/call", call(json!({ "roots": {} })));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(asked["result"]["inputRequests"]["roots"]["method"], "roots/list", "{asked}");
    let mut again = call(json!({ "roots": {} }));
    again["inputResponses"] = json!({ "roots": { "roots": [root(&oaks)] } });
    let answered = client.request("tools/call", again);
    assert_eq!(title(&answered["result"]["structuredContent"]), "Oaks");
    for odd in [json!({}), json!(3), json!({ "roots": [{ "uri": 3 }] }), json!({ "roots": "x" })] {
        let mut again = call(json!({ "roots": {} }));
        again["inputResponses"] = json!({ "roots": odd });
        let answered = client.request("tools/call", again);
        assert_eq!(answered["result"]["structuredContent"]["error_type"], "no_session", "{answered}");
    }
}

#[test]
fn a_broken_configuration_is_told_with_its_place() {
    let bench = Bench::new();
    bench.write("context.json", "{\n  \"collections\": 3\n}");
    let options = Options { pin: Some(Pin(bench.project())), ..Options::default() };
    let mut client = bench.client_with(options);
    let (kind, answer) = client.failure("list_documents", json!({}));
    assert_eq!(kind, "read_error");
    assert!(answer["error"].as_str().unwrap().contains("context.json:2:18"), "{answer}");
    // Nothing is kept of it: put right, it works at once.
    bench.write("context.json", "{\"collections\": {}}");
    assert_eq!(client.value("list_documents", json!({}))["found"], 0);
}
