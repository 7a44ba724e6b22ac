//! Which URLs belong to a website as it was named, and the one spelling of each.

use ai_assist_admit::Globs;
use ai_assist_identity::percent;
use url::Url;

/// A longer URL is no page but a trap.
const LONGEST_URL: usize = 2000;

/// Parameters that say where a reader came from, and nothing about the page.
const TRACKING: [&str; 17] = [
    "gclid", "dclid", "fbclid", "msclkid", "yclid", "twclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc",
    "_hsmi", "hsctatracking", "phpsessid", "jsessionid", "sessionid",
];

/// Files that no page is in, by their endings.
const NO_PAGES: [&str; 56] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp", "tif", "tiff", "css", "js", "mjs", "cjs", "map",
    "wasm", "woff", "woff2", "ttf", "otf", "eot", "zip", "gz", "tgz", "tar", "xz", "bz2", "zst", "7z", "rar", "exe",
    "msi", "dmg", "pkg", "deb", "rpm", "apk", "jar", "whl", "iso", "bin", "mp3", "mp4", "m4a", "m4v", "mov", "avi",
    "webm", "ogg", "wav", "xml", "rss", "atom", "json", "csv",
];

/// Why a website can't be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSite {
    #[error("`{url}` is not a URL: {reason}")]
    Url { url: String, reason: String },
    #[error("`{0}` is not the URL of a website, which begins with `https://` (or `http://`)")]
    Scheme(String),
    #[error("the URL of a website has no user name or password in it")]
    UserInfo,
    #[error("{0}")]
    Glob(String),
}

/// A website, or the part of it that somebody wants: what lies at and below a URL.
#[derive(Debug, Clone)]
pub struct Scope {
    start: Url,
    /// The path that all pages begin with; it ends in `/`.
    folder: String,
    include: Option<Globs>,
    exclude: Option<Globs>,
}

impl Scope {
    /// `include` and `exclude` are globs over what follows the folder in the URL of a page.
    pub fn new(url: &str, include: &[String], exclude: &[String]) -> Result<Self, BadSite> {
        let parsed =
            Url::parse(url).map_err(|error| BadSite::Url { url: url.to_owned(), reason: error.to_string() })?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none_or(str::is_empty) {
            return Err(BadSite::Scheme(url.to_owned()));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(BadSite::UserInfo);
        }
        let too_long =
            || BadSite::Url { url: crate::shown(&parsed), reason: format!("it is longer than {LONGEST_URL} bytes") };
        let start = normal(parsed.clone()).ok_or_else(too_long)?;
        let globs = |patterns: &[String]| match patterns {
            [] => Ok(None),
            patterns => Globs::new(patterns).map(Some).map_err(|error| BadSite::Glob(error.to_string())),
        };
        let folder = folder_of(start.path());
        Ok(Scope { folder, start, include: globs(include)?, exclude: globs(exclude)? })
    }

    /// The URL that was given, in its one spelling.
    pub fn start(&self) -> &Url {
        &self.start
    }

    /// What to call the site: its host and folder.
    pub fn name(&self) -> String {
        let host = self.start.host_str().unwrap_or_default();
        format!("{host}{}", self.folder.trim_end_matches('/'))
    }

    /// A file at the root of the scope, or of the host.
    pub(super) fn file(&self, name: &str, of_host: bool) -> Option<Url> {
        let folder = if of_host { "/" } else { &self.folder };
        self.start.join(&format!("{folder}{name}")).ok()
    }

    /// Whether the scope is all of its host.
    pub(super) fn is_host(&self) -> bool {
        self.folder == "/"
    }

    pub(super) fn same_origin(&self, url: &Url) -> bool {
        url.origin() == self.start.origin()
    }

    pub(super) fn contains(&self, url: &Url) -> bool {
        let path = url.path();
        self.same_origin(url)
            && (path.starts_with(&self.folder) || path == self.folder.trim_end_matches('/') || *url == self.start)
    }

    /// Whether a page is wanted by the globs. The page that was named leads to the others, whatever they say.
    pub(super) fn is_wanted(&self, url: &Url) -> bool {
        let path = self.below(url);
        let path = if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path };
        self.include.as_ref().is_none_or(|globs| globs.matches(&path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.matches(&path))
    }

