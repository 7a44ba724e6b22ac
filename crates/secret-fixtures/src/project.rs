//! A project full of secrets, and of what looks like them.

use crate::Random;
use crate::encoded;
use crate::innocent::INNOCENT;
use crate::innocent_places::INNOCENT_PLACES;
use crate::kinds::{ENCODED, KINDS};
use crate::labelled::{Piece, filler, look_alike, plant};
use crate::places::PLACES;
use crate::random::base64;

#[derive(Debug, Clone)]
pub struct Secret {
    pub kind: &'static str,
    /// The value, and the value as it stands in the file where that differs: escaped, encoded.
    pub forms: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct ProjectFile {
    /// Inside the project.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    pub secrets: Vec<Secret>,
    /// The look-alikes in it: the kind and the text, which must come through as it is.
    pub innocent: Vec<(&'static str, String)>,
}

/// How many things stand in a file made of snippets.
const PER_FILE: usize = 6;

/// A project with so many secrets and so many look-alikes, in files of their own.
pub fn project(seed: u64, secrets: usize, innocent: usize) -> Vec<ProjectFile> {
    let mut random = Random(seed);
    let mut files: Vec<ProjectFile> = Vec::new();
    for &(kind, path, text) in PLACES.iter().copied().flatten() {
        files.push(filled(&mut random, kind, path, text));
    }
    files.extend(encoded::files(&mut random));
    let planted: usize = files.iter().map(|file| file.secrets.len()).sum();
    let pieces = snippets(&mut random, secrets.saturating_sub(planted));
    files.extend(grouped(&mut random, "service", pieces));
    let mut alike = 0;
    for &(kind, path, text) in INNOCENT_PLACES {
        let file = look_alikes(&mut random, kind, path, text);
        alike += file.innocent.len();
        files.push(file);
    }
    let more = INNOCENT.iter().cycle().take(innocent.saturating_sub(alike));
    let pieces: Vec<Piece> = more.map(|kind| look_alike(&mut random, kind)).collect();
    files.extend(grouped(&mut random, "library", pieces));
    files
}

/// A text with its slots filled and every `«value»` taken note of.
pub(crate) fn filled(random: &mut Random, kind: &'static str, path: &str, text: &str) -> ProjectFile {
    let text = random.fill(text);
    let values = text.split('«').skip(1).filter_map(|rest| rest.split('»').next());
    let secrets = values.map(|value| Secret { kind, forms: vec![value.to_owned()] }).collect();
    let bytes = text.replace(['«', '»'], "").into_bytes();
    ProjectFile { path: path.to_owned(), bytes, secrets, innocent: Vec::new() }
}

/// A file of which every line is a look-alike.
fn look_alikes(random: &mut Random, kind: &'static str, path: &str, text: &str) -> ProjectFile {
    let text = random.fill(text);
    let innocent = text.lines().filter(|line| line.len() > 3).map(|line| (kind, line.to_owned())).collect();
    ProjectFile { path: path.to_owned(), bytes: text.into_bytes(), secrets: Vec::new(), innocent }
}

/// So many snippets, each kind before any comes again. No password is words alone: nothing tells those from a label, and
/// what share of them is found the benchmark says.
fn snippets(random: &mut Random, wanted: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while pieces.len() < wanted {
        for &(kind, extension, text) in KINDS.iter().chain(ENCODED) {
            let pair = format!("{}:{}", random.word(), random.strong_password());
            let text = text.replace("{password}", "{strong}").replace("@@", &base64(pair.as_bytes()));
            pieces.push(plant(random, kind, extension, &text));
        }
    }
    pieces.truncate(wanted);
    pieces
}

/// Files of snippets, those of a kind of file together, with ordinary lines between them.
fn grouped(random: &mut Random, folder: &str, mut pieces: Vec<Piece>) -> Vec<ProjectFile> {
    pieces.sort_by_key(|piece| piece.extension);
    let mut files: Vec<ProjectFile> = Vec::new();
    for same in pieces.chunk_by(|a, b| a.extension == b.extension) {
        for pieces in same.chunks(PER_FILE) {
            let extension = pieces[0].extension;
            // The name of an `.env` file would keep it out.
            let ending = if extension == "env" { "env.example" } else { extension };
            let path = format!("{folder}/{}{}.{ending}", random.word(), files.len());
            files.push(file_of(random, path, extension, pieces));
        }
    }
    files
}

fn file_of(random: &mut Random, path: String, extension: &str, pieces: &[Piece]) -> ProjectFile {
    let mut file = ProjectFile { path, ..ProjectFile::default() };
    let mut text = String::new();
    for piece in pieces {
        for _ in 0..1 + random.below(4) {
            text.push_str(&filler(random, extension));
            text.push('\n');
        }
        text.push_str(&piece.text);
        text.push('\n');
        match &piece.value {
            Some(value) => file.secrets.push(Secret { kind: piece.kind, forms: vec![value.clone()] }),
            None => file.innocent.push((piece.kind, piece.text.clone())),
        }
    }
    file.bytes = text.into_bytes();
    file
}
