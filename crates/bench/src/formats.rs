//! Converters: megabytes in a second beside reading the same bytes; and how much of what other programs find in real files is found.

mod generated;
mod peers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ai_assist_convert::{Format, Limits, convert};
use anyhow::{Result, ensure};

/// The best of some runs is what the machine does when nothing else runs on it.
const REPEATS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Formats {
    /// Folders of real documents; without any, generated ones and the fixtures of the tests
    folders: Vec<PathBuf>,
    /// Compare the words with those of pdftotext and mandoc, as far as they are on the PATH
    #[arg(long)]
    peers: bool,
    /// Also name the documents of which least is found
    #[arg(long)]
    show: bool,
}

/// A document to convert.
struct Document {
    /// Where it stands, for other programs to read.
    path: PathBuf,
    format: Format,
    bytes: Vec<u8>,
}

/// What converting all documents of one format took.
#[derive(Default)]
struct Row {
    documents: usize,
    bytes: usize,
    text: usize,
    refused: usize,
    slowest: Duration,
    reading: Duration,
    converting: Duration,
}

pub(crate) fn run(args: &Formats) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let documents = if args.folders.is_empty() {
        generated::write(scratch.path())?;
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../convert/tests/fixtures");
        collect(&[scratch.path().to_owned(), fixtures])?
    } else {
        collect(&args.folders)?
    };
    ensure!(!documents.is_empty(), "no document of a format that is converted was found");
    speed(&documents)?;
    if args.peers {
        peers::compare(&documents, args.show)?;
    }
    Ok(())
}

/// All documents below some folders, in the order of their names.
fn collect(folders: &[PathBuf]) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut left: Vec<PathBuf> = folders.to_vec();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                left.push(entry?.path());
            }
            continue;
        }
        let bytes = std::fs::read(&path)?;
        if let Some(format) = Format::detect(&path.to_string_lossy(), &bytes) {
            documents.push(Document { path, format, bytes });
        }
    }
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(documents)
}

fn speed(documents: &[Document]) -> Result<()> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for document in documents {
        let row = rows.entry(document.format.converter()).or_default();
        let (reading, _) = best(|| std::fs::read(&document.path).map(|bytes| checksum(&bytes)));
        let (converting, outcome) = best(|| convert(document.format, &document.bytes, &Limits::default()));
        row.documents += 1;
        row.bytes += document.bytes.len();
        row.text += outcome.as_ref().map_or(0, |converted| converted.text.len());
        row.refused += usize::from(outcome.is_err());
        row.slowest = row.slowest.max(converting);
        row.reading += reading;
        row.converting += converting;
    }
    println!(
        "| converter | documents | MB | MB/s | reading the bytes, MB/s | text, MB | slowest document | left out |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (converter, row) in rows {
        let megabytes = row.bytes as f64 / 1e6;
        println!(
            "| {converter} | {} | {megabytes:.2} | {:.0} | {:.0} | {:.2} | {:.1} ms | {} |",
            row.documents,
            megabytes / row.converting.as_secs_f64(),
            megabytes / row.reading.as_secs_f64(),
            row.text as f64 / 1e6,
            row.slowest.as_secs_f64() * 1e3,
            row.refused,
        );
    }
    Ok(())
}

fn best<T>(work: impl Fn() -> T) -> (Duration, T) {
    let once = || {
        let started = Instant::now();
        let done = work();
        (started.elapsed(), done)
    };
    (1..REPEATS).fold(once(), |best, _| {
        let next = once();
        if next.0 < best.0 { next } else { best }
    })
}

/// Looks at every byte, so that reading is not left out.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum ^ u64::from_le_bytes(word)
    })
}
