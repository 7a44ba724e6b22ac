//! Edits of categories, which carry through the collections that name them.

use super::checks;
use super::collections::write_categories;
use super::draft::{Draft, category_value, changed, each_once, rename_in_list, set_list, set_text, some_text};
use super::error::{Declared, EditError, EditResult};
use super::{ConfigEdit, Edited};
use crate::project::CategorySpec;

const KIND: Declared = Declared::Category;

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
        checks::name(KIND, name)?;
        checks::length("patterns", &category.patterns)?;
        let category = CategorySpec {
            dir: category.dir.clone(),
            patterns: each_once(&category.patterns),
            description: some_text(category.description.as_deref()).map(str::to_owned),
        };
        self.change(|draft| {
            checks::category(&category, draft.root)?;
            if draft.config.category(name).is_some() {
                return Err(EditError::AlreadyExists { kind: KIND, name: name.to_owned() });
            }
            draft.append(KIND, name, category_value(&category));
            Ok(())
        })
    }

    /// Takes a category out, also of every collection that has it.
    pub fn remove_category(&self, name: &str) -> EditResult<Edited> {
        self.change(|draft| {
            draft.entry(KIND, name)?.remove();
            carry(draft, name, None)
        })
    }

    /// Gives a category another name, folder, description or list of patterns.
    pub fn change_category(&self, name: &str, change: &CategoryChange) -> EditResult<Edited> {
        checks::length("patterns", change.patterns.as_deref().unwrap_or_default())?;
        self.change(|draft| {
            let Some(before) = draft.config.category(name) else { return Err(draft.not_found(KIND, name)) };
            let description = change.description.as_deref().or(before.description.as_deref());
            let after = CategorySpec {
                dir: change.dir.as_ref().unwrap_or(&before.dir).clone(),
                patterns: each_once(change.patterns.as_ref().unwrap_or(&before.patterns)),
                description: some_text(description).map(str::to_owned),
            };
            write(draft, name, &after, change.description.is_some())?;
            match change.new_name.as_deref().filter(|new_name| *new_name != name) {
                Some(new_name) => rename(draft, name, new_name),
                None => Ok(()),
            }
        })
    }

    /// Takes patterns out of a category, then adds others. Those to take out that it does not have are ignored.
    pub fn update_category(&self, name: &str, add: &[String], remove: &[String]) -> EditResult<Edited> {
        checks::length("add_patterns", add)?;
        checks::length("remove_patterns", remove)?;
        self.change(|draft| {
            let Some(before) = draft.config.category(name) else { return Err(draft.not_found(KIND, name)) };
            let patterns = changed(&before.patterns, remove, add);
            write(draft, name, &CategorySpec { patterns, ..before.clone() }, false)
        })
    }
}

/// Writes what is different about a category. A description that a person wrote against the rule may stay.
fn write(draft: &Draft<'_>, name: &str, after: &CategorySpec, described: bool) -> EditResult<()> {
    let description = after.description.clone().filter(|_| described);
    checks::category(&CategorySpec { description, ..after.clone() }, draft.root)?;
    let fields = draft.fields(KIND, name)?;
    set_text(&fields, "dir", Some(&after.dir));
    if draft.config.category(name).is_none_or(|before| before.patterns != after.patterns) {
        set_list(&fields, "patterns", &after.patterns);
    }
    if described {
        set_text(&fields, "description", after.description.as_deref());
    }
    Ok(())
}

fn rename(draft: &Draft<'_>, name: &str, new_name: &str) -> EditResult<()> {
    checks::name(KIND, new_name)?;
    if draft.config.category(new_name).is_some() {
        return Err(EditError::NameConflict { kind: KIND, name: new_name.to_owned() });
    }
    draft.rename(KIND, name, new_name)?;
    carry(draft, name, Some(new_name))
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
