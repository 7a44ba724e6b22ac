//! The addresses of views.

use ai_assist_search::{Hit, Origin};
use ai_assist_text::{Language, LineRange};

use crate::params::Params;

/// A part of a path, so that nothing in it counts as structure.
pub(crate) fn segment(text: &str) -> String {
    encoded(text, b"")
}

/// A path with its slashes.
pub(crate) fn path(text: &str) -> String {
    encoded(text, b"/")
}

fn encoded(text: &str, kept: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        // A browser takes a path of dots alone for a way up, even if it is encoded.
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Where a document is, and how its parts are named in addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Repo {
        repo: String,
        path: String,
    },
    Collection {
        collection: String,
        path: String,
    },
    /// What a session holds: `SESSION/PATH@VERSION`.
    Session {
        name: String,
    },
}

impl Place {
    pub(crate) fn of(hit: &Hit) -> Place {
        match &hit.origin {
            Origin::Repo { repo, .. } => Place::Repo { repo: repo.clone(), path: hit.document.clone() },
            Origin::Collection { collection, .. } => {
                Place::Collection { collection: collection.clone(), path: hit.document.clone() }
            }
            Origin::Session { session } => Place::Session { name: format!("{session}/{}", hit.document) },
        }
    }

    pub(crate) fn beside(&self, other: &str) -> Place {
        let mut place = self.clone();
        match &mut place {
            Place::Repo { path, .. } | Place::Collection { path, .. } => *path = other.to_owned(),
            Place::Session { name } => *name = other.to_owned(),
        }
        place
    }

    pub(crate) fn path(&self) -> &str {
        match self {
            Place::Repo { path, .. } | Place::Collection { path, .. } => path,
            Place::Session { name } => name,
        }
    }

    /// The name of what it belongs to.
    pub(crate) fn owner(&self) -> &str {
        match self {
            Place::Repo { repo, .. } => repo,
            Place::Collection { collection, .. } => collection,
            Place::Session { name } => name.split('/').next().unwrap_or(name),
        }
    }

    pub(crate) fn address(&self, project: &str) -> String {
        let (kind, owner, path) = match self {
            Place::Repo { repo, path } => ("file", segment(repo) + "/", path),
            Place::Collection { collection, path } => ("doc", segment(collection) + "/", path),
            Place::Session { name } => ("seen", String::new(), name),
        };
        format!("/p/{}/{kind}/{owner}{}", segment(project), self::path(path))
    }

    /// The address of some lines.
    pub(crate) fn lines(&self, project: &str, lines: LineRange, language: Language) -> String {
        let at = if is_rendered(self, language) { "hit".to_owned() } else { format!("L{}", lines.start) };
        format!("{}?lines={lines}#{at}", self.address(project))
    }
}

/// Whether a document is shown as it is meant to look. What a collection has converted is Markdown, whatever its file is.
pub(crate) fn is_rendered(place: &Place, language: Language) -> bool {
    let is_markup = |language: Language| matches!(language.name(), "markdown" | "mdx");
    is_markup(language)
        || matches!(place, Place::Collection { .. }) && matches!(language.name(), "html" | "pdf" | "notebook")
}

/// The address of a view of a project.
pub(crate) fn view(project: &str, name: &str) -> String {
    let project = segment(project);
    if name.is_empty() { format!("/p/{project}") } else { format!("/p/{project}/{name}") }
}

pub(crate) fn view_with(project: &str, name: &str, params: &Params) -> String {
    view(project, name) + &params.to_query()
}

pub(crate) fn symbol(project: &str, name: &str) -> String {
    view_with(project, "symbols", &Params::default().with("name", name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_structure() {
        let place = Place::Repo { repo: "a/b?".to_owned(), path: "x y/<é>#.md".to_owned() };
        assert_eq!(place.address("p&q"), "/p/p%26q/file/a%2Fb%3F/x%20y/%3C%C3%A9%3E%23.md");
        assert_eq!(symbol("p", "a::b<c>"), "/p/p/symbols?name=a%3A%3Ab%3Cc%3E");
    }
}
