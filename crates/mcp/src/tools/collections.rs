//! `collection_*`: what the project wants at hand.

use ai_assist_collections::{CollectionChange, Declaration, DeclaredCollection, ListedCollection, ProjectConfig};

use super::common::*;

/// The rule of new names, for clients. It is checked where the configuration is edited, which gives the better answer.
pub(super) const NAME_RULE: &str = "^[A-Za-z0-9]([A-Za-z0-9_-]{0,28}[A-Za-z0-9])?$";

/// The rule of descriptions, in the same way.
pub(super) const DESCRIPTION_RULE: &str = "^[^'\"]{0,500}$";

/// What is said after a change of what a collection holds.
pub(super) const SYNC_NEXT: &str = "Call `collection_sync` to index it.";

/// A collection as the configuration declares it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Declared {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    categories: Vec<String>,
    /// The folder or package that it is made of, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl Answer for Declared {}

impl Declared {
    fn of(name: &str, declaration: &Declaration) -> Self {
        Declared {
            name: name.to_owned(),
            description: declaration.description.clone(),
            categories: declaration.categories.clone(),
            source: declaration.source.as_ref().map(|source| source.source()),
        }
    }

    fn in_config(config: &ProjectConfig, name: &str) -> Self {
        Declared::of(name, &config.get(name).cloned().unwrap_or_default())
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddArgs {
    /// The name: 1 to 30 letters, digits, `-` and `_`, with a letter or digit at both ends.
    #[schemars(regex(pattern = NAME_RULE), example = &"handbook")]
    name: String,
    /// What it is for, in at most 500 characters without quotes.
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"How we work and what we run")]
    description: Option<String>,
    /// Names of categories that it holds; they must be there already.
    #[serde(default)]
    #[schemars(example = ["guides", "api"])]
    categories: Vec<String>,
}

impl Tool for AddArgs {
    const NAME: &'static str = "collection_add";
    const DESCRIPTION: &'static str = "Declare a collection: a named set of categories of the project, to be searched and read together. For a folder, make a category first with `category_add`.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let declaration = Declaration { source: None, categories: args.categories, description: args.description };
        let config = call.edit(|edit| edit.add_collection(&args.name, &declaration))?;
        let message = format!("The collection `{}` was added. {SYNC_NEXT}", args.name);
        Ok(Success::with_message(Declared::in_config(&config, &args.name), message))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameArgs {
    /// The name of the collection.
    #[schemars(example = &"handbook")]
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removed {
    /// What was removed.
    pub(super) removed: String,
    /// The collections that named it and no longer do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also_changed: Vec<String>,
}

impl Answer for Removed {}

impl Tool for NameArgs {
    const NAME: &'static str = "collection_remove";
    const DESCRIPTION: &'static str =
        "Take a collection out of the project's configuration. Its files and categories stay.";
    type Answer = Removed;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Removed>, Failure> {
        call.edit(|edit| edit.remove_collection(&args.name))?;
        let message = format!("The collection `{}` was removed.", args.name);
        Ok(Success::with_message(Removed { removed: args.name, also_changed: Vec::new() }, message))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeArgs {
    /// The name of the collection.
    #[schemars(example = &"handbook")]
    name: String,
    /// Another name for it, by the same rule as for `collection_add`.
    #[schemars(regex(pattern = NAME_RULE), example = &"team-handbook")]
    new_name: Option<String>,
    /// Another description; an empty string takes it out.
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"How we work")]
    description: Option<String>,
    /// Categories in place of all that it has.
    #[schemars(example = ["guides"])]
    categories: Option<Vec<String>>,
}

impl Tool for ChangeArgs {
    const NAME: &'static str = "collection_change";
    const DESCRIPTION: &'static str = "Rename a collection, or replace its description or all its categories. To add or remove single categories use `collection_update`.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let ChangeArgs { name, new_name, description, categories } = args;
        let held = categories.is_some();
        let change = CollectionChange { new_name: new_name.clone(), description, categories };
        let config = call.edit(|edit| edit.change_collection(&name, &change))?;
        let now = new_name.unwrap_or(name);
        Ok(Success::noted(Declared::in_config(&config, &now), held.then_some(SYNC_NEXT)))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateArgs {
    /// The name of the collection.
    #[schemars(example = &"handbook")]
    name: String,
    /// Categories to add; they must be there already.
    #[serde(default)]
    #[schemars(example = ["api"])]
    add_categories: Vec<String>,
    /// Categories to remove, before others are added; those that it does not have are ignored.
    #[serde(default)]
    #[schemars(example = ["guides"])]
    remove_categories: Vec<String>,
}

impl Tool for UpdateArgs {
    const NAME: &'static str = "collection_update";
    const DESCRIPTION: &'static str = "Add categories to a collection or remove some from it; the others stay. To rename it or replace all use `collection_change`.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let config =
            call.edit(|edit| edit.update_collection(&args.name, &args.add_categories, &args.remove_categories))?;
        let message = (!args.add_categories.is_empty()).then_some(SYNC_NEXT);
        Ok(Success::noted(Declared::in_config(&config, &args.name), message))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000), example = 2000)]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    #[serde(flatten)]
    declared: Declared,
    /// Whether it comes from the user's own configuration.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    global: bool,
    /// `synced`, `stale`, `not-synced`, `error`, or `empty` where it has neither source nor categories.
    status: String,
    /// What the status comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// How many documents are indexed, each counted once.
    documents: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListAnswer {
    collections: Vec<Listed>,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for ListAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.collections, &mut self.not_listed, share)
    }
}

impl Tool for ListArgs {
    const NAME: &'static str = "collection_list";
    const DESCRIPTION: &'static str = "The documentation that the project has at hand: its collections, what they hold, and whether their index is up to date.";
    type Answer = ListAnswer;

    fn run(call: &Call<'_>, _args: Self) -> Result<Success<ListAnswer>, Failure> {
        let members = call.project.members()?;
        let listed = |(declared, stands): (&DeclaredCollection, ListedCollection)| {
            let is_empty = members.members_of(declared).next().is_none();
            Listed {
                declared: Declared::of(&declared.name, &declared.declaration),
                global: declared.global,
                status: if is_empty { "empty".to_owned() } else { word(&stands.status) },
                detail: stands.detail,
                documents: stands.documents,
            }
        };
        let collections =
            members.collections().iter().zip(call.project.collections(&|_| true, call.cancel)?).map(listed).collect();
        Ok(ListAnswer { collections, not_listed: 0 }.into())
    }
}
