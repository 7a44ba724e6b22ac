//! The exclusion groups, by name. Compiled in; what git tracks decides about the names that are also names of sources.
//!
//! The groups and patterns are those of the specification, with these corrections. `*.sql` and `*.svg` are text like any
//! other. `*.tar*` and `*.sqlite*` are spelled out, because they also match `linux.target.ts` and `db.sqlite.ts`. A file's
//! name counts in any case (`LOGO.PNG`), a folder's as it is written: `Target` and `Build` are sources where they occur.

use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{Reason, braces};

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) group: &'static str,
    /// `**/NAME/**` for a folder, `**/NAME` for a file; `NAME` is a glob within one component.
    pub(crate) pattern: String,
    pub(crate) reason: Reason,
    /// Drops only what git does not track.
    pub(crate) unless_tracked: bool,
}

impl Rule {
    /// Whether it is the one that drops logs.
    pub(crate) fn is_of_logs(&self) -> bool {
        self.pattern == "**/*.log"
    }

    /// `GROUP/PATTERN`.
    #[cfg(test)]
    fn id(&self) -> String {
        format!("{}/{}", self.group, self.pattern)
    }

    /// The glob for a folder's own name, if this is about folders.
    fn folder(&self) -> Option<&str> {
        self.pattern.strip_prefix("**/")?.strip_suffix("/**")
    }

    /// The glob for a file's name, if this is about files.
    fn file(&self) -> Option<&str> {
        if self.pattern.ends_with("/**") { None } else { self.pattern.strip_prefix("**/") }
    }
}

/// The name of a group, its reason, the patterns that always count, and those that git overrules.
type Group = (&'static str, Reason, &'static [&'static str], &'static [&'static str]);

const GROUPS: &[Group] = &[
    (
        "version_control",
        Reason::VersionControl,
        &["**/.git/**", "**/.svn/**", "**/.hg/**", "**/.jj/**", "**/.git"],
        &[],
    ),
    (
        "dependencies",
        Reason::Dependency,
        &[
            // Covers `**/packages/*/node_modules/**` as well.
            "**/node_modules/**", "**/vendor/**", "**/.venv/**", "**/venv/**", "**/__pypackages__/**",
            "**/bower_components/**", "**/site-packages/**", "**/.tox/**", "**/.nox/**", "**/.terraform/**",
        ],
        &["**/env/**"],
    ),
    (
        "build_outputs",
        Reason::BuildOutput,
        &[
            "**/dist/**", "**/target/**", "**/.next/**", "**/.nuxt/**", "**/.svelte-kit/**", "**/coverage/**",
            "**/.nyc_output/**",
        ],
        &["**/build/**", "**/out/**"],
    ),
    (
        "caches",
        Reason::Cache,
        &[
            "**/.cache/**", "**/__pycache__/**", "**/*.py[co]", "**/.pytest_cache/**", "**/.mypy_cache/**",
            "**/.ruff_cache/**", "**/.parcel-cache/**", "**/.sass-cache/**", "**/.turbo/**", "**/.gradle/**",
            "**/.eslintcache", "**/*.tsbuildinfo", "**/.DS_Store",
        ],
        &[],
    ),
    (
        "large_data",
        Reason::LargeData,
        &["**/*.db", "**/*.db-{wal,shm,journal}", "**/*.sqlite{,2,3}", "**/*.sqlite{,3}-{wal,shm,journal}", "**/*.log"],
        &["**/logs/**"],
    ),
    (
        "binaries",
        Reason::Binary,
        &[
            "**/*.{exe,dll,so,dylib,wasm,class,jar}",
            "**/*.{png,jpg,jpeg,gif,ico,webp,bmp}",
            "**/*.{woff,woff2,ttf,otf,eot}",
            "**/*.{mp4,mp3,mov,avi,webm,wav,flac}",
            "**/*.pdf",
            "**/*.{zip,tar,gz,tgz,bz2,xz,zst,7z,rar}",
        ],
        &[],
    ),
    (
        "generated",
        Reason::Generated,
        &[
            "**/{package-lock,npm-shrinkwrap,packages.lock}.json",
            "**/{yarn,bun,deno,Cargo,poetry,Pipfile,uv,pdm,composer,Gemfile,mix,pubspec,Podfile,flake}.lock",
            "**/bun.lockb",
            "**/pnpm-lock.yaml",
            "**/go{,.work}.sum",
            "**/gradle.lockfile",
            "**/Package.resolved",
            "**/.terraform.lock.hcl",
            "**/*.min.{js,mjs,cjs,css}",
            "**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,css}.map",
        ],
        &[],
    ),
];

/// The rules of one kind and a matcher for all of their names at once.
struct Names {
    rules: Vec<&'static Rule>,
    globs: GlobSet,
}

struct Table {
    folders: Names,
    files: Names,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for &(group, reason, always, unless_tracked) in GROUPS {
        for (patterns, unless_tracked) in [(always, false), (unless_tracked, true)] {
            // Each alternative is a rule of its own, so that the one named to a person is short.
            let each = patterns.iter().flat_map(|pattern| braces::expand(pattern).unwrap_or_default());
            rules.extend(each.map(|pattern| Rule { group, pattern, reason, unless_tracked }));
        }
    }
    rules
});

static TABLE: LazyLock<Table> = LazyLock::new(|| Table {
    folders: Names::of(|rule| rule.folder().map(str::to_owned)),
    files: Names::of(|rule| rule.file().map(str::to_ascii_lowercase)),
});

impl Names {
    /// `name` gives the part of a rule that is matched. Names of files are matched in lower case.
    fn of(name: impl Fn(&'static Rule) -> Option<String>) -> Names {
        let (mut rules, mut builder) = (Vec::new(), GlobSetBuilder::new());
        for (rule, name) in RULES.iter().filter_map(|rule| Some((rule, name(rule)?))) {
            // That every pattern compiles is a test; one that did not would be a rule without effect, not a crash.
            if let Ok(glob) = GlobBuilder::new(&name).literal_separator(true).build() {
                builder.add(glob);
                rules.push(rule);
            }
        }
        Names { rules, globs: builder.build().unwrap_or_default() }
    }

    fn first(&self, name: &[u8]) -> Option<&'static Rule> {
        let found = self.globs.matches_candidate(&globset::Candidate::from_bytes(name));
        found.first().and_then(|&number| self.rules.get(number)).copied()
    }
}

pub(crate) fn folder_rule(name: &[u8]) -> Option<&'static Rule> {
    TABLE.folders.first(name)
}

/// The rule about files of this name, whatever its case.
pub(crate) fn file_rule(name: &[u8]) -> Option<&'static Rule> {
    TABLE.files.first(&name.to_ascii_lowercase())
}

/// The rule about version control, for a folder that is one's.
pub(crate) fn version_control_rule(name: &[u8]) -> Option<&'static Rule> {
    folder_rule(&name.to_ascii_lowercase()).filter(|rule| rule.reason == Reason::VersionControl)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
