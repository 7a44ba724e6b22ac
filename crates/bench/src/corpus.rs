//! Real documents in any number: Markdown made from a tree of Rust sources and READMEs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Lines of source in one document: about a page of rustdoc.
const LINES: usize = 60;

/// Writes up to `wanted` Markdown documents below `folder`, in ten shelves, and gives how many there are and their bytes.
///
/// A Markdown file is taken as it is. A Rust file gives a document for each stretch of lines: doc comments become prose, the
/// code between them a fence, as on a page of rustdoc.
pub(crate) fn write(tree: &Path, folder: &Path, wanted: usize) -> Result<(usize, u64)> {
    let mut files = Vec::new();
    list(tree, &mut files)?;
    files.sort();
    let (mut written, mut bytes) = (0usize, 0u64);
    'files: for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let package = file
            .strip_prefix(tree)?
            .components()
            .nth(1)
            .map_or_else(String::new, |part| part.as_os_str().display().to_string());
        let pages = if file.extension().is_some_and(|e| e == "md") { vec![text] } else { pages(&file, &text) };
        for page in pages {
            if written == wanted {
                break 'files;
            }
            let shelf = folder.join(format!("shelf-{}", written % 10)).join(&package);
            std::fs::create_dir_all(&shelf)?;
            std::fs::write(shelf.join(format!("{written}.md")), &page)?;
            written += 1;
            bytes += page.len() as u64;
        }
    }
    Ok((written, bytes))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "md" || e == "rs") && path.metadata()?.len() < 200_000 {
            files.push(path);
        }
    }
    Ok(())
}

fn pages(file: &Path, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let name = file.file_stem().unwrap_or_default().display();
    let page = |(number, lines): (usize, &[&str])| {
        let mut page = format!("# {name}, part {}\n\n", number + 1);
        let mut in_code = false;
        for line in lines {
            let trimmed = line.trim_start();
            let prose = ["//!", "///"].iter().find_map(|mark| trimmed.strip_prefix(mark));
            if prose.is_some() == in_code {
                page.push_str(if in_code { "```\n\n" } else { "\n```rust\n" });
                in_code = !in_code;
            }
            page.push_str(prose.map_or(*line, |prose| prose.strip_prefix(' ').unwrap_or(prose)));
            page.push('\n');
        }
        if in_code {
            page.push_str("```\n");
        }
        page
    };
    lines.chunks(LINES).enumerate().map(page).collect()
}
