//! Whatever the arguments are, the answer is well formed.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::support::{Bench, Client};

/// Any JSON, small.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec((text(), inner), 0..3).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(vec![
            "docs", "docs/a.md", "guides", "**", "../x", "a,b", "oaks", "1-2", "9-1", "path:[", "\"open", "kind:x", "0-1", "4294967295-4294967296",
            "assist://collection/docs/a.md", "assist://", "src/lib.rs", "", " ", "\u{0}", "function", "rust", "-", "_x_", "project", "'quote'", "5-abc",
        ])
        .prop_map(str::to_owned),
        1 => "\\PC{0,40}",
        1 => Just("x".repeat(5_000)),
    ]
}

/// A value that a schema allows, most of the time.
fn fitting(schema: &Value) -> BoxedStrategy<Value> {
    let allowed = match schema["type"].as_str() {
        Some("string") => match schema["enum"].as_array() {
            Some(choices) => prop::sample::select(choices.clone()).boxed(),
            None => text().prop_map(Value::from).boxed(),
        },
        Some("integer") => {
            let least = schema["minimum"].as_i64().unwrap_or(0);
            let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
            prop_oneof![least..=most.min(least.saturating_add(3_000)), Just(most)].prop_map(Value::from).boxed()
        }
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => proptest::collection::vec(fitting(&schema["items"]), 0..3).prop_map(Value::from).boxed(),
        _ => anything().boxed(),
    };
    prop_oneof![9 => allowed, 1 => anything()].boxed()
}

/// An argument, perhaps.
type Field = Option<(String, Value)>;

/// Arguments for a tool.
fn arguments(schema: &Value) -> BoxedStrategy<Value> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<BoxedStrategy<Field>> = Vec::new();
    for (name, schema) in schema["properties"].as_object().unwrap() {
        let (name, often) = (name.clone(), if required.contains(&name.as_str()) { 0.95 } else { 0.4 });
        let field = fitting(schema).prop_map(move |value| (name.clone(), value));
        fields.push(prop::option::weighted(often, field).boxed());
    }
    let extra = prop::option::weighted(0.05, (text(), anything()));
    let object = |(fields, extra): (Vec<Field>, Field)| {
        let mut object: Map<String, Value> = fields.into_iter().flatten().collect();
        object.extend(extra);
        Value::Object(object)
    };
    (fields, extra).prop_map(object).boxed()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("docs/a.md", "# Oaks\n\nText about oaks.\n\n## More\n\nMore.\n");
    bench.write("guides/b.md", "# Elms\n");
    bench.write("src/lib.rs", "/// Oaks.\npub fn oaks() {}\n");
    bench.write(
        "context.json",
        r#"{"categories": {"guides": {"dir": "guides", "patterns": ["**/*.md"]}},
            "collections": {"docs": {"type": "file", "path": "docs"}, "both": {"categories": ["guides"]}}}"#,
    );
    let mut client = bench.client();
    client.value("collection_sync", json!({}));
    client.value("index_build", json!({}));
    bench
}

fn is_well_formed(tool: &str, arguments: &Value, answer: &Value, kinds: &[&str]) {
    let structured = &answer["result"]["structuredContent"];
    if answer.get("error").is_some() {
        // Only where the arguments are no object at all.
        assert!(!arguments.is_object(), "{tool} {arguments}: {answer}");
        return;
    }
    let text =
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool} {arguments}: {answer}"));
    assert!(!text.trim().is_empty(), "{tool} {arguments}: {answer}");
    match structured["success"].as_bool() {
        Some(true) => assert!(structured["value"].is_object(), "{tool} {arguments}: {structured}"),
        Some(false) => {
            let kind = structured["error_type"].as_str().unwrap();
            assert!(kinds.contains(&kind) && kind != "internal_error", "{tool} {arguments}: {structured}");
            assert!(!structured["error"].as_str().unwrap().is_empty(), "{tool} {arguments}: {structured}");
            assert!(!structured["instruction"].as_str().unwrap().is_empty(), "{tool} {arguments}: {structured}");
        }
        None => panic!("{tool} {arguments}: {answer}"),
    }
}

#[test]
fn every_tool_answers_any_arguments() {
    let bench = bench();
    let original = std::fs::read_to_string(bench.project().join("context.json")).unwrap();
    let mut client = bench.client();
    let (documented, kinds) = ai_assist_mcp::documented();
    let kinds: Vec<&str> = kinds.iter().map(|(kind, _)| *kind).collect();
    for tool in documented {
        let tool = serde_json::to_value(&tool.tool).unwrap();
        let name = tool["name"].as_str().unwrap().to_owned();
        let schema = tool["inputSchema"].clone();
        let mut runner = TestRunner::new_with_rng(
            Config { cases: 150, failure_persistence: None, ..Config::default() },
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let asked = std::cell::RefCell::new(&mut client);
        runner
            .run(&arguments(&schema), |arguments| {
                let params = json!({ "name": name, "arguments": arguments });
                let answer = asked.borrow_mut().request("tools/call", params);
                is_well_formed(&name, &arguments, &answer, &kinds);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        bench.write("context.json", &original);
    }
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    let bench = bench();
    let mut client = bench.client();
    for odd in [json!([]), json!("x"), json!(3), json!(true)] {
        let answer = client.request("tools/call", json!({ "name": "search", "arguments": odd }));
        assert!(answer["error"].is_object(), "{odd}: {answer}");
    }
    let none = client.request("tools/call", json!({ "name": "list_documents" }));
    assert_eq!(none["result"]["structuredContent"]["success"], true, "{none}");
}

/// A required argument that is missing and one of the wrong type, for every tool that has them.
#[test]
fn what_is_missing_or_wrong_is_named() {
    let bench = bench();
    let mut client: Client = bench.client();
    for tool in ai_assist_mcp::documented().0 {
        let tool = serde_json::to_value(&tool.tool).unwrap();
        let name = tool["name"].as_str().unwrap();
        for field in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            let (kind, answer) = client.failure(name, json!({}));
            assert_eq!((kind.as_str(), &answer["field"]), ("validation_error", field), "{name}: {answer}");
            assert!(answer["expected"].is_string(), "{name}: {answer}");
        }
        for (field, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let wrong = if schema["type"] == "object" { json!(1) } else { json!({ "an": "object" }) };
            let (kind, answer) = client.failure(name, json!({ field: wrong }));
            assert_eq!(kind, "validation_error", "{name}.{field}: {answer}");
            assert!(answer["error"].as_str().unwrap().contains(&format!("`{field}`")), "{name}.{field}: {answer}");
        }
    }
}
