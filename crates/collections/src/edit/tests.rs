#[cfg(unix)]
use std::path::Path;

use super::*;
use crate::{CategorySpec, CollectionSpec, Declaration, Error, Project};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(text: &str) -> Self {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.file(), text).unwrap();
        place
    }

    fn empty() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("context.json")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    fn edit<T>(&self, edit: impl FnOnce(ConfigEdit<'_>) -> T) -> T {
        edit(ConfigEdit::new(&self.file()))
    }
}

fn docs() -> Declaration {
    CollectionSpec::files("./docs", "**/*.md").into()
}

fn of(categories: &[&str]) -> Declaration {
    Declaration { categories: strings(categories), ..Declaration::default() }
}

fn category(dir: &str, patterns: &[&str]) -> CategorySpec {
    CategorySpec { dir: dir.to_owned(), patterns: strings(patterns), description: None }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// With two categories and a collection that has both.
fn shelf() -> Place {
    Place::new(
        r#"{
  // ours
  "categories": {
    // how to
    "guide": { "dir": "docs/guide", "patterns": ["**/*.md"] }, // odd
    "api": { "dir": "api", "patterns": ["*.md", /* too */ "*.txt"] }
  },
  "collections": {
    "all": {
      "categories": [
        "guide", // first
        "api"
      ]
    },
    "src": { "type": "file", "path": "src", "categories": ["api"], "description": "Code" }
  }
}
"#,
    )
}

impl EditError {
    /// Which kind it is, for comparing.
    pub(super) fn error_type(&self) -> &'static str {
        match self {
            EditError::AlreadyExists { .. } => "already_exists",
            EditError::NotFound { .. } | EditError::UnknownSetting { .. } => "not_found",
            EditError::InvalidName { .. } => "invalid_name",
            EditError::NameConflict { .. } => "name_conflict",
            EditError::CategoryNotFound { .. } => "category_not_found",
            EditError::DescriptionTooLong { .. } => "description_too_long",
            EditError::InvalidCharacters { .. } => "invalid_characters",
            EditError::Invalid { .. } | EditError::Broken(_) => "validation_error",
            EditError::Write(_) => "write_error",
            EditError::Lock(_) => "lock_error",
        }
    }
}

fn error_type<T>(result: EditResult<T>) -> &'static str {
    result.err().map_or("no error", |error| error.error_type())
}

#[test]
fn an_edit_keeps_comments_and_order() {
    let text = "{\n  // ours\n  \"z\": 1,\n  \"collections\": {\n    // first\n    \"b\": {\"type\": \"file\", \"path\": \"b\"} // odd\n  }\n}\n";
    let place = Place::new(text);
    place.edit(|edit| edit.add_collection("a", &docs())).unwrap();
    assert_eq!(
        place.text(),
        "{\n  // ours\n  \"z\": 1,\n  \"collections\": {\n    // first\n    \"b\": {\"type\": \"file\", \"path\": \"b\"}, // odd\n    \"a\": {\n      \"type\": \"file\",\n      \"path\": \"./docs\",\n      \"glob\": \"**/*.md\"\n    }\n  }\n}\n"
    );
    place.edit(|edit| edit.remove_collection("a")).unwrap();
    let removed = place.text();
    assert!(removed.contains("// first") && removed.contains("// odd") && !removed.contains("./docs"), "{removed}");
}

#[test]
fn init_then_add_reads_well() {
    let place = Place::empty();
    let file = place.file();
    init_project(&file, false).unwrap();
    assert!(matches!(init_project(&file, false), Err(Error::AlreadyInitialised(_))));
    init_project(&file, true).unwrap();
    place.edit(|edit| edit.add_collection("docs", &docs())).unwrap();
    assert_eq!(error_type(place.edit(|edit| edit.add_collection("docs", &docs()))), "already_exists");
    assert_eq!(error_type(place.edit(|edit| edit.add_collection("-x", &docs()))), "invalid_name");
    let project = Project::load(&file).unwrap();
    assert_eq!(project.config.collections, [("docs".to_owned(), docs())]);
    assert!(project.warnings.is_empty(), "{:?}", project.warnings);
    assert_eq!(place.text().lines().count(), 10);
}