    /// What follows the folder of the scope in the path of a page.
    pub(super) fn below(&self, url: &Url) -> String {
        String::from_utf8_lossy(&percent::decode(self.below_encoded(url))).into_owned()
    }

    pub(super) fn below_encoded<'u>(&self, url: &'u Url) -> &'u str {
        url.path().strip_prefix(&self.folder).unwrap_or_default()
    }

    /// A link of a page, in its one spelling, if it leads to a page of the scope.
    pub(super) fn page(&self, base: &Url, link: &str) -> Option<Url> {
        let link = link.trim();
        // The most frequent kinds of links that are none, without the cost of parsing them.
        if link.starts_with('#')
            || link.starts_with("mailto:")
            || link.starts_with("javascript:")
            || link.starts_with("data:")
        {
            return None;
        }
        let url = normal(base.join(link).ok()?)?;
        // Sphinx links each page to what it was made of, which is the same text with more marks.
        let is_source = self.below_encoded(&url).split('/').any(|part| part == "_sources");
        (self.contains(&url) && may_be_page(&url) && !is_source).then_some(url)
    }
}

/// The folder that a URL stands for: itself, the one it is in if it names a file, else the one of its name.
fn folder_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((_, "")) => path.to_owned(),
        Some((folder, name)) if extension(name).is_some() => format!("{folder}/"),
        _ => format!("{path}/"),
    }
}

/// The ending of a file name, if it has one: `v2.1` has none.
pub(super) fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let plain = (1..=8).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    (!stem.is_empty() && plain && extension.bytes().any(|b| b.is_ascii_alphabetic())).then_some(extension)
}

pub(super) fn file_name(url: &Url) -> &str {
    url.path().rsplit('/').next().unwrap_or_default()
}

pub(super) fn url_extension(url: &Url) -> Option<String> {
    extension(file_name(url)).map(str::to_ascii_lowercase)
}

/// Whether the name of a URL does not say that it is something else than a page.
fn may_be_page(url: &Url) -> bool {
    url_extension(url).is_none_or(|extension| !NO_PAGES.contains(&extension.as_str()))
}

/// The one spelling of a URL: without fragment, tracking, `index.html`, doubled slashes, and with one way to encode each character.
/// Nothing for what is no URL of a page at all.
pub(super) fn normal(mut url: Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > LONGEST_URL {
        return None;
    }
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    let path = normal_path(url.path());
    if path != url.path() {
        url.set_path(&path);
    }
    let kept = url.query().map(|query| {
        query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect::<Vec<_>>().join("&")
    });
    if kept.as_deref() != url.query() || url.query() == Some("") {
        url.set_query(kept.as_deref().filter(|kept| !kept.is_empty()));
    }
    Some(url)
}

