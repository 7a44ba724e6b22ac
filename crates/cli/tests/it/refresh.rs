//! Files that have changed are taken in before a question is answered, where they are few.

use serde_json::{Value, json};

use crate::mcp_server::Server;
use crate::support::Sandbox;

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("src/till.rs", "pub fn count_coins() -> u32 { 7 }\n");
    sandbox.write("docs/money.md", "# Money\n\nThe till is emptied at noon.\n");
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", "./docs"]).assert_code(0);
    sandbox.run(&["sync"]).assert_code(0);
    sandbox
}

fn first(answer: &Value) -> (String, String) {
    let hit = &answer["hits"][0];
    (hit["document"].as_str().unwrap().to_owned(), hit["freshness"].as_str().unwrap().to_owned())
}

#[test]
fn what_has_changed_is_found_as_it_is_now() {
    let sandbox = project();
    sandbox.write("src/till.rs", "pub fn weigh_banknotes() -> u32 { 8 }\n");
    sandbox.write("docs/new.md", "# Holidays\n\nThe shop is closed in August.\n");
    let old = sandbox.json(&["search", "count_coins", "--no-sync"]);
    assert_eq!(first(&old), ("src/till.rs".into(), "changed".into()), "{old}");
    let code = sandbox.json(&["search", "weigh_banknotes"]);
    assert_eq!(first(&code), ("src/till.rs".into(), "current".into()), "{code}");
    let docs = sandbox.json(&["search", "closed in August"]);
    assert_eq!(first(&docs), ("new.md".into(), "current".into()), "{docs}");

    sandbox.write("docs/new.md", "# Holidays\n\nThe shop is closed in winter.\n");
    let of_collections = sandbox.json(&["ref", "search", "closed in winter"]);
    assert_eq!(first(&of_collections), ("new.md".into(), "current".into()), "{of_collections}");
    std::fs::remove_file(sandbox.project().join("docs/new.md")).unwrap();
    let folder = sandbox.project();
    let mut server = Server::start(&sandbox, &["--project", folder.to_str().unwrap()]);
    let found = server.call("search", json!({ "query": "closed holidays winter" }));
    server.hang_up();
    assert!(!found.to_string().contains("new.md"), "{found}");
}

/// Whatever looks something up, and not the ranked search alone.
#[test]
fn names_and_lines_are_looked_up_as_they_are_now() {
    let sandbox = project();
    sandbox.write("src/till.rs", "\n\npub fn weigh_banknotes() -> u32 { 8 }\n");
    sandbox.run(&["search", "--symbol", "weigh_banknotes", "--no-sync"]).assert_code(1);
    let symbols = sandbox.json(&["search", "--symbol", "weigh_banknotes"]);
    assert!(symbols.to_string().contains("weigh_banknotes"), "{symbols}");
    sandbox.write("src/till.rs", "pub fn burn_banknotes() -> u32 { 9 }\n");
    sandbox.run(&["search", "--regex", "burn_banknotes", "--no-sync"]).assert_code(1);
    let lines = sandbox.json(&["search", "--regex", "burn_banknotes"]);
    assert_eq!(lines["found"], 1, "{lines}");
}

#[test]
fn much_that_has_changed_is_left_and_said() {
    let sandbox = project();
    for number in 0..1_100 {
        sandbox.write(format!("docs/page{number}.md"), format!("# Page {number}\n\nMany pages of money.\n"));
    }
    let run = sandbox.run(&["search", "money", "--json"]);
    run.assert_code(0);
    assert!(run.stderr().contains("files seem to have changed"), "{}", run.stderr());
    assert!(!run.stdout().contains("page1"), "{}", run.stdout());
}

#[test]
fn nothing_that_was_never_indexed_is_indexed_by_a_search() {
    let sandbox = Sandbox::new();
    sandbox.write("src/till.rs", "pub fn count_coins() -> u32 { 7 }\n");
    sandbox.run(&["search", "coins"]).assert_code(2);
    sandbox.run(&["collections", "init"]).assert_code(0);
    sandbox.run(&["collections", "add", "docs", ".", "--glob", "**/*.rs"]).assert_code(0);
    let run = sandbox.run(&["search", "coins"]);
    assert_ne!(run.code(), 0, "{}", run.stdout());
}

#[test]
fn a_page_goes_on_with_the_answer_that_it_belongs_to() {
    let sandbox = project();
    for number in 0..5 {
        sandbox.write(format!("docs/page{number}.md"), format!("# Page {number}\n\nMany pages of money.\n"));
    }
    let page = sandbox.json(&["search", "money", "--limit", "2"]);
    assert_eq!(page["hits"].as_array().unwrap().len(), 2);
    sandbox.write("docs/later.md", "# Later\n\nMore pages of money.\n");
    let next = sandbox.json(&["search", "money", "--limit", "2", "--cursor", page["cursor"].as_str().unwrap()]);
    assert_eq!(next["hits"].as_array().unwrap().len(), 2, "{next}");
    assert!(!next.to_string().contains("later.md"));
}
