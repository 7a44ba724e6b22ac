use ai_assist_app::{Scope, Search};
use ai_assist_search::{Query, Question};

use crate::args;
use crate::commands::hits;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &args::Search) -> Result<Outcome> {
    let mut query: Query = args.query.join(" ").parse()?;
    query.collections.extend(args.collection.iter().cloned());
    let question = Question {
        rank_by: args.rank,
        fusion: args.show.fusion.with(context.settings.dense_weight()),
        limit: hits::limit(context, &args.show),
        explain: args.show.explain,
        features: args.show.features(),
        look: Some(context.look()),
        reader: context.settings.reader_language(),
        ..Question::new(query)
    };
    let search = Search {
        scope: Scope::COLLECTIONS,
        all: args.all,
        refresh: !args.no_sync,
        max_tokens: args.show.max_tokens,
        cursor: args.show.cursor.clone(),
        ..Search::new(question)
    };
    let answer = context.search(&search, &cancel())?;
    hits::show(context, &answer, &search.question.query, &args.show, &[])
}