#[test]
fn the_first_addition_makes_the_file_and_nothing_else_does() {
    let place = Place::empty();
    assert_eq!(error_type(place.edit(|edit| edit.remove_collection("a"))), "not_found");
    assert_eq!(error_type(place.edit(|edit| edit.change_category("a", &CategoryChange::default()))), "not_found");
    assert_eq!(error_type(place.edit(|edit| edit.update_collection("a", &[], &[]))), "not_found");
    assert_eq!(error_type(place.edit(|edit| edit.add_collection("a", &of(&["x"])))), "category_not_found");
    assert!(!place.file().exists());
    place.edit(|edit| edit.add_category("guide", &category("guide", &["**/*.md"]))).unwrap();
    let written: serde_json::Value = serde_json::from_str(&place.text()).unwrap();
    let named = place.file().with_file_name(written["$schema"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(named).unwrap(), crate::schemas()[0].text, "an editor finds the schema");
    place.edit(|edit| edit.add_collection("a", &of(&["guide"]))).unwrap();
    insta::assert_snapshot!(place.text(), @r#"
    {
      "$schema": "./.ai-assist/context.schema.json",
      "collections": {
        "a": {
          "categories": ["guide"]
        }
      },
      "categories": {
        "guide": {
          "dir": "guide",
          "patterns": ["**/*.md"]
        }
      }
    }
    "#);
}

#[test]
fn a_rename_carries_through_and_stays_in_its_place() {
    let place = shelf();
    let change = CategoryChange { new_name: Some("howto".into()), ..CategoryChange::default() };
    let edited = place.edit(|edit| edit.change_category("guide", &change)).unwrap();
    assert_eq!(edited.before.get("all").unwrap().categories, ["guide", "api"]);
    assert_eq!(edited.after.get("all").unwrap().categories, ["howto", "api"]);
    let text = place.text();
    assert!(text.contains("\"howto\", // first") && text.contains("// how to\n    \"howto\": {"), "{text}");
    let change = CollectionChange { new_name: Some("code".into()), ..CollectionChange::default() };
    let edited = place.edit(|edit| edit.change_collection("src", &change)).unwrap();
    let code = edited.after.get("code").unwrap();
    assert_eq!(code.source, Some(CollectionSpec::files("src", "**/{documents}")));
    assert_eq!((code.categories.as_slice(), code.description.as_deref()), (&strings(&["api"])[..], Some("Code")));
}

#[test]
fn a_removed_category_is_gone_from_every_collection() {
    let place = shelf();
    let edited = place.edit(|edit| edit.remove_category("api")).unwrap();
    assert_eq!(edited.after.get("all").unwrap().categories, ["guide"]);
    assert!(edited.after.get("src").unwrap().categories.is_empty());
    assert!(Project::load(&place.file()).unwrap().warnings.is_empty());
    let text = place.text();
    assert!(text.contains("\"guide\" // first") || text.contains("\"guide\", // first"), "{text}");
    assert!(text.contains("// odd") && text.contains("// how to") && !text.contains("api"), "{text}");
}

#[test]
fn updates_remove_first_and_then_add() {
    let place = shelf();
    let update = |add: &[&str], remove: &[&str]| {
        let (add, remove) = (strings(add), strings(remove));
        place
            .edit(|edit| edit.update_collection("all", &add, &remove))
            .map(|edited| edited.after.get("all").unwrap().categories.clone())
    };
    assert_eq!(update(&["guide"], &["guide", "never"]).unwrap(), ["api", "guide"]);
    assert_eq!(update(&["api", "api"], &[]).unwrap(), ["api", "guide"], "what is there is not added again");
    assert_eq!(update(&[], &["api"]).unwrap(), ["guide"]);
    let before = place.text();
    let Err(error) = update(&["x", "guide", "y", "x"], &["guide"]) else { panic!() };
    assert_eq!(error.error_type(), "category_not_found");
    assert_eq!(error.to_string(), "these categories are not in the configuration: `x`, `y`");
    assert_eq!(place.text(), before);
    let update = |add: &[&str], remove: &[&str]| {
        let (add, remove) = (strings(add), strings(remove));
        place
            .edit(|edit| edit.update_category("api", &add, &remove))
            .map(|edited| edited.after.category("api").unwrap().patterns.clone())
    };
    assert_eq!(update(&["*.rst"], &["*.md"]).unwrap(), ["*.txt", "*.rst"]);
    assert!(place.text().contains("/* too */"), "{}", place.text());
    assert_eq!(error_type(update(&[], &["*.txt", "*.rst"])), "validation_error");
    assert_eq!(error_type(update(&["../x"], &[])), "validation_error");
}

#[test]
fn changes_replace() {
    let place = shelf();
    let change = CollectionChange {
        categories: Some(strings(&["api", "guide", "api"])),
        description: Some("All of it".into()),
        new_name: None,
    };
    let after = place.edit(|edit| edit.change_collection("all", &change)).unwrap().after;
    let all = after.get("all").unwrap();
    assert_eq!((all.categories.join(" ").as_str(), all.description.as_deref()), ("api guide", Some("All of it")));
    let clear = CollectionChange { description: Some(String::new()), ..CollectionChange::default() };
    for name in ["all", "src"] {
        let after = place.edit(|edit| edit.change_collection(name, &clear)).unwrap().after;
        assert_eq!(after.get(name).unwrap().description, None);
    }
    assert!(!place.text().contains("description"), "{}", place.text());
    let change = CategoryChange {
        dir: Some("other".into()),
        patterns: Some(strings(&["*.txt"])),
        description: Some("Texts".into()),
        new_name: None,
    };
    let after = place.edit(|edit| edit.change_category("api", &change)).unwrap().after;
    let expected = CategorySpec { description: Some("Texts".into()), ..category("other", &["*.txt"]) };
    assert_eq!(after.category("api"), Some(&expected));
}

#[test]
fn a_source_is_replaced_and_the_rest_stays() {
    let place = shelf();
    let source = CollectionSpec::package("https://example.com/manifest.json");
    let after = place.edit(|edit| edit.set_source("src", &source)).unwrap().after;
    let expected = Declaration { source: Some(source), description: Some("Code".into()), ..of(&["api"]) };
    assert_eq!(after.get("src"), Some(&expected));
    assert_eq!(error_type(place.edit(|edit| edit.set_source("none", &CollectionSpec::files("x", "*")))), "not_found");
}

#[test]
fn what_is_not_allowed_is_refused_and_nothing_is_written() {
    let place = shelf();
    let before = place.text();
    let described = |text: &str| Declaration { description: Some(text.to_owned()), ..of(&[]) };
    let add =
        |name: &str, declaration: Declaration| error_type(place.edit(|edit| edit.add_collection(name, &declaration)));
    let long_name = "x".repeat(31);
    for name in ["", "a b", "-a", "a_", "é", "a/b", long_name.as_str()] {
        assert_eq!(add(name, of(&[])), "invalid_name", "{name}");
    }
    assert_eq!(add("all", of(&[])), "already_exists");
    assert_eq!(add("x", of(&["none"])), "category_not_found");
    assert_eq!(add("x", described(&"é".repeat(501))), "description_too_long");
    for text in ["it's", "a \"word\"", "two\nlines", "nul\0", "esc\u{1b}"] {
        assert_eq!(add("x", described(text)), "invalid_characters", "{text:?}");
    }
    let rename =
        |new_name: &str| CollectionChange { new_name: Some(new_name.to_owned()), ..CollectionChange::default() };
    let change =
        |name: &str, change: CollectionChange| error_type(place.edit(|edit| edit.change_collection(name, &change)));
    assert_eq!(change("none", rename("x")), "not_found");
    assert_eq!(change("all", rename("src")), "name_conflict");
    assert_eq!(change("all", rename("a b")), "invalid_name");
    let categories = CollectionChange { categories: Some(strings(&["none"])), ..rename("x") };
    assert_eq!(change("all", categories), "category_not_found");
    let add = |name: &str, spec: CategorySpec| error_type(place.edit(|edit| edit.add_category(name, &spec)));
    assert_eq!(add("guide", category("x", &["*"])), "already_exists");
    assert_eq!(add("a b", category("x", &["*"])), "invalid_name");
    let long = "x".repeat(501);
    for dir in ["", "/etc", "..", "a/../../b", "a\0b", long.as_str()] {
        assert_eq!(add("x", category(dir, &["*"])), "validation_error", "{dir:?}");
    }
    for pattern in ["", "/etc/*", "../*", "a/{b,../c}", "{a", "[", "!x", "a\0", long.as_str()] {
        assert_eq!(add("x", category("x", &[pattern])), "validation_error", "{pattern:?}");
    }
    assert_eq!(add("x", category("x", &[])), "validation_error");
    let rename = CategoryChange { new_name: Some("api".into()), ..CategoryChange::default() };
    assert_eq!(error_type(place.edit(|edit| edit.change_category("guide", &rename))), "name_conflict");
    assert_eq!(error_type(place.edit(|edit| edit.remove_category("none"))), "not_found");
    assert_eq!(place.text(), before);
}

#[cfg(unix)]
#[test]
fn a_category_can_not_leave_through_a_symlink() {
    let place = shelf();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), place.folder.path().join("out")).unwrap();
    for dir in ["out", "out/below"] {
        let error = place.edit(|edit| edit.add_category("x", &category(dir, &["*"]))).unwrap_err();
        assert_eq!(error.to_string(), format!("`dir` can't be used: its folder `{dir}` leads out of the project"));
    }
    let change = CategoryChange { dir: Some("out".into()), ..CategoryChange::default() };
    assert_eq!(error_type(place.edit(|edit| edit.change_category("api", &change))), "validation_error");
}

