//! `symbol`: definitions by name.

use ai_assist_admit::Freshness;
use ai_assist_app::Repo;
use ai_assist_identity::DocPath;
use ai_assist_repo::lookup::{FoundIn, FoundSymbol, SymbolLookup, symbols};

use super::common::*;
use super::read::document_of;
use crate::markdown;

/// No call gives more definitions.
const MOST: usize = 200;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SymbolArgs {
    /// The name or a part of it; `Type::name` for one of a type.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// Only these kinds, such as `function`, `struct`, `method`, `class`.
    #[serde(default)]
    kind: Vec<String>,
    /// Only these languages.
    #[serde(default)]
    language: Vec<String>,
    /// Only paths that match one of these globs.
    #[serde(default)]
    path: Vec<String>,
    /// Another repository of the workspace.
    repo: Option<String>,
    /// How many at most (default 20).
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Definition {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// What it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    document: String,
    lines: String,
    language: String,
    /// Whether the file is still what was indexed.
    freshness: String,
    /// All of it, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SymbolAnswer {
    repo: String,
    /// The best match first.
    definitions: Vec<Definition>,
    /// The call for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
}

impl Answer for SymbolAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if self.definitions.len() < 2 {
            return false;
        }
        drop_last(&mut self.definitions, share);
        self.more = None;
        true
    }

    fn text(&self, _json: &Value) -> String {
        self.definitions.iter().map(Definition::line).collect()
    }
}

impl Definition {
    pub(super) fn with_text(self, text: Option<String>) -> Self {
        Definition { text, ..self }
    }

    /// Its text if that is there, else a line about it.
    pub(super) fn whole(&self) -> String {
        let Some(text) = &self.text else { return self.line() };
        let parent = self.parent.as_ref().map_or(String::new(), |parent| format!(" · {parent}"));
        format!("\n=== {}{parent}\n{}\n", markdown::place(&self.document, &self.lines), text.trim_end())
    }

    /// Where it is, and how it is called.
    pub(super) fn line(&self) -> String {
        let signature = self.signature.as_ref().unwrap_or(&self.name);
        let parent = self.parent.as_ref().map_or(String::new(), |parent| format!(" (in {parent})"));
        let stale = if self.freshness == "current" { String::new() } else { format!(" · {}", self.freshness) };
        format!("- {} `{signature}`{parent}{stale}\n", markdown::place(&self.document, &self.lines))
    }
}

impl Tool for SymbolArgs {
    const NAME: &'static str = "symbol";
    const DESCRIPTION: &'static str =
        "Where functions, types, methods and constants are defined, by name or a part of it, with signatures.";
    type Answer = SymbolAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SymbolAnswer>, Failure> {
        let repo = call.project.repo_named(args.repo.as_deref())?;
        call.project.take_in_changes(&repo, call.cancel)?;
        let again = Again::of(&args);
        let lookup = SymbolLookup {
            name: args.name,
            kinds: kinds(&args.kind)?,
            languages: languages(&args.language)?,
            paths: globs(&args.path)?,
            limit: args.limit.unwrap_or(20),
        };
        let filtered = !(args.kind.is_empty() && args.language.is_empty() && args.path.is_empty());
        let found = symbols(&[repo.place()], &lookup)?;
        let more = found.more.then(|| again.with("more definitions".to_owned(), [("limit", json!(MOST))]));
        let own = call.project.repo()?;
        let definitions: Vec<Definition> = found.symbols.into_iter().map(|found| definition(&own, found)).collect();
        let none = match filtered {
            true => "no definition of that name passes the filters; call again without them",
            false => {
                "no definition has that name in the index; `search` looks for words and meaning, `index_build` takes in new files"
            }
        };
        let message = definitions.is_empty().then_some(none);
        Ok(Success::noted(SymbolAnswer { definitions, more, repo: repo.name }, message))
    }
}

/// A definition that was found, in the project's own repository or elsewhere.
pub(super) fn definition(own: &Repo, FoundSymbol { found_in, symbol }: FoundSymbol) -> Definition {
    let path = DocPath::parse(&symbol.path).ok().filter(|_| found_in == FoundIn::Repo(own.name.clone()));
    let freshness =
        path.map_or(Freshness::Unknown, |path| Freshness::of(&own.local.root.to_path_buf(), &path, symbol.hash));
    Definition {
        kind: symbol.kind.to_string(),
        lines: symbol.lines.to_string(),
        language: word(&symbol.language),
        freshness: word(&freshness),
        name: symbol.name,
        signature: symbol.signature,
        parent: symbol.parent,
        document: document_of(&own.name, &found_in, &symbol.path),
        text: None,
    }
}
