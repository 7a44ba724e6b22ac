//! What is held, in full as far as the window and the budget go.

use std::collections::{HashMap, HashSet};

use ai_assist_identity::ContentHash;
use ai_assist_store::Seq;
use ai_assist_store::objects::{ObjectId, Version};
use ai_assist_text::count_tokens;

use super::{LeftOut, Scene, called, on_one_line, short_id, state};
use crate::Session;
use crate::error::{Error, Result};
use crate::object::{FileFields, FilesystemSource, ObjectKind, Role, fields};
use crate::sets::Member;

pub(super) struct Item {
    is_call: bool,
    pinned: bool,
    heading: String,
    /// Its content, if it has one.
    body: Option<String>,
    pub(super) shown: Shown,
}

/// A version that is shown in full.
pub(super) struct Shown {
    pub(super) id: ObjectId,
    pub(super) version: Seq,
    /// What it is called, and the hash of its text.
    pub(super) text: Option<(String, ContentHash)>,
}

impl Scene<'_> {
    /// What is held, the latest last, with texts where they are shown.
    pub(super) fn items(&self, left_out: &mut LeftOut) -> Result<Vec<Item>> {
        let active = self.sets.active();
        let collapsed = self.collapsed(&active);
        left_out.collapsed = collapsed.len();
        let shown: Vec<&Member> = active.into_iter().filter(|member| !collapsed.contains(&member.id)).collect();
        let ids: Vec<ObjectId> = shown.iter().map(|member| member.id.clone()).collect();
        let mut items = Vec::with_capacity(shown.len());
        for (member, version) in shown.into_iter().zip(self.versions(&ids, true)?) {
            if let Some(version) = version {
                items.extend(self.item(member, version)?);
            }
        }
        Ok(items)
    }

    /// None for what may not be shown.
    fn item(&self, member: &Member, version: Version) -> Result<Option<Item>> {
        let is_call = version.head.kind == ObjectKind::Toolcall.as_str();
        let Some(Heading { name, line, language }) = heading(self.session, &version)? else { return Ok(None) };
        let pinned = if member.is_pinned() { " [pinned]" } else { "" };
        // What a rendering begins with must not change with the disk.
        let is_stale = !self.options.append && self.session.is_stale(&member.id);
        let stale = if is_stale { " [changed on disk since]" } else { "" };
        let shown = Shown {
            id: member.id.clone(),
            version: version.head.seq,
            text: version.head.content_hash.map(|hash| (name, hash)),
        };
        let body = version.state.text.map(|text| fenced(&text, &language));
        let heading = format!("{line}{pinned}{stale}\n");
        Ok(Some(Item { is_call, pinned: member.is_pinned(), heading, body, shown }))
    }

    /// The calls that lie outside of the window and are not pinned.
    fn collapsed(&self, active: &[&Member]) -> HashSet<ObjectId> {
        let held: HashMap<&ObjectId, &Member> = active.iter().map(|member| (&member.id, *member)).collect();
        let mut rounds: Vec<Vec<&ObjectId>> = vec![self.chat.before.iter().collect()];
        for said in &self.chat.said {
            if said.role == Role::User {
                rounds.push(Vec::new());
            }
            if let Some(round) = rounds.last_mut() {
                round.extend(&said.toolcalls);
            }
        }
        let window = self.options.window;
        let mut out = HashSet::new();
        for (age, round) in rounds.iter().rev().enumerate() {
            let calls: Vec<&&ObjectId> = round.iter().filter(|id| held.contains_key(**id)).collect();
            let shown = if age < window.turns { window.calls } else { 0 };
            let hidden = &calls[..calls.len().saturating_sub(shown)];
            let loose = hidden.iter().filter(|id| held.get(**id).is_some_and(|member| !member.is_pinned()));
            out.extend(loose.map(|id| (**id).clone()));
        }
        out
    }
}

/// What stands before a content.
pub(super) struct Heading {
    pub(super) name: String,
    pub(super) line: String,
    pub(super) language: String,
}

