//! Changes to a configuration file that keep its order, formatting and comments.
//!
//! There is one way: take the lock, read the file again, change its syntax tree, check the outcome as if a person had written it,
//! and replace the file whole. So two programs that edit at once both keep their edits, and a reader never sees half of one.

mod checks;
mod draft;
mod entries;
mod error;
mod settings;

use std::path::Path;

use ai_assist_base::json::{JsonFile, options};
use jsonc_parser::cst::{CstObject, CstRootNode};

pub use checks::{MAX_DESCRIPTION, MAX_ENTRIES};
pub use entries::{CategoryChange, CollectionChange};
pub use error::{Declared, EditError, EditResult};
pub use settings::set_user_setting;

use crate::files::{edit_lock, read_text, replace};
use crate::project::{ProjectConfig, parse};
use crate::{Error, Result, schema};
use draft::Draft;

/// Writes a new configuration with no collections.
pub fn init_project(file: &Path, force: bool) -> Result<()> {
    let _lock = edit_lock(file)?;
    if file.exists() && !force {
        return Err(Error::AlreadyInitialised(file.to_owned()));
    }
    replace(file, &new_file())?;
    write_schema(file);
    Ok(())
}

/// The folder beside a configuration in which its schema lies, so that an editor finds it without a network.
const SCHEMA_FOLDER: &str = ".ai-assist";

fn new_file() -> String {
    format!("{{\n  \"$schema\": \"./{SCHEMA_FOLDER}/context.schema.json\",\n  \"collections\": {{}}\n}}\n")
}

/// Writes what `$schema` of a new configuration names. It is for editors: a rule keeps it out of indexes and packs, and git has it. Where
/// it can't be written the configuration is as good without it.
fn write_schema(file: &Path) {
    let folder = file.with_file_name(SCHEMA_FOLDER);
    let write = || {
        std::fs::create_dir_all(&folder).map_err(Error::io("creating", &folder))?;
        for schema in schema::schemas().iter().filter(|schema| schema.name == "context") {
            replace(&folder.join(schema.file), &schema.text)?;
        }
        replace(&folder.join(".ignore"), "*\n")
    };
    let _: Result<()> = write();
}

#[derive(Debug, Clone, Copy)]
pub struct ConfigEdit<'a> {
    file: &'a Path,
}

#[derive(Debug, Clone)]
pub struct Edited {
    /// What the file declared when it was read for the edit.
    pub before: ProjectConfig,
    pub after: ProjectConfig,
}

impl<'a> ConfigEdit<'a> {
    pub fn new(file: &'a Path) -> Self {
        ConfigEdit { file }
    }

    /// Changes the file. One that is not there declares nothing, and is made if the change leaves something to write.
    fn change(&self, apply: impl FnOnce(&Draft<'_>) -> EditResult<()>) -> EditResult<Edited> {
        let read = |text: &str| parse(self.file, text, &mut Vec::new()).map_err(EditError::from_read);
        let change =
            |object: &CstObject, before: &ProjectConfig| apply(&Draft { object, config: before, root: self.root() });
        let is_new = !self.file.exists();
        let (before, after) = rewrite(self.file, &new_file(), read, change, checks::sizes)?;
        if is_new && self.file.exists() {
            write_schema(self.file);
        }
        Ok(Edited { before, after })
    }

    fn root(&self) -> &Path {
        self.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

/// Reads a file anew under the lock, changes it, checks the outcome, and replaces it. Returns what it said before and after.
fn rewrite<T>(
    file: &Path,
    new: &str,
    read: impl Fn(&str) -> EditResult<T>,
    apply: impl FnOnce(&CstObject, &T) -> EditResult<()>,
    check: impl FnOnce(&T, &T) -> EditResult<()>,
) -> EditResult<(T, T)> {
    let _lock = edit_lock(file).map_err(EditError::lock)?;
    if file.is_dir() {
        let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(EditError::write(Error::io("writing", file)(source)));
    }
    let text = match read_text(file) {
        Ok(text) => text,
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => new.to_owned(),
        Err(error) => return Err(EditError::from_read(error)),
    };
    let before = read(&text)?;
    let name = file.display().to_string();
    let broken = |error: jsonc_parser::errors::ParseError| {
        JsonFile::new(&name, &text).error(error.range(), error.kind().to_string())
    };
    let root = CstRootNode::parse(&text, &options()).map_err(|error| EditError::Broken(broken(error)))?;
    apply(&root.object_value_or_set(), &before)?;
    let changed = root.to_string();
    let after = read(&changed)?;
    check(&before, &after)?;
    if changed != text || !file.exists() {
        // Some editors begin a file with this mark, and want to find it again.
        let has_mark = std::fs::read(file).is_ok_and(|bytes| bytes.starts_with("\u{feff}".as_bytes()));
        let mark = if has_mark { "\u{feff}" } else { "" };
        replace(file, &format!("{mark}{changed}")).map_err(EditError::write)?;
    }
    Ok((before, after))
}

#[cfg(test)]
mod lock_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
