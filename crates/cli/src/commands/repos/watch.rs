use std::time::Duration;

use ai_assist_base::watch::Pacing;
use ai_assist_repo::build::BuildError;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_repo::watch::{WatchEvent, WatchOptions, watch};

use super::build::{json, summary, warn_of_problems};
use super::repo::{check_scale, repo_of, request};
use crate::args::IndexWatch;
use crate::commands::prelude::*;

pub(crate) fn run(context: &Context, args: &IndexWatch) -> Result<Outcome> {
    let repo = repo_of(context, &args.repo)?;
    check_scale(&repo.root.to_path_buf(), false)?;
    let terminal = context.terminal;
    let pacing = Pacing { quiet: Duration::from_millis(args.debounce), ..Pacing::default() };
    let options = WatchOptions { pacing, ..WatchOptions::default() };
    let mut said = Ok(());
    watch(&request(context, &repo, &args.mode, false), &options, &cancel(), &mut |event| {
        if said.is_ok() {
            said = tell(terminal, &repo, &event);
        }
    })?;
    said?;
    terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

fn tell(terminal: Terminal, repo: &LocalRepo, event: &WatchEvent<'_>) -> Result<()> {
    match event {
        WatchEvent::Watching => terminal.note(format!("Watching {}; Ctrl-C stops it.", one_line(repo.root.as_str()))),
        WatchEvent::Blind(why) => {
            terminal.warn(format!("the system tells of no changes ({}); looking every few seconds", one_line(why)))
        }
        WatchEvent::Built(Ok(report)) => {
            warn_of_problems(terminal, report)?;
            if terminal.json {
                // One line for each build, so that a program can read them as they come.
                terminal.say(serde_json::to_string(&json(repo, report)?)?)
            } else if report.unchanged || terminal.quiet {
                Ok(())
            } else {
                terminal.say(summary(repo.name(), report))
            }
        }
        WatchEvent::Built(Err(BuildError::Cancelled)) => Ok(()),
        WatchEvent::Built(Err(error)) => terminal.warn(format!("the build failed: {}", whole(error))),
        WatchEvent::NotCollected(error) => terminal.warn(format!("old builds stay: {}", whole(error))),
    }
}

fn whole(error: &BuildError) -> String {
    one_line(&ai_assist_base::chain(error))
}
