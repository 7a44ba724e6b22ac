//! Builds whose indexes hold exactly the chunks that a test wants.

use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_chunk::{ChunkKind, Defined};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_identity::{CanonicalPath, RepoId, Sha256};
use ai_assist_index::{IndexChunk, IndexDocument, Options, Versions, Writer};
use ai_assist_repo::layout::{HOLD_FILE, Mode, STATE_FILE, StateFile};
use ai_assist_repo::state::{CheckedOutAt, Counts};
use ai_assist_search::{Answer, Hit, Origin, Question};
use ai_assist_text::{Language, LineRange};
use ai_assist_workspace::federate::{Target, search_repos};

/// A document: its key in the index, who it is of, its path, and the text of each of its chunks.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    pub(crate) key: u64,
    pub(crate) owner: String,
    pub(crate) path: String,
    pub(crate) chunks: Vec<String>,
}

/// Documents of one chunk each.
pub(crate) fn docs(owner: &str, texts: &[&str]) -> Vec<Doc> {
    let doc = |(key, text): (u64, &&str)| Doc {
        key,
        owner: owner.to_owned(),
        path: format!("{key}.md"),
        chunks: vec![(*text).to_owned()],
    };
    (0..).zip(texts).map(doc).collect()
}

/// What a text defines: what stands after `fn`, with a parent as in `Type::method`, and what stands after a leading `#`.
fn defines(text: &str) -> Vec<Defined> {
    let words: Vec<&str> = text.split(' ').collect();
    let definition = |pair: &[&str]| {
        let name = pair[1].split('(').next().filter(|_| pair[0] == "fn")?;
        let (parent, name) = name.rsplit_once("::").map_or((None, name), |(parent, name)| (Some(parent), name));
        Some(Defined { name: name.to_owned(), parent: parent.map(str::to_owned), kind: ChunkKind::Function })
    };
    let heading = text.strip_prefix("# ").map(str::to_owned);
    let heading = heading.map(|name| Defined { name, parent: None, kind: ChunkKind::Section });
    words.windows(2).filter_map(definition).chain(heading).collect()
}

fn index_document(doc: &Doc) -> IndexDocument {
    let language = Language::detect(&doc.path, "");
    let chunk = |(text, line): (&String, u32)| IndexChunk {
        defines: defines(text),
        place: None,
        unseen: Vec::new(),
        lines: LineRange { start: line, end: line },
        bytes: (0, text.len() as u64),
        path: vec![],
        kind: ChunkKind::Section,
        text: text.clone(),
    };
    let chunks: Vec<IndexChunk> = doc.chunks.iter().zip(1..).map(chunk).collect();
    let vectors = IndexDocument::embed(None, &chunks, StaticModel::bundled(), None).unwrap();
    // Tells documents of equal paths and texts apart.
    let hash = Sha256::of(format!("{} {}", doc.owner, doc.path).as_bytes());
    IndexDocument { key: doc.key, path: doc.path.clone(), title: None, language, hash, chunks, vectors, kept: None }
}

fn versions() -> Versions {
    Versions::current(StaticModel::bundled().model())
}

fn chunks(docs: &[Doc], without: &[u64]) -> u64 {
    docs.iter().filter(|doc| !without.contains(&doc.key)).map(|doc| doc.chunks.len() as u64).sum()
}

pub(crate) fn repo_id(name: &str) -> RepoId {
    RepoId::of(&CanonicalPath::from_absolute(Path::new("/srv").join(name).as_path()).unwrap())
}

pub(crate) fn build_of(place: &Path, name: &str) -> PathBuf {
    place.join(format!("{name}-build"))
}

/// A repository with one mode that has some documents, of which some were removed again.
pub(crate) fn repo(place: &Path, name: &str, mode: Mode, docs: &[Doc], removed: &[u64]) -> Target {
    let build = build_of(place, name);
    let index = build.join(mode.index_dir());
    std::fs::create_dir_all(&index).unwrap();
    std::fs::write(build.join(HOLD_FILE), "").unwrap();
    let mut writer = Writer::rebuild(&index, &versions(), StaticModel::DIM, Options::default()).unwrap();
    docs.iter().for_each(|doc| writer.put(index_document(doc)).unwrap());
    writer.commit(1, 0, chunks(docs, &[])).unwrap();
    if !removed.is_empty() {
        let mut writer = Writer::open(&index, &versions(), StaticModel::DIM, Options::default()).unwrap();
        removed.iter().for_each(|&key| writer.remove(key));
        writer.commit(2, 0, chunks(docs, removed)).unwrap();
    }
    let counts = Counts { documents: (docs.len() - removed.len()) as u64, chunks: chunks(docs, removed) };
    let standing = CheckedOutAt { commit: Some(format!("commit-of-{name}")), dirty: false };
    let state = StateFile::new(mode, &format!("{name}-build"), "now", &versions(), &standing, counts);
    write_state(&build, &state);
    Target {
        repo_id: repo_id(name),
        name: name.to_owned(),
        root: CanonicalPath::from_absolute(Path::new("/srv").join(name).as_path()).unwrap(),
        builds: [(mode, build)].into(),
        cache: None,
    }
}

pub(crate) fn write_state(build: &Path, state: &StateFile) {
    let path = build.join(state.mode.index_dir()).join(STATE_FILE);
    std::fs::write(path, serde_json::to_vec(state).unwrap()).unwrap();
}

/// Gives an index another cohort.
pub(crate) fn recohort(build: &Path, mode: Mode, key: &str) {
    let state = StateFile::read(&build.join(mode.index_dir())).unwrap();
    write_state(build, &StateFile { cohort_key: key.to_owned(), ..state });
    // A real one has sums, and what was changed here is no damage.
    let _ = std::fs::remove_file(build.join(mode.index_dir()).join("sums"));
}

pub(crate) fn question(query: &str) -> Question {
    Question::new(query.parse().unwrap())
}

pub(crate) fn answer(targets: &[Target], modes: &[Mode], question: &Question) -> Answer {
    search_repos(targets, modes, question, &Cancel::default()).unwrap().0
}

/// Whose a hit is: the repository's name, its mode, and the build.
pub(crate) fn of_repo(hit: &Hit) -> (&str, &str, &str) {
    match &hit.origin {
        Origin::Repo { repo, mode, build_id, .. } => (repo, mode, build_id),
        origin => panic!("{origin:?} is no repository"),
    }
}

/// `repo/path` of every hit.
pub(crate) fn places(answer: &Answer) -> Vec<String> {
    answer.hits.iter().map(|hit| format!("{}/{}", of_repo(hit).0, hit.document)).collect()
}

/// The codes of all warnings.
pub(crate) fn warned(answer: &Answer) -> Vec<&str> {
    answer.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

pub(crate) fn scores(answer: &Answer) -> Vec<f32> {
    answer.hits.iter().map(|hit| hit.score).collect()
}

/// Everything about a hit that must be the same wherever it stands, scores bit for bit.
pub(crate) fn identity(hit: &Hit) -> (Sha256, String, u32, [u32; 3]) {
    let bits = [hit.score, hit.words, hit.cosine].map(f32::to_bits);
    (hit.hash, hit.text.clone(), hit.lines.start, bits)
}

/// An answer without what ties it to one search: the numbers of the sources.
pub(crate) fn shown(answer: &Answer) -> Answer {
    let mut shown = answer.clone();
    shown.hits.iter_mut().for_each(|hit| hit.key = (0, 0));
    shown
}

/// The files of an index with an extension.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found
}
