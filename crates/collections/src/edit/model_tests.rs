//! Any sequence of edits does to the file what it does to a plain model of it.

use proptest::prelude::*;

use super::*;
use crate::project::{CategorySpec, CollectionSpec, Declaration};

/// What is expected of an edit: nothing, or the type of its error.
type Outcome<T> = std::result::Result<T, &'static str>;

/// What the file should declare.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    collections: Vec<(String, Declaration)>,
    categories: Vec<(String, CategorySpec)>,
}

#[derive(Debug, Clone)]
enum Step {
    AddCollection(String, Declaration),
    RemoveCollection(String),
    ChangeCollection(String, CollectionChange),
    UpdateCollection(String, Vec<String>, Vec<String>),
    SetSource(String, CollectionSpec),
    AddCategory(String, CategorySpec),
    RemoveCategory(String),
    ChangeCategory(String, CategoryChange),
    UpdateCategory(String, Vec<String>, Vec<String>),
}

fn once(list: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    list.iter().filter(|name| seen.insert(name.as_str())).cloned().collect()
}

fn position<T>(list: &[(String, T)], name: &str) -> Outcome<usize> {
    list.iter().position(|(found, _)| found == name).ok_or("not_found")
}

fn is_free<T>(list: &[(String, T)], name: &str, error: &'static str) -> Outcome<()> {
    if position(list, name).is_ok() { Err(error) } else { Ok(()) }
}

fn text(description: &str) -> Option<String> {
    (!description.is_empty()).then(|| description.to_owned())
}

impl Model {
    fn know(&self, categories: &[String]) -> Outcome<()> {
        let known = categories.iter().all(|name| position(&self.categories, name).is_ok());
        if known { Ok(()) } else { Err("category_not_found") }
    }

    fn apply(&mut self, step: &Step) -> Outcome<()> {
        match step {
            Step::AddCollection(name, declaration) => {
                is_free(&self.collections, name, "already_exists")?;
                self.know(&declaration.categories)?;
                let mut declaration = declaration.clone();
                declaration.categories = once(&declaration.categories);
                declaration.description = declaration.description.filter(|text| !text.is_empty());
                self.collections.push((name.clone(), declaration));
            }
            Step::RemoveCollection(name) => {
                self.collections.remove(position(&self.collections, name)?);
            }
            Step::ChangeCollection(name, change) => {
                let at = position(&self.collections, name)?;
                if let Some(categories) = &change.categories {
                    self.know(categories)?;
                }
                if let Some(new_name) = change.new_name.as_ref().filter(|new_name| *new_name != name) {
                    is_free(&self.collections, new_name, "name_conflict")?;
                    self.collections[at].0 = new_name.clone();
                }
                let declaration = &mut self.collections[at].1;
                if let Some(categories) = &change.categories {
                    declaration.categories = once(categories);
                }
                if let Some(description) = &change.description {
                    declaration.description = text(description);
                }
            }
            Step::UpdateCollection(name, add, remove) => {
                let at = position(&self.collections, name)?;
                self.know(add)?;
                let categories = &mut self.collections[at].1.categories;
                categories.retain(|name| !remove.contains(name));
                categories.extend(add.iter().cloned());
                *categories = once(categories);
            }
            Step::SetSource(name, source) => {
                let at = position(&self.collections, name)?;
                self.collections[at].1.source = Some(source.clone());
            }
            Step::AddCategory(name, category) => {
                is_free(&self.categories, name, "already_exists")?;
                let mut category = category.clone();
                category.patterns = once(&category.patterns);
                self.categories.push((name.clone(), category));
            }
            Step::RemoveCategory(name) => {
                self.categories.remove(position(&self.categories, name)?);
                self.collections.iter_mut().for_each(|(_, found)| found.categories.retain(|found| found != name));
            }
            Step::ChangeCategory(name, change) => self.change_category(name, change)?,
            Step::UpdateCategory(name, add, remove) => {
                let at = position(&self.categories, name)?;
                let mut patterns = self.categories[at].1.patterns.clone();
                patterns.retain(|pattern| !remove.contains(pattern));
                patterns.extend(add.iter().cloned());
                if patterns.is_empty() {
                    return Err("validation_error");
                }
                self.categories[at].1.patterns = once(&patterns);
            }
        }
        Ok(())
    }

    fn change_category(&mut self, name: &str, change: &CategoryChange) -> Outcome<()> {
        let at = position(&self.categories, name)?;
        if let Some(new_name) = change.new_name.as_ref().filter(|new_name| *new_name != name) {
            is_free(&self.categories, new_name, "name_conflict")?;
            self.categories[at].0 = new_name.clone();
            for category in self.collections.iter_mut().flat_map(|(_, found)| &mut found.categories) {
                if category == name {
                    category.clone_from(new_name);
                }
            }
        }
        let category = &mut self.categories[at].1;
        if let Some(dir) = &change.dir {
            category.dir = dir.clone();
        }
        if let Some(patterns) = &change.patterns {
            category.patterns = once(patterns);
        }
        if let Some(description) = &change.description {
            category.description = text(description);
        }
        Ok(())
    }
}

