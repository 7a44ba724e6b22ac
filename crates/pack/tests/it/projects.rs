//! Summaries of small projects of each kind: what is said, and what it was derived from.

use ai_assist_base::Cancel;
use ai_assist_ecosystem::EntryPointKind;
use ai_assist_pack::types::{RiskType, SummaryPack};
use ai_assist_pack::{History, ManifestInput, SummaryPackBuilder, Survey, TokenCounter, manifest_of};
use ai_assist_syntax::SyntaxCache;

use crate::tree::{scanned, tree};

pub(crate) fn summary_of(files: &[(&str, &str)], history: Option<&History>) -> SummaryPack {
    let folder = tree(files);
    let snapshot = scanned(folder.path());
    let survey = Survey::new(&snapshot, history, &SyntaxCache::default(), &Cancel::default()).unwrap();
    let manifest = survey.manifest_input();
    assert_eq!(manifest_of(&snapshot).0, manifest, "the manifest is the same with and without parsing");
    let builder = SummaryPackBuilder {
        survey: &survey,
        manifest,
        selection_reason: "A summary was asked for.".to_owned(),
        reproducible: true,
        count_tokens: true,
        max_content_bytes: None,
        room: None,
    };
    builder.build(&snapshot, &TokenCounter::new()).unwrap()
}

fn has(list: &[String], part: &str) {
    assert!(list.iter().any(|line| line.contains(part)), "no {part:?} in {list:#?}");
}

/// What every summary of a project with a description keeps to.
fn said(pack: &SummaryPack, own_words: &str, kind: &str) {
    let description = &pack.repo_summary.description;
    assert!(description.starts_with(&format!("It says of itself: \"{own_words}\" (from ")), "{description}");
    assert_eq!(description.split("\n\n").count(), 3, "{description}");
    assert_eq!(pack.manifest.project_type, kind);
    assert_eq!(pack.manifest.purpose_guess, own_words);
    assert!(pack.repo_summary.key_technologies.iter().all(|known| known.ends_with(')')), "each names its evidence");
}

#[test]
fn node() {
    let pack = summary_of(
        &[
            (
                "package.json",
                r#"{"name":"shop","description":"Sells things.","license":"MIT","main":"src/app.js",
                "dependencies":{"express":"^4.18.0"},"devDependencies":{"jest":"^29.0.0"}}"#,
            ),
            ("package-lock.json", "{}"),
            ("README.md", "# Shop\n\nMore about the shop.\n"),
            (
                "src/app.js",
                "/** Starts the shop. */\nconst express = require('express');\nconst users = require('./users');\nconst app = express();\napp.get('/users', users.list);\napp.post('/users/:id', users.save);\nmodule.exports = app;\n",
            ),
            ("src/users.js", "exports.list = (q, r) => r.send(eval(q.query.x));\nexports.save = () => {};\n"),
            ("src/app.test.js", "const app = require('./app');\n"),
            (".github/workflows/ci.yml", "on: push\n"),
            ("Dockerfile", "FROM node:20\n"),
        ],
        None,
    );
    said(&pack, "Sells things.", "node");
    assert_eq!(pack.manifest.project_name, "shop");
    assert_eq!((&*pack.manifest.dependencies[0].name, pack.manifest.dependencies.len()), ("express", 2));
    has(&pack.repo_summary.key_technologies, "Express (from package.json: dependencies.express)");
    has(&pack.repo_summary.notable_patterns, "Tests beside the code: 1 file (src/app.test.js).");
    has(&pack.repo_summary.notable_patterns, "Checked by GitHub Actions (from .github/workflows/ci.yml).");
    has(&pack.repo_summary.notable_patterns, "Containers: 1 image recipe (Dockerfile).");
    assert!(
        !pack.repo_summary.potential_concerns.iter().any(|line| line.starts_with("No ")),
        "{:?}",
        pack.repo_summary
    );
    let app = pack.entrypoints.iter().find(|entry| entry.path == "src/app.js").unwrap();
    assert_eq!(app.entrypoint_type, EntryPointKind::Api);
    assert!(app.description.ends_with("Starts the shop. (src/app.js:1)"), "{}", app.description);
    let routes = app.routes_or_commands.as_ref().unwrap();
    assert_eq!(routes, &["GET /users (src/app.js:5)", "POST /users/:id (src/app.js:6)"]);
    let key = pack.key_files_summary.iter().find(|file| file.path == "src/app.js").unwrap();
    has(&key.dependencies, "./users (line 3)");
    has(&key.notable_code, "route GET /users (line 5)");
    has(&key.notable_code, "imported by 1 file (counted)");
    let risk = pack.risk_hotspots.iter().find(|risk| risk.risk_type == RiskType::Security).unwrap();
    assert_eq!(risk.path, "src/users.js");
    has(&risk.indicators, "eval: 1 place, eval (src/users.js:1)");
}

