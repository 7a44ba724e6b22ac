//! Writing packs and receipts: whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};

use ai_assist_base::platform;
use ai_assist_identity::{Sha256, Sha256Builder};

use crate::commands::prelude::*;

/// A file that is being written. It is seen only once it is complete: at any moment there is the old one or the new one.
pub(super) struct Draft {
    place: Place,
    out: BufWriter<File>,
    hash: Sha256Builder,
    bytes: u64,
}

enum Place {
    Beside(PathBuf, tempfile::TempPath),
    /// Nowhere, to be sent on to a pipe, a device or standard output.
    Nowhere(Option<PathBuf>),
}

impl Draft {
    /// A draft of a file; of standard output for none.
    pub(super) fn of(file: Option<&Path>) -> Result<Draft> {
        let new = |place, out| Draft {
            place,
            out: BufWriter::with_capacity(1 << 18, out),
            hash: Sha256Builder::new(),
            bytes: 0,
        };
        let spool = |file: Option<&Path>| {
            let out = tempfile::tempfile().context("no temporary file can be made")?;
            Ok(new(Place::Nowhere(file.map(Path::to_owned)), out))
        };
        let Some(file) = file else { return spool(None) };
        // A pipe or a device is no place for a file beside it.
        if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return spool(Some(file));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = platform::temporary_for_all(folder, ".ai-assist-").with_context(|| failed(file))?;
        let (out, path) = temporary.into_parts();
        Ok(new(Place::Beside(file.to_owned(), path), out))
    }

    /// The hash and the number of all bytes so far.
    pub(super) fn seal(&self) -> (Sha256, u64) {
        (self.hash.clone().finish(), self.bytes)
    }

    pub(super) fn publish(self) -> Result<()> {
        let mut out =
            self.out.into_inner().map_err(std::io::IntoInnerError::into_error).context("the pack can't be written")?;
        match self.place {
            Place::Beside(file, temporary) => {
                out.sync_all().with_context(|| failed(&file))?;
                drop(out);
                temporary.persist(&file).with_context(|| failed(&file))
            }
            Place::Nowhere(file) => {
                out.seek(SeekFrom::Start(0))?;
                match file {
                    Some(file) => {
                        let mut device = OpenOptions::new().write(true).open(&file).with_context(|| failed(&file))?;
                        std::io::copy(&mut out, &mut device).with_context(|| failed(&file))?;
                    }
                    None => {
                        let mut stdout = std::io::stdout().lock();
                        std::io::copy(&mut out, &mut stdout)?;
                        stdout.flush()?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn failed(file: &Path) -> String {
    format!("{} can't be written", file.display())
}

/// Puts bytes into a file, whole or not at all.
pub(super) fn write_whole(file: &Path, bytes: &[u8]) -> Result<()> {
    let mut draft = Draft::of(Some(file))?;
    draft.write_all(bytes).with_context(|| failed(file))?;
    draft.publish()
}

/// `pack.json` is `pack.02.json` as the second of ten parts.
pub(super) fn part_name(file: &Path, number: usize, of: usize) -> PathBuf {
    let width = of.to_string().len();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(extension) => format!("{stem}.{number:0width$}.{}", extension.to_string_lossy()),
        None => format!("{stem}.{number:0width$}"),
    };
    file.with_file_name(name)
}

pub(super) fn receipt_name(pack: &Path) -> PathBuf {
    let mut name = pack.file_name().unwrap_or_default().to_owned();
    name.push(".receipt.yaml");
    pack.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_output() {
        assert_eq!(part_name(Path::new("/x/pack.json"), 2, 12), Path::new("/x/pack.02.json"));
        assert_eq!(part_name(Path::new("out"), 1, 3), Path::new("out.1"));
        assert_eq!(receipt_name(Path::new("/x/pack.tar.md")), Path::new("/x/pack.tar.md.receipt.yaml"));
    }
}
