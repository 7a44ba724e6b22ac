//! Laws that hold whatever the files say.

use std::fs;
use std::path::{Path, PathBuf};

use ai_assist_ecosystem::{DependencyRef, Homes, dependencies, local_package};
use proptest::prelude::*;
use proptest::sample::Index;

/// Real-looking content with the name it is read under.
const FIXTURES: [(&str, &str); 14] = [
    ("project/Cargo.lock", "Cargo.lock"),
    ("project/package.json", "package.json"),
    ("project/package-lock.json", "package-lock.json"),
    ("project/yarn.lock", "yarn.lock"),
    ("project/pnpm-lock.yaml", "pnpm-lock.yaml"),
    ("project/pyproject.toml", "pyproject.toml"),
    ("project/uv.lock", "uv.lock"),
    ("project/poetry.lock", "poetry.lock"),
    ("project/requirements.txt", "requirements.txt"),
    ("project/go.mod", "go.mod"),
    ("other/package-lock-v1.json", "package-lock.json"),
    ("other/yarn-berry.lock", "yarn.lock"),
    ("other/pnpm-v5.yaml", "pnpm-lock.yaml"),
    ("other/pnpm-v6.yaml", "pnpm-lock.yaml"),
];

/// What hostile content likes to hold.
const WORDS: [&str; 20] = [
    "..", "/", "\\", "\0", "\n", "\"", "'", "@", ":", "{", "}", "[[", "]]", "é", "../../../etc", "==", "node_modules/",
    "99999999999999999999", "(", "- ",
];

#[derive(Debug, Clone)]
enum Change {
    Insert(Index, &'static str),
    Delete(Index, usize),
    Byte(Index, u8),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Change::Insert(at, word)),
        (any::<Index>(), 1..40usize).prop_map(|(at, length)| Change::Delete(at, length)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<Index>(), 1..80usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        match change {
            Change::Insert(at, word) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, word.bytes());
            }
            Change::Delete(at, length) => {
                let at = at.index(bytes.len());
                bytes.drain(at..bytes.len().min(at + length));
            }
            Change::Byte(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Change::Repeat(at, length) => {
                let at = at.index(bytes.len());
                let again = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

/// Whatever was found can be written down and read back, is in order, and its documents lie where they may.
fn check(root: &Path) {
    let found = dependencies(root);
    let keys: Vec<_> = found.dependencies.iter().map(|d| (d.ecosystem, &d.name, &d.version)).collect();
    assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
    let real = root.canonicalize().unwrap();
    for dependency in &found.dependencies {
        let reference = dependency.reference();
        assert_eq!(reference.to_string().parse::<DependencyRef>().as_ref(), Ok(&reference));
        assert!(root.join(&dependency.lock_file).is_file());
        if let Some(docs) = local_package(root, dependency, &Homes::default()) {
            assert!(docs.folder.starts_with(&real), "{docs:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_lock_files_never_panic(
        which in any::<Index>(),
        changes in prop::collection::vec(change(), 0..12),
        whole in any::<bool>(),
    ) {
        let (source, name) = *which.get(&FIXTURES);
        let root = tempfile::tempdir().unwrap();
        if whole {
            for (source, name) in &FIXTURES[..10] {
                fs::write(root.path().join(name), fixture(source)).unwrap();
            }
        }
        let bytes = changed(fixture(source), &changes);
        fs::write(root.path().join(name), bytes).unwrap();
        check(root.path());
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let root = tempfile::tempdir().unwrap();
        for (_, name) in FIXTURES {
            fs::write(root.path().join(name), &bytes).unwrap();
        }
        check(root.path());
    }

    #[test]
    fn random_lines_never_panic(
        words in prop::collection::vec(
            prop_oneof![prop::sample::select(&WORDS[..]).prop_map(str::to_owned), "[a-z@/.:0-9 \n\"'(){}=,\\\\#-]{0,12}"],
            0..60,
        ),
        header in prop::sample::select(vec!["", "# yarn lockfile v1\n", "__metadata:\n", "lockfileVersion: 5.4\npackages:\n  ",
            "lockfileVersion: '9.0'\npackages:\n  ", "require (\n"]),
    ) {
        let text = format!("{header}{}", words.concat());
        let root = tempfile::tempdir().unwrap();
        for (_, name) in FIXTURES {
            fs::write(root.path().join(name), &text).unwrap();
        }
        check(root.path());
    }

    #[test]
    fn any_text_is_a_reference_or_is_refused(text in "(cargo|npm|python|go|x):[@a-zA-Z0-9./_~!+-]{0,20}@v?[0-9a-z.+!-]{0,8}") {
        if let Ok(parsed) = text.parse::<DependencyRef>() {
            prop_assert_eq!(parsed.to_string().parse::<DependencyRef>(), Ok(parsed.clone()));
            prop_assert!(!PathBuf::from(&parsed.name).components().any(|part| part.as_os_str() == ".."));
        }
    }
}
