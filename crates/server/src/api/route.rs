//! What a route is. The router, the checks and the description of the API all come from one table of them.

use ai_assist_app::Project;
use ai_assist_base::Cancel;
use ai_assist_mcp::{Failure, Report, Verb, read_arguments, schema_of_answer, schema_of_arguments};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::names::{camel, camel_keys, camel_schema, snake_keys};
use crate::http::Peer;
use crate::service::Service;

/// Answers of tools are as long as their schemas allow, unless the request says otherwise.
const MOST_TOKENS: u64 = 24_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbs {
    Get,
    Post,
    Delete,
}

impl Verbs {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verbs::Get => "GET",
            Verbs::Post => "POST",
            Verbs::Delete => "DELETE",
        }
    }
}

/// What a procedure is called with.
pub(crate) struct Asked<'a> {
    pub(crate) service: &'a Service,
    pub(crate) peer: Peer,
    pub(crate) cancel: &'a Cancel,
    pub(crate) report: Report<'a>,
}

/// Arguments of a procedure, and the way from them to its answer.
pub(crate) trait Procedure: DeserializeOwned + JsonSchema + Send + 'static {
    type Answer: Serialize;
    /// The shape of the answer, where that is not what the answer is made of.
    type Shape: JsonSchema;

    fn run(self, project: &Project, asked: &Asked<'_>) -> Result<Self::Answer, Failure>;
}

/// The same for what is about the service itself, and no project.
pub(crate) trait ServiceProcedure: DeserializeOwned + JsonSchema + Send + 'static {
    type Answer: Serialize + JsonSchema;

    fn run(self, asked: &Asked<'_>) -> Result<Self::Answer, Failure>;
}

/// A call whose arguments are in order. `open` gives the project that it is about.
pub(crate) type Prepared =
    Box<dyn FnOnce(&dyn Fn() -> Result<Project, Failure>, &Asked<'_>) -> Result<Value, Failure> + Send>;

#[derive(Clone, Copy)]
pub(crate) enum Does {
    Tool(&'static str),
    Own {
        input: fn() -> Map<String, Value>,
        output: fn() -> Value,
        prepare: fn(Map<String, Value>) -> Result<Prepared, Failure>,
    },
}

pub(crate) struct Route {
    pub(crate) verb: Verbs,
    /// Below `/api/v1`, with `{names}` of arguments.
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) does: Does,
    /// Whether it takes time, and can tell how far it is.
    pub(crate) long: bool,
    /// Whether only programs of the user may ask, over the socket.
    pub(crate) local: bool,
    pub(crate) about_project: bool,
}

const fn route(verb: Verbs, path: &'static str, summary: &'static str, does: Does) -> Route {
    Route { verb, path, summary, does, long: false, local: false, about_project: true }
}

pub(crate) const fn get<P: Procedure>(path: &'static str, summary: &'static str) -> Route {
    route(Verbs::Get, path, summary, own::<P>())
}

pub(crate) const fn post<P: Procedure>(path: &'static str, summary: &'static str) -> Route {
    route(Verbs::Post, path, summary, own::<P>())
}

pub(crate) const fn of_service<P: ServiceProcedure>(verb: Verbs, path: &'static str, summary: &'static str) -> Route {
    let does = Does::Own {
        input: schema_of_arguments::<P>,
        output: schema_of_answer::<P::Answer>,
        prepare: |arguments| {
            let procedure: P = read_arguments(&schema_of_arguments::<P>(), arguments)?;
            Ok(Box::new(move |_, asked| json(procedure.run(asked)?)))
        },
    };
    Route { about_project: false, ..route(verb, path, summary, does) }
}

pub(crate) const fn tool(verb: Verbs, path: &'static str, summary: &'static str, name: &'static str) -> Route {
    route(verb, path, summary, Does::Tool(name))
}

const fn own<P: Procedure>() -> Does {
    Does::Own {
        input: schema_of_arguments::<P>,
        output: schema_of_answer::<P::Shape>,
        prepare: |arguments| {
            let procedure: P = read_arguments(&schema_of_arguments::<P>(), arguments)?;
            Ok(Box::new(move |open, asked| json(procedure.run(&open()?, asked)?)))
        },
    }
}

fn json(answer: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| {
        let kind = ai_assist_mcp::ErrorType::InternalError;
        Failure::new(kind, error.to_string(), "Report this as a fault of ai-assist.")
    })
}

