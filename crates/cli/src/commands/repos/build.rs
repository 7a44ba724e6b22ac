use ai_assist_repo::build::{BuildReport, Origin};
use ai_assist_repo::local_repo::LocalRepo;

use super::repo::{check_scale, modes_of, repo_of};
use crate::args::IndexBuild;
use crate::commands::prelude::*;
use crate::progress::BuildProgress;

/// Of the files that could not be read, so many are named.
const NAMED_FILES: usize = 10;

pub(crate) fn run(context: &Context, args: &IndexBuild) -> Result<Outcome> {
    let repo = repo_of(context, &args.repo)?;
    check_scale(&repo.root.to_path_buf(), args.force)?;
    let mut progress = BuildProgress::new(context.terminal, repo.name());
    let built =
        context.build_index(&repo, modes_of(&args.mode), args.force, &cancel(), &mut |event| progress.tell(event));
    drop(progress);
    let report = built?;
    let terminal = context.terminal;
    warn_of_problems(terminal, &report)?;
    let value = json(&repo, &report)?;
    terminal.show(|| &value, || say(terminal, &repo, &report, args.redactions))?;
    Ok(if report.problems.is_empty() { Outcome::Done } else { Outcome::Partial })
}

/// Says what came of one of several builds, and returns it for programs.
pub(crate) fn reported(terminal: Terminal, name: &str, repo: &LocalRepo, report: &BuildReport) -> Result<Value> {
    warn_of_problems(terminal, report)?;
    terminal.tell(summary(name, report))?;
    let mut value = json(repo, report)?;
    value["repo"] = name.into();
    Ok(value)
}

/// A report for programs, with the repository it is of.
pub(crate) fn json(repo: &LocalRepo, report: &BuildReport) -> Result<Value> {
    let mut value = serde_json::to_value(report)?;
    value["repoId"] = repo.id.as_str().into();
    value["root"] = repo.root.as_str().into();
    value["modes"] = listed(&value["modes"], "mode");
    value["excluded"] =
        report.excluded.iter().map(|(reason, count)| json!({ "reason": reason, "count": count })).collect();
    value["origin"] = match &report.origin {
        Origin::Nothing => json!({ "kind": "nothing", "repoId": null }),
        Origin::Own => json!({ "kind": "own", "repoId": null }),
        Origin::Sibling(sibling) => json!({ "kind": "sibling", "repoId": sibling }),
    };
    Ok(value)
}

/// An object of objects as a list, with the names in a key of their own: programs read lists more easily.
pub(crate) fn listed(object: &Value, key: &str) -> Value {
    let entries = object.as_object().into_iter().flatten().map(|(name, value)| {
        let mut value = value.clone();
        value[key] = name.as_str().into();
        value
    });
    entries.collect()
}

/// Says what is odd and what could not be read.
pub(crate) fn warn_of_problems(terminal: Terminal, report: &BuildReport) -> Result<()> {
    for warning in &report.warnings {
        terminal.warn(one_line(warning))?;
    }
    for problem in report.problems.iter().take(NAMED_FILES) {
        terminal.warn(format!("{}: {}", one_line(&problem.path), one_line(&problem.message)))?;
    }
    if report.problems.len() > NAMED_FILES {
        terminal.warn(format!("… and {} more", report.problems.len() - NAMED_FILES))?;
    }
    Ok(())
}

fn say(terminal: Terminal, repo: &LocalRepo, report: &BuildReport, redactions: bool) -> Result<()> {
    if terminal.quiet {
        return Ok(());
    }
    terminal.say(summary(repo.name(), report))?;
    if report.redacted > 0 {
        let redacted = usize::try_from(report.redacted).unwrap_or(usize::MAX);
        terminal.note(format!("  ! {} redacted", count(redacted, "secret value")))?;
    }
    if redactions {
        note_redactions(terminal, &report.redactions)?;
    }
    if report.unchanged {
        return Ok(());
    }
    let rows = report.modes.iter().map(|(mode, it)| {
        let numbers = [it.documents, it.chunks, it.added as u64, it.changed as u64, it.removed as u64];
        std::iter::once(mode.to_string()).chain(numbers.iter().map(ToString::to_string)).collect()
    });
    terminal.table(&["mode", "documents", "chunks", "added", "changed", "removed"], rows.collect())
}

pub(crate) fn summary(name: &str, report: &BuildReport) -> String {
    let name = one_line(name);
    let sign = if report.problems.is_empty() { '✓' } else { '⚠' };
    let from = match &report.origin {
        Origin::Sibling(sibling) => format!(", from {sibling}"),
        Origin::Nothing | Origin::Own => String::new(),
    };
    if report.unchanged {
        return format!("{sign} {name}: up to date, {} (build {})", count(report.files, "file"), report.build_id);
    }
    let read = format!("{} read{from}", report.read);
    format!("{sign} {name}: {} indexed, {read} (build {})", count(report.files, "file"), report.build_id)
}
