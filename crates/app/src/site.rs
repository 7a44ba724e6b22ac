//! Whether a URL is that of a website, found out by asking it.

use ai_assist_base::Cancel;
use ai_assist_collections::{Client, SiteScope, UrlKind, look_at_url};

use crate::{Project, Result, Source, spelling};

impl Project {
    /// What a URL with a scheme stands for: a package by its name, else what its server says.
    pub(crate) fn detect_url(&self, text: &str, client: &Client) -> Result<Source> {
        if !is_site_url(text) {
            return Ok(Source::Package(text.to_owned()));
        }
        match look_at_url(text, client, &Cancel::default())? {
            UrlKind::Site(url) => Ok(Source::Site(url)),
            UrlKind::Package => Ok(Source::Package(text.to_owned())),
        }
    }
}

/// Whether a URL may be that of a website: over HTTP, and not named as a manifest, a bundle or a git repository is.
pub fn is_site_url(text: &str) -> bool {
    let path = text.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let is_web = path.starts_with("https://") || path.starts_with("http://");
    let is_package = [".json", ".tar.gz", ".tgz", ".tar.zst", ".zip"].iter().any(|ending| path.ends_with(ending));
    is_web && !is_package && matches!(spelling::read(text), Ok(Some(Source::Package(_))))
}

/// What to call a website: its host without what says nothing, and its folder.
pub(crate) fn site_name(url: &str) -> String {
    let Ok(scope) = SiteScope::new(url, &[], &[]) else { return String::new() };
    let name = scope.name();
    let (host, folder) = name.split_once('/').unwrap_or((&name, ""));
    let is_address = host.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'[' | b']' | b':'));
    let mut parts: Vec<&str> = host.split('.').collect();
    if !is_address && parts.len() > 1 {
        // The last part says who gives out names, and the first often only that there is a web.
        parts.pop();
        if parts.len() > 1 && matches!(parts[0], "www" | "docs" | "doc" | "developer" | "developers") {
            parts.remove(0);
        }
    }
    let mut name = parts.join("-");
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        name = format!("{name}-{part}");
    }
    name
}
