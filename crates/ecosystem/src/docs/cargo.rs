//! Crates: the sources of the registries, and vendored ones.
//!
//! What a crate offers is in `src`, but for its programs and tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::survey::Survey;
use super::{LocalPackage, MAX_MANIFEST, globs};
use crate::lock_error::from_toml;
use crate::root::Root;

#[derive(Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

const API: [&str; 6] = [
    "src/**/*.rs", "!src/bin/**", "!src/main.rs", "!**/{tests,benches}/**", "!**/{test,tests}.rs",
    "!**/*_{test,tests}.rs",
];

pub(super) fn package(root: Option<&Root>, home: Option<&Path>, name: &str, version: &str) -> Option<LocalPackage> {
    let vendored = || root.and_then(|root| vendored(root, name, version));
    home.and_then(|home| fetched(home, name, version)).or_else(vendored)
}

/// `registry/src/<registry>/<name>-<version>`. The folder's name is proof enough: Cargo made it.
fn fetched(home: &Path, name: &str, version: &str) -> Option<LocalPackage> {
    let sources = Root::open(&home.join("registry/src")).ok()?;
    let registries = fs::read_dir(sources.folder()).ok()?.flatten();
    let mut registries: Vec<_> = registries.map(|entry| entry.file_name()).collect();
    registries.sort();
    registries.iter().find_map(|registry| {
        let folder = sources.folder_inside(Path::new(registry).join(format!("{name}-{version}")))?;
        Some(described(folder))
    })
}

fn vendored(root: &Root, name: &str, version: &str) -> Option<LocalPackage> {
    [format!("vendor/{name}"), format!("vendor/{name}-{version}")].iter().find_map(|folder| {
        let text = root.read_up_to(format!("{folder}/Cargo.toml"), MAX_MANIFEST).ok()??;
        let package = from_toml::<Manifest>(&text).ok()?.package;
        (package.name == name && package.version == version)
            .then(|| root.folder_inside(folder))
            .flatten()
            .map(described)
    })
}

fn described(folder: PathBuf) -> LocalPackage {
    let examples = globs(&["examples/**/*.rs"]);
    let root = Root::open(&folder).ok().and_then(|folder| root_file(&folder));
    LocalPackage { api: globs(&API), examples, root, ..Survey::of(folder) }
}

/// The file that the modules of its library begin with.
fn root_file(folder: &Root) -> Option<String> {
    #[derive(Deserialize)]
    struct WithLibrary {
        lib: Option<Library>,
    }
    #[derive(Deserialize)]
    struct Library {
        path: Option<String>,
    }
    let text = folder.read_up_to("Cargo.toml", MAX_MANIFEST).ok().flatten();
    let stated = text.and_then(|text| from_toml::<WithLibrary>(&text).ok()?.lib?.path);
    let path = stated.map(|path| path.trim_start_matches("./").to_owned()).unwrap_or_else(|| "src/lib.rs".to_owned());
    folder.inside(&path).filter(|file| file.is_file()).map(|_| path)
}
