//! The application's settings: every one declared here, each value with the place it came from.
//!
//! A flag wins over the environment, that over the project, that over the user's file, that over the default.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::files::read_text;
use crate::{Error, Result};
use ai_assist_admit::{Convert, Limits};
use ai_assist_base::json::{JsonFile, Warning};
use ai_assist_base::nearest;
use ai_assist_fetch::site::SiteLimits;
use ai_assist_fetch::{ClientOptions, Credentials};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingValue {
    /// A file name without folders.
    FileName,
    Folder,
    /// A whole number, at least 1.
    Count,
    /// A number from 0 to 1.
    Share,
    /// A language of people, by its code.
    Tongue,
    /// Yes or no.
    Switch,
    File,
    /// URLs with spaces between them, or in a configuration file an array of them.
    Urls,
    /// An object of names, each with a number of bytes or `{"tokens": N}`.
    Limits,
    /// What agents may do.
    Consent,
}

/// Whether agents may do something on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The user has to do it; an agent is told how.
    Ask,
    Allow,
    /// Not at all, and the user is not to be asked.
    Refuse,
}

impl Consent {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "ask" => Some(Consent::Ask),
            "allow" => Some(Consent::Allow),
            "refuse" => Some(Consent::Refuse),
            _ => None,
        }
    }
}

/// A registry that is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryUrl {
    pub url: String,
    /// Whether the project names it, rather than the user.
    pub by_project: bool,
}

impl SettingValue {
    pub fn expected(self) -> &'static str {
        match self {
            SettingValue::FileName => "a file name without folders",
            SettingValue::Folder => "a folder's absolute path",
            SettingValue::Count => "a whole number of at least 1",
            SettingValue::Share => "a number from 0 to 1",
            SettingValue::Tongue => "the code of a language, as `en` or `pt-BR`",
            SettingValue::Switch => "`true` or `false`",
            SettingValue::File => "a file's absolute path",
            SettingValue::Urls => "URLs with spaces between them (an array in a file)",
            SettingValue::Consent => "`ask`, `allow` or `refuse`",
            SettingValue::Limits => "an object such as `{\"openai\": {\"tokens\": 100000}, \"local\": 64000}`",
        }
    }

    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            SettingValue::FileName => {
                !text.is_empty() && !text.contains(['/', '\\', '\0']) && text != "." && text != ".."
            }
            SettingValue::Folder | SettingValue::File => Path::new(text).is_absolute(),
            SettingValue::Tongue => {
                text == "en" || text.starts_with("en-") || ai_assist_text::language_of(text).is_some()
            }
            SettingValue::Switch => matches!(text, "true" | "false" | "1" | "0"),
            SettingValue::Urls => text.split_whitespace().all(|url| url.contains("://")),
            SettingValue::Limits => limits(text).is_some(),
            SettingValue::Consent => Consent::parse(text).is_some(),
            SettingValue::Count => text.parse::<u64>().is_ok_and(|number| number >= 1),
            SettingValue::Share => text.parse::<f32>().is_ok_and(|number| (0.0..=1.0).contains(&number)),
        }
    }
}

/// Limits by name, each a number or an object with one.
fn limits(text: &str) -> Option<BTreeMap<String, serde_json::Value>> {
    let limits: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let is_limit = |value: &serde_json::Value| match value {
        serde_json::Value::Object(fields) => {
            fields.len() == 1 && fields.get("tokens").is_some_and(|n| n.as_u64() > Some(0))
        }
        value => value.as_u64() > Some(0),
    };
    limits.values().all(is_limit).then_some(limits)
}

#[derive(Debug, Clone, Copy)]
pub struct SettingSpec {
    /// Its key in configuration files, with dots between levels.
    pub key: &'static str,
    pub env: &'static str,
    pub value: SettingValue,
    /// Its default; empty where the platform decides.
    pub default: &'static str,
    /// Whether a project may make it. What decides where this machine keeps its data is not a cloned repository's to say.
    pub project: bool,
    pub doc: &'static str,
}

macro_rules! settings {
    ($($key:literal $env:literal $value:ident $default:literal $project:literal $doc:literal)*) => {
        pub const SETTINGS: &[SettingSpec] = &[$(SettingSpec {
            key: $key,
            env: $env,
            value: SettingValue::$value,
            default: $default,
            project: $project,
            doc: $doc,
        }),*];
    };
}

