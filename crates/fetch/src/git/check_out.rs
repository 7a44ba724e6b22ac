//! The files of a commit, taken out of the repository one by one.
//!
//! There is no checkout: `ls-tree` lists the files, `cat-file` gives their bytes as they are stored, and we write them.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use ai_assist_git::{Answering, RemoteError};

use super::{CheckedOut, Commit, Git, GitError, GitOptions, GitSource, Result};
use crate::extract::{self, Extractor, shown};
use crate::{ExtractError, Limits};

/// Longer than any path that is written, so that one that is too long is refused by name.
const LINE_LIMIT: usize = 64 << 10;

impl GitSource {
    /// Writes the files of a commit into an empty folder that exists: all regular files, except those larger than
    /// [`Limits::max_file_bytes`]. Only this one commit is fetched, without its past.
    ///
    /// On an error the folder may hold a part, which the caller deletes.
    pub fn check_out(&self, commit: &Commit, into: &Path, git: &GitOptions<'_>, limits: &Limits) -> Result<CheckedOut> {
        let git = Git::open(self, git)?;
        let repository = make_repository(&git, commit)?;
        self.fetch(&git, &repository, commit, limits)?;
        check_type(&git, &repository, commit)?;
        take_files(&git, &repository, commit, into, limits)
    }

    /// Fetches the commit by its id or, from a server that has its references only, by the reference.
    fn fetch(&self, git: &Git<'_>, repository: &Path, commit: &Commit, limits: &Limits) -> Result<()> {
        match self.fetch_name(git, repository, commit.as_str(), limits) {
            Err(GitError::Remote(RemoteError::Failed { words, .. })) if refuses_commit(&words) => {}
            done => return done,
        }
        let url = git.url();
        if self.pinned().is_some() {
            return Err(GitError::NotServed { url, commit: commit.clone() });
        }
        let advertised = self.look_up(git)?;
        if advertised.commit != *commit {
            let reference = self.reference().unwrap_or("HEAD").to_owned();
            return Err(GitError::Moved { url, commit: commit.clone(), reference, now: advertised.commit });
        }
        self.fetch_name(git, repository, &advertised.full_name, limits)
    }

    fn fetch_name(&self, git: &Git<'_>, repository: &Path, name: &str, limits: &Limits) -> Result<()> {
        let mut command = git.command();
        command.arg("--git-dir").arg(repository);
        command.args(["fetch", "--quiet", "--no-progress", "--depth=1", "--no-tags", "--no-recurse-submodules"]);
        command.args(["--no-write-fetch-head", "--no-auto-maintenance", "--"]).arg(&self.remote).arg(name);
        let packs = repository.join("objects").join("pack");
        Ok(git.start("fetch from", command, Some((packs, limits.max_total_bytes)))?.finish()?)
    }
}

/// What git says when a server does not hand out a commit by its id, or does not have it.
fn refuses_commit(words: &str) -> bool {
    ["not our ref", "unadvertised object", "couldn't find remote ref"].iter().any(|said| words.contains(said))
}

/// An empty repository, without anything from the user's template: there may be hooks in it.
fn make_repository(git: &Git<'_>, commit: &Commit) -> Result<PathBuf> {
    let repository = git.folder().join("repository");
    let format = if commit.is_sha256() { "sha256" } else { "sha1" };
    let mut command = git.command();
    command.args(["init", "--quiet", "--bare", "--template=", "--object-format", format, "--"]).arg(&repository);
    git.run("make a repository for", command)?;
    Ok(repository)
}

fn check_type(git: &Git<'_>, repository: &Path, commit: &Commit) -> Result<()> {
    let mut command = git.command();
    command.arg("--git-dir").arg(repository).args(["cat-file", "-t", commit.as_str()]);
    let answer = git.run("read the commit from", command)?;
    match answer.trim_ascii() {
        b"commit" => Ok(()),
        what => Err(GitError::NotACommit { url: git.url(), id: commit.clone(), what: shown(what) }),
    }
}

