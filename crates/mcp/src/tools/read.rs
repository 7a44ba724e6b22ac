//! `read` and `outline`: one document, wherever it is from.

use std::path::Path;

use ai_assist_app::{self as app, Document, Part, PlaceRef, Reach, Within};
use ai_assist_chunk::OutlineEntry;
use ai_assist_collections::DocumentRef;
use ai_assist_identity::Sha256;
use ai_assist_repo::lookup::{FoundIn, FoundSymbol, SymbolLookup};
use ai_assist_text::{LineMap, LineRange, floor_boundary};

use super::common::*;
use super::documents::{address, parse_uri, uri_of};
use crate::failures::ITS_PATH;
use crate::markdown;

/// A document that was found, and how much of it is meant.
pub(super) struct Located {
    pub(super) document: Document,
    /// Its name as answers show it, which leads back to it.
    pub(super) name: String,
    part: Part,
}

/// Finds what a text names in any of the ways in which answers name places: a path or an address, alone or with lines or a section, the URL
/// of a page, a symbol.
pub(super) fn locate(call: &Call<'_>, text: &str, repo: Option<&str>) -> Result<Located, Failure> {
    if text.starts_with("https://") || text.starts_with("http://") {
        return at_url(call, text);
    }
    let text = from_root(call, text);
    let mut first = None;
    for PlaceRef { name, part } in PlaceRef::readings(text) {
        match find(call, &name, repo) {
            Ok(document) => {
                let name =
                    if document.collection.is_some() || repo.is_some() { document.document.clone() } else { name };
                return Ok(Located { document, name, part });
            }
            Err(failure) if failure.error_type == ErrorType::NotFound => first = first.or(Some(failure)),
            Err(failure) => {
                let instruction = failure.instruction.replace(ITS_PATH, name.trim_end_matches('/'));
                return Err(Failure { instruction, ..failure });
            }
        }
    }
    if repo.is_none()
        && let Some(located) = defined(call, text)?
    {
        return Ok(located);
    }
    let failure = first.unwrap_or_else(|| Failure::argument("place", "a path or an address", "it names nothing"));
    let Some(reading) = PlaceRef::readings(text).pop() else { return Err(failure) };
    let near: Vec<String> = call.project.paths_like(&reading.name);
    let next = |path: &String| call.offered.call("read", &json!({ "place": path }));
    let instruction = match near.as_slice() {
        [] => format!("Look for it: {}.", call.offered.call("search", &json!({ "query": reading.name }))),
        near => format!("Perhaps {}.", near.iter().map(next).collect::<Vec<_>>().join(" or ")),
    };
    Err(Failure { instruction, ..failure })
}

/// A place as answers name it. Agents hold absolute paths, and those of the repository's own files are as good as relative ones.
pub(super) fn from_root<'t>(call: &Call<'_>, text: &'t str) -> &'t str {
    let below = |root: &str| text.strip_prefix(root)?.strip_prefix('/').filter(|rest| !rest.starts_with('/'));
    let root = call.project.repo().ok().map(|repo| repo.local.root.to_path_buf());
    root.as_deref().and_then(Path::to_str).and_then(below).unwrap_or(text)
}

/// The folder of the project in its repository, where it is not the whole of it.
pub(super) fn folder_in_repo(call: &Call<'_>) -> Option<String> {
    let root = call.project.repo().ok()?.local.root.to_path_buf();
    let folder = call.project.root().strip_prefix(root).ok()?.to_str()?.to_owned();
    (!folder.is_empty()).then_some(folder)
}

/// A document under one name: an address, a file of a repository, what a session has seen, a document of a collection.
pub(super) fn find(call: &Call<'_>, name: &str, repo: Option<&str>) -> Result<Document, Failure> {
    let name = from_root(call, name);
    let mut found = match parse_uri(name)? {
        Some(address) => at_address(call, address)?,
        None => match (in_project(call, name, repo), name.split_once('/')) {
            // Hits of other repositories of the workspace have their names in front.
            (Err(app::Error::NoDocument(_)), Some((other, path))) if repo.is_none() => {
                let found = call.project.document(path, Some(other), Reach::Project);
                found.map_err(|_| app::Error::NoDocument(name.to_owned()))?
            }
            (found, _) => found?,
        },
    };
    if let Some(collection) = &found.collection {
        found.document = address(&call.project.members()?, collection, found.category.as_deref(), &found.document);
    }
    Ok(found)
}

