//! What a file is for, told from its path and its first lines.

use crate::{Language, LanguageKind};

/// What people open a file for. Of two files that match a question alike, some roles are meant more often than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Source,
    /// Prose that explains: guides, concepts, tutorials, READMEs.
    Guide,
    /// Prose that lists: API pages, options, commands.
    Reference,
    Example,
    Test,
    /// What tests read.
    Fixture,
    /// Changelogs, release notes, blogs: true when it was written.
    News,
    /// A page in another language than English.
    Translation,
    Config,
    /// A form that something is filled into.
    Template,
    Generated,
    Vendored,
}

/// How much of a text is looked at for a mark that a tool has written it.
const HEAD: usize = 600;

impl Role {
    /// Every role, by its number.
    pub const ALL: [Role; 12] = [
        Role::Source,
        Role::Guide,
        Role::Reference,
        Role::Example,
        Role::Test,
        Role::Fixture,
        Role::News,
        Role::Translation,
        Role::Config,
        Role::Template,
        Role::Generated,
        Role::Vendored,
    ];

    /// Its place in [`Role::ALL`].
    pub const fn number(self) -> u8 {
        self as u8
    }

    pub const fn name(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Guide => "guide",
            Role::Reference => "reference",
            Role::Example => "example",
            Role::Test => "test",
            Role::Fixture => "fixture",
            Role::News => "news",
            Role::Translation => "translation",
            Role::Config => "config",
            Role::Template => "template",
            Role::Generated => "generated",
            Role::Vendored => "vendored",
        }
    }

    /// Whether people look for what a file defines or describes there, rather than elsewhere first.
    pub const fn is_own(self) -> bool {
        use Role::{Fixture, Generated, News, Template, Test, Translation, Vendored};
        !matches!(self, Test | Fixture | Generated | Vendored | News | Translation | Template)
    }

    /// The role of the file at a path, of which `text` is at least the beginning.
    pub fn of(path: &str, text: &str) -> Role {
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let kind = Language::of_path(name).map(Language::kind);
        let is_prose = matches!(kind, None | Some(LanguageKind::Prose)) || name.ends_with(".html");
        if folders.iter().any(|folder| is_vendored(folder)) {
            Role::Vendored
        } else if folders.iter().any(|folder| is_fixture(folder)) {
            Role::Fixture
        } else if is_test(&folders, name) {
            Role::Test
        } else if is_generated(&folders, name, text) {
            Role::Generated
        } else if is_template(&folders, name) {
            Role::Template
        } else if name.ends_with(".po") || is_prose && translated_into(path).is_some() {
            Role::Translation
        } else if is_prose {
            of_prose(&folders, name)
        } else if kind == Some(LanguageKind::Data) || is_setup(name) {
            Role::Config
        } else if folders.iter().any(|folder| is_example(folder)) {
            Role::Example
        } else {
            Role::Source
        }
    }
}

/// The language that a page was translated into, as its path says: `docs/zh-cn/a.md`, `README.ja.md`. None for English, and where
/// the path does not say.
pub fn translated_into(path: &str) -> Option<&'static str> {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    // `README.zh-CN.md`, `README_ja.md`, `README-de.md`
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let readme = stem.get(..6).filter(|start| start.eq_ignore_ascii_case("readme")).and_then(|_| stem.get(7..));
    let of_name = stem.rsplit_once('.').map(|(_, language)| language).or(readme);
    if let Some(language) = of_name.and_then(language_of) {
        return Some(language);
    }
    let folders: Vec<&str> = parts.collect();
    let says_so = |folder: &&str| {
        matches!(
            *folder,
            "docs"
                | "doc"
                | "content"
                | "i18n"
                | "translations"
                | "locales"
                | "locale"
                | "site"
                | "website"
                | "src"
                | "current"
        )
    };
    // The folder of a language stands at the top, or in one of documents.
    let in_place = |(at, folder): (usize, &&str)| {
        let above = folders.get(at + 1);
        language_of(folder).filter(|_| above.is_none_or(|above| says_so(above) || above.contains("i18n")))
    };
    folders.iter().enumerate().find_map(in_place)
}

