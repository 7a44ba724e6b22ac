//! Office documents: Word, PowerPoint, Excel, OpenDocument text.
//!
//! Readers of our own over a pull parser: what is wanted is text with its structure, which is a small part of these formats,
//! and every byte and level has to be counted. Crates that read all of them build trees of whole documents first and have no
//! limits.

mod blocks;
mod docx;
mod docx_styles;
mod odt;
mod pptx;
mod xlsx;
mod xlsx_values;
mod xml;

use std::collections::HashMap;

pub(crate) use self::docx::docx;
pub(crate) use self::odt::odt;
pub(crate) use self::pptx::pptx;
pub(crate) use self::xlsx::xlsx;

use self::xml::Xml;
use crate::archive::Archive;
use crate::{ConvertError, Format, Limits};

const ODT: &[u8] = b"application/vnd.oasis.opendocument.text";
/// How the files of old Office versions begin, and encrypted ones of new versions.
const COMPOUND: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

pub(crate) fn detect(path: &str, bytes: &[u8]) -> Option<Format> {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let by_name = match extension.as_deref() {
        Some("docx" | "docm" | "dotx") => Some(Format::Docx),
        Some("pptx" | "pptm" | "ppsx" | "potx") => Some(Format::Pptx),
        Some("xlsx" | "xlsm" | "xltx") => Some(Format::Xlsx),
        Some("odt" | "ott") => Some(Format::Odt),
        _ => None,
    };
    if bytes.starts_with(COMPOUND) {
        // Converting says why it can't be: it is encrypted.
        return by_name;
    }
    if !Archive::is(bytes) {
        return None;
    }
    if memchr::memmem::find(&bytes[..bytes.len().min(256)], ODT).is_some() {
        return Some(Format::Odt);
    }
    let Ok(archive) = Archive::open(bytes, &Limits::default()) else { return by_name };
    if !archive.contains("[Content_Types].xml") {
        return by_name.filter(|format| *format == Format::Odt && archive.contains("content.xml"));
    }
    let main = |folder: &str| archive.names().any(|name| name.starts_with(folder) && name.ends_with(".xml"));
    [("word/", Format::Docx), ("ppt/", Format::Pptx), ("xl/", Format::Xlsx)]
        .into_iter()
        .find(|(folder, _)| main(folder))
        .map(|(_, format)| format)
}

fn malformed(format: &'static str, detail: &str) -> ConvertError {
    ConvertError::Malformed { format, detail: detail.to_owned() }
}

fn open<'a>(bytes: &'a [u8], format: &'static str, limits: &Limits) -> Result<Archive<'a>, ConvertError> {
    if bytes.starts_with(COMPOUND) {
        let marker: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        return Err(match memchr::memmem::find(bytes, &marker) {
            Some(_) => ConvertError::Encrypted,
            None => malformed(format, "it is a file of Office 97 to 2003 under a new name"),
        });
    }
    Archive::open(bytes, limits)
}

/// A part of a document that it can't do without.
fn part(archive: &mut Archive, name: &str, format: &'static str) -> Result<String, ConvertError> {
    optional(archive, name)?.ok_or_else(|| malformed(format, &format!("{name} is missing")))
}

fn optional(archive: &mut Archive, name: &str) -> Result<Option<String>, ConvertError> {
    Ok(archive.read(name)?.map(xml::decode))
}

/// What a part refers to.
struct Relation {
    /// The last word of its type, as `hyperlink`.
    kind: String,
    /// The name of a part, or a URL if it is outside.
    target: String,
}

/// The relations of a part by their ids.
fn relations(
    archive: &mut Archive,
    of: &str,
    format: &'static str,
    limits: &Limits,
) -> Result<HashMap<String, Relation>, ConvertError> {
    let (folder, file) = of.rsplit_once('/').unwrap_or(("", of));
    let path = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
    let mut relations = HashMap::new();
    let Some(text) = optional(archive, &path)? else { return Ok(relations) };
    Xml::new(&text, format, limits).find("Relationship", &mut |_, tag| {
        let (Some(id), Some(target)) = (tag.attribute("Id"), tag.attribute("Target")) else { return Ok(()) };
        let kind = tag.attribute("Type").unwrap_or_default();
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        let outside = tag.attribute("TargetMode").as_deref() == Some("External");
        let target = if outside { target } else { resolve(folder, &target) };
        relations.insert(id, Relation { kind, target });
        Ok(())
    })?;
    Ok(relations)
}

/// The name of a part that another one in a folder refers to.
fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

/// The part that a document begins with.
fn main_part(
    archive: &mut Archive,
    usual: &str,
    format: &'static str,
    limits: &Limits,
) -> Result<String, ConvertError> {
    let relations = relations(archive, "", format, limits)?;
    let named =
        relations.into_values().find(|relation| relation.kind == "officeDocument").map(|relation| relation.target);
    Ok(named.filter(|name| archive.contains(name)).unwrap_or_else(|| usual.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_their_folder() {
        let cases = [
            ("word", "styles.xml", "word/styles.xml"),
            ("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml"),
            ("word", "/word/x.xml", "word/x.xml"),
            ("a", "../../../x", "x"),
        ];
        for (folder, target, name) in cases {
            assert_eq!(resolve(folder, target), name);
        }
    }
}
