//! `category_*`: named folders of the project, with patterns.

use ai_assist_admit::Globs;
use ai_assist_collections::{CategoryChange, CategorySpec, ProjectConfig, Resolved};

use super::collections::{DESCRIPTION_RULE, NAME_RULE, Removed, SYNC_NEXT};
use super::common::*;

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
        let nothing = CategorySpec { dir: String::new(), patterns: Vec::new(), description: None };
        let category = config.category(name).unwrap_or(&nothing);
        let is_there = Resolved::category(category, call.project.root()).is_ok_and(|resolved| resolved.is_there());
        let message = match is_there {
            true => SYNC_NEXT.to_owned(),
            false => format!("The folder `{}` does not exist yet.", category.dir),
        };
        Success::with_message(Declared::of(config, name, category), message)
    }
}

/// The collections that name a category.
fn holders(config: &ProjectConfig, category: &str) -> Vec<String> {
    let holds = |names: &[String]| names.iter().any(|name| name == category);
    let holders = config.collections.iter().filter(|(_, declaration)| holds(&declaration.categories));
    holders.map(|(name, _)| name.clone()).collect()
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddArgs {
    /// The name: 1 to 30 letters, digits, `-` and `_`, with a letter or digit at both ends.
    #[schemars(regex(pattern = NAME_RULE), example = &"guides")]
    name: String,
    /// The folder, relative to the project and inside it (default: the name).
    #[schemars(example = &"docs/guides")]
    dir: Option<String>,
    /// Globs of its files (default `["**/{documents}"]`: documents of every format). `*` does not cross `/`, `**` does.
    #[schemars(example = ["**/*.md", "*.txt"])]
    patterns: Option<Vec<String>>,
    /// What it is for, in at most 500 characters without quotes.
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"For newcomers")]
    description: Option<String>,
}

impl Tool for AddArgs {
    const NAME: &'static str = "category_add";
    const DESCRIPTION: &'static str =
        "Declare a category: a named folder of the project and patterns of its files, which collections can hold.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let AddArgs { name, dir, patterns, description } = args;
        let category = CategorySpec {
            dir: dir.unwrap_or_else(|| name.clone()),
            patterns: patterns.unwrap_or_else(|| vec![Globs::DOCUMENTS.to_owned()]),
            description,
        };
        let config = call.edit(|edit| edit.add_category(&name, &category))?;
        Ok(Declared::after(call, &config, &name))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameArgs {
    /// The name of the category.
    #[schemars(example = &"guides")]
    name: String,
}

impl Tool for NameArgs {
    const NAME: &'static str = "category_remove";
    const DESCRIPTION: &'static str =
        "Take a category out of the project's configuration and out of every collection that holds it. Its files stay.";
    type Answer = Removed;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Removed>, Failure> {
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

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeArgs {
    /// The name of the category.
    #[schemars(example = &"guides")]
    name: String,
    /// Another name for it, also in every collection that holds it, by the same rule as for `category_add`.
    #[schemars(regex(pattern = NAME_RULE), example = &"howto")]
    new_name: Option<String>,
    /// Another folder, relative to the project and inside it.
    #[schemars(example = &"docs/howto")]
    dir: Option<String>,
    /// Patterns in place of all that it has.
    #[schemars(example = ["**/*.md"])]
    patterns: Option<Vec<String>>,
    /// Another description; an empty string takes it out.
    #[schemars(regex(pattern = DESCRIPTION_RULE), example = &"How things are done")]
    description: Option<String>,
}

impl Tool for ChangeArgs {
    const NAME: &'static str = "category_change";
    const DESCRIPTION: &'static str = "Rename a category, or replace its folder, its description or all its patterns. To add or remove single patterns use `category_update`.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let ChangeArgs { name, new_name, dir, patterns, description } = args;
        let change = CategoryChange { new_name: new_name.clone(), dir, patterns, description };
        let config = call.edit(|edit| edit.change_category(&name, &change))?;
        Ok(Declared::after(call, &config, &new_name.unwrap_or(name)))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
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

impl Tool for UpdateArgs {
    const NAME: &'static str = "category_update";
    const DESCRIPTION: &'static str = "Add patterns to a category or remove some from it; the others stay. To rename it or replace all use `category_change`.";
    type Answer = Declared;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Declared>, Failure> {
        let config = call.edit(|edit| edit.update_category(&args.name, &args.add_patterns, &args.remove_patterns))?;
        Ok(Declared::after(call, &config, &args.name))
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
pub(crate) struct ListAnswer {
    categories: Vec<Declared>,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for ListAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.categories, &mut self.not_listed, share)
    }
}

impl Tool for ListArgs {
    const NAME: &'static str = "category_list";
    const DESCRIPTION: &'static str =
        "The categories of the project: their folders and patterns, and the collections that hold them.";
    type Answer = ListAnswer;

    fn run(call: &Call<'_>, _args: Self) -> Result<Success<ListAnswer>, Failure> {
        let mut categories = Vec::new();
        if let Some(project) = &call.project.local {
            let config = &project.config;
            let declared = |(name, category): &(String, CategorySpec)| Declared::of(config, name, category);
            categories.extend(config.categories.iter().map(declared));
        }
        Ok(ListAnswer { categories, not_listed: 0 }.into())
    }
}
