//! Reference pages made from the code, so that they can't disagree with it.

mod mcp;

use std::fmt::Write as _;

use ai_assist_collections::{SETTINGS, SettingValue};
use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Cli, Reference, ReferencePage};
use crate::commands::Outcome;

pub(crate) fn run(args: &Reference) -> Result<Outcome> {
    let page = match args.page {
        ReferencePage::Cli => cli(),
        ReferencePage::Settings => settings(),
        ReferencePage::Mcp => mcp::page(),
    };
    std::io::Write::write_all(&mut std::io::stdout().lock(), page.as_bytes())?;
    Ok(Outcome::Done)
}

fn settings() -> String {
    let mut page = String::from(
        "# Settings\n\nMade from the code by `ai-assist reference settings`.\n\nA flag wins over the environment, that over the project's `context.json` (under \
         `settings`), that over your own `config.json`, that over the default. `ai-assist config show` says where each value came from.\n\n\
         | setting | environment | takes | default | in a project |\n|---|---|---|---|---|\n",
    );
    for spec in SETTINGS {
        let default = match (spec.default, spec.value) {
            ("", SettingValue::Folder) => "the platform's folder".to_owned(),
            ("", _) => "none".to_owned(),
            (default, _) => format!("`{default}`"),
        };
        let project = if spec.project { "yes" } else { "no" };
        let _ =
            writeln!(page, "| `{}` | `{}` | {} | {default} | {project} |", spec.key, spec.env, spec.value.expected());
    }
    page.push('\n');
    for spec in SETTINGS {
        let _ = writeln!(page, "- `{}`: {}", spec.key, spec.doc);
    }
    page
}

fn cli() -> String {
    let mut page = String::from(
        "# Commands\n\nMade from the code by `ai-assist reference cli`. Exit codes: 0 done, 1 nothing found or partly done, 2 error.\n",
    );
    let mut root = Cli::command().term_width(100);
    root.build();
    section(&mut page, &mut root, "");
    page
}

fn section(page: &mut String, command: &mut clap::Command, prefix: &str) {
    let name = format!("{prefix}{}", command.get_name());
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for sub in command.get_subcommands_mut() {
        section(page, sub, &format!("{name} "));
    }
}
