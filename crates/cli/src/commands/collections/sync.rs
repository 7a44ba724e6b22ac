use ai_assist_app::{CollectionSync, SyncWanted};
use ai_assist_base::watch::Pacing;
use ai_assist_collections::{Error, Member, MergedPackage, Resolved, Side, Skipped, SyncReport, WatchEvent, watch};

use crate::args::Sync;
use crate::commands::prelude::*;
use crate::progress::SyncProgress;

/// Of all files left out, so many are named.
const NAMED_FILES: usize = 10;

/// More collections than this get a line each, and those that are up to date a line together.
const FEW: usize = 8;

pub(crate) struct Synced {
    pub(crate) reports: Vec<Value>,
    /// Which sides were taken of packages that a merge had left in conflict in the lock.
    pub(crate) merged: Vec<MergedPackage>,
    /// Whether every file of every collection was read.
    pub(crate) whole: bool,
}

pub(crate) fn run(context: &Context, args: &Sync) -> Result<Outcome> {
    context.ask_for_folders()?;
    let members = context.named_members(&args.names)?;
    if members.is_empty() && !context.terminal.json {
        context.terminal.note("No collections yet. Add one: ai-assist add ./docs")?;
    }
    if args.watch {
        return follow(context, &members, args);
    }
    let synced = sync(context, &members, args, false)?;
    if context.terminal.json {
        context.terminal.json(&json!({ "collections": synced.reports, "merged": synced.merged }))?;
    }
    Ok(if synced.whole { Outcome::Done } else { Outcome::Partial })
}

/// `ref update`, as it was called once.
pub(crate) fn deprecated(context: &Context, names: Vec<String>) -> Result<Outcome> {
    let message = "`ref update` is deprecated; use `ai-assist collections add` and `ai-assist collections sync`";
    context.terminal.warn(message)?;
    run(context, &Sync { names, ..Sync::default() })
}

/// Syncs now, and again whenever files of folders change, until somebody presses Ctrl-C.
pub(crate) fn follow(context: &Context, members: &[Member], args: &Sync) -> Result<Outcome> {
    let terminal = context.terminal;
    // What we write ourselves is no reason to sync again.
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
        let concerned: Vec<Member> = concerned.iter().map(|&member| member.clone()).collect();
        let synced = sync(context, &concerned, args, again)?;
        if terminal.json && !(again && synced.reports.is_empty()) {
            // One line for each round, so that a program can read them as they come.
            terminal.say(json!({ "collections": synced.reports, "merged": synced.merged }).to_string())?;
        }
        again = true;
        Ok(())
    });
    let cancelled = |error: &anyhow::Error| matches!(error.downcast_ref(), Some(Error::Cancelled));
    if let Err(error) = watched
        && !cancelled(&error)
    {
        return Err(error);
    }
    terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

