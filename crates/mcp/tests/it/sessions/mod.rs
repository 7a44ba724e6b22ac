//! Sessions, tool by tool and as an agent uses them.

mod budgets;
mod day;
mod failures;
mod others;
mod tools;

use serde_json::{Value, json};

use crate::support::{Bench, Client};

/// A project with a few files.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("src/lib.rs", "/// Picks.\npub fn pick_apple() {}\n");
    bench.write("docs/orchard.md", "# Orchard\n\nApples ripen in autumn.\n");
    bench.write("notes.txt", "Buy a ladder.\n");
    bench
}

/// A session with two files held and one met.
fn opened(bench: &Bench) -> Client {
    let mut client = bench.client();
    client.value("session_open", json!({ "session": "s" }));
    client.value("session_read", json!({ "paths": ["src/lib.rs", "docs/orchard.md"] }));
    client.value("session_read", json!({ "paths": ["notes.txt"], "discover_only": true }));
    client
}

/// The objects of a set, as lines.
fn listed(client: &mut Client, set: &str) -> Vec<String> {
    let listed = client.value("session_list", json!({ "set": set }));
    let line = |item: &Value| item["object"].as_str().unwrap().to_owned();
    listed["items"].as_array().unwrap().iter().map(line).collect()
}
