//! How the hits of every search are shown.

use ai_assist_admit::Freshness;
use ai_assist_index::Terms;
use ai_assist_search::{Explanation, Fusion, snippet};
use anstyle::{AnsiColor, Style};
use anyhow::Result;

use crate::terminal::{Terminal, count, harmless, one_line, styled};

const SNIPPET_LINES: usize = 6;

pub(crate) struct Shown<'h> {
    /// Where it is, so that it can be given to another command.
    pub(crate) place: String,
    /// The headings or symbols above it, outermost first.
    pub(crate) path: &'h [String],
    pub(crate) score: f32,
    pub(crate) words: f32,
    pub(crate) cosine: f32,
    pub(crate) text: &'h str,
    pub(crate) first_line: u32,
    pub(crate) freshness: Freshness,
    pub(crate) explanation: Option<&'h Explanation>,
}

impl Shown<'_> {
    /// Prints it: all of its text, or the lines that say most about the terms.
    pub(crate) fn print(&self, terminal: Terminal, terms: &Terms, full: bool) -> Result<()> {
        let score = styled(Style::new().dimmed(), format!("{:.3}", self.score));
        let place = styled(AnsiColor::Cyan.on_default().bold(), one_line(&self.place));
        terminal.say(format!("{place}  {score}{}", since(self.freshness)))?;
        if !self.path.is_empty() {
            terminal.say(format!("  {}", styled(Style::new().bold(), one_line(&self.path.join(" › ")))))?;
        }
        if let Some(explanation) = self.explanation {
            self.explain(terminal, explanation)?;
        }
        let height = if full { usize::MAX } else { SNIPPET_LINES };
        let shown = snippet(self.text, self.first_line, terms, height);
        for line in mark(&shown.text, &shown.matches).lines() {
            terminal.say(format!("  {line}"))?;
        }
        terminal.say("")
    }

    fn explain(&self, terminal: Terminal, explanation: &Explanation) -> Result<()> {
        let dim = Style::new().dimmed();
        let say = |line: String| terminal.say(styled(dim, line));
        let fusion = match explanation.fusion {
            Fusion::Scores { a } => format!("{:.2} · words + {a:.2} · meaning", 1.0 - a),
            Fusion::Ranks { k } => format!("sum of 1 / ({k} + rank)"),
        };
        say(format!("  score {:.4} = {fusion}", self.score))?;
        say(format!("    words   {:.4} (scaled {:.4})", self.words, explanation.words_scaled))?;
        for term in &explanation.terms {
            let field = serde_json::to_value(term.field)?;
            say(format!(
                "      {:<8} {:<16} {:.4}  {} here, in {}",
                field.as_str().unwrap_or_default(),
                term.term,
                term.score,
                count(term.frequency as usize, "time"),
                count(usize::try_from(term.chunks).unwrap_or(usize::MAX), "chunk")
            ))?;
        }
        say(format!("    meaning {:.4} (scaled {:.4})", self.cosine, explanation.cosine_scaled))
    }
}

/// What became of the file since it was indexed, if that is worth saying.
fn since(freshness: Freshness) -> String {
    let said = match freshness {
        Freshness::Current | Freshness::Unknown => return String::new(),
        Freshness::Changed => "  (changed since)",
        Freshness::Missing => "  (gone since)",
    };
    styled(AnsiColor::Yellow.on_default(), said)
}

/// The text with its matches in bold.
pub(crate) fn mark(text: &str, matches: &[(usize, usize)]) -> String {
    let mut marked = String::with_capacity(text.len() + matches.len() * 8);
    let mut at = 0;
    for &(from, to) in matches {
        marked.push_str(&harmless(&text[at..from]));
        marked.push_str(&styled(AnsiColor::Green.on_default().bold(), harmless(&text[from..to])));
        at = to;
    }
    marked.push_str(&harmless(&text[at..]));
    marked
}
