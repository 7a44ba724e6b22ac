//! Searching everything in reach: the project's collections, its repository, and its workspace if there is one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ai_assist_base::{Cancel, nearest};
use ai_assist_collections::{CollectionSources, Freshness, Member, Members};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::pointer::read_pointer;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{
    Answer, Clock, Cursor, Hit, IndexStatus, Origin, Outcome, Query, Question, Source, Warning, search_until,
};
use ai_assist_session::Summary;
use ai_assist_text::{Language, LanguageKind};
use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::federate::{Federation, Target, WorkspaceQuestion, open_repos, open_workspace};
use ai_assist_workspace::manifest::GenerateOptions;
use ai_assist_workspace::selection::Selection;

use crate::lookup::Within;
use crate::refresh::LOOKED_THROUGH;
use crate::{Error, Project, Reach, Repo, Result};

/// A question to everything in reach, or to a part of it.
#[derive(Debug, Clone)]
pub struct Search {
    pub question: Question,
    pub scope: Scope,
    /// Collections, categories and repositories to look in, by name; none for all of the scope.
    pub within: Vec<String>,
    /// Repositories by a folder of theirs, in place of the project's own.
    pub folders: Vec<PathBuf>,
    /// Which indexes of a repository are searched.
    pub modes: Vec<Mode>,
    /// What kinds of files come to. Says nothing about sessions, where a tool's answer has no language.
    pub languages: Vec<Language>,
    /// Whether every collection of this machine is in reach.
    pub all: bool,
    /// Whose sessions are in reach, where sessions are.
    pub asker: Reach,
    /// Whether files that have changed are taken in first, if they are few.
    pub refresh: bool,
    pub max_tokens: Option<usize>,
    pub cursor: Option<Cursor>,
}

/// What is in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    pub collections: bool,
    pub repo: bool,
    pub workspace: bool,
    /// What sessions about the project hold now. Copies of the project's own files are among it, so it has to be asked for.
    pub sessions: bool,
}

impl Scope {
    const NOTHING: Scope = Scope { collections: false, repo: false, workspace: false, sessions: false };
    pub const EVERYTHING: Scope = Scope { sessions: false, collections: true, repo: true, workspace: true };
    pub const COLLECTIONS: Scope = Scope { collections: true, ..Scope::NOTHING };
    pub const REPO: Scope = Scope { repo: true, ..Scope::NOTHING };
    pub const WORKSPACE: Scope = Scope { workspace: true, ..Scope::NOTHING };
    pub const SESSIONS: Scope = Scope { sessions: true, ..Scope::NOTHING };
}

impl Search {
    /// A question to everything in reach.
    pub fn new(question: Question) -> Self {
        Search {
            question,
            scope: Scope::EVERYTHING,
            within: Vec::new(),
            folders: Vec::new(),
            modes: vec![Mode::Code, Mode::Prose],
            languages: Vec::new(),
            all: false,
            asker: Reach::Machine,
            refresh: true,
            max_tokens: None,
            cursor: None,
        }
    }

    /// Leaves only documents of some kinds.
    pub fn only(&mut self, kinds: &[FileKind]) {
        if kinds.contains(&FileKind::Session) {
            let is_alone = kinds.iter().all(|kind| *kind == FileKind::Session);
            self.scope = if is_alone { Scope::SESSIONS } else { Scope { sessions: true, ..self.scope } };
        }
        if kinds.iter().all(|kind| *kind == FileKind::Session) {
            return;
        }
        self.languages = FileKind::languages(kinds);
        if kinds.iter().any(|kind| matches!(kind, FileKind::Config | FileKind::Logs)) {
            self.modes.push(Mode::Records);
        }
    }
}

/// What a file is to whoever searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Code,
    Docs,
    Config,
    Logs,
    /// Whatever a session holds.
    Session,
}

