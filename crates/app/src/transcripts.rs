//! Sessions that other programs have recorded: transcripts taken in, all that there are on this machine, and what hooks have told.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ai_assist_base::platform::PrivateFile;
use ai_assist_base::{Cancel, FileLock, FileStamp, RealPath, chain, now_ns, platform, read_bounded, replace_file};
use ai_assist_identity::Sha256;
use ai_assist_repo::root::{canonical_root, work_tree_top};
use ai_assist_session::replay::Replayed;
use ai_assist_session::transcript::found::{Found, Homes, LARGEST};
use ai_assist_session::transcript::hooks::{self, HookCall};
use ai_assist_session::transcript::{Format, Transcript, TranscriptError};
use ai_assist_session::{Error as SessionError, Filesystem, How, NewSession, Session, SessionName};
use serde::{Deserialize, Serialize};

use crate::{Error, Project, Result};

/// What was taken in of each file, so that one that has not changed is not read again. May be deleted at any time.
const LEDGER: &str = "session-imports.json";
const LARGEST_LEDGER: u64 = 256 << 20;
/// What hooks have told and no session knows yet.
const SPOOL: &str = "session-spool";
const TOLD: &str = "told.jsonl";
/// A spool that nobody has taken in for so long takes no more.
const LARGEST_SPOOL: u64 = 512 << 20;
/// So long a hook waits for another one, at most.
const PATIENCE: Duration = Duration::from_millis(10);

/// How a transcript becomes a session.
#[derive(Debug, Clone, Default)]
pub struct TakeIn {
    /// Its name; after the transcript's own id by default.
    pub name: Option<SessionName>,
    pub raw: bool,
    /// Whose files it is about; those of a machine of its own by default.
    pub filesystem: Option<Filesystem>,
    /// Whether a session that was removed comes back.
    pub again: bool,
}

/// A transcript that was taken in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenIn {
    pub session: String,
    /// The session that has called it, if it is a sub-agent's.
    pub parent: Option<String>,
    pub format: String,
    pub turns: usize,
    pub toolcalls: usize,
    /// Events that were known before.
    pub known: usize,
    /// Lines that can't be read.
    pub skipped: usize,
    /// Whether the session was removed and stays so; then nothing was taken in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// Which transcripts are taken in.
#[derive(Debug, Clone, Default)]
pub struct ImportAll {
    pub homes: Homes,
    /// Those of every project, not of this one only.
    pub everywhere: bool,
    pub dry_run: bool,
    pub filesystem: Option<Filesystem>,
    /// Sessions that were removed and are wanted again. What is known of files does not count then.
    pub again: Vec<String>,
}

/// One file that was looked at and is not what it was.
#[derive(Debug, Clone)]
pub struct ImportedFile {
    pub path: PathBuf,
    pub format: Format,
    pub folder: Option<String>,
    pub bytes: u64,
    /// The sessions it has become, its sub-agents after it; none if nothing was to be written.
    pub sessions: Vec<TakenIn>,
}

#[derive(Debug, Clone, Default)]
pub struct ImportedAll {
    pub files: Vec<ImportedFile>,
    /// Files that are as they were when they were taken in.
    pub unchanged: usize,
    /// Files about other projects.
    pub others: usize,
    /// Sessions that were removed, and have grown since.
    pub deleted: Vec<String>,
    /// What could not be read, and why.
    pub problems: Vec<(PathBuf, String)>,
}

