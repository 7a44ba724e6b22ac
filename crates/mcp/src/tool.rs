//! What a tool is, and which ones a server offers.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ai_assist_base::nearest;
use ai_assist_text::{count_tokens, count_tokens_up_to};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::call::Call;
use crate::outcome::{Answered, ErrorType, Failure, Forms, Success, success_json};
use crate::{arguments, markdown, schema, tools};

/// The tokens of an answer unless the call says otherwise. No schema allows more than 24,000: common clients refuse more than
/// about 25,000.
pub(crate) const DEFAULT_TOKENS: usize = 6_000;
pub(crate) const MOST_TOKENS: usize = 24_000;

/// Arguments that say what is looked for: one is as good as another.
const ALIKE: [&str; 5] = ["place", "document", "path", "object", "query"];
/// A longer argument is not repeated, and no longer call.
const LONGEST_GIVEN: usize = 200;
const LONGEST_CALL: usize = 500;

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// It writes what can be made again: an index, a record. The same call again changes nothing more.
    Indexes,
    /// It adds to the configuration or to a session, and nothing is lost.
    Adds,
    /// It changes the configuration, and what stood there is lost.
    Changes,
    /// Whatever the tool does that it calls.
    Calls,
}

/// Who wants a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Default,
    Read,
    /// Agents that manage what a project has at hand.
    Manage,
    /// Agents that get what the project lacks.
    Sources,
    /// Agents that keep what they have seen.
    Session,
    /// Those that were taught a name that a tool had before.
    Old,
}

/// A tool is its arguments, and the way from them to an answer. Where it takes `max_tokens`, the answer is kept within.
pub(crate) trait Tool: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    /// What an agent is told of it.
    const DESCRIPTION: &'static str;
    /// Whether its answer is a choice that fills the budget, so that there is always more.
    const CHOOSES: bool = false;
    type Answer: Answer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<Self::Answer>, Failure>;
}

/// What a tool answers. One that may be long can be made shorter, and then says what it left out.
pub(crate) trait Answer: Serialize + JsonSchema {
    /// Leaves out about so much that `share` of it remains, but something in any case. False if nothing can be left out.
    fn shorten(&mut self, _share: f64) -> bool {
        false
    }

    /// For a model, without what every answer has (`more`, messages). `json` is the same for programs.
    fn text(&self, json: &Value) -> String {
        markdown::plain(json)
    }

    /// The same beside the structured form, for a client of which nobody knows which of the two its model sees. Where that form has long
    /// texts, this one says what there is and where, and not all of it a second time.
    fn short_text(&self, json: &Value) -> String {
        self.text(json)
    }
}

/// A call whose arguments are in order.
pub(crate) type Prepared = Box<dyn FnOnce(&Call<'_>) -> Result<Answered, Failure> + Send>;

/// A tool of the table, its types forgotten.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    group: Group,
    /// The tool that has taken its place.
    now: Option<&'static str>,
    input: fn(bool) -> JsonObject,
    output: fn() -> JsonObject,
    prepare: fn(JsonObject) -> Result<Prepared, Failure>,
}

impl Entry {
    pub(crate) const fn of<T: Tool>(title: &'static str, effect: Effect, group: Group) -> Entry {
        Entry {
            name: T::NAME,
            title,
            description: T::DESCRIPTION,
            effect,
            group,
            now: None,
            input: schema::input::<T>,
            output: schema::output::<T::Answer>,
            prepare: prepare::<T>,
        }
    }

    /// A tool under the name that it had before: it answers when it is called, and is shown to nobody.
    pub(crate) const fn old<T: Tool>(name: &'static str, now: &'static str) -> Entry {
        let old = Entry::of::<T>("", Effect::Reads, Group::Old);
        Entry { name, now: Some(now), ..old }
    }

    /// Whether it may take longer than a client likes to wait without a word.
    pub(crate) fn is_long(&self) -> bool {
        self.effect == Effect::Indexes
    }

    /// Whether a server that only reads can offer it.
    fn may_only_read(&self) -> bool {
        matches!(self.effect, Effect::Reads | Effect::Calls)
    }

    pub(crate) fn effect(&self) -> Effect {
        self.effect
    }

    /// The schema of its arguments, for a project that is settled.
    pub(crate) fn input(&self) -> JsonObject {
        (self.input)(false)
    }

    pub(crate) fn output(&self) -> JsonObject {
        (self.output)()
    }

