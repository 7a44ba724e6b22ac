//! Commands with a service and without one answer the same.

use std::process::Command;

use serde_json::json;

use crate::mcp_server::Server;
use crate::support::{Sandbox, Service};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_docs(&[
        ("oak.md", "# Oaks\n\nThe oak grows tall.\n\n## Acorns\n\nAn oak begins as an acorn.\n"),
        ("ash.md", "# Ash\n\nThe ash is a tree as well.\n"),
    ]);
    sandbox.write("src/lib.rs", "/// Plants a tree.\npub fn plant(name: &str) -> usize {\n    name.len()\n}\n");
    sandbox.write("src/main.rs", "use crate::plant;\nfn main() {\n    plant(\"oak\");\n}\n");
    let git = Command::new("git").args(["init", "-q"]).current_dir(sandbox.project()).status().unwrap();
    assert!(git.success());
    sandbox.run(&["sync"]).assert_code(0);
    // These tests have services of their own.
    sandbox.run(&["serve", "--stop"]);
    sandbox
}

const COMMANDS: &[&[&str]] = &[
    &["search", "acorn"],
    &["search", "plant a tree", "--json"],
    &["search", "oak", "--explain", "--limit", "2"],
    &["search", "oak", "--full", "--max-tokens", "20"],
    &["search", "oak", "--rank", "words", "--without", "role", "--json"],
    &["search", "oak", "--fusion", "ranks", "--kind", "docs", "--json"],
    &["search", "oak", "--in", "docs", "--path", "*.md"],
    &["search", "oak", "--in", "nothing"],
    &["search", "oak", "--lang", "nonsense"],
    &["search", "zzzzqqq", "--rank", "words"],
    &["search", "-e", "o.k", "--json"],
    &["search", "-e", "OAK", "-i", "-w"],
    &["search", "-e", "("],
    &["search", "-s", "plant"],
    &["search", "-s", "plant", "--json"],
    &["search", "oak", "--repo", "src", "--json"],
    &["get", "src/lib.rs:1-2"],
    &["get", "docs/oak.md", "--json"],
    &["get", "none.md"],
    &["outline", "docs/oak.md"],
    &["outline", "src/lib.rs", "--json"],
    &["map"],
    &["map", "--json", "--focus", "plant", "--focus", "nothing"],
];

#[test]
fn commands_answer_the_same_with_a_service() {
    let sandbox = sandbox();
    let service = Service::start(&sandbox, &[]).unwrap();
    assert!(sandbox.run(&["status"]).stderr().contains("A service runs"), "{}", sandbox.run(&["status"]).stderr());
    for command in COMMANDS {
        let with = sandbox.run(command);
        let without = sandbox.run(&[command, ["--no-daemon"].as_slice()].concat());
        assert_eq!(
            (with.code(), with.stdout(), with.stderr()),
            (without.code(), without.stdout(), without.stderr()),
            "{command:?}"
        );
    }
    // It is really asked: whoever wants to know why not is told of nothing.
    let asked = sandbox.run(&["search", "acorn", "-v"]);
    assert!(!asked.stderr().contains("Answered without the service"), "{}", asked.stderr());
    // Other settings make other answers, so the command answers itself.
    let other = sandbox.command().args(["search", "acorn", "-v"]).env("AI_ASSIST_SEARCH_DENSE_WEIGHT", "0.1").output();
    let other = String::from_utf8_lossy(&other.unwrap().stderr).into_owned();
    assert!(other.contains("Answered without the service"), "{other}");
    // One that was killed leaves its socket, and nobody has to care.
    service.kill();
    let found = sandbox.run(&["search", "acorn"]);
    assert!(found.code() == 0 && found.stdout().contains("oak.md"), "{}", found.stderr());
    let again = Service::start(&sandbox, &[]).unwrap();
    let second = sandbox.run(&["serve", "--listen", "0"]);
    assert_eq!(second.code(), 2);
    assert!(second.stderr().contains("runs already"), "{}", second.stderr());
    sandbox.run(&["serve", "--stop"]).assert_code(0);
    sandbox.run(&["serve", "--stop"]).assert_code(1);
    drop(again);
}

#[test]
fn tools_answer_the_same_with_a_service() {
    let sandbox = sandbox();
    let log = sandbox.root().join("service.log");
    let service = Service::start_saying(&sandbox, &[], std::fs::File::create(&log).unwrap().into()).unwrap();
    let project = sandbox.project();
    let start = |args: &[&str]| Server::start(&sandbox, &[args, &["--tools", "all"]].concat());
    let pinned = ["--project", project.to_str().unwrap()];
    let (mut with, mut without) = (start(&pinned), start(&[&pinned[..], &["--no-daemon"]].concat()));
    let (mut roaming, mut alone) = (start(&[]), start(&["--no-daemon"]));
    let calls = [
        ("search", json!({ "query": "how does an oak begin" })),
        ("search", json!({ "query": "oak", "limit": 1, "max_tokens": 500 })),
        ("search", json!({ "query": "plant", "scope": "nonsense" })),
        ("read", json!({ "place": "docs/oak.md:1-3" })),
        ("read", json!({ "place": ".git/config" })),
        ("read", json!({ "place": "none.md" })),
        ("grep", json!({ "pattern": "o.k" })),
        ("outline", json!({ "document": "src/lib.rs" })),
        ("context", json!({ "query": "how is a tree planted" })),
        ("collection_list", json!({})),
    ];
    for (tool, mut arguments) in calls {
        assert_eq!(with.call(tool, arguments.clone()), without.call(tool, arguments.clone()), "{tool} {arguments}");
        arguments["project"] = json!(project);
        assert_eq!(roaming.call(tool, arguments.clone()), alone.call(tool, arguments.clone()), "{tool} {arguments}");
    }
    let asked = || std::fs::read_to_string(&log).unwrap().matches("POST /tool: 200").count();
    // Arguments that are wrong are refused before anybody is asked.
    assert_eq!(asked(), 18, "{}", std::fs::read_to_string(&log).unwrap());
    // What writes is done where it was asked for, and counts at once.
    let before = asked();
    sandbox.write("docs/elm.md", "# Elms\n\nThe elm is a third tree.\n");
    assert_eq!(with.call("collection_sync", json!({}))["success"], true);
    assert_eq!(asked(), before);
    assert!(with.call("search", json!({ "query": "third tree elm" })).to_string().contains("elm.md"));
    assert_eq!(asked(), before + 1);
    // Nobody there: answered all the same.
    service.kill();
    assert!(with.call("search", json!({ "query": "third tree elm" })).to_string().contains("elm.md"));
    for server in [with, without, roaming, alone] {
        let (code, said) = server.hang_up();
        assert_eq!((code, said.as_str()), (0, ""));
    }
}

#[test]
fn a_service_may_be_killed_at_any_moment() {
    let sandbox = sandbox();
    let rounds = std::env::var("AI_ASSIST_TEST_ROUNDS").ok().map_or(10, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let service = Service::start(&sandbox, &[]).unwrap();
        for number in 0..20 {
            sandbox.write(format!("docs/{number}.md"), format!("# Round {round}\n\nTree {number} of round{round}.\n"));
        }
        // Somewhere in the middle of taking them in.
        std::thread::sleep(std::time::Duration::from_millis(150 + round * 60 % 700));
        service.kill();
        let found = sandbox.json(&["search", &format!("round{round}"), "--rank", "words", "--in", "docs", "-n", "50"]);
        assert_eq!(found["hits"].as_array().unwrap().len(), 20, "round {round}");
    }
    sandbox.assert_healthy();
}