/// What a transcript belongs to.
enum SessionOf {
    Wanted(Box<Session>),
    /// A session of this name was removed, and nobody has asked for it since.
    Deleted(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Ledger {
    files: BTreeMap<String, LedgerEntry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct LedgerEntry {
    /// None if it was only looked at, or was being written.
    stamp: Option<FileStamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

impl Project {
    /// Takes a transcript in, and those of its sub-agents after it: as new sessions, or as what is new in sessions that are there.
    pub fn take_in(
        &self,
        transcript: &Transcript,
        how: &TakeIn,
        done: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<Vec<TakenIn>> {
        let (format, skipped) = (transcript.format.to_string(), transcript.skipped.len());
        let mut taken = vec![match self.session_of(transcript, how)? {
            SessionOf::Wanted(mut session) => {
                let Replayed { turns, toolcalls, known } = session.replay(transcript, done, cancel)?;
                let (parent, session) = (session.about().parent.clone(), session.name().to_owned());
                TakenIn { session, parent, format, turns, toolcalls, known, skipped, deleted: false }
            }
            SessionOf::Deleted(session) => {
                let parent = transcript.parent_name();
                TakenIn { session, parent, format, turns: 0, toolcalls: 0, known: 0, skipped, deleted: true }
            }
        }];
        for subagent in &transcript.subagents {
            taken.extend(self.take_in(subagent, &TakeIn { name: None, ..how.clone() }, done, cancel)?);
        }
        Ok(taken)
    }

    /// The session that a transcript belongs to, made if it is not there.
    fn session_of(&self, transcript: &Transcript, how: &TakeIn) -> Result<SessionOf> {
        let name = how.name.clone().or_else(|| {
            // One without an id that can be a name goes by how it begins, so that it is known again when it has grown.
            transcript.session_name().and_then(|name| name.parse().ok()).or_else(|| {
                let first = Sha256::of(format!("{:?}", transcript.events.first()?).as_bytes()).hex();
                format!("{}-{}", transcript.format, &first[..12]).parse().ok()
            })
        });
        if let Some(name) = &name {
            match Session::load(Box::new(self.objects()?), name.as_str()) {
                Err(SessionError::UnknownSession { .. }) if how.again => self.want_again(&[name.to_string()])?,
                Err(SessionError::UnknownSession { .. }) => {
                    if self.deleted_sessions()?.contains(name.as_str()) {
                        return Ok(SessionOf::Deleted(name.to_string()));
                    }
                }
                Err(error) => return Err(error.into()),
                Ok(session) => return Ok(SessionOf::Wanted(Box::new(session))),
            }
        }
        let new = NewSession {
            name,
            folder: transcript.folder.clone(),
            system_prompt: transcript.system_prompt.clone().unwrap_or_default(),
            raw: how.raw,
            filesystem_id: self.filesystem_id()?,
            filesystem: how.filesystem.clone().unwrap_or(Filesystem::Own),
            imported: Some(transcript.format.to_string()),
            parent: transcript.parent_name(),
            branch: transcript.branch.clone(),
            ..NewSession::default()
        };
        Ok(SessionOf::Wanted(Box::new(Session::create(Box::new(self.objects()?), new)?)))
    }

    /// Takes in every transcript of this machine's clients that is new or has grown. One that can't be read keeps none of the others
    /// back.
    pub fn import_all(
        &self,
        wanted: &ImportAll,
        told: &mut dyn FnMut(&ImportedFile),
        cancel: &Cancel,
    ) -> Result<ImportedAll> {
        let at = |name: &str| self.roots.data.join(name);
        let (ledger_file, lock) = (at(LEDGER), at(&format!("{LEDGER}.lock")));
        let io = |action, path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io { action, path, source }
        };
        // Two at once would do the same work twice; the second then has nothing left to do.
        let held = FileLock::take_while(&lock, || !cancel.is_cancelled()).map_err(io("locking", &lock))?;
        let Some(_held) = held else { return Err(SessionError::Cancelled.into()) };
        let mut ledger: Ledger = read_bounded(&ledger_file, LARGEST_LEDGER)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        if !wanted.dry_run {
            self.want_again(&wanted.again)?;
        }
        let root = self.session_folder()?;
        let (found, unread) = wanted.homes.transcripts();
        let mut all = ImportedAll::default();
        all.problems.extend(unread.into_iter().map(|(path, error)| (path, error.to_string())));
        for file in &found {
            if cancel.is_cancelled() {
                break;
            }
            self.import_file(wanted, &root, file, &mut ledger, &mut all, told, cancel)?;
        }
        if !wanted.dry_run {
            let bytes = serde_json::to_vec(&ledger).unwrap_or_default();
            replace_file(&ledger_file, &bytes, 0o600).map_err(io("writing", &ledger_file))?;
        }
        Ok(all)
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one pass over the files, which only this function shares"
    )]
    fn import_file(
        &self,
        wanted: &ImportAll,
        root: &str,
        file: &Found,
        ledger: &mut Ledger,
        all: &mut ImportedAll,
        told: &mut dyn FnMut(&ImportedFile),
        cancel: &Cancel,
    ) -> Result<()> {
        let key = file.path.to_string_lossy().into_owned();
        let known = ledger.files.get(&key).cloned();
        let is_same = known.as_ref().is_some_and(|known| known.stamp == Some(file.stamp));
        if is_same && wanted.again.is_empty() {
            all.unchanged += 1;
            return Ok(());
        }
        let mut problem = |why: String| all.problems.push((file.path.clone(), why));
        if file.stamp.size > LARGEST {
            problem(format!("it is larger than {LARGEST} bytes"));
            return Ok(());
        }
        // A folder stays what it was, however much a transcript grows.
        let folder = match known.and_then(|known| known.folder) {
            Some(folder) => Some(folder),
            None => match file.folder() {
                Ok(folder) => folder,
                Err(error) => {
                    problem(error.to_string());
                    return Ok(());
                }
            },
        };
        if !wanted.everywhere && !folder.as_deref().is_some_and(|folder| is_below(folder, root)) {
            all.others += 1;
            // A transcript that says nothing yet may say where it is later.
            if folder.is_some() {
                ledger.files.insert(key, LedgerEntry { stamp: None, folder });
            }
            return Ok(());
        }
        let mut imported = ImportedFile {
            path: file.path.clone(),
            format: file.format,
            folder,
            bytes: file.stamp.size,
            sessions: Vec::new(),
        };
        let read_at = now_ns();
        if !wanted.dry_run {
            let transcript = match file.read() {
                Ok(transcript) => transcript,
                // A file that has nothing in it yet, or only notes of the program's own.
                Err(TranscriptError::NotThis { .. } | TranscriptError::Unknown { .. }) => {
                    all.unchanged += 1;
                    return Ok(());
                }
                Err(error) => {
                    problem(chain(&error));
                    return Ok(());
                }
            };
            let how = TakeIn { filesystem: wanted.filesystem.clone(), ..TakeIn::default() };
            match self.take_in(&transcript, &how, &mut |_| {}, cancel) {
                Ok(sessions) => {
                    let (deleted, sessions) = sessions.into_iter().partition(|taken| taken.deleted);
                    let deleted: Vec<TakenIn> = deleted;
                    all.deleted.extend(deleted.into_iter().map(|taken| taken.session));
                    imported.sessions = sessions;
                }
                Err(error @ Error::Session(SessionError::Cancelled)) => return Err(error),
                Err(error) => {
                    problem(chain(&error));
                    return Ok(());
                }
            }
            let stamp = file.stamp.settled(read_at);
            ledger.files.insert(key, LedgerEntry { stamp, folder: imported.folder.clone() });
            let is_new = |taken: &TakenIn| taken.turns + taken.toolcalls > 0;
            if !imported.sessions.iter().any(is_new) {
                all.unchanged += 1;
                return Ok(());
            }
        }
        told(&imported);
        all.files.push(imported);
        Ok(())
    }

    /// Keeps what a client has told its hook, secrets taken out, until somebody asks for sessions. Waits for nobody for long.
    pub fn spool(data: &Path, call: HookCall) -> io::Result<()> {
        let call = HookCall { event: ai_assist_session::redacted(call.event), ..call };
        let folder = data.join(SPOOL);
        let path = folder.join(TOLD);
        let mut line = serde_json::to_vec(&call)?;
        line.push(b'\n');
        let open = || platform::open_private(&path, PrivateFile::Append);
        // The file may have been taken in between its opening and its locking; then there is another.
        for _ in 0..5 {
            let file = match open() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // What agents are told is nobody else's to read.
                    platform::private_folder(&folder)?;
                    open()?
                }
                opened => opened?,
            };
            let mut writer = file.try_clone()?;
            let start = std::time::Instant::now();
            let mut lock = FileLock::shared(file.try_clone()?)?;
            while lock.is_none() && start.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
                lock = FileLock::shared(file.try_clone()?)?;
            }
            let inode = |metadata: &Metadata| platform::facts(&path, metadata).map(|facts| facts.inode);
            let (here, there) = (file.metadata()?, std::fs::metadata(&path).and_then(|there| inode(&there)));
            let own = platform::file_facts(&file)?.inode;
            if lock.is_none() || there.is_ok_and(|there| there != own) {
                continue;
            }
            if here.len() > LARGEST_SPOOL {
                return Err(io::Error::other("too much is waiting to be taken in"));
            }
            // One write, so that lines of several hooks never mix.
            return writer.write_all(&line);
        }
        Err(io::Error::from(io::ErrorKind::WouldBlock))
    }

