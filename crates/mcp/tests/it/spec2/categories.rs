//! The counterparts for categories, which the collection tools refer to.

use serde_json::json;

use super::{category, collection, refused, shelf, text};
use crate::support::Bench;

mod category_add_tool {
    use super::*;

    #[test]
    fn create_category_with_minimal_args() {
        let bench = shelf();
        bench.write("recipes/bread.md", "# Bread\n");
        let answer = bench.client().call("category_add", json!({ "name": "recipes" }));
        let expected =
            json!({ "name": "recipes", "dir": "recipes", "patterns": ["**/{documents}"], "collections": [] });
        assert_eq!(answer["value"], expected);
        assert!(answer["message"].as_str().unwrap().contains("collection_sync"), "{answer}");
        assert_eq!(category(&bench, "recipes"), json!({ "dir": "recipes", "patterns": ["**/{documents}"] }));
    }

    #[test]
    fn create_category_with_all_args() {
        let bench = shelf();
        let arguments = json!({
            "name": "all", "dir": "docs", "patterns": ["*.{md,txt}", "a,b/**", "*.{md,txt}"], "description": "All",
        });
        let value = bench.client().value("category_add", arguments);
        assert_eq!(value["patterns"], json!(["*.{md,txt}", "a,b/**"]), "each once");
        let written = json!({ "dir": "docs", "patterns": ["*.{md,txt}", "a,b/**"], "description": "All" });
        assert_eq!(category(&bench, "all"), written);
    }

    #[test]
    fn the_first_category_makes_the_configuration() {
        let bench = Bench::new();
        bench.client().value("category_add", json!({ "name": "guide" }));
        assert_eq!(
            bench.config()["categories"],
            json!({ "guide": { "dir": "guide", "patterns": ["**/{documents}"] } })
        );
    }

    #[test]
    fn the_folder_does_not_exist_yet() {
        let bench = shelf();
        let answer = bench.client().call("category_add", json!({ "name": "later", "dir": "not/yet" }));
        assert_eq!(answer["success"], true, "{answer}");
        assert_eq!(answer["message"], "The folder `not/yet` does not exist yet.");
        assert!(!bench.project().join("not").exists());
    }

    #[test]
    fn category_already_exists() {
        let bench = shelf();
        let arguments = json!({ "name": "guide", "dir": "other" });
        let failure = refused(&bench, &mut bench.client(), "category_add", arguments, "already_exists");
        assert!(failure["instruction"].as_str().unwrap().contains("category_update"), "{failure}");
    }

    #[test]
    fn invalid_name() {
        let bench = shelf();
        let mut client = bench.client();
        let long = "x".repeat(31);
        for name in ["", "a b", "-a", "a_", "é", "a/b", "..", long.as_str()] {
            refused(&bench, &mut client, "category_add", json!({ "name": name, "dir": "docs" }), "invalid_name");
            let arguments = json!({ "name": "guide", "new_name": name });
            refused(&bench, &mut client, "category_change", arguments, "invalid_name");
        }
    }
}

mod category_remove_tool {
    use super::*;

    #[test]
    fn remove_existing_category() {
        let bench = shelf();
        let value = bench.client().value("category_remove", json!({ "name": "notes" }));
        assert_eq!(value, json!({ "removed": "notes" }));
        assert!(category(&bench, "notes").is_null());
        assert!(bench.project().join("notes/one.md").exists(), "its files stay");
    }

    #[test]
    fn removal_carries_through_collections() {
        let bench = shelf();
        let value = bench.client().value("category_remove", json!({ "name": "api" }));
        assert_eq!(value, json!({ "removed": "api", "also_changed": ["docs", "src"] }));
        assert_eq!(collection(&bench, "docs")["categories"], json!(["guide"]));
        let src = collection(&bench, "src");
        assert!(src["categories"].as_array().is_none_or(Vec::is_empty), "{src}");
        assert_eq!(src["path"], "src");
        assert!(!text(&bench).contains("api"), "{}", text(&bench));
    }

    #[test]
    fn category_not_found() {
        let bench = shelf();
        let mut client = bench.client();
        let failure = refused(&bench, &mut client, "category_remove", json!({ "name": "giude" }), "not_found");
        assert!(failure["instruction"].as_str().unwrap().contains("Did you mean `guide`?"), "{failure}");
        refused(&bench, &mut client, "category_remove", json!({ "name": "docs" }), "not_found");
    }
}

