//! A transcript of another program, replayed into a session.

use std::path::{Path, PathBuf};

use ai_assist_store::objects::{Content, Moment};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::object::{Role, Status};
use crate::session::{How, NewToolcall, ReadFile, Session};
use crate::transcript::{self, Event, Seen, SeenFile, Transcript, What};

/// So many events are written at once.
const BATCH: usize = 200;

/// What a replay came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// Things that were said.
    pub turns: usize,
    /// Calls of tools.
    pub toolcalls: usize,
    /// Events that were there already.
    pub known: usize,
}

impl Session {
    /// Replays a transcript: each event at its own time, and none that was replayed before.
    ///
    /// # Errors
    ///
    /// If the store fails, or `cancel` says so; what was written until then stays, and a second replay goes on behind it.
    pub fn replay(
        &mut self,
        transcript: &Transcript,
        done: &mut dyn FnMut(usize),
        cancel: &(dyn Fn() -> bool + Sync),
    ) -> Result<Replayed> {
        let mut replayed = Replayed::default();
        for batch in transcript.events.chunks(BATCH) {
            if cancel() {
                return Err(Error::Cancelled);
            }
            let part: Replayed = self.change(&How::default(), &"replay", |session| {
                let mut part = Replayed::default();
                for event in batch {
                    session.set_time(event.at.map(|at| Moment(at.as_microsecond())));
                    session.replay_one(event, &mut part)?;
                }
                Ok(part)
            })?;
            replayed.turns += part.turns;
            replayed.toolcalls += part.toolcalls;
            replayed.known += part.known;
            done(batch.len());
        }
        Ok(replayed)
    }

    fn replay_one(&mut self, event: &Event, part: &mut Replayed) -> Result<()> {
        match &event.what {
            What::Turn { role, text } => {
                if self.chat().has(&event.key) {
                    part.known += 1;
                    return Ok(());
                }
                let role = match role {
                    transcript::Role::User => Role::User,
                    transcript::Role::Assistant => Role::Assistant,
                };
                let content = Content::new(self.kept(text))?;
                self.turn(role, content, Some(event.key.clone()))?;
                part.turns += 1;
            }
            What::Toolcall { tool, args, args_display, output, ok, files } => {
                let args = match args {
                    Value::Object(args) => args.clone(),
                    _ => serde_json::Map::new(),
                };
                let call = NewToolcall {
                    tool: tool.clone(),
                    args,
                    args_display: args_display.clone(),
                    content: output.clone(),
                    status: if *ok { Status::Ok } else { Status::Fail },
                    files: files.iter().filter(|file| matches!(file.seen, Seen::Named)).filter_map(path).collect(),
                    read: files.iter().filter_map(read).collect(),
                    key: Some(event.key.clone()),
                };
                if self.plan_toolcall(&call)?.1 {
                    part.toolcalls += 1;
                } else {
                    part.known += 1;
                }
            }
        }
        Ok(())
    }
}

/// A path of the transcript that can be one.
fn path(file: &SeenFile) -> Option<PathBuf> {
    let path = Path::new(&file.path);
    (path.is_absolute() && !file.path.contains('\0')).then(|| path.to_owned())
}

fn read(file: &SeenFile) -> Option<ReadFile> {
    match &file.seen {
        Seen::Whole(text) => Some(ReadFile { path: path(file)?, bytes: Some(text.clone().into_bytes()) }),
        Seen::Named => None,
    }
}
