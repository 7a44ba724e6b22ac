use std::collections::BTreeSet;
use std::time::Duration;

use ai_assist_app::{FileKind, Search, Within};
use ai_assist_client::requests;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::lookup::FoundIn;
use ai_assist_search::{Feature, Query, Question};

use super::repo::{kinds_of, languages_of, modes_of};
use super::{pattern, symbols};
use crate::args::{Fusion, SearchRepos, Show, What};
use crate::commands::hits;
use crate::commands::prelude::*;
use crate::daemon;

pub(crate) fn run(context: &Context, args: &SearchRepos) -> Result<Outcome> {
    if args.regex {
        return pattern::run(context, args);
    }
    if args.symbol {
        return symbols::run(context, args);
    }
    let (mut question, kinds) = asked(context, &args.query, &args.what, &args.show)?;
    question.timeout = args.timeout.map(Duration::from_millis);
    let mut search = Search {
        within: args.within.clone(),
        folders: args.repo.clone(),
        all: args.all,
        refresh: !args.no_sync,
        max_tokens: args.show.max_tokens,
        cursor: args.show.cursor.clone(),
        ..Search::new(question)
    };
    search.only(&kinds);
    if !args.what.mode.is_empty() {
        search.modes = modes_of(&args.what.mode);
    }
    let answer = match daemon::ask(context, |client| client.search(&request(args, search.question.limit))) {
        Some(answer) => answer,
        None => context.search(&search, &cancel())?,
    };
    hits::show(context, &answer, &search.question.query, &args.show, &[])
}

/// The same as a service is asked.
fn request(args: &SearchRepos, limit: usize) -> requests::Search {
    let SearchRepos { what, show, .. } = args;
    requests::Search {
        query: args.query.join(" "),
        within: args.within.clone(),
        folders: args.repo.clone(),
        all: args.all,
        no_sync: args.no_sync,
        path: what.path.clone(),
        language: what.lang.clone(),
        kind: what.kind.clone(),
        mode: modes_of(&what.mode),
        rank: Some(what.rank),
        by_ranks: show.fusion == Fusion::Ranks,
        without: show.without.iter().copied().chain(show.no_second_look.then_some(Feature::Look)).collect(),
        explain: show.explain,
        limit: Some(limit),
        max_tokens: show.max_tokens,
        cursor: show.cursor.as_ref().map(ToString::to_string),
        timeout: args.timeout,
    }
}

/// Where a search without a ranking looks.
pub(super) fn within(args: &SearchRepos) -> Within {
    Within { names: args.within.clone(), folders: args.repo.clone(), all: args.all, refresh: !args.no_sync }
}

/// What stands before a path: nothing for one repository, the name of a collection, or that of one of several repositories.
pub(super) fn prefix<'f>(found: impl Iterator<Item = &'f FoundIn>) -> impl Fn(&FoundIn) -> String {
    let repos: BTreeSet<&str> =
        found.filter_map(|it| if let FoundIn::Repo(name) = it { Some(&**name) } else { None }).collect();
    let several = repos.len() > 1;
    move |found| match found {
        FoundIn::Repo(_) if !several => String::new(),
        FoundIn::Repo(name) | FoundIn::Collection(name) => format!("{name}/"),
    }
}

/// A question by words and meaning, and the kinds of files that it is about.
pub(crate) fn asked(
    context: &Context,
    query: &[String],
    what: &What,
    show: &Show,
) -> Result<(Question, Vec<FileKind>)> {
    let file_kind = |name: &String| FileKind::ALL.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let kinds: Vec<FileKind> = what.kind.iter().filter_map(file_kind).collect();
    let pieces: Vec<String> = what.kind.iter().filter(|name| file_kind(name).is_none()).cloned().collect();
    let mut query: Query = query.join(" ").parse()?;
    query.narrow(&what.path, &languages_of(&what.lang)?, &kinds_of(&pieces, &FileKind::ALL.map(|(name, _)| name))?)?;
    let question = Question {
        rank_by: what.rank,
        fusion: show.fusion.with(context.settings.dense_weight()),
        offset: show.cursor.as_ref().map_or(0, ai_assist_search::Cursor::offset),
        limit: hits::limit(context, show),
        explain: show.explain,
        features: show.features(),
        look: Some(context.look()),
        reader: context.settings.reader_language(),
        ..Question::new(query)
    };
    Ok((question, kinds))
}

/// The modes that a question to repositories is about.
pub(crate) fn modes(what: &What, kinds: &[FileKind]) -> Vec<Mode> {
    if what.mode.is_empty() {
        let mut search = Search::new(Question::new(Query::default()));
        search.only(kinds);
        return search.modes;
    }
    modes_of(&what.mode)
}
