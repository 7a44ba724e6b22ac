//! From a request to a pack: scan, choose, build.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use ai_assist_admit::{Globs, Limits, PackRules, PathSet, RedactedAt, Selection, Worth};
use ai_assist_base::Cancel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::{ContextPack, PackConstraints, PackType, ProviderLimit, TruncationConfig};
use crate::{
    Caches, Format, FullPackBuilder, History, PackError, PackSelector, Room, ScanOptions, Selected, Snapshot,
    SummaryPackBuilder, Survey, manifest_of, scan,
};

/// A summary has at most this many tokens unless somebody says how many: it is read as a whole, before anything else.
const TOKENS_OF_A_SUMMARY: usize = 9_900;

/// A summary may have this many bytes, however few are allowed for texts.
const LEAST_OF_A_SUMMARY: u64 = 20_000;

/// Which files of a folder are asked for, and by which rules.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub root: PathBuf,
    /// Globs of what is wanted; everything if there is none. One without a `/` counts in every folder, and one that names a
    /// folder means all that is in it.
    pub include: Vec<String>,
    /// Globs of what is not, in the same form.
    pub exclude: Vec<String>,
    pub only: Option<Arc<PathSet>>,
    pub rules: PackRules,
}

impl Choice {
    pub fn selection(&self) -> Result<Selection, PackError> {
        let mut patterns: Vec<String> = self.include.iter().flat_map(|glob| self.spelled_out(glob, "")).collect();
        if patterns.is_empty() {
            patterns.extend(Globs::EVERYTHING.map(str::to_owned));
        }
        patterns.extend(self.exclude.iter().flat_map(|glob| self.spelled_out(glob, "!")));
        let globs = Globs::new(&patterns)?;
        let selection = Selection::new(&self.root, globs, Limits::default());
        Ok(Selection { worth: Worth::Packs(self.rules.clone()), only: self.only.clone(), ..selection })
    }

