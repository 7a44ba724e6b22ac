//! What a page is, and what its document is called.

use std::path::Path;

use ai_assist_identity::{DocPath, Sha256, percent};
use url::Url;

use super::html::looks_like_html;
use super::scope::{Scope, extension, url_extension};

/// A longer name is cut, and has a hash of the whole behind it.
const LONGEST_NAME: usize = 100;

/// A page's format, as the ending of its document says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Markdown,
    Text,
    /// Any other, by the ending of its URL.
    Other(String),
}

/// Formats that are told by the ending of a URL, since servers have no common name for them.
const BY_ENDING: [&str; 12] =
    ["rst", "adoc", "asciidoc", "org", "tex", "pdf", "ipynb", "epub", "docx", "pptx", "xlsx", "odt"];

impl Kind {
    pub(super) fn of(url: &Url, content_type: Option<&str>, bytes: &[u8]) -> Self {
        let ending = url_extension(url);
        let named = || ending.as_deref().filter(|it| BY_ENDING.contains(it)).map(|it| Kind::Other(it.to_owned()));
        let is_markdown = matches!(ending.as_deref(), Some("md" | "markdown" | "mdx"));
        match content_type {
            Some("text/markdown" | "text/x-markdown") => Kind::Markdown,
            Some("application/pdf") => Kind::Other("pdf".to_owned()),
            Some("application/epub+zip") => Kind::Other("epub".to_owned()),
            // Whatever a server calls it.
            _ if looks_like_html(bytes) => Kind::Html,
            _ if bytes.starts_with(b"%PDF-") => Kind::Other("pdf".to_owned()),
            _ if is_markdown => Kind::Markdown,
            Some("text/html" | "application/xhtml+xml") => Kind::Html,
            _ => named().unwrap_or(Kind::Text),
        }
    }

    fn ending(&self) -> &str {
        match self {
            Kind::Html => "html",
            Kind::Markdown => "md",
            Kind::Text => "txt",
            Kind::Other(ending) => ending,
        }
    }

    /// Whether a name that ends so is right for this as it is.
    fn fits(&self, ending: &str) -> bool {
        let ending = ending.to_ascii_lowercase();
        match self {
            Kind::Html => matches!(ending.as_str(), "html" | "htm" | "xhtml"),
            Kind::Markdown => matches!(ending.as_str(), "md" | "markdown" | "mdx"),
            Kind::Text => matches!(ending.as_str(), "txt" | "text"),
            Kind::Other(own) => *own == ending,
        }
    }
}

/// The path of a page's document: that of its URL below the scope, with an ending that says what it is.
pub(super) fn document_path(scope: &Scope, url: &Url, kind: &Kind) -> DocPath {
    let below = scope.below_encoded(url);
    let mut names: Vec<String> = below.split('/').map(name_of).collect();
    let last = names.pop().unwrap_or_default();
    names.retain(|name| !name.is_empty());
    let mut last = if last.is_empty() { "index".to_owned() } else { last };
    let had = extension(&last).map(str::to_owned);
    if let Some(had) = &had
        && (kind.fits(had) || is_page_ending(had))
    {
        last.truncate(last.len() - had.len() - 1);
    }
    if let Some(query) = url.query() {
        last = format!("{last}@{}", name_of(query));
    }
    let ending = had.filter(|had| kind.fits(had)).unwrap_or_else(|| kind.ending().to_owned());
    names.push(format!("{}.{ending}", bounded(&last, url)));
    path_of(&names.iter().map(|name| bounded(name, url)).collect::<Vec<_>>().join("/"), url)
}

/// Endings that say how a page is made and not what it is.
fn is_page_ending(ending: &str) -> bool {
    matches!(
        ending.to_ascii_lowercase().as_str(),
        "html" | "htm" | "xhtml" | "php" | "asp" | "aspx" | "jsp" | "md" | "markdown" | "mdx"
    )
}

/// The same path for another page: the first has it already.
pub(super) fn another(path: &DocPath, url: &Url) -> DocPath {
    let text = path.as_str();
    let (stem, ending) = text.rsplit_once('.').unwrap_or((text, "html"));
    DocPath::parse(&format!("{stem}-{}.{ending}", short_hash(url))).unwrap_or_else(|_| path_of("", url))
}

/// One name of a path, in which nothing means anything to a file system.
fn name_of(encoded: &str) -> String {
    let decoded = String::from_utf8_lossy(&percent::decode(encoded)).into_owned();
    let safe = |c: char| if c.is_control() || "/\\:*?\"<>|%\u{fffd}".contains(c) { '-' } else { c };
    let name: String = decoded.chars().map(safe).collect();
    match name.trim_end_matches(['.', ' ']) {
        "" if !name.is_empty() => "-".to_owned(),
        name => name.to_owned(),
    }
}

