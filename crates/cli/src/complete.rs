//! What a shell offers where the name of something is to be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use ai_assist_collections::{DATABASE_FILE, SETTINGS};
use ai_assist_store::objects::SqliteObjects;
use ai_assist_workspace::config::ResolvedWorkspace;
use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{CompletionCandidate, Shell};

use crate::args::{Cli, Global};
use crate::context::Context;

pub(crate) fn collections() -> Vec<CompletionCandidate> {
    candidates(|context| Some(context.members().ok()?.names().map(str::to_owned).collect()))
}

pub(crate) fn categories() -> Vec<CompletionCandidate> {
    let category = |member: &ai_assist_collections::Member| member.category().map(str::to_owned);
    candidates(|context| Some(context.members().ok()?.iter().filter_map(category).collect()))
}

pub(crate) fn sessions() -> Vec<CompletionCandidate> {
    candidates(|context| {
        let database = context.roots.data.join(DATABASE_FILE);
        // Pressing a key is no reason to make a database.
        let objects = database.is_file().then(|| SqliteObjects::open(&database).ok()).flatten()?;
        Some(ai_assist_session::summaries(&objects).ok()?.into_iter().map(|session| session.name).collect())
    })
}

pub(crate) fn repos() -> Vec<CompletionCandidate> {
    candidates(|context| {
        let workspace = ResolvedWorkspace::load(&ResolvedWorkspace::find(&context.folder)?).ok()?;
        Some(workspace.repos.into_iter().map(|repo| repo.alias.unwrap_or_else(|| repo.repo_id.to_string())).collect())
    })
}

pub(crate) fn everything() -> Vec<CompletionCandidate> {
    collections().into_iter().chain(repos()).collect()
}

pub(crate) fn settings() -> Vec<CompletionCandidate> {
    SETTINGS.iter().map(|spec| CompletionCandidate::new(spec.key).help(Some(spec.doc.into()))).collect()
}

/// The script that makes a shell ask this program. A name stands for itself; nothing is offered where it can't be read.
pub(crate) fn registration(shell: Shell) -> std::io::Result<Vec<u8>> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let completer =
        shells.completer(&name).ok_or_else(|| std::io::Error::other(format!("no completions for {name}")))?;
    let program = std::env::args_os().next().map_or_else(|| "ai-assist".into(), PathBuf::from);
    let program = if program.components().count() > 1 { std::path::absolute(&program)? } else { program };
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "ai-assist", "ai-assist", &program.to_string_lossy(), &mut script)?;
    Ok(script)
}

/// Answers a shell that asks, and ends; returns where no shell asks.
pub(crate) fn answer_shell() {
    clap_complete::CompleteEnv::with_factory(Cli::command).bin("ai-assist").complete();
}

fn candidates(names: impl FnOnce(&Context) -> Option<Vec<String>>) -> Vec<CompletionCandidate> {
    let Ok(context) = Context::silent(&typed_so_far()) else { return Vec::new() };
    let mut names = names(&context).unwrap_or_default();
    names.sort();
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// The global options of the line that is being typed that decide which names there are.
fn typed_so_far() -> Global {
    let words: Vec<OsString> = std::env::args_os().collect();
    let value = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.iter().any(|flag| word == *flag))?;
        words.get(at + 1).map(PathBuf::from)
    };
    Global {
        quiet: true,
        no_pager: true,
        color: anstream::ColorChoice::Never,
        directory: value(&["-C", "--directory"]),
        data_dir: value(&["--data-dir"]),
        cache_root: value(&["--cache-root"]),
        offline: true,
        ..Global::default()
    }
}
