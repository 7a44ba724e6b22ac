//! `search --regex`.

use std::time::{Duration, Instant};

use ai_assist_app::{FoundLine, FoundLines};
use ai_assist_client::requests;
use ai_assist_index::Filter;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::scan::ScanRequest;
use ai_assist_trigram::{Pattern, PatternOptions};
use anstyle::AnsiColor;

use super::repo::{globs_of, languages_of, modes_of};
use super::search::{prefix, within};
use crate::args::SearchRepos;
use crate::commands::hits::mark;
use crate::commands::prelude::*;
use crate::daemon;
use crate::terminal::is_coloured;

/// So many lines are written at a time.
const PAGE: usize = 512;

/// So many lines are shown unless more are asked for.
const LINES: usize = 100;

pub(crate) fn run(context: &Context, args: &SearchRepos) -> Result<Outcome> {
    if !args.what.kind.is_empty() {
        bail!("`--kind` says what a piece of code is, and `--regex` looks for lines; leave one of them out");
    }
    let options = PatternOptions {
        ignore_case: args.ignore_case,
        fixed: args.fixed,
        word: args.word,
        multiline: args.multiline,
        crlf: false,
    };
    let pattern = Pattern::new(&args.query.join(" "), options)?;
    let filter =
        Filter { paths: globs_of(&args.what.path)?, languages: languages_of(&args.what.lang)?, ..Filter::default() };
    let modes = match args.what.mode.as_slice() {
        [] => vec![Mode::Code, Mode::Prose, Mode::Records],
        asked => modes_of(asked),
    };
    let until = Instant::now().checked_add(args.timeout.map_or(ScanRequest::TIMEOUT, Duration::from_millis));
    let limit = args.show.limit.unwrap_or(LINES);
    let asked = requests::Grep {
        pattern: args.query.join(" "),
        fixed: args.fixed,
        ignore_case: args.ignore_case,
        word: args.word,
        multiline: args.multiline,
        within: args.within.clone(),
        folders: args.repo.clone(),
        all: args.all,
        no_sync: args.no_sync,
        path: args.what.path.clone(),
        language: args.what.lang.clone(),
        mode: modes.clone(),
        limit: Some(limit),
        timeout: args.timeout,
    };
    let mut found = match daemon::ask(context, |client| client.grep(&asked)) {
        Some(found) => found,
        None => {
            let request = ScanRequest { pattern: &pattern, filter: &filter, limit, until };
            context.grep(&within(args), &modes, &request, &cancel())?
        }
    };
    let tokens = args.show.max_tokens.map(|budget| found.cut_to(budget));
    let terminal = context.terminal;
    if terminal.json {
        let mut value = serde_json::to_value(&found)?;
        value["tokens"] = tokens.into();
        terminal.json(&value)?;
    } else {
        print(terminal, &found)?;
    }
    if found.unfinished > 0 {
        terminal.warn(format!(
            "{} not searched to the end: the pattern takes too long; narrow it, or give it more time with --timeout",
            count(found.unfinished, "file")
        ))?;
    }
    terminal.warn_all(&found.warnings)?;
    let whole = found.found > 0 && found.unfinished == 0 && found.warnings.is_empty();
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

fn print(terminal: Terminal, found: &FoundLines) -> Result<()> {
    let prefix = prefix(found.lines.iter().map(|found| &found.found_in));
    let coloured = is_coloured();
    // Many lines at once: writing them one by one would take longer than finding them.
    for page in found.lines.chunks(PAGE) {
        let mut text = String::new();
        for FoundLine { found_in, line, .. } in page {
            let place = one_line(&format!("{}{}:{}", prefix(found_in), line.document, line.lines.start));
            let (place, shown) = match coloured {
                true => (styled(AnsiColor::Cyan.on_default(), place), mark(&line.text, &line.matches)),
                false => (place, harmless(&line.text)),
            };
            text.extend([&place, ":", &shown, "\n"]);
        }
        if coloured { terminal.say(text.trim_end_matches('\n'))? } else { terminal.write(&text)? }
    }
    let scanned = format!("{} of {} read", found.scanned, count(found.documents, "file"));
    let cut = if found.lines.len() < found.found { format!("{} of ", found.lines.len()) } else { String::new() };
    let lines = format!("{} in {}", count(found.found, "line"), count(found.files, "file"));
    terminal.note(format!("{cut}{lines}; {scanned}"))
}
