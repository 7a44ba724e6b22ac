//! `sync --watch`.

use std::time::{Duration, Instant};

use ai_assist_collections::{Error, Member, Silent};
use ai_assist_identity::CollectionKind;
use ai_assist_repo::build::{BuildError, build_repo};
use anyhow::Result;
use serde_json::json;

use super::sync::{Wanted, wanted};
use crate::args::{IndexMode, SyncAll};
use crate::commands::Outcome;
use crate::commands::repos::build::{complain, json as json_of, summary as of_build};
use crate::commands::repos::repo::request;
use crate::context::Context;
use crate::interrupt::cancel;
use crate::terminal::{count, one_line};

/// So long after one look the next begins. A look at sizes and times of thousands of files takes a fraction of this.
const PAUSE: Duration = Duration::from_secs(2);

/// How often it is asked whether to stop.
const POLL: Duration = Duration::from_millis(100);

/// Looks again and again, and indexes what has changed. Packages are left out: asking servers every other second is no way to
/// treat them.
pub(crate) fn run(context: &Context, args: &SyncAll) -> Result<Outcome> {
    let Wanted { members, repos } = wanted(context, args)?;
    let members: Vec<Member> =
        members.into_iter().filter(|member| member.spec.kind() == CollectionKind::File).collect();
    let terminal = context.terminal;
    let what = format!("{} and {}", count(members.len(), "collection"), count(repos.len(), "repo"));
    terminal.note(format!("Watching {what}; Ctrl-C stops it."))?;
    let mut failing: Vec<String> = Vec::new();
    while pause() {
        for member in &members {
            let synced = context.library()?.sync(member, &context.sync_options()?, &mut Silent, &cancel());
            match synced {
                Ok(report) if report.added + report.updated + report.removed > 0 => {
                    failing.retain(|name| *name != member.name);
                    if terminal.json {
                        terminal.say(json!({ "collection": report }))?;
                    } else if !terminal.quiet {
                        terminal.say(format!(
                            "✓ {}: {} added, {} updated, {} removed",
                            member.name, report.added, report.updated, report.removed
                        ))?;
                    }
                }
                Ok(_) => failing.retain(|name| *name != member.name),
                Err(Error::Cancelled) => break,
                Err(error) => fail(context, &mut failing, &member.name, &error)?,
            }
        }
        for (name, repo) in &repos {
            match build_repo(&request(context, repo, &[IndexMode::All], false), &cancel(), &mut |_| {}) {
                Ok(report) => {
                    failing.retain(|known| known != name);
                    if !report.unchanged {
                        complain(terminal, &report)?;
                        if terminal.json {
                            terminal.say(json!({ "repo": json_of(repo, &report)? }))?;
                        } else if !terminal.quiet {
                            terminal.say(of_build(name, &report))?;
                        }
                    }
                }
                Err(BuildError::Cancelled) => break,
                Err(error) => fail(context, &mut failing, name, &error)?,
            }
        }
    }
    terminal.note("Stopped watching.")?;
    Ok(Outcome::Done)
}

/// Says what went wrong, once until it goes well again.
fn fail(context: &Context, failing: &mut Vec<String>, name: &str, error: &dyn std::error::Error) -> Result<()> {
    if failing.iter().any(|known| known == name) {
        return Ok(());
    }
    failing.push(name.to_owned());
    let message = ai_assist_base::chain(error);
    context.terminal.warn(format!("{}: {}", one_line(name), one_line(&message)))
}

/// Waits for the next look. False if it is time to stop.
fn pause() -> bool {
    let begun = Instant::now();
    while begun.elapsed() < PAUSE {
        if cancel().is_cancelled() {
            return false;
        }
        std::thread::sleep(POLL);
    }
    !cancel().is_cancelled()
}
