//! Which items of a crate of Rust somebody outside can reach: an item that is `pub` in a private module is nobody's, unless it is
//! exported again.
//!
//! Modules are followed from the root by their declarations, and `pub use` by name and by `*`. Where it can't be told, as where a macro
//! has the say, an item counts as offered.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ai_assist_text::Language;
use tree_sitter::Node;

use super::PublicItem;
use crate::{ChunkKind, Program};

/// More modules than any crate has.
const MAX_MODULES: usize = 20_000;

/// How often macros that wrap items are looked into one in another.
const DEEPEST_MACRO: usize = 3;

/// Modules and groups of a `use` within each other, and names that stand for names.
const DEEPEST: usize = 16;

/// Names that are looked up for one crate. One that needs more is made to.
const MAX_LOOKUPS: usize = 1_000_000;

/// What a file of a crate offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    All,
    /// Items of these names and what belongs to them.
    Only(BTreeSet<String>),
}

impl Offered {
    pub fn has(&self, item: &PublicItem) -> bool {
        match self {
            Offered::All => true,
            // An exported macro is offered wherever it stands.
            Offered::Only(names) => {
                item.kind == ChunkKind::Macro
                    || item.path.first().map_or(!names.is_empty(), |first| names.contains(first))
            }
        }
    }
}

/// What each file offers of a crate whose root is the file `root`. `read` gives the text of a file by its path, which has `/` between
/// folders. A file that no module declares is not in the answer.
pub fn offered(root: &str, read: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, Offered> {
    let mut tree = Tree { read, modules: Vec::new(), texts: BTreeMap::new(), lookups: Cell::new(0) };
    let Some(text) = read(root) else { return BTreeMap::new() };
    let folder = root.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    tree.file(None, root.to_owned(), folder, text);
    let reached = tree.reach();
    if tree.lookups.get() > MAX_LOOKUPS { BTreeMap::new() } else { tree.files(&reached) }
}

struct Module {
    /// Its file, if it is not written within another module.
    file: Option<String>,
    parent: Option<usize>,
    children: Vec<Child>,
    uses: Vec<Use>,
    /// Public items that are declared in it.
    items: BTreeSet<String>,
    /// What macros are called with.
    macros: Vec<String>,
}

struct Child {
    name: String,
    public: bool,
    module: usize,
}

struct Use {
    path: Vec<String>,
    /// What it is called here; nothing for all that the path has.
    name: Option<String>,
    public: bool,
}

/// Where the modules of a file's modules lie.
#[derive(Clone)]
struct Place {
    /// The folder of the file, and that of its modules, each with a slash at its end.
    own: String,
    children: String,
}

struct Tree<'r> {
    read: &'r dyn Fn(&str) -> Option<String>,
    modules: Vec<Module>,
    texts: BTreeMap<String, String>,
    lookups: Cell<usize>,
}

