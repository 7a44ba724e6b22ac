//! Which files are documents by their names: the set that the glob `{documents}` stands for.
//!
//! A name for the set, and not a list of endings in every configuration, because a collection's id holds its glob: a format that
//! is added here reaches collections that exist, and they stay the same collections.

/// The last component of a glob that selects documents of every format: `**/{documents}`, `docs/**/{documents}`.
pub(crate) const DOCUMENTS: &str = "{documents}";

/// Formats by the ending of a name, in lower case. What they are called is what a person is told.
const ENDINGS: &[(&str, &str)] = &[
    ("md", "md"),
    ("markdown", "md"),
    ("mdown", "md"),
    ("mkd", "md"),
    ("mdx", "mdx"),
    ("rst", "rst"),
    ("rest", "rst"),
    ("txt", "txt"),
    ("text", "txt"),
    ("adoc", "adoc"),
    ("asciidoc", "adoc"),
    ("org", "org"),
    ("tex", "tex"),
    ("ltx", "tex"),
    ("html", "html"),
    ("htm", "html"),
    ("xhtml", "html"),
    ("ipynb", "ipynb"),
    ("pdf", "pdf"),
    ("docx", "docx"),
    ("pptx", "pptx"),
    ("xlsx", "xlsx"),
    ("odt", "odt"),
    ("epub", "epub"),
    ("eml", "eml"),
    ("graphql", "graphql"),
    ("gql", "graphql"),
    ("proto", "proto"),
];

/// Names without an ending that people give to documents.
const NAMES: &[&str] = &["readme", "changelog", "changes", "news", "history", "contributing", "install", "faq"];

/// What kind of document a file is by its name alone, in a word such as `md`, `man` or `openapi`; nothing if it is none.
pub fn document_format(path: &str) -> Option<&'static str> {
    of_name(path.rsplit('/').next().unwrap_or_default().as_bytes())
}

pub(crate) fn of_name(name: &[u8]) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let name = std::str::from_utf8(&lower).ok();
    let Some((stem, ending)) = split(&lower) else {
        return name.filter(|name| NAMES.contains(name)).map(|_| "txt");
    };
    if let Some((_, format)) = ENDINGS.iter().find(|(known, _)| known.as_bytes() == ending) {
        return Some(format);
    }
    let is_section = |ending: &[u8]| matches!(ending, [b'1'..=b'9']);
    match ending {
        ending if is_section(ending) => Some("man"),
        b"gz" => split(stem).filter(|(_, ending)| is_section(ending)).map(|_| "man"),
        b"json" | b"yaml" | b"yml" if stem.starts_with(b"openapi") || stem.starts_with(b"swagger") => Some("openapi"),
        b"json" => split(stem).filter(|(_, ending)| *ending == b"schema").map(|_| "json-schema"),
        _ => None,
    }
}

/// A name and its ending. A name that is all ending has none.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = name.iter().rposition(|&b| b == b'.').filter(|&at| at > 0)?;
    Some((&name[..at], &name[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_known_by_their_names() {
        for (path, format) in [
            ("a.md", Some("md")),
            ("x/Guide.MDX", Some("mdx")),
            ("x/Manual.PDF", Some("pdf")),
            ("index.htm", Some("html")),
            ("man/ls.1", Some("man")),
            ("man/ls.1.gz", Some("man")),
            ("backup.tar.gz", None),
            ("libfoo.so.12", None),
            ("openapi.yaml", Some("openapi")),
            ("openapi-v2.json", Some("openapi")),
            ("Swagger.yml", Some("openapi")),
            ("petstore.schema.json", Some("json-schema")),
            ("package.json", None),
            ("schema.json", None),
            ("README", Some("txt")),
            ("x/CHANGELOG", Some("txt")),
            ("LICENSE", None),
            ("main.rs", None),
            ("md", None),
            (".md", None),
            ("x.md/y", None),
            ("a.", None),
            ("", None),
        ] {
            assert_eq!(document_format(path), format, "{path}");
        }
        assert_eq!(of_name(b"caf\xe9.md"), Some("md"));
    }
}