#[test]
fn python() {
    let history = History { commits_by_path: [("src/shop/cart.py".to_owned(), 34)].into(), looked_at: 500 };
    let nested = "def f(a):\n    if a:\n        for b in a:\n            while b:\n                if b:\n                    if a:\n                        b -= 1\n";
    let cart = format!("\"\"\"Adds up prices.\"\"\"\nimport pickle\n{nested}\npickle.loads(b'')\n");
    let pack = summary_of(
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\ndescription = \"Sells things.\"\ndependencies = [\"flask>=2\"]\n[project.scripts]\nshop = \"shop.cli:main\"\n",
            ),
            ("src/shop/__init__.py", ""),
            ("src/shop/cli.py", "from shop import cart\nimport shop.cart\n\ndef main():\n    pass\n"),
            ("src/shop/cart.py", &cart),
            ("src/shop/legacy.pl", "sub f { 1 }\n"),
        ],
        Some(&history),
    );
    said(&pack, "Sells things.", "python");
    has(&pack.repo_summary.key_technologies, "Flask (from pyproject.toml");
    for concern in [
        "No tests: none of ",
        "No license: no manifest names one",
        "No README: no file has that name.",
        "No lock file: 1 dependency without exact versions (first in pyproject.toml).",
        "Not parsed, for want of a grammar: 1 file (perl: 1)",
    ] {
        has(&pack.repo_summary.potential_concerns, concern);
    }
    let start = pack.entrypoints.iter().find(|entry| entry.path == "src/shop/cli.py").unwrap();
    assert!(start.description.contains("from pyproject.toml: project.scripts"), "{}", start.description);
    let complex = pack.risk_hotspots.iter().find(|risk| risk.risk_type == RiskType::Complexity).unwrap();
    assert_eq!(complex.path, "src/shop/cart.py");
    has(&complex.indicators, "nesting of 5 in f (src/shop/cart.py:3)");
    has(&complex.indicators, "changed in 34 of the last 500 commits (from git)");
    let unsafe_call = pack.risk_hotspots.iter().find(|risk| risk.risk_type == RiskType::Security).unwrap();
    has(&unsafe_call.indicators, "deserialize: 1 place");
}

