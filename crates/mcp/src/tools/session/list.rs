//! `session_list`: what a session knows and holds, and which sessions there are.

use ai_assist_app::Reach;
use ai_assist_session::render::short_id;
use ai_assist_session::sets::Member;
use ai_assist_session::{Counts, Session};
use ai_assist_store::objects::{AsOf, ObjectId};

use super::{line, session};
use crate::tools::common::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Set {
    #[default]
    Pool,
    Active,
    Pinned,
    Index,
    Sessions,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// The session, by its name (default: the one of this project that was changed last).
    #[schemars(length(min = 1, max = 64))]
    session: Option<String>,
    /// `pool` is what is known of, `active` what is held, `pinned` what stays, `index` everything ever met; `sessions` lists the project's sessions.
    #[serde(default)]
    set: Set,
    /// Goes on after so many.
    #[serde(default)]
    after: usize,
    /// How many at most (default 200).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Token budget of the answer (default 6000).
    #[schemars(range(min = 500, max = 24000))]
    max_tokens: Option<usize>,
}

/// A session or an object in the list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
enum Item {
    Object(Object),
    Session(OfProject),
}

/// An object of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Object {
    /// Enough of its id to name it by.
    id: String,
    /// Its kind, its path or its call, and its state: `file src/lib.rs (rust, 120 chars)`.
    object: String,
    /// Whether it is held.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    active: bool,
    /// Whether it stays.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
}

/// A session of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct OfProject {
    /// Its name.
    session: String,
    opened: String,
    changed: String,
    counts: Counts,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListAnswer {
    /// The session whose objects these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Objects in the order in which they came; sessions with the one that was changed last first.
    items: Vec<Item>,
    /// How many there are in all.
    found: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Counts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<More>,
    #[serde(skip)]
    again: Again,
}

impl ListAnswer {
    fn point_on(&mut self) {
        self.more = self.again.rest(self.items.len(), self.found, "");
    }
}

impl Answer for ListAnswer {
    fn shorten(&mut self, share: f64) -> bool {
        if self.items.len() < 2 {
            return false;
        }
        drop_last(&mut self.items, share);
        self.point_on();
        true
    }
}

impl Tool for ListArgs {
    const NAME: &'static str = "session_list";
    const DESCRIPTION: &'static str = "What the session knows of, one line each. Files with size or `[unread]` or `[deleted]`, calls of tools with how they went, and \
            whether each is active (held) or pinned. Also lists the project's sessions. To find something by what it says, use `session_search`.";
    type Answer = ListAnswer;

    fn run(call: &Call<'_>, args: Self) -> Result<Success<ListAnswer>, Failure> {
        let mut answer = if args.set == Set::Sessions { sessions(call, &args)? } else { objects(call, &args)? };
        if let Some(name) = &answer.session {
            // What is changed last may be another one by then.
            answer.again.set("session", name.as_str());
        }
        answer.point_on();
        Ok(answer.into())
    }
}

fn sessions(call: &Call<'_>, args: &ListArgs) -> Result<ListAnswer, Failure> {
    let all = call.project.sessions(Reach::Project)?;
    let found = all.len();
    let item = |summary: ai_assist_session::Summary| {
        Item::Session(OfProject {
            session: summary.name,
            opened: summary.opened.to_string(),
            changed: summary.changed.to_string(),
            counts: summary.counts,
        })
    };
    let page = all.into_iter().skip(args.after).take(args.limit.unwrap_or(200));
    let (items, again) = (page.map(item).collect(), Again::of(args));
    Ok(ListAnswer { session: None, items, found, counts: None, more: None, again })
}

fn objects(call: &Call<'_>, args: &ListArgs) -> Result<ListAnswer, Failure> {
    let session = session(call, args.session.as_deref())?;
    let sets = session.sets();
    let members: Vec<&Member> = match args.set {
        Set::Active => sets.active(),
        Set::Pinned => sets.pinned(),
        Set::Index => sets.index().collect(),
        Set::Pool | Set::Sessions => sets.pool(),
    };
    let found = members.len();
    let page: Vec<&Member> = members.into_iter().skip(args.after).take(args.limit.unwrap_or(200)).collect();
    let (items, counts, again) = (items(&session, &page)?, Some(session.counts()), Again::of(args));
    Ok(ListAnswer { session: Some(session.name().to_owned()), items, found, counts, more: None, again })
}

fn items(session: &Session, members: &[&Member]) -> Result<Vec<Item>, Failure> {
    let ids: Vec<ObjectId> = members.iter().map(|member| member.id.clone()).collect();
    let versions = session.objects().get_many(&ids, AsOf::default(), false).map_err(ai_assist_session::Error::from)?;
    let item = |(member, version): (&&Member, Option<ai_assist_store::objects::Version>)| {
        let object = match version {
            Some(version) => line(session, &version)?,
            None => "no longer stored".to_owned(),
        };
        let id = short_id(&member.id).to_owned();
        Ok(Item::Object(Object { id, object, active: member.is_active(), pinned: member.is_pinned() }))
    };
    members.iter().zip(versions).map(item).collect()
}
