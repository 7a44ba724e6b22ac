use ai_assist_collections::init_project;
use anyhow::Result;

use crate::args::Init;
use crate::commands::Outcome;
use crate::context::Context;

pub(crate) fn run(context: &Context, args: &Init) -> Result<Outcome> {
    let file = context.folder.join(context.settings.config_file());
    init_project(&file, args.force, &context.roots.edit_lock(&file))?;
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "file": file }))?;
    } else if !context.terminal.quiet {
        context.terminal.say(format!("Created {}", file.display()))?;
        context.terminal.note("Next: ai-assist collections add docs ./docs")?;
    }
    Ok(Outcome::Done)
}