impl Tree<'_> {
    fn file(&mut self, parent: Option<usize>, file: String, children: String, text: String) -> Option<usize> {
        let module = self.module(parent, Some(file.clone()))?;
        let own = file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        if let Some(program) = Program::parse(&text, Language::RUST) {
            self.members(module, program.tree.root_node(), &text, &Place { own, children }, (0, 0));
        }
        self.texts.insert(file, text);
        Some(module)
    }

    fn module(&mut self, parent: Option<usize>, file: Option<String>) -> Option<usize> {
        let at = self.modules.len();
        let module =
            Module { file, parent, children: Vec::new(), uses: Vec::new(), items: BTreeSet::new(), macros: Vec::new() };
        self.modules.push(module);
        (at < MAX_MODULES).then_some(at)
    }

    /// Takes in what stands in a module. `depth` counts modules within modules, and macros within macros.
    fn members(&mut self, module: usize, node: Node<'_>, text: &str, place: &Place, depth: (usize, usize)) {
        let of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
        let field = |node: Node<'_>, name: &str| node.child_by_field_name(name).map(of);
        let mut path_attribute: Option<String> = None;
        let mut is_test = false;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "line_comment" | "block_comment" => continue,
                "attribute_item" => {
                    let squeezed: String = of(child).split_whitespace().collect();
                    is_test |= squeezed.starts_with("#[cfg(test)]");
                    let path = squeezed.split_once("path=\"").and_then(|(_, rest)| rest.split_once('"'));
                    path_attribute = path.map(|(path, _)| path.to_owned()).or(path_attribute);
                    continue;
                }
                _ if is_test => {}
                "mod_item" => {
                    let name = field(child, "name").unwrap_or_default().to_owned();
                    let found = match child.child_by_field_name("body") {
                        Some(body) if depth.0 < DEEPEST => self.module(Some(module), None).inspect(|&inner| {
                            let children = format!("{}{name}/", place.children);
                            let place = Place { own: children.clone(), children };
                            self.members(inner, body, text, &place, (depth.0 + 1, depth.1));
                        }),
                        Some(_) => None,
                        None => self.file_of(module, &name, path_attribute.as_deref(), place),
                    };
                    let public = visibility(child, text) == "pub";
                    let child = found.map(|module| Child { name, public, module });
                    self.modules[module].children.extend(child);
                }
                "use_declaration" => {
                    let public = visibility(child, text) == "pub";
                    let mut uses = Vec::new();
                    use_tree(field(child, "argument").unwrap_or_default(), &[], public, DEEPEST, &mut uses);
                    self.modules[module].uses.extend(uses);
                }
                "macro_invocation" => self.wrapped(module, child, text, place, depth),
                "expression_statement" => {
                    if let Some(inner) = child.named_child(0).filter(|inner| inner.kind() == "macro_invocation") {
                        self.wrapped(module, inner, text, place, depth);
                    }
                }
                _ if visibility(child, text) == "pub" => {
                    let name = field(child, "name").map(str::to_owned);
                    self.modules[module].items.extend(name);
                }
                _ => {}
            }
            (path_attribute, is_test) = (None, false);
        }
    }

    /// The module of `mod name;`.
    fn file_of(&mut self, parent: usize, name: &str, path: Option<&str>, place: &Place) -> Option<usize> {
        let name = name.strip_prefix("r#").unwrap_or(name);
        let below = format!("{}{name}/", place.children);
        let candidates = match path {
            Some(path) => vec![(normal(&format!("{}{path}", place.own))?, None)],
            None => vec![
                (format!("{}{name}.rs", place.children), Some(below.clone())),
                (format!("{below}mod.rs"), Some(below)),
            ],
        };
        let (file, children, text) =
            candidates.into_iter().find_map(|(file, children)| Some((file.clone(), children, (self.read)(&file)?)))?;
        // A file that is named is like a `mod.rs`: its modules lie beside it.
        let beside = file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        // One file twice in itself would never end.
        let mut above = std::iter::successors(Some(parent), |&module| self.modules[module].parent);
        if above.any(|module| self.modules[module].file.as_deref() == Some(file.as_str())) {
            return None;
        }
        self.file(Some(parent), file, children.unwrap_or(beside), text)
    }

    /// Items that a macro passes through, as `cfg_rt! { mod x; }` does.
    fn wrapped(&mut self, module: usize, node: Node<'_>, text: &str, place: &Place, depth: (usize, usize)) {
        let mut cursor = node.walk();
        let Some(tokens) = node.children(&mut cursor).find(|child| child.kind() == "token_tree") else { return };
        let range = tokens.start_byte() + 1..tokens.end_byte().saturating_sub(1);
        let Some(inner) = text.get(range) else { return };
        self.modules[module].macros.push(inner.to_owned());
        let has_items = ["mod ", "use ", "pub "].iter().any(|word| inner.contains(word));
        if has_items
            && depth.1 < DEEPEST_MACRO
            && let Some(program) = Program::parse(inner, Language::RUST)
        {
            self.members(module, program.tree.root_node(), inner, place, (depth.0, depth.1 + 1));
        }
    }

    /// The modules that a path leads to from a module.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Vec<usize> {
        let mut at = vec![from];
        for (number, segment) in path.iter().enumerate() {
            at = match segment.as_str() {
                "crate" | "$crate" if number == 0 => vec![0],
                "self" => at,
                "super" => at.iter().filter_map(|&module| self.modules[module].parent).collect(),
                name => at.iter().flat_map(|&module| self.named(module, name, depth)).collect(),
            };
            at.sort_unstable();
            at.dedup();
        }
        at
    }

    /// The modules that a name stands for in a module: its own, or one that it uses.
    fn named(&self, module: usize, name: &str, depth: usize) -> Vec<usize> {
        let of = &self.modules[module];
        self.lookups.set(self.lookups.get() + 1 + of.children.len() + of.uses.len());
        let own = of.children.iter().filter(|child| child.name == name).map(|child| child.module);
        let own: Vec<usize> = own.collect();
        if !own.is_empty() || depth == 0 || self.lookups.get() > MAX_LOOKUPS {
            return own;
        }
        let used = of.uses.iter().filter(|used| used.name.as_deref() == Some(name));
        used.flat_map(|used| self.resolve(module, &used.path, depth - 1)).collect()
    }

    fn reach(&self) -> Reached {
        let mut reached = Reached { all: vec![false; self.modules.len()], names: BTreeSet::new() };
        let mut waiting: VecDeque<(usize, Option<String>)> = VecDeque::from([(0, None)]);
        while let Some((module, name)) = waiting.pop_front() {
            if self.modules.get(module).is_none() {
                continue;
            }
            match name {
                None if !std::mem::replace(&mut reached.all[module], true) => self.all_of(module, &mut waiting),
                Some(name) if reached.names.insert((module, name.clone())) => {
                    self.one_of(module, &name, &mut waiting);
                }
                _ => {}
            }
        }
        reached
    }

    /// All that a module has for others.
    fn all_of(&self, module: usize, waiting: &mut VecDeque<(usize, Option<String>)>) {
        let of = &self.modules[module];
        let in_macro = |name: &str| {
            let is_it =
                |text: &String| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
            // What a macro makes of a module is not known.
            of.macros.iter().any(|text| is_it(text) && !text.contains(&format!("mod {name}")))
        };
        let children = of.children.iter().filter(|child| child.public || in_macro(&child.name));
        waiting.extend(children.map(|child| (child.module, None)));
        for used in of.uses.iter().filter(|used| used.public) {
            self.follow(module, used, waiting);
        }
    }

    /// What a module has by one name.
    fn one_of(&self, module: usize, name: &str, waiting: &mut VecDeque<(usize, Option<String>)>) {
        let of = &self.modules[module];
        waiting.extend(of.children.iter().filter(|child| child.name == name).map(|child| (child.module, None)));
        for used in of.uses.iter().filter(|used| used.name.as_deref() == Some(name)) {
            self.follow(module, used, waiting);
        }
        if !of.items.contains(name) {
            let globs = of.uses.iter().filter(|used| used.name.is_none());
            let targets = globs.flat_map(|used| self.resolve(module, &used.path, DEEPEST));
            // Of itself a module has it already.
            waiting.extend(targets.filter(|&target| target != module).map(|target| (target, Some(name.to_owned()))));
        }
    }

    fn follow(&self, module: usize, used: &Use, waiting: &mut VecDeque<(usize, Option<String>)>) {
        match (&used.name, used.path.split_last()) {
            (None, _) => waiting.extend(self.resolve(module, &used.path, DEEPEST).into_iter().map(|of| (of, None))),
            (Some(_), Some((last, prefix))) => {
                let holders = self.resolve(module, prefix, DEEPEST);
                // `use self::a as a` would ask for itself.
                let holders = holders.into_iter().filter(|&holder| holder != module || !prefix.is_empty());
                waiting.extend(holders.map(|holder| (holder, Some(last.clone()))));
                if prefix.is_empty() {
                    waiting.extend(self.named(module, last, 0).into_iter().map(|of| (of, None)));
                }
            }
            (Some(_), None) => {}
        }
    }

    fn files(&self, reached: &Reached) -> BTreeMap<String, Offered> {
        let whole = self.modules.iter().zip(&reached.all).filter(|(_, all)| **all);
        let of_whole = whole.flat_map(|(module, _)| &module.items);
        let offered: BTreeSet<&String> = of_whole.chain(reached.names.iter().map(|(_, name)| name)).collect();
        let mut files: BTreeMap<String, Offered> = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            let Some(file) = &module.file else { continue };
            let names = reached.names.range((at, String::new())..(at + 1, String::new())).map(|(_, name)| name.clone());
            let own = if reached.all[at] { Offered::All } else { Offered::Only(names.collect()) };
            match (files.get_mut(file), own) {
                (Some(Offered::Only(known)), Offered::Only(more)) => known.extend(more),
                (Some(_), Offered::Only(_)) => {}
                (_, own) => drop(files.insert(file.clone(), own)),
            }
        }
        for (file, own) in &mut files {
            let Offered::Only(names) = own else { continue };
            // Methods belong to their type, wherever they are written.
            let program = self.texts.get(file).and_then(|text| Program::parse(text, Language::RUST));
            let items = program.and_then(|program| program.public_items()).unwrap_or_default();
            let methods = items.into_iter().filter(|item| item.kind == ChunkKind::Method);
            names.extend(methods.filter_map(|item| item.path.into_iter().next()).filter(|of| offered.contains(of)));
        }
        files
    }
}

