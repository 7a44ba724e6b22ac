//! What the suite expects to find, read from the JSON files under `fixtures/`.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use rmcp::model::{
    CallToolResult, GetPromptResult, InputRequests, JsonObject, Prompt, PromptArgument, PromptMessage, Resource,
    ResourceContents, ResourceTemplate, Tool,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The template that the suite reads from, in two halves around its only variable.
const TEMPLATE: (&str, &str) = ("test://template/", "/data");

pub(crate) struct Fixtures {
    tools: BTreeMap<String, FixtureTool>,
    prompts: BTreeMap<String, FixturePrompt>,
    resources: Vec<FixtureResource>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FixtureTool {
    description: String,
    #[serde(default = "no_arguments")]
    input_schema: JsonObject,
    /// Whether its questions carry a state that must come back untouched.
    #[serde(default)]
    pub(crate) state: bool,
    #[serde(flatten)]
    pub(crate) does: Does,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Does {
    Answer(CallToolResult),
    /// Sends these log messages.
    Logs(Vec<String>),
    /// Tells that it is as far as these, of 100.
    Progress(Vec<f64>),
    /// Acts as if a list had changed.
    Changes(Change),
    /// Sends this request to the client while it runs, as revisions before 2026-07-28 do.
    Asks(Value),
    /// Answers with these questions, one set after the other, as revisions since 2026-07-28 do.
    Rounds(Vec<InputRequests>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    Tools,
    Prompts,
}

#[derive(Debug, Deserialize)]
struct FixtureResource {
    name: String,
    description: String,
    contents: Value,
}

/// A prompt. Its arguments are filled in where `{name}` stands.
#[derive(Debug, Deserialize)]
pub(crate) struct FixturePrompt {
    description: String,
    #[serde(default)]
    arguments: Vec<String>,
    messages: Value,
    /// Questions to the client that come first.
    #[serde(default)]
    pub(crate) rounds: Vec<InputRequests>,
}

fn no_arguments() -> JsonObject {
    JsonObject::from_iter([("type".to_owned(), json!("object"))])
}

fn parsed<T: DeserializeOwned>(file: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).with_context(|| format!("fixtures/{file}"))
}

impl Fixtures {
    pub(crate) fn load() -> Result<Self> {
        let mut tools: BTreeMap<String, FixtureTool> = parsed("tools.json", include_str!("fixtures/tools.json"))?;
        let rounds: BTreeMap<String, FixtureTool> = parsed("rounds.json", include_str!("fixtures/rounds.json"))?;
        tools.extend(rounds);
        Ok(Fixtures {
            tools,
            prompts: parsed("prompts.json", include_str!("fixtures/prompts.json"))?,
            resources: parsed("resources.json", include_str!("fixtures/resources.json"))?,
        })
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&FixtureTool> {
        self.tools.get(name)
    }

    pub(crate) fn shown_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.tools.get(name)?;
        Some(Tool::new(name.to_owned(), tool.description.clone(), tool.input_schema.clone()))
    }

    pub(crate) fn shown_tools(&self) -> impl Iterator<Item = Tool> {
        self.tools.keys().filter_map(|name| self.shown_tool(name))
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&FixturePrompt> {
        self.prompts.get(name)
    }

    pub(crate) fn shown_prompts(&self) -> impl Iterator<Item = Prompt> {
        self.prompts.iter().map(|(name, prompt)| {
            let argument = |name: &String| PromptArgument::new(name).with_description("A text.").with_required(true);
            let arguments = prompt.arguments.iter().map(argument).collect();
            Prompt::new(name, Some(&prompt.description), Some(arguments))
        })
    }

    pub(crate) fn shown_resources(&self) -> impl Iterator<Item = Resource> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.resources.iter().map(move |resource| {
            Resource::new(text(&resource.contents["uri"]), &resource.name)
                .with_description(&resource.description)
                .with_mime_type(text(&resource.contents["mimeType"]))
        })
    }

    pub(crate) fn shown_template(&self) -> ResourceTemplate {
        ResourceTemplate::new(format!("{}{{id}}{}", TEMPLATE.0, TEMPLATE.1), "template")
            .with_description("Data for an id.")
            .with_mime_type("application/json")
    }

    /// The contents of a resource, or of one that the template gives.
    pub(crate) fn contents(&self, uri: &str) -> Option<ResourceContents> {
        if let Some(id) = uri.strip_prefix(TEMPLATE.0).and_then(|rest| rest.strip_suffix(TEMPLATE.1)) {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            return Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"));
        }
        let found = self.resources.iter().find(|resource| resource.contents["uri"] == uri)?;
        serde_json::from_value(found.contents.clone()).ok()
    }
}

impl FixturePrompt {
    pub(crate) fn result(&self, arguments: &JsonObject) -> serde_json::Result<GetPromptResult> {
        let messages: Vec<PromptMessage> = serde_json::from_value(filled(&self.messages, arguments))?;
        Ok(GetPromptResult::new(messages).with_description(&self.description))
    }
}

/// A value in which `{name}` is replaced by that argument, in every text.
pub(crate) fn filled(value: &Value, arguments: &JsonObject) -> Value {
    match value {
        Value::String(text) => {
            let fill = |text: String, (name, value): (&String, &Value)| match value {
                Value::String(value) => text.replace(&format!("{{{name}}}"), value),
                _ => text,
            };
            arguments.iter().fold(text.clone(), fill).into()
        }
        Value::Array(values) => values.iter().map(|value| filled(value, arguments)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), filled(value, arguments))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures_are_sound() {
        let fixtures = Fixtures::load().unwrap();
        for resource in fixtures.shown_resources() {
            assert!(fixtures.contents(&resource.uri).is_some(), "{}", resource.uri);
        }
        for prompt in fixtures.prompts.values() {
            assert!(!prompt.result(&JsonObject::new()).unwrap().messages.is_empty());
        }
        assert!(fixtures.contents("test://template/123/data").is_some());
        assert!(fixtures.contents("test://other").is_none());
    }

    #[test]
    fn arguments_are_filled_in() {
        let arguments = JsonObject::from_iter([("a".to_owned(), json!("1")), ("b".to_owned(), json!(2))]);
        assert_eq!(filled(&json!({ "x": ["{a}-{a}", "{b}", 3] }), &arguments), json!({ "x": ["1-1", "{b}", 3] }));
    }
}
