use std::path::Path;

use ai_assist_admit::PackRules;
use ai_assist_base::Cancel;

use super::*;
use crate::{ScanOptions, scan, whole_tree};

fn scanned(files: &[(&str, &str)]) -> (tempfile::TempDir, Snapshot) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let full = folder.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(full, text).unwrap();
    }
    let selection = whole_tree(folder.path(), PackRules::default()).unwrap();
    let snapshot = scan(&selection, &ScanOptions::default(), &Cancel::default(), &|_| {}).unwrap();
    (folder, snapshot)
}

#[test]
fn manifests_tell_where_packages_stand() {
    let (_folder, snapshot) = scanned(&[
        ("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#),
        ("packages/ui/package.json", r#"{"name": "@acme/ui"}"#),
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"my-a\"\n"),
        ("tools/go.mod", "module example.com/shop // the shop\n"),
    ]);
    let found = packages::packages(&snapshot, &describe(&SnapshotTree::new(&snapshot)));
    let folder = |of: &std::collections::HashMap<String, String>, name: &str| of.get(name).cloned();
    assert_eq!(folder(&found.node, "@acme/ui").as_deref(), Some("packages/ui"));
    assert_eq!(folder(&found.crates, "my_a").as_deref(), Some("crates/a"));
    assert_eq!(folder(&found.go, "example.com/shop").as_deref(), Some("tools"));
}

#[test]
fn what_many_import_and_change_is_worth_more() {
    let mut files = vec![("src/core.py".to_owned(), "def f():\n    pass\n".to_owned())];
    files.push(("src/lone.py".to_owned(), "def g():\n    pass\n".to_owned()));
    files.extend((0..6).map(|n| (format!("src/m{n}.py"), "import core\n".to_owned())));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, snapshot) = scanned(&borrowed);
    let survey = Survey::new(&snapshot, None, &SyntaxCache::default(), &Cancel::default()).unwrap();
    assert_eq!((survey.fan_in(0), survey.fan_in(1)), (6, 0));
    assert!(survey.rank(0) > survey.rank(1));
    let history = History { commits_by_path: [("src/lone.py".to_owned(), 500)].into(), looked_at: 500 };
    let changed = Survey::new(&snapshot, Some(&history), &SyntaxCache::default(), &Cancel::default()).unwrap();
    assert!(changed.rank(1) > changed.rank(0));
    assert_eq!(survey.outline(&snapshot, 0).as_deref(), Some("def f()\n"));
    assert_eq!(survey.outline(&snapshot, 99), None);
    assert!(matches!(
        Survey::new(&snapshot, None, &SyntaxCache::default(), &Cancel::when(|| true)),
        Err(PackError::Cancelled)
    ));
}

#[test]
fn a_public_outline_has_what_others_can_use() {
    let (_folder, snapshot) = scanned(&[
        (
            "a.py",
            "class A:\n    def run(self): pass\n    def _step(self): pass\n\ndef _hidden():\n    def inner(): pass\n",
        ),
        (
            "b.rs",
            "pub struct B;\nstruct C;\nimpl B {\n    pub fn open() {}\n    fn close() {}\n}\nimpl C {\n    fn x() {}\n}\n",
        ),
        ("c.js", "function helper() {}\nexport function shown() {}\n"),
        ("d.go", "package main\n\nfunc main() {\n}\n"),
    ]);
    let survey = Survey::new(&snapshot, None, &SyntaxCache::default(), &Cancel::default()).unwrap();
    let outlines = [
        "class A\n  def run(self)\n",
        "pub struct B;\nimpl B\n  pub fn open()\n",
        "function shown()\n",
        "func main()\n",
    ];
    for (index, expected) in outlines.into_iter().enumerate() {
        assert_eq!(survey.public_outline(&snapshot, index).as_deref(), Some(expected));
    }
}

#[test]
fn only_so_much_code_is_parsed_the_best_first() {
    let text = "x = 1\n".repeat(100);
    let (_folder, snapshot) = scanned(&[("app.py", &text), ("tests/test_a.py", &text), ("README.md", &text)]);
    assert_eq!(within_reach(&snapshot, 600), [true, true, false]);
    assert_eq!(within_reach(&snapshot, 1200), [true, true, true]);
    let why = |text: &str, language| analysis_of(text, language, &SyntaxCache::default()).unwrap_err();
    assert_eq!(why(&"x".repeat(MAX_PARSED + 1), Language::PYTHON), Parsing::TooLarge);
    assert_eq!(why("(defun f ())", "lisp".parse().unwrap()), Parsing::NoGrammar);
}

#[test]
fn lines_are_short_and_single() {
    assert_eq!(one_line(" a\n\tb\u{1b}c ", 20), "a b c");
    assert_eq!(one_line("ääääääää", 9), "äää...");
    let warning = panicked(
        &[Measure { parsing: Parsing::Panicked, ..Measure::default() }],
        &scanned(&[("a.py", "x")]).1.project.files,
    );
    assert_eq!(
        warning.as_deref(),
        Some("The parser failed on some files, of which nothing is told: 1 in all, such as `a.py`.")
    );
}