/// Syncs some collections and says what came of it. When it is done again, only what has changed is worth a word.
pub(crate) fn sync(context: &Context, members: &[Member], args: &Sync, again: bool) -> Result<Synced> {
    let terminal = context.terminal;
    let Sync { force, dry_run, locked, frozen, .. } = *args;
    let sync = CollectionSync::new(context, SyncWanted { force: force && !again, dry_run, locked, frozen })?;
    let vendor = args.vendor.as_ref().map(|folder| context.folder.join(folder));
    let mut sync = sync.with_vendor(vendor);
    let merged = sync.merged().to_vec();
    note_merged(terminal, &merged, dry_run)?;
    let cancel = cancel();
    let mut reports: Vec<Value> = Vec::new();
    let mut whole = true;
    let mut progress = SyncProgress::new(terminal);
    let brief = again || members.len() > FEW && !terminal.verbose;
    let mut said = Said { terminal, brief, named: 0, current: 0, redactions: args.redactions };
    let mut unsaid = Ok(());
    for member in members {
        said.begin(member, reports.is_empty())?;
        progress.begin(&member.name);
        let synced = sync.sync(member, &mut |event| progress.tell(event), &cancel);
        progress.clear();
        match synced {
            Ok(report) if again && report.is_unchanged() => {}
            Ok(report) => {
                whole &= report.problems.is_empty();
                // That nobody reads the summary of one collection does not keep the others from being synced.
                unsaid = unsaid.and(said.end(&report));
                if report.documents == 0 && !again && warn_of_nothing(context, member)? {
                    whole = false;
                }
                reports.push(serde_json::to_value(&report)?);
            }
            Err(error @ Error::Cancelled) => return Err(error.into()),
            // A lock is there to stop what does not agree with it.
            Err(error @ (Error::LockChanged { .. } | Error::NotLocked { .. })) => return Err(error.into()),
            // One collection that fails does not keep the others from being synced.
            Err(error) if members.len() > 1 || again => {
                whole = false;
                let error = anyhow::Error::new(error);
                let value = json!({ "name": member.name, "id": member.resolved.id(), "error": format!("{error:#}") });
                reports.push(value);
                if !terminal.json {
                    crate::failure::report(&error, false);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    sync.finish()?;
    unsaid?;
    said.finish()?;
    Ok(Synced { reports, merged, whole })
}

/// Says which sides were taken of what a merge had left in the lock.
fn note_merged(terminal: Terminal, merged: &[MergedPackage], dry_run: bool) -> Result<()> {
    if merged.is_empty() {
        return Ok(());
    }
    let settled = if dry_run { "would be settled" } else { "are settled" };
    terminal.note(format!("The conflicts of a merge in the lock {settled}:"))?;
    for MergedPackage { name, took, ours, theirs } in merged {
        let version = |side: &Option<String>| one_line(side.as_deref().unwrap_or("none"));
        let taken = match took {
            Side::Ours => format!("ours, {}, not theirs, {}", version(ours), version(theirs)),
            Side::Theirs => format!("theirs, {}, not ours, {}", version(theirs), version(ours)),
            Side::Neither => {
                format!(
                    "neither ours, {}, nor theirs, {}: the configuration admits none",
                    version(ours),
                    version(theirs)
                )
            }
        };
        terminal.note(format!("  {}: {taken}", one_line(name)))?;
    }
    Ok(())
}

/// Says what a folder holds of which nothing was taken. Whether there is something.
fn warn_of_nothing(context: &Context, member: &Member) -> Result<bool> {
    let Resolved::File { folder, glob, .. } = &member.resolved else { return Ok(false) };
    if !folder.is_dir() {
        return Ok(false);
    }
    let contents = context.contents(folder, glob, &cancel())?;
    let is_something = contents.files == 0 && !contents.other.is_empty();
    if is_something {
        let name = &member.name;
        let all = format!("`\"glob\": \"{}\"` takes documents of every format", ai_assist_admit::Globs::DOCUMENTS);
        context.terminal.warn(format!("{name} has no documents; its folder holds {}; {all}", contents.instead()))?;
    }
    Ok(is_something)
}

/// What is said of a sync of one or many collections.
struct Said {
    terminal: Terminal,
    brief: bool,
    named: usize,
    /// How many collections were as they should be, and not worth a line.
    current: usize,
    /// Whether it is told where values were taken out.
    redactions: bool,
}

impl Said {
    fn begin(&self, member: &Member, is_first: bool) -> Result<()> {
        if self.brief {
            return Ok(());
        }
        if !is_first {
            self.terminal.note("")?;
        }
        self.terminal.note(format!("Syncing {} ({})...", member.name, member.spec.kind()))
    }

    fn end(&mut self, report: &SyncReport) -> Result<()> {
        let terminal = self.terminal;
        for warning in &report.warnings {
            terminal.warn(warning)?;
        }
        if terminal.json || terminal.quiet {
            return Ok(());
        }
        self.list("left out", &report.skipped)?;
        self.list("not read", &report.problems)?;
        if let Some(site) = report.site.as_ref().filter(|_| !self.brief) {
            let asked = count(site.asked, "page");
            terminal.note(format!(
                "  {asked} found by {}, {} unchanged, {}",
                site.found_by,
                site.not_modified,
                indicatif::HumanBytes(site.bytes)
            ))?;
        }
        if let Some(package) = report.package.as_ref().filter(|_| !self.brief && report.site.is_none()) {
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
        if self.redactions {
            note_redactions(terminal, &report.redactions)?;
        }
        if report.up_to_date && self.brief {
            self.current += 1;
            return Ok(());
        }
        let sign = if report.problems.is_empty() { '✓' } else { '⚠' };
        let of = if self.brief { format!("{sign} {}:", report.name) } else { format!("  {sign}") };
        terminal.say(format!("{of} {}", summary(report)))
    }

    fn finish(&self) -> Result<()> {
        match self.current {
            0 => Ok(()),
            number => self.terminal.say(format!("✓ {} up to date", count(number, "collection"))),
        }
    }

    fn list(&mut self, what: &str, entries: &[Skipped]) -> Result<()> {
        let room = if self.terminal.verbose { usize::MAX } else { NAMED_FILES.saturating_sub(self.named) };
        for Skipped { path, reason, .. } in entries.iter().take(room) {
            self.terminal.note(format!("  ! {what}: {} {}", one_line(path), one_line(reason)))?;
        }
        self.named += entries.len().min(room);
        match entries.len().saturating_sub(room) {
            0 => Ok(()),
            more => self.terminal.note(format!("  ! … and {more} more {what} (--verbose names them)")),
        }
    }
}

fn summary(report: &SyncReport) -> String {
    let documents = count(report.documents, "document");
    if report.up_to_date {
        return format!("{documents} (up to date)");
    }
    let (would, be) = if report.dry_run { ("would have ", "to be ") } else { ("", "") };
    let skipped =
        if report.problems.is_empty() { String::new() } else { format!(", {} not read", report.problems.len()) };
    let SyncReport { added, updated, removed, .. } = report;
    format!("{would}{documents} ({added} {be}added, {updated} {be}updated, {removed} {be}removed{skipped})")
}
