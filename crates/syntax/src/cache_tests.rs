use crate::parses;

use super::*;

fn cache(folder: &Path) -> SyntaxCache {
    SyntaxCache::open(folder)
}

fn program(n: usize) -> String {
    format!(
        "use store::Store{n};\n\n/// Opens {n}.\npub fn open_{n}(path: &str) -> Store{n} {{ unsafe {{ load(path) }} }}\n"
    )
}

fn analysis(cache: &SyntaxCache, n: usize) -> Analysis {
    cache.analysis(&program(n), Language::RUST).unwrap()
}

#[test]
fn no_text_is_parsed_twice_and_the_answer_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new/root");
    let first = cache(&folder);
    let said = analysis(&first, 1);
    assert_eq!(said, Analysis::of(&program(1), Language::RUST).unwrap());
    assert_eq!(said.facts.imports[0].module, "store::Store1");
    first.save().unwrap();
    first.save().unwrap();
    let before = parses();
    let second = cache(&folder);
    assert_eq!(analysis(&second, 1), said);
    second.save().unwrap();
    assert_eq!(parses(), before);
    // Another language, another text.
    assert_eq!(second.analysis("x", "lisp".parse().unwrap()), Err(Unparsed::NoGrammar));
    second.analysis(&program(1), Language::C).unwrap();
    assert_eq!(parses(), before + 1);
    // Without a folder nothing is kept.
    let none = SyntaxCache::default();
    analysis(&none, 1);
    analysis(&none, 1);
    none.save().unwrap();
    assert_eq!(parses(), before + 3);
}

#[test]
fn damage_costs_time_and_gives_no_other_answer() {
    let folder = tempfile::tempdir().unwrap();
    let first = cache(folder.path());
    let right: Vec<Analysis> = (0..20).map(|n| analysis(&first, n)).collect();
    first.save().unwrap();
    drop(first);
    let file = folder.path().join("syntax/analyses.db");
    let whole = std::fs::read(&file).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        vec![Vec::new(), b"something else entirely".repeat(100), whole[..whole.len() / 2].to_vec()];
    damaged.extend((0..whole.len()).step_by(997).map(|at| {
        let mut bent = whole.clone();
        bent[at] ^= 0x14;
        bent
    }));
    for bytes in damaged {
        std::fs::write(&file, &bytes).unwrap();
        let cache = cache(folder.path());
        for (n, right) in right.iter().enumerate() {
            assert_eq!(&analysis(&cache, n), right);
        }
        let _ = cache.save();
    }
    std::fs::write(&file, b"not a database at all, and longer than a header of one would be, so that it is looked at")
        .unwrap();
    let cache = cache(folder.path());
    analysis(&cache, 1);
    cache.save().unwrap();
    assert!(folder.path().join("syntax/analyses.damaged").exists());
}

#[test]
fn a_full_cache_forgets_the_oldest() {
    let folder = tempfile::tempdir().unwrap();
    let cap = 256 * 1024;
    for n in 0..40 {
        let cache = SyntaxCache::with_cap(folder.path(), cap);
        (0..40).for_each(|m| drop(analysis(&cache, n * 40 + m)));
        cache.save().unwrap();
    }
    assert!(std::fs::metadata(folder.path().join("syntax/analyses.db")).unwrap().len() < cap * 3 / 2);
    let before = parses();
    analysis(&cache(folder.path()), 40 * 40 - 1);
    assert_eq!(parses(), before);
}

#[test]
fn several_may_use_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for round in 0..10 {
                    let cache = cache(folder);
                    (0..10).for_each(|n| drop(analysis(&cache, thread * 100 + round * 10 + n)));
                    cache.save().unwrap();
                }
            });
        }
    });
    let before = parses();
    let cache = cache(folder.path());
    (0..400).for_each(|n| drop(analysis(&cache, n)));
    assert_eq!(parses(), before);
}
