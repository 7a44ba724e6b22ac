//! URLs of packages in their normal form.

use std::str::FromStr;

use url::Url;

use crate::percent;
use crate::text_type;
use crate::{CanonicalPath, PathError};

/// A URL that no package can be fetched from. The texts shown have user info and query taken out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("`{0}` is not a URL; write it with a scheme, such as `https://…` or `file://./…`")]
    NoScheme(String),
    #[error(
        "`{url}` has the scheme `{scheme}`; a package is at `file`, `https`, `http`, `git+https`, `git+ssh` or `git+file`"
    )]
    UnknownScheme { url: String, scheme: String },
    #[error(
        "the URL of a package at `{host}` has a user name, password or token in it; take it out and keep it in `.netrc` or the \
         credentials of the configuration, because URLs are stored and shown"
    )]
    Credentials { host: String },
    #[error(
        "`{url}` names the host `{host}`; write `file:///…` for an absolute path or `file://./…` for a relative one"
    )]
    FileHost { url: String, host: String },
    #[error("`{0}` is relative; an absolute URL is needed here")]
    Relative(String),
    #[error("`{0}` has an encoded `/` in a file name, which no file has")]
    EncodedSlash(String),
    #[error("the path of `{url}` can't be used: {reason}")]
    Path { url: String, reason: PathError },
    #[error("`{url}` is not a valid URL: {reason}")]
    Invalid { url: String, reason: String },
    #[error("`{url}` is not in normal form; it would be written `{normal}`")]
    NotNormal { url: String, normal: String },
}

/// How a package is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UrlScheme {
    File,
    Https,
    /// Plain HTTP. Whether it is allowed is for the one who fetches to say.
    Http,
    GitHttps,
    GitSsh,
    GitFile,
}

impl UrlScheme {
    const ALL: [UrlScheme; 6] = [Self::File, Self::Https, Self::Http, Self::GitHttps, Self::GitSsh, Self::GitFile];

    /// The scheme as it is written in front of the `:`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Https => "https",
            Self::Http => "http",
            Self::GitHttps => "git+https",
            Self::GitSsh => "git+ssh",
            Self::GitFile => "git+file",
        }
    }

    fn is_git(self) -> bool {
        matches!(self, Self::GitHttps | Self::GitSsh | Self::GitFile)
    }
}

/// The URL of a package in its normal form: absolute, without credentials, one spelling per place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageUrl(String);

impl PackageUrl {
    /// The normal form of a URL as a person writes it. A relative `file:` URL (`file://../x`, `file://./x`, `file:x`) is
    /// relative to the project.
    pub fn parse(text: &str, project_root: &CanonicalPath) -> Result<Self, UrlError> {
        Self::normalise(text.trim(), Some(project_root))
    }

    fn normalise(text: &str, root: Option<&CanonicalPath>) -> Result<Self, UrlError> {
        let (scheme, rest) = split_scheme(text)?;
        let url = match scheme {
            UrlScheme::File | UrlScheme::GitFile => file_url(scheme, rest, root, text)?,
            UrlScheme::Https | UrlScheme::Http | UrlScheme::GitHttps | UrlScheme::GitSsh => {
                remote_url(scheme, rest, text)?
            }
        };
        Ok(PackageUrl(url))
    }

    pub fn scheme(&self) -> UrlScheme {
        let name = self.0.split(':').next().unwrap_or_default();
        UrlScheme::ALL.into_iter().find(|s| s.as_str() == name).unwrap_or(UrlScheme::File)
    }

    /// The path of a `file` or `git+file` URL.
    pub fn file_path(&self) -> Option<CanonicalPath> {
        let (_, rest) = self.0.split_once("file://")?;
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        matches!(self.scheme(), UrlScheme::File | UrlScheme::GitFile)
            .then(|| CanonicalPath::from_bytes(&path_bytes(path)).ok())
            .flatten()
    }
}

impl FromStr for PackageUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let url = Self::normalise(text, None)?;
        if url.0 != text {
            return Err(UrlError::NotNormal { url: redacted(text), normal: redacted(&url.0) });
        }
        Ok(url)
    }
}

text_type!(PackageUrl);

fn split_scheme(text: &str) -> Result<(UrlScheme, &str), UrlError> {
    let is_scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    let Some((name, rest)) = text.split_once(':').filter(|(name, _)| is_scheme(name)) else {
        return Err(UrlError::NoScheme(redacted(text)));
    };
    let name = name.to_ascii_lowercase();
    match UrlScheme::ALL.into_iter().find(|s| s.as_str() == name) {
        Some(scheme) => Ok((scheme, rest)),
        None => Err(UrlError::UnknownScheme { url: redacted(text), scheme: name }),
    }
}

