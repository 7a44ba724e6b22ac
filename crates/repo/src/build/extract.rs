//! A file's text to the documents of the modes it belongs to.

use ai_assist_chunk::{Chunk, ChunkKind, Limits, chunk_program};
use ai_assist_embed::Embedder;
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, IndexDocument, VectorCache};
use ai_assist_syntax::{Facts, Program, Reference, Remark};
use ai_assist_text::{Language, LineMap, LineRange};

use super::Result;
use crate::layout::Mode;

/// Remarks with more lines of code between them than this are not put together.
const WIDEST_GAP: u32 = 20;

/// A document of one mode.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) mode: Mode,
    /// Its key is known only to whoever writes it.
    pub(super) document: IndexDocument,
    /// What the code says about itself, for the mode that has it.
    pub(super) facts: Option<Facts>,
    /// The names it uses, for the same mode.
    pub(super) references: Vec<Reference>,
}

/// A document that is not embedded yet.
struct Cut {
    mode: Mode,
    title: Option<String>,
    chunks: Vec<IndexChunk>,
    facts: Option<Facts>,
    references: Vec<Reference>,
}

/// A file that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) path: &'s str,
    pub(super) hash: Sha256,
    pub(super) language: Language,
    pub(super) text: &'s str,
}

impl Source<'_> {
    /// Its documents for the wanted modes, cut and embedded.
    pub(super) fn parts(
        &self,
        wanted: &[Mode],
        embedder: &dyn Embedder,
        cache: Option<&VectorCache>,
    ) -> Result<Vec<Part>> {
        let mut parts = Vec::with_capacity(wanted.len());
        for Cut { mode, title, chunks, facts, references } in self.cut(wanted) {
            let vectors = IndexDocument::embed(title.as_deref(), &chunks, embedder, cache)?;
            let document = IndexDocument {
                key: 0,
                path: self.path.to_owned(),
                title,
                language: self.language,
                hash: self.hash,
                chunks,
                vectors,
            };
            parts.push(Part { mode, document, facts, references });
        }
        Ok(parts)
    }

    /// Its chunks for each mode. The syntax tree is gone afterwards, before the embedding takes its memory.
    fn cut(&self, wanted: &[Mode]) -> Vec<Cut> {
        let program = Program::parse(self.text, self.language);
        let chunks = match &program {
            Some(program) => chunk_program(program, &Limits::default()),
            None => ai_assist_chunk::chunk(self.text, self.language, &Limits::default()),
        };
        let plain = |mode, title, chunks| Cut { mode, title, chunks, facts: None, references: Vec::new() };
        let cut = |&mode: &Mode| match mode {
            Mode::Code => {
                let facts = program.as_ref().and_then(Program::facts);
                let references = program.as_ref().map(Program::references).unwrap_or_default();
                Cut { facts, references, ..plain(mode, None, self.whole(&chunks)) }
            }
            Mode::ExtractedProse => plain(mode, None, self.remarks(&chunks, program.as_ref())),
            Mode::Prose | Mode::Records => {
                plain(mode, ai_assist_chunk::title(self.text, self.language), self.whole(&chunks))
            }
        };
        wanted.iter().map(cut).collect()
    }

    fn whole(&self, chunks: &[Chunk]) -> Vec<IndexChunk> {
        let chunk = |chunk: &Chunk| IndexChunk {
            lines: chunk.lines,
            bytes: (chunk.bytes.start as u64, chunk.bytes.end as u64),
            path: chunk.path.clone(),
            kind: chunk.kind,
            text: self.text[chunk.bytes.clone()].to_owned(),
        };
        chunks.iter().map(chunk).collect()
    }

    /// Comments and docstrings, those of one definition together. A line of the text is a line of the file, so that a
    /// place in the one is a place in the other.
    fn remarks(&self, chunks: &[Chunk], program: Option<&Program<'_>>) -> Vec<IndexChunk> {
        let map = LineMap::new(self.text);
        let mut joined = Joined { map: &map, limit: Limits::default().target, open: None, done: Vec::new() };
        for remark in program.map(Program::remarks).unwrap_or_default() {
            joined.add(&remark, self.text, path_at(chunks, remark.bytes.start));
        }
        joined.finish()
    }
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
        self.open = Some(IndexChunk { lines, bytes: (0, 0), path, kind: ChunkKind::Text, text });
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
    use super::*;

    fn remarks(text: &str, language: Language) -> Vec<IndexChunk> {
        let source = Source { path: "a", hash: Sha256::of(b""), language, text };
        let program = Program::parse(text, language).unwrap();
        source.remarks(&chunk_program(&program, &Limits::default()), Some(&program))
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
