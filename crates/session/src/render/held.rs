//! What is held, in full as far as the window and the budget go.

use std::collections::{HashMap, HashSet};

use ai_assist_store::objects::{ObjectId, Version};
use ai_assist_text::count_tokens;

use super::line::{called, on_one_line, short_id, state};
use super::{LeftOut, Scene};
use crate::error::{Error, Result};
use crate::object::{FilesystemSource, ObjectKind, Role, fields};
use crate::sets::Member;

/// Something that is held.
struct Item {
    is_call: bool,
    pinned: bool,
    heading: String,
    /// In full; none if it is shown as a line.
    body: Option<String>,
    tokens: usize,
}

impl Scene<'_> {
    /// The held part. `room` is the budget and what of it is left.
    pub(super) fn held(&self, room: Option<(usize, usize)>, left_out: &mut LeftOut) -> Result<String> {
        let mut items = self.items(left_out)?;
        if let Some((budget, room)) = room {
            cut(&mut items, budget, room, left_out)?;
        }
        let mut out = String::from("# Held now\n\n");
        for item in &items {
            out.push_str(&item.heading);
            out.push_str(item.body.as_deref().unwrap_or("\n"));
        }
        Ok(out)
    }

    /// What is held, the latest last, with texts where they are shown.
    fn items(&self, left_out: &mut LeftOut) -> Result<Vec<Item>> {
        let active = self.sets.active();
        let collapsed = self.collapsed(&active);
        left_out.collapsed = collapsed.len();
        let (short, full): (Vec<&Member>, Vec<&Member>) =
            active.iter().partition(|member| collapsed.contains(&member.id));
        let ids = |members: &[&Member]| members.iter().map(|member| member.id.clone()).collect::<Vec<_>>();
        let mut versions: HashMap<ObjectId, Version> = HashMap::new();
        for (members, with_text) in [(short, false), (full, true)] {
            let found = self.versions(&ids(&members), with_text)?;
            versions.extend(found.into_iter().flatten().map(|version| (version.head.id.clone(), version)));
        }
        let mut items = Vec::with_capacity(active.len());
        for member in active {
            let Some(version) = versions.remove(&member.id) else { continue };
            items.push(self.item(member, version, collapsed.contains(&member.id))?);
        }
        Ok(items)
    }

    fn item(&self, member: &Member, version: Version, collapsed: bool) -> Result<Item> {
        let is_call = version.head.kind == ObjectKind::Toolcall.as_str();
        let short = short_id(&member.id);
        let (heading, language) = if is_call {
            (format!("## toolcall {} {short}", called(&fields(&version)?)), String::new())
        } else {
            let source = FilesystemSource::from_json(&member.id, version.source.as_deref())?;
            let file: crate::object::FileFields = fields(&version)?;
            let path = on_one_line(&self.session.shown(&source));
            (format!("## file {path} {} {short}", state(&version)?), file.file_type)
        };
        let mark = if member.is_pinned() { " [pinned]" } else { "" };
        let body = version.state.text.filter(|_| !collapsed).map(|text| fenced(&text, &language));
        let heading = match (&body, is_call) {
            (None, true) => format!("{heading}{mark} [collapsed]\n"),
            _ => format!("{heading}{mark}\n"),
        };
        Ok(Item { is_call, pinned: member.is_pinned(), heading, body, tokens: 0 })
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

/// Leaves contents out until the rest fits: calls first, the oldest first, then files, what was taken up first first. What is pinned
/// stays.
fn cut(items: &mut [Item], budget: usize, room: usize, left_out: &mut LeftOut) -> Result<()> {
    let mut total = count_tokens("# Held now\n\n");
    for item in items.iter_mut() {
        item.tokens = item.body.as_deref().map_or(1, count_tokens);
        total += item.tokens + count_tokens(&item.heading);
    }
    for calls in [true, false] {
        let loose = items.iter_mut().filter(|item| item.is_call == calls && !item.pinned && item.body.is_some());
        for item in loose {
            if total <= room {
                return Ok(());
            }
            let heading = format!("{} [left out]\n", item.heading.trim_end());
            total = total + 1 + count_tokens(&heading) - item.tokens - count_tokens(&item.heading);
            (item.heading, item.body) = (heading, None);
            if calls {
                left_out.toolcalls += 1;
            } else {
                left_out.files += 1;
            }
        }
    }
    if total <= room {
        return Ok(());
    }
    // Not even lines for everything that is held fit.
    Err(Error::Budget { budget, needed: budget - room + total })
}

/// A text between fences that it can't close itself.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n\n")
}
