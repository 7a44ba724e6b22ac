//! The syntax tree of a configuration while it is changed.

use std::path::Path;

use ai_assist_base::nearest;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp};

use super::checks::{self, shown};
use super::error::{Declared, EditError, EditResult};
use crate::project::{CategorySpec, CollectionSpec, Declaration, ProjectConfig};

pub(super) struct Draft<'d> {
    pub(super) object: &'d CstObject,
    /// What it declares before the change.
    pub(super) config: &'d ProjectConfig,
    pub(super) root: &'d Path,
}

impl Draft<'_> {
    pub(super) fn entry(&self, kind: Declared, name: &str) -> EditResult<CstObjectProp> {
        let entries = self.object.object_value(kind.plural());
        entries.and_then(|entries| entries.get(name)).ok_or_else(|| self.not_found(kind, name))
    }

    pub(super) fn fields(&self, kind: Declared, name: &str) -> EditResult<CstObject> {
        Ok(self.entry(kind, name)?.object_value_or_set())
    }

    pub(super) fn not_found(&self, kind: Declared, name: &str) -> EditError {
        let nearest = nearest(name, self.names(kind)).map(str::to_owned);
        EditError::NotFound { kind, name: shown(name), nearest }
    }

    /// What is declared before the change.
    fn names(&self, kind: Declared) -> Vec<&str> {
        match kind {
            Declared::Collection => self.config.collections.iter().map(|(name, _)| name.as_str()).collect(),
            Declared::Category => self.config.categories.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }

    pub(super) fn check_free(&self, kind: Declared, name: &str) -> EditResult<()> {
        let taken = self.names(kind).contains(&name);
        if taken { Err(EditError::AlreadyExists { kind, name: name.to_owned() }) } else { Ok(()) }
    }

    pub(super) fn append(&self, kind: Declared, name: &str, value: CstInputValue) {
        let entries = self.object.object_value_or_set(kind.plural());
        entries.append(name, value);
        entries.ensure_multiline();
    }

    /// Gives an entry another name, in its place, and says which. The new name has passed the rule, so it needs no escapes.
    pub(super) fn rename<'n>(&self, kind: Declared, name: &str, new: Option<&'n str>) -> EditResult<Option<&'n str>> {
        let Some(new_name) = new.filter(|new_name| *new_name != name) else { return Ok(None) };
        checks::name(kind, new_name)?;
        if self.names(kind).contains(&new_name) {
            return Err(EditError::NameConflict { kind, name: new_name.to_owned() });
        }
        let entry = self.entry(kind, name)?;
        if let Some(literal) = entry.name().and_then(|name| name.as_string_lit()) {
            literal.set_raw_value(format!("\"{new_name}\""));
        }
        Ok(Some(new_name))
    }
}

/// A value as it is written into a file.
pub(super) fn input_value(value: &serde_json::Value) -> CstInputValue {
    match value {
        serde_json::Value::Null => CstInputValue::Null,
        serde_json::Value::Bool(value) => CstInputValue::Bool(*value),
        serde_json::Value::Number(number) => CstInputValue::Number(number.to_string()),
        serde_json::Value::String(text) => text.as_str().into(),
        serde_json::Value::Array(values) => CstInputValue::Array(values.iter().map(input_value).collect()),
        serde_json::Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input_value(value))).collect())
        }
    }
}

/// Sets a field to a text, or takes it out.
pub(super) fn set_text(fields: &CstObject, key: &str, value: Option<&str>) {
    match (fields.get(key), value) {
        (Some(property), Some(value)) => {
            if text_of(property.value()).as_deref() != Some(value) {
                property.set_value(value.into());
            }
        }
        (Some(property), None) => property.remove(),
        (None, Some(value)) => {
            fields.append(key, value.into());
        }
        (None, None) => {}
    }
}

/// Sets a field to a list of texts. What stays in it stays where it is, with the comments beside it.
pub(super) fn set_list(fields: &CstObject, key: &str, values: &[String]) {
    let Some(array) = fields.get(key).and_then(|property| property.array_value()) else {
        if !values.is_empty() {
            fields.append(key, list(values));
        }
        return;
    };
    let elements = array.elements();
    let texts: Vec<Option<String>> = elements.iter().map(|element| text_of(Some(element.clone()))).collect();
    let is_kept = |text: &Option<String>| text.as_ref().is_some_and(|text| values.contains(text));
    let kept: Vec<&String> = texts.iter().filter(|text| is_kept(text)).flatten().collect();
    let (first, added) = values.split_at(kept.len().min(values.len()));
    if !first.iter().eq(kept.iter().copied()) {
        if let Some(property) = fields.get(key) {
            property.set_value(list(values));
        }
        return;
    }
    for (element, _) in elements.into_iter().zip(&texts).filter(|(_, text)| !is_kept(text)) {
        element.remove();
    }
    for value in added {
        array.append(value.as_str().into());
    }
}

