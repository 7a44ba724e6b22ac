//! What many indexes answer together, and what becomes of those that can't.

use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_repo::layout::Mode;
use ai_assist_search::{Answer, IndexStatus, Merge, Origin, Question, RankBy, RepoOutcome};
use ai_assist_workspace::federate::{Federation, Plan, Target, search_repos};

use crate::fake_builds::{
    Doc, build_of, docs, files, identity, of_repo, places, question, recohort, repo, repo_id, scores, shown, warned,
};

const TEXTS: [&str; 3] =
    ["retry retry retry", "retry the request now", "retry the request of the timeout and the file and the cache"];

/// Two repositories; by their own statistics each ranks 0, 1, 2.
fn two(place: &std::path::Path) -> [Target; 2] {
    let high = repo(place, "high", Mode::Prose, &docs("high", &TEXTS), &[]);
    let low = repo(place, "low", Mode::Prose, &docs("low", &TEXTS), &[]);
    [high, low]
}

fn lexical(query: &str) -> Question {
    Question { rank_by: RankBy::Words, ..question(query) }
}

/// What the prose says.
fn answer(targets: &[Target], question: &Question) -> Answer {
    crate::fake_builds::answer(targets, &[Mode::Prose], question)
}

fn statuses(answer: &Answer) -> Vec<(String, IndexStatus)> {
    let status = |repo: &RepoOutcome| (repo.repo.clone(), repo.indexes[0].status);
    answer.repos.iter().map(status).collect()
}

#[test]
fn ranks_of_repositories_are_fused() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let asked = Question { merge: Merge::Rrf, ..lexical("retry") };
    // Of equal ranks the one that was given first goes first, whatever its id.
    let found = answer(&[low.clone(), high.clone()], &asked);
    assert_eq!(places(&found), ["low/0.md", "high/0.md", "low/1.md", "high/1.md", "low/2.md", "high/2.md"]);
    let (first, second, third) = (1.0, 61.0 / 62.0, 61.0 / 63.0);
    assert_eq!(scores(&found), [first, first, second, second, third, third]);
    assert!(found.hits[0].words > found.hits[2].words);
    assert_eq!((found.found, found.considered), (6, 6));
    let found = answer(&[high, low], &Question { offset: 1, limit: 2, ..asked });
    assert_eq!(places(&found), ["low/0.md", "high/1.md"]);
}

#[test]
fn a_repository_has_no_more_than_its_share() {
    let place = tempfile::tempdir().unwrap();
    let loud = docs("loud", &["retry retry retry", "retry retry", "retry again", "retry it all"]);
    let loud = repo(place.path(), "loud", Mode::Prose, &loud, &[]);
    let quiet =
        repo(place.path(), "quiet", Mode::Prose, &docs("quiet", &["a text in which retry is a word of many"]), &[]);
    let targets = [loud, quiet];
    let all = answer(&targets, &lexical("retry"));
    assert_eq!(places(&all)[4], "quiet/0.md");
    for merge in [Merge::Global, Merge::Rrf] {
        let asked = Question { per_owner: Some(1), limit: 2, merge, ..lexical("retry") };
        let found = answer(&targets, &asked);
        assert_eq!(places(&found), [places(&all)[0].as_str(), "quiet/0.md"], "{merge:?}");
        assert_eq!((found.found, found.repos[0].indexes[0].hits), (5, 1));
    }
}

#[test]
fn modes_are_ranked_as_one() {
    let place = tempfile::tempdir().unwrap();
    let [mut high, low] = two(place.path());
    // Paths of their own, so that nothing is in two indexes under the same name.
    let code: Vec<Doc> = (10..)
        .zip(["fn retry() { retry }", "retry"])
        .map(|(key, text)| Doc { path: format!("{key}.rs"), key, ..docs("code", &[text]).remove(0) })
        .collect();
    let code_target = repo(place.path(), "code", Mode::Code, &code, &[]);
    high.builds.extend(code_target.builds);
    let targets = [high, low];
    let both = [Mode::Code, Mode::Prose, Mode::Code];
    let asked = |rank_by| Question { rank_by, limit: 50, ..question("retry request") };
    let found = crate::fake_builds::answer(&targets, &both, &asked(RankBy::Words));
    let outcome: Vec<_> = found
        .repos
        .iter()
        .map(|repo| {
            repo.indexes.iter().map(|index| (index.mode.as_str(), index.status, index.hits)).collect::<Vec<_>>()
        })
        .collect();
    let (searched, not) = (IndexStatus::Searched, IndexStatus::Unavailable);
    assert_eq!(outcome[0], [("code", searched, 2), ("prose", searched, 3)]);
    assert_eq!(outcome[1], [("code", not, 0), ("prose", searched, 3)]);
    assert_eq!(found.repos[1].indexes[0].reason.as_deref(), Some("missing-index-dir"));
    assert!(!found.partial && found.warnings.is_empty(), "{:?}", found.warnings);
    // One index over everything.
    let of_low = docs("low", &TEXTS).into_iter().map(|doc| Doc { key: doc.key + 20, ..doc });
    let all: Vec<Doc> = docs("high", &TEXTS).into_iter().chain(code).chain(of_low).collect();
    let union = [repo(place.path(), "union", Mode::Prose, &all, &[])];
    for rank_by in [RankBy::Words, RankBy::Meaning, RankBy::Hybrid] {
        let whole = answer(&union, &asked(rank_by));
        let parts = crate::fake_builds::answer(&targets, &both, &asked(rank_by));
        let said = |answer: &Answer| answer.hits.iter().map(identity).collect::<Vec<_>>();
        assert_eq!(said(&parts), said(&whole), "{rank_by:?}");
        assert_eq!(parts.hits[0].score, 1.0, "{rank_by:?}");
    }
    // The order of the modes says nothing, and neither does a mode that nobody has.
    let plain = answer(&targets, &lexical("retry"));
    let more = crate::fake_builds::answer(&targets, &[Mode::Records, Mode::Prose], &lexical("retry"));
    assert_eq!(scores(&plain), scores(&more));
    let scaled: Vec<f32> = plain.hits.iter().map(|hit| hit.words / plain.hits[0].words).collect();
    assert_eq!(scores(&plain), scaled);
}

