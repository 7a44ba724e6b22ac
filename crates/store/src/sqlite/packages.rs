//! Rows of `packages`.

use ai_assist_identity::{CollectionId, Validators};
use rusqlite::{Connection, params};

use crate::{Error, FileValidators, PackageRecord};

use super::fault::Result;
use super::row::{doc_path, first, optional_sha256, rows, text};

pub(super) fn find(db: &Connection, id: &CollectionId) -> Result<Option<PackageRecord>> {
    let sql = "SELECT name, version, hash, manifest, etag, last_modified, revision, private, complete
               FROM packages WHERE collection = ?1";
    first(db, sql, [id.as_str()], |row| {
        Ok(PackageRecord {
            name: row.get(0)?,
            version: row.get(1)?,
            hash: optional_sha256(row, 2)?,
            manifest: row.get(3)?,
            validators: Validators { etag: row.get(4)?, last_modified: row.get(5)? },
            revision: row.get(6)?,
            private: row.get(7)?,
            complete: row.get(8)?,
            files: files(db, id)?,
        })
    })
}

fn files(db: &Connection, id: &CollectionId) -> Result<Vec<FileValidators>> {
    let sql = "SELECT path, etag, last_modified FROM package_files WHERE collection = ?1 ORDER BY path";
    rows(db, sql, [id.as_str()], |row| {
        let validators = Validators { etag: row.get(1)?, last_modified: row.get(2)? };
        Ok(FileValidators { path: doc_path(text(row, 0)?)?, validators })
    })
}

pub(super) fn set(db: &Connection, id: &CollectionId, package: &PackageRecord) -> Result<()> {
    if super::collections::find(db, id)?.is_none() {
        return Err(Error::UnknownCollection(id.clone()).into());
    }
    // The files go with it.
    db.execute("DELETE FROM packages WHERE collection = ?1", [id.as_str()])?;
    db.execute(
        "INSERT INTO packages
         (collection, name, version, hash, manifest, etag, last_modified, revision, private, complete)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id.as_str(),
            package.name,
            package.version,
            package.hash.as_ref().map(|hash| hash.as_bytes()),
            package.manifest,
            package.validators.etag,
            package.validators.last_modified,
            package.revision,
            package.private,
            package.complete,
        ],
    )?;
    let mut statement =
        db.prepare_cached("INSERT INTO package_files (collection, path, etag, last_modified) VALUES (?1, ?2, ?3, ?4)")?;
    for file in &package.files {
        let Validators { etag, last_modified } = &file.validators;
        statement.execute(params![id.as_str(), file.path.as_str(), etag, last_modified])?;
    }
    Ok(())
}