/// Replaces a text in a list, in its place. The new one is a name that has passed the rule, so it needs no escapes.
pub(super) fn rename_in_list(fields: &CstObject, key: &str, name: &str, new_name: &str) {
    let elements = fields.get(key).and_then(|property| property.array_value()).map(|array| array.elements());
    for element in elements.unwrap_or_default() {
        if let Some(literal) = element.as_string_lit()
            && literal.decoded_value().as_deref() == Ok(name)
        {
            literal.set_raw_value(format!("\"{new_name}\""));
        }
    }
}

fn text_of(node: Option<CstNode>) -> Option<String> {
    node?.as_string_lit()?.decoded_value().ok()
}

fn list(values: &[String]) -> CstInputValue {
    CstInputValue::Array(values.iter().map(|value| value.as_str().into()).collect())
}

/// The fields of a source, in the order in which they are written; those it does not have are to be taken out.
pub(super) fn source_fields(source: Option<&CollectionSpec>) -> Vec<(&'static str, Option<&str>)> {
    let (path, glob, url, package, hash) = match source {
        Some(CollectionSpec::File { path, glob, .. }) => (Some(path.as_str()), Some(glob.as_str()), None, None, None),
        Some(CollectionSpec::Pkg { url, hash, package, .. }) => {
            (None, None, Some(url.as_str()), package.as_deref(), hash.as_deref())
        }
        Some(CollectionSpec::Site { url, .. }) => (None, None, Some(url.as_str()), None, None),
        Some(CollectionSpec::Dep { .. }) | None => (None, None, None, None, None),
    };
    vec![
        ("type", source.map(|source| source.kind().as_str())),
        ("path", path),
        ("glob", glob),
        ("url", url),
        ("package", package),
        ("hash", hash),
        ("dependency", source.and_then(CollectionSpec::dependency)),
    ]
}

/// Writes what only a source of dependencies has, or takes it out.
pub(super) fn set_chosen(fields: &CstObject, source: &CollectionSpec) {
    let (names, transitive) = match source {
        CollectionSpec::Dep { dependencies, transitive } => (dependencies.as_slice(), *transitive),
        _ => (&[][..], false),
    };
    match fields.get("dependencies") {
        Some(property) if names.is_empty() => property.remove(),
        _ => set_list(fields, "dependencies", names),
    }
    match (fields.get("transitive"), transitive) {
        (Some(property), true) => property.set_value(CstInputValue::Bool(true)),
        (Some(property), false) => property.remove(),
        (None, true) => drop(fields.append("transitive", CstInputValue::Bool(true))),
        (None, false) => {}
    }
}

/// The fields that only sources of the web have; those without a value are to be taken out.
pub(super) fn web_fields(source: Option<&CollectionSpec>) -> Vec<(&'static str, Option<CstInputValue>)> {
    let number = |number: &Option<usize>| number.map(|number| CstInputValue::Number(number.to_string()));
    let patterns = |patterns: &[String]| (!patterns.is_empty()).then(|| list(patterns));
    let [include, exclude, pages, depth] = match source {
        Some(CollectionSpec::Site { include, exclude, max_pages, max_depth, .. }) => {
            [patterns(include), patterns(exclude), number(max_pages), number(max_depth)]
        }
        _ => [const { None }; 4],
    };
    let public = source.is_some_and(CollectionSpec::is_public).then_some(CstInputValue::Bool(true));
    vec![("include", include), ("exclude", exclude), ("maxPages", pages), ("maxDepth", depth), ("public", public)]
}

pub(super) fn collection_value(declaration: &Declaration) -> CstInputValue {
    let mut fields: Vec<(String, CstInputValue)> = Vec::new();
    let mut push = |key: &str, value: Option<CstInputValue>| fields.extend(value.map(|value| (key.to_owned(), value)));
    for (key, value) in source_fields(declaration.source.as_ref()) {
        push(key, value.map(CstInputValue::from));
    }
    if let Some(CollectionSpec::Dep { dependencies, transitive }) = &declaration.source {
        push("dependencies", (!dependencies.is_empty()).then(|| list(dependencies)));
        push("transitive", transitive.then_some(CstInputValue::Bool(true)));
    }
    for (key, value) in web_fields(declaration.source.as_ref()) {
        push(key, value);
    }
    push("description", declaration.description.as_deref().map(CstInputValue::from));
    if declaration.source.is_none() || !declaration.categories.is_empty() {
        push("categories", Some(list(&declaration.categories)));
    }
    CstInputValue::Object(fields)
}

pub(super) fn category_value(category: &CategorySpec) -> CstInputValue {
    let mut fields = vec![
        ("dir".to_owned(), CstInputValue::from(category.dir.as_str())),
        ("patterns".to_owned(), list(&category.patterns)),
    ];
    let description = category.description.as_deref();
    fields.extend(description.map(|text| ("description".to_owned(), CstInputValue::from(text))));
    CstInputValue::Object(fields)
}

/// A list without the repeats.
pub(super) fn each_once<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if !once.contains(name) {
            once.push(name.clone());
        }
    }
    once
}

/// A list without some names, and then with others.
pub(super) fn changed(list: &[String], remove: &[String], add: &[String]) -> Vec<String> {
    each_once(list.iter().filter(|name| !remove.contains(name)).chain(add))
}

/// An empty description is none.
pub(super) fn some_text(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