/// A document by its name in the repository, or in the folder of the project, by which sessions know files.
fn in_project(call: &Call<'_>, name: &str, repo: Option<&str>) -> app::Result<Document> {
    match (call.project.document(name, repo, Reach::Project), folder_in_repo(call)) {
        (Err(app::Error::NoDocument(_)), Some(folder)) if repo.is_none() => {
            let found = call.project.document(&format!("{folder}/{name}"), None, Reach::Project);
            found.map_err(|_| app::Error::NoDocument(name.to_owned()))
        }
        (found, _) => found,
    }
}

fn at_address(call: &Call<'_>, (collection, path): (String, String)) -> Result<Document, Failure> {
    let reference = DocumentRef { name: format!("{collection}/{path}"), lines: None };
    Ok(call.project.collection_document(&reference, &[collection], false)?.into())
}

/// The page of a website that a collection is made of, or the section of it that the URL names.
fn at_url(call: &Call<'_>, url: &str) -> Result<Located, Failure> {
    let members = call.project.members()?;
    let Some((page, section)) = call.project.library()?.page_at(&members, url)? else {
        let said = format!("`{url}` is no page of a collection");
        let way = "`search` shows the pages that there are; `source_add` adds a site, if the user allows it.";
        return Err(Failure::new(ErrorType::NotFound, said, way));
    };
    let name = address(&members, &page.collection, page.category.as_deref(), &page.document);
    let document = Document { document: name.clone(), ..page.into() };
    Ok(Located { document, name, part: section.map_or(Part::Whole, Part::Lines) })
}

/// The one definition of a name, if a text can be one.
fn defined(call: &Call<'_>, text: &str) -> Result<Option<Located>, Failure> {
    let is_name = |c: char| c.is_alphanumeric() || "_:.#>$ ".contains(c);
    if text.len() > 200 || !text.chars().all(is_name) {
        return Ok(None);
    }
    let lookup = SymbolLookup { name: text.to_owned(), limit: 50, ..SymbolLookup::default() };
    // Without an index there is nothing to look names up in.
    let Ok(found) = call.project.symbols(&Within { refresh: true, ..Within::default() }, &lookup, call.cancel) else {
        return Ok(None);
    };
    let last = text.rsplit([':', '.', '#', '>', ' ']).next().unwrap_or(text);
    let own = call.project.repo()?.name;
    let place = |found: &FoundSymbol| document_of(&own, &found.found_in, &found.symbol.path);
    let exact: Vec<&FoundSymbol> = found.symbols.iter().filter(|found| found.symbol.name == last).collect();
    match exact.as_slice() {
        [] => Ok(None),
        [one] => {
            let name = place(one);
            let part = Part::Lines(one.symbol.lines);
            Ok(Some(Located { document: find(call, &name, None)?, name, part }))
        }
        several => {
            let shown = several.iter().take(10).map(|found| {
                let symbol = &found.symbol;
                format!("`{}:{}` ({})", place(found), symbol.lines, symbol.signature.as_ref().unwrap_or(&symbol.name))
            });
            let error = format!("`{text}` is defined {} times", several.len());
            let way = format!("Read one of these places: {}.", shown.collect::<Vec<_>>().join(", "));
            Err(Failure::new(ErrorType::NotFound, error, way))
        }
    }
}

