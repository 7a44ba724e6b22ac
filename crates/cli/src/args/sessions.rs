//! What the user may type about sessions.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use ai_assist_clients::{Client, Scope};
use ai_assist_search::RankBy;
use ai_assist_session::Filesystem;
use ai_assist_session::memory::EntryKind;
use ai_assist_session::object::ObjectKind;
use ai_assist_session::transcript::Format;
use ai_assist_store::objects::Moment;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates;

use super::mcp::{SCOPES, Settle};
use super::{Choices, DryRun, RANKS, at_least_one, choice};
use crate::complete;

const SEEN: Choices<ObjectKind> = &[
    ("file", "Files", ObjectKind::File),
    ("toolcall", "Results of tools", ObjectKind::Toolcall),
    ("chat", "What was said", ObjectKind::Chat),
];

const KINDS: Choices<EntryKind> = &[
    ("file", "Versions of files", EntryKind::File),
    ("command", "Command lines that were run", EntryKind::Command),
    ("edit", "Changes of files", EntryKind::Edit),
    ("call", "Calls of other tools", EntryKind::Call),
    ("message", "What was said", EntryKind::Message),
    ("summary", "Summaries of conversations", EntryKind::Summary),
];

/// Commands about sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// Start a session
    Open(SessionOpen),
    /// List sessions, the one that was changed last first
    #[command(visible_alias = "ls")]
    List,
    /// Read files into the session; it holds them from then on
    Read(SessionRead),
    /// Note files that the agent has met without reading them
    Discover {
        /// The files, as the agent sees them; `-` reads them from standard input, one on a line
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        change: Change,
    },
    /// Record the call of a tool with its result
    Toolcall(SessionToolcall),
    /// Record something that was said, or change the system prompt
    Chat(SessionChat),
    /// Hold objects of the pool; a file that was never read is read
    Activate(SessionObjects),
    /// Let go of objects; they stay in the pool
    Deactivate(SessionObjects),
    /// Hold objects, and keep them whatever the window or the budget says
    Pin(SessionObjects),
    /// Let objects go the way of others again
    Unpin(SessionObjects),
    /// Take objects out of the pool; a search still finds them
    Forget(SessionObjects),
    /// Show what the session knows, or one object
    Show(SessionShow),
    /// Search everything the session has seen
    Search(SessionSearch),
    /// Tell what a new agent should know: how the work stands, open ends, commands that work, files that matter
    Brief(SessionBrief),
    /// List the versions of an object
    History {
        /// An object by path, by id or by the start of an id; `chat`, `system_prompt` or `session`
        #[arg(value_name = "OBJECT")]
        object: String,
        #[command(flatten)]
        session: OneSession,
    },
    /// Show what changed between two versions of an object
    Diff(SessionDiff),
    /// Print the session as text for a model
    Render(SessionRender),
    /// Go on with a session: compare its files with the disk
    Resume(OneSession),
    /// Keep a session's files up to date until Ctrl-C
    Watch(SessionWatch),
    /// Write a session with everything it knows as lines of JSON
    Export {
        /// Write to this file; to standard output by default
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        session: OneSession,
    },
    /// Make sessions from transcripts of Claude Code, Codex CLI, Gemini CLI or SWE-agent, or from an export
    Import(SessionImport),
    /// Print or write the hooks that make a client record its sessions here by itself
    Hook(SessionHook),
    /// Keep what a client tells its hook on standard input; never fails, says nothing. For hooks, not for people
    Record {
        /// The client
        #[arg(value_parser = choice(Client::NAMES))]
        client: Client,
    },
    /// End a session: commands in its folder are no longer about it; `resume` goes on with it
    Close(Change),
    /// Remove a session and what only it knew
    #[command(visible_aliases = ["remove", "rm"])]
    Delete {
        /// Its name; may be given several times
        #[arg(required = true, value_name = "NAME", add = ArgValueCandidates::new(complete::sessions))]
        names: Vec<String>,
        /// Show what would be removed and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove old sessions and what only they knew, and whatever no session knows any more
    Gc(SessionGc),
}

/// The session that a command is about.
#[derive(Debug, Args)]
pub(crate) struct OneSession {
    /// Its name; the one of this folder that was changed last by default
    #[arg(long, short = 's', value_name = "NAME", env = "AI_ASSIST_SESSION", add = ArgValueCandidates::new(complete::sessions))]
    pub(crate) session: Option<String>,
}

/// How a change is made.
#[derive(Debug, Args)]
pub(crate) struct Change {
    #[command(flatten)]
    pub(crate) session: OneSession,
    /// Names the request, so that one sent twice is done once
    #[arg(long, value_name = "ID")]
    pub(crate) request: Option<String>,
    /// Change nothing unless this is the version of what is changed, by its number in `session history`: the file that is read or
    /// noted, `system_prompt`, `chat` for what is said and for calls, else `session`. 0 if there must be none yet
    #[arg(long, value_name = "NUMBER")]
    pub(crate) expect: Option<u64>,
}

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct When(pub(crate) Moment);

