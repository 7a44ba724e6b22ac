//! How the answer of every search is shown.

use ai_assist_admit::Freshness;
use ai_assist_search::{Answer, Explanation, Hit, IndexStatus, Origin, Query, RepoOutcome, snippet};
use anstyle::{AnsiColor, Style};

use crate::args::Show;
use crate::commands::prelude::*;
use crate::terminal::width;

const SNIPPET_LINES: usize = 6;

/// Fewer hits than programs get: on a terminal they are read from the top.
const ON_A_TERMINAL: usize = 5;

/// How many hits are shown, by flag, window and settings.
pub(crate) fn limit(context: &Context, show: &Show) -> usize {
    let usual = || match width() {
        Some(_) if !context.terminal.json => ON_A_TERMINAL.min(context.settings.search_limit()),
        _ => context.settings.search_limit(),
    };
    show.limit.unwrap_or_else(usual)
}

/// Shows an answer for people or programs. Programs also get what is in `more`.
pub(crate) fn show(
    context: &Context,
    answer: &Answer,
    query: &Query,
    show: &Show,
    more: &[(&str, Value)],
) -> Result<Outcome> {
    let terminal = context.terminal;
    for warning in &answer.warnings {
        terminal.warn(one_line(&warning.message))?;
    }
    if terminal.json {
        let mut value = serde_json::to_value(answer)?;
        for (key, more) in more {
            value[*key] = more.clone();
        }
        terminal.json(&value)?;
    } else {
        print(terminal, answer, query, show, more)?;
    }
    let whole = !answer.hits.is_empty() && !answer.partial;
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn print(terminal: Terminal, answer: &Answer, query: &Query, show: &Show, more: &[(&str, Value)]) -> Result<()> {
    if answer.hits.is_empty() {
        let searched = |repo: &RepoOutcome| repo.indexes.iter().any(|it| it.status != IndexStatus::Unavailable);
        if answer.collections.is_empty() && !answer.repos.iter().any(searched) {
            let start = if of_workspace(more) { "ai-assist workspace build" } else { "ai-assist sync" };
            return terminal.note(format!("Nothing is indexed here yet. Start with: {start}"));
        }
        let why = if answer.considered == 0 { " (no chunk passes the filters)" } else { "" };
        return terminal.note(format!("Nothing found among {}{why}.", count(answer.considered, "chunk")));
    }
    // A workspace has names for its repositories, whether or not others of it were asked.
    let several = answer.repos.len() > 1 || of_workspace(more);
    let mut text = String::new();
    for hit in &answer.hits {
        for line in one(hit, query, show.full || answer.tokens.is_some(), several)? {
            text.push_str(&line);
            text.push('\n');
        }
    }
    terminal.page(&text)?;
    if let Some(cut) = answer.hits.iter().find(|hit| hit.cut) {
        let place = one_line(&path_of(cut, several));
        terminal.note(format!("Cut to fit the budget; the rest: ai-assist get {place}:{}-", cut.lines.end))?;
    }
    let tokens = answer.tokens.map_or(String::new(), |tokens| format!(", {tokens} tokens"));
    let searched = |repo: &&RepoOutcome| repo.indexes.iter().any(|it| it.status == IndexStatus::Searched);
    let over = match answer.repos.iter().filter(searched).count() {
        repos if several => format!(" in {}", count(repos, "repo")),
        _ => String::new(),
    };
    terminal.note(format!("{} of {}{over}{tokens}", answer.hits.len(), count(answer.found, "hit")))?;
    if answer.weak {
        terminal.note("A weak answer: even the best hit has little of what was asked. Other words may find more.")?;
    }
    if let Some(cursor) = &answer.cursor {
        terminal.note(format!("More: --cursor {cursor}"))?;
    }
    Ok(())
}

fn of_workspace(more: &[(&str, Value)]) -> bool {
    more.iter().any(|(key, _)| *key == "workspace")
}

/// What stands before the lines of a place, so that another command takes it.
fn path_of(hit: &Hit, several_repos: bool) -> String {
    match &hit.origin {
        Origin::Repo { .. } if !several_repos => hit.document.clone(),
        origin => format!("{}/{}", origin.name(), hit.document),
    }
}

/// One hit: its place, its headings, and all of its text or the lines that say most about the query.
fn one(hit: &Hit, query: &Query, full: bool, several_repos: bool) -> Result<Vec<String>> {
    let score = styled(Style::new().dimmed(), format!("{:.3}", hit.score));
    let place = one_line(&format!("{}:{}", path_of(hit, several_repos), hit.lines));
    let place = styled(AnsiColor::Cyan.on_default().bold(), place);
    let original = hit.place.as_deref().map_or_else(String::new, |place| format!("  ({})", one_line(place)));
    let mut lines = vec![format!("{place}{original}  {score}{}", since(hit.freshness))];
    if let Some(url) = &hit.url {
        lines.push(format!("  {}", styled(Style::new().dimmed(), one_line(url))));
    }
    let path = headings(hit);
    if !path.is_empty() {
        lines.push(format!("  {}", styled(Style::new().bold(), one_line(&path.join(" › ")))));
    }
    if let Some(explanation) = &hit.explanation {
        lines.extend(explain(hit, explanation)?.into_iter().map(|line| styled(Style::new().dimmed(), line)));
    }
    let (first, text) = match path.last() {
        Some(heading) => without_heading(&hit.text, heading),
        None => (0, hit.text.as_str()),
    };
    let height = if full { usize::MAX } else { SNIPPET_LINES };
    let shown = snippet(text, hit.lines.start.saturating_add(first), &query.terms, height);
    let text = fit(&shown.text, &shown.matches, width().map(usize::from));
    lines.extend(text.into_iter().map(|line| format!("  {line}")));
    lines.push(String::new());
    Ok(lines)
}

/// The headings or symbols above a hit, outermost first, each once; the title alone where there are none.
fn headings(hit: &Hit) -> Vec<String> {
    let mut path: Vec<String> = hit.path.iter().map(|part| plain(part)).filter(|part| !part.is_empty()).collect();
    if path.is_empty() {
        path.extend(hit.title.as_deref().map(plain).filter(|title| !title.is_empty()));
    }
    path.dedup();
    path
}

/// A heading without the anchor that a documentation tool reads from it: `{ #cors }`, `{#cors}`, `{/*usage*/}`.
fn plain(heading: &str) -> String {
    let heading = heading.trim();
    let anchor = heading.rfind('{').filter(|_| heading.ends_with('}'));
    let is_anchor = |inner: &str| inner.trim_start().starts_with('#') || inner.trim_start().starts_with("/*");
    match anchor {
        Some(at) if is_anchor(&heading[at + 1..]) => heading[..at].trim_end().to_owned(),
        _ => heading.to_owned(),
    }
}

/// A text without the heading that opens it and is shown already, and how many lines that took.
fn without_heading<'t>(text: &'t str, heading: &str) -> (u32, &'t str) {
    let Some((line, rest)) = text.split_once('\n') else { return (0, text) };
    let bare = line.trim_start_matches(['#', '=', '*', ' ']).trim_end_matches(['#', ' ']);
    if !line.starts_with(['#', '=', '*']) || plain(bare) != heading || rest.trim().is_empty() {
        return (0, text);
    }
    (1, rest)
}