#[test]
fn rust_workspace() {
    let pack = summary_of(
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("Cargo.lock", ""),
            ("README.md", "# Shop\n\nSells things.\n"),
            ("LICENSE", "MIT License\n"),
            ("crates/core/Cargo.toml", "[package]\nname = \"shop-core\"\n"),
            (
                "crates/core/src/lib.rs",
                "//! Counts money. Exactly.\n\npub mod coin;\npub use coin::Coin;\n\npub fn total() {}\n",
            ),
            ("crates/core/src/coin.rs", "pub struct Coin;\n\n#[cfg(test)]\nmod tests {}\n"),
            (
                "crates/cli/Cargo.toml",
                "[package]\nname = \"shop\"\n[dependencies]\nclap = \"4\"\nshop-core = { path = \"../core\" }\n",
            ),
            ("crates/cli/src/main.rs", "use shop_core::coin::Coin;\n\nfn main() {}\n"),
        ],
        None,
    );
    said(&pack, "Sells things.", "rust");
    let pattern = &pack.repo_summary.architecture_pattern;
    assert!(
        pattern.starts_with("Cargo workspace with 2 packages (from Cargo.toml: crates/cli, crates/core)"),
        "{pattern}"
    );
    has(&pack.repo_summary.notable_patterns, "Tests inside source files: 1 file (crates/core/src/coin.rs).");
    has(&pack.repo_summary.notable_patterns, "Monorepo: 2 packages");
    let lib = pack.key_files_summary.iter().find(|file| file.path == "crates/core/src/lib.rs").unwrap();
    assert!(lib.summary.starts_with("Counts money. (crates/core/src/lib.rs:1)"), "{}", lib.summary);
    has(&lib.exports, "total (function, line 6)");
    assert_eq!(pack.manifest.dependencies.iter().map(|known| &*known.name).collect::<Vec<_>>(), ["clap"]);
    assert!(
        !pack.repo_summary.potential_concerns.iter().any(|line| line.starts_with("No ")),
        "{:?}",
        pack.repo_summary
    );
}

#[test]
fn go() {
    let pack = summary_of(
        &[
            ("go.mod", "module example.com/shop\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.9.1\n"),
            ("README.md", "# Shop\n\nSells things.\n"),
            (
                "cmd/shop/main.go",
                "// Command shop sells.\npackage main\n\nimport \"example.com/shop/internal/cart\"\n\nfunc main() { cart.Add() }\n",
            ),
            ("internal/cart/cart.go", "package cart\n\nfunc Add() {}\n"),
            ("internal/cart/cart_test.go", "package cart\n"),
        ],
        None,
    );
    said(&pack, "Sells things.", "go");
    has(&pack.repo_summary.key_technologies, "Gin (from go.mod");
    has(&pack.repo_summary.notable_patterns, "Tests beside the code: 1 file (internal/cart/cart_test.go).");
    assert_eq!(pack.manifest.test_framework.as_deref(), Some("go test"));
    let main = pack.key_files_summary.iter().find(|file| file.path == "cmd/shop/main.go").unwrap();
    assert!(main.summary.starts_with("Command shop sells. (cmd/shop/main.go:1)"), "{}", main.summary);
    has(&main.dependencies, "example.com/shop/internal/cart (line 4)");
}

#[test]
fn java_maven() {
    let pack = summary_of(
        &[
            (
                "pom.xml",
                "<project><groupId>com.acme</groupId><artifactId>shop</artifactId><version>1.0</version><description>Sells things.</description><dependencies><dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId><version>3.2.0</version></dependency></dependencies></project>",
            ),
            (
                "src/main/java/com/acme/UserController.java",
                "package com.acme;\n\nimport com.acme.service.UserService;\n\n@RestController\npublic class UserController {\n  @GetMapping(\"/users\")\n  public String all() { return \"\"; }\n}\n",
            ),
            ("src/main/java/com/acme/controller/X.java", "package com.acme.controller;\nclass X {}\n"),
            (
                "src/main/java/com/acme/service/UserService.java",
                "package com.acme.service;\npublic class UserService {}\n",
            ),
            (
                "src/main/java/com/acme/repository/UserRepository.java",
                "package com.acme.repository;\npublic interface UserRepository {}\n",
            ),
        ],
        None,
    );
    said(&pack, "Sells things.", "java");
    assert!(
        pack.repo_summary
            .architecture_pattern
            .contains("layered: a folder for each layer (src/main/java/com/acme/controller, ")
    );
    let answering = pack.entrypoints.iter().find(|entry| entry.path.ends_with("UserController.java")).unwrap();
    assert_eq!(answering.entrypoint_type, EntryPointKind::Api);
    has(answering.routes_or_commands.as_ref().unwrap(), "GET /users (src/main/java/com/acme/UserController.java:7)");
    assert_eq!(pack.manifest.build_system.as_deref(), Some("maven"));
}

