//! `context`: what a question needs, in one call.

use ai_assist_app::{Context, LOOKED_AT};
use ai_assist_chunk::OutlineEntry;

use super::Places;
use super::common::*;
use super::search::{SearchArgs, SearchHit, request, shorten_text, shown};
use super::symbol::{Definition, definition};
use crate::markdown;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextArgs {
    /// The question or task, in whole sentences.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// Only paths that match these globs.
    #[serde(default)]
    path: Vec<String>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

/// What a file has in it, beside the passages.
#[derive(Debug, Serialize, JsonSchema)]
struct Outlined {
    document: String,
    /// `lines name or signature`, indented by depth.
    entries: Vec<String>,
    #[serde(skip)]
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextAnswer {
    /// The best first.
    passages: Vec<SearchHit>,
    /// What the passages use: whole if short, else by signature.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Definition>,
    /// What else the files of the passages have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outlines: Vec<Outlined>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Answer for ContextAnswer {
    /// Outlines go first, then definitions, then the last passages.
    fn shorten(&mut self, share: f64) -> bool {
        if drop_last(&mut self.outlines, share) + drop_last(&mut self.definitions, share) > 0 {
            return true;
        }
        if self.outlines.pop().is_some() || self.definitions.pop().is_some() {
            return true;
        }
        match self.passages.as_mut_slice() {
            [] => false,
            [only] => shorten_text(only, share),
            _ => drop_last(&mut self.passages, share) > 0,
        }
    }

    fn text(&self, _json: &Value) -> String {
        let mut text: String = self.passages.iter().map(SearchHit::whole).collect();
        if !self.definitions.is_empty() {
            text.push_str("\nUsed there:\n");
            text.extend(self.definitions.iter().map(Definition::whole));
        }
        for Outlined { name, entries, .. } in &self.outlines {
            text.push_str(&format!("\nAll of {name}:\n{}\n", entries.join("\n")));
        }
        if self.passages.is_empty() {
            text.push_str("Nothing was found.\n");
        }
        text.extend(self.warnings.iter().map(|warning| format!("\nNote: {warning}")));
        text
    }

    fn short_text(&self, _json: &Value) -> String {
        let mut text: String = self.passages.iter().map(SearchHit::brief).collect();
        if !self.definitions.is_empty() {
            text.push_str("\nUsed there:\n");
            text.extend(self.definitions.iter().map(Definition::line));
        }
        text.push_str(if self.passages.is_empty() { "Nothing was found.\n" } else { markdown::IN_DATA });
        text.extend(self.warnings.iter().map(|warning| format!("\nNote: {warning}")));
        text
    }
}

impl Tool for ContextArgs {
    const NAME: &'static str = "context";
    const DESCRIPTION: &'static str =
        "All a question or task needs in one call: the best passages, definitions they use, outlines of their files.";
    const CHOOSES: bool = true;
    type Answer = ContextAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ContextAnswer>, Failure> {
        let asked = SearchArgs::everywhere(&args.query, &args.path, LOOKED_AT);
        let request = request(call, &asked, None)?;
        // Whoever gets it as JSON, too, has less room for it: escapes and keys take a part.
        let most = budget(args.max_tokens);
        let room = if call.forms.structured { most * 3 / 4 } else { most * 19 / 20 };
        let Context { passages, used, outlines, warnings, .. } = call.project.context(&request, room, call.cancel)?;
        let (members, places, own) = (call.project.members()?, Places::of(call)?, call.project.repo()?);
        let passages: Vec<SearchHit> = passages.into_iter().map(|hit| shown(&members, &places, hit)).collect();
        let outlined = outlines.into_iter().filter_map(|outline| {
            let hit = passages.get(outline.passage)?;
            let entries = outline.entries.iter().map(entry).collect();
            Some(Outlined { document: hit.document().to_owned(), entries, name: hit.name().to_owned() })
        });
        let outlines = outlined.collect();
        let definitions = used.into_iter().map(|used| definition(&own, used.found).with_text(used.text)).collect();
        Ok(ContextAnswer { passages, definitions, outlines, warnings }.into())
    }
}

fn entry(entry: &OutlineEntry) -> String {
    let name = entry.signature.as_ref().unwrap_or(&entry.name);
    format!("{}{} {name}", "  ".repeat(entry.depth + 1), entry.lines)
}
