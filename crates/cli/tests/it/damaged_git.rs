//! A repository whose index git can't read: everything that asks which files are tracked goes on without the answer, says
//! so, and comes to the same files.

use serde_json::json;

use crate::mcp_server::Server;
use crate::packing::{git, sent};
use crate::support::Sandbox;

const WARNING: &str = "it is not known which files git tracks";

/// A project in which git tracks a file of a folder called `build`, and ignores another file.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.write("src/build/steps.rs", "pub fn steps() {}\n");
    sandbox.write(".gitignore", "private.md\n");
    sandbox.write("private.md", "# Ignored\n");
    sandbox.write("README.md", "# Till\n\nCounts money.\n");
    let folder = sandbox.project();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "one"]);
    sandbox
}

/// What each of the four sends or indexes, and what it warns of.
fn asked(sandbox: &Sandbox) -> [(&'static str, Vec<String>, String); 4] {
    let pack = sandbox.run(&["pack", "--type", "full", "--format", "json"]);
    pack.assert_code(0);
    let snapshot = sandbox.run(&["snapshot", "--json"]);
    snapshot.assert_code(0);
    let listed = snapshot.json()["files"].as_array().unwrap().clone();
    let listed = listed.iter().map(|file| file["relative_path"].as_str().unwrap().to_owned());
    let built = sandbox.run(&["index", "build", "--force", "--json"]);
    built.assert_code(0);
    let folder = sandbox.project();
    let mut server =
        Server::start(sandbox, &["--project", folder.to_str().unwrap(), "--tools", "default,context_pack"]);
    let packed = server.call("context_pack", json!({ "type": "full", "format": "json" }));
    let over_mcp =
        serde_json::from_str(packed["value"]["pack"].as_str().unwrap_or_else(|| panic!("{packed}"))).unwrap();
    let warnings = packed["value"]["warnings"].to_string();
    server.hang_up();
    let indexed = built.json()["files"].to_string();
    [
        ("pack", sent(&pack.json()), pack.stderr()),
        ("snapshot", listed.collect(), snapshot.stderr()),
        ("index build", vec![indexed], built.stderr()),
        ("context_pack", sent(&over_mcp), warnings),
    ]
}

#[test]
fn all_go_on_without_an_index_that_git_can_read() {
    let sandbox = project();
    let index = sandbox.project().join(".git/index");
    let whole = std::fs::read(&index).unwrap();
    for (who, _, warned) in asked(&sandbox) {
        assert!(!warned.contains(WARNING), "{who}: {warned}");
    }
    let damages: [(&str, Vec<u8>); 3] = [
        ("garbage", b"this is no index".repeat(10)),
        // Less than a header and a hash; git reads what is cut further back as far as it goes.
        ("cut", whole[..20].to_vec()),
        ("short", vec![0; 4]),
    ];
    for (damage, bytes) in damages {
        std::fs::write(&index, bytes).unwrap();
        let asked = asked(&sandbox);
        for (who, files, warned) in &asked {
            assert!(warned.contains(WARNING), "{damage}, {who}: {warned}");
            let has = |path: &str| files.iter().any(|file| file == path);
            assert!(!has("private.md") && !has("src/build/steps.rs"), "{damage}, {who}: {files:?}");
        }
        let [pack, snapshot, index_build, over_mcp] = asked;
        assert_eq!(pack.1, over_mcp.1, "{damage}");
        assert!(pack.1.contains(&"src/main.rs".to_owned()), "{damage}: {:?}", pack.1);
        assert!(pack.1.iter().all(|file| snapshot.1.contains(file)), "{damage}: {:?}", snapshot.1);
        assert_eq!(index_build.1, [pack.1.len().to_string()], "{damage}: {:?}", pack.1);
    }
}
