use ai_assist_app::Reach;
use ai_assist_session::Summary;

use super::place::shown;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context) -> Result<Outcome> {
    let all = context.sessions(Reach::Machine)?;
    if context.terminal.json {
        context.terminal.json(&json!({ "sessions": all.iter().map(json_of).collect::<Vec<_>>() }))?;
    } else if all.is_empty() {
        context.terminal.note("No sessions yet. Start one: ai-assist session open")?;
    } else {
        let header = ["Name", "Folder", "Changed", "State", "Known", "Held", "Pinned", "Turns"];
        context.terminal.table(&header, all.iter().map(row).collect())?;
    }
    Ok(if all.is_empty() { Outcome::Partial } else { Outcome::Done })
}

fn row(session: &Summary) -> Vec<String> {
    let counts = session.counts;
    vec![
        session.name.clone(),
        session.about.folder.clone().unwrap_or_default(),
        shown(session.changed),
        if session.closed { "closed" } else { "open" }.to_owned(),
        counts.pool.to_string(),
        counts.active.to_string(),
        counts.pinned.to_string(),
        counts.turns.to_string(),
    ]
}

fn json_of(session: &Summary) -> Value {
    json!({
        "session": session.name,
        "folder": session.about.folder,
        "raw": session.about.raw,
        "imported": session.about.imported,
        "parent": session.about.parent,
        "branch": session.about.branch,
        "opened": session.opened.to_string(),
        "changed": session.changed.to_string(),
        "closed": session.closed,
        "counts": session.counts,
    })
}
