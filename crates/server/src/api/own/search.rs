//! Finding things: by words and meaning, by a pattern, by name; and reading what was found.

use std::time::{Duration, Instant};

use ai_assist_app::{FileKind, FoundLines, Project, Reach, ReadPlace, Search, Within};
use ai_assist_chunk::ChunkKind;
use ai_assist_client::requests;
use ai_assist_index::{Filter, PathGlobs};
use ai_assist_mcp::{ErrorType, Failure, RelayedAnswer, RelayedCall};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::lookup::{FoundSymbols, SymbolLookup};
use ai_assist_repo::map::{MapRequest, RepoMap};
use ai_assist_repo::scan::ScanRequest;
use ai_assist_search::{Answer, Cursor, Feature, Features, Fusion, Query, Question};
use ai_assist_text::Language;
use ai_assist_trigram::{Pattern, PatternOptions};

use super::super::route::{Asked, Procedure};
use super::super::shapes;
use super::only_local;
use crate::http::Peer;

const LINES: usize = 100;
const MAP_TOKENS: usize = 2_000;

impl Procedure for requests::Search {
    type Answer = Answer;
    type Shape = shapes::Answer;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Answer, Failure> {
        only_local(asked, "folders", !self.folders.is_empty())?;
        only_local(asked, "all", self.all)?;
        Ok(project.search(&search_of(&self, project, asked.peer)?, asked.cancel)?)
    }
}

/// A server of MCP over standard input and output hands its calls on to the service.
impl Procedure for RelayedCall {
    type Answer = RelayedAnswer;
    type Shape = RelayedAnswer;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<RelayedAnswer, Failure> {
        self.answer(project.clone(), asked.cancel, asked.report)
    }
}

fn search_of(asked: &requests::Search, project: &Project, peer: Peer) -> Result<Search, Failure> {
    let file_kind = |name: &String| FileKind::ALL.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let kinds: Vec<FileKind> = asked.kind.iter().filter_map(file_kind).collect();
    let pieces: Vec<String> = asked.kind.iter().filter(|name| file_kind(name).is_none()).cloned().collect();
    let unreadable = |error: ai_assist_search::QueryError| {
        Failure::argument("query", "words, \"phrases\" and filters", error.to_string())
    };
    let mut query: Query = asked.query.parse().map_err(unreadable)?;
    let bad_globs =
        |error: ai_assist_search::QueryError| Failure::argument("path", "globs such as `src/**`", error.to_string());
    query.narrow(&asked.path, &languages(&asked.language)?, &chunk_kinds(&pieces)?).map_err(bad_globs)?;
    let cursor: Option<Cursor> = asked.cursor.as_deref().map(str::parse).transpose()?;
    let fusion = if asked.by_ranks { Fusion::RANKS } else { Fusion::Scores { a: project.settings.dense_weight() } };
    let without = |features: Features, feature: &Feature| features.without(*feature);
    let question = Question {
        rank_by: asked.rank.unwrap_or_default(),
        fusion,
        offset: cursor.as_ref().map_or(0, Cursor::offset),
        limit: asked.limit.unwrap_or_else(|| project.settings.search_limit()),
        explain: asked.explain,
        features: asked.without.iter().fold(Features::default(), without),
        look: Some(project.look()),
        reader: project.settings.reader_language(),
        timeout: asked.timeout.map(Duration::from_millis),
        ..Question::new(query)
    };
    let mut search = Search {
        within: asked.within.clone(),
        folders: asked.folders.clone(),
        all: asked.all,
        asker: reach(peer),
        refresh: !asked.no_sync,
        max_tokens: asked.max_tokens,
        cursor,
        ..Search::new(question)
    };
    search.only(&kinds);
    if !asked.mode.is_empty() {
        search.modes = modes(&asked.mode);
    }
    Ok(search)
}

/// A program of the user has the user's reach; whoever comes over the network has that of an agent.
fn reach(peer: Peer) -> Reach {
    match peer {
        Peer::User => Reach::Machine,
        Peer::Network => Reach::Project,
    }
}

/// The modes that were asked for, each once and in order.
fn modes(asked: &[Mode]) -> Vec<Mode> {
    Mode::ALL.into_iter().filter(|mode| asked.contains(mode)).collect()
}