struct Reached {
    all: Vec<bool>,
    /// Names that were asked of modules.
    names: BTreeSet<(usize, String)>,
}

fn visibility<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let mut cursor = node.walk();
    let modifier = node.children(&mut cursor).find(|child| child.kind() == "visibility_modifier");
    modifier.and_then(|modifier| text.get(modifier.byte_range())).unwrap_or_default()
}

/// Takes apart `a::{b, c as d, e::*}`.
fn use_tree(text: &str, prefix: &[String], public: bool, depth: usize, uses: &mut Vec<Use>) {
    let text = text.trim();
    let (head, group) = match text.split_once('{') {
        Some((head, rest)) => (head, rest.rsplit_once('}').map(|(group, _)| group)),
        None => (text, None),
    };
    let (head, alias) = match head.split_once(" as ") {
        Some((head, alias)) => (head, Some(alias.trim().to_owned())),
        None => (head, None),
    };
    let segments = head.split("::").map(str::trim).filter(|segment| !segment.is_empty());
    let mut path: Vec<String> = prefix.iter().cloned().chain(segments.map(str::to_owned)).collect();
    if let Some(group) = group {
        if depth > 0 {
            for part in parts(group) {
                use_tree(part, &path, public, depth - 1, uses);
            }
        }
        return;
    }
    match path.last().map(String::as_str) {
        None => {}
        Some("*") => {
            path.pop();
            uses.push(Use { path, name: None, public });
        }
        Some("self") if path.len() > 1 => {
            path.pop();
            let name = alias.or_else(|| path.last().cloned());
            uses.push(Use { path, name, public });
        }
        Some(last) => {
            let name = alias.unwrap_or_else(|| last.to_owned());
            uses.push(Use { path, name: Some(name), public });
        }
    }
}

