use std::fs::File;
use std::io::{BufRead, BufReader};

use ai_assist_identity::Sha256;
use ai_assist_session::export::{is_export, restore};
use ai_assist_session::replay::Replayed;
use ai_assist_session::transcript::{Transcript, read};
use ai_assist_session::{Error, Filesystem, NewSession, Session, SessionName};

use crate::args::SessionImport;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionImport) -> Result<Outcome> {
    let mut input = open(context, &args.file)?;
    let start = input.fill_buf().with_context(|| format!("can't read {}", args.file.display()))?;
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if args.format.is_none() && is_export(&String::from_utf8_lossy(first)) {
        return restored(context, args, &mut *input);
    }
    let transcript = read(&mut *input, args.format)?;
    for skipped in transcript.skipped.iter().take(10) {
        context.terminal.warn(format!("{}:{}: {}", args.file.display(), skipped.line, skipped.why))?;
    }
    let mut session = session_for(context, args, &transcript)?;
    let replayed = {
        let spinner = Spinner::new(context.terminal, "replaying");
        let (mut done, all) = (0, transcript.events.len());
        let mut tell = |n: usize| {
            done += n;
            spinner.say(|| format!("replaying: {done} of {all} events"));
        };
        session.replay(&transcript, &mut tell, &cancel())?
    };
    report(context, &session, &transcript, replayed)
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
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
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
            "session": name, "format": "ai-assist", "turns": null, "toolcalls": null, "known": 0, "skipped": 0,
        })
    };
    context.terminal.show(value, || context.terminal.say(&name))
}

/// The session of that name, or a new one named after the transcript.
fn session_for(context: &Context, args: &SessionImport, transcript: &Transcript) -> Result<Session> {
    let given = transcript.session.as_deref().map(|id| format!("{}-{id}", transcript.format));
    let name: Option<SessionName> = match &args.name {
        Some(name) => Some(name.parse()?),
        // One without an id that can be a name goes by how it begins, so that it is known again when it has grown.
        None => given.and_then(|name| name.parse().ok()).or_else(|| {
            let first = Sha256::of(format!("{:?}", transcript.events.first()?).as_bytes()).hex();
            format!("{}-{}", transcript.format, &first[..12]).parse().ok()
        }),
    };
    if let Some(name) = &name {
        match Session::load(Box::new(context.objects()?), name.as_str()) {
            Err(Error::UnknownSession { .. }) => {}
            Err(error) => return Err(error.into()),
            Ok(session) if args.filesystem.is_none() => return Ok(session),
            Ok(_) => bail!(
                "the session {name} is there, and whose files it is about is settled; leave out --filesystem, or import under another --name"
            ),
        }
    }
    let new = NewSession {
        name,
        folder: transcript.folder.clone(),
        system_prompt: transcript.system_prompt.clone().unwrap_or_default(),
        raw: args.raw,
        filesystem_id: context.filesystem_id()?,
        filesystem: args.filesystem.clone().unwrap_or(Filesystem::Own),
        imported: Some(transcript.format.to_string()),
        ..NewSession::default()
    };
    Ok(Session::create(Box::new(context.objects()?), new)?)
}

fn report(context: &Context, session: &Session, transcript: &Transcript, replayed: Replayed) -> Result<Outcome> {
    let Replayed { turns, toolcalls, known } = replayed;
    let skipped = transcript.skipped.len();
    let value = || {
        json!({
            "session": session.name(), "format": transcript.format.to_string(), "turns": turns, "toolcalls": toolcalls,
            "known": known, "skipped": skipped,
        })
    };
    context.terminal.show(value, || {
        context.terminal.say(session.name())?;
        let known = if known > 0 { format!(", {known} events known before") } else { String::new() };
        let skipped = if skipped > 0 { format!(", {} left out", count(skipped, "line")) } else { String::new() };
        let (turns, calls) = (count(turns, "turn"), count(toolcalls, "tool call"));
        context.terminal.note(format!("{turns}, {calls}{known}{skipped}."))
    })?;
    Ok(if skipped > 0 { Outcome::Partial } else { Outcome::Done })
}