#[test]
fn other_cohorts_are_ranked_for_themselves() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let alone = answer(std::slice::from_ref(&low), &lexical("retry"));
    recohort(&build_of(place.path(), "low"), Mode::Prose, "another");
    let found = answer(&[high, low], &lexical("retry"));
    assert_eq!(warned(&found), ["unsafe-mix"]);
    assert_eq!(places(&found)[..2], ["high/0.md", "low/0.md"]);
    assert_eq!(scores(&found)[..3], [1.0, 1.0, 61.0 / 62.0]);
    let of_low =
        |answer: &Answer| answer.hits.iter().filter(|hit| of_repo(hit).0 == "low").cloned().collect::<Vec<_>>();
    let words = |answer: &Answer| of_low(answer).iter().map(|hit| hit.words).collect::<Vec<_>>();
    assert_eq!(words(&found), words(&alone), "the statistics of one cohort say nothing about the other");
}

#[test]
fn a_hit_says_where_it_is_from() {
    let place = tempfile::tempdir().unwrap();
    let targets = two(place.path());
    let found = answer(&targets, &Question { explain: true, ..lexical("request") });
    let hit = &found.hits[0];
    let origin = Origin::Repo {
        repo: "high".to_owned(),
        repo_id: repo_id("high"),
        mode: "prose".to_owned(),
        commit: Some("commit-of-high".to_owned()),
        build_id: "high-build".to_owned(),
    };
    assert_eq!(hit.origin, origin);
    assert!(hit.explanation.as_ref().unwrap().terms[0].score > 0.0);
    let json = serde_json::to_value(&found).unwrap();
    let flat = &json["hits"][0];
    assert_eq!(
        (&flat["repo"], &flat["mode"], &flat["buildId"]),
        (&"high".into(), &"prose".into(), &"high-build".into())
    );
    let mut hidden = found.clone();
    hidden.hide_paths(&[]);
    let json = serde_json::to_string(&hidden).unwrap();
    assert!(!json.contains(place.path().to_str().unwrap()) && !json.contains("/srv"), "{json}");
    let back: Answer = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
    assert_eq!(shown(&back), shown(&found), "it comes back from a cache as it went in");
    let index = &found.repos[0].indexes[0];
    assert_eq!((index.documents, index.chunks, index.hits), (3, 3, 2));
}

#[test]
fn an_answer_is_cut_to_a_budget() {
    let place = tempfile::tempdir().unwrap();
    let mut found = answer(&two(place.path()), &lexical("retry"));
    let all = found.hits.len();
    found.cut_to(10);
    assert!(found.tokens.unwrap() <= 10);
    assert!(!found.hits.is_empty() && found.hits.len() < all);
    let hits: usize = found.repos.iter().flat_map(|repo| &repo.indexes).map(|index| index.hits).sum();
    assert_eq!(hits, found.hits.len());
    found.cut_to(1);
    assert_eq!(found.tokens, Some(1));
    assert_eq!((found.hits.len(), found.hits[0].cut), (1, true));
}

#[test]
fn repos_can_be_filtered_in_the_query() {
    let place = tempfile::tempdir().unwrap();
    let targets = two(place.path());
    let only = answer(&targets, &lexical("retry repo:HI*"));
    assert_eq!(statuses(&only), [("high".to_owned(), IndexStatus::Searched)]);
    assert_eq!(scores(&only), scores(&answer(&targets[..1], &lexical("retry"))));
    let none = answer(&targets, &lexical("retry repo:x repo:y"));
    assert_eq!((none.hits.len(), none.repos.len(), warned(&none)), (0, 0, vec!["nothing-selected"]));
    assert!(search_repos(&targets, &[Mode::Prose], &lexical("retry repo:[a"), &Cancel::default()).is_err());
}

