//! Lines of pages to Markdown: paragraphs, headings, lists, tables, code.

use std::collections::{BTreeMap, HashMap};

use super::layout::{Block, Line};
use crate::{emit, place};

/// A heading is at least so much larger than the text.
const LARGER: f64 = 1.12;
const MAX_HEADING: usize = 200;
const MAX_LEVEL: usize = 4;

/// What is known of all pages before one is written.
pub(super) struct Style {
    body: f64,
    /// Sizes of headings in half points, the largest first.
    sizes: Vec<i64>,
    /// Titles of the bookmarks, and their levels.
    outline: HashMap<String, usize>,
    /// Text in a font of one width is code, unless all of it is.
    has_code: bool,
    /// Bold lines are headings, unless much of the text is bold or bookmarks say what is one.
    bold_headings: bool,
}

fn half_points(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

impl Style {
    pub(super) fn of(pages: &[Vec<Block>], outline: &[(usize, String)]) -> Style {
        let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
        let (mut total, mut mono, mut bold) = (0, 0, 0);
        for line in pages.iter().flatten().flatten() {
            total += line.len();
            mono += if line.mono { line.len() } else { 0 };
            bold += if line.bold { line.len() } else { 0 };
            if !line.mono {
                *sizes.entry(half_points(line.size)).or_default() += line.len();
            }
        }
        let body = sizes.iter().max_by_key(|(_, chars)| **chars).map_or(10.0, |(size, _)| *size as f64 / 2.0);
        let mut large: Vec<i64> = sizes.into_keys().filter(|size| *size as f64 / 2.0 >= LARGER * body).collect();
        large.reverse();
        Style {
            body,
            sizes: large,
            outline: outline
                .iter()
                .map(|(level, title)| (squeeze(title), *level))
                .filter(|(title, _)| title.len() > 2)
                .collect(),
            has_code: mono * 2 < total,
            bold_headings: outline.len() < 3 && bold * 4 < total,
        }
    }

    fn heading(&self, line: &Line, text: &str) -> Option<usize> {
        if line.mono && self.has_code
            || text.len() > MAX_HEADING
            || text.chars().filter(|c| c.is_alphabetic()).count() < 2
        {
            return None;
        }
        if has_leader(text) {
            return None;
        }
        let larger = line.size >= LARGER * self.body;
        if larger || line.bold {
            let squeezed = squeeze(text);
            if let Some(&level) = self.outline.get(&squeezed).or_else(|| self.outline.get(without_number(&squeezed))) {
                return Some(level);
            }
        }
        if !larger {
            return None;
        }
        let rank = self.sizes.iter().position(|size| *size <= half_points(line.size)).unwrap_or(self.sizes.len());
        Some((rank + 1).min(MAX_LEVEL))
    }

    /// A bold line that stands alone.
    fn is_bold_heading(&self, line: &Line, text: &str, apart: bool) -> bool {
        self.bold_headings
            && line.bold
            && apart
            && line.cells.len() == 1
            && (3..100).contains(&text.len())
            && line.size >= 0.95 * self.body
            && text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
            && !text.ends_with(['.', ',', ';', ':'])
    }
}

/// Letters and digits only, so that a title matches however its blanks were set.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn without_number(squeezed: &str) -> &str {
    squeezed.trim_start_matches(|c: char| c.is_ascii_digit())
}

pub(super) fn page(text: &mut String, blocks: &[Block], style: &Style) {
    for block in blocks {
        let left = block.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
        let right = block.iter().map(|line| line.right).fold(f64::NEG_INFINITY, f64::max);
        let paragraph = Paragraph::default();
        Writer { out: text, style, block, left, right, leading: leading(block), paragraph }.write();
    }
}

#[derive(Default)]
struct Paragraph {
    text: String,
    prefix: String,
}

struct Writer<'a> {
    out: &'a mut String,
    style: &'a Style,
    block: &'a [Line],
    left: f64,
    right: f64,
    leading: f64,
    paragraph: Paragraph,
}

/// The usual distance of two lines.
fn leading(block: &[Line]) -> f64 {
    let mut steps: Vec<f64> = block.windows(2).map(|pair| pair[1].y - pair[0].y).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let by_size = block.first().map_or(12.0, |line| 1.2 * line.size);
    steps.get(steps.len() / 3).copied().unwrap_or(by_size).min(2.0 * by_size)
}