#[test]
fn ruby_on_rails_and_laravel() {
    let rails = summary_of(
        &[
            ("Gemfile", "source 'https://rubygems.org'\ngem 'rails', '~> 7.0'\n"),
            ("Gemfile.lock", ""),
            ("README.md", "# Shop\n\nSells things.\n"),
            ("config/routes.rb", "Rails.application.routes.draw do\n  get '/users', to: 'users#index'\nend\n"),
            ("app/controllers/users_controller.rb", "class UsersController\n  def index; end\nend\n"),
            ("app/models/user.rb", "class User\nend\n"),
            ("app/views/users/index.html.erb", "<p>x</p>\n"),
            ("db/migrate/001_users.rb", "class Users\nend\n"),
        ],
        None,
    );
    said(&rails, "Sells things.", "ruby");
    let pattern = &rails.repo_summary.architecture_pattern;
    assert!(
        pattern.starts_with("MVC: folders of models, views and controllers (app/controllers, app/models, app/views)"),
        "{pattern}"
    );
    has(&rails.repo_summary.notable_patterns, "Database migrations: 1 file (db/migrate/001_users.rb).");
    has(&rails.repo_summary.key_technologies, "Rails (from Gemfile");
    let php = summary_of(
        &[
            (
                "composer.json",
                r#"{"name":"acme/shop","description":"Sells things.","require":{"laravel/framework":"^10.0"}}"#,
            ),
            (
                "app/Http/Controllers/UserController.php",
                "<?php\nnamespace App\\Http\\Controllers;\nuse App\\Models\\User;\nclass UserController {}\n",
            ),
            ("app/Models/User.php", "<?php\nnamespace App\\Models;\nclass User {}\n"),
            ("resources/views/users.blade.php", "<p>x</p>\n"),
            ("routes/web.php", "<?php\nRoute::get('/users', 'UserController@index');\n"),
        ],
        None,
    );
    said(&php, "Sells things.", "php");
    assert!(php.repo_summary.architecture_pattern.starts_with("MVC: "), "{}", php.repo_summary.architecture_pattern);
    has(&php.repo_summary.key_technologies, "Laravel (from composer.json");
    let routes = php.entrypoints.iter().find(|entry| entry.path == "routes/web.php").unwrap();
    has(routes.routes_or_commands.as_ref().unwrap(), "GET /users (routes/web.php:2)");
    let user =
        php.key_files_summary.iter().find(|file| file.path == "app/Http/Controllers/UserController.php").unwrap();
    has(&user.dependencies, "App\\Models\\User (line 3)");
}

#[test]
fn dotnet_and_c() {
    let dotnet = summary_of(
        &[
            (
                "Shop.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><PropertyGroup><Description>Sells things.</Description></PropertyGroup><ItemGroup><PackageReference Include=\"Dapper\" Version=\"2.1.0\" /></ItemGroup></Project>",
            ),
            ("Program.cs", "using System;\n\npublic class Program { public static void Main() {} }\n"),
        ],
        None,
    );
    said(&dotnet, "Sells things.", "dotnet");
    assert_eq!(dotnet.manifest.dependencies[0].name, "Dapper");
    assert!(!dotnet.entrypoints.is_empty());
    let c = summary_of(
        &[
            (
                "CMakeLists.txt",
                "project(shop VERSION 1.0 DESCRIPTION \"Sells things.\")\nadd_executable(shop src/main.c src/cart.c)\n",
            ),
            ("src/main.c", "#include <stdio.h>\n#include \"cart.h\"\n\nint main(void) { return system(\"ls\"); }\n"),
            ("src/cart.c", "#include \"cart.h\"\nint add(int a) { return a; }\n"),
            ("src/cart.h", "int add(int a);\n"),
        ],
        None,
    );
    said(&c, "Sells things.", "c");
    assert_eq!(c.manifest.build_system.as_deref(), Some("cmake"));
    let main = c.key_files_summary.iter().find(|file| file.path == "src/main.c").unwrap();
    has(&main.dependencies, "cart.h (line 2)");
    has(&main.notable_code, "process: system (line 4)");
}

