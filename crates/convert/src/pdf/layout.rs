//! Words to lines in reading order: columns are read one after the other.

use super::content::Word;

/// A blank between two words that were drawn apart, in font sizes.
const BLANK: f64 = 0.13;
/// A gap that may be the one between columns. LaTeX's is one size of the font.
const WIDE: f64 = 0.9;
/// A gap that is one between cells of a table, if it is not one between columns.
const CELL: f64 = 1.6;
const MAX_SPLITS: usize = 5;
/// Places across a page at which a gap is looked for.
const BINS: usize = 512;

/// Lines that are read one after the other: a column, or what stands across all of them.
pub(super) type Block = Vec<Line>;

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) mono: bool,
    pub(super) cells: Vec<Cell>,
}

#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) text: String,
}

impl Line {
    pub(super) fn text(&self) -> String {
        self.cells.iter().map(|cell| &*cell.text).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn len(&self) -> usize {
        self.cells.iter().map(|cell| cell.text.len()).sum()
    }
}

/// Words of one row without a wide gap between them.
struct Segment {
    row: usize,
    left: f64,
    right: f64,
    chars: usize,
    words: Vec<Word>,
}

pub(super) fn blocks(words: Vec<Word>) -> Vec<Block> {
    let mut by_turn: [Vec<Word>; 4] = Default::default();
    for word in words {
        by_turn[usize::from(word.turn & 3)].push(word);
    }
    // Most of the page first: the labels of a turned axis come after the text.
    by_turn.sort_by_key(|words| std::cmp::Reverse(words.iter().map(|word| word.text.len()).sum::<usize>()));
    let mut blocks = Vec::new();
    for words in by_turn {
        let mut parts = Vec::new();
        split(segments(words), 0, &mut parts);
        blocks.extend(parts.into_iter().map(lines).filter(|block| !block.is_empty()));
    }
    blocks
}

fn segments(mut words: Vec<Word>) -> Vec<Segment> {
    words.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut rows: Vec<(f64, f64, Vec<Word>)> = Vec::new();
    for word in words {
        match rows.last_mut() {
            // Raised and lowered words belong to the row of the larger ones.
            Some((y, size, row)) if word.y - *y <= 0.45 * size.max(word.size) => {
                if word.size > *size {
                    (*y, *size) = (word.y, word.size);
                }
                row.push(word);
            }
            _ => rows.push((word.y, word.size, vec![word])),
        }
    }
    let mut segments: Vec<Segment> = Vec::new();
    for (row, (_, _, mut words)) in rows.into_iter().enumerate() {
        words.sort_by(|a, b| a.left.total_cmp(&b.left));
        for word in words {
            match segments.last_mut() {
                Some(last) if last.row == row && word.left - last.right <= WIDE * gap_unit(last, &word) => {
                    last.right = last.right.max(word.right);
                    last.chars += word.text.chars().count();
                    last.words.push(word);
                }
                _ => segments.push(Segment {
                    row,
                    left: word.left,
                    right: word.right,
                    chars: word.text.chars().count(),
                    words: vec![word],
                }),
            }
        }
    }
    segments
}

fn gap_unit(segment: &Segment, word: &Word) -> f64 {
    segment.words.last().map_or(word.size, |last| last.size.max(word.size))
}

/// Cuts a region into parts in reading order.
fn split(segments: Vec<Segment>, depth: usize, parts: &mut Vec<Vec<Segment>>) {
    let gutter = if depth < MAX_SPLITS { find_gutter(&segments) } else { None };
    let Some(gutter) = gutter else {
        parts.push(segments);
        return;
    };
    let mut across = Vec::new();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut rest = segments.into_iter().peekable();
    while let Some(row) = rest.peek().map(|segment| segment.row) {
        let mut of_row = Vec::new();
        while let Some(segment) = rest.next_if(|segment| segment.row == row) {
            of_row.push(segment);
        }
        if of_row.iter().any(|segment| segment.left < gutter && segment.right > gutter) {
            columns(&mut left, &mut right, depth, parts);
            across.extend(of_row);
        } else {
            if !across.is_empty() {
                split(std::mem::take(&mut across), depth + 1, parts);
            }
            for segment in of_row {
                if segment.right <= gutter { left.push(segment) } else { right.push(segment) }
            }
        }
    }
    columns(&mut left, &mut right, depth, parts);
    if !across.is_empty() {
        split(across, depth + 1, parts);
    }
}

fn columns(left: &mut Vec<Segment>, right: &mut Vec<Segment>, depth: usize, parts: &mut Vec<Vec<Segment>>) {
    let (left, right) = (std::mem::take(left), std::mem::take(right));
    if left.is_empty() && right.is_empty() {
        return;
    }
    let mean =
        |side: &[Segment]| side.iter().map(|segment| segment.chars).sum::<usize>() as f64 / side.len().max(1) as f64;
    // What is short on both sides is a table between two passages of columns: it is read by rows.
    let is_table = !left.is_empty() && !right.is_empty() && mean(&left).min(mean(&right)) < 8.0;
    if is_table {
        let mut both: Vec<Segment> = left.into_iter().chain(right).collect();
        both.sort_by(|a, b| a.row.cmp(&b.row).then(a.left.total_cmp(&b.left)));
        parts.push(both);
        return;
    }
    for side in [left, right] {
        if !side.is_empty() {
            split(side, depth + 1, parts);
        }
    }
}

/// Where a region falls into two columns of running text, if it does.
fn find_gutter(segments: &[Segment]) -> Option<f64> {
    if segments.len() < 8 {
        return None;
    }
    let start = segments.iter().map(|segment| segment.left).fold(f64::INFINITY, f64::min);
    let end = segments.iter().map(|segment| segment.right).fold(f64::NEG_INFINITY, f64::max);
    let step = (end - start) / BINS as f64;
    if !step.is_finite() || step <= 0.0 {
        return None;
    }
    let bin = |x: f64| (((x - start) / step) as usize).min(BINS - 1);
    // How many end before a place, and how many begin after it.
    let (mut ends, mut starts) = ([0usize; BINS + 1], [0usize; BINS + 1]);
    let mut sizes = Vec::with_capacity(segments.len());
    for segment in segments {
        ends[bin(segment.right) + 1] += 1;
        starts[bin(segment.left)] += 1;
        sizes.push(segment.words.first().map_or(0.0, |word| word.size));
    }
    for at in 1..=BINS {
        ends[at] += ends[at - 1];
        starts[BINS - at] += starts[BINS + 1 - at];
    }
    sizes.sort_by(f64::total_cmp);
    let half = ((0.35 * sizes[sizes.len() / 2] / step) as usize).max(1);
    let (mut best, mut best_rank) = (None, (usize::MAX, usize::MAX));
    for at in BINS / 10..BINS - BINS / 10 {
        let (before, after) = (ends[at.saturating_sub(half)], starts[(at + half).min(BINS)]);
        let crossing = segments.len().saturating_sub(before + after);
        let rank = (crossing, before.abs_diff(after));
        if before.min(after) >= 4 && crossing * 10 <= before.min(after) * 7 && rank < best_rank {
            (best, best_rank) = (Some(start + at as f64 * step), rank);
        }
    }
    best.filter(|&gutter| is_running_text(segments, gutter, start, end))
}

/// Lines of running text are long and fill their column; cells of a table don't.
fn is_running_text(segments: &[Segment], gutter: f64, start: f64, end: f64) -> bool {
    let side = |is: &dyn Fn(&Segment) -> bool, width: f64| {
        let (mut count, mut chars, mut filled) = (0usize, 0usize, 0.0);
        for segment in segments.iter().filter(|segment| is(segment)) {
            count += 1;
            chars += segment.chars;
            filled += segment.right - segment.left;
        }
        let count = count.max(1) as f64;
        chars as f64 / count >= 15.0 && filled / count >= 0.45 * width
    };
    side(&|segment| segment.right <= gutter, gutter - start) && side(&|segment| segment.left >= gutter, end - gutter)
}

fn lines(segments: Vec<Segment>) -> Block {
    let mut lines = Vec::new();
    let mut rest = segments.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut words = first.words;
        while let Some(segment) = rest.next_if(|segment| segment.row == first.row) {
            words.extend(segment.words);
        }
        lines.push(line(&words));
    }
    lines
}