impl Route {
    pub(crate) const fn long(self) -> Self {
        Route { long: true, ..self }
    }

    pub(crate) const fn local(self) -> Self {
        Route { local: true, ..self }
    }

    /// The names of arguments that stand in the path.
    pub(crate) fn in_path(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// The schema of all arguments.
    pub(crate) fn input(&self) -> Map<String, Value> {
        match self.does {
            Does::Own { input, .. } => input(),
            Does::Tool(name) => {
                let schema = Verb::named(name).map(|verb| verb.input()).unwrap_or_default();
                match camel_schema(Value::Object(schema)) {
                    Value::Object(schema) => schema,
                    _ => Map::new(),
                }
            }
        }
    }

    /// The schema of the answer.
    pub(crate) fn output(&self) -> Value {
        match self.does {
            Does::Own { output, .. } => output(),
            Does::Tool(name) => {
                let mut schema = camel_schema(Verb::named(name).map(|verb| verb.output()).unwrap_or_default());
                point_schema(&mut schema);
                if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                    let message = serde_json::json!({ "type": "string", "description": "What else is worth knowing." });
                    properties.insert("message".to_owned(), message);
                }
                schema
            }
        }
    }

    /// Checks arguments. What comes back does the work.
    pub(crate) fn prepare(&'static self, mut arguments: Map<String, Value>) -> Result<Prepared, Failure> {
        match self.does {
            Does::Own { prepare, .. } => prepare(arguments),
            Does::Tool(name) => {
                let Some(verb) = Verb::named(name) else { unreachable!("a test looks at every row of the table") };
                let input = self.input();
                let takes = |name: &str| input.get("properties").is_some_and(|all| all.get(name).is_some());
                if takes("maxTokens") {
                    arguments.entry("maxTokens").or_insert(MOST_TOKENS.into());
                }
                let prepared = verb.prepare(snake_keys(arguments))?;
                Ok(Box::new(move |open, asked| {
                    let done = prepared(open()?, asked.cancel, asked.report)?;
                    let mut value = point_on(camel_keys(done.value));
                    if let (Some(message), Value::Object(object)) = (done.message, &mut value) {
                        object.insert("message".to_owned(), super::told(&message).into());
                    }
                    Ok(value)
                }))
            }
        }
    }
}

/// What goes on from an answer names a tool; here it names an address.
fn point_on(mut value: Value) -> Value {
    let each = |value: &mut Value| *value = point_on(value.take());
    match &mut value {
        Value::Object(object) => {
            let more = object.get("tool").and_then(Value::as_str).and_then(super::table::route_of_tool);
            if let Some((route, Value::Object(arguments))) = more.zip(object.get("arguments").cloned()) {
                let mut pointed = Map::new();
                pointed.extend(object.get("leftOut").map(|text| ("leftOut".to_owned(), text.clone())));
                pointed.insert("method".to_owned(), route.verb.name().into());
                let arguments = arguments.into_iter().map(|(name, value)| (camel(&name), value)).collect();
                let (url, body) = super::address(route, arguments);
                pointed.insert("url".to_owned(), url.into());
                pointed.extend(body.map(|body| ("body".to_owned(), Value::Object(body))));
                return Value::Object(pointed);
            }
            object.values_mut().for_each(each);
        }
        Value::Array(items) => items.iter_mut().for_each(each),
        _ => {}
    }
    value
}

/// The same in a schema.
fn point_schema(schema: &mut Value) {
    let is_more =
        |properties: &Map<String, Value>| properties.contains_key("tool") && properties.contains_key("arguments");
    match schema {
        Value::Object(object) => {
            if object.get("properties").and_then(Value::as_object).is_some_and(is_more) {
                let text = |about: &str| serde_json::json!({ "type": "string", "description": about });
                object.insert(
                    "properties".to_owned(),
                    serde_json::json!({
                        "leftOut": text("What was left out."), "method": text("How to ask for it."),
                        "url": text("Where to ask for it."), "body": { "type": "object" },
                    }),
                );
                object.insert("required".to_owned(), serde_json::json!(["method", "url"]));
                return;
            }
            object.values_mut().for_each(point_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(point_schema),
        _ => {}
    }
}
