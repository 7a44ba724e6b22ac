//! What a project depends on as documents: which packages, where they lie on this machine, and what of them is worth a search.
//!
//! A document is called `npm/express@4.21.2/lib/application.js`: by the package and the version that the lock file has, then as its
//! package has it. So the next version of a package is other documents, two versions in use don't mix, and a hit says for
//! which version it holds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use ai_assist_admit::{Candidate, Exclusion, Globs, Limits, Problem, Selection, walk};
use ai_assist_base::Cancel;
use ai_assist_convert::AS_IT_STANDS;
use ai_assist_ecosystem::{Dependency, Ecosystem, Homes, LocalPackage, PackageName, dependencies, local_package};
use ai_assist_fetch::{BundleError, BundleKind, Limits as FetchLimits, unpack};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_ingest::{Cut, Offered, View, cut, cut_offered, offered};
use ai_assist_text::Language;

use crate::sync::plan::{Input, Wanted};
use crate::{Error, Result, Skipped};

/// Of one package: more than this is generated, or a binding of everything that an operating system has.
const API_FILES: usize = 2_000;
const API_BYTES: u64 = 6 << 20;

/// Examples of one package, and each of them.
const EXAMPLES: usize = 40;
const EXAMPLE_BYTES: u64 = 16 << 10;

/// Which dependencies of a project are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// These; none for all that the project names itself.
    names: BTreeSet<PackageName>,
    transitive: bool,
}

impl Chosen {
    pub(crate) fn parse(names: &[String], transitive: bool) -> Result<Self> {
        let parse = |name: &String| name.parse().map_err(|error| Error::Unusable(format!("`{name}`: {error}")));
        Ok(Chosen { names: names.iter().map(parse).collect::<Result<_>>()?, transitive })
    }

    /// One line for each name. The order in which they are written changes nothing.
    pub(crate) fn text(&self) -> String {
        let names = self.names.iter().map(|name| format!("{name}\n"));
        names.chain(self.transitive.then(|| "transitive\n".to_owned())).collect()
    }

    /// Whether a dependency is one of those that are chosen by themselves.
    pub(crate) fn has(&self, dependency: &Dependency) -> bool {
        let is_it = |name: &PackageName| name.is(dependency.ecosystem, &dependency.name);
        if self.names.is_empty() { self.transitive || dependency.direct } else { self.names.iter().any(is_it) }
    }

    /// Those that are chosen and those that are parts of them: what people call `clap` is `clap_builder` for the most part.
    fn of<'d>(&self, all: &'d [Dependency]) -> Vec<&'d Dependency> {
        let chosen: Vec<&Dependency> = all.iter().filter(|dependency| self.has(dependency)).collect();
        let is_part = |part: &Dependency| chosen.iter().any(|whole| is_part_of(part, whole));
        all.iter().filter(|dependency| self.has(dependency) || is_part(dependency)).collect()
    }
}

/// Whether a package is published as a part of another: `serde_core` of `serde`, `@vue/runtime-core` of `vue`, and the types of an npm
/// package that has none of its own.
fn is_part_of(part: &Dependency, whole: &Dependency) -> bool {
    if part.ecosystem != whole.ecosystem || part.name == whole.name {
        return false;
    }
    let (part, name) = (part.name.as_str(), whole.name.as_str());
    let continues = |text: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', '_']));
    match whole.ecosystem {
        Ecosystem::Cargo => continues(part),
        Ecosystem::Npm => {
            let of_types = part.strip_prefix("@types/");
            // Types of types: `@types/express` has its own in `@types/express-serve-static-core`.
            let bare = name.strip_prefix("@types/").unwrap_or(name);
            let is_types =
                |types: &str| types == bare || types.strip_prefix(bare).is_some_and(|rest| rest.starts_with('-'));
            of_types.is_some_and(is_types)
                || part.strip_prefix('@').and_then(|part| part.split_once('/')).is_some_and(|(scope, _)| scope == name)
        }
        Ecosystem::Python | Ecosystem::Go | Ecosystem::Maven => false,
    }
}

