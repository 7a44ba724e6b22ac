//! Maven and Gradle.
//!
//! Neither writes a lock file by itself. What fixes versions is read: `gradle.lockfile`, else the components that
//! `gradle/verification-metadata.xml` lists, and the versions that `pom.xml` gives or has for itself. A version that a parent or a bill
//! of materials elsewhere gives is not known here, and is named in a warning.

mod gradle;
mod pom;

pub(crate) use gradle::{lock_file, verification};
pub(crate) use pom::pom;

/// So many packages are named in a warning.
const NAMED: usize = 3;

/// Names for a warning: a few of them, and how many more there are.
fn some(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
