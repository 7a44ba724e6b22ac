//! Requirement: Configuration Persistence.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use ai_assist_mcp::{Options, Pin};
use serde_json::{Value, json};

use super::{calls, collection, edits, refused, shelf, text};
use crate::support::Bench;

/// Scenario: Successful persistence.
#[test]
fn successful_persistence() {
    for (tool, arguments) in edits() {
        let bench = shelf();
        let before = bench.config();
        bench.client().value(tool, arguments);
        assert_ne!(bench.config(), before, "{tool}");
        // Another server reads what was written.
        let listed = bench.client().call("collection_list", json!({}));
        assert_eq!(listed["success"], true, "{tool}: {listed}");
        let names: Vec<String> = std::fs::read_dir(bench.project())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with('.'))
            .collect();
        assert!(names.is_empty(), "{tool} left {names:?}");
    }
}

/// Comments and order are people's; an edit leaves them alone. Only an entry that gets a new field is laid out anew.
#[test]
fn what_people_wrote_stays() {
    let bench = shelf();
    bench.write(
        "context.json",
        "{\n  // What we read.\n  \"collections\": {\n    \"z\": { \"categories\": [ \"b\", /* first */ \"a\" ] }, // odd\n    \"y\": { \"categories\": [\"b\"] }\n  },\n  \"categories\": {\n    /* For newcomers. */\n    \"b\": { \"patterns\": [\"*.md\" /* text */], \"dir\": \"b\" },\n    \"a\": { \"dir\": \"a\", \"patterns\": [\"*\"] }\n  } // end\n}\n",
    );
    let mut client = bench.client();
    for (tool, arguments) in [
        ("category_add", json!({ "name": "c" })),
        ("collection_add", json!({ "name": "x", "categories": ["c"] })),
        ("category_change", json!({ "name": "b", "new_name": "d" })),
        ("category_update", json!({ "name": "d", "add_patterns": ["*.txt"] })),
        ("collection_update", json!({ "name": "z", "add_categories": ["c"] })),
        ("collection_change", json!({ "name": "y", "new_name": "w", "description": "W" })),
        ("category_remove", json!({ "name": "c" })),
        ("collection_remove", json!({ "name": "x" })),
    ] {
        client.value(tool, arguments);
    }
    assert_eq!(
        text(&bench),
        "{\n  // What we read.\n  \"collections\": {\n    \"z\": { \"categories\": [ \"d\", /* first */ \"a\" ] }, // odd\n    \"w\": {\n      \"categories\": [\"d\"],\n      \"description\": \"W\"\n    }\n  },\n  \"categories\": {\n    /* For newcomers. */\n    \"d\": { \"patterns\": [\"*.md\", \"*.txt\" /* text */], \"dir\": \"b\" },\n    \"a\": { \"dir\": \"a\", \"patterns\": [\"*\"] }\n  } // end\n}\n"
    );
}

/// Scenario: Write error. A folder in the place of the file can't be written by anyone, root included.
#[test]
fn write_error() {
    for (tool, arguments) in edits() {
        let bench = Bench::new();
        std::fs::create_dir(bench.project().join("context.json")).unwrap();
        let (kind, failure) = bench.client().failure(tool, arguments);
        assert_eq!(kind, "write_error", "{tool}: {failure}");
        assert!(failure["error"].as_str().unwrap().contains("context.json"), "{failure}");
        assert!(failure["instruction"].as_str().unwrap().contains("Nothing was changed"), "{failure}");
    }
}

/// A folder in which no one can make files, root included.
#[test]
#[cfg(target_os = "linux")]
fn write_error_in_the_folder() {
    let bench = Bench::new();
    let options = Options {
        pin: Some(Pin("/proc/self/fdinfo".into())),
        tools: "all".parse().unwrap(),
        read_only: false,
        ..Options::default()
    };
    let mut client = bench.client_with(options);
    for (tool, arguments) in [("collection_add", json!({ "name": "a" })), ("category_add", json!({ "name": "a" }))] {
        let (kind, failure) = client.failure(tool, arguments);
        assert_eq!(kind, "write_error", "{tool}: {failure}");
    }
}

/// The lock of a project's configuration, held until it is dropped.
fn hold(bench: &Bench) -> File {
    let folder = File::open(bench.project()).unwrap();
    folder.lock().unwrap();
    folder
}

