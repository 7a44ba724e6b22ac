//! What has changed upstream.

use serde::Serialize;

use crate::publish::latest_of;
use crate::{
    CollectionSpec, Error, Library, Member, PackageInfo, Registry, Resolved, Result, Step, SyncOptions,
    resolve_package, silent,
};
use ai_assist_base::Cancel;

/// How a package stands against what is published.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outdated {
    pub name: String,
    pub outdated: bool,
    /// The version in the lock, for whoever has read it to say.
    pub locked: Option<String>,
    pub current: Option<PackageInfo>,
    /// What lies at the same URL now.
    pub upstream: Option<PackageInfo>,
    pub added: Vec<String>,
    pub updated: Vec<String>,
    pub removed: Vec<String>,
    /// The best version within the range that was asked for; without a registry, the one that lies at the URL now.
    pub wanted: Option<String>,
    /// The newest version that a registry has, within the range or not; without a registry, the same as `wanted`.
    pub latest: Option<String>,
    /// A newer version in a registry, within the range that was asked for.
    pub newer: Option<String>,
    /// Whether the version in use was withdrawn by whoever published it.
    pub yanked: bool,
    /// Why that could not be found out.
    pub error: Option<String>,
}

impl Library {
    /// Looks at what is published of a package now, and writes nothing. What can't be fetched is in the answer.
    pub fn outdated(
        &mut self,
        member: &Member,
        options: &SyncOptions,
        registries: &[Registry],
        cancel: &Cancel,
    ) -> Result<Outdated> {
        let current = self.store().package(member.resolved.id())?.as_ref().map(PackageInfo::from);
        let newer = newer(member, registries);
        let yanked = is_yanked(member, current.as_ref(), registries);
        let mut answer = Outdated {
            name: member.name.clone(),
            outdated: newer.is_some(),
            locked: None,
            current,
            upstream: None,
            added: Vec::new(),
            updated: Vec::new(),
            removed: Vec::new(),
            wanted: wanted(member, registries),
            latest: latest(member, registries),
            newer,
            yanked,
            error: None,
        };
        let options = SyncOptions { dry_run: true, force: false, pin: None, ..options.clone() };
        match self.sync(member, &options, &mut silent, cancel) {
            Ok(report) => {
                answer.upstream = report.package;
                let there = answer.upstream.as_ref().map(|package| package.version.clone());
                answer.wanted = answer.wanted.or_else(|| there.clone());
                answer.latest = answer.latest.or(there);
                for (step, path) in report.changes {
                    match step {
                        Step::Add => answer.added.push(path),
                        Step::Update => answer.updated.push(path),
                        Step::Remove => answer.removed.push(path),
                    }
                }
                answer.outdated |= !(answer.added.is_empty() && answer.updated.is_empty() && answer.removed.is_empty());
                answer.outdated |= answer.current != answer.upstream;
            }
            Err(error @ (Error::Cancelled | Error::Store(_))) => return Err(error),
            Err(error) => answer.error = Some(ai_assist_base::chain(&error)),
        }
        Ok(answer)
    }
}

/// Whether the first registry that has the package calls the version in use yanked.
fn is_yanked(member: &Member, current: Option<&PackageInfo>, registries: &[Registry]) -> bool {
    let (CollectionSpec::Pkg { package: Some(package), .. }, Some(current)) = (&member.spec, current) else {
        return false;
    };
    let name = package.rsplit_once('@').filter(|(name, _)| !name.is_empty()).map_or(package.as_str(), |(name, _)| name);
    let published = registries.iter().find_map(|registry| registry.index.packages.get(name));
    published.and_then(|package| package.versions.get(&current.version)).is_some_and(|version| version.yanked)
}

/// The best version in the registries within the range that a collection was added by.
fn wanted(member: &Member, registries: &[Registry]) -> Option<String> {
    let CollectionSpec::Pkg { package: Some(package), .. } = &member.spec else { return None };
    resolve_package(registries, package).ok().map(|found| found.version)
}

fn latest(member: &Member, registries: &[Registry]) -> Option<String> {
    let CollectionSpec::Pkg { package: Some(package), .. } = &member.spec else { return None };
    latest_of(registries, package)
}

/// The version that a registry would give now for what the collection was added by, if it is another one.
fn newer(member: &Member, registries: &[Registry]) -> Option<String> {
    let CollectionSpec::Pkg { package: Some(package), .. } = &member.spec else { return None };
    let Resolved::Pkg { url, .. } = &member.resolved else { return None };
    let found = resolve_package(registries, package).ok()?;
    (found.url != url.as_str()).then_some(found.version)
}
