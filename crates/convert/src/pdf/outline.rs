//! The bookmarks of a file, which name its headings and their levels.

use std::collections::HashSet;

use super::content::text_string;
use super::file::File;
use super::object::Object;

const MAX_TITLES: usize = 20_000;

/// Levels, counted from one, and titles.
pub(super) fn read(file: &File) -> Vec<(usize, String)> {
    let mut titles = Vec::new();
    let Some(catalog) = file.catalog() else { return titles };
    let outlines = file.resolve(catalog.dict().map_or(&Object::Null, |dict| dict.get("Outlines")));
    let mut stack: Vec<(usize, Object)> =
        outlines.dict().map(|dict| (1, dict.get("First").clone())).into_iter().collect();
    let mut seen = HashSet::new();
    while let Some((level, item)) = stack.pop() {
        let Object::Ref(number) = item else { continue };
        if !seen.insert(number) || titles.len() >= MAX_TITLES {
            continue;
        }
        let object = file.object(number);
        let Some(dict) = object.dict() else { continue };
        if let Some(title) = file.resolve(dict.get("Title")).bytes().and_then(text_string) {
            titles.push((level.min(6), title));
        }
        stack.push((level, dict.get("Next").clone()));
        stack.push((level + 1, dict.get("First").clone()));
    }
    titles
}
