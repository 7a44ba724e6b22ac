use std::time::Duration;

use ai_assist_app::FileKind;
use ai_assist_identity::CanonicalPath;
use ai_assist_search as search;
use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::federate::WorkspaceQuestion;
use ai_assist_workspace::query_cache::CacheLimits;

use crate::args::WorkspaceSearch;
use crate::commands::hits;
use crate::commands::prelude::*;
use crate::commands::repos::search::{asked, modes};

pub(crate) fn run(context: &Context, args: &WorkspaceSearch) -> Result<Outcome> {
    let workspace = super::load(context, &args.workspace)?;
    let (mut question, kinds) = asked(context, &args.query, &args.what, &args.show)?;
    if kinds.contains(&FileKind::Session) {
        bail!("sessions are no part of a workspace; `ai-assist search --kind session` looks into them");
    }
    question.query.filter.languages.extend(FileKind::languages(&kinds));
    question.merge = args.merge;
    question.per_owner = args.top_per_repo;
    question.concurrency = args.concurrency.unwrap_or(0);
    question.timeout = args.timeout.map(Duration::from_millis);
    let asked = WorkspaceQuestion {
        question,
        modes: modes(&args.what, &kinds),
        selection: super::selection(&args.selected),
        policy: policy(args),
        strict: args.strict,
        cache: (!args.no_cache).then(CacheLimits::default),
    };
    let mut found = context.search_workspace(&workspace, &asked, &cancel())?;
    let root = |hit: &search::Hit| match &hit.origin {
        search::Origin::Repo { repo_id, .. } => found.roots.get(repo_id).cloned(),
        _ => None,
    };
    found.answer.hits.iter_mut().for_each(|hit| {
        let root = root(hit);
        hit.locate(root.as_ref());
    });
    found.answer.page(&asked.question, args.show.cursor.as_ref(), args.show.max_tokens)?;
    if !args.include_paths {
        let cache = context.roots.cache.display().to_string();
        let roots = found.roots.values().map(CanonicalPath::as_str);
        found.answer.hide_paths(&roots.chain([cache.as_str()]).collect::<Vec<_>>());
    }
    let about = json!({
        "repoSetId": found.repo_set_id,
        "manifestHash": found.manifest_hash,
        "cached": found.cached,
    });
    let repos = found.timing.repos.iter().map(|(repo, ms)| json!({ "repoId": repo, "ms": ms })).collect::<Vec<_>>();
    let more = [("workspace", about), ("timing", json!({ "totalMs": found.timing.total_ms, "repos": repos }))];
    hits::show(context, &found.answer, &asked.question.query, &args.show, &more)
}

fn policy(args: &WorkspaceSearch) -> CohortPolicy {
    if args.allow_unsafe_mix {
        CohortPolicy::AllowUnsafeMix
    } else if !args.cohort.is_empty() {
        CohortPolicy::Named(args.cohort.clone())
    } else if args.strict {
        CohortPolicy::Strict
    } else {
        CohortPolicy::Default
    }
}
