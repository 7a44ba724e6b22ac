//! What may be written into a configuration.

use std::path::Path;

use ai_assist_base::RealPath;

use super::error::{Declared, EditError, EditResult};
use crate::patterns::{broken_dir, broken_rule, check_patterns};
use crate::{CategorySpec, ProjectConfig, Resolved};

/// A description has at most so many characters.
pub const MAX_DESCRIPTION: usize = 500;

/// A configuration has at most so many collections, and as many categories.
pub const MAX_ENTRIES: usize = 1000;

/// A message shows so many characters of a name.
const MAX_SHOWN: usize = 80;

pub(super) fn name(kind: Declared, name: &str) -> EditResult<()> {
    match broken_rule(name) {
        Some(why) => Err(EditError::InvalidName { kind, name: shown(name), why }),
        None => Ok(()),
    }
}

pub(super) fn description(text: Option<&str>) -> EditResult<()> {
    let text = text.unwrap_or_default();
    let length = text.chars().count();
    if length > MAX_DESCRIPTION {
        return Err(EditError::DescriptionTooLong { length, limit: MAX_DESCRIPTION });
    }
    match text.chars().find(|c| matches!(c, '\'' | '"') || c.is_control()) {
        Some(c) if c.is_control() => Err(EditError::InvalidCharacters { what: format!("U+{:04X}", u32::from(c)) }),
        Some(c) => Err(EditError::InvalidCharacters { what: format!("`{c}`") }),
        None => Ok(()),
    }
}

pub(super) fn category(category: &CategorySpec, root: &Path) -> EditResult<()> {
    let dir = |why: String| EditError::Invalid {
        field: "dir",
        why,
        expected: "a folder inside the project, relative to its root, such as `docs/guide`",
    };
    if let Some(why) = broken_dir(&category.dir) {
        return Err(dir(format!("it {why}")));
    }
    check_patterns(&category.patterns).map_err(|(_, why)| EditError::Invalid {
        field: "patterns",
        why,
        expected: "a list of globs relative to `dir`, such as `**/*.md`",
    })?;
    let root = root.real_path().unwrap_or_else(|_| root.to_owned());
    Resolved::category(category, &root).map_err(|error| dir(ai_assist_base::chain(&error)))?;
    description(category.description.as_deref())
}

/// A list longer than a configuration can be is not looked at.
pub(super) fn length(field: &'static str, list: &[String]) -> EditResult<()> {
    if list.len() <= MAX_ENTRIES {
        return Ok(());
    }
    let why = format!("it has {} entries", list.len());
    Err(EditError::Invalid { field, why, expected: "a list of at most 1000 entries" })
}

/// The categories of a list that are not declared are named all at once.
pub(super) fn known<'n>(config: &ProjectConfig, names: impl Iterator<Item = &'n String>) -> EditResult<()> {
    let mut missing: Vec<String> = Vec::new();
    for name in names.filter(|name| config.category(name).is_none()) {
        if !missing.contains(&shown(name)) {
            missing.push(shown(name));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let known = config.categories.iter().map(|(name, _)| name.clone()).collect();
    Err(EditError::CategoryNotFound { missing, known })
}

/// A name that may be anything, short enough for a message.
pub(super) fn shown(name: &str) -> String {
    match name.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Whether a configuration has grown beyond what one is for.
pub(super) fn sizes(before: &ProjectConfig, after: &ProjectConfig) -> EditResult<()> {
    let lists = [
        ("collections", before.collections.len(), after.collections.len()),
        ("categories", before.categories.len(), after.categories.len()),
    ];
    match lists.into_iter().find(|(_, before, after)| *after > MAX_ENTRIES && after > before) {
        Some((field, before, _)) => Err(EditError::Invalid {
            field,
            why: format!("there are {before}, and at most {MAX_ENTRIES} are allowed"),
            expected: "at most 1000 entries; remove some first",
        }),
        None => Ok(()),
    }
}
