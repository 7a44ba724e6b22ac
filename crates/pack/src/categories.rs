//! What a file is and what it is for, by its path alone.

use ai_assist_text::{Category, Language, LanguageKind, Role};

use crate::types::{ExclusionReason, FileCategory, FileMetadata, FileType, Importance};

/// The groups of key files, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Group {
    Config,
    Entrypoint,
    Auth,
    Api,
    Database,
    Security,
}

impl Group {
    pub(crate) fn category(self) -> FileCategory {
        match self {
            Group::Config => FileCategory::Config,
            Group::Entrypoint => FileCategory::Entrypoint,
            // The spec has no category of that name; who may do what is the nearest.
            Group::Auth | Group::Security => FileCategory::Auth,
            Group::Api => FileCategory::Api,
            Group::Database => FileCategory::Database,
        }
    }

    pub(crate) fn importance(self) -> Importance {
        match self {
            Group::Config | Group::Entrypoint => Importance::Critical,
            _ => Importance::High,
        }
    }
}

/// Manifests and settings that say what a project is, by their whole name, lower case.
const CONFIG_NAMES: &[&str] = &[
    "angular.json", "build.gradle", "build.gradle.kts", "build.sbt", "cargo.toml", "cmakelists.txt", "compose.yaml",
    "compose.yml", "composer.json", "configure.ac", "deno.json", "deno.jsonc", "directory.build.props",
    "docker-compose.yaml", "docker-compose.yml", "dockerfile", "gemfile", "go.mod", "go.work", "jsconfig.json",
    "justfile", "lerna.json", "makefile", "meson.build", "mix.exs", "module.bazel", "nx.json", "package.json",
    "package.swift", "pipfile", "pnpm-workspace.yaml", "pom.xml", "project.clj", "pubspec.yaml", "pyproject.toml",
    "rebar.config", "requirements.txt", "settings.gradle", "settings.gradle.kts", "setup.cfg", "setup.py",
    "stack.yaml", "tox.ini", "tsconfig.json", "turbo.json", "workspace.bazel",
];

const CONFIG_EXTENSIONS: &[&str] = &["cabal", "csproj", "fsproj", "gemspec", "sln", "vbproj"];

const ENTRY_STEMS: &[&str] = &["main", "index", "app", "server", "__main__"];

/// Words of a name and the group they put a file into.
const WORDS: &[(Group, &[&str])] = &[
    (
        Group::Auth,
        &[
            "auth", "authn", "authz", "authentication", "authenticator", "authorization", "authorizer", "login",
            "logins", "signin", "oauth", "oauth2", "session", "sessions", "jwt", "jwts",
        ],
    ),
    (
        Group::Api,
        &[
            "route", "routes", "router", "routers", "routing", "controller", "controllers", "handler", "handlers",
            "api", "apis", "openapi",
        ],
    ),
    (Group::Database, &["model", "models", "schema", "schemas", "migration", "migrations"]),
    (Group::Security, &["permission", "permissions", "rbac", "acl", "acls"]),
];

/// The group of key files that a path belongs to, if any.
pub(crate) fn group_of(path: &str) -> Option<Group> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lower = name.to_lowercase();
    if is_config(&lower) {
        return Some(Group::Config);
    }
    let kind = Language::of_path(name).map(Language::kind);
    if kind == Some(LanguageKind::Prose) {
        return None;
    }
    let stem = lower.split('.').next().unwrap_or(&lower);
    // A program starts in code; `index.json` or `main.css` is something else.
    let page = matches!(extension(name).as_str(), "html" | "vue" | "svelte");
    if (kind == Some(LanguageKind::Code) || page) && (ENTRY_STEMS.contains(&stem) || lower == "lib.rs") {
        return Some(Group::Entrypoint);
    }
    if kind.is_none() && !matches!(extension(name).as_str(), "prisma" | "avsc" | "xsd") {
        return None;
    }
    let found = words(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    let named =
        |(group, list): &(Group, &[&str])| found.iter().any(|word| list.contains(&word.as_str())).then_some(*group);
    WORDS.iter().find_map(named).or_else(|| in_migrations(folder).then_some(Group::Database))
}

