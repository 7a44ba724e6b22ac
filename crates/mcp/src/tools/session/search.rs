//! `session_search`: everything that a session has seen.

use ai_assist_embed::StaticModel;
use ai_assist_session::object::ObjectKind;
use ai_assist_session::render::short_id;
use ai_assist_session::search::{Find, Found};

use super::{moment, session};
use crate::tools::common::*;

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    File,
    Toolcall,
    Chat,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArgs {
    /// A question or keywords. `"phrases"` rank higher; filters such as path:src/** lang:rust.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// From this time on. Such as `2026-11-16T08:30:00Z`.
    #[schemars(length(min = 1, max = 64))]
    since: Option<String>,
    /// Before this time.
    #[schemars(length(min = 1, max = 64))]
    until: Option<String>,
    /// Only these kinds.
    #[serde(default)]
    #[schemars(length(max = 3))]
    kind: Vec<Kind>,
    /// How many hits at most (default 10).
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    /// Enough of the object's id to name it by; `chat` for a turn of the chat.
    id: String,
    kind: &'static str,
    /// A path, a call, or a turn of the chat.
    label: String,
    /// The version that was found; `session_show` takes it.
    version: u64,
    /// When it was seen.
    at: String,
    /// Whether it is what there is now.
    current: bool,
    /// How many other versions of it were found.
    #[serde(skip_serializing_if = "is_zero")]
    other_versions: usize,
    /// The lines of that version.
    lines: String,
    text: String,
    /// Whether the text was cut to fit the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchAnswer {
    session: String,
    /// Best first, each object once.
    hits: Vec<Hit>,
    /// How many versions and turns were searched.
    searched: usize,
}

impl Answer for SearchAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        match self.hits.as_mut_slice() {
            [] => false,
            [only] => shorten_text(only, share),
            _ => drop_last(&mut self.hits, share) > 0,
        }
    }
}

/// Cuts the only hit.
fn shorten_text(hit: &mut Hit, share: f64) -> bool {
    // A label may be a whole command.
    let longest = if hit.text.len() >= hit.label.len() { &mut hit.text } else { &mut hit.label };
    if longest.is_empty() {
        return false;
    }
    let keep = (longest.len() as f64 * share * 0.9) as usize;
    longest.truncate(ai_assist_text::floor_boundary(longest, keep));
    hit.cut = true;
    true
}

impl Tool for SearchArgs {
    const NAME: &'static str = "session_search";
    const DESCRIPTION: &'static str = "Search everything the session has seen, by words and meaning. Every version of its files, results of recorded calls, what was said; also what was \
            forgotten. Ask here before you read or run something again. For files that the session has not seen, use `search`.";
    type Answer = SearchAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<SearchAnswer>, Failure> {
        let (since, until) = (moment("since", args.since.as_deref())?, moment("until", args.until.as_deref())?);
        let mut session = session(call, args.session.as_deref())?;
        let kinds: Vec<ObjectKind> = args.kind.iter().map(|kind| kind.object()).collect();
        let limit = args.limit.unwrap_or(10);
        let find =
            Find { query: &args.query, limit, since, until, kinds: &kinds, rank_by: Default::default(), full: false };
        let folder = call.project.session_index(session.name());
        let found = session.search(&find, &folder, StaticModel::bundled())?;
        let answer = SearchAnswer {
            session: session.name().to_owned(),
            hits: found.found.into_iter().map(hit).collect(),
            searched: found.searched,
        };
        let nothing = "the session has seen nothing like it; `search` asks the project";
        let message = answer.hits.is_empty().then_some(nothing);
        Ok(Success::noted(answer, message))
    }
}

impl Kind {
    fn object(self) -> ObjectKind {
        match self {
            Kind::File => ObjectKind::File,
            Kind::Toolcall => ObjectKind::Toolcall,
            Kind::Chat => ObjectKind::Chat,
        }
    }
}

fn hit(found: Found) -> Hit {
    let id = if found.kind == ObjectKind::Chat { "chat" } else { short_id(&found.id) };
    Hit {
        id: id.to_owned(),
        kind: found.kind.as_str(),
        label: found.label,
        version: found.seq.0,
        at: found.at.to_string(),
        current: found.current,
        other_versions: found.others,
        lines: found.lines.to_string(),
        text: found.text,
        cut: false,
    }
}