/// None for what may not be shown.
pub(super) fn heading(session: &Session, version: &Version) -> Result<Option<Heading>> {
    let short = short_id(&version.head.id);
    if version.head.kind == ObjectKind::Toolcall.as_str() {
        let call = called(&fields(version)?);
        let line = format!("## toolcall {call} {short}");
        return Ok(Some(Heading { name: format!("toolcall {short}"), line, language: String::new() }));
    }
    let source = FilesystemSource::from_json(&version.head.id, version.source.as_deref())?;
    if !session.may_show(&source) {
        return Ok(None);
    }
    let file: FileFields = fields(version)?;
    let name = format!("file {}", on_one_line(&session.shown(&source)));
    let line = format!("## {name} {} {short}", state(version)?);
    Ok(Some(Heading { name, line, language: file.file_type }))
}

/// What there was no room for in the first half of a budget, and is in the second.
#[derive(Default)]
pub(super) struct Earlier {
    turns: Vec<String>,
    lines: Vec<String>,
}

/// The held part.
pub(super) fn text(items: &[Item], earlier: &Earlier, left_out: LeftOut) -> String {
    let mut out = String::new();
    for (title, texts) in [("# Earlier objects", &earlier.lines), ("# Earlier turns", &earlier.turns)] {
        if !texts.is_empty() {
            out.push_str(&format!("{title}\n\n{}\n", texts.concat()));
        }
    }
    out.push_str("# Held now\n\n");
    let calls = left_out.collapsed + left_out.toolcalls;
    if calls > 0 {
        out.push_str(&format!("({calls} results of tools are held and not shown; they are named above)\n\n"));
    }
    if left_out.files > 0 {
        out.push_str(&format!("({} files are held and left out for the budget)\n\n", left_out.files));
    }
    for item in items {
        out.push_str(&item.heading);
        out.push_str(item.body.as_deref().unwrap_or("\n"));
    }
    out
}

/// What the heading and the lines about what is not shown may take.
const FRAME: usize = 50;

/// Leaves things out until the rest fits: calls first, the oldest first, then files, what was taken up first first. What is pinned
/// stays. What then fits into the room that a large one has left comes back, the latest first. The room that is left.
pub(super) fn cut(items: &mut Vec<Item>, budget: usize, room: usize, left_out: &mut LeftOut) -> Result<usize> {
    let tokens = |item: &Item| count_tokens(&item.heading) + item.body.as_deref().map_or(1, count_tokens);
    let sizes: Vec<usize> = items.iter().map(tokens).collect();
    let mut is_out = vec![false; items.len()];
    let mut total = FRAME + sizes.iter().sum::<usize>();
    for calls in [true, false] {
        for (n, item) in items.iter().enumerate() {
            if total > room && item.is_call == calls && !item.pinned {
                total -= sizes[n];
                is_out[n] = true;
            }
        }
    }
    if total > room {
        // What comes before takes half of a budget at most, so twice as much is enough.
        return Err(Error::Budget { budget, needed: 2 * total });
    }
    for calls in [false, true] {
        for (n, item) in items.iter().enumerate().rev() {
            if is_out[n] && item.is_call == calls && total + sizes[n] <= room {
                total += sizes[n];
                is_out[n] = false;
            }
        }
    }
    for (item, _) in items.iter().zip(&is_out).filter(|(_, is_out)| **is_out) {
        *(if item.is_call { &mut left_out.toolcalls } else { &mut left_out.files }) += 1;
    }
    let mut is_out = is_out.into_iter();
    items.retain(|_| is_out.next() == Some(false));
    Ok(room - total)
}

/// What the headings of earlier things take.
const HEADINGS: usize = 20;

/// Shows what the first half has left out, the latest first, as far as there is room: a half that is not used is of no use to anyone,
/// and there it changes nothing before it.
pub(super) fn earlier(out: [Vec<(String, usize)>; 2], room: usize, left_out: &mut LeftOut) -> Earlier {
    let Some(mut room) = room.checked_sub(HEADINGS) else { return Earlier::default() };
    let [turns, lines] = out.map(|pieces| {
        let mut fitting: Vec<String> = Vec::new();
        for (text, tokens) in pieces.into_iter().rev() {
            if tokens <= room {
                room -= tokens;
                fitting.push(text);
            }
        }
        fitting.reverse();
        fitting
    });
    left_out.turns -= turns.len();
    left_out.pool_lines -= lines.len();
    Earlier { turns, lines }
}

/// A text between fences that it can't close itself.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n\n")
}
