use ai_assist_collections::{NewManifest, write_manifest};

use crate::args::ManifestInit;
use crate::commands::prelude::*;

pub(crate) fn init(context: &Context, args: &ManifestInit) -> Result<Outcome> {
    let file = context.place(&args.output);
    let asks = !args.yes && context.terminal.can_ask();
    let folder = file.parent().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy().to_lowercase());
    let name: String = folder
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .collect();
    let name = Some(name.trim_matches(['-', '.', '_']).to_owned()).filter(|name| !name.is_empty());
    let ask = |question: &str, given: Option<&String>, default: &str| -> Result<String> {
        match given {
            Some(given) => Ok(given.clone()),
            None if asks => crate::terminal::ask(question, default),
            None => Ok(default.to_owned()),
        }
    };
    let new = NewManifest {
        name: ask("Name", args.name.as_ref(), &name.unwrap_or_else(|| "docs".to_owned()))?,
        version: ask("Version", args.package_version.as_ref(), "0.1.0")?,
        description: Some(ask("Description", args.description.as_ref(), "")?).filter(|text| !text.is_empty()),
        globs: match args.glob.as_slice() {
            [] => ask("Files", None, "**/*.md")?.split_whitespace().map(str::to_owned).collect(),
            globs => globs.to_vec(),
        },
    };
    write_manifest(&file, &new, args.force)?;
    if context.terminal.json {
        context.terminal.json(&json!({
            "file": file.display().to_string(), "name": new.name, "version": new.version, "glob": new.globs,
        }))?;
    } else if !context.terminal.quiet {
        context.terminal.say(format!("Created {}", file.display()))?;
        let manifest = if args.output.as_os_str() == "manifest.json" {
            String::new()
        } else {
            format!(" --manifest {}", args.output.display())
        };
        context.terminal.note(format!("Next: ai-assist collections pack --check{manifest}"))?;
    }
    Ok(Outcome::Done)
}
