//! Rendering: how much of each request of an agent's day a provider's cache of prompts would have, against a plain transcript that
//! is truncated to the same budget.
//!
//! A request is sent after everything that was said to the agent or came back from a tool. *Anthropic*: a request marks up to four
//! ends of blocks; what was sent up to such an end before, exactly the same, is read from the cache, also from up to twenty blocks
//! before a mark; at least 1,024 tokens. *OpenAI*: the longest beginning that an earlier request had, from 1,024 tokens on, in steps
//! of 128. Nothing is thought to expire. *Cost* is that of a request's input in tokens: one that is read from Anthropic's cache counts .1,
//! any other 1.25, which is what it costs to put it there.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use ai_assist_base::Cancel;
use ai_assist_identity::Sha256;
use ai_assist_session::render::{RenderOptions, Rendered};
use ai_assist_session::transcript::{Event, Transcript, What, read};
use ai_assist_session::{NewSession, Session};
use ai_assist_store::Seq;
use ai_assist_store::objects::SqliteObjects;
use ai_assist_text::count_tokens;
use anyhow::{Context, Result, ensure};

use crate::sessions::{texts, transcript};

/// Below this a provider keeps nothing.
const LEAST: usize = 1024;
const STEP: usize = 128;
/// What a token of a request costs that is put into a cache, and one that is read from there.
const WRITTEN: f64 = 1.25;
const READ: f64 = 0.1;
const MARKS: usize = 4;
const LOOKED_BACK: usize = 20;
/// So many lines or turns are sent as one block, so that a new one changes the last block alone.
const LINES: usize = 24;

#[derive(Debug, clap::Args)]
pub(crate) struct Render {
    /// Sources that the agent reads
    tree: PathBuf,
    /// Transcripts of real agents, too
    #[arg(long, value_name = "FILE")]
    transcript: Vec<PathBuf>,
    /// How many events the day has
    #[arg(long, default_value_t = 300)]
    events: usize,
    #[arg(long, value_delimiter = ',', default_values_t = [8_000, 32_000, 128_000])]
    budgets: Vec<usize>,
}

/// What one way to send came to.
#[derive(Default)]
struct Sent {
    /// By what they hash to: the beginnings that were marked.
    marked: HashSet<Sha256>,
    before: Option<String>,
    requests: usize,
    bytes: usize,
    stable: usize,
    tokens: usize,
    anthropic: usize,
    openai: usize,
    /// Requests that had no room for all that there was.
    full: usize,
    /// Tokens of the budget that such requests used.
    filled: usize,
}

impl Sent {
    /// Counts a request that is made of blocks.
    fn send(&mut self, blocks: &[String], marks: &[usize], is_full: bool) {
        let text: String = blocks.concat();
        let tokens = count_tokens(&text);
        self.requests += 1;
        self.bytes += text.len();
        self.tokens += tokens;
        if is_full {
            self.full += 1;
            self.filled += tokens;
        }
        let ends: Vec<usize> = blocks
            .iter()
            .scan(0, |end, block| {
                *end += block.len();
                Some(*end)
            })
            .collect();
        let hash = |block: usize| Sha256::of(&text.as_bytes()[..ends[block]]);
        let found = marks.iter().filter_map(|&mark| {
            (mark.saturating_sub(LOOKED_BACK)..=mark).rev().find(|&block| self.marked.contains(&hash(block)))
        });
        let cached = found.max().map_or(0, |block| count_tokens(&text[..ends[block]]));
        self.anthropic += if cached >= LEAST { cached } else { 0 };
        self.marked.extend(marks.iter().map(|&mark| hash(mark)));
        let same = self.before.as_ref().map_or(0, |before| {
            let same = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            ai_assist_text::floor_boundary(&text, same)
        });
        self.stable += same;
        let cached = count_tokens(&text[..same]);
        self.openai += if cached >= LEAST { cached / STEP * STEP } else { 0 };
        self.before = Some(text);
    }

    /// What a request costs, in tokens.
    fn cost(&self) -> f64 {
        let new = (self.tokens - self.anthropic) as f64;
        (WRITTEN * new + READ * self.anthropic as f64) / self.requests.max(1) as f64
    }

    fn print(&self, what: &str, budget: usize, way: &str) {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        let filled = match self.full {
            0 => "–".to_owned(),
            full => format!("{:.3}", share(self.filled, full * budget)),
        };
        println!(
            "| {what} | {budget} | {way} | {} | {:.0} | {:.3} | {:.3} | {:.3} | {:.0} | {} | {filled} |",
            self.requests,
            share(self.tokens, self.requests),
            share(self.stable, self.bytes),
            share(self.anthropic, self.tokens),
            share(self.openai, self.tokens),
            self.cost(),
            self.full,
        );
    }
}

pub(crate) fn run(args: &Render) -> Result<()> {
    let texts = texts(&args.tree, 400)?;
    let mut days = vec![(format!("{} events", args.events), transcript(&texts, args.events))];
    for path in &args.transcript {
        let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().display().to_string();
        days.push((name, read(&mut BufReader::new(file), None)?));
    }
    println!(
        "| day | budget | way | requests | tokens each | stable bytes | Anthropic | OpenAI | cost each | over budget | filled then |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (what, day) in &days {
        for &budget in &args.budgets {
            rendered(day, budget, false)?.print(what, budget, "`session render`");
            rendered(day, budget, true)?.print(what, budget, "`session render --append`");
            truncated(day, budget, 1.0).print(what, budget, "truncated");
            truncated(day, budget, 0.5).print(what, budget, "truncated to half");
        }
    }
    Ok(())
}

