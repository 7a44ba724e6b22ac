//! `category_*`: named folders of the project, with patterns.

use ai_assist_collections::{CategoryChange, CategorySpec, ProjectConfig, Resolved};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collections::{DESCRIPTION_RULE, NAME_RULE, Removed};
use super::common::budget;
use crate::call::Call;
use crate::outcome::{Failure, Success};
use crate::tool::{About, Answer, Effect, Group, Tool, drop_last};

/// What a category holds unless it is told otherwise.
const DEFAULT_PATTERNS: [&str; 1] = ["**/*.md"];

const fn about(name: &'static str, title: &'static str, description: &'static str, effect: Effect) -> About {
    About { name, title, description, effect, group: Group::Manage, long: false }
}

/// A category as the configuration declares it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Declared {
    name: String,
    dir: String,
    patterns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The collections that hold it.
    collections: Vec<String>,
}

impl Answer for Declared {}

impl Declared {
    fn of(config: &ProjectConfig, name: &str, category: &CategorySpec) -> Self {
        Declared {
            name: name.to_owned(),
            dir: category.dir.clone(),
            patterns: category.patterns.clone(),
            description: category.description.clone(),
            collections: holders(config, name),
        }
    }

    /// What stands in the configuration after an edit, with a word on a folder that is not there.
    fn after(call: &Call<'_>, config: &ProjectConfig, name: &str) -> Success<Declared> {
        let Some(category) = config.category(name) else {
            let nothing = CategorySpec { dir: String::new(), patterns: Vec::new(), description: None };
            return Declared::of(config, name, &nothing).into();
        };
        let value = Declared::of(config, name, category);
        let root = call.project.root();
        let is_there = Resolved::category(category, root).is_ok_and(|resolved| resolved.is_there());
        match is_there {
            true => Success::with_message(value, "Call `collection_sync` to index it."),
            false => Success::with_message(value, format!("The folder `{}` does not exist yet.", category.dir)),
        }
    }
}

/// The collections that name a category.
fn holders(config: &ProjectConfig, category: &str) -> Vec<String> {
    let holds = |names: &[String]| names.iter().any(|name| name == category);
    let holders = config.collections.iter().filter(|(_, declaration)| holds(&declaration.categories));
    holders.map(|(name, _)| name.clone()).collect()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddArgs {
    /// The name: 1 to 30 letters, digits, `-` and `_`, with a letter or digit at both ends.
    #[schemars(regex(pattern = NAME_RULE), example = &"guides")]
    name: String,
    /// The folder, relative to the project and inside it (default: the name).
    #[serde(default)]
    #[schemars(example = &"docs/guides")]
    dir: Option<String>,
    /// Globs of its files (default `["**/*.md"]`). `*` does not cross `/`, `**` does.
    #[serde(default)]
    #[schemars(example = ["**/*.md", "*.txt"])]
    patterns: Option<Vec<String>>,
    /// What it is for, in at most 500 characters without quotes.
    #[serde(default)]
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"For newcomers")]
    description: Option<String>,
}

pub(crate) struct Add;

impl Tool for Add {
    const ABOUT: About = about(
        "category_add",
        "Add a category",
        "Declare a category: a named folder of the project and patterns of its files, which collections can hold.",
        Effect::Adds,
    );
    type Args = AddArgs;
    type Answer = Declared;