#[test]
fn there_are_limits() {
    let entries: Vec<String> = (0..MAX_ENTRIES).map(|n| format!("\"c{n}\": {{\"categories\": []}}")).collect();
    let place = Place::new(&format!("{{\"collections\": {{{}}}}}", entries.join(", ")));
    assert_eq!(error_type(place.edit(|edit| edit.add_collection("more", &of(&[])))), "validation_error");
    let many: Vec<String> = (0..=MAX_ENTRIES).map(|n| format!("x{n}")).collect();
    let error = place.edit(|edit| edit.update_collection("c1", &many, &[])).unwrap_err();
    assert_eq!(error.to_string(), "`add_categories` can't be used: it has 1001 entries");
    let long = "x".repeat(1 << 20);
    for error in [
        place.edit(|edit| edit.remove_category(&long)).unwrap_err(),
        place.edit(|edit| edit.update_collection("c1", std::slice::from_ref(&long), &[])).unwrap_err(),
        place.edit(|edit| edit.add_collection(&long, &of(&[]))).unwrap_err(),
    ] {
        assert!(error.to_string().len() < 300, "{}", error.error_type());
    }
    place.edit(|edit| edit.remove_collection("c7")).unwrap();
    place.edit(|edit| edit.add_collection("more", &of(&[]))).unwrap();
}

