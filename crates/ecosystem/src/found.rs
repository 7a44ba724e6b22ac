//! All lock files of a project together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::listing::Listing;
use crate::lock_error::{LockError, shown};
use crate::root::Root;
use crate::{Dependency, Ecosystem, cargo, go, jvm, npm, python};

/// What the lock files of a project say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Every package at every version in use, sorted by ecosystem, name and version, each of them once.
    ///
    /// One that is in several lock files is direct if one of them says so, and is said to be from that one.
    pub dependencies: Vec<Dependency>,
    /// What could not be read and why, in full sentences. Nothing of it stops the reading of the rest.
    pub warnings: Vec<String>,
}

/// Reads one lock file whose text is at hand. Manifests beside it are read from the root.
type Reader = fn(&Root, &str) -> Result<Listing, LockError>;

/// The lock files that are one file each. `requirements.txt` may include others and is read by itself.
const LOCK_FILES: [(&str, Reader); 11] = [
    ("Cargo.lock", |_, text| cargo::parse(text)),
    ("npm-shrinkwrap.json", npm::package_lock),
    ("package-lock.json", npm::package_lock),
    ("yarn.lock", npm::yarn_lock),
    ("pnpm-lock.yaml", |_, text| npm::pnpm_lock(text)),
    ("uv.lock", |_, text| python::uv_lock(text)),
    ("poetry.lock", python::poetry_lock),
    ("go.mod", |_, text| Ok(go::parse(text))),
    ("gradle.lockfile", jvm::lock_file),
    ("gradle/verification-metadata.xml", jvm::verification),
    ("pom.xml", jvm::pom),
];

/// Reads what a project depends on from the lock files at its root.
///
/// Read are `Cargo.lock`, `npm-shrinkwrap.json`, `package-lock.json`, `yarn.lock`, `pnpm-lock.yaml`, `uv.lock`,
/// `poetry.lock`, `requirements.txt` with what it includes, `go.mod`, `gradle.lockfile` or else
/// `gradle/verification-metadata.xml`, and `pom.xml` with its modules. Packages that are part of the project itself
/// (members of its workspace, local folders) are not listed.
pub fn dependencies(root: &Path) -> Found {
    let mut gathered = Gathered::default();
    match Root::open(root) {
        Ok(opened) => gathered.read_all(&opened),
        Err(error) => gathered.warnings.push(format!("The folder {} can't be opened: {error}.", root.display())),
    }
    gathered.finish()
}

#[derive(Default)]
struct Gathered {
    packages: BTreeMap<(Ecosystem, String, String), (bool, PathBuf)>,
    warnings: Vec<String>,
}

impl Gathered {
    fn read_all(&mut self, root: &Root) {
        let mut has_shrinkwrap = false;
        for (name, reader) in LOCK_FILES {
            // npm itself does not look at the second when there is the first.
            if name == "package-lock.json" && has_shrinkwrap {
                continue;
            }
            let listing = match root.read(name) {
                Ok(None) => continue,
                Ok(Some(text)) => reader(root, &text),
                Err(error) => Err(error),
            };
            has_shrinkwrap |= name == "npm-shrinkwrap.json";
            match listing {
                Ok(listing) => self.add(Path::new(name), listing),
                Err(error) => self.warnings.push(format!("`{name}` is left out: {error}.")),
            }
        }
        let requirements = python::requirements(root);
        self.warnings.extend(requirements.warnings);
        for (file, listing) in requirements.listings {
            self.add(&file, listing);
        }
    }

    fn add(&mut self, file: &Path, listing: Listing) {
        self.warnings.extend(listing.warnings);
        if listing.unusable > 0 {
            self.warnings.push(format!(
                "{} of the packages in `{}` left out: no published version, or a name or version that {} does not allow.",
                listing.unusable,
                shown(file),
                listing.ecosystem,
            ));
        }
        for ((name, version), direct) in listing.packages {
            let known = self.packages.entry((listing.ecosystem, name, version));
            let (known_direct, known_file) = known.or_insert_with(|| (direct, file.to_owned()));
            if direct && !*known_direct {
                *known_direct = true;
                file.clone_into(known_file);
            }
        }
    }

    fn finish(self) -> Found {
        let dependency = |((ecosystem, name, version), (direct, lock_file))| Dependency {
            ecosystem,
            name,
            version,
            direct,
            lock_file,
        };
        Found { dependencies: self.packages.into_iter().map(dependency).collect(), warnings: self.warnings }
    }
}
