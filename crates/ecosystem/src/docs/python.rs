//! Python distributions in a virtual environment.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::survey::{Survey, is_plain};
use super::{LocalPackage, MAX_MANIFEST};
use crate::names::python_normal;
use crate::root::Root;

/// A list of installed files larger than this is not read.
const MAX_RECORD: u64 = 16 * 1024 * 1024;

pub(super) fn package(
    root: Option<&Root>,
    environment: Option<&Path>,
    name: &str,
    version: &str,
) -> Option<LocalPackage> {
    let own = [".venv", "venv"].into_iter().filter_map(|venv| root?.folder_inside(venv));
    // Given by the caller, so it may lie anywhere.
    let given = environment.and_then(|environment| fs::canonicalize(environment).ok());
    own.chain(given).flat_map(|environment| site_packages(&environment)).find_map(|site| in_site(&site, name, version))
}

/// `lib/python3.12/site-packages` and its like; on Windows `Lib/site-packages`.
fn site_packages(environment: &Path) -> Vec<Root> {
    let Ok(environment) = Root::open(environment) else { return Vec::new() };
    let mut candidates = vec![PathBuf::from("Lib/site-packages")];
    if let Some(entries) = environment.folder_inside("lib").and_then(|lib| fs::read_dir(lib).ok()) {
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.starts_with("python") || name.starts_with("pypy")).collect();
        names.sort();
        candidates.extend(names.iter().map(|name| Path::new("lib").join(name).join("site-packages")));
    }
    let inside = candidates.iter().filter_map(|candidate| environment.folder_inside(candidate));
    inside.filter_map(|folder| Root::open(&folder).ok()).collect()
}

fn in_site(site: &Root, name: &str, version: &str) -> Option<LocalPackage> {
    let info = info_folder(site, name, version)?;
    let mut survey = Survey::new(site.folder().to_owned());
    if has_description(site, &info) {
        survey.file(&format!("{info}/METADATA"));
    }
    let mut api = Vec::new();
    for package in packages(site, &info, name) {
        if site.folder_inside(&package).is_some_and(|real| real == site.folder().join(&package)) {
            survey.package(&format!("{package}/"));
            api.push(format!("{package}/**/*.{{py,pyi}}"));
        }
    }
    api.extend(modules(site, &info));
    api.push("!**/{tests,test,_vendor,vendor,_vendored}/**".to_owned());
    api.push("!**/{test_*,*_test,conftest}.py".to_owned());
    Some(LocalPackage { api, ..survey.finish() })
}

/// The modules that a distribution installed beside its packages, such as `six.py`.
fn modules(site: &Root, info: &str) -> Vec<String> {
    let Ok(Some(record)) = site.read_up_to(format!("{info}/RECORD"), MAX_RECORD) else { return Vec::new() };
    let files = record.lines().filter_map(|line| line.split_once(',')).map(|(file, _)| file);
    let modules = files.filter(|file| is_plain(file) && (file.ends_with(".py") || file.ends_with(".pyi")));
    modules.take(64).map(str::to_owned).collect()
}

/// The folder `<name>-<version>.dist-info`. Installers differ in how they write the name, so each is brought to normal form.
fn info_folder(site: &Root, name: &str, version: &str) -> Option<String> {
    let names = fs::read_dir(site.folder()).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_it = |folder: &String| {
        let split = folder.strip_suffix(".dist-info").and_then(|folder| folder.rsplit_once('-'));
        split.is_some_and(|(its, installed)| python_normal(its) == name && same_version(version, installed))
    };
    let mut found: Vec<String> = names.filter(|folder| is_plain(folder)).filter(is_it).collect();
    found.sort();
    // A real folder, not a symlink to somewhere else.
    found.into_iter().find(|info| site.folder_inside(info).is_some_and(|real| real == site.folder().join(info)))
}

/// Whether what is installed is what was locked: `1.0` is `1.0.0`, and a build of one's own (`+cu118`) is the version it is
/// made from.
fn same_version(locked: &str, installed: &str) -> bool {
    let normal = |version: &str| {
        let lower = version.to_ascii_lowercase().replace('_', "-");
        let lower = lower.strip_prefix('v').unwrap_or(&lower);
        let is_release = lower.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let mut short = lower;
        while let Some(shorter) = short.strip_suffix(".0").filter(|_| is_release) {
            short = shorter;
        }
        short.to_owned()
    };
    let public = if locked.contains('+') { installed } else { installed.split('+').next().unwrap_or(installed) };
    normal(locked) == normal(public)
}

/// Whether the metadata holds a README: after the header, or in old files as a part of it.
fn has_description(site: &Root, info: &str) -> bool {
    let Ok(Some(text)) = site.read_up_to(format!("{info}/METADATA"), MAX_MANIFEST) else { return false };
    let mut lines = text.lines();
    lines.by_ref().take_while(|line| !line.is_empty()).any(|line| line.starts_with("Description:"))
        || lines.any(|line| !line.trim().is_empty())
}

/// The folders of the packages that a distribution installed: those whose `__init__.py` is its own, because a folder
/// without may be shared with others.
fn packages(site: &Root, info: &str, name: &str) -> BTreeSet<String> {
    let is_package = |name: &str| is_plain(name) && !name.contains('.');
    match site.read_up_to(format!("{info}/RECORD"), MAX_RECORD) {
        Ok(Some(record)) => {
            let packages =
                record.lines().filter_map(|line| line.split_once("/__init__.py,")).map(|(package, _)| package);
            packages.filter(|package| is_package(package)).take(64).map(str::to_owned).collect()
        }
        _ => BTreeSet::from([name.replace('-', "_")]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_python_does() {
        let cases = [
            ("1.0", "1.0.0", true),
            ("1.0.0", "1", true),
            ("10", "1", false),
            ("1.0rc1", "1.0RC1", true),
            ("2.1.0", "2.1.0+cu118", true),
            ("2.1.0+cu118", "2.1.0+cu118", true),
            ("2.1.0+cu118", "2.1.0", false),
            ("1.0.post0", "1.0.post", false),
            ("1.1", "1.2", false),
        ];
        for (locked, installed, expected) in cases {
            assert_eq!(same_version(locked, installed), expected, "{locked} {installed}");
        }
    }
}
