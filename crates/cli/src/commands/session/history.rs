use ai_assist_store::objects::{Moment, VersionHead, VersionKind};

use super::place::{object, shown};
use crate::args::OneSession;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, name: &str, session: &OneSession) -> Result<Outcome> {
    let session = context.session(session)?;
    let id = object(context, &session, name)?;
    let history = session.objects().history(&id)?;
    if context.terminal.json {
        let versions: Vec<Value> = history.iter().map(json_of).collect();
        context.terminal.json(&json!({ "session": session.name(), "id": id.as_str(), "versions": versions }))?;
    } else {
        let header = ["Version", "What", "Learned", "Holds from", "Holds until", "Content", "Bytes"];
        context.terminal.table(&header, history.iter().map(row).collect())?;
    }
    Ok(Outcome::Done)
}

fn word(head: &VersionHead) -> &'static str {
    match head.event {
        VersionKind::Put => "put",
        VersionKind::Delete => "delete",
        VersionKind::Delta => "change",
    }
}

fn row(head: &VersionHead) -> Vec<String> {
    let until = if head.valid_to == Moment::FOREVER { String::new() } else { shown(head.valid_to) };
    let content = head.content_hash.map_or(String::new(), |hash| hash.0.hex()[..12].to_owned());
    vec![
        head.seq.to_string(),
        word(head).to_owned(),
        shown(head.system),
        shown(head.valid_from),
        until,
        content,
        head.size.to_string(),
    ]
}

fn json_of(head: &VersionHead) -> Value {
    json!({
        "version": head.seq.0,
        "event": word(head),
        "systemTime": head.system.to_string(),
        "validFrom": head.valid_from.to_string(),
        "validTo": (head.valid_to != Moment::FOREVER).then(|| head.valid_to.to_string()),
        "fileHash": head.file_hash.map(|hash| hash.to_string()),
        "contentHash": head.content_hash.map(|hash| hash.to_string()),
        "bytes": head.size,
    })
}
