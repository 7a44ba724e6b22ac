//! A registry: a folder of bundles with an `index.json`, on a disk or on any server of static files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_fetch::{Answer, Client, Request, shown};
use ai_assist_identity::{CanonicalPath, PackageUrl, Sha256, UrlScheme};
use schemars::JsonSchema;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use url::Url;

use super::pack::{PackOptions, Packed, pack};
use crate::files::{edit_lock, replace};
use crate::package::read_capped;
use crate::{Error, Result};
use ai_assist_base::Cancel;

const INDEX_FILE: &str = "index.json";
const VERSION: u32 = 1;

/// The `index.json` of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "ai-assist registry index")]
pub struct RegistryIndex {
    /// The version of the format.
    pub schema_version: u32,
    /// The packages by name.
    pub packages: BTreeMap<String, RegistryPackage>,
}

impl Default for RegistryIndex {
    fn default() -> Self {
        RegistryIndex { schema_version: VERSION, packages: BTreeMap::new() }
    }
}

impl RegistryIndex {
    fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        /// What every format says of itself, whatever else is in it.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Format {
            schema_version: u32,
        }
        let Format { schema_version } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if schema_version != VERSION {
            return Err(format!("its format is {schema_version}, and this version knows {VERSION}"));
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }
}

/// A package of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryPackage {
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The dependency whose documents these are, such as `npm:react`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency: Option<String>,
    /// Its versions.
    pub versions: BTreeMap<String, RegistryVersion>,
}

/// A version of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryVersion {
    /// Its manifest or bundle, absolute or relative to the index.
    pub url: String,
    /// What the bytes there hash to.
    #[schemars(with = "String")]
    pub hash: Sha256,
    /// Whether it should no longer be chosen. Projects that use it already can still fetch it.
    #[serde(default)]
    pub yanked: bool,
}

#[derive(Debug, Clone)]
pub struct Registry {
    pub index: RegistryIndex,
    url: Url,
    /// Whether the project names it, rather than the user.
    pub by_project: bool,
}

/// A package of a certain version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resolution {
    pub name: String,
    pub version: String,
    pub url: String,
    /// What the bytes there hash to.
    pub hash: Sha256,
    /// The registry that has it.
    pub registry: String,
    /// Whether the project names that registry, rather than the user.
    pub by_project: bool,
    /// Further registries with a package of this name, which were not asked for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
}

impl Registry {
    /// Reads the index of a registry. A relative `file:` URL is relative to `root`.
    pub fn load(text: &str, root: &Path, client: &Client, cancel: &Cancel) -> Result<Registry> {
        let folder = PackageUrl::parse(text, &CanonicalPath::from_absolute(root)?)?;
        let bad = |reason: String| Error::BadRegistry { url: folder.to_string(), reason };
        let is_index = folder.as_str().ends_with(".json");
        let limit = client.limits().max_manifest_bytes;
        let (url, bytes) = match folder.scheme() {
            UrlScheme::File => {
                let path = folder.file_path().map(|path| path.to_path_buf()).unwrap_or_default();
                let path = if is_index { path } else { path.join(INDEX_FILE) };
                let bytes = read_capped(&path, limit)?;
                (Url::from_file_path(&path).map_err(|()| bad("its path is no URL".to_owned()))?, bytes)
            }
            UrlScheme::Https | UrlScheme::Http => {
                let text = if is_index { folder.to_string() } else { format!("{folder}/{INDEX_FILE}") };
                let url = Url::parse(&text).map_err(|error| bad(error.to_string()))?;
                match client.get(&Request::by_user(url.clone()), limit, cancel)? {
                    Answer::Body(body) => (url, body.bytes),
                    Answer::NotModified { .. } => return Err(bad("the server sent nothing".to_owned())),
                }
            }
            _ => return Err(bad("a registry is at `file`, `https` or `http`".to_owned())),
        };
        let index = RegistryIndex::parse(&bytes).map_err(bad)?;
        Ok(Registry { index, url, by_project: false })
    }

