//! `search`: collections, a repository, a workspace, or all that is at hand.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use ai_assist_collections::{self as collections, Filters, Find, Members};
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_repo::layout::Mode;
use ai_assist_search::{Cursor, Fusion, Query};
use ai_assist_text::LineRange;
use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::federate::{self, Question, Target, WorkspaceQuestion, search_repos, search_workspace};
use ai_assist_workspace::manifest::GenerateOptions;
use ai_assist_workspace::query_cache::CacheLimits;
use ai_assist_workspace::selection::Selection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::address;
use super::common::{More, budget, kinds, languages, word};
use crate::call::Call;
use crate::failures::not_built;
use crate::outcome::{ErrorType, Failure, Success};
use crate::tool::{About, Answer, Effect, Group, Tool, drop_last};

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
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArgs {
    /// A question or keywords. `"phrases"` rank higher; filters such as path:src/** lang:rust.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// Where: `all` (default) is the project's collections and its repository.
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
    /// The document; `get_document` takes it as it is.
    document: String,
    /// The lines.
    lines: String,
    /// Headings or symbols around it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<String>,
    kind: String,
    language: String,
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
    resume: Resume,
}

/// What is needed to say where to go on.
#[derive(Debug, Clone, Default)]
struct Resume {
    offset: usize,
    question: String,
    arguments: Value,
}

impl SearchAnswer {
    /// Says how to get the hits after those that are left.
    fn point_on(&mut self) {
        let next = self.resume.offset + self.hits.len();
        if next >= self.found.min(DEEPEST) || self.hits.is_empty() {
            self.more = None;
            return;
        }
        let mut arguments = self.resume.arguments.clone();
        arguments["cursor"] = Value::String(Cursor::new(next, &self.resume.question).to_string());
        let left_out = format!("hits after the first {next} of {}", self.found);
        self.more = Some(More { left_out, tool: Search::ABOUT.name, arguments });
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

pub(crate) struct Search;

impl Tool for Search {
    const ABOUT: About = About {
        name: "search",
        title: "Search documents and code",
        description: "Search the project's documentation collections and its code by words and meaning. Returns the best passages with \
            path, lines and freshness. Use `symbol` for a definition by name, `grep` for every use of something.",
        effect: Effect::Reads,
        group: Group::Default,
        long: false,
    };
    type Args = SearchArgs;
    type Answer = SearchAnswer;

    fn budget(args: &SearchArgs) -> usize {
        budget(args.max_tokens)
    }

    fn run(call: &Call<'_>, args: SearchArgs) -> Result<Success<SearchAnswer>, Failure> {
        let cursor: Option<Cursor> = args.cursor.as_deref().map(str::parse).transpose()?;
        let offset = cursor.as_ref().map_or(0, Cursor::offset).min(DEEPEST);
        let limit = args.limit.unwrap_or(10);
        let wanted = (offset + limit).min(DEEPEST);
        let lists = ask(call, &args, wanted)?;
        if lists.iter().all(|list| list.searched.is_empty()) {
            return Err(nothing_indexed(&lists));
        }
        let mut answer = join(lists, offset, limit);
        let mut arguments = serde_json::to_value(&args).unwrap_or_else(|_| json!({}));
        tidy(&mut arguments);
        answer.resume.arguments = arguments;
        answer.resume.question.insert_str(0, &typed(&args));
        if let Some(cursor) = &cursor {
            cursor.offset_in(&answer.resume.question)?;
        }
        answer.point_on();
        Ok(answer.into())
    }
}

/// What decides the order of the hits.
fn typed(args: &SearchArgs) -> String {
    let SearchArgs { query, scope, collections, repos, path, language, kind, .. } = args;
    format!("{query:?} {scope:?} {collections:?} {repos:?} {path:?} {language:?} {kind:?}\n")
}

/// Leaves out of the arguments what says nothing.
fn tidy(arguments: &mut Value) {
    if let Value::Object(object) = arguments {
        object.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()));
        object.remove("cursor");
    }
}

/// One ranking.
#[derive(Default)]
struct List {
    hits: Vec<SearchHit>,
    found: usize,
    searched: Vec<String>,
    warnings: Vec<String>,
    /// Everything of the indexes that decides the order.
    state: String,
}