/// A language of people by its code, with or without a country or script. None for English.
pub fn language_of(code: &str) -> Option<&'static str> {
    const CODES: [&str; 32] = [
        "ar", "bn", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl",
        "no", "pl", "pt", "ro", "ru", "sk", "sv", "ta", "th", "tr", "uk", "ur", "vi", "zh",
    ];
    let (language, rest) = code.split_at_checked(2)?;
    let known = CODES.into_iter().find(|known| known.eq_ignore_ascii_case(language))?;
    let rest = rest.strip_prefix(['-', '_']).map_or(rest.is_empty(), |rest| {
        matches!(rest.len(), 2 | 4) && rest.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    rest.then_some(known)
}

fn is_vendored(folder: &str) -> bool {
    matches!(
        folder,
        "node_modules"
            | "vendor"
            | "vendored"
            | "_vendor"
            | "third_party"
            | "third-party"
            | "bower_components"
            | "externals"
            | "extern"
    )
}

fn is_fixture(folder: &str) -> bool {
    matches!(
        folder,
        "testdata" | "test-data" | "test_data" | "fixtures" | "__fixtures__" | "__snapshots__" | "cassettes" | "golden"
    )
}

fn is_test(folders: &[&str], name: &str) -> bool {
    let python = name.ends_with(".py");
    let folder = |(depth, folder): (usize, &&str)| match *folder {
        "tests" | "__tests__" | "spec" | "specs" | "e2e" | "benches" | "__mocks__" => true,
        // A package that helps others to test, such as `django/test`, is what people look for.
        "test" => depth == 0 || !python,
        _ => false,
    };
    if folders.iter().enumerate().any(folder) {
        return true;
    }
    let stem = name.split('.').next().unwrap_or(name);
    let second = name.rsplit('.').nth(1).unwrap_or_default();
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "test" | "tests" | "conftest")
        || matches!(second, "test" | "spec" | "tests")
        || (["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
            && [".java", ".kt", ".cs", ".php", ".scala", ".swift"].iter().any(|end| name.ends_with(end)))
}

fn is_generated(folders: &[&str], name: &str, text: &str) -> bool {
    let folder = |folder: &&str| matches!(*folder, "dist" | "generated" | "__generated__" | "gen" | "bundles");
    let ending = [".pb.go", "_pb2.py", "_pb2_grpc.py", ".g.dart", ".min.js", ".min.css", ".generated.ts", ".bundle.js"];
    if folders.iter().any(folder) || ending.iter().any(|end| name.ends_with(end)) {
        return true;
    }
    let head = crate::head(text, HEAD);
    head.contains("@generated") || head.contains("DO NOT EDIT") || head.contains("Code generated by")
}

fn is_template(folders: &[&str], name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("issue_template")
        || lower.contains("pull_request_template")
        || folders.iter().any(|folder| matches!(*folder, "ISSUE_TEMPLATE" | "PULL_REQUEST_TEMPLATE"))
        || [".j2", ".jinja", ".jinja2", ".tmpl", ".hbs", ".mustache", ".ejs", ".liquid"]
            .iter()
            .any(|end| lower.ends_with(end))
        || folders.contains(&"templates") && [".html", ".txt", ".xml"].iter().any(|end| lower.ends_with(end))
}

fn of_prose(folders: &[&str], name: &str) -> Role {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or(&lower).replace(['-', ' '], "_");
    let is_news = |text: &str| {
        ["changelog", "changes", "history", "news", "release", "whats_new", "whatsnew", "upgrad", "migrati", "deprecat"]
            .iter()
            .any(|word| text.starts_with(word))
            || text.ends_with("release_notes")
            || text.ends_with("_changelog")
    };
    let is_news_folder = |folder: &&str| {
        let folder = folder.to_ascii_lowercase().replace('-', "_");
        matches!(
            folder.as_str(),
            "changelog"
                | "changelogs"
                | "changes"
                | "news"
                | "newsfragments"
                | "releases"
                | "release_notes"
                | "blog"
                | "_posts"
                | "whatsnew"
                | "whats_new"
                | "announce"
        )
    };
    let is_reference = |folder: &&str| {
        matches!(
            folder.to_ascii_lowercase().as_str(),
            "reference" | "references" | "ref" | "api" | "api_reference" | "man" | "apidocs"
        )
    };
    if is_news(&stem) || folders.iter().any(is_news_folder) {
        Role::News
    } else if folders.iter().any(is_reference) {
        Role::Reference
    } else {
        Role::Guide
    }
}

/// Code that only sets something up.
fn is_setup(name: &str) -> bool {
    matches!(
        name,
        "setup.py"
            | "conf.py"
            | "Makefile"
            | "Dockerfile"
            | "CMakeLists.txt"
            | "noxfile.py"
            | "Gruntfile.js"
            | "gulpfile.js"
    ) || name.contains(".config.")
}

fn is_example(folder: &str) -> bool {
    matches!(
        folder,
        "examples"
            | "example"
            | "samples"
            | "sample"
            | "demo"
            | "demos"
            | "tutorial"
            | "tutorials"
            | "benchmarks"
            | "bench"
            | "asv_bench"
            | "playground"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_from_paths_and_first_lines() {
        for (path, role) in [
            ("src/lib.rs", Role::Source),
            ("django/test/client.py", Role::Source),
            ("src/contest.rs", Role::Source),
            ("attest/latest.go", Role::Source),
            ("crates/it/src/lib.rs", Role::Source),
            ("src/changes.rs", Role::Source),
            ("src/history/news.ts", Role::Source),
            ("test/client.py", Role::Test),
            ("packages/a/test/b.js", Role::Test),
            ("src/user_test.go", Role::Test),
            ("src/user.spec.ts", Role::Test),
            ("src/UserTests.cs", Role::Test),
            ("pkg/__tests__/a.js", Role::Test),
            ("crates/cli/tests/it/main.rs", Role::Test),
            ("tests/fixtures/a.json", Role::Fixture),
            ("pkg/testdata/a.go", Role::Fixture),
            ("a/node_modules/b/index.js", Role::Vendored),
            ("vendor/test/x.go", Role::Vendored),
            ("api/user.pb.go", Role::Generated),
            ("dist/index.js", Role::Generated),
            ("README.md", Role::Guide),
            ("docs/concepts/a.md", Role::Guide),
            ("docs/it/a.md", Role::Translation),
            ("docs/reference/cli.md", Role::Reference),
            ("doc/api/fs.md", Role::Reference),
            ("CHANGELOG.md", Role::News),
            ("doc/whats-new.rst", Role::News),
            ("docs/releases/1.10.txt", Role::News),
            ("content/en/blog/_posts/a.md", Role::News),
            ("changelog/5523.bugfix.rst", Role::News),
            ("docs/content/zh-cn/a.md", Role::Translation),
            ("content/ko/docs/a.md", Role::Translation),
            ("content/en/docs/a.md", Role::Guide),
            ("README.zh-CN.md", Role::Translation),
            ("README_ja.md", Role::Translation),
            ("locale/de/LC_MESSAGES/django.po", Role::Translation),
            ("docs/no-idea.md", Role::Guide),
            ("Cargo.toml", Role::Config),
            (".github/workflows/ci.yml", Role::Config),
            ("setup.py", Role::Config),
            ("vite.config.ts", Role::Config),
            (".github/ISSUE_TEMPLATE/bug.md", Role::Template),
            ("app/templates/base.html", Role::Template),
            ("examples/plot_a.py", Role::Example),
            ("asv_bench/benchmarks/io.py", Role::Example),
        ] {
            assert_eq!(Role::of(path, ""), role, "{path}");
        }
        assert_eq!(Role::of("a.go", "// Code generated by protoc. DO NOT EDIT.\n"), Role::Generated);
    }

    #[test]
    fn numbers_and_names_are_those_of_the_list() {
        for (number, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(role.number()), number, "{}", role.name());
        }
    }

    #[test]
    fn translations_say_their_language() {
        for (path, language) in [
            ("docs/zh-cn/a.md", Some("zh")),
            ("content/pt_BR/a.md", Some("pt")),
            ("fr/guide.md", Some("fr")),
            ("i18n/de/docusaurus-plugin-content-docs/current/a.md", Some("de")),
            ("a.ja.md", Some("ja")),
            ("docs/en/a.md", None),
            ("src/it/a.md", Some("it")),
            ("tests/it/a.md", None),
            ("a/b/de/c.md", None),
            ("docs/desk/a.md", None),
            ("README.md", None),
            ("readme-é.md", None),
        ] {
            assert_eq!(translated_into(path), language, "{path}");
        }
    }
}
