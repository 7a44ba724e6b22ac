//! Go modules: the module cache, and vendored ones.

use std::path::{Path, PathBuf};

use super::survey::Survey;
use super::{LocalPackage, MAX_MANIFEST, globs};
use crate::Ecosystem;
use crate::names::normal_name;
use crate::root::Root;

const API: [&str; 4] = [
    "**/*.go",
    "!**/*_test.go",
    "!**/{internal,testdata,vendor,cmd}/**",
    "!**/{example,examples,_example,_examples}/**",
];

/// In Go, examples of how a package is used are tests beside it.
const EXAMPLES: [&str; 3] =
    ["**/example*_test.go", "{example,examples,_example,_examples}/**/*.go", "!**/{internal,testdata,vendor}/**"];

pub(super) fn package(root: Option<&Root>, cache: Option<&Path>, path: &str, version: &str) -> Option<LocalPackage> {
    let fetched = cache.and_then(|cache| Root::open(cache).ok()).and_then(|cache| {
        let folder = cache.folder_inside(format!("{}@{}", escaped(path), escaped(version)))?;
        Some(described(folder))
    });
    fetched.or_else(|| root.and_then(|root| vendored(root, path, version)))
}

fn described(folder: PathBuf) -> LocalPackage {
    LocalPackage { api: globs(&API), examples: globs(&EXAMPLES), ..Survey::of(folder) }
}

/// A capital is written as `!` and the small letter, for file systems that don't tell them apart.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

/// `vendor/<path>`, if `vendor/modules.txt` says that it holds this version.
fn vendored(root: &Root, path: &str, version: &str) -> Option<LocalPackage> {
    let modules = root.read_up_to("vendor/modules.txt", MAX_MANIFEST).ok()??;
    let folder = modules.lines().filter_map(|line| line.strip_prefix("# ")).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [own, its] if (*own, *its) == (path, version) => Some(*own),
            // A replacement lies where the module it stands in for would.
            [own, .., "=>", new, its] if (*new, *its) == (path, version) => Some(*own),
            _ => None,
        }
    })?;
    let folder = normal_name(Ecosystem::Go, folder)?;
    root.folder_inside(format!("vendor/{folder}")).map(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_escaped() {
        assert_eq!(escaped("github.com/BurntSushi/toml"), "github.com/!burnt!sushi/toml");
        assert_eq!(escaped("v1.0.0-RC1"), "v1.0.0-!r!c1");
    }
}
