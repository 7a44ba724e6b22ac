//! JSON, one entry on each line: easy to compare, and its tokens can be counted in pieces.

use rayon::prelude::*;
use serde::Serialize;

use super::{BATCH, FileRef, PackRef, Sink};
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

pub(super) fn pack(pack: PackRef<'_>, sink: Sink<'_>) -> Result<(), PackError> {
    let mut out = Object { sink, fields: 0 };
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
    (out.sink)("\n}\n")
}

struct Object<'a> {
    sink: Sink<'a>,
    fields: usize,
}

impl Object<'_> {
    fn key(&mut self, name: &str) -> Result<(), PackError> {
        (self.sink)(if self.fields == 0 { "{\n\"" } else { ",\n\"" })?;
        self.fields += 1;
        (self.sink)(name)?;
        (self.sink)("\":")
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), PackError> {
        self.key(name)?;
        (self.sink)(&line(value)?)
    }

    fn array<T: Serialize + Sync>(&mut self, name: &str, values: &[T]) -> Result<(), PackError> {
        self.key(name)?;
        (self.sink)("[")?;
        let mut between = "\n";
        for batch in values.chunks(BATCH) {
            let lines: Vec<String> = batch.par_iter().map(line).collect::<Result<_, PackError>>()?;
            for line in lines {
                (self.sink)(between)?;
                (self.sink)(&line)?;
                between = ",\n";
            }
        }
        (self.sink)(if values.is_empty() { "]" } else { "\n]" })
    }
}
