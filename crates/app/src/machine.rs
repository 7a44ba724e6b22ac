//! What a machine and its user bring to every project.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ai_assist_collections::{
    Client, CredentialSources, Homes, Layer, Library, Roots, Settings, Warning, load_credentials,
};

use ai_assist_search::Look;

use crate::library::{Idle, OpenLibrary};
use crate::project::{Configuration, Project};
use crate::{Error, Result};

/// The surroundings, as a surface has found them.
#[derive(Debug)]
pub struct Environment {
    /// Settings that go before those of files, the strongest first: flags, then environment variables.
    pub layers: Vec<Layer>,
    /// The folder of the user's own `config.json` and `context.json`.
    pub config: PathBuf,
    /// Where data and caches are, unless a setting says otherwise.
    pub roots: Roots,
    /// Where package managers keep what they have fetched.
    pub homes: Homes,
    pub credentials: CredentialInputs,
}

impl Environment {
    /// Everything in one folder, and nothing of the user's.
    pub fn within(folder: &Path) -> Self {
        Environment {
            layers: Vec::new(),
            config: folder.join("config"),
            roots: Roots { data: folder.join("data"), cache: folder.join("cache") },
            homes: Homes::default(),
            credentials: CredentialInputs::default(),
        }
    }
}

/// Where credentials come from, besides the user's `config.json`.
#[derive(Debug)]
pub struct CredentialInputs {
    /// `HOST=bearer:TOKEN` and `HOST=basic:USER:PASSWORD`, with spaces between them.
    pub list: Option<String>,
    pub netrc: Option<PathBuf>,
    /// Looks up a variable that the configuration names.
    pub variable: fn(&str) -> Option<String>,
}

impl Default for CredentialInputs {
    fn default() -> Self {
        CredentialInputs { list: None, netrc: None, variable: |_| None }
    }
}

/// Opens projects, and keeps open what they share.
#[derive(Debug)]
pub struct Machine {
    environment: Environment,
    idle: Idle,
    /// What looks at hits a second time, by the cache that its vectors are kept in.
    looks: Mutex<HashMap<PathBuf, Arc<Look>>>,
}

impl Machine {
    pub fn new(environment: Environment) -> Arc<Self> {
        Arc::new(Machine { environment, idle: Idle::default(), looks: Mutex::default() })
    }

    /// Opens the project at or around a folder. Cheap enough to be done for every call, so that a change to a file counts at once.
    pub fn open(self: &Arc<Self>, folder: &Path) -> Result<Project> {
        if !folder.is_dir() {
            return Err(Error::NotAFolder(folder.to_owned()));
        }
        let mut warnings: Vec<Warning> = Vec::new();
        let user = Layer::load_user(&self.config_file(), &mut warnings)?;
        let above = || self.environment.layers.iter();
        let first = Settings::resolve(&above().chain([&user]).collect::<Vec<_>>())?;
        let local = Configuration::find(folder, first.config_file())?;
        let global_file = self.environment.config.join("context.json");
        let global = if global_file.is_file() { Some(Configuration::load(&global_file)?) } else { None };
        let of_project = local.as_ref().map(|local| local.config.settings.clone()).unwrap_or_default();
        let settings = Settings::resolve(&above().chain([&of_project, &user]).collect::<Vec<_>>())?;
        let roots = Roots {
            data: settings.data_dir().unwrap_or_else(|| self.environment.roots.data.clone()),
            cache: settings.cache_root().unwrap_or_else(|| self.environment.roots.cache.clone()),
        };
        for configuration in [&local, &global].into_iter().flatten() {
            warnings.extend(configuration.warnings.iter().cloned());
        }
        let machine = Arc::clone(self);
        Ok(Project { folder: folder.to_owned(), local, global, global_file, settings, roots, warnings, machine })
    }

    /// What looks at hits a second time.
    pub(crate) fn look(&self, cache: &Path) -> Arc<Look> {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Look::new(Some(&cache.join("second-look"))));
        Arc::clone(looks.entry(cache.to_owned()).or_insert_with(new))
    }

    /// The user's settings, whether or not they are there.
    pub fn config_file(&self) -> PathBuf {
        self.environment.config.join("config.json")
    }

    pub fn homes(&self) -> &Homes {
        &self.environment.homes
    }

    pub(crate) fn client(&self, settings: &Settings) -> Result<Client> {
        let CredentialInputs { list, netrc, variable } = &self.environment.credentials;
        let credentials = load_credentials(&CredentialSources {
            list: list.as_deref(),
            config: &self.config_file(),
            netrc: netrc.as_deref(),
            variable,
        })?;
        Ok(Client::new(settings.client_options(credentials)))
    }

    /// An open library, taken from those that are not in use. Opening one costs more than most questions.
    pub(crate) fn library(self: &Arc<Self>, roots: &Roots) -> Result<OpenLibrary> {
        let library = match self.idle.take(roots) {
            Some(library) => library,
            None => Library::open(roots)?,
        };
        Ok(OpenLibrary::new(library, Arc::clone(self)))
    }

    pub(crate) fn give_back(&self, library: Library) {
        self.idle.put(library);
    }
}
