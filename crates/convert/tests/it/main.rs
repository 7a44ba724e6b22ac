//! Conversions of whole files, through the interface that other crates use.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod hostile;
mod html_hostile;
mod html_pages;
mod isolated;
mod mutate;
mod office;
mod pdf;

use std::path::PathBuf;

fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn convert(name: &str, bytes: &[u8]) -> Result<String, ai_assist_convert::ConvertError> {
    let format = ai_assist_convert::Format::detect(name, bytes).unwrap_or_else(|| panic!("{name} has no format"));
    ai_assist_convert::convert(format, bytes, &ai_assist_convert::Limits::default()).map(|converted| converted.text)
}

/// A zip archive of entries that are not packed.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(data);
        let mut common = Vec::new();
        for number in [20u16, 0, 0, 0, 0] {
            common.extend_from_slice(&number.to_le_bytes());
        }
        for number in [crc.sum(), data.len() as u32, data.len() as u32] {
            common.extend_from_slice(&number.to_le_bytes());
        }
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0; 2]);
        let offset = out.len() as u32;
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&common);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(data);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (start, length) = (out.len() as u32, directory.len() as u32);
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for number in [entries.len() as u16; 2] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
}

/// A Word document whose main part is this XML.
fn docx(body: &str) -> Vec<u8> {
    zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", body.as_bytes())])
}
