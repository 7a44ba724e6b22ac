use ai_assist_text::Language;

use super::File;
use crate::ChunkKind;

/// From where a definition can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    File,
    /// Its own module and what lies below, as in Rust.
    Module,
    Folder,
    /// The package: what has the same `src`.
    Package,
    All,
}

/// What a definition says of itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'s> {
    pub(super) name: &'s str,
    pub(super) kind: ChunkKind,
    pub(super) signature: &'s str,
    /// Whether it belongs to a trait, which is seen where the trait is.
    pub(super) in_trait: bool,
}

impl Reach {
    /// The reach of a definition by the rules of its language.
    pub(super) fn of(said: &Said<'_>, language: Language, path: &str) -> Reach {
        let starts = |word: &str| said.signature.starts_with(word);
        match language.name() {
            "rust" if said.in_trait || said.kind == ChunkKind::Macro => Reach::All,
            "rust" if starts("pub(crate)") || starts("pub(in") => Reach::Package,
            "rust" if starts("pub(super)") => Reach::Folder,
            "rust" if starts("pub") => Reach::All,
            "rust" => Reach::Module,
            "go" if said.name.starts_with(char::is_uppercase) => Reach::All,
            "go" => Reach::Folder,
            "java" | "csharp" | "php" if said.signature.split(' ').take(3).any(|word| word == "private") => Reach::File,
            "c" | "cpp" if starts("static ") && !is_header(path) => Reach::File,
            "python" if said.name.starts_with('_') && !said.name.starts_with("__") => Reach::Folder,
            _ => Reach::All,
        }
    }

    /// Whether what has this reach in one file can be seen from another.
    pub(super) fn covers(self, definer: &File, user: &File) -> bool {
        match self {
            Reach::File => false,
            Reach::Module => below(&user.path, own_module(&definer.path)),
            Reach::Folder => definer.folder == user.folder || below(&user.path, own_module(&definer.path)),
            Reach::Package => package(&definer.path) == package(&user.path),
            Reach::All => true,
        }
    }
}

fn is_header(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with('h'))
}

/// The folder of a path; empty for one in the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder in which the modules below a Rust file stand.
fn own_module(path: &str) -> &str {
    match path.rsplit('/').next() {
        Some("mod.rs" | "lib.rs" | "main.rs") => folder(path),
        _ => path.strip_suffix(".rs").unwrap_or(path),
    }
}

fn below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn package(path: &str) -> &str {
    match path.rfind("/src/") {
        Some(at) => &path[..at],
        None if path.starts_with("src/") => "",
        None => folder(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_hides_in_its_own_way() {
        use Reach::*;
        for (path, name, signature, expected) in [
            ("a.rs", "open", "pub fn open()", All),
            ("a.rs", "open", "pub(crate) fn open()", Package),
            ("a.rs", "open", "pub(super) fn open()", Folder),
            ("a.rs", "open", "fn open()", Module),
            ("a.go", "Open", "func Open()", All),
            ("a.go", "open", "func open()", Folder),
            ("a.java", "open", "private static void open()", File),
            ("a.java", "open", "public void open()", All),
            ("a.c", "open", "static int open(void)", File),
            ("a.h", "open", "static int open(void)", All),
            ("a.py", "_open", "def _open()", Folder),
            ("a.py", "__init__", "def __init__(self)", All),
            ("a.ts", "open", "function open()", All),
        ] {
            let said = Said { name, kind: ChunkKind::Function, signature, in_trait: false };
            assert_eq!(Reach::of(&said, Language::of_path(path).unwrap(), path), expected, "{path} {signature}");
        }
    }

    #[test]
    fn places_are_told() {
        assert_eq!(own_module("src/a/mod.rs"), "src/a");
        assert_eq!(own_module("src/a.rs"), "src/a");
        assert!(below("src/a/b.rs", "src/a") && !below("src/ab.rs", "src/a"));
        assert_eq!(package("crates/x/src/a/b.rs"), package("crates/x/src/lib.rs"));
        assert_ne!(package("crates/x/src/lib.rs"), package("crates/y/src/lib.rs"));
    }
}
