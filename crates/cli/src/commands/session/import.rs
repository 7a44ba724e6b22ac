use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Duration;

use ai_assist_app::{ImportAll, ImportedAll, ImportedFile, TakeIn, TakenIn};
use ai_assist_base::watch::{FolderWatch, Pacing};
use ai_assist_session::export::{is_export, restore};
use ai_assist_session::transcript::found::{Homes, opened};
use ai_assist_session::transcript::{Transcript, read};

use crate::args::SessionImport;
use crate::commands::mcp::config::places;
use crate::commands::prelude::*;
use crate::context::variable;

pub(crate) fn run(context: &Context, args: &SessionImport) -> Result<Outcome> {
    let Some(file) = &args.file else { return all(context, args) };
    let mut input = open(context, file)?;
    let start = input.fill_buf().with_context(|| format!("can't read {}", file.display()))?;
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if args.format.is_none() && is_export(&String::from_utf8_lossy(first)) {
        return restored(context, args, &mut *input);
    }
    let transcript = read(&mut *input, args.format)?;
    for skipped in transcript.skipped.iter().take(10) {
        context.terminal.warn(format!("{}:{}: {}", file.display(), skipped.line, skipped.why))?;
    }
    let how = TakeIn {
        name: args.name.as_deref().map(str::parse).transpose()?,
        raw: args.raw,
        filesystem: args.filesystem.clone(),
        // Whoever names a transcript wants what is in it.
        again: true,
    };
    if args.filesystem.is_some()
        && let Some(name) = how.name.as_ref().map(ToString::to_string).or_else(|| transcript.session_name())
        && context.sessions(ai_assist_app::Reach::Machine)?.iter().any(|session| session.name == name)
    {
        bail!(
            "the session {name} is there, and whose files it is about is settled; leave out --filesystem, or import under another --name"
        );
    }
    let taken = {
        let spinner = Spinner::new(context.terminal, "replaying");
        let (mut done, all) = (0, events(&transcript));
        let mut tell = |n: usize| {
            done += n;
            spinner.say(|| format!("replaying: {done} of {all} events"));
        };
        context.take_in(&transcript, &how, &mut tell, &cancel())?
    };
    report(context, &taken)
}

fn events(transcript: &Transcript) -> usize {
    transcript.events.len() + transcript.subagents.iter().map(events).sum::<usize>()
}

