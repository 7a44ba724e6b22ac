//! `search`: collections, a repository, a workspace, or all that is at hand.

use ai_assist_app::{Reach as Asker, Scope as Reach, Search as Request};
use ai_assist_collections::Members;
use ai_assist_search::{Answer as Found, Cursor, Fusion, Hit, IndexStatus, Origin, Query, Question};
use ai_assist_text::LineRange;

use super::address;
use super::common::*;

/// Hits further down are not given out.
const DEEPEST: usize = 1_000;

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
    /// A question or keywords. `"phrases"` rank higher; filters such as path:src/** lang:rust.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// Where: `all` (default) is the project's collections, its repository and its workspace; `sessions` what sessions hold.
    #[serde(default)]
    scope: Scope,
    /// Only these collections, by name.
    #[serde(default)]
    collections: Vec<String>,
    /// Only these repositories of the workspace, by name or glob.
    #[serde(default)]
    repos: Vec<String>,
    /// Only paths that match one of these globs, such as `src/**`.
    #[serde(default)]
    path: Vec<String>,
    /// Only these languages, such as `rust`.
    #[serde(default)]
    language: Vec<String>,
    /// Only these kinds, such as `function`, `section`.
    #[serde(default)]
    kind: Vec<String>,
    /// How many hits at most (default 10).
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
    /// The document; `get_document` takes it as it is.
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
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SearchAnswer {
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
}

/// Cuts the text of the only hit.
fn shorten_text(hit: &mut SearchHit, share: f64) -> bool {
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
    const DESCRIPTION: &'static str = "Search the project's documentation collections and its code by words and meaning. Returns the best passages with \
            path, lines and freshness. Use `symbol` for a definition by name, `grep` for every use of something.";
    type Answer = SearchAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SearchAnswer>, Failure> {
        let cursor: Option<Cursor> = args.cursor.as_deref().map(str::parse).transpose()?;
        let offset = cursor.as_ref().map_or(0, Cursor::offset);
        let request = request(call, &args, cursor)?;
        let found = call.project.search(&request, call.cancel)?;
        let members = call.project.members()?;
        let mut again = Again::of(&args);
        again.arguments.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        let mut answer = SearchAnswer {
            found: found.found,
            searched: searched(&found),
            warnings: warnings(&found),
            more: None,
            offset,
            question: found.identity,
            again,
            hits: found.hits.into_iter().map(|hit| shown(&members, hit)).collect(),
        };
        answer.point_on();
        Ok(answer.into())
    }
}

fn request(call: &Call<'_>, args: &SearchArgs, cursor: Option<Cursor>) -> Result<Request, Failure> {
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

fn shown(members: &Members, hit: Hit) -> SearchHit {
    // As much of a hash as tells files apart.
    let hash: String = hit.hash.to_string().chars().take("sha256:".len() + 16).collect();
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
    }
}
