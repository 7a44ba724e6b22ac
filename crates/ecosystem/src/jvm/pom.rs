//! `pom.xml` and the modules below it.

use crate::Ecosystem;
use crate::describe::poms::{Dependencies, Poms};
use crate::listing::Listing;
use crate::lock_error::LockError;
use crate::root::Root;

/// Modules of modules are read, this many in all.
const MAX_MODULES: usize = 500;

/// A manifest larger than this is none.
const MAX_POM: u64 = 4 * 1024 * 1024;

pub(crate) fn pom(root: &Root, text: &str) -> Result<Listing, LockError> {
    let mut listing = Listing::new(Ecosystem::Maven);
    let mut poms = Poms::default();
    let mut waiting = vec![("pom.xml".to_owned(), text.to_owned())];
    let mut all: Vec<Dependencies> = Vec::new();
    while let Some((path, text)) = waiting.pop() {
        let Some(found) = poms.dependencies(&path, &text) else {
            if path == "pom.xml" {
                return Err(LockError::UnknownFormat { version: None });
            }
            listing.warnings.push(format!("`{path}` is left out: it is not the XML that was expected."));
            continue;
        };
        for module in &found.modules {
            let seen = all.len() + waiting.len();
            let text = root.read_up_to(module, MAX_POM).ok().flatten();
            waiting.extend(text.filter(|_| seen < MAX_MODULES).map(|text| (module.clone(), text)));
        }
        all.push(found);
    }
    let mut unknown: Vec<String> = Vec::new();
    // Modules of the project depend on each other.
    let is_own = |name: &str| all.iter().any(|found| found.name.as_deref() == Some(name));
    for (name, version) in all.iter().flat_map(|found| &found.dependencies).filter(|(name, _)| !is_own(name)) {
        match version.as_deref().filter(|version| !version.contains("${")) {
            Some(version) => listing.add(name, exact(version), true),
            None if name.contains("${") => listing.unusable += 1,
            None => unknown.push(name.clone()),
        }
    }
    unknown.sort();
    unknown.dedup();
    if !unknown.is_empty() {
        listing.warnings.push(format!(
            "`pom.xml` does not say the version of {}: a parent or a bill of materials has it that is not part of the project.",
            super::some(&unknown)
        ));
    }
    Ok(listing)
}

/// `[1.2]` is exactly 1.2; other ranges are no version.
fn exact(version: &str) -> &str {
    let inner = version.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.filter(|inner| !inner.contains(',')).unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_resolved_within_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let module = "<project><parent><groupId>org.acme</groupId><artifactId>top</artifactId><version>1.0</version></parent><artifactId>core</artifactId><dependencies>\
            <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>\
            <dependency><groupId>org.acme</groupId><artifactId>top</artifactId><version>1.0</version></dependency>\
            <dependency><groupId>org.hidden</groupId><artifactId>elsewhere</artifactId></dependency></dependencies></project>";
        std::fs::create_dir(folder.path().join("core")).unwrap();
        std::fs::write(folder.path().join("core/pom.xml"), module).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let text = "<project><groupId>org.acme</groupId><artifactId>top</artifactId><version>1.0</version>\
            <modules><module>core</module><module>../../etc</module><module>missing</module></modules>\
            <properties><slf4j.version>2.0.9</slf4j.version><a>${b}</a><b>${a}</b></properties>\
            <dependencyManagement><dependencies><dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>${slf4j.version}</version></dependency></dependencies></dependencyManagement>\
            <dependencies>\
            <dependency><groupId>org.apache.commons</groupId><artifactId>commons-lang3</artifactId><version>3.12.0</version></dependency>\
            <dependency><groupId>org.pinned</groupId><artifactId>exact</artifactId><version>[1.2]</version></dependency>\
            <dependency><groupId>org.ranged</groupId><artifactId>range</artifactId><version>[1.0,2.0)</version></dependency>\
            <dependency><groupId>org.loop</groupId><artifactId>loop</artifactId><version>${a}</version></dependency>\
            <dependency><groupId>../..</groupId><artifactId>etc</artifactId><version>1</version></dependency>\
            </dependencies></project>";
        let listing = pom(&root, text).unwrap();
        let expected =
            ["org.apache.commons:commons-lang3 3.12.0 *", "org.pinned:exact 1.2 *", "org.slf4j:slf4j-api 2.0.9 *"];
        assert_eq!(listing.text(), expected);
        assert_eq!(listing.unusable, 2);
        let said = listing.warnings.join("\n");
        assert!(said.contains("`org.hidden:elsewhere`") && said.contains("`org.loop:loop`"), "{said}");
        assert!(pom(&root, "<html/>").is_err());
    }
}
