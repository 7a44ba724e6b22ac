//! Adding whatever a project wants at hand.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ai_assist_admit::Globs;
use ai_assist_base::{Cancel, RealPath, portable_path, relative_path};
use ai_assist_collections::{
    CollectionSpec, ConfigEdit, Declaration, DependencyName, ProjectConfig, Registry, Resolution, Resolved,
    check_package_url, init_project, locked_documents, portable_url, resolve_package,
};
use ai_assist_identity::CollectionId;
use ai_assist_repo::local_repo::LocalRepo;
use ai_assist_workspace::config::{ResolvedWorkspace, WORKSPACE_FILE};
use ai_assist_workspace::edit::{NewRepo, add_repo, free_alias, init_workspace};

use crate::source::has_range;
use crate::{Configuration, Project, Result, Source};

#[derive(Debug, Clone)]
pub struct AddSource {
    pub source: Source,
    /// What to call it; follows from the source by default.
    pub name: Option<String>,
    /// Which files of a folder; documents of every format by default.
    pub glob: Option<String>,
    /// Whether a path is written relative to the project however far away it lies, as somebody typed it.
    pub relative: bool,
    /// Whether it is asked for at public addresses only, now and at every sync.
    pub public: bool,
}

impl AddSource {
    pub fn new(source: Source) -> Self {
        AddSource { source, name: None, glob: None, relative: false, public: false }
    }
}

#[derive(Debug)]
pub struct Added {
    /// The name by which it can be searched and synced.
    pub name: String,
    pub what: AddedAs,
    pub created: Vec<PathBuf>,
    /// Whether it was there before.
    pub already: bool,
    /// The package of a registry that it is.
    pub found: Option<Resolution>,
}

/// How a source became part of a project.
#[derive(Debug)]
pub enum AddedAs {
    Collection {
        id: CollectionId,
        spec: CollectionSpec,
    },
    Repo(LocalRepo),
    /// The project's own repository, which nothing has to declare.
    OwnRepo(LocalRepo),
}

impl Project {
    /// Declares a source: a collection in the project's configuration, a repository in the workspace file. What is missing of
    /// these files is made. Nothing is indexed yet.
    pub fn add(&self, wanted: &AddSource, cancel: &Cancel) -> Result<Added> {
        let mut created = Vec::new();
        let name = wanted.name.clone().unwrap_or_else(|| wanted.source.name());
        let mut found = None;
        let (name, what, already) = match &wanted.source {
            Source::OwnCode(folder) => {
                self.make_configuration(&mut created)?;
                let repo = LocalRepo::around(folder, &self.build_caches()?)?;
                (repo.name().to_owned(), AddedAs::OwnRepo(repo), false)
            }
            Source::Code(folder) => {
                self.make_configuration(&mut created)?;
                self.add_code(folder, wanted.name.as_deref(), &mut created)?
            }
            _ => {
                // Whatever can't be had leaves no trace.
                let spec;
                (spec, found) = match self.spec(wanted, cancel)? {
                    (spec, found) if wanted.public => (spec.at_public_addresses(), found),
                    spec => spec,
                };
                self.make_configuration(&mut created)?;
                self.add_collection(&name, wanted.name.is_some(), spec)?
            }
        };
        Ok(Added { name, what, created, already, found })
    }

