use std::path::{Path, PathBuf};

use ai_assist_collections::{
    CollectionSpec, ConfigEdit, Declaration, Error, Resolved, check_package_url, init_project, portable_url,
    resolve_package,
};
use anyhow::{Context as _, Result, bail};

use crate::args::{Add, Kind};
use crate::commands::Outcome;
use crate::context::Context;
use crate::interrupt::cancel;

pub(crate) fn run(context: &Context, args: Add) -> Result<Outcome> {
    let (root, file) = if args.global {
        let folder = context.global_file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| format!("creating {} failed", folder.display()))?;
        match init_project(&context.global_file, false, &context.roots.edit_lock(&context.global_file)) {
            Ok(()) | Err(Error::AlreadyInitialised(_)) => {}
            Err(error) => return Err(error.into()),
        }
        (folder.canonicalize()?, context.global_file.clone())
    } else {
        let project = context.need_project()?;
        (project.root.clone(), project.file.clone())
    };
    let (name, spec) = match from_registry(context, &args, &root)? {
        Some(found) => found,
        None => (args.name.clone(), spec(context, args, &root)?),
    };
    // Whatever can't be resolved is refused before it is written.
    let resolved = Resolved::new(&spec, &root)?;
    if let Resolved::Pkg { url, .. } = &resolved {
        check_package_url(url)?;
    }
    if let Resolved::File { folder, .. } = &resolved
        && !folder.is_dir()
    {
        context.terminal.warn(format!("{} is not a folder yet", folder.display()))?;
    }
    let lock = context.roots.edit_lock(&file);
    let declaration = Declaration::from(spec.clone());
    ConfigEdit::new(&file, &lock).add_collection(&name, &declaration).map_err(Error::from)?;
    if context.terminal.json {
        let value = serde_json::json!({ "name": name, "id": resolved.id(), "collection": spec, "file": file });
        context.terminal.json(&value)?;
    } else if !context.terminal.quiet {
        context.terminal.say(format!("Added {name} ({}): {}", spec.kind(), spec.source()))?;
        context.terminal.note(format!("Next: ai-assist collections sync {name}"))?;
    }
    Ok(Outcome::Done)
}

/// A package of a registry: `add react@^18`, or `add docs react@^18`, or `add react` when nothing else is said.
fn from_registry(context: &Context, args: &Add, root: &Path) -> Result<Option<(String, CollectionSpec)>> {
    let nothing_else = args.path.is_none() && args.url.is_none() && args.kind.is_none() && args.glob.is_none();
    let has_range = |text: &str| text.char_indices().any(|(at, c)| c == '@' && at > 0) && !text.contains("://");
    let wanted = match &args.source {
        None if nothing_else && (has_range(&args.name) || !context.settings.registries().is_empty()) => &args.name,
        Some(source) if has_range(source) && !context.folder.join(source).exists() => source,
        _ => return Ok(None),
    };
    let registries = context.registries(&context.client()?, &cancel(), true)?;
    let found = resolve_package(&registries, wanted)?;
    let alias = if args.source.is_some() {
        args.name.clone()
    } else {
        found.name.trim_start_matches('@').replace(['/', '.', '@'], "-")
    };
    let range = if has_range(wanted) { wanted.clone() } else { format!("{}@^{}", found.name, found.version) };
    let spec = CollectionSpec::Pkg {
        url: portable_url(&found.url, root),
        hash: Some(found.hash.to_string()),
        package: Some(range),
        dependency: None,
    };
    context.terminal.note(format!("Found {} {}", found.name, found.version))?;
    Ok(Some((alias, spec)))
}

fn spec(context: &Context, args: Add, root: &Path) -> Result<CollectionSpec> {
    let (kind, path, url) = match args.source {
        Some(source) if source.contains("://") => (Kind::Pkg, None, Some(source)),
        Some(source) => (Kind::File, Some(source), None),
        None => {
            let inferred = if args.url.is_some() { Kind::Pkg } else { Kind::File };
            (args.kind.unwrap_or(inferred), args.path, args.url)
        }
    };
    match kind {
        Kind::Pkg => {
            if path.is_some() || args.glob.is_some() {
                bail!("a collection of type pkg has a --url, not a --path or a --glob");
            }
            let url = url.context("a collection of type pkg needs a --url")?;
            Ok(CollectionSpec::package(url))
        }
        Kind::File => {
            if url.is_some() {
                bail!("a collection of type file has a --path, not a --url");
            }
            let path =
                path.context("a folder, a file or a URL is needed, such as `ai-assist collections add docs ./docs`")?;
            let mut folder = context.folder.join(&path);
            let mut glob = args.glob;
            if folder.is_file() && glob.is_none() {
                let name = folder.file_name().and_then(|name| name.to_str()).context("the file's name is not UTF-8")?;
                glob = Some(escape(name));
                folder.pop();
            }
            let path = relative(&folder, root)?;
            Ok(CollectionSpec::files(path, glob.unwrap_or_else(|| "**/*.md".to_owned())))
        }
    }
}

/// The path as it reads best in the configuration: relative to the project's root if it lies below it.
fn relative(folder: &Path, root: &Path) -> Result<String> {
    let real = folder.canonicalize().unwrap_or_else(|_| clean(folder));
    let path = match real.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => Path::new(".").join(below),
        Err(_) => real,
    };
    Ok(path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?.replace('\\', "/"))
}

/// A path that does not exist, with `.` and `..` taken out of it.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                clean.pop();
            }
            std::path::Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

/// A file name as a glob that matches nothing else.
fn escape(name: &str) -> String {
    name.chars().flat_map(|c| if "*?[]{}!\\".contains(c) { vec!['[', c, ']'] } else { vec![c] }).collect()
}
