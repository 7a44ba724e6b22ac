//! What a project and the user declare, and what of it has an index.

use std::path::PathBuf;

use ai_assist_base::nearest;
use ai_assist_identity::CollectionId;

use crate::readers::one_spelling;
use crate::{CollectionSpec, Declaration, Error, Project, Resolved, Result};

/// Something of a configuration that has an index: the source of a collection, or a category.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name of the collection, or of the category.
    pub name: String,
    pub spec: CollectionSpec,
    pub resolved: Resolved,
    /// The configuration that declares it.
    pub config: PathBuf,
    /// Whether what is indexed of it is known not to be what its lock says.
    pub drifted: bool,
    /// Whether it comes from the user's configuration rather than the project's.
    pub global: bool,
    pub is_category: bool,
    /// The collections it belongs to, in the order of the file. A category may belong to none.
    pub collections: Vec<String>,
}

impl Member {
    pub fn category(&self) -> Option<&str> {
        self.is_category.then_some(self.name.as_str())
    }

    /// The collection it is shown under when none was asked for: the first that has it, else its own name.
    pub(crate) fn shown_under(&self) -> &str {
        self.collections.first().unwrap_or(&self.name)
    }
}

/// A declared collection and what it is made of.
#[derive(Debug, Clone)]
pub struct DeclaredCollection {
    pub name: String,
    pub declaration: Declaration,
    /// Whether it comes from the user's configuration rather than the project's.
    pub global: bool,
    /// Its members by number, the source first.
    members: Vec<usize>,
}

/// Everything that a project and the user declare. Where both have a collection of one name, the project's counts.
#[derive(Debug, Clone, Default)]
pub struct Members {
    members: Vec<Member>,
    collections: Vec<DeclaredCollection>,
}

/// The collections and categories of a project and of the user's own configuration.
pub fn members(project: Option<&Project>, global: Option<&Project>) -> Result<Members> {
    let mut members = Members::default();
    for (config, is_global) in [(project, false), (global, true)] {
        let Some(config) = config else { continue };
        for (name, declaration) in &config.config.collections {
            if members.collection(name).is_none() {
                members.declare(config, is_global, name, declaration)?;
            }
        }
        for (name, _) in &config.config.categories {
            members.add_category(config, is_global, name)?;
        }
    }
    Ok(members)
}

impl Members {
    /// One collection with a source, for programs without a configuration.
    pub fn of(member: Member) -> Self {
        let declaration = Declaration::from(member.spec.clone());
        let (name, global) = (member.name.clone(), member.global);
        let collection = DeclaredCollection { name, declaration, global, members: vec![0] };
        Members { members: vec![member], collections: vec![collection] }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Member> {
        self.members.iter_mut()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.collections.is_empty()
    }

    /// The declared collections, those without any member included.
    pub fn collections(&self) -> &[DeclaredCollection] {
        &self.collections
    }

    pub fn collection(&self, name: &str) -> Option<&DeclaredCollection> {
        self.collections.iter().find(|collection| collection.name == name)
    }

    /// What a declared collection is made of, its source first.
    pub fn members_of<'m>(&'m self, collection: &'m DeclaredCollection) -> impl Iterator<Item = &'m Member> {
        collection.members.iter().filter_map(|&at| self.members.get(at))
    }

    /// A category. Where the project and the user have one of the same name, the project's.
    pub fn category(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.category() == Some(name))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        let categories = self.members.iter().filter_map(Member::category);
        self.collections.iter().map(|collection| collection.name.as_str()).chain(categories)
    }

    /// The members that some names stand for, each once; all of them for no names. A collection stands for its source and all its
    /// categories; where a category has the same name, the collection is meant.
    pub fn named(&self, names: &[String]) -> Result<Vec<Member>> {
        if names.is_empty() {
            return Ok(self.members.clone());
        }
        let mut named: Vec<usize> = Vec::new();
        for name in names {
            let found = match self.collection(name) {
                Some(collection) => collection.members.clone(),
                None => self.members.iter().position(|member| member.category() == Some(name)).into_iter().collect(),
            };
            if found.is_empty() && self.collection(name).is_none() {
                return Err(self.unknown(name));
            }
            for at in found {
                if !named.contains(&at) {
                    named.push(at);
                }
            }
        }
        Ok(named.into_iter().filter_map(|at| self.members.get(at).cloned()).collect())
    }

