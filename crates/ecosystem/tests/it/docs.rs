//! Documents on this machine, in homes made for the test.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use ai_assist_admit::{Globs, Limits, Selection, walk};
use ai_assist_base::Cancel;
use ai_assist_ecosystem::{Dependency, Ecosystem, Homes, LocalPackage, dependencies, local_package};
use tempfile::TempDir;

use crate::{dependency, write};

/// A project and the homes beside it.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        write(folder.path(), files);
        Machine { folder }
    }

    fn path(&self, relative: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    fn docs_of(&self, dependency: &Dependency) -> Option<LocalPackage> {
        let homes = Homes {
            cargo: Some(self.path("cargo")),
            go_mod_cache: Some(self.path("go/pkg/mod")),
            virtual_env: Some(self.path("env")),
            ..Homes::default()
        };
        local_package(&self.path("project"), dependency, &homes).filter(|found| found.bytes > 0)
    }

    fn docs(&self, reference: &str) -> Option<LocalPackage> {
        self.docs_of(&dependency(reference, "package-lock.json"))
    }

    /// The folder relative to the machine, the glob, and what the glob selects, which must be what was counted.
    fn found(&self, reference: &str) -> Option<(String, String, Vec<String>)> {
        let docs = self.docs(reference)?;
        let folder = docs.folder.strip_prefix(self.path("")).unwrap().display().to_string();
        let selected = selected(&docs);
        assert_eq!(selected.len(), docs.files, "{docs:?}");
        let bytes: u64 = selected.iter().map(|path| fs::metadata(docs.folder.join(path)).unwrap().len()).sum();
        assert_eq!(bytes, docs.bytes, "{docs:?}");
        Some((folder, docs.docs.join(","), selected))
    }
}

/// What a collection made from the documents would hold.
fn selected(docs: &LocalPackage) -> Vec<String> {
    let selection = Selection::new(&docs.folder, Globs::new(&docs.docs).unwrap(), Limits::default());
    let walked = walk(&selection, &Cancel::default(), &|_| ()).unwrap();
    walked.candidates.iter().map(|candidate| candidate.path().to_string()).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn crates_are_found_in_the_sources_of_registries() {
    let machine = Machine::new(&[
        ("cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.200/README.md", "serde"),
        ("cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.200/CHANGELOG.md", "changes"),
        ("cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.200/src/lib.rs", "code"),
        ("cargo/registry/src/index.crates.io-6f17d22bba15001f/bare-1.0.0/src/lib.rs", "code"),
        ("cargo/registry/src/index.crates.io-6f17d22bba15001f/empty-1.0.0/README.md", ""),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/README", "big"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/README.ja.md", "big"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/README.png", "picture"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/docs/a.md", "a"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/docs/deep/er/b.rst", "b"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/docs/picture.svg", "c"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/docs/.hidden/d.md", "d"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/docs/.e.md", "e"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/Doc/f.adoc", "f"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/guide/g.mdx", "g"),
        ("cargo/registry/src/mirror-0/big-2.0.0+meta/guide/h.txt", "h"),
    ]);
    let (folder, glob, _) = machine.found("cargo:serde@1.0.200").unwrap();
    assert_eq!(folder, "cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.200");
    assert_eq!(glob, "CHANGELOG.md,README.md");
    let (_, glob, selected) = machine.found("cargo:big@2.0.0+meta").unwrap();
    let endings = "**/*.{md,mdx,rst,txt,adoc}";
    assert_eq!(glob, format!("Doc/{endings},README,README.ja.md,docs/{endings},guide/{endings}"));
    let expected =
        ["Doc/f.adoc", "README", "README.ja.md", "docs/a.md", "docs/deep/er/b.rst", "guide/g.mdx", "guide/h.txt"];
    assert_eq!(selected, expected);
    for none in ["cargo:serde@1.0.201", "cargo:bare@1.0.0", "cargo:empty@1.0.0", "cargo:gone@1.0.0"] {
        assert_eq!(machine.docs(none), None, "{none}");
    }
}