/// The parts of a group, at the commas that are in no group within.
fn parts(group: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[from..]);
    parts
}

/// A path without `.` and `..`; nothing if it leads out.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> BTreeMap<String, Offered> {
        let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        offered("src/lib.rs", &read)
    }

    fn only(names: &[&str]) -> Offered {
        Offered::Only(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn private_modules_offer_what_is_exported_again() {
        let files = crate_of(&[
            (
                "src/lib.rs",
                "pub mod open;\nmod hidden;\nmod error;\nmod all;\nmod deep;\n#[path = \"odd/name.rs\"]\nmod renamed;\npub(crate) mod ours;\n#[cfg(test)]\nmod tests;\ncfg_rt! { mod wrapped; pub use wrapped::Task; }\nexport_all!(by_macro);\nmod by_macro;\npub use error::{Error, Result as Res};\npub use crate::all::*;\npub use deep::Inner as Outer;\npub use self::renamed::thing::Thing;\nuse hidden::helper;",
            ),
            ("src/open.rs", "pub struct Open; pub use super::ours::Shared;"),
            (
                "src/hidden.rs",
                "pub fn helper() {}\nimpl crate::open::Open { pub fn method(&self) {} }\nimpl Unseen { pub fn no(&self) {} }",
            ),
            ("src/error.rs", "pub struct Error; pub type Result = (); pub fn internal() {}"),
            ("src/all/mod.rs", "pub fn a() {}\nmod private;\npub mod public;\npub use private::One;"),
            ("src/all/private.rs", "pub struct One; pub struct Two;"),
            ("src/all/public.rs", "pub fn p() {}"),
            ("src/deep.rs", "mod inner; pub(crate) use inner::Inner; pub struct Unused;"),
            ("src/deep/inner.rs", "pub struct Inner;"),
            ("src/odd/name.rs", "pub mod thing;"),
            ("src/odd/thing.rs", "pub struct Thing; pub struct Other;"),
            ("src/ours.rs", "pub struct Shared; pub struct Kept;"),
            ("src/wrapped.rs", "pub struct Task; pub struct Core;"),
            ("src/by_macro.rs", "pub fn made() {}"),
            ("src/tests.rs", "pub fn t() {}"),
            ("src/stray.rs", "pub fn s() {}"),
        ]);
        let expected = [
            ("src/lib.rs", Offered::All),
            ("src/open.rs", Offered::All),
            ("src/hidden.rs", only(&["Open"])),
            ("src/error.rs", only(&["Error", "Result"])),
            ("src/all/mod.rs", Offered::All),
            ("src/all/private.rs", only(&["One"])),
            ("src/all/public.rs", Offered::All),
            ("src/deep.rs", only(&["Inner"])),
            ("src/deep/inner.rs", only(&["Inner"])),
            ("src/odd/name.rs", only(&[])),
            ("src/odd/thing.rs", only(&["Thing"])),
            ("src/ours.rs", only(&["Shared"])),
            ("src/wrapped.rs", only(&["Task"])),
            ("src/by_macro.rs", Offered::All),
        ];
        for (file, offers) in &expected {
            assert_eq!(files.get(*file), Some(offers), "{file}");
        }
        assert_eq!(files.len(), expected.len());
    }

    #[test]
    fn crates_that_go_in_circles_end() {
        let files = crate_of(&[
            ("src/lib.rs", "mod a; mod b; pub use a::*; pub use self::b::x;\n#[path = \"lib.rs\"]\nmod again;"),
            ("src/a.rs", "pub use super::b::*; pub use crate::*; pub use self::*;"),
            ("src/b.rs", "pub use super::a::*; pub use super::a::x; pub use self::x as x;"),
        ]);
        assert_eq!(files.len(), 3);
        assert!(crate_of(&[]).is_empty());
        let deep = format!("pub use {}x{};", "a::{".repeat(5_000), "}".repeat(5_000));
        assert_eq!(crate_of(&[("src/lib.rs", &deep)]).len(), 1);
    }
}
