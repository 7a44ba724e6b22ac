//! A pack of the project: where its tokens go, what is left out and why. It leaves with a receipt, by a button.

use std::collections::BTreeMap;
use std::sync::Arc;

use ai_assist_app::PackFiles;
use ai_assist_base::RealPath;
use ai_assist_base::json::word;
use ai_assist_identity::Sha256;
use ai_assist_pack::types::{ContextPack, PackConstraints, TruncationConfig};
use ai_assist_pack::{
    Format, Made, PackRequest, PageFile, PageState, ScanOptions, TokenCounter, Wanted, Written, page_files, render,
    shares,
};
use ai_assist_text::count_tokens;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::failure::Failure;
use crate::frame::{Frame, View};
use crate::links::{self, Place};
use crate::pages::{Answered, Open, Pages, html};
use crate::params::{Asked, Params};
use crate::shown::{count, number};
use crate::treemap::{Area, layout};

const BUDGETS: [usize; 8] = [4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 1_000_000];
const USUAL: usize = 32_000;

/// More files than this are too small to be seen beside the others.
const DRAWN: usize = 240;
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 460.0;

/// So many files are named of each reason.
const NAMED: usize = 40;

const FORMATS: [(Format, &str, &str, &str); 4] = [
    (Format::Markdown, "Markdown", "md", "text/markdown; charset=utf-8"),
    (Format::Xml, "XML", "xml", "application/xml"),
    (Format::Json, "JSON", "json", "application/json"),
    (Format::MessagePack, "MessagePack", "msgpack", "application/msgpack"),
];

