//! Searching everything in reach: the project's collections, its repository, and its workspace if there is one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use ai_assist_base::{Cancel, nearest};
use ai_assist_collections::{CollectionSources, Members};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_repo::layout::Mode;
use ai_assist_search::{Answer, Clock, Cursor, IndexStatus, Outcome, Question, Source, Unsearched, search_until};
use ai_assist_text::{Language, LanguageKind};
use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::federate::{Federation, Target, WorkspaceQuestion, open_repos, open_workspace};
use ai_assist_workspace::manifest::GenerateOptions;
use ai_assist_workspace::selection::Selection;

use crate::{Error, Project, Result};

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
    /// Whether every collection of this machine is in reach.
    pub all: bool,
    pub max_tokens: Option<usize>,
    pub cursor: Option<Cursor>,
}

/// What is in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    pub collections: bool,
    pub repo: bool,
    pub workspace: bool,
}

impl Scope {
    pub const EVERYTHING: Scope = Scope { collections: true, repo: true, workspace: true };
    pub const COLLECTIONS: Scope = Scope { collections: true, repo: false, workspace: false };
    pub const REPO: Scope = Scope { collections: false, repo: true, workspace: false };
    pub const WORKSPACE: Scope = Scope { collections: false, repo: false, workspace: true };
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
            all: false,
            max_tokens: None,
            cursor: None,
        }
    }

    /// Leaves only documents of some kinds.
    pub fn only(&mut self, kinds: &[FileKind]) {
        if kinds.is_empty() {
            return;
        }
        let languages = Language::all().filter(|language| kinds.contains(&FileKind::of(*language)));
        self.question.query.filter.languages.extend(languages);
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
}

