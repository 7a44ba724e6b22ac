//! JSON, one entry on each line: easy to compare, and its tokens can be counted in pieces.

use rayon::prelude::*;
use serde::Serialize;

use super::{FileRef, PackRef};
use crate::PackError;

pub(crate) fn line<T: Serialize + ?Sized>(value: &T) -> Result<String, PackError> {
    serde_json::to_string(value).map_err(|error| PackError::Write { format: "JSON", message: error.to_string() })
}

pub(super) fn file(file: FileRef<'_>) -> Result<String, PackError> {
    match file {
        FileRef::Key(file) => line(file),
        FileRef::Content(file) => line(file),
        FileRef::Outline(file) => line(file),
    }
}

pub(super) fn pack(pack: PackRef<'_>) -> Result<String, PackError> {
    let mut out = Object::default();
    match pack {
        PackRef::Full(pack) => {
            out.field("type", "full")?;
            out.field("manifest", &pack.manifest)?;
            out.array("file_index", &pack.file_index)?;
            out.array("key_files", &pack.key_files)?;
            out.array("contents", &pack.contents)?;
            if !pack.outlines.is_empty() {
                out.array("outlines", &pack.outlines)?;
            }
            out.field("metadata", &pack.metadata)?;
        }
        PackRef::Summary(pack) => {
            out.field("type", "summary")?;
            out.field("manifest", &pack.manifest)?;
            out.array("file_index", &pack.file_index)?;
            out.field("repo_summary", &pack.repo_summary)?;
            out.array("key_files_summary", &pack.key_files_summary)?;
            out.array("entrypoints", &pack.entrypoints)?;
            out.array("risk_hotspots", &pack.risk_hotspots)?;
            out.field("metadata", &pack.metadata)?;
        }
    }
    out.0.push_str("\n}\n");
    Ok(out.0)
}

#[derive(Default)]
struct Object(String);

impl Object {
    fn key(&mut self, name: &str) {
        self.0.push_str(if self.0.is_empty() { "{\n" } else { ",\n" });
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), PackError> {
        self.key(name);
        self.0.push_str(&line(value)?);
        Ok(())
    }

    fn array<T: Serialize + Sync>(&mut self, name: &str, values: &[T]) -> Result<(), PackError> {
        self.key(name);
        self.0.push('[');
        let lines: Vec<String> = values.par_iter().map(line).collect::<Result<_, PackError>>()?;
        self.0.reserve(lines.iter().map(|line| line.len() + 2).sum());
        for (at, line) in lines.iter().enumerate() {
            self.0.push_str(if at == 0 { "\n" } else { ",\n" });
            self.0.push_str(line);
        }
        self.0.push_str(if values.is_empty() { "]" } else { "\n]" });
        Ok(())
    }
}