mod category_change_tool {
    use super::*;

    #[test]
    fn rename_category() {
        let bench = shelf();
        let value = bench.client().value("category_change", json!({ "name": "api", "new_name": "calls" }));
        assert_eq!((&value["name"], &value["collections"]), (&json!("calls"), &json!(["docs", "src"])));
        assert!(category(&bench, "api").is_null());
        assert_eq!(category(&bench, "calls")["dir"], "docs/api");
        let after = text(&bench);
        let place = |name: &str| after.rfind(name).unwrap();
        assert!(place("\"guide\":") < place("\"calls\":") && place("\"calls\":") < place("\"notes\":"), "{after}");
    }

    #[test]
    fn rename_carries_through_collections() {
        let bench = shelf();
        bench.client().value("category_change", json!({ "name": "guide", "new_name": "howto" }));
        assert_eq!(collection(&bench, "docs")["categories"], json!(["howto", "api"]), "in its place");
        assert_eq!(collection(&bench, "src")["categories"], json!(["api"]));
    }

    #[test]
    fn replace_dir_and_patterns() {
        let bench = shelf();
        let arguments = json!({ "name": "api", "dir": "src", "patterns": ["*.rs"] });
        let value = bench.client().value("category_change", arguments);
        assert_eq!((&value["dir"], &value["patterns"]), (&json!("src"), &json!(["*.rs"])));
        let written = json!({ "dir": "src", "patterns": ["*.rs"], "description": "Calls" });
        assert_eq!(category(&bench, "api"), written);
    }

    #[test]
    fn clear_description() {
        let bench = shelf();
        let value = bench.client().value("category_change", json!({ "name": "api", "description": "" }));
        assert!(value.get("description").is_none(), "{value}");
        assert_eq!(category(&bench, "api"), json!({ "dir": "docs/api", "patterns": ["*.txt", "*.md"] }));
    }

    #[test]
    fn new_name_conflicts() {
        let bench = shelf();
        let arguments = json!({ "name": "guide", "new_name": "api", "dir": "other" });
        refused(&bench, &mut bench.client(), "category_change", arguments, "name_conflict");
    }

    #[test]
    fn category_not_found() {
        let bench = shelf();
        refused(&bench, &mut bench.client(), "category_change", json!({ "name": "none", "dir": ".." }), "not_found");
    }
}

mod category_update_tool {
    use super::*;

    #[test]
    fn add_patterns() {
        let bench = shelf();
        let arguments = json!({ "name": "api", "add_patterns": ["*.rst", "*.md", "*.rst"] });
        let value = bench.client().value("category_update", arguments);
        assert_eq!(value["patterns"], json!(["*.txt", "*.md", "*.rst"]));
        assert_eq!(category(&bench, "api")["patterns"], json!(["*.txt", "*.md", "*.rst"]));
    }

    #[test]
    fn add_and_remove_patterns() {
        let bench = shelf();
        let arguments = json!({ "name": "api", "add_patterns": ["*.txt", "*.rst"], "remove_patterns": ["*.txt"] });
        let value = bench.client().value("category_update", arguments);
        assert_eq!(value["patterns"], json!(["*.md", "*.txt", "*.rst"]), "removed first, then added");
    }

    #[test]
    fn pattern_not_found_for_removal() {
        let bench = shelf();
        let before = text(&bench);
        let arguments = json!({ "name": "api", "remove_patterns": ["*.none", "../x", ""] });
        let value = bench.client().value("category_update", arguments);
        assert_eq!(value["patterns"], json!(["*.txt", "*.md"]));
        assert_eq!(text(&bench), before);
    }

    #[test]
    fn the_last_pattern_stays() {
        let bench = shelf();
        let mut client = bench.client();
        let arguments = json!({ "name": "guide", "remove_patterns": ["**/*.md"] });
        let failure = refused(&bench, &mut client, "category_update", arguments, "validation_error");
        assert!(failure["error"].as_str().unwrap().contains("at least one pattern"), "{failure}");
        let swapped = json!({ "name": "guide", "remove_patterns": ["**/*.md"], "add_patterns": ["*.txt"] });
        client.value("category_update", swapped);
        assert_eq!(category(&bench, "guide")["patterns"], json!(["*.txt"]));
    }

