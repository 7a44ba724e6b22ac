//! From flags, environment and files to one checked form. Nothing after this looks at them again.

use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ai_assist_app::{CredentialInputs, Environment, Machine, Project, Refused};
use ai_assist_base::{Cancel, RealPath};
use ai_assist_collections::{Client, Homes, Layer, Origin, Registry, Roots, SETTINGS, Warning};
use ai_assist_workspace::config::ResolvedWorkspace;
use anyhow::{Context as _, Result};
use etcetera::BaseStrategy;

use crate::args::Global;
use crate::terminal::{Terminal, one_line};

/// Where a command works: a project, and a terminal to say things on.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) terminal: Terminal,
    pub(crate) app: Project,
    /// Whether a service may answer in place of this process.
    pub(crate) use_daemon: bool,
}

impl Deref for Context {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.app
    }
}

impl Context {
    pub(crate) fn new(global: &Global) -> Result<Self> {
        let context = Context::silent(global)?;
        for Warning { place, message } in &context.warnings {
            context.terminal.warn(format!("{place}: {message}"))?;
        }
        Ok(context)
    }

    /// The same without a word about what is odd.
    pub(crate) fn silent(global: &Global) -> Result<Self> {
        let folder = match &global.directory {
            Some(folder) => plain(&std::path::absolute(folder)?),
            None => std::env::current_dir().context("the current folder can't be read")?,
        };
        let app = machine(global)?.open(&folder)?;
        for root in [&app.roots.data, &app.roots.cache] {
            // Where it can't be made now, making it later fails too, and is told.
            let _ = ai_assist_base::platform::private_root(root);
        }
        Ok(Context { terminal: Terminal::new(global), app, use_daemon: uses_daemon(global) })
    }

    /// The project anew, after its files were changed.
    pub(crate) fn reopened(&self) -> Result<Self> {
        Ok(Context { terminal: self.terminal, app: self.machine.open(&self.folder)?, use_daemon: self.use_daemon })
    }

    /// Asks about folders outside of the project that its files name and nobody has allowed. Where nobody can be asked they stay out.
    pub(crate) fn ask_for_folders(&self) -> Result<()> {
        self.ask_for_folders_of(self.declared_workspace()?.as_ref())
    }

    /// The same for whoever has read the workspace that the project declares.
    pub(crate) fn ask_for_folders_of(&self, workspace: Option<&ResolvedWorkspace>) -> Result<()> {
        for refused in self.refused_with(workspace)? {
            let Refused { file, name, folder } = &refused;
            let question =
                format!("{} names {} (`{name}`), outside of the project. Use it?", file.display(), folder.display());
            match self.terminal.confirms(&question)? {
                true => self.allow(file, std::slice::from_ref(folder))?,
                false => {
                    let refused = one_line(&refused.to_string());
                    self.terminal.warn(format!("{refused}; allow it with: ai-assist config allow PATH"))?;
                }
            }
        }
        Ok(())
    }

    /// A path that was typed, without `..` in it: nobody wants to read where the detour led.
    pub(crate) fn place(&self, typed: &Path) -> PathBuf {
        plain(&self.folder.join(typed))
    }

    /// The registries that are configured. Without `needed`, one that can't be read is only warned of.
    pub(crate) fn registries(&self, client: &Client, cancel: &Cancel, needed: bool) -> Result<Vec<Registry>> {
        let mut registries = Vec::new();
        for registry in self.app.registries(client, cancel) {
            match registry {
                Ok(registry) => registries.push(registry),
                Err(error) if needed => return Err(error.into()),
                Err(error) => self.terminal.warn(format!("{:#}", anyhow::Error::new(error)))?,
            }
        }
        Ok(registries)
    }
}

/// What flags, environment variables and the platform say of this machine and its user.
/// Whether a service that runs may be asked.
pub(crate) fn uses_daemon(global: &Global) -> bool {
    !global.no_daemon && text_variable("AI_ASSIST_NO_DAEMON").is_none()
}

pub(crate) fn machine(global: &Global) -> Result<Arc<Machine>> {
    let platform = etcetera::choose_base_strategy().context("the home folder is not known")?;
    let config = match variable("AI_ASSIST_CONFIG_DIR") {
        Some(folder) => std::path::absolute(folder)?,
        None => platform.config_dir().join("ai-assist"),
    };
    let cache = global.cache_root.clone().or_else(|| variable("AI_ASSIST_CACHE_ROOT"));
    let packages = cache.unwrap_or_else(|| platform.cache_dir().join("ai-assist")).join("packages");
    let home = |below: &str| etcetera::home_dir().ok().map(|home| home.join(below));
    Ok(Machine::new(Environment {
        layers: vec![flags(global)?, environment()],
        config,
        roots: roots(&platform),
        homes: Homes {
            cargo: variable("CARGO_HOME").or_else(|| home(".cargo")),
            go_mod_cache: variable("GOMODCACHE")
                .or_else(|| variable("GOPATH").map(|path| path.join("pkg/mod")))
                .or_else(|| home("go/pkg/mod")),
            virtual_env: variable("VIRTUAL_ENV"),
            maven: home(".m2/repository"),
            gradle: variable("GRADLE_USER_HOME").or_else(|| home(".gradle")),
            unpacked: Some(packages),
        },
        credentials: CredentialInputs {
            list: text_variable("AI_ASSIST_CREDENTIALS"),
            netrc: variable("NETRC").or_else(|| home(".netrc")),
            variable: text_variable,
        },
    }))
}

/// Where everything is kept. Windows has one folder for what stays on a machine, and what goes with its user from one machine to another
/// is no place for databases.
fn roots(platform: &impl BaseStrategy) -> Roots {
    if cfg!(windows) {
        let own = platform.cache_dir().join("ai-assist");
        return Roots { data: own.join("data"), cache: own.join("cache") };
    }
    Roots { data: platform.data_dir().join("ai-assist"), cache: platform.cache_dir().join("ai-assist") }
}

pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

pub(crate) fn text_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A path without `..`. What is there is resolved, since behind a symlink `..` means another folder; of what is not, the
/// parts that cancel out are dropped.
pub(crate) fn plain(path: &Path) -> PathBuf {
    if !path.components().any(|part| part == Component::ParentDir) {
        return path.to_owned();
    }
    let real = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => parent.real_path().map(|parent| parent.join(name)),
        _ => path.real_path(),
    };
    if let Ok(real) = real {
        return real;
    }
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
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
    Layer::new(
        SETTINGS.iter().filter_map(|spec| Some((spec.key, text_variable(spec.env)?, Origin::Environment(spec.env)))),
    )
}