impl Writer<'_> {
    fn write(mut self) {
        let mut at = 0;
        while at < self.block.len() {
            let line = &self.block[at];
            let text = line.text();
            let taken = if line.mono && self.style.has_code {
                self.code(at)
            } else if let Some(level) = self.style.heading(line, &text) {
                self.heading(at, level)
            } else if self.style.is_bold_heading(line, &text, self.is_apart(at)) {
                let level = (self.style.sizes.len() + 1).min(MAX_LEVEL);
                self.end_paragraph();
                emit::heading(self.out, level, &text);
                1
            } else {
                let rows = self.table(at);
                if rows == 0 {
                    self.text_line(at, &text);
                }
                rows.max(1)
            };
            at += taken;
        }
        self.end_paragraph();
    }

    /// Whether more than the usual distance is before a line, or nothing.
    fn is_apart(&self, at: usize) -> bool {
        at == 0 || self.block[at].y - self.block[at - 1].y > 1.25 * self.leading
    }

    fn push_block(&mut self, text: &str) {
        emit::block(self.out);
        self.out.push_str(&place::escape(text));
        self.out.push('\n');
    }

    fn heading(&mut self, at: usize, level: usize) -> usize {
        self.end_paragraph();
        let first = &self.block[at];
        let mut text = first.text();
        let mut taken = 1;
        while let Some(line) = self.block.get(at + taken) {
            let close = line.y - self.block[at + taken - 1].y < 1.6 * first.size;
            let same = half_points(line.size) == half_points(first.size) && line.bold == first.bold;
            let next = line.text();
            // Lines of their own bookmarks are headings of their own.
            let own =
                self.style.outline.contains_key(&squeeze(&next)) || self.style.outline.contains_key(&squeeze(&text));
            let large = first.size >= LARGER * self.style.body;
            if !(close && same && large) || own || text.len() + next.len() > MAX_HEADING {
                break;
            }
            join(&mut text, &next);
            taken += 1;
        }
        emit::heading(self.out, level, &text);
        taken
    }

    fn code(&mut self, at: usize) -> usize {
        self.end_paragraph();
        let lines = &self.block[at..];
        let count = lines
            .iter()
            .zip(std::iter::once(&lines[0]).chain(lines))
            .take_while(|(line, before)| line.mono && line.y - before.y < 3.5 * line.size)
            .count();
        let lines = &lines[..count];
        let left = lines.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
        let mut code = String::new();
        for (line, before) in lines.iter().zip(std::iter::once(&lines[0]).chain(lines)) {
            if line.y - before.y > 1.8 * self.leading.max(line.size) {
                code.push('\n');
            }
            let text = line.text();
            let advance = (line.right - line.left) / text.chars().count().max(1) as f64;
            let indent =
                if advance > 0.0 { ((line.left - left) / advance).round().clamp(0.0, 120.0) as usize } else { 0 };
            code.extend(std::iter::repeat_n(' ', indent));
            code.push_str(text.trim_end());
            code.push('\n');
        }
        emit::fence(self.out, "", &code);
        count
    }

    /// Writes the table that begins at a line; gives how many lines it has.
    fn table(&mut self, at: usize) -> usize {
        let rows = self.block[at..].iter().take_while(|line| line.cells.len() > 1 && !line.mono);
        let rows: Vec<&Line> = rows.take_while(|line| !has_leader(&line.text())).collect();
        if rows.len() < 3 {
            return 0;
        }
        let mut spans: Vec<(f64, f64)> =
            rows.iter().flat_map(|row| row.cells.iter().map(|cell| (cell.left, cell.right))).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut columns: Vec<(f64, f64)> = Vec::new();
        for (left, right) in spans {
            match columns.last_mut() {
                Some(last) if left < last.1 => last.1 = last.1.max(right),
                _ => columns.push((left, right)),
            }
        }
        let widest = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        if columns.len() < 2 || columns.len() > widest {
            return 0;
        }
        let cells = |row: &&Line| {
            let mut cells = vec![String::new(); columns.len()];
            for cell in &row.cells {
                let column = columns.partition_point(|(left, _)| *left <= cell.left).saturating_sub(1);
                cells[column].push(' ');
                cells[column].push_str(&cell.text);
            }
            cells
        };
        let table: Vec<Vec<String>> = rows.iter().map(cells).collect();
        self.end_paragraph();
        emit::table(self.out, &table);
        rows.len()
    }

    fn text_line(&mut self, at: usize, text: &str) {
        let line = &self.block[at];
        let item = list_item(text);
        if item.is_some() || at == 0 || self.begins_paragraph(&self.block[at - 1], line) {
            self.end_paragraph();
        }
        let body = match item {
            Some((prefix, rest)) => {
                self.paragraph.prefix = prefix;
                rest
            }
            None => text,
        };
        if has_leader(text) {
            self.end_paragraph();
            let short = collapse_leader(body);
            self.push_block(&format!("- {}", short.trim()));
            return;
        }
        join(&mut self.paragraph.text, body);
    }

    fn begins_paragraph(&self, before: &Line, line: &Line) -> bool {
        let step = line.y - before.y;
        let em = line.size.max(1.0);
        let ends_early = before.right < self.right - 0.25 * (self.right - self.left);
        step > 1.4 * self.leading.max(0.9 * em)
            || step < 0.0
            || (line.size - before.size).abs() > 0.12 * em
            || line.left - before.left > 0.8 * em && line.left - before.left < 4.0 * em && !self.paragraph.is_item()
            || self.paragraph.is_item() && would_have_fit(before, line, self.right)
            || ends_early && self.paragraph.text.ends_with(['.', '!', '?', ':', '”', ')'])
            || before.cells.len() > 1 && line.cells.len() > 1
    }

    fn end_paragraph(&mut self) {
        let Paragraph { text, prefix } = std::mem::take(&mut self.paragraph);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        // A line of the original must not become a heading here.
        let escape = if prefix.is_empty() && text.starts_with('#') { "\\" } else { "" };
        let is_item = !prefix.is_empty();
        if is_item && last_line(self.out).is_some_and(|line| list_item(line).is_some()) {
            self.out.push_str(&place::escape(&format!("{prefix}{text}\n")));
        } else {
            self.push_block(&format!("{prefix}{escape}{text}"));
        }
    }
}