    pub(crate) fn description(&self) -> &'static str {
        self.description
    }

    /// As clients see it in a list, in as few tokens as tell what it is for and how it is called. Where the project is settled there is
    /// no argument for it.
    pub(crate) fn shown(&self, shown: Shown) -> rmcp::model::Tool {
        let mut input = (self.input)(shown.project);
        // What is not for every agent is described in whole where it is asked for, by `tools`.
        let barely = self.group != Group::Default;
        schema::shorten(&mut input, barely);
        let about = if barely { schema::first_words(self.description, &[". "]) } else { self.description };
        let tool = rmcp::model::Tool::new(self.name, about, Arc::new(input))
            .with_title(self.title)
            .with_annotations(self.annotations(shown.read_only));
        // What a call of another tool comes to has the shape of that tool.
        let has_shape = shown.output && self.effect != Effect::Calls;
        if has_shape { tool.with_raw_output_schema(Arc::new((self.output)())) } else { tool }
    }

    /// With everything that there is to say.
    fn whole(&self) -> rmcp::model::Tool {
        rmcp::model::Tool::new(self.name, self.description, Arc::new((self.input)(true)))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.output)()))
            .with_annotations(self.annotations(false))
    }

    /// What goes without saying, by the rules of the protocol, is not said.
    fn annotations(&self, read_only: bool) -> ToolAnnotations {
        let none = ToolAnnotations::default();
        match self.effect {
            Effect::Reads => none.read_only(true),
            Effect::Calls if read_only => none.read_only(true),
            Effect::Indexes => none.destructive(false).idempotent(true),
            Effect::Adds => none.destructive(false),
            Effect::Changes | Effect::Calls => none.destructive(true),
        }
    }

    /// Arguments with those that are needed and missing, from another call where that has them. What the other call was about stays.
    fn completed(&self, mut arguments: JsonObject, given: &JsonObject) -> Value {
        let schema = self.input();
        let properties = schema.get("properties").and_then(Value::as_object);
        let has = |name: &str| name == "project" || properties.is_some_and(|properties| properties.contains_key(name));
        for about in ["session", "repo", "project"].into_iter().filter(|about| has(about)) {
            if let Some(value) = given.get(about) {
                arguments.entry(about).or_insert_with(|| value.clone());
            }
        }
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            let is_list = properties.is_some_and(|properties| properties[name]["type"] == "array");
            let same = ALIKE.contains(&name).then_some(ALIKE).into_iter().flatten();
            let known = std::iter::once(name).chain(same).find_map(|name| given.get(name)?.as_str());
            let value = known.filter(|text| text.len() <= LONGEST_GIVEN).unwrap_or("…");
            arguments.entry(name).or_insert_with(|| if is_list { json!([value]) } else { json!(value) });
        }
        Value::Object(arguments)
    }

    pub(crate) fn prepare(&self, arguments: JsonObject) -> Result<Prepared, Failure> {
        (self.prepare)(arguments)
    }
}

fn prepare<T: Tool>(arguments: JsonObject) -> Result<Prepared, Failure> {
    let budget = arguments.get("max_tokens").and_then(Value::as_u64).map_or(DEFAULT_TOKENS, |most| most as usize);
    let mut given = arguments.clone();
    let schema = schema::input::<T>(false);
    let takes_tokens = schema.get("properties").is_some_and(|all| all.get("max_tokens").is_some());
    let args: T = arguments::read(&schema, arguments)?;
    Ok(Box::new(move |call| {
        given.extend(call.subject.named.as_ref().map(|project| ("project".to_owned(), json!(project))));
        let mut success = T::run(call, args)?;
        let warnings = call.subject.warnings.iter().cloned();
        let said: Vec<String> = success.message.take().into_iter().chain(warnings).collect();
        success.message = (!said.is_empty()).then(|| call.offered.explain(&said.join(" "), &given));
        let more = (takes_tokens && !T::CHOOSES && budget < MOST_TOKENS).then(|| {
            given.insert("max_tokens".to_owned(), json!(MOST_TOKENS));
            call.offered.call(T::NAME, &Value::Object(std::mem::take(&mut given)))
        });
        fit(&mut success, budget, more.filter(|more| more.len() <= LONGEST_CALL), call)
    }))
}