    /// The same registry, with who names it.
    pub fn named_by_project(self, by_project: bool) -> Self {
        Registry { by_project, ..self }
    }

    /// Its URL, as it may be shown.
    pub fn shown(&self) -> String {
        shown(&self.url)
    }

    fn resolution(&self, name: &str, version: &str, found: &RegistryVersion, url: String) -> Resolution {
        Resolution {
            name: name.to_owned(),
            version: version.to_owned(),
            url,
            hash: found.hash,
            registry: self.shown(),
            by_project: self.by_project,
            also_in: Vec::new(),
        }
    }

    /// The absolute URL of a version. What a server names must be on a server.
    fn locate(&self, version: &RegistryVersion) -> Result<String> {
        let bad = |reason: &str| Error::BadRegistry { url: shown(&self.url), reason: reason.to_owned() };
        let url = self.url.join(&version.url).map_err(|_| bad("it names a package by something that is no URL"))?;
        match (self.url.scheme(), url.scheme()) {
            (_, "https") | ("file", "file" | "http") | ("http", "http") => Ok(url.into()),
            _ => Err(bad("it names a package at a place that it may not name")),
        }
    }

    fn choose(&self, name: &str, range: &Range) -> Result<Option<Resolution>> {
        let Some(package) = self.index.packages.get(name) else { return Ok(None) };
        let Some((version, found)) = range.best(&package.versions) else {
            return Err(Error::NoVersion {
                name: name.to_owned(),
                range: range.to_string(),
                versions: package.versions.iter().filter(|(_, found)| !found.yanked).map(|(v, _)| v.clone()).collect(),
            });
        };
        let url = self.locate(found)?;
        Ok(Some(self.resolution(name, version, found, url)))
    }

    fn usable(&self, name: &str, package: &RegistryPackage, version: &str) -> Option<Resolution> {
        let plain = version.trim_start_matches('v');
        let found = [version, plain].into_iter().find_map(|version| package.versions.get_key_value(version));
        let (version, found) = found.filter(|(_, found)| !found.yanked)?;
        let url = self.locate(found).ok()?;
        Some(self.resolution(name, version, found, url))
    }
}

/// The package that documents exactly this version of a dependency, such as `npm:react`. The first registry with a package that
/// says so of itself decides, as with [`resolve_package`]; what merely has the dependency's name may be about anything.
pub(crate) fn for_dependency(registries: &[Registry], dependency: &str, version: &str) -> Option<Resolution> {
    for (number, registry) in registries.iter().enumerate() {
        let is_hidden =
            |name: &str| registries[..number].iter().any(|earlier| earlier.index.packages.contains_key(name));
        let documents = |(name, package): &(&String, &RegistryPackage)| {
            package.dependency.as_deref() == Some(dependency) && !is_hidden(name)
        };
        let mut packages = registry.index.packages.iter().filter(documents).peekable();
        if packages.peek().is_some() {
            return packages.find_map(|(name, package)| registry.usable(name, package, version));
        }
    }
    None
}

/// What versions are asked for.
enum Range {
    Newest,
    Exactly(String),
    Matching(VersionReq, String),
}

impl Range {
    /// `^18`, `~1.2`, `>=1, <3`; a whole version means that one; nothing, `*` or `latest` means the newest.
    fn parse(name: &str, text: &str) -> Result<Range> {
        match text {
            "" | "*" | "latest" => Ok(Range::Newest),
            text if text.starts_with(|c: char| c.is_ascii_digit()) => {
                match (Version::parse(text), VersionReq::parse(text)) {
                    (Err(_), Ok(range)) if text.split('.').count() < 3 && !text.contains(['-', '+']) => {
                        Ok(Range::Matching(range, text.to_owned()))
                    }
                    _ => Ok(Range::Exactly(text.to_owned())),
                }
            }
            text => match VersionReq::parse(text) {
                Ok(range) => Ok(Range::Matching(range, text.to_owned())),
                Err(error) => {
                    Err(Error::BadRange { name: name.to_owned(), range: text.to_owned(), reason: error.to_string() })
                }
            },
        }
    }

