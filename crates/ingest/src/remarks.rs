//! The comments and docstrings of a program as chunks of their own.

use ai_assist_base::stopped;
use ai_assist_chunk::{Chunk, ChunkKind, Limits};
use ai_assist_index::IndexChunk;
use ai_assist_syntax::Remark;
use ai_assist_text::{LineMap, LineRange};

/// Remarks with more lines of code between them than this are not put together.
const WIDEST_GAP: u32 = 20;

/// Those of one definition together. A line of the text is a line of the file, so that a place in the one is a place in
/// the other.
pub(crate) fn remarks(text: &str, remarks: &[Remark], chunks: &[Chunk]) -> Vec<IndexChunk> {
    let map = LineMap::new(text);
    let mut joined = Joined { map: &map, limit: Limits::default().target, open: None, done: Vec::new() };
    for remark in remarks.iter().take_while(|_| !stopped()) {
        joined.add(remark, text, path_at(chunks, remark.bytes.start));
    }
    joined.finish()
}

/// The definition that a place lies in.
fn path_at(chunks: &[Chunk], at: usize) -> &[String] {
    let after = chunks.partition_point(|chunk| chunk.bytes.start <= at);
    after.checked_sub(1).map_or(&[], |index| &chunks[index].path)
}

/// Remarks on their way to becoming chunks.
struct Joined<'t> {
    map: &'t LineMap,
    limit: usize,
    open: Option<IndexChunk>,
    done: Vec<IndexChunk>,
}

impl Joined<'_> {
    fn add(&mut self, remark: &Remark, text: &str, path: &[String]) {
        let prose = remark.prose(text);
        if !prose.chars().any(char::is_alphanumeric) {
            return;
        }
        let first = self.map.line_of(remark.bytes.start);
        for (line, said) in (first..).zip(prose.split('\n')) {
            let mut rest = said;
            loop {
                let piece = &rest[..rest.floor_char_boundary(self.limit)];
                self.line(line, piece, path);
                rest = &rest[piece.len()..];
                if rest.is_empty() {
                    break;
                }
            }
        }
    }

    fn line(&mut self, line: u32, said: &str, path: &[String]) {
        if let Some(open) = &mut self.open
            && open.path == path
            && line > open.lines.end
            && line - open.lines.end <= WIDEST_GAP
            && open.text.len() + said.len() + (WIDEST_GAP as usize) <= self.limit
        {
            (open.lines.end..line).for_each(|_| open.text.push('\n'));
            open.text.push_str(said);
            open.lines.end = line;
            return;
        }
        self.close();
        let lines = LineRange { start: line, end: line };
        let (path, text) = (path.to_vec(), said.to_owned());
        self.open = Some(IndexChunk {
            lines,
            bytes: (0, 0),
            path,
            kind: ChunkKind::Text,
            text,
            defines: Vec::new(),
            place: None,
            unseen: Vec::new(),
        });
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take().filter(|open| open.text.chars().any(char::is_alphanumeric)) else {
            return;
        };
        let bytes = self.map.bytes_of(open.lines).unwrap_or_default();
        open.bytes = (bytes.start as u64, bytes.end as u64);
        self.done.push(open);
    }

    fn finish(mut self) -> Vec<IndexChunk> {
        self.close();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_text::Language;

    use super::*;

    fn remarks(text: &str, language: Language) -> Vec<IndexChunk> {
        crate::cut(text, language, &[crate::View::Remarks]).remove(0).chunks
    }

    #[test]
    fn remarks_keep_their_lines_and_their_place() {
        let filler = "    work();\n".repeat(300);
        let text = format!("/// Says hello.\nfn hello() {{\n    // politely\n{filler}    // at last\n}}\n\n// ----\n");
        let found = remarks(&text, Language::RUST);
        let shown: Vec<(String, &str, &[String])> =
            found.iter().map(|chunk| (chunk.lines.to_string(), chunk.text.as_str(), &chunk.path[..])).collect();
        let hello = ["hello".to_owned()];
        assert_eq!(
            shown,
            [("1-3".to_owned(), "Says hello.\n\npolitely", &hello[..]), ("304".to_owned(), "at last", &hello[..])]
        );
        for chunk in &found {
            let bytes = chunk.bytes.0 as usize..chunk.bytes.1 as usize;
            assert!(text[bytes].contains(chunk.text.lines().next().unwrap()));
        }
    }

    #[test]
    fn a_remark_of_any_length_is_cut() {
        let long = format!("// {}\n// end\n", "é".repeat(5000));
        let found = remarks(&long, Language::C);
        assert!(found.len() >= 5 && found.iter().all(|chunk| chunk.text.len() <= Limits::default().target + 64));
        assert_eq!(found.iter().map(|chunk| chunk.text.matches('é').count()).sum::<usize>(), 5000);
        let many = "// word\n".repeat(5000);
        let found = remarks(&many, Language::C);
        assert_eq!(found.iter().map(|chunk| chunk.text.matches("word").count()).sum::<usize>(), 5000);
        assert_eq!(found.last().unwrap().lines.end, 5000);
    }
}