/// Shortens an answer until it fits its budget. One that has no way of its own to say how it goes on ends with the call that has `more`
/// room.
fn fit<T: Answer>(
    success: &mut Success<T>,
    budget: usize,
    mut more: Option<String>,
    call: &Call<'_>,
) -> Result<Answered, Failure> {
    let Forms { text, structured } = call.forms;
    let (mut is_cut, mut without_more) = (false, None);
    loop {
        let mut json = success_json(success).map_err(|error| {
            Failure::new(ErrorType::InternalError, error.to_string(), "Report this as a fault of ai-assist.")
        })?;
        if let Some(more) = more.take_if(|_| is_cut && json["value"].get("more").is_none()) {
            let said = success.message.clone().map_or(String::new(), |said| format!("{said} "));
            without_more = Some(success.message.take());
            success.message = Some(format!("{said}Something did not fit. Next: {more}"));
            continue;
        }
        if let Some(project) = call.subject.named.as_deref() {
            name_project(&mut json, project);
        }
        let answered = Answered { text: if text { text_of(success, &json, call) } else { String::new() }, json };
        // Whichever form a model is given has to fit.
        let forms = [text.then(|| answered.text.clone()), structured.then(|| answered.json.to_string())];
        let too_long = |form: &String| count_tokens_up_to(form, budget).is_none();
        let Some(longest) = forms.into_iter().flatten().filter(too_long).max_by_key(String::len) else {
            return Ok(answered);
        };
        let tokens = count_tokens(&longest);
        if !success.value.shorten(budget as f64 / tokens as f64) {
            if let Some(message) = without_more.take() {
                success.message = message;
                continue;
            }
            let expected = format!("an integer of at least {tokens}");
            return Err(Failure::argument(
                "max_tokens",
                expected,
                format!("the answer has {tokens} tokens at the least"),
            ));
        }
        is_cut = true;
    }
}

/// The answer for a model: what was asked for, then the call that goes on, then what else is worth knowing.
fn text_of<T: Answer>(success: &Success<T>, json: &Value, call: &Call<'_>) -> String {
    let value = json.get("value").unwrap_or(&Value::Null);
    let text = if call.forms.structured { success.value.short_text(value) } else { success.value.text(value) };
    let mut text = text.trim_end().to_owned();
    if let Some(more) = value.get("more") {
        let left_out = more["left_out"].as_str().unwrap_or_default();
        let next = call.offered.call(more["tool"].as_str().unwrap_or_default(), &more["arguments"]);
        text.push_str(&format!("\n\nLeft out: {left_out}. Next: {next}"));
    }
    if let Some(said) = &success.message {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(said);
    }
    text.push('\n');
    text
}

/// Puts the project into every call that an answer names, where calls have to name it.
fn name_project(json: &mut Value, project: &str) {
    match json {
        Value::Object(object) => {
            if let Some(Value::Object(arguments)) = object.get_mut("more").and_then(|more| more.get_mut("arguments")) {
                arguments.insert("project".to_owned(), Value::from(project));
            }
            object.values_mut().for_each(|value| name_project(value, project));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name_project(item, project)),
        _ => {}
    }
}

/// Drops items from the end of a list, at least one, so that about `share` remains, and the first as long as it can. How many
/// were dropped.
pub(crate) fn drop_last<T>(items: &mut Vec<T>, share: f64) -> usize {
    let most = items.len().saturating_sub(1);
    let keep = ((items.len() as f64 * share * 0.97) as usize).clamp(most.min(1), most);
    let dropped = items.len() - keep;
    items.truncate(keep);
    dropped
}

/// The same for a list that counts what it leaves out. False if there was nothing left.
pub(crate) fn drop_counted<T>(items: &mut Vec<T>, left_out: &mut usize, share: f64) -> bool {
    let dropped = drop_last(items, share);
    *left_out += dropped;
    dropped > 0
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSet(Vec<&'static str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is neither a tool nor a set of tools{hint}; the sets are default, read, manage, sources, session and all"
)]
pub struct BadToolSet {
    name: String,
    hint: String,
}

impl Default for ToolSet {
    fn default() -> Self {
        ToolSet::of(|group| group == Group::Default)
    }
}

impl ToolSet {
    fn of(wanted: impl Fn(Group) -> bool) -> Self {
        ToolSet(tools::TABLE.iter().filter(|tool| wanted(tool.group)).map(|tool| tool.name).collect())
    }

    pub(crate) fn has_sessions(&self, read_only: bool) -> bool {
        self.entries(read_only).any(|entry| entry.group == Group::Session)
    }

    /// Whether none is left, once those that change something are taken out if that is asked for.
    pub fn is_empty(&self, read_only: bool) -> bool {
        self.entries(read_only).next().is_none()
    }

