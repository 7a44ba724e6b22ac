//! What many indexes answer together, and what becomes of those that can't.

use std::time::Duration;

use ai_assist_base::Cancel;
use ai_assist_embed::StaticModel;
use ai_assist_repo::layout::Mode;
use ai_assist_search::Mode as Ranking;
use ai_assist_workspace::WarningCode;
use ai_assist_workspace::federate::{
    Answer, Federation, IndexStatus, Merge, OpenOptions, Plan, Question, Target, search_repos,
};

use crate::fake_builds::{answer, build_of, docs, files, identity, places, question, recohort, repo, repo_id, scores};

/// Two repositories; by their own statistics each ranks 0, 1, 2.
fn two(place: &std::path::Path) -> [Target; 2] {
    let texts =
        ["retry retry retry", "retry the request now", "retry the request of the timeout and the file and the cache"];
    let high = repo(place, "high", Mode::Prose, &docs("high", &texts), &[]);
    let low = repo(place, "low", Mode::Prose, &docs("low", &texts), &[]);
    [high, low]
}

fn lexical(query: &str) -> Question {
    Question { ranking: Ranking::Lexical, ..question(query, &[Mode::Prose]) }
}

fn statuses(answer: &Answer) -> Vec<(String, IndexStatus)> {
    let status = |repo: &ai_assist_workspace::federate::RepoOutcome| (repo.repo.clone(), repo.indexes[0].status);
    answer.repos.iter().map(status).collect()
}

fn warned(answer: &Answer) -> Vec<WarningCode> {
    answer.warnings.iter().map(|warning| warning.code).collect()
}

#[test]
fn ranks_of_repositories_are_fused() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let asked = Question { merge: Merge::Rrf, ..lexical("retry") };
    // Of equal ranks the one that was given first goes first, whatever its id.
    let found = answer(&[low.clone(), high.clone()], &asked);
    assert_eq!(places(&found), ["low/0.md", "high/0.md", "low/1.md", "high/1.md", "low/2.md", "high/2.md"]);
    let (first, second, third) = (1.0 / 61.0, 1.0 / 62.0, 1.0 / 63.0);
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
        let asked = Question { top_per_repo: Some(1), limit: 2, merge, ..lexical("retry") };
        let found = answer(&targets, &asked);
        assert_eq!(places(&found), [places(&all)[0].as_str(), "quiet/0.md"], "{merge:?}");
        assert_eq!((found.found, found.repos[0].indexes[0].hits), (5, 1));
    }
}

#[test]
fn modes_are_fused_by_rank_and_one_mode_is_not() {
    let place = tempfile::tempdir().unwrap();
    let [mut high, low] = two(place.path());
    let code = repo(place.path(), "code", Mode::Code, &docs("code", &["fn retry() { retry }", "retry"]), &[]);
    high.builds.extend(code.builds.clone());
    let targets = [high, low];
    let both = Question { modes: vec![Mode::Code, Mode::Prose, Mode::Code], limit: 4, ..lexical("retry") };
    let found = answer(&targets, &both);
    let first: Vec<(Mode, f32)> = found.hits.iter().map(|hit| (hit.mode, hit.score)).collect();
    let (one, two) = (1.0 / 61.0, 1.0 / 62.0);
    assert_eq!(first, [(Mode::Code, one), (Mode::Prose, one), (Mode::Code, two), (Mode::Prose, two)]);
    let outcome: Vec<_> = found
        .repos
        .iter()
        .map(|repo| repo.indexes.iter().map(|index| (index.mode, index.status)).collect::<Vec<_>>())
        .collect();
    let (searched, not) = (IndexStatus::Searched, IndexStatus::Unavailable);
    assert_eq!(outcome[0], [(Mode::Code, searched), (Mode::Prose, searched)]);
    assert_eq!(outcome[1], [(Mode::Code, not), (Mode::Prose, searched)]);
    assert_eq!(found.repos[1].indexes[0].reason.as_deref(), Some("missing-index-dir"));
    assert!(!found.partial);
    // A mode that nobody has adds no ranking, and so leaves the scores as they are.
    let plain = answer(&targets, &lexical("retry"));
    let more = answer(&targets, &Question { modes: vec![Mode::Prose, Mode::Records], ..lexical("retry") });
    assert_eq!(scores(&plain), scores(&more));
    assert_eq!(plain.hits[0].score, plain.hits[0].words);
}

