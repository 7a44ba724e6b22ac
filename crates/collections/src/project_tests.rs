use super::*;

fn read(text: &str) -> (Result<ProjectConfig>, Vec<String>) {
    let mut warnings = Vec::new();
    let config = parse(Path::new("context.json"), text, &mut warnings);
    (config, warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn a_configuration_is_read_with_comments_and_in_order() {
    let (config, warnings) = read(
        r#"{
          // what we need
          "collections": {
            "z-docs": { "type": "file", "path": "./docs", "glob": "**/*.{md,mdx}", },
            "a": { "type": "file", "path": "a" },
            "react": { "type": "pkg", "url": "https://react.dev/manifest.json" },
          },
        }"#,
    );
    let names: Vec<String> =
        config.unwrap().collections.into_iter().map(|(n, s)| format!("{n}: {}", s.source.unwrap().source())).collect();
    assert_eq!(
        names,
        ["z-docs: ./docs (**/*.{md,mdx})", "a: a (**/{documents})", "react: https://react.dev/manifest.json"]
    );
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, expected) in [
        ("{", "context.json:1:1: Unterminated object"),
        ("{\n  \"collections\": []\n}", "context.json:2:18: `collections` must be an object of name → collection"),
        ("[]", "context.json:1:1: the file must hold one object, `{ … }`"),
        (
            "{\"collections\": {\"a\": {}}}",
            "context.json:1:23: the collection `a` has no `type`; it is `file`, `pkg`, `site` or `dep`",
        ),
        (
            "{\"collections\": {\"a\": {\"type\": \"git\"}}}",
            "context.json:1:32: `git` is not a type of collection; the types are `file`, `pkg`, `site` and `dep`",
        ),
        ("{\"collections\": {\"a\": {\"type\": \"file\"}}}", "context.json:1:23: the collection `a` has no `path`"),
        ("{\"collections\": {\"a\": {\"type\": \"file\", \"path\": 3}}}", "context.json:1:48: `path` must be a string"),
        (
            "{\"collections\": {\"a\": {\"type\": \"file\", \"path\": \"x\", \"glob\": \"../*\"}}}",
            "context.json:1:61: the glob `../*` has a `..` in it; globs can't leave the collection's folder",
        ),
    ] {
        let found = read(text).0.unwrap_err().to_string();
        assert!(found.starts_with(expected), "{text}\n  expected {expected}\n  found    {found}");
    }
}

#[test]
fn odd_things_are_warned_of() {
    let (config, warnings) =
        read("{\"colections\": {}, \"collections\": {\"a b\": {\"type\": \"file\", \"path\": \"x\", \"globs\": 1}}}");
    assert!(config.is_ok());
    assert_eq!(
        warnings,
        [
            "context.json:1:2: the key `colections` is not known and is ignored; did you mean `collections`?",
            "context.json:1:36: the name `a b` is unusual: only letters, digits, `-` and `_` are allowed",
            "context.json:1:73: the key `globs` is not known and is ignored; did you mean `glob`?",
        ]
    );
}

#[test]
fn an_empty_file_declares_nothing() {
    assert!(read("").0.unwrap().collections.is_empty());
    assert!(read("// nothing yet\n").0.unwrap().collections.is_empty());
}

#[test]
fn categories_are_read_and_collections_may_be_made_of_them() {
    let (config, warnings) = read(
        r#"{
          "categories": {
            "guide": { "dir": "docs/guide", "patterns": ["**/*.md", "*.txt"], "description": "How to" },
            "api": { "dir": ".", "patterns": ["src/**/*.rs"] }
          },
          "collections": {
            "all": { "categories": ["guide", "api"], "description": "Everything" },
            "both": { "type": "file", "path": "x", "categories": ["api"] },
            "none": { "categories": [] }
          }
        }"#,
    );
    let config = config.unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let guide = config.category("guide").unwrap();
    assert_eq!((guide.dir.as_str(), guide.description.as_deref()), ("docs/guide", Some("How to")));
    assert_eq!(guide.source(), CollectionSpec::files("docs/guide", "{**/*.md,*.txt}"));
    assert_eq!(config.category("api").unwrap().source(), CollectionSpec::files(".", "src/**/*.rs"));
    let all = config.get("all").unwrap();
    assert_eq!((&all.source, all.categories.join(" ").as_str()), (&None, "guide api"));
    assert_eq!(all.description.as_deref(), Some("Everything"));
    assert!(config.get("both").unwrap().source.is_some());
    assert!(config.get("none").unwrap().categories.is_empty());
}