/// What its documents are called before their own paths, with a slash at the end.
pub(crate) fn prefix(dependency: &Dependency) -> String {
    format!("{}/{}@{}/", dependency.ecosystem, name_in_path(dependency), dependency.version)
}

/// A package's name as part of a path: Maven's have a colon, which is no part of one everywhere.
fn name_in_path(dependency: &Dependency) -> String {
    dependency.name.replace(':', "/")
}

/// The package, the version and the rest of a document's path.
fn split(path: &str) -> Option<(&str, &str, &str)> {
    let (_, path) = path.split_once('/')?;
    // The first `@` that does not open a scope stands before the version.
    let at = path.char_indices().skip(1).find(|&(_, c)| c == '@')?.0;
    let (version, rest) = path[at + 1..].split_once('/')?;
    Some((&path[..at], version, rest))
}

/// What of a package a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Docs,
    Example,
    Api,
}

pub(crate) struct File {
    pub(crate) path: DocPath,
    candidate: Candidate,
    /// What is kept beside its text where it does not offer all that is public in it.
    note: Option<String>,
}

/// The word before the names of a note.
const OFFERS: &str = " offers ";

/// How a note says which items of a program are offered. It stands where the converter of a document does, since as that it says how
/// to make of the file what is searched.
fn note(names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{AS_IT_STANDS}{OFFERS}{}", names.join(","))
}

fn offered_by(note: &str) -> Offered {
    match note.split_once(OFFERS) {
        Some((_, names)) => Offered::Only(names.split(',').map(str::to_owned).collect()),
        None => Offered::All,
    }
}

/// The files of one package that are worth a search.
#[derive(Default)]
pub(crate) struct PackageFiles {
    pub(crate) files: Vec<(Part, Candidate)>,
    exclusions: Vec<Exclusion>,
    problems: Vec<Problem>,
    /// How many files of its public items were left out for want of room.
    pub(crate) left: usize,
    /// Of files that don't offer all that is public in them, the items that they offer.
    offered: BTreeMap<String, BTreeSet<String>>,
}

impl PackageFiles {
    pub(crate) fn find(package: &LocalPackage, limits: &Limits, cancel: &Cancel) -> Result<Self> {
        let lists = [(Part::Docs, &package.docs), (Part::Example, &package.examples), (Part::Api, &package.api)];
        let mut parts = Vec::new();
        let mut all: Vec<&String> = Vec::new();
        for (part, patterns) in lists.into_iter().filter(|(_, patterns)| !patterns.is_empty()) {
            parts.push((part, Globs::new(patterns)?));
            all.extend(patterns.iter().filter(|pattern| !pattern.starts_with('!')));
        }
        if parts.is_empty() {
            return Ok(PackageFiles::default());
        }
        let folder = match &package.archive {
            Some(archive) => unpacked(archive, &package.folder, cancel)?,
            None => package.folder.clone(),
        };
        let selection = Selection {
            // What was published counts, whatever its repository ignores.
            honour_ignore_files: false,
            ..Selection::new(&folder, Globs::new(&all)?, *limits)
        };
        let walked = walk(&selection, cancel, &|_| {})?;
        let part_of = |path: &str| parts.iter().find(|(_, globs)| globs.matches(path)).map(|(part, _)| *part);
        let offered = offered_in(package, &folder);
        let is_offered = |path: &str| offered.get(path).is_none_or(|names| !names.is_empty());
        let part_of = |path: &str| part_of(path).filter(|part| *part != Part::Api || is_offered(path));
        let files = walked.candidates.into_iter();
        let mut files: Vec<(Part, Candidate)> =
            files.filter_map(|file| Some((part_of(file.path().as_str())?, file))).collect();
        let left = without_too_much(&mut files);
        let of_part = |exclusion: &Exclusion| part_of(exclusion.path.as_str()).is_some();
        let exclusions = walked.receipt.exclusions.into_iter().filter(of_part).collect();
        Ok(PackageFiles { files, exclusions, problems: walked.receipt.problems, left, offered })
    }

