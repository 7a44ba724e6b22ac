//! What a source is that somebody wants at hand, found out by looking at it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ai_assist_admit::{Globs, Limits, Selection, walk};
use ai_assist_base::Cancel;
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_text::{Language, LanguageKind};

use crate::site::site_name;
use crate::{Error, Project, Result};

/// Folders of these names hold documents, even where code in them is more than text.
const DOCUMENT_FOLDERS: &[&str] =
    &["doc", "docs", "documentation", "guide", "guides", "handbook", "manual", "notes", "wiki"];

/// Where `owner/name` is a git repository.
const GIT_HOSTS: &[&str] = &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

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
                    // Every manifest has the same name, and the folder says more.
                    [.., above, "manifest.json" | "index.json"] => (*above).to_owned(),
                    [.., last] => last.split('.').next().unwrap_or_default().to_owned(),
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
        };
        fitting(&name)
    }
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
        let place = self.folder.join(text);
        if place.is_dir() {
            return self.detect_folder(&place);
        }
        if place.is_file() {
            return Ok(detect_file(&place));
        }
        if let Some(url) = git_url(text) {
            return Ok(Source::Git(url));
        }
        if text.contains("://") {
            return self.detect_url(text);
        }
        let is_path = text.starts_with(['.', '/', '~']) || text.ends_with('/');
        if !is_path && (has_range(text) || !self.settings.registries().is_empty()) {
            return Ok(Source::Registry(text.to_owned()));
        }
        Err(Error::NoSource(text.to_owned()))
    }

    fn detect_folder(&self, place: &Path) -> Result<Source> {
        let io = |source| Error::Io { action: "opening", path: place.to_owned(), source };
        let folder = place.canonicalize().map_err(io)?;
        let root_of = |folder: &Path| canonical_root(folder, &work_tree_top).map(|root| root.to_path_buf()).ok();
        let own = root_of(self.root());
        let top = work_tree_top(&folder);
        let is_own = own.as_ref().is_some_and(|own| match &top {
            Some(top) => top == own,
            None => folder.starts_with(own),
        });
        let found = survey(&folder)?;
        let is_top = top.as_ref() == Some(&folder);
        let named_so = folder.file_name().is_some_and(|name| {
            DOCUMENT_FOLDERS.iter().any(|known| name.to_string_lossy().eq_ignore_ascii_case(known))
        });
        let is_documents = match found {
            Found { code: 0, .. } => !(is_own && is_top),
            Found { documents: 0, .. } => false,
            Found { code, documents, .. } => !is_top && (named_so || documents >= code),
        };
        Ok(match (is_documents, is_own) {
            (true, _) => Source::Documents { glob: found.glob(), folder },
            (false, true) => Source::OwnCode(folder),
            (false, false) => Source::Code(folder),
        })
    }
}

/// What the names of a folder's files say.
#[derive(Debug, Default)]
struct Found {
    code: usize,
    documents: usize,
    extensions: BTreeSet<String>,
}

impl Found {
    /// A pattern for the documents that are there.
    fn glob(&self) -> String {
        let extensions: Vec<&str> = self.extensions.iter().map(String::as_str).collect();
        match extensions.as_slice() {
            [] => "**/*.md".to_owned(),
            [one] => format!("**/*.{one}"),
            several => format!("**/*.{{{}}}", several.join(",")),
        }
    }
}

fn survey(folder: &Path) -> Result<Found> {
    let globs = Globs::new(&Globs::EVERYTHING).map_err(ai_assist_collections::Error::from)?;
    let walked = walk(&Selection::new(folder, globs, Limits::default()), &Cancel::default(), &|_| {});
    let mut found = Found::default();
    for candidate in walked.map_err(ai_assist_collections::Error::from)?.candidates {
        let path = candidate.path().as_str();
        let extension = Path::new(path).extension().map(|extension| extension.to_string_lossy().into_owned());
        match (Language::of_path(path).map(Language::kind), extension) {
            (Some(LanguageKind::Code), _) => found.code += 1,
            // Licences and the like are in every folder, and logs are not what somebody wants to read up on.
            (Some(LanguageKind::Prose), Some(extension)) if extension != "log" => {
                found.documents += 1;
                found.extensions.insert(extension);
            }
            _ => {}
        }
    }
    Ok(found)
}

pub(crate) fn has_code(folder: &Path) -> bool {
    survey(folder).is_ok_and(|found| found.code > 0)
}

/// A file is a package if it looks like the manifest or the bundle of one, else a document.
fn detect_file(place: &Path) -> Source {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_bundle = [".tar.gz", ".tgz", ".tar.zst"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    if name == "manifest.json" || is_bundle {
        return Source::Package(format!("file://{}", place.display()));
    }
    Source::Documents { folder: place.parent().unwrap_or(Path::new("/")).to_owned(), glob: glob_of(&name) }
}

/// A file name as a glob that matches nothing else.
pub fn glob_of(name: &str) -> String {
    name.chars().flat_map(|c| if "*?[]{}!\\".contains(c) { vec!['[', c, ']'] } else { vec![c] }).collect()
}

/// Whether a text names a package with a range of its versions, such as `react@^18` or `@scope/name@1`.
pub fn has_range(text: &str) -> bool {
    text.char_indices().any(|(at, c)| c == '@' && at > 0)
}

/// The URL of a git repository as configurations have it, if a text looks like one.
pub(crate) fn git_url(text: &str) -> Option<String> {
    if text.starts_with("git+") {
        return Some(text.to_owned());
    }
    if let Some(rest) = text.strip_prefix("ssh://") {
        return Some(format!("git+ssh://{rest}"));
    }
    // The short form of ssh: `git@github.com:owner/name.git`.
    if !text.contains("://")
        && let Some((host, path)) = text.split_once(':')
        && host.contains('@')
    {
        return Some(format!("git+ssh://{host}/{path}"));
    }
    let rest = text.strip_prefix("https://")?;
    let path = rest.split(['?', '#']).next()?.trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    let is_hosted = GIT_HOSTS.contains(parts.first()?) && parts.len() == 3;
    (path.ends_with(".git") || is_hosted).then(|| format!("git+https://{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_repositories_are_known_by_their_urls() {
        for (text, expected) in [
            ("git@github.com:a/b.git", Some("git+ssh://git@github.com/a/b.git")),
            ("ssh://git@h/a/b", Some("git+ssh://git@h/a/b")),
            ("https://github.com/a/b", Some("git+https://github.com/a/b")),
            ("https://github.com/a/b#v1", Some("git+https://github.com/a/b#v1")),
            ("https://example.org/x/b.git", Some("git+https://example.org/x/b.git")),
            ("git+file:///srv/r", Some("git+file:///srv/r")),
            ("https://github.com/a/b/releases/x.tar.gz", None),
            ("https://example.org/a/manifest.json", None),
            ("react@^18", None),
            ("@scope/name@1", None),
        ] {
            assert_eq!(git_url(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_follow_from_sources() {
        for (source, name) in [
            (Source::Git("git+https://github.com/a/b.git#v1".into()), "b"),
            (Source::Git("git+ssh://git@h/a/My.Repo".into()), "My-Repo"),
            (Source::Package("https://h/react/18/manifest.json".into()), "18"),
            (Source::Package("https://h/x/react-18.tar.gz?y".into()), "react-18"),
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
