//! Collections made of sources and categories, from the configuration to the answers.

use ai_assist_base::Cancel;
use ai_assist_search::{Answer, Cursor, Hit, Origin, Question, RankBy};

use crate::{DocumentRef, Error, Find, Library, Members, Project, Result, Roots, SyncOptions, members, silent};

struct Shelf {
    folder: tempfile::TempDir,
    library: Library,
    members: Members,
}

const CONFIG: &str = r#"{
    "categories": {
        "guide": { "dir": "docs/guide", "patterns": ["**/*.md"] },
        "api": { "dir": "docs/api", "patterns": ["*.md", "*.{txt,rst}"] },
        "texts": { "dir": "docs", "patterns": ["**/*.txt"] },
        "alone": { "dir": "notes", "patterns": ["**/*"] }
    },
    "collections": {
        "docs": { "type": "file", "path": "docs", "glob": "**/*.md", "categories": ["guide", "texts"] },
        "both": { "categories": ["guide", "api"], "description": "Both" },
        "none": { "categories": [] }
    }
}"#;

const FILES: [(&str, &str); 8] = [
    ("docs/index.md", "# Index\n\nLeases and quotas.\n"),
    ("docs/guide/start.md", "# Start\n\nHow leases begin.\n"),
    ("docs/guide/same.md", "# Same in guide\n\nLeases here.\n"),
    ("docs/guide/deep/end.md", "# End\n\nHow leases end.\n"),
    ("docs/api/same.md", "# Same in api\n\nLeases there.\n"),
    ("docs/api/calls.txt", "The lease calls.\n"),
    ("docs/api/calls.rst", "The lease calls, otherwise.\n"),
    ("notes/x.md", "# Note\n\nNothing about it.\n"),
];

impl Shelf {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        for (path, text) in FILES {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        std::fs::write(root.join("context.json"), config).unwrap();
        let project = Project::load(&root.join("context.json")).unwrap();
        let members = members(Some(&project), None).unwrap();
        let roots = Roots { data: folder.path().join("data"), cache: folder.path().join("cache") };
        let mut shelf = Shelf { library: Library::open(&roots).unwrap(), folder, members };
        shelf.sync(&[]);
        shelf
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn sync(&mut self, names: &[&str]) {
        for member in self.members.named(&owned(names)).unwrap() {
            self.library.sync(&member, &SyncOptions::default(), &mut silent, &Cancel::default()).unwrap();
        }
    }

    fn find(&mut self, names: &[&str], limit: usize, cursor: Option<Cursor>) -> Result<Answer> {
        let question = Question { limit, rank_by: RankBy::Words, ..Question::new("leases".parse().unwrap()) };
        let find = Find { collections: owned(names), cursor, ..Find::new(question) };
        self.library.find(&self.members, &find)
    }

    /// The documents that are found, each as `collection(category)/path`.
    fn found(&mut self, names: &[&str]) -> Vec<String> {
        let answer = self.find(names, 100, None).unwrap();
        assert_eq!(answer.found, answer.hits.len());
        let mut found: Vec<String> = answer.hits.iter().map(place_of_hit).collect();
        found.sort();
        found
    }

    fn listed(&self, names: &[&str]) -> Vec<String> {
        let heads = self.library.documents(&self.members, &owned(names)).unwrap();
        heads.iter().map(|head| place(&head.collection, head.category.as_deref(), &head.document)).collect()
    }

    fn read(&self, name: &str) -> Result<String> {
        let document = self.library.read(&self.members, &[], false, &DocumentRef::parse(name))?;
        Ok(place(&document.collection, document.category.as_deref(), &document.document))
    }

