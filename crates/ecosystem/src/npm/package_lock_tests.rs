use std::fs;

use super::*;

fn root(package_json: Option<&str>) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(text) = package_json {
        fs::write(folder.path().join("package.json"), text).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    (folder, root)
}

fn listed(text: &str) -> Listing {
    parse(&root(None).1, text).unwrap()
}

const VERSION_3: &str = r#"{
  "name": "app",
  "version": "1.0.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {
      "name": "app",
      "workspaces": ["packages/*"],
      "dependencies": { "react": "^18.0.0", "alias": "npm:real@^2", "a": "*" },
      "devDependencies": { "@types/node": "^20" },
      "optionalDependencies": { "absent": "^1" },
      "peerDependencies": { "peer": "^1" },
      "engines": { "node": ">=18" }
    },
    "node_modules/@types/node": { "version": "20.1.0", "dev": true },
    "node_modules/a": { "resolved": "packages/a", "link": true },
    "node_modules/alias": { "name": "real", "version": "2.0.0" },
    "node_modules/fromgit": { "version": "3.0.0", "resolved": "git+ssh://git@github.com/x/y.git#00" },
    "node_modules/loose-envify": { "version": "1.4.0", "dependencies": { "js-tokens": "^4" } },
    "node_modules/js-tokens": { "version": "4.0.0", "funding": [{ "type": "x" }] },
    "node_modules/peer": { "version": "1.0.0", "peer": true },
    "node_modules/react": { "version": "18.2.0", "dependencies": { "loose-envify": "^1.1.0" } },
    "node_modules/x/node_modules/react": { "version": "16.0.0" },
    "packages/a": {
      "name": "@app/a",
      "version": "0.1.0",
      "dependencies": { "js-tokens": "^3", "loose-envify": "^1" }
    },
    "packages/a/node_modules/js-tokens": { "version": "3.0.2" },
    "../outside": { "version": "1.0.0", "dependencies": { "x": "1" } }
  }
}"#;

#[test]
fn packages_are_resolved_as_node_does() {
    let listing = listed(VERSION_3);
    let expected = [
        "@types/node 20.1.0 *", "fromgit 3.0.0", "js-tokens 3.0.2 *", "js-tokens 4.0.0", "loose-envify 1.4.0 *",
        "peer 1.0.0 *", "react 16.0.0", "react 18.2.0 *", "real 2.0.0 *",
    ];
    assert_eq!(listing.text(), expected);
    assert!(listing.warnings.is_empty() && listing.unusable == 0);
    let nested = installed(VERSION_3).into_iter().find(|found| found.version == "3.0.2").unwrap();
    assert_eq!(nested.path, "packages/a/node_modules/js-tokens");
}

#[test]
fn the_second_version_is_read_from_its_newer_half() {
    let text = r#"{ "lockfileVersion": 2,
      "packages": { "": { "dependencies": { "b": "1" } }, "node_modules/b": { "version": "1.0.0" } },
      "dependencies": { "b": { "version": "1.0.0" }, "stale": { "version": "1.0.0" } } }"#;
    assert_eq!(listed(text).text(), ["b 1.0.0 *"]);
}

const VERSION_1: &str = r#"{
  "name": "app", "lockfileVersion": 1, "requires": true,
  "dependencies": {
    "chalk": { "version": "2.4.2", "requires": { "color": "1" },
               "dependencies": { "color": { "version": "1.9.3" } } },
    "color": { "version": "2.0.1", "dev": true },
    "other": { "version": "npm:@real/other@5.0.0" },
    "here": { "version": "file:libs/here" },
    "tarball": { "version": "https://example.org/t.tgz" }
  }
}"#;

#[test]
fn the_first_version_takes_what_is_direct_from_the_manifest() {
    let (_folder, root) = root(Some(
        r#"{ "dependencies": { "chalk": "^2", "here": "file:libs/here" },
        "devDependencies": { "other": "npm:@real/other@5" }, "scripts": { "x": "y" } }"#,
    ));
    let listing = parse(&root, VERSION_1).unwrap();
    assert_eq!(listing.text(), ["@real/other 5.0.0 *", "chalk 2.4.2 *", "color 1.9.3", "color 2.0.1"]);
    assert_eq!(listing.unusable, 1);
    let nested = installed(VERSION_1).into_iter().find(|found| found.version == "1.9.3").unwrap();
    assert_eq!(nested.path, "node_modules/chalk/node_modules/color");
}

#[test]
fn without_a_manifest_the_first_version_has_nothing_direct() {
    for manifest in [None, Some("{"), Some("[]"), Some("{\"dependencies\": 3}")] {
        let (_folder, root) = root(manifest);
        let listing = parse(&root, VERSION_1).unwrap();
        assert_eq!(listing.packages.len(), 4);
        assert!(listing.packages.values().all(|direct| !direct));
        assert_eq!(listing.warnings.len(), 1, "{manifest:?}");
    }
}

#[test]
fn odd_content_is_left_out_or_refused() {
    let (_folder, root) = root(Some("{}"));
    let hostile = r#"{ "lockfileVersion": 3, "packages": {
        "": { "dependencies": { "../../etc": "1", "": "1" } },
        "node_modules/../../etc": { "version": "1.0.0" },
        "node_modules/": { "version": "1.0.0" },
        "node_modules/a\u0000b": { "version": "1.0.0" },
        "node_modules/b": { "version": "../../x" },
        "node_modules/c": {},
        "/node_modules//etc": { "version": "1.0.0" } } }"#;
    let listing = parse(&root, hostile).unwrap();
    assert!(listing.packages.is_empty());
    assert_eq!(listing.unusable, 5);

    let deep = format!("{}{}", r#"{"dependencies":{"a":"#.repeat(100_000), "}}".repeat(100_000));
    let folders =
        format!(r#"{{"lockfileVersion":3,"packages":{{"{}":{{"dependencies":{{"x":"1"}}}}}}}}"#, "a/".repeat(100_000));
    assert!(parse(&root, &folders).unwrap().packages.is_empty());
    for bad in ["", "{", "[]", "null", "{\"lockfileVersion\": 1e999}", "{\"lockfileVersion\": 4}", &deep] {
        assert!(parse(&root, bad).is_err(), "{}", &bad[..bad.len().min(60)]);
    }
    assert_eq!(
        parse(&root, "{\"lockfileVersion\": 4}").unwrap_err().to_string(),
        "its format is not known (version 4)"
    );
}
