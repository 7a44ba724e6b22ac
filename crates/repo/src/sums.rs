//! The checksums of a mode's files in a build. A build never changes once it is current, so whatever differs is damage.
//!
//! `index-<mode>/sums` has a line for each file of the index and for its database: the CRC-32, the size and the name. Sizes are
//! compared whenever an index is opened; contents before a build is gone on from, and by whoever looks for damage.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ai_assist_base::{platform, read_plain, replace_file};
use rayon::prelude::*;

use crate::build::{BuildError, Result};
use crate::layout::{Mode, SQLITE_DIR};
use crate::promote::FILE_MODE;
use crate::signature::Artefacts;

pub(crate) const SUMS_FILE: &str = "sums";
/// The first word of the file, with the version of its form.
const HEAD: &str = "sums-1";
/// An index has some dozens of files.
const LARGEST: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    crc: u32,
    size: u64,
}

/// By name, as in the folder of the build.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums(BTreeMap<String, Sum>);

impl Sums {
    /// Sums up the files of a mode in a new build and writes that down. What it shares with the build it comes from has the sums
    /// that were written there, so that damage which came since is not taken for right.
    pub(crate) fn write(build: &Path, mode: Mode, base: Option<&Path>) -> Result<()> {
        let known = base.map(|base| (base, Sums::read(base, mode).ok().flatten().unwrap_or_default()));
        let sum = |name: String| -> Result<(String, Sum)> {
            let path = build.join(&name);
            let shared = known.as_ref().and_then(|(base, known)| {
                let same = inode(&base.join(&name)).is_some_and(|found| Some(found) == inode(&path));
                known.0.get(&name).copied().filter(|_| same)
            });
            let sum = shared.map_or_else(|| sum_of(&path), Ok).map_err(BuildError::io("reading", &path))?;
            Ok((name, sum))
        };
        let sums: BTreeMap<String, Sum> = files(build, mode)?.into_par_iter().map(sum).collect::<Result<_>>()?;
        let mut text = format!("{HEAD} {}\n", sums.len());
        for (name, Sum { crc, size }) in &sums {
            // Writing to a string can't fail.
            let _ = writeln!(text, "{crc:08x} {size} {name}");
        }
        let path = file_of(build, mode);
        replace_file(&path, text.as_bytes(), FILE_MODE).map_err(BuildError::io("writing", &path))
    }

    /// The sums of a mode in a build; none if the build was made before there were any.
    fn read(build: &Path, mode: Mode) -> Result<Option<Sums>> {
        let path = file_of(build, mode);
        let bytes = match read_plain(&path, LARGEST) {
            Ok(file) => file.bytes,
            Err(ai_assist_base::ReadError::Missing) => return Ok(None),
            Err(error) => return Err(BuildError::io("reading", &path)(error.into())),
        };
        let parsed = std::str::from_utf8(&bytes).ok().and_then(Sums::parse);
        parsed.map(Some).ok_or_else(|| damaged(&path, "is not as it was written"))
    }

    fn parse(text: &str) -> Option<Sums> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let count: usize = lines.next()?.strip_prefix(HEAD)?.strip_prefix(' ')?.parse().ok()?;
        let line = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let (crc, size) = (u32::from_str_radix(parts.next()?, 16).ok()?, parts.next()?.parse().ok()?);
            Some((parts.next()?.to_owned(), Sum { crc, size }))
        };
        let sums: BTreeMap<String, Sum> = lines.map(line).collect::<Option<_>>()?;
        (sums.len() == count).then_some(Sums(sums))
    }
}

/// Checks that the files of a mode are there with their sizes. Cheap: nothing is read but the sums.
pub(crate) fn check_sizes(build: &Path, mode: Mode, artefacts: &Artefacts) -> Result<()> {
    let Some(sums) = Sums::read(build, mode)? else { return Ok(()) };
    let folder = format!("{}/", mode.index_dir());
    for (name, sum) in &sums.0 {
        let size = match name.strip_prefix(&folder) {
            Some(inner) => artefacts.size(inner.as_bytes()),
            None => build.join(name).symlink_metadata().ok().map(|found| found.len()),
        };
        if size != Some(sum.size) {
            return Err(damaged(&build.join(name), &unlike(size, sum.size)));
        }
    }
    Ok(())
}

/// Reads every file of a mode in a build and compares it with its sum. A build without sums can't be told to be right.
pub(crate) fn check_all(build: &Path, mode: Mode) -> Result<()> {
    let path = file_of(build, mode);
    let sums = Sums::read(build, mode)?.ok_or_else(|| damaged(&path, "is not there"))?;
    let expected: Vec<(&String, &Sum)> = sums.0.iter().collect();
    expected.into_par_iter().try_for_each(|(name, sum)| {
        let path = build.join(name);
        let found = match sum_of(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged(&path, "is not there")),
            Err(error) => return Err(BuildError::io("reading", &path)(error)),
        };
        match found {
            found if found == *sum => Ok(()),
            found if found.size != sum.size => Err(damaged(&path, &unlike(Some(found.size), sum.size))),
            _ => Err(damaged(&path, "does not hold what was written")),
        }
    })
}

fn unlike(found: Option<u64>, expected: u64) -> String {
    found.map_or("is not there".to_owned(), |found| format!("has {found} bytes where {expected} were written"))
}

fn damaged(path: &Path, why: &str) -> BuildError {
    BuildError::Damaged { path: path.to_owned(), why: why.to_owned() }
}

fn file_of(build: &Path, mode: Mode) -> PathBuf {
    build.join(mode.index_dir()).join(SUMS_FILE)
}

/// The files of a mode in a build, as names from its folder: those of the index, and the database.
fn files(build: &Path, mode: Mode) -> Result<Vec<String>> {
    let index_dir = build.join(mode.index_dir());
    let artefacts = Artefacts::of(&index_dir).map_err(BuildError::io("reading", &index_dir))?;
    let mut names = vec![format!("{SQLITE_DIR}/{}", mode.db_name())];
    names.extend(artefacts.names().map(|name| format!("{}/{name}", mode.index_dir())));
    names.retain(|name| *name != format!("{}/{SUMS_FILE}", mode.index_dir()));
    Ok(names)
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    let found = path.symlink_metadata().and_then(|found| platform::facts(path, &found)).ok()?;
    Some((found.device, found.inode))
}

fn sum_of(path: &Path) -> io::Result<Sum> {
    let mut file = File::open(path)?;
    let mut crc = crc32fast::Hasher::new();
    let mut block = vec![0; 1 << 18];
    let mut size = 0;
    loop {
        match file.read(&mut block)? {
            0 => return Ok(Sum { crc: crc.finalize(), size }),
            read => {
                crc.update(&block[..read]);
                size += read as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_of_sums_are_believed() {
        let text = "sums-1 2\n0000000a 3 a b\nffffffff 0 c\n";
        let sums = Sums::parse(text).unwrap();
        assert_eq!(sums.0["a b"], Sum { crc: 10, size: 3 });
        for at in 0..text.len() {
            assert_eq!(Sums::parse(&text[..at]), None, "cut at {at}");
        }
        assert_eq!(Sums::parse(&text.replace("sums-1", "sums-2")), None);
        assert_eq!(Sums::parse(&text.replace(" 3 ", " x ")), None);
    }
}