#[test]
fn vendored_crates_must_say_their_version() {
    let machine = Machine::new(&[
        ("project/vendor/one/Cargo.toml", "[package]\nname = \"one\"\nversion = \"1.0.0\"\n"),
        ("project/vendor/one/README.md", "one"),
        ("project/vendor/two/Cargo.toml", "[package]\nname = \"two\"\nversion = \"2.1.0\"\n"),
        ("project/vendor/two/README.md", "two"),
        ("project/vendor/two-2.0.0/Cargo.toml", "[package]\nname = \"two\"\nversion = \"2.0.0\"\n"),
        ("project/vendor/two-2.0.0/README.md", "two, older"),
        ("project/vendor/three/Cargo.toml", "[package]\nname = \"three\"\nversion.workspace = true\n"),
        ("project/vendor/three/README.md", "three"),
    ]);
    assert_eq!(machine.found("cargo:one@1.0.0").unwrap().0, "project/vendor/one");
    assert_eq!(machine.found("cargo:two@2.1.0").unwrap().0, "project/vendor/two");
    assert_eq!(machine.found("cargo:two@2.0.0").unwrap().0, "project/vendor/two-2.0.0");
    assert_eq!(machine.docs("cargo:one@1.0.1"), None);
    assert_eq!(machine.docs("cargo:three@1.0.0"), None);
}