fn is_config(name: &str) -> bool {
    let configures = |name: &str| {
        // `vite.config.ts`, `next.config.mjs`
        name.rsplit_once('.').is_some_and(|(stem, ext)| {
            stem.ends_with(".config") && matches!(ext, "js" | "ts" | "mjs" | "cjs" | "mts" | "cts" | "json")
        })
    };
    CONFIG_NAMES.contains(&name) || CONFIG_EXTENSIONS.contains(&extension(name).as_str()) || configures(name)
}

/// Whether one of the folders around a path has one of these names.
pub(crate) fn in_folder_of(path: &str, names: &[&str]) -> bool {
    path.split('/').rev().skip(1).any(|name| names.contains(&name.to_lowercase().as_str()))
}

/// `db/migrations/001_init.sql`, `app/Migrations/2020/x.php`
fn in_migrations(folder: &str) -> bool {
    folder.rsplit('/').take(2).any(|name| words(name).iter().any(|word| word == "migration" || word == "migrations"))
}

/// The words of a name, lower case: `user_auth`, `AuthService` and `userJWTCheck2` have two, two and three.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = name.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            push(&mut words, &mut word);
        } else {
            let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
            // A hump, or the last capital of an acronym: `HTTPServer` is `HTTP` and `Server`.
            if c.is_uppercase() && (!before.is_uppercase() || next_is_lower) {
                push(&mut words, &mut word);
            }
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    push(&mut words, &mut word);
    words
}

fn push(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// What follows the last dot of a name, lower case.
pub(crate) fn extension(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
        _ => String::new(),
    }
}

/// Folders of what helps along the way.
const SIDE_FOLDERS: &[&str] = &[
    "script", "scripts", "tool", "tools", "hack", "example", "examples", "sample", "samples", "demo", "demos", "bench",
    "benches", "benchmarks", "fixture", "fixtures", "mock", "mocks", "docs", "doc", "test", "tests", "testing", "spec",
    "specs", "__tests__", "__mocks__", "testdata", "e2e",
];

/// Whether a file helps along the way instead of being the program: tests, scripts, examples.
pub(crate) fn is_side_file(path: &str) -> bool {
    if Category::of_path(path) == Category::Test {
        return true;
    }
    let lower = path.to_lowercase();
    let mut names: Vec<&str> = lower.split('/').collect();
    let name = names.pop().unwrap_or_default();
    names.iter().any(|folder| SIDE_FOLDERS.contains(folder))
        || matches!(extension(name).as_str(), "sh" | "bash" | "ps1" | "bat" | "cmd" | "fish")
}

/// How much a file is worth sending, going by its name and size: source first, then the small and the shallow.
pub fn default_rank(file: &FileMetadata) -> f64 {
    let category = match file.category {
        FileCategory::Entrypoint | FileCategory::Auth | FileCategory::Api | FileCategory::Database => 6.0,
        FileCategory::Source => 5.0,
        FileCategory::Config | FileCategory::Documentation => 4.0,
        FileCategory::Test => 2.0,
        FileCategory::Other => 1.0,
        FileCategory::Build | FileCategory::Dependency => 0.0,
    };
    let side = if is_side_file(&file.relative_path) { 2.0 } else { 0.0 };
    let depth = file.relative_path.matches('/').count() as f64;
    // A doubling in size costs as much as two folders more.
    let size = (file.size_bytes.max(64) as f64).log2();
    4.0 * (category - side) - size - depth / 2.0
}

/// The category of a file that stays out: what a build has made and what was copied here say more of it than its name.
pub(crate) fn category_of_excluded(path: &str, reason: ExclusionReason) -> FileCategory {
    match reason {
        ExclusionReason::BuildOutput => FileCategory::Build,
        ExclusionReason::DependencyDir => FileCategory::Dependency,
        _ => category_of(path),
    }
}