    #[test]
    fn category_not_found() {
        let bench = shelf();
        let arguments = json!({ "name": "none", "add_patterns": ["*"] });
        refused(&bench, &mut bench.client(), "category_update", arguments, "not_found");
    }
}

mod pattern_validation {
    use super::*;

    /// Patterns that can't be used, in each tool that takes some.
    #[test]
    fn patterns_that_lead_out_or_say_nothing() {
        let bench = shelf();
        let mut client = bench.client();
        let long = "x".repeat(501);
        let odd = ["", "/etc/*", "../*", "a/../../*", "{a,../b}", "!x", "[", "{a", "a\u{0}", "a\nb", long.as_str()];
        for pattern in odd {
            for (tool, arguments) in [
                ("category_add", json!({ "name": "new", "patterns": ["*.md", pattern] })),
                ("category_change", json!({ "name": "api", "patterns": [pattern] })),
                ("category_update", json!({ "name": "api", "add_patterns": [pattern] })),
            ] {
                let failure = refused(&bench, &mut client, tool, arguments, "validation_error");
                assert_eq!(failure["field"], "patterns", "{pattern:?}: {failure}");
                assert!(failure["expected"].as_str().unwrap().contains("globs"), "{failure}");
            }
        }
        refused(&bench, &mut client, "category_add", json!({ "name": "new", "patterns": [] }), "validation_error");
    }

    #[test]
    fn there_are_not_too_many() {
        let bench = shelf();
        let mut client = bench.client();
        let patterns = |count: usize| (0..count).map(|number| format!("{number}.md")).collect::<Vec<_>>();
        client.value("category_add", json!({ "name": "hundred", "patterns": patterns(100) }));
        for count in [101, 2_000] {
            let arguments = json!({ "name": "new", "patterns": patterns(count) });
            let failure = refused(&bench, &mut client, "category_add", arguments, "validation_error");
            assert_eq!(failure["field"], "patterns", "{failure}");
        }
    }
}

mod category_list_tool {
    use super::*;

    #[test]
    fn categories_are_listed_with_their_collections() {
        let bench = shelf();
        let listed = bench.client().value("category_list", json!({}));
        let expected = json!([
            { "name": "guide", "dir": "docs/guide", "patterns": ["**/*.md"], "collections": ["docs"] },
            {
                "name": "api", "dir": "docs/api", "patterns": ["*.txt", "*.md"], "description": "Calls",
                "collections": ["docs", "src"],
            },
            { "name": "notes", "dir": "notes", "patterns": ["**/*.md"], "collections": [] },
        ]);
        assert_eq!(listed["categories"], expected);
    }

    #[test]
    fn a_project_without_configuration_has_none() {
        assert_eq!(Bench::new().client().value("category_list", json!({})), json!({ "categories": [] }));
    }

    #[test]
    fn collections_are_listed_with_what_they_are_made_of() {
        let bench = shelf();
        let mut client = bench.client();
        client.value("collection_add", json!({ "name": "empty" }));
        client.value("collection_sync", json!({ "collections": ["docs"] }));
        let listed = client.value("collection_list", json!({}));
        let line = |at: usize| {
            let entry = &listed["collections"][at];
            format!("{} {} {} {}", entry["name"], entry["status"], entry["documents"], entry["categories"])
                .replace('"', "")
        };
        assert_eq!(line(0), "docs synced 2 [guide,api]", "{listed}");
        assert_eq!(line(1), "src not-synced 1 [api]", "{listed}");
        assert_eq!(line(2), "empty empty 0 []", "{listed}");
    }

    /// A document that two parts of a collection have is one document.
    #[test]
    fn documents_are_counted_once() {
        let bench = shelf();
        let mut client = bench.client();
        client.value("category_add", json!({ "name": "all-docs", "dir": "docs", "patterns": ["**/*"] }));
        client.value("collection_update", json!({ "name": "docs", "add_categories": ["all-docs"] }));
        client.value("collection_sync", json!({}));
        let listed = client.value("collection_list", json!({}));
        let found = client.value("list_documents", json!({ "collection": "docs" }));
        assert_eq!(
            (&listed["collections"][0]["documents"], &found["found"]),
            (&json!(2), &json!(2)),
            "{listed} {found}"
        );
    }
}
