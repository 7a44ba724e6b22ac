//! Which repositories of a workspace are searched.
//!
//! Those that are enabled, or those that are named; of these, those with one of the tags; of these, those that one of the
//! globs matches.

use std::collections::BTreeSet;

use ai_assist_base::nearest;
use ai_assist_identity::{CanonicalPath, RepoId};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Serialize;

use crate::manifest::{RepoEntry, WorkspaceManifest};
use crate::warning::{Warning, WarningCode};

const MAX_GLOB: usize = 1000;

/// What is asked for. Nothing at all asks for every repository that is enabled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// Repositories by alias, id, root or the name of their folder, whether enabled or not.
    pub select: Vec<String>,
    /// Only those with one of these tags.
    pub tags: Vec<String>,
    /// Only those whose alias, id, folder's name or root one of these globs matches, whatever the case.
    pub repo_filters: Vec<String>,
    /// Also those that are not enabled.
    pub include_disabled: bool,
}

/// The repositories that are searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen<'m> {
    /// By priority, the greatest first, then by id.
    pub repos: Vec<&'m RepoEntry>,
    pub warnings: Vec<Warning>,
}

/// A selection that can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// With a line for each name that no repository has.
    #[error("{0}")]
    UnknownRepos(String),
    #[error("`{name}` is the folder of several repos: {}; give an alias or an id", listed(repos))]
    Ambiguous { name: String, repos: Vec<RepoId> },
    #[error("`{glob}` is no glob: {reason}")]
    BadFilter { glob: String, reason: String },
}

fn listed(repos: &[RepoId]) -> String {
    repos.iter().map(RepoId::as_str).collect::<Vec<_>>().join(", ")
}

/// Chooses the repositories of a manifest that are searched.
pub fn select<'m>(manifest: &'m WorkspaceManifest, selection: &Selection) -> Result<Chosen<'m>, SelectionError> {
    let filters = matchers(&selection.repo_filters)?;
    let named = named(manifest, &selection.select)?;
    let tags: Vec<String> = selection.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    let mut warnings = idle(manifest, selection, &tags, &filters);
    let mut repos = Vec::new();
    for repo in &manifest.repos {
        let wanted = match &named {
            Some(named) => named.contains(&repo.repo_id),
            None => repo.enabled || selection.include_disabled,
        };
        let tagged = tags.is_empty() || repo.tags.iter().any(|tag| tags.contains(tag));
        let matched = filters.is_empty() || filters.iter().any(|filter| matches(filter, repo));
        if wanted && tagged && matched {
            repos.push(repo);
        } else if wanted && named.is_some() {
            let message = format!("`{}` was named, but the tags or globs leave it out", name_of(repo));
            warnings.push(warning(WarningCode::SelectedButFiltered, message, Some(repo)));
        }
    }
    if repos.is_empty() {
        warnings.push(warning(WarningCode::NothingSelected, "no repo of the workspace is selected".to_owned(), None));
    }
    repos.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.repo_id.cmp(&b.repo_id)));
    Ok(Chosen { repos, warnings })
}

pub fn name_of(repo: &RepoEntry) -> &str {
    repo.alias.as_deref().unwrap_or(repo.repo_id.as_str())
}

fn warning(code: WarningCode, message: String, repo: Option<&RepoEntry>) -> Warning {
    Warning { code, message, repo_id: repo.map(|repo| repo.repo_id.clone()), mode: None }
}

/// The repositories that are named, if any are.
fn named(manifest: &WorkspaceManifest, names: &[String]) -> Result<Option<BTreeSet<RepoId>>, SelectionError> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut found = BTreeSet::new();
    let mut unknown = Vec::new();
    for name in names {
        match by_name(manifest, name.trim())? {
            Some(repo) => {
                found.insert(repo.repo_id.clone());
            }
            None => {
                let hint = nearest_name(manifest, name).map(|nearest| format!("; did you mean `{nearest}`?"));
                unknown.push(format!("the workspace has no repo `{name}`{}", hint.unwrap_or_default()));
            }
        }
    }
    if unknown.is_empty() { Ok(Some(found)) } else { Err(SelectionError::UnknownRepos(unknown.join("\n"))) }
}