impl FileKind {
    pub const ALL: [(&'static str, FileKind); 4] =
        [("code", FileKind::Code), ("docs", FileKind::Docs), ("config", FileKind::Config), ("logs", FileKind::Logs)];

    fn of(language: Language) -> FileKind {
        match language.kind() {
            LanguageKind::Code => FileKind::Code,
            LanguageKind::Prose | LanguageKind::Markup => FileKind::Docs,
            LanguageKind::Data if matches!(language.name(), "csv" | "jsonl" | "log") => FileKind::Logs,
            LanguageKind::Data => FileKind::Config,
        }
    }
}

/// What names and filters leave of a scope.
struct Reach {
    scope: Scope,
    collections: Vec<String>,
    repos: Vec<String>,
}

impl Project {
    /// Answers a question. All indexes that can be compared are ranked as one, whatever they belong to.
    pub fn search(&self, search: &Search, cancel: &Cancel) -> Result<Answer> {
        let mut question = search.question.clone();
        question.offset = search.cursor.as_ref().map_or(question.offset, Cursor::offset);
        let clock = Clock::start(question.timeout);
        let members = self.members()?;
        let reach = self.reach(search, &members)?;
        let (mut open, mut answer) = self.open(search, &reach, &members, &clock, cancel)?;
        let mut outcome = open.ask(&question, &clock, cancel)?;
        if open.is_damaged(&outcome) {
            // Damage that opening does not see. The database has everything, so the answer is only late.
            self.library()?.rebuild_damaged(&open.collections)?;
            (open, answer) = self.open(search, &reach, &members, &clock, cancel)?;
            outcome = open.ask(&question, &clock, cancel)?;
        }
        open.report(&search.modes, &outcome, &mut answer);
        let searched = |index: &ai_assist_search::IndexOutcome| index.status == IndexStatus::Searched;
        let any = !answer.collections.is_empty() || answer.repos.iter().flat_map(|repo| &repo.indexes).any(searched);
        // Where something is indexed, or collections alone were asked, an answer without hits says enough.
        if !any && !open.federations.iter().any(Federation::has_builds) && reach.scope != Scope::COLLECTIONS {
            let reasons = answer.warnings.iter().map(|warning| warning.message.clone());
            return Err(Error::NothingIndexed { root: self.root().to_owned(), reasons: reasons.collect() });
        }
        answer.take(outcome);
        let roots: Vec<Option<CanonicalPath>> = open.sources.iter().map(|source| source.root.clone()).collect();
        answer.hits.iter_mut().for_each(|hit| hit.locate(roots.get(hit.key.0).and_then(Option::as_ref)));
        answer.page(&question, search.cursor.as_ref(), search.max_tokens).map_err(ai_assist_search::Error::from)?;
        Ok(answer)
    }

    /// What the names and filters of a question leave of its scope.
    fn reach(&self, search: &Search, members: &Members) -> Result<Reach> {
        let query = &search.question.query;
        let mut reach =
            Reach { scope: search.scope, collections: query.collections.clone(), repos: query.repos.clone() };
        let mut named_repos = !reach.repos.is_empty() || !search.folders.is_empty();
        for name in &search.within {
            if members.collection(name).is_some() || members.category(name).is_some() || name.starts_with("file:") {
                reach.collections.push(name.clone());
            } else if self.repo_names(search)?.iter().any(|known| known == name) {
                reach.repos.push(name.clone());
                named_repos = true;
            } else {
                let mut known: Vec<String> = members.names().map(str::to_owned).collect();
                known.extend(self.repo_names(search)?);
                let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                return Err(Error::UnknownSource { name: name.clone(), nearest, known });
            }
        }
        match (reach.collections.is_empty(), named_repos) {
            (false, false) => reach.scope = Scope::COLLECTIONS,
            (true, true) => reach.scope.collections = false,
            _ => {}
        }
        if !search.folders.is_empty() {
            reach.scope.workspace = false;
            reach.scope.repo = true;
        }
        let named = !reach.collections.is_empty();
        reach.scope.collections &= named || search.all || !members.is_empty() || search.scope == Scope::COLLECTIONS;
        Ok(reach)
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
        reach: &Reach,
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
                    let options = GenerateOptions { cache_root: &self.roots.cache, now: SystemTime::now() };
                    let opened = open_workspace(&workspace, &options, &asked, clock, cancel)?;
                    roots = opened.roots;
                    open.federations.push(opened.federation);
                }
                Err(Error::NoWorkspace(_)) if reach.scope.repo || reach.scope.collections => {}
                Err(error) => return Err(error),
            }
        }
        if reach.scope.repo {
            let targets = self.targets(search, reach, &roots)?;
            if targets.is_empty() && roots.is_empty() && !reach.repos.is_empty() {
                let known = self.repo_names(search)?;
                let (name, nearest) = (reach.repos.join("`, `"), None);
                return Err(Error::UnknownSource { name, nearest, known });
            }
            if !targets.is_empty() {
                open.federations.push(open_repos(&targets, &search.modes, clock, cancel)?);
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

    /// The repositories that were named by a folder, or the project's own unless its workspace has it.
    fn targets(&self, search: &Search, reach: &Reach, known: &BTreeMap<RepoId, CanonicalPath>) -> Result<Vec<Target>> {
        let mut targets: Vec<Target> = Vec::new();
        let repos = match search.folders.as_slice() {
            [] => vec![self.repo()?.local],
            folders => folders.iter().map(|folder| self.repo_at(folder)).collect::<Result<_>>()?,
        };
        for repo in repos {
            let target = Target::of_repo(&repo.root, &repo.id, &repo.cache);
            let asked = reach.repos.is_empty()
                || reach.repos.iter().any(|name| *name == target.name || name == repo.id.as_str());
            // A folder that was never indexed is only worth a word if somebody asked for it.
            let there = !target.builds.is_empty() || !search.folders.is_empty() || !reach.scope.collections;
            if asked && there && !known.contains_key(&repo.id) {
                targets.push(target);
            }
        }
        Ok(targets)
    }
}

/// Everything in reach, open.
#[derive(Default)]
struct Open {
    collections: CollectionSources,
    federations: Vec<Federation>,
    asked: Vec<ai_assist_workspace::federate::Asked>,
    /// Of the collections first, then of the repositories.
    sources: Vec<Source>,
}

impl Open {
    fn gather(&mut self, reach: &Reach, modes: &[Mode]) -> Result<()> {
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
        Ok(())
    }

    fn ask(&self, question: &Question, clock: &Clock, cancel: &Cancel) -> Result<Outcome> {
        let embedder: &dyn Embedder = StaticModel::bundled();
        Ok(search_until(&self.sources, question, embedder, cancel, clock)?)
    }

    /// Whether an index of a collection could be opened and not be read.
    fn is_damaged(&self, outcome: &Outcome) -> bool {
        let collections = self.collections.sources.len();
        let failed = |(source, why): (&usize, &Unsearched)| *source < collections && why.status == IndexStatus::Failed;
        outcome.lost.iter().any(failed)
    }

    fn report(&self, modes: &[Mode], outcome: &Outcome, answer: &mut Answer) {
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
