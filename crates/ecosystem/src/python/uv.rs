//! `uv.lock`.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::Ecosystem;
use crate::listing::Listing;
use crate::lock_error::LockError;
use crate::pieces::pieces;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lock {
    package: Vec<Package>,
    manifest: Manifest,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Package {
    name: String,
    version: Option<String>,
    #[serde(default)]
    source: Source,
    #[serde(default)]
    dependencies: Vec<Named>,
    #[serde(default)]
    optional_dependencies: HashMap<String, Vec<Named>>,
    #[serde(default)]
    dev_dependencies: HashMap<String, Vec<Named>>,
}

/// Where a package is from; what is named here means that it is a folder of the project.
#[derive(Default, Deserialize)]
struct Source {
    editable: Option<String>,
    r#virtual: Option<String>,
    directory: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    /// Written where the lock holds several versions of the package.
    version: Option<String>,
}

/// What is asked for by a workspace without a project, or by a script.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Manifest {
    requirements: Vec<Named>,
    dependency_groups: HashMap<String, Vec<Named>>,
}

impl Package {
    fn is_own(&self) -> bool {
        let source = &self.source;
        source.editable.is_some() || source.r#virtual.is_some() || source.directory.is_some()
    }

    fn named(&self) -> impl Iterator<Item = &Named> {
        let grouped = self.optional_dependencies.values().chain(self.dev_dependencies.values());
        self.dependencies.iter().chain(grouped.flatten())
    }
}

impl Manifest {
    fn named(&self) -> impl Iterator<Item = &Named> {
        self.requirements.iter().chain(self.dependency_groups.values().flatten())
    }
}

pub(crate) fn parse(text: &str) -> Result<Listing, LockError> {
    let pieces: Vec<Lock> = pieces(text)?;
    let packages = || pieces.iter().flat_map(|piece| &piece.package);
    let manifest = pieces.iter().flat_map(|piece| piece.manifest.named());
    let named = packages().filter(|package| package.is_own()).flat_map(Package::named).chain(manifest);
    let direct: HashSet<(&str, Option<&str>)> =
        named.map(|named| (named.name.as_str(), named.version.as_deref())).collect();
    let mut listing = Listing::new(Ecosystem::Python);
    for package in packages().filter(|package| !package.is_own()) {
        let version = package.version.as_deref();
        let is_direct =
            direct.contains(&(&package.name, None)) || version.is_some() && direct.contains(&(&package.name, version));
        listing.add(&package.name, version.unwrap_or_default(), is_direct);
    }
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_are_the_dependencies_of_the_projects_folders() {
        let text = r#"
version = 1
revision = 2
requires-python = ">=3.12"
resolution-markers = ["python_full_version >= '3.13'"]

[manifest]
members = ["app", "lib"]

[manifest.dependency-groups]
lint = [{ name = "ruff", specifier = ">=0.5" }]

[[package]]
name = "anyio"
version = "4.4.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "idna" },
]
sdist = { url = "https://files.pythonhosted.org/anyio.tar.gz", hash = "sha256:aa", size = 1 }
wheels = [
    { url = "https://files.pythonhosted.org/anyio.whl", hash = "sha256:bb", size = 2 },
]

[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }
dependencies = [
    { name = "anyio" },
    { name = "lib" },
    { name = "numpy", version = "2.0.0", source = { registry = "https://pypi.org/simple" }, marker = "python_full_version >= '3.13'" },
]

[package.optional-dependencies]
http = [{ name = "requests", extra = ["socks"] }]

[package.dev-dependencies]
dev = [{ name = "pytest" }]

[package.metadata]
requires-dist = [{ name = "anyio", specifier = ">=4" }]

[[package]]
name = "idna"
version = "3.7"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "lib"
source = { virtual = "packages/lib" }
dependencies = [{ name = "tomli" }]

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "numpy"
version = "2.0.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "pytest"
version = "8.0.0"
source = { git = "https://github.com/pytest-dev/pytest#0123" }

[[package]]
name = "requests"
version = "2.32.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "ruff"
version = "0.5.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "tomli"
version = "2.0.1"
source = { directory = "vendor/tomli" }

[[package]]
name = "unversioned"
source = { url = "https://example.org/x.zip" }
"#;
        let listing = parse(text).unwrap();
        let expected = [
            "anyio 4.4.0 *", "idna 3.7", "numpy 1.26.4", "numpy 2.0.0 *", "pytest 8.0.0 *", "requests 2.32.0 *",
            "ruff 0.5.0 *",
        ];
        assert_eq!(listing.text(), expected);
        assert_eq!(listing.unusable, 1);
    }

    #[test]
    fn what_is_not_a_lock_is_refused() {
        assert!(parse("package = 1").is_err());
        assert!(parse("version = 1\n").unwrap().packages.is_empty());
    }
}
