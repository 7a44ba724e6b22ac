//! Ids of collections.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text_type;
use crate::{CanonicalPath, PackageUrl, Sha256, UrlError};

/// Where the documents of a collection come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CollectionKind {
    /// Files of a folder that match a glob.
    File,
    Pkg,
    /// What a project depends on, as its package managers have it on this machine.
    Dep,
    /// Pages of a website.
    Site,
}

impl CollectionKind {
    /// The word that stands in ids, in configuration and in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            CollectionKind::File => "file",
            CollectionKind::Pkg => "pkg",
            CollectionKind::Dep => "dep",
            CollectionKind::Site => "site",
        }
    }
}

impl fmt::Display for CollectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that is not the id of a collection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCollectionId {
    #[error("a collection id is `file:` or `dep:` and 64 lower-case hex digits, or `pkg:` or `site:` and a URL")]
    Form,
    #[error("the URL of the collection id can't be used: {0}")]
    Url(#[from] UrlError),
}

/// The id of a collection: `file:<hash>` of its folder and glob, `dep:<hash>` of a project and what is wanted of its dependencies,
/// `pkg:<url>` of its package, or `site:<url>` of its website, with ` @<state>` behind it where several states of one package or site are kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(String);

impl CollectionId {
    /// The id of the files below a folder that match a glob: SHA-256 of the one followed by the other.
    ///
    /// Plain concatenation is what the format asks for, and it can collide (`/a` + `bc`, `/ab` + `c`): whoever stores
    /// collections compares folder and glob too.
    pub fn file(path: &CanonicalPath, glob: &str) -> Self {
        let hash = Sha256::of(format!("{}{glob}", path.hash_text()).as_bytes());
        CollectionId(format!("file:{}", hash.hex()))
    }

    pub fn package(url: &PackageUrl) -> Self {
        CollectionId(format!("pkg:{url}"))
    }

    /// The id of some dependencies of the project in a folder. `wanted` says which, in one line for each.
    pub fn dependencies(project: &CanonicalPath, wanted: &str) -> Self {
        // No path has a line end in its escaped form.
        CollectionId(format!("dep:{}", Sha256::of(format!("{}\n{wanted}", project.as_str()).as_bytes()).hex()))
    }

    /// The id of a website, by the one spelling of its URL. What else decides which of its pages are wanted is told apart by a hash.
    pub fn site(url: &str, choice: Option<&Sha256>) -> Self {
        // No URL of a page has a blank or a fragment.
        let url = url.replace([' ', '#'], "");
        match choice {
            None => CollectionId(format!("site:{url}")),
            Some(choice) => CollectionId(format!("site:{url}#{}", &choice.hex()[..16])),
        }
    }

    /// An id under which nothing is ever kept, in place of another one.
    #[must_use]
    pub fn nothing(other: &CollectionId) -> Self {
        // The text of no folder and glob has a line end.
        CollectionId(format!("file:{}", Sha256::of(format!("nothing\n{other}").as_bytes()).hex()))
    }

    /// The id of another state of the same package or site, for a reader that is held to it: no URL has a blank in it.
    #[must_use]
    pub fn in_state(&self, state: &Sha256) -> Self {
        CollectionId(format!("{} @{}", self.base(), &state.hex()[..16]))
    }

    /// The id without the state.
    pub fn base(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// Which of the forms it is.
    pub fn kind(&self) -> CollectionKind {
        match self.0.split(':').next() {
            Some("pkg") => CollectionKind::Pkg,
            Some("site") => CollectionKind::Site,
            Some("dep") => CollectionKind::Dep,
            _ => CollectionKind::File,
        }
    }
}

impl FromStr for CollectionId {
    type Err = BadCollectionId;

