//! `build.gradle`, `settings.gradle`, both also in Kotlin, and `libs.versions.toml`.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::code::{Comments, Token, lines, tokens};
use super::gradle_lines::{Block, Dependency, dependency, plugin};
use super::{Asked, DependencyKind, Family, Findings, known, maven, set, split, upwards, words};
use crate::lock_error::from_toml;

/// What builds look up, by the folder it counts for.
#[derive(Default)]
pub(super) struct Gradle {
    catalogs: BTreeMap<String, Catalog>,
}

/// `libs.versions.toml`, with the names as they are written in builds: `a-b_c` is `a.b.c`.
#[derive(Default)]
struct Catalog {
    /// `group:artifact` and the version.
    libraries: BTreeMap<String, (String, Option<String>)>,
    bundles: BTreeMap<String, Vec<String>>,
    plugins: BTreeMap<String, String>,
}

impl Gradle {
    pub(super) fn catalog(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        if let Some(table) = findings.parsed::<Table>(path, from_toml(text)) {
            // `gradle/libs.versions.toml` counts for the folder around `gradle`.
            let folder = split(split(path).0).0;
            self.catalogs.insert(folder.to_owned(), Catalog::read(&table));
        }
    }

    pub(super) fn settings(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        findings.build("gradle", path);
        let Some(project) = findings.project(Family::Jvm, path) else { return };
        let tokens = tokens(text, Comments::Slashes);
        for line in lines(&tokens) {
            if let [Token::Word("rootProject.name"), Token::Sign('='), Token::Text(name), ..] = line {
                set(&mut project.name, words::name(name), path, "rootProject.name");
            }
        }
    }

    pub(super) fn build(&mut self, findings: &mut Findings<'_>, path: &str, text: &str) {
        findings.build("gradle", path);
        if findings.project(Family::Jvm, path).is_none() {
            return;
        }
        let catalog = upwards(split(path).0).find_map(|folder| self.catalogs.get(folder));
        let mut build = Build { catalog, path, variables: BTreeMap::new(), main_classes: Vec::new() };
        let tokens = tokens(text, Comments::Slashes);
        let mut blocks: Vec<Block> = Vec::new();
        for line in lines(&tokens) {
            build.line(findings, blocks.last().copied(), blocks.len(), line);
            Block::follow(&mut blocks, line);
        }
        for class in std::mem::take(&mut build.main_classes) {
            maven::main_class(findings, path, "mainClass", &class);
        }
        maven::application(findings, path);
    }
}

impl Catalog {
    fn read(table: &Table) -> Catalog {
        let map = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flatten();
        let versions: BTreeMap<&str, &str> =
            map("versions").filter_map(|(name, value)| Some((name.as_str(), rich(value)?))).collect();
        let version = |value: &Value| {
            let version = value.get("version")?;
            let referred = || versions.get(version.get("ref")?.as_str()?).copied();
            version.as_str().or_else(referred).or_else(|| rich(version)).map(str::to_owned)
        };
        let library = |value: &Value| {
            if let Some(text) = value.as_str() {
                return Dependency::parse(text).map(|found| (found.name(), found.version));
            }
            let part = |key: &str| value.get(key).and_then(Value::as_str);
            let apart = || Some(format!("{}:{}", part("group")?, part("name")?));
            Some((part("module").map(str::to_owned).or_else(apart)?, version(value)))
        };
        let plugin = |value: &Value| {
            let text = value.as_str().and_then(|text| text.split(':').next());
            text.or_else(|| value.get("id")?.as_str()).map(str::to_owned)
        };
        Catalog {
            libraries: map("libraries").filter_map(|(name, value)| Some((dotted(name), library(value)?))).collect(),
            bundles: map("bundles").map(|(name, value)| (dotted(name), aliases(value))).collect(),
            plugins: map("plugins").filter_map(|(name, value)| Some((dotted(name), plugin(value)?))).collect(),
        }
    }
}

/// A version, or the one that a table of conditions asks for most.
fn rich(value: &Value) -> Option<&str> {
    let part = |key: &str| value.get(key).and_then(Value::as_str);
    value.as_str().or_else(|| part("strictly")).or_else(|| part("require")).or_else(|| part("prefer"))
}

fn aliases(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).take(200).map(dotted).collect()
}

fn dotted(name: &str) -> String {
    name.replace(['-', '_'], ".")
}

/// One build file while it is read.
struct Build<'b> {
    catalog: Option<&'b Catalog>,
    path: &'b str,
    /// What was set to a plain text so far.
    variables: BTreeMap<String, String>,
    main_classes: Vec<String>,
}

