//! What is said, and the tools that are called.

use std::path::PathBuf;

use ai_assist_identity::{Sha256, jcs};
use ai_assist_store::objects::{AsOf, Content, Expect, NewState, ObjectId, ObjectWrite, Op};
use serde_json::{Map, Value};

use super::files::ReadFile;
use super::{How, Session};
use crate::chat::ChatChange;
use crate::error::Result;
use crate::file_reader::ReadOutcome;
use crate::indexer::{Happened, IndexAction};
use crate::object::{FilesystemSource, ObjectKind, Role, Status, SystemPromptFields, ToolcallFields};
use crate::sets::Step;

#[derive(Debug, Clone)]
pub struct NewToolcall {
    pub tool: String,
    pub args: Map<String, Value>,
    pub args_display: Option<String>,
    pub content: String,
    pub status: Status,
    pub files: Vec<PathBuf>,
    /// Files that it read, with their bytes.
    pub read: Vec<ReadFile>,
}

#[derive(Debug, Clone)]
pub(crate) struct KeptCall {
    pub(crate) tool: String,
    pub(crate) args: Map<String, Value>,
    pub(crate) args_display: Option<String>,
    pub(crate) content: Content,
    pub(crate) status: Status,
}

impl Session {
    /// Records a call with its result. It is held from now on, and the files that it met are known.
    pub fn toolcall(&mut self, call: &NewToolcall, how: &How) -> Result<ObjectId> {
        // Chosen here, so that planning anew does not choose another.
        let id = self.toolcall_id(&format!("{:032x}", fastrand::u128(..)))?;
        let files: Vec<_> = call.files.iter().map(|path| path.display().to_string()).collect();
        let content = Sha256::of(call.content.as_bytes());
        let asked = ("toolcall", &call.tool, &call.args, &call.args_display, call.status, content, files);
        let named: String = self.change(how, &asked, |session| {
            session.must_be_as_expected(how, &session.chat_id.clone())?;
            session.plan_toolcall(&id, call)
        })?;
        Ok(named.parse()?)
    }

    fn plan_toolcall(&mut self, id: &ObjectId, call: &NewToolcall) -> Result<String> {
        let mut sources: Vec<(FilesystemSource, Option<ReadOutcome>)> = Vec::new();
        for path in &call.files {
            sources.push((self.place(path)?.source, None));
        }
        for file in &call.read {
            let source = self.place(&file.path)?.source;
            let sight = self.file_reader().judge(&source.to_path_buf(), file.bytes.clone().unwrap_or_default());
            sources.push((source, Some(sight)));
        }
        let keep = self.keep();
        let kept = KeptCall {
            tool: keep.text(call.tool.clone()),
            args: keep.arguments(call.args.clone()),
            args_display: keep.optional(call.args_display.clone()),
            content: Content::new(keep.text(call.content.clone())),
            status: call.status,
        };
        self.record(id, kept, &sources)?;
        Ok(id.to_string())
    }

    pub(crate) fn toolcall_id(&self, key: &str) -> Result<ObjectId> {
        Ok(self.name.toolcall(&Sha256::of(key.as_bytes()).hex()[..16])?)
    }

    /// Plans the call `id` with the files it has to do with: those with a sight were read, the others met.
    pub(crate) fn record(
        &mut self,
        id: &ObjectId,
        call: KeptCall,
        sources: &[(FilesystemSource, Option<ReadOutcome>)],
    ) -> Result<()> {
        let mut refs: Vec<String> = Vec::with_capacity(sources.len());
        for (source, sight) in sources {
            let (happened, step) = match sight {
                Some(sight @ (ReadOutcome::Text { .. } | ReadOutcome::NoText { .. })) => {
                    (Happened::Read(sight.clone()), Step::Hold)
                }
                _ => (Happened::Met, Step::Meet),
            };
            let file = self.file(source, happened)?.object_id;
            self.step(step, std::slice::from_ref(&file))?;
            let file = file.to_string();
            if !refs.contains(&file) {
                refs.push(file);
            }
        }
        let fields = ToolcallFields {
            tool: call.tool,
            args: call.args,
            args_display: call.args_display,
            status: call.status,
            chat_ref: self.chat_id.to_string(),
            file_refs: (!refs.is_empty()).then_some(refs),
        };
        let content = Some(call.content);
        let state = NewState { fields: jcs::to_string(&fields)?, extra: None, file_hash: None, content };
        let write = ObjectWrite::new(id.clone(), ObjectKind::Toolcall.as_str(), Op::Put(state));
        self.push(ObjectWrite { valid: self.validity(), expect: Expect::Absent, ..write });
        self.chat_change(&ChatChange::Toolcall { toolcall: id.to_string() }, None)?;
        self.step(Step::Hold, std::slice::from_ref(id))?;
        Ok(())
    }

    /// Records something that was said. How many turns there are then.
    pub fn say(&mut self, role: Role, text: &str, how: &How) -> Result<usize> {
        let content = Content::new(self.keep().text(text.to_owned()));
        let asked = ("chat", role, content.hash().to_string());
        self.change(how, &asked, |session| {
            session.must_be_as_expected(how, &session.chat_id.clone())?;
            session.turn(role, content.clone(), None)?;
            Ok(session.chat.said.len())
        })
    }

    pub(crate) fn turn(&mut self, turn: Role, content: Content, key: Option<String>) -> Result<()> {
        self.chat_change(&ChatChange::Turn { turn, key }, Some(content))
    }

    /// Gives the model another system prompt from now on; an unchanged one writes nothing.
    pub fn set_system_prompt(&mut self, text: &str, how: &How) -> Result<IndexAction> {
        let content = Content::new(self.keep().text(text.to_owned()));
        let asked = ("system_prompt", content.hash().to_string());
        self.change(how, &asked, |session| {
            let id = session.prompt_id.clone();
            session.must_be_as_expected(how, &id)?;
            let known = session.objects.get_many(std::slice::from_ref(&id), AsOf::default(), false)?.pop().flatten();
            let known = known.map(|version| (version.head.seq, version.head.content_hash));
            if known.is_some_and(|(_, hash)| hash == Some(content.hash())) {
                return Ok(IndexAction::Unchanged);
            }
            let fields = jcs::to_string(&SystemPromptFields {})?;
            let state = NewState { fields, extra: None, file_hash: None, content: Some(content.clone()) };
            let expect = known.map_or(Expect::Absent, |(seq, _)| Expect::At(seq));
            let write = ObjectWrite::new(id, ObjectKind::SystemPrompt.as_str(), Op::Put(state));
            session.push(ObjectWrite { expect, ..write });
            Ok(IndexAction::Updated)
        })
    }
}
