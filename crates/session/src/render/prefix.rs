//! What stands before the held part.

use std::collections::HashMap;

use ai_assist_store::objects::{ObjectId, Version};
use ai_assist_text::{count_tokens, count_tokens_up_to};

use super::{LeftOut, SINCE, Scene, called, metadata_line, short_id};
use crate::error::{Error, Result};
use crate::object::{ObjectKind, fields};

/// Pieces of a section, the oldest first, that may be left out from the front.
pub(super) struct Pieces {
    pub(super) texts: Vec<String>,
    tokens: Vec<usize>,
}

/// Everything before the held part.
pub(super) struct Before {
    prompt: String,
    pool: Pieces,
    chat: Pieces,
    /// What was left out of the chat and of the pool, the oldest first.
    pub(super) out: [Vec<(String, usize)>; 2],
}

impl Before {
    /// Leaves things out until it takes half of a budget, so that it does not depend on what is held.
    pub(super) fn cut(&mut self, budget: usize, left_out: &mut LeftOut) -> Result<()> {
        let needed = count_tokens(&self.prompt) + HEADINGS;
        let room = (budget / 2).checked_sub(needed).ok_or(Error::Budget { budget, needed: 2 * needed })?;
        let (of_pool, of_chat) = (self.pool.count(), self.chat.count());
        if of_pool + of_chat > room {
            let of_pool_left = self.pool.drop_oldest((room / 2).max(room.saturating_sub(of_chat)));
            let of_chat_left = self.chat.drop_all_but_last((room / 2).max(room.saturating_sub(of_pool)));
            (left_out.pool_lines, left_out.turns) = (of_pool_left.len(), of_chat_left.len());
            self.out = [of_chat_left, of_pool_left];
        }
        Ok(())
    }

    pub(super) fn text(&self, left_out: LeftOut) -> String {
        let Before { prompt, pool, chat, .. } = self;
        let mut out = String::with_capacity(prompt.len() + pool.bytes() + chat.bytes() + 200);
        out.push_str(prompt);
        if !prompt.is_empty() {
            out.push_str(if prompt.ends_with('\n') { "\n" } else { "\n\n" });
        }
        out.push_str("# Known objects\n\n");
        if left_out.pool_lines > 0 {
            out.push_str(&format!("({} older objects are left out here; search finds them)\n", left_out.pool_lines));
        }
        pool.texts.iter().for_each(|line| out.push_str(line));
        out.push_str("\n# Chat\n\n");
        if left_out.turns > 0 {
            out.push_str(&format!("({} earlier turns are left out here; search finds them)\n\n", left_out.turns));
        }
        chat.texts.iter().for_each(|turn| out.push_str(turn));
        out
    }
}

impl Scene<'_> {
    pub(super) fn before(&self) -> Result<Before> {
        let versions = self.pool_versions()?;
        let (pool, chat) = (Pieces::new(self.pool_lines(&versions)?), Pieces::new(self.turns(&versions)?));
        Ok(Before { prompt: self.prompt()?, pool, chat, out: Default::default() })
    }

    fn prompt(&self) -> Result<String> {
        let version = self.session.objects().get(self.session.system_prompt_id(), self.options.at)?;
        Ok(version.and_then(|version| version.state.text).unwrap_or_default())
    }

    fn pool_versions(&self) -> Result<Vec<Version>> {
        let ids: Vec<ObjectId> = self.sets.pool().iter().map(|member| member.id.clone()).collect();
        Ok(self.versions(&ids, false)?.into_iter().flatten().collect())
    }

    fn pool_lines(&self, versions: &[Version]) -> Result<Vec<String>> {
        versions.iter().map(|version| Ok(format!("- {}\n", metadata_line(self.session, version)?))).collect()
    }

    /// What was said, each with the calls that followed it as references.
    fn turns(&self, pool: &[Version]) -> Result<Vec<String>> {
        let is_call = |version: &&Version| version.head.kind == ObjectKind::Toolcall.as_str();
        let mut known: HashMap<ObjectId, String> = HashMap::new();
        for version in pool.iter().filter(is_call) {
            known.insert(version.head.id.clone(), called(&fields(version)?));
        }
        let reference = |id: &ObjectId| match known.get(id) {
            Some(call) => format!("[toolcall {} {call}]\n", short_id(id)),
            None => format!("[toolcall {}]\n", short_id(id)),
        };
        let references = |ids: &[ObjectId]| -> String { ids.iter().map(reference).collect() };
        let mut turns = Vec::with_capacity(self.chat.said.len() + 1);
        if !self.chat.before.is_empty() {
            turns.push(format!("{}\n", references(&self.chat.before)));
        }
        for (said, text) in self.chat.said.iter().zip(self.chat.texts(self.session.objects())?) {
            let who = said.role.as_str();
            let calls = references(&said.toolcalls);
            turns.push(format!("## {who}\n\n{}\n{calls}\n", unframed(text.trim_end(), self.options.append)));
        }
        Ok(turns)
    }
}

/// What is said can't pose as a part of the frame.
pub(super) fn unframed(text: &str, is_appended: bool) -> String {
    let frame = ["# Known objects", "# Chat", "# Held now", "## user", "## assistant"];
    let is_frame = |line: &str| frame.contains(&line) || (is_appended && line == SINCE);
    let line = |line: &str| if is_frame(line.trim_end()) { format!("\\{line}") } else { line.to_owned() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// What the headings and the lines about what is left out may take.
const HEADINGS: usize = 60;

impl Pieces {
    fn new(texts: Vec<String>) -> Self {
        Pieces { texts, tokens: Vec::new() }
    }

    /// Counts them, and how many tokens they have together.
    fn count(&mut self) -> usize {
        self.tokens = self.texts.iter().map(|text| count_tokens(text)).collect();
        self.total()
    }

    fn total(&self) -> usize {
        self.tokens.iter().sum()
    }

    fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// Leaves out the oldest until the rest fits, and gives them back with their tokens.
    fn drop_oldest(&mut self, room: usize) -> Vec<(String, usize)> {
        let mut total = self.total();
        let mut dropped = 0;
        while total > room && dropped < self.texts.len() {
            total -= self.tokens[dropped];
            dropped += 1;
        }
        let left = self.texts.len() - dropped;
        // In steps of up to a quarter of what is left, so that the place where the rest begins moves rarely, and with it what
        // a cache has to read anew.
        let step = 1 << (left / 4).max(1).ilog2();
        let dropped = dropped.next_multiple_of(step).min(self.texts.len());
        self.texts.drain(..dropped).zip(self.tokens.drain(..dropped)).collect()
    }

    /// The same, but of the last one as much as fits stays in any case: without it there is nothing to go on with.
    fn drop_all_but_last(&mut self, room: usize) -> Vec<(String, usize)> {
        let mut dropped = self.drop_oldest(room);
        if self.texts.is_empty()
            && let Some((last, _)) = dropped.pop()
        {
            self.texts.push(cut_in_the_middle(&last, room));
        }
        dropped
    }
}

/// The beginning and the end of a text, as much as fits into some tokens.
fn cut_in_the_middle(text: &str, room: usize) -> String {
    let mut half = text.len() / 2;
    loop {
        let (head, tail) = (ai_assist_text::head(text, half), ai_assist_text::tail(text, half));
        let cut = format!("{head}\n[… {} bytes are left out …]\n{tail}", text.len() - head.len() - tail.len());
        if half == 0 || count_tokens_up_to(&cut, room).is_some() {
            return if half == 0 { String::new() } else { cut };
        }
        half = half * 3 / 4;
    }
}
