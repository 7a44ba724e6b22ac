//! `grep`: every line of the repository that matches a pattern.

use std::time::Instant;

use ai_assist_app::{FoundLine, Within};
use ai_assist_index::Filter;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::scan::ScanRequest;
use ai_assist_trigram::{Pattern, PatternOptions};

use super::common::*;
use super::read::document_of;

/// A longer line is shown up to here.
const WIDEST: usize = 300;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepArgs {
    /// A regular expression, such as `\.named\(`.
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Take the pattern as plain text.
    #[serde(default)]
    fixed: bool,
    /// Whatever the case.
    #[serde(default)]
    ignore_case: bool,
    /// Only paths that match one of these globs.
    #[serde(default)]
    path: Vec<String>,
    /// Only these languages.
    #[serde(default)]
    language: Vec<String>,
    /// Another repository of the workspace.
    repo: Option<String>,
    /// How many lines at most (default 100).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Goes on after so many lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    after: usize,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GrepAnswer {
    repo: String,
    /// `path:line: text`, by path.
    lines: Vec<String>,
    /// How many lines match in all.
    found: usize,
    /// In how many files.
    files: usize,
    /// How many files were not searched to their end, because the pattern takes too long.
    #[serde(skip_serializing_if = "is_zero")]
    unfinished: usize,
    /// The call for the next lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    /// Whose lines they are, one for each.
    #[serde(skip)]
    documents: Vec<String>,
    #[serde(skip)]
    again: Again,
}

impl GrepAnswer {
    fn point_on(&mut self) {
        self.more = self.again.rest(self.lines.len(), self.found, " lines");
    }
}

impl Answer for GrepAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        let dropped = drop_last(&mut self.lines, share);
        self.point_on();
        dropped > 0
    }

    /// Each file once, its lines below.
    fn text(&self, _json: &Value) -> String {
        let mut text = format!("{} lines in {} files\n", self.found, self.files);
        let mut file = "";
        for (document, line) in self.documents.iter().zip(&self.lines) {
            if document != file {
                text.push_str(&format!("{document}\n"));
            }
            file = document;
            text.push_str(&format!("  {}\n", line.get(document.len() + 1..).unwrap_or(line)));
        }
        text
    }
}

impl Tool for GrepArgs {
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str =
        "Every line of the repository that matches a regular expression, such as all uses of a name.";
    type Answer = GrepAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<GrepAnswer>, Failure> {
        let repo = call.project.repo_named(args.repo.as_deref())?;
        let options = PatternOptions { ignore_case: args.ignore_case, fixed: args.fixed, ..PatternOptions::default() };
        let pattern = Pattern::new(&args.pattern, options)
            .map_err(|error| Failure::argument("pattern", "a regular expression", error.to_string()))?;
        let filter = Filter { paths: globs(&args.path)?, languages: languages(&args.language)?, ..Filter::default() };
        let until = Instant::now().checked_add(ScanRequest::TIMEOUT);
        let limit = args.after.saturating_add(args.limit.unwrap_or(100));
        let request = ScanRequest { pattern: &pattern, filter: &filter, limit, until };
        let modes = [Mode::Code, Mode::Prose, Mode::Records];
        let folders = vec![repo.local.root.to_path_buf()];
        let within = Within { folders, refresh: true, ..Within::default() };
        let mut found = call.project.grep(&within, &modes, &request, call.cancel)?;
        found.lines.drain(..args.after.min(found.lines.len()));
        let own = call.project.repo()?.name;
        let mut answer = GrepAnswer {
            repo: repo.name,
            lines: found.lines.iter().map(|found| line(&own, found)).collect(),
            found: found.found,
            files: found.files,
            unfinished: found.unfinished,
            more: None,
            again: Again::of(&args),
            documents: found
                .lines
                .iter()
                .map(|found| document_of(&own, &found.found_in, &found.line.document))
                .collect(),
        };
        answer.point_on();
        let none = "No line matches in the index. Next: `index_build {}` takes in files that are new.";
        let late = "the pattern takes too long, so not every file was searched to its end; narrow it or the `path`";
        let message = if answer.unfinished > 0 { Some(late) } else { (answer.found == 0).then_some(none) };
        Ok(Success::noted(answer, message))
    }
}

fn line(own: &str, FoundLine { found_in, line, .. }: &FoundLine) -> String {
    let text = line.text.trim_end();
    let cut = ai_assist_text::floor_boundary(text, WIDEST);
    let rest = if cut < text.len() { "…" } else { "" };
    let document = document_of(own, found_in, &line.document);
    format!("{document}:{}: {}{rest}", line.lines.start, text[..cut].trim_start())
}