/// Whether the first word of a line had room at the end of the one before: then that one was its paragraph's last.
fn would_have_fit(before: &Line, line: &Line, right: f64) -> bool {
    let text = line.text();
    let first = text.split_whitespace().next().map_or(0, |word| word.chars().count());
    let advance = (line.right - line.left) / text.chars().count().max(1) as f64;
    before.right + (first + 1) as f64 * advance < right
}

impl Paragraph {
    fn is_item(&self) -> bool {
        !self.prefix.is_empty()
    }
}

fn last_line(text: &str) -> Option<&str> {
    text.strip_suffix('\n')?.lines().next_back()
}

/// Adds a line to a paragraph. A word that is cut at the end of a line is made whole.
fn join(text: &mut String, line: &str) {
    let line = line.trim();
    let starts_low = line.starts_with(char::is_lowercase);
    let is_cut =
        starts_low && text.ends_with(['-', '\u{2010}']) && text.chars().rev().nth(1).is_some_and(char::is_lowercase);
    if is_cut || text.ends_with('\u{ad}') {
        text.pop();
    } else if !text.is_empty() && !is_wide(text, line) {
        text.push(' ');
    }
    text.push_str(line);
}

/// Scripts without blanks between words.
fn is_wide(text: &str, line: &str) -> bool {
    let wide = |c: Option<char>| {
        c.is_some_and(|c| matches!(c, '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'))
    };
    wide(text.chars().next_back()) && wide(line.chars().next())
}

/// The mark of a list item as Markdown has it, and the text after it.
fn list_item(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let mut chars = text.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    if matches!(first, '•' | '‣' | '◦' | '▪' | '●' | '○' | '■' | '∙' | '·' | '∗' | '\u{f0b7}' | '➤' | '✓')
        || matches!(first, '-' | '–' | '*') && rest.starts_with(' ')
    {
        let rest = rest.trim_start();
        return (!rest.is_empty()).then(|| ("- ".to_owned(), rest));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    ((1..=2).contains(&digits) && !rest.is_empty()).then(|| (format!("{}. ", &text[..digits]), rest.trim_start()))
}

/// Dots from a title to its page, as in a table of contents.
fn has_leader(text: &str) -> bool {
    text.contains(". . . .") || text.contains(".....")
}

fn collapse_leader(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let dots = !word.is_empty() && word.chars().all(|c| c == '.');
        match words.last() {
            Some(&"…") if dots => {}
            _ if dots => words.push("…"),
            _ => words.push(word),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_words_are_made_whole() {
        let cases = [
            (["exam-", "ple of"], "example of"),
            (["well-", "Known"], "well- Known"),
            (["RFC-", "compliant"], "RFC- compliant"),
            (["soft\u{ad}", "Hyphen"], "softHyphen"),
            (["漢字", "文字"], "漢字文字"),
            (["two", "words"], "two words"),
        ];
        for (lines, whole) in cases {
            let mut text = String::new();
            lines.iter().for_each(|line| join(&mut text, line));
            assert_eq!(text, whole);
        }
    }

    #[test]
    fn marks_of_lists_are_known() {
        let cases = [
            ("• one", Some("- one")),
            ("12. two", Some("12. two")),
            ("2026. A year", None),
            ("- dash", Some("- dash")),
            ("-x option", None),
            ("plain", None),
        ];
        for (text, item) in cases {
            assert_eq!(list_item(text).map(|(prefix, rest)| prefix + rest).as_deref(), item, "{text}");
        }
    }
}