    /// The tools, in the order of the table; only those that change nothing, if that is asked for.
    pub(crate) fn entries(&self, read_only: bool) -> impl Iterator<Item = &'static Entry> {
        let offered = move |entry: &&Entry| self.0.contains(&entry.name) && (!read_only || entry.may_only_read());
        tools::TABLE.iter().filter(offered)
    }
}

/// How a tool is shown in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    /// With the argument that names the project.
    pub(crate) project: bool,
    /// With the schema of its answers.
    pub(crate) output: bool,
    pub(crate) read_only: bool,
}

/// What an agent can call: what is listed, and by way of `tools` the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offered {
    pub(crate) tools: ToolSet,
    pub(crate) read_only: bool,
}

impl Offered {
    pub(crate) fn is_listed(&self, name: &str) -> bool {
        self.tools.entries(self.read_only).any(|entry| entry.name == name)
    }

    /// Whether a tool answers when it is called, whatever it does.
    fn is_known(&self, entry: &Entry) -> bool {
        let has = |name: &str| self.tools.0.contains(&name);
        has(entry.name) || entry.now.is_some_and(has) || has(tools::RELAY)
    }

    /// The tool of a name, or what is to be said if it is not offered; nothing if there is no such tool at all.
    pub(crate) fn find(&self, name: &str) -> Option<Result<&'static Entry, Failure>> {
        let entry = tools::TABLE.iter().find(|entry| entry.name == name)?;
        if !self.is_known(entry) {
            let way = format!("Ask the user to start the server with `ai-assist mcp --tools default,{name}`.");
            let said = format!("the server was started without the tool `{name}`");
            return Some(Err(Failure::new(ErrorType::NotFound, said, way)));
        }
        if self.read_only && !entry.may_only_read() {
            let way = "Ask the user to do it with the `ai-assist` command, or to start the server without --read-only.";
            let said = format!("`{name}` changes something, and the server was started with --read-only");
            return Some(Err(Failure::new(ErrorType::ReadOnly, said, way)));
        }
        Some(Ok(entry))
    }

    /// The tools that answer and are not listed.
    pub(crate) fn others(&self) -> impl Iterator<Item = &'static Entry> {
        let is_other = |entry: &&Entry| {
            entry.group != Group::Old && !self.is_listed(entry.name) && matches!(self.find(entry.name), Some(Ok(_)))
        };
        tools::TABLE.iter().filter(is_other)
    }

    /// A call as an agent writes it.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> String {
        let is_relayed = !self.is_listed(tool) && self.is_listed(tools::RELAY);
        match is_relayed {
            true => format!("`{} {{\"name\":\"{tool}\",\"arguments\":{arguments}}}`", tools::RELAY),
            false => format!("`{tool} {arguments}`"),
        }
    }

    /// Writes every tool that a text names between marks as a call that can be made: with the arguments that it needs, as far as the text or
    /// `given`, those of the call before, have them, and by way of `tools` where it is not in the list.
    pub(crate) fn explain(&self, text: &str, given: &JsonObject) -> String {
        let parts: Vec<&str> = text.split('`').collect();
        let is_closed = |number: usize| number % 2 == 1 && number + 1 < parts.len();
        let explained = parts.iter().enumerate().map(|(number, part)| match is_closed(number) {
            true => self.as_call(part, given).unwrap_or_else(|| (*part).to_owned()),
            false => (*part).to_owned(),
        });
        explained.collect::<Vec<_>>().join("`")
    }

    /// A call of the tool that a text is the name of, or a call of already.
    fn as_call(&self, text: &str, given: &JsonObject) -> Option<String> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, "{}"));
        let entry = self.find(name)?.ok().filter(|entry| entry.now.is_none())?;
        if !self.is_listed(name) && !self.is_listed(tools::RELAY) {
            return None;
        }
        let arguments: JsonObject = serde_json::from_str(rest).ok()?;
        let call = self.call(name, &entry.completed(arguments, given));
        Some(call.trim_matches('`').to_owned())
    }
}

impl FromStr for ToolSet {
    type Err = BadToolSet;

    /// Reads names of tools and of sets, with commas between.
    fn from_str(text: &str) -> Result<Self, BadToolSet> {
        let mut names: Vec<&'static str> = Vec::new();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let set = match name {
                "all" => ToolSet::of(|group| group != Group::Old),
                "default" => ToolSet::default(),
                "read" => ToolSet::of(|group| matches!(group, Group::Default | Group::Read)),
                "manage" => ToolSet::of(|group| group == Group::Manage),
                "sources" => ToolSet::of(|group| group == Group::Sources),
                "session" => ToolSet::of(|group| group == Group::Session),
                name => ToolSet(vec![tool_named(name)?]),
            };
            names.extend(set.0);
        }
        if names.is_empty() {
            return Err(BadToolSet { name: text.to_owned(), hint: String::new() });
        }
        names.sort_unstable();
        names.dedup();
        Ok(ToolSet(names))
    }
}

