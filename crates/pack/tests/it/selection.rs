//! Full or summary, and what a snapshot says.

use std::collections::BTreeMap;

use ai_assist_pack::types::{FileCategory, Node, PackConstraints, PackType, ProviderLimit};
use ai_assist_pack::{ManifestInput, PackSelector};

use crate::tree::{scanned, tree};

#[test]
fn the_choice_has_a_reason() {
    let text = "word ".repeat(1000);
    let folder = tree(&[("a.txt", &text), ("b.txt", &text), ("c.txt", "x")]);
    let snapshot = scanned(folder.path());
    let base = PackConstraints::default();
    let limits = |json: &str| -> BTreeMap<String, ProviderLimit> { serde_json::from_str(json).unwrap() };
    let cases = [
        (base.clone(), PackType::Full, "All 3 files with 10001 bytes of text fit."),
        (PackConstraints { prefer_summary: true, ..base.clone() }, PackType::Summary, "A summary was asked for."),
        (
            PackConstraints { max_content_bytes: 10_000, ..base.clone() },
            PackType::Summary,
            "The texts have 10001 bytes, more than 10000.",
        ),
        (PackConstraints { max_content_bytes: 10_001, ..base.clone() }, PackType::Full, "All 3 files"),
        (PackConstraints { max_files: 2, ..base.clone() }, PackType::Summary, "There are 3 files, more than 2."),
        (
            PackConstraints { provider_limits: limits(r#"{"acme": 9000}"#), ..base.clone() },
            PackType::Summary,
            "The texts have 10001 bytes, more than the 9000 that acme takes.",
        ),
        (
            PackConstraints { provider_limits: limits(r#"{"acme": {"tokens": 1000}}"#), ..base.clone() },
            PackType::Summary,
            "The texts have more than the 1000 tokens (o200k_base) that acme takes.",
        ),
        (
            PackConstraints { provider_limits: limits(r#"{"acme": {"tokens": 3000}}"#), ..base.clone() },
            PackType::Full,
            "All 3 files",
        ),
        (
            PackConstraints {
                provider_limits: limits(r#"{"acme": 1, "other": 20000}"#),
                provider: Some("other".to_owned()),
                ..base
            },
            PackType::Full,
            "All 3 files",
        ),
    ];
    for (constraints, pack_type, reason) in cases {
        let selected = PackSelector::default().select(&snapshot, &constraints);
        assert_eq!(selected.pack_type, pack_type, "{constraints:?}");
        assert!(selected.reason.starts_with(reason), "{}", selected.reason);
    }
}

#[test]
fn a_snapshot_has_the_shape_of_the_spec() {
    let folder = tree(&[("src/main.rs", "fn main() {}\n"), ("src/lib/a.rs", "\n"), ("README.md", "# x\n")]);
    let snapshot = scanned(folder.path());
    let project = &snapshot.project;
    assert_eq!((project.total_files, project.total_directories, project.total_size_bytes), (3, 2, 18));
    let main = project.files.iter().find(|file| file.relative_path == "src/main.rs").unwrap();
    assert_eq!((main.category, main.is_key_file, &*main.extension), (FileCategory::Entrypoint, true, "rs"));
    assert_eq!(main.path, format!("{}/src/main.rs", project.root_path));
    let names: Vec<&str> = project
        .directory_tree
        .children
        .iter()
        .map(|node| match node {
            Node::Directory(folder) => folder.path.as_str(),
            Node::File(file) => file.path.as_str(),
        })
        .collect();
    assert_eq!(names, ["README.md", "src"]);
    let json = serde_json::to_value(project).unwrap();
    assert_eq!(json["directory_tree"]["children"][0]["type"], "text");
    assert_eq!(json["files"][0]["category"], "documentation");
    assert_eq!(serde_json::from_value::<ai_assist_pack::types::ProjectSnapshot>(json).unwrap(), *project);
    let manifest = ManifestInput { project_type: Some("rust".to_owned()), ..ManifestInput::default() }.fill(&snapshot);
    assert_eq!(manifest.project_name, project.directory_tree.name);
    assert_eq!((&*manifest.project_type, &*manifest.entry_points[0]), ("rust", "src/main.rs"));
    assert_eq!(manifest.structure_summary, "src/: 2 files, mostly rust\n(root): 1 file, mostly markdown");
    assert_eq!(snapshot.paths(), ["README.md", "src/lib/a.rs", "src/main.rs"]);
    assert_eq!(snapshot.text_of("README.md").as_deref(), Some("# x\n"));
    assert_eq!(snapshot.text_of("none"), None);
}
