//! What a package is, before it is part of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ai_assist_admit::Outcome;
use ai_assist_fetch::Location;
use ai_assist_identity::{DocPath, PackageUrl, Sha256, UrlScheme};
use serde::Serialize;

use super::{Package, open_package, read_each};
use crate::sync::plan::Input;
use crate::{Result, Skipped, SyncEvent, SyncOptions};
use ai_assist_base::Cancel;

/// A package that was looked at and not taken in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspected {
    pub url: String,
    /// What lies there: `manifest`, `bundle` or `git`.
    pub kind: &'static str,
    pub name: String,
    pub version: String,
    pub description: Option<String>,
    /// What `license` in the manifest's `metadata` says.
    pub license: Option<String>,
    pub dependency: Option<String>,
    /// Of the bytes of its manifest or bundle.
    pub hash: Option<Sha256>,
    pub commit: Option<String>,
    /// Whether it comes with vectors.
    pub vectors: bool,
    /// Servers, other than the one it is at, that its files would be fetched from.
    pub hosts: Vec<String>,
    /// Whether credentials are configured here for the server that it is at.
    pub credentials: bool,
    /// What would become documents, sorted by path.
    pub files: Vec<InspectedFile>,
    /// Of the files whose size is known.
    pub bytes: u64,
    /// What would be left out, each with the reason.
    pub skipped: Vec<Skipped>,
    /// What could not be looked at.
    pub problems: Vec<Skipped>,
    /// How many secret values would be taken out.
    pub redacted: usize,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InspectedFile {
    pub path: String,
    /// In bytes; nothing for a file on a server, which is not fetched for this.
    pub size: Option<u64>,
    pub hash: Option<Sha256>,
}

/// Looks at a package. Nothing is kept of it; what has to be unpacked is in a folder below `temporary` until this returns.
pub fn inspect_package(
    url: &PackageUrl,
    hash: Option<Sha256>,
    (options, temporary): (&SyncOptions, &Path),
    progress: &mut dyn FnMut(SyncEvent<'_>),
    cancel: &Cancel,
) -> Result<Inspected> {
    let package = open_package(url, None, hash, options, temporary, progress, cancel)?;
    let mut inspected = about(url, &package, options);
    let gathered = package.gather(&options.limits, None, cancel)?;
    gathered.account(&mut inspected.skipped, &mut inspected.problems);
    let too_large = format!("is larger than the limit of {} bytes", options.client.limits().max_file_bytes);
    let large = package.too_large.iter().map(|path| Skipped { path: path.clone(), reason: too_large.clone() });
    inspected.skipped.extend(large);
    let mut wanted = gathered.wanted(&package, None);
    let mut files: BTreeMap<DocPath, InspectedFile> = BTreeMap::new();
    for file in wanted.iter().filter(|file| matches!(file.input, Input::Fetch(_))) {
        let path = file.path.as_str().to_owned();
        files.insert(file.path.clone(), InspectedFile { path, size: None, hash: file.expected });
    }
    let expected: BTreeMap<DocPath, Sha256> =
        wanted.iter().filter_map(|file| Some((file.path.clone(), file.expected?))).collect();
    wanted.retain(|file| !matches!(file.input, Input::Fetch(_)));
    read_each(&wanted, &[], options, cancel, &mut |path, read| {
        let text = path.as_str().to_owned();
        match read.map(|read| read.outcome) {
            Ok(Outcome::Admitted(admitted)) => {
                let declared = expected.get(path).filter(|hash| **hash != admitted.hash());
                if let Some(declared) = declared {
                    let reason = format!("has the hash {}; {declared} is expected", admitted.hash());
                    inspected.problems.push(Skipped { path: text, reason });
                    return Ok(());
                }
                inspected.redacted += admitted.redacted();
                let (size, hash) = (Some(admitted.size()), Some(admitted.hash()));
                files.insert(path.clone(), InspectedFile { path: text, size, hash });
            }
            Ok(Outcome::Excluded(exclusion)) => inspected.skipped.push(crate::sync::skipped(&exclusion)),
            Ok(Outcome::Vanished) => {}
            Err(reason) => inspected.problems.push(Skipped { path: text, reason }),
        }
        Ok(())
    })?;
    inspected.bytes = files.values().filter_map(|file| file.size).sum();
    inspected.files = files.into_values().collect();
    Ok(inspected)
}

fn about(url: &PackageUrl, package: &Package, options: &SyncOptions) -> Inspected {
    let manifest = &package.declared.manifest;
    let is_bundle = matches!(super::look::kind(url.as_str()), Ok(Some(_)));
    let kind = match url.scheme() {
        UrlScheme::GitHttps | UrlScheme::GitSsh | UrlScheme::GitFile => "git",
        _ if is_bundle => "bundle",
        _ => "manifest",
    };
    let said = |key: &str| manifest.metadata.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let own = url::Url::parse(url.as_str()).ok();
    Inspected {
        url: url.to_string(),
        kind,
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        description: manifest.description.clone(),
        license: said("license").or_else(|| said("licence")),
        dependency: manifest.dependency.clone(),
        hash: package.record.hash,
        commit: package.record.revision.clone(),
        vectors: package.declared.vectors.is_some(),
        hosts: hosts(package, own.as_ref()),
        credentials: own.is_some_and(|url| options.client.has_credentials(&url)),
        files: Vec::new(),
        bytes: 0,
        skipped: Vec::new(),
        problems: Vec::new(),
        redacted: 0,
        warnings: package.declared.warnings.iter().map(ToString::to_string).collect(),
    }
}

fn hosts(package: &Package, own: Option<&url::Url>) -> Vec<String> {
    let ai_assist_fetch::Contents::Files(entries) = &package.declared.contents else { return Vec::new() };
    let host = |url: &url::Url| url.host_str().map(str::to_owned);
    let own = own.and_then(host);
    let named = entries.iter().filter_map(|entry| match &entry.location {
        Location::Url(url) => host(url),
        Location::Beside | Location::File { .. } => None,
    });
    named.filter(|host| Some(host) != own.as_ref()).collect::<BTreeSet<_>>().into_iter().collect()
}
