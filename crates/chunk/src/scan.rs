//! The structure of a text that is no program, by the scanner for its language.

use ai_assist_syntax::structure::Structure;
use ai_assist_text::{Language, LanguageKind};

use crate::{ChunkKind, asciidoc, html, markdown, org, plain, records, rst};

pub(crate) fn scan(text: &str, language: Language) -> Structure {
    match language.name() {
        "markdown" => markdown::scan(text, false),
        "mdx" => markdown::scan(text, true),
        "restructuredtext" => rst::scan(text),
        "asciidoc" => asciidoc::scan(text),
        "html" => html::scan(text),
        "org" => org::scan(text),
        "jsonl" | "csv" => records::lines(text),
        "json" => records::json(text),
        "yaml" => records::yaml(text),
        _ if language.kind() == LanguageKind::Code => plain::scan(text, ChunkKind::Code),
        _ => plain::scan(text, ChunkKind::Text),
    }
}
