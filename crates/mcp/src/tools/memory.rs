//! `memory`: what any agent has seen, done or said in this project.

use ai_assist_app::{Evidence, evidence};
use ai_assist_session::memory::{EntryKind, Recall, Recalled};

use ai_assist_text::floor_boundary;

use super::common::*;
use super::read::{folder_in_repo, from_root};
use super::session::moment;
use crate::tool::MOST_TOKENS;

/// So many of each list are told of a file, and so many entries of a search.
const MOST: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Failed,
    Succeeded,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryArgs {
    /// Question, error or command; else the latest.
    #[schemars(length(min = 1, max = 2000))]
    query: Option<String>,
    /// Only about it; alone: what changes with it.
    #[schemars(length(min = 1, max = 4096))]
    file: Option<String>,
    /// Only these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kind: Vec<EntryKind>,
    /// Only calls that went so.
    outcome: Option<Outcome>,
    /// RFC 3339.
    #[schemars(length(min = 1, max = 64))]
    since: Option<String>,
    /// RFC 3339.
    #[schemars(length(min = 1, max = 64))]
    until: Option<String>,
    /// Goes on after so many.
    #[serde(default, skip_serializing_if = "is_zero")]
    after: usize,
    /// Token budget (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

/// A command that failed, when it passed later.
#[derive(Debug, Serialize, JsonSchema)]
struct Passed {
    at: String,
    /// Names it for `read`.
    place: String,
    /// Files edited until then.
    edited: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remembered {
    kind: &'static str,
    /// A path, a command, or who spoke.
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// Names it for `read`; begins with the session.
    place: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<Passed>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryAnswer {
    /// Best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<Remembered>,
    /// The brief, or what is known of the file.
    #[serde(skip_serializing_if = "String::is_empty")]
    brief: String,
    /// The call for the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    /// How many there are at the least, with those before.
    #[serde(skip)]
    known: usize,
    #[serde(skip)]
    again: Again,
}

impl MemoryAnswer {
    fn point_on(&mut self) {
        self.more =
            self.again.rest(self.found.len(), self.known, "").map(|more| More { left_out: "more".to_owned(), ..more });
    }

    /// The same with all the room that there is.
    fn point_to_all(&mut self, left_out: String) {
        self.more = Some(self.again.with(left_out, [("max_tokens", json!(MOST_TOKENS))]));
    }
}

impl Answer for MemoryAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if !self.brief.is_empty() {
            let keep = floor_boundary(&self.brief, (self.brief.len() as f64 * share * 0.9) as usize);
            self.brief.truncate(self.brief[..keep].rfind('\n').map_or(0, |end| end + 1));
            self.point_to_all("the rest".to_owned());
            return true;
        }
        match self.found.as_mut_slice() {
            [] => false,
            [only] if only.text.is_empty() => false,
            [only] => {
                let keep = (only.text.len() as f64 * share * 0.9) as usize;
                only.text.truncate(floor_boundary(&only.text, keep));
                true
            }
            _ => {
                drop_last(&mut self.found, share);
                self.point_on();
                true
            }
        }
    }

    fn text(&self, _json: &Value) -> String {
        let mut text = self.brief.clone();
        for Remembered { kind, label, ok, at, branch, place, text: said, passed } in &self.found {
            let how = match ok {
                Some(true) => ", ok",
                Some(false) => ", failed",
                None => "",
            };
            let branch = branch.as_ref().map_or(String::new(), |branch| format!(" on {branch}"));
            text.push_str(&format!("## {label}\n{kind}{how}, {at}{branch}, {place}\n{said}\n"));
            if let Some(Passed { at, place, edited }) = passed {
                let after =
                    if edited.is_empty() { String::new() } else { format!(" after changes to {}", edited.join(", ")) };
                text.push_str(&format!("Passed {at}{after}: {place}\n"));
            }
            text.push('\n');
        }
        text
    }
}

impl Tool for MemoryArgs {
    const NAME: &'static str = "memory";
    const DESCRIPTION: &'static str = "What agents did here before: commands and outcomes, errors and fixes, decisions. No arguments: what is unfinished and what works.";
    type Answer = MemoryAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<MemoryAnswer>, Failure> {
        let since = moment("since", args.since.as_deref())?;
        let until = moment("until", args.until.as_deref())?;
        let memory = call.project.memory()?;
        let (found, brief) = (Vec::new(), String::new());
        let mut answer = MemoryAnswer { found, brief, more: None, known: 0, again: Again::of(&args) };
        let filtered = !args.kind.is_empty() || args.outcome.is_some() || since.is_some() || until.is_some();
        // Sessions know a file by its path from the project.
        let folder = folder_in_repo(call).map_or(String::new(), |folder| format!("{folder}/"));
        let from_project = |file: &String| {
            let file = from_root(call, file);
            file.strip_prefix(&folder).unwrap_or(file).to_owned()
        };
        match (&args.query, &args.file.as_ref().map(from_project)) {
            (None, Some(file)) if !filtered => answer.brief = call.project.file_memory(&memory, file, MOST)?.text(),
            (None, None) if !filtered => {
                let mut brief = memory.brief()?;
                let all = brief.len();
                answer.brief = brief.text(budget(args.max_tokens) / 2);
                if brief.len() < all {
                    answer.point_to_all(format!("{} of {all} lines", all - brief.len()));
                }
            }
            (query, file) => {
                let query = query.as_deref().unwrap_or_default();
                let ok = args.outcome.map(|outcome| outcome == Outcome::Succeeded);
                // One more tells whether there are more.
                let limit = args.after.saturating_add(MOST + 1);
                let (kinds, file) = (&args.kind, file.as_deref());
                let recall = Recall { query, limit, since, until, kinds, file, ok, ..Recall::default() };
                let found = memory.recall(&recall)?;
                answer.known = found.len();
                answer.found = found.iter().skip(args.after).take(MOST).map(remembered).collect();
                answer.point_on();
            }
        }
        let nothing = "nothing like it is remembered; `search` asks the project";
        let message = (answer.found.is_empty() && answer.brief.is_empty()).then_some(nothing);
        Ok(Success::noted(answer, message))
    }
}

fn remembered(found: &Recalled<'_>) -> Remembered {
    let Evidence { branch, at, place, .. } = evidence(found.at);
    let entry = found.at.entry;
    let passed = found.solved.as_ref().map(|solved| {
        let Evidence { at, place, .. } = evidence(solved.at);
        Passed { at, place, edited: solved.edited.iter().take(MOST).map(|path| (*path).to_owned()).collect() }
    });
    let (label, text) = (entry.label.clone(), found.text.clone());
    Remembered { kind: entry.kind.as_str(), label, ok: entry.ok, at, branch, place, text, passed }
}