fn explain(hit: &Hit, explanation: &Explanation) -> Result<Vec<String>> {
    let parts: Vec<String> = explanation.parts.iter().map(|part| format!("{:.4} {}", part.adds, part.name)).collect();
    let mut lines = vec![
        format!("  score {:.4} = {}", hit.score, parts.join(" + ")),
        format!("    by {}", explanation.formula),
        format!("    words   {:.4}", hit.words),
    ];
    for term in &explanation.terms {
        let field = serde_json::to_value(term.field)?;
        lines.push(format!(
            "      {:<8} {:<16} {:.4}  {} here, in {}",
            field.as_str().unwrap_or_default(),
            term.term,
            term.score,
            count(term.frequency as usize, "time"),
            count(usize::try_from(term.chunks).unwrap_or(usize::MAX), "chunk")
        ));
    }
    lines.push(format!("    cosine  {:.4}", hit.cosine));
    Ok(lines)
}

/// What became of the file since it was indexed, if that is worth saying.
fn since(freshness: Freshness) -> String {
    let said = match freshness {
        Freshness::Current | Freshness::Unknown => return String::new(),
        Freshness::Changed => "  (changed since)",
        Freshness::Missing => "  (gone since)",
    };
    styled(AnsiColor::Yellow.on_default(), said)
}

/// Lines that fit a window, broken between words, with matches marked. Without a window they stay as they are.
fn fit(text: &str, matches: &[(usize, usize)], width: Option<usize>) -> Vec<String> {
    // Two for the indent.
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(2).max(20));
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        let end = at + line.len();
        loop {
            let rest = &text[at..end];
            let taken = if rest.chars().count() <= room { rest.len() } else { break_at(rest, room) };
            let inside = |&(from, to): &(usize, usize)| {
                (from < at + taken && to > at).then(|| (from.max(at) - at, to.min(at + taken) - at))
            };
            let marks: Vec<(usize, usize)> = matches.iter().filter_map(inside).collect();
            lines.push(mark(rest[..taken].trim_end(), &marks));
            at += taken;
            if at >= end {
                break;
            }
        }
        at = end + 1;
    }
    lines
}

/// Where a line is broken: after the last space that fits, else after as many characters as fit.
fn break_at(line: &str, room: usize) -> usize {
    let most = line.char_indices().nth(room).map_or(line.len(), |(at, _)| at);
    line[..most].rfind(' ').map(|at| at + 1).filter(|at| !line[..*at].trim().is_empty()).unwrap_or(most)
}

/// The text with its matches in bold.
pub(crate) fn mark(text: &str, matches: &[(usize, usize)]) -> String {
    let mut marked = String::with_capacity(text.len() + matches.len() * 8);
    let mut at = 0;
    for &(from, to) in matches.iter().filter(|(from, to)| from < to && *to <= text.len()) {
        marked.push_str(&harmless(&text[at..from]));
        marked.push_str(&styled(AnsiColor::Green.on_default().bold(), harmless(&text[from..to])));
        at = to;
    }
    marked.push_str(&harmless(&text[at..]));
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_anchors() {
        for (heading, expected) in [
            ("CORS { #cors }", "CORS"),
            ("Usage {/*usage*/}", "Usage"),
            ("Sets {a, b}", "Sets {a, b}"),
            ("fn main() { }", "fn main() { }"),
            ("{#only}", ""),
        ] {
            assert_eq!(plain(heading), expected, "{heading}");
        }
        assert_eq!(without_heading("## CORS { #cors }\nText\n", "CORS"), (1, "Text\n"));
        assert_eq!(without_heading("#include <x>\nint y;\n", "x"), (0, "#include <x>\nint y;\n"));
    }

    #[test]
    fn lines_break_between_words() {
        let text = "the quick brown fox jumps\nover";
        assert_eq!(fit(text, &[], None), ["the quick brown fox jumps", "over"]);
        assert_eq!(fit(text, &[], Some(22)), ["the quick brown fox", "jumps", "over"]);
        assert_eq!(fit(&"x".repeat(45), &[], Some(22)).len(), 3);
        assert_eq!(fit("é".repeat(30).as_str(), &[], Some(22)), ["é".repeat(20), "é".repeat(10)]);
    }
}
