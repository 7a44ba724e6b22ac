//! `search`: collections, a repository, a workspace, or all that is at hand.

use ai_assist_app::{Reach as Asker, Scope as Reach, Search as Request, Within};
use ai_assist_collections::Members;
use ai_assist_repo::lookup::SymbolLookup;
use ai_assist_search::{Answer as Found, Cursor, Fusion, Hit, IndexStatus, Origin, Query, Question};
use ai_assist_text::{LineRange, count_tokens, head};

use super::common::*;
use super::symbol::{Definition, definition};
use super::{Places, address};
use crate::markdown;
use crate::outcome::Forms;

/// Hits further down are not given out.
const DEEPEST: usize = 1_000;
/// So many tokens of passages are shown to a model that did not say how many it wants; of the other hits it sees the places.
const PASSAGES: usize = 1_500;
/// And so many in a text beside the structured form, which has them all.
const SHORT_PASSAGES: usize = 500;
/// So many names of a question are looked up, and so many definitions of each are shown.
const NAMES: usize = 3;
const DEFINITIONS: usize = 5;
/// A longer line of a hit is shown up to here.
const WIDEST: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    #[default]
    All,
    Collections,
    Repo,
    Workspace,
    Sessions,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArgs {
    /// A question, keywords or a name. Takes `"phrases"` and filters such as path:src/** lang:rust.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// `all` (default): collections, repository and workspace.
    #[serde(default)]
    scope: Scope,
    /// Only these collections, by name.
    #[serde(default)]
    collections: Vec<String>,
    /// Only these repositories, by name or glob.
    #[serde(default)]
    repos: Vec<String>,
    /// Only paths that match these globs.
    #[serde(default)]
    path: Vec<String>,
    /// Only these languages.
    #[serde(default)]
    language: Vec<String>,
    /// Only these kinds, such as `function`, `section`.
    #[serde(default)]
    kind: Vec<String>,
    /// Most hits (default 10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[serde(default)]
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// Goes on where the answer before stopped.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SearchHit {
    /// The collection it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    /// The category of the collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The repository it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    /// The session it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The document; `read` takes it as it is.
    document: String,
    /// The page of a website that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The lines.
    lines: String,
    /// Where in the original file, such as `page 3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// Headings or symbols around it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<String>,
    kind: String,
    language: String,
    /// From 0 to 1; what the order goes by.
    score: f32,
    /// Whether the file is still what was indexed: current, changed, missing or unknown.
    freshness: String,
    /// The beginning of the hash of the file that was indexed.
    hash: String,
    /// The commit that the index was built at.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    text: String,
    /// Whether the text was cut to fit the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(skip)]
    range: LineRange,
    /// The document as a model sees it: from the project, where it lies in it.
    #[serde(skip)]
    name: String,
}

impl SearchArgs {
    /// A question to everything in reach.
    pub(super) fn everywhere(query: &str, path: &[String], limit: usize) -> Self {
        SearchArgs {
            query: query.to_owned(),
            scope: Scope::All,
            collections: Vec::new(),
            repos: Vec::new(),
            path: path.to_vec(),
            language: Vec::new(),
            kind: Vec::new(),
            limit: Some(limit),
            max_tokens: None,
            cursor: None,
        }
    }
}

impl SearchHit {
    pub(super) fn document(&self) -> &str {
        &self.document
    }

    /// The document as a model sees it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// With its text, for a model.
    pub(super) fn whole(&self) -> String {
        let cut = if self.cut { "\n[cut]" } else { "" };
        format!("\n=== {}\n{}{cut}\n", self.heading(), self.text.trim_end())
    }

    /// Where it is, and the line that says most.
    pub(super) fn brief(&self) -> String {
        format!("- {} · {}\n", self.heading(), self.line())
    }

