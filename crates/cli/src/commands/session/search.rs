use ai_assist_app::evidence;
use ai_assist_embed::StaticModel;
use ai_assist_session::memory::{Recall, Recalled};
use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::short_id;
use ai_assist_session::search::{Find, Found};
use anstyle::{AnsiColor, Style};

use super::place::shown;
use crate::args::{CallOutcome, SessionSearch};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionSearch) -> Result<Outcome> {
    let query = args.query.join(" ");
    if args.all {
        return all(context, args, &query);
    }
    let mut session = context.session(&args.session)?;
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

/// The same over all sessions about the project.
fn all(context: &Context, args: &SessionSearch, query: &str) -> Result<Outcome> {
    let memory = context.memory()?;
    let recall = Recall {
        query,
        limit: args.limit,
        since: args.since.map(|when| when.0),
        until: args.until.map(|when| when.0),
        kinds: &args.kind,
        file: args.file.as_deref(),
        ok: args.outcome.map(|outcome| outcome == CallOutcome::Succeeded),
        rank_by: args.rank,
        full: args.full,
    };
    let found = memory.recall(&recall)?;
    let searched = memory.catalog.entries().filter(|at| recall.wants(at.entry)).count();
    let terminal = context.terminal;
    if terminal.json {
        let list: Vec<Value> = found.iter().map(recalled).collect();
        let sessions = memory.catalog.sessions.len();
        terminal.json(&json!({ "found": list, "searched": searched, "sessions": sessions }))?;
    } else {
        for found in &found {
            let entry = found.at.entry;
            let place = styled(AnsiColor::Cyan.on_default().bold(), one_line(&entry.label));
            let how = match entry.ok {
                Some(true) => "  ok",
                Some(false) => "  failed",
                None => "",
            };
            let branch = found.at.session.branch.as_ref().map_or(String::new(), |branch| format!("  on {branch}"));
            let about = format!(
                "{:.3}  {}{how}  {}{branch}  {}",
                found.score,
                entry.kind.as_str(),
                shown(entry.at()),
                found.at.place()
            );
            terminal.say(format!("{place}  {}", styled(Style::new().dimmed(), one_line(&about))))?;
            harmless(&found.text).lines().try_for_each(|line| terminal.say(format!("  {line}")))?;
            if let Some(solved) = &found.solved {
                let after = if solved.edited.is_empty() {
                    String::new()
                } else {
                    format!(" after changes to {}", solved.edited.join(", "))
                };
                terminal.say(format!("  It passed {}{}.", shown(solved.at.entry.at()), one_line(&after)))?;
            }
            terminal.say("")?;
        }
        if found.is_empty() {
            terminal.note(format!("Nothing found in {}.", count(searched, "entry")))?;
        }
    }
    Ok(if found.is_empty() { Outcome::Partial } else { Outcome::Done })
}

fn recalled(found: &Recalled<'_>) -> Value {
    let entry = found.at.entry;
    let solved =
        found.solved.as_ref().map(|solved| json!({ "evidence": evidence(solved.at), "edited": solved.edited }));
    json!({
        "kind": entry.kind.as_str(), "label": entry.label, "ok": entry.ok, "files": entry.files, "score": found.score,
        "text": found.text, "evidence": evidence(found.at), "solved": solved,
    })
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
