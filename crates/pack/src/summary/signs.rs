//! What stands out in a project, and what is missing or was not looked at. Only what was found or counted is said.

use std::collections::{BTreeMap, BTreeSet};

use ai_assist_text::{Language, LanguageKind};

use super::{counted, listed};
use crate::Snapshot;
use crate::categories::{in_folder_of, words};
use crate::survey::{LOCK_FILES, Parsing, Survey, named_anywhere};
use crate::types::{ExclusionReason, FileCategory, FileMetadata};

/// Source files above this are named as large.
const LARGE: u64 = 100 * 1024;

const NAMED: usize = 5;

pub(super) fn patterns(snapshot: &Snapshot, survey: &Survey) -> Vec<String> {
    let files = &snapshot.project.files;
    let description = &survey.description;
    let mut found = Vec::new();
    found.extend(tests(snapshot, survey));
    let continuous =
        ["GitHub Actions", "GitLab CI", "Travis CI", "CircleCI", "Azure Pipelines", "Bitbucket Pipelines", "Jenkins"];
    let technologies = description.technologies.iter();
    let runs = technologies.filter(|known| continuous.contains(&known.value.as_str()));
    found.extend(runs.map(|known| format!("Checked by {} (from {}).", known.value, known.evidence)));
    let images = paths(files, |file| file.name.starts_with("Dockerfile") || file.name.starts_with("Containerfile"));
    found.extend(some_of(&images, "Containers", "image recipe", "image recipes"));
    if description.packages.len() >= 2 {
        let manifests: Vec<&str> = description.packages.iter().map(|package| package.manifest.as_str()).collect();
        found.push(format!("Monorepo: {} packages ({}).", manifests.len(), listed(&manifests, NAMED)));
    }
    let in_folder = |names: &'static [&'static str]| paths(files, move |file| in_folder_of(&file.relative_path, names));
    found.extend(some(&in_folder(&["migrations", "migrate", "migration"]), "Database migrations"));
    found.extend(plugins(files));
    let schemas = paths(files, |file| {
        matches!(file.extension.as_str(), "proto" | "graphql" | "gql" | "thrift" | "avsc")
            || words(&file.name).iter().any(|word| word == "openapi" || word == "swagger")
    });
    found.extend(some(&schemas, "Interfaces described in schemas"));
    let flags = paths(files, |file| {
        let words = words(&file.name);
        words
            .windows(2)
            .any(|pair| pair[0] == "feature" && (pair[1] == "flag" || pair[1] == "flags" || pair[1] == "toggles"))
    });
    found.extend(some(&flags, "Feature flags"));
    found.extend(some(&in_folder(&["locales", "locale", "i18n", "translations", "l10n"]), "Translations"));
    found.extend(some(&in_folder(&["examples", "example", "samples"]), "Examples"));
    found.extend(some(&in_folder(&["benches", "benchmarks", "benchmark"]), "Benchmarks"));
    found.extend(some_of(
        &paths(files, |file| file.extension == "tf"),
        "Infrastructure as code",
        "Terraform file",
        "Terraform files",
    ));
    found.extend(left_out(snapshot, ExclusionReason::BuildOutput, "Generated code or outputs of a build"));
    found.extend(left_out(snapshot, ExclusionReason::DependencyDir, "Dependencies kept in the tree"));
    found
}

fn paths(files: &[FileMetadata], fits: impl Fn(&FileMetadata) -> bool) -> Vec<&str> {
    files.iter().filter(|file| fits(file)).map(|file| file.relative_path.as_str()).collect()
}

fn some(paths: &[&str], what: &str) -> Option<String> {
    some_of(paths, what, "file", "files")
}

fn some_of(paths: &[&str], what: &str, one: &str, many: &str) -> Option<String> {
    (!paths.is_empty()).then(|| format!("{what}: {} ({}).", counted(paths.len(), one, many), listed(paths, NAMED)))
}

