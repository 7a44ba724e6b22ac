//! `get_document` and `outline`: one document, from a collection or a repository.

use ai_assist_app::{Document, Reach};
use ai_assist_chunk::OutlineEntry;
use ai_assist_collections::DocumentRef;
use ai_assist_text::{LineMap, LineRange, floor_boundary};

use super::common::*;
use super::documents::{address, parse_uri};

/// Finds a document under the name that tools take: an address, a file of a repository, or a document of a collection.
pub(super) fn find(call: &Call<'_>, name: &str, repo: Option<&str>) -> Result<Document, Failure> {
    let mut found = match parse_uri(name)? {
        Some(address) => at_address(call, address)?,
        None => call.project.document(name, repo, Reach::Project)?,
    };
    if let Some(collection) = &found.collection {
        found.document = address(&call.project.members()?, collection, found.category.as_deref(), &found.document);
    }
    Ok(found)
}

fn at_address(call: &Call<'_>, (collection, path): (String, String)) -> Result<Document, Failure> {
    let reference = DocumentRef { name: format!("{collection}/{path}"), lines: None };
    Ok(call.project.collection_document(&reference, &[collection], false)?.into())
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentArgs {
    /// The document as another answer gave it, or a path in the repository.
    #[schemars(length(min = 1, max = 4096))]
    document: String,
    /// Another repository of the workspace.
    repo: Option<String>,
    /// Only these lines: `10-40`.
    lines: Option<String>,
    /// Begin at this character of the first line, for lines that are too long.
    column: Option<usize>,
    /// Only this section or definition: a heading, a symbol's name, or `Outer > Inner`.
    section: Option<String>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DocumentAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    document: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    language: String,
    /// The hash of the file.
    hash: String,
    /// Whether the file is still what was indexed.
    freshness: String,
    /// The lines that `text` has.
    lines: Option<String>,
    total_lines: usize,
    text: String,
    /// Where in its first line the text begins, if not at its start.
    #[serde(skip_serializing_if = "is_first")]
    column: usize,
    /// Whether the last line of the text is not whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    line_cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    range: Option<LineRange>,
    /// The last line that was asked for.
    #[serde(skip)]
    last: u32,
    #[serde(skip)]
    again: Again,
}

fn is_first(column: &usize) -> bool {
    *column <= 1
}

impl Answer for DocumentAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        let Some(range) = self.range.filter(|_| !self.text.is_empty()) else { return false };
        let map = LineMap::new(&self.text);
        let keep = ((map.count() as f64 * share * 0.95) as u32).min(range.end - range.start);
        let whole = (keep > 0).then(|| map.bytes_of(LineRange { start: 1, end: keep })).flatten();
        let end = match whole {
            Some(bytes) => {
                self.text.truncate(bytes.end);
                range.start + keep - 1
            }
            None => {
                // One line is too long. As much of it as fits.
                let line = map.bytes_of(LineRange { start: 1, end: 1 }).map_or(self.text.len(), |bytes| bytes.end);
                let most = line.min((self.text.len() as f64 * share * 0.9) as usize);
                self.text.truncate(floor_boundary(&self.text, most));
                if self.text.is_empty() {
                    return false;
                }
                self.line_cut |= self.text.len() < line;
                range.start
            }
        };
        self.range = Some(LineRange { start: range.start, end });
        self.point_on();
        true
    }
}

impl DocumentAnswer {
    fn point_on(&mut self) {
        self.lines = self.range.map(|range| range.to_string());
        let end = self.range.map_or(0, |range| range.end);
        let (left_out, rest, column) = if self.line_cut {
            let column = self.column + self.text.chars().count();
            let rest = format!("{end}-{}", self.last);
            (format!("lines {rest} from column {column}"), rest, json!(column))
        } else if end < self.last {
            let rest = format!("{}-{}", end + 1, self.last);
            (format!("lines {rest}"), rest, Value::Null)
        } else {
            return;
        };
        let changed = [("section", Value::Null), ("lines", json!(rest)), ("column", column)];
        self.more = Some(self.again.with(left_out, changed));
    }
}

