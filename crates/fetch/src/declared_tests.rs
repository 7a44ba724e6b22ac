use super::*;

const HASH: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn remote() -> Base {
    Base::Remote(Url::parse("https://react.dev/context/v18/manifest.json?x=1").unwrap())
}

fn with(sources: &str) -> String {
    format!("{{\n  \"name\": \"p\",\n  \"version\": \"1\",\n  {sources}\n}}")
}

fn read(text: &str, base: &Base) -> Result<Declared> {
    Declared::read("manifest.json", text, base, 100)
}

fn files(declared: &Declared) -> Vec<(String, Option<String>)> {
    let Contents::Files(entries) = &declared.contents else { panic!("files were expected") };
    let location = |entry: &Entry| match &entry.location {
        Location::Beside => None,
        Location::Url(url) => Some(url.to_string()),
        Location::File { folder, name } => Some(format!("{} + {name}", folder.display())),
    };
    entries.iter().map(|entry| (entry.path.as_str().to_owned(), location(entry))).collect()
}

#[test]
fn files_are_resolved_by_the_rules() {
    let entries = format!(
        r#""sources": {{"files": ["b/a b.md", {{"path": "./a#1.md", "hash": "{HASH}"}}, {{"url": "https://cdn.example.com/shared/c%20d.md?v=2"}}]}}"#
    );
    let declared = read(&with(&entries), &remote()).unwrap();
    let expected = [
        ("a#1.md", "https://react.dev/context/v18/a%231.md"),
        ("b/a b.md", "https://react.dev/context/v18/b/a%20b.md"),
        ("cdn.example.com/shared/c d.md", "https://cdn.example.com/shared/c%20d.md?v=2"),
    ];
    let expected: Vec<_> = expected.map(|(path, url)| (path.to_owned(), Some(url.to_owned()))).into();
    assert_eq!(files(&declared), expected);
    assert!(!declared.is_sealed());
    // With a `baseUrl`, with and without its slash.
    for base in ["https://raw.example.com/v18/docs", "https://raw.example.com/v18/docs/"] {
        let declared = read(&with(&format!(r#""baseUrl": "{base}", "sources": {{"files": ["x.md"]}}"#)), &remote());
        assert_eq!(files(&declared.unwrap())[0].1.as_deref(), Some("https://raw.example.com/v18/docs/x.md"));
    }
    let declared = read(&with(r#""baseUrl": "../docs", "sources": {"files": ["x.md"]}"#), &remote()).unwrap();
    assert_eq!(files(&declared)[0].1.as_deref(), Some("https://react.dev/context/docs/x.md"));
    // On this machine, and in a bundle, where both kinds of URL are ignored.
    let declared = read(&with(r#""sources": {"files": ["x.md"]}"#), &Base::Folder).unwrap();
    assert_eq!(files(&declared), [("x.md".to_owned(), None)]);
    let text = with(r#""baseUrl": "file:///etc", "sources": {"files": ["x.md", {"url": "ftp://x/y"}]}"#);
    let declared = read(&text, &Base::Bundle).unwrap();
    assert_eq!(files(&declared), [("x.md".to_owned(), None)]);
    assert_eq!(declared.warnings.len(), 1);
}

#[test]
fn a_manifest_on_this_machine_may_name_files_of_it() {
    let text = with(r#""sources": {"files": ["x.md", {"url": "file:///srv/a%20b/c.md"}]}"#);
    let found = files(&read(&text, &Base::Folder).unwrap());
    assert_eq!(found[0], ("srv/a b/c.md".to_owned(), Some("/srv/a b + c.md".to_owned())));
    let text = with(r#""baseUrl": "file:///srv/docs", "sources": {"files": ["a/x.md"]}"#);
    let found = files(&read(&text, &Base::Folder).unwrap());
    assert_eq!(found, [("a/x.md".to_owned(), Some("/srv/docs/ + a/x.md".to_owned()))]);
    let text = with(r#""baseUrl": "file:///srv/docs", "sources": {"glob": ["*.md"]}"#);
    assert_eq!(read(&text, &Base::Folder).unwrap().folder, Some(PathBuf::from("/srv/docs/")));
    assert!(read(&text, &Base::Repository).is_err());
}

#[test]
fn a_package_is_sealed_when_every_file_has_a_hash() {
    let sealed = with(&format!(r#""sources": {{"files": [{{"path": "a", "hash": "{HASH}"}}]}}"#));
    assert!(read(&sealed, &remote()).unwrap().is_sealed());
    assert!(!read(&with(r#""sources": {"glob": ["*.md"]}"#), &Base::Folder).unwrap().is_sealed());
}

#[test]
fn what_is_wrong_is_said_with_line_and_pointer() {
    let file = |entry: &str| with(&format!(r#""sources": {{"files": [{entry}]}}"#));
    let cases: Vec<(String, &str)> = vec![
        ("{".into(), "manifest.json:1:1: Unterminated object"),
        (String::new(), "manifest.json:1:1: the manifest is empty"),
        ("[]".into(), "manifest.json:1:1: the file must hold one object"),
        (r#"{"version": "1"}"#.into(), "manifest.json:1:1: the manifest has no `name`"),
        (r#"{"name": "p", "version": 1}"#.into(), "manifest.json:1:26: /version: `version` must be a string"),
        (r#"{"name": "p", "version": "1"}"#.into(), "manifest.json:1:1: the manifest has no `sources`"),
        (with(r#""sources": {}"#), "manifest.json:4:14: /sources: `sources` has neither `glob` nor `files`"),
        (
            with(r#""sources": {"glob": ["*"], "files": []}"#),
            "manifest.json:4:14: /sources: `sources` has both `glob` and `files`; it takes one",
        ),
        (
            with(r#""sources": {"glob": ["*.md"]}"#),
            "manifest.json:4:23: /sources/glob: a manifest that is fetched can't",
        ),
        (file(r#""ok.md", "../x.md""#), "manifest.json:4:34: /sources/files/1: "),
        (file(r#""/etc/passwd""#), "manifest.json:4:25: /sources/files/0: "),
        (file("3"), "manifest.json:4:25: /sources/files/0: a file is a path, or an object with `path` or `url`"),
        (file("{}"), "manifest.json:4:25: /sources/files/0: the file has neither `path` nor `url`"),
        (
            file(r#"{"path": "a", "url": "https://x/a"}"#),
            "manifest.json:4:25: /sources/files/0: the file has both `path` and `url`; it takes one",
        ),
        (
            file(r#"{"path": "a", "hash": "md5:00"}"#),
            "manifest.json:4:47: /sources/files/0/hash: hash algorithm `md5` is not known here",
        ),
        (
            file(r#"{"path": "a", "hash": "sha256:12"}"#),
            "manifest.json:4:47: /sources/files/0/hash: a sha256 hash has 64 hex digits, not 2",
        ),
        (
            file(r#""a/./b.md", {"path": "a/b.md"}"#),
            "manifest.json:4:37: /sources/files/1: `a/b.md` is listed twice; first as /sources/files/0",
        ),
        (
            file(r#"{"url": "file:///etc/passwd"}"#),
            "manifest.json:4:33: /sources/files/0/url: only a manifest on this machine may name files of it",
        ),
        (
            file(r#"{"url": "http://x/a"}"#),
            "manifest.json:4:33: /sources/files/0/url: a manifest that came over https can't name a file at http",
        ),
        (
            file(r#"{"url": "https://me:secret@x/a"}"#),
            "manifest.json:4:33: /sources/files/0/url: the URL has a user name or password in it",
        ),
        (file(r#"{"url": "a.md"}"#), "manifest.json:4:33: /sources/files/0/url: `url` must be fully qualified"),
        (
            with(r#""baseUrl": "file:///etc/", "sources": {"files": ["passwd"]}"#),
            "manifest.json:4:14: /baseUrl: only a manifest on this machine may name files of it",
        ),
        (
            file(&vec![r#""x""#; 101].join(",")),
            "manifest.json:4:24: /sources/files: 101 files are listed; at most 100 are taken",
        ),
    ];
    for (text, expected) in cases {
        let found = read(&text, &remote()).unwrap_err().to_string();
        assert!(found.starts_with(expected), "{text}\n  expected {expected}\n  found    {found}");
        assert!(!found.contains("secret"), "{found}");
    }
}

#[test]
fn unknown_keys_are_warned_of() {
    let text = with(r#""sorces": 1, "sources": {"files": [{"path": "a", "hsah": "x"}], "globs": []}"#);
    let warnings: Vec<String> = read(&text, &remote()).unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 3);
    assert!(warnings[0].contains("`sorces` is not known and is ignored; did you mean `sources`?"), "{warnings:?}");
}

#[test]
fn a_path_can_not_be_made_to_leave_its_folder_by_escapes() {
    for path in ["%2e%2e/x", "a%2Fb", "..%2f", "a\u{0}b", "C:\\\\x"] {
        let text = with(&format!(r#""sources": {{"files": ["{}"]}}"#, path.replace('\u{0}', "\\u0000")));
        assert!(read(&text, &remote()).is_err(), "{path}");
    }
}