/// Whether the agent's model is asked after this.
fn is_request(event: &Event) -> bool {
    !matches!(&event.what, What::Turn { role: ai_assist_session::transcript::Role::Assistant, .. })
}

fn rendered(day: &Transcript, budget: usize, append: bool) -> Result<Sent> {
    let place = tempfile::tempdir()?;
    let new = NewSession {
        name: Some("day".parse()?),
        folder: Some("/".to_owned()),
        system_prompt: day.system_prompt.clone().unwrap_or_else(|| "Be brief.".to_owned()),
        filesystem_id: "bench".to_owned(),
        ..NewSession::default()
    };
    let mut session = Session::create(Box::new(SqliteObjects::open(&place.path().join("day.db"))?), new)?;
    let mut sent = Sent::default();
    let mut growing = Growing::default();
    for event in &day.events {
        let one = Transcript { events: vec![event.clone()], subagents: Vec::new(), ..day.clone() };
        session.replay(&one, &mut |_| {}, &Cancel::default())?;
        if is_request(event) {
            let options = RenderOptions { max_tokens: Some(budget), append, ..RenderOptions::default() };
            let rendered = session.render(options)?;
            ensure!(count_tokens(&rendered.text()) <= budget, "more than the budget");
            let left = rendered.left_out;
            let is_full = left.pool_lines + left.turns + left.toolcalls + left.files > 0;
            if append {
                growing.take(rendered);
                sent.send(&growing.blocks, &growing.marks(), is_full);
            } else {
                let (blocks, marks) = blocks(&rendered.prefix, rendered.held);
                sent.send(&blocks, &marks, is_full);
            }
        }
    }
    Ok(sent)
}

/// What a program sends that knows what it has sent before: the same blocks again and one for what was added, as long as there is that.
#[derive(Default)]
struct Growing {
    fold: Option<Seq>,
    blocks: Vec<String>,
    /// The end of the state at the beginning.
    state: usize,
}

impl Growing {
    fn take(&mut self, rendered: Rendered) {
        let (text, sent) = (rendered.text(), self.blocks.concat());
        if rendered.fold.is_some() && rendered.fold == self.fold && text.starts_with(&sent) {
            self.blocks.extend(Some(text[sent.len()..].to_owned()).filter(|added| !added.is_empty()));
            return;
        }
        self.fold = rendered.fold;
        (self.blocks, _) = blocks(&rendered.prefix, rendered.held);
        self.state = self.blocks.len() - 1;
        self.blocks.extend(Some(rendered.since).filter(|since| !since.is_empty()));
    }

    /// The end of that state, that of what was sent before, and the end.
    fn marks(&self) -> Vec<usize> {
        let last = self.blocks.len() - 1;
        let mut marks = vec![self.state, last.saturating_sub(1).max(self.state), last];
        marks.dedup();
        marks
    }
}

/// The prefix in blocks that stay the same when lines are added, marked at the end of the last whole block of the pool, of the pool
/// and of the chat; and what is held.
fn blocks(prefix: &str, held: String) -> (Vec<String>, Vec<usize>) {
    let mut blocks = Vec::new();
    let mut marks = Vec::new();
    let (pool, chat) = prefix.split_once("\n# Chat\n").unwrap_or((prefix, ""));
    for part in [pool.to_owned(), format!("\n# Chat\n{chat}")] {
        let lines: Vec<&str> = part.split_inclusive('\n').collect();
        blocks.extend(lines.chunks(LINES).map(<[&str]>::concat));
        if lines.len() > LINES && !lines.len().is_multiple_of(LINES) {
            marks.push(blocks.len() - 2);
        }
        marks.push(blocks.len() - 1);
    }
    blocks.push(held);
    marks.truncate(MARKS);
    (blocks, marks)
}

/// Everything as it was said, each turn and each call a block. When that is more than the budget, the oldest go until a share of the
/// budget is left.
fn truncated(day: &Transcript, budget: usize, share: f64) -> Sent {
    let prompt = day.system_prompt.clone().unwrap_or_else(|| "Be brief.".to_owned());
    let mut turns: Vec<(String, usize)> = Vec::new();
    let mut total = count_tokens(&prompt);
    let (mut sent, mut is_full, mut first) = (Sent::default(), false, 0);
    for event in &day.events {
        let text = match &event.what {
            What::Turn { role, text } => format!("## {}\n\n{text}\n", role.as_str()),
            What::Toolcall { tool, args, output, .. } => format!("## tool {tool} {args}\n\n{output}\n"),
        };
        let tokens = count_tokens(&text);
        total += tokens;
        turns.push((text, tokens));
        if total > budget {
            is_full = true;
            while total > (budget as f64 * share) as usize && first + 1 < turns.len() {
                total -= turns[first].1;
                first += 1;
            }
        }
        if is_request(event) {
            let mut blocks = vec![prompt.clone()];
            blocks.extend(turns[first..].iter().map(|(text, _)| text.clone()));
            let last = blocks.len() - 1;
            sent.send(&blocks, &[0, last], is_full);
        }
    }
    sent
}
