//! What has been read of a transcript so far: calls wait here for their results.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;

use super::paths::{absolute, is_name};
use super::{Event, Format, Role, Seen, SeenFile, Skipped, Transcript, What};

/// A tool call whose result has not come yet.
pub(super) struct Call {
    pub(super) at: Option<Timestamp>,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) folder: Option<String>,
    order: usize,
}

/// What came back from a call.
pub(super) struct Outcome {
    pub(super) at: Option<Timestamp>,
    pub(super) output: String,
    pub(super) ok: bool,
    pub(super) files: Vec<(String, Seen)>,
}

/// The parts of a transcript that are known.
pub(super) struct Gathered {
    transcript: Transcript,
    /// The folder the agent is in now.
    pub(super) folder: Option<String>,
    waiting: HashMap<String, Call>,
    calls: usize,
    keys: HashSet<String>,
    /// Ids of calls that were made, so that a line that is there twice is one call.
    called: HashSet<String>,
}

impl Gathered {
    pub(super) fn new(format: Format) -> Self {
        let (events, skipped) = (Vec::new(), Vec::new());
        let transcript = Transcript {
            format,
            session: None,
            parent: None,
            agent: None,
            folder: None,
            branch: None,
            system_prompt: None,
            events,
            skipped,
            subagents: Vec::new(),
        };
        let (keys, called) = (HashSet::new(), HashSet::new());
        Gathered { transcript, folder: None, waiting: HashMap::new(), calls: 0, keys, called }
    }

    /// The first id is the session's; later ones are of sessions it was continued from or in.
    pub(super) fn session(&mut self, id: Option<&str>) {
        set(&mut self.transcript.session, id);
    }

    /// This is what a sub-agent did that a session has called.
    pub(super) fn of_subagent(&mut self, parent: Option<&str>, agent: Option<&str>) {
        set(&mut self.transcript.parent, parent);
        set(&mut self.transcript.agent, agent);
    }

    pub(super) fn branch(&mut self, branch: Option<&str>) {
        set(&mut self.transcript.branch, branch.filter(|branch| *branch != "HEAD"));
    }

    pub(super) fn subagents(&mut self, subagents: impl IntoIterator<Item = Transcript>) {
        self.transcript.subagents.extend(subagents);
    }

    /// What the program made of everything before, so that the agent could go on with less.
    pub(super) fn summary(&mut self, at: Option<Timestamp>, key: &str, text: &str) {
        if !text.trim().is_empty() {
            self.turn(at, key, Role::Assistant, &format!("{}\n\n{}", super::SUMMARY_MARK, text.trim()));
        }
    }

    /// The agent is in a folder; the first one is the session's.
    pub(super) fn enter(&mut self, folder: Option<&str>) {
        if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
            set(&mut self.transcript.folder, Some(folder));
            if self.folder.as_deref() != Some(folder) {
                self.folder = Some(folder.to_owned());
            }
        }
    }

    pub(super) fn system_prompt(&mut self, text: Option<&str>) {
        set(&mut self.transcript.system_prompt, text);
    }

    pub(super) fn skip(&mut self, line: usize, why: impl Into<String>) {
        self.transcript.skipped.push(Skipped { line, why: why.into() });
    }

    pub(super) fn turn(&mut self, at: Option<Timestamp>, key: &str, role: Role, text: &str) {
        if !text.trim().is_empty() {
            let key = self.unused(key);
            self.transcript.events.push(Event { at, key, what: What::Turn { role, text: text.to_owned() } });
        }
    }

    pub(super) fn call(&mut self, line: usize, id: &str, at: Option<Timestamp>, tool: &str, args: Value) {
        if !self.called.insert(id.to_owned()) {
            self.skip(line, "a tool call with the id of an earlier one");
            return;
        }
        let call = Call { at, tool: tool.to_owned(), args, folder: self.folder.clone(), order: self.calls };
        self.calls += 1;
        self.waiting.insert(id.to_owned(), call);
    }

    pub(super) fn waiting(&self, id: &str) -> Option<&Call> {
        self.waiting.get(id)
    }

    /// A call and its result become one event.
    pub(super) fn result(&mut self, line: usize, id: &str, outcome: Outcome) {
        match self.waiting.remove(id) {
            Some(call) => self.toolcall(id, call, outcome),
            None => self.skip(line, "a result of no tool call that waits for one"),
        }
    }

    fn toolcall(&mut self, key: &str, call: Call, outcome: Outcome) {
        let key = self.unused(key);
        // What a failed call was about, it has not shown.
        let files = if outcome.ok { seen_files(outcome.files, call.folder.as_deref()) } else { Vec::new() };
        let what = What::Toolcall {
            args_display: super::display::of(&call.args),
            tool: call.tool,
            args: call.args,
            output: outcome.output,
            ok: outcome.ok,
            files,
        };
        self.transcript.events.push(Event { at: outcome.at.or(call.at), key, what });
    }

    fn unused(&mut self, key: &str) -> String {
        let mut unused = key.to_owned();
        let mut n = 1;
        while !self.keys.insert(unused.clone()) {
            n += 1;
            unused = format!("{key}#{n}");
        }
        unused
    }

    /// Calls that still wait come last, in the order in which they were made.
    pub(super) fn finish(mut self) -> Transcript {
        let mut waiting: Vec<(String, Call)> = self.waiting.drain().collect();
        waiting.sort_by_key(|(_, call)| call.order);
        for (id, call) in waiting {
            // Another key than that of the call with its result, which a later reading may find.
            let nothing = Outcome { at: None, output: String::new(), ok: false, files: Vec::new() };
            self.toolcall(&format!("{id}:waiting"), call, nothing);
        }
        self.transcript.skipped.sort_by_key(|skipped| skipped.line);
        self.transcript
    }
}

fn set(place: &mut Option<String>, text: Option<&str>) {
    if place.is_none() {
        *place = text.filter(|text| !text.is_empty()).map(str::to_owned);
    }
}

/// Absolute, each once; if one is there twice, its text is what counts.
fn seen_files(files: Vec<(String, Seen)>, folder: Option<&str>) -> Vec<SeenFile> {
    let mut seen: Vec<SeenFile> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (path, what) in files.into_iter().filter(|(path, _)| is_name(path)) {
        let path = absolute(folder, &path);
        match places.get(&path) {
            None => {
                places.insert(path.clone(), seen.len());
                seen.push(SeenFile { path, seen: what });
            }
            Some(&at) if matches!(what, Seen::Whole(_)) => seen[at].seen = what,
            Some(_) => {}
        }
    }
    seen
}