    /// Where it is, and what it is part of.
    fn heading(&self) -> String {
        let mut heading = markdown::place(&self.name, &self.lines);
        if !self.within.is_empty() {
            heading.push_str(&format!(" · {}", self.within.join(" > ")));
        }
        heading.extend(self.place.iter().map(|place| format!(" · {place}")));
        heading.extend(self.url.iter().map(|url| format!(" · {url}")));
        if matches!(self.freshness.as_str(), "changed" | "missing") {
            heading.push_str(&format!(" · {}", self.freshness));
        }
        heading
    }

    /// The line that says most: the one that names what it is, else the first.
    fn line(&self) -> String {
        let name = self.within.last().map_or("", String::as_str);
        let mut lines = self.text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.clone().next().unwrap_or_default();
        let line = lines.find(|line| !name.is_empty() && line.contains(name)).unwrap_or(first);
        head(line, WIDEST).to_owned()
    }

    fn shorten_to_a_line(&mut self) {
        let line = self.line();
        self.cut = line.len() < self.text.trim().len();
        self.text = line;
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SearchAnswer {
    /// Where the names are defined that the query has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Definition>,
    /// Best first.
    hits: Vec<SearchHit>,
    /// How many there are in all.
    found: usize,
    /// What was searched.
    searched: Vec<String>,
    /// What is odd, such as something that is not indexed yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// The call for the next hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    /// So many tokens of passages a model is shown.
    #[serde(skip)]
    passages: usize,
    #[serde(skip)]
    offset: usize,
    /// What cursors of this answer are about.
    #[serde(skip)]
    question: String,
    #[serde(skip)]
    again: Again,
}

impl SearchAnswer {
    /// Says how to get the hits after those that are left.
    fn point_on(&mut self) {
        let next = self.offset + self.hits.len();
        self.more = (next < self.found.min(DEEPEST) && !self.hits.is_empty()).then(|| {
            let cursor = Cursor::new(next, &self.question).to_string();
            self.again.with(format!("hits after the first {next} of {}", self.found), [("cursor", cursor.into())])
        });
    }
}

impl Answer for SearchAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        match self.hits.as_mut_slice() {
            [] => false,
            [only] => shorten_text(only, share),
            _ => {
                drop_last(&mut self.hits, share);
                self.point_on();
                !self.hits.is_empty()
            }
        }
    }

    fn text(&self, _json: &Value) -> String {
        self.shown(self.passages)
    }

    fn short_text(&self, _json: &Value) -> String {
        self.shown(self.passages.min(SHORT_PASSAGES))
    }
}

impl SearchAnswer {
    /// Definitions, then as many of the best passages as have room, then the places of the others.
    fn shown(&self, room: usize) -> String {
        let mut text: String = self.definitions.iter().map(Definition::line).collect();
        let passages = passages(&self.hits, room);
        text.extend(self.hits[..passages].iter().map(SearchHit::whole));
        text.extend(self.hits[passages..].iter().map(SearchHit::brief));
        if self.hits.is_empty() {
            text.push_str("Nothing was found.\n");
        }
        text.extend(self.warnings.iter().map(|warning| format!("\nNote: {warning}")));
        text
    }
}

/// How many hits have room to be shown in whole; the first is in any case. What comes after one that has none may be shorter, but a list
/// in which passages and places alternate is hard to read.
fn passages(hits: &[SearchHit], mut room: usize) -> usize {
    let fits = |hit: &&SearchHit| {
        let left = room.checked_sub(count_tokens(&hit.text));
        room = left.unwrap_or_default();
        left.is_some()
    };
    hits.iter().take_while(fits).count().max(1).min(hits.len())
}

/// Cuts the text of the only hit.
pub(super) fn shorten_text(hit: &mut SearchHit, share: f64) -> bool {
    let keep = ai_assist_text::floor_boundary(&hit.text, (hit.text.len() as f64 * share * 0.9) as usize);
    if hit.text.is_empty() {
        return false;
    }
    ai_assist_search::cut(&mut hit.text, &mut hit.range, keep);
    hit.lines = hit.range.to_string();
    hit.cut = true;
    true
}

