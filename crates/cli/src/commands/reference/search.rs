use ai_assist_collections::{Answer, Find, Found, Freshness};
use ai_assist_search::{Explanation, snippet};
use anstyle::{AnsiColor, Style};
use anyhow::Result;

use crate::args::{Fusion, Mode, Search};
use crate::commands::Outcome;
use crate::context::Context;
use crate::terminal::{Terminal, count, harmless, one_line, styled};

/// Lines of a snippet.
const SNIPPET_LINES: usize = 6;

pub(crate) fn run(context: &Context, args: Search) -> Result<Outcome> {
    let (full, explain) = (args.full, args.explain);
    let find = Find {
        query: args.query.join(" "),
        collections: args.collection,
        all: args.all,
        limit: args.limit.unwrap_or_else(|| context.settings.search_limit()),
        max_tokens: args.max_tokens,
        cursor: args.cursor,
        mode: match args.mode {
            Mode::Hybrid => ai_assist_search::Mode::Hybrid,
            Mode::Lexical => ai_assist_search::Mode::Lexical,
            Mode::Dense => ai_assist_search::Mode::Dense,
        },
        fusion: match args.fusion {
            Fusion::Scores => ai_assist_search::Fusion::Scores { a: context.settings.dense_weight() },
            Fusion::Ranks => ai_assist_search::Fusion::RANKS,
        },
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
    let place = one_line(&format!("{}/{}:{}", hit.collection, hit.document, hit.lines));
    let state = match hit.freshness {
        Freshness::Current | Freshness::Unknown => String::new(),
        Freshness::Changed => styled(AnsiColor::Yellow.on_default(), "  (changed since)"),
        Freshness::Missing => styled(AnsiColor::Yellow.on_default(), "  (gone since)"),
    };
    let score = styled(Style::new().dimmed(), format!("{:.3}", hit.score));
    terminal.say(format!("{}  {score}{state}", styled(AnsiColor::Cyan.on_default().bold(), place)))?;
    if !hit.path.is_empty() {
        terminal.say(format!("  {}", styled(Style::new().bold(), one_line(&hit.path.join(" › ")))))?;
    }
    if let Some(explanation) = &hit.explanation {
        explain(terminal, hit, explanation)?;
    }
    let height = if full { usize::MAX } else { SNIPPET_LINES };
    let shown = snippet(&hit.text, hit.lines.start, &answer.terms, height);
    for line in mark(&shown.text, &shown.matches).lines() {
        terminal.say(format!("  {line}"))?;
    }
    terminal.say("")
}

/// The text with its matches in bold.
fn mark(text: &str, matches: &[(usize, usize)]) -> String {
    let mut marked = String::with_capacity(text.len() + matches.len() * 8);
    let mut at = 0;
    for &(from, to) in matches {
        marked.push_str(&harmless(&text[at..from]));
        marked.push_str(&styled(AnsiColor::Green.on_default().bold(), &text[from..to]));
        at = to;
    }
    marked.push_str(&harmless(&text[at..]));
    marked
}

fn explain(terminal: Terminal, hit: &Found, explanation: &Explanation) -> Result<()> {
    let dim = Style::new().dimmed();
    let say = |line: String| terminal.say(styled(dim, line));
    let fusion = match explanation.fusion {
        ai_assist_search::Fusion::Scores { a } => format!("{:.2} · words + {a:.2} · meaning", 1.0 - a),
        ai_assist_search::Fusion::Ranks { k } => format!("sum of 1 / ({k} + rank)"),
    };
    say(format!("  score {:.4} = {fusion}", hit.score))?;
    say(format!("    words   {:.4} (scaled {:.4})", hit.words, explanation.words_scaled))?;
    for term in &explanation.terms {
        let field = serde_json::to_value(term.field)?;
        say(format!(
            "      {:<8} {:<16} {:.4}  {} here, in {}",
            field.as_str().unwrap_or_default(),
            term.term,
            term.score,
            count(term.frequency as usize, "time"),
            count(usize::try_from(term.chunks).unwrap_or(usize::MAX), "chunk")
        ))?;
    }
    say(format!("    meaning {:.4} (scaled {:.4})", hit.cosine, explanation.cosine_scaled))
}
