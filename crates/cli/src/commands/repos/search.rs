use std::path::PathBuf;

use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_search::Query;
use ai_assist_workspace::federate::{Question, Target, search_repos};
use anyhow::{Result, bail};

use super::answer::Dressed;
use super::repo::{kinds_of, languages_of, modes_of, repo_at};
use super::{pattern, symbols};
use crate::args::{SearchRepos, Show, What};
use crate::commands::Outcome;
use crate::context::Context;
use crate::interrupt::cancel;

pub(crate) fn run(context: &Context, args: &SearchRepos) -> Result<Outcome> {
    let repos = named(context, &args.repo)?;
    if args.regex {
        return pattern::run(context, args, &repos);
    }
    if args.symbol {
        return symbols::run(context, args, &repos);
    }
    let asked = asked(context, &args.query, &args.what, &args.show)?;
    if !asked.question.query.repos.is_empty() {
        bail!("`repo:` chooses among the repositories of a workspace; here they are named with --repo PATH");
    }
    let targets: Vec<Target> = repos.iter().map(|repo| Target::of_repo(&repo.root, &repo.id, &repo.cache)).collect();
    for (repo, target) in repos.iter().zip(&targets) {
        if target.builds.is_empty() {
            bail!("{} has no index yet; make it with: ai-assist index build --repo {0}", repo.root);
        }
    }
    let (answer, timing) = search_repos(&targets, &asked.question, &cancel())?;
    let roots = repos.iter().map(|repo| (repo.id.clone(), repo.root.clone())).collect();
    let named = repos.len() > 1;
    let dressed = Dressed { answer, timing, roots, include_paths: true, named, workspace: None };
    dressed.show(context, &asked, &args.show)
}

/// The repositories that were named, or the one around the current folder.
fn named(context: &Context, paths: &[PathBuf]) -> Result<Vec<LocalRepo>> {
    let here = [PathBuf::new()];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut repos: Vec<LocalRepo> = Vec::new();
    for path in paths {
        let repo = repo_at(context, path)?;
        if !repos.iter().any(|known| known.id == repo.id) {
            repos.push(repo);
        }
    }
    Ok(repos)
}

/// What stands before a path: nothing for one repository, its name for several.
pub(super) fn prefix(repos: &[LocalRepo], name: &str) -> String {
    if repos.len() > 1 { format!("{name}/") } else { String::new() }
}

/// A question by words and meaning, and what it was made from.
pub(crate) struct Asked {
    pub(crate) question: Question,
    /// What was typed, as far as it decides who is found.
    pub(crate) typed: String,
}

pub(crate) fn asked(context: &Context, query: &[String], what: &What, show: &Show) -> Result<Asked> {
    let typed = format!("{query:?} {what:?}");
    let mut query: Query = query.join(" ").parse()?;
    query.narrow(&what.path, &languages_of(&what.lang)?, &kinds_of(&what.kind)?)?;
    if !query.collections.is_empty() {
        bail!("`collection:` belongs to `ai-assist ref search`, which searches documents and packages");
    }
    let modes = match what.mode.as_slice() {
        [] => vec![Mode::Code, Mode::Prose],
        asked => modes_of(asked),
    };
    let mut question = Question::new(query, modes);
    question.ranking = what.ranking.into();
    question.fusion = show.fusion.with(context.settings.dense_weight());
    question.offset = show.cursor.as_ref().map_or(0, ai_assist_search::Cursor::offset);
    question.limit = show.limit.unwrap_or_else(|| context.settings.search_limit());
    question.explain = show.explain;
    Ok(Asked { question, typed })
}