#[test]
fn what_can_not_be_opened_is_reported_and_the_rest_is_returned() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let alone: Vec<_> = answer(std::slice::from_ref(&high), &lexical("retry")).hits.iter().map(identity).collect();
    let build = build_of(place.path(), "low");
    for damage in ["CURRENT", "index_state.json", "gone"] {
        let low = repo(place.path(), "low", Mode::Prose, &docs("low", &["retry"]), &[]);
        match damage {
            "gone" => std::fs::remove_dir_all(&build).unwrap(),
            file => std::fs::write(build.join("index-prose").join(file), "{").unwrap(),
        }
        let found = answer(&[high.clone(), low], &lexical("retry"));
        assert_eq!(statuses(&found)[1], ("low".to_owned(), IndexStatus::Failed), "{damage}");
        assert!(found.partial && warned(&found) == ["index-failed"], "{damage}");
        let reason = found.repos[1].indexes[0].reason.as_deref().unwrap();
        assert!(reason.contains(if damage == "gone" { "taken away" } else { "index" }), "{reason}");
        assert_eq!(found.hits.iter().map(identity).collect::<Vec<_>>(), alone, "{damage}");
    }
    assert_eq!(low.name, "low");
}

/// Overwrites the beginning of every file of a kind.
fn spoil(build: &std::path::Path, extension: &str) {
    let damaged = files(build, extension);
    assert!(!damaged.is_empty());
    for file in damaged {
        let mut bytes = std::fs::read(&file).unwrap();
        let end = bytes.len().min(48);
        bytes[..end].fill(0xff);
        std::fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn an_index_that_breaks_in_use_leaves_the_ranking_of_the_others() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let asked = lexical("retry request");
    let alone: Vec<_> = answer(std::slice::from_ref(&high), &asked).hits.iter().map(identity).collect();
    let together: Vec<_> = answer(&[high.clone(), low.clone()], &asked).hits.iter().map(identity).collect();
    assert_ne!(together[..2], alone[..2]);
    // The texts: found out only when the best chunks are read, after everything was scored.
    spoil(&build_of(place.path(), "low"), "store");
    for timeout in [None, Some(Duration::from_secs(60))] {
        let found = answer(&[high.clone(), low.clone()], &Question { timeout, ..asked.clone() });
        assert_eq!(statuses(&found)[1].1, IndexStatus::Failed);
        assert_eq!(found.hits.iter().map(identity).collect::<Vec<_>>(), alone);
        assert_eq!((found.found, found.partial), (3, true));
    }
}

#[test]
fn an_index_of_another_cohort_that_breaks_leaves_no_trace_either() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let asked = lexical("retry request");
    let alone: Vec<_> = answer(std::slice::from_ref(&high), &asked).hits.iter().map(identity).collect();
    recohort(&build_of(place.path(), "low"), Mode::Prose, "another");
    spoil(&build_of(place.path(), "low"), "store");
    let found = answer(&[high, low], &asked);
    assert_eq!((statuses(&found)[1].1, found.partial), (IndexStatus::Failed, true));
    assert_eq!(found.hits.iter().map(identity).collect::<Vec<_>>(), alone);
    assert_eq!(warned(&found), ["index-failed"], "what is left can be compared");
}

#[test]
fn a_federation_is_opened_once_and_asked_often() {
    let place = tempfile::tempdir().unwrap();
    let targets = two(place.path());
    let plan = Plan::of_targets(&targets, &[Mode::Prose]);
    let federation = Federation::open(plan);
    for query in ["retry", "request", "cache"] {
        let asked = lexical(query);
        let (found, timing) =
            federation.search(&asked, &[Mode::Prose], StaticModel::bundled(), &Cancel::default()).unwrap();
        assert_eq!(found, answer(&targets, &asked));
        assert_eq!(timing.repos.len(), 2);
    }
    let (found, _) =
        federation.search(&lexical("retry"), &[Mode::Code], StaticModel::bundled(), &Cancel::default()).unwrap();
    assert_eq!(statuses(&found)[0].1, IndexStatus::Unavailable, "that mode was not opened");
    assert!(
        federation.search(&lexical("retry"), &[Mode::Prose], StaticModel::bundled(), &Cancel::when(|| true)).is_err()
    );
    let in_no_time = Question { timeout: Some(Duration::ZERO), ..lexical("retry") };
    let (found, _) =
        federation.search(&in_no_time, &[Mode::Prose], StaticModel::bundled(), &Cancel::default()).unwrap();
    assert!(found.partial && found.hits.is_empty());
    assert_eq!(warned(&found), ["index-timed-out"; 2]);
}

#[test]
fn nothing_is_found_in_no_repository() {
    let found = answer(&[], &lexical("retry"));
    assert_eq!(found, Answer::default());
}
