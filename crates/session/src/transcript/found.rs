//! Where clients keep their transcripts, and which folder each is about.
//!
//! Files of programs that we don't know are in these folders too, and so is whatever somebody has put there: links are not
//! followed, and there are limits to how deep and how much is looked at.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use ai_assist_base::{FileStamp, platform, read_bounded};
use serde_json::Value;

use super::lines::Lines;
use super::{Format, Transcript, TranscriptError, read};

/// Deeper than any client goes: `projects/PROJECT/SESSION/subagents/workflows/RUN/agent-ID.jsonl`.
const DEEPEST: usize = 8;
/// So many entries of a client's folder are looked at.
const MOST_ENTRIES: usize = 500_000;
/// A transcript that is larger is left alone, and so much is unpacked of a compressed one.
pub const LARGEST: u64 = 1 << 30;
/// The folder stands in one of the first lines.
const HEAD: u64 = 4 << 20;

/// The folders in which clients keep their data.
#[derive(Debug, Clone, Default)]
pub struct Homes {
    /// `~/.claude`, or what `CLAUDE_CONFIG_DIR` names; and `~/.config/claude`.
    pub claude: Vec<PathBuf>,
    /// `~/.codex`, or what `CODEX_HOME` names.
    pub codex: Vec<PathBuf>,
    /// `~/.gemini`, or the one in what `GEMINI_CLI_HOME` names.
    pub gemini: Vec<PathBuf>,
}

/// A transcript that a client has written.
#[derive(Debug, Clone)]
pub struct Found {
    pub path: PathBuf,
    pub format: Format,
    pub stamp: FileStamp,
}

/// A folder that could not be looked at, and why.
pub type Unread = (PathBuf, io::Error);

impl Homes {
    /// The folders that transcripts are below, those that there are.
    pub fn folders(&self) -> Vec<(Format, PathBuf)> {
        let below = |homes: &[PathBuf], format, name: &str| -> Vec<(Format, PathBuf)> {
            homes.iter().map(|home| (format, home.join(name))).collect()
        };
        let mut all = below(&self.claude, Format::ClaudeCode, "projects");
        all.extend(below(&self.codex, Format::Codex, "sessions"));
        all.extend(below(&self.codex, Format::Codex, "archived_sessions"));
        all.extend(below(&self.gemini, Format::Gemini, "tmp"));
        all.retain(|(_, folder)| folder.is_dir());
        all
    }

    /// Every transcript, in the order of their paths, so that a session comes before its sub-agents.
    pub fn transcripts(&self) -> (Vec<Found>, Vec<Unread>) {
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for (format, folder) in self.folders() {
            let mut left = MOST_ENTRIES;
            walk(&folder, 0, &mut left, &mut unread, &mut |path, depth| {
                if is_transcript(format, path, depth)
                    && let Ok(stat) = platform::lstat(path)
                {
                    found.push(Found { path: path.to_owned(), format, stamp: FileStamp::from(&stat) });
                }
            });
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        (found, unread)
    }
}

fn walk(folder: &Path, depth: usize, left: &mut usize, unread: &mut Vec<Unread>, file: &mut dyn FnMut(&Path, usize)) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return unread.push((folder.to_owned(), error)),
    };
    for entry in entries.flatten() {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => walk(&entry.path(), depth + 1, left, unread, file),
            Ok(kind) if kind.is_file() => file(&entry.path(), depth),
            _ => {}
        }
    }
}

fn is_transcript(format: Format, path: &Path, depth: usize) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    match format {
        Format::ClaudeCode => depth >= 1 && name.ends_with(".jsonl") && name != "journal.jsonl",
        Format::Codex => name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")),
        Format::Gemini => {
            let in_chats = path.ancestors().skip(1).take(2).any(|folder| folder.ends_with("chats"));
            in_chats && (name.ends_with(".jsonl") || (name.starts_with("session-") && name.ends_with(".json")))
        }
        _ => false,
    }
}

/// A transcript as it can be read, unpacked if need be; never more than [`LARGEST`] bytes of it.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let (file, _) = ai_assist_base::open_plain(path).map_err(io::Error::other)?;
    opened(file, path)
}

/// The same of a file that is open.
pub fn opened(file: File, path: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(match path.extension().is_some_and(|extension| extension == "zst") {
        true => Box::new(BufReader::with_capacity(1 << 16, zstd::Decoder::new(file)?.take(LARGEST))),
        false => Box::new(BufReader::with_capacity(1 << 16, file.take(LARGEST))),
    })
}

impl Found {
    /// The folder that the agent began in, from the first lines of the transcript or what the client keeps beside it.
    pub fn folder(&self) -> io::Result<Option<String>> {
        if self.format == Format::Gemini {
            return Ok(self.gemini_folder());
        }
        let mut input = BufReader::new(open(&self.path)?.take(HEAD));
        let mut lines = Lines::new(&mut input);
        while let Some(line) = lines.next()? {
            let cwd = |value: &Value| {
                let place = value.get("cwd").or_else(|| value.pointer("/payload/cwd"))?;
                place.as_str().filter(|cwd| !cwd.is_empty()).map(str::to_owned)
            };
            if let Some(cwd) = line.value.ok().as_ref().and_then(cwd) {
                return Ok(Some(cwd));
            }
        }
        Ok(None)
    }

    /// The folder of a project's chats is named after it, by a hash or by a word; the project itself is in a file beside.
    fn gemini_folder(&self) -> Option<String> {
        let chats = self.path.ancestors().find(|folder| folder.ends_with("chats"))?;
        let bytes = read_bounded(&chats.parent()?.join(".project_root"), 1 << 16).ok()?;
        String::from_utf8(bytes).ok().map(|root| root.trim().to_owned()).filter(|root| !root.is_empty())
    }

    /// Reads the transcript, with what the client says of it by where it is.
    pub fn read(&self) -> Result<Transcript, TranscriptError> {
        let mut transcript = read(&mut *open(&self.path)?, Some(self.format))?;
        if self.format == Format::Gemini {
            transcript.folder = self.gemini_folder().or(transcript.folder);
            // A sub-agent's lie in a folder that is named after the session.
            let above = self.path.parent().filter(|folder| !folder.ends_with("chats"));
            transcript.parent = above.and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
        }
        if let (Format::ClaudeCode, Some(parent)) = (self.format, &transcript.parent)
            && transcript.agent.is_none()
        {
            // Versions that don't name the sub-agent in its lines name it in the file.
            let stem = self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let id = stem.strip_prefix("agent-").unwrap_or(stem);
            transcript.agent = Some(id.to_owned()).filter(|id| id != parent);
        }
        Ok(transcript)
    }
}
