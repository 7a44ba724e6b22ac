//! Reference pages made from the code, so that they can't disagree with it.

pub(crate) mod mcp;

use std::fmt::Write as _;

use ai_assist_collections::{SETTINGS, SettingValue};

pub(crate) fn settings() -> String {
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
