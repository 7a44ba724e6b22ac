//! `tools`: what else there is, and the way to call it. So an agent pays for the few tools it needs, and can have all.

use ai_assist_base::nearest;
use rmcp::model::JsonObject;

use super::TABLE;
use super::common::*;

/// The name of the tool, which the server asks for to see whether a call is meant for another.
pub(crate) const RELAY: &str = "tools";

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolsArgs {
    /// A tool: alone, its arguments are described.
    #[schemars(length(min = 1, max = 100))]
    name: Option<String>,
    /// Calls it with these; `{}` for none.
    arguments: Option<JsonObject>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Other {
    name: &'static str,
    about: &'static str,
    /// The schema of its arguments, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolsAnswer {
    tools: Vec<Other>,
}

impl Answer for ToolsAnswer {
    fn text(&self, _json: &Value) -> String {
        let line = |tool: &Other| match &tool.arguments {
            None => format!("- {}: {}\n", tool.name, tool.about),
            Some(schema) => format!("{}: {}\n\n{schema}\n", tool.name, tool.about),
        };
        self.tools.iter().map(line).collect()
    }
}

impl Tool for ToolsArgs {
    const NAME: &'static str = RELAY;
    const DESCRIPTION: &'static str = "More tools (manage collections and categories, add sources, sessions, packs, …): list them, describe one, or call one.";
    type Answer = ToolsAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ToolsAnswer>, Failure> {
        let Some(name) = args.name else {
            let tools = call.offered.others();
            let tools = tools.map(|entry| Other { name: entry.name, about: entry.description(), arguments: None });
            let answer = ToolsAnswer { tools: tools.collect() };
            let message = r#"`tools {"name":"NAME"}` describes the arguments of one, `tools {"name":"NAME","arguments":{…}}` calls it."#;
            return Ok(Success::with_message(answer, message));
        };
        let entry = call.offered.find(&name).unwrap_or_else(|| Err(no_tool(&name)))?;
        let about =
            Other { name: entry.name, about: entry.description(), arguments: Some(Value::Object(entry.input())) };
        Ok(ToolsAnswer { tools: vec![about] }.into())
    }
}

/// The tool that a call is meant for, with its arguments.
pub(crate) fn relayed(arguments: &JsonObject) -> Option<(String, JsonObject)> {
    match (arguments.get("name")?, arguments.get("arguments")?) {
        (Value::String(name), Value::Object(inner)) if name != RELAY => Some((name.clone(), inner.clone())),
        _ => None,
    }
}

pub(crate) fn no_tool(name: &str) -> Failure {
    let shown: String = name.chars().take(60).collect();
    let hint = nearest(name, TABLE.iter().map(|entry| entry.name));
    let hint = hint.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
    let way = format!("{hint}`tools {{}}` lists them.");
    Failure {
        field: Some("name".to_owned()),
        ..Failure::new(ErrorType::NotFound, format!("there is no tool `{shown}`"), way)
    }
}