#[test]
fn a_category_that_can_not_be_is_refused_with_its_place() {
    for (category, expected) in [
        ("3", "1:22: the category `c` must be an object"),
        ("{}", "1:22: the category `c` has no `dir`"),
        (r#"{"dir": "x"}"#, "1:22: the category `c` has no `patterns`"),
        (r#"{"dir": "", "patterns": ["*"]}"#, "1:30: `dir` is empty"),
        (r#"{"dir": "../x", "patterns": ["*"]}"#, "1:30: `dir` must not have a `..` in it: `../x`"),
        (r#"{"dir": "/etc", "patterns": ["*"]}"#, "1:30: `dir` must be relative to the project's root: `/etc`"),
        (r#"{"dir": "a\u0000b", "patterns": ["*"]}"#, "1:30: `dir` must not have control characters in it"),
        (r#"{"dir": "x", "patterns": "*"}"#, "1:47: `patterns` must be a list of strings"),
        (r#"{"dir": "x", "patterns": [3]}"#, "1:48: `patterns` must be a list of strings"),
        (r#"{"dir": "x", "patterns": []}"#, "1:47: `patterns` must have at least one pattern"),
        (r#"{"dir": "x", "patterns": ["*", "../*"]}"#, "1:53: the glob `../*` has a `..` in it"),
        (r#"{"dir": "x", "patterns": ["!a"]}"#, "1:48: the pattern `!a` opens with `!`"),
    ] {
        let text = format!(r#"{{"categories": {{"c": {category}}}}}"#);
        let found = read(&text).0.unwrap_err().to_string();
        assert!(found.contains(expected), "{text}\n  expected {expected}\n  found    {found}");
    }
    let twice = r#"{"categories": {"c": {"dir": "x", "patterns": ["*"]}, "c": {"dir": "x", "patterns": ["*"]}}}"#;
    assert!(read(twice).0.unwrap_err().to_string().contains("the category `c` is declared twice"));
    let bad = r#"{"collections": {"a": {"categories": "b"}}}"#;
    assert!(read(bad).0.unwrap_err().to_string().contains("1:38: `categories` must be a list of strings"));
    let lonely = r#"{"collections": {"a": {"description": "b"}}}"#;
    assert!(
        read(lonely)
            .0
            .unwrap_err()
            .to_string()
            .contains("the collection `a` has no `type`; it is `file`, `pkg`, `site` or `dep`")
    );
}

#[test]
fn what_is_odd_about_categories_is_warned_of() {
    let (config, warnings) = read(
        "{\"collections\": {\"a\": {\"categories\": [\"gone\", \"c d\", \"c d\"]}},\n\"categories\": {\"c d\": {\"dir\": \"x\", \"patterns\": [\"*\", \"*\"], \"odd\": 1}}}",
    );
    let config = config.unwrap();
    assert_eq!(config.get("a").unwrap().categories, ["gone", "c d"]);
    assert_eq!(config.category("c d").unwrap().patterns, ["*"]);
    assert_eq!(
        warnings,
        [
            "context.json:1:54: `c d` stands in the list twice",
            "context.json:2:16: the name `c d` is unusual: only letters, digits, `-` and `_` are allowed",
            "context.json:2:54: `*` stands in the list twice",
            "context.json:2:60: the key `odd` is not known and is ignored; known here: dir, patterns, description",
            "context.json:1:39: there is no category `gone`",
        ]
    );
}
