//! From what was typed to a repository.

use std::path::Path;

use ai_assist_chunk::ChunkKind;
use ai_assist_identity::{CanonicalPath, RepoId};
use ai_assist_index::PathGlobs;
use ai_assist_text::Language;
use ai_assist_workspace::build::BuildRequest;
use ai_assist_workspace::layout::{Mode, RepoCache};
use ai_assist_workspace::lookup::Place;
use ai_assist_workspace::repo_config::repo_cache;
use ai_assist_workspace::root::{canonical_root, work_tree_top};
use anyhow::{Context as _, Result, anyhow, bail};

use crate::args::{IndexMode, OneRepo};
use crate::context::Context;

/// A repository of this machine.
pub(crate) struct Repo {
    pub(crate) root: CanonicalPath,
    pub(crate) id: RepoId,
    pub(crate) cache: RepoCache,
}

impl Repo {
    /// The repository around a folder.
    pub(crate) fn at(context: &Context, folder: &Path) -> Result<Repo> {
        let folder = context.folder.join(folder);
        if folder.is_file() {
            bail!("{} is a file, and a folder of a repository is needed", folder.display());
        }
        let root = canonical_root(&folder, &work_tree_top)?;
        let cache = repo_cache(&root, &context.roots.cache)?;
        Ok(Repo { id: RepoId::of(&root), root, cache })
    }

    /// The one that a flag names, or the one around the current folder.
    pub(crate) fn of(context: &Context, args: &OneRepo) -> Result<Repo> {
        Repo::at(context, args.repo.as_deref().unwrap_or(Path::new("")))
    }

    /// What people call it.
    pub(crate) fn name(&self) -> &str {
        self.root.file_name().unwrap_or(self.root.as_str())
    }

    /// Where to look things up.
    pub(crate) fn place(&self) -> Place<'_> {
        Place { name: self.name(), cache: &self.cache }
    }

    /// A build of some of its modes.
    pub(crate) fn request(&self, context: &Context, modes: &[IndexMode], force: bool) -> BuildRequest {
        BuildRequest {
            root: self.root.clone(),
            repo_id: self.id.clone(),
            cache: self.cache.clone(),
            modes: modes_of(modes),
            vector_cache: Some(context.roots.cache.join("vectors")),
            limits: context.settings.limits(),
            force,
        }
    }
}

/// The modes that were asked for, each once and in order.
pub(crate) fn modes_of(asked: &[IndexMode]) -> Vec<Mode> {
    let is_asked = |mode: &Mode| {
        asked.iter().any(|asked| match asked {
            IndexMode::Code => *mode == Mode::Code,
            IndexMode::Prose => *mode == Mode::Prose,
            IndexMode::ExtractedProse => *mode == Mode::ExtractedProse,
            IndexMode::Records => *mode == Mode::Records,
            IndexMode::All => true,
        })
    };
    Mode::ALL.into_iter().filter(is_asked).collect()
}

/// The globs that were asked for.
pub(crate) fn globs_of(globs: &[String]) -> Result<Option<PathGlobs>> {
    let globs = if globs.is_empty() { None } else { Some(globs) };
    globs.map(|globs| PathGlobs::new(globs).context("`--path` is no glob")).transpose()
}

/// The languages that were asked for.
pub(crate) fn languages_of(names: &[String]) -> Result<Vec<Language>> {
    names.iter().map(|name| name.parse().with_context(|| format!("`--lang {name}` is no language"))).collect()
}

/// The kinds that were asked for.
pub(crate) fn kinds_of(names: &[String]) -> Result<Vec<ChunkKind>> {
    let known = || ChunkKind::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let kind = |name: &String| name.parse().map_err(|_| anyhow!("`--kind {name}` is no kind; there are {}", known()));
    names.iter().map(kind).collect()
}
