//! Manual pages, in the macros `man` and `mdoc`, packed or not.
//!
//! `reader` turns roff into text lines and macro calls, `escape` reads what stands within a line, `page` and `mdoc` say
//! what the macros of either set mean, `writer` writes Markdown.

mod escape;
pub(crate) mod glyphs;
mod mdoc;
mod page;
mod reader;
mod table;
mod writer;

use std::borrow::Cow;
use std::io::Read;

use crate::{ConvertError, Format, Limits, emit};

const GZIP: &[u8] = &[0x1f, 0x8b];

/// How far into a page its title is looked for: what `pod2man` writes before it takes some 5 kB.
const PROBE: usize = 32 * 1024;

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let named = is_named_as_page(path);
    let head: Cow<'_, [u8]> = if bytes.starts_with(GZIP) {
        if !named {
            return None;
        }
        let mut head = Vec::new();
        // A file that breaks off still shows its head.
        let _ = flate2::read::GzDecoder::new(bytes).take(PROBE as u64).read_to_end(&mut head);
        head.into()
    } else {
        bytes[..bytes.len().min(PROBE)].into()
    };
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines().filter(|line| !line.trim().is_empty());
    let starts_as_roff = lines.next().is_some_and(|line| line.starts_with(['.', '\'']) || line.starts_with("\\\""));
    if !named && !starts_as_roff {
        return None;
    }
    let marks = if named { &[".TH ", ".Dd", ".Dt ", ".SH ", ".Sh ", ".so "][..] } else { &[".TH ", ".Dt "] };
    let marked = head.lines().any(|line| marks.iter().any(|mark| line.starts_with(mark)));
    let points = starts_as_roff && head.starts_with(".so man");
    (marked || points).then_some(Format::Man)
}

/// Whether a name ends as those of pages do: `.1`, `.3pm`, `.n`, each perhaps with `.gz`.
fn is_named_as_page(path: &str) -> bool {
    let path = path.strip_suffix(".gz").unwrap_or(path);
    let Some((_, extension)) = path.rsplit_once('.') else { return false };
    let bytes = extension.as_bytes();
    match bytes {
        [b'1'..=b'9', rest @ ..] => rest.len() <= 8 && rest.iter().all(u8::is_ascii_alphanumeric),
        _ => matches!(extension, "n" | "l" | "man" | "mdoc" | "roff"),
    }
}

pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<String, ConvertError> {
    let bytes = unpack(bytes, limits)?;
    let source = emit::decode(&bytes, "manual page")?;
    let is_mdoc = source.lines().any(|line| line.starts_with(".Dt") || line.starts_with(".Dd"));
    let text = if is_mdoc { mdoc::convert(&source, limits) } else { page::convert(&source, limits) };
    emit::finish(text, limits)
}

fn unpack<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Cow<'a, [u8]>, ConvertError> {
    if !bytes.starts_with(GZIP) {
        return Ok(bytes.into());
    }
    let mut unpacked = Vec::new();
    let limit = limits.max_unpacked;
    flate2::read::MultiGzDecoder::new(bytes)
        .take(limit.saturating_add(1))
        .read_to_end(&mut unpacked)
        .map_err(|error| ConvertError::Malformed { format: "gzip", detail: error.to_string() })?;
    if unpacked.len() as u64 > limit {
        return Err(ConvertError::TooLarge { what: "unpacked bytes", limit });
    }
    Ok(unpacked.into())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