impl Build<'_> {
    fn line(&mut self, findings: &mut Findings<'_>, block: Option<Block>, depth: usize, line: &[Token<'_>]) {
        match block {
            Some(Block::Dependencies) => self.dependency(findings, line),
            Some(Block::Plugins) => self.plugin(findings, line),
            _ => self.statement(findings, depth, line),
        }
        if line.iter().any(|token| token.word().is_some_and(|word| word.ends_with("useJUnitPlatform"))) {
            findings.test("junit", format!("{}: useJUnitPlatform", self.path));
        }
    }

    fn statement(&mut self, findings: &mut Findings<'_>, depth: usize, line: &[Token<'_>]) {
        // `dependencies { implementation("a:b:1") }` and `plugins { id("x") }` on one line.
        if let [Token::Word(name), Token::Sign('{'), inside @ ..] = line {
            match *name {
                "dependencies" => return self.dependency(findings, inside),
                "plugins" => return self.plugin(findings, inside),
                _ => {}
            }
        }
        if let [Token::Word("apply"), Token::Word("plugin"), Token::Sign(':'), Token::Text(name), ..] = line {
            return self.apply(findings, name);
        }
        let (name, value) = match line {
            [Token::Word("def" | "val" | "var"), Token::Word(name), Token::Sign('='), Token::Text(value), ..]
            | [Token::Word(name), Token::Sign('=' | '('), Token::Text(value), ..]
            | [Token::Word(name), Token::Text(value)] => (*name, value),
            _ => return,
        };
        if matches!(name, "mainClass" | "mainClassName" | "mainClass.set" | "application.mainClass") {
            self.main_classes.push(value.to_string());
        }
        if self.variables.len() < 1_000 {
            self.variables.insert(name.trim_start_matches("ext.").to_owned(), value.to_string());
        }
        if depth > 0 {
            return;
        }
        let Some(project) = findings.project(Family::Jvm, self.path) else { return };
        match name {
            "version" | "project.version" => set(&mut project.version, words::short(value), self.path, "version"),
            "description" => set(&mut project.description, words::prose(value), self.path, "description"),
            _ => {}
        }
    }

    fn dependency(&self, findings: &mut Findings<'_>, line: &[Token<'_>]) {
        let Some((configuration, found)) = dependency(line) else { return };
        let Some(kind) = kind_of(configuration) else { return };
        for (name, version) in self.resolved(found) {
            let version = version.map(|version| self.filled(version));
            let (version, manifest, key) = (version.as_deref(), self.path, configuration);
            findings.depend(&Asked { ecosystem: "maven", name: &name, version, kind, manifest, key });
        }
    }

    /// The libraries that a dependency stands for: itself, or what the catalog has under its name.
    fn resolved(&self, found: Dependency) -> Vec<(String, Option<String>)> {
        let Some(alias) = found.alias else { return vec![(found.name(), found.version)] };
        let Some(catalog) = self.catalog else { return Vec::new() };
        let library = |alias: &str| catalog.libraries.get(alias).cloned();
        match alias.strip_prefix("bundles.") {
            Some(bundle) => {
                catalog.bundles.get(bundle).into_iter().flatten().filter_map(|name| library(name)).collect()
            }
            None => library(&alias).into_iter().collect(),
        }
    }

    /// A version with a variable looked up; one that is not known stays as it is written.
    fn filled(&self, version: String) -> String {
        let name = version.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
        let name = name.map(|name| name.rsplit('.').next().unwrap_or(name));
        name.and_then(|name| self.variables.get(name)).cloned().unwrap_or(version)
    }

    fn plugin(&self, findings: &mut Findings<'_>, line: &[Token<'_>]) {
        let Some(name) = plugin(line) else { return };
        let alias = name.strip_prefix("libs.plugins.").map(|alias| self.catalog?.plugins.get(alias).cloned());
        match alias {
            Some(Some(name)) => self.apply(findings, &name),
            Some(None) => {}
            None => self.apply(findings, &name),
        }
    }

    fn apply(&self, findings: &mut Findings<'_>, name: &str) {
        let is_kotlin = name.starts_with("org.jetbrains.kotlin") || name.starts_with("kotlin");
        if let Some(project) = findings.project(Family::Jvm, self.path).filter(|_| is_kotlin) {
            project.language = Some("kotlin");
        }
        if let Some(known) = known("gradle-plugin", name) {
            findings.technology(known.shown, format!("{}: plugins.{name}", self.path));
        }
    }
}

/// When a configuration is needed; `None` for a word that is none.
fn kind_of(configuration: &str) -> Option<DependencyKind> {
    let lower = configuration.to_ascii_lowercase();
    let ends = |words: &[&str]| words.iter().any(|word| lower.ends_with(word));
    if lower == "classpath"
        || ends(&["processor", "detektplugins"])
        || lower.starts_with("kapt")
        || lower.starts_with("ksp")
    {
        return Some(DependencyKind::Dev);
    }
    if !ends(&["implementation", "api", "runtimeonly", "compileonly", "compileonlyapi", "compile", "runtime"]) {
        return None;
    }
    if lower.starts_with("test") || lower.contains("androidtest") || lower.starts_with("debug") {
        return Some(DependencyKind::Dev);
    }
    Some(if lower.contains("compileonly") { DependencyKind::Peer } else { DependencyKind::Runtime })
}
