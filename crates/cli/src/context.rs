//! From flags, environment and files to one checked form. Nothing after this looks at them again.

use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_base::Cancel;
use ai_assist_collections::{
    Client, CredentialSources, Error, Homes, Layer, Library, Member, Members, Origin, Project, Registry, Roots,
    SETTINGS, Settings, SyncOptions, Warning, load_credentials, members,
};
use anyhow::{Context as _, Result};
use etcetera::BaseStrategy;

use crate::args::Global;
use crate::terminal::Terminal;

/// Where a command works.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) terminal: Terminal,
    /// The folder the command works in.
    pub(crate) folder: PathBuf,
    pub(crate) project: Option<Project>,
    /// The user's own collections.
    pub(crate) global: Option<Project>,
    /// The file of the user's own collections, whether or not it is there.
    pub(crate) global_file: PathBuf,
    /// The user's settings, whether or not they are there.
    pub(crate) config_file: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) roots: Roots,
}

impl Context {
    pub(crate) fn new(global: &Global) -> Result<Self> {
        let (context, warnings) = Context::load(global)?;
        for Warning { place, message } in warnings {
            context.terminal.warn(format!("{place}: {message}"))?;
        }
        Ok(context)
    }

    /// The same without a word about what is odd.
    pub(crate) fn load(global: &Global) -> Result<(Self, Vec<Warning>)> {
        let terminal = Terminal { json: global.json, quiet: global.quiet };
        let folder = match &global.directory {
            Some(folder) => std::path::absolute(folder)?,
            None => std::env::current_dir().context("the current folder can't be read")?,
        };
        if !folder.is_dir() {
            anyhow::bail!("{} is not a folder", folder.display());
        }
        let platform = etcetera::choose_base_strategy().context("the home folder is not known")?;
        let config = match std::env::var_os("AI_ASSIST_CONFIG_DIR") {
            Some(folder) if !folder.is_empty() => std::path::absolute(folder)?,
            _ => platform.config_dir().join("ai-assist"),
        };
        let mut warnings = Vec::new();
        let config_file = config.join("config.json");
        let user = Layer::load_user(&config_file, &mut warnings)?;
        let (flags, environment) = (flags(global)?, environment());
        let first = Settings::resolve(&[&flags, &environment, &user])?;
        let project = Project::find(&folder, first.config_file())?;
        let global_file = config.join("context.json");
        let global = if global_file.is_file() { Some(Project::load(&global_file)?) } else { None };
        let of_project = project.as_ref().map(|project| project.config.settings.clone()).unwrap_or_default();
        let settings = Settings::resolve(&[&flags, &environment, &of_project, &user])?;
        let roots = Roots {
            data: settings.data_dir().unwrap_or_else(|| platform.data_dir().join("ai-assist")),
            cache: settings.cache_root().unwrap_or_else(|| platform.cache_dir().join("ai-assist")),
        };
        for source in [&project, &global].into_iter().flatten() {
            warnings.extend(source.warnings.iter().cloned());
        }
        Ok((Context { terminal, folder, project, global, global_file, config_file, settings, roots }, warnings))
    }

    /// The project, or an error that says how to make one.
    pub(crate) fn need_project(&self) -> Result<&Project> {
        let missing = || Error::NoProject { file: self.settings.config_file().to_owned(), start: self.folder.clone() };
        Ok(self.project.as_ref().ok_or_else(missing)?)
    }

    /// The declared collections and categories.
    pub(crate) fn members(&self) -> Result<Members> {
        Ok(members(self.project.as_ref(), self.global.as_ref())?)
    }

    /// What some names stand for; everything for no names.
    pub(crate) fn named_members(&self, names: &[String]) -> Result<Vec<Member>> {
        let all = self.members()?;
        if all.is_empty() && self.project.is_none() {
            self.need_project()?;
        }
        Ok(all.named(names)?)
    }

    pub(crate) fn library(&self) -> Result<Library> {
        Ok(Library::open(&self.roots)?)
    }

    /// The registries that are configured. Without `needed`, one that can't be read is only warned of.
    pub(crate) fn registries(&self, client: &Client, cancel: &Cancel, needed: bool) -> Result<Vec<Registry>> {
        let root = self.project.as_ref().map_or(self.folder.as_path(), |project| project.root.as_path());
        let mut registries = Vec::new();
        for url in self.settings.registries() {
            match Registry::load(&url, root, client, cancel) {
                Ok(registry) => registries.push(registry),
                Err(error) if needed => return Err(error.into()),
                Err(error) => self.terminal.warn(format!("{:#}", anyhow::Error::new(error)))?,
            }
        }
        Ok(registries)
    }

    /// Where package managers keep what they have fetched.
    pub(crate) fn homes(&self) -> Homes {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = |below: &str| etcetera::home_dir().ok().map(|home| home.join(below));
        Homes {
            cargo: variable("CARGO_HOME").or_else(|| home(".cargo")),
            go_mod_cache: variable("GOMODCACHE")
                .or_else(|| variable("GOPATH").map(|path| path.join("pkg/mod")))
                .or_else(|| home("go/pkg/mod")),
            virtual_env: variable("VIRTUAL_ENV"),
        }
    }

    pub(crate) fn sync_options(&self) -> Result<SyncOptions> {
        let client = Arc::new(self.client()?);
        Ok(SyncOptions { limits: self.settings.limits(), client, ..SyncOptions::default() })
    }

    /// What fetches packages.
    pub(crate) fn client(&self) -> Result<Client> {
        let list = std::env::var("AI_ASSIST_CREDENTIALS").ok().filter(|list| !list.is_empty());
        let home = || etcetera::home_dir().ok().map(|home| home.join(".netrc"));
        let netrc = std::env::var_os("NETRC").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(home);
        let credentials = load_credentials(&CredentialSources {
            list: list.as_deref(),
            config: &self.config_file,
            netrc: netrc.as_deref(),
            variable: &|name| std::env::var(name).ok().filter(|value| !value.is_empty()),
        })?;
        Ok(Client::new(self.settings.client_options(credentials)))
    }
}

fn flags(global: &Global) -> Result<Layer> {
    let mut values = Vec::new();
    let mut push = |key: &'static str, value: Option<String>| {
        if let Some(value) = value {
            values.push((key, value, Origin::Flag));
        }
    };
    let folder = |path: &Option<PathBuf>| -> Result<Option<String>> {
        let Some(path) = path else { return Ok(None) };
        let absolute = std::path::absolute(path)?;
        let text = absolute.to_str().with_context(|| format!("{} is not UTF-8", absolute.display()))?;
        Ok(Some(text.to_owned()))
    };
    push("project.configFile", global.config_file.clone());
    push("data.dir", folder(&global.data_dir)?);
    push("cache.root", folder(&global.cache_root)?);
    push("network.offline", global.offline.then(|| "true".to_owned()));
    Ok(Layer::new(values))
}

fn environment() -> Layer {
    Layer::new(SETTINGS.iter().filter_map(|spec| {
        let value = std::env::var(spec.env).ok().filter(|value| !value.is_empty())?;
        Some((spec.key, value, Origin::Environment(spec.env)))
    }))
}
