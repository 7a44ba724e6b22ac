//! The protocol: what is offered, both lifecycles, and what is not a message at all.

use ai_assist_mcp::{Options, Pin, Server};
use serde_json::{Value, json};

use crate::support::{Bench, Client, REVISION};

/// What every request carries in the revision without a handshake.
fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_handshake_says_what_there_is() {
    let bench = Bench::new();
    let options = Options { pin: Some(Pin(bench.project())), ..Options::default() };
    let mut client = Client::raw(Server::new(bench.machine(), options));
    let answer = client.handshake(json!({}));
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], REVISION);
    assert_eq!(result["serverInfo"]["name"], "ai-assist");
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(result["capabilities"][capability].is_object(), "{capability}");
    }
    assert!(result["instructions"].as_str().unwrap().contains("`search`"));
}

#[test]
fn older_revisions_are_spoken_too() {
    let bench = Bench::new();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::raw(Server::new(bench.machine(), Options::default()));
        let answer = client.request(
            "initialize",
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(answer["result"]["protocolVersion"], revision);
    }
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let bench = Bench::new();
    bench.write("context.json", "{\"collections\": {}}");
    let options = Options { pin: Some(Pin(bench.project())), ..Options::default() };
    let mut client = Client::raw(Server::new(bench.machine(), options));
    let discovered = client.request("server/discover", json!({ "_meta": meta(json!({})) }));
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap().clone();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!(REVISION)), "{discovered}");
    let listed = client.request("tools/list", json!({ "_meta": meta(json!({})) }));
    assert_eq!(listed["result"]["resultType"], "complete");
    assert!(listed["result"]["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(listed["result"]["cacheScope"], "private");
    let called =
        client.request("tools/call", json!({ "name": "list_documents", "arguments": {}, "_meta": meta(json!({})) }));
    assert_eq!(called["result"]["structuredContent"]["success"], true, "{called}");
    assert_eq!(called["result"]["resultType"], "complete");
    let bare = client.request("tools/list", json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let unknown =
        client.request("tools/list", json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } }));
    assert!(unknown["error"].is_object(), "{unknown}");
}

