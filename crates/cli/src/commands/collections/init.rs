use ai_assist_collections::init_project;

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, force: bool) -> Result<Outcome> {
    let file = context.folder.join(context.settings.config_file());
    init_project(&file, force, &context.roots.edit_lock(&file))?;
    if context.terminal.json {
        context.terminal.json(&json!({ "file": file }))?;
    } else {
        context.terminal.tell(format!("Created {}", file.display()))?;
        context.terminal.note("Next: ai-assist collections add docs ./docs")?;
    }
    Ok(Outcome::Done)
}
