//! What the URL of a git repository says.

use std::ffi::OsString;

use ai_assist_identity::{DocPath, PackageUrl, UrlScheme, percent};

use super::reference::Reference;
use super::{Commit, GitError, Result};
use crate::extract;

/// A git repository, the commit in it, and what of it is the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSource {
    /// As git is given it: a URL, or the path of a repository of this machine.
    pub(super) remote: OsString,
    pub(super) scheme: UrlScheme,
    pub(super) url: String,
    pub(super) reference: Option<Reference>,
    manifest: Option<DocPath>,
    globs: Vec<String>,
}

impl GitSource {
    /// Reads the URL of a repository: `git+https://…?manifest=path#ref`, with `glob=…` any number of times in place of
    /// `manifest=`.
    pub fn parse(url: &PackageUrl) -> Result<GitSource> {
        let (rest, fragment) = split(url.as_str(), '#');
        let (place, query) = split(rest, '?');
        let Some(plain) = place.strip_prefix("git+") else {
            return Err(GitError::NotGit(place.to_owned()));
        };
        let shown = place.to_owned();
        let remote = match url.file_path() {
            Some(path) => path.to_path_buf().into_os_string(),
            None => plain.into(),
        };
        let (manifest, globs) = parse_query(query.unwrap_or_default(), &shown)?;
        let reference = fragment.map(|text| parse_reference(text, &shown)).transpose()?;
        Ok(GitSource { remote, scheme: url.scheme(), url: shown, reference, manifest, globs })
    }

    pub fn manifest(&self) -> Option<&DocPath> {
        self.manifest.as_ref()
    }

    /// The globs that say which files the package has. There are none if there is a manifest.
    pub fn globs(&self) -> &[String] {
        &self.globs
    }

    /// The branch, tag or commit. If there is none, the repository's `HEAD` is meant.
    pub fn reference(&self) -> Option<&str> {
        self.reference.as_ref().map(Reference::as_str)
    }

    /// The commit that the URL itself names.
    pub fn pinned(&self) -> Option<&Commit> {
        self.reference.as_ref().and_then(Reference::commit)
    }

    pub(super) fn is_local(&self) -> bool {
        self.scheme == UrlScheme::GitFile
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

fn parse_reference(text: &str, url: &str) -> Result<Reference> {
    let bad = |reference: &str, reason| GitError::Reference {
        url: url.to_owned(),
        reference: extract::shown(reference.as_bytes()),
        reason,
    };
    let text = String::from_utf8(percent::decode(text)).map_err(|_| bad(text, "it is not Unicode"))?;
    Reference::parse(&text).map_err(|reason| bad(&text, reason))
}

fn parse_query(query: &str, url: &str) -> Result<(Option<DocPath>, Vec<String>)> {
    let bad = |reason| GitError::Query { url: url.to_owned(), reason };
    let mut manifest = None;
    let mut globs = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = split(pair, '=');
        let value = percent::decode(value.unwrap_or_default());
        match &percent::decode(key)[..] {
            b"manifest" | b"glob" if value.is_empty() => return Err(bad("`manifest` or `glob` has no value")),
            b"manifest" if manifest.is_some() => return Err(bad("there are two manifests")),
            b"manifest" => manifest = Some(parse_manifest(&value, url)?),
            b"glob" => globs.push(String::from_utf8(value).map_err(|_| bad("a glob is not Unicode"))?),
            key => return Err(GitError::UnknownKey { url: url.to_owned(), key: extract::shown(key) }),
        }
    }
    if manifest.is_some() && !globs.is_empty() {
        return Err(bad("there is a `manifest` and a `glob`; the manifest says which files there are"));
    }
    Ok((manifest, globs))
}

fn parse_manifest(value: &[u8], url: &str) -> Result<DocPath> {
    extract::doc_path(value).map_err(|error| match error {
        crate::ExtractError::Name(reason) => GitError::Manifest { url: url.to_owned(), reason },
        source => GitError::Extractor { url: url.to_owned(), source },
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use ai_assist_identity::CanonicalPath;
    use std::path::Path;

    fn parse(url: &str) -> Result<GitSource, GitError> {
        let root = CanonicalPath::from_absolute(Path::new("/project")).unwrap();
        GitSource::parse(&PackageUrl::parse(url, &root).unwrap())
    }

    #[test]
    fn urls_are_read() {
        let source = parse("git+https://Example.com/a/b.git?manifest=docs%2Fx%20y.json#feature/%C3%A4").unwrap();
        assert_eq!(source.remote, "https://example.com/a/b.git");
        assert_eq!(source.manifest().unwrap().as_str(), "docs/x y.json");
        assert_eq!(source.reference(), Some("feature/ä"));
        assert!(source.globs().is_empty());

        let source = parse("git+ssh://git@host:2222/a/b.git?glob=docs/**/*.md&glob=c%2B%2B/+/*.{md,txt}%26").unwrap();
        assert_eq!(source.remote, "ssh://git@host:2222/a/b.git");
        assert_eq!(source.globs(), ["docs/**/*.md", "c++/+/*.{md,txt}&"]);
        assert_eq!((source.reference(), source.manifest()), (None, None));

        let source = parse("git+file://../other%20one%FF#HEAD").unwrap();
        let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/other one\xff");
        assert_eq!(source.remote, path);
        assert!(source.is_local());

        let pinned = "ABCDEF0123456789abcdef0123456789abcdef01";
        let source = parse(&format!("git+https://host/x#{pinned}")).unwrap();
        assert_eq!(source.pinned().unwrap().as_str(), pinned.to_lowercase());
    }

    #[test]
    fn what_can_not_be_is_said() {
        for (url, wanted) in [
            ("https://host/x.git", "not the URL of a git repository"),
            ("git+https://host/x?branch=main", "`?branch=`, which is not known; known are `manifest` and `glob`"),
            ("git+https://host/x?Manifest=a", "`?Manifest=`"),
            ("git+https://host/x?manifest=a&glob=b", "a `manifest` and a `glob`"),
            ("git+https://host/x?manifest=a&manifest=a", "two manifests"),
            ("git+https://host/x?manifest", "no value"),
            ("git+https://host/x?glob=", "no value"),
            ("git+https://host/x?glob=%FF", "not Unicode"),
            ("git+https://host/x?manifest=../a", "`..`"),
            ("git+https://host/x?manifest=/a", "absolute"),
            ("git+https://host/x?manifest=%00", "NUL"),
            ("git+https://host/x#-x", "starts with `-`"),
            ("git+https://host/x#--upload-pack=touch%20x", "starts with `-`"),
            ("git+https://host/x#main?glob=x", "stands before its `#…`"),
            ("git+https://host/x#%FF", "not Unicode"),
            ("git+https://host/x#a..b", "`..`"),
        ] {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains(wanted), "{url}: {error}");
        }
        let secret = parse("git+https://host/x?other=s3cret").unwrap_err().to_string();
        assert!(!secret.contains("s3cret"), "{secret}");
    }
}
