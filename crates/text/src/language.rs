//! Languages and file categories by name, extension and first line.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::marks;

/// What a language is for, which decides how a file is cut into chunks and which index mode it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanguageKind {
    Code,
    Prose,
    /// Structured data: records, settings, tables.
    Data,
    /// Markup and styles that make up pages.
    Markup,
}

/// What a file is to its project, judged by its path alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    Source,
    Test,
    Docs,
    Config,
    Data,
    /// Anything else.
    Other,
}

struct Row {
    name: &'static str,
    kind: LanguageKind,
    /// Extensions, lower case, without the dot; the first is the usual one.
    extensions: &'static [&'static str],
    /// Whole file names, lower case.
    names: &'static [&'static str],
    /// Programs named in a `#!` line, version digits left off, and words of a code fence.
    aliases: &'static [&'static str],
}

/// A language of the table. Copying and comparing it is free; outside the program it is its name.
#[derive(Clone, Copy)]
pub struct Language(&'static Row);

macro_rules! languages {
    ($($constant:ident = $name:literal $kind:ident [$($ext:literal),*] [$($file:literal),*] [$($alias:literal),*];)*) => {
        $(const $constant: Row = Row {
            name: $name,
            kind: LanguageKind::$kind,
            extensions: &[$($ext),*],
            names: &[$($file),*],
            aliases: &[$($alias),*],
        };)*
        static TABLE: &[Row] = &[$($constant),*];

        impl Language {
            $(pub const $constant: Language = Language(&$constant);)*
        }
    };
}

languages! {
    TEXT = "text" Prose ["txt", "text", "log"] ["license", "licence", "copying", "authors", "notice", "changes", "readme"] ["plain", "plaintext"];
    MARKDOWN = "markdown" Prose ["md", "markdown", "mdown", "mkd", "mdwn"] [] ["md"];
    MDX = "mdx" Prose ["mdx"] [] [];
    RST = "restructuredtext" Prose ["rst", "rest"] [] ["rst"];
    ASCIIDOC = "asciidoc" Prose ["adoc", "asciidoc", "asc"] [] ["adoc"];
    ORG = "org" Prose ["org"] [] [];
    TEX = "tex" Prose ["tex", "ltx", "sty", "cls"] [] ["latex"];
    HTML = "html" Markup ["html", "htm", "xhtml"] [] [];
    XML = "xml" Markup ["xml", "xsd", "xsl", "xslt", "svg", "plist", "csproj", "fsproj", "vbproj", "props", "targets", "wsdl"] ["pom.xml"] [];
    CSS = "css" Markup ["css"] [] [];
    SCSS = "scss" Markup ["scss", "sass", "less"] [] ["sass", "less"];
    VUE = "vue" Markup ["vue"] [] [];
    SVELTE = "svelte" Markup ["svelte"] [] [];
    RUST = "rust" Code ["rs"] [] ["rs", "rust-script"];
    PYTHON = "python" Code ["py", "pyi", "pyw", "pyx"] ["sconstruct", "wscript"] ["py", "python3", "pypy", "uv"];
    TYPESCRIPT = "typescript" Code ["ts", "mts", "cts"] [] ["ts", "deno", "ts-node", "tsx-node"];
    TSX = "tsx" Code ["tsx"] [] [];
    JAVASCRIPT = "javascript" Code ["js", "mjs", "cjs", "jsx"] [] ["js", "jsx", "node", "bun"];
    GO = "go" Code ["go"] [] ["golang"];
    JAVA = "java" Code ["java"] [] [];
    KOTLIN = "kotlin" Code ["kt", "kts"] [] ["kt"];
    SCALA = "scala" Code ["scala", "sc", "sbt"] [] [];
    GROOVY = "groovy" Code ["groovy", "gradle"] ["jenkinsfile"] [];
    C = "c" Code ["c", "h"] [] [];
    CPP = "cpp" Code ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h++", "c++", "inl", "ipp", "cu", "cuh"] [] ["c++", "cxx"];
    CSHARP = "csharp" Code ["cs", "csx"] [] ["cs", "c#"];
    FSHARP = "fsharp" Code ["fs", "fsi", "fsx"] [] ["f#"];
    SWIFT = "swift" Code ["swift"] [] [];
    OBJC = "objective-c" Code ["m", "mm"] [] ["objc"];
    RUBY = "ruby" Code ["rb", "rake", "gemspec", "ru"] ["rakefile", "gemfile", "vagrantfile", "brewfile", "podfile"] ["rb"];
    PHP = "php" Code ["php", "phtml", "php3", "php4", "php5", "phps"] [] [];
    BASH = "bash" Code ["sh", "bash", "zsh", "ksh", "bats"] [".bashrc", ".bash_profile", ".zshrc", ".profile", "pkgbuild"] ["sh", "zsh", "ksh", "dash", "shell", "console"];
    FISH = "fish" Code ["fish"] [] [];
    POWERSHELL = "powershell" Code ["ps1", "psm1", "psd1"] [] ["pwsh", "ps1"];
    BATCH = "batch" Code ["bat", "cmd"] [] [];
    PERL = "perl" Code ["pl", "pm", "t", "pod"] [] [];
    LUA = "lua" Code ["lua"] [] ["luajit"];
    R = "r" Code ["r", "rmd"] [] ["rscript"];
    JULIA = "julia" Code ["jl"] [] [];
    HASKELL = "haskell" Code ["hs", "lhs"] [] ["runhaskell"];
    OCAML = "ocaml" Code ["ml", "mli"] [] [];
    ELIXIR = "elixir" Code ["ex", "exs"] [] [];
    ERLANG = "erlang" Code ["erl", "hrl"] [] ["escript"];
    CLOJURE = "clojure" Code ["clj", "cljs", "cljc", "edn"] [] [];
    LISP = "lisp" Code ["lisp", "lsp", "el", "scm", "rkt"] [] ["scheme", "elisp", "racket"];
    DART = "dart" Code ["dart"] [] [];
    ZIG = "zig" Code ["zig"] [] [];
    NIM = "nim" Code ["nim"] [] [];
    SOLIDITY = "solidity" Code ["sol"] [] [];
    SQL = "sql" Code ["sql", "ddl", "dml"] [] ["postgresql", "sqlite", "mysql"];
    GRAPHQL = "graphql" Code ["graphql", "gql"] [] [];
    PROTOBUF = "protobuf" Code ["proto"] [] ["proto"];
    THRIFT = "thrift" Code ["thrift"] [] [];
    ASSEMBLY = "assembly" Code ["s", "asm"] [] ["asm"];
    FORTRAN = "fortran" Code ["f", "f90", "f95", "f03"] [] [];
    PASCAL = "pascal" Code ["pas", "pp"] [] [];
    AWK = "awk" Code ["awk"] [] ["gawk", "mawk"];
    TCL = "tcl" Code ["tcl"] [] ["tclsh", "wish"];
    VIM = "vim" Code ["vim"] [".vimrc"] ["viml"];
    NIX = "nix" Code ["nix"] [] [];
    HCL = "hcl" Code ["tf", "hcl", "tfvars"] [] ["terraform"];
    STARLARK = "starlark" Code ["bzl", "star"] ["build", "build.bazel", "workspace", "tiltfile"] ["bazel"];
    CMAKE = "cmake" Code ["cmake"] ["cmakelists.txt"] [];
    MAKE = "make" Code ["mk", "mak"] ["makefile", "gnumakefile"] ["makefile"];
    JUST = "just" Code ["just"] ["justfile", ".justfile"] [];
    DOCKERFILE = "dockerfile" Code ["dockerfile"] ["dockerfile", "containerfile"] ["docker"];
    DIFF = "diff" Data ["diff", "patch"] [] ["patch"];
    JSON = "json" Data ["json", "json5", "jsonc", "geojson", "webmanifest", "ipynb"] [".babelrc", ".eslintrc", "composer.lock"] ["jsonc"];
    JSONL = "jsonl" Data ["jsonl", "ndjson"] [] ["ndjson"];
    YAML = "yaml" Data ["yaml", "yml"] [".clang-format"] ["yml"];
    TOML = "toml" Data ["toml"] ["cargo.lock", "poetry.lock", "uv.lock"] [];
    INI = "ini" Data ["ini", "cfg", "conf", "properties", "editorconfig"] [".editorconfig", ".gitconfig", ".npmrc"] ["conf", "properties"];
    CSV = "csv" Data ["csv", "tsv"] [] ["tsv"];
}

impl Language {
    /// The language's name, lower case, the same in the CLI, in JSON and in `lang:` filters.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub fn kind(self) -> LanguageKind {
        self.0.kind
    }

    pub fn all() -> impl Iterator<Item = Language> {
        TABLE.iter().map(Language)
    }

    /// The language of a file by its path: the whole name first, then the extension. `None` if neither is known.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
        if let Some(row) = TABLE.iter().find(|row| row.names.contains(&name.as_str())) {
            return Some(Language(row));
        }
        let extension = name.rsplit_once('.').map(|(_, extension)| extension)?;
        TABLE.iter().find(|row| row.extensions.contains(&extension)).map(Language)
    }

    /// The language of a file by its path, else by its `#!` line, else by its marks, else plain text.
    pub fn detect(path: &str, text: &str) -> Language {
        match Language::of_path(path) {
            // `.txt` says only that people read it: the documents of Django are reStructuredText.
            Some(language) if language == Language::TEXT => marks::language(text).unwrap_or(Language::TEXT),
            Some(language) => language,
            None => Language::of_shebang(text).or_else(|| marks::language(text)).unwrap_or(Language::TEXT),
        }
    }

    fn of_shebang(text: &str) -> Option<Language> {
        let line = text.strip_prefix("#!")?.lines().next()?;
        let mut words = line.split_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        }
        let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        TABLE.iter().find(|row| row.name == program || row.aliases.contains(&program)).map(Language)
    }
}

