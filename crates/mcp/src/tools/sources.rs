//! `source_add`, `registry_search`, `suggest`: getting documentation that the project lacks.
//!
//! Whether an agent may add anything is the user's to say, and what it may never add is `app`'s to know.

use ai_assist_app::{AddedAs, AgentSource};
use ai_assist_collections::{
    Action, DocumentsOrigin, Error as CollectionsError, RegistryHit, Suggestion, find_packages,
};

use super::collections::NAME_RULE;
use super::common::*;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddArgs {
    /// A folder or file of the project, an https URL, `github:OWNER/NAME`, `npm:NAME`, `pypi:NAME`, `crate:NAME`, or a package of a registry.
    #[schemars(length(min = 1, max = 2000), example = &"./docs", example = &"github:vitejs/vite/docs", example = &"npm:react")]
    source: String,
    /// What to call the collection (default: follows from the source).
    #[schemars(regex(pattern = NAME_RULE), example = &"vite")]
    name: Option<String>,
    /// Which files of a folder (default: documents of every format).
    #[schemars(length(min = 1, max = 500), example = &"**/*.md")]
    glob: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddAnswer {
    /// The name to search and sync it by.
    name: String,
    /// What it was found to be.
    source: String,
    /// Whether it was there before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    already: bool,
}

impl Answer for AddAnswer {}

impl Tool for AddArgs {
    const NAME: &'static str = "source_add";
    const DESCRIPTION: &'static str = "Add documentation that the project lacks to its configuration: a folder of the project, a repository, a site, the documents of a dependency, a package of a registry. Works only if the user allows it; if not, the answer says what to ask the user for. Call `collection_sync` afterwards.";
    type Answer = AddAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<AddAnswer>, Failure> {
        let AddArgs { source, name, glob } = args;
        let added = call.project.add_for_agent(&AgentSource { source, name, glob }, call.cancel)?;
        let name = added.name;
        let (source, message) = match added.what {
            AddedAs::Collection { spec, .. } => {
                let done = if added.already { "was there already" } else { "was added" };
                let next = format!("Call `collection_sync {}` to index it.", json!({ "collections": [name] }));
                (spec.source(), format!("The collection `{name}` {done}. {next}"))
            }
            AddedAs::OwnRepo(_) | AddedAs::Repo(_) => {
                let next = "Call `index_build` to index it, then `search` with scope `repo`.";
                ("code of the project".to_owned(), format!("The index of the repository has it. {next}"))
            }
        };
        Ok(Success::with_message(AddAnswer { name, source, already: added.already }, message))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegistryArgs {
    /// Words of a package's name or description; all must be there.
    #[schemars(length(min = 1, max = 500), example = &"react hooks")]
    query: String,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000), example = 2000)]
    max_tokens: Option<usize>,
}

/// A package of a registry.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Package {
    name: String,
    /// Its newest version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The dependency that it documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependency: Option<String>,
    registry: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RegistryAnswer {
    packages: Vec<Package>,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for RegistryAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.packages, &mut self.not_listed, share)
    }
}

/// Descriptions come from whoever published a package, and one line of them is enough to choose by.
fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = line.chars().filter(|c| !c.is_control());
    clean.take(300).collect()
}