// What decides where this machine keeps its data and how it meets the network is not a project's to say.
settings! {
    "project.configFile" "AI_ASSIST_PROJECT_CONFIG_FILE" FileName "context.json" false
        "File name of a project's configuration."
    "data.dir" "AI_ASSIST_DATA_DIR" Folder "" false
        "Folder of the database and the indexes. The platform's data folder by default."
    "cache.root" "AI_ASSIST_CACHE_ROOT" Folder "" false
        "Folder of what can be made again at any time. The platform's cache folder by default."
    "search.limit" "AI_ASSIST_SEARCH_LIMIT" Count "10" true
        "How many hits a search gives."
    "search.denseWeight" "AI_ASSIST_SEARCH_DENSE_WEIGHT" Share "0.42" true
        "How much meaning counts against words in a search, from 0 to 1."
    "search.language" "AI_ASSIST_SEARCH_LANGUAGE" Tongue "en" false
        "The language you read, as `en` or `pt-BR`: of a page and its translations, the one in it goes first."
    "serve.syncRemote" "AI_ASSIST_SERVE_SYNC_REMOTE" Switch "true" false
        "Whether a service syncs packages, websites and dependencies by itself."
    "serve.syncHours" "AI_ASSIST_SERVE_SYNC_HOURS" Count "24" false
        "How many hours a service waits between two such syncs."
    "sync.maxFileBytes" "AI_ASSIST_SYNC_MAX_FILE_BYTES" Count "16777216" true
        "Files larger than this are left out."
    "sync.maxFiles" "AI_ASSIST_SYNC_MAX_FILES" Count "1000000" true
        "A collection with more files than this is refused."
    "pack.providerLimits" "AI_ASSIST_PACK_PROVIDER_LIMITS" Limits "{}" true
        "How much providers take that `pack --provider` names: a number of bytes of text, or `{\"tokens\": N}`."
    "registry.urls" "AI_ASSIST_REGISTRY_URLS" Urls "" true
        "Registries where packages are looked up by name: URLs of their `index.json`, or of the folder that holds it. Those of a project come after your own."
    "mcp.sources" "AI_ASSIST_MCP_SOURCES" Consent "ask" false
        "Whether agents may add sources to a project: `allow`; `ask`, which has them tell you the command; or `refuse`."
    "site.maxPages" "AI_ASSIST_SITE_MAX_PAGES" Count "10000" true
        "Pages of a website beyond so many are left out."
    "site.maxDepth" "AI_ASSIST_SITE_MAX_DEPTH" Count "24" true
        "Links of a website that lead further than this from its first page are not followed."
    "site.requestsPerSecond" "AI_ASSIST_SITE_REQUESTS_PER_SECOND" Count "8" false
        "How many pages a website is asked for in a second, unless its `robots.txt` asks for fewer. This machine is asked without limit unless this is set."
    "site.parallel" "AI_ASSIST_SITE_PARALLEL" Count "4" false
        "How many pages of a website are fetched at once."
    "network.offline" "AI_ASSIST_OFFLINE" Switch "false" false
        "Whether the network is out of bounds."
    "network.allowHttp" "AI_ASSIST_ALLOW_HTTP" Switch "false" false
        "Whether packages may come over plain HTTP from other machines than this one."
    "network.caFile" "AI_ASSIST_CA_FILE" File "" false
        "A PEM file of certificate authorities to trust besides the system's. `SSL_CERT_FILE` and `SSL_CERT_DIR` count too."
    "network.parallel" "AI_ASSIST_NETWORK_PARALLEL" Count "16" false
        "How many files are fetched at once."
    "network.parallelPerHost" "AI_ASSIST_NETWORK_PARALLEL_PER_HOST" Count "8" false
        "How many of these from one host."
    "network.attempts" "AI_ASSIST_NETWORK_ATTEMPTS" Count "4" false
        "How often a request is made that fails for a reason that may pass."
    "network.maxRedirects" "AI_ASSIST_NETWORK_MAX_REDIRECTS" Count "10" false
        "More redirects than this for one request are refused."
    "network.maxManifestBytes" "AI_ASSIST_NETWORK_MAX_MANIFEST_BYTES" Count "33554432" false
        "A larger manifest, or index of a registry, is refused."
    "network.maxPackageFiles" "AI_ASSIST_NETWORK_MAX_PACKAGE_FILES" Count "100000" false
        "A package of more files than this is refused."
    "network.maxTotalBytes" "AI_ASSIST_NETWORK_MAX_TOTAL_BYTES" Count "4294967296" false
        "All that one sync may download, and all that one bundle may unpack to."
    "network.connectTimeout" "AI_ASSIST_NETWORK_CONNECT_TIMEOUT" Count "10" false
        "Seconds to be connected."
    "network.idleTimeout" "AI_ASSIST_NETWORK_IDLE_TIMEOUT" Count "30" false
        "Seconds without a byte of an answer."
    "network.requestTimeout" "AI_ASSIST_NETWORK_REQUEST_TIMEOUT" Count "300" false
        "Seconds for one request, each attempt anew."
    "network.totalTimeout" "AI_ASSIST_NETWORK_TOTAL_TIMEOUT" Count "3600" false
        "Seconds for all that one command fetches."
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Flag,
    Environment(&'static str),
    Project(PathBuf),
    User(PathBuf),
    /// Of lists that add up, the first first.
    Joined(Box<Origin>, Box<Origin>),
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => f.write_str("flag"),
            Origin::Environment(name) => write!(f, "environment ({name})"),
            Origin::Project(file) => write!(f, "project ({})", file.display()),
            Origin::User(file) => write!(f, "user ({})", file.display()),
            Origin::Joined(first, second) => write!(f, "{first} and {second}"),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// Values of one origin, by key.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    values: Vec<(&'static str, String, Origin)>,
}

impl Layer {
    /// A layer of flags or of environment variables, from what the caller found.
    pub fn new(values: impl IntoIterator<Item = (&'static str, String, Origin)>) -> Self {
        Layer { values: values.into_iter().collect() }
    }

    /// Reads the user's configuration; a missing file is an empty layer.
    pub fn load_user(file: &Path, warnings: &mut Vec<Warning>) -> Result<Layer> {
        if !file.is_file() {
            return Ok(Layer::default());
        }
        Self::parse_user(file, &read_text(file)?, warnings)
    }

    pub(crate) fn parse_user(file: &Path, text: &str, warnings: &mut Vec<Warning>) -> Result<Layer> {
        let name = file.display().to_string();
        let json = JsonFile::new(&name, text);
        match json.object()? {
            Some(object) => Layer::read(&json, &Value::Object(object), &Origin::User(file.to_owned()), warnings),
            None => Ok(Layer::default()),
        }
    }

    /// Reads nested objects as dotted keys.
    pub(crate) fn read(
        json: &JsonFile<'_>,
        value: &Value<'_>,
        origin: &Origin,
        warnings: &mut Vec<Warning>,
    ) -> Result<Layer> {
        let mut layer = Layer::default();
        layer.read_into(json, value, "", origin, warnings)?;
        Ok(layer)
    }

    fn read_into(
        &mut self,
        json: &JsonFile<'_>,
        value: &Value<'_>,
        prefix: &str,
        origin: &Origin,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        let Value::Object(object) = value else {
            let message = "settings must be an object, such as `{ \"search\": { \"limit\": 5 } }`";
            return Err(json.error(value.range(), message).into());
        };
        for property in &object.properties {
            let key = format!("{prefix}{}", property.name.as_str());
            // Credentials are read where they are used; they are no setting, and nothing shows them.
            let elsewhere = key == "$schema" || (key == "credentials" && matches!(origin, Origin::User(_)));
            if prefix.is_empty() && elsewhere {
                continue;
            }
            if let Some(spec) = SETTINGS.iter().find(|spec| spec.key == key) {
                if matches!(origin, Origin::Project(_)) && !spec.project {
                    let message = format!("a project can't make the setting `{key}`, and it is ignored");
                    warnings.push(json.warning(property.range, message));
                    continue;
                }
                let unfit = |range| json.error(range, format!("`{key}` takes {}", spec.value.expected()));
                let text = match &property.value {
                    Value::StringLit(text) => text.value.clone().into_owned(),
                    Value::NumberLit(number) => number.value.to_owned(),
                    Value::BooleanLit(switch) => switch.value.to_string(),
                    Value::Array(array) if spec.value == SettingValue::Urls => {
                        let texts = array.elements.iter().map(|value| match value {
                            Value::StringLit(text) => text.value.clone().into_owned(),
                            _ => "not a URL".to_owned(),
                        });
                        texts.collect::<Vec<_>>().join(" ")
                    }
                    Value::Object(_) if spec.value == SettingValue::Limits => {
                        serde_json::Value::from(property.value.clone()).to_string()
                    }
                    other => return Err(unfit(other.range()).into()),
                };
                if !spec.value.accepts(&text) {
                    return Err(unfit(property.value.range()).into());
                }
                self.values.push((spec.key, text, origin.clone()));
            } else if SETTINGS.iter().any(|spec| spec.key.starts_with(&format!("{key}."))) {
                self.read_into(json, &property.value, &format!("{key}."), origin, warnings)?;
            } else {
                let hint = nearest(&key, SETTINGS.iter().map(|spec| spec.key))
                    .map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
                let message = format!("the setting `{key}` is not known and is ignored{hint}");
                warnings.push(json.warning(property.range, message));
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
pub struct Settings {
    values: Vec<(&'static SettingSpec, String, Origin)>,
    registries: Vec<RegistryUrl>,
}

impl Settings {
    /// Lays layers over each other, the strongest first.
    pub fn resolve(layers: &[&Layer]) -> Result<Self> {
        let mut values = Vec::with_capacity(SETTINGS.len());
        let mut registries = Vec::new();
        for spec in SETTINGS {
            let all = || layers.iter().flat_map(|layer| layer.values.iter()).filter(|(key, ..)| *key == spec.key);
            let checked = |(_, value, origin): &(&str, String, Origin)| {
                if spec.value.accepts(value) {
                    return Ok((value.clone(), origin.clone()));
                }
                let (key, value, expected) = (spec.key, value.clone(), spec.value.expected());
                Err(Error::BadSetting { key, value, expected, origin: origin.to_string() })
            };
            let found = if spec.value == SettingValue::Urls {
                let by_project = |found: &&(&str, String, Origin)| matches!(found.2, Origin::Project(_));
                let own = all().find(|found| !by_project(found)).map(checked).transpose()?;
                let of_project = all().find(by_project).map(checked).transpose()?;
                registries = add_up(own.as_ref(), of_project.as_ref());
                let urls: Vec<&str> = registries.iter().map(|registry| registry.url.as_str()).collect();
                match (own, of_project) {
                    (Some((_, own)), Some((_, project))) => {
                        Some((urls.join(" "), Origin::Joined(Box::new(own), Box::new(project))))
                    }
                    (own, project) => own.or(project),
                }
            } else {
                all().next().map(checked).transpose()?
            };
            let (value, origin) = found.unwrap_or_else(|| (spec.default.to_owned(), Origin::Default));
            values.push((spec, value, origin));
        }
        Ok(Settings { values, registries })
    }

    /// Every setting with its value and origin, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static SettingSpec, &str, &Origin)> {
        self.values.iter().map(|(spec, value, origin)| (*spec, value.as_str(), origin))
    }

    fn text(&self, key: &str) -> &str {
        self.values.iter().find(|(spec, ..)| spec.key == key).map_or("", |(_, value, _)| value)
    }

    fn number<T: std::str::FromStr + Default>(&self, key: &str) -> T {
        // `resolve` has checked every value that is not a default.
        self.text(key).parse().unwrap_or_default()
    }

    pub fn config_file(&self) -> &str {
        self.text("project.configFile")
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(PathBuf::from)
    }

    /// The data folder, if one was set.
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.path("data.dir")
    }

    pub fn cache_root(&self) -> Option<PathBuf> {
        self.path("cache.root")
    }

    pub fn search_limit(&self) -> usize {
        self.number("search.limit")
    }

    /// What a reader reads, if it is not English.
    pub fn reader_language(&self) -> Option<&'static str> {
        ai_assist_text::language_of(self.text("search.language"))
    }

    /// The weight of the cosine in a search.
    pub fn dense_weight(&self) -> f32 {
        self.number("search.denseWeight")
    }

    fn switch(&self, key: &str) -> bool {
        matches!(self.text(key), "true" | "1")
    }

    /// The registries, the user's own first: a package that a project's registry names like one of the user's must not take its
    /// place.
    pub fn registries(&self) -> &[RegistryUrl] {
        &self.registries
    }

    /// How often a service syncs what comes from elsewhere; none if it does not.
    pub fn remote_sync_every(&self) -> Option<Duration> {
        let hours: u64 = self.number("serve.syncHours");
        self.switch("serve.syncRemote").then(|| Duration::from_secs(hours.saturating_mul(3600)))
    }

    /// Whether agents may add sources.
    pub fn sources_by_agents(&self) -> Consent {
        Consent::parse(self.text("mcp.sources")).unwrap_or(Consent::Ask)
    }

    /// How much providers take, as it was set: a number of bytes, or `{"tokens": N}`.
    pub fn provider_limits(&self) -> BTreeMap<String, serde_json::Value> {
        limits(self.text("pack.providerLimits")).unwrap_or_default()
    }

    pub fn client_options(&self, credentials: Credentials) -> ClientOptions {
        let seconds = |key| Duration::from_secs(self.number(key));
        let limits = ai_assist_fetch::Limits {
            max_file_bytes: self.number("sync.maxFileBytes"),
            max_manifest_bytes: self.number("network.maxManifestBytes"),
            max_files: self.number("network.maxPackageFiles"),
            max_total_bytes: self.number("network.maxTotalBytes"),
            max_redirects: self.number("network.maxRedirects"),
            connect_timeout: seconds("network.connectTimeout"),
            idle_timeout: seconds("network.idleTimeout"),
            request_timeout: seconds("network.requestTimeout"),
            total_timeout: seconds("network.totalTimeout"),
            parallel: self.number("network.parallel"),
            parallel_per_host: self.number("network.parallelPerHost"),
            attempts: self.number("network.attempts"),
            ..ai_assist_fetch::Limits::default()
        };
        ClientOptions {
            offline: self.switch("network.offline"),
            allow_http: self.switch("network.allowHttp"),
            limits,
            credentials,
            ca_file: self.path("network.caFile"),
            ..ClientOptions::default()
        }
    }

    pub fn site_limits(&self) -> SiteLimits {
        let rate = self.values.iter().find(|(spec, ..)| spec.key == "site.requestsPerSecond");
        SiteLimits {
            max_pages: self.number("site.maxPages"),
            max_depth: self.number("site.maxDepth"),
            // What nobody has set does not hold for this machine.
            requests_per_second: rate
                .filter(|(.., origin)| *origin != Origin::Default)
                .and_then(|(_, value, _)| value.parse().ok()),
            at_once: self.number("site.parallel"),
        }
    }

    /// What is taken in as a document.
    pub fn limits(&self) -> Limits {
        Limits { convert: Convert::Everything, ..self.repo_limits() }
    }

    /// What is taken in as a file of a repository.
    pub fn repo_limits(&self) -> Limits {
        Limits {
            max_file_bytes: self.number("sync.maxFileBytes"),
            max_files: self.number("sync.maxFiles"),
            convert: Convert::Unreadable,
            ..Limits::default()
        }
    }
}

/// The user's registries and those of the project behind them, each once.
fn add_up(own: Option<&(String, Origin)>, of_project: Option<&(String, Origin)>) -> Vec<RegistryUrl> {
    let mut registries: Vec<RegistryUrl> = Vec::new();
    for (found, by_project) in [(own, false), (of_project, true)] {
        for url in found.map_or("", |(value, _)| value).split_whitespace() {
            if !registries.iter().any(|known| known.url == url) {
                registries.push(RegistryUrl { url: url.to_owned(), by_project });
            }
        }
    }
    registries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_of_a_project_come_behind_the_users() {
        let of_project = layer(&[("registry.urls", "https://b https://a", Origin::Project("context.json".into()))]);
        let user = layer(&[("registry.urls", "https://a", Origin::User("config.json".into()))]);
        let env = layer(&[("registry.urls", "https://e", Origin::Environment("AI_ASSIST_REGISTRY_URLS"))]);
        let shown = |layers: &[&Layer]| -> Vec<String> {
            let settings = Settings::resolve(layers).unwrap();
            let mark = |by_project| if by_project { "*" } else { "" };
            settings.registries().iter().map(|found| format!("{}{}", found.url, mark(found.by_project))).collect()
        };
        assert_eq!(shown(&[&of_project, &user]), ["https://a", "https://b*"]);
        assert_eq!(shown(&[&env, &of_project, &user]), ["https://e", "https://b*", "https://a*"]);
        assert_eq!(shown(&[&of_project]), ["https://b*", "https://a*"]);
        assert_eq!(shown(&[&user]), ["https://a"]);
        assert!(shown(&[]).is_empty());
        let settings = Settings::resolve(&[&of_project, &user]).unwrap();
        let (_, value, origin) = settings.iter().find(|(spec, ..)| spec.key == "registry.urls").unwrap();
        assert_eq!(value, "https://a https://b");
        assert_eq!(origin.to_string(), "user (config.json) and project (context.json)");
    }

    #[test]
    fn a_project_does_not_say_what_agents_may_do() {
        let text = r#"{"mcp": {"sources": "allow"}}"#;
        let json = JsonFile::new("context.json", text);
        let object = Value::Object(json.object().unwrap().unwrap());
        let mut warnings = Vec::new();
        let of_project = Layer::read(&json, &object, &Origin::Project("context.json".into()), &mut warnings).unwrap();
        assert_eq!(Settings::resolve(&[&of_project]).unwrap().sources_by_agents(), Consent::Ask);
        assert!(warnings[0].message.contains("a project can't make the setting `mcp.sources`"), "{warnings:?}");
        let user = layer(&[("mcp.sources", "allow", Origin::User("config.json".into()))]);
        assert_eq!(Settings::resolve(&[&of_project, &user]).unwrap().sources_by_agents(), Consent::Allow);
        let odd = layer(&[("mcp.sources", "yes", Origin::User("config.json".into()))]);
        assert!(Settings::resolve(&[&odd]).is_err());
    }

    fn layer(values: &[(&'static str, &str, Origin)]) -> Layer {
        Layer::new(values.iter().map(|(key, value, origin)| (*key, (*value).to_owned(), origin.clone())))
    }

    #[test]
    fn the_strongest_layer_wins() {
        let flags = layer(&[("search.limit", "3", Origin::Flag)]);
        let env = layer(&[
            ("search.limit", "4", Origin::Environment("AI_ASSIST_SEARCH_LIMIT")),
            ("project.configFile", "ctx.json", Origin::Environment("AI_ASSIST_PROJECT_CONFIG_FILE")),
        ]);
        let settings = Settings::resolve(&[&flags, &env]).unwrap();
        assert_eq!(settings.search_limit(), 3);
        assert_eq!(settings.config_file(), "ctx.json");
        assert_eq!(settings.dense_weight(), 0.42);
        let origins: Vec<String> = settings.iter().map(|(_, _, origin)| origin.to_string()).collect();
        assert_eq!(&origins[..2], ["environment (AI_ASSIST_PROJECT_CONFIG_FILE)", "default"]);
    }

    #[test]
    fn bad_values_name_their_origin() {
        let env = layer(&[("search.limit", "many", Origin::Environment("AI_ASSIST_SEARCH_LIMIT"))]);
        assert_eq!(
            Settings::resolve(&[&env]).unwrap_err().to_string(),
            "environment (AI_ASSIST_SEARCH_LIMIT) sets `search.limit` to `many`, but it takes a whole number of at least 1"
        );
    }

    #[test]
    fn a_project_can_not_move_the_data() {
        let text = r#"{"search": {"limit": 5, "limits": 1}, "data": {"dir": "/tmp/evil"}}"#;
        let file = Path::new("context.json");
        let json = JsonFile::new("context.json", text);
        let object = Value::Object(json.object().unwrap().unwrap());
        let mut warnings = Vec::new();
        let layer = Layer::read(&json, &object, &Origin::Project(file.to_owned()), &mut warnings).unwrap();
        let settings = Settings::resolve(&[&layer]).unwrap();
        assert_eq!(settings.search_limit(), 5);
        assert_eq!(settings.data_dir(), None);
        let warnings: Vec<String> = warnings.iter().map(|w| w.message.clone()).collect();
        assert_eq!(
            warnings,
            [
                "the setting `search.limits` is not known and is ignored; did you mean `search.limit`?",
                "a project can't make the setting `data.dir`, and it is ignored",
            ]
        );
    }

    #[test]
    fn defaults_are_values_that_the_settings_take() {
        for spec in SETTINGS {
            assert!(spec.default.is_empty() || spec.value.accepts(spec.default), "{}", spec.key);
        }
    }
}