/// Asks everything that the call is about.
fn ask(call: &Call<'_>, args: &SearchArgs, wanted: usize) -> Result<Vec<List>, Failure> {
    let scope = match (args.scope, args.collections.is_empty(), args.repos.is_empty()) {
        (Scope::All, false, true) => Scope::Collections,
        (Scope::All, true, false) => Scope::Workspace,
        (scope, ..) => scope,
    };
    match scope {
        Scope::Collections => Ok(vec![in_collections(call, args, wanted)?]),
        Scope::Repo => Ok(vec![in_repo(call, args, wanted)?]),
        Scope::Workspace => Ok(vec![in_workspace(call, args, wanted)?]),
        Scope::All => {
            let mut lists = Vec::new();
            if !call.project.members()?.is_empty() {
                lists.push(in_collections(call, args, wanted)?);
            }
            match in_repo(call, args, wanted) {
                Ok(list) => lists.push(list),
                Err(failure) if failure.error_type == ErrorType::NotIndexed && !lists.is_empty() => {
                    let warning = format!("{}. {}", failure.error, failure.instruction);
                    lists.push(List { warnings: vec![warning], ..List::default() });
                }
                Err(failure) => return Err(failure),
            }
            // The first of each list are equally good. Who asks for a name of code wants the code.
            if is_code(&args.query) {
                lists.reverse();
            }
            Ok(lists)
        }
    }
}

/// Whether a query has words that only code is written with: `snake_case`, `camelCase`, `a::b`, `call()`.
fn is_code(query: &str) -> bool {
    let is_name = |word: &str| {
        let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        word.contains("::") || word.contains("()") || word.trim_matches('_').contains('_') || inner_capital
    };
    query.split_whitespace().any(is_name)
}

/// What is said where nothing could be searched.
fn nothing_indexed(lists: &[List]) -> Failure {
    let said: Vec<&str> = lists.iter().flat_map(|list| list.warnings.iter().map(String::as_str)).collect();
    let error = if said.is_empty() { "nothing is indexed here yet".to_owned() } else { said.join("; ") };
    Failure::new(
        ErrorType::NotIndexed,
        error,
        "Call `collection_sync` for documents or `index_build` for code, then search again.",
    )
}

/// Joins rankings of different kinds, whose scores can't be compared: the first of each, then the second of each, and so on.
/// Files of the repository may be documents of a collection too.
fn join(lists: Vec<List>, offset: usize, limit: usize) -> SearchAnswer {
    let mut all: Vec<(usize, usize, SearchHit)> = Vec::new();
    let mut answer = SearchAnswer {
        hits: Vec::new(),
        found: 0,
        searched: Vec::new(),
        warnings: Vec::new(),
        more: None,
        resume: Resume { offset, ..Resume::default() },
    };
    let is_all = lists.iter().all(|list| list.hits.len() >= list.found);
    for (number, list) in lists.into_iter().enumerate() {
        answer.found += list.found;
        answer.searched.extend(list.searched);
        answer.warnings.extend(list.warnings);
        answer.resume.question.push_str(&list.state);
        all.extend(list.hits.into_iter().enumerate().map(|(place, hit)| (place, number, hit)));
    }
    all.sort_by_key(|(place, list, _)| (*place, *list));
    // Only what another list has already: copies of a file are files of their own.
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    all.retain(|(_, list, hit)| *seen.entry((hit.hash.clone(), hit.lines.clone())).or_insert(*list) == *list);
    if is_all {
        answer.found = all.len();
    }
    answer.hits = all.into_iter().skip(offset).take(limit).map(|(_, _, hit)| hit).collect();
    answer
}

fn in_collections(call: &Call<'_>, args: &SearchArgs, wanted: usize) -> Result<List, Failure> {
    let members = call.project.members()?;
    let find = Find {
        query: args.query.clone(),
        filters: Filters { paths: args.path.clone(), languages: languages(&args.language)?, kinds: kinds(&args.kind)? },
        collections: args.collections.clone(),
        all: false,
        limit: wanted,
        max_tokens: None,
        cursor: None,
        mode: Default::default(),
        fusion: fusion(call),
        explain: false,
    };
    if members.is_empty() {
        return Err(Failure::new(
            ErrorType::NotFound,
            "the project declares no collections",
            "Search with scope `repo`, or ask the user to add one with `ai-assist collections add`.",
        ));
    }
    let answer = call.project.library()?.find(&members, &find)?;
    Ok(List {
        found: answer.found,
        searched: answer.collections.iter().map(|name| format!("collection {name}")).collect(),
        warnings: answer.warnings,
        state: answer.identity,
        hits: answer.hits.into_iter().map(|found| of_collection(&members, found)).collect(),
    })
}

fn fusion(call: &Call<'_>) -> Fusion {
    Fusion::Scores { a: call.project.settings.dense_weight() }
}

/// As much of a hash as tells files apart.
fn short(hash: &str) -> String {
    hash.chars().take("sha256:".len() + 16).collect()
}

