//! Transcripts of SWE-agent: one JSON document with the steps in `trajectory` and the messages in `history`; with retries,
//! a list of such documents in `attempts`.
//!
//! A step is what the agent wrote (`thought`), what it did (`action`) and what came back (`observation`). The task comes
//! from the messages before the first step; demonstrations are left out. A document that is damaged is read up to the
//! damage.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::claude::text_of;
use super::gathered::{Gathered, Outcome};
use super::{Format, Role, Seen, Transcript, shell};

/// One step. Fields may have any type, and the large ones that nobody needs are not kept.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Step {
    action: Value,
    observation: Value,
    thought: Value,
    state: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    role: Value,
    content: Value,
    thought: Value,
    action: Value,
    tool_calls: Value,
    is_demo: Value,
}

/// An entry of a list, or something that is none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry<T> {
    Good(T),
    Other(IgnoredAny),
}

/// What was read before the end or the damage.
#[derive(Default)]
struct Document {
    steps: Vec<Entry<Step>>,
    history: Vec<Entry<Message>>,
    is_one: bool,
}

/// Reads a document; `None` if it is not of this format.
pub(super) fn read(bytes: &[u8]) -> Option<Transcript> {
    let mut document = Document::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let result = Attempt(&mut document).deserialize(&mut json).and_then(|()| json.end());
    if !document.is_one {
        return None;
    }
    let mut gathered = Gathered::new(Format::SweAgent);
    let entries = document.steps.len() + document.history.len();
    document.replay(&mut gathered);
    if result.is_err() {
        gathered.skip(entries + 1, "the document is damaged here; what follows is not read");
    }
    Some(gathered.finish())
}

impl Document {
    fn replay(&self, gathered: &mut Gathered) {
        if let Some(folder) = self.steps.iter().find_map(|step| step.good().and_then(|step| state(step, "working_dir")))
        {
            gathered.enter(Some(&folder));
        }
        self.prompts(gathered);
        if self.steps.is_empty() { self.messages(gathered) } else { self.steps(gathered) }
    }

    /// The messages before the first of the agent's own.
    fn prompts(&self, gathered: &mut Gathered) {
        for (at, message) in self.history.iter().enumerate() {
            let Some(message) = message.good().filter(|message| message.is_demo != true) else { continue };
            let text = text_of(&message.content);
            match message.role.as_str() {
                Some("system") => gathered.system_prompt(Some(&text)),
                Some("user") => gathered.turn(None, &format!("message:{}", at + 1), Role::User, &text),
                _ => return,
            }
        }
    }

    fn steps(&self, gathered: &mut Gathered) {
        let mut calls = self.history.iter().filter_map(Entry::good).filter(|message| is_agents(message)).peekable();
        for (at, step) in self.steps.iter().enumerate() {
            let number = at + 1;
            let Some(step) = step.good() else {
                gathered.skip(number, "the step is no object");
                continue;
            };
            // The messages have the calls in full; steps that failed have none.
            let call = calls.next_if(|message| message.action == step.action);
            let observation = (!step.observation.is_null()).then(|| text_of(&step.observation));
            let done = Done { number, thought: &step.thought, action: &step.action, call, observation };
            done.record(gathered, state(step, "open_file"));
            // What it did may have led it somewhere else.
            gathered.enter(state(step, "working_dir").as_deref());
        }
    }

    /// Old or cut documents may have messages only: what comes after an action is its observation.
    fn messages(&self, gathered: &mut Gathered) {
        let mut messages = self.history.iter().enumerate().peekable();
        while let Some((at, message)) = messages.next() {
            let Some(message) = message.good() else {
                gathered.skip(at + 1, "the message is no object");
                continue;
            };
            if !is_agents(message) {
                gathered.enter(told(&text_of(&message.content), "Current directory"));
                continue;
            }
            let next = messages.next_if(|(_, next)| next.good().is_some_and(is_observation));
            let observation = next.and_then(|(_, next)| next.good()).map(|next| text_of(&next.content));
            let tell = |what: &str| observation.as_deref().and_then(|text| told(text, what)).map(str::to_owned);
            let (folder, open) = (tell("Current directory"), tell("Open file"));
            let Message { thought, action, .. } = message;
            Done { number: at + 1, thought, action, call: Some(message), observation }.record(gathered, open);
            gathered.enter(folder.as_deref());
        }
    }
}

/// What an observation says at its end: `(Open file: /a)`, `(Current directory: /b)`.
fn told<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    let line = |line: &'a str| line.strip_prefix('(')?.strip_prefix(what)?.strip_prefix(": ")?.strip_suffix(')');
    text.lines().rev().take(3).find_map(line).filter(|told| *told != "n/a")
}