    fn best<'v>(&self, versions: &'v BTreeMap<String, RegistryVersion>) -> Option<(&'v String, &'v RegistryVersion)> {
        let usable = || versions.iter().filter(|(_, found)| !found.yanked);
        let newest = |matches: &dyn Fn(&Version) -> bool| {
            usable()
                .filter_map(|(text, found)| Some((Version::parse(text).ok()?, text, found)))
                .filter(|(version, ..)| matches(version))
                .max_by(|a, b| a.0.cmp(&b.0))
                .map(|(_, text, found)| (text, found))
        };
        match self {
            Range::Exactly(text) => usable().find(|(version, _)| *version == text),
            Range::Matching(range, text) => {
                // `2024.01` is a range by its form, and may be a version that is none of semver's.
                newest(&|version| range.matches(version)).or_else(|| usable().find(|(version, _)| *version == text))
            }
            // Versions that are none of semver's are ordered as texts.
            Range::Newest => {
                newest(&|version| version.pre.is_empty()).or_else(|| newest(&|_| true)).or_else(|| usable().next_back())
            }
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Range::Newest => f.write_str("*"),
            Range::Exactly(text) | Range::Matching(_, text) => f.write_str(text),
        }
    }
}

/// Splits `react@^18` or `@scope/name@1.2.3` into name and range.
fn split(wanted: &str) -> (&str, &str) {
    match wanted.char_indices().skip(1).filter(|(_, c)| *c == '@').last() {
        Some((at, _)) => (&wanted[..at], &wanted[at + 1..]),
        None => (wanted, ""),
    }
}

/// Finds the best version of a package, such as `react@^18`, in the first registry that has the package: a name in a later registry
/// never stands in for the same name in an earlier one.
pub fn resolve_package(registries: &[Registry], wanted: &str) -> Result<Resolution> {
    if registries.is_empty() {
        return Err(Error::NoRegistry);
    }
    let (name, range) = split(wanted);
    let range = Range::parse(name, range)?;
    for (number, registry) in registries.iter().enumerate() {
        if let Some(found) = registry.choose(name, &range)? {
            let later = registries[number + 1..].iter().filter(|later| later.index.packages.contains_key(name));
            return Ok(Resolution { also_in: later.map(Registry::shown).collect(), ..found });
        }
    }
    let names = registries.iter().flat_map(|registry| registry.index.packages.keys()).map(String::as_str);
    let nearest = ai_assist_base::nearest(name, names).map(str::to_owned);
    Err(Error::NoPackage { name: name.to_owned(), nearest })
}

/// What a registry has of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistryInfo {
    pub name: String,
    pub registry: String,
    pub description: Option<String>,
    pub dependency: Option<String>,
    /// The newest that is not yanked.
    pub latest: Option<String>,
    /// The version that was asked for, or the best that the range allows.
    pub chosen: RegistryVersionInfo,
    /// All of them, the newest first.
    pub versions: Vec<RegistryVersionInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistryVersionInfo {
    pub version: String,
    pub url: String,
    pub hash: Sha256,
    pub yanked: bool,
}

