use super::*;
use crate::test_workspace::TestWorkspace;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answer {
    text: String,
    complete: bool,
}

impl Completeness for Answer {
    fn is_complete(&self) -> bool {
        self.complete
    }
}

fn answer(text: &str) -> Complete<Answer> {
    Complete::of(Answer { text: text.to_owned(), complete: true }).unwrap()
}

fn key(number: usize) -> QueryKey {
    QueryKey(Sha256::of(&number.to_be_bytes()))
}

const LIMITS: CacheLimits = CacheLimits { count: 4, bytes: 4096, age: Duration::from_secs(100) };

struct Place {
    folder: tempfile::TempDir,
    cache: QueryCache,
    start: SystemTime,
}

impl Place {
    fn new(limits: CacheLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = QueryCache::open(&folder.path().join("cache"), limits).unwrap();
        Place { folder, cache, start: SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000) }
    }

    fn at(&self, seconds: u64) -> SystemTime {
        self.start + Duration::from_secs(seconds)
    }

    fn put(&self, number: usize, text: &str, seconds: u64) -> bool {
        self.cache.put_at(&key(number), &answer(text), self.at(seconds)).unwrap()
    }

    fn get(&self, number: usize, seconds: u64) -> Option<String> {
        self.cache.get_at::<Answer>(&key(number), self.at(seconds)).unwrap().map(|answer| answer.text)
    }

    fn path(&self, number: usize) -> PathBuf {
        self.cache.entry(&key(number))
    }

    fn files(&self, extension: &str) -> usize {
        let all = std::fs::read_dir(self.folder.path().join("cache")).unwrap();
        all.filter(|entry| entry.as_ref().unwrap().path().extension() == Some(OsStr::new(extension))).count()
    }
}

#[test]
fn an_answer_comes_back() {
    let place = Place::new(LIMITS);
    assert_eq!(place.get(1, 0), None);
    assert!(place.put(1, "one\n", 0));
    assert_eq!(place.get(1, 1).as_deref(), Some("one\n"));
    assert_eq!(place.get(2, 1), None);
    assert!(place.put(1, "other", 2));
    assert_eq!(place.get(1, 3).as_deref(), Some("other"));
    let elsewhere = QueryCache::open(&place.folder.path().join("cache"), LIMITS).unwrap();
    assert!(elsewhere.get_at::<Answer>(&key(1), place.at(3)).unwrap().is_some());
}

#[test]
fn what_is_not_complete_can_not_be_kept() {
    let partial = Answer { text: "half".to_owned(), complete: false };
    assert_eq!(Complete::of(partial.clone()), Err(partial));
    assert_eq!(answer("x").get().text, answer("x").into_inner().text);
}

#[test]
fn an_answer_that_is_too_old_is_gone() {
    let place = Place::new(LIMITS);
    place.put(1, "one", 0);
    assert!(place.get(1, 100).is_some());
    assert_eq!(place.get(1, 101), None, "it was used, and yet it was given too long ago");
    assert!(!place.path(1).exists());
    place.put(2, "two", 1000);
    assert_eq!(place.get(2, 0), None, "it comes from the future");
    place.put(3, "three", 0);
    place.put(4, "four", 200);
    assert!(!place.path(3).exists(), "it goes without being asked for");
}

#[test]
fn the_number_of_answers_is_bounded_and_the_used_ones_stay() {
    let place = Place::new(LIMITS);
    for number in 0..4 {
        place.put(number, "x", number as u64);
    }
    assert!(place.get(0, 10).is_some());
    place.put(4, "x", 11);
    assert_eq!(place.files(ENTRY), 4);
    let there: Vec<bool> = (0..5).map(|number| place.path(number).exists()).collect();
    assert_eq!(there, [true, false, true, true, true]);
}

#[test]
fn the_bytes_are_bounded() {
    let place = Place::new(CacheLimits { count: 100, ..LIMITS });
    for number in 0..20 {
        assert!(place.put(number, &"x".repeat(1000), number as u64));
        let files = std::fs::read_dir(place.folder.path().join("cache")).unwrap();
        let total: u64 = files.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(total <= 4096, "{total}");
    }
    assert_eq!(place.files(ENTRY), 3);
    assert!(!place.put(99, &"x".repeat(5000), 30), "it is larger than the cache");
    assert_eq!(place.files(ENTRY), 3);
    let none = Place::new(CacheLimits { count: 0, ..LIMITS });
    assert!(!none.put(1, "x", 0));
}