#[test]
fn sets_of_tools_are_kept_to() {
    let bench = Bench::new();
    let pin = || Some(Pin(bench.project()));
    let mut small = bench.client_with(Options {
        pin: pin(),
        tools: "search,outline".parse().unwrap(),
        read_only: false,
        ..Options::default()
    });
    let listed = small.request("tools/list", json!({}));
    assert_eq!(names(&listed), ["search", "outline"]);
    let (kind, answer) = small.failure("symbol", json!({ "name": "x" }));
    assert_eq!(kind, "not_found");
    assert!(answer["instruction"].as_str().unwrap().contains("--tools default,symbol"), "{answer}");
    let mut reading =
        bench.client_with(Options { pin: pin(), tools: "all".parse().unwrap(), read_only: true, ..Options::default() });
    let listed = reading.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    assert_eq!(reading.failure("index_build", json!({})).0, "read_only");
    let unknown = reading.request("tools/call", json!({ "name": "nope", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
}

/// What the list of tools costs an agent before its first question.
#[test]
fn the_list_of_tools_is_small() {
    let bench = Bench::new();
    for (tools, most) in [("default", 2_500), ("all", 6_000)] {
        for pin in [None, Some(Pin(bench.project()))] {
            let options = Options { pin, tools: tools.parse().unwrap(), ..Options::default() };
            let listed = bench.client_with(options.clone()).request("tools/list", json!({}))["result"].to_string();
            let tokens = ai_assist_text::count_tokens(&listed);
            assert!(tokens <= most, "{tools}: {tokens} tokens, pinned: {}\n{listed}", options.pin.is_some());
            for noise in ["$schema", "\"format\":\"", "\"null\"", "anyOf", "outputSchema", "examples"] {
                assert!(!listed.contains(noise), "{tools}: {noise}");
            }
            let options = Options { output_schemas: true, ..options };
            let whole = bench.client_with(options).request("tools/list", json!({}));
            for tool in whole["result"]["tools"].as_array().unwrap() {
                // `tools` answers as the tools do that are called through it.
                let expected = if tool["name"] == "tools" { Value::Null } else { json!("object") };
                assert_eq!(tool["outputSchema"]["type"], expected, "{tool}");
            }
        }
    }
}

#[test]
fn a_pinned_server_has_no_argument_for_the_project() {
    let bench = Bench::new();
    let has_project = |client: &mut Client| {
        let listed = client.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().filter(|tool| tool["inputSchema"]["properties"]["project"].is_object()).count()
    };
    assert_eq!(has_project(&mut bench.client()), 0);
    let mut open = bench.client_with(Options::default());
    let all = open.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len();
    assert_eq!(has_project(&mut open), all);
}

#[test]
fn garbage_is_answered_or_ignored_and_the_server_lives() {
    let bench = Bench::new();
    let mut client = bench.client();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(1 << 20));
    let lines = [
        "",
        " ",
        "garbage",
        "{",
        "[]",
        "null",
        "3",
        "\"text\"",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":3}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":[]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nope\"}",
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"ping\"}",
        &deep,
        &long,
    ];
    for (number, line) in lines.iter().enumerate() {
        client.send_line(line);
        let id = 1_000_000 + number;
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
        let shown: String = line.chars().take(80).collect();
        loop {
            let answer = client.receive().unwrap_or_else(|| panic!("the server is gone after {shown}"));
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            if answer["id"] == id {
                assert!(answer["result"].is_object(), "{answer}");
                break;
            }
            // Whatever else comes is an answer to what was sent.
            assert!(answer.get("result").is_some() || answer.get("error").is_some(), "{shown}: {answer}");
        }
    }
}

#[test]
fn progress_is_told_and_grows() {
    let bench = Bench::new();
    for number in 0..400 {
        bench.write(&format!("docs/{number}.md"), &format!("# Page {number}\n\nSome words about topic {number}.\n"));
    }
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    let answer = client.request(
        "tools/call",
        json!({ "name": "collection_sync", "arguments": {}, "_meta": { "progressToken": "sync-1" } }),
    );
    assert_eq!(answer["result"]["structuredContent"]["value"]["collections"][0]["added"], 400, "{answer}");
    let told: Vec<f64> = client
        .told
        .iter()
        .map(|told| {
            assert_eq!(told["method"], "notifications/progress");
            assert_eq!(told["params"]["progressToken"], "sync-1");
            told["params"]["progress"].as_f64().unwrap()
        })
        .collect();
    assert!(!told.is_empty() && told.is_sorted_by(|a, b| a < b), "{told:?}");
    client.told.clear();
    client.call("collection_sync", json!({ "force": true }));
    assert!(client.told.is_empty(), "nobody asked to be told");
}

#[test]
fn a_cancelled_call_stops_and_the_next_one_finishes_the_work() {
    let bench = Bench::new();
    for number in 0..3_000 {
        let text = format!("# Page {number}\n\n{}\n", "Some words that take a while. ".repeat(40));
        bench.write(&format!("docs/{number}.md"), &text);
    }
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    let sync = json!({ "name": "collection_sync", "arguments": {}, "_meta": { "progressToken": 1 } });
    let id = client.start("tools/call", sync);
    // It has begun when it says so.
    let first = client.receive().unwrap();
    assert_eq!(first["method"], "notifications/progress");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 777, "method": "ping" }));
    loop {
        let message = client.receive().unwrap();
        if message["id"] == 777 {
            break;
        }
    }
    let answer = client.request("tools/call", json!({ "name": "collection_sync", "arguments": {} }));
    let value = &answer["result"]["structuredContent"]["value"]["collections"][0];
    assert_eq!(value["documents"], 3_000, "{answer}");
    let listed = client.value("list_documents", json!({ "limit": 1 }));
    assert_eq!(listed["found"], 3_000);
}

