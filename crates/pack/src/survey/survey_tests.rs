use std::path::Path;

use ai_assist_admit::PackRules;
use ai_assist_base::Cancel;
use ai_assist_syntax::Import;

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

/// The files that imports lead to, by path; nothing for those that lead nowhere.
fn leads(files: &[(&str, &str)], from: &str, modules: &[&str]) -> Vec<String> {
    let (_folder, snapshot) = scanned(files);
    let description = describe(&SnapshotTree::new(&snapshot));
    let resolver = Resolver::new(&snapshot, &description);
    let place = |path: &str| snapshot.project().files.iter().position(|file| file.relative_path == path).unwrap();
    let language = Language::of_path(from).unwrap();
    let lead = |module: &&str| {
        let imports = [Import { module: (*module).to_owned(), line: 1 }];
        let mut measures = vec![Measure::default(); snapshot.project().files.len()];
        resolver.count(&[resolver.edges(place(from), language, &imports)], &mut measures);
        let hit = measures.iter().zip(&snapshot.project().files).filter(|(measure, _)| measure.fan_in > 0);
        hit.map(|(_, file)| file.relative_path.as_str()).collect::<Vec<_>>().join("+")
    };
    modules.iter().map(lead).collect()
}

#[test]
fn imports_of_scripts_lead_to_files() {
    let files = [
        ("package.json", r#"{"name": "root", "workspaces": ["packages/*"]}"#),
        ("packages/ui/package.json", r#"{"name": "@acme/ui"}"#),
        ("packages/ui/src/index.ts", ""),
        ("packages/ui/src/button.tsx", ""),
        ("packages/app/package.json", r#"{"name": "app"}"#),
        ("packages/app/src/main.ts", ""),
        ("packages/app/src/db/index.js", ""),
        ("packages/app/src/util.d.ts", ""),
        ("packages/app/src/auth.ts", ""),
    ];
    let modules = [
        "./auth",
        "./auth.js",
        "./db",
        "./util",
        "@acme/ui",
        "@acme/ui/button",
        "@/auth",
        "react",
        "../../../x",
        "./none",
    ];
    assert_eq!(
        leads(&files, "packages/app/src/main.ts", &modules),
        [
            "packages/app/src/auth.ts",
            "packages/app/src/auth.ts",
            "packages/app/src/db/index.js",
            "packages/app/src/util.d.ts",
            "packages/ui/src/index.ts",
            "packages/ui/src/button.tsx",
            "packages/app/src/auth.ts",
            "",
            "",
            ""
        ]
    );
}

#[test]
fn imports_of_python_lead_to_files() {
    let files = [
        ("src/shop/__init__.py", ""),
        ("src/shop/cart.py", ""),
        ("src/shop/api/__init__.py", ""),
        ("src/shop/api/views.py", ""),
        ("services/mail/sender/smtp.py", ""),
        ("other/json.py", ""),
    ];
    let modules = ["shop.cart", "..cart", ".", "shop", "shop.cart.Cart", "sender.smtp", "json", "....x", "os.path"];
    assert_eq!(
        leads(&files, "src/shop/api/views.py", &modules),
        [
            "src/shop/cart.py",
            "src/shop/cart.py",
            "src/shop/api/__init__.py",
            "src/shop/__init__.py",
            "src/shop/cart.py",
            "services/mail/sender/smtp.py",
            "",
            "",
            ""
        ]
    );
}

#[test]
fn imports_of_rust_lead_to_files() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"my-a\"\n"),
        ("crates/a/src/lib.rs", ""),
        ("crates/a/src/deep/mod.rs", ""),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ("crates/b/src/main.rs", ""),
        ("crates/b/src/store.rs", ""),
        ("crates/b/src/store/rows.rs", ""),
        ("crates/b/src/store/cells.rs", ""),
    ];
    let modules = [
        "crate::store::Store",
        "super::cells::Cell",
        "super::super::store",
        "my_a::deep::Thing",
        "my_a::Thing",
        "serde::Serialize",
        "crate::Main",
        "std::fs",
    ];
    assert_eq!(
        leads(&files, "crates/b/src/store/rows.rs", &modules),
        [
            "crates/b/src/store.rs",
            "crates/b/src/store/cells.rs",
            "crates/b/src/store.rs",
            "crates/a/src/deep/mod.rs",
            "crates/a/src/lib.rs",
            "",
            "crates/b/src/main.rs",
            ""
        ]
    );
    assert_eq!(leads(&files, "crates/b/src/store.rs", &["self::rows"]), ["crates/b/src/store/rows.rs"]);
}

