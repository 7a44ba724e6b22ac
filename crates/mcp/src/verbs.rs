//! The tools for other surfaces: the same arguments, checks, answers and failures, without the protocol.

use ai_assist_app::Project;
use ai_assist_base::Cancel;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use crate::call::Report;
use crate::call::{Call, Subject};
use crate::outcome::{Failure, Forms};
use crate::tool::{Effect, Entry, Offered};
use crate::{arguments, schema, tools};

/// A tool, to be called for a project that is open already.
#[derive(Clone, Copy)]
pub struct Verb(&'static Entry);

/// What a verb has come to.
#[derive(Debug, Clone)]
pub struct Done {
    pub value: Value,
    /// What else is worth knowing.
    pub message: Option<String>,
}

impl std::fmt::Debug for Verb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Verb").field(&self.0.name).finish()
    }
}

impl Verb {
    /// The tool of a name.
    pub fn named(name: &str) -> Option<Verb> {
        tools::TABLE.iter().find(|entry| entry.name == name).map(Verb)
    }

    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Whether it may take long, and says how far it is.
    pub fn is_long(&self) -> bool {
        self.0.is_long()
    }

    pub fn only_reads(&self) -> bool {
        self.0.effect() == Effect::Reads
    }

    /// The schema of its arguments.
    pub fn input(&self) -> JsonObject {
        self.0.input()
    }

    /// The schema of its answer.
    pub fn output(&self) -> Value {
        self.0.output().get("properties").and_then(|all| all.get("value")).cloned().unwrap_or_default()
    }

    /// Checks arguments. What comes back does the work.
    pub fn prepare(
        &self,
        arguments: JsonObject,
    ) -> Result<impl FnOnce(Project, &Cancel, Report<'_>) -> Result<Done, Failure> + Send + use<>, Failure> {
        let prepared = self.0.prepare(arguments)?;
        Ok(move |project: Project, cancel: &Cancel, report: Report<'_>| {
            let subject = Subject { project, named: None, warnings: Vec::new() };
            let project = &subject.project;
            let (forms, offered) = (Forms::STRUCTURED, &Offered::default());
            let call = Call { subject: &subject, project, cancel, frozen: false, report, forms, offered };
            let mut answer = prepared(&call)?.json;
            let message = answer.get("message").and_then(Value::as_str).map(str::to_owned);
            let value = answer.get_mut("value").map(Value::take).unwrap_or_default();
            Ok(Done { value, message })
        })
    }
}

/// The schema of arguments that are no tool's, in the form that [`read_arguments`] understands.
pub fn schema_of_arguments<T: JsonSchema>() -> JsonObject {
    schema::input::<T>(false)
}

/// The schema of an answer that is no tool's.
pub fn schema_of_answer<T: JsonSchema>() -> Value {
    schema::output::<T>().get("properties").and_then(|all| all.get("value")).cloned().unwrap_or_default()
}

/// Arguments, checked against their schema. Every fault is told at once.
pub fn read_arguments<T: DeserializeOwned>(schema: &JsonObject, given: JsonObject) -> Result<T, Failure> {
    arguments::read(schema, given)
}
