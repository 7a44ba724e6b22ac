//! Laws that hold whatever the manifests say.

use ai_assist_ecosystem::describe;
use proptest::prelude::*;
use proptest::sample::Index;

use super::fixtures::ALL;
use super::{Project, check};

const WORDS: [&str; 24] = [
    "..", "/", "\\", "\0", "\n", "\"", "'", "'''", "${", "}", "{", "[", "]", "(", ")", "<", ">", "</", "<!--", "&",
    "é", "\u{202e}", ":", "=",
];

#[derive(Debug, Clone)]
enum Change {
    Insert(Index, &'static str),
    Delete(Index, usize),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Change::Insert(at, word)),
        (any::<Index>(), 1..40usize).prop_map(|(at, length)| Change::Delete(at, length)),
        (any::<Index>(), 1..80usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for change in changes {
        if chars.is_empty() {
            break;
        }
        let (at, length) = match change {
            Change::Insert(at, _) => (at.index(chars.len()), 0),
            Change::Delete(at, length) | Change::Repeat(at, length) => (at.index(chars.len()), *length),
        };
        let end = chars.len().min(at + length);
        match change {
            Change::Insert(_, word) => drop(chars.splice(at..at, word.chars())),
            Change::Delete(..) => drop(chars.drain(at..end)),
            Change::Repeat(..) => {
                let again = chars[at..end].to_vec();
                chars.splice(at..at, again);
            }
        }
    }
    chars.into_iter().collect()
}

fn describe_and_check(files: &[(&str, &str)]) {
    let project = Project::new(files);
    check(&project, &describe(&project));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_manifests_never_panic(
        which in any::<Index>(),
        file in any::<Index>(),
        changes in prop::collection::vec(change(), 0..12),
    ) {
        let mut files = which.get(&ALL).to_vec();
        let at = file.index(files.len());
        let text = changed(files[at].1, &changes);
        files[at].1 = &text;
        describe_and_check(&files);
    }

    #[test]
    fn any_text_in_any_manifest_never_panics(
        words in prop::collection::vec(
            prop_oneof![prop::sample::select(&WORDS[..]).prop_map(str::to_owned), "[a-zA-Z.:=# \n-]{0,12}"],
            0..40,
        ),
    ) {
        let text = words.concat();
        let names = ALL.iter().flat_map(|files| files.iter()).map(|(path, _)| *path);
        let mut names: Vec<&str> = names.chain(["README.md", "LICENSE", "MODULE.bazel", "flake.nix", "lerna.json"]).collect();
        names.sort_unstable();
        names.dedup();
        let files: Vec<(&str, &str)> = names.into_iter().map(|path| (path, text.as_str())).collect();
        describe_and_check(&files);
    }

    #[test]
    fn any_paths_never_panic(paths in prop::collection::vec("[a-zA-Z./_é-]{0,30}", 0..20)) {
        let mut paths = paths;
        paths.sort();
        paths.dedup();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        describe_and_check(&files);
    }
}
