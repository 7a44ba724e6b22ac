//! A state, and what has happened since.

use ai_assist_store::objects::{AsOf, System};
use ai_assist_text::count_tokens_up_to;

use super::history::History;
use super::since::Since;
use super::{RenderOptions, Rendered, State};
use crate::Session;
use crate::error::{Error, Result};

/// The budget of a rendering that only adds, if none is given: there must be one, or nothing would ever be folded. It is what fits
/// into the windows of most models.
pub const APPEND_TOKENS: usize = 128_000;

/// How many bytes are taken for a token where texts are not read. Code and prose have more than the first; where that was too many,
/// the next is tried. No token has less than one byte.
const BYTES: [usize; 3] = [3, 2, 1];

impl Session {
    pub(super) fn render_appended(&self, options: RenderOptions) -> Result<Rendered> {
        let budget = options.max_tokens.unwrap_or(APPEND_TOKENS);
        // Everything is read as of one event, whatever is written meanwhile.
        let system = match options.at.system {
            System::Now => System::Seq(self.objects().last()?.0),
            then => then,
        };
        let at = AsOf { system, ..options.at };
        let history = History::load(self, at)?;
        let mut tried = None;
        for bytes in BYTES {
            let fold = history.fold(budget, bytes);
            if fold == history.last() {
                break;
            }
            if tried.replace(fold) == Some(fold) {
                continue;
            }
            let then = AsOf { system: System::Seq(fold), ..at };
            let state = RenderOptions { max_tokens: Some(budget / 2), at: then, ..options };
            let State { rendered, shown, sets } = match self.render_state(state) {
                // What is pinned takes more than half: there may be room for it in the whole.
                Err(Error::Budget { .. }) => continue,
                other => other?,
            };
            let since = Since::new(self, at, fold, sets, shown).text(&history)?;
            let rendered = Rendered { since, fold: Some(fold), ..rendered };
            if count_tokens_up_to(&rendered.text(), budget).is_some() {
                return Ok(rendered);
            }
        }
        let now = RenderOptions { max_tokens: Some(budget), append: false, at: options.at, ..options };
        Ok(self.render_state(now)?.rendered)
    }
}