    fn from_str(text: &str) -> Result<Self, BadCollectionId> {
        let is_short_hash = |it: &str| it.len() == 16 && it.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let (base, state) = text.split_once(" @").map_or((text, None), |(base, state)| (base, Some(state)));
        let with_state = |id: CollectionId| match state {
            None => Ok(id),
            Some(state) if is_short_hash(state) => Ok(CollectionId(format!("{} @{state}", id.0))),
            Some(_) => Err(BadCollectionId::Form),
        };
        if let Some(url) = base.strip_prefix("pkg:") {
            return with_state(Self::package(&url.parse()?));
        }
        if let Some(rest) = base.strip_prefix("site:") {
            let (url, choice) = rest.split_once('#').map_or((rest, None), |(url, choice)| (url, Some(choice)));
            let is_url = url.starts_with("https://") || url.starts_with("http://");
            if !is_url || url.contains(char::is_whitespace) || !choice.is_none_or(is_short_hash) {
                return Err(BadCollectionId::Form);
            }
            return with_state(CollectionId(base.to_owned()));
        }
        let hash = text.strip_prefix("file:").or_else(|| text.strip_prefix("dep:")).ok_or(BadCollectionId::Form)?;
        // Ids are compared as text, so there is one case only.
        if hash.len() != 64 || !hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(BadCollectionId::Form);
        }
        Ok(CollectionId(text.to_owned()))
    }
}

text_type!(CollectionId);

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    fn path(bytes: &[u8]) -> CanonicalPath {
        CanonicalPath::from_absolute(Path::new(OsStr::from_bytes(bytes))).unwrap()
    }

    #[test]
    fn file_ids_are_what_sha256sum_says() {
        for (root, glob, id) in [
            // printf '/srv/docs**/*.md' | sha256sum
            (&b"/srv/docs/"[..], "**/*.md", "file:66b68a4d868c7e4a0aa4bb8dbaffbd75eb168e1d93b632de1114b6f96de2c6ed"),
            // printf '/srv/caf\xc3\xa9/100%%FF*' | sha256sum: valid UTF-8 is hashed as it is, not as it is shown
            (b"/srv/caf\xc3\xa9/100%FF", "*", "file:e24eeabf82de88d3ef5eda18a94536c8cf58c86b9cf8ae1ad57c8857e4d6b221"),
            // printf '/srv/a%%FF*' | sha256sum: anything else by its escaped form
            (b"/srv/a\xff", "*", "file:16d6b712936c2d57748c4741d3e89ff42b60401b42b40ea44f1b9bede3ae88c4"),
        ] {
            assert_eq!(CollectionId::file(&path(root), glob).as_str(), id);
        }
    }

    #[test]
    fn ids_are_read_back_and_checked() {
        let file = CollectionId::file(&path(b"/srv"), "*");
        let url = PackageUrl::parse("https://React.dev/m.json/", &path(b"/srv")).unwrap();
        let package = CollectionId::package(&url);
        assert_eq!(package.as_str(), "pkg:https://react.dev/m.json");
        let dependencies = CollectionId::dependencies(&path(b"/srv"), "");
        assert_ne!(dependencies, CollectionId::dependencies(&path(b"/srv"), "npm:react"));
        let site = CollectionId::site("https://h/docs/", None);
        let some = CollectionId::site("https://h/docs/", Some(&Sha256::of(b"x")));
        assert_eq!(site.as_str(), "site:https://h/docs/");
        let state = some.in_state(&Sha256::of(b"y"));
        assert_eq!((state.base(), state.kind()), (some.as_str(), CollectionKind::Site));
        for (id, kind) in [
            (&file, CollectionKind::File),
            (&package, CollectionKind::Pkg),
            (&site, CollectionKind::Site),
            (&some, CollectionKind::Site),
            (&state, CollectionKind::Site),
            (&dependencies, CollectionKind::Dep),
        ] {
            assert_eq!(id.kind(), kind);
            assert_eq!(id.as_str().parse::<CollectionId>().as_ref(), Ok(id));
            let json = serde_json::to_string(id).unwrap();
            assert_eq!(&serde_json::from_str::<CollectionId>(&json).unwrap(), id);
        }
        let upper = file.as_str().to_uppercase().replace("FILE", "file");
        for bad in [
            "", "file:", "file:abc", &upper, "pkg:", "pkg:https://A.com", "pkg:x", "repo:x", "site:", "site:x",
            "site:https://h/#x", "site:https://h/ @x",
        ] {
            assert!(bad.parse::<CollectionId>().is_err(), "{bad}");
        }
        assert_eq!(serde_json::to_string(&CollectionKind::Pkg).unwrap(), "\"pkg\"");
        assert_eq!(CollectionKind::File.to_string(), "file");
    }
}
