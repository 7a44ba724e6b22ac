//! What ARCHITECTURE.md says of the crates, against what cargo says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn crates_use_what_the_table_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let said = table(&text);
    assert_eq!(said.0, of_cargo(&root), "the table in ARCHITECTURE.md (left) is not what cargo says (right)");
    // A crate uses only those above it, so that nothing flows back.
    for (at, name) in said.1.iter().enumerate() {
        for used in &said.0[name] {
            let above = said.1.iter().position(|other| other == used);
            assert!(above.is_some_and(|above| above < at), "`{name}` uses `{used}`, which stands below it");
        }
    }
}

/// The rows of the table, and the crates in its order.
fn table(text: &str) -> (Uses, Vec<String>) {
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = text.lines().skip_while(|line| !line.starts_with("| layer |")).skip(2);
    let (mut uses, mut order) = (Uses::new(), Vec::new());
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').collect();
        let name = names(cells[2]).remove(0);
        order.push(name.clone());
        uses.insert(name, names(cells[3]).into_iter().collect());
    }
    // Those that only tests use may stand anywhere.
    order.retain(|name| name != "bench" && name != "conformance");
    (uses, order)
}

fn of_cargo(root: &Path) -> Uses {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ours = |name: &serde_json::Value| Some(name.as_str()?.strip_prefix("ai-assist-")?.to_owned());
    let of_package = |package: &serde_json::Value| {
        let used = package["dependencies"].as_array().unwrap().iter();
        let used = used.filter(|it| it["kind"].is_null()).filter_map(|it| ours(&it["name"])).collect();
        (ours(&package["name"]).unwrap(), used)
    };
    metadata["packages"].as_array().unwrap().iter().map(of_package).collect()
}
