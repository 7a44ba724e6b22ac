//! Archives of Java sources: Maven's repository and Gradle's cache.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Homes, LocalPackage, globs};
use crate::root::Root;

const API: [&str; 3] = ["**/*.java", "!**/{test,tests,internal}/**", "!**/module-info.java"];

const DOCS: [&str; 2] = ["{README,CHANGES,CHANGELOG,RELEASE-NOTES}*", "META-INF/{README,CHANGES,CHANGELOG}*"];

pub(super) fn package(homes: &Homes, name: &str, version: &str) -> Option<LocalPackage> {
    let (group, artifact) = name.split_once(':')?;
    let file = format!("{artifact}-{version}-sources.jar");
    let in_maven = || {
        let home = Root::open(homes.maven.as_deref()?).ok()?;
        archive(&home, &Path::new(&group.replace('.', "/")).join(artifact).join(version).join(&file))
    };
    let in_gradle = || {
        let home = Root::open(&homes.gradle.as_deref()?.join("caches/modules-2/files-2.1")).ok()?;
        let below = Path::new(group).join(artifact).join(version);
        // Each file lies in a folder that is called by its hash.
        let folders = fs::read_dir(home.folder_inside(&below)?).ok()?.flatten();
        let mut folders: Vec<_> = folders.take(1_000).map(|entry| entry.file_name()).collect();
        folders.sort();
        folders.iter().find_map(|folder| archive(&home, &below.join(folder).join(&file)))
    };
    let archive = in_maven().or_else(in_gradle)?;
    let folder = homes.unpacked.as_deref()?.join(group).join(artifact).join(version);
    Some(LocalPackage {
        folder,
        archive: Some(archive),
        docs: globs(&DOCS),
        api: globs(&API),
        ..LocalPackage::default()
    })
}

fn archive(home: &Root, relative: &Path) -> Option<PathBuf> {
    home.inside(relative).filter(|path| path.is_file())
}