fn open(context: &Context, path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let path = context.place(path);
    let file = File::open(&path).with_context(|| format!("can't read {}", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a folder; name the transcript itself", path.display());
    }
    Ok(opened(file, &path)?)
}

fn restored(context: &Context, args: &SessionImport, input: &mut dyn BufRead) -> Result<Outcome> {
    if args.name.is_some() {
        bail!("an export comes back as the session that it was; leave out --name");
    }
    if args.filesystem.is_some() {
        bail!("an export says itself whose files it is about; leave out --filesystem");
    }
    let name = restore(&mut context.objects()?, input, args.raw, &context.filesystem_id()?)?;
    let value = || {
        json!({
            "session": name, "parent": null, "format": "ai-assist", "turns": null, "toolcalls": null, "known": 0, "skipped": 0,
            "subagents": [],
        })
    };
    context.terminal.show(value, || context.terminal.say(&name))
}

fn report(context: &Context, taken: &[TakenIn]) -> Result<Outcome> {
    let Some((main, subagents)) = taken.split_first() else { return Ok(Outcome::Partial) };
    let value = || {
        let mut value = json!(main);
        value["subagents"] = json!(subagents);
        value
    };
    context.terminal.show(value, || {
        for taken in taken {
            context.terminal.say(&taken.session)?;
            context.terminal.note(format!("{}.", counts(taken)))?;
        }
        Ok(())
    })?;
    Ok(if taken.iter().any(|taken| taken.skipped > 0) { Outcome::Partial } else { Outcome::Done })
}

fn counts(taken: &TakenIn) -> String {
    let known = if taken.known > 0 { format!(", {} events known before", taken.known) } else { String::new() };
    let skipped =
        if taken.skipped > 0 { format!(", {} left out", count(taken.skipped, "line")) } else { String::new() };
    format!("{}, {}{known}{skipped}", count(taken.turns, "turn"), count(taken.toolcalls, "tool call"))
}

/// Where the clients of this user keep what they have recorded.
fn homes() -> Result<Homes> {
    let places = places()?;
    let claude = match &places.claude {
        Some(folder) => vec![folder.clone()],
        None => vec![places.home.join(".claude"), places.home.join(".config/claude")],
    };
    Ok(Homes {
        claude,
        codex: vec![places.codex.clone().unwrap_or_else(|| places.home.join(".codex"))],
        gemini: vec![variable("GEMINI_CLI_HOME").unwrap_or_else(|| places.home.clone()).join(".gemini")],
    })
}

fn all(context: &Context, args: &SessionImport) -> Result<Outcome> {
    let mut wanted = ImportAll {
        homes: homes()?,
        everywhere: args.everywhere,
        dry_run: args.dry_run,
        filesystem: args.filesystem.clone(),
        again: args.again.clone(),
    };
    let outcome = once(context, &wanted, true)?;
    // Once asked for, they are there.
    wanted.again.clear();
    if !args.watch {
        return Ok(outcome);
    }
    let folders: Vec<PathBuf> = wanted.homes.folders().into_iter().map(|(_, folder)| folder).collect();
    context.terminal.note(format!("Watching {}; Ctrl-C stops it.", count(folders.len(), "folder")))?;
    let is_hint = |_: &Path| true;
    let pacing = Pacing { quiet: Duration::from_millis(500), ..Pacing::default() };
    let mut watched = FolderWatch::new(folders, pacing, &is_hint);
    let cancel = cancel();
    while watched.next(&cancel).is_some() {
        match once(context, &wanted, false) {
            // What is left is taken in by the next import.
            Err(_) if cancel.is_cancelled() => break,
            other => _ = other?,
        }
    }
    context.terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

fn once(context: &Context, wanted: &ImportAll, tell_counts: bool) -> Result<Outcome> {
    let terminal = context.terminal;
    let mut said = Ok(());
    let imported = {
        let mut tell = |file: &ImportedFile| {
            if said.is_ok() {
                said = one(terminal, wanted, file);
            }
        };
        context.import_all(wanted, &mut tell, &cancel())?
    };
    said?;
    let ImportedAll { files, unchanged, others, deleted, problems } = &imported;
    for (path, why) in problems {
        terminal.warn(format!("{}: {why}", path.display()))?;
    }
    let sessions: usize = files.iter().map(|file| file.sessions.len()).sum();
    if terminal.json && tell_counts {
        let list: Vec<Value> = files.iter().map(json_of).collect();
        let problems: Vec<Value> =
            problems.iter().map(|(path, why)| json!({ "file": path.display().to_string(), "why": why })).collect();
        terminal.json(&json!({
            "files": list, "sessions": sessions, "unchanged": unchanged, "others": others, "deleted": deleted, "problems": problems,
            "dryRun": wanted.dry_run,
        }))?;
    } else if tell_counts {
        let word = if wanted.dry_run { "would be taken in" } else { "taken in" };
        let from = count(files.len(), "transcript");
        terminal.note(format!("{from} {word}, {unchanged} unchanged, {others} of other projects."))?;
        for name in deleted {
            terminal.note(format!("{name} was deleted and stays so; --again {name} takes it in anew."))?;
        }
    }
    Ok(if problems.is_empty() { Outcome::Done } else { Outcome::Partial })
}

fn one(terminal: Terminal, wanted: &ImportAll, file: &ImportedFile) -> Result<()> {
    if terminal.json {
        return Ok(());
    }
    if wanted.dry_run {
        return terminal.say(format!("{:<11}  {}", file.format, one_line(&file.path.display().to_string())));
    }
    let mut changed = file.sessions.iter().filter(|taken| taken.turns + taken.toolcalls > 0);
    changed.try_for_each(|taken| terminal.say(format!("{}  {}", taken.session, counts(taken))))
}

fn json_of(file: &ImportedFile) -> Value {
    json!({
        "file": file.path.display().to_string(), "format": file.format.to_string(), "folder": file.folder, "bytes": file.bytes,
        "sessions": file.sessions,
    })
}
