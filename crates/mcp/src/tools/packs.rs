//! `context_pack`: the project for a model, with a record of what left.

use ai_assist_app::{Chosen, PackFiles};
use ai_assist_identity::Sha256;
use ai_assist_pack::types::{PackConstraints, TruncationConfig};
use ai_assist_pack::{Caches, Choice, Format, Made, PackRequest, ScanOptions, Stage, Wanted, Written, render};
use ai_assist_text::count_tokens;

use super::common::*;

/// What the frame of the answer takes, beside the pack.
const FRAME: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PackForm {
    #[default]
    Markdown,
    Xml,
    Json,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackArgs {
    /// `full` has the texts of what matters most, `summary` only what can be said about the project.
    #[serde(default, rename = "type")]
    kind: Wanted,
    /// Only files that match one of these globs.
    #[serde(default)]
    include: Vec<String>,
    /// No files that match one of these globs.
    #[serde(default)]
    exclude: Vec<String>,
    /// The form of the text.
    #[serde(default)]
    format: PackForm,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 2000, max = 24000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Receipt {
    /// Its number in the ledger of this machine.
    number: u64,
    /// The hash of the pack.
    hash: String,
    bytes: u64,
    /// How many files are in it.
    files_sent: usize,
    /// How many stayed out.
    files_left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackAnswer {
    #[serde(rename = "type")]
    kind: String,
    /// Why it is of that type.
    reason: String,
    /// The pack.
    pack: String,
    /// The record of it. `ai-assist receipts show NUMBER` has every file with its hash.
    receipt: Receipt,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Answer for PackAnswer {
    fn shorten(&mut self, _share: f64) -> bool {
        // What is recorded as sent is sent whole.
        !std::mem::take(&mut self.warnings).is_empty()
    }
}

impl Tool for PackArgs {
    const NAME: &'static str = "context_pack";
    const DESCRIPTION: &'static str = "The project in one text for a model: a summary, or the files that matter most, within a token budget. Secrets are taken out; \
            a receipt records every file that was sent.";
    type Answer = PackAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<PackAnswer>, Failure> {
        let root = call.project.folder.clone();
        let files = PackFiles { root, include: args.include, exclude: args.exclude, ..PackFiles::default() };
        let chosen = files.choose(call.cancel)?;
        let format = match args.format {
            PackForm::Markdown => Format::Markdown,
            PackForm::Xml => Format::Xml,
            PackForm::Json => Format::Json,
        };
        let caches = call.project.caches();
        let (made, text) = fitting(call, &chosen, args.kind, format, budget(args.max_tokens), &caches)?;
        // What can't be kept is worked out again.
        let _ = caches.save();
        let (hash, bytes, tokens) = (Sha256::of(text.as_bytes()), text.len() as u64, Some(count_tokens(&text)));
        let written = Written { hash, bytes, tokens };
        let (number, _) = call.project.record_pack(&made, &made.pack, written, Some("mcp"))?;
        let metadata = made.pack.metadata();
        let receipt = Receipt {
            number,
            hash: hash.to_string(),
            bytes,
            files_sent: metadata.files_included,
            files_left_out: metadata.total_files_scanned.saturating_sub(metadata.files_included),
        };
        let answer = PackAnswer {
            kind: word(&metadata.pack_type),
            reason: metadata.selection_reason.clone(),
            pack: text,
            receipt,
            warnings: made.warnings.into_iter().chain(chosen.warnings).collect(),
        };
        Ok(answer.into())
    }
}

/// Makes the pack smaller until its text, escaped as JSON, fits.
fn fitting(
    call: &Call<'_>,
    chosen: &Chosen,
    wanted: Wanted,
    format: Format,
    budget: usize,
    caches: &Caches,
) -> Result<(Made, String), Failure> {
    let room = budget - FRAME;
    let mut max_tokens = room * 9 / 10;
    loop {
        let request = request(&chosen.choice, wanted, format, max_tokens);
        let progress = |stage| {
            let (done, what) = match stage {
                Stage::Scanning(done) => (done as f64, "looking at the files"),
                Stage::Surveying => (1e6, "reading the code"),
                Stage::Building => (2e6, "putting the pack together"),
            };
            (call.report)(done, None, what.to_owned());
        };
        let made = chosen.pack(&request, caches, call.cancel, &progress)?;
        let text = String::from_utf8_lossy(&render(&made.pack, format)?).into_owned();
        let tokens = count_tokens(&Value::from(text.as_str()).to_string());
        if tokens <= room {
            return Ok((made, text));
        }
        let next = max_tokens * room / tokens * 95 / 100;
        if next < 200 || next >= max_tokens {
            let expected = format!("an integer of at least {}", budget + tokens - room);
            return Err(Failure::argument("max_tokens", expected, "the pack does not fit"));
        }
        max_tokens = next;
    }
}

fn request(choice: &Choice, wanted: Wanted, format: Format, max_tokens: usize) -> PackRequest {
    PackRequest {
        choice: choice.clone(),
        stop_at_secrets: false,
        wanted,
        constraints: PackConstraints {
            max_content_bytes: u64::MAX,
            max_files: usize::MAX,
            ..PackConstraints::default()
        },
        truncation: TruncationConfig { max_total_bytes: usize::MAX, ..TruncationConfig::default() },
        max_files: None,
        max_tokens: Some(max_tokens),
        format,
        count_tokens: true,
        reproducible: false,
        scan: ScanOptions::default(),
    }
}