    pub(crate) fn unknown(&self, name: &str) -> Error {
        Error::UnknownCollection { name: name.to_owned(), nearest: nearest(name, self.names()).map(str::to_owned) }
    }

    /// The members that are indexed under an id.
    pub(crate) fn with_id<'m>(&'m self, id: &'m CollectionId) -> impl Iterator<Item = &'m Member> {
        self.members.iter().filter(move |member| member.resolved.id() == id)
    }

    fn declare(&mut self, config: &Project, global: bool, name: &str, declaration: &Declaration) -> Result<()> {
        let mut members = Vec::new();
        if let Some(spec) = &declaration.source {
            let resolved = Resolved::or_broken(Resolved::new(spec, &config.root), name, spec, &config.root)?;
            members.push(self.members.len());
            let (spec, collections) = (spec.clone(), vec![name.to_owned()]);
            let name = name.to_owned();
            let config = one_spelling(&config.file);
            self.members.push(Member {
                name,
                spec,
                resolved,
                config,
                drifted: false,
                global,
                is_category: false,
                collections,
            });
        }
        for category in &declaration.categories {
            // One that is not there was warned of where the file was read.
            let Some(at) = self.add_category(config, global, category)? else { continue };
            members.push(at);
            if let Some(member) = self.members.get_mut(at) {
                member.collections.push(name.to_owned());
            }
        }
        let declaration = declaration.clone();
        self.collections.push(DeclaredCollection { name: name.to_owned(), declaration, global, members });
        Ok(())
    }