impl FileKind {
    pub const ALL: [(&'static str, FileKind); 5] = [
        ("code", FileKind::Code),
        ("docs", FileKind::Docs),
        ("config", FileKind::Config),
        ("logs", FileKind::Logs),
        ("session", FileKind::Session),
    ];

    /// The languages that files of some kinds are in.
    pub fn languages(kinds: &[FileKind]) -> Vec<Language> {
        Language::all().filter(|language| kinds.contains(&FileKind::of(*language))).collect()
    }

    fn of(language: Language) -> FileKind {
        match language.kind() {
            LanguageKind::Code => FileKind::Code,
            LanguageKind::Prose | LanguageKind::Markup => FileKind::Docs,
            LanguageKind::Data if matches!(language.name(), "csv" | "jsonl" | "log") => FileKind::Logs,
            LanguageKind::Data => FileKind::Config,
        }
    }
}

/// What a question without a ranking looks into.
#[derive(Default)]
pub(crate) struct InReach {
    pub(crate) collections: CollectionSources,
    pub(crate) repos: Vec<Repo>,
    /// Whether every file was looked at for changes.
    pub(crate) looked_through: bool,
}

/// What names and filters leave of a scope.
struct Narrowed {
    scope: Scope,
    collections: Vec<String>,
    repos: Vec<String>,
    sessions: Vec<String>,
}

impl Project {
    /// Answers a question. All indexes that can be compared are ranked as one, whatever they belong to.
    pub fn search(&self, search: &Search, cancel: &Cancel) -> Result<Answer> {
        let mut question = search.question.clone();
        question.query.filter.languages.extend(&search.languages);
        question.offset = search.cursor.as_ref().map_or(question.offset, Cursor::offset);
        let clock = Clock::start(question.timeout);
        let members = self.members()?;
        let reach = self.narrowed(search, &members)?;
        let (mut open, mut answer) = self.open(search, &reach, &members, &clock, cancel)?;
        // A page belongs to the answer that it goes on with, so nothing may change under it.
        let mut refresh = search.refresh && search.cursor.is_none();
        if refresh && open.documents() <= LOOKED_THROUGH {
            refresh = false;
            let refreshed = self.refresh(&open.members(&members), &open.repos, cancel)?;
            if refreshed.changed {
                return self.search(&Search { refresh, ..search.clone() }, cancel);
            }
            answer.warnings.extend(refreshed.warning());
        }
        let mut outcome = open.ask(&question, &clock, cancel)?;
        if !outcome.lost.is_empty()
            && self.library()?.rebuild_damaged(&open.collections, &outcome, open.sources.len())?
        {
            (open, answer) = self.open(search, &reach, &members, &clock, cancel)?;
            outcome = open.ask(&question, &clock, cancel)?;
        }
        open.report(&search.modes, &outcome, &mut answer);
        let searched = |index: &ai_assist_search::IndexOutcome| index.status == IndexStatus::Searched;
        let any = !answer.collections.is_empty()
            || !answer.sessions.is_empty()
            || answer.repos.iter().flat_map(|repo| &repo.indexes).any(searched);
        let kept = [Scope::COLLECTIONS, Scope::SESSIONS].contains(&reach.scope);
        // Where something is indexed, or only what needs no index of code was asked, an answer without hits says enough.
        if !any && !open.federations.iter().any(Federation::has_builds) && !kept {
            let reasons = answer.warnings.iter().map(|warning| warning.message.clone());
            return Err(Error::NothingIndexed { root: self.root().to_owned(), reasons: reasons.collect() });
        }
        answer.take(outcome);
        let roots: Vec<Option<CanonicalPath>> = open.sources.iter().map(|source| source.root.clone()).collect();
        answer.hits.iter_mut().for_each(|hit| hit.locate(roots.get(hit.key.0).and_then(Option::as_ref)));
        let is_stale = |hit: &Hit| matches!(hit.freshness, Freshness::Changed | Freshness::Missing);
        if refresh && answer.hits.iter().any(is_stale) {
            let refreshed = self.refresh(&open.members(&members), &open.repos, cancel)?;
            if refreshed.changed {
                return self.search(&Search { refresh: false, ..search.clone() }, cancel);
            }
            answer.warnings.extend(refreshed.warning());
        }
        self.library()?.cite(&mut answer.hits)?;
        answer.hits.iter_mut().for_each(name_version);
        answer.page(&question, search.cursor.as_ref(), search.max_tokens).map_err(ai_assist_search::Error::from)?;
        Ok(answer)
    }

