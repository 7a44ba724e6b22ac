//! Indexes that are slow, gone or broken, at moments that a test chooses.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use super::open::{Opener, opener};
use super::repos::search_repos_with;
use super::workspace::search_workspace_with;
use super::*;
use crate::cohort::CohortPolicy;
use crate::config::{ResolvedWorkspace, WORKSPACE_FILE};
use crate::manifest::GenerateOptions;
use crate::selection::Selection;
use ai_assist_base::{Cancel, RealPath};
use ai_assist_repo::build::{BuildRequest, build_repo};
use ai_assist_repo::gc::gc;
use ai_assist_repo::repo_config::BuildCaches;
use ai_assist_repo::repo_index::RepoIndex;
use ai_assist_search::{Answer, Hit, IndexStatus, Question};

const MODES: [Mode; 2] = [Mode::Prose, Mode::Code];
const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

struct Place {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { top: folder.path().real_path().unwrap(), _folder: folder };
        for (number, name) in NAMES.into_iter().enumerate() {
            place.write(name, 0, number);
            place.build(name);
        }
        let repos: Vec<_> = NAMES.iter().map(|name| serde_json::json!({"root": name, "alias": name})).collect();
        let config = serde_json::json!({"schemaVersion": 1, "name": "w", "repos": repos});
        std::fs::write(place.top.join(WORKSPACE_FILE), config.to_string()).unwrap();
        place
    }

    fn write(&self, name: &str, round: usize, words: usize) {
        std::fs::create_dir_all(self.top.join(name)).unwrap();
        let text = format!("# Harbor\n\nRound {round} of the {}harbor.\n", "old ".repeat(words));
        std::fs::write(self.top.join(name).join("a.md"), text).unwrap();
    }

    fn request(&self, name: &str) -> BuildRequest {
        BuildRequest::new(CanonicalPath::from_absolute(&self.top.join(name)).unwrap(), &self.top.join("cache"))
    }

    fn build(&self, name: &str) -> String {
        build_repo(&self.request(name), &Cancel::default(), &mut |_| {}).unwrap().build_id
    }

    fn target(&self, name: &str) -> Target {
        let request = self.request(name);
        Target::of_repo(&request.root, &request.repo_id, &request.cache)
    }

    fn targets(&self) -> Vec<Target> {
        NAMES.into_iter().map(|name| self.target(name)).collect()
    }

    /// Searches all repositories with another way to open them.
    fn search(&self, question: &Question, opener: &Opener) -> Answer {
        search_repos_with(&self.targets(), &MODES, question, opener, &Cancel::default()).unwrap().0
    }

    fn search_workspace(&self, opener: &Opener) -> WorkspaceAnswer {
        let workspace = ResolvedWorkspace::load(&self.top.join(WORKSPACE_FILE)).unwrap();
        let options =
            GenerateOptions { caches: &BuildCaches::shared(&self.top.join("cache")), now: SystemTime::UNIX_EPOCH };
        let asked = WorkspaceQuestion {
            question: question(),
            modes: MODES.to_vec(),
            selection: Selection::default(),
            policy: CohortPolicy::Default,
            strict: false,
            cache: None,
        };
        search_workspace_with(&workspace, &options, &asked, opener, &Cancel::default()).unwrap()
    }
}

fn question() -> Question {
    Question::new("old harbor".parse().unwrap())
}

/// An opener that does something first, which is told the repository's name.
fn after(act: impl Fn(&str) + Send + Sync + 'static) -> Opener {
    Arc::new(move |build: &Path, mode| {
        let text = build.display().to_string();
        NAMES.iter().filter(|name| text.contains(&format!("/{name}-"))).for_each(|name| act(name));
        RepoIndex::open_build(build, mode)
    })
}

/// The hits without the number of their source, which is another where there are more.
fn shown(answer: &Answer) -> Vec<Hit> {
    answer.hits.iter().map(|hit| Hit { key: (0, hit.key.1), ..hit.clone() }).collect()
}

fn statuses(answer: &Answer) -> Vec<(&str, IndexStatus)> {
    answer.repos.iter().map(|repo| (repo.repo.as_str(), repo.indexes[0].status)).collect()
}

