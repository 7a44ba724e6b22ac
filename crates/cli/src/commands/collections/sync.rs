use ai_assist_app::Locks;
use ai_assist_base::watch::Pacing;
use ai_assist_collections::{Error, Library, Member, Silent, SyncOptions, SyncReport, WatchEvent, watch};
use anyhow::Result;

use crate::args::Sync;
use crate::commands::Outcome;
use crate::context::Context;
use crate::interrupt::cancel;
use crate::progress::SyncProgress;
use crate::terminal::{Terminal, count, one_line};

/// Of the files left out, so many are named.
const NAMED_FILES: usize = 10;

pub(crate) fn run(context: &Context, args: &Sync) -> Result<Outcome> {
    let members = context.named_members(&args.names)?;
    if members.is_empty() && !context.terminal.json {
        context.terminal.note("No collections yet. Add one: ai-assist collections add docs ./docs")?;
    }
    let mut library = context.library()?;
    if args.watch {
        return follow(context, args, &mut library, &members);
    }
    let all: Vec<&Member> = members.iter().collect();
    let (reports, whole) = sync(context, args, &mut library, &all, false)?;
    if context.terminal.json {
        context.terminal.json(&serde_json::json!({ "collections": reports }))?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

/// Syncs now, and again whenever files change, until somebody presses Ctrl-C.
fn follow(context: &Context, args: &Sync, library: &mut Library, members: &[Member]) -> Result<Outcome> {
    let terminal = context.terminal;
    let except = [context.roots.data.clone(), context.roots.cache.clone()];
    let mut tell = |event| match event {
        WatchEvent::Watching { folders } => {
            terminal.note(format!("Watching {}; Ctrl-C stops it.", count(folders, "folder")))
        }
        WatchEvent::Blind(why) => {
            terminal.warn(format!("the system tells of no changes ({}); looking every few seconds", one_line(&why)))
        }
    };
    let mut again = false;
    let watched = watch(members, &except, Pacing::default(), &cancel(), &mut tell, &mut |concerned| {
        let (reports, _) = sync(context, args, library, concerned, again)?;
        if terminal.json && !(again && reports.is_empty()) {
            // One line for each round, so that a program can read them as they come.
            terminal.say(serde_json::json!({ "collections": reports }).to_string())?;
        }
        again = true;
        Ok(())
    });
    match watched {
        Err(error) if !error.downcast_ref().is_some_and(|error| matches!(error, Error::Cancelled)) => Err(error),
        _ => {
            terminal.note("Stopped watching.")?;
            Ok(Outcome::Done)
        }
    }
}

/// Syncs collections: what is to be said of them to programs, and whether all of it was read. When it is done again, only
/// what has changed is worth a word.
fn sync(
    context: &Context,
    args: &Sync,
    library: &mut Library,
    members: &[&Member],
    again: bool,
) -> Result<(Vec<serde_json::Value>, bool)> {
    let terminal = context.terminal;
    let locks = Locks::load(context)?;
    let held = args.locked || args.frozen;
    let options = SyncOptions { force: args.force && !again, dry_run: args.dry_run, ..context.sync_options()? };
    let cancel = cancel();
    let mut reports: Vec<serde_json::Value> = Vec::new();
    let mut whole = true;
    let mut settled: Vec<Member> = Vec::new();
    let mut unsaid = Ok(());
    for (number, &member) in members.iter().enumerate() {
        let pin = |pin| SyncOptions { pin, ..options.clone() };
        let options = match locks.pin(member, args.frozen) {
            _ if !held => Ok(options.clone()),
            pinned => pinned.map(pin),
        };
        let heading = format!("Syncing {} ({})...", member.name, member.spec.kind());
        let synced = if again {
            options.and_then(|options| library.sync(member, &options, &mut Silent, &cancel))
        } else {
            if number > 0 {
                terminal.note("")?;
            }
            terminal.note(&heading)?;
            let mut progress = SyncProgress::new(terminal, &member.name);
            let synced = options.and_then(|options| library.sync(member, &options, &mut progress, &cancel));
            progress.clear();
            synced
        };
        match synced {
            Ok(report)
                if again && report.added + report.updated + report.removed == 0 && report.problems.is_empty() => {}
            Ok(report) => {
                whole &= report.problems.is_empty();
                if report.problems.is_empty() {
                    settled.push(member.clone());
                }
                if again {
                    unsaid = unsaid.and(terminal.note(&heading));
                }
                // That nobody reads the summary of one collection does not keep the others from being synced.
                unsaid = unsaid.and(print(terminal, &report));
                reports.push(serde_json::to_value(&report)?);
            }
            Err(error @ Error::Cancelled) => return Err(error.into()),
            // A lock is there to stop what does not agree with it.
            Err(error @ (Error::LockChanged { .. } | Error::NotLocked { .. })) => return Err(error.into()),
            // One collection that fails does not keep the others from being synced.
            Err(error) if members.len() > 1 || again => {
                whole = false;
                let error = anyhow::Error::new(error);
                let value = serde_json::json!({ "name": member.name, "id": member.resolved.id(), "error": format!("{error:#}") });
                reports.push(value);
                if !terminal.json {
                    crate::failure::report(&error, false);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    if !args.dry_run && !held {
        // What is between two states is not what another machine should get.
        locks.update(context, library, &settled)?;
    }
    unsaid?;
    Ok((reports, whole))
}

fn print(terminal: Terminal, report: &SyncReport) -> Result<()> {
    for warning in &report.warnings {
        terminal.warn(warning)?;
    }
    if terminal.json {
        return Ok(());
    }
    list(terminal, "left out", report.skipped.iter().map(|entry| (&entry.path, &entry.reason)), report.skipped.len())?;
    list(
        terminal,
        "not read",
        report.problems.iter().map(|entry| (&entry.path, &entry.reason)),
        report.problems.len(),
    )?;
    if let Some(package) = &report.package
        && !terminal.quiet
    {
        let commit = match &package.commit {
            Some(commit) if !commit.starts_with(&package.version) => {
                format!(" at {}", commit.chars().take(12).collect::<String>())
            }
            _ => String::new(),
        };
        terminal.note(format!("  {} {}{commit}", one_line(&package.name), one_line(&package.version)))?;
    }
    if report.redacted > 0 {
        terminal.note(format!("  ! {} redacted", count(report.redacted, "secret value")))?;
    }
    let sign = if report.problems.is_empty() { '✓' } else { '⚠' };
    let (would, be) = if report.dry_run { ("would have ", "to be ") } else { ("", "") };
    let skipped =
        if report.problems.is_empty() { String::new() } else { format!(", {} not read", report.problems.len()) };
    if report.up_to_date && !terminal.quiet {
        return terminal.say(format!("  ✓ {} (up to date)", count(report.documents, "document")));
    }
    if !terminal.quiet {
        terminal.say(format!(
            "  {sign} {would}{} ({} {be}added, {} {be}updated, {} {be}removed{skipped})",
            count(report.documents, "document"),
            report.added,
            report.updated,
            report.removed
        ))?;
    }
    Ok(())
}

fn list<'e>(
    terminal: Terminal,
    what: &str,
    entries: impl Iterator<Item = (&'e String, &'e String)>,
    number: usize,
) -> Result<()> {
    for (path, reason) in entries.take(NAMED_FILES) {
        terminal.note(format!("  ! {what}: {} {}", one_line(path), one_line(reason)))?;
    }
    if number > NAMED_FILES {
        terminal.note(format!("  ! … and {} more {what}", number - NAMED_FILES))?;
    }
    Ok(())
}
