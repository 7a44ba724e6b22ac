//! Edits of collections.

use super::checks;
use super::draft::{Draft, changed, collection_value, each_once, set_list, set_text, some_text, source_fields};
use super::error::{Declared, EditError, EditResult};
use super::{ConfigEdit, Edited};
use crate::project::{CollectionSpec, Declaration};

const KIND: Declared = Declared::Collection;

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
        checks::name(KIND, name)?;
        checks::description(declaration.description.as_deref())?;
        checks::length("categories", &declaration.categories)?;
        self.change(|draft| {
            if draft.config.get(name).is_some() {
                return Err(EditError::AlreadyExists { kind: KIND, name: name.to_owned() });
            }
            checks::known(draft.config, declaration.categories.iter())?;
            let declaration = Declaration {
                source: declaration.source.clone(),
                categories: each_once(&declaration.categories),
                description: some_text(declaration.description.as_deref()).map(str::to_owned),
            };
            draft.append(KIND, name, collection_value(&declaration));
            Ok(())
        })
    }

    pub fn remove_collection(&self, name: &str) -> EditResult<Edited> {
        self.change(|draft| {
            draft.entry(KIND, name)?.remove();
            Ok(())
        })
    }

    /// Gives a collection another name, description or list of categories. Its source stays.
    pub fn change_collection(&self, name: &str, change: &CollectionChange) -> EditResult<Edited> {
        checks::description(change.description.as_deref())?;
        checks::length("categories", change.categories.as_deref().unwrap_or_default())?;
        self.change(|draft| {
            let fields = draft.fields(KIND, name)?;
            if let Some(categories) = &change.categories {
                checks::known(draft.config, categories.iter())?;
                write_categories(draft, name, &each_once(categories))?;
            }
            if let Some(description) = &change.description {
                set_text(&fields, "description", some_text(Some(description)));
            }
            match change.new_name.as_deref().filter(|new_name| *new_name != name) {
                Some(new_name) => rename(draft, name, new_name),
                None => Ok(()),
            }
        })
    }

    /// Takes categories out of a collection, then adds others. Those to take out that it does not have are ignored.
    pub fn update_collection(&self, name: &str, add: &[String], remove: &[String]) -> EditResult<Edited> {
        checks::length("add_categories", add)?;
        checks::length("remove_categories", remove)?;
        self.change(|draft| {
            let Some(declaration) = draft.config.get(name) else { return Err(draft.not_found(KIND, name)) };
            checks::known(draft.config, add.iter())?;
            write_categories(draft, name, &changed(&declaration.categories, remove, add))
        })
    }

    /// Gives a collection another source. Its categories and description stay.
    pub fn set_source(&self, name: &str, source: &CollectionSpec) -> EditResult<Edited> {
        self.change(|draft| {
            let fields = draft.fields(KIND, name)?;
            for (key, value) in source_fields(Some(source)) {
                set_text(&fields, key, value);
            }
            Ok(())
        })
    }
}

/// Writes the categories of a collection, if they are others than before.
pub(super) fn write_categories(draft: &Draft<'_>, name: &str, categories: &[String]) -> EditResult<()> {
    if draft.config.get(name).is_none_or(|declaration| declaration.categories != categories) {
        set_list(&draft.fields(KIND, name)?, "categories", categories);
    }
    Ok(())
}

fn rename(draft: &Draft<'_>, name: &str, new_name: &str) -> EditResult<()> {
    checks::name(KIND, new_name)?;
    if draft.config.get(new_name).is_some() {
        return Err(EditError::NameConflict { kind: KIND, name: new_name.to_owned() });
    }
    draft.rename(KIND, name, new_name)
}
