use ai_assist_admit::Globs;
use ai_assist_app::{
    AddSource, FolderContents, Source, file_url, found_spec, glob_of, has_range, is_package, is_site_url,
};
use ai_assist_base::RealPath;
use ai_assist_collections::{CollectionSpec, Declaration, Resolved, check_package_url, portable_url, resolve_package};
use ai_assist_identity::{CollectionId, CollectionKind as Kind};

use crate::args::Add;
use crate::commands::front::{note_registry, say_contents};
use crate::commands::prelude::*;
use crate::context::plain;

pub(crate) fn run(context: &Context, mut args: Add) -> Result<Outcome> {
    let target = context.target(args.global)?;
    let (categories, description) = (std::mem::take(&mut args.category), args.description.take());
    // Whoever names one file knows what they leave out.
    let one_file = args.source.as_ref().or(args.path.as_ref()).is_some_and(|path| context.folder.join(path).is_file());
    let (name, source) = match from_registry(context, &args, &target.root)? {
        Some((name, spec)) => (name, Some(spec)),
        None if is_bare(&args) && !(categories.is_empty() && description.is_none()) => (args.name.clone(), None),
        None => (args.name.clone(), Some(spec(context, args, &target.root)?)),
    };
    let checked = source.as_ref().map(|spec| checked(context, spec, &target.root)).transpose()?;
    let (id, contents) = checked.map_or((None, None), |(id, contents)| (Some(id), contents));
    let declaration = Declaration { source, categories, description };
    let edited = context.edit_for_user(&target, |edit| edit.add_collection(&name, &declaration))?;
    let written = edited.after.get(&name).unwrap_or(&declaration);
    if context.terminal.json {
        let mut value =
            json!({ "name": name, "id": id, "collection": written, "file": target.file.display().to_string() });
        if let Some(contents) = &contents {
            value["found"] = json!(contents);
        }
        context.terminal.json(&value)?;
    } else {
        context.terminal.tell(format!("Added {name}{}", described(written)))?;
        match &contents {
            Some(contents) if contents.files == 0 && contents.other.is_empty() => {}
            Some(contents) if contents.files == 0 => warn_of_nothing(context, &name, contents)?,
            Some(contents) if !context.terminal.quiet && !one_file => say_contents(context, contents)?,
            _ => {}
        }
        context.terminal.note(format!("Next: ai-assist collections sync {name}"))?;
    }
    // A folder that is still empty may be filled later.
    let is_nothing = contents.is_some_and(|contents| contents.files == 0 && !contents.other.is_empty());
    Ok(if is_nothing { Outcome::Partial } else { Outcome::Done })
}

/// Says that the pattern takes nothing, what there is instead, and how to have that.
fn warn_of_nothing(context: &Context, name: &str, contents: &FolderContents) -> Result<()> {
    context.terminal.warn(format!("{name} takes no file; the folder holds {}", contents.instead()))?;
    match contents.other_glob() {
        Some(glob) => context.terminal.note(format!(
            "To index those: ai-assist collections remove {name}, then add it with --glob '{glob}'; code of a repository \
             is indexed by ai-assist sync"
        )),
        None => Ok(()),
    }
}

/// Whether only a name is given.
fn is_bare(args: &Add) -> bool {
    args.source.is_none() && args.path.is_none() && args.url.is_none() && args.kind.is_none() && args.glob.is_none()
}

/// The id of a source, and what a folder holds of it. Whatever can't be resolved is refused before it is written.
fn checked(context: &Context, spec: &CollectionSpec, root: &Path) -> Result<(CollectionId, Option<FolderContents>)> {
    let resolved = Resolved::new(spec, root)?;
    let mut contents = None;
    match &resolved {
        Resolved::Pkg { url, .. } => check_package_url(url)?,
        Resolved::File { folder, glob, .. } if folder.is_dir() => {
            contents = Some(context.contents(folder, glob, &cancel())?);
        }
        Resolved::File { folder, .. } => {
            context.terminal.warn(format!("{} is not a folder yet", folder.display()))?;
        }
        Resolved::Dep { .. } | Resolved::Site { .. } | Resolved::Broken { .. } => {}
    }
    Ok((resolved.id().clone(), contents))
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
    let has_range = |text: &str| has_range(text) && !text.contains(':');
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
    note_registry(context.terminal, &found)?;
    Ok(Some((alias, found_spec(&found, wanted, root))))
}

fn spec(context: &Context, args: Add, root: &Path) -> Result<CollectionSpec> {
    let spelled = args.source.as_deref().map(|text| context.spelled(text)).transpose()?.flatten();
    let (kind, path, url) = match (args.source, spelled) {
        (_, Some(Source::Package(url))) if is_site_url(&url) => (Kind::Site, None, Some(url)),
        (_, Some(Source::Git(url) | Source::Package(url))) => (Kind::Pkg, None, Some(url)),
        (_, Some(source)) => return Ok(context.spec(&AddSource::new(source), &cancel())?.0),
        (Some(source), None) => (Kind::File, Some(source), None),
        (None, None) => {
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
        Kind::Dep => bail!("what the project depends on is added by `ai-assist collections suggest --add`"),
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
            if glob.is_none() && folder.is_file() && is_package(&folder) {
                let url = file_url(&folder.real_path()?);
                return Ok(CollectionSpec::package(portable_url(&url, root)));
            }
            if folder.is_file() && glob.is_none() {
                let name = folder.file_name().and_then(|name| name.to_str()).context("the file's name is not UTF-8")?;
                glob = Some(glob_of(name));
                folder.pop();
            }
            // What is the user's own is not moved with anything.
            let path = match folder.real_path() {
                Ok(real) if args.global && !real.starts_with(root) => text(&real)?,
                Ok(real) => match relative(&folder, root)? {
                    near if args.global || near.starts_with('.') => near,
                    _ => context.written(&real, !Path::new(&path).is_absolute()),
                },
                Err(_) => relative(&folder, root)?,
            };
            Ok(CollectionSpec::files(path, glob.unwrap_or_else(|| Globs::DOCUMENTS.to_owned())))
        }
    }
}

fn text(path: &Path) -> Result<String> {
    Ok(path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?.to_owned())
}

/// The path as it reads best in the configuration.
pub(crate) fn relative(folder: &Path, root: &Path) -> Result<String> {
    let real = folder.real_path().unwrap_or_else(|_| plain(folder));
    ai_assist_base::portable_path(&real, root).with_context(|| format!("{} is not UTF-8", real.display()))
}
