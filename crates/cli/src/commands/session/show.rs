use ai_assist_session::Session;
use ai_assist_session::object::document;
use ai_assist_session::render::{metadata_line, short_id};
use ai_assist_session::sets::Member;
use ai_assist_store::Seq;
use ai_assist_store::objects::{AsOf, ObjectId, System};
use serde_json::Map;

use super::place::{as_of, object};
use crate::args::{SessionShow, SetName};
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionShow) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    match &args.object {
        Some(name) => show_one(context, args, &mut session, name),
        None => show_set(context, args, &session),
    }
}

fn show_one(context: &Context, args: &SessionShow, session: &mut Session, name: &str) -> Result<Outcome> {
    let id = object(context, session, name)?;
    let at = as_of(&args.at);
    let found = match args.number {
        Some(seq) => version(session, &id, seq)?,
        None => {
            if at == AsOf::default() {
                session.freshen(std::slice::from_ref(&id))?;
            }
            session.document(&id, at)?
        }
    };
    if session.is_stale(&id) {
        context.terminal.warn(format!("{} has changed on disk since this version", one_line(name)))?;
    }
    let Some(document) = found else {
        context.terminal.note(format!("`{}` was not known then.", one_line(name)))?;
        return Ok(Outcome::Partial);
    };
    if context.terminal.json {
        context.terminal.json(&json!({ "session": session.name(), "document": document }))?;
    } else if args.document {
        context.terminal.say(serde_json::to_string_pretty(&document)?)?;
    } else {
        print(context, &document)?;
    }
    Ok(Outcome::Done)
}

fn version(session: &Session, id: &ObjectId, seq: u64) -> Result<Option<Map<String, Value>>> {
    let is_made_of_changes = [session.id(), session.chat_id()].contains(&id);
    let found = if is_made_of_changes {
        // Put together from what was known then.
        let is_known = session.objects().history(id)?.iter().any(|head| head.seq.0 == seq);
        let at = AsOf { system: System::Seq(Seq(seq)), ..AsOf::default() };
        if is_known { session.document(id, at)? } else { None }
    } else {
        let stored = session.objects().version(Seq(seq))?.filter(|version| version.head.id == *id);
        stored.map(|version| document(&version)).transpose()?
    };
    let unknown = || format!("it has no version {seq}; `ai-assist session history` lists those it has");
    found.map(Some).with_context(unknown)
}

/// The content as it is; for an object without one, what else is known.
fn print(context: &Context, document: &Map<String, Value>) -> Result<()> {
    match document.get("content").and_then(Value::as_str) {
        Some(text) => {
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            context.terminal.write(&format!("{}{end}", harmless(text)))
        }
        None => context.terminal.say(serde_json::to_string_pretty(document)?),
    }
}

fn show_set(context: &Context, args: &SessionShow, session: &Session) -> Result<Outcome> {
    let at = as_of(&args.at);
    session.must_have_begun(at)?;
    let sets = session.sets_at(at)?;
    let members: Vec<&Member> = match args.set {
        SetName::Index => sets.index().collect(),
        SetName::Pool => sets.pool(),
        SetName::Active => sets.active(),
        SetName::Pinned => sets.pinned(),
    };
    let ids: Vec<ObjectId> = members.iter().map(|member| member.id.clone()).collect();
    let versions = session.objects().get_many(&ids, at, false)?;
    let mut objects = Vec::new();
    let mut rows = Vec::new();
    for (member, version) in members.iter().zip(versions) {
        let Some(version) = version else { continue };
        let line = metadata_line(session, &version)?;
        objects.push(json!({
            "id": member.id.as_str(), "kind": version.head.kind, "line": line, "pool": member.in_pool(),
            "active": member.is_active(), "pinned": member.is_pinned(), "version": version.head.seq.0,
        }));
        let id = short_id(&member.id).to_owned();
        let what = line.strip_suffix(&id).unwrap_or(&line).trim_end().to_owned();
        let state = match (member.is_pinned(), member.is_active(), member.in_pool()) {
            (true, _, _) => "pinned",
            (_, true, _) => "held",
            (_, _, true) => "",
            _ => "forgotten",
        };
        rows.push(vec![id, what, state.to_owned()]);
    }
    if context.terminal.json {
        context.terminal.json(&json!({ "session": session.name(), "objects": objects }))?;
    } else if rows.is_empty() {
        context.terminal.note(format!("The session {} has nothing there yet.", session.name()))?;
    } else {
        context.terminal.table(&["Id", "What", "State"], rows)?;
    }
    Ok(if objects.is_empty() { Outcome::Partial } else { Outcome::Done })
}