/// `rest` is what stands behind `file:`. This is not left to the `url` crate, which takes the `..` of `file://../x` for
/// a host.
fn file_url(scheme: UrlScheme, rest: &str, root: Option<&CanonicalPath>, text: &str) -> Result<String, UrlError> {
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let path = if let Some(behind) = path.strip_prefix("//") {
        let host = behind.split('/').next().unwrap_or_default();
        match host {
            "" | "." | ".." => behind,
            _ if host.contains('@') => {
                return Err(UrlError::Credentials { host: host.rsplit('@').next().unwrap_or_default().to_owned() });
            }
            _ if host.eq_ignore_ascii_case("localhost") => &behind[host.len()..],
            _ => return Err(UrlError::FileHost { url: redacted(text), host: host.to_owned() }),
        }
    } else {
        path
    };
    let upper = path.to_ascii_uppercase();
    if upper.contains("%2F") || (cfg!(windows) && upper.contains("%5C")) {
        return Err(UrlError::EncodedSlash(redacted(text)));
    }
    let bytes = if path.starts_with('/') {
        path_bytes(path)
    } else {
        let root = root.ok_or_else(|| UrlError::Relative(redacted(text)))?;
        [&root.to_bytes()[..], b"/", &percent::decode(path)].concat()
    };
    let path =
        CanonicalPath::from_bytes(&bytes).map_err(|reason| UrlError::Path { url: redacted(text), reason })?.to_bytes();
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    let mut url = format!("{}://{slash}{}", scheme.as_str(), percent::encode_path(&path));
    push_rest(&mut url, scheme, query, fragment);
    Ok(url)
}

/// The bytes of an absolute path in a URL: on Windows the slash in front of a drive is not part of it.
fn path_bytes(path: &str) -> Vec<u8> {
    let bytes = percent::decode(path);
    match bytes[..] {
        [b'/', _, b':', ..] if cfg!(windows) => bytes[1..].to_vec(),
        _ => bytes,
    }
}

fn remote_url(scheme: UrlScheme, rest: &str, text: &str) -> Result<String, UrlError> {
    let inner = scheme.as_str().trim_start_matches("git+");
    // The parser's own message is a fixed sentence, so it can't show a password.
    let invalid = |reason: String| UrlError::Invalid { url: redacted(text), reason };
    if !rest.starts_with("//") {
        return Err(invalid(format!("`//` is missing after `{}:`", scheme.as_str())));
    }
    let url = Url::parse(&format!("{inner}:{rest}")).map_err(|e| invalid(e.to_string()))?;
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return Err(invalid("it has no host".to_owned()));
    };
    let host = host.to_ascii_lowercase();
    // The user of an SSH URL is a name everybody knows (`git`), and without it most servers can't be reached.
    let user = if scheme == UrlScheme::GitSsh { url.username() } else { "" };
    if url.password().is_some() || url.username() != user || has_token(&url) {
        return Err(UrlError::Credentials { host });
    }
    let mut normal = format!("{}://", scheme.as_str());
    if !user.is_empty() {
        normal.push_str(&percent::normalise(user));
        normal.push('@');
    }
    normal.push_str(&host);
    // For `http` and `https` the parser has dropped the default port.
    if let Some(port) = url.port().filter(|&port| scheme != UrlScheme::GitSsh || port != 22) {
        normal.push_str(&format!(":{port}"));
    }
    normal.push_str(percent::normalise(url.path()).trim_end_matches('/'));
    push_rest(&mut normal, scheme, url.query(), url.fragment());
    Ok(normal)
}

/// Names of what a query carries to be let in, in lower case and without `-` and `_`.
const TOKENS: [&str; 18] = [
    "token", "accesstoken", "authtoken", "privatetoken", "jobtoken", "apikey", "accesskey", "secret", "clientsecret",
    "password", "passwd", "pwd", "auth", "authorization", "sig", "signature", "xamzsignature", "xgoogsignature",
];

fn has_token(url: &Url) -> bool {
    let is_token = |key: &str| {
        let key: String = key.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        TOKENS.contains(&key.to_ascii_lowercase().as_str())
    };
    url.query_pairs().any(|(key, value)| !value.is_empty() && is_token(&key))
}

/// A URL that somebody wrote, as it may be shown: whole, or without what lets them in somewhere.
pub fn shown_url(text: &str) -> String {
    let safe = Url::parse(text).is_ok_and(|url| {
        let user = url.username().is_empty() || url.scheme().ends_with("ssh");
        user && url.password().is_none() && !has_token(&url)
    });
    // What does not parse is shown if there is nothing in it that could be a user or a query.
    if safe || !text.contains(['@', '?']) { text.to_owned() } else { redacted(text) }
}

/// A fragment names a revision for git and nothing for the rest, where it never reaches the server.
fn push_rest(url: &mut String, scheme: UrlScheme, query: Option<&str>, fragment: Option<&str>) {
    if let Some(query) = query.filter(|q| !q.is_empty()) {
        url.push('?');
        url.push_str(&percent::normalise(query));
    }
    if let Some(fragment) = fragment.filter(|f| !f.is_empty() && scheme.is_git()) {
        url.push('#');
        url.push_str(&percent::normalise(fragment));
    }
}

/// A URL that may be shown: without anything that could be a user name, password or token.
///
/// It must hold for texts that don't parse as well, so it is crude: all before the last `@` goes.
fn redacted(text: &str) -> String {
    // The query may have an `@`, and a password may have a `?` that should have been encoded.
    let start = text.find("//").map_or_else(|| text.find(':').map_or(0, |at| at + 1), |at| at + 2);
    let shown = match text.rfind('@') {
        Some(at) if at >= start => format!("{}***@{}", &text[..start], &text[at + 1..]),
        Some(at) => format!("***@{}", &text[at + 1..]),
        None => text.to_owned(),
    };
    match shown.find(['?', '#']) {
        Some(at) => format!("{}…", &shown[..at]),
        None => shown,
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "package_url_tests.rs"]
mod tests;
