use ai_assist_store::Seq;

use super::place::object;
use crate::args::SessionDiff;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionDiff) -> Result<Outcome> {
    let session = context.session(&args.session)?;
    let id = object(context, &session, &args.object)?;
    let puts = session.puts(&id)?;
    let known = |seq: u64| -> Result<Seq> {
        let found = puts.iter().copied().find(|put| put.0 == seq);
        found.ok_or_else(|| anyhow!("it has no version {seq}; it has {}", listed(&puts)))
    };
    let (from, to) = (args.from.map(known).transpose()?, args.to.map(known).transpose()?);
    let Some((from, to)) = session.compared(&id, from, to)? else {
        context.terminal.note("It has one version only.")?;
        if context.terminal.json {
            let to = to.or(puts.last().copied()).map(|put| put.0);
            context.terminal.json(&json!({ "session": session.name(), "id": id.as_str(), "from": null, "to": to, "fields": [], "diff": "", "added": 0, "removed": 0 }))?;
        }
        return Ok(Outcome::Partial);
    };
    let difference = session.diff(from, to)?;
    if context.terminal.json {
        let field = |(name, old, new): &(String, String, String)| json!({ "field": name, "from": old, "to": new });
        context.terminal.json(&json!({
            "session": session.name(), "id": id.as_str(), "from": from.0, "to": to.0,
            "fields": difference.fields.iter().map(field).collect::<Vec<_>>(),
            "diff": difference.unified, "added": difference.added, "removed": difference.removed,
        }))?;
    } else if difference.unified.is_empty() {
        for (name, old, new) in &difference.fields {
            context.terminal.say(format!("{name}: {} → {}", one_line(old), one_line(new)))?;
        }
    } else {
        context.terminal.write(&harmless(&difference.unified))?;
    }
    Ok(Outcome::Done)
}

fn listed(puts: &[Seq]) -> String {
    puts.iter().rev().take(10).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