fn bounded(name: &str, url: &Url) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let (stem, ending) = match extension(name) {
        Some(ending) => (&name[..name.len() - ending.len() - 1], format!(".{ending}")),
        None => (name, String::new()),
    };
    let mut end = LONGEST_NAME.min(stem.len());
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{}{ending}", &stem[..end], short_hash(url))
}

fn short_hash(url: &Url) -> String {
    Sha256::of(url.as_str().as_bytes()).hex()[..8].to_owned()
}

fn path_of(text: &str, url: &Url) -> DocPath {
    let path = DocPath::from_relative(Path::new(text));
    // Only a name of dots could fail, and those are taken out above; a page must have a name all the same.
    let fallback = || DocPath::parse(&format!("page-{}", short_hash(url)));
    #[expect(clippy::expect_used, reason = "a word and hexadecimal digits are a path")]
    path.or_else(|_| fallback()).expect("a plain name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str, kind: &Kind) -> String {
        let scope = Scope::new("https://h/docs/", &[], &[]).unwrap();
        document_path(&scope, &Url::parse(url).unwrap(), kind).as_str().to_owned()
    }

    #[test]
    fn documents_are_called_as_their_urls_are() {
        for (url, kind, expected) in [
            ("https://h/docs/", Kind::Html, "index.html"),
            ("https://h/docs", Kind::Html, "index.html"),
            ("https://h/docs/guide/", Kind::Html, "guide/index.html"),
            ("https://h/docs/guide/install", Kind::Html, "guide/install.html"),
            ("https://h/docs/guide/install.html", Kind::Html, "guide/install.html"),
            ("https://h/docs/guide/install.htm", Kind::Html, "guide/install.htm"),
            ("https://h/docs/guide/install.html", Kind::Markdown, "guide/install.md"),
            ("https://h/docs/guide/install.md", Kind::Markdown, "guide/install.md"),
            ("https://h/docs/guide/", Kind::Markdown, "guide/index.md"),
            ("https://h/docs/page.php?id=7&x=a/b", Kind::Html, "page@id=7&x=a-b.html"),
            ("https://h/docs/v1.2", Kind::Html, "v1.2.html"),
            ("https://h/docs/a.pdf", Kind::Other("pdf".into()), "a.pdf"),
            ("https://h/docs/notes", Kind::Text, "notes.txt"),
            ("https://h/docs/x.rst", Kind::Other("rst".into()), "x.rst"),
            ("https://h/docs/%C3%A9t%C3%A9%20%3A", Kind::Html, "été -.html"),
            ("https://h/docs/a%2F..%2Fb", Kind::Html, "a-..-b.html"),
            ("https://h/docs/%00%5C", Kind::Html, "--.html"),
        ] {
            assert_eq!(path(url, &kind), expected, "{url}");
        }
    }

    #[test]
    fn long_names_are_cut_and_differ() {
        let (a, b) = (
            path(&format!("https://h/docs/{}1", "x".repeat(300)), &Kind::Html),
            path(&format!("https://h/docs/{}2", "x".repeat(300)), &Kind::Html),
        );
        assert!(a != b && a.len() < 130 && a.ends_with(".html"), "{a}");
    }

    #[test]
    fn formats_are_told_by_what_is_served() {
        let of = |url: &str, kind: Option<&str>, bytes: &[u8]| Kind::of(&Url::parse(url).unwrap(), kind, bytes);
        assert_eq!(of("https://h/a", Some("text/html"), b"<p>x"), Kind::Html);
        assert_eq!(of("https://h/a", Some("text/markdown"), b"# x"), Kind::Markdown);
        assert_eq!(of("https://h/a.md", Some("text/plain"), b"# x"), Kind::Markdown);
        assert_eq!(of("https://h/a.md", Some("text/html"), b"<!doctype html>"), Kind::Html);
        assert_eq!(of("https://h/a.txt", Some("text/plain"), b"x"), Kind::Text);
        assert_eq!(of("https://h/a", None, b"%PDF-1.7"), Kind::Other("pdf".into()));
        assert_eq!(of("https://h/a.rst", Some("text/plain"), b"x"), Kind::Other("rst".into()));
    }

    proptest::proptest! {
        #[test]
        fn every_url_has_a_safe_path(path in "[a-c./%2F5C0eé?&=\\\\:~-]{0,40}") {
            let scope = Scope::new("https://h/docs/", &[], &[]).unwrap();
            if let Some(url) = scope.page(&Url::parse("https://h/docs/").unwrap(), &format!("/docs/{path}")) {
                let document = document_path(&scope, &url, &Kind::Html);
                proptest::prop_assert_eq!(DocPath::parse(document.as_str()), Ok(document.clone()));
                let another = another(&document, &url);
                proptest::prop_assert_ne!(another, document);
            }
        }
    }
}