impl FromStr for When {
    type Err = String;

    /// RFC 3339, a date (in UTC), or so long ago: `90s`, `10m`, `2h`, `3d`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(moment) = text.parse() {
            return Ok(When(moment));
        }
        if let Ok(moment) = format!("{text}T00:00:00Z").parse() {
            return Ok(When(moment));
        }
        let wrong = || {
            format!("`{text}` is no point in time; write it like 2026-11-16T08:30:00Z, or like 2h for two hours ago")
        };
        let unit = text.chars().next_back().ok_or_else(wrong)?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return Err(wrong()),
        };
        let number: i64 = text[..text.len() - 1].parse().ok().filter(|n| *n >= 0).ok_or_else(wrong)?;
        let ago = number.checked_mul(seconds * 1_000_000).ok_or_else(wrong)?;
        Ok(When(Moment(Moment::now().0.saturating_sub(ago))))
    }
}

#[derive(Debug, Args)]
pub(crate) struct SessionOpen {
    /// Its name; made from the time by default
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What the model is told first
    #[arg(long, value_name = "TEXT", conflicts_with = "system_prompt_file")]
    pub(crate) system_prompt: Option<String>,
    /// The same from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt_file: Option<PathBuf>,
    /// Keep contents as they are, secrets too
    #[arg(long)]
    pub(crate) raw: bool,
    /// The agent sees the folder HOST as AGENT; may be given several times
    #[arg(long, value_name = "AGENT=HOST[@FSID]")]
    pub(crate) mount: Vec<OsString>,
    /// The agent is this process, perhaps in a container; its mounts are read from /proc
    #[arg(long, value_name = "PID", conflicts_with = "mount")]
    pub(crate) mounts_of: Option<u32>,
    /// The folder it is about, as the agent sees it; the project's by default
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SessionRead {
    /// The files, as the agent sees them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Take the content of the one file from here, `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) content: Option<PathBuf>,
    /// When it was so, if not now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<When>,
    #[command(flatten)]
    pub(crate) change: Change,
}

#[derive(Debug, Args)]
pub(crate) struct SessionToolcall {
    /// The tool
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,
    /// What it was given, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// The same for people, such as the command line
    #[arg(long, value_name = "TEXT")]
    pub(crate) display: Option<String>,
    /// What it answered
    #[arg(long, value_name = "TEXT", conflicts_with = "output_file")]
    pub(crate) output: Option<String>,
    /// The same from a file, `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// It did not go well
    #[arg(long)]
    pub(crate) failed: bool,
    /// A file that it was about; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<PathBuf>,
    /// When it was called, if not now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<When>,
    #[command(flatten)]
    pub(crate) change: Change,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Speaker {
    /// The person
    User,
    /// The model
    Assistant,
    /// What the model is told first; replaces what it was told before
    System,
}

#[derive(Debug, Args)]
pub(crate) struct SessionChat {
    /// Who said it
    #[arg(value_enum)]
    pub(crate) role: Speaker,
    /// What was said; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// When it was said, if not now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<When>,
    #[command(flatten)]
    pub(crate) change: Change,
}

#[derive(Debug, Args)]
pub(crate) struct SessionObjects {
    /// Objects by path, by id or by the start of an id
    #[arg(required = true, value_name = "OBJECT")]
    pub(crate) objects: Vec<String>,
    #[command(flatten)]
    pub(crate) change: Change,
}

/// One of the four sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetName {
    /// Everything it ever met
    Index,
    /// What it knows of
    Pool,
    /// What it holds
    Active,
    /// What stays
    Pinned,
}

/// As of when.
#[derive(Debug, Args)]
pub(crate) struct AsOfArgs {
    /// As it was known then: a time, or how long ago
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<When>,
    /// What is known of that time
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_at: Option<When>,
}

#[derive(Debug, Args)]
pub(crate) struct SessionShow {
    /// An object by path, by id or by the start of an id; `chat`, `system_prompt` or `session`
    #[arg(value_name = "OBJECT")]
    pub(crate) object: Option<String>,
    /// This version of it, by its number in `session history`
    #[arg(long = "number", value_name = "NUMBER", requires = "object", conflicts_with_all = ["as_of", "valid_at"])]
    pub(crate) number: Option<u64>,
    /// Print its whole document as JSON
    #[arg(long, requires = "object")]
    pub(crate) document: bool,
    /// Only this set
    #[arg(long, value_enum, default_value = "pool", conflicts_with = "object")]
    pub(crate) set: SetName,
    #[command(flatten)]
    pub(crate) at: AsOfArgs,
    #[command(flatten)]
    pub(crate) session: OneSession,
}

#[derive(Debug, Args)]
pub(crate) struct SessionSearch {
    /// Words, "phrases", and path:, lang:, kind: filters
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Everything that any agent has seen, done or said in this project, not one session only
    #[arg(long, conflicts_with_all = ["only", "session"])]
    pub(crate) all: bool,
    /// With --all: only this kind; may be given several times
    #[arg(long, value_parser = choice(KINDS), value_name = "KIND", requires = "all")]
    pub(crate) kind: Vec<EntryKind>,
    /// With --all: only what is about this file
    #[arg(long, value_name = "PATH", requires = "all")]
    pub(crate) file: Option<String>,
    /// With --all: only calls that went so
    #[arg(long, value_enum, requires = "all")]
    pub(crate) outcome: Option<CallOutcome>,
    /// Only what was seen from then on: a time, or how long ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<When>,
    /// Only what was seen before then
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<When>,
    /// Only this; may be given several times
    #[arg(long, value_parser = choice(SEEN), value_name = "WHAT")]
    pub(crate) only: Vec<ObjectKind>,
    /// How many things to show
    #[arg(long, short = 'n', default_value_t = 10, value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// Which scores rank
    #[arg(long, alias = "ranking", value_parser = choice(RANKS), default_value = "hybrid")]
    pub(crate) rank: RankBy,
    /// Print whole pieces, not a few lines
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) session: OneSession,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallOutcome {
    /// It did not do its work
    Failed,
    /// It did
    Succeeded,
}

#[derive(Debug, Args)]
pub(crate) struct SessionBrief {
    /// What is known of this file instead: what is changed together with it, and how it was when a command still passed
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Keep it within this many tokens (o200k)
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
}

#[derive(Debug, Args)]
pub(crate) struct SessionDiff {
    /// An object by path, by id or by the start of an id
    #[arg(value_name = "OBJECT")]
    pub(crate) object: String,
    /// The earlier version; by default the one that held before the later one
    #[arg(value_name = "FROM")]
    pub(crate) from: Option<u64>,
    /// The later version; the one that holds now by default
    #[arg(value_name = "TO")]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) session: OneSession,
}

#[derive(Debug, Args)]
pub(crate) struct SessionRender {
    /// Keep it within this many tokens (o200k)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    /// Show the last so many calls of a turn in full
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) calls: usize,
    /// Show calls of the last so many turns in full
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) turns: usize,
    /// Only add to what an earlier rendering had, as long as there is room, so that a provider's cache keeps it; 128,000 tokens without
    /// `--max-tokens`
    #[arg(long)]
    pub(crate) append: bool,
    #[command(flatten)]
    pub(crate) at: AsOfArgs,
    #[command(flatten)]
    pub(crate) session: OneSession,
}

