use ai_assist_app::Source;
use ai_assist_collections::{
    CollectionSpec, Inspected, InspectedFile, RegistryInfo, Resolved, find_published, inspect_package, silent,
};
use ai_assist_identity::{PackageUrl, Sha256};

use crate::commands::prelude::*;

/// Of all files, so many are named.
const NAMED_FILES: usize = 20;

pub(crate) fn run(context: &Context, source: &str) -> Result<Outcome> {
    let place = place_of(context, source)?;
    let options = context.sync_options()?;
    let temporary = context.roots.cache.join("tmp");
    let inspected = inspect_package(&place.url, place.hash, (&options, &temporary), &mut silent, &cancel());
    let (inspected, error) = match (inspected, &place.published) {
        (Ok(inspected), _) => (Some(inspected), None),
        // What a registry says of a package is worth showing, even if nobody gives it out at the moment.
        (Err(error), Some(_)) => (None, Some(ai_assist_base::chain(&error))),
        (Err(error), None) => return Err(error.into()),
    };
    if context.terminal.json {
        context.terminal.json(&json!({
            "source": source, "declared": place.declared, "registry": place.published, "package": inspected,
            "error": error,
        }))?;
    } else {
        print(context, &place, inspected.as_ref())?;
        if let Some(error) = &error {
            context.terminal.warn(one_line(error))?;
        }
    }
    let whole = inspected.is_some_and(|inspected| inspected.problems.is_empty());
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

/// Where a package is.
pub(crate) struct Place {
    pub(crate) url: PackageUrl,
    pub(crate) hash: Option<Sha256>,
    /// What a registry says of it.
    published: Option<RegistryInfo>,
    /// The name by which the project declares it.
    declared: Option<String>,
}

/// Finds the package that is meant: one that the project declares, or whatever could be added.
pub(crate) fn place_of(context: &Context, source: &str) -> Result<Place> {
    let members = context.members()?;
    if let Some(member) = members.iter().find(|member| member.name == source)
        && let Resolved::Pkg { url, .. } = &member.resolved
    {
        let (url, hash) = (url.clone(), member.spec.hash()?);
        return Ok(Place { url, hash, published: None, declared: Some(member.name.clone()) });
    }
    let url = match context.detect(source)? {
        Source::Package(url) | Source::Git(url) => url,
        Source::Registry(wanted) => return of_registry(context, &wanted),
        Source::Documents { folder, .. } | Source::Code(folder) | Source::OwnCode(folder)
            if folder.join("manifest.json").is_file() =>
        {
            format!("file://{}", folder.join("manifest.json").display())
        }
        other => bail!(
            "`{source}` is no package but {}; name a manifest, a bundle, a git URL or a package of a registry",
            other.kind()
        ),
    };
    let Resolved::Pkg { url, .. } = Resolved::new(&CollectionSpec::package(url), context.root())? else {
        bail!("`{source}` is no package");
    };
    Ok(Place { url, hash: None, published: None, declared: None })
}

fn of_registry(context: &Context, wanted: &str) -> Result<Place> {
    let client = context.client()?;
    let registries = context.registries(&client, &cancel(), true)?;
    let published = find_published(&registries, wanted)?;
    let spec = CollectionSpec::package(published.chosen.url.clone());
    let Resolved::Pkg { url, .. } = Resolved::new(&spec, context.root())? else {
        bail!("`{wanted}` is no package");
    };
    Ok(Place { url, hash: Some(published.chosen.hash), published: Some(published), declared: None })
}

fn print(context: &Context, place: &Place, inspected: Option<&Inspected>) -> Result<()> {
    let terminal = context.terminal;
    let published = place.published.as_ref();
    let mut lines: Vec<(&str, String)> = Vec::new();
    let name = match (inspected, published) {
        (Some(package), _) => format!("{} {}", package.name, package.version),
        (None, Some(published)) => format!("{} {}", published.name, published.chosen.version),
        (None, None) => place.url.to_string(),
    };
    let yanked = if published.is_some_and(|published| published.chosen.yanked) { " (yanked)" } else { "" };
    terminal.say(format!("{}{yanked}", one_line(&name)))?;
    let description = inspected.and_then(|package| package.description.clone());
    let description = description.or_else(|| published.and_then(|published| published.description.clone()));
    if let Some(description) = description {
        terminal.say(one_line(&description))?;
    }
    if let Some(name) = &place.declared {
        lines.push(("declared as", name.clone()));
    }
    lines.push(("from", place.url.to_string()));
    if let Some(published) = published {
        lines.push(("registry", published.registry.clone()));
        let shown = |it: &ai_assist_collections::RegistryVersionInfo| {
            if it.yanked { format!("{} (yanked)", it.version) } else { it.version.clone() }
        };
        let versions: Vec<String> = published.versions.iter().take(NAMED_FILES).map(shown).collect();
        let more = published.versions.len().saturating_sub(versions.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(("versions", format!("{}{more}", versions.join(", "))));
    }
    if let Some(package) = inspected {
        describe(package, &mut lines);
    }
    for (label, text) in lines {
        terminal.say(format!("{label:<12} {}", one_line(&text)))?;
    }
    if let Some(package) = inspected {
        list(context, package)?;
    }
    Ok(())
}

fn describe(package: &Inspected, lines: &mut Vec<(&str, String)>) {
    lines.push(("kind", package.kind.to_owned()));
    lines.push(("licence", package.license.clone().unwrap_or_else(|| "not said".to_owned())));
    lines.extend(package.dependency.clone().map(|dependency| ("documents", dependency)));
    lines.extend(package.hash.map(|hash| ("hash", hash.to_string())));
    lines.extend(package.commit.clone().map(|commit| ("commit", commit)));
    let credentials = if package.credentials { "those for its server are sent" } else { "none needed" };
    lines.push(("credentials", credentials.to_owned()));
    if !package.hosts.is_empty() {
        lines.push(("also from", package.hosts.join(", ")));
    }
    let unknown = package.files.iter().filter(|file| file.size.is_none()).count();
    let size = match (unknown, package.files.len()) {
        (0, _) => format!(", {} bytes", package.bytes),
        (unknown, all) if unknown == all => String::new(),
        (unknown, _) => format!(", {} bytes and {unknown} of unknown size", package.bytes),
    };
    let vectors = if package.vectors { ", with vectors" } else { "" };
    lines.push(("files", format!("{}{size}{vectors}", package.files.len())));
    if package.redacted > 0 {
        lines.push(("secrets", format!("{} would be redacted", count(package.redacted, "value"))));
    }
    if !package.skipped.is_empty() {
        lines.push(("left out", count(package.skipped.len(), "file")));
    }
}

fn list(context: &Context, package: &Inspected) -> Result<()> {
    let terminal = context.terminal;
    let room = if terminal.verbose { usize::MAX } else { NAMED_FILES };
    for InspectedFile { path, size, hash } in package.files.iter().take(room) {
        let size = size.map_or_else(|| "-".to_owned(), |size| size.to_string());
        let hash = hash.filter(|_| terminal.verbose).map(|hash| format!("  {hash}")).unwrap_or_default();
        terminal.say(format!("{size:>10}  {}{hash}", one_line(path)))?;
    }
    match package.files.len().saturating_sub(room) {
        0 => {}
        more => terminal.note(format!("… and {more} more (--verbose names them)"))?,
    }
    for left in package.skipped.iter().take(room) {
        terminal.note(format!("  ! left out: {} {}", one_line(&left.path), one_line(&left.reason)))?;
    }
    for problem in &package.problems {
        terminal.warn(format!("{} {}", one_line(&problem.path), one_line(&problem.reason)))?;
    }
    terminal.warn_all(&package.warnings)
}
