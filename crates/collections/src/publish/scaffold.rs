//! A first manifest.

use std::path::Path;

use ai_assist_admit::Globs;

use crate::files::replace;
use crate::{Error, Result};

#[derive(Debug, Clone)]
pub struct NewManifest {
    pub name: String,
    pub version: String,
    pub description: Option<String>,
    pub globs: Vec<String>,
}

pub fn write_manifest(file: &Path, new: &NewManifest, force: bool) -> Result<()> {
    if file.exists() && !force {
        return Err(Error::AlreadyInitialised(file.to_owned()));
    }
    Globs::new(&new.globs)?;
    let mut manifest = serde_json::json!({
        "name": new.name,
        "version": new.version,
    });
    if let (Some(description), Some(object)) = (&new.description, manifest.as_object_mut()) {
        object.insert("description".to_owned(), description.clone().into());
    }
    if let Some(object) = manifest.as_object_mut() {
        object.insert("sources".to_owned(), serde_json::json!({ "glob": new.globs }));
    }
    replace(file, &format!("{manifest:#}\n"))
}