impl Tool for RegistryArgs {
    const NAME: &'static str = "registry_search";
    const DESCRIPTION: &'static str =
        "Look for packages of documentation in the registries that are configured. `source_add` takes their names.";
    type Answer = RegistryAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<RegistryAnswer>, Failure> {
        let client = call.project.client()?;
        let (mut registries, mut failed) = (Vec::new(), Vec::new());
        for registry in call.project.registries(&client, call.cancel) {
            match registry {
                Ok(registry) => registries.push(registry),
                Err(error @ CollectionsError::Cancelled) => return Err(error.into()),
                Err(error) => failed.push(ai_assist_base::chain(&error)),
            }
        }
        if registries.is_empty() {
            let said = if failed.is_empty() { CollectionsError::NoRegistry.to_string() } else { failed.join("; ") };
            let way = "Go on without: `suggest` finds documents of dependencies on this machine. The user sets a registry with `ai-assist config set registry.urls URL`.";
            return Err(Failure::new(ErrorType::NotFound, said, way));
        }
        let package = |hit: RegistryHit| Package {
            name: hit.name,
            version: hit.version,
            description: hit.description.as_deref().map(one_line),
            dependency: hit.dependency,
            registry: hit.registry,
        };
        // What an earlier registry has of the same name is what would be added.
        let hits = find_packages(&registries, &args.query).into_iter().filter(|hit| !hit.hidden);
        let packages: Vec<Package> = hits.map(package).collect();
        let message = match (packages.first(), failed.as_slice()) {
            (_, [_, ..]) => format!("Not every registry could be read: {}.", failed.join("; ")),
            (Some(first), []) => format!("Call `source_add {}` to add one.", json!({ "source": first.name })),
            (None, []) => {
                "No package has these words. Try fewer, or `suggest` for the project's dependencies.".to_owned()
            }
        };
        Ok(Success::with_message(RegistryAnswer { packages, not_listed: 0 }, message))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuggestArgs {
    /// Only these dependencies, by name.
    #[serde(default)]
    #[schemars(example = ["express"])]
    names: Vec<String>,
    /// Also what dependencies depend on.
    #[serde(default)]
    #[schemars(example = false)]
    all: bool,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000), example = 2000)]
    max_tokens: Option<usize>,
}

/// Documents of a dependency that are in reach.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Suggested {
    /// The dependency at the locked version.
    dependency: String,
    /// What `source_add` takes for it.
    source: String,
    /// The collection that it is, or would be.
    collection: String,
    /// `add`, `replace` if the collection is for another version, or `keep` if it is right.
    action: &'static str,
    /// `disk` or `registry`.
    from: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SuggestAnswer {
    suggestions: Vec<Suggested>,
    /// How many dependencies have no documents in reach.
    without: usize,
    /// How many are not listed because the answer would be too long.
    #[serde(skip_serializing_if = "is_zero")]
    not_listed: usize,
}

impl Answer for SuggestAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        drop_counted(&mut self.suggestions, &mut self.not_listed, share)
    }
}

/// A dependency without its version: `npm:react` of `npm:react@18.2.0`.
fn without_version(dependency: &str) -> &str {
    dependency.rsplit_once('@').map_or(dependency, |(name, _)| name)
}

fn suggested(suggestion: Suggestion) -> Suggested {
    Suggested {
        source: without_version(&suggestion.dependency).to_owned(),
        collection: suggestion.name,
        dependency: suggestion.dependency,
        action: match suggestion.action {
            Action::Add => "add",
            Action::Replace => "replace",
            Action::Keep => "keep",
        },
        from: match suggestion.origin {
            DocumentsOrigin::Registry => "registry",
            DocumentsOrigin::Disk => "disk",
        },
    }
}

impl Tool for SuggestArgs {
    const NAME: &'static str = "suggest";
    const DESCRIPTION: &'static str = "The dependencies of the project whose documentation is in reach, at the versions that its lock files hold, and what `source_add` takes for each.";
    type Answer = SuggestAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SuggestAnswer>, Failure> {
        let mut found = call.project.suggestions(args.all || !args.names.is_empty(), call.cancel)?;
        let named = |dependency: &str| {
            let whole = without_version(dependency);
            let name = whole.split_once(':').map_or(whole, |(_, name)| name);
            args.names.is_empty() || args.names.iter().any(|wanted| wanted == name || wanted == whole)
        };
        found.suggestions.retain(|suggestion| named(&suggestion.dependency));
        found.without.retain(|dependency| named(dependency));
        let mut said = found.warnings;
        if found.suggestions.is_empty() {
            said.push(
                "No document of a dependency is in reach; ask the user to install the dependencies, or add a site or a \
                 repository with `source_add`."
                    .to_owned(),
            );
        }
        let suggestions = found.suggestions.into_iter().map(suggested).collect();
        let answer = SuggestAnswer { suggestions, without: found.without.len(), not_listed: 0 };
        Ok(Success { value: answer, message: (!said.is_empty()).then(|| said.join(" ")) })
    }
}