#[test]
fn services_and_nothing_at_all() {
    let services = summary_of(
        &[
            ("users/package.json", r#"{"name":"users"}"#),
            ("users/Dockerfile", "FROM node\n"),
            ("orders/go.mod", "module orders\n"),
            ("orders/Dockerfile", "FROM go\n"),
            ("plugins/a.js", ""),
            ("plugins/b.js", ""),
            ("api/openapi.yaml", "openapi: 3.0.0\n"),
        ],
        None,
    );
    let pattern = &services.repo_summary.architecture_pattern;
    assert!(pattern.contains("microservices: 2 packages have a Dockerfile of their own (orders, users)"), "{pattern}");
    has(&services.repo_summary.notable_patterns, "Plugins: 2 entries in plugins/.");
    has(&services.repo_summary.notable_patterns, "Interfaces described in schemas: 1 file (api/openapi.yaml).");
    let nothing = summary_of(&[("notes.txt", "hello\n")], None);
    assert!(nothing.repo_summary.architecture_pattern.starts_with("unknown: "));
    assert!(nothing.repo_summary.description.starts_with("Neither a manifest nor a README says what it is for."));
    assert_eq!(nothing.risk_hotspots, []);
    assert_eq!(summary_of(&[], None).metadata.total_files_scanned, 0);
    assert_eq!(ManifestInput::default().project_name, None);
}

#[test]
fn a_history_of_one_commit_says_nothing_of_change() {
    let files =
        [("package.json", "{\"name\":\"x\",\"main\":\"a.js\"}"), ("a.js", "eval(input);\nexport const a = 1;\n")];
    let history = |looked_at| History {
        commits_by_path: [("a.js".to_owned(), looked_at), ("package.json".to_owned(), looked_at)].into(),
        looked_at,
    };
    let says = |looked_at| {
        let pack = summary_of(&files, Some(&history(looked_at)));
        serde_json::to_string(&pack).unwrap().contains("of the last")
    };
    assert!(!says(1) && !says(9) && says(10));
}

#[test]
fn the_files_of_one_go_package_are_one_hotspot() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|n| {
            (format!("use{n}/use.go"), format!("package use{n}\n\nimport \"example.com/x/core\"\n\nvar A = core.B\n"))
        })
        .collect();
    files.extend((0..6).map(|n| (format!("core/c{n}.go"), format!("package core\n\nvar B{n} = {n}\n"))));
    files.push(("core/b.go".to_owned(), "package core\n\nvar B = 1\n".to_owned()));
    files.push(("go.mod".to_owned(), "module example.com/x\n\ngo 1.22\n".to_owned()));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let pack = summary_of(&borrowed, None);
    let coupled: Vec<&str> = pack.risk_hotspots.iter().map(|spot| &*spot.path).collect();
    assert_eq!(coupled.len(), 1, "{coupled:?}");
    assert!(coupled[0].starts_with("core/"));
}

#[test]
fn a_program_is_found_by_its_main_whatever_its_file_is_called() {
    let pack = summary_of(
        &[
            ("go.mod", "module example.com/x\n\ngo 1.22\n"),
            ("cmd/serve/serve.go", "package main\n\nfunc main() {\n}\n"),
            ("cmd/tool/main.go", "package main\n\nfunc main() {\n}\n"),
            ("lib/lib.go", "package lib\n\nfunc Main() {\n}\n"),
            ("native/start.c", "int main(int argc, char **argv) {\n    return 0;\n}\n"),
            ("jvm/Start.java", "class Start {\n    public static void main(String[] args) {\n    }\n}\n"),
        ],
        None,
    );
    let paths: Vec<&str> = pack.entrypoints.iter().map(|entry| &*entry.path).collect();
    assert_eq!(paths, ["cmd/tool/main.go", "cmd/serve/serve.go", "jvm/Start.java", "native/start.c"]);
}