#[test]
fn the_answer_does_not_depend_on_timing() {
    let place = Place::new();
    let plain = place.search(&question(), &opener());
    assert_eq!(plain.hits.len(), 4);
    for (round, concurrency) in [1, 2, 3, 8, 0].into_iter().enumerate() {
        let slow = after(move |name| {
            let at = NAMES.iter().position(|known| *known == name).unwrap();
            std::thread::sleep(Duration::from_millis(((at + round) % 4 * 15) as u64));
        });
        for timeout in [None, Some(Duration::from_secs(60))] {
            let asked = Question { concurrency, timeout, ..question() };
            assert_eq!(place.search(&asked, &slow), plain, "{concurrency} {timeout:?}");
        }
    }
}

#[test]
fn a_slow_repository_is_left_behind() {
    let place = Place::new();
    let rest: Vec<Target> = ["alpha", "gamma", "delta"].map(|name| place.target(name)).into();
    let (expected, _) = search_repos(&rest, &MODES, &question(), &Cancel::default()).unwrap();
    let slow = after(|name| {
        if name == "beta" {
            std::thread::sleep(Duration::from_secs(30));
        }
    });
    let asked = Question { concurrency: 3, timeout: Some(Duration::from_secs(4)), ..question() };
    let start = Instant::now();
    let answer = place.search(&asked, &slow);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(shown(&answer), shown(&expected), "what is left is ranked as if it had never been there");
    assert!(answer.partial);
    let (searched, late) = (IndexStatus::Searched, IndexStatus::TimedOut);
    assert_eq!(statuses(&answer), [("alpha", searched), ("beta", late), ("delta", searched), ("gamma", searched)]);
}

#[test]
fn a_reader_that_breaks_off_is_a_failure() {
    let place = Place::new();
    let broken = after(|name| assert_ne!(name, "delta", "broken on purpose"));
    for concurrency in [1, 4] {
        let answer = place.search(&Question { concurrency, ..question() }, &broken);
        assert_eq!((answer.hits.len(), answer.partial), (3, true));
        assert_eq!(statuses(&answer)[2], ("delta", IndexStatus::Failed));
    }
}

/// An opener under whose eyes a repository is built anew, the first few times, and the old build is taken away.
fn restless(place: &Arc<Place>, times: usize) -> (Opener, Arc<AtomicUsize>) {
    let rounds = Arc::new(AtomicUsize::new(0));
    let (place, counted, one_at_a_time) = (Arc::clone(place), Arc::clone(&rounds), Mutex::new(()));
    let opener = after(move |name| {
        let _turn = one_at_a_time.lock().unwrap();
        if name == "gamma" && counted.load(Ordering::Relaxed) < times {
            let round = counted.fetch_add(1, Ordering::Relaxed) + 1;
            place.write(name, round, 1);
            place.build(name);
            gc(&place.request(name).cache, &BTreeSet::new(), false, &Cancel::default()).unwrap();
        }
    });
    (opener, rounds)
}

#[test]
fn a_build_that_is_taken_away_is_looked_for_again() {
    let place = Arc::new(Place::new());
    let (moving, rounds) = restless(&place, 3);
    let answer = place.search(&Question { concurrency: 1, ..question() }, &moving);
    assert!(!answer.partial, "{:?}", answer.warnings);
    assert_eq!(rounds.load(Ordering::Relaxed), 3);
    let gamma = answer.hits.iter().find(|hit| hit.origin.name() == "gamma").unwrap();
    assert!(gamma.text.contains("Round 3"), "{}", gamma.text);
    let (restless, rounds) = restless(&place, 3);
    let found = place.search_workspace(&restless);
    assert!(!found.answer.partial, "{:?}", found.answer.warnings);
    assert_eq!(rounds.load(Ordering::Relaxed), 3);
    let now = place.search_workspace(&opener());
    assert_eq!((found.manifest_hash, found.answer), (now.manifest_hash, now.answer));
}

#[test]
fn but_not_for_ever() {
    let place = Place::new();
    let gone: Opener = Arc::new(|build: &Path, mode| {
        if build.display().to_string().contains("/beta-") { Ok(None) } else { RepoIndex::open_build(build, mode) }
    });
    for answer in [place.search(&question(), &gone), place.search_workspace(&gone).answer] {
        assert_eq!((answer.partial, answer.hits.len()), (true, 3));
        assert_eq!(statuses(&answer)[1], ("beta", IndexStatus::Failed));
    }
}
