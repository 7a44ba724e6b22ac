//! What an agent is told about our tools, in the file that its client reads.

use ai_assist_clients::{Kind, change_file, put_rules, rules_block, rules_file, take_out_rules};

use crate::args::McpRules;
use crate::commands::prelude::*;

/// When to use which tool. Short, because an agent reads it every time.
const RULES: &str = "\
## Looking things up (ai-assist, over MCP)

- Start with `memory` without arguments: how the work stands, open ends, commands that work here.
- Before you try again what failed: `memory` with the error as `query`. It says what was tried and what made it pass.
- Before you change a file: `memory` with `file`. It says what is usually changed with it.
- `context` for a question or a task: passages, definitions and outlines in one call. `search` for one thing, `read` for any place that an answer shows.
- `changes` for what is new since a commit or a time; `grep` for exact text; `map` and `outline` before you read whole files.
";

pub(crate) fn run(context: &Context, args: &McpRules) -> Result<Outcome> {
    let root = context.local.as_ref().map_or(&context.folder, |local| &local.root).canonicalize()?;
    let file = root.join(rules_file(args.client)?);
    let terminal = context.terminal;
    let written = if args.remove {
        Some(change_file(&file, Some(&root), take_out_rules)?)
    } else if args.write {
        Some(change_file(&file, Some(&root), |text| put_rules(args.client, text, RULES))?)
    } else {
        None
    };
    // A file that only had our block goes with it.
    if let Some(written) = written.as_ref().filter(|written| written.kind == Kind::Removed)
        && std::fs::metadata(&written.file).is_ok_and(|file| file.len() == 0)
    {
        std::fs::remove_file(&written.file)?;
    }
    let block = (!args.remove).then(|| rules_block(RULES));
    let shown = file.display().to_string();
    if terminal.json {
        let status = written.as_ref().map_or(json!("printed"), |written| json!(written.kind));
        let backup =
            written.as_ref().and_then(|written| written.backup.as_ref()).map(|path| path.display().to_string());
        terminal.json(
            &json!({ "client": args.client, "file": shown, "status": status, "backup": backup, "rules": block }),
        )?;
        return Ok(Outcome::Done);
    }
    match written.as_ref().map(|written| written.kind) {
        None => {
            terminal.write(&block.unwrap_or_default())?;
            terminal.note(format!("This belongs into {shown}; --write puts it there."))?;
        }
        Some(Kind::Added) => terminal.say(format!("Added the rules to {shown}"))?,
        Some(Kind::Replaced) => terminal.say(format!("Replaced the rules in {shown}"))?,
        Some(Kind::Removed) => terminal.say(format!("Removed the rules from {shown}"))?,
        Some(Kind::Unchanged) if args.remove => terminal.say(format!("There are no rules of ours in {shown}"))?,
        Some(Kind::Unchanged) => terminal.say(format!("Unchanged: {shown} has these rules already"))?,
    }
    Ok(Outcome::Done)
}
