//! The program, and how it is run so that a repository has no say in what else is run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ai_assist_base::platform;

use crate::GitError;

/// The first with `--config-env`.
pub(crate) const OLDEST: (u32, u32) = (2, 31);

/// Scripts that go by its name on Windows are none that we start: their arguments would be read by a shell.
const PROGRAM: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// Variables that would lead git to another repository, or change what it is. Whoever runs git on a repository of its own
/// choice takes them away.
const LEADS_ELSEWHERE: &str = "\
    GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR \
    GIT_NAMESPACE GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE GIT_QUARANTINE_PATH GIT_PREFIX \
    GIT_DEFAULT_HASH GIT_DEFAULT_REF_FORMAT LANGUAGE";

/// These would change how a repository is read. Settings given by variable (`GIT_CONFIG_COUNT`) stay: a build server says
/// with them which folders it trusts. Ours come after them and win.
const READ_OTHERWISE: [&str; 9] = [
    "GIT_IMPLICIT_WORK_TREE", "GIT_CONFIG", "GIT_ATTR_SOURCE", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS",
    "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_SSH",
];

/// Settings that hold wherever git is run.
const ALWAYS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Settings that hold whatever the repository has set. Most name programs that no command used here runs; they are here
/// so that this does not rest on knowing git by heart.
const SETTINGS: [&str; 10] = [
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "core.editor=false",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    // A folder that looks like a repository without a work tree may be planted in another one's.
    "safe.bareRepository=explicit",
];

#[derive(Debug, Clone)]
pub(crate) struct Program {
    path: PathBuf,
    env: Arc<[(OsString, OsString)]>,
}

impl Program {
    /// Looks for it, by absolute folders only: a relative one would be that of the repository.
    pub(crate) fn find(env: &[(OsString, OsString)]) -> Result<Program, GitError> {
        let own = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let folders = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let mut places = std::env::split_paths(&folders).filter(|f| f.is_absolute()).map(|f| f.join(PROGRAM));
        let path = places.find(|place| platform::is_program(place)).ok_or(GitError::NoGit)?;
        Ok(Program { path, env: env.into() })
    }

    /// A command that is about no other repository than the caller says, and starts nothing behind its back.
    pub(crate) fn without_inheritance(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(folder);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        for name in LEADS_ELSEWHERE.split_ascii_whitespace() {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C");
        command.env("GIT_NO_LAZY_FETCH", "1");
        command.args(["--no-pager", "--no-replace-objects"]);
        for setting in ALWAYS {
            command.args(["-c", setting]);
        }
        command
    }

    /// A command about a repository that is not trusted.
    pub(crate) fn command(&self, folder: &Path) -> Command {
        let mut command = self.without_inheritance(folder);
        for name in READ_OTHERWISE {
            command.env_remove(name);
        }
        command.env("GIT_TERMINAL_PROMPT", "0");
        // A list without any, which is stronger than the setting above.
        command.env("GIT_ALLOW_PROTOCOL", "");
        command.env("GIT_OPTIONAL_LOCKS", "0");
        command.arg("--literal-pathspecs");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
    }
}

/// Whether what `git version` says is new enough; else what it says of itself.
pub(crate) fn check_version(answer: &[u8], oldest: (u32, u32)) -> Result<(), String> {
    let text = String::from_utf8_lossy(answer);
    let found = text.trim().strip_prefix("git version ").unwrap_or(text.trim());
    if version(found).is_some_and(|version| version >= oldest) {
        return Ok(());
    }
    Err(found.chars().filter(|c| !c.is_control()).take(80).collect())
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (text, good) in [
            ("git version 2.47.3\n", true),
            ("git version 2.39.5 (Apple Git-154)", true),
            ("git version 2.31.0", true),
            ("git version 2.30.9", false),
            ("git version 1.99", false),
            ("git version 3.0-rc1", true),
            ("unknown", false),
            ("", false),
            ("git version 99999999999.1", false),
        ] {
            assert_eq!(check_version(text.as_bytes(), OLDEST).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn no_relative_folder_of_the_path_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = |value: String| [(OsString::from("PATH"), OsString::from(value))];
        let place = folder.path().join("git");
        assert!(matches!(Program::find(&path(folder.path().display().to_string())), Err(GitError::NoGit)));
        std::fs::write(&place, "").unwrap();
        assert!(matches!(Program::find(&path(folder.path().display().to_string())), Err(GitError::NoGit)));
        std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(Program::find(&path(format!(".::x:{}", folder.path().display()))).unwrap().path, place);
        assert!(matches!(Program::find(&path(".:".to_owned())), Err(GitError::NoGit)));
    }
}
