//! Bytes to text, and facts about text.
//!
//! What comes in: the bytes of one file and, where a language is asked for, its name. What goes out: decoded text with a
//! note of how it was decoded, maps between byte offsets and lines, exact truncation, token counts, and the language
//! and category a file name stands for.
//!
//! This room must not know where bytes came from: no paths are opened here, nothing is walked, nothing is stored.

mod bpe;
mod decode;
mod language;
mod lines;
mod marks;
mod role;
mod tokens;
mod truncate;

pub use decode::{Decoded, Encoding, NotText, decode, looks_binary};
pub use language::{Category, Language, LanguageKind};
pub use lines::{LineMap, LineRange};
pub use role::{Role, language_of, translated_into};
pub use tokens::{TOKENIZER, count_tokens, count_tokens_up_to};
pub use truncate::{floor_boundary, head, tail};
