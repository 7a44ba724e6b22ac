//! `collection_sync` and `index_build`: bringing indexes up to date.

use std::sync::Mutex;

use ai_assist_app::{CollectionSync, SyncWanted};
use ai_assist_collections::{Member, SyncEvent, SyncReport};
use ai_assist_repo::build::{BuildEvent, BuildReport};
use ai_assist_repo::layout::Mode;

use super::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncArgs {
    /// Only these collections, by name (default: all that the project declares).
    #[serde(default)]
    #[schemars(example = ["docs"])]
    collections: Vec<String>,
    /// Read everything again.
    #[serde(default)]
    #[schemars(example = false)]
    force: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Synced {
    collection: String,
    /// The category, where the documents are those of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// How many documents it has now.
    documents: usize,
    added: usize,
    updated: usize,
    removed: usize,
    /// How many secret values were taken out.
    #[serde(skip_serializing_if = "is_zero")]
    redacted: usize,
    /// What went wrong with single files, the first few; what was indexed of them before is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// Why it was not synced.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncAnswer {
    collections: Vec<Synced>,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for SyncAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.collections, &mut self.not_listed, share)
    }
}

impl Tool for SyncArgs {
    const NAME: &'static str = "collection_sync";
    const DESCRIPTION: &'static str = "Bring the index of the project's collections up to date with their sources (folders, packages on the network). Only what \
            changed is read. Call it when an answer says that a collection is not synced or that files have changed.";
    type Answer = SyncAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SyncAnswer>, Failure> {
        let members = call.project.members()?.named(&args.collections)?;
        let wanted = SyncWanted { force: args.force, frozen: call.frozen, ..SyncWanted::default() };
        let mut sync = CollectionSync::new(call.project, wanted)?;
        let mut answer = SyncAnswer { collections: Vec::new(), not_listed: 0 };
        let (mut done, mut files) = (0.0, 0.0);
        for member in &members {
            let mut tell = |event: SyncEvent<'_>| {
                let what = match event {
                    SyncEvent::Waiting => "waiting for another sync".to_owned(),
                    SyncEvent::Walking => "looking for files".to_owned(),
                    SyncEvent::Asking(what) => format!("asking for {what}"),
                    SyncEvent::Reading(more) => {
                        files += more as f64;
                        "reading".to_owned()
                    }
                    SyncEvent::FileDone => {
                        done += 1.0;
                        "reading".to_owned()
                    }
                    SyncEvent::Indexing => "writing the index".to_owned(),
                    SyncEvent::Found(by, _) => format!("pages found by {by}"),
                    SyncEvent::Pages { done, waiting } => format!("{done} pages, {waiting} more found"),
                    SyncEvent::Fetched(_) | SyncEvent::Step(..) => return,
                };
                (call.report)(done, (files > 0.0).then_some(files), format!("{}: {what}", member.name));
            };
            match sync.sync(member, &mut tell, call.cancel) {
                Ok(report) => answer.collections.push(synced(member, &report)),
                Err(ai_assist_collections::Error::Cancelled) => return Err(Failure::cancelled()),
                // The others are synced all the same.
                Err(error) => {
                    let error = Some(ai_assist_base::chain(&error));
                    answer.collections.push(Synced { error, ..nothing(member) });
                }
            }
        }
        sync.finish()?;
        let failed = answer.collections.iter().filter(|synced| synced.error.is_some()).count();
        match (failed, answer.collections.len()) {
            (0, 0) => Ok(Success::with_message(
                answer,
                "nothing is declared that has documents: `collection_list` shows what there is",
            )),
            (0, _) => Ok(answer.into()),
            (failed, all) if failed == all => {
                let said: Vec<String> = answer
                    .collections
                    .iter()
                    .map(|it| format!("{}: {}", it.collection, it.error.as_deref().unwrap_or_default()))
                    .collect();
                Err(Failure::new(ErrorType::ReadError, said.join("; "), "Put the sources right, then call again."))
            }
            (failed, all) => {
                let message = format!("{failed} of {all} collections could not be synced; `error` says why");
                Ok(Success::with_message(answer, message))
            }
        }
    }
}

fn nothing(member: &Member) -> Synced {
    let collection = member.collections.first().unwrap_or(&member.name).clone();
    let (category, problems) = (member.category().map(str::to_owned), Vec::new());
    Synced { collection, category, documents: 0, added: 0, updated: 0, removed: 0, redacted: 0, problems, error: None }
}

fn synced(member: &Member, report: &SyncReport) -> Synced {
    let problems = report.problems.iter().take(5).map(|problem| format!("{}: {}", problem.path, problem.reason));
    Synced {
        documents: report.documents,
        added: report.added,
        updated: report.updated,
        removed: report.removed,
        redacted: report.redacted,
        problems: problems.collect(),
        ..nothing(member)
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuildArgs {
    /// Another repository of the workspace.
    repo: Option<String>,
    /// Read everything again.
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BuildAnswer {
    repo: String,
    /// The build that is current now.
    build: String,
    /// Whether nothing had changed.
    unchanged: bool,
    files: usize,
    /// How many were read.
    read: usize,
    /// How many secret values were taken out.
    redacted: u64,
    /// What went wrong with single files, the first few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Answer for BuildAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        let list = if self.problems.is_empty() { &mut self.warnings } else { &mut self.problems };
        drop_last(list, share) > 0
    }
}

impl Tool for BuildArgs {
    const NAME: &'static str = "index_build";
    const DESCRIPTION: &'static str = "Index the code of the project's repository, or bring its index up to date: only what changed is read. Call it when an \
            answer says that the repository has no index, or after many files have changed.";
    type Answer = BuildAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<BuildAnswer>, Failure> {
        let repo = call.project.repo_named(args.repo.as_deref())?;
        let counts = Mutex::new((0.0, None));
        let mut tell = |event: BuildEvent<'_>| {
            let mut counts = counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let what = match event {
                BuildEvent::Waiting => "waiting for another build",
                BuildEvent::Reading(files) => {
                    counts.1 = Some(files as f64);
                    "reading"
                }
                BuildEvent::FileDone(_) => {
                    counts.0 += 1.0;
                    "reading"
                }
                BuildEvent::Writing(_) => "writing the index",
                BuildEvent::Promoting => "making it current",
                _ => "looking for files",
            };
            (call.report)(counts.0, counts.1, what.to_owned());
        };
        let report = call.project.build_index(&repo.local, Mode::ALL.to_vec(), args.force, call.cancel, &mut tell)?;
        Ok(built(repo.name, report).into())
    }
}

fn built(repo: String, report: BuildReport) -> BuildAnswer {
    let problem = |problem: &ai_assist_admit::Problem| format!("{}: {}", problem.path, problem.message);
    BuildAnswer {
        repo,
        problems: report.problems.iter().take(5).map(problem).collect(),
        build: report.build_id,
        unchanged: report.unchanged,
        files: report.files,
        read: report.read,
        redacted: report.redacted,
        warnings: report.warnings,
    }
}