/// A word that names no language of the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known language")]
pub struct UnknownLanguage(String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    /// Reads a name, an alias or an extension (`rust`, `rs`, `c++`), in any case.
    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let word = text.to_lowercase();
        let word = word.as_str();
        TABLE
            .iter()
            .find(|row| row.name == word)
            .or_else(|| TABLE.iter().find(|row| row.aliases.contains(&word) || row.extensions.contains(&word)))
            .map(Language)
            .ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl std::hash::Hash for Language {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl Category {
    /// The category of a file by its path, relative to its project.
    pub fn of_path(path: &str) -> Category {
        let lower = path.to_lowercase();
        let mut parts: Vec<&str> = lower.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let language = Language::of_path(name);
        let kind = language.map(Language::kind);
        let stem = name.split('.').next().unwrap_or(name);
        let in_test_folder = parts
            .iter()
            .any(|p| matches!(*p, "test" | "tests" | "testing" | "spec" | "specs" | "__tests__" | "testdata"));
        let named_test = stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.ends_with("_spec")
            || name.contains(".test.")
            || name.contains(".spec.");
        match kind {
            Some(LanguageKind::Code | LanguageKind::Markup) if in_test_folder || named_test => Category::Test,
            Some(LanguageKind::Code) if is_build_file(name) => Category::Config,
            Some(LanguageKind::Code | LanguageKind::Markup) => Category::Source,
            Some(LanguageKind::Prose) => Category::Docs,
            Some(LanguageKind::Data) if matches!(language.map(Language::name), Some("csv" | "jsonl" | "diff")) => {
                Category::Data
            }
            Some(LanguageKind::Data) => Category::Config,
            None => Category::Other,
        }
    }
}

fn is_build_file(name: &str) -> bool {
    Language::of_path(name).is_some_and(|language| {
        matches!(language.name(), "make" | "cmake" | "dockerfile" | "just" | "starlark" | "nix")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_languages() {
        for (path, name) in [
            ("a/b/lib.rs", Some("rust")),
            ("README", Some("text")),
            ("x.MD", Some("markdown")),
            ("docs/page.mdx", Some("mdx")),
            ("Makefile", Some("make")),
            ("CMakeLists.txt", Some("cmake")),
            ("a.tsx", Some("tsx")),
            ("noextension", None),
            ("a.b.unknown", None),
            ("dir.rs/noextension", None),
        ] {
            assert_eq!(Language::of_path(path).map(Language::name), name, "{path}");
        }
    }

    #[test]
    fn shebangs_have_languages() {
        for (text, name) in [
            ("#!/bin/sh\n", "bash"),
            ("#!/usr/bin/env python3.11\n", "python"),
            ("#!/usr/bin/env -S FOO=1 node --x\n", "javascript"),
            ("#!/opt/unknown\n", "text"),
            ("plain", "text"),
        ] {
            assert_eq!(Language::detect("script", text).name(), name, "{text}");
        }
    }

    #[test]
    fn names_are_unique_and_read_back() {
        let mut seen = std::collections::HashSet::new();
        for language in Language::all() {
            assert!(seen.insert(language.name()), "{language} twice");
            assert_eq!(language.name().parse::<Language>().unwrap(), language);
        }
        assert_eq!("C++".parse::<Language>().unwrap(), Language::CPP);
        assert!("klingon".parse::<Language>().is_err());
    }

    #[test]
    fn an_extension_belongs_to_one_language() {
        let mut seen = std::collections::HashMap::new();
        for row in TABLE {
            for extension in row.extensions {
                assert_eq!(seen.insert(extension, row.name), None, ".{extension} twice");
            }
        }
    }

    #[test]
    fn categories_follow_the_path() {
        for (path, category) in [
            ("src/lib.rs", Category::Source),
            ("tests/it.rs", Category::Test),
            ("src/user_test.go", Category::Test),
            ("docs/a.md", Category::Docs),
            ("Cargo.toml", Category::Config),
            ("Makefile", Category::Config),
            ("data/a.csv", Category::Data),
            ("blob", Category::Other),
        ] {
            assert_eq!(Category::of_path(path), category, "{path}");
        }
    }
}
