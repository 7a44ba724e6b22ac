//! What an agent is shown, what it can have besides, and in which form it gets it.

use ai_assist_mcp::{Options, Pin, Server};
use serde_json::{Value, json};

use crate::support::{Bench, Client};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("docs/a.md", "# Oaks\n\nOaks grow slowly.\n\n## Acorns\n\nAcorns fall.\n");
    bench.write("src/lib.rs", "/// Plants an oak.\npub fn plant_oak(rows: usize) -> usize {\n    rows\n}\n");
    bench.write("context.json", r#"{"collections": {"docs": {"type": "file", "path": "docs"}}}"#);
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    bench
}

fn options(bench: &Bench, tools: &str) -> Options {
    Options { pin: Some(Pin(bench.project())), tools: tools.parse().unwrap(), ..Options::default() }
}

#[test]
fn tools_that_are_not_listed_are_told_and_called() {
    let bench = bench();
    let mut client = bench.client_with(options(&bench, "default"));
    let others = client.value("tools", json!({}));
    let names: Vec<&str> = others["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"category_list") && names.contains(&"session_open"), "{names:?}");
    assert!(!names.contains(&"search") && !names.contains(&"get_document"), "{names:?}");
    let one = client.value("tools", json!({ "name": "category_update" }));
    assert_eq!(one["tools"][0]["arguments"]["required"], json!(["name"]));

    let direct = client.value("category_list", json!({}));
    assert_eq!(client.value("tools", json!({ "name": "category_list", "arguments": {} })), direct);
    let arguments = json!({ "expression": "docs", "max_tokens": 500 });
    let content = client.value("tools", json!({ "name": "get_content", "arguments": arguments }));
    assert_eq!(content["documents"].as_array().unwrap().len(), 1);
    let (kind, wrong) = client.failure("tools", json!({ "name": "category_update", "arguments": { "nam": "x" } }));
    assert_eq!((kind.as_str(), &wrong["field"]), ("validation_error", &json!("name")), "{wrong}");
    let (kind, none) = client.failure("tools", json!({ "name": "category_lst", "arguments": {} }));
    assert_eq!(kind, "not_found");
    assert!(
        none["instruction"].as_str().unwrap().contains(r#"`tools {"name":"category_list","arguments":{}}`"#),
        "{none}"
    );

    // A failure says how to call what it names.
    let empty = Bench::new();
    let mut client = empty.client_with(options(&empty, "search,tools"));
    let (_, failure) = client.failure("search", json!({ "query": "x", "scope": "repo" }));
    let way = r#"`tools {"name":"collection_sync","arguments":{}}`"#;
    assert!(failure["instruction"].as_str().unwrap().contains(way), "{failure}");
}

#[test]
fn what_the_user_did_not_offer_is_not_reached() {
    let bench = bench();
    let mut few = bench.client_with(options(&bench, "search,outline"));
    assert_eq!(few.failure("tools", json!({ "name": "category_list", "arguments": {} })).0, "not_found");
    assert_eq!(few.failure("category_list", json!({})).0, "not_found");
    let mut reading = bench.client_with(Options { read_only: true, ..options(&bench, "default") });
    for (tool, arguments) in [
        ("tools", json!({ "name": "category_add", "arguments": { "name": "x" } })),
        ("category_add", json!({ "name": "x" })),
    ] {
        assert_eq!(reading.failure(tool, arguments).0, "read_only");
    }
    assert_eq!(reading.value("tools", json!({ "name": "category_list", "arguments": {} }))["categories"], json!([]));
    let others = reading.value("tools", json!({}));
    assert!(!others.to_string().contains("category_remove"), "{others}");
}

#[test]
fn old_names_answer_and_are_not_listed() {
    let bench = bench();
    let mut client = bench.client_with(options(&bench, "get_document,repo_map"));
    let listed = client.request("tools/list", json!({}));
    assert!(!listed.to_string().contains("get_document") && !listed.to_string().contains("repo_map"), "{listed}");
    for (place, text) in [("docs/a.md:3-3", "Oaks grow slowly.\n"), ("docs/a.md#Acorns", "## Acorns\n\nAcorns fall.\n")]
    {
        assert_eq!(client.value("get_document", json!({ "document": place }))["text"], text, "{place}");
        assert_eq!(client.value("read", json!({ "place": place }))["text"], text, "{place}");
    }
    let map = client.value("repo_map", json!({}));
    assert!(map["map"].as_str().unwrap().contains("plant_oak"), "{map}");
}

#[test]
fn an_agent_gets_text_and_a_program_both() {
    let bench = bench();
    let server = || Server::new(bench.machine(), options(&bench, "default"));
    let call = |client: &mut Client| -> Value {
        let params = json!({ "name": "search", "arguments": { "query": "plant_oak" } });
        client.request("tools/call", params)["result"].take()
    };
    let of_agent = call(&mut Client::named(server(), "claude-code"));
    assert!(of_agent.get("structuredContent").is_none(), "{of_agent}");
    let of_program = call(&mut Client::named(server(), "my-program"));
    assert_eq!(of_program["content"], of_agent["content"]);
    let text = of_agent["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("- src/lib.rs:1-4 `pub fn plant_oak(rows: usize) -> usize`\n"), "{text}");
    assert_eq!(of_program["structuredContent"]["value"]["definitions"][0]["document"], "src/lib.rs");
    let options = Options { output_schemas: true, ..options(&bench, "default") };
    let promised = call(&mut Client::named(Server::new(bench.machine(), options), "claude-code"));
    assert_eq!(promised["structuredContent"], of_program["structuredContent"]);
}
