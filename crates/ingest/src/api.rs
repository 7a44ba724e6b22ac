//! The public items of a program as chunks: what somebody who uses a library asks about.

use std::ops::Range;

use ai_assist_chunk::{ChunkKind, Defined, Limits};
use ai_assist_index::IndexChunk;
use ai_assist_syntax::PublicItem;
use ai_assist_text::LineMap;

/// Items of which nothing is said are put together until they have this many bytes: each alone says too little to be found by.
const TOGETHER: usize = 700;

/// A chunk for each item of which something is said, several if that is much; the others of one type or module together.
pub(crate) fn api(text: &str, items: &[PublicItem]) -> Vec<IndexChunk> {
    let limits = Limits::default();
    let mut made = Made { text, map: &LineMap::new(text), bare: None, chunks: Vec::new() };
    for item in items {
        let is_short = item.bytes.len() <= TOGETHER;
        if !item.documented && is_short {
            made.join(item);
            continue;
        }
        if let Some(readable) = &item.readable {
            for (number, part) in paragraphs(readable, limits.target).into_iter().enumerate() {
                let defines = if number == 0 { defined(item) } else { Vec::new() };
                made.push(&item.bytes, item.path.clone(), item.kind, part.to_owned(), defines);
            }
            continue;
        }
        let mut path = item.path.clone();
        for (heading, bytes) in pieces(text, item.bytes.clone(), &limits) {
            path.truncate(item.path.len());
            path.extend(heading);
            let defines = if bytes.contains(&item.at) { defined(item) } else { Vec::new() };
            made.push(&bytes, path.clone(), item.kind, text[bytes.clone()].to_owned(), defines);
        }
    }
    made.chunks.extend(made.bare);
    made.chunks.sort_by_key(|chunk| chunk.bytes);
    made.chunks
}

struct Made<'t> {
    text: &'t str,
    map: &'t LineMap,
    /// What is being put together.
    bare: Option<IndexChunk>,
    chunks: Vec<IndexChunk>,
}

impl Made<'_> {
    fn push(&mut self, bytes: &Range<usize>, path: Vec<String>, kind: ChunkKind, text: String, defines: Vec<Defined>) {
        let lines = self.map.lines_of(bytes);
        let bytes = (bytes.start as u64, bytes.end as u64);
        self.chunks.push(IndexChunk { lines, bytes, path, kind, text, defines, place: None, unseen: Vec::new() });
    }

    /// Puts an item of which nothing is said with those before it. Its text is what they are, without what lies between.
    fn join(&mut self, item: &PublicItem) {
        let signature = &self.text[item.bytes.clone()];
        let parent = &item.path[..item.path.len().saturating_sub(1)];
        if let Some(bare) = &mut self.bare
            && bare.path == parent
            && bare.text.len() + signature.len() < TOGETHER
        {
            bare.text.push('\n');
            bare.text.push_str(signature);
            bare.bytes.1 = bare.bytes.1.max(item.bytes.end as u64);
            bare.lines.end = bare.lines.end.max(self.map.lines_of(&item.bytes).end);
            if bare.kind != item.kind {
                bare.kind = ChunkKind::Code;
            }
            bare.defines.extend(defined(item));
            return;
        }
        self.chunks.extend(self.bare.take());
        self.bare = Some(IndexChunk {
            lines: self.map.lines_of(&item.bytes),
            bytes: (item.bytes.start as u64, item.bytes.end as u64),
            path: parent.to_vec(),
            kind: item.kind,
            text: signature.to_owned(),
            defines: defined(item),
            place: None,
            unseen: Vec::new(),
        });
    }
}

/// A text in parts of about a size, cut between paragraphs, or within one where there is no other way.
fn paragraphs(text: &str, target: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while rest.len() > target + target / 2 {
        let most = rest.floor_char_boundary(target);
        let at = ["\n\n", "\n", " "].iter().find_map(|mark| rest[..most].rfind(mark).filter(|&at| at > most / 3));
        let (part, after) = rest.split_at(at.unwrap_or(most));
        parts.push(part.trim_end());
        rest = after.trim_start();
    }
    parts.push(rest);
    parts
}

fn defined(item: &PublicItem) -> Vec<Defined> {
    let Some((name, outer)) = item.path.split_last() else { return Vec::new() };
    vec![Defined { name: name.clone(), parent: outer.last().cloned(), kind: item.kind }]
}

