use super::*;

fn named(packages: &[(&str, &str)]) -> HashMap<String, String> {
    packages.iter().map(|&(name, folder)| (name.to_owned(), folder.to_owned())).collect()
}

/// The files that imports lead to, by path; nothing for those that lead nowhere.
fn leads(files: &[&str], packages: &Packages, from: &str, modules: &[&str]) -> Vec<String> {
    let numbered: Vec<(usize, &str)> = files.iter().copied().enumerate().collect();
    let imports = Imports::new(&numbered, packages.clone());
    let at = files.iter().position(|path| *path == from).unwrap();
    let lead = |module: &&str| {
        let target = imports.target((at, from), Language::of_path(from).unwrap(), module);
        let hit = target.into_iter().flat_map(|target| imports.files_of(target));
        hit.map(|file| files[file]).collect::<Vec<_>>().join("+")
    };
    modules.iter().map(lead).collect()
}

#[test]
fn imports_of_scripts_lead_to_files() {
    let packages = Packages {
        node: named(&[("@acme/ui", "packages/ui"), ("app", "packages/app"), ("root", "")]),
        ..Packages::default()
    };
    let files = [
        "packages/ui/src/index.ts",
        "packages/ui/src/button.tsx",
        "packages/app/src/main.ts",
        "packages/app/src/db/index.js",
        "packages/app/src/util.d.ts",
        "packages/app/src/auth.ts",
    ];
    let modules = [
        "./auth", "./auth.js", "./db", "./util", "@acme/ui", "@acme/ui/button", "@/auth", "react", "../../../x",
        "./none",
    ];
    assert_eq!(
        leads(&files, &packages, "packages/app/src/main.ts", &modules),
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
    let packages = Packages::default();
    let files = [
        "src/shop/__init__.py",
        "src/shop/cart.py",
        "src/shop/api/__init__.py",
        "src/shop/api/views.py",
        "services/mail/sender/smtp.py",
        "other/json.py",
    ];
    let modules = ["shop.cart", "..cart", ".", "shop", "shop.cart.Cart", "sender.smtp", "json", "....x", "os.path"];
    assert_eq!(
        leads(&files, &packages, "src/shop/api/views.py", &modules),
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
    let packages = Packages { crates: named(&[("my_a", "crates/a"), ("b", "crates/b")]), ..Packages::default() };
    let files = [
        "crates/a/src/lib.rs",
        "crates/a/src/deep/mod.rs",
        "crates/b/src/main.rs",
        "crates/b/src/store.rs",
        "crates/b/src/store/rows.rs",
        "crates/b/src/store/cells.rs",
    ];
    let modules = [
        "crate::store::Store", "super::cells::Cell", "super::super::store", "my_a::deep::Thing", "my_a::Thing",
        "serde::Serialize", "crate::Main", "std::fs",
    ];
    assert_eq!(
        leads(&files, &packages, "crates/b/src/store/rows.rs", &modules),
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
    assert_eq!(leads(&files, &packages, "crates/b/src/store.rs", &["self::rows"]), ["crates/b/src/store/rows.rs"]);
}

#[test]
fn imports_of_the_others_lead_to_files() {
    let packages = Packages { go: named(&[("example.com/shop", "")]), ..Packages::default() };
    let go = ["main.go", "cart/a.go", "cart/b.go", "cart/a_test.go"];
    let modules = ["example.com/shop/cart", "example.com/shop/none", "fmt"];
    assert_eq!(leads(&go, &packages, "main.go", &modules), ["cart/a.go+cart/b.go", "", ""]);
    let java = [
        "src/main/java/com/acme/App.java",
        "src/main/java/com/acme/db/User.java",
        "lib/src/com/acme/Two.java",
        "old/src/com/acme/Two.java",
    ];
    let modules = ["com.acme.db.User", "com.acme.db.User.NAME", "com.acme.Two", "java.util.List"];
    let user = "src/main/java/com/acme/db/User.java";
    assert_eq!(
        leads(&java, &packages, "src/main/java/com/acme/App.java", &modules),
        [user, user, "", ""],
        "two are none"
    );
    let c = ["src/a.c", "src/a.h", "include/net/http.h"];
    assert_eq!(
        leads(&c, &packages, "src/a.c", &["a.h", "net/http.h", "<stdio.h>", "<net/http.h>", "<a.h>", "<src/a.h>"]),
        ["src/a.h", "include/net/http.h", "", "include/net/http.h", "", "src/a.h"]
    );
    let ruby = ["lib/shop/cart.rb", "lib/shop.rb", "bin/run.rb"];
    assert_eq!(
        leads(&ruby, &packages, "lib/shop.rb", &["./shop/cart", "shop/cart", "json"]),
        ["lib/shop/cart.rb", "lib/shop/cart.rb", ""]
    );
    let php = ["app/Models/User.php", "app/Http/Controllers/A.php"];
    assert_eq!(
        leads(&php, &packages, "app/Http/Controllers/A.php", &["App\\Models\\User", "Exception"]),
        ["app/Models/User.php", ""]
    );
}
