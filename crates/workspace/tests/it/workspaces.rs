//! Searching workspaces of real builds, from one process and from many.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use ai_assist_base::Cancel;
use ai_assist_identity::CanonicalPath;
use ai_assist_repo::build::{BuildRequest, build_repo};
use ai_assist_repo::gc::gc;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_config::BuildCaches;
use ai_assist_search::{Hit, IndexStatus};
use ai_assist_workspace::cohort::CohortPolicy;
use ai_assist_workspace::config::{ResolvedWorkspace, WORKSPACE_FILE};
use ai_assist_workspace::edit::{NewRepo, add_repo, init_workspace};
use ai_assist_workspace::federate::{
    FederateError, Target, WorkspaceAnswer, WorkspaceQuestion, search_repos, search_workspace,
};
use ai_assist_workspace::manifest::GenerateOptions;
use ai_assist_workspace::query_cache::CacheLimits;
use ai_assist_workspace::selection::Selection;

use crate::fake_builds::{files, of_repo, question, recohort, shown, warned};

/// Some repositories and their workspace.
struct Place {
    top: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    fn new(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { top: folder.path().canonicalize().unwrap(), _folder: Some(folder) };
        for name in names {
            place.write(name, "docs/a.md", &format!("# Harbor\n\nThe harbor of {name} has a lighthouse.\n"));
            place.write(name, "src/lib.rs", "/// Opens the harbor.\npub fn open_harbor() {}\n");
        }
        let repos: Vec<_> = names.iter().map(|name| serde_json::json!({"root": name, "alias": name})).collect();
        place.configure(&repos);
        place
    }

    fn built(names: &[&str]) -> Self {
        let place = Self::new(names);
        names.iter().for_each(|name| drop(place.build(name)));
        place
    }

    fn configure(&self, repos: &[serde_json::Value]) {
        let config = serde_json::json!({"schemaVersion": 1, "name": "w", "repos": repos});
        std::fs::write(self.top.join(WORKSPACE_FILE), config.to_string()).unwrap();
    }

