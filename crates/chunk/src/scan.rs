//! The structure of a text that is no program, by the scanner for its language.

use ai_assist_syntax::structure::{Structure, Style};
use ai_assist_text::{Language, LanguageKind};

use crate::lines::lines_from;
use crate::{ChunkKind, asciidoc, definitions, html, markdown, org, records, rst};

pub(crate) fn scan(text: &str, language: Language) -> Structure {
    match language.name() {
        "markdown" => markdown::scan(text, false),
        "mdx" => markdown::scan(text, true),
        "restructuredtext" => rst::scan(text),
        "asciidoc" => asciidoc::scan(text),
        "html" => html::scan(text),
        "org" => org::scan(text),
        "graphql" => definitions::graphql(text),
        "protobuf" => definitions::protobuf(text),
        "jsonl" | "csv" => records::lines(text),
        "json" => records::json(text),
        "yaml" => records::yaml(text),
        _ if language.kind() == LanguageKind::Code => plain(text, ChunkKind::Code),
        _ => plain(text, ChunkKind::Text),
    }
}

/// Texts without a grammar: by paragraphs, then by lines, the less indented first. Indentation stands for nesting, as it does in
/// prose, in most code and in most data.
fn plain(text: &str, kind: ChunkKind) -> Structure {
    let mut found = Structure::new(Style::Prose, kind);
    let mut after_blank = true;
    for line in lines_from(text, 0) {
        if line.is_blank() {
            after_blank = true;
            continue;
        }
        let (indent, content) = line.indented();
        let depth = u8::try_from(indent / 2).unwrap_or(u8::MAX).min(60);
        // Where indentation is only layout, an empty line says more; where it is structure, a line further out does.
        let inside = if kind == ChunkKind::Text { 64 } else { 2 };
        let rank = if after_blank { depth } else { depth + inside };
        // A closing bracket belongs to what it closes.
        if !content.starts_with(['}', ')', ']']) {
            found.cut(line.start, rank);
        }
        after_blank = false;
    }
    found
}