    /// What the names and filters of a question leave of its scope.
    fn narrowed(&self, search: &Search, members: &Members) -> Result<Narrowed> {
        let query = &search.question.query;
        let (collections, repos) = (query.collections.clone(), query.repos.clone());
        let mut reach = Narrowed { scope: search.scope, collections, repos, sessions: Vec::new() };
        let mut named_repos = !reach.repos.is_empty() || !search.folders.is_empty();
        for name in &search.within {
            if members.collection(name).is_some()
                || members.category(name).is_some()
                || name.starts_with("file:")
                || name.starts_with("dep:")
            {
                reach.collections.push(name.clone());
            } else if self.repo_names(search)?.iter().any(|known| known == name) {
                reach.repos.push(name.clone());
                named_repos = true;
            } else if self.sessions_in_reach(search)?.contains(name) {
                reach.sessions.push(name.clone());
            } else {
                let mut known: Vec<String> = members.names().map(str::to_owned).collect();
                known.extend(self.repo_names(search)?);
                known.extend(self.sessions_in_reach(search)?);
                let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                return Err(Error::UnknownSource { name: name.clone(), nearest, known });
            }
        }
        let named_collections = !reach.collections.is_empty();
        if named_collections || named_repos || !reach.sessions.is_empty() {
            reach.scope.collections &= named_collections;
            reach.scope.repo &= named_repos;
            reach.scope.workspace &= named_repos;
            reach.scope.sessions = !reach.sessions.is_empty();
        }
        if !search.folders.is_empty() {
            reach.scope.workspace = false;
            reach.scope.repo = true;
        }
        let named = !reach.collections.is_empty();
        reach.scope.collections &= named || search.all || !members.is_empty() || search.scope == Scope::COLLECTIONS;
        Ok(reach)
    }

    /// The indexes of collections and the repositories that a question without a ranking looks into, brought up to date if that is
    /// wanted and there is little to look through.
    pub(crate) fn in_reach(&self, within: &Within, cancel: &Cancel) -> Result<InReach> {
        let found = self.around(within)?;
        if !within.refresh || found.documents() > LOOKED_THROUGH {
            return Ok(found);
        }
        let changed = self.catch_up(&found.collections, &found.repos, cancel)?;
        Ok(InReach { looked_through: true, ..if changed { self.around(within)? } else { found } })
    }

    fn around(&self, within: &Within) -> Result<InReach> {
        let members = self.members()?;
        let search = Search {
            within: within.names.clone(),
            folders: within.folders.clone(),
            all: within.all,
            ..Search::new(Question::new(Query::default()))
        };
        let reach = self.narrowed(&search, &members)?;
        let mut found = InReach::default();
        if reach.scope.collections {
            found.collections = self.library()?.sources(&members, &reach.collections, search.all)?;
        }
        if reach.scope.repo || reach.scope.workspace {
            found.repos = match within.folders.as_slice() {
                [] => self.repos_in_reach(&reach.repos)?,
                folders => folders.iter().map(|folder| self.repo_at(folder).map(Repo::from)).collect::<Result<_>>()?,
            };
            // Of what was never indexed there is nothing to tell, unless it was named or there is nothing else.
            let is_indexed = |repo: &Repo| read_pointer(&repo.local.cache).exists;
            let named = !reach.repos.is_empty() || !within.folders.is_empty();
            if !named && (found.repos.iter().any(is_indexed) || !found.collections.sources.is_empty()) {
                found.repos.retain(is_indexed);
            }
        }
        Ok(found)
    }

    /// The sessions in reach, the one that was changed last first: those about the project or a folder below it.
    fn sessions_in_reach(&self, search: &Search) -> Result<Vec<String>> {
        let root = self.session_folder()?;
        let is_ours = |session: &Summary| {
            search.all || session.about.folder.as_deref().is_some_and(|folder| Path::new(folder).starts_with(&root))
        };
        let sessions = self.sessions(search.asker)?.into_iter().filter(is_ours);
        Ok(sessions.map(|session| session.name).collect())
    }