/// An alias goes first, then an id, then a root; a folder's name only if it says enough.
fn by_name<'m>(manifest: &'m WorkspaceManifest, name: &str) -> Result<Option<&'m RepoEntry>, SelectionError> {
    let lower = name.to_lowercase();
    let is_alias = |repo: &&RepoEntry| repo.alias.as_ref().is_some_and(|alias| alias.to_lowercase() == lower);
    let is_id = |repo: &&RepoEntry| repo.repo_id.as_str() == lower || repo.repo_root_canonical.as_str() == name;
    let repos = || manifest.repos.iter();
    if let Some(repo) = repos().find(is_alias).or_else(|| repos().find(is_id)) {
        return Ok(Some(repo));
    }
    let folders: Vec<&RepoEntry> = repos()
        .filter(|repo| repo.repo_root_canonical.file_name().is_some_and(|f| f.to_lowercase() == lower))
        .collect();
    match folders[..] {
        [] => Ok(None),
        [repo] => Ok(Some(repo)),
        _ => {
            let repos = folders.iter().map(|repo| repo.repo_id.clone()).collect();
            Err(SelectionError::Ambiguous { name: name.to_owned(), repos })
        }
    }
}

/// Of equally similar names the last is taken, so an alias before the others.
fn nearest_name(manifest: &WorkspaceManifest, name: &str) -> Option<String> {
    let names = manifest
        .repos
        .iter()
        .flat_map(|repo| [Some(repo.repo_id.as_str()), repo.repo_root_canonical.file_name(), repo.alias.as_deref()]);
    nearest(name, names.flatten()).map(str::to_owned)
}

pub(crate) fn matchers(globs: &[String]) -> Result<Vec<GlobSet>, SelectionError> {
    globs.iter().map(|glob| matcher(glob)).collect()
}

fn matcher(glob: &str) -> Result<GlobSet, SelectionError> {
    let bad = |reason: String| SelectionError::BadFilter { glob: glob.chars().take(80).collect(), reason };
    if glob.len() > MAX_GLOB {
        return Err(bad(format!("it has more than {MAX_GLOB} bytes")));
    }
    let built = GlobBuilder::new(glob).case_insensitive(true).literal_separator(true).backslash_escape(true).build();
    let set = built.and_then(|glob| GlobSetBuilder::new().add(glob).build());
    set.map_err(|error| bad(error.kind().to_string()))
}

fn matches(filter: &GlobSet, repo: &RepoEntry) -> bool {
    is_called(filter, repo.alias.as_deref(), &repo.repo_id, &repo.repo_root_canonical)
}

/// Whether a glob matches a repository by any of its names.
pub(crate) fn is_called(filter: &GlobSet, alias: Option<&str>, repo_id: &RepoId, root: &CanonicalPath) -> bool {
    let names = [alias, Some(repo_id.as_str()), root.file_name(), Some(root.as_str())];
    names.into_iter().flatten().any(|name| filter.is_match(name))
}

