//! `map`: the definitions on which the rest turns.

use ai_assist_app::DrawnMap;
use ai_assist_repo::map::{MapRequest, RepoMap};
use ai_assist_text::head;

use super::common::*;
use crate::markdown;
use crate::tool::MOST_TOKENS;

/// So many bytes of files and names stand in a text beside the map itself.
const SHORT: usize = 1_500;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MapArgs {
    /// Files, folders or symbols that you care about: what they use comes up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    focus: Vec<String>,
    /// Only files that match these globs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    path: Vec<String>,
    /// Only these languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    language: Vec<String>,
    /// Another repository of the workspace.
    repo: Option<String>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MapAnswer {
    repo: String,
    /// When the index was built that this was drawn from; `index_build` brings it up to date.
    built_at: String,
    /// The commit that it was built at.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// Files with their most central definitions, best first.
    map: String,
    /// How many definitions are shown.
    shown: usize,
    /// How many there are.
    definitions: usize,
    files: usize,
    /// What of `focus` names nothing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched: Vec<String>,
    /// The call for more of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    again: Again,
    #[serde(skip)]
    budget: usize,
    #[serde(skip)]
    drawn: Option<RepoMap>,
}

impl Answer for MapAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        let Some(drawn) = self.drawn.as_mut().filter(|drawn| drawn.files.len() > 1) else { return false };
        drop_last(&mut drawn.files, share);
        self.shown = drawn.files.iter().map(|file| file.symbols.len()).sum();
        self.map = drawn.render();
        self.point_on();
        true
    }

    fn text(&self, _json: &Value) -> String {
        format!("{}\n{}", self.summary(), self.map)
    }

    fn short_text(&self, _json: &Value) -> String {
        let files = self.drawn.iter().flat_map(|drawn| &drawn.files);
        let names = files.map(|file| {
            let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            format!("{}: {}\n", file.path, names.join(", "))
        });
        let names: String = names.collect();
        let (shown, rest) = names.split_at(head(&names, SHORT).len());
        format!("{}\n{shown}{}{}", self.summary(), if rest.is_empty() { "" } else { "…\n" }, markdown::IN_DATA)
    }
}

impl MapAnswer {
    fn point_on(&mut self) {
        let left = self.definitions.saturating_sub(self.shown);
        let room = (self.budget * 4).min(MOST_TOKENS);
        self.more = (left > 0 && self.budget < MOST_TOKENS)
            .then(|| self.again.with(format!("{left} definitions"), [("max_tokens", json!(room))]));
    }

    fn summary(&self) -> String {
        let MapAnswer { shown, definitions, files, .. } = self;
        let missed = if self.unmatched.is_empty() {
            String::new()
        } else {
            format!("; nothing is called {}", self.unmatched.join(", "))
        };
        format!("{shown} of {definitions} definitions in {files} files, the most used first{missed}")
    }
}

impl Tool for MapArgs {
    const NAME: &'static str = "map";
    const DESCRIPTION: &'static str =
        "Overview of unknown code: the files and definitions that the rest depends on most, with signatures.";
    type Answer = MapAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<MapAnswer>, Failure> {
        let repo = call.project.repo_named(args.repo.as_deref())?;
        call.project.take_in_changes(&repo, call.cancel)?;
        let (again, budget) = (Again::of(&args), budget(args.max_tokens));
        let request = MapRequest {
            // The frame and the escapes of JSON take a part.
            max_tokens: budget * 4 / 5,
            paths: globs(&args.path)?,
            languages: languages(&args.language)?,
            focus: args.focus,
        };
        let DrawnMap { map: drawn, built_at, commit } = call.project.map(&repo.local, &request)?;
        let mut answer = MapAnswer {
            repo: repo.name,
            built_at,
            commit: commit.map(|commit| commit.chars().take(12).collect()),
            map: drawn.render(),
            shown: drawn.shown,
            definitions: drawn.definitions,
            files: drawn.documents,
            unmatched: drawn.unmatched.clone(),
            drawn: Some(drawn),
            more: None,
            again,
            budget,
        };
        answer.point_on();
        Ok(answer.into())
    }
}