/// An item in pieces that are not too large, cut before headings and between paragraphs of its comment, each with the heading that
/// it stands under.
fn pieces(text: &str, bytes: Range<usize>, limits: &Limits) -> Vec<(Option<String>, Range<usize>)> {
    let whole = &text[bytes.clone()];
    if whole.len() <= limits.target {
        return vec![(None, bytes)];
    }
    let mut pieces: Vec<(Option<String>, Range<usize>)> = Vec::new();
    let (mut start, mut at) = (bytes.start, bytes.start);
    let (mut heading, mut fenced, mut after_blank) = (None::<String>, false, false);
    for line in whole.split_inclusive('\n') {
        let said = line.trim_start().trim_start_matches(['/', '*', '!']).trim();
        let title = said.strip_prefix('#').filter(|_| !fenced).map(|rest| rest.trim_start_matches('#'));
        let title = title.filter(|rest| rest.starts_with(' ')).map(|rest| rest.trim().to_owned());
        let length = at - start;
        let cut = (title.is_some() && length > limits.target / 4)
            || (after_blank && !fenced && length + line.len() > limits.target)
            || length + line.len() > limits.max;
        if cut && length > 0 {
            pieces.push((heading.clone(), start..at));
            start = at;
        }
        heading = title.or(heading);
        fenced ^= said.starts_with("```");
        after_blank = said.is_empty();
        at += line.len();
        // A line of more than a chunk.
        while at - start > limits.max {
            let end = text.floor_char_boundary(start + limits.max);
            pieces.push((heading.clone(), start..end));
            start = end;
        }
    }
    if start < bytes.end {
        pieces.push((heading, start..bytes.end));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use ai_assist_text::Language;

    use crate::{View, cut};

    #[test]
    fn each_item_with_a_comment_is_a_chunk_and_the_others_go_together() {
        let text = "//! Opens.\n\n/// Says hello.\npub fn hello() -> u8 {\n    1\n}\n\npub struct A;\nimpl A {\n    pub fn b(&self) {\n        body();\n    }\n    pub fn c(&self) {}\n    /// Told.\n    pub fn d(&self) {}\n}\n";
        let cut = cut(text, Language::RUST, &[View::Api]).pop().unwrap();
        let shown: Vec<(String, &str, u32)> =
            cut.chunks.iter().map(|it| (it.path.join("."), it.text.as_str(), it.lines.start)).collect();
        let expected = [
            ("".to_owned(), "//! Opens.", 1),
            ("hello".to_owned(), "/// Says hello.\npub fn hello() -> u8", 3),
            ("".to_owned(), "pub struct A;", 8),
            ("A".to_owned(), "    pub fn b(&self)\n    pub fn c(&self)", 10),
            ("A.d".to_owned(), "    /// Told.\n    pub fn d(&self)", 14),
        ];
        assert_eq!(shown, expected);
        let names: Vec<&str> = cut.chunks.iter().flat_map(|it| &it.defines).map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["hello", "A", "b", "c", "d"]);
    }

    #[test]
    fn a_long_comment_is_cut_at_its_headings() {
        let paragraph = "//! Some words that fill a line of a comment, again and again.\n".repeat(12);
        let section = |name: &str| format!("//! # {name}\n//!\n{paragraph}//!\n{paragraph}//!\n");
        let text = format!("{}{}{}", section("One"), section("Two"), section("Three"));
        let cut = cut(&text, Language::RUST, &[View::Api]).pop().unwrap();
        let paths: Vec<String> = cut.chunks.iter().map(|it| it.path.join(".")).collect();
        assert_eq!(paths, ["One", "Two", "Three"]);
        let whole: String = cut.chunks.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(whole.trim_end(), text.trim_end());
        let long = format!("/// {}\npub fn f() {{}}\n", "é".repeat(9_000));
        let cut = crate::cut(&long, Language::RUST, &[View::Api]).pop().unwrap();
        assert!(cut.chunks.len() > 3 && cut.chunks.iter().all(|it| it.text.len() <= 4_000));
        assert_eq!(cut.chunks.last().unwrap().defines.len(), 1);
    }

    #[test]
    fn a_text_without_items_to_tell_is_taken_whole() {
        for (text, language) in
            [("# Title\n\ntext\n", Language::MARKDOWN), ("interface A { b: number }\n", Language::TYPESCRIPT)]
        {
            let [api, whole] = &cut(text, language, &[View::Api, View::Whole])[..] else { panic!() };
            assert_eq!((api.chunks.len(), &api.title), (whole.chunks.len(), &whole.title), "{text}");
        }
        assert!(cut("fn private() {}\n", Language::RUST, &[View::Api])[0].chunks.is_empty());
    }
}