fn line(words: &[Word]) -> Line {
    // The largest word says what the line is; a raised number does not.
    let main = words.iter().fold(&words[0], |main, word| {
        let weight = |word: &Word| (word.size * 2.0).round() * (word.text.len().min(4)) as f64;
        if weight(word) > weight(main) { word } else { main }
    });
    let mono = words.iter().all(|word| word.mono);
    let mut cells: Vec<Cell> = Vec::new();
    let mut last: Option<&Word> = None;
    for word in words {
        let unit = last.map_or(word.size, |last| last.size.max(word.size));
        let gap = last.map_or(0.0, |last| word.left - last.right);
        match cells.last_mut() {
            Some(cell) if mono || gap <= CELL * unit => {
                let blanks = if mono {
                    // Columns of code are kept.
                    let advance = (word.right - word.left) / word.text.chars().count().max(1) as f64;
                    if gap < 0.3 * advance { 0 } else { ((gap / advance).round() as usize).clamp(1, 80) }
                } else {
                    let small = last.map_or(word.size, |last| last.size.min(word.size));
                    usize::from(gap > BLANK * small || last.is_some_and(|last| last.blank_after))
                };
                cell.text.extend(std::iter::repeat_n(' ', blanks));
                cell.text.push_str(&word.text);
                cell.right = cell.right.max(word.right);
            }
            _ => cells.push(Cell { left: word.left, right: word.right, text: word.text.clone() }),
        }
        last = Some(word);
    }
    let right = cells.iter().map(|cell| cell.right).fold(f64::NEG_INFINITY, f64::max);
    let bold = words.iter().all(|word| word.bold || !word.text.contains(char::is_alphanumeric));
    Line { left: cells[0].left, right, y: main.y, size: main.size, bold, mono, cells }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(left: f64, y: f64, text: &str) -> Word {
        let right = left + 5.0 * text.len() as f64;
        Word { left, right, y, size: 10.0, text: text.into(), bold: false, mono: false, blank_after: false, turn: 0 }
    }

    fn read(words: Vec<Word>) -> Vec<String> {
        blocks(words).iter().flatten().map(Line::text).collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let mut words = vec![word(50.0, 50.0, &"title".repeat(18))];
        for row in 0..10 {
            // The second column stands a little lower, and its words come first in the file.
            words.push(word(270.0, 82.0 + 12.0 * f64::from(row), &format!("right column, line {row} of ten of it")));
            words.push(word(50.0, 80.0 + 12.0 * f64::from(row), &format!("left column, line {row} of ten of it")));
        }
        let lines = read(words);
        let firsts: Vec<&str> = lines.iter().map(|line| &line[..4]).collect();
        assert_eq!(firsts[0], "titl");
        assert!(firsts[1..11].iter().all(|line| *line == "left"), "{firsts:?}");
        assert!(firsts[11..].iter().all(|line| *line == "righ"), "{firsts:?}");
    }

    #[test]
    fn a_table_is_read_by_rows() {
        let mut words = Vec::new();
        for row in 0..10 {
            words.push(word(50.0, 80.0 + 12.0 * f64::from(row), &format!("key{row}")));
            words.push(word(270.0, 80.0 + 12.0 * f64::from(row), &format!("value{row}")));
        }
        assert_eq!(read(words)[3], "key3 value3");
    }

    #[test]
    fn raised_words_stay_in_their_line() {
        let mut note = word(100.5, 76.0, "2");
        note.size = 6.0;
        assert_eq!(read(vec![word(50.0, 80.0, "ten chars."), note, word(110.0, 80.0, "more")]), ["ten chars.2 more"]);
    }
}
