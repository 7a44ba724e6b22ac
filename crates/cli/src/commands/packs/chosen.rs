//! From what was typed to a choice of files, with what git knows.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ai_assist_admit::{OnSecret, PackRules, PathSet};
use ai_assist_git::{Ask, WorkTree};
use ai_assist_identity::DocPath;
use ai_assist_pack::{Choice, History};
use anyhow::{Context as _, Result, bail};

use crate::args::{OnSecretValue, Which};
use crate::context::Context;
use crate::interrupt::cancel;
use crate::terminal::one_line;

/// In so many of the last commits files are looked for, to tell which change often.
const COMMITS: usize = 500;

/// A choice of files, and the repository around them.
pub(super) struct Chosen {
    pub(super) choice: Choice,
    git: WorkTree,
}

impl Chosen {
    pub(super) fn new(context: &Context, which: &Which) -> Result<Chosen> {
        let root = match &which.path {
            Some(path) => context.folder.join(path),
            None => context.folder.clone(),
        };
        Chosen::at(context, &root, which)
    }

    /// The same for a folder that is already known.
    pub(super) fn at(context: &Context, root: &Path, which: &Which) -> Result<Chosen> {
        if root.is_file() {
            let parent = root.parent().unwrap_or(root);
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            bail!(
                "{} is a file, and a folder is needed; to pack it alone: ai-assist pack {} --include '{name}'",
                root.display(),
                parent.display()
            );
        }
        let root = root.canonicalize().with_context(|| format!("{} can't be opened", root.display()))?;
        let git = WorkTree::look(&root, &Ask { cancel: cancel(), ..Ask::default() });
        for warning in &git.warnings {
            context.terminal.warn(one_line(warning))?;
        }
        let tracked = git.tracked().map(|files| Arc::new(PathSet::from_ls_files(files)));
        let only = match (&which.changed_since, git.repo()) {
            (Some(revision), Some(repo)) => Some(Arc::new(PathSet::new(&repo.changed_since(revision)?))),
            (Some(_), None) if !git.warnings.is_empty() => bail!("git can't say what has changed"),
            (Some(_), None) => bail!("{} is in no git repository, so nothing can be said of changes", root.display()),
            (None, _) => None,
        };
        let allow = which.allow.iter().map(|path| allowed(context, &root, path)).collect::<Result<Vec<DocPath>>>()?;
        let on_secret = match which.on_secret {
            OnSecretValue::Redact => OnSecret::Redact,
            OnSecretValue::Exclude | OnSecretValue::Fail => OnSecret::Exclude,
        };
        let rules = PackRules { tracked, allow, on_secret, tracked_logs: false };
        let choice = Choice { root, include: which.include.clone(), exclude: which.exclude.clone(), only, rules };
        Ok(Chosen { choice, git })
    }

    /// How often files change. That git can't tell is no reason to stop.
    pub(super) fn history(&self, context: &Context) -> Option<History> {
        match self.git.repo()?.churn(COMMITS) {
            Ok(churn) => Some(History { commits_by_path: churn.by_path, looked_at: churn.commits_looked_at }),
            Err(error) => {
                let _ = context.terminal.warn(format!("{error}; the ranking goes without the history"));
                None
            }
        }
    }
}

/// A path that was allowed by hand: as it is in the project, or from the current folder.
fn allowed(context: &Context, root: &Path, text: &str) -> Result<DocPath> {
    let given = Path::new(text);
    let from_folder = context.folder.join(given);
    let place = match given.is_absolute() || !root.join(given).exists() {
        true => from_folder,
        false => root.join(given),
    };
    if !place.exists() {
        bail!("{text} is to be allowed, but there is no such file in {}", root.display());
    }
    if place.is_dir() {
        bail!("{text} is a folder; files are allowed one by one");
    }
    inside(root, &place)
}

/// The path below the root. Folders on the way may be symlinks; the last name is kept as it is.
pub(super) fn inside(root: &Path, place: &Path) -> Result<DocPath> {
    let relative = match place.strip_prefix(root) {
        Ok(relative) if is_plain(relative) => relative.to_owned(),
        _ => resolved(place).strip_prefix(root).map(Path::to_owned).unwrap_or_default(),
    };
    if relative.as_os_str().is_empty() {
        bail!("{} does not lie in {}", place.display(), root.display());
    }
    DocPath::from_relative(&relative).with_context(|| format!("{} can't be named", place.display()))
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The path with what leads to its last name resolved.
fn resolved(place: &Path) -> PathBuf {
    match (place.parent().map(Path::canonicalize), place.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => place.canonicalize().unwrap_or_else(|_| place.to_owned()),
    }
}
