use ai_assist_embed::StaticModel;
use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::short_id;
use ai_assist_session::search::{Find, Found};
use anstyle::{AnsiColor, Style};

use super::place::shown;
use crate::args::SessionSearch;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionSearch) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    let query = args.query.join(" ");
    let find = Find {
        query: &query,
        limit: args.limit,
        since: args.since.map(|when| when.0),
        until: args.until.map(|when| when.0),
        kinds: &args.only,
        rank_by: args.rank,
        full: args.full,
    };
    let answer = session.search(&find, &context.session_index(session.name()), StaticModel::bundled())?;
    if context.terminal.json {
        let found: Vec<Value> = answer.found.iter().map(json_of).collect();
        let searched = answer.searched;
        context.terminal.json(&json!({ "session": session.name(), "found": found, "searched": searched }))?;
    } else {
        answer.found.iter().try_for_each(|found| print(context.terminal, found))?;
        if answer.found.is_empty() {
            context.terminal.note(format!("Nothing found in {}.", count(answer.searched, "version")))?;
        }
    }
    Ok(if answer.found.is_empty() { Outcome::Partial } else { Outcome::Done })
}

fn print(terminal: Terminal, found: &Found) -> Result<()> {
    let place = match found.kind {
        ObjectKind::File => format!("{}:{}", found.label, found.lines.start),
        _ => found.label.clone(),
    };
    let place = styled(AnsiColor::Cyan.on_default().bold(), one_line(&place));
    let id = if found.kind == ObjectKind::Chat { "chat" } else { short_id(&found.id) };
    let about = format!("{:.3}  {id}  {}", found.score, shown(found.at));
    let old = if found.current { "" } else { "  (an earlier version)" };
    let others = match found.others {
        0 => String::new(),
        n => format!("  (and {})", count(n, "other version")),
    };
    terminal.say(format!("{place}  {}", styled(Style::new().dimmed(), format!("{about}{old}{others}"))))?;
    for line in harmless(&found.text).lines() {
        terminal.say(format!("  {line}"))?;
    }
    terminal.say("")
}

fn json_of(found: &Found) -> Value {
    json!({
        "id": found.id.as_str(),
        "kind": found.kind.as_str(),
        "label": found.label,
        "version": found.seq.0,
        "seen": found.at.to_string(),
        "current": found.current,
        "otherVersions": found.others,
        "score": found.score,
        "lines": found.lines,
        "text": found.text,
    })
}
