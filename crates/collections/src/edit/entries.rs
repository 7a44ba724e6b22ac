//! Edits of collections, and of categories, which carry through the collections that name them.

use super::draft::{
    Draft, category_value, changed, collection_value, each_once, rename_in_list, set_chosen, set_list, set_text,
    some_text, source_fields, web_fields,
};
use super::error::{Declared, EditResult};
use super::{ConfigEdit, Edited, checks};
use crate::project::{CategorySpec, CollectionSpec, Declaration};

/// What is to be different about a collection; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct CollectionChange {
    pub new_name: Option<String>,
    /// What it is for; an empty text takes the description out.
    pub description: Option<String>,
    /// Its categories, in place of all that it has.
    pub categories: Option<Vec<String>>,
}

impl ConfigEdit<'_> {
    /// Declares a collection. A configuration that is not there is made.
    pub fn add_collection(&self, name: &str, declaration: &Declaration) -> EditResult<Edited> {
        checks::name(Declared::Collection, name)?;
        checks::description(declaration.description.as_deref())?;
        checks::length("categories", &declaration.categories)?;
        self.change(|draft| {
            draft.check_free(Declared::Collection, name)?;
            checks::known(draft.config, declaration.categories.iter())?;
            let declaration = Declaration {
                source: declaration.source.clone(),
                categories: each_once(&declaration.categories),
                description: some_text(declaration.description.as_deref()).map(str::to_owned),
            };
            draft.append(Declared::Collection, name, collection_value(&declaration));
            Ok(())
        })
    }

    pub fn remove_collection(&self, name: &str) -> EditResult<Edited> {
        self.change(|draft| {
            draft.entry(Declared::Collection, name)?.remove();
            Ok(())
        })
    }

    /// Gives a collection another name, description or list of categories. Its source stays.
    pub fn change_collection(&self, name: &str, change: &CollectionChange) -> EditResult<Edited> {
        checks::description(change.description.as_deref())?;
        checks::length("categories", change.categories.as_deref().unwrap_or_default())?;
        self.change(|draft| {
            let fields = draft.fields(Declared::Collection, name)?;
            if let Some(categories) = &change.categories {
                checks::known(draft.config, categories.iter())?;
                write_categories(draft, name, &each_once(categories))?;
            }
            if let Some(description) = &change.description {
                set_text(&fields, "description", some_text(Some(description)));
            }
            draft.rename(Declared::Collection, name, change.new_name.as_deref()).map(drop)
        })
    }

    /// Takes categories out of a collection, then adds others. Those to take out that it does not have are ignored.
    pub fn update_collection(&self, name: &str, add: &[String], remove: &[String]) -> EditResult<Edited> {
        checks::length("add_categories", add)?;
        checks::length("remove_categories", remove)?;
        self.change(|draft| {
            let Some(declaration) = draft.config.get(name) else {
                return Err(draft.not_found(Declared::Collection, name));
            };
            checks::known(draft.config, add.iter())?;
            write_categories(draft, name, &changed(&declaration.categories, remove, add))
        })
    }

    /// Gives a collection another source. Its categories and description stay.
    pub fn set_source(&self, name: &str, source: &CollectionSpec) -> EditResult<Edited> {
        self.change(|draft| {
            let fields = draft.fields(Declared::Collection, name)?;
            for (key, value) in source_fields(Some(source)) {
                set_text(&fields, key, value);
            }
            set_chosen(&fields, source);
            for (key, value) in web_fields(Some(source)) {
                if let Some(property) = fields.get(key) {
                    property.remove();
                }
                if let Some(value) = value {
                    fields.append(key, value);
                }
            }
            Ok(())
        })
    }
}

/// Writes the categories of a collection, if they are others than before.
fn write_categories(draft: &Draft<'_>, name: &str, categories: &[String]) -> EditResult<()> {
    if draft.config.get(name).is_none_or(|declaration| declaration.categories != categories) {
        set_list(&draft.fields(Declared::Collection, name)?, "categories", categories);
    }
    Ok(())
}

