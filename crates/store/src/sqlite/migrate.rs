//! The schema, step by step. `user_version` counts the steps taken.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Error, Result};

use super::fault::Fault;
use super::open::{APPLICATION, version};
use super::row::now;

/// In order; never changed once released, only added to.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001-initial.sql"),
    include_str!("../../migrations/0002-packages.sql"),
    include_str!("../../migrations/0003-objects.sql"),
    include_str!("../../migrations/0004-readings.sql"),
    include_str!("../../migrations/0005-converters.sql"),
    include_str!("../../migrations/0006-texts-once.sql"),
];

pub(super) fn known() -> i64 {
    count(MIGRATIONS)
}

pub(super) fn count(migrations: &[&str]) -> i64 {
    // A handful of files that we wrote.
    migrations.len() as i64
}

/// Takes the steps that are missing, all in one transaction under the lock, so that of two processes one does it and the
/// other finds it done.
pub(super) fn migrate(connection: &Connection, migrations: &[&str], path: &Path) -> Result<(), Fault> {
    // A step may have to make a table anew, which must not cascade; and this can't be switched inside a transaction.
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Exclusive)?;
    let found = version(&transaction)?;
    let known = count(migrations);
    if found > known {
        return Err(Error::NewerVersion { path: path.to_owned(), found, known }.into());
    }
    let missing = usize::try_from(found).ok().and_then(|found| migrations.get(found..));
    let missing = missing.ok_or_else(|| Fault::Corrupt(format!("schema version {found}")))?;
    for step in missing {
        transaction.execute_batch(step)?;
    }
    if !missing.is_empty() {
        let program = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        let set =
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        if found == 0 {
            transaction.execute(set, ["created_by", program])?;
            transaction.execute(set, ["created_at", &now()])?;
        }
        transaction.execute(set, ["schema_version", &known.to_string()])?;
        transaction.execute(set, ["migrated_by", program])?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", known)?;
    }
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: &str = "ALTER TABLE collections ADD COLUMN extra TEXT";
    const BROKEN: &str = "ALTER TABLE collections ADD COLUMN extra TEXT; INSERT INTO nowhere VALUES (1);";

    fn columns(db: &Connection) -> i64 {
        db.query_row("SELECT count(*) FROM pragma_table_info('collections')", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn steps_are_taken_once_and_only_what_is_missing() {
        let db = Connection::open_in_memory().unwrap();
        let path = Path::new("here");
        migrate(&db, MIGRATIONS, path).unwrap();
        let before = columns(&db);
        let later = [MIGRATIONS, &[SECOND]].concat();
        migrate(&db, &later, path).unwrap();
        migrate(&db, &later, path).unwrap();
        assert_eq!(columns(&db), before + 1);
        assert_eq!(version(&db).unwrap(), known() + 1);
        let refused = migrate(&db, MIGRATIONS, path).unwrap_err();
        assert!(matches!(refused, Fault::Refused(Error::NewerVersion { .. })), "{refused:?}");
    }

    #[test]
    fn a_step_that_fails_leaves_nothing() {
        let db = Connection::open_in_memory().unwrap();
        let path = Path::new("here");
        migrate(&db, MIGRATIONS, path).unwrap();
        let before = columns(&db);
        migrate(&db, &[MIGRATIONS, &[BROKEN]].concat(), path).unwrap_err();
        assert_eq!((columns(&db), version(&db).unwrap()), (before, known()));
    }
}