#[test]
fn other_cohorts_are_ranked_for_themselves() {
    let place = tempfile::tempdir().unwrap();
    let [high, low] = two(place.path());
    let alone = answer(std::slice::from_ref(&low), &lexical("retry"));
    recohort(&build_of(place.path(), "low"), Mode::Prose, "another");
    let found = answer(&[high, low], &lexical("retry"));
    assert_eq!(warned(&found), [WarningCode::UnsafeMix]);
    assert_eq!(places(&found)[..2], ["high/0.md", "low/0.md"]);
    assert_eq!(scores(&found)[..3], [1.0 / 61.0, 1.0 / 61.0, 1.0 / 62.0]);
    let words =
        |answer: &Answer| answer.hits.iter().filter(|hit| hit.repo == "low").map(|hit| hit.words).collect::<Vec<_>>();
    assert_eq!(words(&found), words(&alone), "the statistics of one cohort say nothing about the other");
}

#[test]
fn a_hit_says_where_it_is_from() {
    let place = tempfile::tempdir().unwrap();
    let targets = two(place.path());
    let found = answer(&targets, &Question { explain: true, ..lexical("request") });
    let hit = &found.hits[0];
    assert_eq!((hit.repo_id.clone(), hit.repo.as_str()), (repo_id("high"), "high"));
    assert_eq!((hit.commit.as_deref(), hit.build_id.as_str()), (Some("commit-of-high"), "high-build"));
    assert!(hit.explanation.as_ref().unwrap()["terms"][0]["score"].as_f64().unwrap() > 0.0);
    let json = serde_json::to_string(&found).unwrap();
    assert!(!json.contains(place.path().to_str().unwrap()) && !json.contains("/srv"), "{json}");
    assert_eq!(serde_json::from_str::<Answer>(&json).unwrap(), found, "it comes back from a cache as it went in");
    let index = &found.repos[0].indexes[0];
    assert_eq!((index.documents, index.chunks, index.hits), (3, 3, 2));
}

#[test]
fn an_answer_is_cut_to_a_budget() {
    let place = tempfile::tempdir().unwrap();
    let mut found = answer(&two(place.path()), &lexical("retry"));
    let all = found.hits.len();
    assert!(found.cut_to(10) <= 10);
    assert!(!found.hits.is_empty() && found.hits.len() < all);
    let hits: usize = found.repos.iter().flat_map(|repo| &repo.indexes).map(|index| index.hits).sum();
    assert_eq!(hits, found.hits.len());
    assert_eq!(found.cut_to(1), 1);
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
    assert_eq!((none.hits.len(), none.repos.len(), warned(&none)), (0, 0, vec![WarningCode::NothingSelected]));
    assert!(search_repos(&targets, &lexical("retry repo:[a"), &Cancel::default()).is_err());
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
        assert!(found.partial && warned(&found) == [WarningCode::IndexFailed], "{damage}");
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
fn a_federation_is_opened_once_and_asked_often() {
    let place = tempfile::tempdir().unwrap();
    let targets = two(place.path());
    let plan = Plan::of_targets(&targets, &[Mode::Prose]);
    let federation = Federation::open(plan, &OpenOptions::default());
    for query in ["retry", "request", "cache"] {
        let asked = lexical(query);
        let (found, timing) = federation.search(&asked, StaticModel::bundled(), &Cancel::default()).unwrap();
        assert_eq!(found, answer(&targets, &asked));
        assert_eq!(timing.repos.len(), 2);
    }
    let asked = Question { modes: vec![Mode::Code], ..lexical("retry") };
    let (found, _) = federation.search(&asked, StaticModel::bundled(), &Cancel::default()).unwrap();
    assert_eq!(statuses(&found)[0].1, IndexStatus::Unavailable, "that mode was not opened");
    assert!(federation.search(&lexical("retry"), StaticModel::bundled(), &Cancel::when(|| true)).is_err());
    let in_no_time = Question { timeout: Some(Duration::ZERO), ..lexical("retry") };
    let (found, _) = federation.search(&in_no_time, StaticModel::bundled(), &Cancel::default()).unwrap();
    assert!(found.partial && found.hits.is_empty());
    assert_eq!(warned(&found), [WarningCode::IndexTimedOut; 2]);
}

#[test]
fn nothing_is_found_in_no_repository() {
    let found = answer(&[], &lexical("retry"));
    assert_eq!(found, Answer::default());
}