#[derive(Template)]
#[template(path = "pack.html")]
struct PackPage {
    frame: Frame,
    budgets: Vec<(usize, String, bool)>,
    wanted: &'static str,
    include: String,
    exclude: String,
    facts: Vec<(&'static str, String)>,
    tiles: Vec<Tile>,
    largest: Vec<(String, String, String, String)>,
    left_out: Vec<LeftOut>,
    redactions: Vec<(String, String)>,
    warnings: Vec<String>,
    formats: Vec<(&'static str, &'static str)>,
    download: String,
    receipts: String,
}

struct Tile {
    address: String,
    label: String,
    sub: String,
    title: String,
    /// Begins with what is seen, so that what is said of it agrees.
    spoken: String,
    class: &'static str,
    area: Area,
}

struct LeftOut {
    reason: String,
    files: String,
    named: Vec<(String, String)>,
    is_cut: bool,
}

/// What is asked of a pack.
struct Wish {
    max_tokens: usize,
    wanted: Wanted,
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Wish {
    fn of(params: &Params) -> Result<Wish, Failure> {
        let max_tokens = params.number("budget").unwrap_or(USUAL);
        if max_tokens < 500 {
            return Err(Failure::bad("A pack needs a budget of at least 500 tokens.", "Choose a larger one."));
        }
        let wanted = match params.get("type") {
            Some("summary") => Wanted::Summary,
            _ => Wanted::Full,
        };
        let globs = |name| params.get(name).unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        Ok(Wish { max_tokens, wanted, include: globs("include"), exclude: globs("exclude") })
    }

    fn make(&self, open: &Open, format: Format) -> Result<(Made, ai_assist_pack::Caches), Failure> {
        let folder = &open.project.folder;
        let root = folder.real_path().map_err(|error| Failure::broken(format!("{}: {error}.", folder.display())))?;
        let (include, exclude) = (self.include.clone(), self.exclude.clone());
        let chosen = PackFiles { root, include, exclude, ..PackFiles::default() }.choose(&open.cancel)?;
        let request = PackRequest {
            choice: chosen.choice.clone(),
            stop_at_secrets: false,
            wanted: self.wanted,
            constraints: PackConstraints {
                max_content_bytes: u64::MAX,
                max_files: usize::MAX,
                ..PackConstraints::default()
            },
            truncation: TruncationConfig {
                max_total_bytes: usize::MAX,
                // With a budget of tokens one file may have about a quarter of them.
                max_file_bytes: TruncationConfig::default().max_file_bytes.max(self.max_tokens),
                ..TruncationConfig::default()
            },
            max_files: None,
            max_tokens: Some(self.max_tokens),
            format,
            count_tokens: true,
            reproducible: false,
            scan: ScanOptions::default(),
        };
        let caches = open.project.caches();
        let mut made = chosen.pack(&request, &caches, &open.cancel, &|_| {})?;
        made.warnings.extend(chosen.warnings);
        // What was counted is only worth time.
        let _ = caches.save();
        Ok((made, caches))
    }
}

pub(crate) async fn show(State(pages): State<Arc<Pages>>, Path(project): Path<String>, asked: Asked) -> Response {
    pages.answer(project, asked, view).await
}

fn view(open: &Open) -> Answered {
    let params = &open.asked.params;
    let wish = Wish::of(params)?;
    let (made, caches) = wish.make(open, Format::Markdown)?;
    let counter: &TokenCounter = &caches.tokens;
    let shares = shares(&made.pack, Some(counter));
    let excluded = &made.snapshot.project.excluded_files;
    let files = page_files(&made.pack, &made.snapshot, &shares, excluded);
    let metadata = made.pack.metadata();
    let repo = open.project.own_repo().map(|repo| repo.name().to_owned());
    let mut sent: Vec<&PageFile> =
        files.iter().filter(|file| file.state != PageState::Excluded && file.tokens > 0).collect();
    sent.sort_by(|a, b| b.tokens.cmp(&a.tokens).then(a.path.cmp(&b.path)));
    let total: usize = sent.iter().map(|file| file.tokens).sum();
    let rendered = render(&made.pack, Format::Markdown)?;
    let tokens = count_tokens(&String::from_utf8_lossy(&rendered));
    let row = |file: &&PageFile| {
        let share = file.tokens as f64 * 100.0 / total.max(1) as f64;
        (
            file_address(open, repo.as_deref(), &file.path),
            file.path.clone(),
            number(file.tokens as u64),
            format!("{share:.1} %"),
        )
    };
    let budget = |&many: &usize| (many, format!("{} tokens", number(many as u64)), many == wish.max_tokens);
    let mut budgets: Vec<(usize, String, bool)> = BUDGETS.iter().map(budget).collect();
    if !BUDGETS.contains(&wish.max_tokens) {
        budgets.push(budget(&wish.max_tokens));
        budgets.sort();
    }
    html(&PackPage {
        frame: Frame::new(open, "Pack", View::Pack),
        budgets,
        wanted: if matches!(wish.wanted, Wanted::Summary) { "summary" } else { "full" },
        include: wish.include.join(" "),
        exclude: wish.exclude.join(" "),
        facts: vec![
            ("Tokens as Markdown", number(tokens as u64)),
            ("Files in it", number(metadata.files_included as u64)),
            ("Outlined", number(metadata.files_outlined as u64)),
            ("Left out", number(metadata.files_excluded as u64)),
            ("Secrets taken out", number(metadata.redactions.values().sum::<usize>() as u64)),
        ],
        tiles: tiles(open, repo.as_deref(), &sent),
        largest: sent.iter().take(12).map(row).collect(),
        left_out: left_out(&made, &files),
        redactions: metadata.redactions.iter().map(|(rule, many)| (rule.clone(), number(*many as u64))).collect(),
        warnings: made.warnings.clone(),
        formats: FORMATS.iter().map(|(_, name, ending, _)| (*name, *ending)).collect(),
        download: links::view(&open.name, "pack/download"),
        receipts: links::view(&open.name, "receipts"),
    })
}

fn file_address(open: &Open, repo: Option<&str>, path: &str) -> String {
    match repo {
        Some(repo) => Place::Repo { repo: repo.to_owned(), path: path.to_owned() }.address(&open.name),
        None => "#files".to_owned(),
    }
}

/// Folders beside one another, and the files of each within it.
fn tiles(open: &Open, repo: Option<&str>, sent: &[&PageFile]) -> Vec<Tile> {
    let mut folders: BTreeMap<&str, Vec<&PageFile>> = BTreeMap::new();
    for file in sent.iter().take(DRAWN) {
        let folder = file.path.split_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder).or_default().push(file);
    }
    let weight = |files: &[&PageFile]| files.iter().map(|file| file.tokens as f64).sum::<f64>();
    let mut folders: Vec<Vec<&PageFile>> = folders.into_values().collect();
    folders.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    let weights: Vec<f64> = folders.iter().map(|files| weight(files)).collect();
    let whole = Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
    let mut tiles = Vec::new();
    for (files, within) in folders.iter().zip(layout(&weights, whole)) {
        let weights: Vec<f64> = files.iter().map(|file| file.tokens as f64).collect();
        for (file, area) in files.iter().zip(layout(&weights, within)) {
            tiles.push(tile(open, repo, file, area));
        }
    }
    tiles
}

fn tile(open: &Open, repo: Option<&str>, file: &PageFile, area: Area) -> Tile {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let room = (area.width - 10.0) / 7.9;
    let fits = |text: &str, height: f64| area.height > height && (text.chars().count() as f64) < room;
    let label = if fits(name, 18.0) { name.to_owned() } else { String::new() };
    let tokens = number(file.tokens as u64);
    let sub = if !label.is_empty() && fits(&tokens, 34.0) { tokens.clone() } else { String::new() };
    let note = if file.note.is_empty() { String::new() } else { format!(", {}", file.note) };
    let class = match file.state {
        PageState::Truncated => "truncated",
        PageState::Redacted => "redacted",
        PageState::Outlined => "outlined",
        PageState::Included | PageState::Excluded => "included",
    };
    Tile {
        address: file_address(open, repo, &file.path),
        label,
        sub,
        spoken: format!("{name} {tokens} tokens{note}, {}", file.path),
        title: format!("{}: {tokens} tokens{note}", file.path),
        class,
        area,
    }
}

fn left_out(made: &Made, files: &[PageFile]) -> Vec<LeftOut> {
    // In a summary no text is sent, so that is no reason to name.
    let reasons = match &made.pack {
        ContextPack::Full(_) => &made.pack.metadata().exclusions_by_reason,
        ContextPack::Summary(_) => &made.snapshot.exclusions_by_reason,
    };
    let mut rows: Vec<LeftOut> = Vec::new();
    for (reason, many) in reasons {
        let of = made.snapshot.project.excluded_files.iter().filter(|file| file.reason == *reason);
        let named: Vec<(String, String)> = of.take(NAMED).map(|file| (file.path.clone(), file.rule.clone())).collect();
        let is_cut = *many > named.len();
        rows.push(LeftOut {
            reason: word(reason).replace(['_', '-'], " "),
            files: count(*many as u64, "file"),
            named,
            is_cut,
        });
    }
    // Those that had no room are known by the pack alone.
    let outlined = files.iter().filter(|file| file.state == PageState::Outlined);
    let named: Vec<(String, String)> =
        outlined.take(NAMED).map(|file| (file.path.clone(), file.note.clone())).collect();
    let many = made.pack.metadata().files_outlined;
    if many > 0 {
        rows.push(LeftOut {
            reason: "outline only".to_owned(),
            files: count(many as u64, "file"),
            is_cut: many > named.len(),
            named,
        });
    }
    rows
}

/// Records the pack and gives it out. What leaves is never without a receipt.
pub(crate) async fn download(
    State(pages): State<Arc<Pages>>,
    Path(project): Path<String>,
    asked: Asked,
    body: String,
) -> Response {
    let params = Params::parse(&body);
    pages
        .answer(project, asked, move |open| {
            let asked = params.get("format").unwrap_or("md").to_owned();
            let Some((format, _, ending, kind)) = FORMATS.iter().find(|(_, _, ending, _)| *ending == asked).copied()
            else {
                return Err(Failure::bad(format!("A pack has no format `{asked}`."), "Choose one of the buttons."));
            };
            let (made, _) = Wish::of(&params)?.make(open, format)?;
            let bytes = render(&made.pack, format)?;
            let tokens = std::str::from_utf8(&bytes).ok().map(count_tokens);
            let written = Written { hash: Sha256::of(&bytes), bytes: bytes.len() as u64, tokens };
            open.project.record_pack(&made, &made.pack, written, None)?;
            let plain: String = open
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
                .collect();
            let named = format!("attachment; filename=\"{plain}-pack.{ending}\"");
            Ok(([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, named)], bytes).into_response())
        })
        .await
}
