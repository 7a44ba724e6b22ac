use ai_assist_app::EntryState;
use indicatif::HumanBytes;

use super::list::{advise, kind, looked_at, state};
use crate::commands::prelude::*;
use crate::daemon;

pub(crate) fn run(context: &Context) -> Result<Outcome> {
    let terminal = context.terminal;
    let entries = looked_at(context)?;
    let sessions = ai_assist_session::summaries(&context.objects()?)?.len();
    let disk = context.disk_use();
    let total: u64 = disk.iter().map(|entry| entry.bytes).sum();
    let service = daemon::service(context);
    let current = entries.iter().all(|entry| entry.state == EntryState::Current);
    if terminal.json {
        terminal.json(&json!({
            "entries": entries, "sessions": sessions, "disk": disk, "bytes": total,
            "data": context.roots.data.display().to_string(), "cache": context.roots.cache.display().to_string(),
            "service": service,
        }))?;
        return Ok(if current { Outcome::Done } else { Outcome::Partial });
    }
    if entries.is_empty() {
        terminal.note("There is nothing here yet. Add something: ai-assist add ./docs")?;
    } else {
        let rows = entries.iter().map(|entry| {
            let at = entry.indexed_at.as_deref().map_or("never", |at| at.get(..19).unwrap_or(at)).replace('T', " ");
            let size = HumanBytes(entry.bytes).to_string();
            vec![entry.name.clone(), kind(entry), entry.documents.to_string(), state(entry), at, size]
        });
        terminal.table(&["Name", "Kind", "Documents", "State", "Indexed (UTC)", "Index"], rows.collect())?;
        advise(context, &entries)?;
    }
    let rows =
        disk.iter().map(|entry| vec![entry.what.to_owned(), HumanBytes(entry.bytes).to_string(), entry.path.clone()]);
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.push(vec!["all of this machine".to_owned(), HumanBytes(total).to_string(), String::new()]);
    terminal.table(&["On the disk", "Size", "Where"], rows)?;
    if let Some(service) = &service {
        let projects = service["projects"].as_array().map_or(0, Vec::len);
        terminal.note(format!("A service runs (process {}) for {}.", service["pid"], count(projects, "project")))?;
    }
    terminal.note(format!("{}. To remove what nothing uses: ai-assist gc", count(sessions, "session")))?;
    Ok(if current { Outcome::Done } else { Outcome::Partial })
}