    /// The number of a category's member, which is made if need be.
    fn add_category(&mut self, config: &Project, global: bool, name: &str) -> Result<Option<usize>> {
        let Some(category) = config.config.category(name) else { return Ok(None) };
        let is_it = |member: &Member| member.global == global && member.category() == Some(name);
        if let Some(at) = self.members.iter().position(is_it) {
            return Ok(Some(at));
        }
        let spec = category.source();
        let resolved = Resolved::or_broken(Resolved::category(category, &config.root), name, &spec, &config.root)?;
        let (name, collections) = (name.to_owned(), Vec::new());
        let config = one_spelling(&config.file);
        self.members.push(Member {
            name,
            spec,
            resolved,
            config,
            drifted: false,
            global,
            is_category: true,
            collections,
        });
        Ok(Some(self.members.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(folder: &std::path::Path, text: &str) -> Project {
        let file = folder.join("context.json");
        std::fs::write(&file, text).unwrap();
        Project::load(&file).unwrap()
    }

    const TEXT: &str = r#"{
        "collections": {
            "docs": { "type": "file", "path": "docs", "categories": ["api", "gone"] },
            "both": { "categories": ["guide", "api"] },
            "api": { "categories": [] }
        },
        "categories": {
            "guide": { "dir": "guide", "patterns": ["*.md"] },
            "api": { "dir": "api", "patterns": ["*.md", "*.txt"] },
            "alone": { "dir": ".", "patterns": ["*.md"] }
        }
    }"#;

    fn shown(members: &[Member]) -> Vec<String> {
        members.iter().map(|member| format!("{}<{}", member.name, member.collections.join("+"))).collect()
    }

    #[test]
    fn a_collection_stands_for_its_source_and_its_categories() {
        let folder = tempfile::tempdir().unwrap();
        let members = members(Some(&project(folder.path(), TEXT)), None).unwrap();
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            members.named(&names).map(|members| shown(&members))
        };
        assert_eq!(named(&[]).unwrap(), ["docs<docs", "api<docs+both", "guide<both", "alone<"]);
        assert_eq!(named(&["docs"]).unwrap(), ["docs<docs", "api<docs+both"]);
        assert_eq!(named(&["both", "docs"]).unwrap(), ["guide<both", "api<docs+both", "docs<docs"]);
        assert_eq!(named(&["alone"]).unwrap(), ["alone<"]);
        assert!(named(&["api"]).unwrap().is_empty(), "the collection is meant, and it is empty");
        let error = named(&["guid"]).unwrap_err();
        assert!(matches!(&error, Error::UnknownCollection { nearest: Some(near), .. } if near == "guide"), "{error:?}");
        assert_eq!(members.collections().len(), 3);
    }

    #[test]
    fn the_same_folder_and_patterns_are_one_index() {
        let id = |text: &str| {
            let folder = std::path::Path::new("/tmp");
            let category: serde_json::Value = serde_json::from_str(text).unwrap();
            let patterns = category["patterns"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned());
            let dir = category["dir"].as_str().unwrap().to_owned();
            let spec = crate::CategorySpec { dir, patterns: patterns.collect(), description: None };
            Resolved::category(&spec, folder).unwrap().id().clone()
        };
        let one = id(r#"{"dir": "x", "patterns": ["*.md", "*.txt"]}"#);
        assert_eq!(one, id(r#"{"dir": "./x/", "patterns": ["*.txt", "*.md"]}"#));
        assert_ne!(one, id(r#"{"dir": "x", "patterns": ["*.md"]}"#));
        let source = CollectionSpec::files("x", "*.md");
        let source = Resolved::new(&source, std::path::Path::new("/tmp")).unwrap();
        assert_eq!(
            *source.id(),
            id(r#"{"dir": "x", "patterns": ["*.md"]}"#),
            "a category is indexed as a `file` collection"
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_symlink_leads_a_category_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("real")).unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink("real", root.join("inside")).unwrap();
        for (dir, is_fine) in [("inside", true), ("none/yet", true), ("out", false), ("out/below", false)] {
            let text = format!(r#"{{"categories": {{"c": {{"dir": "{dir}", "patterns": ["*"]}}}}}}"#);
            let found = members(Some(&project(&root, &text)), None).unwrap();
            assert_eq!(found.category("c").unwrap().resolved.usable().is_ok(), is_fine, "{dir}: {found:?}");
        }
    }

    #[test]
    fn a_source_that_means_nothing_keeps_nothing_else_from_working() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"collections": {
            "good": { "type": "file", "path": "docs" },
            "typo": { "type": "pkg", "url": "htps://example.com/manifest.json" },
            "other": { "type": "pkg", "url": "htps://example.com/manifest.json" }
        }}"#;
        let members = members(Some(&project(folder.path(), text)), None).unwrap();
        let told: Vec<(String, Option<String>)> = members
            .iter()
            .map(|member| (member.name.clone(), member.resolved.usable().err().map(|error| error.to_string())))
            .collect();
        assert_eq!(told[0], ("good".to_owned(), None));
        assert!(told[1].1.as_ref().unwrap().starts_with("the source of `typo` can't be used: "), "{told:?}");
        assert!(told[2].1.is_some(), "{told:?}");
        assert_ne!(members.iter().nth(1).unwrap().resolved.id(), members.iter().nth(2).unwrap().resolved.id());
    }

    #[test]
    fn the_project_counts_before_the_user() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let own =
            r#"{"collections": {"a": {"categories": ["c"]}}, "categories": {"c": {"dir": "p", "patterns": ["*"]}}}"#;
        let users = r#"{"collections": {"a": {"categories": []}, "b": {"categories": ["c"]}}, "categories": {"c": {"dir": "u", "patterns": ["*"]}}}"#;
        let (project, global) = (project(folders[0].path(), own), project(folders[1].path(), users));
        let members = members(Some(&project), Some(&global)).unwrap();
        let of = |name: &str| {
            let collection = members.collection(name).unwrap();
            members.members_of(collection).map(|member| (member.spec.source(), member.global)).collect::<Vec<_>>()
        };
        assert_eq!(of("a"), [("p (*)".to_owned(), false)]);
        assert_eq!(of("b"), [("u (*)".to_owned(), true)], "a category means that of the same file");
        assert!(!members.category("c").unwrap().global);
    }
}
