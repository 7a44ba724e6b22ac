//! What stands before the held part.

use std::collections::HashMap;

use ai_assist_store::objects::{ObjectId, Version};
use ai_assist_text::count_tokens;

use super::line::{called, on_one_line, short_id};
use super::{LeftOut, Scene, metadata_line};
use crate::error::{Error, Result};
use crate::object::{ObjectKind, Role, fields};

/// Lines and turns are left out in blocks of this many, so that the place where the rest begins moves rarely, and with it
/// what a cache has to read anew.
const BLOCK: usize = 64;

/// Pieces of a section, the oldest first, that may be left out from the front.
struct Pieces {
    texts: Vec<String>,
    tokens: Vec<usize>,
}

impl Scene<'_> {
    /// Everything before the held part. With a budget it takes up to half of it, so that it does not depend on what is held.
    pub(super) fn prefix(&self, left_out: &mut LeftOut) -> Result<String> {
        let prompt = self.prompt()?;
        let versions = self.pool_versions()?;
        let mut pool = Pieces::new(self.pool_lines(&versions)?);
        let mut chat = Pieces::new(self.turns(&versions)?);
        if let Some(budget) = self.options.max_tokens {
            let needed = count_tokens(&prompt) + HEADINGS;
            let room = (budget / 2).checked_sub(needed).ok_or(Error::Budget { budget, needed: 2 * needed })?;
            pool.count();
            chat.count();
            let (of_pool, of_chat) = (pool.total(), chat.total());
            if of_pool + of_chat > room {
                left_out.pool_lines = pool.drop_oldest((room / 2).max(room.saturating_sub(of_chat)));
                left_out.turns = chat.drop_oldest((room / 2).max(room.saturating_sub(of_pool)));
            }
        }
        Ok(self.assemble(&prompt, &pool, &chat, *left_out))
    }

    fn assemble(&self, prompt: &str, pool: &Pieces, chat: &Pieces, left_out: LeftOut) -> String {
        let mut out = String::with_capacity(prompt.len() + pool.bytes() + chat.bytes() + 200);
        out.push_str(prompt);
        if !prompt.is_empty() {
            out.push_str(if prompt.ends_with('\n') { "\n" } else { "\n\n" });
        }
        out.push_str("# Known objects\n\n");
        if left_out.pool_lines > 0 {
            out.push_str(&format!("({} older objects are left out; search finds them)\n", left_out.pool_lines));
        }
        pool.texts.iter().for_each(|line| out.push_str(line));
        out.push_str("\n# Chat\n\n");
        if left_out.turns > 0 {
            out.push_str(&format!("({} earlier turns are left out; search finds them)\n\n", left_out.turns));
        }
        chat.texts.iter().for_each(|turn| out.push_str(turn));
        out
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
            let who = match said.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let calls = references(&said.toolcalls);
            turns.push(format!("## {}\n\n{}\n{calls}\n", on_one_line(who), text.trim_end()));
        }
        Ok(turns)
    }
}

/// What the headings and the lines about what is left out may take.
const HEADINGS: usize = 60;

impl Pieces {
    fn new(texts: Vec<String>) -> Self {
        Pieces { texts, tokens: Vec::new() }
    }

    fn count(&mut self) {
        self.tokens = self.texts.iter().map(|text| count_tokens(text)).collect();
    }

    fn total(&self) -> usize {
        self.tokens.iter().sum()
    }

    fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// Leaves out the oldest until the rest fits. How many.
    fn drop_oldest(&mut self, room: usize) -> usize {
        let mut total = self.total();
        let mut dropped = 0;
        while total > room && dropped < self.texts.len() {
            let end = (dropped + BLOCK).min(self.texts.len());
            total -= self.tokens[dropped..end].iter().sum::<usize>();
            dropped = end;
        }
        // One block too many may have gone where the pieces are large: give back single ones from its end.
        while dropped > 0 && !dropped.is_multiple_of(BLOCK) && total + self.tokens[dropped - 1] <= room {
            dropped -= 1;
            total += self.tokens[dropped];
        }
        self.texts.drain(..dropped);
        self.tokens.drain(..dropped);
        dropped
    }
}