fn take_files(git: &Git<'_>, repository: &Path, commit: &Commit, into: &Path, limits: &Limits) -> Result<CheckedOut> {
    let mut list = git.command();
    list.arg("--git-dir").arg(repository);
    list.args(["ls-tree", "-r", "-z", "--long", "--full-tree", commit.as_str()]);
    let mut list = git.start("list the files of", list, None)?;
    let mut read = git.command();
    read.arg("--git-dir").arg(repository).args(["cat-file", "--batch"]).stdin(Stdio::piped());
    let mut read = git.start("read the files of", read, None)?;

    let landing_error = |source: ExtractError| GitError::Extractor { url: git.url(), source };
    let mut extract = Extractor::new(into, limits);
    let mut done = CheckedOut::default();
    while let Some(line) = list.until(0, LINE_LIMIT)? {
        extract.count_entry().map_err(landing_error)?;
        let entry = Entry::parse(&line).ok_or_else(|| list.odd("there is a file without a type or size"))?;
        match entry.mode {
            b"120000" => done.links += 1,
            b"160000" => done.submodules += 1,
            mode if mode.starts_with(b"100") => write_file(git, &mut read, &mut extract, &entry)?,
            _ => return Err(list.odd("there is a file of an unknown type").into()),
        }
    }
    list.finish()?;
    read.finish()?;
    done.files = extract.finish();
    Ok(done)
}

fn write_file(git: &Git<'_>, read: &mut Answering<'_>, extract: &mut Extractor<'_>, entry: &Entry<'_>) -> Result<()> {
    let landing_error = |source| GitError::Extractor { url: git.url(), source };
    if entry.name.split(|&b| b == b'/').any(|part| part.eq_ignore_ascii_case(b".git")) {
        return Err(GitError::DotGit { url: git.url(), name: shown(entry.name) });
    }
    let path = extract::doc_path(entry.name).map_err(landing_error)?;
    if !(git.wanted)(&path) {
        return Ok(());
    }
    let size = entry.size.ok_or_else(|| read.odd("there is a file without a size"))?;
    let Some(mut file) = extract.file(&path, size).map_err(landing_error)? else { return Ok(()) };

    read.write(&[entry.id, b"\n"].concat())?;
    let wanted = [entry.id, b" blob ", size.to_string().as_bytes()].concat();
    if read.until(b'\n', LINE_LIMIT)? != Some(wanted) {
        return Err(read.odd("a file is not what the list says").into());
    }
    read.take(size, |bytes| extract.write(&mut file, bytes).map_err(landing_error))?;
    Ok(read.take(1, |_| Ok::<_, RemoteError>(()))?)
}

/// A line of `ls-tree`: `<mode> <type> <id> <size>\t<name>`, with spaces in front of the size.
struct Entry<'a> {
    mode: &'a [u8],
    id: &'a [u8],
    size: Option<u64>,
    name: &'a [u8],
}

impl<'a> Entry<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let tab = line.iter().position(|&b| b == b'\t')?;
        let mut fields = line[..tab].split(|&b| b == b' ').filter(|field| !field.is_empty());
        let (mode, _, id, size) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        Some(Entry { mode, id, size, name: &line[tab + 1..] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_list_are_read() {
        let entry = Entry::parse(b"100644 blob abc     123\tsome\tname\n").unwrap();
        assert_eq!((entry.mode, entry.id, entry.size), (&b"100644"[..], &b"abc"[..], Some(123)));
        assert_eq!(entry.name, b"some\tname\n");
        assert_eq!(Entry::parse(b"160000 commit abc       -\tsub").unwrap().size, None);
        for line in [&b""[..], b"100644 blob abc 1", b"100644 blob abc\tx"] {
            assert!(Entry::parse(line).is_none());
        }
    }
}