fn tool_named(name: &str) -> Result<&'static str, BadToolSet> {
    let names = || tools::TABLE.iter().map(|tool| tool.name);
    let found = tools::TABLE.iter().find(|tool| tool.name == name);
    found.map(|tool| tool.now.unwrap_or(tool.name)).ok_or_else(|| {
        let near = nearest(name, names().chain(["all", "default", "read", "manage", "sources", "session"]));
        let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        BadToolSet { name: name.to_owned(), hint }
    })
}

impl fmt::Display for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

/// A tool as the documentation shows it.
#[derive(Debug, Clone)]
pub struct Documented {
    pub tool: rmcp::model::Tool,
    /// The smallest named set that has it.
    pub set: &'static str,
}

/// Every tool there is, and the kinds of failure with what they mean.
pub fn documented() -> (Vec<Documented>, &'static [(&'static str, &'static str)]) {
    let set = |group| match group {
        Group::Default => "default",
        Group::Read => "read",
        Group::Manage => "manage",
        Group::Sources => "sources",
        Group::Session => "session",
        Group::Old => "",
    };
    let tools = tools::TABLE.iter().filter(|entry| entry.group != Group::Old);
    let tools = tools.map(|entry| Documented { tool: entry.whole(), set: set(entry.group) });
    (tools.collect(), crate::outcome::ERROR_TYPES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read() {
        let all: ToolSet = "all".parse().unwrap();
        assert_eq!(all.0.len(), tools::TABLE.len() - 2, "all but the old names");
        let old: ToolSet = "get_document,repo_map".parse().unwrap();
        assert_eq!(old.to_string(), "map,read");
        let both: ToolSet = "default,manage".parse().unwrap();
        let session: ToolSet = "session".parse().unwrap();
        assert!(session.0.len() == 8 && session.0.iter().all(|name| name.starts_with("session_")), "{session}");
        assert!(session.has_sessions(true) && !both.has_sessions(false));
        let sources: ToolSet = "sources".parse().unwrap();
        assert_eq!(sources.to_string(), "registry_search,source_add,suggest");
        assert_eq!(sources.entries(true).count(), 2, "what adds is left out of a server that only reads");
        let some: ToolSet = " search, search ,outline".parse().unwrap();
        assert_eq!(some.to_string(), "outline,search");
        assert!(both.0.len() < all.0.len());
        let error = "serch".parse::<ToolSet>().unwrap_err().to_string();
        assert!(error.contains("did you mean `search`?"), "{error}");
        assert!("".parse::<ToolSet>().is_err() && ",".parse::<ToolSet>().is_err());
    }

    #[test]
    fn reading_leaves_only_what_changes_nothing() {
        let all: ToolSet = "all".parse().unwrap();
        let shown = Shown { project: false, output: false, read_only: true };
        for entry in all.entries(true) {
            let hint = entry.shown(shown).annotations.and_then(|annotations| annotations.read_only_hint);
            assert_eq!(hint, Some(true), "{}", entry.name);
        }
        assert!(all.entries(true).count() < all.entries(false).count());
    }

    #[test]
    fn tools_are_annotated_and_described() {
        for entry in &tools::TABLE {
            let shown = serde_json::to_value(entry.whole()).unwrap();
            let name = entry.name;
            assert_eq!(shown["inputSchema"]["type"], "object", "{name}");
            assert_eq!(shown["inputSchema"]["additionalProperties"], false, "{name}");
            assert_eq!(shown["outputSchema"]["type"], "object", "{name}");
            assert_eq!(shown["annotations"]["readOnlyHint"] == true, entry.effect == Effect::Reads, "{name}");
            assert!(!entry.description.is_empty() && entry.description.len() < 600, "{name}");
            for (argument, schema) in shown["inputSchema"]["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{name}: {argument} is not described");
            }
            let removes =
                ["_remove", "_change", "_update"].iter().any(|end| name.ends_with(end)) || name == tools::RELAY;
            assert_eq!(shown["annotations"]["destructiveHint"] == true, removes, "{name}");
        }
    }
}