/// Scenario: Concurrent access. Who waits too long is told so.
#[test]
fn concurrent_access() {
    let bench = shelf();
    let before = text(&bench);
    let held = hold(&bench);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for (tool, arguments) in edits() {
            let bench = &bench;
            scope.spawn(move || {
                let (kind, failure) = bench.client().failure(tool, arguments);
                assert_eq!(kind, "lock_error", "{tool}: {failure}");
                assert!(failure["instruction"].as_str().unwrap().contains("try again"), "{failure}");
            });
        }
    });
    assert!(start.elapsed() < Duration::from_secs(30), "patience has an end: {:?}", start.elapsed());
    assert_eq!(text(&bench), before);
    // Those that only read don't wait.
    let start = Instant::now();
    for (tool, arguments) in calls().into_iter().filter(|(tool, _)| tool.ends_with("_list")) {
        bench.client().value(tool, arguments);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(held);
    bench.client().value("collection_add", json!({ "name": "new" }));
}

/// Scenario: Concurrent access. Who waits gets the lock as soon as it is free, and sees what was written meanwhile.
#[test]
fn concurrent_access_that_ends_in_time() {
    let bench = shelf();
    let mut client = bench.client();
    let held = hold(&bench);
    let call = json!({ "name": "collection_update", "arguments": { "name": "docs", "add_categories": ["later"] } });
    let id = client.start("tools/call", call);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(collection(&bench, "docs")["categories"], json!(["guide", "api"]), "the lock is held");
    let mut config = bench.config();
    config["categories"]["later"] = json!({ "dir": "later", "patterns": ["*"] });
    bench.write("context.json", &config.to_string());
    let start = Instant::now();
    drop(held);
    let answer = client.finish(id);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let value = &answer["result"]["structuredContent"]["value"];
    assert_eq!(value["categories"], json!(["guide", "api", "later"]), "{answer}");
}

/// Many servers that edit at once all keep their edits.
#[test]
fn concurrent_access_loses_nothing() {
    let bench = shelf();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let bench = &bench;
            scope.spawn(move || {
                let mut client = bench.client();
                for number in 0..5 {
                    let name = format!("c{writer}-{number}");
                    client.value("category_add", json!({ "name": name }));
                    client.value("collection_update", json!({ "name": "docs", "add_categories": [name] }));
                }
            });
        }
    });
    assert_eq!(bench.config()["categories"].as_object().unwrap().len(), 23);
    assert_eq!(collection(&bench, "docs")["categories"].as_array().unwrap().len(), 22);
}

/// Scenario: Invalid configuration. A file that is broken, or says what it may not, is left alone.
#[test]
fn invalid_configuration() {
    let bench = shelf();
    let mut client = bench.client();
    for broken in [
        "{\"collections\": ",
        "{\"collections\": 3}",
        "[]",
        "{\"categories\": {\"x\": {\"dir\": \"../x\", \"patterns\": [\"*\"]}}}",
        "{\"categories\": {\"x\": {\"dir\": \"x\", \"patterns\": [3]}}}",
    ] {
        bench.write("context.json", broken);
        for (tool, arguments) in edits() {
            let (kind, failure) = client.failure(tool, arguments);
            assert!(["read_error", "validation_error"].contains(&kind.as_str()), "{tool} on {broken}: {failure}");
            assert!(failure["error"].as_str().unwrap().contains("context.json:1:"), "with its place: {failure}");
            assert_eq!(text(&bench), broken, "{tool}");
        }
    }
}

/// Scenario: Invalid configuration. An edit after which the configuration would not be valid is not made.
#[test]
fn a_configuration_that_would_be_invalid() {
    let bench = shelf();
    let mut client = bench.client();
    let empty = json!({ "name": "guide", "remove_patterns": ["**/*.md"] });
    let failure = refused(&bench, &mut client, "category_update", empty, "validation_error");
    assert_eq!(failure["field"], "patterns", "{failure}");
    let mut many = json!({ "collections": {} });
    for number in 0..1_000 {
        many["collections"][format!("c{number}")] = json!({ "categories": [] });
    }
    bench.write("context.json", &many.to_string());
    let failure = refused(&bench, &mut client, "collection_add", json!({ "name": "new" }), "validation_error");
    assert!(failure["error"].as_str().unwrap().contains("at most 1000"), "{failure}");
}

/// A configuration that is a link stays one, and its target is what changes.
#[test]
#[cfg(unix)]
fn a_link_is_written_through() {
    let bench = shelf();
    let (file, shared) = (bench.project().join("context.json"), bench.project().join("shared.json"));
    std::fs::rename(&file, &shared).unwrap();
    std::os::unix::fs::symlink("shared.json", &file).unwrap();
    bench.client().value("collection_add", json!({ "name": "new" }));
    assert!(file.is_symlink());
    let written: Value = serde_json::from_str(&std::fs::read_to_string(Path::new(&shared)).unwrap()).unwrap();
    assert_eq!(written["collections"]["new"], json!({ "categories": [] }));
}
