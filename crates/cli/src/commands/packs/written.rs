//! Writing packs and receipts: whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Puts bytes into a file, which is either the old one or the new one at any moment.
pub(super) fn write_whole(file: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("{} can't be written", file.display());
    // A pipe or a device is no place for a file beside it.
    if file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return std::fs::OpenOptions::new()
            .write(true)
            .open(file)
            .and_then(|mut out| out.write_all(bytes))
            .with_context(failed);
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix(".ai-assist-").tempfile_in(folder).with_context(failed)?;
    temporary.write_all(bytes).with_context(failed)?;
    temporary.as_file().sync_all().with_context(failed)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    temporary.as_file().set_permissions(mode).with_context(failed)?;
    temporary.persist(file).with_context(failed)?;
    Ok(())
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

/// The receipt beside a pack.
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
