use std::time::Duration;

use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::federate::{self, WorkspaceQuestion, search_workspace};
use ai_assist_workspace::query_cache::CacheLimits;
use anyhow::Result;

use crate::args::{Merge, WorkspaceSearch};
use crate::commands::Outcome;
use crate::commands::repos::answer::Dressed;
use crate::commands::repos::search::asked;
use crate::context::Context;
use crate::interrupt::cancel;

pub(crate) fn run(context: &Context, args: &WorkspaceSearch) -> Result<Outcome> {
    let workspace = super::load(context, &args.workspace)?;
    let mut asked = asked(context, &args.query, &args.what, &args.show)?;
    asked.typed.push_str(&format!(" {:?}", args.selected));
    asked.question.merge = match args.merge {
        Merge::Global => federate::Merge::Global,
        Merge::Rrf => federate::Merge::Rrf,
    };
    asked.question.top_per_repo = args.top_per_repo;
    asked.question.concurrency = args.concurrency.unwrap_or(0);
    asked.question.timeout = args.timeout.map(Duration::from_millis);
    let question = WorkspaceQuestion {
        question: asked.question.clone(),
        selection: super::selection(&args.selected),
        policy: policy(args),
        strict: args.strict,
        cache: (!args.no_cache).then(CacheLimits::default),
    };
    let options = super::options(&context.roots.cache);
    let found = search_workspace(&workspace, &options, &question, &cancel())?;
    Dressed::of_workspace(found, args.include_paths).show(context, &asked, &args.show)
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
