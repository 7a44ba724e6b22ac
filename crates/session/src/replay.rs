//! A transcript of another program, replayed into a session.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};

use ai_assist_base::Cancel;
use ai_assist_identity::ContentHash;
use ai_assist_store::objects::{AsOf, Content, Moment, ObjectId};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chat::Said;
use crate::error::{Error, Result};
use crate::file_reader::{FileReader, ReadOutcome};
use crate::object::{FilesystemSource, ObjectKind, Role, Status, ToolcallFields, fields};
use crate::redact::Keep;
use crate::session::{How, KeptCall, Session};
use crate::transcript::{Event, Format, Seen, SeenFile, Transcript, What, hooks};

/// So many events are written at once.
const BATCH: usize = 200;

/// A hook and a transcript tell of the same turn within so many microseconds.
const SAME_TURN: i64 = 10_000_000;

/// The end of the key of a call that had no result yet.
const WAITING: &str = ":waiting";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    pub turns: usize,
    pub toolcalls: usize,
    pub known: usize,
}

impl Session {
    /// Replays a transcript: each event at its own time, and none that was replayed before. After an interrupt, what was
    /// written stays, and a second replay goes on behind it.
    pub fn replay(
        &mut self,
        transcript: &Transcript,
        done: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<Replayed> {
        let (keep, eyes) = (self.keep(), self.file_reader());
        let mut replayed = Replayed::default();
        let mut batches = Vec::with_capacity(transcript.events.len().div_ceil(BATCH));
        for events in transcript.events.chunks(BATCH) {
            // A call that had no result yet is no call to remember; its result will have another key.
            let batch: Vec<&Event> = events.iter().filter(|event| !event.key.ends_with(WAITING)).collect();
            let all = batch.len();
            // Taking secrets out is most of the work, so what is known already goes before it.
            let batch: Vec<&Event> = batch.into_iter().filter(|event| !self.has_replayed(event)).collect();
            replayed.known += all - batch.len();
            batches.push((events, batch));
        }
        // One batch is prepared while the one before it is written.
        let (prepared, ready) = sync_channel(0);
        std::thread::scope(|scope| {
            let (batches, eyes) = (&batches, &eyes);
            scope.spawn(move || {
                for (_, batch) in batches.iter().filter(|(_, batch)| !batch.is_empty()) {
                    let kept = batch.par_iter().map(|event| prepare(event, keep, eyes)).collect::<Vec<Kept>>();
                    if prepared.send(kept).is_err() {
                        return;
                    }
                }
            });
            self.write_batches(transcript, batches, ready, replayed, done, cancel)
        })
    }

    fn write_batches(
        &mut self,
        transcript: &Transcript,
        batches: &[(&[Event], Vec<&Event>)],
        // Dropped at the end, which ends the other thread.
        ready: Receiver<Vec<Kept>>,
        mut replayed: Replayed,
        done: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<Replayed> {
        let mut ready = ready.into_iter();
        let mut before: Option<Moment> = None;
        let places = self.places(transcript)?;
        let mut told = self.told_calls(transcript)?;
        for (events, batch) in batches {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if batch.is_empty() {
                before = last_time(events).or(before);
                done(events.len());
                continue;
            }
            // Nothing comes if the other thread has panicked, and then so does the scope.
            let Some(kept) = ready.next() else { break };
            let (part, matched): (Replayed, Vec<usize>) = self.change(&How::default(), &"replay", |session| {
                let (mut part, mut matched) = (Replayed::default(), Vec::new());
                let mut last = before;
                for (event, kept) in batch.iter().zip(&kept) {
                    // One without a time happened when the one before it did.
                    last = event.at.map(|at| Moment(at.as_microsecond())).or(last);
                    session.set_time(last);
                    let same =
                        |(n, told): (usize, &ToldCall)| (!matched.contains(&n) && told.is(kept, last)).then_some(n);
                    if let Some(n) = told.iter().enumerate().find_map(same) {
                        matched.push(n);
                        part.known += 1;
                        continue;
                    }
                    session.replay_one(&event.key, kept, &places, &mut part)?;
                }
                Ok((part, matched))
            })?;
            let mut n = 0;
            told.retain(|_| {
                n += 1;
                !matched.contains(&(n - 1))
            });
            before = last_time(events).or(before);
            replayed.turns += part.turns;
            replayed.toolcalls += part.toolcalls;
            replayed.known += part.known;
            done(events.len());
        }
        Ok(replayed)
    }

    fn has_replayed(&self, event: &Event) -> bool {
        match &event.what {
            What::Turn { .. } => self.chat().has(&event.key),
            What::Toolcall { .. } => self.toolcall_id(&event.key).is_ok_and(|id| self.sets().member(&id).is_some()),
        }
    }

    /// Whether a hook or a transcript has told this turn already, where the other one names it differently: the same words of the same
    /// speaker at the same time.
    fn was_told(&self, role: Role, content: &Content, key: &str) -> bool {
        let chat = self.chat();
        let is_mixed = key.starts_with(hooks::KEY) || chat.keys.iter().any(|key| key.starts_with(hooks::KEY));
        let Some(at) = self.time().filter(|_| is_mixed) else { return false };
        let near = |said: &Said| (said.at.0 - at.0).abs() <= SAME_TURN;
        chat.said.iter().any(|said| said.role == role && said.text == content.hash() && near(said))
    }

    /// The calls that are known under names that the transcript does not have. Gemini CLI gives its hook no name of a call, so one is
    /// known again by what was called and answered, and when.
    fn told_calls(&self, transcript: &Transcript) -> Result<Vec<ToldCall>> {
        if transcript.format != Format::Gemini {
            return Ok(Vec::new());
        }
        let named =
            transcript.events.iter().map(|event| self.toolcall_id(&event.key)).collect::<Result<HashSet<_>>>()?;
        let others = self.sets().index().map(|member| &member.id).filter(|id| !named.contains(*id));
        let ids: Vec<ObjectId> = others.cloned().collect();
        let mut told = Vec::new();
        for version in self.objects().get_many(&ids, AsOf::default(), false)?.into_iter().flatten() {
            if version.head.kind == ObjectKind::Toolcall.as_str() {
                let ToolcallFields { tool, args, .. } = fields(&version)?;
                told.push(ToldCall { tool, args, output: version.head.content_hash, at: version.head.valid_from });
            }
        }
        Ok(told)
    }

    /// Where the paths of a transcript lead, each looked at once.
    fn places(&self, transcript: &Transcript) -> Result<HashMap<String, FilesystemSource>> {
        let mut places = HashMap::new();
        for event in &transcript.events {
            let What::Toolcall { files, .. } = &event.what else { continue };
            for file in files.iter().filter(|file| is_path(file)) {
                if !places.contains_key(&file.path) {
                    places.insert(file.path.clone(), self.place(Path::new(&file.path))?.source);
                }
            }
        }
        Ok(places)
    }

    fn replay_one(
        &mut self,
        key: &str,
        kept: &Kept,
        places: &HashMap<String, FilesystemSource>,
        part: &mut Replayed,
    ) -> Result<()> {
        match kept {
            Kept::Turn(role, content) => {
                if self.chat().has(key) || self.was_told(*role, content, key) {
                    part.known += 1;
                    return Ok(());
                }
                self.turn(*role, content.clone(), Some(key.to_owned()))?;
                part.turns += 1;
            }
            Kept::Call(call, files) => {
                let id = self.toolcall_id(key)?;
                if self.sets().member(&id).is_some() {
                    part.known += 1;
                    return Ok(());
                }
                // Without a time, what a file said then can't be told from what it says now: then it was only met.
                let is_dated = self.time().is_some();
                let source = |(path, sight): &(String, Option<ReadOutcome>)| {
                    Some((places.get(path)?.clone(), sight.clone().filter(|_| is_dated)))
                };
                let sources: Vec<(FilesystemSource, Option<ReadOutcome>)> = files.iter().filter_map(source).collect();
                self.record(&id, call.clone(), &sources)?;
                part.toolcalls += 1;
            }
        }
        Ok(())
    }
}

/// A call that is known under another name.
struct ToldCall {
    tool: String,
    args: serde_json::Map<String, Value>,
    output: Option<ContentHash>,
    at: Moment,
}

impl ToldCall {
    fn is(&self, kept: &Kept, at: Option<Moment>) -> bool {
        let (Kept::Call(call, _), Some(at)) = (kept, at) else { return false };
        self.tool == call.tool
            && self.args == call.args
            && self.output == Some(call.content.hash())
            && (self.at.0 - at.0).abs() <= SAME_TURN
    }
}

/// When the last of some events happened that has a time.
fn last_time(events: &[Event]) -> Option<Moment> {
    events.iter().rev().find_map(|event| Some(Moment(event.at?.as_microsecond())))
}

/// An event as it may be kept: secrets taken out, texts hashed.
enum Kept {
    Turn(Role, Content),
    Call(KeptCall, Vec<(String, Option<ReadOutcome>)>),
}

/// Prepares an event, on any thread.
fn prepare(event: &Event, keep: Keep, eyes: &FileReader) -> Kept {
    match &event.what {
        What::Turn { role, text } => Kept::Turn(*role, Content::new(keep.text(text.clone()))),
        What::Toolcall { tool, args, args_display, output, ok, files } => {
            let args = match args {
                Value::Object(args) => args.clone(),
                _ => serde_json::Map::new(),
            };
            let call = KeptCall {
                tool: keep.text(tool.clone()),
                args: keep.arguments(args),
                args_display: keep.optional(args_display.clone()),
                content: Content::new(keep.text(output.clone())),
                status: if *ok { Status::Ok } else { Status::Fail },
            };
            let seen = |file: &SeenFile| match &file.seen {
                Seen::Whole(text) => (file.path.clone(), Some(eyes.judge(Path::new(&file.path), text.clone().into()))),
                Seen::Named => (file.path.clone(), None),
            };
            Kept::Call(call, files.iter().filter(|file| is_path(file)).map(seen).collect())
        }
    }
}

/// Whether a path of the transcript can be one.
fn is_path(file: &SeenFile) -> bool {
    Path::new(&file.path).is_absolute() && !file.path.contains('\0')
}