impl<T> Entry<T> {
    fn good(&self) -> Option<&T> {
        match self {
            Entry::Good(entry) => Some(entry),
            Entry::Other(_) => None,
        }
    }
}

fn is_agents(message: &Message) -> bool {
    message.role == "assistant" && message.is_demo != true
}

fn is_observation(message: &Message) -> bool {
    message.role == "user" || message.role == "tool"
}

/// One thought and one action, with what came back.
struct Done<'a> {
    number: usize,
    thought: &'a Value,
    action: &'a Value,
    call: Option<&'a Message>,
    observation: Option<String>,
}

impl Done<'_> {
    /// `open` is the file in the agent's editor afterwards.
    fn record(self, gathered: &mut Gathered, open: Option<String>) {
        let number = self.number;
        if let Some(thought) = self.thought.as_str() {
            gathered.turn(None, &format!("thought:{number}"), Role::Assistant, thought.trim());
        }
        let Some(action) = self.action.as_str().map(str::trim).filter(|action| !action.is_empty()) else { return };
        let (tool, args) = self.call.and_then(structured).unwrap_or_else(|| plain(action));
        let mut files = files_of(action, &tool, &args, self.observation.as_deref().unwrap_or_default());
        if EDITORS.contains(&tool.as_str()) {
            files.extend(open.map(|open| (open, Seen::Named)));
        }
        let id = format!("step:{number}");
        gathered.call(number, &id, None, &tool, args);
        if let Some(output) = self.observation {
            gathered.result(number, &id, Outcome { at: None, output, ok: true, files });
        }
    }
}

/// Commands of the editor that are about the file that is open, or open one.
const EDITORS: [&str; 8] = ["append", "create", "edit", "goto", "insert", "open", "scroll_down", "scroll_up"];

/// The call as the model gave it.
fn structured(message: &Message) -> Option<(String, Value)> {
    let function = message.tool_calls.as_array()?.first()?.get("function")?;
    let args = match function.get("arguments")? {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    args.is_object().then_some(())?;
    Some((function.get("name")?.as_str()?.to_owned(), args))
}

/// The call as a command line.
fn plain(action: &str) -> (String, Value) {
    let program = action.split_whitespace().next().unwrap_or("bash");
    let others = ["find_file", "search_dir", "search_file", "str_replace_editor", "submit"];
    let tool = if EDITORS.contains(&program) || others.contains(&program) { program } else { "bash" };
    (tool.to_owned(), json!({ "command": action }))
}

/// The files of a step: what its command names.
fn files_of(action: &str, tool: &str, args: &Value, observation: &str) -> Vec<(String, Seen)> {
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    if let ("str_replace_editor", Some(path)) = (tool, text("path")) {
        let created = text("command") == Some("create") && observation.starts_with("File created successfully");
        let seen = text("file_text").filter(|_| created).map_or(Seen::Named, |text| Seen::Whole(text.to_owned()));
        return vec![(path.to_owned(), seen)];
    }
    let mut words = action.split_whitespace();
    let named = match words.next() {
        Some("open" | "create") => words.next(),
        Some("str_replace_editor") => words.nth(1),
        _ => return shell::files(action),
    };
    let name = named.map(|name| name.trim_matches(['"', '\'']));
    name.map(|name| (name.to_owned(), Seen::Named)).into_iter().collect()
}

/// A field of a step's state, which is an object or one as text.
fn state(step: &Step, name: &str) -> Option<String> {
    let of =
        |state: &Value| state.get(name)?.as_str().filter(|text| !text.is_empty() && *text != "n/a").map(str::to_owned);
    match &step.state {
        Value::String(text) => of(&serde_json::from_str(text).ok()?),
        state => of(state),
    }
}

/// Fills a document, so that what was read before an error stays.
struct Attempt<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for Attempt<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Attempt<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "trajectory" => map.next_value_seed(List { to: &mut self.0.steps, is_one: &mut self.0.is_one })?,
                "history" => map.next_value_seed(List { to: &mut self.0.history, is_one: &mut self.0.is_one })?,
                "attempts" => map.next_value_seed(Attempts(&mut *self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A list whose entries are kept as they come.
struct List<'a, T> {
    to: &'a mut Vec<Entry<T>>,
    is_one: &'a mut bool,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        *self.is_one = true;
        while let Some(entry) = entries.next_element()? {
            self.to.push(entry);
        }
        Ok(())
    }
}

struct Attempts<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for Attempts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Attempts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut attempts: A) -> Result<(), A::Error> {
        while attempts.next_element_seed(Attempt(&mut *self.0))?.is_some() {}
        Ok(())
    }
}
