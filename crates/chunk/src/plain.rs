//! Texts without a grammar: by paragraphs, then by lines, the less indented first.

use crate::ChunkKind;
use crate::lines::lines_from;
use ai_assist_syntax::structure::{Structure, Style};

/// Any text. Indentation stands for nesting, as it does in prose, in most code and in most data.
pub(crate) fn scan(text: &str, kind: ChunkKind) -> Structure {
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
