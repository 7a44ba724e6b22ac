use ai_assist_app::{found_spec, glob_of, has_range, is_site_url};
use ai_assist_collections::{CollectionSpec, Declaration, Resolved, check_package_url, resolve_package};
use ai_assist_identity::{CollectionId, CollectionKind as Kind};

use crate::args::Add;
use crate::commands::prelude::*;
use crate::context::plain;

pub(crate) fn run(context: &Context, mut args: Add) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let (categories, description) = (std::mem::take(&mut args.category), args.description.take());
    let (name, source) = match from_registry(context, &args, &target.root)? {
        Some((name, spec)) => (name, Some(spec)),
        None if is_bare(&args) && !(categories.is_empty() && description.is_none()) => (args.name.clone(), None),
        None => (args.name.clone(), Some(spec(context, args, &target.root)?)),
    };
    let id = source.as_ref().map(|spec| checked(context, spec, &target.root)).transpose()?;
    let declaration = Declaration { source, categories, description };
    let edited = context.edit_for_user(&target, |edit| edit.add_collection(&name, &declaration))?;
    let written = edited.after.get(&name).unwrap_or(&declaration);
    if context.terminal.json {
        let value = json!({ "name": name, "id": id, "collection": written, "file": target.file.display().to_string() });
        context.terminal.json(&value)?;
    } else {
        context.terminal.tell(format!("Added {name}{}", described(written)))?;
        context.terminal.note(format!("Next: ai-assist collections sync {name}"))?;
    }
    Ok(Outcome::Done)
}

/// Whether only a name is given.
fn is_bare(args: &Add) -> bool {
    args.source.is_none() && args.path.is_none() && args.url.is_none() && args.kind.is_none() && args.glob.is_none()
}

/// The id of a source. Whatever can't be resolved is refused before it is written.
fn checked(context: &Context, spec: &CollectionSpec, root: &Path) -> Result<CollectionId> {
    let resolved = Resolved::new(spec, root)?;
    if let Resolved::Pkg { url, .. } = &resolved {
        check_package_url(url)?;
    }
    if let Resolved::File { folder, .. } = &resolved
        && !folder.is_dir()
    {
        context.terminal.warn(format!("{} is not a folder yet", folder.display()))?;
    }
    Ok(resolved.id().clone())
}

/// What a collection is made of, for people.
pub(crate) fn described(declaration: &Declaration) -> String {
    let source = declaration.source.as_ref().map(|spec| format!(" ({}): {}", spec.kind(), spec.source()));
    let categories = match declaration.categories.as_slice() {
        [] => None,
        categories => Some(format!("categories {}", categories.join(", "))),
    };
    match (source, categories) {
        (Some(source), None) => source,
        (Some(source), Some(categories)) => format!("{source}, {categories}"),
        (None, Some(categories)) => format!(": {categories}"),
        (None, None) => ": no categories yet".to_owned(),
    }
}

/// A package of a registry: `add react@^18`, or `add docs react@^18`, or `add react` when nothing else is said.
fn from_registry(context: &Context, args: &Add, root: &Path) -> Result<Option<(String, CollectionSpec)>> {
    let is_bare = is_bare(args) && args.category.is_empty();
    let has_range = |text: &str| has_range(text) && !text.contains("://");
    let wanted = match &args.source {
        None if is_bare && (has_range(&args.name) || !context.settings.registries().is_empty()) => &args.name,
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
    context.terminal.note(format!("Found {} {}", found.name, found.version))?;
    Ok(Some((alias, found_spec(&found, wanted, root))))
}

fn spec(context: &Context, args: Add, root: &Path) -> Result<CollectionSpec> {
    let (kind, path, url) = match args.source {
        Some(source) if is_site_url(&source) => (Kind::Site, None, Some(source)),
        Some(source) if source.contains("://") => (Kind::Pkg, None, Some(source)),
        Some(source) => (Kind::File, Some(source), None),
        None => {
            let inferred = match &args.url {
                Some(url) if is_site_url(url) => Kind::Site,
                Some(_) => Kind::Pkg,
                None => Kind::File,
            };
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
        Kind::Site => {
            if path.is_some() || args.glob.is_some() {
                bail!("a collection of type site has a --url, not a --path or a --glob");
            }
            Ok(CollectionSpec::site(url.context("a collection of type site needs a --url")?))
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
                glob = Some(glob_of(name));
                folder.pop();
            }
            // What is the user's own is not moved with anything.
            let path = match folder.canonicalize() {
                Ok(real) if args.global && !real.starts_with(root) => text(&real)?,
                _ => relative(&folder, root)?,
            };
            Ok(CollectionSpec::files(path, glob.unwrap_or_else(|| "**/*.md".to_owned())))
        }
    }
}

fn text(path: &Path) -> Result<String> {
    Ok(path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?.to_owned())
}

/// The path as it reads best in the configuration.
pub(crate) fn relative(folder: &Path, root: &Path) -> Result<String> {
    let real = folder.canonicalize().unwrap_or_else(|_| plain(folder));
    ai_assist_base::portable_path(&real, root).with_context(|| format!("{} is not UTF-8", real.display()))
}
