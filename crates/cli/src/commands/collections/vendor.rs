use ai_assist_app::Locks;
use ai_assist_collections::{Error, LockedCollection, Member, VENDOR_FOLDER, Vendor, VendoredPackage, silent};
use ai_assist_identity::CollectionKind;

use crate::args::VendorArgs;
use crate::commands::prelude::*;

/// Of all files that are missing, so many are named for each package.
const NAMED_FILES: usize = 5;

pub(crate) fn run(context: &Context, args: &VendorArgs) -> Result<Outcome> {
    let root = &context.need_local()?.root;
    let folder = match &args.output {
        Some(folder) => context.folder.join(folder),
        None => root.join(VENDOR_FOLDER),
    };
    let locks = Locks::load(context)?;
    let mut members = context.named_members(&[])?;
    let is_locked = |member: &Member| matches!(member.spec.kind(), CollectionKind::Pkg | CollectionKind::Site);
    members.retain(|member| is_locked(member) && !member.global);
    let mut packages: Vec<(String, LockedCollection)> = Vec::new();
    for member in &members {
        let not_locked = || Error::NotLocked { name: member.name.clone(), path: locks.file(member) };
        packages.push((member.name.clone(), locks.get(member).ok_or_else(not_locked)?));
    }
    let (found, stray) = match args.check {
        true => check(&folder, &packages)?,
        false => fetch(context, &folder, (&members, &packages), args.with_secrets)?,
    };
    let whole =
        found.iter().all(|(package, error)| package.is_whole() && error.is_none()) && !(args.check && stray > 0);
    if context.terminal.json {
        let value = |(package, error): &(VendoredPackage, Option<String>)| {
            let mut value = json!(package);
            value["error"] = json!(error);
            value
        };
        context.terminal.json(&json!({
            "folder": folder.display().to_string(), "whole": whole, "removed": if args.check { 0 } else { stray },
            "stray": if args.check { stray } else { 0 }, "packages": found.iter().map(value).collect::<Vec<_>>(),
        }))?;
    } else {
        print(context, &folder, &found, (stray, args.check))?;
    }
    Ok(if whole { Outcome::Done } else { Outcome::Partial })
}

/// What there is of each package, why it could not be looked at, and how many files there are that no package has.
type Found = (Vec<(VendoredPackage, Option<String>)>, usize);

fn check(folder: &Path, packages: &[(String, LockedCollection)]) -> Result<Found> {
    let Some(vendor) = Vendor::open(folder)? else {
        bail!("there is no folder {}; `ai-assist collections vendor` makes it", folder.display());
    };
    let look = |(name, locked): &(String, LockedCollection)| Ok((vendor.check(name, locked)?, None));
    let found = packages.iter().map(look).collect::<Result<Vec<_>>>()?;
    Ok((found, vendor.count_stray(packages)?))
}

fn fetch(
    context: &Context,
    folder: &Path,
    (members, packages): (&[Member], &[(String, LockedCollection)]),
    with_secrets: bool,
) -> Result<Found> {
    let vendor = Vendor::create(folder)?;
    let (options, cancel) = (context.sync_options()?, cancel());
    let temporary = context.roots.cache.join("tmp");
    let mut found = Vec::new();
    for (member, (name, locked)) in members.iter().zip(packages) {
        context.terminal.note(format!("Looking at {name}..."))?;
        let fetched = vendor.fetch(member, locked, with_secrets, (&options, &temporary), &mut silent, &cancel);
        match fetched {
            Ok(package) => found.push((package, None)),
            Err(error @ (Error::Cancelled | Error::Vendor { .. } | Error::Io { .. })) => return Err(error.into()),
            // One package that can't be had does not keep the others from being kept.
            Err(error) => found.push((vendor.check(name, locked)?, Some(ai_assist_base::chain(&error)))),
        }
    }
    let removed = vendor.finish(packages)?;
    Ok((found, removed))
}

fn print(
    context: &Context,
    folder: &Path,
    found: &[(VendoredPackage, Option<String>)],
    (stray, is_check): (usize, bool),
) -> Result<()> {
    let terminal = context.terminal;
    if found.is_empty() {
        terminal.note("No packages and no websites; only they are vendored")?;
    }
    for (package, error) in found {
        let name = one_line(&package.name);
        match (error, package.missing.len()) {
            (None, 0) => terminal.say(format!(
                "✓ {name}: {}, {} bytes ({} new)",
                count(package.files, "file"),
                package.bytes,
                package.written
            ))?,
            (error, missing) => {
                let why = error.as_ref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
                terminal.say(format!("✗ {name}: {missing} of {} missing{why}", count(package.files, "file")))?;
            }
        }
        let is_said = |reason: &str| error.is_none() || reason != "is not there";
        for file in package.missing.iter().filter(|file| is_said(&file.reason)).take(NAMED_FILES) {
            terminal.say(format!("  {} {}", one_line(&file.path), one_line(&file.reason)))?;
        }
        if package.missing.iter().any(|file| file.reason == "has secret values") {
            terminal.note("  --with-secrets puts them there as they were published")?;
        }
    }
    match (stray, is_check) {
        (0, _) => {}
        (stray, true) => terminal.say(format!("✗ {} of no package", count(stray, "file")))?,
        (stray, false) => terminal.note(format!("Removed {} of no package", count(stray, "file")))?,
    }
    terminal.note(folder.display())
}