    /// What the repositories in reach are called.
    fn repo_names(&self, search: &Search) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if search.scope.workspace
            && let Ok(workspace) = self.workspace()
        {
            for repo in &workspace.repos {
                names.extend(repo.alias.clone());
                names.extend([repo.root.file_name().unwrap_or_default().to_owned(), repo.repo_id.to_string()]);
            }
        }
        if search.scope.repo
            && let Ok(own) = self.repo()
        {
            names.extend([own.name, own.local.id.to_string()]);
        }
        Ok(names)
    }

    fn open(
        &self,
        search: &Search,
        reach: &Narrowed,
        members: &Members,
        clock: &Clock,
        cancel: &Cancel,
    ) -> Result<(Open, Answer)> {
        let mut open = Open::default();
        let mut answer = Answer::default();
        if reach.scope.collections {
            open.collections = self.library()?.sources(members, &reach.collections, search.all)?;
            answer.collections.clone_from(&open.collections.collections);
            answer.warnings.clone_from(&open.collections.warnings);
            for member in open.members(members).iter().filter(|member| member.drifted) {
                let message = format!("what is indexed of `{}` is not what its lock says; sync it", member.name);
                answer.warnings.push(Warning::new("stale", message));
            }
            answer.state.clone_from(&open.collections.state);
        }
        let mut roots: BTreeMap<RepoId, CanonicalPath> = BTreeMap::new();
        if reach.scope.workspace {
            match self.workspace() {
                Ok(workspace) => {
                    let asked = WorkspaceQuestion {
                        question: search.question.clone(),
                        modes: search.modes.clone(),
                        selection: Selection { repo_filters: reach.repos.clone(), ..Selection::default() },
                        policy: CohortPolicy::Default,
                        strict: false,
                        cache: None,
                    };
                    let options = GenerateOptions { caches: &self.build_caches()?, now: SystemTime::now() };
                    let opened = open_workspace(&workspace, &options, &asked, clock, cancel)?;
                    roots = opened.roots;
                    open.federations.push(opened.federation);
                }
                Err(Error::NoWorkspace(_)) if reach.scope.repo || reach.scope.collections => {}
                Err(error) => return Err(error),
            }
        }
        if reach.scope.repo || reach.scope.workspace {
            open.repos = self.own_repos(search)?;
        }
        if reach.scope.repo {
            let targets = targets(&open.repos, search, reach, &roots);
            if targets.is_empty() && roots.is_empty() && !reach.repos.is_empty() {
                let known = self.repo_names(search)?;
                let (name, nearest) = (reach.repos.join("`, `"), None);
                return Err(Error::UnknownSource { name, nearest, known });
            }
            if !targets.is_empty() {
                open.federations.push(open_repos(&targets, &search.modes, clock, cancel)?);
            }
        }
        if reach.scope.sessions {
            let names = match reach.sessions.as_slice() {
                [] => self.sessions_in_reach(search)?,
                named => named.to_vec(),
            };
            let (filter, model) = (&search.question.query.filter, StaticModel::bundled());
            for name in names {
                let session = self.session(Some(&name), search.asker)?;
                let folder = self.session_index(&name);
                let seen = session.seen_kept(&folder)?;
                let last = seen.iter().map(|seen| seen.seq.0).max().unwrap_or_default();
                answer.state.push_str(&format!("session {name}@{last}\n"));
                open.sessions.extend(session.source(&seen, &|seen| seen.current, filter, &folder, model)?);
                answer.sessions.push(name);
            }
        }
        let folders: Vec<&CanonicalPath> = open.federations.iter().flat_map(Federation::roots).collect();
        let files = open.collections.files_below(&folders)?;
        if !files.is_empty() {
            for federation in &mut open.federations {
                federation.leave_out(|file| files.contains(file))?;
            }
        }
        open.gather(reach, &search.modes)?;
        Ok((open, answer))
    }

    /// The repositories that were named by a folder, or the project's own.
    fn own_repos(&self, search: &Search) -> Result<Vec<LocalRepo>> {
        match search.folders.as_slice() {
            [] => Ok(self.repo().map(|own| own.local).into_iter().collect()),
            folders => folders.iter().map(|folder| self.repo_at(folder)).collect(),
        }
    }
}