impl Tool for SearchArgs {
    const NAME: &'static str = "search";
    const DESCRIPTION: &'static str =
        "Find definitions and passages in the project's code and documentation, by name, words and meaning.";
    type Answer = SearchAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SearchAnswer>, Failure> {
        let cursor: Option<Cursor> = args.cursor.as_deref().map(str::parse).transpose()?;
        let offset = cursor.as_ref().map_or(0, Cursor::offset);
        let request = request(call, &args, cursor)?;
        let found = call.project.search(&request, call.cancel)?;
        let members = call.project.members()?;
        let mut again = Again::of(&args);
        again.arguments.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        let places = Places::of(call)?;
        let room = args.max_tokens.map_or(PASSAGES, |most| most * 3 / 4);
        let (searched, warnings) = (searched(&found), warnings(&found));
        let mut hits: Vec<SearchHit> = found.hits.into_iter().map(|hit| shown(&members, &places, hit)).collect();
        // A model that is shown data sees no more of it than of a text.
        if call.forms == Forms::BOTH && args.max_tokens.is_none() {
            let whole = passages(&hits, room);
            hits[whole..].iter_mut().for_each(SearchHit::shorten_to_a_line);
        }
        let mut answer = SearchAnswer {
            definitions: if offset == 0 { definitions(call, &args) } else { Vec::new() },
            passages: room,
            found: found.found,
            searched,
            warnings,
            more: None,
            offset,
            question: found.identity,
            again,
            hits,
        };
        answer.point_on();
        Ok(answer.into())
    }
}

/// Where the names of a query are defined. Without an index of code there are none, which the hits tell as well.
fn definitions(call: &Call<'_>, args: &SearchArgs) -> Vec<Definition> {
    if matches!(args.scope, Scope::Collections | Scope::Sessions) || !args.kind.is_empty() {
        return Vec::new();
    }
    let (Ok(own), Ok(paths), Ok(languages)) = (call.project.repo(), globs(&args.path), languages(&args.language))
    else {
        return Vec::new();
    };
    let within = Within { names: args.repos.iter().chain(&args.collections).cloned().collect(), ..Within::default() };
    let mut found = Vec::new();
    for name in names(&args.query).into_iter().take(NAMES) {
        let last = name.rsplit([':', '.']).next().unwrap_or(name);
        let (paths, languages) = (paths.clone(), languages.clone());
        let lookup = SymbolLookup { name: name.to_owned(), paths, languages, limit: 20, ..SymbolLookup::default() };
        let Ok(symbols) = call.project.symbols(&within, &lookup, call.cancel) else { continue };
        let exact = symbols.symbols.into_iter().filter(|found| found.symbol.name == last);
        found.extend(exact.take(DEFINITIONS).map(|symbol| definition(&own, symbol)));
    }
    found
}

