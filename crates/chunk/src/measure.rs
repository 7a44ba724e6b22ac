//! How much there is to read in a part of a text.
//!
//! Of code that is bytes. Of prose it is the letters that a reader sees, on a scale on which usual Markdown has its bytes: markup
//! differs from format to format, and the same text is joined and cut in the same places in each.

use std::ops::Range;

use ai_assist_syntax::structure::{Section, Structure, Style};

pub(crate) struct Measure {
    /// Where sections start and cuts do little harm, with the letters before each. Nothing for code.
    points: Vec<(usize, usize)>,
}

impl Measure {
    pub(crate) fn of_bytes() -> Measure {
        Measure { points: Vec::new() }
    }

    pub(crate) fn new(text: &str, found: &Structure, sections: &[Section]) -> Measure {
        if found.style == Style::Code {
            return Measure::of_bytes();
        }
        let starts = sections.iter().map(|section| section.start);
        let mut at: Vec<usize> = starts.chain(found.breaks.iter().map(|b| b.at)).chain([0, text.len()]).collect();
        at.sort_unstable();
        at.dedup();
        let mut unseen = found.unseen.iter().peekable();
        let (mut so_far, mut letters) = (0, 0);
        let points = at.into_iter().map(|point| {
            while so_far < point {
                while unseen.next_if(|hidden| hidden.bytes.end <= so_far).is_some() {}
                let hidden = unseen.peek().map_or(point..point, |hidden| hidden.bytes.clone());
                let seen = hidden.start.clamp(so_far, point);
                letters += letters_in(text.get(so_far..seen).unwrap_or_default());
                so_far = hidden.end.clamp(seen, point);
            }
            (point, letters)
        });
        Measure { points: points.collect() }
    }

    /// The size of a part. Between two points it is as if all bytes were alike.
    pub(crate) fn size(&self, bytes: &Range<usize>) -> usize {
        if self.points.is_empty() {
            return bytes.len();
        }
        (self.letters(bytes.end) - self.letters(bytes.start)) * 7 / 5
    }

    /// The byte up to which a part from `start` on has a size.
    pub(crate) fn end_of(&self, start: usize, size: usize) -> usize {
        if self.points.is_empty() {
            return start + size;
        }
        let wanted = self.letters(start) + size * 5 / 7;
        let after = self.points.partition_point(|&(_, letters)| letters < wanted);
        let (from, to) = self.around(after);
        between(wanted, (from.1, from.0), (to.1, to.0)).max(start)
    }

    fn letters(&self, at: usize) -> usize {
        let after = self.points.partition_point(|&(point, _)| point < at);
        let (from, to) = self.around(after);
        between(at, from, to)
    }

    fn around(&self, after: usize) -> ((usize, usize), (usize, usize)) {
        let of = |at: usize| self.points.get(at).or(self.points.last()).copied().unwrap_or_default();
        (of(after.saturating_sub(1)), of(after))
    }
}

/// What stands for `at` on the line from one point to another.
fn between(at: usize, from: (usize, usize), to: (usize, usize)) -> usize {
    let width = to.0 - from.0;
    if width == 0 || at >= to.0 {
        return to.1;
    }
    from.1 + (at.saturating_sub(from.0)) * (to.1 - from.1) / width
}

fn letters_in(text: &str) -> usize {
    let of = |character: char| if character.is_alphanumeric() { character.len_utf8() } else { 0 };
    if text.is_ascii() { text.bytes().filter(u8::is_ascii_alphanumeric).count() } else { text.chars().map(of).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkKind;

    #[test]
    fn letters_that_are_seen_count() {
        let text = "ab <x y=1> cd\n\nef – gh";
        let mut found = Structure::new(Style::Prose, ChunkKind::Text);
        found.cut(15, 0);
        found.hide(3..10, false);
        let measure = Measure::new(text, &found, &[]);
        assert_eq!(measure.size(&(0..15)), 4 * 7 / 5);
        assert_eq!(measure.size(&(15..text.len())), 4 * 7 / 5);
        assert_eq!(measure.size(&(0..text.len())), 8 * 7 / 5);
        assert_eq!(measure.end_of(0, 5), 11);
        assert_eq!(measure.end_of(0, 1000), text.len());
        let code = Measure::new(text, &Structure::new(Style::Code, ChunkKind::Code), &[]);
        assert_eq!((code.size(&(2..9)), code.end_of(2, 7)), (7, 9));
    }
}
