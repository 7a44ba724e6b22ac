use std::collections::BTreeSet;
use std::path::Path;

use ai_assist_base::Cancel;
use ai_assist_base::watch::{FolderWatch, Pacing};

use crate::build::{BuildError, BuildEvent, BuildReport, BuildRequest, Result, build_repo};
use crate::gc::gc;
use crate::promote;

#[derive(Debug, Clone, Copy)]
pub struct WatchOptions {
    pub pacing: Pacing,
    /// So many of the latest builds stay, whoever uses them; older ones are collected after each build.
    pub keep: usize,
}

impl Default for WatchOptions {
    fn default() -> Self {
        WatchOptions { pacing: Pacing::default(), keep: 2 }
    }
}

#[derive(Debug)]
pub enum WatchEvent<'e> {
    Watching,
    /// There will be no events, for this reason; it is scanned every so often instead.
    Blind(String),
    Built(&'e Result<BuildReport>),
    /// Old builds could not be taken away.
    NotCollected(&'e BuildError),
}

/// Builds now, and again whenever files change, until the caller cancels.
pub fn watch(
    request: &BuildRequest,
    options: &WatchOptions,
    cancel: &Cancel,
    told: &mut dyn FnMut(WatchEvent<'_>),
) -> Result<()> {
    // What we write ourselves is no reason to build again.
    let cache = &request.cache.root;
    let is_hint = |path: &Path| !path.starts_with(cache);
    let mut watched = FolderWatch::new(vec![request.root.to_path_buf()], options.pacing, &is_hint);
    told(watched.deaf().map_or(WatchEvent::Watching, |why| WatchEvent::Blind(why.to_owned())));
    let mut first = true;
    while watched.next(cancel).is_some() {
        let built = build_repo(request, cancel, &mut |_: BuildEvent<'_>| {});
        // A watch builds for days: without this it would fill the disk.
        let collected = match &built {
            Ok(report) if !report.unchanged => collect(request, options.keep, cancel),
            _ => Ok(()),
        };
        told(WatchEvent::Built(&built));
        if let Err(error) = collected {
            told(WatchEvent::NotCollected(&error));
        }
        match built {
            Err(BuildError::Cancelled) => return Ok(()),
            Err(error) if first => return Err(error),
            _ => first = false,
        }
    }
    Ok(())
}

fn collect(request: &BuildRequest, keep: usize, cancel: &Cancel) -> Result<()> {
    let latest: BTreeSet<String> = promote::builds(&request.cache)?.into_iter().rev().take(keep).collect();
    gc(&request.cache, &latest, false, cancel).map(drop)
}
