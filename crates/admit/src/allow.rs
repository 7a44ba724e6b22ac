//! Files somebody named by hand, past every rule.

use ai_assist_base::platform::{self, Errno, FileType, stat_at};

use crate::found::Found;
use crate::links::{Links, broken};
use crate::policy::Refusal;
use crate::{Candidate, Problem, Reason};

/// What naming a file by hand came to.
#[derive(Debug)]
pub(crate) enum Named {
    File(Candidate),
    Refused(Refusal),
    /// It is a folder of the tree: its files go by the rules.
    Folder,
    Missing,
}

impl Links<'_, '_> {
    /// Takes the files named by hand. The walk has left them out of its account, wherever it met them, so that one in a folder
    /// it did not enter is no different.
    pub(crate) fn take_allowed(&mut self, found: &mut Found) {
        for path in &self.visitor.allowed {
            match self.named(path, &mut found.problems) {
                Named::File(candidate) => {
                    found.seen += 1;
                    found.selected += 1;
                    found.linked.push(candidate);
                }
                Named::Refused(refusal) => {
                    found.seen += 1;
                    found.exclude(path, refusal);
                }
                Named::Folder => found.problem(path, "is a folder; only single files can be allowed".to_owned()),
                Named::Missing => found.problem(path, "is to be allowed but is not there".to_owned()),
            }
        }
    }

    pub(crate) fn named(&mut self, path: &[u8], problems: &mut Vec<Problem>) -> Named {
        match stat_at(&self.visitor.root.folder, path) {
            Ok(stat) if platform::kind(&stat) == FileType::Directory => Named::Folder,
            Ok(_) => self.selected_by_hand(path, problems).map_or_else(Named::Refused, Named::File),
            Err(Errno::NOENT | Errno::NOTDIR) => Named::Missing,
            Err(errno) => Named::Refused(broken(&errno.into())),
        }
    }

    fn selected_by_hand(&mut self, path: &[u8], problems: &mut Vec<Problem>) -> Result<Candidate, Refusal> {
        let real = self.inside(path)?;
        let stat = self.stat(&real)?;
        if platform::kind(&stat) != FileType::RegularFile {
            return Err(Refusal::new(Reason::NotAFile, "only a regular file can be allowed"));
        }
        // Who names a symlink has not seen where a repository lets it lead.
        if real != path && !self.visitor.allowed.contains(&real) {
            self.target_may(&real, problems)?;
        }
        self.visitor.select(path, (real != path).then_some(real), &stat)
    }
}