/// What the first registry that has a package says of it. Unlike [`resolve_package`], this finds a yanked version that is asked for.
pub fn find_published(registries: &[Registry], wanted: &str) -> Result<RegistryInfo> {
    let (name, text) = split(wanted);
    let range = Range::parse(name, text)?;
    let Some(registry) = registries.iter().find(|registry| registry.index.packages.contains_key(name)) else {
        return Err(resolve_package(registries, wanted)
            .err()
            .unwrap_or_else(|| Error::NoPackage { name: name.to_owned(), nearest: None }));
    };
    let package = &registry.index.packages[name];
    let info = |(version, found): (&String, &RegistryVersion)| -> Result<RegistryVersionInfo> {
        let url = registry.locate(found)?;
        Ok(RegistryVersionInfo { version: version.clone(), url, hash: found.hash, yanked: found.yanked })
    };
    let mut versions = package.versions.iter().map(info).collect::<Result<Vec<_>>>()?;
    // Those that are none of semver's come last.
    versions.sort_by_cached_key(|it| std::cmp::Reverse((Version::parse(&it.version).ok(), it.version.clone())));
    let best = range.best(&package.versions).map(|(version, _)| version.as_str()).unwrap_or(text);
    let Some(chosen) = versions.iter().find(|it| it.version == best).cloned() else {
        return Err(registry.choose(name, &range).err().unwrap_or(Error::NoRegistry));
    };
    let latest = latest_of(registries, name);
    let RegistryPackage { description, dependency, .. } = package.clone();
    Ok(RegistryInfo {
        name: name.to_owned(),
        registry: shown(&registry.url),
        description,
        dependency,
        latest,
        chosen,
        versions,
    })
}

/// The newest version of a package that is not yanked, whatever range is asked for.
pub(crate) fn latest_of(registries: &[Registry], wanted: &str) -> Option<String> {
    let (name, _) = split(wanted);
    let package = registries.iter().find_map(|registry| registry.index.packages.get(name))?;
    Range::Newest.best(&package.versions).map(|(version, _)| version.clone())
}

/// A package that a word was found in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHit {
    pub name: String,
    /// Its newest version that is not yanked.
    pub version: Option<String>,
    pub description: Option<String>,
    pub dependency: Option<String>,
    pub versions: usize,
    pub registry: String,
    /// Whether a registry that comes before has a package of this name, which is the one that is added.
    pub hidden: bool,
}

/// Looks for words in the names and descriptions of packages. All words must be there; names that hold them come first.
pub fn find_packages(registries: &[Registry], words: &str) -> Vec<RegistryHit> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut hits: Vec<(usize, RegistryHit)> = Vec::new();
    for (number, registry) in registries.iter().enumerate() {
        for (name, package) in &registry.index.packages {
            let lower = name.to_lowercase();
            let about = [&package.description, &package.dependency].map(|text| text.as_deref().unwrap_or_default());
            let text = format!("{lower} {}", about.join(" ").to_lowercase());
            if !words.iter().all(|word| text.contains(word)) {
                continue;
            }
            let rank = match words.as_slice() {
                [word] if *word == lower => 0,
                words if words.iter().any(|word| lower.contains(word)) => 1,
                _ => 2,
            };
            let hit = RegistryHit {
                name: name.clone(),
                version: Range::Newest.best(&package.versions).map(|(version, _)| version.clone()),
                description: package.description.clone(),
                dependency: package.dependency.clone(),
                versions: package.versions.len(),
                registry: registry.shown(),
                hidden: registries[..number].iter().any(|earlier| earlier.index.packages.contains_key(name)),
            };
            hits.push((rank, hit));
        }
    }
    hits.sort_by(|a, b| (a.0, &a.1.name, a.1.hidden).cmp(&(b.0, &b.1.name, b.1.hidden)));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// A package that was added to a registry.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    pub packed: Packed,
    pub index: PathBuf,
    /// Whether the same bytes were there already.
    pub unchanged: bool,
}

