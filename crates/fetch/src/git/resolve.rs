//! What a reference stands for at the remote.

use super::reference::Reference;
use super::{Commit, Git, GitError, GitOptions, GitSource, Result};

/// A reference as the remote has it now.
pub(super) struct Advertised {
    pub(super) full_name: String,
    pub(super) commit: Commit,
}

impl GitSource {
    /// The commit that the reference stands for at the remote now. That of an annotated tag is the one it was put on;
    /// without a reference it is that of `HEAD`. A reference that is a full commit is itself, and nobody is asked.
    ///
    /// Of a tag and a branch of the same name it is the tag, as everywhere in git.
    pub fn resolve(&self, git: &GitOptions<'_>) -> Result<Commit> {
        if let Some(commit) = self.pinned() {
            return Ok(commit.clone());
        }
        Ok(self.look_up(&Git::open(self, git)?)?.commit)
    }

    pub(super) fn look_up(&self, git: &Git<'_>) -> Result<Advertised> {
        let names = self.reference.as_ref().map_or_else(|| vec!["HEAD".to_owned()], Reference::full_names);
        let mut command = git.command();
        command.args(["ls-remote", "--quiet", "--"]).arg(&self.remote);
        for name in &names {
            command.arg(name).arg(format!("{name}^{{}}"));
        }
        let answer = git.run("list the branches and tags of", command)?;
        let lines = parse_lines(&answer, &self.url)?;
        let id_of = |name: &str| lines.iter().find(|(_, found)| found == name).map(|(id, _)| id.clone());
        names
            .into_iter()
            .find_map(|full_name| {
                // Both are there for an annotated tag: the tag itself, and what it was put on.
                let commit = id_of(&format!("{full_name}^{{}}")).or_else(|| id_of(&full_name))?;
                Some(Advertised { full_name, commit })
            })
            .ok_or_else(|| self.not_found())
    }

    fn not_found(&self) -> GitError {
        let url = self.url.clone();
        match &self.reference {
            None => GitError::NoHead(url),
            Some(short) if short.is_short_commit() => {
                GitError::ShortCommit { url, reference: short.as_str().to_owned() }
            }
            Some(reference) => GitError::NoReference { url, reference: reference.as_str().to_owned() },
        }
    }
}

/// The lines of `ls-remote`: an id, a tab, a name. Some match a pattern of ours only at their end.
fn parse_lines(answer: &[u8], url: &str) -> Result<Vec<(Commit, String)>> {
    let text = String::from_utf8_lossy(answer);
    text.lines()
        .map(|line| {
            let (id, name) = line.split_once('\t').unwrap_or((line, ""));
            let id = id.parse().map_err(|source| GitError::Id { url: url.to_owned(), source })?;
            Ok((id, name.to_owned()))
        })
        .collect()
}
