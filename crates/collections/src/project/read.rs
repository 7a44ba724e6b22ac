//! Reading the text of `context.json`, with the place of everything that is wrong.

use std::path::Path;

use ai_assist_ecosystem::PackageName;
use ai_assist_fetch::site::Scope;
use ai_assist_identity::{BadDigest, Sha256};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};

use super::{CategorySpec, CollectionSpec, Declaration, ProjectConfig, default_glob};
use crate::patterns::{broken_dir, broken_rule, check_patterns};
use crate::{Layer, Origin, Result};
use ai_assist_base::json::{JsonFile, Warning};

pub(crate) fn parse(file: &Path, text: &str, warnings: &mut Vec<Warning>) -> Result<ProjectConfig> {
    let name = file.display().to_string();
    let json = JsonFile::new(&name, text);
    let mut config = ProjectConfig::default();
    let Some(object) = json.object()? else { return Ok(config) };
    json.unknown_keys(&object, &["$schema", "collections", "categories", "settings"], warnings);
    let reader = Reader { json: &json };
    let mut named = Vec::new();
    for property in reader.entries(&object, "collections", "collection", warnings)? {
        let declaration = reader.collection(property, &mut named, warnings)?;
        config.collections.push((property.name.as_str().to_owned(), declaration));
    }
    for property in reader.entries(&object, "categories", "category", warnings)? {
        config.categories.push((property.name.as_str().to_owned(), reader.category(property, warnings)?));
    }
    for (category, range) in named {
        if config.category(&category).is_none() {
            warnings.push(json.warning(range, format!("there is no category `{category}`")));
        }
    }
    if let Some(property) = object.get("settings") {
        config.settings = Layer::read(&json, &property.value, &Origin::Project(file.to_owned()), warnings)?;
    }
    Ok(config)
}

struct Reader<'r, 't> {
    json: &'r JsonFile<'t>,
}

impl Reader<'_, '_> {
    /// The entries of an object of name → entry, each name once.
    fn entries<'o>(
        &self,
        object: &'o Object<'_>,
        key: &str,
        kind: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<&'o ObjectProp<'o>>> {
        let Some(property) = object.get(key) else { return Ok(Vec::new()) };
        let Value::Object(entries) = &property.value else {
            let message = format!("`{key}` must be an object of name → {kind}");
            return Err(self.json.error(property.value.range(), message).into());
        };
        let mut names = std::collections::BTreeSet::new();
        for property in &entries.properties {
            let name = property.name.as_str();
            if !names.insert(name) {
                return Err(self.json.error(property.range, format!("the {kind} `{name}` is declared twice")).into());
            }
            if let Some(why) = broken_rule(name) {
                warnings.push(self.json.warning(property.range, format!("the name `{name}` is unusual: {why}")));
            }
        }
        Ok(entries.properties.iter().collect())
    }

