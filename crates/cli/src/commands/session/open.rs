use ai_assist_app::Reach;
use ai_assist_base::RealPath;
use ai_assist_session::NewSession;
use ai_assist_session::resolver::MountMapping;
use ai_assist_session::surroundings::{Mounts, mounts_of};

use super::place::input_text;
use crate::args::SessionOpen;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: SessionOpen) -> Result<Outcome> {
    let filesystem_id = context.filesystem_id()?;
    let system_prompt = match (args.system_prompt, args.system_prompt_file) {
        (Some(text), _) => text,
        (None, Some(file)) => input_text(&file)?,
        (None, None) => String::new(),
    };
    let Mounts { mappings: mounts, hidden } = match args.mounts_of {
        Some(pid) => of_process(pid, &filesystem_id)?,
        None => {
            let mount = |text| MountMapping::parse(text, &filesystem_id);
            let mappings = args.mount.iter().map(|text| mount(text)).collect::<Result<_, _>>()?;
            Mounts { mappings, hidden: Vec::new() }
        }
    };
    let named = match &args.folder {
        Some(folder) if mounts.is_empty() => Some(
            context.folder.join(folder).real_path().with_context(|| format!("{} can't be read", folder.display()))?,
        ),
        Some(folder) => Some(folder.clone()),
        None => mounts.first().map(|mount| mount.agent_prefix.clone()),
    };
    let folder = match named {
        Some(folder) => folder.to_str().with_context(|| format!("{} is not UTF-8", folder.display()))?.to_owned(),
        None => context.app.session_folder()?,
    };
    let name = args.name.map(|name| name.parse()).transpose()?;
    let raw = args.raw;
    let folder = Some(folder);
    let new = NewSession { name, folder, system_prompt, raw, filesystem_id, mounts, hidden, ..NewSession::default() };
    let session = context.create_session(new, Reach::Machine)?;
    if context.terminal.json {
        let about = session.about();
        context.terminal.json(&json!({ "session": session.name(), "folder": about.folder, "raw": about.raw }))?;
    } else {
        context.terminal.say(session.name())?;
        if raw {
            context.terminal.warn("contents are kept as they are, secrets too")?;
        }
        let is_here = session.about().folder.as_deref().is_some_and(|folder| context.folder.starts_with(folder));
        context.terminal.note(match is_here {
            true => "Commands in this folder are about it from now on; others: --session, AI_ASSIST_SESSION.",
            false => "Name it with --session or AI_ASSIST_SESSION.",
        })?;
    }
    Ok(Outcome::Done)
}

/// How the paths of another process lead to ours.
fn of_process(pid: u32, filesystem_id: &str) -> Result<Mounts> {
    let read = |whose: &str| {
        let path = format!("/proc/{whose}/mountinfo");
        std::fs::read(&path).with_context(|| format!("can't read {path}"))
    };
    let mounts = mounts_of(read(&pid.to_string())?, read("self")?, filesystem_id);
    if mounts.mappings.is_empty() {
        bail!("process {pid} sees no folder of this machine; give --mount by hand");
    }
    Ok(mounts)
}
