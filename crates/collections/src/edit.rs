//! Changes to a configuration file that keep its order, formatting and comments.

use std::path::Path;

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

use crate::atomic::{FileLock, replace_file};
use crate::json::{JsonFile, options, read_text};
use ai_assist_fetch::json::nearest;

use crate::names::check_name;
use crate::project::{CollectionSpec, parse};
use crate::{Error, Result, schema};

/// Writes a new configuration with no collections.
///
/// # Errors
///
/// [`Error::AlreadyInitialised`] if there is one and `force` is not given.
pub fn init_project(file: &Path, force: bool, lock: &Path) -> Result<()> {
    let _lock = FileLock::for_edit(lock)?;
    if file.exists() && !force {
        return Err(Error::AlreadyInitialised(file.to_owned()));
    }
    let text = format!("{{\n  \"$schema\": \"{}\",\n  \"collections\": {{}}\n}}\n", schema::CONTEXT_SCHEMA_ID);
    replace_file(file, text.as_bytes())
}

/// Declares a collection.
///
/// # Errors
///
/// [`Error::BadName`], [`Error::NameTaken`], or if the file can't be read or written.
pub fn add_collection(file: &Path, name: &str, spec: &CollectionSpec, lock: &Path) -> Result<()> {
    check_name(name)?;
    change(file, lock, |collections| {
        if collections.get(name).is_some() {
            return Err(Error::NameTaken(name.to_owned()));
        }
        collections.append(name, value(spec));
        collections.ensure_multiline();
        Ok(())
    })
}

/// Declares a collection in place of the one of the same name.
///
/// # Errors
///
/// [`Error::UnknownCollection`], or if the file can't be read or written.
pub fn set_collection(file: &Path, name: &str, spec: &CollectionSpec, lock: &Path) -> Result<()> {
    change(file, lock, |collections| match collections.get(name) {
        Some(property) => {
            property.set_value(value(spec));
            Ok(())
        }
        None => Err(Error::UnknownCollection { name: name.to_owned(), nearest: None }),
    })
}

fn value(spec: &CollectionSpec) -> CstInputValue {
    let mut pairs: Vec<(&str, Option<&str>)> = match spec {
        CollectionSpec::File { path, glob, .. } => {
            vec![("type", Some("file")), ("path", Some(path)), ("glob", Some(glob))]
        }
        CollectionSpec::Pkg { url, hash, package, .. } => {
            vec![("type", Some("pkg")), ("url", Some(url)), ("package", package.as_deref()), ("hash", hash.as_deref())]
        }
    };
    pairs.push(("dependency", spec.dependency()));
    let pair = |(key, value): (&str, Option<&str>)| Some((key.to_owned(), CstInputValue::String(value?.to_owned())));
    CstInputValue::Object(pairs.into_iter().filter_map(pair).collect())
}

/// Takes a collection out of the configuration.
///
/// # Errors
///
/// [`Error::UnknownCollection`], or if the file can't be read or written.
pub fn remove_collection(file: &Path, name: &str, lock: &Path) -> Result<()> {
    change(file, lock, |collections| match collections.get(name) {
        Some(property) => {
            property.remove();
            Ok(())
        }
        None => {
            let names: Vec<String> =
                collections.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name).collect();
            let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Error::UnknownCollection { name: name.to_owned(), nearest })
        }
    })
}

/// Reads the file anew under the lock, changes it, checks the outcome, and replaces it.
fn change(file: &Path, lock: &Path, apply: impl FnOnce(&CstObject) -> Result<()>) -> Result<()> {
    let _lock = FileLock::for_edit(lock)?;
    let text = read_text(file)?;
    parse(file, &text, &mut Vec::new())?;
    let name = file.display().to_string();
    let json = JsonFile::new(&name, &text);
    let root =
        CstRootNode::parse(&text, &options()).map_err(|error| json.error(error.range(), error.kind().to_string()))?;
    let object = root.object_value_or_set();
    apply(&object.object_value_or_set("collections"))?;
    let changed = root.to_string();
    parse(file, &changed, &mut Vec::new())?;
    replace_file(file, changed.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edit: impl FnOnce(&Path, &Path) -> Result<()>) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("context.json");
        std::fs::write(&file, text).unwrap();
        edit(&file, &folder.path().join("lock"))?;
        Ok(std::fs::read_to_string(&file).unwrap())
    }

    fn docs() -> CollectionSpec {
        CollectionSpec::files("./docs", "**/*.md")
    }

    #[test]
    fn an_edit_keeps_comments_and_order() {
        let text = "{\n  // ours\n  \"z\": 1,\n  \"collections\": {\n    // first\n    \"b\": {\"type\": \"file\", \"path\": \"b\"} // odd\n  }\n}\n";
        let added = edited(text, |file, lock| add_collection(file, "a", &docs(), lock)).unwrap();
        assert_eq!(
            added,
            "{\n  // ours\n  \"z\": 1,\n  \"collections\": {\n    // first\n    \"b\": {\"type\": \"file\", \"path\": \"b\"}, // odd\n    \"a\": {\n      \"type\": \"file\",\n      \"path\": \"./docs\",\n      \"glob\": \"**/*.md\"\n    }\n  }\n}\n"
        );
        let removed = edited(&added, |file, lock| remove_collection(file, "a", lock)).unwrap();
        assert!(removed.contains("// first") && removed.contains("// odd") && !removed.contains("./docs"), "{removed}");
    }

    #[test]
    fn init_then_add_reads_well() {
        let folder = tempfile::tempdir().unwrap();
        let (file, lock) = (folder.path().join("context.json"), folder.path().join("lock"));
        init_project(&file, false, &lock).unwrap();
        assert!(matches!(init_project(&file, false, &lock), Err(Error::AlreadyInitialised(_))));
        init_project(&file, true, &lock).unwrap();
        add_collection(&file, "docs", &docs(), &lock).unwrap();
        assert!(matches!(add_collection(&file, "docs", &docs(), &lock), Err(Error::NameTaken(_))));
        assert!(matches!(add_collection(&file, "-x", &docs(), &lock), Err(Error::BadName { .. })));
        let project = crate::Project::load(&file).unwrap();
        assert_eq!(project.config.collections, [("docs".to_owned(), docs())]);
        assert!(project.warnings.is_empty(), "{:?}", project.warnings);
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 10);
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        for broken in ["{\"collections\": ", "{\"collections\": 3}"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("context.json");
            std::fs::write(&file, broken).unwrap();
            assert!(add_collection(&file, "a", &docs(), &folder.path().join("lock")).is_err());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
        }
    }

    #[test]
    fn two_writers_both_keep_their_edits() {
        let folder = tempfile::tempdir().unwrap();
        let (file, lock) = (folder.path().join("context.json"), folder.path().join("lock"));
        init_project(&file, false, &lock).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (file, lock) = (&file, &lock);
                scope.spawn(move || {
                    for number in 0..5 {
                        add_collection(file, &format!("c{writer}-{number}"), &docs(), lock).unwrap();
                    }
                });
            }
        });
        assert_eq!(crate::Project::load(&file).unwrap().config.collections.len(), 20);
    }
}
