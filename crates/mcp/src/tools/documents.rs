//! `list_documents`, and the addresses of documents.

use ai_assist_app as app;
use ai_assist_collections::{self as collections, DocumentHead, Members};

use super::common::*;

/// What every address of a document begins with.
pub(crate) const SCHEME: &str = "assist://collection/";

/// The address of a document of a collection.
pub(crate) fn uri_of(collection: &str, path: &str) -> String {
    format!("{SCHEME}{}/{}", encoded(collection), encoded(path))
}

/// The address of a document by its category, if it has one and no collection goes by that name: two categories of a collection
/// may have documents of one path.
pub(crate) fn address(members: &Members, collection: &str, category: Option<&str>, document: &str) -> String {
    let name = category.filter(|name| members.collection(name).is_none()).unwrap_or(collection);
    uri_of(name, document)
}

/// Leaves what may stand in an address as it is.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~/@+,()".contains(&byte) {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The collection and the path of an address; nothing if the text is no address at all.
pub(crate) fn parse_uri(text: &str) -> Result<Option<(String, String)>, Failure> {
    if !text.contains("://") {
        return Ok(None);
    }
    let wrong = || {
        let said = format!("`{}` is no address of a document", text.chars().take(200).collect::<String>());
        Failure::argument("document", "an address such as `assist://collection/docs/guide.md`, or a path", said)
    };
    let rest = text.strip_prefix(SCHEME).ok_or_else(wrong)?;
    let (collection, path) = rest.split_once('/').ok_or_else(wrong)?;
    let (collection, path) = (decoded(collection).ok_or_else(wrong)?, decoded(path).ok_or_else(wrong)?);
    if collection.is_empty() || path.is_empty() {
        return Err(wrong());
    }
    // The same rules as for paths that are given as such: no `..`, nothing absolute, no NUL.
    ai_assist_identity::DocPath::parse(&path)?;
    Ok(Some((collection, path)))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let (digits, tail) = tail.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

/// A document of a collection, without its text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// Its address; `read` takes it as it is.
    pub(crate) document: String,
    pub(crate) collection: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    pub(crate) language: String,
    pub(crate) lines: u64,
    /// Whether the file is still what was indexed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) freshness: String,
    #[serde(skip)]
    pub(crate) path: String,
    #[serde(skip)]
    head: DocumentHead,
}

/// The documents of some collections; of all that the project and the user declare, if none is named.
pub(crate) fn documents(
    call: &Call<'_>,
    collections: &[String],
    pattern: Option<&str>,
) -> Result<Vec<Listed>, Failure> {
    let members = call.project.members()?;
    let heads = call.project.documents(collections, pattern).map_err(|error| match error {
        app::Error::Collections(collections::Error::Glob(error)) => {
            Failure::argument("pattern", "a glob such as `guides/**`", error.to_string())
        }
        error => error.into(),
    })?;
    Ok(heads.into_iter().map(|head| listed(&members, head)).collect())
}

fn listed(members: &Members, head: DocumentHead) -> Listed {
    Listed {
        document: address(members, &head.collection, head.category.as_deref(), &head.document),
        collection: head.collection.clone(),
        category: head.category.clone(),
        title: head.title.clone(),
        language: word(&head.language),
        lines: head.lines,
        freshness: String::new(),
        path: head.document.clone(),
        head,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// Only this collection (default: all of them).
    collection: Option<String>,
    /// Only paths that match this glob, such as `guides/**`.
    pattern: Option<String>,
    /// Goes on after so many documents.
    #[serde(default)]
    after: usize,
    /// How many documents at most (default 200).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ListAnswer {
    documents: Vec<Listed>,
    /// How many there are in all.
    found: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    again: Again,
}

impl ListAnswer {
    fn point_on(&mut self) {
        self.more = self.again.rest(self.documents.len(), self.found, " documents");
    }
}

impl Answer for ListAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if self.documents.len() < 2 {
            return false;
        }
        drop_last(&mut self.documents, share);
        self.point_on();
        true
    }

    fn text(&self, _json: &Value) -> String {
        let line = |listed: &Listed| {
            let title = listed.title.as_ref().map_or(String::new(), |title| format!(" · {title}"));
            let stale = if listed.freshness == "current" { String::new() } else { format!(" · {}", listed.freshness) };
            format!("- {}{title} · {} lines{stale}\n", listed.document, listed.lines)
        };
        format!("{} documents\n{}", self.found, self.documents.iter().map(line).collect::<String>())
    }
}

impl Tool for ListArgs {
    const NAME: &'static str = "list_documents";
    const DESCRIPTION: &'static str = "The documents of the project's collections, with their addresses and titles.";
    type Answer = ListAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ListAnswer>, Failure> {
        let named: Vec<String> = args.collection.iter().cloned().collect();
        let found = documents(call, &named, args.pattern.as_deref())?;
        let again = Again::of(&args);
        let total = found.len();
        let page = found.into_iter().skip(args.after).take(args.limit.unwrap_or(200));
        // Files are looked at only for what is shown.
        let documents = page.map(|listed| Listed { freshness: word(&listed.head.freshness()), ..listed }).collect();
        let mut answer = ListAnswer { documents, found: total, more: None, again };
        answer.point_on();
        Ok(answer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_back() {
        for (collection, path) in
            [("docs", "a.md"), ("docs", "deep/er/ä ö?#%2F.md"), ("a b", "x%41.md"), ("d", "odd\n.md")]
        {
            let uri = uri_of(collection, path);
            assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
            match parse_uri(&uri) {
                Ok(found) => assert_eq!(found, Some((collection.to_owned(), path.to_owned()))),
                // Only what would be no path of a document anyway.
                Err(failure) => assert!(ai_assist_identity::DocPath::parse(path).is_err(), "{path}: {failure:?}"),
            }
        }
        assert_eq!(parse_uri("docs/a.md").unwrap(), None);
    }

    #[test]
    fn hostile_addresses_are_refused() {
        for uri in [
            "assist://collection/docs/../x",
            "assist://collection/docs/%2e%2e/x",
            "assist://collection/docs/%2E%2E%2Fx",
            "assist://collection/docs//etc/passwd",
            "assist://collection/docs/a%00b",
            "assist://collection/docs/%",
            "assist://collection/docs/%ff",
            "assist://collection/docs",
            "assist://collection//a.md",
            "assist://other/docs/a.md",
            "file:///etc/passwd",
        ] {
            match parse_uri(uri) {
                Err(_) => {}
                // An absolute path loses its slashes and stays below the collection.
                Ok(found) => assert_eq!(found, Some(("docs".to_owned(), "/etc/passwd".to_owned())), "{uri}"),
            }
        }
    }
}