/// The words of a query that are written as names of code are: all of it, or with `_`, `::` or a capital inside.
fn names(query: &str) -> Vec<&str> {
    let is_alone = !query.trim().contains(char::is_whitespace);
    let of_code = |word: &&str| {
        let is_name = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.'));
        let has_hump = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        is_name && word.len() > 2 && (is_alone || word.contains('_') || word.contains("::") || has_hump)
    };
    let trim = |word: &'_ str| -> usize { word.trim_end_matches(['(', ')', '?', '.', ',', ':', '!', ';', '`']).len() };
    let words = query.split_whitespace().map(|word| word[..trim(word)].trim_start_matches(['`', '(']));
    words.filter(of_code).collect()
}

pub(super) fn request(call: &Call<'_>, args: &SearchArgs, cursor: Option<Cursor>) -> Result<Request, Failure> {
    let unreadable = |error: String| Failure::argument("query", "words, \"phrases\" and filters", error);
    let mut query: Query =
        args.query.parse().map_err(|error: ai_assist_search::QueryError| unreadable(error.to_string()))?;
    query
        .narrow(&args.path, &languages(&args.language)?, &kinds(&args.kind)?)
        .map_err(|error| Failure::argument("path", "globs such as `src/**`", error.to_string()))?;
    query.collections.extend(args.collections.iter().cloned());
    query.repos.extend(args.repos.iter().cloned());
    let offset = cursor.as_ref().map_or(0, Cursor::offset);
    let limit = args.limit.unwrap_or(10).min(DEEPEST.saturating_sub(offset));
    let fusion = Fusion::Scores { a: call.project.settings.dense_weight() };
    let reader = call.project.settings.reader_language();
    let question = Question { limit, fusion, look: Some(call.project.look()), reader, ..Question::new(query) };
    let scope = match args.scope {
        Scope::All => Reach::EVERYTHING,
        Scope::Collections => Reach::COLLECTIONS,
        Scope::Repo => Reach::REPO,
        Scope::Workspace => Reach::WORKSPACE,
        Scope::Sessions => Reach::SESSIONS,
    };
    Ok(Request { scope, cursor, asker: Asker::Project, ..Request::new(question) })
}

fn searched(found: &Found) -> Vec<String> {
    let collections = found.collections.iter().map(|name| format!("collection {name}"));
    let is_searched =
        |repo: &&ai_assist_search::RepoOutcome| repo.indexes.iter().any(|index| index.status == IndexStatus::Searched);
    let repos = found.repos.iter().filter(is_searched).map(|repo| format!("repo {}", repo.repo));
    let sessions = found.sessions.iter().map(|name| format!("session {name}"));
    collections.chain(repos).chain(sessions).collect()
}

/// What is odd, with the repositories of which nothing was searched, by reason.
fn warnings(found: &Found) -> Vec<String> {
    let mut warnings: Vec<String> = found.warnings.iter().map(|warning| warning.message.clone()).collect();
    let mut reasons: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    for repo in &found.repos {
        if repo.indexes.iter().all(|index| index.status != IndexStatus::Searched) {
            let reason = repo.indexes.iter().find_map(|index| index.reason.as_deref()).unwrap_or("not searched");
            reasons.entry(reason).or_default().push(&repo.repo);
        }
    }
    let not_searched = |(reason, repos): (&str, Vec<&str>)| format!("not searched: {} ({reason})", repos.join(", "));
    warnings.extend(reasons.into_iter().map(not_searched));
    if found.weak {
        warnings.push("the best hit has little of what was asked; other words may find more".to_owned());
    }
    warnings
}

pub(super) fn shown(members: &Members, places: &Places, hit: Hit) -> SearchHit {
    // As much of a hash as tells files apart.
    let hash: String = hit.hash.to_string().chars().take("sha256:".len() + 16).collect();
    let name = places.of_hit(members, &hit);
    let mut session = None;
    let (document, collection, category, repo, commit) = match hit.origin {
        Origin::Collection { collection, category, .. } => {
            let document = address(members, &collection, category.as_deref(), &hit.document);
            (document, Some(collection), category, None, None)
        }
        Origin::Repo { repo, commit, .. } => {
            let commit = commit.map(|commit| commit.chars().take(12).collect());
            (hit.document, None, None, Some(repo), commit)
        }
        Origin::Session { session: name } => {
            let document = format!("{name}/{}", hit.document);
            session = Some(name);
            (document, None, None, None, None)
        }
    };
    SearchHit {
        document,
        collection,
        category,
        repo,
        session,
        url: hit.url,
        lines: hit.lines.to_string(),
        place: hit.place,
        within: hit.path,
        kind: hit.kind.to_string(),
        language: word(&hit.language),
        score: hit.score,
        freshness: word(&hit.freshness),
        hash,
        commit,
        text: hit.text,
        cut: hit.cut,
        range: hit.lines,
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_told_from_words() {
        for (query, expected) in [
            ("plant", vec!["plant"]),
            ("how does plant_tree work?", vec!["plant_tree"]),
            ("where is `Garden::plant()` called", vec!["Garden::plant"]),
            ("what does BTreeMap do", vec!["BTreeMap"]),
            ("how do we plant trees", vec![]),
            ("a", vec![]),
        ] {
            assert_eq!(names(query), expected, "{query}");
        }
    }
}