    /// Takes in what hooks have told. How many sessions it was about; zero, too, if somebody else is at it.
    pub fn drain_spool(&self) -> Result<usize> {
        let folder = self.roots.data.join(SPOOL);
        let path = folder.join(TOLD);
        let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(0) };
        // Before there was a rule about it, others could look into it.
        if !platform::is_private(&folder) {
            let _ = platform::make_folder_private(&folder);
        }
        // What a run that was broken off has left is taken in first; what it had written is known again by its keys.
        let is_taken = |name: &Path| name.extension().is_some_and(|extension| extension == "taken");
        let mut taken: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_taken(path)).collect();
        if taken.is_empty() && !path.exists() {
            return Ok(0);
        }
        let io = |source| Error::Io { action: "taking in", path: folder.clone(), source };
        let Some(_held) = FileLock::try_take(&folder.join("lock")).map_err(io)? else { return Ok(0) };
        taken.sort();
        let next = folder.join(format!("{:020}.taken", now_ns()));
        if std::fs::rename(&path, &next).is_ok() {
            taken.push(next);
        }
        let mut sessions = 0;
        for file in taken {
            if let Some(count) = self.drain_one(&file)? {
                sessions += count;
                std::fs::remove_file(&file).map_err(io)?;
            }
        }
        Ok(sessions)
    }

    /// Takes in one file of the spool; none if a hook still writes to it.
    fn drain_one(&self, path: &Path) -> Result<Option<usize>> {
        let io = |source| Error::Io { action: "reading", path: path.to_owned(), source };
        let file = File::open(path).map_err(io)?;
        // A hook that had opened it before it was renamed is let finish.
        let start = std::time::Instant::now();
        let _held = loop {
            match FileLock::exclusive(file.try_clone().map_err(io)?).map_err(io)? {
                Some(held) => break held,
                None if start.elapsed() < Duration::from_millis(500) => std::thread::sleep(Duration::from_millis(1)),
                None => return Ok(None),
            }
        };
        let (heard, _) = hooks::read(&mut BufReader::new(file)).map_err(io)?;
        let how = TakeIn { filesystem: Some(Filesystem::Here), ..TakeIn::default() };
        let count = heard.len();
        for mut heard in heard {
            // From anywhere in a project it is the same one.
            if let Some(folder) = &mut heard.transcript.folder
                && let Ok(root) = canonical_root(Path::new(folder.as_str()), &work_tree_top)
                && let Some(root) = root.to_path_buf().to_str()
            {
                root.clone_into(folder);
            }
            if heard.transcript.events.is_empty() {
                continue;
            }
            let taken = self.take_in(&heard.transcript, &how, &mut |_| {}, &Cancel::default())?;
            if heard.ended
                && let Some(taken) = taken.first().filter(|taken| !taken.deleted)
            {
                Session::load(Box::new(self.objects()?), &taken.session)?.close(&How::default())?;
            }
        }
        Ok(Some(count))
    }
}

/// The branch that a folder is on, by what git keeps there: a hook has no time to ask git.
pub fn branch_of(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let small = |path: &Path| read_bounded(path, 4096).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let head = match git.is_dir() {
        true => git.join("HEAD"),
        false => git.parent()?.join(small(&git)?.strip_prefix("gitdir: ")?.trim()).join("HEAD"),
    };
    small(&head)?.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Whether a folder, as an agent has named it, is this one or below it.
fn is_below(folder: &str, root: &str) -> bool {
    let folder = Path::new(folder);
    folder.starts_with(root) || folder.real_path().is_ok_and(|real| real.starts_with(root))
}