#[test]
fn a_broken_file_is_left_alone() {
    for broken in ["{\"collections\": ", "{\"collections\": 3}", "[]"] {
        let place = Place::new(broken);
        let error = place.edit(|edit| edit.add_collection("a", &docs())).unwrap_err();
        assert_eq!(error.error_type(), "validation_error");
        assert!(error.to_string().contains("context.json:1:"), "{error}");
        assert_eq!(place.text(), broken);
    }
}

#[cfg(unix)]
#[test]
fn what_can_not_be_written_is_said() {
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;
    // A folder in the place of the file can't be written by anyone, root included.
    let place = Place::empty();
    std::fs::create_dir(place.file()).unwrap();
    assert_eq!(error_type(place.edit(|edit| edit.add_collection("a", &docs()))), "write_error");
    let error = ConfigEdit::new(Path::new("/nonexistent/context.json")).remove_collection("a").unwrap_err();
    assert_eq!(error.error_type(), "lock_error");
    let place = shelf();
    std::fs::set_permissions(place.file(), std::fs::Permissions::from_mode(0o640)).unwrap();
    place.edit(|edit| edit.remove_collection("all")).unwrap();
    let mode = std::fs::metadata(place.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "the permissions stay");
}

#[cfg(unix)]
#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let place = shelf();
    let before = std::fs::metadata(place.file()).unwrap();
    place.edit(|edit| edit.update_collection("all", &strings(&["api"]), &strings(&["never"]))).unwrap();
    place.edit(|edit| edit.change_collection("all", &CollectionChange::default())).unwrap();
    place.edit(|edit| edit.change_category("api", &CategoryChange::default())).unwrap();
    let after = std::fs::metadata(place.file()).unwrap();
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;
    assert_eq!((before.ino(), before.modified().unwrap()), (after.ino(), after.modified().unwrap()));
}

#[test]
fn two_writers_both_keep_their_edits() {
    let place = Place::empty();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..5 {
                    place.edit(|edit| edit.add_collection(&format!("c{writer}-{number}"), &docs())).unwrap();
                }
            });
        }
    });
    assert_eq!(Project::load(&place.file()).unwrap().config.collections.len(), 20);
}