    fn run(call: &Call<'_>, args: AddArgs) -> Result<Success<Declared>, Failure> {
        let AddArgs { name, dir, patterns, description } = args;
        let category = CategorySpec {
            dir: dir.unwrap_or_else(|| name.clone()),
            patterns: patterns.unwrap_or_else(|| DEFAULT_PATTERNS.map(str::to_owned).to_vec()),
            description,
        };
        let config = call.edit(|edit| edit.add_category(&name, &category))?;
        Ok(Declared::after(call, &config, &name))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameArgs {
    /// The name of the category.
    #[schemars(example = &"guides")]
    name: String,
}

pub(crate) struct Remove;

impl Tool for Remove {
    const ABOUT: About = about(
        "category_remove",
        "Remove a category",
        "Take a category out of the project's configuration and out of every collection that holds it. Its files stay.",
        Effect::Changes,
    );
    type Args = NameArgs;
    type Answer = Removed;

    fn run(call: &Call<'_>, args: NameArgs) -> Result<Success<Removed>, Failure> {
        let mut also_changed = Vec::new();
        call.edit(|edit| {
            let edited = edit.remove_category(&args.name)?;
            also_changed = holders(&edited.before, &args.name);
            Ok(edited)
        })?;
        let message = format!("The category `{}` was removed.", args.name);
        Ok(Success::with_message(Removed { removed: args.name, also_changed }, message))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeArgs {
    /// The name of the category.
    #[schemars(example = &"guides")]
    name: String,
    /// Another name for it, also in every collection that holds it, by the same rule as for `category_add`.
    #[serde(default)]
    #[schemars(regex(pattern = NAME_RULE), example = &"howto")]
    new_name: Option<String>,
    /// Another folder, relative to the project and inside it.
    #[serde(default)]
    #[schemars(example = &"docs/howto")]
    dir: Option<String>,
    /// Patterns in place of all that it has.
    #[serde(default)]
    #[schemars(example = ["**/*.md"])]
    patterns: Option<Vec<String>>,
    /// Another description; an empty string takes it out.
    #[serde(default)]
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"How things are done")]
    description: Option<String>,
}

pub(crate) struct Change;

impl Tool for Change {
    const ABOUT: About = about(
        "category_change",
        "Change a category",
        "Rename a category, or replace its folder, its description or all its patterns. To add or remove single patterns use `category_update`.",
        Effect::Changes,
    );
    type Args = ChangeArgs;
    type Answer = Declared;

    fn run(call: &Call<'_>, args: ChangeArgs) -> Result<Success<Declared>, Failure> {
        let ChangeArgs { name, new_name, dir, patterns, description } = args;
        let change = CategoryChange { new_name: new_name.clone(), dir, patterns, description };
        let config = call.edit(|edit| edit.change_category(&name, &change))?;
        Ok(Declared::after(call, &config, &new_name.unwrap_or(name)))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateArgs {
    /// The name of the category.
    #[schemars(example = &"guides")]
    name: String,
    /// Patterns to add.
    #[serde(default)]
    #[schemars(example = ["*.txt"])]
    add_patterns: Vec<String>,
    /// Patterns to remove, before others are added; those that it does not have are ignored.
    #[serde(default)]
    #[schemars(example = ["**/*.md"])]
    remove_patterns: Vec<String>,
}

pub(crate) struct Update;

impl Tool for Update {
    const ABOUT: About = about(
        "category_update",
        "Update a category",
        "Add patterns to a category or remove some from it; the others stay. To rename it or replace all use `category_change`.",
        Effect::Changes,
    );
    type Args = UpdateArgs;
    type Answer = Declared;

    fn run(call: &Call<'_>, args: UpdateArgs) -> Result<Success<Declared>, Failure> {
        let config = call.edit(|edit| edit.update_category(&args.name, &args.add_patterns, &args.remove_patterns))?;
        Ok(Declared::after(call, &config, &args.name))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// Token budget of the answer (default 6000).
    #[serde(default)]
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListAnswer {
    categories: Vec<Declared>,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_listed: Option<usize>,
}

impl Answer for ListAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if self.categories.is_empty() {
            return false;
        }
        let dropped = drop_last(&mut self.categories, share);
        self.not_listed = Some(self.not_listed.unwrap_or(0) + dropped);
        true
    }
}

pub(crate) struct List;

impl Tool for List {
    const ABOUT: About = about(
        "category_list",
        "List categories",
        "The categories of the project: their folders and patterns, and the collections that hold them.",
        Effect::Reads,
    );
    type Args = ListArgs;
    type Answer = ListAnswer;

    fn budget(args: &ListArgs) -> usize {
        budget(args.max_tokens)
    }

    fn run(call: &Call<'_>, _args: ListArgs) -> Result<Success<ListAnswer>, Failure> {
        let Some(project) = &call.project.local else {
            return Ok(ListAnswer { categories: Vec::new(), not_listed: None }.into());
        };
        let config = &project.config;
        let declared = |(name, category): &(String, CategorySpec)| Declared::of(config, name, category);
        let categories = config.categories.iter().map(declared).collect();
        Ok(ListAnswer { categories, not_listed: None }.into())
    }
}
