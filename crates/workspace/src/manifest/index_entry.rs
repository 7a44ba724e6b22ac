use std::collections::BTreeMap;
use std::path::Path;

use ai_assist_identity::{CanonicalPath, PathError};
use serde_json::Value;

use super::generate::Notes;
use super::memo::{Found, Memo};
use super::types::{Availability, DiagnosticCode, IndexEntry};
use ai_assist_base::strict_json;
use ai_assist_base::{ReadError, read_plain, resolve_below};
use ai_assist_repo::layout::{Mode, STATE_FILE};
use ai_assist_repo::pointer::PointerState;
use ai_assist_repo::signature::Artefacts;

use super::builds::Builds;

/// A state has a few hundred bytes.
const MAX_STATE: u64 = 64 << 10;
const MAX_KEY: usize = 256;

/// The index of a mode, by a pointer and the folder `base` of the repository's cache, whose links are resolved.
pub(super) fn index_entry(
    mode: Mode,
    pointer: &PointerState,
    base: &Path,
    builds: &mut Builds,
    memo: &Memo,
    notes: &mut Notes<'_>,
) -> Result<IndexEntry, PathError> {
    let mut entry = IndexEntry {
        mode,
        index_root: None,
        index_dir: None,
        present: false,
        index_signature_hash: None,
        cohort_key: None,
        compatibility_key: None,
        availability_reason: Availability::MissingIndexDir,
        details: BTreeMap::new(),
    };
    if pointer.is_invalid() {
        entry.availability_reason = Availability::InvalidPointer;
        return Ok(entry);
    }
    let Some(root) = pointer.index_root(mode) else {
        // A repository without any build has been noted as a whole.
        if pointer.exists {
            notes.warning(DiagnosticCode::IndexDirMissing, Some(mode), format!("the build has no mode {mode}"));
        }
        return Ok(entry);
    };
    let dir = root.join(mode.index_dir());
    entry.index_root = Some(CanonicalPath::from_absolute(root)?);
    entry.index_dir = Some(CanonicalPath::from_absolute(&dir)?);
    // What was found of a folder of the build, which is resolved, leads nowhere else.
    match builds.open(root).and_then(|build| memo.get(build, &dir)) {
        Some(found) => entry.is_present(found),
        None => look_into(&mut entry, &dir, base, memo, notes),
    }
    Ok(entry)
}

fn look_into(entry: &mut IndexEntry, dir: &Path, base: &Path, memo: &Memo, notes: &mut Notes<'_>) {
    let mode = Some(entry.mode);
    // The folder of the build is resolved, and this is its last part.
    let is_inside = match (dir.parent(), dir.file_name()) {
        (Some(root), Some(name)) => resolve_below(root, name).is_ok_and(|resolved| resolved.starts_with(base)),
        _ => false,
    };
    if !is_inside {
        entry.availability_reason = Availability::InvalidPointer;
        let message = format!("{} leads out of the repository's cache", dir.display());
        return notes.error(DiagnosticCode::BuildEscapes, mode, message);
    }
    entry.present = dir.is_dir();
    if !entry.present {
        return notes.warning(DiagnosticCode::IndexDirMissing, mode, format!("there is no folder {}", dir.display()));
    }
    let artefacts = match Artefacts::of(dir) {
        Ok(artefacts) => artefacts,
        Err(error) => {
            entry.availability_reason = Availability::MissingRequiredArtifacts;
            return notes.warning(DiagnosticCode::IndexUnreadable, mode, format!("it can't be listed: {error}"));
        }
    };
    let state = keys(entry, dir, notes);
    let signature = artefacts.signature(state.as_deref());
    entry.index_signature_hash = Some(signature.clone());
    if let Some(missing) = artefacts.missing() {
        entry.availability_reason = Availability::MissingRequiredArtifacts;
        entry.details.insert("missing".to_owned(), missing.to_owned());
        return notes.warning(DiagnosticCode::IndexArtifactsMissing, mode, format!("the index has no {missing}"));
    }
    if entry.cohort_key.is_none() && entry.compatibility_key.is_none() {
        entry.availability_reason = Availability::CompatKeyMissing;
        let message = "the index does not say what it can be compared with".to_owned();
        return notes.warning(DiagnosticCode::CompatKeyMissing, mode, message);
    }
    let (cohort_key, compatibility_key) = (entry.cohort_key.clone(), entry.compatibility_key.clone());
    let found = Found { signature, cohort_key, compatibility_key };
    memo.note(dir, &artefacts, &found);
    entry.is_present(found);
}

impl IndexEntry {
    fn is_present(&mut self, found: Found) {
        self.present = true;
        self.availability_reason = Availability::Present;
        self.index_signature_hash = Some(found.signature);
        (self.cohort_key, self.compatibility_key) = (found.cohort_key, found.compatibility_key);
    }
}

/// Reads the keys out of the index's state, and gives its text.
fn keys(entry: &mut IndexEntry, dir: &Path, notes: &mut Notes<'_>) -> Option<Vec<u8>> {
    let bytes = match read_plain(&dir.join(STATE_FILE), MAX_STATE) {
        Ok(file) => file.bytes,
        // What that means for its keys is noted where they are missed.
        Err(ReadError::Missing) => return None,
        Err(error) => {
            let message = format!("{STATE_FILE} can't be read: {error}");
            notes.warning(DiagnosticCode::IndexStateUnreadable, Some(entry.mode), message);
            return None;
        }
    };
    match parsed(&bytes, entry.mode) {
        Ok((cohort, compatibility)) => (entry.cohort_key, entry.compatibility_key) = (cohort, compatibility),
        Err(why) => {
            let message = format!("{STATE_FILE} can't be used: {why}");
            notes.warning(DiagnosticCode::IndexStateUnreadable, Some(entry.mode), message);
        }
    }
    Some(bytes)
}

fn parsed(bytes: &[u8], mode: Mode) -> Result<(Option<String>, Option<String>), String> {
    let state = strict_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if !state.is_object() {
        return Err("it holds no object".to_owned());
    }
    if let Some(other) = state.get("mode").filter(|found| found.as_str() != Some(mode.as_str())) {
        let other: String = other.to_string().chars().take(MAX_KEY).collect();
        return Err(format!("it is of the mode {other}"));
    }
    Ok((key(&state, "cohortKey")?, key(&state, "compatibilityKey")?))
}

/// A key of the state; one that is null is not there.
fn key(state: &Value, name: &str) -> Result<Option<String>, String> {
    match state.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(key))
            if !key.is_empty() && key.len() <= MAX_KEY && !key.chars().any(|c| c.is_control() || c.is_whitespace()) =>
        {
            Ok(Some(key.clone()))
        }
        Some(_) => Err(format!("`{name}` is no key")),
    }
}
