use ai_assist_collections::{Error, find_packages};

use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, words: &[String]) -> Result<Outcome> {
    let registries = context.registries(&context.client()?, &cancel(), true)?;
    if registries.is_empty() {
        return Err(Error::NoRegistry.into());
    }
    let hits = find_packages(&registries, &words.join(" "));
    let outcome = if hits.is_empty() { Outcome::Partial } else { Outcome::Done };
    if context.terminal.json {
        context.terminal.json(&json!({ "packages": hits }))?;
    } else if hits.is_empty() {
        context.terminal.note("No package has these words in its name or description")?;
    } else {
        let cell = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
        let rows = hits.iter().map(|hit| vec![hit.name.clone(), cell(&hit.version), cell(&hit.description)]).collect();
        context.terminal.table(&["Package", "Newest", "About"], rows)?;
        context.terminal.note(format!("Next: ai-assist collections add {}", hits[0].name))?;
    }
    Ok(outcome)
}