#[derive(Debug, Args)]
pub(crate) struct SessionWatch {
    /// Also everything below this folder; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
    /// Wait until nothing has changed for so many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200)]
    pub(crate) debounce: u64,
    #[command(flatten)]
    pub(crate) session: OneSession,
}

#[derive(Debug, Args)]
pub(crate) struct SessionImport {
    /// The transcript or export; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "all")]
    pub(crate) file: Option<PathBuf>,
    /// Every transcript about this project that Claude Code, Codex CLI and Gemini CLI keep on this machine; only what is new
    #[arg(long, conflicts_with_all = ["file", "format", "name", "raw"])]
    pub(crate) all: bool,
    /// Go on until Ctrl-C, taking in what is added
    #[arg(long, requires = "all", conflicts_with = "dry_run")]
    pub(crate) watch: bool,
    /// The transcripts of all projects
    #[arg(long, requires = "all")]
    pub(crate) everywhere: bool,
    /// Take in this session anew, though it was deleted; may be given several times. One that is deleted stays so otherwise
    #[arg(long, value_name = "NAME", requires = "all")]
    pub(crate) again: Vec<String>,
    /// Show what would be taken in and take in nothing
    #[arg(long, requires = "all")]
    pub(crate) dry_run: bool,
    /// What has written it; found out by default
    #[arg(long, value_name = "FORMAT", value_parser = Format::from_str)]
    pub(crate) format: Option<Format>,
    /// Name of the session; one that is there takes what is new in the transcript
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Keep contents as they are, secrets too
    #[arg(long)]
    pub(crate) raw: bool,
    /// Whose files the transcript is about: `here` for those of this machine, or a name for another machine that several
    /// transcripts come from; a machine of its own by default
    #[arg(long, value_name = "here|ID", value_parser = Filesystem::from_str)]
    pub(crate) filesystem: Option<Filesystem>,
}

#[derive(Debug, Args)]
pub(crate) struct SessionHook {
    /// The client
    #[arg(value_parser = choice(Client::NAMES))]
    pub(crate) client: Client,
    #[command(flatten)]
    pub(crate) settle: Settle,
    /// Whose settings: yours, or those of the project that everyone who works on it shares
    #[arg(long, value_parser = choice(SCOPES), default_value = "user")]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
pub(crate) struct SessionGc {
    /// This session; may be given several times
    #[arg(long, short = 's', value_name = "NAME", add = ArgValueCandidates::new(complete::sessions))]
    pub(crate) session: Vec<String>,
    /// Sessions that were not changed since then: a time, or how long ago, such as 30d
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<When>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
