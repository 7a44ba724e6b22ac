use super::*;
use crate::manifest::WorkspaceManifest;
use crate::test_workspace::TestWorkspace;
use proptest::prelude::*;
use std::sync::LazyLock;

/// A manifest of repositories by name, cohort key and priority; `-` is an index without keys, `~k` one with the fallback
/// `k` alone, `!` one that is missing.
fn manifest(repos: &[(&str, &str, i32)]) -> WorkspaceManifest {
    static BUILT: LazyLock<WorkspaceManifest> =
        LazyLock::new(|| TestWorkspace::built(&["a", "b", "c", "d", "e"]).manifest());
    let mut manifest = BUILT.clone();
    manifest.repos.retain(|repo| repos.iter().any(|(name, ..)| repo.alias.as_deref() == Some(name)));
    for repo in &mut manifest.repos {
        let (_, key, priority) = repos.iter().find(|(name, ..)| repo.alias.as_deref() == Some(name)).unwrap();
        repo.priority = *priority;
        let index = &mut repo.indexes.code;
        (index.cohort_key, index.compatibility_key) = match *key {
            "-" | "!" => (None, None),
            key => match key.strip_prefix('~') {
                Some(key) => (None, Some(key.to_owned())),
                None => (Some(key.to_owned()), Some("same".to_owned())),
            },
        };
        index.availability_reason = match *key {
            "!" => Availability::MissingIndexDir,
            "-" => Availability::CompatKeyMissing,
            _ => Availability::Present,
        };
    }
    manifest
}

fn refs(manifest: &WorkspaceManifest) -> Vec<&RepoEntry> {
    manifest.repos.iter().collect()
}

fn names<'m>(repos: impl Iterator<Item = &'m RepoEntry>) -> String {
    let mut names: Vec<&str> = repos.map(name_of).collect();
    names.sort_unstable();
    names.join(" ")
}

fn plan<'m>(manifest: &'m WorkspaceManifest, policy: &CohortPolicy) -> CohortPlan<'m> {
    cohorts(&refs(manifest), Mode::Code, policy).unwrap()
}

fn named(text: &str) -> CohortPolicy {
    CohortPolicy::Named(vec![text.parse().unwrap()])
}

#[test]
fn the_largest_then_the_priority_then_the_key() {
    type Case<'c> = (&'c [(&'c str, &'c str, i32)], &'c str, &'c str);
    let cases: [Case<'_>; 6] = [
        (&[("a", "k", 0), ("b", "k", 0), ("c", "k", 0)], "a b c", ""),
        (&[("a", "k", 0), ("b", "l", 0), ("c", "l", 0)], "b c", "a"),
        (&[("a", "k", 0), ("b", "l", 9), ("c", "k", 0)], "a c", "b"),
        (&[("a", "k", 0), ("b", "l", 9)], "b", "a"),
        (&[("a", "l", 0), ("b", "k", 0)], "b", "a"),
        (&[("a", "k", 0), ("b", "-", 0), ("c", "-", 9), ("d", "!", 9)], "a", "b c d"),
    ];
    for (repos, searched, left) in cases {
        let manifest = manifest(repos);
        let plan = plan(&manifest, &CohortPolicy::Default);
        assert_eq!(names(plan.members()), searched, "{repos:?}");
        assert_eq!(names(plan.left_out.iter().map(|left| left.repo)), left, "{repos:?}");
        assert!(plan.cohorts.len() == 1 && !plan.unsafe_mix);
        assert_eq!(plan.warnings.len(), plan.left_out.len());
    }
}

#[test]
fn what_is_left_out_is_said_with_its_reason() {
    let manifest = manifest(&[("a", "k", 0), ("b", "k", 0), ("c", "l", 0), ("d", "-", 0), ("e", "!", 0)]);
    let plan = plan(&manifest, &CohortPolicy::Default);
    let codes: Vec<(WarningCode, &str)> = plan.warnings.iter().map(|w| (w.code, w.message.as_str())).collect();
    assert_eq!(
        codes,
        [
            (WarningCode::CohortExcluded, "the code index of `c` is of the cohort l and is left out; build it anew"),
            (WarningCode::CohortKeyMissing, "the code index of `d` does not say what it can be compared with"),
            (WarningCode::IndexUnavailable, "`e` has no code index to search: it was never built, or is gone"),
        ]
    );
    assert!(plan.warnings.iter().all(|warning| warning.repo_id.is_some() && warning.mode == Some(Mode::Code)));
}

#[test]
fn many_with_one_reason_are_counted() {
    let manifest = manifest(&[("a", "k", 0), ("b", "!", 0), ("c", "!", 0), ("d", "!", 0), ("e", "!", 0)]);
    let plan = plan(&manifest, &CohortPolicy::Default);
    let messages: Vec<&str> = plan.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let expected = "4 repositories have no code index to search (`b`, `c`, `d`, …): it was never built, or is gone";
    assert_eq!(messages, [expected]);
    assert_eq!((plan.warnings[0].repo_id.as_ref(), plan.left_out.len()), (None, 4));
}

