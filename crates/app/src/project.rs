//! A project, opened: what is declared, the settings, and the way to everything that belongs to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ai_assist_base::Cancel;
pub use ai_assist_collections::Project as Configuration;
use ai_assist_collections::{
    Client, DATABASE_FILE, Error as CollectionsError, Member, Members, Registry, RegistryUrl, Roots, Settings,
    SyncOptions, Warning, members,
};
use ai_assist_identity::{CollectionKind, Sha256, shown_url};
use ai_assist_search::Look;
use ai_assist_store::objects::SqliteObjects;

use crate::library::OpenLibrary;
use crate::{Machine, Result};

/// A project with everything that may be asked of it. A folder without a configuration is one too: it may have a repository.
#[derive(Debug, Clone)]
pub struct Project {
    pub folder: PathBuf,
    pub local: Option<Configuration>,
    /// What the user declares for every project.
    pub global: Option<Configuration>,
    /// The file of the user's own collections, whether or not it is there.
    pub global_file: PathBuf,
    pub settings: Settings,
    pub roots: Roots,
    pub warnings: Vec<Warning>,
    pub machine: Arc<Machine>,
}

impl Project {
    /// The project's configuration file, whether or not it is there.
    pub fn file(&self) -> PathBuf {
        match &self.local {
            Some(local) => local.file.clone(),
            None => self.folder.join(self.settings.config_file()),
        }
    }

    /// The folder of the configuration, else the one that was named.
    pub fn root(&self) -> &Path {
        self.local.as_ref().map_or(&self.folder, |local| &local.root)
    }

    /// What the project declares, or an error that there is nothing.
    pub fn need_local(&self) -> Result<&Configuration> {
        let missing =
            || CollectionsError::NoProject { file: self.settings.config_file().to_owned(), start: self.folder.clone() };
        Ok(self.local.as_ref().ok_or_else(missing)?)
    }

    /// What the settings come to, and where everything is: two projects with the same answer the same.
    pub fn fingerprint(&self) -> String {
        let settings: Vec<(&str, &str)> = self.settings.iter().map(|(spec, value, _)| (spec.key, value)).collect();
        let places = (&self.roots, &self.global_file, self.machine.config_file(), self.machine.homes());
        Sha256::of(format!("{settings:?} {:?} {places:?}", self.settings.registries()).as_bytes()).hex()
    }

    pub fn members(&self) -> Result<Members> {
        let mut members = members(self.local.as_ref(), self.global.as_ref())?;
        self.refuse(&mut members)?;
        if members.iter().any(|member| member.spec.kind() != CollectionKind::File) {
            self.library()?.settle(&mut members)?;
        }
        Ok(members)
    }

    /// What some names stand for; everything for no names.
    pub fn named_members(&self, names: &[String]) -> Result<Vec<Member>> {
        let all = self.members()?;
        if all.is_empty() {
            self.need_local()?;
        }
        Ok(all.named(names)?)
    }

    /// Everything that is indexed on this machine.
    pub fn library(&self) -> Result<OpenLibrary> {
        self.machine.library(&self.roots)
    }

    /// What looks at hits a second time.
    pub fn look(&self) -> Arc<Look> {
        self.machine.look(&self.roots.cache)
    }

    pub fn client(&self) -> Result<Client> {
        self.machine.client(&self.settings)
    }

    pub fn sync_options(&self) -> Result<SyncOptions> {
        let client = Arc::new(self.client()?);
        let (limits, site) = (self.settings.limits(), self.settings.site_limits());
        let homes = self.machine.homes().clone();
        Ok(SyncOptions { limits, client, site, homes, ..SyncOptions::default() })
    }

    /// The registries that are configured, each read or with the reason why it can't be. Once one of the user's can't be read, those
    /// of the project are held back: a package of theirs could take the place of the user's own.
    pub fn registries<'p>(
        &'p self,
        client: &'p Client,
        cancel: &'p Cancel,
    ) -> impl Iterator<Item = std::result::Result<Registry, CollectionsError>> + 'p {
        let mut is_whole = true;
        self.settings.registries().iter().map(move |RegistryUrl { url, by_project }| {
            if *by_project && !is_whole {
                return Err(CollectionsError::RegistryHeldBack(shown_url(url)));
            }
            let registry = Registry::load(url, self.root(), client, cancel);
            is_whole &= registry.is_ok() || *by_project;
            registry.map(|registry| registry.named_by_project(*by_project))
        })
    }

    pub fn objects(&self) -> Result<SqliteObjects> {
        let objects = SqliteObjects::open(&self.roots.data.join(DATABASE_FILE));
        Ok(objects.map_err(ai_assist_session::Error::from)?)
    }

    pub fn session_index(&self, name: &str) -> PathBuf {
        self.roots.data.join("session-indexes").join(name)
    }
}
