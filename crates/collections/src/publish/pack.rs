//! Packing: the same input gives the same bytes, on every machine.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use ai_assist_admit::{Limits, Outcome};
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_fetch::{
    BundleError, BundleKind, BundleWriter, FileEntry, FileEntryObject, MANIFEST_FILE, Manifest, Sources, VectorsEntry,
};
use ai_assist_identity::{DocPath, Sha256};
use ai_assist_index::embedding_input;
use ai_assist_ingest::Cut;
use ai_assist_text::Language;
use serde::Serialize;

use super::check::{self, Checked, CheckedFile, LintFinding};
use crate::package::{read_capped, write_vectors};
use crate::{Error, Result};
use ai_assist_base::{Cancel, Replacement};

/// Where the vectors stand in a bundle.
const VECTORS_FILE: &str = ".ai-assist/vectors.bin";

/// What is done with a secret value in a file that is to be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnSecret {
    #[default]
    Fail,
    /// The value is taken out, and a marker stands in its place.
    Redact,
}

#[derive(Debug, Clone)]
pub struct PackOptions {
    pub manifest: PathBuf,
    /// The bundle; by default `<name>-<version>.tar.gz` in the current folder. Its ending says how it is compressed.
    pub output: Option<PathBuf>,
    /// What is done with secret values.
    pub on_secret: OnSecret,
    pub vectors: bool,
    pub limits: Limits,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Packed {
    pub name: String,
    pub version: String,
    pub path: PathBuf,
    /// Of its bytes.
    pub hash: Sha256,
    /// In bytes.
    pub size: u64,
    /// How many files it holds, the manifest not counted.
    pub files: usize,
    pub findings: Vec<LintFinding>,
    #[serde(skip)]
    pub(super) description: Option<String>,
    #[serde(skip)]
    pub(super) dependency: Option<String>,
}

/// Looks at a package without packing it.
pub fn check_package(manifest: &Path, limits: &Limits, cancel: &Cancel) -> Result<Checked> {
    check::check(manifest, limits, false, cancel)
}

pub fn pack(options: &PackOptions, cancel: &Cancel) -> Result<Packed> {
    let redact = options.on_secret == OnSecret::Redact;
    let checked = check::check(&options.manifest, &options.limits, redact, cancel)?;
    if !checked.is_sound() {
        return Err(Error::Unsound { manifest: options.manifest.clone(), findings: checked.findings });
    }
    let manifest = &checked.declared.manifest;
    let stem = format!("{}-{}", manifest.name.trim_start_matches('@').replace('/', "-"), manifest.version);
    let default = format!("{stem}{}", BundleKind::TarGz.extension());
    let path = match &options.output {
        None => PathBuf::from(default),
        Some(folder) if folder.is_dir() => folder.join(default),
        Some(file) => file.clone(),
    };
    let Some(kind) = BundleKind::of(&path.to_string_lossy()).filter(|kind| kind.is_written()) else {
        return Err(Error::BundleName(path));
    };
    let embedder: &dyn Embedder = StaticModel::bundled();
    let vectors = if options.vectors { Some(vectors(&checked, options, embedder)?) } else { None };
    let text = manifest_text(&checked, embedder, vectors.as_deref());
    let replacement = Replacement::begin(&path, 0o644).map_err(Error::io("writing", &path))?;
    let bundle = |source: BundleError| Error::Bundle { url: path.display().to_string(), source };
    let mut writer = BundleWriter::new(BufWriter::new(replacement), kind).map_err(bundle)?;
    writer.add(&own(MANIFEST_FILE)?, text.as_bytes()).map_err(bundle)?;
    if let Some(bytes) = &vectors {
        writer.add(&own(VECTORS_FILE)?, bytes).map_err(bundle)?;
    }
    for file in &checked.files {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        writer.add(&file.path, &content(file, options)?).map_err(bundle)?;
    }
    let out = writer.finish().map_err(bundle)?;
    let replacement = out.into_inner().map_err(|error| Error::io("writing", &path)(error.into_error()))?;
    let bytes = read_capped(replacement.path(), u64::MAX - 1)?;
    replacement.finish().map_err(Error::io("writing", &path))?;
    Ok(Packed {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        path,
        hash: Sha256::of(&bytes),
        size: bytes.len() as u64,
        files: checked.files.len(),
        findings: checked.findings,
        description: manifest.description.clone(),
        dependency: manifest.dependency.clone(),
    })
}

fn own(name: &str) -> Result<DocPath> {
    Ok(DocPath::parse(name)?)
}

/// What is packed of a file: its bytes, or its text where something had to be taken out.
fn content(file: &CheckedFile, options: &PackOptions) -> Result<Vec<u8>> {
    let changed = || Error::ChangedMeanwhile(file.path.as_str().to_owned());
    let bytes = match file.candidate.read_raw(&options.limits) {
        (Outcome::Admitted(_), Some(bytes)) => bytes,
        (Outcome::Admitted(admitted), None) if options.on_secret == OnSecret::Redact => {
            admitted.into_text().into_bytes()
        }
        _ => return Err(changed()),
    };
    if Sha256::of(&bytes) == file.hash { Ok(bytes) } else { Err(changed()) }
}

/// The manifest of the bundle: every file with its hash, and nothing that is ignored in a bundle.
fn manifest_text(checked: &Checked, embedder: &dyn Embedder, vectors: Option<&[u8]>) -> String {
    let given = &checked.declared.manifest;
    let entry = |file: &CheckedFile| {
        FileEntry::Object(FileEntryObject {
            path: Some(file.path.as_str().to_owned()),
            url: None,
            hash: Some(file.hash.to_string()),
        })
    };
    let manifest = Manifest {
        base_url: None,
        sources: Sources::Files(checked.files.iter().map(entry).collect()),
        vectors: vectors.map(|bytes| VectorsEntry {
            model: embedder.model().as_str().to_owned(),
            path: VECTORS_FILE.to_owned(),
            hash: Sha256::of(bytes).to_string(),
        }),
        ..given.clone()
    };
    // A manifest is plain data, whose keys are texts.
    let mut text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    text.push('\n');
    text
}

/// The vectors of all chunks, as a sync of the bundle would compute them.
fn vectors(checked: &Checked, options: &PackOptions, embedder: &dyn Embedder) -> Result<Vec<u8>> {
    let mut inputs = Vec::new();
    for file in &checked.files {
        let Outcome::Admitted(admitted) = file.candidate.read(&options.limits) else {
            return Err(Error::ChangedMeanwhile(file.path.as_str().to_owned()));
        };
        let text = admitted.text();
        let language = Language::detect(file.path.as_str(), text);
        let Cut { title, chunks, .. } = Cut::whole(text, language);
        inputs.extend(chunks.iter().map(|chunk| embedding_input(title.as_deref(), &chunk.path, &chunk.words())));
    }
    write_vectors(embedder, &inputs)
}