    fn content(&self, expression: &str) -> Vec<String> {
        let content = self.library.content(&self.members, expression, 100_000, None).unwrap();
        assert_eq!((content.cursor, content.left_out.len()), (None, 0));
        let documents = content.documents.iter().map(|found| &found.document);
        documents
            .map(|document| place(&document.collection, document.category.as_deref(), &document.document))
            .collect()
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn place(collection: &str, category: Option<&str>, document: &str) -> String {
    category.map_or(format!("{collection}/{document}"), |category| format!("{collection}({category})/{document}"))
}

fn place_of_hit(hit: &Hit) -> String {
    match &hit.origin {
        Origin::Collection { collection, category, .. } => place(collection, category.as_deref(), &hit.document),
        origin => panic!("{origin:?} is no collection"),
    }
}

#[test]
fn each_document_is_found_once() {
    let mut shelf = Shelf::new(CONFIG);
    // `docs` has every file of `guide` already.
    let docs = [
        "docs(texts)/api/calls.txt",
        "docs/api/same.md",
        "docs/guide/deep/end.md",
        "docs/guide/same.md",
        "docs/guide/start.md",
        "docs/index.md",
    ];
    assert_eq!(shelf.found(&["docs"]), docs);
    let both = [
        "both(api)/calls.rst",
        "both(api)/calls.txt",
        "both(api)/same.md",
        "both(guide)/deep/end.md",
        "both(guide)/same.md",
        "both(guide)/start.md",
    ];
    assert_eq!(shelf.found(&["both"]), both);
    let mut all: Vec<&str> = docs.to_vec();
    all.push("both(api)/calls.rst");
    all.sort_unstable();
    assert_eq!(shelf.found(&[]), all);
    assert_eq!(shelf.found(&["api"]), both[..3], "a category is shown under the first collection that has it");
    let answer = shelf.find(&["none"], 10, None).unwrap();
    assert_eq!((answer.hits.len(), answer.considered, answer.warnings.len()), (0, 0, 1));
}

#[test]
fn repeats_change_neither_order_nor_scores_nor_pages() {
    let mut shelf = Shelf::new(CONFIG);
    let mut alone =
        Shelf::new(r#"{"collections": {"docs": {"type": "file", "path": "docs", "glob": "{**/*.md,**/*.txt}"}}}"#);
    let said = |answer: &Answer| -> Vec<(Option<String>, u32)> {
        let of = |hit: &Hit| {
            let file =
                hit.file.as_deref().and_then(|file| file.split_once("/project/")).map(|(_, file)| file.to_owned());
            (file, hit.score.to_bits())
        };
        answer.hits.iter().map(of).collect()
    };
    let whole = alone.find(&[], 100, None).unwrap();
    let joined = shelf.find(&["docs"], 100, None).unwrap();
    let (mut a, mut b) = (said(&whole), said(&joined));
    // Equal scores are told apart by the path in the index, which is another one here.
    a.sort();
    b.sort();
    assert_eq!(a, b);
    assert_eq!((whole.found, whole.considered), (joined.found, joined.considered));
    let mut paged = Vec::new();
    let mut cursor = None;
    loop {
        let page = shelf.find(&["docs"], 2, cursor).unwrap();
        paged.extend(said(&page));
        match page.cursor {
            Some(next) => cursor = Some(next.parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(paged, said(&joined));
}

#[test]
fn documents_are_listed_once_by_collection_and_path() {
    let shelf = Shelf::new(CONFIG);
    assert_eq!(
        shelf.listed(&[]),
        [
            "alone(alone)/x.md",
            "both(api)/calls.rst",
            "docs(texts)/api/calls.txt",
            "docs/api/same.md",
            "docs/guide/deep/end.md",
            "docs/guide/same.md",
            "docs/guide/start.md",
            "docs/index.md",
        ]
    );
    assert_eq!(shelf.listed(&["guide"]).len(), 3);
    assert!(shelf.listed(&["none"]).is_empty());
    let head = shelf.library.documents(&shelf.members, &owned(&["alone"])).unwrap().remove(0);
    assert_eq!((head.lines, head.bytes, head.title.as_deref()), (3, 26, Some("Note")));
    assert_eq!(head.freshness(), crate::Freshness::Current);
    std::fs::write(shelf.root().join("notes/x.md"), "other").unwrap();
    assert_eq!(head.freshness(), crate::Freshness::Changed);
    let unknown = shelf.library.documents(&shelf.members, &owned(&["guid"])).unwrap_err();
    assert!(matches!(unknown, Error::UnknownCollection { nearest: Some(near), .. } if near == "guide"));
}

#[test]
fn a_document_is_named_by_collection_or_category() {
    let shelf = Shelf::new(CONFIG);
    for (name, expected) in [
        ("docs/index.md", "docs/index.md"),
        ("guide/start.md", "docs(guide)/start.md"),
        ("both/start.md", "both(guide)/start.md"),
        ("both/calls.rst", "both(api)/calls.rst"),
        ("api/same.md", "both(api)/same.md"),
        ("docs/guide/start.md", "docs/guide/start.md"),
        ("calls.rst", "both(api)/calls.rst"),
        ("x.md", "alone(alone)/x.md"),
    ] {
        assert_eq!(shelf.read(name).unwrap(), expected, "{name}");
    }
    assert!(matches!(shelf.read("both/none.md"), Err(Error::UnknownDocument(_))));
    for name in ["both/same.md", "same.md"] {
        let Err(Error::AmbiguousDocument { names, .. }) = shelf.read(name) else { panic!("{name}") };
        assert_eq!(names, ["guide/same.md", "api/same.md"]);
        for name in names {
            assert!(shelf.read(&name).is_ok(), "{name}");
        }
    }
}

#[test]
fn every_ambiguous_name_comes_with_names_that_are_not() {
    // A collection and a category of one name, with other documents.
    let shelf = Shelf::new(
        r#"{
            "categories": {
                "guide": { "dir": "docs/guide", "patterns": ["*.md"] },
                "api": { "dir": "docs/api", "patterns": ["*.md"] }
            },
            "collections": {
                "guide": { "type": "file", "path": "docs/api", "glob": "**/*.md" },
                "all": { "categories": ["guide", "api"] }
            }
        }"#,
    );
    let Err(Error::AmbiguousDocument { names, .. }) = shelf.read("all/same.md") else { panic!() };
    let read: Vec<String> = names.iter().map(|name| shelf.read(name).unwrap()).collect();
    assert_eq!(names[1], "api/same.md");
    assert!(names[0].starts_with("file:"), "{names:?}: `guide/same.md` is that of the collection");
    assert_eq!(read, ["all(guide)/same.md", "all(api)/same.md"]);
}

#[test]
fn expressions_name_documents() {
    let shelf = Shelf::new(CONFIG);
    for (expression, expected) in [
        ("alone", &["alone(alone)/x.md"][..]),
        ("guide/*.md", &["docs(guide)/same.md", "docs(guide)/start.md"]),
        ("guide/**/*.md", &["docs(guide)/deep/end.md", "docs(guide)/same.md", "docs(guide)/start.md"]),
        ("guide/deep", &["docs(guide)/deep/end.md"]),
        ("guide/deep/", &["docs(guide)/deep/end.md"]),
        ("guide/start.md", &["docs(guide)/start.md"]),
        ("both/same.md", &["both(guide)/same.md", "both(api)/same.md"]),
        ("api/*.{txt,rst}, alone", &["both(api)/calls.rst", "both(api)/calls.txt", "alone(alone)/x.md"]),
        (
            "guide/s*.md,docs/guide/*.md,guide",
            &["docs(guide)/same.md", "docs(guide)/start.md", "docs(guide)/deep/end.md"],
        ),
        ("none", &[]),
        ("guide/gone*", &[]),
    ] {
        assert_eq!(shelf.content(expression), expected, "{expression}");
    }
    let content = |expression: &str| shelf.library.content(&shelf.members, expression, 1000, None);
    assert_eq!(content("guide/gone*").unwrap().warnings, ["`guide/gone*` names no document"]);
    assert!(matches!(content(" , "), Err(Error::EmptyExpression)));
    assert!(matches!(content("nobody"), Err(Error::UnknownCollection { .. })));
    assert!(matches!(content("guide/../x"), Err(Error::Path(_))));
    assert!(matches!(content("guide/../*"), Err(Error::Glob(_))));
}

#[test]
fn content_keeps_to_its_budget_and_says_what_is_left() {
    let shelf = Shelf::new(CONFIG);
    let content =
        |budget: usize, cursor: Option<&Cursor>| shelf.library.content(&shelf.members, "both", budget, cursor).unwrap();
    let whole = content(100_000, None);
    assert_eq!((whole.documents.len(), whole.matched, whole.left_out.len()), (6, 6, 0));
    for budget in 0..=whole.tokens {
        let mut seen = Vec::new();
        let mut cursor: Option<Cursor> = None;
        loop {
            let page = content(budget, cursor.as_ref());
            assert!(page.tokens <= budget, "{budget}: {}", page.tokens);
            assert_eq!(seen.len() + page.documents.len() + page.left_out.len(), 6, "nothing is silently cut");
            for found in &page.documents {
                let whole = &whole.documents[seen.len()];
                assert_eq!(found.document.document, whole.document.document);
                assert_eq!(found.document.hash, whole.document.hash);
                match found.rest {
                    None => assert_eq!(found.document.text, whole.document.text),
                    Some(rest) => {
                        assert!(whole.document.text.starts_with(&found.document.text));
                        assert_eq!(rest.end as usize, whole.document.total_lines);
                        assert!(page.documents.len() == 1 && found.tokens <= budget);
                    }
                }
                seen.push(found.document.document.clone());
            }
            for (left, whole) in page.left_out.iter().zip(&whole.documents[seen.len()..]) {
                assert_eq!((&left.document, left.tokens), (&whole.document.document, Some(whole.tokens)));
            }
            match page.cursor {
                Some(next) => cursor = Some(next.parse().unwrap()),
                None => break,
            }
        }
        assert_eq!(seen.len(), 6);
    }
    let other: Cursor = Cursor::new(1, "another question");
    assert!(matches!(shelf.library.content(&shelf.members, "both", 10, Some(&other)), Err(Error::Cursor(_))));
}

#[test]
fn what_was_never_synced_is_said() {
    let mut shelf = Shelf::new(r#"{"collections": {}}"#);
    let file = shelf.root().join("context.json");
    std::fs::write(&file, CONFIG).unwrap();
    shelf.members = members(Some(&Project::load(&file).unwrap()), None).unwrap();
    assert!(matches!(shelf.find(&["both"], 10, None), Err(Error::NotSynced(name)) if name == "both"));
    shelf.sync(&["guide"]);
    let answer = shelf.find(&["both"], 10, None).unwrap();
    let warnings: Vec<&str> = answer.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!((answer.hits.len(), warnings), (3, vec!["the category `api` has not been synced yet and was left out"]));
    assert!(matches!(shelf.find(&["api"], 10, None), Err(Error::NotSynced(name)) if name == "api"));
    assert_eq!(shelf.listed(&["both"]).len(), 3);
}

/// Whoever asks may have looked for a collection before another process dropped it.
#[test]
fn what_another_has_dropped_is_not_made_again_by_asking() {
    let mut shelf = Shelf::new(CONFIG);
    let guide = shelf.members.category("guide").unwrap().resolved.id().clone();
    let roots = Roots { data: shelf.folder.path().join("data"), cache: shelf.folder.path().join("cache") };
    let mut other = Library::open(&roots).unwrap();
    assert!(other.drop_collection(&guide).unwrap());
    assert!(!shelf.library.catch_up(&guide).unwrap());
    shelf.library.rebuild(&guide).unwrap();
    assert!(shelf.library.reader(&guide).unwrap().is_none());
    assert!(!shelf.library.index_folder(&guide).exists());
    assert!(matches!(shelf.find(&["guide"], 10, None), Err(Error::NotSynced(name)) if name == "guide"));
    assert_eq!(shelf.found(&["both"]), ["both(api)/calls.rst", "both(api)/calls.txt", "both(api)/same.md"]);
}

/// A search between two syncs while another thread drops what is searched: an answer or "not synced", never a failure. On Windows what is
/// open can't be removed.
#[cfg(not(windows))]
#[test]
fn dropping_while_others_search_fails_no_search() {
    let mut shelf = Shelf::new(CONFIG);
    let guide = shelf.members.category("guide").unwrap();
    let (member, id) = (guide.clone(), guide.resolved.id().clone());
    let roots = Roots { data: shelf.folder.path().join("data"), cache: shelf.folder.path().join("cache") };
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = Library::open(&roots).unwrap();
            for _ in 0..30 {
                other.drop_collection(&id).unwrap();
                other.sync(&member, &SyncOptions::default(), &mut silent, &Cancel::default()).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            match shelf.find(&["guide"], 10, None) {
                Ok(_) | Err(Error::NotSynced(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    });
}

/// Building an index anew does not bring back a text that the database can't read.
#[test]
fn a_text_that_can_not_be_read_costs_no_search_more_than_its_own_collection() {
    let mut shelf = Shelf::new(CONFIG);
    let id = |shelf: &Shelf, name: &str| shelf.members.category(name).unwrap().resolved.id().clone();
    let (guide, api) = (id(&shelf, "guide"), id(&shelf, "api"));
    let database = rusqlite::Connection::open(shelf.folder.path().join("data/assist.db")).unwrap();
    let damage = "UPDATE contents SET codec = 9 WHERE id IN (SELECT content FROM reference_documents WHERE path = 'deep/end.md')";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    // One that no question has met yet, which is not what this one is about.
    let vectors = shelf.library.index_folder(&api).join("g1/vectors.i8");
    let mut rows = std::fs::read(&vectors).unwrap();
    rows.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    std::fs::write(&vectors, &rows).unwrap();
    let other = Library::open(shelf.library.roots()).unwrap();
    let locks = [&guide, &api].map(|id| other.try_lock_sync(id).unwrap().unwrap());
    let (send, answers) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| send.send((shelf.find(&["both"], 10, None), shelf.find(&["guide"], 10, None))).unwrap());
        let answered = answers.recv_timeout(std::time::Duration::from_secs(20));
        drop(locks);
        let (both, alone) = answered.expect("neither waits for a sync");
        let both = both.unwrap();
        let found: Vec<&str> = both.hits.iter().map(|hit| hit.document.as_str()).collect();
        assert_eq!((found.len(), both.partial), (3, true), "{found:?}");
        assert!(
            both.warnings[0].message.contains("`both` was not searched: a text of the index"),
            "{:?}",
            both.warnings
        );
        assert!(matches!(alone, Err(Error::Index(ai_assist_index::Error::Texts { .. }))), "{alone:?}");
    });
    assert_eq!(std::fs::read(&vectors).unwrap(), rows, "nothing was built anew");
}

#[test]
fn a_closed_database_is_one_file() {
    let mut shelf = Shelf::new(CONFIG);
    assert!(!shelf.found(&["docs"]).is_empty());
    let Shelf { folder, library, .. } = shelf;
    let files = || {
        let entries = std::fs::read_dir(folder.path().join("data")).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.starts_with("assist.db"));
        names.sort();
        names
    };
    assert_eq!(files(), ["assist.db", "assist.db-shm", "assist.db-wal"]);
    drop(library);
    assert_eq!(files(), ["assist.db"]);
}

#[test]
fn a_text_that_was_replaced_goes_though_nothing_else_changes() {
    let mut shelf = Shelf::new(CONFIG);
    let database = rusqlite::Connection::open(shelf.folder.path().join("data/assist.db")).unwrap();
    let kept = || database.query_row("SELECT count(*) FROM replaced_texts", [], |row| row.get::<_, i64>(0)).unwrap();
    let minutes_later = |minutes: i64| {
        database.execute("UPDATE replaced_texts SET replaced_at = replaced_at - ?1", [minutes * 60_000]).unwrap();
    };
    let file = shelf.root().join("docs/guide/start.md");
    std::fs::write(&file, "# Start\n\nHow leases were begun.\n").unwrap();
    shelf.sync(&["guide"]);
    shelf.sync(&["guide"]);
    assert_eq!(kept(), 1, "whoever has the index of before open still reads it");
    minutes_later(11);
    shelf.sync(&["api"]);
    assert_eq!(kept(), 1, "another collection");
    shelf.sync(&["guide"]);
    assert_eq!(kept(), 0);
    std::fs::write(&file, "# Start\n\nHow leases will begin.\n").unwrap();
    shelf.sync(&["guide"]);
    minutes_later(11);
    shelf.library.doctor(None, false).unwrap();
    assert_eq!(kept(), 1, "looking changes nothing");
    shelf.library.doctor(None, true).unwrap();
    assert_eq!(kept(), 0);
}

/// The index of a collection does not keep its texts: who has it open reads those it was made of, one sync long.
#[test]
fn what_is_open_is_read_as_it_was() {
    let mut shelf = Shelf::new(CONFIG);
    let guide = shelf.members.category("guide").unwrap().resolved.id().clone();
    let write = |shelf: &Shelf, text: &str| std::fs::write(shelf.root().join("docs/guide/start.md"), text).unwrap();
    let text_of = |reader: &ai_assist_index::Reader| {
        let all = reader.live().iter().map(|at| reader.chunk(at));
        all.map(|chunk| chunk.map(|it| it.text)).collect::<ai_assist_index::Result<String>>()
    };
    let first = shelf.library.reader(&guide).unwrap().unwrap();
    assert!(text_of(&first).unwrap().contains("How leases begin."));
    write(&shelf, "# Start\n\nHow leases were begun.\n");
    std::fs::remove_file(shelf.root().join("docs/guide/same.md")).unwrap();
    shelf.sync(&["guide"]);
    let second = shelf.library.reader(&guide).unwrap().unwrap();
    assert!(
        text_of(&first).unwrap().contains("How leases begin.") && text_of(&first).unwrap().contains("Leases here.")
    );
    assert!(text_of(&second).unwrap().contains("were begun.") && !text_of(&second).unwrap().contains("Leases here."));
    // A sync that changes nothing is none.
    shelf.sync(&["guide"]);
    assert!(text_of(&first).is_ok());
    write(&shelf, "# Start\n\nHow leases will begin.\n");
    shelf.sync(&["guide"]);
    assert!(text_of(&second).unwrap().contains("were begun."));
    let lost = text_of(&first).unwrap_err();
    assert!(lost.to_string().contains("nothing has the text"), "{lost}");
    assert!(shelf.library.doctor(None, false).unwrap().iter().all(|found| found.health == crate::Health::Good));
}

/// While a sync is at work the store is ahead of the index, which answers with the texts that it was made of.
#[test]
fn a_search_beside_a_sync_shows_what_was_indexed() {
    let mut shelf = Shelf::new(CONFIG);
    let guide = shelf.members.category("guide").unwrap().resolved.id().clone();
    let roots = Roots { data: shelf.folder.path().join("data"), cache: shelf.folder.path().join("cache") };
    let mut other = Library::open(&roots).unwrap();
    let lock = other.lock_sync(&guide, || true).unwrap();
    for path in ["start.md", "same.md", "deep/end.md"] {
        let gone = vec![ai_assist_store::Change::Remove(ai_assist_identity::DocPath::parse(path).unwrap())];
        other.store_mut().apply(&guide, gone).unwrap();
    }
    let answer = shelf.find(&["guide"], 10, None).unwrap();
    let mut texts: Vec<&str> = answer.hits.iter().map(|hit| hit.text.trim_end()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["# End\n\nHow leases end.", "# Same in guide\n\nLeases here.", "# Start\n\nHow leases begin."]);
    drop(lock);
    assert_eq!(shelf.find(&["guide"], 10, None).unwrap().hits.len(), 0);
}

/// One thread changes a document again and again while another searches: each answer has it as it was at some time. On Windows a file
/// that is open for reading may refuse to be written.
#[cfg(not(windows))]
#[test]
fn searches_beside_syncs_have_every_document_whole() {
    let mut shelf = Shelf::new(CONFIG);
    let member = shelf.members.category("guide").unwrap().clone();
    let roots = Roots { data: shelf.folder.path().join("data"), cache: shelf.folder.path().join("cache") };
    let file = shelf.root().join("docs/guide/start.md");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = Library::open(&roots).unwrap();
            for number in 0..40 {
                let filler = "more of it ".repeat(number * 7 % 50);
                std::fs::write(&file, format!("{filler}\n\nHow leases begin {number}.\n")).unwrap();
                other.sync(&member, &SyncOptions::default(), &mut silent, &Cancel::default()).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let answer = shelf.find(&["guide"], 10, None).unwrap();
            assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
            let texts: Vec<&str> = answer.hits.iter().map(|hit| hit.text.trim_end()).collect();
            assert_eq!(texts.len(), 3, "{texts:?}");
            assert!(texts.iter().any(|text| text.contains("How leases begin") && text.ends_with('.')), "{texts:?}");
        }
    });
}

/// The index of a version that kept texts in it: here an empty one, which says that it is up to date.
#[test]
fn an_index_that_may_have_texts_is_made_anew_at_the_next_change() {
    let mut shelf = Shelf::new(CONFIG);
    let guide = shelf.members.category("guide").unwrap().resolved.id().clone();
    let state = shelf.library.store().state(&guide).unwrap().unwrap();
    let (folder, dim) = (shelf.library.index_folder(&guide), shelf.library.embedder().dim());
    let options = ai_assist_index::Options::default();
    let writer = ai_assist_index::Writer::rebuild(&folder, shelf.library.versions(), dim, options).unwrap();
    writer.commit(state.seq.0, state.documents, state.chunks).unwrap();
    assert_eq!(shelf.found(&["guide"]).len(), 0);
    shelf.sync(&["guide"]);
    assert_eq!(shelf.found(&["guide"]).len(), 0, "nothing has changed");
    std::fs::write(shelf.root().join("docs/guide/new.md"), "# New\n\nLeases again.\n").unwrap();
    shelf.sync(&["guide"]);
    assert_eq!(shelf.found(&["guide"]).len(), 4);
}