#[test]
fn imports_of_the_others_lead_to_files() {
    let go = [
        ("go.mod", "module example.com/shop // the shop\n"),
        ("main.go", "package main\n"),
        ("cart/a.go", "package cart\n"),
        ("cart/b.go", "package cart\n"),
        ("cart/a_test.go", "package cart\n"),
    ];
    let modules = ["example.com/shop/cart", "example.com/shop/none", "fmt"];
    assert_eq!(leads(&go, "main.go", &modules), ["cart/a.go+cart/b.go", "", ""]);
    let java = [
        ("src/main/java/com/acme/App.java", ""),
        ("src/main/java/com/acme/db/User.java", ""),
        ("lib/src/com/acme/Two.java", ""),
        ("old/src/com/acme/Two.java", ""),
    ];
    let modules = ["com.acme.db.User", "com.acme.db.User.NAME", "com.acme.Two", "java.util.List"];
    let user = "src/main/java/com/acme/db/User.java";
    assert_eq!(leads(&java, "src/main/java/com/acme/App.java", &modules), [user, user, "", ""], "two are none");
    let c = [("src/a.c", ""), ("src/a.h", ""), ("include/net/http.h", "")];
    assert_eq!(leads(&c, "src/a.c", &["a.h", "net/http.h", "<stdio.h>"]), ["src/a.h", "include/net/http.h", ""]);
    let ruby = [("lib/shop/cart.rb", ""), ("lib/shop.rb", ""), ("bin/run.rb", "")];
    assert_eq!(
        leads(&ruby, "lib/shop.rb", &["./shop/cart", "shop/cart", "json"]),
        ["lib/shop/cart.rb", "lib/shop/cart.rb", ""]
    );
    let php = [("app/Models/User.php", ""), ("app/Http/Controllers/A.php", "")];
    assert_eq!(
        leads(&php, "app/Http/Controllers/A.php", &["App\\Models\\User", "Exception"]),
        ["app/Models/User.php", ""]
    );
}

#[test]
fn what_many_import_and_change_is_worth_more() {
    let mut files = vec![("src/core.py".to_owned(), "def f():\n    pass\n".to_owned())];
    files.push(("src/lone.py".to_owned(), "def g():\n    pass\n".to_owned()));
    files.extend((0..6).map(|n| (format!("src/m{n}.py"), "import core\n".to_owned())));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, snapshot) = scanned(&borrowed);
    let survey = Survey::new(&snapshot, None, &Cancel::default()).unwrap();
    assert_eq!((survey.fan_in(0), survey.fan_in(1)), (6, 0));
    assert!(survey.rank(0) > survey.rank(1));
    let history = History { commits_by_path: [("src/lone.py".to_owned(), 500)].into(), looked_at: 500 };
    let changed = Survey::new(&snapshot, Some(&history), &Cancel::default()).unwrap();
    assert!(changed.rank(1) > changed.rank(0));
    assert_eq!(survey.outline(&snapshot, 0).as_deref(), Some("def f()\n"));
    assert_eq!(survey.outline(&snapshot, 99), None);
    assert!(matches!(Survey::new(&snapshot, None, &Cancel::when(|| true)), Err(PackError::Cancelled)));
}

#[test]
fn only_so_much_code_is_parsed_the_best_first() {
    let text = "x = 1\n".repeat(100);
    let (_folder, snapshot) = scanned(&[("app.py", &text), ("tests/test_a.py", &text), ("README.md", &text)]);
    assert_eq!(within_reach(&snapshot, 600), [true, true, false]);
    assert_eq!(within_reach(&snapshot, 1200), [true, true, true]);
    assert_eq!(facts_of(&"x".repeat(MAX_PARSED + 1), Language::PYTHON), Err(Parsing::TooLarge));
    assert_eq!(facts_of("(defun f ())", "lisp".parse().unwrap()), Err(Parsing::NoGrammar));
}

#[test]
fn lines_are_short_and_single() {
    assert_eq!(one_line(" a\n\tb\u{1b}c ", 20), "a b c");
    assert_eq!(one_line("ääääääää", 9), "äää...");
    let warning = panicked(
        &[Measure { parsing: Parsing::Panicked, ..Measure::default() }],
        &scanned(&[("a.py", "x")]).1.project().files,
    );
    assert_eq!(
        warning.as_deref(),
        Some("The parser failed on some files, of which nothing is told: 1 in all, such as `a.py`.")
    );
}
