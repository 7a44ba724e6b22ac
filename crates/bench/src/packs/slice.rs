//! A tree of so many source files, taken from a larger one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ai_assist_identity::Sha256;
use anyhow::{Result, ensure};

use crate::timing::files_below;

const SOURCES: &[&str] = &[
    "bash", "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "kt", "md", "php", "pl",
    "proto", "ps1", "py", "rb", "rs", "sh", "sql", "swift", "toml", "ts", "txt", "xml", "yaml", "yml",
];

/// Longer ones are data, whatever their name says.
const LONGEST: u64 = 500_000;

/// Copies whole packages until there are `wanted` files, and gives how many there are and their bytes.
///
/// Which packages does not follow from their names, so that a small slice is like a large one. If the tree has too few,
/// its files come again with another first line: no text occurs twice that does not in the tree.
pub(super) fn write(tree: &Path, folder: &Path, wanted: usize) -> Result<(usize, u64)> {
    let packages = packages(tree)?;
    ensure!(!packages.is_empty(), "{} holds no source file", tree.display());
    let (mut written, mut bytes) = (0, 0);
    for copy in 1.. {
        for files in &packages {
            for file in files {
                let target = folder.join(format!("copy-{copy}")).join(file.strip_prefix(tree)?);
                let Some(parent) = target.parent() else { continue };
                std::fs::create_dir_all(parent)?;
                let mut text = std::fs::read(file)?;
                if copy > 1 {
                    text.splice(0..0, format!("copy {copy} of {}\n", file.display()).into_bytes());
                }
                std::fs::write(target, &text)?;
                written += 1;
                bytes += text.len() as u64;
            }
            if written >= wanted {
                return Ok((written, bytes));
            }
        }
    }
    Ok((written, bytes))
}

/// The source files by package, that is by the first two folders.
fn packages(tree: &Path) -> Result<Vec<Vec<PathBuf>>> {
    let mut files = Vec::new();
    files_below(tree, &mut files)?;
    let mut packages: BTreeMap<(Sha256, PathBuf), Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !SOURCES.contains(&extension) || file.metadata()?.len() > LONGEST {
            continue;
        }
        let package: PathBuf = file.strip_prefix(tree)?.components().take(2).collect();
        let key = (Sha256::of(package.as_os_str().as_encoded_bytes()), package);
        packages.entry(key).or_default().push(file);
    }
    Ok(packages.into_values().collect())
}