/// Packs a package and adds it to the registry in a folder. A version that is there stays as it is.
pub fn publish(registry: &Path, options: &PackOptions, cancel: &Cancel) -> Result<Published> {
    std::fs::create_dir_all(registry).map_err(Error::io("creating", registry))?;
    let index_file = registry.join(INDEX_FILE);
    // An index that can't be added to is said before anything is packed.
    read_index(&index_file)?;
    // Into the folder itself, so that it can be moved into place whole.
    let staging =
        tempfile::Builder::new().prefix(".ai-assist-").tempdir_in(registry).map_err(Error::io("creating", registry))?;
    let mut packed = pack(&PackOptions { output: Some(staging.path().to_owned()), ..options.clone() }, cancel)?;
    let name = packed.path.file_name().map(PathBuf::from).unwrap_or_default();
    let _lock = edit_lock(&index_file)?;
    let mut index = read_index(&index_file)?;
    let package = index.packages.entry(packed.name.clone()).or_default();
    // As it is called, so that `@s/p` and `s-p` have a folder each.
    let folder = packed.name.clone();
    let unchanged = match package.versions.get(&packed.version) {
        Some(found) if found.hash == packed.hash => true,
        Some(_) => return Err(Error::VersionTaken { name: packed.name, version: packed.version }),
        None => false,
    };
    let target = registry.join(&folder).join(&name);
    std::fs::create_dir_all(registry.join(&folder)).map_err(Error::io("creating", registry))?;
    std::fs::rename(&packed.path, &target).map_err(Error::io("writing", &target))?;
    packed.path = target;
    if !unchanged {
        let url = format!("{folder}/{}", name.to_string_lossy());
        let version = RegistryVersion { url, hash: packed.hash, yanked: false };
        package.versions.insert(packed.version.clone(), version);
        package.description = packed.description.clone().or(package.description.take());
        package.dependency = packed.dependency.clone().or(package.dependency.take());
        write_index(&index_file, &index)?;
    }
    Ok(Published { packed, index: index_file, unchanged })
}

/// Marks a version as one that should no longer be chosen, or takes the mark away.
pub fn yank(registry: &Path, wanted: &str, yanked: bool) -> Result<()> {
    let file = registry.join(INDEX_FILE);
    let _lock = edit_lock(&file)?;
    let mut index = read_index(&file)?;
    let (name, version) = split(wanted);
    let Some(package) = index.packages.get_mut(name) else {
        let nearest = ai_assist_base::nearest(name, index.packages.keys().map(String::as_str));
        return Err(Error::NoPackage { name: name.to_owned(), nearest: nearest.map(str::to_owned) });
    };
    let Some(found) = package.versions.get_mut(version) else {
        let versions = package.versions.keys().cloned().collect();
        return Err(Error::NoVersion { name: name.to_owned(), range: version.to_owned(), versions });
    };
    found.yanked = yanked;
    write_index(&file, &index)
}

fn read_index(file: &Path) -> Result<RegistryIndex> {
    match read_capped(file, 256 << 20) {
        Ok(bytes) => RegistryIndex::parse(&bytes)
            .map_err(|reason| Error::BadRegistry { url: file.display().to_string(), reason }),
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(RegistryIndex::default()),
        Err(error) => Err(error),
    }
}

