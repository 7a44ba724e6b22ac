//! Go modules: the module cache, and vendored ones.

use std::path::Path;

use super::survey::Survey;
use super::{LocalDocs, MAX_MANIFEST};
use crate::Ecosystem;
use crate::names::normal_name;
use crate::root::Root;

pub(super) fn docs(root: Option<&Root>, cache: Option<&Path>, path: &str, version: &str) -> Option<LocalDocs> {
    let fetched = cache.and_then(|cache| Root::open(cache).ok()).and_then(|cache| {
        let folder = cache.folder_inside(format!("{}@{}", escaped(path), escaped(version)))?;
        Survey::of(folder)
    });
    fetched.or_else(|| root.and_then(|root| vendored(root, path, version)))
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
fn vendored(root: &Root, path: &str, version: &str) -> Option<LocalDocs> {
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
    root.folder_inside(format!("vendor/{folder}")).and_then(Survey::of)
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
