//! What a source is that somebody wants at hand, found out by looking at it.

use std::path::{Path, PathBuf};

use ai_assist_admit::{Globs, Limits};
use ai_assist_base::{Cancel, RealPath, platform};
use ai_assist_collections::DependencyName;
use ai_assist_repo::root::{canonical_root, work_tree_top};

use crate::contents::{FolderContents, contents};
use crate::site::site_name;
use crate::{Error, Project, Result, spelling};

/// Folders of these names hold documents, even where code in them is more than text.
const DOCUMENT_FOLDERS: &[&str] =
    &["doc", "docs", "documentation", "guide", "guides", "handbook", "manual", "notes", "wiki"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Files of a folder that people read.
    Documents { folder: PathBuf, glob: String },
    /// A folder of the project's own repository, whose index has it.
    OwnCode(PathBuf),
    /// Another repository, or a folder of source code outside the project.
    Code(PathBuf),
    /// The manifest or the bundle of a package, by URL.
    Package(String),
    /// The documents of a git repository, by URL.
    Git(String),
    /// Pages of a website, by the URL where it begins.
    Site(String),
    /// A package of a registry, by name and perhaps range.
    Registry(String),
    /// The documents of a package that the project depends on.
    Dependency(DependencyName),
}

impl Source {
    /// What it is, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Documents { .. } => "documents",
            Source::OwnCode(_) => "this repository",
            Source::Code(_) => "repository",
            Source::Package(_) => "package",
            Source::Git(_) => "git repository",
            Source::Site(_) => "website",
            Source::Registry(_) => "package of a registry",
            Source::Dependency(_) => "dependency",
        }
    }

    /// What to call it, if nobody says otherwise.
    pub fn name(&self) -> String {
        let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = match self {
            Source::Documents { folder, .. } | Source::OwnCode(folder) | Source::Code(folder) => last(folder),
            Source::Package(url) => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
                match parts.as_slice() {
                    // Every manifest has the same name, and the folder says more, unless it is that of a version.
                    [.., above, version, "manifest.json" | "index.json"] if is_version(version) => decoded(above),
                    [.., above, "manifest.json" | "index.json"] => decoded(above),
                    [.., last] => without_version(&decoded(last)).to_owned(),
                    [] => String::new(),
                }
            }
            Source::Git(url) => {
                let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
                path.rsplit(['/', ':']).next().unwrap_or_default().trim_end_matches(".git").to_owned()
            }
            Source::Site(url) => site_name(url),
            Source::Registry(wanted) => {
                let name = wanted
                    .char_indices()
                    .skip(1)
                    .find(|(_, c)| *c == '@')
                    .map_or(wanted.as_str(), |(at, _)| &wanted[..at]);
                name.trim_start_matches('@').to_owned()
            }
            Source::Dependency(wanted) => wanted.name().trim_start_matches('@').to_owned(),
        };
        fitting(&name)
    }
}

/// Whether a part of a path names a version: `18`, `v1.2.0`, `latest`.
fn is_version(part: &str) -> bool {
    let number = part.strip_prefix('v').unwrap_or(part);
    number.starts_with(|c: char| c.is_ascii_digit()) || matches!(part, "latest" | "stable" | "main")
}

/// `react` of `react-18.2.0.tar.gz`. The version is known from what the file holds, and changes.
fn without_version(file: &str) -> &str {
    let cut = file.match_indices('-').find(|(at, _)| *at > 0 && is_version(&file[at + 1..]));
    cut.map_or(file.split('.').next().unwrap_or_default(), |(at, _)| &file[..at])
}

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&ai_assist_identity::percent::decode(text)).into_owned()
}

/// A name that a collection can have: letters, digits, `-` and `_`, at most 30.
fn fitting(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().map(plain).take(30).collect();
    match name.trim_matches(['-', '_']) {
        "" => "docs".to_owned(),
        name => name.to_owned(),
    }
}

impl Project {
    /// Finds out what a path, a URL or a name stands for.
    pub fn detect(&self, text: &str) -> Result<Source> {
        match self.spelled(text)? {
            Some(Source::Package(url)) => self.detect_url(&url, &self.client()?),
            Some(source) => Ok(source),
            None => self.detect_place(text),
        }
    }

    /// What a text means by its spelling; nothing if that of a path, or of a name. A word that is known before a `:` counts even
    /// where a folder is called so, which `./` in front of it names; an unknown one may be part of a file's name.
    pub fn spelled(&self, text: &str) -> Result<Option<Source>> {
        let exists = || !text.is_empty() && self.folder.join(text).exists();
        match spelling::read(text) {
            Err(Error::UnknownScheme { .. } | Error::BadSpelling { .. }) if exists() => Ok(None),
            // `github.com/OWNER/NAME` is also where Go keeps what it vendors.
            Ok(Some(Source::Git(_))) if !text.contains(':') && exists() => Ok(None),
            read => read,
        }
    }

    fn detect_place(&self, text: &str) -> Result<Source> {
        let place = self.folder.join(text);
        if place.is_dir() {
            return self.detect_folder(&place);
        }
        if place.is_file() {
            return Ok(detect_file(&place));
        }
        let is_path = text.starts_with(['.', '/', '~']) || text.ends_with('/');
        if !is_path && (has_range(text) || !self.settings.registries().is_empty()) {
            return Ok(Source::Registry(text.to_owned()));
        }
        Err(Error::NoSource(text.to_owned()))
    }

