//! `requirements.txt` and the files it includes: only what is pinned with `==`.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::leading_name;
use crate::Ecosystem;
use crate::listing::Listing;
use crate::lock_error::shown;
use crate::names::python_normal;
use crate::root::Root;

/// More files than this are not requirements but a trap.
const MAX_FILES: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Requirements {
    pub(crate) listings: Vec<(PathBuf, Listing)>,
    pub(crate) warnings: Vec<String>,
}

/// Reads `requirements.txt`, if there is one, and all it includes inside the root.
pub(crate) fn read(root: &Root) -> Requirements {
    let mut found = Requirements::default();
    let mut unpinned = 0;
    let mut seen = HashSet::new();
    let mut open = vec![(PathBuf::from("requirements.txt"), None::<PathBuf>)];
    while let Some((file, included_by)) = open.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        if seen.len() > MAX_FILES {
            found
                .warnings
                .push(format!("`requirements.txt` includes more than {MAX_FILES} files; the rest is left out."));
            break;
        }
        let text = match (root.read(&file), included_by) {
            (Ok(Some(text)), _) => text,
            (Ok(None), None) => break,
            (Ok(None), Some(by)) => {
                let (file, by) = (shown(&file), shown(&by));
                found.warnings.push(format!("`{file}`, which `{by}` includes, does not exist."));
                continue;
            }
            (Err(error), _) => {
                found.warnings.push(format!("`{}` is left out: {error}.", shown(&file)));
                continue;
            }
        };
        let parsed = parse(&text);
        unpinned += parsed.unpinned;
        let paths: Vec<Option<PathBuf>> = parsed.includes.iter().map(|include| inside(&file, include)).collect();
        if paths.contains(&None) {
            let file = shown(&file);
            found.warnings.push(format!("`{file}` includes what is not a file of the project; that is left out."));
        }
        open.extend(paths.into_iter().flatten().map(|path| (path, Some(file.clone()))));
        found.listings.push((file, parsed.listing));
    }
    if unpinned > 0 {
        let they = if unpinned == 1 { "requirement is" } else { "requirements are" };
        found.warnings.push(format!(
            "{unpinned} {they} left out of `requirements.txt` and what it includes: not pinned to a version with `==`."
        ));
    }
    found
}

/// A path that a file includes, relative to the root; `None` for an address, an absolute path and one that climbs out.
fn inside(file: &Path, include: &str) -> Option<PathBuf> {
    if include.is_empty() || include.contains("://") || include.contains('\0') {
        return None;
    }
    let mut path = file.parent().map(Path::to_owned).unwrap_or_default();
    for component in Path::new(include).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    Some(path)
}

struct Parsed {
    listing: Listing,
    unpinned: usize,
    includes: Vec<String>,
}

/// One requirement that is pinned, with what tools noted beside it.
struct Pin {
    name: String,
    version: String,
    /// Who asks for it, as `pip-compile` and `uv` note it; empty in a file written by hand.
    via: Vec<String>,
}

fn parse(text: &str) -> Parsed {
    let mut pins: Vec<Pin> = Vec::new();
    let mut parsed = Parsed { listing: Listing::new(Ecosystem::Python), unpinned: 0, includes: Vec::new() };
    for (code, comments) in logical_lines(text) {
        if code.starts_with('-') {
            let new = included(&code).filter(|include| !parsed.includes.contains(include));
            // One more than is allowed is enough to notice.
            parsed.includes.extend(new.filter(|_| parsed.includes.len() <= MAX_FILES));
        } else if let Some((name, version)) = pinned(&code) {
            pins.push(Pin { name: name.to_owned(), version: version.to_owned(), via: via(&comments) });
        } else {
            parsed.unpinned += 1;
        }
    }
    let names: HashSet<String> = pins.iter().map(|pin| python_normal(&pin.name).into_owned()).collect();
    // A package that only others in the file ask for is not direct; one that the project or an input file asks for is.
    let is_outside = |source: &String| {
        source.starts_with("-r") || !source.starts_with("-c") && !names.contains(&*python_normal(leading_name(source)))
    };
    for pin in &pins {
        let direct = pin.via.is_empty() || pin.via.iter().any(is_outside);
        parsed.listing.add(&pin.name, &pin.version, direct);
    }
    parsed
}

/// Lines with their continuations joined, each with the comments on it and after it.
fn logical_lines(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let (code, comment) = split_comment(line);
        let (code, goes_on) = match code.strip_suffix('\\') {
            Some(code) => (code, comment.is_none()),
            None => (code, false),
        };
        match lines.last_mut() {
            Some((last, _)) if continues => last.push_str(code),
            _ if !code.trim().is_empty() => lines.push((code.trim().to_owned(), Vec::new())),
            _ => {}
        }
        if let (Some(comment), Some((_, comments))) = (comment, lines.last_mut()) {
            comments.push(comment);
        }
        // A continuation can only continue a line that there is.
        continues = goes_on && (continues || !code.trim().is_empty());
    }
    lines
}

/// A `#` opens a comment at the start of a line and after white space, but not inside an address.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    let bytes = line.as_bytes();
    let opens = |at: &usize| bytes[*at] == b'#' && (*at == 0 || bytes[*at - 1].is_ascii_whitespace());
    match (0..bytes.len()).find(opens) {
        Some(at) => (line[..at].trim_end(), Some(line[at + 1..].trim())),
        None => (line.trim_end(), None),
    }
}

/// `via a, b` on one line, or `via` alone with one source on each line after it.
fn via(comments: &[&str]) -> Vec<String> {
    let mut sources = Vec::new();
    let mut open = false;
    for comment in comments {
        if *comment == "via" {
            open = true;
        } else if let Some(rest) = comment.strip_prefix("via ") {
            sources.extend(rest.split(',').map(|source| source.trim().to_owned()));
            open = true;
        } else if open && !comment.is_empty() {
            sources.push((*comment).to_owned());
        } else {
            open = false;
        }
    }
    sources
}

/// The file that `-r file`, `-rfile`, `--requirement file` or `--requirement=file` includes.
fn included(option: &str) -> Option<String> {
    let rest = match option.strip_prefix("--requirement") {
        Some(rest) if rest.starts_with(['=', ' ', '\t']) => rest.trim_start_matches('='),
        Some(_) => return None,
        None => option.strip_prefix("-r")?,
    };
    let rest = rest.trim();
    let unquoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    Some(unquoted.unwrap_or(rest).to_owned())
}

/// Name and version of `name[extra] == version ; marker --hash=…`.
fn pinned(code: &str) -> Option<(&str, &str)> {
    let code = code.split(';').next()?;
    let name = leading_name(code);
    let mut rest = code[name.len()..].trim_start();
    if name.is_empty() {
        return None;
    }
    if let Some(extras) = rest.strip_prefix('[') {
        rest = extras.split_once(']')?.1.trim_start();
    }
    let rest = rest.strip_prefix('(').map_or(rest, |inner| inner.split(')').next().unwrap_or_default());
    let specifiers = rest.split(" -").next()?.split(',');
    let version = specifiers.map(str::trim).find_map(|specifier| {
        let version = specifier.strip_prefix("===").or_else(|| specifier.strip_prefix("=="))?.trim();
        (!version.contains('*')).then_some(version)
    })?;
    Some((name, version))
}

#[cfg(test)]
#[path = "requirements_tests.rs"]
mod tests;
