//! What an agent is told about our tools, in the file that its client reads.

use ai_assist_base::RealPath;
use ai_assist_clients::{Kind, change_file, put_rules, rules_block, rules_file, take_out_rules};

use super::written::FileReport;
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
    let root = context.local.as_ref().map_or(&context.folder, |local| &local.root).real_path()?;
    let file = root.join(rules_file(args.client)?);
    let settle = &args.settle;
    let written = if settle.remove {
        Some(change_file(&file, Some(&root), take_out_rules)?)
    } else if settle.write {
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
    let (client, snippet) = (args.client, (!settle.remove).then(|| rules_block(RULES)));
    let report = FileReport { client, what: "the rules".to_owned(), file, snippet, written, notes: Vec::new() };
    report.print(context.terminal, json!({}))?;
    Ok(Outcome::Done)
}
