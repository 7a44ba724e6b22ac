//! `get_content`: the documents of an expression.

use ai_assist_collections::{Content, ContentDocument, LeftOut, Members};
use ai_assist_search::Cursor;

use super::address;
use super::common::*;
use crate::markdown;

/// So many of the documents that did not fit are named; the others are counted.
const NAMED: usize = 50;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentArgs {
    /// Names of collections or categories, alone or with a pattern, with commas between: `api`, `guides/**/*.md`, `api,guides/intro.md`.
    #[schemars(length(min = 1, max = 2000))]
    expression: String,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// Goes on where the answer before stopped.
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Delivered {
    document: String,
    collection: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    hash: String,
    freshness: String,
    /// The lines that `text` has, if it is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// The call for the lines that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotDelivered {
    document: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    lines: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContentAnswer {
    /// Whole documents, as many as fit; the first is cut if it alone is too long.
    documents: Vec<Delivered>,
    /// Those that did not fit, the first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<NotDelivered>,
    /// How many documents the expression names.
    matched: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// The call for the documents that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
}

impl Answer for ContentAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        // The list of names is the first to go; texts were measured to fit.
        drop_last(&mut self.left_out, share) > 0
    }

    fn text(&self, _json: &Value) -> String {
        let mut text = String::new();
        for Delivered { document, lines, text: content, more, .. } in &self.documents {
            let lines = lines.as_deref().unwrap_or_default();
            text.push_str(&format!("=== {}\n{}\n\n", markdown::place(document, lines), content.trim_end()));
            text.extend(
                more.as_ref().map(|more| format!("Left out: {}; `read {}`\n\n", more.left_out, more.arguments)),
            );
        }
        for left in &self.left_out {
            text.push_str(&format!("- left out: {} ({} lines)\n", left.document, left.lines));
        }
        text.extend(self.warnings.iter().map(|warning| format!("{warning}\n")));
        text
    }
}

impl Tool for ContentArgs {
    const NAME: &'static str = "get_content";
    const DESCRIPTION: &'static str = "The documents of collections or categories, whole, as many as fit.";
    type Answer = ContentAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ContentAnswer>, Failure> {
        let cursor: Option<Cursor> = args.cursor.as_deref().map(str::parse).transpose()?;
        let members = call.project.members()?;
        let most = budget(args.max_tokens);
        // Escapes of JSON and the frame take a part, the more the more documents there are.
        let mut room = most * 17 / 20 - 200;
        loop {
            let content = call.project.content(&args.expression, room, cursor.as_ref())?;
            let several = content.documents.len() > 1;
            let answer = answer(&args, &members, content);
            let tokens = ai_assist_text::count_tokens(&json!(answer.documents).to_string());
            if tokens + 150 <= most || (!several && room < 50) {
                return Ok(answer.into());
            }
            room = (room * most / (tokens + 200)).min(room - room / 20 - 1);
        }
    }
}

fn answer(args: &ContentArgs, members: &Members, content: Content) -> ContentAnswer {
    let left = content.left_out.len();
    let more =
        content.cursor.map(|cursor| Again::of(args).with(format!("{left} documents"), [("cursor", json!(cursor))]));
    ContentAnswer {
        documents: content.documents.into_iter().map(|found| delivered(args, members, found)).collect(),
        left_out: content.left_out.iter().take(NAMED).map(|left| not_delivered(members, left)).collect(),
        matched: content.matched,
        warnings: content.warnings,
        more,
    }
}

fn delivered(
    args: &ContentArgs,
    members: &Members,
    ContentDocument { document: found, rest, .. }: ContentDocument,
) -> Delivered {
    let document = address(members, &found.collection, found.category.as_deref(), &found.document);
    let more = rest.map(|rest| {
        let mut arguments = json!({ "place": format!("{document}:{rest}") });
        if let Some(max_tokens) = args.max_tokens {
            arguments["max_tokens"] = json!(max_tokens);
        }
        More { left_out: format!("lines {rest}"), tool: "read", arguments }
    });
    Delivered {
        lines: more.as_ref().and(found.lines).map(|lines| lines.to_string()),
        more,
        document,
        collection: found.collection,
        category: found.category,
        hash: found.hash.to_string(),
        freshness: word(&found.freshness),
        text: found.text,
    }
}

fn not_delivered(members: &Members, left: &LeftOut) -> NotDelivered {
    NotDelivered {
        document: address(members, &left.collection, left.category.as_deref(), &left.document),
        tokens: left.tokens,
        lines: left.lines,
    }
}