pub(crate) fn category_of(path: &str) -> FileCategory {
    // Some are taken in because somebody asked for them by name.
    match Role::of(path, "") {
        Role::Vendored => return FileCategory::Dependency,
        Role::Generated => return FileCategory::Build,
        _ => {}
    }
    match Category::of_path(path) {
        Category::Test => return FileCategory::Test,
        Category::Docs if group_of(path).is_none() => return FileCategory::Documentation,
        _ => {}
    }
    if let Some(group) = group_of(path) {
        return group.category();
    }
    match Category::of_path(path) {
        Category::Config => FileCategory::Config,
        Category::Source => FileCategory::Source,
        _ => FileCategory::Other,
    }
}

pub(crate) fn text_type(path: &str) -> FileType {
    if Category::of_path(path) == Category::Data { FileType::Data } else { FileType::Text }
}

/// What a file that was not read seems to hold.
pub(crate) fn type_by_name(path: &str) -> FileType {
    match extension(path.rsplit('/').next().unwrap_or(path)).as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "ico" | "webp" | "bmp" | "tif" | "tiff" | "avif" | "heic" | "svg" | "psd" => {
            FileType::Image
        }
        "csv" | "tsv" | "jsonl" | "ndjson" | "parquet" | "arrow" | "avro" | "db" | "sqlite" | "sqlite3" | "npy"
        | "h5" => FileType::Data,
        "exe" | "dll" | "so" | "dylib" | "a" | "o" | "lib" | "wasm" | "class" | "jar" | "pyc" | "pdf" | "zip"
        | "gz" | "tar" | "tgz" | "xz" | "zst" | "bz2" | "7z" | "mp3" | "mp4" | "mov" | "ogg" | "wav" | "woff"
        | "woff2" | "ttf" | "otf" | "bin" => FileType::Binary,
        _ if Language::of_path(path).is_some() => FileType::Text,
        _ => FileType::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("user_auth", "user auth"),
            ("AuthService", "auth service"),
            ("userJWTCheck", "user jwt check"),
            ("HTTPServer", "http server"),
            ("author", "author"),
            ("capital", "capital"),
            ("api-routes.test", "api routes test"),
            ("001_init", "001 init"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn groups_go_by_whole_words() {
        for (path, group) in [
            ("src/user_auth.rs", Some(Group::Auth)),
            ("src/AuthService.java", Some(Group::Auth)),
            ("author.md", None),
            ("src/author.rs", None),
            ("capital.go", None),
            ("docs/auth.md", None),
            ("package.json", Some(Group::Config)),
            ("web/vite.config.ts", Some(Group::Config)),
            ("requirements.txt", Some(Group::Config)),
            ("src/main.rs", Some(Group::Entrypoint)),
            ("web/index.html", Some(Group::Entrypoint)),
            ("web/main.css", None),
            ("App.tsx", Some(Group::Entrypoint)),
            ("src/domain.rs", None),
            ("src/userController.ts", Some(Group::Api)),
            ("src/apiary.ts", None),
            ("db/migrations/001_init.sql", Some(Group::Database)),
            ("db/migrations/README.md", None),
            ("prisma/schema.prisma", Some(Group::Database)),
            ("src/remodel.py", None),
            ("src/rbac.py", Some(Group::Security)),
            ("oracle.py", None),
        ] {
            assert_eq!(group_of(path), group, "{path}");
        }
    }

    #[test]
    fn categories_follow_the_spec() {
        for (path, category) in [
            ("tests/test_auth.py", FileCategory::Test),
            ("src/auth.py", FileCategory::Auth),
            ("README.md", FileCategory::Documentation),
            ("src/x.py", FileCategory::Source),
            ("conf/x.yaml", FileCategory::Config),
            ("blob", FileCategory::Other),
            ("src/permissions.ts", FileCategory::Auth),
            ("dist/app.js", FileCategory::Build),
            ("vendor/x/main.go", FileCategory::Dependency),
        ] {
            assert_eq!(category_of(path), category, "{path}");
        }
        for (reason, category) in [
            (ExclusionReason::BuildOutput, FileCategory::Build),
            (ExclusionReason::DependencyDir, FileCategory::Dependency),
            (ExclusionReason::Cache, FileCategory::Other),
        ] {
            assert_eq!(category_of_excluded("made", reason), category);
        }
    }
}
