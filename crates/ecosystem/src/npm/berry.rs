//! `yarn.lock` as yarn 2 and later write it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::split_at_version;
use super::yaml_lines::each_line;
use super::yarn::{Entries, Entry};
use crate::Ecosystem;
use crate::listing::Listing;

/// One entry as its lines come in.
#[derive(Debug, Default)]
struct Block<'a> {
    /// `react@npm:^18.0.0, react@npm:^18.2.0`
    key: Cow<'a, str>,
    version: Cow<'a, str>,
    /// `react@npm:18.2.0`
    resolution: Cow<'a, str>,
    dependencies: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// The lock file lists the project's own packages too, with what they ask for, so that no manifest is needed.
pub(super) fn parse(text: &str) -> Listing {
    let mut listing = Listing::new(Ecosystem::Npm);
    let mut entries = Entries::default();
    let mut asked = Vec::new();
    for block in blocks(text).into_iter().filter(|block| block.key != "__metadata") {
        let Some((name, reference)) = split_at_version(&block.resolution) else {
            listing.unusable += 1;
            continue;
        };
        if reference.starts_with("workspace:") {
            asked.extend(block.dependencies);
        } else if !is_folder(reference) {
            let descriptors = block.key.split(", ").map(str::to_owned).collect();
            entries.add(descriptors, Entry { name: name.to_owned(), version: block.version.into_owned() });
        }
    }
    let direct: HashSet<usize> = asked.iter().filter_map(|(name, range)| entries.find(name, range)).collect();
    entries.list_into(&direct, &mut listing);
    listing
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    each_line(text, |path, value| match (path, blocks.last_mut()) {
        ([key], _) => blocks.push(Block { key: key.clone(), ..Block::default() }),
        ([_, field], Some(block)) if field == "version" => block.version = value.clone(),
        ([_, field], Some(block)) if field == "resolution" => block.resolution = value.clone(),
        ([_, field, name], Some(block)) if field == "dependencies" || field == "peerDependencies" => {
            block.dependencies.push((name.clone(), value.clone()));
        }
        _ => {}
    });
    blocks
}

/// A link to a folder. A `file:` reference may also be an archive, but neither has a published version.
fn is_folder(reference: &str) -> bool {
    ["link:", "portal:", "file:"].iter().any(|prefix| reference.starts_with(prefix))
}
