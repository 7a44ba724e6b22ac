//! What differs between two states of a collection or package, document by document. Both sides have gone through admission, so no
//! secret is in what is shown.

use std::collections::BTreeMap;
use std::path::Path;

use ai_assist_admit::{Globs, Outcome};
use ai_assist_fetch::Request;
use ai_assist_identity::{CollectionId, DocPath, PackageUrl, Sha256};
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::dependency::Gathered as Dependencies;
use crate::package::{Package, open_package, read_each};
use crate::sync::plan::{Input, Sorted, Wanted, sort_out, walk_source, wanted as wanted_files};
use crate::sync::skipped;
use crate::{Error, Library, Member, PackageInfo, Resolved, Result, Skipped, Step, SyncOptions, silent};
use ai_assist_base::Cancel;

/// Lines around a change.
const AROUND: usize = 3;
/// Texts that can't be compared well in this time are compared badly.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

#[derive(Debug, Clone, Default, Serialize)]
pub struct Difference {
    /// What is indexed, or the first of two packages.
    pub from: Option<PackageInfo>,
    /// What is published now, or the second.
    pub to: Option<PackageInfo>,
    /// Sorted by path.
    pub files: Vec<FileDifference>,
    /// Files that could not be read or fetched.
    pub problems: Vec<Skipped>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileDifference {
    pub path: String,
    pub change: Step,
    pub old_hash: Option<Sha256>,
    pub new_hash: Option<Sha256>,
    /// Lines that only the new text has.
    pub added: usize,
    /// Lines that only the old text has.
    pub removed: usize,
    /// The texts as a unified diff; empty if they differ in nothing that is shown.
    pub diff: String,
}

/// One side of a file.
type Text = (Sha256, String);

impl FileDifference {
    fn new(path: &DocPath, old: Option<&Text>, new: Option<&Text>) -> Self {
        let change = match (old, new) {
            (None, _) => Step::Add,
            (_, None) => Step::Remove,
            _ => Step::Update,
        };
        let text = |side: Option<&Text>| side.map_or("", |(_, text)| text.as_str()).to_owned();
        let (before, after) = (text(old), text(new));
        let lines = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &after);
        let count = |tag| lines.iter_all_changes().filter(|change| change.tag() == tag).count();
        let name = |side: Option<&Text>, letter: char| match side {
            Some(_) => format!("{letter}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let diff = match before == after {
            true => String::new(),
            false => lines.unified_diff().context_radius(AROUND).header(&name(old, 'a'), &name(new, 'b')).to_string(),
        };
        FileDifference {
            path: path.as_str().to_owned(),
            change,
            old_hash: old.map(|(hash, _)| *hash),
            new_hash: new.map(|(hash, _)| *hash),
            added: count(ChangeTag::Insert),
            removed: count(ChangeTag::Delete),
            diff,
        }
    }
}

impl Library {
    /// What the next sync of a collection would change, with the texts. Nothing is written.
    pub fn difference(&self, member: &Member, options: &SyncOptions, cancel: &Cancel) -> Result<Difference> {
        member.resolved.usable()?;
        let options = &options.for_member(member);
        let id = member.resolved.id();
        let heads = self.store().heads(id)?;
        let mut found =
            Difference { from: self.store().package(id)?.as_ref().map(PackageInfo::from), ..Difference::default() };
        match &member.resolved {
            Resolved::File { folder, glob, .. } => {
                let unreadable = |source| Error::Source { name: member.name.clone(), path: folder.clone(), source };
                std::fs::read_dir(folder).map_err(unreadable)?;
                let walked = walk_source(folder, Globs::new(&[glob])?, options.limits, cancel)?;
                for problem in &walked.receipt.problems {
                    found.problems.push(Skipped { path: problem.path.clone(), reason: problem.message.clone() });
                }
                let hidden = |path: &DocPath| walked.receipt.hides(path.as_str());
                let sorted = sort_out(wanted_files(&walked), &heads, false, &hidden);
                self.compare_with(member, &sorted, &[], options, cancel, &mut found)?;
            }
            Resolved::Pkg { url, .. } => {
                let temporary = self.roots().cache.join("tmp");
                let hash = member.spec.hash()?;
                let package = open_package(url, None, hash, options, &temporary, &mut silent, cancel)?;
                found.to = Some(PackageInfo::from(&package.record));
                let gathered = package.gather(&options.limits, None, cancel)?;
                gathered.account(&mut Vec::new(), &mut found.problems);
                let wanted = gathered.wanted(&package, None).into_iter();
                let sorted = sort_out(wanted, &heads, false, &|path| gathered.hides(path));
                self.compare_with(member, &sorted, &gathered.requests, options, cancel, &mut found)?;
            }
            Resolved::Dep { project, chosen, .. } => {
                let gathered = Dependencies::find(project, chosen, &options.homes, &options.limits, cancel)?;
                for problem in &gathered.problems {
                    found.problems.push(Skipped { path: problem.path.clone(), reason: problem.message.clone() });
                }
                let away = |path: &DocPath| gathered.is_away(path.as_str());
                let sorted = sort_out(gathered.wanted(), &heads, false, &away);
                self.compare_with(member, &sorted, &[], options, cancel, &mut found)?;
            }
            Resolved::Site { scope, .. } => {
                let changes = self.site_changes(member, scope, options, cancel)?;
                found.problems = changes.problems;
                found.to = Some(changes.info);
                for (path, outcome) in changes.pages {
                    self.compare_one(id, &path, Ok(outcome), None, &mut found)?;
                }
                for path in &changes.gone {
                    found.files.push(FileDifference::new(path, self.text_of(id, path)?.as_ref(), None));
                }
            }
            Resolved::Broken { why, .. } => return Err(Error::Unusable(why.clone())),
        }
        found.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn compare_with(
        &self,
        member: &Member,
        sorted: &Sorted<'_>,
        requests: &[Request],
        options: &SyncOptions,
        cancel: &Cancel,
        found: &mut Difference,
    ) -> Result<()> {
        let id = member.resolved.id();
        for path in &sorted.removed {
            found.files.push(FileDifference::new(path, self.text_of(id, path)?.as_ref(), None));
        }
        let expected: BTreeMap<&DocPath, Sha256> =
            sorted.tasks.iter().filter_map(|task| Some((task.wanted.path, task.wanted.expected?))).collect();
        let wanted: Vec<_> = sorted.tasks.iter().map(|task| task.wanted).collect();
        read_each(&wanted, requests, options, cancel, &mut |path, read| {
            self.compare_one(id, path, read.map(|read| read.outcome), expected.get(path).copied(), found)
        })
    }

    fn text_of(&self, id: &CollectionId, path: &DocPath) -> Result<Option<Text>> {
        Ok(self.store().document(id, path)?.map(|document| (document.hash, document.text)))
    }

    /// Compares what a document would be with what is indexed of it.
    fn compare_one(
        &self,
        id: &CollectionId,
        path: &DocPath,
        read: std::result::Result<Outcome, String>,
        expected: Option<Sha256>,
        found: &mut Difference,
    ) -> Result<()> {
        let old = self.text_of(id, path)?;
        match read {
            Ok(Outcome::Admitted(admitted)) => {
                let hash = admitted.hash();
                match expected.filter(|expected| *expected != hash) {
                    Some(expected) => found.problems.push(mismatch(path, hash, expected)),
                    None if old.as_ref().is_some_and(|(known, _)| *known == hash) => {}
                    None => {
                        let new = (hash, admitted.into_text());
                        found.files.push(FileDifference::new(path, old.as_ref(), Some(&new)));
                    }
                }
            }
            Ok(Outcome::Excluded(exclusion)) if exclusion.reason.is_failure() => {
                found.problems.push(skipped(&exclusion));
            }
            Ok(Outcome::Excluded(_) | Outcome::Vanished) if old.is_some() => {
                found.files.push(FileDifference::new(path, old.as_ref(), None));
            }
            Ok(_) => {}
            Err(reason) => found.problems.push(Skipped { path: path.as_str().to_owned(), reason }),
        }
        Ok(())
    }
}

fn mismatch(path: &DocPath, found: Sha256, expected: Sha256) -> Skipped {
    let reason = format!("has the hash {found}; {expected} is expected");
    Skipped { path: path.as_str().to_owned(), reason }
}

/// What differs between two packages, neither of which has to be part of a project.
pub fn difference_of_packages(
    [old, new]: [(&PackageUrl, Option<Sha256>); 2],
    (options, temporary): (&SyncOptions, &Path),
    cancel: &Cancel,
) -> Result<Difference> {
    let mut found = Difference::default();
    let open = |(url, hash): (&PackageUrl, Option<Sha256>)| -> Result<(Package, PackageInfo)> {
        let package = open_package(url, None, hash, options, temporary, &mut silent, cancel)?;
        let info = PackageInfo::from(&package.record);
        Ok((package, info))
    };
    let ((old, from), (new, to)) = (open(old)?, open(new)?);
    (found.from, found.to) = (Some(from), Some(to));
    // A file that both manifests give the same hash need not be fetched.
    let (olds, news) = (old.gather(&options.limits, None, cancel)?, new.gather(&options.limits, None, cancel)?);
    let (mut before, mut after) = (olds.wanted(&old, None), news.wanted(&new, None));
    let declared = |wanted: &[Wanted<'_>]| -> BTreeMap<DocPath, Sha256> {
        let settled = wanted.iter().filter(|file| matches!(file.input, Input::Fetch(_) | Input::Packed(_)));
        settled.filter_map(|file| Some((file.path.clone(), file.expected?))).collect()
    };
    let (hashes, others) = (declared(&before), declared(&after));
    let same = |path: &DocPath| hashes.contains_key(path) && hashes.get(path) == others.get(path);
    before.retain(|file| !same(file.path));
    after.retain(|file| !same(file.path));
    let mut texts = |wanted: &[Wanted<'_>], requests: &[Request]| {
        let mut texts: BTreeMap<DocPath, Text> = BTreeMap::new();
        let expected: BTreeMap<DocPath, Sha256> =
            wanted.iter().filter_map(|file| Some((file.path.clone(), file.expected?))).collect();
        read_each(wanted, requests, options, cancel, &mut |path, read| {
            match read.map(|read| read.outcome) {
                Ok(Outcome::Admitted(admitted)) => {
                    match expected.get(path).filter(|expected| **expected != admitted.hash()) {
                        Some(expected) => found.problems.push(mismatch(path, admitted.hash(), *expected)),
                        None => drop(texts.insert(path.clone(), (admitted.hash(), admitted.into_text()))),
                    }
                }
                Ok(_) => {}
                Err(reason) => found.problems.push(Skipped { path: path.as_str().to_owned(), reason }),
            }
            Ok(())
        })?;
        Ok::<_, Error>(texts)
    };
    let before = texts(&before, &olds.requests)?;
    let after = texts(&after, &news.requests)?;
    let failed: Vec<String> = found.problems.iter().map(|problem| problem.path.clone()).collect();
    let paths: std::collections::BTreeSet<&DocPath> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let (old, new) = (before.get(path), after.get(path));
        let is_same = old.map(|(hash, _)| hash) == new.map(|(hash, _)| hash);
        if !is_same && !failed.iter().any(|failed| failed == path.as_str()) {
            found.files.push(FileDifference::new(path, old, new));
        }
    }
    Ok(found)
}