fn normal_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for segment in path.split('/').skip(1) {
        // A session that a server keeps in the path.
        let segment = match segment.split_once(';') {
            Some((name, parameter)) if parameter.to_ascii_lowercase().starts_with("jsessionid=") => name,
            _ => segment,
        };
        if segment.is_empty() {
            continue;
        }
        out.push('/');
        let decoded = percent::decode(segment);
        if decoded.contains(&b'/') {
            out.push_str(segment);
        } else {
            out.push_str(&percent::encode_path(&decoded));
        }
    }
    let ends_in_folder = path.ends_with('/') || out.is_empty();
    for name in ["/index.html", "/index.htm"] {
        if let Some(folder) = out.strip_suffix(name) {
            return format!("{folder}/");
        }
    }
    if ends_in_folder {
        out.push('/');
    }
    out
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn one_page_has_one_spelling() {
        for (given, expected) in [
            ("https://H.com:443/a/index.html#x", "https://h.com/a/"),
            ("https://h.com", "https://h.com/"),
            ("https://h.com//a///b/", "https://h.com/a/b/"),
            ("https://h.com/a?utm_source=x&b=1&fbclid=2", "https://h.com/a?b=1"),
            ("https://h.com/a?gclid=1", "https://h.com/a"),
            ("https://h.com/a?", "https://h.com/a"),
            ("https://h.com/%7eme/%c3%a9", "https://h.com/~me/%C3%A9"),
            ("https://h.com/a%2fb", "https://h.com/a%2fb"),
            ("https://h.com/x/../y/./z", "https://h.com/y/z"),
            ("https://h.com/x/%2e%2e/y", "https://h.com/y"),
            ("https://h.com/p;jsessionid=1A?x", "https://h.com/p?x"),
            ("https://h.com/myindex.html", "https://h.com/myindex.html"),
        ] {
            assert_eq!(normal(url(given)).unwrap().as_str(), expected, "{given}");
        }
        for none in ["ftp://h/x", "mailto:x@y", "https://me@h.com/", &format!("https://h/{}", "x".repeat(2000))] {
            assert_eq!(normal(url(none)), None, "{none}");
        }
    }

    #[test]
    fn a_scope_is_what_lies_at_and_below_a_url() {
        for (start, inside, outside) in [
            (
                "https://h/guide/",
                &["/guide/", "/guide/a", "/guide/x/y?z"][..],
                &["/", "/guides/", "/other/guide/", "/v2/guide/"][..],
            ),
            ("https://h/guide", &["/guide", "/guide/", "/guide/a"], &["/guidebook", "/"]),
            (
                "https://h/en/stable/intro.html",
                &["/en/stable/intro.html", "/en/stable/x"],
                &["/en/latest/intro.html", "/en/"],
            ),
            ("https://h/3.12", &["/3.12", "/3.12/x"], &["/3.13/x"]),
            ("https://h", &["/", "/x"], &[]),
        ] {
            let scope = Scope::new(start, &[], &[]).unwrap();
            let base = url("https://h/");
            for path in inside {
                assert!(scope.page(&base, path).is_some(), "{start} {path}");
            }
            for path in outside {
                assert!(scope.page(&base, path).is_none(), "{start} {path}");
            }
            for elsewhere in
                ["http://h/guide/", "https://h:8/guide/", "https://x.h/guide/", "//other/guide/", "mailto:a@h", "#x"]
            {
                assert!(scope.page(&base, elsewhere).is_none(), "{start} {elsewhere}");
            }
        }
    }

    #[test]
    fn globs_narrow_a_scope() {
        let list = |patterns: &[&str]| patterns.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let scope = Scope::new("https://h/docs/", &list(&["api/**", "*.html"]), &list(&["api/old/**"])).unwrap();
        for (path, wanted) in [
            ("/docs/api/x", true),
            ("/docs/api/", true),
            ("/docs/api/old/x", false),
            ("/docs/a.html", true),
            ("/docs/", true),
            ("/docs/blog/x", false),
        ] {
            assert_eq!(scope.is_wanted(&url("https://h").join(path).unwrap()), wanted, "{path}");
        }
        assert!(matches!(Scope::new("https://h/", &list(&["["]), &[]), Err(BadSite::Glob(_))));
    }

    #[test]
    fn what_is_no_website_is_refused() {
        for bad in ["", "docs", "file:///x", "ftp://h/", "https://", "https://me:pw@h/"] {
            assert!(Scope::new(bad, &[], &[]).is_err(), "{bad}");
        }
        assert!(!Scope::new("https://me:hush@h/", &[], &[]).unwrap_err().to_string().contains("hush"));
    }

    #[test]
    fn files_that_are_no_pages_are_not_asked_for() {
        let scope = Scope::new("https://h/", &[], &[]).unwrap();
        for (path, page) in [
            ("/a.PNG", false),
            ("/a.tar.gz", false),
            ("/app.js?v=1", false),
            ("/a.pdf", true),
            ("/v1.2", true),
            ("/a.php", true),
            ("/en/_sources/usage.rst.txt", false),
            ("/resources/usage.rst.txt", true),
        ] {
            assert_eq!(scope.page(scope.start(), path).is_some(), page, "{path}");
        }
        let sources = Scope::new("https://h/_sources/", &[], &[]).unwrap();
        assert!(sources.page(sources.start(), "usage.rst.txt").is_some(), "what was named is read");
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_are_stable(path in "[a-c/.%2-5éF?&=;#]{0,30}") {
            let base = url("https://h.com/x/");
            if let Some(once) = base.join(&path).ok().and_then(normal) {
                proptest::prop_assert_eq!(normal(once.clone()), Some(once.clone()));
                proptest::prop_assert_eq!(Url::parse(once.as_str()).ok(), Some(once));
            }
        }
    }
}