/// What a document is called in answers, by what it was found in.
pub(super) fn document_of(own: &str, found_in: &FoundIn, path: &str) -> String {
    match found_in {
        FoundIn::Repo(repo) if repo == own => path.to_owned(),
        FoundIn::Repo(repo) => format!("{repo}/{path}"),
        FoundIn::Collection(collection) => uri_of(collection, path),
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArgs {
    /// Any place that an answer shows: `src/a.rs:10-40`, `docs/a.md#Install`, `Type::method`, `assist://…`, a URL.
    #[schemars(length(min = 1, max = 4096))]
    place: String,
    /// Begin at this character of the first line, for lines that are too long.
    column: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

impl Tool for ReadArgs {
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str = "Read a file, document, definition, page or session object, or lines of it.";
    type Answer = DocumentAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<DocumentAnswer>, Failure> {
        let located = locate(call, &args.place, None)?;
        read(located, None, args.column, Again::of(&args))
    }
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
    /// As answers show it.
    #[serde(skip)]
    name: String,
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

    fn text(&self, _json: &Value) -> String {
        let DocumentAnswer { name, text, total_lines, .. } = self;
        let lines = self.lines.as_deref().unwrap_or_default();
        let stale = if self.freshness == "current" { String::new() } else { format!(" · {}", self.freshness) };
        format!("{} of {total_lines} lines{stale}\n\n{text}", markdown::place(name, lines))
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
        self.more = Some(match self.again.arguments.contains_key("place") {
            true => self.again.with(left_out, [("place", format!("{}:{rest}", self.name).into()), ("column", column)]),
            false => {
                let whole = ("document", self.name.as_str().into());
                let changed = [whole, ("section", Value::Null), ("lines", json!(rest)), ("column", column)];
                self.again.with(left_out, changed)
            }
        });
    }
}

impl Tool for DocumentArgs {
    const NAME: &'static str = "get_document";
    const DESCRIPTION: &'static str = "Read a document of a collection or a file of the repository: whole, some lines, or one section or definition. \
            Secrets are taken out. Long texts are cut at a line, and the answer has the call for the rest.";
    type Answer = DocumentAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<DocumentAnswer>, Failure> {
        let located = locate(call, &args.document, args.repo.as_deref())?;
        let total = u32::try_from(LineMap::new(&located.document.text).count()).unwrap_or(u32::MAX);
        let asked = match (&args.lines, &args.section) {
            (Some(_), Some(_)) => {
                let said = "`lines` and `section` can't both be given";
                return Err(Failure::argument("section", "left out where `lines` is given", said));
            }
            (Some(lines), None) => Some(lines_of(lines, total)?),
            (None, Some(section)) => Some(located.document.section(section)?),
            (None, None) => None,
        };
        read(located, asked, args.column, Again::of(&args))
    }
}

/// Some lines of what was found, else the part that its place names.
fn read(
    Located { document: found, name, part }: Located,
    asked: Option<LineRange>,
    column: Option<usize>,
    again: Again,
) -> Result<Success<DocumentAnswer>, Failure> {
    let source = found.text.as_str();
    let map = LineMap::new(source);
    let total = u32::try_from(map.count()).unwrap_or(u32::MAX);
    let asked = match (asked, part) {
        (Some(lines), _) => Some(lines),
        (None, Part::Lines(lines)) => Some(lines_of(&lines.to_string(), total)?),
        (None, Part::Section(section)) => Some(found.section(&section)?),
        (None, Part::Whole) => (total > 0).then_some(LineRange { start: 1, end: total }),
    };
    let text = asked.and_then(|lines| map.bytes_of(lines)).map_or("", |bytes| &source[bytes]);
    let column = column.unwrap_or(1).max(1);
    let text = text.char_indices().nth(column - 1).map_or("", |(at, _)| &text[at..]);
    let answer = DocumentAnswer {
        text: text.to_owned(),
        name,
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
        again,
    };
    let changed = "The file has changed since; this is the text as it was indexed. Next: `collection_sync {}`, then read it again.";
    let message = (answer.freshness == "changed").then_some(changed);
    Ok(Success::noted(answer, message))
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
    /// A path or an address, as answers show it.
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
    name: String,
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

    fn text(&self, _json: &Value) -> String {
        format!("{}: {} lines\n{}", self.name, self.total_lines, self.entries.join("\n"))
    }
}

impl Tool for OutlineArgs {
    const NAME: &'static str = "outline";
    const DESCRIPTION: &'static str =
        "Headings of a document or definitions of a file, with their lines. Cheaper than reading it whole.";
    type Answer = OutlineAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<OutlineAnswer>, Failure> {
        let Located { document: found, name, .. } = locate(call, &args.document, args.repo.as_deref())?;
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
            name,
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

/// What tells whether a document is still the same: its text as it was taken in, and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentState {
    hash: Sha256,
    /// Whether the file is what was taken in.
    pub(crate) is_current: bool,
    /// Size, time of the last change, and inode.
    file: Option<(u64, i64, i64, u64)>,
}

/// How the document at an address is now.
pub(crate) fn document_state(call: &Call<'_>, uri: &str) -> Result<DocumentState, Failure> {
    let address = parse_uri(uri)?;
    let Some((collection, path)) = address else {
        return Err(Failure::new(
            ErrorType::NotFound,
            "this is no address",
            "`resources/list` has those that there are.",
        ));
    };
    let reference = DocumentRef { name: format!("{collection}/{path}"), lines: None };
    // As it was taken in: who follows a document wants to know that it has changed, and nobody reads it here.
    let document = call.project.library()?.read(&call.project.members()?, &[collection], false, &reference)?;
    let file = document.file.as_ref().and_then(|file| {
        let found = std::fs::metadata(file).ok()?;
        let facts = ai_assist_base::platform::facts(file.as_ref(), &found).ok()?;
        Some((found.len(), facts.mtime.0, facts.mtime.1, facts.inode))
    });
    let is_current = document.freshness == ai_assist_collections::Freshness::Current;
    Ok(DocumentState { hash: document.hash, is_current, file })
}
