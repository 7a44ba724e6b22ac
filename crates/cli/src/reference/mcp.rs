//! The page about the MCP server.

use std::fmt::Write as _;

use ai_assist_mcp::{Documented, Tool, documented, prompts, resource_templates};
use serde_json::Value;

pub(crate) fn page() -> String {
    let mut page = String::from(
        "# MCP: tools, resources, prompts\n\nMade from the code by `ai-assist reference mcp`. How to use the server is in \
         [Tools for agents](../guides/mcp.md).\n\n## Results\n\nEvery tool answers in one shape, as structured content for programs and, in Markdown, for models:\n\n\
         ```json\n{\"success\": true, \"value\": {}, \"message\": \"what else is worth knowing\"}\n\
         {\"success\": false, \"error\": \"what went wrong\", \"error_type\": \"not_found\", \"instruction\": \"what to do next\"}\n```\n\n\
         `field` and `expected` are there if an argument is wrong. Where an answer was cut, `more` in the value says what was left out and has \
         the `tool` and the `arguments` of the call for the rest.\n\n| `error_type` | |\n|---|---|\n",
    );
    let (tools, kinds) = documented();
    for (kind, meaning) in kinds {
        let _ = writeln!(page, "| `{kind}` | {meaning} |");
    }
    page.push_str(
        "\n## Tools\n\n`--tools` takes names and sets: `default`; `read`, which has the default set and more to read; `manage`; `sources`; `session`; `all`. Without \
         `--project` every tool has one more argument, `project`: the folder of the project, as an absolute path.\n\n\
         | tool | set | |\n|---|---|---|\n",
    );
    for Documented { tool, set } in &tools {
        let _ = writeln!(page, "| [`{}`](#{}) | {set} | {} |", tool.name, tool.name, nature(tool));
    }
    for Documented { tool, .. } in &tools {
        section(&mut page, tool);
    }
    page.push_str("\n## Resources\n\n");
    for template in resource_templates() {
        let _ = writeln!(page, "- `{}`: {}", template.uri_template, template.description.unwrap_or_default());
    }
    page.push_str("\n## Prompts\n");
    for prompt in prompts() {
        let _ = write!(page, "\n### `{}`\n\n{}\n\n", prompt.name, prompt.description.unwrap_or_default());
        for argument in prompt.arguments.unwrap_or_default() {
            let needed = if argument.required == Some(true) { "needed" } else { "may be left out" };
            let _ = writeln!(page, "- `{}` ({needed}): {}", argument.name, argument.description.unwrap_or_default());
        }
    }
    page
}

/// What a tool does to the world.
fn nature(tool: &Tool) -> &'static str {
    let Some(annotations) = &tool.annotations else { return "" };
    if annotations.read_only_hint == Some(true) {
        "reads"
    } else if annotations.destructive_hint == Some(true) {
        "changes the configuration"
    } else if annotations.idempotent_hint == Some(true) {
        "writes an index"
    } else {
        "adds to the configuration"
    }
}

fn section(page: &mut String, tool: &Tool) {
    let _ = write!(page, "\n### `{}`\n\n{}\n", tool.name, tool.description.as_deref().unwrap_or_default());
    let schema = tool.schema_as_json_value();
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut rows = properties.filter(|(name, _)| *name != "project").peekable();
    if rows.peek().is_none() {
        page.push_str("\nIt takes no arguments.\n");
        return;
    }
    page.push_str("\n| argument | takes | |\n|---|---|---|\n");
    for (name, property) in rows {
        let needed = if required(name) { ", needed" } else { "" };
        let about = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {}{needed} | {about} |", takes(property));
    }
}

/// What a property takes, in a few words.
fn takes(property: &Value) -> String {
    if let Some(choices) = property["enum"].as_array() {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(|choice| format!("`{choice}`")).collect();
        return choices.join(", ");
    }
    match property["type"].as_str().unwrap_or_default() {
        "array" => "list of strings".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => match (property["minimum"].as_u64(), property["maximum"].as_u64()) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            _ => "number".to_owned(),
        },
        other => other.to_owned(),
    }
}