/// Tags and globs that nothing in the workspace has to do with.
fn idle(manifest: &WorkspaceManifest, selection: &Selection, tags: &[String], filters: &[GlobSet]) -> Vec<Warning> {
    let known: BTreeSet<&str> = manifest.repos.iter().flat_map(|repo| repo.tags.iter().map(String::as_str)).collect();
    let mut warnings = Vec::new();
    for tag in tags.iter().filter(|tag| !known.contains(tag.as_str())) {
        let hint = nearest(tag, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
        let message = format!("no repo has the tag `{tag}`{}", hint.unwrap_or_default());
        warnings.push(warning(WarningCode::TagUnknown, message, None));
    }
    for (glob, filter) in selection.repo_filters.iter().zip(filters) {
        if !manifest.repos.iter().any(|repo| matches(filter, repo)) {
            let message = format!("the glob `{glob}` matches no repo");
            warnings.push(warning(WarningCode::FilterMatchesNothing, message, None));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::TestWorkspace;
    use serde_json::json;

    fn manifest() -> (TestWorkspace, WorkspaceManifest) {
        let place = TestWorkspace::new(&["orders", "payments", "old", "web"]);
        std::fs::create_dir_all(place.top.join("more/web")).unwrap();
        place.configure(&json!({"schemaVersion": 1, "name": "w", "repos": [
            {"root": "orders", "alias": "Orders", "tags": ["core", "go"], "priority": 1},
            {"root": "payments", "tags": ["core"], "priority": 5},
            {"root": "old", "alias": "legacy", "enabled": false, "tags": ["go"]},
            {"root": "web"},
            {"root": "more/web", "alias": "web2"},
        ]}));
        let manifest = place.manifest();
        (place, manifest)
    }

    fn folders(chosen: &Chosen<'_>) -> Vec<String> {
        let folder = |repo: &&RepoEntry| repo.repo_root_canonical.file_name().unwrap().to_owned();
        chosen.repos.iter().map(folder).collect()
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    fn chosen(select_: &[&str], tags: &[&str], globs: &[&str], all: bool) -> (Vec<String>, Vec<WarningCode>) {
        let (_place, manifest) = manifest();
        let selection =
            Selection { select: texts(select_), tags: texts(tags), repo_filters: texts(globs), include_disabled: all };
        let chosen = select(&manifest, &selection).unwrap();
        (folders(&chosen), chosen.warnings.iter().map(|warning| warning.code).collect())
    }

    #[test]
    fn the_parts_of_a_selection_narrow_each_other() {
        type Case<'c> = (&'c [&'c str], &'c [&'c str], &'c [&'c str], bool, &'c [&'c str]);
        let cases: [Case<'_>; 11] = [
            (&[], &[], &[], false, &["payments", "orders", "web", "web"]),
            (&[], &[], &[], true, &["payments", "orders", "old", "web", "web"]),
            (&["LEGACY"], &[], &[], false, &["old"]),
            (&["legacy", "orders"], &[], &[], false, &["orders", "old"]),
            (&["legacy", "orders"], &["core"], &[], false, &["orders"]),
            (&[], &["Go "], &[], false, &["orders"]),
            (&[], &["go"], &[], true, &["orders", "old"]),
            (&[], &["go", "core"], &[], false, &["payments", "orders"]),
            (&[], &[], &["ORD*", "pay*"], false, &["payments", "orders"]),
            (&[], &[], &["**/more/*"], false, &["web"]),
            (&["payments"], &["core"], &["p*"], false, &["payments"]),
        ];
        for (names, tags, globs, all, expected) in cases {
            let (found, _) = chosen(names, tags, globs, all);
            assert_eq!(found, expected, "{names:?} {tags:?} {globs:?} {all}");
        }
    }

    #[test]
    fn what_selects_nothing_is_said() {
        assert_eq!(
            chosen(&[], &["cor"], &[], false),
            (vec![], vec![WarningCode::TagUnknown, WarningCode::NothingSelected])
        );
        let globs = chosen(&[], &[], &["zzz*", "web*"], false);
        assert_eq!(globs.1, [WarningCode::FilterMatchesNothing]);
        let filtered = chosen(&["orders", "payments"], &["go"], &[], false);
        assert_eq!(filtered, (texts(&["orders"]), vec![WarningCode::SelectedButFiltered]));
    }

    #[test]
    fn names_that_are_nobodys_are_errors_with_a_hint() {
        let (_place, manifest) = manifest();
        let pick = |names: &[&str]| select(&manifest, &Selection { select: texts(names), ..Selection::default() });
        let error = pick(&["ordrs", "orders", "qqq"]).unwrap_err().to_string();
        assert_eq!(error, "the workspace has no repo `ordrs`; did you mean `Orders`?\nthe workspace has no repo `qqq`");
        let error = pick(&["web"]).unwrap_err();
        assert!(matches!(&error, SelectionError::Ambiguous { repos, .. } if repos.len() == 2), "{error}");
        assert_eq!(folders(&pick(&["web2"]).unwrap()), ["web"]);
        let payments = manifest.repos.iter().find(|repo| repo.priority == 5).unwrap();
        for name in [payments.repo_id.as_str(), payments.repo_root_canonical.as_str(), " Payments "] {
            assert_eq!(folders(&pick(&[name]).unwrap()), ["payments"], "{name}");
        }
        for glob in ["[a", &"?".repeat(1001)] {
            let bad = Selection { repo_filters: texts(&[glob]), ..Selection::default() };
            assert!(matches!(select(&manifest, &bad), Err(SelectionError::BadFilter { .. })), "{glob}");
        }
    }
}