impl Step {
    fn apply(&self, edit: ConfigEdit<'_>) -> EditResult<Edited> {
        match self {
            Step::AddCollection(name, declaration) => edit.add_collection(name, declaration),
            Step::RemoveCollection(name) => edit.remove_collection(name),
            Step::ChangeCollection(name, change) => edit.change_collection(name, change),
            Step::UpdateCollection(name, add, remove) => edit.update_collection(name, add, remove),
            Step::SetSource(name, source) => edit.set_source(name, source),
            Step::AddCategory(name, category) => edit.add_category(name, category),
            Step::RemoveCategory(name) => edit.remove_category(name),
            Step::ChangeCategory(name, change) => edit.change_category(name, change),
            Step::UpdateCategory(name, add, remove) => edit.update_category(name, add, remove),
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d-1"]).prop_map(str::to_owned)
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(name(), 0..4)
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let one = prop::sample::select(vec!["*.md", "**/*.txt", "a,b", "*.{x,y}", "\\[odd\\]"]).prop_map(str::to_owned);
    prop::collection::vec(one, 1..4)
}

fn description() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec!["", "Plain", "with \\ and /* é */ // in it"]).prop_map(str::to_owned))
}

fn source() -> impl Strategy<Value = CollectionSpec> {
    prop_oneof![
        Just(CollectionSpec::files("x", "*.md")),
        Just(CollectionSpec::package("https://example.com/manifest.json")),
        Just(CollectionSpec::File { path: "y".into(), glob: "*".into(), dependency: Some("cargo:serde@1.0.0".into()) }),
    ]
}

fn declaration() -> impl Strategy<Value = Declaration> {
    (prop::option::of(source()), names(), description()).prop_map(|(source, categories, description)| Declaration {
        source,
        categories,
        description,
    })
}

fn category() -> impl Strategy<Value = CategorySpec> {
    let dir = prop::sample::select(vec![".", "docs", "a b/c"]);
    (dir, patterns(), prop::option::of(Just("What for".to_owned())))
        .prop_map(|(dir, patterns, description)| CategorySpec { dir: dir.to_owned(), patterns, description })
}

fn step() -> impl Strategy<Value = Step> {
    let change = (prop::option::of(name()), description(), prop::option::of(names()))
        .prop_map(|(new_name, description, categories)| CollectionChange { new_name, description, categories });
    let dir = prop::option::of(prop::sample::select(vec!["docs", "other"]).prop_map(str::to_owned));
    let change_category = (prop::option::of(name()), dir, prop::option::of(patterns()), description())
        .prop_map(|(new_name, dir, patterns, description)| CategoryChange { new_name, dir, patterns, description });
    prop_oneof![
        4 => (name(), declaration()).prop_map(|(name, declaration)| Step::AddCollection(name, declaration)),
        1 => name().prop_map(Step::RemoveCollection),
        2 => (name(), change).prop_map(|(name, change)| Step::ChangeCollection(name, change)),
        3 => (name(), names(), names()).prop_map(|(name, add, remove)| Step::UpdateCollection(name, add, remove)),
        1 => (name(), source()).prop_map(|(name, source)| Step::SetSource(name, source)),
        4 => (name(), category()).prop_map(|(name, category)| Step::AddCategory(name, category)),
        1 => name().prop_map(Step::RemoveCategory),
        2 => (name(), change_category).prop_map(|(name, change)| Step::ChangeCategory(name, change)),
        2 => (name(), patterns(), patterns()).prop_map(|(name, add, remove)| Step::UpdateCategory(name, add, remove)),
    ]
}

/// Files as people write them. The comments stand where no entry is ever taken out.
const BEGINNINGS: [&str; 5] = [
    "",
    "{}",
    "// top\n{\n\t\"collections\": {}, // here\n\t\"settings\": { \"search\": { \"limit\": 7 } } /* end */\n}\n",
    "{\r\n  \"categories\": {\r\n    // inside\r\n  },\r\n  \"collections\": {\r\n  },\r\n}\r\n// bottom",
    "{ \"collections\": { }, \"categories\": { } } // tail",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn the_file_is_what_the_model_says(
        beginning in prop::sample::select(BEGINNINGS.to_vec()),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("context.json");
        std::fs::write(&file, beginning).unwrap();
        let comments: Vec<&str> =
            ["// top", "// here", "/* end */", "// inside", "// bottom", "// tail"].into_iter().filter(|comment| beginning.contains(comment)).collect();
        let mut model = Model::default();
        for step in &steps {
            let before = std::fs::read_to_string(&file).unwrap();
            let mut next = model.clone();
            let expected = next.apply(step);
            let done = step.apply(ConfigEdit::new(&file));
            let text = std::fs::read_to_string(&file).unwrap();
            match (expected, done) {
                (Ok(()), Ok(edited)) => {
                    model = next;
                    let after = Model { collections: edited.after.collections, categories: edited.after.categories };
                    prop_assert_eq!(&after, &model, "{:?}\n{}", step, text);
                }
                (Err(expected), Err(error)) => {
                    prop_assert_eq!(error.error_type(), expected, "{:?}: {}", step, error);
                    prop_assert_eq!(&text, &before);
                }
                (expected, done) => prop_assert!(false, "{step:?}: {expected:?} and {done:?}\n{before}"),
            }
            let mut warnings = Vec::new();
            let read = parse(&file, &text, &mut warnings).unwrap();
            prop_assert!(warnings.is_empty(), "{:?}\n{}", warnings, text);
            prop_assert_eq!(&Model { collections: read.collections, categories: read.categories }, &model);
            for comment in &comments {
                prop_assert!(text.contains(comment), "{comment} is gone after {step:?}\n{text}");
            }
        }
    }
}