    fn write(&self, name: &str, path: &str, text: &str) {
        let path = self.top.join(name).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn request(&self, name: &str) -> BuildRequest {
        BuildRequest::new(CanonicalPath::from_absolute(&self.top.join(name)).unwrap(), &self.top.join("cache"))
    }

    fn build(&self, name: &str) -> String {
        let report = build_repo(&self.request(name), &Cancel::default(), &mut |_| {}).unwrap();
        assert_eq!(report.warnings, Vec::<String>::new());
        report.build_id
    }

    fn target(&self, name: &str) -> Target {
        let request = self.request(name);
        Target::of_repo(&request.root, &request.repo_id, &request.cache)
    }

    fn current(&self, name: &str) -> PathBuf {
        self.target(name).builds[&Mode::Prose].clone()
    }

    fn search(&self, asked: &WorkspaceQuestion) -> Result<WorkspaceAnswer, FederateError> {
        let workspace = ResolvedWorkspace::load(&self.top.join(WORKSPACE_FILE)).unwrap();
        let options =
            GenerateOptions { caches: &BuildCaches::shared(&self.top.join("cache")), now: SystemTime::UNIX_EPOCH };
        search_workspace(&workspace, &options, asked, &Cancel::default())
    }

    fn answers(&self, extension: &str) -> Vec<PathBuf> {
        files(&self.top.join("cache/federation"), extension)
    }
}

fn asked(query: &str) -> WorkspaceQuestion {
    WorkspaceQuestion {
        question: question(query),
        modes: vec![Mode::Prose],
        selection: Selection::default(),
        policy: CohortPolicy::Default,
        strict: false,
        cache: Some(CacheLimits::default()),
    }
}

fn repos(found: &WorkspaceAnswer) -> BTreeSet<&str> {
    found.answer.hits.iter().map(|hit| of_repo(hit).0).collect()
}

#[test]
fn a_workspace_is_searched_as_one() {
    let place = Place::built(&["one", "two"]);
    place.write("three/x", "a.md", "never built");
    place.configure(&[
        serde_json::json!({"root": "one", "alias": "first"}),
        serde_json::json!({"root": "two"}),
        serde_json::json!({"root": "three", "alias": "third"}),
    ]);
    let found = place.search(&asked("harbor lighthouse")).unwrap();
    assert_eq!(found.answer.hits.len(), 2);
    assert!(!found.cached && !found.answer.partial);
    assert_eq!((found.roots.len(), found.answer.repos.len()), (3, 3));
    assert!(found.answer.repos.is_sorted_by_key(|repo| repo.repo_id.clone()));
    let third = found.answer.repos.iter().find(|repo| repo.repo == "third").unwrap();
    assert_eq!(third.indexes[0].status, IndexStatus::Unavailable);
    assert_eq!(third.indexes[0].reason.as_deref(), Some("missing-index-dir"));
    assert_eq!(warned(&found.answer), ["index-unavailable"]);
    // The same repositories without the workspace.
    let targets = ["one", "two", "three"].map(|name| place.target(name));
    let (plain, _) =
        search_repos(&targets, &[Mode::Prose], &asked("harbor lighthouse").question, &Cancel::default()).unwrap();
    let scores = |hits: &[Hit]| hits.iter().map(|hit| (hit.hash, hit.score.to_bits())).collect::<Vec<_>>();
    assert_eq!(scores(&plain.hits), scores(&found.answer.hits));
    let strict = WorkspaceQuestion { strict: true, ..asked("harbor lighthouse") };
    for _ in 0..2 {
        let error = place.search(&strict).unwrap_err();
        let text = error.to_string();
        assert!(matches!(&error, FederateError::Strict(missed) if missed.len() == 1), "{text}");
        assert!(text.contains("`third` (prose) unavailable: missing-index-dir"), "{text}");
    }
}

#[test]
fn the_query_selects_repositories_too() {
    let place = Place::built(&["one", "two", "three"]);
    assert_eq!(repos(&place.search(&asked("harbor repo:t*")).unwrap()), ["three", "two"].into());
    let mut both = asked("harbor repo:one");
    both.selection.repo_filters = vec!["two".to_owned()];
    assert_eq!(repos(&place.search(&both).unwrap()), ["one", "two"].into());
    both.selection.select = vec!["one".to_owned()];
    assert_eq!(repos(&place.search(&both).unwrap()), ["one"].into());
    let none = place.search(&asked("harbor repo:zzz")).unwrap();
    assert_eq!(warned(&none.answer), ["filter-matches-nothing", "nothing-selected"]);
    assert!(none.answer.repos.is_empty());
    let mut unknown = asked("harbor");
    unknown.selection.select = vec!["thre".to_owned()];
    assert!(matches!(place.search(&unknown), Err(FederateError::Selection(_))));
}

#[test]
fn cohorts_go_by_the_policy() {
    let place = Place::built(&["one", "two", "odd"]);
    recohort(&place.current("odd"), Mode::Prose, "another");
    let found = place.search(&asked("harbor")).unwrap();
    assert_eq!(repos(&found), ["one", "two"].into());
    let odd = found.answer.repos.iter().find(|repo| repo.repo == "odd").unwrap();
    assert_eq!(odd.indexes[0].status, IndexStatus::OtherCohort);
    assert_eq!(warned(&found.answer), ["cohort-excluded"]);
    assert!(!found.answer.partial);
    let strict = WorkspaceQuestion { strict: true, ..asked("harbor") };
    assert!(place.search(&strict).unwrap_err().to_string().contains("`odd` (prose) of another cohort"));
    let with = |policy| place.search(&WorkspaceQuestion { policy, ..asked("harbor") });
    let mixed = with(CohortPolicy::AllowUnsafeMix).unwrap();
    assert_eq!(repos(&mixed), ["odd", "one", "two"].into());
    assert_eq!(warned(&mixed.answer), ["unsafe-mix"]);
    let scores: Vec<f32> = mixed.answer.hits.iter().map(|hit| hit.score).collect();
    assert_eq!(scores, [1.0, 1.0, 61.0 / 62.0]);
    let named = with(CohortPolicy::Named(vec!["another".parse().unwrap()])).unwrap();
    assert_eq!(repos(&named), ["odd"].into());
    assert!(matches!(with(CohortPolicy::Strict), Err(FederateError::Cohort(_))));
}

#[test]
fn an_answer_is_remembered_until_something_changes() {
    let place = Place::built(&["one", "two"]);
    let mut explained = asked("harbor lighthouse");
    explained.question.explain = true;
    for asked in [asked("harbor lighthouse"), explained] {
        let first = place.search(&asked).unwrap();
        let second = place.search(&asked).unwrap();
        assert_eq!((first.cached, second.cached), (false, true));
        assert_eq!(shown(&first.answer), shown(&second.answer));
        assert_eq!((&first.roots, &first.manifest_hash), (&second.roots, &second.manifest_hash));
    }
    let base = asked("harbor lighthouse");
    let cached = |asked: &WorkspaceQuestion| place.search(asked).unwrap().cached;
    let mut slower = base.clone();
    (slower.question.concurrency, slower.question.timeout) = (1, Some(std::time::Duration::from_secs(100)));
    assert!(cached(&slower), "how it is searched does not change what is found");
    type Change = fn(&mut WorkspaceQuestion);
    let changes: [Change; 13] = [
        |asked| asked.question.offset = 1,
        |asked| asked.question.limit = usize::MAX,
        |asked| asked.question.per_owner = Some(1),
        |asked| asked.modes = vec![Mode::Prose, Mode::Code],
        |asked| asked.question.rank_by = ai_assist_search::RankBy::Meaning,
        |asked| asked.question.fusion = ai_assist_search::Fusion::RANKS,
        |asked| asked.question.merge = ai_assist_search::Merge::Rrf,
        |asked| asked.question.query = "lighthouse harbor".parse().unwrap(),
        |asked| asked.question.query.narrow(&["docs".to_owned()], &[], &[]).unwrap(),
        |asked| asked.question.query.narrow(&[], &[ai_assist_text::Language::MARKDOWN], &[]).unwrap(),
        |asked| asked.policy = CohortPolicy::AllowUnsafeMix,
        |asked| asked.selection.include_disabled = true,
        |asked| asked.question.query.repos = vec!["*".to_owned()],
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut other = base.clone();
        change(&mut other);
        assert_eq!((cached(&other), cached(&other)), (false, true), "{number}");
    }
    assert!(cached(&base));
    assert!(!cached(&WorkspaceQuestion { cache: None, ..base.clone() }));
    place.configure(&[
        serde_json::json!({"root": "one", "alias": "uno"}),
        serde_json::json!({"root": "two", "alias": "two"}),
    ]);
    let renamed = place.search(&base).unwrap();
    assert_eq!((renamed.cached, repos(&renamed)), (false, ["two", "uno"].into()));
    place.write("two", "docs/b.md", "# Harbor\n\nA second lighthouse.\n");
    place.build("two");
    let grown = place.search(&base).unwrap();
    assert_eq!((grown.cached, grown.answer.found), (false, 3));
}

#[test]
fn a_cache_that_is_broken_is_no_obstacle() {
    let place = Place::built(&["one"]);
    let first = place.search(&asked("harbor")).unwrap();
    let [file] = &place.answers("answer")[..] else { panic!("one answer is kept") };
    let text = std::fs::read_to_string(file).unwrap().replace("lighthouse", "lightHouse");
    std::fs::write(file, text).unwrap();
    let second = place.search(&asked("harbor")).unwrap();
    assert_eq!((second.cached, &second.answer), (false, &first.answer));
    assert_eq!((place.answers("answer").len(), place.answers("bad").len()), (1, 1));
    assert!(place.search(&asked("harbor")).unwrap().cached);
    let folder = file.parent().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    std::fs::write(folder, "not a folder").unwrap();
    let third = place.search(&asked("harbor")).unwrap();
    assert_eq!((third.cached, warned(&third.answer)), (false, vec!["cache-unusable"]));
    assert_eq!(third.answer.hits, first.answer.hits);
}

#[test]
fn a_part_of_an_answer_is_not_remembered() {
    let place = Place::built(&["one", "two"]);
    let store = files(&place.current("two").join("index-prose"), "store");
    for file in &store {
        let length = std::fs::metadata(file).unwrap().len();
        std::fs::write(file, vec![0xff; usize::try_from(length).unwrap()]).unwrap();
    }
    for _ in 0..2 {
        let found = place.search(&asked("harbor")).unwrap();
        assert_eq!((found.cached, found.answer.partial, repos(&found)), (false, true, ["one"].into()));
        assert_eq!(warned(&found.answer), ["index-failed"]);
        let strict = place.search(&WorkspaceQuestion { strict: true, ..asked("harbor") });
        assert!(matches!(strict, Err(FederateError::Strict(missed)) if missed[0].status == IndexStatus::Failed));
    }
    assert!(place.answers("answer").is_empty());
}

const PLACE: &str = "AI_ASSIST_TEST_PLACE";
const NUMBER: &str = "AI_ASSIST_TEST_NUMBER";

fn spawn(place: &Place, test: &str, number: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, &place.top)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The place that a child process was given, and its number.
fn given() -> Option<(Place, usize)> {
    let top = PathBuf::from(std::env::var_os(PLACE)?);
    Some((Place { top, _folder: None }, std::env::var(NUMBER).ok()?.parse().ok()?))
}

fn finish(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

const MODES: [Mode; 2] = [Mode::Prose, Mode::ExtractedProse];

/// Every file of a repository tells in which round it was written.
fn write_round(place: &Place, name: &str, round: usize) {
    for file in 0..4 {
        place.write(name, &format!("docs/d{file}.md"), &format!("# Harbor\n\nWritten in round{round} of {name}.\n"));
        let code = format!("/// The harbor of round{round}.\npub fn harbor_{file}() {{}}\n");
        place.write(name, &format!("src/f{file}.rs"), &code);
    }
}

fn round_of(text: &str) -> String {
    let (_, after) = text.split_once("round").unwrap();
    after.chars().take_while(char::is_ascii_digit).collect()
}

/// Not a test of its own: what each of the searching processes does.
#[test]
#[ignore = "run by the test below"]
fn searcher() {
    let Some((place, number)) = given() else { return };
    let mut asked = asked("harbor written round");
    (asked.modes, asked.question.limit) = (MODES.to_vec(), 100);
    if number % 2 == 0 {
        asked.cache = None;
    }
    let mut rounds: BTreeMap<String, String> = BTreeMap::new();
    let mut answers = 0;
    while !place.top.join("stop").exists() || answers == 0 {
        let found = place.search(&asked).unwrap();
        assert!(!found.answer.partial, "{:?}", found.answer.warnings);
        assert_eq!(found.answer.hits.len(), 16);
        for repo in &found.answer.repos {
            for index in &repo.indexes {
                assert_eq!((index.status, index.hits), (IndexStatus::Searched, 4), "{:?}", index.reason);
                let mine = found.answer.hits.iter().map(|hit| (hit, of_repo(hit)));
                let mine = mine.filter(|(_, (name, mode, _))| *name == repo.repo && *mode == index.mode);
                for (hit, (.., build_id)) in mine {
                    assert_eq!(Some(build_id), index.build_id.as_deref(), "one build");
                    let round = round_of(&hit.text);
                    let known = rounds.entry(build_id.to_owned()).or_insert_with(|| round.clone());
                    assert_eq!(*known, round, "with what that build has");
                }
            }
        }
        let targets = ["one", "two"].map(|name| place.target(name));
        let (plain, _) = search_repos(&targets, &asked.modes, &asked.question, &Cancel::default()).unwrap();
        assert_eq!((plain.partial, plain.hits.len()), (false, 16), "{:?}", plain.warnings);
        let round = |hit: &Hit| (of_repo(hit).0.to_owned(), of_repo(hit).1.to_owned(), round_of(&hit.text));
        let rounds_now: BTreeSet<(String, String, String)> = plain.hits.iter().map(round).collect();
        assert_eq!(rounds_now.len(), 4, "each index is of one round: {rounds_now:?}");
        answers += 1;
    }
    std::fs::write(place.top.join(format!("answers-{number}")), answers.to_string()).unwrap();
}

#[test]
fn ten_processes_search_while_builds_come_and_go() {
    let place = Place::new(&["one", "two"]);
    for name in ["one", "two"] {
        std::fs::remove_dir_all(place.top.join(name)).unwrap();
        write_round(&place, name, 0);
        place.build(name);
    }
    let children: Vec<Child> = (0..10).map(|number| spawn(&place, "workspaces::searcher", number)).collect();
    for round in 1..10 {
        for name in ["one", "two"] {
            write_round(&place, name, round);
            place.build(name);
            gc(&place.request(name).cache, &BTreeSet::new(), false, &Cancel::default()).unwrap();
        }
    }
    std::fs::write(place.top.join("stop"), "").unwrap();
    finish(children);
    let answers = |number: usize| std::fs::read_to_string(place.top.join(format!("answers-{number}"))).unwrap();
    let counts: Vec<usize> = (0..10).map(|number| answers(number).parse().unwrap()).collect();
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    for name in ["one", "two"] {
        let kept = gc(&place.request(name).cache, &BTreeSet::new(), false, &Cancel::default()).unwrap().kept;
        assert_eq!(kept.len(), 1, "nobody holds anything any more");
    }
}

/// Not a test of its own: what each of the editing processes does.
#[test]
#[ignore = "run by the test below"]
fn editor() {
    let Some((place, number)) = given() else { return };
    for part in 0..4 {
        let repo = NewRepo { root: place.top.join(format!("r{number}-{part}")), ..NewRepo::default() };
        add_repo(&place.top.join("edited.jsonc"), &repo).unwrap();
    }
}

#[test]
fn processes_that_edit_a_workspace_at_once_all_keep_their_edits() {
    let place = Place::new(&[]);
    let file: &Path = &place.top.join("edited.jsonc");
    init_workspace(file, "w").unwrap();
    let names: Vec<String> = (0..5).flat_map(|number| (0..4).map(move |part| format!("r{number}-{part}"))).collect();
    names.iter().for_each(|name| std::fs::create_dir(place.top.join(name)).unwrap());
    finish((0..5).map(|number| spawn(&place, "workspaces::editor", number)).collect());
    let workspace = ResolvedWorkspace::load(file).unwrap();
    let found: BTreeSet<&str> = workspace.repos.iter().filter_map(|repo| repo.root.file_name()).collect();
    assert_eq!(found, names.iter().map(String::as_str).collect());
}
