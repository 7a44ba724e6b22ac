//! Calls that another process answers in place of this one, because it has everything open already.
//!
//! Only what reads is handed on, and the answer is the one that this process would give: the same tool, arguments, forms and
//! budget. Whoever can't be asked is not waited for.

use std::fmt;
use std::sync::Arc;

use ai_assist_app::Project;
use ai_assist_base::Cancel;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{Call, Report, Subject};
use crate::outcome::{Answered, Failure, Forms};
use crate::tool::{Effect, Offered};
use crate::tools;

/// A call of a tool that reads, as it travels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelayedCall {
    pub tool: String,
    pub arguments: JsonObject,
    /// Whether the answer is wanted as text for a model.
    pub text: bool,
    /// Whether it is wanted for a program.
    pub structured: bool,
    /// The tools that the client has, as `--tools` names them: answers name no others.
    pub tools: String,
    /// Whether it has those only that read.
    pub read_only: bool,
    /// What the client calls the project by, if it names one with every call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// What is to be said of the project's configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What such a call has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RelayedAnswer {
    Answered {
        json: Value,
        text: String,
    },
    /// As a failure has it: `error`, `error_type`, `instruction`.
    Failed(#[schemars(with = "JsonObject")] Failure),
}

impl RelayedAnswer {
    pub(crate) fn into_result(self) -> Result<Answered, Failure> {
        match self {
            RelayedAnswer::Answered { json, text } => Ok(Answered { json, text }),
            RelayedAnswer::Failed(failure) => Err(failure),
        }
    }
}

impl RelayedCall {
    /// Answers it for a project. A failure of the tool is an answer; one that comes back is of whoever has sent the call.
    pub fn answer(self, project: Project, cancel: &Cancel, report: Report<'_>) -> Result<RelayedAnswer, Failure> {
        let entry = tools::TABLE.iter().find(|entry| entry.name == self.tool && entry.effect() == Effect::Reads);
        let entry = entry.ok_or_else(|| Failure::argument("tool", "the name of a tool that reads", self.tool))?;
        let tools = self.tools.parse().map_err(|_| Failure::argument("tools", "names of tools", self.tools))?;
        let offered = Offered { tools, read_only: self.read_only };
        let subject = Subject { project, named: self.named, warnings: self.warnings };
        let forms = Forms { text: self.text, structured: self.structured };
        let project = &subject.project;
        let call = Call { subject: &subject, project, cancel, frozen: false, report, forms, offered: &offered };
        let answered = entry.prepare(self.arguments).and_then(|prepared| prepared(&call));
        Ok(match answered {
            Ok(Answered { json, text }) => RelayedAnswer::Answered { json, text },
            Err(failure) => RelayedAnswer::Failed(failure),
        })
    }
}

type Asks = dyn Fn(&Project, &RelayedCall) -> Option<RelayedAnswer> + Send + Sync;

/// Somebody who may answer for a project; nothing comes back if nobody is there, or has other settings than ours.
#[derive(Clone)]
pub struct Relay(Arc<Asks>);

impl Relay {
    pub fn new(asks: impl Fn(&Project, &RelayedCall) -> Option<RelayedAnswer> + Send + Sync + 'static) -> Self {
        Relay(Arc::new(asks))
    }

    pub(crate) fn ask(&self, project: &Project, call: &RelayedCall) -> Option<Result<Answered, Failure>> {
        (self.0)(project, call).map(RelayedAnswer::into_result)
    }
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Relay")
    }
}
