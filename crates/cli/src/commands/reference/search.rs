use ai_assist_collections::{Answer, Find, Found};
use anyhow::Result;

use crate::args::Search;
use crate::commands::Outcome;
use crate::commands::hits::Shown;
use crate::context::Context;
use crate::terminal::{Terminal, count, one_line};

pub(crate) fn run(context: &Context, args: Search) -> Result<Outcome> {
    let (full, explain) = (args.show.full, args.show.explain);
    let find = Find {
        filters: Default::default(),
        query: args.query.join(" "),
        collections: args.collection,
        all: args.all,
        limit: args.show.limit.unwrap_or_else(|| context.settings.search_limit()),
        max_tokens: args.show.max_tokens,
        cursor: args.show.cursor,
        mode: args.mode.into(),
        fusion: args.show.fusion.with(context.settings.dense_weight()),
        explain,
    };
    let members = context.members()?;
    let answer = context.library()?.find(&members, &find)?;
    for warning in &answer.warnings {
        context.terminal.warn(warning)?;
    }
    let outcome = if answer.hits.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&answer)?;
    } else {
        print(context.terminal, &answer, full || find.max_tokens.is_some())?;
    }
    Ok(outcome)
}

fn print(terminal: Terminal, answer: &Answer, full: bool) -> Result<()> {
    if answer.hits.is_empty() {
        if answer.collections.is_empty() {
            return terminal.note("Nothing is indexed here yet. Start with: ai-assist collections sync");
        }
        let why = if answer.considered == 0 { " (no chunk passes the filters)" } else { "" };
        return terminal.note(format!("Nothing found among {}{why}.", count(answer.considered, "chunk")));
    }
    for hit in &answer.hits {
        hit_lines(terminal, hit, answer, full)?;
    }
    if let Some(cut) = answer.hits.iter().find(|hit| hit.cut) {
        let place = one_line(&format!("{}/{}", cut.collection, cut.document));
        terminal.note(format!("Cut to fit the budget; the rest: ai-assist ref get {place}:{}-", cut.lines.end))?;
    }
    let tokens = answer.tokens.map_or(String::new(), |tokens| format!(", {tokens} tokens"));
    terminal.note(format!("{} of {}{tokens}", answer.hits.len(), count(answer.found, "hit")))?;
    if let Some(cursor) = &answer.cursor {
        terminal.note(format!("More: --cursor {cursor}"))?;
    }
    Ok(())
}

fn hit_lines(terminal: Terminal, hit: &Found, answer: &Answer, full: bool) -> Result<()> {
    let shown = Shown {
        place: format!("{}/{}:{}", hit.collection, hit.document, hit.lines),
        path: &hit.path,
        score: hit.score,
        words: hit.words,
        cosine: hit.cosine,
        text: &hit.text,
        first_line: hit.lines.start,
        freshness: hit.freshness,
        explanation: hit.explanation.as_ref(),
    };
    shown.print(terminal, &answer.terms, full)
}