fn of_collection(members: &Members, found: collections::Found) -> SearchHit {
    SearchHit {
        document: address(members, &found.collection, found.category.as_deref(), &found.document),
        collection: Some(found.collection),
        category: found.category,
        repo: None,
        lines: found.lines.to_string(),
        within: found.path,
        kind: found.kind.to_string(),
        language: word(&found.language),
        freshness: word(&found.freshness),
        hash: short(&found.hash.to_string()),
        commit: None,
        text: found.text,
        cut: found.cut,
        range: found.lines,
    }
}

/// The question to repositories.
fn question(call: &Call<'_>, args: &SearchArgs, wanted: usize) -> Result<Question, Failure> {
    let unreadable = |error: String| Failure::argument("query", "words, \"phrases\" and filters", error);
    let mut query: Query =
        args.query.parse().map_err(|error: ai_assist_search::QueryError| unreadable(error.to_string()))?;
    query
        .narrow(&args.path, &languages(&args.language)?, &kinds(&args.kind)?)
        .map_err(|error| Failure::argument("path", "globs such as `src/**`", error.to_string()))?;
    let mut question = Question::new(query, vec![Mode::Code, Mode::Prose]);
    question.fusion = fusion(call);
    question.limit = wanted;
    Ok(question)
}

fn in_repo(call: &Call<'_>, args: &SearchArgs, wanted: usize) -> Result<List, Failure> {
    let repo = call.project.repo()?;
    let question = question(call, args, wanted)?;
    let target = Target::of_repo(&repo.local.root, &repo.local.id, &repo.local.cache);
    if target.builds.is_empty() {
        return Err(not_built());
    }
    let (answer, _) = search_repos(&[target], &question, call.cancel)?;
    let roots = BTreeMap::from([(repo.local.id.clone(), repo.local.root.clone())]);
    Ok(of_repos(answer, &question, &roots, None))
}

fn in_workspace(call: &Call<'_>, args: &SearchArgs, wanted: usize) -> Result<List, Failure> {
    let workspace = call.project.workspace()?;
    let asked = WorkspaceQuestion {
        question: question(call, args, wanted)?,
        selection: Selection { repo_filters: args.repos.clone(), ..Selection::default() },
        policy: CohortPolicy::Default,
        strict: false,
        cache: Some(CacheLimits::default()),
    };
    let options = GenerateOptions { cache_root: &call.project.roots.cache, now: SystemTime::now() };
    let found = search_workspace(&workspace, &options, &asked, call.cancel)?;
    Ok(of_repos(found.answer, &asked.question, &found.roots, Some(&workspace.name)))
}

fn of_repos(
    mut answer: federate::Answer,
    question: &Question,
    roots: &BTreeMap<RepoId, CanonicalPath>,
    workspace: Option<&str>,
) -> List {
    answer.hide_paths(&roots.values().map(CanonicalPath::as_str).collect::<Vec<_>>());
    let state = answer.identity("", question);
    let mut warnings: Vec<String> = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
    let mut searched: Vec<String> = Vec::new();
    let mut reasons: HashMap<String, Vec<&str>> = HashMap::new();
    for repo in &answer.repos {
        let done = repo.indexes.iter().any(|index| index.status == federate::IndexStatus::Searched);
        if done {
            searched.push(format!("repo {}", repo.repo));
        }
        for index in repo.indexes.iter().filter(|_| !done) {
            let reason = index.reason.clone().unwrap_or_else(|| index.status.to_string());
            let repos = reasons.entry(reason).or_default();
            if !repos.contains(&repo.repo.as_str()) {
                repos.push(&repo.repo);
            }
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort();
    warnings
        .extend(reasons.into_iter().map(|(reason, repos)| format!("not searched: {} ({reason})", repos.join(", "))));
    let hit = |found: federate::Found| SearchHit {
        freshness: word(&found.freshness(roots.get(&found.repo_id))),
        collection: None,
        category: None,
        repo: Some(found.repo),
        document: found.document,
        lines: found.lines.to_string(),
        within: found.path,
        kind: found.kind.to_string(),
        language: word(&found.language),
        hash: short(&found.hash.to_string()),
        commit: found.commit.map(|commit| commit.chars().take(12).collect()),
        text: found.text,
        cut: found.cut,
        range: found.lines,
    };
    if let Some(name) = workspace {
        searched.insert(0, format!("workspace {name}"));
    }
    List { found: answer.found, searched, warnings, state, hits: answer.hits.into_iter().map(hit).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_told_from_words() {
        for code in ["pick_apple", "where is LineMap used", "std::fs", "open()", "fix parseQuery"] {
            assert!(is_code(code), "{code}");
        }
        for words in ["how do oaks grow", "What is MCP", "a - b", "_", "path:src/**", "snake case"] {
            assert!(!is_code(words), "{words}");
        }
    }
}
