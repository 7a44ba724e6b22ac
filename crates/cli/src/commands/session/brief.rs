use crate::args::SessionBrief;
use crate::commands::prelude::*;

/// So many of each list are told of a file.
const MOST: usize = 10;

pub(crate) fn run(context: &Context, args: &SessionBrief) -> Result<Outcome> {
    let memory = context.memory()?;
    let terminal = context.terminal;
    if let Some(file) = &args.file {
        let known = context.file_memory(&memory, file, MOST)?;
        let is_empty = known.together.is_empty() && known.calls.is_empty();
        terminal.show(|| json!(known), || terminal.write(&harmless(&known.text())))?;
        return Ok(if is_empty { Outcome::Partial } else { Outcome::Done });
    }
    let mut brief = memory.brief()?;
    let text = brief.text(args.max_tokens);
    let is_empty = text.is_empty();
    terminal.show(|| json!(brief), || terminal.write(&harmless(&text)))?;
    if is_empty && !terminal.json {
        terminal.note("Nothing is remembered here yet. Fill it: ai-assist session import --all")?;
    }
    Ok(if is_empty { Outcome::Partial } else { Outcome::Done })
}