    pub(crate) fn count(&self, part: Part) -> usize {
        self.files.iter().filter(|(of, _)| *of == part).count()
    }
}

/// The items that files of a crate offer, where they don't offer all that is public in them.
fn offered_in(package: &LocalPackage, folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let Some(root) = &package.root else { return BTreeMap::new() };
    let read = |path: &str| {
        let file = folder.join(path);
        let about = std::fs::symlink_metadata(&file).ok()?;
        let fits = about.is_file() && about.len() <= API_BYTES;
        fits.then(|| std::fs::read_to_string(&file).ok()).flatten()
    };
    let partly = offered(root, &read).into_iter().filter_map(|(file, offers)| match offers {
        Offered::Only(names) => Some((file, names)),
        Offered::All => None,
    });
    partly.collect()
}

/// The folder that an archive is unpacked into, once for each state of it. What an earlier state left is removed.
fn unpacked(archive: &Path, folder: &Path, cancel: &Cancel) -> Result<PathBuf> {
    let failed = |source| Error::Bundle { url: archive.display().to_string(), source };
    let broken = |error| failed(BundleError::Write(error));
    let about = std::fs::metadata(archive).map_err(broken)?;
    let changed =
        about.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    let state = format!("{}\n{}\n{}", archive.display(), about.len(), changed.as_nanos());
    let ready = folder.join(&Sha256::of(state.as_bytes()).hex()[..16]);
    if ready.is_dir() {
        return Ok(ready);
    }
    std::fs::create_dir_all(folder).map_err(broken)?;
    let is_state = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 16 && path.extension().is_none());
    let others = std::fs::read_dir(folder).map_err(broken)?.flatten().map(|other| other.path()).filter(is_state);
    let others: Vec<PathBuf> = others.collect();
    let staging = tempfile::tempdir_in(folder).map_err(broken)?;
    let file = std::fs::File::open(archive).map_err(broken)?;
    unpack(file, BundleKind::Zip, staging.path(), &FetchLimits::default(), cancel).map_err(failed)?;
    // Somebody else may have been faster, with the same files.
    if std::fs::rename(staging.path(), &ready).is_err() && !ready.is_dir() {
        return Err(broken(std::io::Error::other("the folder of its files can't be put in place")));
    }
    for other in others {
        // What can't be removed is removed next time.
        drop(std::fs::remove_dir_all(other));
    }
    Ok(ready)
}

/// Leaves out what is too much of a package: examples that are programs of their own, and what lies deepest of a large API. Says how
/// many files of the latter.
fn without_too_much(files: &mut Vec<(Part, Candidate)>) -> usize {
    // A module is described once, whatever ways of loading it there are declarations for; where there are stubs beside programs, the
    // programs have what is said of the items.
    const TWICE: [(&str, &str); 3] = [(".d.mts", ".d.ts"), (".d.cts", ".d.ts"), (".pyi", ".py")];
    let all: BTreeSet<String> = files.iter().map(|(_, file)| file.path().to_string()).collect();
    files.retain(|(_, file)| {
        let is_other = |(other, first): &(&str, &str)| {
            file.path().as_str().strip_suffix(other).is_some_and(|stem| all.contains(&format!("{stem}{first}")))
        };
        !TWICE.iter().any(is_other)
    });
    let depth = |file: &Candidate| file.path().as_str().matches('/').count();
    files.sort_by_key(|(part, file)| (*part, depth(file), file.path().clone()));
    let (mut examples, mut api, mut bytes, mut left) = (0, 0, 0, 0);
    files.retain(|(part, file)| match part {
        Part::Docs => true,
        Part::Example => {
            let fits = file.stamp().size <= EXAMPLE_BYTES && examples < EXAMPLES;
            examples += usize::from(fits);
            fits
        }
        Part::Api => {
            api += 1;
            bytes += file.stamp().size;
            let fits = api <= API_FILES && bytes <= API_BYTES;
            left += usize::from(!fits);
            fits
        }
    });
    left
}