/// The repositories to search beside those of the workspace.
fn targets(
    repos: &[LocalRepo],
    search: &Search,
    reach: &Narrowed,
    known: &BTreeMap<RepoId, CanonicalPath>,
) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for repo in repos {
        let target = Target::of_repo(&repo.root, &repo.id, &repo.cache);
        let asked =
            reach.repos.is_empty() || reach.repos.iter().any(|name| *name == target.name || name == repo.id.as_str());
        // A folder that was never indexed is only worth a word if somebody asked for it.
        let there = !target.builds.is_empty() || !search.folders.is_empty() || !reach.scope.collections;
        if asked && there && !known.contains_key(&repo.id) {
            targets.push(target);
        }
    }
    targets
}

/// Names the version of what a session holds, so that it can be read again: a tool is called more than once.
fn name_version(hit: &mut Hit) {
    if matches!(hit.origin, Origin::Session { .. }) {
        hit.document = format!("{}@{}", hit.document, hit.key.1);
    }
}

/// The members whose indexes are open.
pub(crate) fn open_members(open: &CollectionSources, all: &Members) -> Vec<Member> {
    let is_open = |member: &&Member| {
        let id = member.resolved.id();
        let of =
            |source: &Source| matches!(&source.origin, Origin::Collection { collection_id, .. } if collection_id == id);
        open.sources.iter().any(of)
    };
    all.iter().filter(is_open).cloned().collect()
}

impl InReach {
    /// How many documents there are; those of what can't be opened don't count.
    pub(crate) fn documents(&self) -> u64 {
        let of_repo = |repo: &Repo| {
            let indexes = Mode::ALL.iter().filter_map(|mode| RepoIndex::open(&repo.local.cache, *mode).ok());
            indexes.map(|index| index.reader.commit().documents).sum::<u64>()
        };
        let of_collections = self.collections.sources.iter().map(|source| source.index.reader().commit().documents);
        of_collections.chain(self.repos.iter().map(of_repo)).sum()
    }
}

/// Everything in reach, open.
#[derive(Default)]
struct Open {
    collections: CollectionSources,
    federations: Vec<Federation>,
    asked: Vec<ai_assist_workspace::federate::Asked>,
    sessions: Vec<Source>,
    /// Of the collections first, then of the repositories, then of the sessions.
    sources: Vec<Source>,
    /// The repositories that are kept up to date.
    repos: Vec<LocalRepo>,
}

impl Open {
    /// How many documents there are.
    fn documents(&self) -> u64 {
        self.sources.iter().map(|source| source.index.reader().commit().documents).sum()
    }

    /// The members whose indexes are open.
    fn members(&self, all: &Members) -> Vec<Member> {
        open_members(&self.collections, all)
    }

    fn gather(&mut self, reach: &Narrowed, modes: &[Mode]) -> Result<()> {
        self.sources.clone_from(&self.collections.sources);
        let mut owners = self.sources.len();
        for federation in &self.federations {
            let asked = federation.ask(&reach.repos, modes)?;
            for source in &asked.sources {
                self.sources.push(Source { owner: owners + source.owner, ..source.clone() });
            }
            owners += federation.roots().count();
            self.asked.push(asked);
        }
        for (number, source) in self.sessions.iter().enumerate() {
            self.sources.push(Source { owner: owners + number, ..source.clone() });
        }
        Ok(())
    }

    fn ask(&self, question: &Question, clock: &Clock, cancel: &Cancel) -> Result<Outcome> {
        let embedder: &dyn Embedder = StaticModel::bundled();
        Ok(search_until(&self.sources, question, embedder, cancel, clock)?)
    }

    fn report(&self, modes: &[Mode], outcome: &Outcome, answer: &mut Answer) {
        answer.report_lost(&self.sources, outcome);
        let mut first = self.collections.sources.len();
        for (federation, asked) in self.federations.iter().zip(&self.asked) {
            let mut part = Answer::default();
            federation.report(asked, modes, outcome, first, &mut part);
            first += asked.sources.len();
            answer.repos.append(&mut part.repos);
            answer.warnings.append(&mut part.warnings);
            answer.state.push_str(&part.state);
            answer.partial |= part.partial;
        }
    }
}
