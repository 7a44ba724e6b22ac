use std::time::Duration;

use ai_assist_base::RealPath;
use ai_assist_base::watch::Pacing;
use ai_assist_session::watch::{WatchEvent, WatchOptions, WatchedChange, watch};

use crate::args::SessionWatch;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &SessionWatch) -> Result<Outcome> {
    let mut session = context.session(&args.session)?;
    let folder = |path: &PathBuf| {
        context.folder.join(path).real_path().with_context(|| format!("{} can't be read", path.display()))
    };
    let options = WatchOptions {
        folders: args.folder.iter().map(folder).collect::<Result<_>>()?,
        // What we write ourselves is nothing that an agent sees.
        except: vec![context.roots.data.clone(), context.roots.cache.clone()],
        pacing: Pacing { quiet: Duration::from_millis(args.debounce), ..Pacing::default() },
    };
    let name = session.name().to_owned();
    let terminal = context.terminal;
    let mut said = Ok(());
    watch(&mut session, &options, &cancel(), &mut |event| {
        if said.is_ok() {
            said = tell(terminal, &name, &event);
        }
    })?;
    said?;
    terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

fn tell(terminal: Terminal, name: &str, event: &WatchEvent<'_>) -> Result<()> {
    match event {
        WatchEvent::Watching { folders } => {
            terminal.note(format!("Watching {} for {name}; Ctrl-C stops it.", count(*folders, "folder")))
        }
        WatchEvent::Blind(why) => {
            terminal.warn(format!("the system tells of no changes ({}); looking every few seconds", one_line(why)))
        }
        WatchEvent::Changed(changes) => changes.iter().try_for_each(|change| one(terminal, name, change)),
        WatchEvent::Rescanned { .. } => Ok(()),
    }
}

/// One line for each change, so that a program can read them as they come.
fn one(terminal: Terminal, name: &str, change: &WatchedChange) -> Result<()> {
    let WatchedChange { path, action, deleted } = change;
    if terminal.json {
        let line = json!({ "session": name, "path": path, "action": action, "deleted": deleted });
        return terminal.say(line);
    }
    if terminal.quiet {
        return Ok(());
    }
    let word = if *deleted { "deleted".to_owned() } else { action.to_string() };
    terminal.say(format!("{word:<9}  {}", one_line(path)))
}
