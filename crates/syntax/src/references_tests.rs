use ai_assist_text::Language;

use crate::references;

/// The names with their counts, in one line.
fn used(language: &str, text: &str) -> String {
    let found = references(text, language.parse().unwrap()).unwrap();
    let each: Vec<String> = found.iter().map(|used| format!("{}:{}", used.name, used.count)).collect();
    each.join(" ")
}

#[test]
fn every_language_tells_what_it_uses() {
    for (language, text, expected) in [
        (
            "rust",
            "use store::Store;\n// Comment about Ghost\nfn open<'long>(path: &'long Path) -> Store {\n    'outer: loop { \
             Store::load(path, \"Phantom\"); println!(\"{}\", shown); break 'outer; }\n}\nimpl Display for Shelf {}\n",
            "Display:1 Path:1 Shelf:1 Store:3 load:1 path:2 println:1 shown:1 store:1",
        ),
        (
            "python",
            "\"\"\"Doc about Ghost.\"\"\"\nfrom store import Store\n\nclass Shelf(Base):\n    def fetch(self, key):\n        \
             return self.store.fetch(f'{inner} Phantom')\n",
            "Base:1 Store:1 fetch:1 inner:1 key:1 self:2 store:2",
        ),
        (
            "javascript",
            "import { Store } from './store';\nclass Shelf extends Store { fetch() { return this.inner.fetch(`${shown}`); } }\n\
             const made = () => helper({ Short });\n",
            "Short:1 Store:2 fetch:1 helper:1 inner:1 shown:1",
        ),
        (
            "typescript",
            "interface Shelf extends Base { find(id: Key): Book }\ntype Alias = Shelf<Book>;\n",
            "Base:1 Book:2 Key:1 Shelf:1 find:1",
        ),
        (
            "tsx",
            "export const Page = () => <Layout title={heading}><Card /></Layout>;\n",
            "Card:1 Layout:2 heading:1 title:1",
        ),
        (
            "go",
            "package main\n\nimport \"fmt\"\n\ntype Shelf struct { store *Store }\n\nfunc (s *Shelf) Fetch() Book { \
             fmt.Println(\"Ghost\"); return s.store.Fetch() }\n",
            "Book:1 Fetch:1 Println:1 Shelf:1 Store:1 fmt:1 main:1 store:2",
        ),
        (
            "java",
            "class Shelf extends Base { Book fetch(Key key) { return Store.load(key); } }\n",
            "Base:1 Book:1 Key:1 Store:1 key:2 load:1",
        ),
        (
            "c",
            "#include \"store.h\"\nstatic int shelf_open(struct store *st) { return store_open(st, LIMIT); }\n",
            "LIMIT:1 store:1 store_open:1",
        ),
        (
            "cpp",
            "namespace shop {\nBook Shelf::fetch(const Key& key) { return std::move(store_->load<Book>(key)); }\n}\n",
            "Book:2 Key:1 Shelf:1 key:2 load:1 move:1 std:1 store_:1",
        ),
        (
            "csharp",
            "namespace Shop { class Shelf : Base { public Book Fetch(Key key) => Store.Load(key); } }\n",
            "Base:1 Book:1 Key:1 Load:1 Store:1 key:2",
        ),
        (
            "ruby",
            "class Shelf < Base\n  def fetch(key)\n    Store.load(key, \"#{shown} Ghost\")\n  end\nend\n",
            "Base:1 Store:1 key:2 load:1 shown:1",
        ),
        (
            "php",
            "<?php\nnamespace App;\nuse App\\Store;\nclass Shelf extends Base { function fetch(Key $key) { return \
             Store::load($key); } }\n",
            "App:1 Base:1 Key:1 Store:2 key:2 load:1",
        ),
        ("bash", "fetch() {\n  load_store \"$KEY\" word\n}\nfetch # Ghost\n", "KEY:1 fetch:1 load_store:1"),
    ] {
        assert_eq!(used(language, text), expected, "{language}");
    }
}

#[test]
fn names_that_tell_nothing_stay_out() {
    let long = "x".repeat(101);
    let text = format!("fn f() {{ ab(); abc(); éé(); ééé(); {long}(); {}() }}", "y".repeat(100));
    let found = references(&text, Language::RUST).unwrap();
    let names: Vec<usize> = found.iter().map(|used| used.name.len()).collect();
    assert_eq!(names, [3, 100, 6]);
}

#[test]
fn there_is_an_end_to_names() {
    let many: String = (0..12_000).map(|number| format!("name_{number:05}();\n")).collect();
    let found = references(&many, Language::JAVASCRIPT).unwrap();
    assert_eq!(found.len(), 10_000);
    assert_eq!((found[0].name.as_str(), found[9_999].name.as_str()), ("name_00000", "name_09999"));
}

#[test]
fn a_definition_in_a_definition_is_no_use() {
    assert_eq!(used("c", "struct outer { int aaa; } bbb;\n"), "aaa:1");
    assert_eq!(used("rust", "fn outer() { fn inner() {} inner(); outer() }"), "inner:1 outer:1");
    assert_eq!(used("cpp", "Shelf::~Shelf() { close(); }\nint (*table[3])(void);\n"), "Shelf:1 close:1");
}