fn write_index(file: &Path, index: &RegistryIndex) -> Result<()> {
    let mut text = serde_json::to_string_pretty(index).unwrap_or_default();
    text.push('\n');
    replace(file, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(names: &[(&str, &[(&str, bool)])]) -> Registry {
        let version = |(text, yanked): &(&str, bool)| {
            let found =
                RegistryVersion { url: format!("p/{text}.tar.gz"), hash: Sha256::of(text.as_bytes()), yanked: *yanked };
            ((*text).to_owned(), found)
        };
        let package = |(name, versions): &(&str, &[(&str, bool)])| {
            let versions = versions.iter().map(version).collect();
            ((*name).to_owned(), RegistryPackage { versions, ..RegistryPackage::default() })
        };
        let index = RegistryIndex { packages: names.iter().map(package).collect(), ..RegistryIndex::default() };
        Registry { index, url: Url::parse("https://example.com/r/index.json").unwrap(), by_project: false }
    }

    #[test]
    fn ranges_are_resolved_as_semver_says() {
        let versions: &[(&str, bool)] = &[
            ("17.0.2", false),
            ("18.0.0", false),
            ("18.2.0", false),
            ("18.3.0", true),
            ("18.10.0-rc.1", false),
            ("19.0.0-beta", false),
        ];
        let calendar: &[(&str, bool)] = &[("2024.01", false), ("2024.02", false)];
        let registries = [registry(&[("react", versions), ("@s/p", &[("1.0.0", false)]), ("calendar", calendar)])];
        let find = |wanted: &str| resolve_package(&registries, wanted).map(|found| found.version);
        for (wanted, version) in [
            ("react@^18", "18.2.0"),
            ("react@18", "18.2.0"),
            ("react@18.0", "18.2.0"),
            ("react@~18.0", "18.0.0"),
            ("react@18.0.0", "18.0.0"),
            ("react@>=17, <18", "17.0.2"),
            ("react@19.0.0-beta", "19.0.0-beta"),
            ("react", "18.2.0"),
            ("react@latest", "18.2.0"),
            ("@s/p@^1", "1.0.0"),
            ("@s/p", "1.0.0"),
            ("calendar@2024.01", "2024.01"),
            ("calendar", "2024.02"),
        ] {
            assert_eq!(find(wanted).unwrap(), version, "{wanted}");
        }
        assert!(matches!(find("react@18.3.0"), Err(Error::NoVersion { .. })), "a yanked version is not chosen");
        assert!(matches!(find("react@^20"), Err(Error::NoVersion { .. })));
        assert!(matches!(find("react@^^"), Err(Error::BadRange { .. })));
        assert!(matches!(find("raect"), Err(Error::NoPackage { nearest: Some(name), .. }) if name == "react"));
        assert!(matches!(resolve_package(&[], "react"), Err(Error::NoRegistry)));
        let found = resolve_package(&registries, "react@^18").unwrap();
        assert_eq!(found.url, "https://example.com/r/p/18.2.0.tar.gz");
    }

    #[test]
    fn the_first_registry_that_has_a_name_decides() {
        let ours = registry(&[("docs", &[("1.0.0", false)])]);
        let theirs = registry(&[("docs", &[("9.0.0", false)])]);
        assert!(matches!(resolve_package(&[ours, theirs], "docs@^9"), Err(Error::NoVersion { .. })));
    }

    #[test]
    fn only_what_says_that_it_documents_a_dependency_does_and_the_first_registry_decides() {
        let about = |names: &[(&str, &str, &str)]| {
            let versions = names.iter().map(|(_, _, version)| [(*version, false)]).collect::<Vec<_>>();
            let named: Vec<_> = names.iter().zip(&versions).map(|((name, ..), v)| (*name, v.as_slice())).collect();
            let mut registry = registry(&named);
            for (name, dependency, _) in names.iter().filter(|(_, dependency, _)| !dependency.is_empty()) {
                registry.index.packages.get_mut(*name).unwrap().dependency = Some((*dependency).to_owned());
            }
            registry
        };
        let registries = [
            about(&[("left", "", "1.0.0"), ("ours", "npm:react", "1.0.0"), ("ours-2", "npm:react", "2.0.0")]),
            about(&[("theirs", "npm:react", "3.0.0"), ("left", "npm:left", "1.0.0"), ("vue", "npm:vue", "1.0.0")]),
        ];
        let found = |dependency, version| for_dependency(&registries, dependency, version).map(|found| found.name);
        assert_eq!(
            found("npm:react", "2.0.0").as_deref(),
            Some("ours-2"),
            "every package of the registry is looked at"
        );
        assert_eq!(found("npm:react", "3.0.0"), None, "a later registry does not stand in for an earlier one");
        assert_eq!(found("cargo:left", "1.0.0"), None, "a name alone says nothing");
        assert_eq!(found("npm:left", "1.0.0"), None, "the name is the first registry's");
        assert_eq!(found("npm:vue", "v1.0.0").as_deref(), Some("vue"));
    }

    #[test]
    fn a_registry_on_a_server_can_not_name_files_of_this_machine() {
        let mut registry = registry(&[("docs", &[("1.0.0", false)])]);
        let version = registry.index.packages.get_mut("docs").unwrap().versions.get_mut("1.0.0").unwrap();
        version.url = "file:///etc/x.json".into();
        assert!(matches!(resolve_package(&[registry], "docs"), Err(Error::BadRegistry { .. })));
    }
}
