//! One call of a tool, as the tool sees it.

use ai_assist_app::Project;
use ai_assist_base::Cancel;
use ai_assist_collections::{ConfigEdit, EditResult, Edited, ProjectConfig};

use crate::outcome::{Failure, Forms};
use crate::tool::Offered;

/// How far a call is: done, of how many, and what is being done.
pub type Report<'r> = &'r (dyn Fn(f64, Option<f64>, String) + Send + Sync);

/// The project of a call, and how the call came by it.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Its folder has symlinks resolved.
    pub(crate) project: Project,
    /// What the call named it by, if that is how it was found: the next call has to do the same.
    pub(crate) named: Option<String>,
    pub(crate) warnings: Vec<String>,
}

/// A call: the project it is about, and the ways to ask and to tell.
pub(crate) struct Call<'c> {
    pub(crate) subject: &'c Subject,
    pub(crate) project: &'c Project,
    pub(crate) cancel: &'c Cancel,
    /// Whether packages are held to their locks.
    pub(crate) frozen: bool,
    pub(crate) report: Report<'c>,
    /// The forms in which the answer is wanted.
    pub(crate) forms: Forms,
    pub(crate) offered: &'c Offered,
}

impl Call<'_> {
    /// Changes the project's configuration, in the one way in which it is changed.
    pub(crate) fn edit(
        &self,
        change: impl FnOnce(ConfigEdit<'_>) -> EditResult<Edited>,
    ) -> Result<ProjectConfig, Failure> {
        Ok(self.project.new_target().edit(change)?.after)
    }
}