/// The dependencies of a project that are wanted, and what there is of them.
pub(crate) struct Gathered {
    /// By path.
    files: Vec<File>,
    /// What was found, by its prefix, with the lock file.
    found: BTreeMap<String, Dependency>,
    /// What is locked and not on this machine, by its prefix.
    away: BTreeMap<String, Dependency>,
    pub(crate) exclusions: Vec<Exclusion>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<String>,
}

impl Gathered {
    pub(crate) fn find(
        project: &Path,
        chosen: &Chosen,
        homes: &Homes,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Self> {
        let all = dependencies(project);
        let mut gathered = Gathered {
            files: Vec::new(),
            found: BTreeMap::new(),
            away: BTreeMap::new(),
            exclusions: Vec::new(),
            problems: Vec::new(),
            warnings: all.warnings,
        };
        let mut waiting: VecDeque<(&Dependency, bool)> =
            chosen.of(&all.dependencies).into_iter().map(|dependency| (dependency, true)).collect();
        while let Some((dependency, is_chosen)) = waiting.pop_front() {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let prefix = prefix(dependency);
            if gathered.found.contains_key(&prefix) || gathered.away.contains_key(&prefix) {
                continue;
            }
            let Some(package) = local_package(project, dependency, homes) else {
                gathered.away.insert(prefix, dependency.clone());
                continue;
            };
            // What those hand on in their turn is further from what was asked for than it is worth.
            let of_package = |it: &&Dependency| {
                it.ecosystem == dependency.ecosystem && is_chosen && package.passes_on.contains(&it.name)
            };
            waiting.extend(all.dependencies.iter().filter(of_package).map(|it| (it, false)));
            match PackageFiles::find(&package, limits, cancel) {
                Err(error @ Error::Bundle { .. }) => gathered.warnings.push(ai_assist_base::chain(&error)),
                files => gathered.take(&prefix, files?)?,
            }
            gathered.found.insert(prefix, dependency.clone());
        }
        for name in &chosen.names {
            if !all.dependencies.iter().any(|it| name.is(it.ecosystem, &it.name)) {
                gathered.warnings.push(format!("no lock file of the project has `{name}`"));
            }
        }
        gathered.warnings.extend(gathered.not_installed());
        gathered.files.sort_by(|a, b| a.path.cmp(&b.path));
        gathered.files.dedup_by(|a, b| a.path == b.path);
        Ok(gathered)
    }

    fn take(&mut self, prefix: &str, package: PackageFiles) -> Result<()> {
        for (part, candidate) in package.files {
            let path = DocPath::parse(&format!("{prefix}{}", candidate.path()))?;
            let names = package.offered.get(candidate.path().as_str()).filter(|_| part == Part::Api);
            self.files.push(File { path, candidate, note: names.map(note) });
        }
        for mut exclusion in package.exclusions {
            exclusion.path = DocPath::parse(&format!("{prefix}{}", exclusion.path))?;
            self.exclusions.push(exclusion);
        }
        for mut problem in package.problems {
            problem.path = format!("{prefix}{}", problem.path);
            self.problems.push(problem);
        }
        if package.left > 0 {
            let what = prefix.trim_end_matches('/');
            self.warnings.push(format!("{what} has so large an API that {} of its files are left out", package.left));
        }
        Ok(())
    }

    /// What is locked and not on this machine, with the way to have it, in a sentence for each way.
    fn not_installed(&self) -> Vec<String> {
        let mut by_command: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for dependency in self.away.values() {
            by_command.entry(dependency.install_command()).or_default().push(dependency.reference().to_string());
        }
        let sentence = |(command, names): (String, Vec<String>)| {
            let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
            let shown = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            format!("{shown}{more} not on this machine; `{command}` installs what is locked")
        };
        by_command.into_iter().map(sentence).collect()
    }

    /// What is locked and can't be indexed, because it is not on this machine.
    pub(crate) fn missing(&self) -> impl Iterator<Item = Skipped> {
        let missing = |dependency: &Dependency| {
            let path = dependency.reference().to_string();
            let lock = dependency.lock_file.display();
            let reason =
                format!("is in {lock} and not on this machine; `{}` installs it", dependency.install_command());
            Skipped { path, reason }
        };
        self.away.values().map(missing)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        self.files.iter().map(|file| Wanted {
            path: &file.path,
            input: match &file.note {
                Some(note) => Input::Program(&file.candidate, note),
                None => Input::File(&file.candidate),
            },
            expected: None,
            settled: false,
        })
    }

    /// Whether a document is of a package that is still locked, and only not here right now: another machine, or a clean install.
    pub(crate) fn is_away(&self, path: &str) -> bool {
        let mut before = self.away.range::<str, _>((std::ops::Bound::Unbounded, std::ops::Bound::Included(path)));
        before.next_back().is_some_and(|(prefix, _)| path.starts_with(prefix.as_str()))
    }

    /// How the versions that are locked differ from those of some documents.
    pub(crate) fn other_versions<'p>(&self, documents: impl Iterator<Item = &'p str>) -> Option<String> {
        let prefix_of = |path: &str| split(path).map(|(_, _, rest)| path[..path.len() - rest.len()].to_owned());
        let indexed: BTreeSet<String> = documents.filter_map(prefix_of).collect();
        let locked = |prefix: &String| self.found.contains_key(prefix) || self.away.contains_key(prefix);
        let gone = indexed.iter().find(|prefix| !locked(prefix))?;
        let (name, version, _) = split(gone).unwrap_or_default();
        let ecosystem = gone.split('/').next().unwrap_or_default();
        let now = self.found.values().chain(self.away.values());
        let mut now = now.filter(|it| name_in_path(it) == name && it.ecosystem.as_str() == ecosystem);
        Some(match now.next_back() {
            Some(now) => {
                format!("{} has {name} {}, and {version} is indexed", now.lock_file.display(), now.version)
            }
            None => format!("{name} {version} is indexed, and the project no longer depends on it"),
        })
    }
}