    /// A glob as people write it on a command line, in the form that names whole paths.
    fn spelled_out(&self, glob: &str, sign: &str) -> Vec<String> {
        let plain = glob.strip_prefix("./").unwrap_or(glob);
        let trimmed = plain.trim_end_matches('/');
        let is_folder = !trimmed.is_empty() && !trimmed.contains(['*', '?', '[', '{']) && {
            // Only a hint about what the words mean: the walk itself decides what is there and may be read.
            let place = self.root.join(trimmed);
            place.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
        };
        if is_folder {
            return Globs::EVERYTHING.iter().map(|below| format!("{sign}{trimmed}/{below}")).collect();
        }
        if trimmed.contains('/') || trimmed.is_empty() || plain.starts_with("**") {
            return vec![format!("{sign}{plain}")];
        }
        match plain.ends_with('/') {
            true => vec![format!("{sign}**/{trimmed}/**")],
            false => vec![format!("{sign}**/{trimmed}")],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    // A full one if everything fits, otherwise a summary; a full one of what fits where tokens are limited. Schemas show no more
    // than the word.
    #[default]
    Auto,
    Full,
    Summary,
}

#[derive(Debug, Clone)]
pub struct PackRequest {
    pub choice: Choice,
    /// Stops at the first secret value instead of taking it out.
    pub stop_at_secrets: bool,
    pub wanted: Wanted,
    /// When a full pack is too much.
    pub constraints: PackConstraints,
    pub truncation: TruncationConfig,
    /// No more files with text than this.
    pub max_files: Option<usize>,
    pub max_tokens: Option<usize>,
    /// The form in which tokens are counted.
    pub format: Format,
    /// Whether the tokens of the texts are counted where no limit asks for it.
    pub count_tokens: bool,
    /// Leaves out what differs from one run to the next.
    pub reproducible: bool,
    pub scan: ScanOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// So many entries were seen or files read.
    Scanning(usize),
    /// The code is read for what it says about itself.
    Surveying,
    Building,
}

#[derive(Debug)]
pub struct Made {
    pub snapshot: Snapshot,
    pub pack: ContextPack,
    pub selected: Selected,
    /// What could not be read or understood, in full sentences.
    pub warnings: Vec<String>,
}

impl Made {
    /// Where values were taken out of the files of the pack: those whose text is sent, or of which a summary speaks.
    pub fn redacted_at(&self) -> Vec<RedactedAt> {
        match &self.pack {
            ContextPack::Full(pack) => {
                let keys = pack.key_files.iter().map(|file| file.path.as_str());
                let sent: HashSet<&str> = keys.chain(pack.contents.iter().map(|file| file.path.as_str())).collect();
                self.snapshot.redacted_at(|path| sent.contains(path))
            }
            ContextPack::Summary(_) => self.snapshot.redacted_at(|_| true),
        }
    }
}

/// Makes a pack. `history` is asked only if the files have to be ranked.
pub fn make(
    request: &PackRequest,
    history: &dyn Fn() -> Option<History>,
    caches: &Caches,
    cancel: &Cancel,
    progress: &(dyn Fn(Stage) + Sync),
) -> Result<Made, PackError> {
    let selection = request.choice.selection()?;
    let mut snapshot = scan(&selection, &request.scan, cancel, &|done| progress(Stage::Scanning(done)))?;
    if request.stop_at_secrets {
        snapshot.refuse_secrets()?;
    }
    let selected = request.select(&snapshot);
    let needs_survey = selected.pack_type == PackType::Summary || !request.certainly_fits(&selected);
    let (survey, manifest, warnings) = if needs_survey {
        progress(Stage::Surveying);
        let survey = Survey::new(&snapshot, history().as_ref(), &caches.syntax, cancel)?;
        let (manifest, warnings) = (survey.manifest_input(), survey.warnings.to_vec());
        (Some(survey), manifest, warnings)
    } else {
        let (manifest, warnings) = manifest_of(&snapshot);
        (None, manifest, warnings)
    };
    progress(Stage::Building);
    let (selection_reason, room) = (selected.reason.clone(), request.room());
    let pack = match (selected.pack_type, &survey) {
        (PackType::Summary, Some(survey)) => {
            // The limit is about texts of files, and a summary has none; below this it would have nothing else either.
            let most = request.constraints.max_content_bytes.max(LEAST_OF_A_SUMMARY);
            let max_content_bytes = usize::try_from(most).ok();
            SummaryPackBuilder {
                survey,
                manifest,
                selection_reason,
                reproducible: request.reproducible,
                count_tokens: request.count_tokens,
                max_content_bytes,
                room: room.or(Some(Room { max_tokens: TOKENS_OF_A_SUMMARY, format: request.format })),
            }
            .build(&snapshot, &caches.tokens)?
            .into()
        }
        _ => FullPackBuilder {
            truncation: request.truncation.clone(),
            max_key_file_bytes: request.scan.key_files.max_content_per_file_bytes,
            max_files: request.max_files,
            manifest,
            survey: survey.as_ref(),
            selection_reason,
            reproducible: request.reproducible,
            count_tokens: request.count_tokens,
            room,
            ..FullPackBuilder::default()
        }
        .build_taking(&mut snapshot, &caches.tokens)?
        .into(),
    };
    if cancel.is_cancelled() {
        return Err(PackError::Cancelled);
    }
    Ok(Made { snapshot, pack, selected, warnings })
}

impl PackRequest {
    fn select(&self, snapshot: &Snapshot) -> Selected {
        let selector = PackSelector { truncation: self.truncation.clone() };
        let selected = selector.select(snapshot, &self.constraints);
        let said = |pack_type, asked, reason: &str| Selected {
            pack_type,
            asked,
            reason: reason.to_owned(),
            ..selected.clone()
        };
        match self.wanted {
            Wanted::Summary => said(PackType::Summary, true, "A summary was asked for."),
            Wanted::Full => said(PackType::Full, true, "A full pack was asked for."),
            // Whether everything fits is known only when the tokens are counted; `detail` in the metadata says it.
            Wanted::Auto => match (self.max_tokens, selected.pack_type) {
                (Some(most), PackType::Full) => said(
                    PackType::Full,
                    false,
                    &format!("At most {most} tokens were asked for, with what matters most."),
                ),
                _ => selected,
            },
        }
    }

    /// Whether nothing has to be left out, as far as that is known without counting tokens.
    fn certainly_fits(&self, selected: &Selected) -> bool {
        let bytes = selected.estimated_bytes <= self.truncation.max_total_bytes as u64;
        let files = self.max_files.is_none_or(|max| selected.files <= max);
        // A token has a byte at least; quotes and breaks are escaped, and every file has a line in the list.
        let most = selected.estimated_bytes.saturating_mul(2).saturating_add(selected.files as u64 * 400 + 4000);
        let tokens = self.room().is_none_or(|room| most <= room.max_tokens as u64);
        bytes && files && tokens
    }

    fn room(&self) -> Option<Room> {
        let of_provider =
            self.constraints.provider.as_ref().and_then(|name| self.constraints.provider_limits.get(name));
        let of_provider = match of_provider {
            Some(ProviderLimit::Tokens { tokens }) => Some(*tokens),
            _ => None,
        };
        let max_tokens = match (self.max_tokens, of_provider) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }?;
        Some(Room { max_tokens, format: self.format })
    }
}
