//! Documents that a client follows, and calls that go on as tasks.

use serde_json::{Value, json};

use crate::support::{Bench, Client};

const URI: &str = "assist://collection/docs/a.md";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("docs/a.md", "# A\n").write("docs/b.md", "# B\n");
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    bench
}

/// What the newest revision wants to know with every request.
fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// Waits until the client is told that a document was updated.
fn updated(client: &mut Client) -> Value {
    loop {
        let message = client.receive().expect("a notification");
        if message["method"] == "notifications/resources/updated" {
            return message["params"].clone();
        }
    }
}

#[test]
fn a_client_is_told_when_a_document_changes() {
    let bench = bench();
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    assert!(client.request("resources/subscribe", json!({ "uri": URI }))["result"].is_object());
    let none = client.request("resources/subscribe", json!({ "uri": "assist://collection/docs/none.md" }));
    assert_eq!(none["error"]["code"], -32002, "{none}");
    bench.write("docs/a.md", "# A\n\nMore.\n");
    assert_eq!(updated(&mut client)["uri"], URI);
    // What nobody follows is not told of: the next one is about the same document again.
    bench.write("docs/b.md", "# B\n\nMore.\n");
    bench.write("docs/a.md", "# A\n\nEven more.\n");
    assert_eq!(updated(&mut client)["uri"], URI);
    client.request("resources/unsubscribe", json!({ "uri": URI }));
    client.told.clear();
    bench.write("docs/a.md", "# A\n\nEnd.\n");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    client.request("ping", json!({}));
    assert!(client.told.iter().all(|told| told["method"] != "notifications/resources/updated"), "{:?}", client.told);
}

#[test]
fn as_many_documents_can_be_followed_and_no_more() {
    let bench = bench();
    for number in 0..70 {
        bench.write(&format!("docs/{number}.md"), "# Page\n");
    }
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    let answers: Vec<Value> = (0..70)
        .map(|number| {
            client.request("resources/subscribe", json!({ "uri": format!("assist://collection/docs/{number}.md") }))
        })
        .collect();
    assert_eq!(answers.iter().filter(|answer| answer["result"].is_object()).count(), 64);
    assert_eq!(answers[69]["error"]["code"], -32602);
}

#[test]
fn the_newest_revision_listens() {
    let bench = bench();
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    let mut client = Client::raw(ai_assist_mcp::Server::new(
        bench.machine(),
        ai_assist_mcp::Options { pin: Some(ai_assist_mcp::Pin(bench.project())), ..Default::default() },
    ));
    let wanted = json!({ "resourceSubscriptions": [URI], "toolsListChanged": true });
    let id = client.start("subscriptions/listen", json!({ "notifications": wanted, "_meta": meta(json!({})) }));
    let acknowledged = client.receive().unwrap();
    assert_eq!(acknowledged["params"]["notifications"], json!({ "resourceSubscriptions": [URI] }), "{acknowledged}");
    bench.write("docs/a.md", "# A\n\nMore.\n");
    assert_eq!(updated(&mut client)["uri"], URI);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
}

#[test]
fn a_long_call_goes_on_as_a_task() {
    let bench = bench();
    let mut client = Client::raw(ai_assist_mcp::Server::new(
        bench.machine(),
        ai_assist_mcp::Options {
            pin: Some(ai_assist_mcp::Pin(bench.project())),
            tools: "all".parse().unwrap(),
            ..Default::default()
        },
    ));
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let sync = |capabilities: &Value| json!({ "name": "collection_sync", "arguments": {}, "_meta": meta(capabilities.clone()) });
    let made = client.request("tools/call", sync(&tasks));
    assert_eq!(
        (&made["result"]["resultType"], &made["result"]["status"]),
        (&json!("task"), &json!("working")),
        "{made}"
    );
    let id = made["result"]["taskId"].clone();
    let done = loop {
        let state = client.request("tasks/get", json!({ "taskId": id, "_meta": meta(tasks.clone()) }));
        match state["result"]["status"].as_str() {
            Some("working") => std::thread::sleep(std::time::Duration::from_millis(50)),
            _ => break state,
        }
    };
    assert_eq!(done["result"]["status"], "completed", "{done}");
    let value = &done["result"]["result"]["structuredContent"]["value"]["collections"][0];
    assert_eq!(value["documents"], 2, "{done}");
    // Who does not know tasks waits for the answer, and nobody knows a task that is none.
    let plain = client.request("tools/call", sync(&json!({})));
    assert_eq!(plain["result"]["structuredContent"]["success"], true, "{plain}");
    let unknown = client.request("tasks/get", json!({ "taskId": "none", "_meta": meta(tasks) }));
    assert!(unknown["error"].is_object(), "{unknown}");
}
