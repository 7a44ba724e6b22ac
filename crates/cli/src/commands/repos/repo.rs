//! From what was typed to a repository.

use ai_assist_base::{RealPath, nearest};
use ai_assist_chunk::ChunkKind;
use ai_assist_index::PathGlobs;
use ai_assist_repo::build::BuildRequest;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_text::Language;

use crate::args::{IndexMode, OneRepo};
use crate::commands::prelude::*;

pub(crate) fn repo_at(context: &Context, folder: &Path) -> Result<LocalRepo> {
    Ok(context.app.repo_at(&context.place(folder))?)
}

/// The one that a flag names, or the one around the current folder.
pub(crate) fn repo_of(context: &Context, args: &OneRepo) -> Result<LocalRepo> {
    repo_at(context, args.repo.as_deref().unwrap_or(Path::new("")))
}

/// Refuses folders that nobody means to index whole, unless somebody insists.
pub(crate) fn check_scale(folder: &Path, force: bool) -> Result<()> {
    if force || !is_too_large(folder) {
        return Ok(());
    }
    bail!(
        "{} is hardly meant to be indexed whole; go to a project, or name one with -C DIR; --force does it all the same",
        folder.display()
    )
}

/// Whether a folder is the root of the file system or the user's home.
pub(crate) fn is_too_large(folder: &Path) -> bool {
    let real = |folder: &Path| folder.real_path().unwrap_or_else(|_| folder.to_owned());
    let folder = real(folder);
    folder.parent().is_none() || etcetera::home_dir().is_ok_and(|home| real(&home) == folder)
}

/// Says that a repository has no index, and what to do about it.
pub(crate) fn no_index(repo: &LocalRepo) -> anyhow::Error {
    match is_too_large(&repo.root.to_path_buf()) {
        true => anyhow!("{} is no project; go to one, or name one with -C DIR", repo.root),
        false => anyhow!("{} has no index yet; make it with: ai-assist -C {0} sync", repo.root),
    }
}

pub(crate) fn request(context: &Context, repo: &LocalRepo, modes: &[IndexMode], force: bool) -> BuildRequest {
    context.build_request(repo, modes_of(modes), force)
}

/// The modes that were asked for, each once and in order.
pub(crate) fn modes_of(asked: &[IndexMode]) -> Vec<Mode> {
    let is_asked = |mode: &Mode| asked.iter().any(|asked| asked.is_none_or(|asked| asked == *mode));
    Mode::ALL.into_iter().filter(is_asked).collect()
}

pub(crate) fn globs_of(globs: &[String]) -> Result<Option<PathGlobs>> {
    let globs = if globs.is_empty() { None } else { Some(globs) };
    globs.map(|globs| PathGlobs::new(globs).context("`--path` is no glob")).transpose()
}

pub(crate) fn languages_of(names: &[String]) -> Result<Vec<Language>> {
    names.iter().map(|name| name.parse().with_context(|| format!("`--lang {name}` is no language"))).collect()
}

/// Kinds of pieces by their names; `others` are the names that are taken beside them.
pub(crate) fn kinds_of(names: &[String], others: &[&str]) -> Result<Vec<ChunkKind>> {
    let unknown = |name: &String| {
        let pieces: Vec<String> = ChunkKind::ALL.iter().map(ToString::to_string).collect();
        let known: Vec<&str> = others.iter().copied().chain(pieces.iter().map(String::as_str)).collect();
        let meant =
            nearest(name, known.iter().copied()).map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
        anyhow!("`--kind {name}` is no kind; {meant}there are {}", known.join(", "))
    };
    names.iter().map(|name| name.parse().map_err(|_| unknown(name))).collect()
}