    fn detect_folder(&self, place: &Path) -> Result<Source> {
        let io = |source| Error::Io { action: "opening", path: place.to_owned(), source };
        let folder = place.real_path().map_err(io)?;
        let root_of = |folder: &Path| canonical_root(folder, &work_tree_top).map(|root| root.to_path_buf()).ok();
        let own = root_of(self.root());
        let top = work_tree_top(&folder);
        let is_own = own.as_ref().is_some_and(|own| match &top {
            Some(top) => top == own,
            None => folder.starts_with(own),
        });
        let found = self.contents(&folder, Globs::DOCUMENTS, &Cancel::default())?;
        let is_top = top.as_ref() == Some(&folder);
        let named_so = folder.file_name().is_some_and(|name| {
            DOCUMENT_FOLDERS.iter().any(|known| name.to_string_lossy().eq_ignore_ascii_case(known))
        });
        let is_documents = match found {
            FolderContents { code: 0, .. } => !(is_own && is_top),
            FolderContents { documents: 0, .. } => false,
            FolderContents { code, documents, .. } => !is_top && (named_so || documents >= code),
        };
        Ok(match (is_documents, is_own) {
            (true, _) => Source::Documents { glob: Globs::DOCUMENTS.to_owned(), folder },
            (false, true) => Source::OwnCode(folder),
            (false, false) => Source::Code(folder),
        })
    }
}

pub(crate) fn has_code(folder: &Path) -> bool {
    let found = contents(folder, Globs::DOCUMENTS, Limits::default(), &Cancel::default());
    found.is_ok_and(|found| found.code > 0)
}

/// The most of a file that is looked at to tell whether it is the manifest of a package.
const MAX_MANIFEST: u64 = 4 << 20;

/// A file is a package if it is the manifest or the bundle of one, else a document.
fn detect_file(place: &Path) -> Source {
    let place = place.real_path().unwrap_or_else(|_| place.to_owned());
    if is_package(&place) {
        return Source::Package(file_url(&place));
    }
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Source::Documents { folder: place.parent().unwrap_or(Path::new("/")).to_owned(), glob: glob_of(&name) }
}

/// Whether a file is a bundle by its name, or a manifest by its content: an object with a name, a version and sources.
pub fn is_package(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let is_bundle = [".tar.gz", ".tgz", ".tar.zst", ".tzst", ".zip"].iter().any(|ending| name.ends_with(ending));
    if is_bundle || !name.ends_with(".json") {
        return is_bundle;
    }
    let Ok(bytes) = ai_assist_base::read_bounded(file, MAX_MANIFEST) else { return false };
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_slice(&bytes) else { return false };
    let has = |key: &str, fits: fn(&serde_json::Value) -> bool| fields.get(key).is_some_and(fits);
    has("name", serde_json::Value::is_string)
        && has("version", serde_json::Value::is_string)
        && has("sources", serde_json::Value::is_object)
}

/// The URL of a file of this machine.
pub fn file_url(path: &Path) -> String {
    let path = platform::path_bytes(path);
    // One that begins with a drive has a slash before it.
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    format!("file://{slash}{}", ai_assist_identity::percent::encode_path(&path))
}

/// A file name as a glob that matches nothing else.
pub fn glob_of(name: &str) -> String {
    name.chars().flat_map(|c| if "*?[]{}!\\".contains(c) { vec!['[', c, ']'] } else { vec![c] }).collect()
}

/// Whether a text names a package with a range of its versions, such as `react@^18` or `@scope/name@1`.
pub fn has_range(text: &str) -> bool {
    text.char_indices().any(|(at, c)| c == '@' && at > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_and_manifests_are_packages() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, expected) in [
            ("docs.tar.gz", "", true),
            ("Docs.ZIP", "", true),
            ("docs.tzst", "", true),
            ("manifest.json", r#"{"name": "a", "version": "1", "sources": {"glob": ["**/*.md"]}}"#, true),
            ("react.json", r#"{"name": "a", "version": "1", "sources": {"files": []}}"#, true),
            ("package.json", r#"{"name": "a", "version": "1"}"#, false),
            ("broken.json", "{", false),
            ("a.md", "", false),
        ] {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            assert_eq!(is_package(&file), expected, "{name}");
        }
        assert_eq!(file_url(Path::new("/a b/50%#1?.zip")), "file:///a%20b/50%25%231%3F.zip");
    }

    #[test]
    fn names_follow_from_sources() {
        for (source, name) in [
            (Source::Git("git+https://github.com/a/b.git#v1".into()), "b"),
            (Source::Git("git+ssh://git@h/a/My.Repo".into()), "My-Repo"),
            (Source::Package("https://h/react/18/manifest.json".into()), "react"),
            (Source::Package("https://h/react/manifest.json".into()), "react"),
            (Source::Package("https://h/x/react-18.2.0.tar.gz?y".into()), "react"),
            (Source::Package("https://h/x/react-dom-v2.zip".into()), "react-dom"),
            (Source::Package("https://h/x/2024-notes.zip".into()), "2024-notes"),
            (Source::Site("https://docs.example.org/guide/".into()), "example-guide"),
            (Source::Site("https://www.example.org/".into()), "example"),
            (Source::Site("http://127.0.0.1:8000/en/stable/".into()), "127-0-0-1-en-stable"),
            (Source::Registry("@scope/name@^1".into()), "scope-name"),
            (Source::Registry("react".into()), "react"),
            (Source::Code("/a/.hidden".into()), "hidden"),
            (Source::Documents { folder: "/".into(), glob: String::new() }, "docs"),
        ] {
            assert_eq!(source.name(), name, "{source:?}");
        }
    }
}