    /// The project's configuration, or what it would be: lock files are read whether or not there is one.
    pub fn own_configuration(&self) -> Cow<'_, Configuration> {
        match &self.local {
            Some(local) => Cow::Borrowed(local),
            None => {
                let root = self.root().real_path().unwrap_or_else(|_| self.root().to_owned());
                let (file, config) = (self.file(), ProjectConfig::default());
                Cow::Owned(Configuration { root, file, config, warnings: Vec::new() })
            }
        }
    }

    /// Makes the project's configuration if there is none.
    pub fn make_configuration(&self, created: &mut Vec<PathBuf>) -> Result<()> {
        if self.local.is_none() {
            let file = self.file();
            init_project(&file, false)?;
            created.push(file);
        }
        Ok(())
    }

    /// How a source is declared as a collection, and the package of a registry that it is.
    pub fn spec(&self, wanted: &AddSource, cancel: &Cancel) -> Result<(CollectionSpec, Option<Resolution>)> {
        let spec = match &wanted.source {
            Source::Documents { folder, glob } => {
                CollectionSpec::files(self.written(folder, wanted.relative), wanted.glob.as_ref().unwrap_or(glob))
            }
            Source::Registry(name) => {
                let registries = self.registries(&self.client()?, cancel).collect::<Result<Vec<_>, _>>()?;
                let found = resolve_package(&registries, name)?;
                return Ok((found_spec(&found, name, self.root()), Some(found)));
            }
            Source::Dependency(name) => self.dependency_spec(name, cancel)?,
            Source::Package(url) => CollectionSpec::package(self.written_url(url, wanted.relative)),
            Source::Git(url) => CollectionSpec::package(portable_url(url, self.root())),
            Source::Site(url) => CollectionSpec::site(url.as_str()),
            Source::OwnCode(folder) | Source::Code(folder) => {
                let glob = wanted.glob.as_deref().unwrap_or(Globs::DOCUMENTS);
                CollectionSpec::files(self.written(folder, wanted.relative), glob)
            }
        };
        Ok((spec, None))
    }

    /// The documents of a dependency at its locked version.
    fn dependency_spec(&self, wanted: &DependencyName, cancel: &Cancel) -> Result<CollectionSpec> {
        let client = self.client()?;
        // Its documents may lie on this machine, whatever became of a registry.
        let registries: Vec<Registry> = self.registries(&client, cancel).filter_map(Result::ok).collect();
        Ok(locked_documents(&self.own_configuration(), &registries, self.machine.homes(), wanted)?)
    }

    /// A folder as it reads best in a configuration: relative to the project's root if it lies below it or beside it, and
    /// anywhere if it was typed so.
    pub fn written(&self, folder: &Path, relative: bool) -> String {
        let root = self.root().real_path().unwrap_or_else(|_| self.root().to_owned());
        let far = || if relative { relative_path(folder, &root) } else { None };
        match portable_path(folder, &root) {
            Some(path) if path.starts_with('.') => path,
            path => far().or(path).unwrap_or_else(|| folder.display().to_string()),
        }
    }

    /// The same for the URL of a file.
    fn written_url(&self, url: &str, relative: bool) -> String {
        let written = portable_url(url, self.root());
        let Some(path) = written.strip_prefix("file:///").filter(|_| relative) else { return written };
        match relative_path(Path::new(&format!("/{path}")), self.root()) {
            Some(path) => format!("file://{path}"),
            None => written,
        }
    }

    /// Declares a collection, unless one of the same source is there.
    fn add_collection(&self, name: &str, is_given: bool, spec: CollectionSpec) -> Result<(String, AddedAs, bool)> {
        let resolved = Resolved::new(&spec, self.root())?;
        if let Resolved::Pkg { url, .. } = &resolved {
            check_package_url(url)?;
        }
        let id = resolved.id().clone();
        let members = self.members()?;
        let same = members
            .iter()
            .find(|member| member.resolved.id().base() == id.base() && !member.is_category && !member.global);
        if let Some(member) = same.filter(|member| !is_given || member.name == name) {
            return Ok((member.name.clone(), AddedAs::Collection { id, spec }, true));
        }
        // A name that somebody chose is theirs to change; one that was made up gives way.
        let taken = |name: &str| members.names().any(|known| known == name);
        let numbered = (2..).map(|number| format!("{}-{number}", name.chars().take(26).collect::<String>()));
        let name = match is_given || !taken(name) {
            true => name.to_owned(),
            false => numbered.into_iter().find(|name| !taken(name)).unwrap_or_else(|| name.to_owned()),
        };
        let file = self.file();
        ConfigEdit::new(&file).add_collection(&name, &Declaration::from(spec.clone()))?;
        self.allow_source(&file, &resolved)?;
        Ok((name, AddedAs::Collection { id, spec }, false))
    }

    /// Whoever adds a source by command means it to be read, wherever it lies.
    pub fn allow_source(&self, file: &Path, source: &Resolved) -> Result<()> {
        source.place().map_or(Ok(()), |folder| self.allow(file, &[folder]))
    }

    /// Adds a repository to the workspace around the project, or to a new one beside the project's configuration.
    fn add_code(
        &self,
        folder: &Path,
        name: Option<&str>,
        created: &mut Vec<PathBuf>,
    ) -> Result<(String, AddedAs, bool)> {
        let file = match ResolvedWorkspace::find(&self.folder) {
            Some(file) => file,
            None => {
                let file = self.root().join(WORKSPACE_FILE);
                let title = self.root().file_name().map(|name| name.to_string_lossy().into_owned());
                init_workspace(&file, &title.unwrap_or_else(|| "workspace".to_owned()))?;
                created.push(file.clone());
                file
            }
        };
        let repo = LocalRepo::around(folder, &self.build_caches()?)?;
        let workspace = ResolvedWorkspace::load(&file)?;
        if let Some(known) = workspace.repos.iter().find(|known| known.repo_id == repo.id) {
            let name = known.alias.clone().unwrap_or_else(|| repo.name().to_owned());
            return Ok((name, AddedAs::Repo(repo), true));
        }
        let alias = name.map(str::to_owned).or_else(|| free_alias(&file, folder));
        let new = NewRepo { root: folder.to_owned(), alias: alias.clone(), ..NewRepo::default() };
        let workspace = add_repo(&file, &new)?;
        self.allow(&workspace.path.to_path_buf(), &[repo.root.to_path_buf()])?;
        Ok((alias.unwrap_or_else(|| repo.id.to_string()), AddedAs::Repo(repo), false))
    }
}

/// A package that a registry has, as a configuration declares it: by the range that was asked for, or that of its version.
pub fn found_spec(found: &Resolution, wanted: &str, root: &Path) -> CollectionSpec {
    let range = if has_range(wanted) { wanted.to_owned() } else { format!("{}@^{}", found.name, found.version) };
    CollectionSpec::Pkg {
        url: portable_url(&found.url, root),
        hash: Some(found.hash.to_string()),
        package: Some(range),
        dependency: None,
        public: false,
    }
}