    /// Reads a collection, and notes where it names which category.
    fn collection(
        &self,
        property: &ObjectProp<'_>,
        named: &mut Vec<(String, Range)>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Declaration> {
        let name = property.name.as_str();
        let Value::Object(object) = &property.value else {
            let message = format!("the collection `{name}` must be an object");
            return Err(self.json.error(property.value.range(), message).into());
        };
        let source = self.source(name, object, warnings)?;
        let categories = match object.get("categories") {
            Some(property) => self.strings(property, warnings)?,
            None => Vec::new(),
        };
        named.extend(categories.iter().cloned());
        Ok(Declaration {
            source,
            categories: categories.into_iter().map(|(category, _)| category).collect(),
            description: self.optional(object, "description")?.filter(|text| !text.is_empty()),
        })
    }

    fn source(&self, name: &str, object: &Object<'_>, warnings: &mut Vec<Warning>) -> Result<Option<CollectionSpec>> {
        let known = |keys: &[&'static str], warnings: &mut Vec<Warning>| {
            let keys: Vec<&str> = keys.iter().copied().chain(["categories", "description"]).collect();
            self.json.unknown_keys(object, &keys, warnings);
        };
        match self.optional(object, "type")?.as_deref() {
            Some("file") => {
                known(&["type", "path", "glob", "dependency"], warnings);
                self.files(name, object).map(Some)
            }
            Some("pkg") => {
                known(&["type", "url", "hash", "package", "dependency"], warnings);
                self.package(name, object).map(Some)
            }
            Some("dep") => {
                known(&["type", "dependencies", "transitive"], warnings);
                self.dependencies(object, warnings).map(Some)
            }
            Some("site") => {
                known(&["type", "url", "include", "exclude", "maxPages", "maxDepth"], warnings);
                self.site(name, object, warnings).map(Some)
            }
            Some(other) => {
                let types = "the types are `file`, `pkg`, `site` and `dep`";
                let message = format!("`{other}` is not a type of collection; {types}");
                Err(self.json.error(value_of(object, "type"), message).into())
            }
            None if object.get("categories").is_some() => {
                known(&[], warnings);
                Ok(None)
            }
            None => {
                let message = format!(
                    "the collection `{name}` has no `type`; it is `file`, `pkg`, `site` or `dep`, unless the collection has `categories`"
                );
                Err(self.json.error(object.range, message).into())
            }
        }
    }

    fn files(&self, name: &str, object: &Object<'_>) -> Result<CollectionSpec> {
        let path = self.required(object, "collection", name, "path")?;
        let glob = self.optional(object, "glob")?.unwrap_or_else(default_glob);
        if let Err(error) = ai_assist_admit::Globs::new(&[&glob]) {
            return Err(self.json.error(value_of(object, "glob"), error.to_string()).into());
        }
        Ok(CollectionSpec::File { path, glob, dependency: self.optional(object, "dependency")? })
    }

    fn dependencies(&self, object: &Object<'_>, warnings: &mut Vec<Warning>) -> Result<CollectionSpec> {
        let names = match object.get("dependencies") {
            Some(property) => self.strings(property, warnings)?,
            None => Vec::new(),
        };
        for (name, range) in &names {
            if let Err(error) = name.parse::<PackageName>() {
                return Err(self.json.error(*range, error.to_string()).into());
            }
        }
        let transitive = self.flag(object, "transitive")?;
        Ok(CollectionSpec::Dep { dependencies: names.into_iter().map(|(name, _)| name).collect(), transitive })
    }

    fn package(&self, name: &str, object: &Object<'_>) -> Result<CollectionSpec> {
        let hash = self.optional(object, "hash")?;
        if let Some(Err(error)) = hash.as_ref().map(|hash| hash.parse::<Sha256>()) {
            let error: BadDigest = error;
            return Err(self.json.error(value_of(object, "hash"), error.to_string()).into());
        }
        Ok(CollectionSpec::Pkg {
            url: self.required(object, "collection", name, "url")?,
            hash,
            package: self.optional(object, "package")?,
            dependency: self.optional(object, "dependency")?,
            public: self.flag(object, "public")?,
        })
    }

    fn site(&self, name: &str, object: &Object<'_>, warnings: &mut Vec<Warning>) -> Result<CollectionSpec> {
        let url = self.required(object, "collection", name, "url")?;
        let mut globs = |key: &str| -> Result<Vec<String>> {
            let Some(property) = object.get(key) else { return Ok(Vec::new()) };
            let patterns = self.strings(property, warnings)?;
            for (pattern, range) in &patterns {
                if let Err(error) = ai_assist_admit::Globs::new(&[pattern]) {
                    return Err(self.json.error(*range, error.to_string()).into());
                }
            }
            Ok(patterns.into_iter().map(|(pattern, _)| pattern).collect())
        };
        let (include, exclude) = (globs("include")?, globs("exclude")?);
        if let Err(error) = Scope::new(&url, &include, &exclude) {
            return Err(self.json.error(value_of(object, "url"), error.to_string()).into());
        }
        let (max_pages, max_depth) = (self.count(object, "maxPages")?, self.count(object, "maxDepth")?);
        let public = self.flag(object, "public")?;
        Ok(CollectionSpec::Site { url, include, exclude, max_pages, max_depth, public })
    }

    fn flag(&self, object: &Object<'_>, key: &str) -> Result<bool> {
        match object.get(key).map(|property| &property.value) {
            None => Ok(false),
            Some(Value::BooleanLit(value)) => Ok(value.value),
            Some(other) => Err(self.json.error(other.range(), format!("`{key}` must be true or false")).into()),
        }
    }

    fn count(&self, object: &Object<'_>, key: &str) -> Result<Option<usize>> {
        let Some(property) = object.get(key) else { return Ok(None) };
        let number = match &property.value {
            Value::NumberLit(number) => number.value.parse::<usize>().ok().filter(|number| *number > 0),
            _ => None,
        };
        let wrong = || self.json.error(property.value.range(), format!("`{key}` takes a whole number of at least 1"));
        Ok(Some(number.ok_or_else(wrong)?))
    }

    fn category(&self, property: &ObjectProp<'_>, warnings: &mut Vec<Warning>) -> Result<CategorySpec> {
        let name = property.name.as_str();
        let Value::Object(object) = &property.value else {
            let message = format!("the category `{name}` must be an object");
            return Err(self.json.error(property.value.range(), message).into());
        };
        let dir = self.required(object, "category", name, "dir")?;
        if let Some(why) = broken_dir(&dir) {
            return Err(self.json.error(value_of(object, "dir"), format!("`dir` {why}")).into());
        }
        let Some(property) = object.get("patterns") else {
            return Err(self.json.error(object.range, format!("the category `{name}` has no `patterns`")).into());
        };
        let patterns = self.strings(property, warnings)?;
        let (patterns, ranges): (Vec<String>, Vec<Range>) = patterns.into_iter().unzip();
        if let Err((at, why)) = check_patterns(&patterns) {
            let range = at.and_then(|at| ranges.get(at).copied()).unwrap_or(property.value.range());
            return Err(self.json.error(range, why).into());
        }
        self.json.unknown_keys(object, &["dir", "patterns", "description"], warnings);
        Ok(CategorySpec {
            dir,
            patterns,
            description: self.optional(object, "description")?.filter(|text| !text.is_empty()),
        })
    }

    /// A list of strings, each once, with their places.
    fn strings(&self, property: &ObjectProp<'_>, warnings: &mut Vec<Warning>) -> Result<Vec<(String, Range)>> {
        let wrong =
            |range: Range| self.json.error(range, format!("`{}` must be a list of strings", property.name.as_str()));
        let Value::Array(array) = &property.value else { return Err(wrong(property.value.range()).into()) };
        let mut strings: Vec<(String, Range)> = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            let Value::StringLit(text) = element else { return Err(wrong(element.range()).into()) };
            if strings.iter().any(|(known, _)| *known == text.value) {
                let message = format!("`{}` stands in the list twice", text.value);
                warnings.push(self.json.warning(text.range, message));
                continue;
            }
            strings.push((text.value.clone().into_owned(), text.range));
        }
        Ok(strings)
    }

    fn optional(&self, object: &Object<'_>, key: &str) -> Result<Option<String>> {
        Ok(object.get(key).map(|property| self.json.string(property)).transpose()?)
    }

    fn required(&self, object: &Object<'_>, kind: &str, name: &str, key: &str) -> Result<String> {
        let Some(property) = object.get(key) else {
            return Err(self.json.error(object.range, format!("the {kind} `{name}` has no `{key}`")).into());
        };
        let text = self.json.string(property)?;
        if text.is_empty() {
            return Err(self.json.error(property.value.range(), format!("`{key}` is empty")).into());
        }
        Ok(text)
    }
}

/// Where a value stands; the object, if it has none.
fn value_of(object: &Object<'_>, key: &str) -> Range {
    object.get(key).map_or(object.range, |property| property.value.range())
}
