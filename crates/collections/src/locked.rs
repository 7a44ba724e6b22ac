//! The documents of one dependency, by the name that its package manager has for it: `npm:react`, `pypi:requests`, `crate:serde`.

use ai_assist_base::nearest;
use ai_assist_ecosystem::{DependencyRef, Ecosystem, Homes, PackageName, dependencies};

use crate::suggest::{Origin, suggest};
use crate::{CollectionSpec, Error, Project, Registry, Result};

/// A package of a package manager, as somebody spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyName {
    package: PackageName,
    /// The version, if it was given: it has to be the one in use, or the start of it.
    version: Option<String>,
}

impl std::fmt::Display for DependencyName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.package.spelled())
    }
}

impl DependencyName {
    /// The words that may stand before the `:`.
    pub fn schemes() -> impl Iterator<Item = &'static str> {
        Ecosystem::SPELLINGS.iter().map(|(word, _)| *word)
    }

    /// Reads `npm:NAME[@VERSION]`. Nothing if the text does not begin with the word of a package manager.
    pub fn parse(text: &str) -> Option<Result<Self>> {
        let (scheme, rest) = text.split_once(':')?;
        let ecosystem = Ecosystem::spelled(scheme)?;
        // A scope opens with an `@`, too.
        let (name, version) = match rest.char_indices().skip(1).filter(|(_, c)| *c == '@').last() {
            Some((at, _)) => (&rest[..at], Some(rest[at + 1..].to_owned())),
            None => (rest, None),
        };
        Some(match format!("{ecosystem}:{name}").parse() {
            Ok(package) => Ok(DependencyName { package, version }),
            Err(_) => {
                let name = name.chars().take(80).collect();
                Err(Error::BadDependency { ecosystem: ecosystem.usual_spelling(), name })
            }
        })
    }

    /// What its package manager calls it.
    pub fn name(&self) -> &str {
        &self.package.name
    }

    fn is(&self, reference: &DependencyRef) -> bool {
        self.package.is(reference.ecosystem, &reference.name)
    }

    /// Whether a version is the one that was asked for: `18` asks for any 18.
    fn takes(&self, version: &str) -> bool {
        let Some(wanted) = &self.version else { return true };
        let (wanted, version) = (wanted.trim_start_matches(['v', '^', '~', '=']), version.trim_start_matches('v'));
        let below = || version.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['.', '-', '+']));
        wanted == version || below()
    }
}

/// The collection for a dependency's documents, at the version that a lock file of the project holds it to.
pub fn locked_documents(
    project: &Project,
    registries: &[Registry],
    homes: &Homes,
    wanted: &DependencyName,
) -> Result<CollectionSpec> {
    let found = suggest(project, registries, homes, true, &[wanted.to_string()]);
    let reference = |text: &str| text.parse::<DependencyRef>().ok();
    let mut locked: Vec<String> = Vec::new();
    for suggestion in &found.suggestions {
        let Some(reference) = reference(&suggestion.dependency).filter(|reference| wanted.is(reference)) else {
            continue;
        };
        if wanted.takes(&reference.version) {
            return match suggestion.origin {
                Origin::Registry => Ok(suggestion.collection.clone()),
                Origin::Disk => {
                    let dependencies = vec![wanted.package.to_string()];
                    Ok(CollectionSpec::Dep { dependencies, transitive: false })
                }
            };
        }
        locked.push(reference.version);
    }
    let without: Vec<DependencyRef> = found.without.iter().filter_map(|text| reference(text)).collect();
    let spelled = wanted.to_string();
    if let Some(known) = without.iter().find(|known| wanted.is(known) && wanted.takes(&known.version)) {
        return Err(Error::NotInstalled { spelled, version: known.version.clone() });
    }
    locked.extend(without.iter().filter(|known| wanted.is(known)).map(|known| known.version.clone()));
    if !locked.is_empty() {
        let version = wanted.version.clone().unwrap_or_default();
        return Err(Error::OtherVersionLocked { spelled, version, locked });
    }
    let ecosystem = wanted.package.ecosystem;
    let known = dependencies(&project.root).dependencies;
    let names = known.iter().filter(|known| known.ecosystem == ecosystem).map(|known| known.name.as_str());
    let nearest = nearest(wanted.name(), names).map(|near| format!("{}:{near}", ecosystem.usual_spelling()));
    Err(Error::NotADependency { spelled, nearest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_read() {
        for (text, spelled, version) in [
            ("npm:react", "npm:react", None),
            ("npm:@types/node@20", "npm:@types/node", Some("20")),
            ("npm:@types/node", "npm:@types/node", None),
            ("pypi:Ruamel.YAML", "pypi:ruamel-yaml", None),
            ("pip:requests@2.31.0", "pypi:requests", Some("2.31.0")),
            ("crate:serde", "crate:serde", None),
            ("CARGO:serde@1", "crate:serde", Some("1")),
            ("go:github.com/spf13/cobra", "go:github.com/spf13/cobra", None),
        ] {
            let read = DependencyName::parse(text).unwrap().unwrap();
            assert_eq!((read.to_string().as_str(), read.version.as_deref()), (spelled, version), "{text}");
        }
        for text in ["react", "github:a/b", "https://x", "npmx:react"] {
            assert!(DependencyName::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn hostile_names_are_no_packages() {
        for text in ["npm:", "npm:../../etc", "npm:/etc/passwd", "crate:a/b", "crate:..", "pypi:a b", "npm:a\nb", "go:"]
        {
            assert!(DependencyName::parse(text).unwrap().is_err(), "{text}");
        }
        assert!(DependencyName::parse(&format!("npm:{}", "x".repeat(100_000))).unwrap().is_err());
    }

    #[test]
    fn a_version_may_be_the_start_of_one() {
        let wanted = |version: &str| DependencyName::parse(&format!("npm:react@{version}")).unwrap().unwrap();
        for (asked, version, takes) in [
            ("18", "18.2.0", true),
            ("^18", "18.2.0", true),
            ("18.2.0", "18.2.0", true),
            ("18.2", "18.20.0", false),
            ("1", "18.2.0", false),
            ("19", "18.2.0", false),
        ] {
            assert_eq!(wanted(asked).takes(version), takes, "{asked} {version}");
        }
    }
}
