use ai_assist_identity::Sha256;
use ai_assist_text::count_tokens;
use proptest::prelude::*;

use super::*;
use crate::build::db::{Db, Row};

/// A database with these files, their documents numbered in the order given.
fn db(files: &[(String, String)]) -> (tempfile::TempDir, SymbolDb) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("code.index.db");
    let db = Db::create(&path).unwrap();
    for (key, (path, text)) in (1u64..).zip(files) {
        let language = Language::of_path(path).unwrap();
        db.put(&Row {
            key,
            path,
            hash: Sha256::of(text.as_bytes()),
            size: text.len() as u64,
            language,
            chunks: 1,
            redacted: 0,
            facts: ai_assist_syntax::facts(text, language).as_ref(),
            references: &ai_assist_syntax::references(text, language).unwrap_or_default(),
        })
        .unwrap();
    }
    db.finish(files.len() as u64 + 1).unwrap();
    (folder, SymbolDb { path })
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn drawn(files: &[(&str, &str)], request: &MapRequest) -> RepoMap {
    let (_folder, db) = db(&owned(files));
    map_of(&db, request).unwrap()
}

fn within(max_tokens: usize) -> MapRequest {
    MapRequest { max_tokens, ..MapRequest::default() }
}

fn best(map: &RepoMap) -> Vec<&str> {
    let mut symbols: Vec<&MapSymbol> = map.files.iter().flat_map(|file| &file.symbols).collect();
    symbols.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

/// A shop in which everything turns on the `Ledger`, and every file has an `is_empty` of its own or of the language's.
const SHOP: &[(&str, &str)] = &[
    (
        "src/lib.rs",
        "mod cart;\nmod ledger;\nmod report;\nmod till;\n\npub use ledger::Ledger;\npub use till::{open_till, Till};\n",
    ),
    (
        "src/ledger.rs",
        "/// All that was sold.\npub struct Ledger { rows: Vec<u64> }\n\nimpl Ledger {\n    pub fn record_sale(&mut self, \
         price: u64) { self.rows.push(price); helper(); }\n    pub fn is_empty(&self) -> bool { self.rows.is_empty() }\n}\n\n\
         fn helper() {}\n",
    ),
    (
        "src/till.rs",
        "use crate::ledger::Ledger;\n\npub struct Till { ledger: Ledger }\n\npub fn open_till(ledger: Ledger) -> Till \
         { Till { ledger } }\n\nimpl Till {\n    pub fn ring(&mut self, names: &[u8]) { if names.is_empty() { return; } \
         self.ledger.record_sale(3); }\n}\n",
    ),
    (
        "src/cart.rs",
        "use crate::ledger::Ledger;\nuse crate::till::Till;\n\npub fn check_out(till: &mut Till, ledger: &Ledger) { \
         till.ring(&[]); helper(); }\n\nfn helper() {}\n",
    ),
    (
        "src/report.rs",
        "use crate::ledger::Ledger;\nuse std::fmt::Till;\n\npub fn yearly_report(ledger: &Ledger) -> String { \
         String::new() }\n",
    ),
    (
        "tests/sales.rs",
        "use shop::{open_till, Ledger};\n\nfn sandbox() -> Ledger { todo!() }\n\n#[test]\nfn sales() { open_till(sandbox()); }\n",
    ),
];

#[test]
fn what_everything_turns_on_comes_first() {
    let map = drawn(SHOP, &within(10_000));
    let best = best(&map);
    assert_eq!(best[0], "Ledger");
    let place = |name: &str| best.iter().position(|other| *other == name).unwrap();
    assert!(place("Till") < 4 && place("record_sale") < 5, "{best:?}");
    assert!(place("is_empty") > place("record_sale"), "{best:?}");
    let symbol = |name: &str| map.files.iter().flat_map(|file| &file.symbols).find(|symbol| symbol.name == name);
    let ledger = symbol("Ledger").unwrap();
    // The test names the crate, which only a manifest could tell.
    assert_eq!((ledger.referenced_by, ledger.kind), (4, ChunkKind::Struct));
    // `helper` is private to its file, and `Till` of `report.rs` is somebody else's.
    assert_eq!(symbol("helper").unwrap().referenced_by, 0);
    assert_eq!(symbol("Till").unwrap().referenced_by, 2);
    assert_eq!(symbol("record_sale").unwrap().parent.as_deref(), Some("Ledger"));
    assert_eq!((map.shown, map.definitions, map.documents), (12, 12, 5));
    assert_eq!(map.files[0].path, "src/ledger.rs");
    assert_eq!(map.files.last().unwrap().path, "tests/sales.rs");
}

#[test]
fn a_map_reads_like_this() {
    let map = drawn(SHOP, &within(60));
    let expected = "src/ledger.rs\n  1 pub struct Ledger\n    5 pub fn record_sale(&mut self, price: u64)\n\
                    src/till.rs\n  3 pub struct Till\n  5 pub fn open_till(ledger: Ledger) -> Till\n";
    assert_eq!(map.render(), expected);
    assert_eq!(map.tokens, count_tokens(expected));
    assert_eq!(map.tokenizer, "o200k_base");
}

#[test]
fn paths_and_languages_narrow_what_is_shown_and_not_the_ranks() {
    let all = drawn(SHOP, &within(10_000));
    let paths = Some(PathGlobs::new(&["src/t*.rs".to_owned()]).unwrap());
    let some = drawn(SHOP, &MapRequest { paths, ..within(10_000) });
    assert_eq!(some.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["src/till.rs"]);
    let till = all.files.iter().find(|file| file.path == "src/till.rs").unwrap();
    assert_eq!(&some.files[0], till);
    let none = drawn(SHOP, &MapRequest { languages: vec![Language::PYTHON], ..within(10_000) });
    assert_eq!((none.definitions, none.documents, none.render().as_str()), (0, 0, ""));
}

#[test]
fn rank_flows_from_what_the_reader_cares_about() {
    let files = [
        ("a/one.py", "from core.left import LeftThing\n\ndef first():\n    return LeftThing()\n"),
        ("a/two.py", "from core.right import RightThing\n\ndef second():\n    return RightThing()\n"),
        ("core/left.py", "class LeftThing:\n    pass\n"),
        ("core/right.py", "class RightThing:\n    pass\n"),
    ];
    let first = |focus: &str| {
        let map = drawn(&files, &MapRequest { focus: vec![focus.to_owned()], ..within(1000) });
        best(&map)[0].to_owned()
    };
    assert_eq!((first("a/one.py").as_str(), first("a/two.py").as_str()), ("LeftThing", "RightThing"));
    assert_eq!((first("two.py").as_str(), first("core/left.py").as_str()), ("RightThing", "LeftThing"));
    assert_eq!(first("second"), "second");
    assert_eq!((first("two").as_str(), first("left").as_str()), ("RightThing", "LeftThing"), "names without endings");
    let focus = ["nowhere", "a", "LeftThing", "core/left.py"].map(str::to_owned).to_vec();
    assert_eq!(drawn(&files, &MapRequest { focus, ..within(1000) }).unmatched, ["nowhere"]);
}

#[test]
fn other_languages_find_their_centre() {
    let script = [
        ("lib/node.js", "class Node { walkTree () {} }\nmodule.exports = Node\n"),
        (
            "lib/edge.js",
            "const Node = require('./node.js')\nclass Edge { from () { return new Node() } }\nmodule.exports = Edge\n",
        ),
        (
            "lib/tree.js",
            "const Node = require('./node.js')\nconst Edge = require('./edge.js')\nmodule.exports = () => new Node(new Edge())\n",
        ),
    ];
    let go = [
        (
            "store/store.go",
            "package store\n\ntype Store struct{}\n\nfunc (s *Store) LoadAll() {}\n\nfunc hidden() {}\n",
        ),
        (
            "web/web.go",
            "package web\n\nimport \"example.com/shop/store\"\n\ntype Server struct{ s *store.Store }\n\nfunc hidden() {}\n",
        ),
        (
            "cmd/main.go",
            "package main\n\nimport (\n\t\"example.com/shop/store\"\n\t\"example.com/shop/web\"\n)\n\nfunc main() { var s store.Store; s.LoadAll(); _ = web.Server{} }\n",
        ),
    ];
    let c = [
        ("ledger.h", "struct ledger { int rows; };\nint ledger_open(struct ledger *of);\n"),
        (
            "ledger.c",
            "#include \"ledger.h\"\nstatic int helper(void) { return 1; }\nint ledger_open(struct ledger *of) { return helper(); }\n",
        ),
        (
            "main.c",
            "#include \"ledger.h\"\nstatic int helper(void) { return 2; }\nint main(void) { struct ledger one; return ledger_open(&one) + helper(); }\n",
        ),
    ];
    for (files, expected) in [(&script, "Node"), (&go, "Store"), (&c, "ledger")] {
        let map = drawn(files, &within(1000));
        assert_eq!(best(&map)[0], expected, "{}", map.render());
    }
}

/// Small programs that use what others define.
fn programs() -> impl Strategy<Value = Vec<(String, String)>> {
    let names = prop::sample::select(vec!["Store", "Shelf", "open_store", "get", "is_empty", "Ledger", "walkTree"]);
    let file = (prop::collection::vec(names.clone(), 0..4), prop::collection::vec(names, 0..6), 0..3u8);
    prop::collection::vec(file, 1..9).prop_map(|files| {
        let file = |(number, (defines, uses, folder)): (usize, (Vec<&str>, Vec<&str>, u8))| {
            let mut text = String::new();
            uses.iter().for_each(|name| text.push_str(&format!("from d0.f0 import {name}\n")));
            defines
                .iter()
                .for_each(|name| text.push_str(&format!("class {name}:\n    def inner_{name}(self): pass\n")));
            uses.iter().for_each(|name| text.push_str(&format!("{name}()\n")));
            (format!("d{folder}/f{number}.py"), text)
        };
        files.into_iter().enumerate().map(file).collect()
    })
}

#[test]
fn a_small_budget_has_some_of_what_was_asked_for() {
    let mut files: Vec<(String, String)> = owned(SHOP);
    files.push(("tools/clean.rs".to_owned(), "fn sweep_floor() {}\nfn wipe_table() {}\n".to_owned()));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for focus in ["tools", "tools/clean.rs", "sweep_floor"] {
        let map = drawn(&borrowed, &MapRequest { focus: vec![focus.to_owned()], ..within(30) });
        assert!(map.render().contains("sweep_floor"), "{focus}: {}", map.render());
    }
    let map = drawn(&borrowed, &MapRequest { focus: vec!["tools".to_owned()], ..within(60) });
    assert!(map.render().contains("wipe_table") && map.render().contains("Ledger"), "{}", map.render());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_budget_holds_and_the_order_of_indexing_does_not_matter(
        (files, shuffled) in programs().prop_flat_map(|files| (Just(files.clone()), Just(files).prop_shuffle())),
        max_tokens in 0usize..400,
        focus in prop::collection::vec(prop::sample::select(vec!["Store", "d0", "f1.py", "none", ""]), 0..3),
    ) {
        let request = MapRequest { focus: focus.into_iter().map(str::to_owned).collect(), ..within(max_tokens) };
        let ((_one, first), (_other, second)) = (db(&files), db(&shuffled));
        let map = map_of(&first, &request).unwrap();
        prop_assert_eq!(&map, &map_of(&second, &request).unwrap());
        prop_assert_eq!(map.tokens, count_tokens(&map.render()));
        prop_assert!(map.tokens <= max_tokens);
        prop_assert_eq!(map.shown, map.files.iter().map(|file| file.symbols.len()).sum::<usize>());
        let more = map_of(&first, &within(100_000)).unwrap();
        prop_assert_eq!(more.shown, more.definitions);
    }
}

#[test]
fn what_is_kept_with_a_build_gives_the_same_map() {
    let (folder, db) = db(&owned(SHOP));
    for budget in [0, 10, 40, 400, 20_000] {
        let anew = map_of(&db, &within(budget)).unwrap();
        let first = keep(&db, folder.path()).unwrap().fit(budget);
        let read = Ranking::read(folder.path()).unwrap();
        assert_eq!(read.fit(budget), first, "{budget}");
        assert_eq!(first.render(), anew.render(), "{budget}");
        assert_eq!((first.definitions, first.documents, first.shown), (anew.definitions, anew.documents, anew.shown));
    }
    let file = folder.path().join("ranking.json");
    let whole = std::fs::read(&file).unwrap();
    for at in [0, 5, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&file, &damaged).unwrap();
        assert!(Ranking::read(folder.path()).is_none(), "byte {at}");
    }
    std::fs::write(&file, &whole[..whole.len() - 7]).unwrap();
    assert!(Ranking::read(folder.path()).is_none());
    std::fs::remove_file(&file).unwrap();
    assert!(Ranking::read(folder.path()).is_none());
}

#[test]
fn a_type_of_c_is_where_its_body_is() {
    let mut files = owned(&[("include/linux/device.h", "struct device {\n\tint id;\n};\n")]);
    for n in 0..40 {
        let header = format!("struct device;\nstruct part_{n} {{\n\tstruct device *dev;\n}};\n");
        files.push((format!("drivers/d{n}/part.h"), header));
        let source = format!(
            "#include <linux/device.h>\n#include \"part.h\"\n\nint probe_{n}(struct device *dev, struct part_{n} *part)\n{{\n\t\
             part->dev = dev;\n\treturn dev->id;\n}}\n"
        );
        files.push((format!("drivers/d{n}/main.c"), source));
    }
    files.sort();
    let (_folder, db) = db(&files);
    let map = map_of(&db, &within(400)).unwrap();
    assert_eq!((map.files[0].path.as_str(), best(&map)[0]), ("include/linux/device.h", "device"), "{}", map.render());
    assert!(!map.render().contains("struct device;"), "{}", map.render());
}