fn tests(snapshot: &Snapshot, survey: &Survey) -> Vec<String> {
    let files = &snapshot.project.files;
    let tests = paths(files, |file| file.category == FileCategory::Test);
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let of_sources: BTreeSet<String> =
        files.iter().filter(|file| is_source(file)).map(|file| folder(&file.relative_path)).collect();
    let (beside, apart): (Vec<&str>, Vec<&str>) =
        tests.into_iter().partition(|path| of_sources.contains(&folder(path)));
    let inside: Vec<&str> = files
        .iter()
        .enumerate()
        .filter(|(index, _)| survey.measures[*index].has_tests_inside())
        .map(|(_, file)| file.relative_path.as_str())
        .collect();
    [
        some(&beside, "Tests beside the code"),
        some(&apart, "Tests in folders of their own"),
        some(&inside, "Tests inside source files"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn is_source(file: &FileMetadata) -> bool {
    file.content_extractable
        && !matches!(file.category, FileCategory::Test | FileCategory::Config | FileCategory::Documentation)
        && Language::of_path(&file.relative_path).is_some_and(|language| language.kind() == LanguageKind::Code)
}

/// Folders of plugins that hold at least two.
fn plugins(files: &[FileMetadata]) -> Vec<String> {
    let mut holding: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let path = file.relative_path.as_str();
        let mut start = 0;
        while let Some(at) = path[start..].find('/') {
            let end = start + at;
            if matches!(&path[start..end], "plugins" | "plugin" | "extensions" | "addons") {
                let rest = &path[end + 1..];
                holding.entry(&path[..end]).or_default().insert(rest.split('/').next().unwrap_or(rest));
            }
            start = end + 1;
        }
    }
    let many = holding.into_iter().filter(|(_, held)| held.len() >= 2).take(NAMED);
    many.map(|(folder, held)| format!("Plugins: {} in {folder}/.", counted(held.len(), "entry", "entries"))).collect()
}

fn left_out(snapshot: &Snapshot, reason: ExclusionReason, what: &str) -> Option<String> {
    let excluded = snapshot.project.excluded_files.iter().filter(|file| file.reason == reason);
    let named: Vec<String> = excluded.map(|file| format!("{}: {}", file.path, file.rule)).collect();
    (!named.is_empty()).then(|| {
        format!(
            "{what}, left out: {} ({}).",
            counted(named.len(), "file or folder", "files or folders"),
            listed(&named, NAMED)
        )
    })
}

/// What may be wrong, each measured.
pub(super) fn concerns(snapshot: &Snapshot, survey: &Survey) -> Vec<String> {
    let files = &snapshot.project.files;
    let mut found = Vec::new();
    let sources = files.iter().filter(|file| is_source(file)).count();
    let has_tests = files.iter().any(|file| file.category == FileCategory::Test)
        || survey.measures.iter().any(|measure| measure.has_tests_inside());
    if sources > 0 && !has_tests {
        found.push(format!(
            "No tests: none of {} has a name or a module of tests.",
            counted(sources, "source file", "source files")
        ));
    }
    let starts = |prefix: &'static [&'static str]| {
        move |name: &str| prefix.iter().any(|prefix| name.to_lowercase().starts_with(prefix))
    };
    if survey.description.license.is_none()
        && named_anywhere(snapshot, &starts(&["license", "licence", "copying"])).is_none()
    {
        found.push("No license: no manifest names one and no file is called LICENSE or COPYING.".to_owned());
    }
    if named_anywhere(snapshot, &starts(&["readme"])).is_none() {
        found.push("No README: no file has that name.".to_owned());
    }
    found.extend(no_lock_file(snapshot, survey));
    found.extend(secrets(snapshot));
    found.extend(large(files));
    found.extend(not_parsed(files, survey));
    let replaced = paths(files, |file| file.replaced_characters > 0);
    found.extend(some(&replaced, "Not valid in their encoding, so characters were replaced"));
    found.extend(survey.warnings.iter().take(20).cloned());
    found
}

/// Manifests of ecosystems in which an application usually keeps a lock file.
fn no_lock_file(snapshot: &Snapshot, survey: &Survey) -> Option<String> {
    let locked = ["cargo", "npm", "python", "go", "rubygems", "composer"];
    let mut asked = survey.description.dependencies.iter().filter(|known| locked.contains(&known.ecosystem.as_str()));
    let first = asked.next()?;
    let count = 1 + asked.count();
    let none = named_anywhere(snapshot, &|name| LOCK_FILES.contains(&name)).is_none();
    none.then(|| {
        format!(
            "No lock file: {} without exact versions (first in {}).",
            counted(count, "dependency", "dependencies"),
            first.manifest
        )
    })
}

fn secrets(snapshot: &Snapshot) -> Vec<String> {
    let files = &snapshot.project.files;
    let mut by_rule: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        for redaction in snapshot.redactions(index) {
            let (count, paths) = by_rule.entry(redaction.rule).or_default();
            *count += redaction.count;
            paths.push(&file.relative_path);
        }
    }
    let values = by_rule.into_iter().map(|(rule, (count, paths))| {
        format!(
            "Secrets in the text: {} taken out by the rule {rule} ({}).",
            counted(count, "value", "values"),
            listed(&paths, NAMED)
        )
    });
    let stores = snapshot.project.excluded_files.iter().filter(|file| file.reason == ExclusionReason::Credentials);
    let stores: Vec<&str> = stores.map(|file| file.path.as_str()).collect();
    values.chain(some(&stores, "Files with credentials, left out")).collect()
}

fn large(files: &[FileMetadata]) -> Option<String> {
    let mut large: Vec<&FileMetadata> =
        files.iter().filter(|file| is_source(file) && file.size_bytes > LARGE).collect();
    large.sort_by(|a, b| b.size_bytes.cmp(&a.size_bytes).then(a.relative_path.cmp(&b.relative_path)));
    let named: Vec<String> =
        large.iter().map(|file| format!("{}: {} bytes", file.relative_path, file.size_bytes)).collect();
    (!named.is_empty()).then(|| {
        format!(
            "Very large source files: {} above {LARGE} bytes ({}).",
            counted(named.len(), "file", "files"),
            listed(&named, NAMED)
        )
    })
}

fn not_parsed(files: &[FileMetadata], survey: &Survey) -> Vec<String> {
    let mut by_reason: BTreeMap<Parsing, Vec<&str>> = BTreeMap::new();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for (measure, file) in survey.measures.iter().zip(files) {
        if measure.parsing == Parsing::NoGrammar {
            let language = Language::of_path(&file.relative_path).map_or("", Language::name);
            *languages.entry(language).or_default() += 1;
        } else if !matches!(measure.parsing, Parsing::NoCode | Parsing::Parsed) {
            by_reason.entry(measure.parsing).or_default().push(&file.relative_path);
        }
    }
    let without: Vec<String> = languages.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    let total: usize = languages.values().sum();
    let no_grammar = (total > 0).then(|| {
        let noun = counted(total, "file", "files");
        format!(
            "Not parsed, for want of a grammar: {noun} ({}); nothing is told of what they define.",
            listed(&without, 8)
        )
    });
    let others = by_reason.into_iter().filter_map(|(reason, paths)| {
        let what = match reason {
            Parsing::TooLarge => "Not parsed, for their size",
            Parsing::NotReached => "Not parsed, as there is more code than is looked at",
            Parsing::GivenUp => "Not parsed, as the parser gave up",
            _ => "Not parsed, as the parser failed",
        };
        some(&paths, what)
    });
    no_grammar.into_iter().chain(others).collect()
}
