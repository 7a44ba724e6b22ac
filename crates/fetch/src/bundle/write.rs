//! Writing bundles whose bytes depend on nothing but what is in them.

use std::io::{self, Write};

use ai_assist_identity::DocPath;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use super::{BundleError, BundleKind, Result};
use crate::extract::check_length;

const BLOCK: usize = 512;
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 9;
/// "Unknown" in the header of gzip.
const ANY_SYSTEM: u8 = 255;
/// What a program that does not know long names would call the record.
const LONG_NAME: &[u8] = b"././@LongLink";

enum Encoder<W: Write> {
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

/// Writes a bundle: the same paths and contents in the same order give the same bytes, whenever and by whomever.
///
/// Give each path once; [`unpack`](super::unpack) refuses an archive that has one twice.
pub struct BundleWriter<W: Write> {
    encoder: Encoder<W>,
}

impl<W: Write> BundleWriter<W> {
    /// A bundle without any file yet.
    pub fn new(out: W, kind: BundleKind) -> Result<Self> {
        let encoder = match kind {
            BundleKind::TarGz => Encoder::Gzip(
                GzBuilder::new().mtime(0).operating_system(ANY_SYSTEM).write(out, Compression::new(GZIP_LEVEL)),
            ),
            BundleKind::TarZst => Encoder::Zstd(zstd_encoder(out).map_err(BundleError::Write)?),
            BundleKind::Zip => return Err(BundleError::NotWritten(kind)),
        };
        Ok(BundleWriter { encoder })
    }

    pub fn add(&mut self, path: &DocPath, bytes: &[u8]) -> Result<()> {
        let name = path.to_path_buf().into_os_string().into_encoded_bytes();
        check_length(&name)?;
        let mut header = header(EntryType::Regular, bytes.len());
        let field = &mut header.as_old_mut().name;
        // The name of a file behind a long name is ignored; a part of it is what others write there.
        let fits = name.len().min(field.len());
        field[..fits].copy_from_slice(&name[..fits]);
        let long = name.len() > field.len();
        header.set_cksum();
        if long {
            self.long_name(&name).map_err(BundleError::Write)?;
        }
        self.record(&header, bytes).map_err(BundleError::Write)
    }

    /// Writes the end, and gives back what was written to.
    pub fn finish(mut self) -> Result<W> {
        let end = self.out().write_all(&[0; 2 * BLOCK]);
        end.and_then(|()| match self.encoder {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        })
        .map_err(BundleError::Write)
    }

    /// The way of GNU tar, which every program reads and which takes bytes that are no text, as PAX does not.
    fn long_name(&mut self, name: &[u8]) -> io::Result<()> {
        let content = [name, b"\0"].concat();
        let mut header = header(EntryType::GNULongName, content.len());
        header.as_old_mut().name[..LONG_NAME.len()].copy_from_slice(LONG_NAME);
        header.set_cksum();
        self.record(&header, &content)
    }

    fn record(&mut self, header: &Header, content: &[u8]) -> io::Result<()> {
        let padding = content.len().next_multiple_of(BLOCK) - content.len();
        let out = self.out();
        out.write_all(header.as_bytes())?;
        out.write_all(content)?;
        out.write_all(&[0; BLOCK][..padding])
    }

    fn out(&mut self) -> &mut dyn Write {
        match &mut self.encoder {
            Encoder::Gzip(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        }
    }
}

fn zstd_encoder<W: Write>(out: W) -> io::Result<zstd::Encoder<'static, W>> {
    let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

/// A header without times and owners, and without a checksum yet.
fn header(kind: EntryType, size: usize) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size as u64);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}