impl Tool for DocumentArgs {
    const NAME: &'static str = "get_document";
    const DESCRIPTION: &'static str = "Read a document of a collection or a file of the repository: whole, some lines, or one section or definition. \
            Secrets are taken out. Long texts are cut at a line, and the answer has the call for the rest.";
    type Answer = DocumentAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<DocumentAnswer>, Failure> {
        let found = find(call, &args.document, args.repo.as_deref())?;
        let source = found.text.as_str();
        let map = LineMap::new(source);
        let total = u32::try_from(map.count()).unwrap_or(u32::MAX);
        let asked = match (&args.lines, &args.section) {
            (Some(_), Some(_)) => {
                let said = "`lines` and `section` can't both be given";
                return Err(Failure::argument("section", "left out where `lines` is given", said));
            }
            (Some(lines), None) => Some(lines_of(lines, total)?),
            (None, Some(section)) => Some(found.section(section)?),
            (None, None) => (total > 0).then_some(LineRange { start: 1, end: total }),
        };
        let text = asked.and_then(|lines| map.bytes_of(lines)).map_or("", |bytes| &source[bytes]);
        let column = args.column.unwrap_or(1).max(1);
        let text = text.char_indices().nth(column - 1).map_or("", |(at, _)| &text[at..]);
        let answer = DocumentAnswer {
            text: text.to_owned(),
            collection: found.collection,
            repo: found.repo,
            document: found.document,
            title: found.title.clone(),
            language: word(&found.language),
            hash: found.hash.to_string(),
            freshness: word(&found.freshness),
            lines: asked.map(|lines| lines.to_string()),
            total_lines: map.count(),
            column,
            line_cut: false,
            more: None,
            range: asked,
            last: asked.map_or(0, |lines| lines.end),
            again: Again::of(&args),
        };
        let changed =
            "The file has changed since; this is the text as it was indexed. `collection_sync` brings it up to date.";
        let message = (answer.freshness == "changed").then_some(changed);
        Ok(Success::noted(answer, message))
    }
}

/// The lines that were asked for, as far as there are any.
fn lines_of(text: &str, total: u32) -> Result<LineRange, Failure> {
    let expected = format!("a range such as `10-40`, within 1-{total}");
    let open = text.strip_suffix('-').map(|start| format!("{start}-{}", total.max(1)));
    let asked: LineRange = open
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| Failure::argument("lines", &expected, format!("`{text}` is no range of lines")))?;
    if asked.start > total {
        let said = format!("the document has {total} lines, and {asked} were asked for");
        return Err(Failure::argument("lines", expected, said));
    }
    Ok(LineRange { start: asked.start, end: asked.end.min(total) })
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutlineArgs {
    /// The document as another answer gave it, or a path in the repository.
    #[schemars(length(min = 1, max = 4096))]
    document: String,
    /// Another repository of the workspace.
    repo: Option<String>,
    /// Go on after this entry, by its number.
    #[serde(default)]
    after: usize,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OutlineAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    document: String,
    language: String,
    hash: String,
    freshness: String,
    total_lines: usize,
    /// Headings or definitions in order, indented by depth: `lines  kind  name or signature`.
    entries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    total: usize,
    #[serde(skip)]
    again: Again,
}

impl Answer for OutlineAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_last(&mut self.entries, share);
        self.more = self.again.rest(self.entries.len(), self.total, " entries");
        !self.entries.is_empty()
    }
}

impl Tool for OutlineArgs {
    const NAME: &'static str = "outline";
    const DESCRIPTION: &'static str = "The headings of a document or the definitions of a source file, with their lines. Cheaper than reading it whole; \
            read a part afterwards with `get_document` and `lines` or `section`.";
    type Answer = OutlineAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<OutlineAnswer>, Failure> {
        let found = find(call, &args.document, args.repo.as_deref())?;
        let outline = found.outline();
        let total = outline.len();
        let entries: Vec<String> = outline.iter().skip(args.after).map(entry_line).collect();
        let message = (total == 0).then_some("the document has no headings or definitions");
        let answer = OutlineAnswer {
            collection: found.collection,
            repo: found.repo,
            document: found.document,
            language: word(&found.language),
            hash: found.hash.to_string(),
            freshness: word(&found.freshness),
            total_lines: LineMap::new(&found.text).count(),
            entries,
            more: None,
            total,
            again: Again::of(&args),
        };
        Ok(Success::noted(answer, message))
    }
}

fn entry_line(entry: &OutlineEntry) -> String {
    let name = entry.signature.as_ref().unwrap_or(&entry.name);
    format!("{}{}  {}  {name}", "  ".repeat(entry.depth), entry.lines, entry.kind)
}

/// The text and the language of the document at an address.
pub(crate) fn read_document(call: &Call<'_>, uri: &str) -> Result<(String, String), Failure> {
    match parse_uri(uri)? {
        Some(address) => {
            let found = at_address(call, address)?;
            Ok((found.text, word(&found.language)))
        }
        None => Err(Failure::argument(
            "uri",
            "an address such as `assist://collection/docs/guide.md`",
            "this is no address",
        )),
    }
}