/// Cuts a document of a dependency: of its programs what they offer, anything else whole. What it is called goes with it, because
/// an item of a library seldom says the library's name.
pub(crate) fn cut_document(path: &str, text: &str, language: Language, note: Option<&str>) -> Cut {
    let Some((package, _, rest)) = split(path) else { return Cut::whole(text, language) };
    let file = rest.rsplit('/').next().unwrap_or(rest);
    let is_example = rest.split('/').any(|part| part.trim_start_matches('_').starts_with("example"));
    let view = if is_example && !file.ends_with(".d.ts") { View::Whole } else { View::Api };
    // The description of a Python package stands behind a header, in Markdown or what reads like it.
    let language = if file == "METADATA" { Language::MARKDOWN } else { language };
    let cut = match view {
        View::Api => cut_offered(text, language, &note.map_or(Offered::All, offered_by)),
        view => cut(text, language, &[view]).pop().unwrap_or_default(),
    };
    let title = cut.title.clone().or_else(|| Some(title(package, rest)));
    Cut { title, ..cut }
}

/// What a program of a package is called: `tokio task/spawn`, `requests sessions`.
fn title(package: &str, rest: &str) -> String {
    let stem = rest.rsplit_once('/').map_or("", |(folders, _)| folders);
    let file = rest.rsplit('/').next().unwrap_or(rest).split('.').next().unwrap_or_default();
    let is_any = |part: &&str| !matches!(*part, "" | "src" | "lib" | "dist" | "mod" | "index" | "__init__" | "main");
    let own = package.rsplit('/').next().unwrap_or(package).replace('-', "_");
    let parts: Vec<&str> = stem.split('/').chain([file]).filter(is_any).filter(|part| *part != own).collect();
    format!("{package} {}", parts.join("/")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependency(text: &str, direct: bool) -> Dependency {
        let reference: ai_assist_ecosystem::DependencyRef = text.parse().unwrap();
        let ai_assist_ecosystem::DependencyRef { ecosystem, name, version } = reference;
        Dependency { ecosystem, name, version, direct, lock_file: "x.lock".into() }
    }

    #[test]
    fn parts_of_what_is_chosen_are_chosen() {
        let all: Vec<Dependency> = [
            ("cargo:clap@4.0.0", true),
            ("cargo:clap_builder@4.0.0", false),
            ("cargo:clapper@1.0.0", false),
            ("npm:express@4.0.0", true),
            ("npm:@types/express@4.0.0", false),
            ("npm:@types/express-serve-static-core@4.0.0", false),
            ("npm:@express/x@1.0.0", false),
            ("npm:debug@2.0.0", false),
        ]
        .map(|(text, direct)| dependency(text, direct))
        .into();
        let of = |names: &[&str], transitive| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let chosen = Chosen::parse(&names, transitive).unwrap();
            chosen.of(&all).into_iter().map(|it| it.name.clone()).collect::<Vec<_>>()
        };
        let express = ["express", "@types/express", "@types/express-serve-static-core", "@express/x"];
        assert_eq!(of(&["npm:express"], false), express);
        assert_eq!(of(&["crate:clap"], false), ["clap", "clap_builder"]);
        assert_eq!(of(&[], false).len(), 6);
        assert_eq!(of(&[], true).len(), 8);
        assert!(Chosen::parse(&["react".to_owned()], false).is_err());
        assert!(Chosen::parse(&["npm:../..".to_owned()], false).is_err());
    }

    #[test]
    fn paths_are_told_apart_and_titles_say_the_package() {
        for (path, parts, title_of) in [
            (
                "npm/@types/node@20.1.0/fs/promises.d.ts",
                ("@types/node", "20.1.0", "fs/promises.d.ts"),
                "@types/node fs/promises",
            ),
            (
                "go/github.com/gorilla/mux@v1.8.1/mux.go",
                ("github.com/gorilla/mux", "v1.8.1", "mux.go"),
                "github.com/gorilla/mux",
            ),
            ("cargo/tokio@1.0.0/src/task/mod.rs", ("tokio", "1.0.0", "src/task/mod.rs"), "tokio task"),
            ("python/requests@2.0/requests/api.py", ("requests", "2.0", "requests/api.py"), "requests api"),
            ("npm/express@4.0.0/lib/router/index.js", ("express", "4.0.0", "lib/router/index.js"), "express router"),
        ] {
            assert_eq!(split(path), Some(parts), "{path}");
            assert_eq!(title(parts.0, parts.2), title_of, "{path}");
        }
        assert_eq!(split("README.md"), None);
    }

    #[test]
    fn what_is_locked_and_away_is_told_from_what_is_gone() {
        let away = dependency("npm:a@1.0.0", true);
        let gathered = Gathered {
            files: Vec::new(),
            found: BTreeMap::from([("npm/b@2.0.0/".to_owned(), dependency("npm:b@2.0.0", true))]),
            away: BTreeMap::from([(prefix(&away), away)]),
            exclusions: Vec::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
        };
        assert!(gathered.is_away("npm/a@1.0.0/README.md") && !gathered.is_away("npm/a@1.0.1/README.md"));
        assert!(!gathered.is_away("npm/b@2.0.0/x") && !gathered.is_away("npm/"));
        let told = |path: &'static str| gathered.other_versions([path].into_iter());
        assert_eq!(told("npm/a@1.0.0/README.md"), None);
        assert_eq!(told("npm/b@1.9.0/README.md").unwrap(), "x.lock has b 2.0.0, and 1.9.0 is indexed");
        assert!(told("npm/c@1.0.0/README.md").unwrap().contains("no longer depends"));
    }
}
