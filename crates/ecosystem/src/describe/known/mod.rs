//! What well-known dependencies say of a project.
//!
//! To teach a description a new framework, add a row to the table of its ecosystem: the name of the dependency, which may
//! end in `*`, what to call it, and its role. The first row that fits is taken, so put the longer name before its prefix.

mod compiled;
mod scripted;

use compiled::{CARGO, GO, GRADLE_PLUGIN, IMAGES, MAVEN, NATIVE, NUGET};
use scripted::{COMPOSER, NPM, PYTHON, RUBYGEMS};

/// What a dependency is to those who use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Something worth naming: a framework, a database, a language.
    Technology,
    /// A technology that answers requests: a program with it is an API.
    Server,
    /// A technology that makes pages: a program with it is for the web.
    Web,
    /// A technology that reads arguments: a program with it is for the command line.
    Cli,
    Test,
    Build,
}

/// A dependency that the tables know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) shown: &'static str,
    pub(super) role: Role,
}

type Table = &'static [(&'static str, &'static str, Role)];

/// What the tables say of a dependency.
pub(super) fn known(ecosystem: &str, name: &str) -> Option<Known> {
    let lower = name.to_ascii_lowercase();
    let (table, name) = match ecosystem {
        "cargo" => (CARGO, name),
        "npm" => (NPM, name),
        "python" => (PYTHON, name),
        "go" => (GO, name),
        "maven" => (MAVEN, name),
        "gradle-plugin" => (GRADLE_PLUGIN, name),
        "rubygems" => (RUBYGEMS, name),
        "composer" => (COMPOSER, name),
        "nuget" => (NUGET, name),
        "image" => (IMAGES, name),
        _ => (NATIVE, lower.as_str()),
    };
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    };
    table.iter().find(|(pattern, ..)| fits(pattern)).map(|&(_, shown, role)| Known { shown, role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_hidden_by_one_before_it() {
        let tables = [CARGO, NPM, PYTHON, GO, MAVEN, GRADLE_PLUGIN, RUBYGEMS, COMPOSER, NUGET, NATIVE, IMAGES];
        for table in tables {
            for (at, (pattern, ..)) in table.iter().enumerate() {
                let name = pattern.trim_end_matches('*');
                let hidden = table[..at].iter().any(|(before, ..)| match before.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => before == pattern,
                });
                assert!(!hidden, "{pattern}");
            }
        }
    }

    #[test]
    fn names_are_found_in_their_own_ecosystem() {
        assert_eq!(known("npm", "jest").unwrap().shown, "jest");
        assert_eq!(known("cargo", "jest"), None);
        assert_eq!(known("cmake", "GTest").unwrap().role, Role::Test);
        assert_eq!(known("nuget", "xunit.runner.visualstudio").unwrap().shown, "xunit");
    }
}
