//! Pages as Markdown: sites that write `llms.txt` often have each page twice.

use serde::{Deserialize, Serialize};
use url::Url;

use super::scope::url_extension;

/// Of pages of each form, which of the names their variants may have they do have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Variants {
    folder: Option<usize>,
    html: Option<usize>,
    bare: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `guide/`
    Folder,
    /// `guide.html`
    Html,
    /// `guide`
    Bare,
}

/// The form of a page's URL; nothing for one that is no HTML by its name, or has a query.
pub(super) fn form(url: &Url) -> Option<Form> {
    match (url.query(), url_extension(url).as_deref()) {
        (None, None) if url.path().ends_with('/') => Some(Form::Folder),
        (None, None) => Some(Form::Bare),
        (None, Some("html" | "htm")) => Some(Form::Html),
        _ => None,
    }
}

/// The URLs that the Markdown of a page may have, most likely first.
pub(super) fn candidates(url: &Url) -> Vec<Url> {
    let path = url.path();
    let paths = match form(url) {
        Some(Form::Folder) => vec![
            format!("{path}index.html.md"),
            format!("{path}index.md"),
            format!("{}.md", path.trim_end_matches('/')),
        ],
        Some(Form::Html) => {
            vec![format!("{path}.md"), format!("{}.md", path.trim_end_matches(".html").trim_end_matches(".htm"))]
        }
        Some(Form::Bare) => vec![format!("{path}.md"), format!("{path}/index.html.md")],
        None => Vec::new(),
    };
    let with_path = |path: String| {
        let mut url = url.clone();
        url.set_path(&path);
        url
    };
    paths.into_iter().filter(|path| path != ".md" && path != "/.md").map(with_path).collect()
}

impl Variants {
    fn slot(&mut self, form: Form) -> &mut Option<usize> {
        match form {
            Form::Folder => &mut self.folder,
            Form::Html => &mut self.html,
            Form::Bare => &mut self.bare,
        }
    }

    pub(super) fn set(&mut self, form: Form, candidate: usize) {
        *self.slot(form) = Some(candidate);
    }

    /// The Markdown of a page, if pages of its form have one.
    pub(super) fn of(mut self, url: &Url) -> Option<Url> {
        let candidate = (*self.slot(form(url)?))?;
        candidates(url).into_iter().nth(candidate)
    }
}

/// The page that a URL is the Markdown of, by its name.
pub(super) fn page_of(url: &Url) -> Option<Url> {
    let path = url.path().strip_suffix(".html.md")?;
    let mut page = url.clone();
    page.set_path(&format!("{path}.html"));
    super::scope::normal(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_the_names_that_sites_give_them() {
        let url = |text: &str| Url::parse(text).unwrap();
        let names = |text: &str| candidates(&url(text)).iter().map(|it| it.path().to_owned()).collect::<Vec<_>>();
        assert_eq!(names("https://h/a/"), ["/a/index.html.md", "/a/index.md", "/a.md"]);
        assert_eq!(names("https://h/"), ["/index.html.md", "/index.md"]);
        assert_eq!(names("https://h/a.html"), ["/a.html.md", "/a.md"]);
        assert_eq!(names("https://h/a"), ["/a.md", "/a/index.html.md"]);
        assert!(names("https://h/a?x=1").is_empty() && names("https://h/a.md").is_empty());
        let mut variants = Variants::default();
        assert_eq!(variants.of(&url("https://h/a")), None);
        variants.set(Form::Bare, 0);
        assert_eq!(variants.of(&url("https://h/b")), Some(url("https://h/b.md")));
        assert_eq!(page_of(&url("https://h/a/index.html.md")), Some(url("https://h/a/")));
        assert_eq!(page_of(&url("https://h/a.md")), None);
    }
}