#[test]
fn a_fallback_is_no_cohort_key() {
    let manifest = manifest(&[("a", "k", 0), ("b", "~k", 0), ("c", "~k", 0)]);
    let plan = plan(&manifest, &CohortPolicy::Default);
    assert_eq!(names(plan.members()), "b c");
    assert_eq!(plan.cohorts[0].id, Some(CohortId::Fallback("k".to_owned())));
}

#[test]
fn strict_takes_one_cohort_only() {
    let one = manifest(&[("a", "k", 0), ("b", "k", 0), ("c", "!", 0)]);
    assert_eq!(names(plan(&one, &CohortPolicy::Strict).members()), "a b");
    for other in ["l", "-", "~k"] {
        let mixed = manifest(&[("a", "k", 0), ("b", "k", 0), ("c", other, 0)]);
        let error = cohorts(&refs(&mixed), Mode::Code, &CohortPolicy::Strict).unwrap_err();
        assert!(matches!(&error, CohortError::Mixed { cohorts, .. } if cohorts.len() == 2), "{error}");
    }
    let lone = manifest(&[("a", "-", 0)]);
    assert!(cohorts(&refs(&lone), Mode::Code, &CohortPolicy::Strict).is_err());
}

#[test]
fn a_cohort_may_be_named() {
    let manifest = manifest(&[("a", "k", 0), ("b", "k", 0), ("c", "l", 0)]);
    assert_eq!(names(plan(&manifest, &named("l")).members()), "c");
    assert_eq!(names(plan(&manifest, &named("code:l")).members()), "c");
    assert_eq!(names(plan(&manifest, &named("prose:l")).members()), "a b", "it is for another mode");
    let both = CohortPolicy::Named(vec!["k".parse().unwrap(), "code:l".parse().unwrap()]);
    assert_eq!(names(plan(&manifest, &both).members()), "c", "what names the mode goes first");
    let error = cohorts(&refs(&manifest), Mode::Code, &named("m")).unwrap_err();
    assert_eq!(error.to_string(), "no code index has the cohort `m`; there are: k (2 repos), l (1 repo)");
}

#[test]
fn choices_are_read() {
    let choice = |text: &str| text.parse::<CohortChoice>();
    assert_eq!(choice("prose:x"), Ok(CohortChoice { mode: Some(Mode::Prose), key: "x".to_owned() }));
    assert_eq!(choice("sha:x"), Ok(CohortChoice { mode: None, key: "sha:x".to_owned() }));
    assert!(choice("").is_err() && choice("code:").is_err());
}

#[test]
fn a_mix_is_marked() {
    let mixed = manifest(&[("a", "k", 0), ("b", "l", 0), ("c", "-", 0), ("d", "!", 0)]);
    let plan_ = plan(&mixed, &CohortPolicy::AllowUnsafeMix);
    assert_eq!((names(plan_.members()).as_str(), plan_.cohorts.len(), plan_.unsafe_mix), ("a b c", 3, true));
    let codes: Vec<WarningCode> = plan_.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [WarningCode::UnsafeMix, WarningCode::IndexUnavailable]);
    let one = manifest(&[("a", "k", 0), ("b", "k", 0)]);
    let plan_ = plan(&one, &CohortPolicy::AllowUnsafeMix);
    assert!(!plan_.unsafe_mix && plan_.warnings.is_empty());
}

#[test]
fn nothing_gives_nothing() {
    for policy in [CohortPolicy::Default, CohortPolicy::Strict, CohortPolicy::AllowUnsafeMix] {
        let plan = cohorts(&[], Mode::Code, &policy).unwrap();
        assert!(plan.cohorts.is_empty() && plan.left_out.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_repository_is_searched_or_left_out_whatever_the_order(
        kinds in proptest::collection::vec((0usize..5, -1i32..2), 1..6),
        seed in any::<u64>(),
    ) {
        let letters = ["a", "b", "c", "d", "e"];
        let repos: Vec<(&str, &str, i32)> = kinds.iter().enumerate()
            .map(|(at, (kind, priority))| (letters[at], ["k", "l", "~k", "-", "!"][*kind], *priority)).collect();
        let manifest = manifest(&repos);
        let straight = refs(&manifest);
        let mut turned = straight.clone();
        turned.rotate_left(usize::try_from(seed % 5).unwrap() % straight.len());
        for policy in [CohortPolicy::Default, CohortPolicy::AllowUnsafeMix] {
            let plan = cohorts(&straight, Mode::Code, &policy).unwrap();
            let mut all: Vec<&str> = plan.members().chain(plan.left_out.iter().map(|left| left.repo)).map(name_of).collect();
            all.sort_unstable();
            prop_assert_eq!(all, &letters[..repos.len()]);
            let again = cohorts(&turned, Mode::Code, &policy).unwrap();
            prop_assert_eq!(names(again.members()), names(plan.members()));
            prop_assert_eq!(again.left_out, plan.left_out);
        }
    }
}