impl Procedure for requests::Grep {
    type Answer = FoundLines;
    type Shape = shapes::FoundLines;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<FoundLines, Failure> {
        only_local(asked, "folders", !self.folders.is_empty())?;
        only_local(asked, "all", self.all)?;
        let options = PatternOptions {
            ignore_case: self.ignore_case,
            fixed: self.fixed,
            word: self.word,
            multiline: self.multiline,
            crlf: false,
        };
        let pattern = Pattern::new(&self.pattern, options)
            .map_err(|error| Failure::argument("pattern", "a regular expression", ai_assist_base::chain(&error)))?;
        let filter = Filter { paths: globs(&self.path)?, languages: languages(&self.language)?, ..Filter::default() };
        let modes = if self.mode.is_empty() { vec![Mode::Code, Mode::Prose, Mode::Records] } else { modes(&self.mode) };
        let until = Instant::now().checked_add(self.timeout.map_or(ScanRequest::TIMEOUT, Duration::from_millis));
        let request = ScanRequest { pattern: &pattern, filter: &filter, limit: self.limit.unwrap_or(LINES), until };
        let within = Within { names: self.within, folders: self.folders, all: self.all, refresh: !self.no_sync };
        Ok(project.grep(&within, &modes, &request, asked.cancel)?)
    }
}

impl Procedure for requests::Symbols {
    type Answer = FoundSymbols;
    type Shape = shapes::FoundSymbols;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<FoundSymbols, Failure> {
        only_local(asked, "folders", !self.folders.is_empty())?;
        only_local(asked, "all", self.all)?;
        let lookup = SymbolLookup {
            name: self.name,
            kinds: chunk_kinds(&self.kind)?,
            languages: languages(&self.language)?,
            paths: globs(&self.path)?,
            limit: self.limit.unwrap_or_else(|| project.settings.search_limit()),
        };
        let within = Within { names: self.within, folders: self.folders, all: self.all, refresh: !self.no_sync };
        Ok(project.symbols(&within, &lookup, asked.cancel)?)
    }
}

impl Procedure for requests::Map {
    type Answer = RepoMap;
    type Shape = shapes::RepoMap;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<RepoMap, Failure> {
        only_local(asked, "folder", self.folder.is_some())?;
        let repo = match &self.folder {
            Some(folder) => project.repo_at(folder)?,
            None => project.repo_named(self.repository.as_deref())?.local,
        };
        if !repo.cache.current_json().is_file() {
            let way = "Build it with `index_build`, then ask again.";
            return Err(Failure::new(ErrorType::NotIndexed, "the repository has no index yet", way));
        }
        let request = MapRequest {
            max_tokens: self.max_tokens.unwrap_or(MAP_TOKENS),
            paths: globs(&self.path)?,
            languages: languages(&self.language)?,
            focus: self.focus,
        };
        Ok(project.map(&repo, &request)?.map)
    }
}

impl Procedure for requests::Place {
    type Answer = ReadPlace;
    type Shape = shapes::ReadPlace;

    fn run(self, project: &Project, _: &Asked<'_>) -> Result<ReadPlace, Failure> {
        Ok(project.read_place(&self.place)?)
    }
}

fn languages(names: &[String]) -> Result<Vec<Language>, Failure> {
    let language = |name: &String| {
        let said = || format!("`{name}` is no language");
        name.parse().map_err(|_| Failure::argument("language", "names of languages such as `rust`", said()))
    };
    names.iter().map(language).collect()
}

fn chunk_kinds(names: &[String]) -> Result<Vec<ChunkKind>, Failure> {
    let kind = |name: &String| {
        name.parse().map_err(|_| {
            let known: Vec<String> = ChunkKind::ALL.iter().map(ToString::to_string).collect();
            Failure::argument("kind", format!("some of {}", known.join(", ")), format!("`{name}` is no kind"))
        })
    };
    names.iter().map(kind).collect()
}

fn globs(patterns: &[String]) -> Result<Option<PathGlobs>, Failure> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let globs = PathGlobs::new(patterns);
    globs.map(Some).map_err(|error| Failure::argument("path", "globs such as `src/**/*.rs`", error.to_string()))
}