#[test]
fn node_modules_are_found_at_the_top_and_deeper() {
    let lock = r#"{ "lockfileVersion": 3, "packages": {
        "": { "dependencies": { "@types/node": "*" } },
        "node_modules/@types/node": { "version": "20.1.0" },
        "node_modules/chalk": { "version": "4.0.0" },
        "node_modules/old/node_modules/chalk": { "version": "2.0.0" },
        "node_modules/alias": { "name": "real", "version": "1.0.0" },
        "node_modules/x/../../../outside/node_modules/evil": { "version": "1.0.0" } } }"#;
    let machine = Machine::new(&[
        ("project/package-lock.json", lock),
        ("project/node_modules/@types/node/package.json", r#"{ "name": "@types/node", "version": "20.1.0" }"#),
        ("project/node_modules/@types/node/README.md", "node"),
        ("project/node_modules/chalk/package.json", r#"{ "name": "chalk", "version": "4.0.0" }"#),
        ("project/node_modules/chalk/readme.md", "chalk"),
        ("project/node_modules/old/node_modules/chalk/package.json", r#"{ "name": "chalk", "version": "2.0.0" }"#),
        ("project/node_modules/old/node_modules/chalk/readme.md", "older"),
        ("project/node_modules/alias/package.json", r#"{ "name": "real", "version": "1.0.0" }"#),
        ("project/node_modules/alias/README.md", "real"),
        ("project/node_modules/x/package.json", "{}"),
        ("outside/node_modules/evil/package.json", r#"{ "name": "evil", "version": "1.0.0" }"#),
        ("outside/node_modules/evil/README.md", "evil"),
    ]);
    assert_eq!(machine.found("npm:@types/node@20.1.0").unwrap().0, "project/node_modules/@types/node");
    assert_eq!(machine.found("npm:chalk@4.0.0").unwrap().0, "project/node_modules/chalk");
    assert_eq!(machine.found("npm:chalk@2.0.0").unwrap().0, "project/node_modules/old/node_modules/chalk");
    assert_eq!(machine.found("npm:real@1.0.0").unwrap().0, "project/node_modules/alias");
    assert_eq!(machine.docs("npm:chalk@3.0.0"), None);
    assert_eq!(machine.docs("npm:evil@1.0.0"), None);
    // Every dependency that is listed and installed is found.
    let listed = dependencies(&machine.path("project")).dependencies;
    let found = listed.iter().filter(|dependency| machine.docs_of(dependency).is_some()).count();
    assert_eq!((listed.len(), found), (5, 4));
}

#[test]
fn the_store_of_pnpm_is_searched() {
    let store = "project/node_modules/.pnpm/@a+b@1.0.0_react@18.2.0/node_modules/@a/b";
    let machine = Machine::new(&[
        (&format!("{store}/package.json"), r#"{ "name": "@a/b", "version": "1.0.0" }"#),
        (&format!("{store}/README.md"), "b"),
        ("project/node_modules/.pnpm/@a+b@1.0.01/node_modules/@a/b/package.json", "{}"),
        ("project/node_modules/.pnpm/c@2.0.0/node_modules/c/package.json", r#"{ "version": "2.0.0" }"#),
        ("project/node_modules/.pnpm/c@2.0.0/node_modules/c/README.md", "c"),
    ]);
    symlink(".pnpm/c@2.0.0/node_modules/c", machine.path("project/node_modules/c")).unwrap();
    assert_eq!(machine.found("npm:@a/b@1.0.0").unwrap().0, store);
    assert_eq!(machine.found("npm:c@2.0.0").unwrap().0, "project/node_modules/.pnpm/c@2.0.0/node_modules/c");
}

const METADATA: &str = "Metadata-Version: 2.1\nName: x\nDescription-Content-Type: text/markdown\n\n# Read me\n";

#[test]
fn python_metadata_holds_the_readme() {
    let site = "project/.venv/lib/python3.12/site-packages";
    let machine = Machine::new(&[
        // As uv makes it.
        ("project/.venv/.gitignore", "*"),
        (&format!("{site}/requests-2.31.0.dist-info/METADATA"), METADATA),
        (&format!("{site}/Foo.Bar_baz-1.0.dist-info/METADATA"), METADATA),
        (
            &format!("{site}/Foo.Bar_baz-1.0.dist-info/RECORD"),
            "foobar/__init__.py,sha256=x,1\nfoobar/docs/a.md,,\n\
          ../../evil/__init__.py,,\n/etc/__init__.py,,\nshared/sub/__init__.py,,\n",
        ),
        (&format!("{site}/foobar/docs/a.md"), "a"),
        (&format!("{site}/foobar/README.rst"), "b"),
        (&format!("{site}/shared/docs/c.md"), "c"),
        (&format!("{site}/bare-1.0.dist-info/METADATA"), "Metadata-Version: 2.1\nName: bare\n\n \n"),
        (&format!("{site}/old-1.0.dist-info/METADATA"), "Name: old\nDescription: A long one.\n        More.\n"),
        ("env/lib/python3.11/site-packages/given-3.0.dist-info/METADATA", METADATA),
        ("project/venv/Lib/site-packages/windows-1.0.dist-info/METADATA", METADATA),
        ("project/evil/docs/x.md", "x"),
    ]);
    let (folder, glob, _) = machine.found("python:requests@2.31.0").unwrap();
    assert_eq!((folder.as_str(), glob.as_str()), (site, "requests-2.31.0.dist-info/METADATA"));
    let (_, _, selected) = machine.found("python:foo-bar-baz@1.0.0").unwrap();
    assert_eq!(selected, strings(&["Foo.Bar_baz-1.0.dist-info/METADATA", "foobar/README.rst", "foobar/docs/a.md"]));
    assert!(machine.found("python:old@1.0").is_some());
    assert_eq!(machine.found("python:given@3.0").unwrap().0, "env/lib/python3.11/site-packages");
    assert!(machine.found("python:windows@1.0").is_some());
    for none in ["python:bare@1.0", "python:requests@2.31.1", "python:gone@1"] {
        assert_eq!(machine.docs(none), None, "{none}");
    }
}

#[test]
fn go_modules_are_found_in_the_cache_and_vendored() {
    let modules = "# github.com/Old/name v1.0.0 => github.com/new/name v1.1.0\n## explicit\ngithub.com/Old/name/pkg\n\
                   # golang.org/x/net v0.17.0\n## explicit; go 1.17\n# ../../../etc v1.0.0 => example.com/evil v1.0.0\n";
    let machine = Machine::new(&[
        ("go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/README.md", "toml"),
        ("project/vendor/modules.txt", modules),
        ("project/vendor/github.com/Old/name/README.md", "name"),
        ("project/vendor/golang.org/x/net/README.md", "net"),
    ]);
    let (folder, _, _) = machine.found("go:github.com/BurntSushi/toml@v1.3.2").unwrap();
    assert_eq!(folder, "go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2");
    assert_eq!(machine.found("go:golang.org/x/net@v0.17.0").unwrap().0, "project/vendor/golang.org/x/net");
    assert_eq!(machine.found("go:github.com/new/name@v1.1.0").unwrap().0, "project/vendor/github.com/Old/name");
    for none in ["go:golang.org/x/net@v0.18.0", "go:github.com/Old/name@v1.0.0", "go:example.com/evil@v1.0.0"] {
        assert_eq!(machine.docs(none), None, "{none}");
    }
}

#[test]
fn symlinks_never_lead_out() {
    let machine = Machine::new(&[
        ("outside/package.json", r#"{ "name": "evil", "version": "1.0.0" }"#),
        ("outside/Cargo.toml", "[package]\nname = \"evil\"\nversion = \"1.0.0\"\n"),
        ("outside/README.md", "private"),
        ("outside/lib/python3.12/site-packages/evil-1.0.0.dist-info/METADATA", METADATA),
        ("project/node_modules/half/package.json", r#"{ "name": "half", "version": "1.0.0" }"#),
        ("project/vendor/modules.txt", "# evil v1.0.0\n"),
        ("project/venv/lib/python3.12/site-packages/x", ""),
        ("cargo/registry/src/r/x", ""),
        ("go/pkg/mod/x", ""),
    ]);
    let outside = machine.path("outside");
    for link in [
        "project/node_modules/evil",
        "project/vendor/evil",
        "project/.venv",
        "project/node_modules/half/docs",
        "cargo/registry/src/r/evil-1.0.0",
        "go/pkg/mod/evil@v1.0.0",
    ] {
        symlink(&outside, machine.path(link)).unwrap();
    }
    symlink(outside.join("README.md"), machine.path("project/node_modules/half/README.md")).unwrap();
    let site = "lib/python3.12/site-packages/evil-1.0.0.dist-info";
    symlink(outside.join(site), machine.path("project/venv").join(site)).unwrap();
    for none in ["npm:evil@1.0.0", "npm:half@1.0.0", "cargo:evil@1.0.0", "go:evil@v1.0.0", "python:evil@1.0.0"] {
        assert_eq!(machine.docs(none), None, "{none}");
    }
}

#[test]
fn names_that_are_none_are_not_looked_for() {
    let machine = Machine::new(&[
        ("README.md", "above"),
        ("project/README.md", "project"),
        ("project/package.json", r#"{ "version": "1.0.0" }"#),
        ("cargo/registry/src/r/x-1.0.0/README.md", "x"),
        ("cargo/registry/src/README.md", "x"),
    ]);
    for ecosystem in Ecosystem::ALL {
        for (name, version) in
            [("..", "1.0.0"), ("../..", "1.0.0"), ("/", "1.0.0"), ("x", "1.0.0/.."), ("", ""), ("a\0", "1")]
        {
            let hostile = Dependency {
                ecosystem,
                name: name.to_owned(),
                version: version.to_owned(),
                direct: true,
                lock_file: "../../etc/passwd".into(),
            };
            assert_eq!(machine.docs_of(&hostile), None, "{hostile:?}");
        }
    }
    assert!(machine.docs("cargo:x@1.0.0").is_some());
    let nowhere =
        local_package(Path::new("/nonexistent"), &dependency("cargo:x@1.0.0", "Cargo.lock"), &Homes::default());
    assert_eq!(nowhere, None);
}

/// With what Cargo fetched to build this very test, where it is kept in the usual place.
#[test]
fn a_real_registry_has_documents() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(cargo) =
        option_env!("CARGO_HOME").map(Into::into).or_else(|| std::env::home_dir().map(|h| h.join(".cargo")))
    else {
        return;
    };
    if !cargo.join("registry/src").is_dir() {
        return;
    }
    let homes = Homes { cargo: Some(cargo), ..Homes::default() };
    let found = dependencies(&workspace).dependencies;
    let serde_json = found.iter().find(|dependency| dependency.name == "serde_json").unwrap();
    let docs = local_package(&workspace, serde_json, &homes).unwrap();
    assert!(docs.folder.ends_with(format!("serde_json-{}", serde_json.version)));
    assert_eq!(selected(&docs).len(), docs.files);
    assert!(docs.bytes > 1000, "{docs:?}");
}
