//! From what was typed to a choice of files, with what git knows.

use std::path::{Component, Path, PathBuf};

use ai_assist_admit::{Allowance, OnSecret, is_secret_rule};
use ai_assist_app::{Chosen, PackFiles};
use ai_assist_base::RealPath;
use ai_assist_identity::DocPath;

use crate::args::{OnSecretValue, Which};
use crate::commands::prelude::*;

/// The files that were asked for. What git could not say is warned of.
pub(super) fn chosen(context: &Context, which: &Which) -> Result<Chosen> {
    let root = match &which.path {
        Some(path) => context.folder.join(path),
        None => context.folder.clone(),
    };
    chosen_at(context, &root, which)
}

/// The same for a folder that is already known.
pub(super) fn chosen_at(context: &Context, root: &Path, which: &Which) -> Result<Chosen> {
    if root.is_file() {
        let parent = root.parent().unwrap_or(root);
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        bail!(
            "{} is a file, and a folder is needed; to pack it alone: ai-assist pack {} --include '{name}'",
            root.display(),
            parent.display()
        );
    }
    let root = root.real_path().with_context(|| format!("{} can't be opened", root.display()))?;
    let (mut allow, mut allowances) = (Vec::new(), Vec::new());
    for text in &which.allow {
        let (path, allowance) = allowance(context, &root, text)?;
        if allowance.as_ref().is_none_or(|allowance| allowance.rule.is_none()) {
            allow.push(path);
        }
        allowances.extend(allowance);
    }
    let files = PackFiles {
        include: which.include.clone(),
        exclude: which.exclude.clone(),
        allow,
        allowances,
        on_secret: match which.on_secret {
            OnSecretValue::Redact => OnSecret::Redact,
            OnSecretValue::Exclude | OnSecretValue::Fail => OnSecret::Exclude,
        },
        changed_since: which.changed_since.clone(),
        root,
    };
    let chosen = files.choose(&cancel())?;
    for warning in &chosen.warnings {
        context.terminal.warn(one_line(warning))?;
    }
    Ok(chosen)
}

/// What `--allow` says: `PATH`, `PATH=REASON` or `PATH#RULE=REASON`. A file whose name has these marks is that file.
fn allowance(context: &Context, root: &Path, text: &str) -> Result<(DocPath, Option<Allowance>)> {
    let exists = |path: &str| root.join(path).exists() || context.folder.join(path).exists();
    let (named, reason) = match text.split_once('=') {
        Some((named, reason)) if !exists(text) => (named, Some(reason.trim())),
        _ => (text, None),
    };
    let (path, rule) = match named.rsplit_once('#') {
        Some((path, rule)) if !exists(named) => (path, Some(rule)),
        _ => (named, None),
    };
    let path = allowed(context, root, path)?;
    if let Some(rule) = rule.filter(|rule| !is_secret_rule(rule)) {
        bail!(
            "{rule} is no rule of secret values; the marker `[redacted:RULE]` and --redactions name the one that took a value out"
        );
    }
    match (rule, reason) {
        (Some(rule), None | Some("")) => {
            bail!("why the values of {rule} may leave is missing; say it behind a `=`: {named}=REASON")
        }
        (None, Some("")) => bail!("behind the `=` of {text} a reason is missing"),
        (None, None) => Ok((path, None)),
        (rule, Some(reason)) => {
            let (rule, reason) = (rule.map(str::to_owned), reason.to_owned());
            Ok((path.clone(), Some(Allowance { path, rule, reason })))
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
        _ => place.real_path().unwrap_or_else(|_| place.to_owned()),
    }
}
