//! Requirement: Tool Argument Schemas.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{calls, category, collection, edits, refused, shelf};

/// The schemas of the ten tools, by their names. The list of tools has them in short; in whole they are there for whoever asks.
fn schemas() -> BTreeMap<String, Value> {
    let bench = shelf();
    let mut client = bench.client();
    let listed = client.request("tools/list", json!({}));
    let names = listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let is_ours =
        |name: &&str| (name.starts_with("category_") || name.starts_with("collection_")) && *name != "collection_sync";
    let mut schema = |name: &str| client.value("tools", json!({ "name": name }))["tools"][0]["arguments"].take();
    names.filter(is_ours).map(|name| (name.to_owned(), schema(name))).collect()
}

/// The SHALL of the requirement: name and type, required or not, description, examples, rules.
#[test]
fn schemas_say_what_arguments_there_are() {
    let schemas = schemas();
    let mut expected: Vec<&str> = calls().into_iter().map(|(tool, _)| tool).collect();
    expected.sort_unstable();
    assert_eq!(schemas.keys().collect::<Vec<_>>(), expected);
    for (tool, schema) in &schemas {
        let required = if tool.ends_with("_list") { Value::Null } else { json!(["name"]) };
        assert_eq!(schema["required"], required, "{tool}");
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        for (argument, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["type"].is_string(), "{tool}.{argument}: {schema}");
            assert!(schema["description"].as_str().is_some_and(|text| text.len() > 10), "{tool}.{argument}: {schema}");
            if argument != "max_tokens" {
                assert!(
                    schema["examples"][0].is_string() || schema["examples"][0].is_array(),
                    "{tool}.{argument}: {schema}"
                );
            }
            if schema["type"] == "array" {
                assert_eq!(schema["items"], json!({ "type": "string" }), "{tool}.{argument}");
            }
        }
    }
    let names = |tool: &str| schemas[tool]["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names.join(" ")
    };
    assert_eq!(sorted(names("collection_add")), "categories description name");
    assert_eq!(sorted(names("collection_remove")), "name");
    assert_eq!(sorted(names("collection_change")), "categories description name new_name");
    assert_eq!(sorted(names("collection_update")), "add_categories name remove_categories");
}

/// The rules of names and descriptions that a client can check are those that the tools have.
#[test]
fn schemas_say_the_rules() {
    for (tool, schema) in schemas() {
        for (argument, schema) in schema["properties"].as_object().unwrap() {
            let is_new = argument == "new_name" || (argument == "name" && tool.ends_with("_add"));
            let pattern = match argument.as_str() {
                _ if is_new => "^[A-Za-z0-9]([A-Za-z0-9_-]{0,28}[A-Za-z0-9])?$",
                "description" => "^[^'\"]{0,500}$",
                _ => continue,
            };
            assert_eq!(schema["pattern"], pattern, "{tool}.{argument}");
        }
    }
}

/// The examples are ones that work: an example of each argument, taken together, passes the checks of arguments.
#[test]
fn schemas_give_examples_that_fit() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, schema) in schemas() {
        let properties = schema["properties"].as_object().unwrap();
        let examples =
            properties.iter().filter_map(|(name, schema)| Some((name.clone(), schema["examples"].get(0)?.clone())));
        let answer = client.call(&tool, Value::Object(examples.collect()));
        let kind = answer["error_type"].as_str().unwrap_or("none");
        assert!(["none", "not_found", "category_not_found", "already_exists"].contains(&kind), "{tool}: {answer}");
    }
}

/// Scenario: Required argument validation.
#[test]
fn required_argument_validation() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, mut arguments) in edits() {
        for missing in [None, Some(Value::Null)] {
            match missing {
                Some(null) => arguments["name"] = null,
                None => drop(arguments.as_object_mut().unwrap().remove("name")),
            }
            let failure = refused(&bench, &mut client, tool, arguments.clone(), "validation_error");
            assert_eq!(failure["field"], "name", "{tool}: {failure}");
            assert_eq!(failure["expected"], "a string", "{tool}: {failure}");
        }
    }
}

/// Scenario: Type validation.
#[test]
fn type_validation() {
    let bench = shelf();
    let mut client = bench.client();
    for (tool, schema) in schemas() {
        for (argument, schema) in schema["properties"].as_object().unwrap() {
            let (wrong, expected): (&[Value], &str) = match schema["type"].as_str().unwrap() {
                "string" => (&[json!(3), json!(true), json!(["x"]), json!({ "x": 1 })], "a string"),
                "array" => (&[json!("guide"), json!(3), json!({ "0": "guide" })], "an array of strings"),
                _ => (&[json!("many"), json!(1.5), json!([1])], "an integer of 500 to 24000"),
            };
            for wrong in wrong {
                let mut arguments = json!({ argument: wrong });
                if argument != "name" && !tool.ends_with("_list") {
                    arguments["name"] = json!("docs");
                }
                let failure = refused(&bench, &mut client, &tool, arguments, "validation_error");
                assert_eq!((&failure["field"], &failure["expected"]), (&json!(argument), &json!(expected)), "{tool}");
            }
        }
    }
    let arguments = json!({ "name": "docs", "add_categories": ["guide", 1] });
    let failure = refused(&bench, &mut client, "collection_update", arguments, "validation_error");
    assert_eq!((&failure["field"], &failure["expected"]), (&json!("add_categories[1]"), &json!("a string")));
}

/// Scenario: Optional argument handling. Null is the same as nothing.
#[test]
fn optional_argument_handling() {
    let with = |name: &str, null: bool| match null {
        true => json!({ "name": name, "description": null, "categories": null }),
        false => json!({ "name": name }),
    };
    for null in [false, true] {
        let bench = shelf();
        let mut client = bench.client();
        client.value("collection_add", with("new", null));
        assert_eq!(collection(&bench, "new"), json!({ "categories": [] }), "a default");
        let before = super::text(&bench);
        client.value("collection_change", with("docs", null));
        for tool in ["collection_update", "category_change", "category_update"] {
            let name = if tool.starts_with("collection") { "docs" } else { "api" };
            client.value(tool, json!({ "name": name }));
        }
        assert_eq!(super::text(&bench), before, "what is not said stays");
        client.value("category_add", json!({ "name": "more" }));
        assert_eq!(category(&bench, "more"), json!({ "dir": "more", "patterns": ["**/{documents}"] }), "defaults");
    }
}