/// What is to be different about a category; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct CategoryChange {
    /// Its name, also in every collection that has it.
    pub new_name: Option<String>,
    pub dir: Option<String>,
    /// Its patterns, in place of all that it has.
    pub patterns: Option<Vec<String>>,
    /// What it is for; an empty text takes the description out.
    pub description: Option<String>,
}

impl ConfigEdit<'_> {
    /// Declares a category. A configuration that is not there is made.
    pub fn add_category(&self, name: &str, category: &CategorySpec) -> EditResult<Edited> {
        checks::name(Declared::Category, name)?;
        checks::length("patterns", &category.patterns)?;
        let category = CategorySpec {
            dir: category.dir.clone(),
            patterns: each_once(&category.patterns),
            description: some_text(category.description.as_deref()).map(str::to_owned),
        };
        self.change(|draft| {
            checks::category(&category, draft.root)?;
            draft.check_free(Declared::Category, name)?;
            draft.append(Declared::Category, name, category_value(&category));
            Ok(())
        })
    }

    /// Takes a category out, also of every collection that has it.
    pub fn remove_category(&self, name: &str) -> EditResult<Edited> {
        self.change(|draft| {
            draft.entry(Declared::Category, name)?.remove();
            carry(draft, name, None)
        })
    }

    /// Gives a category another name, folder, description or list of patterns.
    pub fn change_category(&self, name: &str, change: &CategoryChange) -> EditResult<Edited> {
        checks::length("patterns", change.patterns.as_deref().unwrap_or_default())?;
        self.change(|draft| {
            let Some(before) = draft.config.category(name) else {
                return Err(draft.not_found(Declared::Category, name));
            };
            let description = change.description.as_deref().or(before.description.as_deref());
            let after = CategorySpec {
                dir: change.dir.as_ref().unwrap_or(&before.dir).clone(),
                patterns: each_once(change.patterns.as_ref().unwrap_or(&before.patterns)),
                description: some_text(description).map(str::to_owned),
            };
            write_category(draft, name, &after, change.description.is_some())?;
            match draft.rename(Declared::Category, name, change.new_name.as_deref())? {
                Some(new_name) => carry(draft, name, Some(new_name)),
                None => Ok(()),
            }
        })
    }

    /// Takes patterns out of a category, then adds others. Those to take out that it does not have are ignored.
    pub fn update_category(&self, name: &str, add: &[String], remove: &[String]) -> EditResult<Edited> {
        checks::length("add_patterns", add)?;
        checks::length("remove_patterns", remove)?;
        self.change(|draft| {
            let Some(before) = draft.config.category(name) else {
                return Err(draft.not_found(Declared::Category, name));
            };
            let patterns = changed(&before.patterns, remove, add);
            write_category(draft, name, &CategorySpec { patterns, ..before.clone() }, false)
        })
    }
}

/// Writes what is different about a category. A description that a person wrote against the rule may stay.
fn write_category(draft: &Draft<'_>, name: &str, after: &CategorySpec, described: bool) -> EditResult<()> {
    let description = after.description.clone().filter(|_| described);
    checks::category(&CategorySpec { description, ..after.clone() }, draft.root)?;
    let fields = draft.fields(Declared::Category, name)?;
    set_text(&fields, "dir", Some(&after.dir));
    if draft.config.category(name).is_none_or(|before| before.patterns != after.patterns) {
        set_list(&fields, "patterns", &after.patterns);
    }
    if described {
        set_text(&fields, "description", after.description.as_deref());
    }
    Ok(())
}

/// Writes a category's new name into the collections that have it, or takes it out of them.
fn carry(draft: &Draft<'_>, name: &str, new_name: Option<&str>) -> EditResult<()> {
    for (collection, declaration) in &draft.config.collections {
        let has = |wanted: &str| declaration.categories.iter().any(|category| category == wanted);
        match new_name {
            _ if !has(name) => {}
            Some(new_name) if !has(new_name) => {
                rename_in_list(&draft.fields(Declared::Collection, collection)?, "categories", name, new_name);
            }
            // It is to go, or the list has the new name already.
            _ => write_categories(draft, collection, &changed(&declaration.categories, &[name.to_owned()], &[]))?,
        }
    }
    Ok(())
}