#[test]
fn a_broken_file_is_set_aside() {
    let place = Place::new(CacheLimits { count: 50, ..LIMITS });
    place.put(0, "sound", 0);
    let sound = std::fs::read(place.path(0)).unwrap();
    let mut flipped = sound.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let partial = br#"{"text":"half","complete":false}"#;
    let mut dishonest = header(&key(4), place.start, partial).into_bytes();
    dishonest.extend_from_slice(partial);
    let no_answer = [header(&key(5), place.start, b"[]").as_bytes(), b"[]"].concat();
    let cases: [&[u8]; 6] = [b"", &sound[..sound.len() - 3], &flipped, &dishonest, &no_answer, &sound];
    for (number, bytes) in (1..).zip(cases) {
        std::fs::write(place.path(number), bytes).unwrap();
        assert_eq!(place.get(number, 1), None, "case {number}");
        assert!(!place.path(number).exists() && place.path(number).with_extension(SET_ASIDE).exists(), "case {number}");
    }
    assert_eq!(place.get(0, 1).as_deref(), Some("sound"));
    place.put(1, "anew", 2);
    assert_eq!(place.get(1, 3).as_deref(), Some("anew"));
    assert_eq!(place.files(SET_ASIDE), KEPT_ASIDE, "not all of them are kept");
}

#[test]
fn what_is_not_a_file_is_set_aside() {
    let place = Place::new(LIMITS);
    std::os::unix::fs::symlink("/dev/zero", place.path(1)).unwrap();
    assert_eq!(place.get(1, 0), None);
    std::fs::create_dir(place.path(2)).unwrap();
    assert_eq!(place.get(2, 0), None);
    std::fs::write(place.path(3), vec![b'x'; 10_000]).unwrap();
    assert_eq!(place.get(3, 0), None);
    assert!((1..4).all(|number| place.path(number).symlink_metadata().is_err()));
    std::fs::create_dir(place.path(4)).unwrap();
    for number in 5..15 {
        assert!(place.put(number, "x", number as u64), "a folder is in nobody's way");
    }
    assert_eq!(place.files(ENTRY), 4 + 1);
}

#[test]
fn what_a_killed_process_left_is_swept_up() {
    let place = Place::new(LIMITS);
    std::fs::write(place.folder.path().join("cache/new.abc.tmp"), "half").unwrap();
    place.put(1, "x", 0);
    assert_eq!(place.files("tmp"), 0);
}

#[test]
fn many_may_read_and_write_at_once() {
    let place = Place::new(CacheLimits { count: 6, bytes: 1 << 20, age: Duration::from_secs(1000) });
    std::thread::scope(|scope| {
        for worker in 0..6 {
            let place = &place;
            scope.spawn(move || {
                for round in 0..40 {
                    let number = (worker + round) % 9;
                    if let Some(text) = place.get(number, 1) {
                        assert_eq!(text, "x".repeat(number * 100));
                    }
                    place.put(number, &"x".repeat(number * 100), 1);
                }
            });
        }
    });
    assert_eq!((place.files(SET_ASIDE), place.files("tmp")), (0, 0));
    assert!(place.files(ENTRY) <= 6);
}

#[test]
fn the_folder_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(LIMITS);
    place.put(1, "x", 0);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.folder.path().join("cache")), 0o700);
    assert_eq!(mode(&place.path(1)), 0o600);
}

#[test]
fn everything_that_can_change_an_answer_changes_its_key() {
    let place = TestWorkspace::built(&["a", "b"]);
    let manifest = place.manifest();
    let other_hash: ManifestHash = format!("wm1-{}", "0".repeat(40)).parse().unwrap();
    let of = |hash: &ManifestHash, program_version: &str, repos: &[&RepoEntry], request: serde_json::Value| {
        QueryKey::of(&Question { manifest_hash: hash, program_version, repos, request: &request }).unwrap()
    };
    let hash = &manifest.manifest_hash;
    let (a, b) = (&manifest.repos[0], &manifest.repos[1]);
    let mut renamed = a.clone();
    renamed.alias = Some("z".to_owned());
    let mut preferred = a.clone();
    preferred.priority = 9;
    let request = || json!({"query": "x", "limit": 10});
    let keys: BTreeSet<String> = [
        of(hash, "1", &[a, b], request()),
        of(&other_hash, "1", &[a, b], request()),
        of(hash, "2", &[a, b], request()),
        of(hash, "1", &[a], request()),
        of(hash, "1", &[b, a], request()),
        of(hash, "1", &[&renamed, b], request()),
        of(hash, "1", &[&preferred, b], request()),
        of(hash, "1", &[a, b], json!({"query": "y", "limit": 10})),
        of(hash, "1", &[a, b], json!({"query": "x", "limit": 11})),
        of(hash, "1", &[a, b], json!({"query": "x"})),
    ]
    .iter()
    .map(|key| key.0.hex())
    .collect();
    assert_eq!(keys.len(), 10);
    assert_eq!(of(hash, "1", &[a, b], json!({"limit": 10, "query": "x"})), of(hash, "1", &[a, b], request()));
}
