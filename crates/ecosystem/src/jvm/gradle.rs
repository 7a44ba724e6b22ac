//! `gradle.lockfile` and `gradle/verification-metadata.xml`.

use crate::Ecosystem;
use crate::describe::xml::Document;
use crate::listing::Listing;
use crate::lock_error::{LockError, no_conflict};
use crate::root::Root;

/// Where a project names what it depends on itself.
const BUILD_FILES: [&str; 5] =
    ["build.gradle", "build.gradle.kts", "gradle/libs.versions.toml", "app/build.gradle", "app/build.gradle.kts"];

/// Lines such as `org.slf4j:slf4j-api:2.0.9=compileClasspath,runtimeClasspath`.
pub(crate) fn lock_file(root: &Root, text: &str) -> Result<Listing, LockError> {
    no_conflict(text)?;
    let direct = Named::read(root);
    let mut listing = Listing::new(Ecosystem::Maven);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((module, _)) = line.split_once('=') else {
            listing.unusable += 1;
            continue;
        };
        match module.rsplit_once(':') {
            Some((name, version)) => listing.add(name, version, direct.has(name)),
            // `empty=annotationProcessor`: configurations without a dependency.
            None if module == "empty" => {}
            None => listing.unusable += 1,
        }
    }
    Ok(listing)
}

/// The components whose hashes are checked. It is read where there is no lock file: it has plugins, too, and may keep versions that are
/// no longer in use.
pub(crate) fn verification(root: &Root, text: &str) -> Result<Listing, LockError> {
    let mut listing = Listing::new(Ecosystem::Maven);
    if matches!(root.read("gradle.lockfile"), Ok(Some(_))) {
        return Ok(listing);
    }
    let document = Document::read(text);
    let Some(top) = document.root("verification-metadata") else {
        return Err(LockError::UnknownFormat { version: None });
    };
    if !document.complete {
        listing
            .warnings
            .push("`gradle/verification-metadata.xml` is broken; what stands before the break counts.".into());
    }
    let direct = Named::read(root);
    for component in top.find_all(&["components", "component"]) {
        let of = |name: &str| component.attribute(name).unwrap_or_default();
        let name = format!("{}:{}", of("group"), of("name"));
        listing.add(&name, of("version"), direct.has(&name));
    }
    Ok(listing)
}

/// The texts of the build files.
struct Named {
    texts: Vec<String>,
}

impl Named {
    fn read(root: &Root) -> Named {
        Named { texts: BUILD_FILES.iter().filter_map(|file| root.read(file).ok().flatten()).collect() }
    }

    /// Whether the project names a package itself. Without a build file, all count as named.
    fn has(&self, name: &str) -> bool {
        let (group, artifact) = name.split_once(':').unwrap_or_default();
        self.texts.is_empty()
            || self.texts.iter().any(|text| {
                // `group: 'a', name: 'b'` and a catalog's `group = "a", name = "b"`.
                text.contains(name) || is_quoted(text, group) && is_quoted(text, artifact)
            })
    }
}

fn is_quoted(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let around = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        matches!(around, (Some('"'), Some('"')) | (Some('\''), Some('\'')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        (folder, root)
    }

    const LOCK: &str = "# This is a Gradle generated file for dependency locking.\n# Manual edits can break the build and are not advised.\n# This file is expected to be part of source control.\norg.slf4j:slf4j-api:2.0.9=compileClasspath,runtimeClasspath\ncom.google.guava:guava:33.0.0-jre=runtimeClasspath\norg.junit.jupiter:junit-jupiter:5.10.0=testRuntimeClasspath\n../x:y:1.0=a\nempty=annotationProcessor\n";

    #[test]
    fn what_is_locked_is_listed_and_what_is_named_is_direct() {
        let build = "dependencies {\n  implementation 'org.slf4j:slf4j-api:2.0.9'\n  testImplementation group: 'org.junit.jupiter', name: 'junit-jupiter'\n}\n";
        let (_folder, with_build) = root(&[("build.gradle", build)]);
        let listing = lock_file(&with_build, LOCK).unwrap();
        let expected = [
            "com.google.guava:guava 33.0.0-jre",
            "org.junit.jupiter:junit-jupiter 5.10.0 *",
            "org.slf4j:slf4j-api 2.0.9 *",
        ];
        assert_eq!(listing.text(), expected);
        assert_eq!(listing.unusable, 1);
        let (_folder, bare) = root(&[]);
        assert_eq!(lock_file(&bare, LOCK).unwrap().text().iter().filter(|line| line.ends_with('*')).count(), 3);
        assert!(matches!(lock_file(&bare, "<<<<<<< ours\n"), Err(LockError::Conflict { line: 1 })));
    }

    #[test]
    fn components_count_where_there_is_no_lock_file() {
        let text = "<?xml version=\"1.0\"?><verification-metadata xmlns=\"x\"><components><component group=\"org.slf4j\" name=\"slf4j-api\" version=\"2.0.9\"><artifact name=\"a\"/></component></components></verification-metadata>";
        let (_folder, bare) = root(&[]);
        assert_eq!(verification(&bare, text).unwrap().text(), ["org.slf4j:slf4j-api 2.0.9 *"]);
        let (_folder, locked) = root(&[("gradle.lockfile", LOCK)]);
        assert!(verification(&locked, text).unwrap().packages.is_empty());
        assert!(verification(&bare, "<project/>").is_err());
    }
}