#[test]
fn documents_are_resources() {
    let bench = Bench::new();
    for number in 0..250 {
        bench.write(&format!("docs/{number:03}.md"), &format!("# Page {number}\n"));
    }
    bench.write("docs/odd name #1?.md", "# Odd\n\nText of the odd one.\n");
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    let mut uris: Vec<String> = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = client.request("resources/list", params);
        let resources = page["result"]["resources"].as_array().unwrap().clone();
        uris.extend(resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(uris.len(), 251);
    let odd = uris.iter().find(|uri| uri.contains("odd")).unwrap();
    assert_eq!(odd, "assist://collection/docs/odd%20name%20%231%3F.md");
    let read = client.request("resources/read", json!({ "uri": odd }));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["text"], "# Odd\n\nText of the odd one.\n");
    assert_eq!((&contents["mimeType"], &contents["uri"]), (&json!("text/markdown"), &json!(odd)));
    let missing = client.request("resources/read", json!({ "uri": "assist://collection/docs/none.md" }));
    assert_eq!(missing["error"]["code"], -32002);
    assert_eq!(missing["error"]["data"]["uri"], "assist://collection/docs/none.md");
    assert_eq!(client.request("resources/list", json!({ "cursor": "x" }))["error"]["code"], -32602);

    let templates = client.request("resources/templates/list", json!({}));
    let template = templates["result"]["resourceTemplates"][0]["uriTemplate"].clone();
    let complete = |client: &mut Client, name: &str, value: &str| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": template },
            "argument": { "name": name, "value": value },
            "context": { "arguments": { "collection": "docs" } },
        });
        client.request("completion/complete", params)
    };
    assert_eq!(complete(&mut client, "collection", "do")["result"]["completion"]["values"], json!(["docs"]));
    let paths = complete(&mut client, "path", "0");
    assert_eq!(paths["result"]["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(paths["result"]["completion"]["total"], 100);
    assert_eq!(complete(&mut client, "path", "24")["result"]["completion"]["values"].as_array().unwrap().len(), 10);
    assert!(complete(&mut client, "nope", "")["error"].is_object());
}

#[test]
fn prompts_are_there() {
    let bench = Bench::new();
    let mut client = bench.client();
    let listed = client.request("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap().clone();
    assert_eq!(prompts.len(), 5);
    for prompt in prompts {
        let mut arguments = json!({});
        for argument in prompt["arguments"].as_array().unwrap() {
            arguments[argument["name"].as_str().unwrap()] = json!("the thing");
        }
        let got = client.request("prompts/get", json!({ "name": prompt["name"], "arguments": arguments }));
        let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("the thing"), "{got}");
    }
    let missing = client.request("prompts/get", json!({ "name": "review", "arguments": {} }));
    assert_eq!(missing["error"]["code"], -32602);
}

#[test]
fn what_is_odd_is_logged_at_the_level_that_was_set() {
    let bench = Bench::new();
    bench.write("context.json", r#"{"colections": {}}"#);
    let mut client = bench.client();
    let logged = |client: &mut Client| {
        client.told.clear();
        client.value("category_list", json!({}));
        let told = client.told.iter().filter(|told| told["method"] == "notifications/message");
        told.map(|told| told["params"]["data"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(logged(&mut client)[0].contains("did you mean `collections`?"));
    assert!(client.request("logging/setLevel", json!({ "level": "error" }))["result"].is_object());
    assert_eq!(logged(&mut client), Vec::<String>::new());
    client.request("logging/setLevel", json!({ "level": "debug" }));
    assert_eq!(logged(&mut client).len(), 1);
    assert!(client.request("logging/setLevel", json!({ "level": "loud" }))["error"].is_object());
}
