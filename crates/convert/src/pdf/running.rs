//! What repeats at the top or the bottom of pages: titles, which are wanted once, and page numbers, which are not wanted.

use std::collections::{HashMap, HashSet};

use super::layout::{Block, Line};

/// So many lines at each end of a page may repeat.
const EDGE: usize = 3;
const ENOUGH: usize = 3;

/// What two lines on different pages have in common.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Likeness {
    /// The same words, whatever the numbers in them.
    Words(String),
    /// A number that counts as the pages do.
    Counts(i64),
    /// A number alone.
    Number,
}

pub(super) fn drop_running(pages: &mut [Vec<Block>]) {
    let mut seen: HashMap<(i64, Likeness), HashSet<usize>> = HashMap::new();
    for (number, page) in pages.iter().enumerate() {
        for (place, line) in edges(page) {
            for likeness in likenesses(line, number) {
                seen.entry((place, likeness)).or_default().insert(number);
            }
        }
    }
    let mut kept: HashSet<String> = HashSet::new();
    for (number, page) in pages.iter_mut().enumerate() {
        let is_running = |place: i64, likeness: &Likeness| {
            // A line at the edge of two rows of places counts for both.
            [place - 1, place, place + 1]
                .iter()
                .filter_map(|&place| seen.get(&(place, likeness.clone())))
                .any(|pages| pages.len() >= ENOUGH)
        };
        let mut drop: HashSet<(i64, i64)> = HashSet::new();
        for (place, line) in edges(page) {
            let mut running =
                likenesses(line, number).into_iter().filter(|likeness| is_running(place, likeness)).peekable();
            // A title that many slides share, or the head of a table that goes on, is said nowhere else.
            if running.peek().is_some()
                && (!running.all(|likeness| matches!(likeness, Likeness::Words(_))) || !kept.insert(line.text()))
            {
                drop.insert((line.y as i64, line.left as i64));
            }
        }
        for block in page.iter_mut() {
            block.retain(|line| !drop.contains(&(line.y as i64, line.left as i64)));
        }
        page.retain(|block| !block.is_empty());
    }
}

/// The first and last lines of a page with their places, in steps of four points.
fn edges(page: &[Block]) -> Vec<(i64, &Line)> {
    let mut lines: Vec<&Line> = page.iter().flatten().collect();
    lines.sort_by(|a, b| a.y.total_cmp(&b.y));
    let count = lines.len();
    let at_edge = |at: usize| at < EDGE || at + EDGE >= count;
    lines
        .into_iter()
        .enumerate()
        .filter(|(at, _)| at_edge(*at))
        .map(|(_, line)| ((line.y / 4.0) as i64, line))
        .collect()
}

fn likenesses(line: &Line, page: usize) -> Vec<Likeness> {
    let text = line.text();
    let text = text.trim();
    let mut found = Vec::new();
    if text.len() > 200 {
        return found;
    }
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if !bare.is_empty() && bare.len() < 8 && (bare.bytes().all(|b| b.is_ascii_digit()) || is_roman(bare)) {
        found.push(Likeness::Number);
    }
    // A short line with a number is likely no sentence.
    if text.len() < 100 {
        let numbers =
            text.split_whitespace().filter_map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()).parse().ok());
        found.extend(numbers.map(|number: i32| Likeness::Counts(i64::from(number) - page as i64)));
    }
    let words: String = text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    if words.chars().any(char::is_alphabetic) {
        let mut words = words.replace("##", "#");
        while words.contains("##") {
            words = words.replace("##", "#");
        }
        found.push(Likeness::Words(words));
    }
    found
}

fn is_roman(text: &str) -> bool {
    text.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l' | 'c' | 'I' | 'V' | 'X' | 'L' | 'C'))
}

#[cfg(test)]
mod tests {
    use super::super::layout::Cell;
    use super::*;

    fn line(y: f64, text: &str) -> Line {
        let cells = vec![Cell { left: 50.0, right: 90.0, text: text.into() }];
        Line { left: 50.0, right: 90.0, y, size: 10.0, bold: false, mono: false, cells }
    }

    #[test]
    fn titles_and_numbers_of_pages_go_and_text_stays() {
        let mut pages: Vec<Vec<Block>> = (0..6)
            .map(|page| {
                let chapter = if page < 3 { "Beginnings" } else { "Ends" };
                let mut lines = vec![line(20.0, &format!("{} CHAPTER 1. {chapter}", page + 7))];
                // The same words on each page, but not at its edge.
                lines.extend((0..8).map(|n| {
                    line(
                        100.0 + 12.0 * f64::from(n),
                        if n == 4 { "Example" } else { ["a", "b", "c", "d", "e", "f"][page] },
                    )
                }));
                lines.push(line(700.0, "Example Manual, Draft 3"));
                vec![lines]
            })
            .collect();
        drop_running(&mut pages);
        for (number, page) in pages.iter().enumerate() {
            // The foot of the first page stays.
            let lines = if number == 0 { 9 } else { 8 };
            assert_eq!(page[0].len(), lines, "{:?}", page[0].iter().map(Line::text).collect::<Vec<_>>());
        }
    }
}
