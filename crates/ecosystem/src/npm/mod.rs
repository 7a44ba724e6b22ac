//! JavaScript: the lock files of npm, yarn and pnpm.

mod berry;
mod manifest;
mod package_lock;
mod pnpm;
mod yaml_lines;
mod yarn;

pub(crate) use package_lock::{installed, parse as package_lock};
pub(crate) use pnpm::parse as pnpm_lock;
pub(crate) use yarn::parse as yarn_lock;

/// Splits `react@^18.0.0` and `@types/node@npm:^20` at the `@` before the version, not at that of the scope.
fn split_at_version(text: &str) -> Option<(&str, &str)> {
    let skip = usize::from(text.starts_with('@'));
    let at = text[skip..].find('@')? + skip;
    Some((&text[..at], &text[at + 1..]))
}

/// Whether a version is not one but says that the package is a folder of the project.
fn is_local(version: &str) -> bool {
    ["file:", "link:", "portal:", "workspace:"].iter().any(|prefix| version.starts_with(prefix))
}
