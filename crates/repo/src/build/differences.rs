//! What a build would find, without building.

use std::collections::HashSet;

use ai_assist_base::Cancel;
use ai_assist_embed::{Embedder, StaticModel};
use ai_assist_index::Versions;
use ai_assist_ingest::Vectors;
use ai_assist_syntax::SyntaxCache;

use super::base::Base;
use super::examine::{Examined, Examiner};
use super::mode_build::ModeBuild;
use super::run::{examine_each, modes_of_request};
use super::survey::{checked_out_at, plan, survey, work_tree};
use super::{BuildError, BuildRequest, Result};
use crate::layout::Mode;
use crate::modes::modes_of;

/// How a repository differs from its current build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Differences {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) checkout_moved: bool,
}

/// Compares a repository with its current build, reading the files whose stamp does not settle it. Nothing is written.
///
/// The modes that have no base are answered back, because there is nothing to compare with.
pub(crate) fn differences(request: &BuildRequest, cancel: &Cancel) -> Result<(Differences, Vec<Mode>)> {
    let embedder: &dyn Embedder = StaticModel::bundled();
    let versions = Versions::current(embedder.model());
    let git = work_tree(&request.root, cancel);
    let (walked, stamps) = survey(request, &git, cancel)?;
    let mut modes: Vec<ModeBuild> = modes_of_request(request)
        .into_iter()
        .map(|mode| {
            ModeBuild::new(mode, Base::load(&request.cache, mode, &versions, embedder.dim(), true, request.quick))
        })
        .collect();
    let without: Vec<Mode> = modes.iter().filter(|mode| mode.base.is_none()).map(|mode| mode.mode).collect();
    modes.retain(|mode| mode.base.is_some());
    let tasks = plan(&walked, &stamps, &mut modes, false);
    let wanted: Vec<Mode> = modes.iter().map(|mode| mode.mode).collect();
    let (vectors, syntax) = (Vectors::new(embedder, None), &SyntaxCache::default());
    let examiner = Examiner { modes: &wanted, limits: &request.limits, vectors, syntax, prepare: false };
    let mut found = Differences::default();
    examine_each(&examiner, &tasks, cancel, |task, examined| {
        let path = task.candidate.path().as_str();
        match examined {
            Examined::Text(text) => {
                let belongs = modes_of(path, text.language);
                modes.iter_mut().filter(|mode| belongs.contains(&mode.mode)).for_each(|mode| mode.keep(path));
                if !text.differs.is_empty() {
                    let known = task.known.iter().any(Option::is_some);
                    *(if known { &mut found.changed } else { &mut found.added }) += 1;
                }
            }
            Examined::Failed(_) => modes.iter_mut().for_each(|mode| mode.keep(path)),
            Examined::Refused(..) | Examined::Vanished => {}
        }
        Ok(())
    })?;
    if cancel.is_cancelled() {
        return Err(BuildError::Cancelled);
    }
    let gone = modes.iter().flat_map(ModeBuild::not_kept).filter(|path| !walked.receipt.hides(path));
    found.removed = gone.collect::<HashSet<&str>>().len();
    let (checked_out, _) = checked_out_at(&git);
    found.checkout_moved =
        modes.iter().any(|mode| mode.base.as_ref().is_some_and(|base| base.state.checked_out_at() != checked_out));
    Ok((found, without))
}
