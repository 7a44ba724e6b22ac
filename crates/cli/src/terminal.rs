//! What the user sees: tables that fit the window, plain lines, or JSON.

use std::io::{BufRead, IsTerminal, Write};

use anstyle::Style;
use anyhow::Result;
use comfy_table::{ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle, Width};
use serde::Serialize;

use crate::args::Global;
use crate::commands::Outcome;

const FRAME: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// Narrower windows than this get lines that wrap rather than cells of one letter.
const MIN_WIDTH: u16 = 40;

/// A column is not made narrower than this while another can give way.
const NARROWEST: u16 = 8;

/// Where output goes, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) json: bool,
    /// Only what was asked for, and errors.
    pub(crate) quiet: bool,
    /// Everything is named, where there would otherwise be a summary.
    pub(crate) verbose: bool,
    /// Long answers may go through a pager.
    pub(crate) pager: bool,
}

impl Terminal {
    pub(crate) fn new(global: &Global) -> Self {
        let Global { json, quiet, verbose, no_pager, .. } = *global;
        Terminal { json, quiet, verbose, pager: !no_pager }
    }

    /// Says that what was typed will stop working.
    pub(crate) fn deprecated(self, old: &str, new: &str) -> Result<()> {
        self.note(format!("note: `{old}` goes away in the next version; {new}"))
    }

    /// A line that is the answer.
    pub(crate) fn say(self, line: impl std::fmt::Display) -> Result<()> {
        writeln!(anstream::stdout().lock(), "{line}")?;
        Ok(())
    }

    /// A line about what was done, for people; the answer of a command that is asked to do something.
    pub(crate) fn tell(self, line: impl std::fmt::Display) -> Result<()> {
        if self.json || self.quiet { Ok(()) } else { self.say(line) }
    }

    /// Whether somebody is there who could answer a question.
    pub(crate) fn can_ask(self) -> bool {
        !self.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Text that is the answer, as it is.
    pub(crate) fn write(self, text: &str) -> Result<()> {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    /// A document, which may lack a last line end; through the pager if it is long.
    pub(crate) fn document(self, text: &str) -> Result<()> {
        // A terminal obeys control characters; a file or a program wants the bytes as they are.
        if std::io::stdout().is_terminal() {
            return self.page(&harmless(text));
        }
        self.write(text)?;
        if text.is_empty() || text.ends_with('\n') { Ok(()) } else { self.write("\n") }
    }

    /// A line about the answer, for people only. That nobody reads it is no reason to stop the work.
    pub(crate) fn note(self, line: impl std::fmt::Display) -> Result<()> {
        if !self.quiet && !self.json {
            let _ = writeln!(anstream::stderr().lock(), "{line}");
        }
        Ok(())
    }

    /// Something that is odd but no reason to stop.
    pub(crate) fn warn(self, message: impl std::fmt::Display) -> Result<()> {
        if !self.quiet {
            let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
            let _ = writeln!(anstream::stderr().lock(), "{yellow}warning:{yellow:#} {message}");
        }
        Ok(())
    }

    /// Asks whether to go on, if somebody is there to be asked; else no.
    pub(crate) fn confirms(self, question: &str) -> Result<bool> {
        Ok(self.can_ask() && matches!(ask(&one_line(question), "n")?.to_lowercase().as_str(), "y" | "yes"))
    }

    pub(crate) fn warn_all(self, messages: &[String]) -> Result<()> {
        messages.iter().try_for_each(|message| self.warn(one_line(message)))
    }

    /// The answer of a command: a value for programs, which is made only for them, or what `print` tells people.
    pub(crate) fn show<T: Serialize>(
        self,
        value: impl FnOnce() -> T,
        print: impl FnOnce() -> Result<()>,
    ) -> Result<Outcome> {
        if self.json {
            self.json(&value())?;
        } else {
            print()?;
        }
        Ok(Outcome::Done)
    }

    pub(crate) fn json(self, value: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.write(&text)
    }

    /// Rows under a header. Fits the window on a terminal; elsewhere no cell is ever cut.
    pub(crate) fn table(self, header: &[&str], rows: Vec<Vec<String>>) -> Result<()> {
        self.say(table_text(header, rows, true))
    }
}

/// A table as text, made to fit the window of standard output or of standard error.
pub(crate) fn table_text(header: &[&str], rows: Vec<Vec<String>>, for_stdout: bool) -> String {
    let mut table = Table::new();
    table.load_style(FRAME).set_header(header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let width = match for_stdout {
        true => width(),
        false => terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0),
    };
    let mut words = vec![0; header.len()];
    for row in rows {
        let row: Vec<String> = row.iter().map(|cell| one_line(cell)).collect();
        for (longest, cell) in words.iter_mut().zip(&row) {
            let word = cell.split_whitespace().map(|word| word.chars().count()).max().unwrap_or_default();
            *longest = u16::try_from(word).unwrap_or(u16::MAX).max(*longest);
        }
        table.add_row(row);
    }
    if let Some(width) = width {
        fit(&mut table, &words, width.max(MIN_WIDTH));
    }
    table.trim_fmt()
}

/// Makes a table fit by wrapping as few columns as possible, between words where that is enough: the widest give way first, and
/// the first, which has the names, last.
fn fit(table: &mut Table, words: &[u16], window: u16) {
    let contents = table.column_max_content_widths();
    // A border before each column and one at the end, and a space on either side of each.
    let frame = u16::try_from(contents.len() * 3 + 1).unwrap_or(u16::MAX);
    let widths = shrunk(&contents, words, window.saturating_sub(frame));
    let column = |width: &u16| ColumnConstraint::Absolute(Width::Fixed(width + 2));
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(window);
    table.set_constraints(widths.iter().map(column));
}

/// Widths of columns that take at most `room` together. `words` are their longest words.
fn shrunk(contents: &[u16], words: &[u16], room: u16) -> Vec<u16> {
    let mut widths = contents.to_vec();
    let total = |widths: &[u16]| widths.iter().map(|width| u32::from(*width)).sum::<u32>();
    let mut by_width: Vec<usize> = (1..contents.len()).collect();
    by_width.sort_by_key(|&at| std::cmp::Reverse(contents[at]));
    for at in by_width {
        let over = u16::try_from(total(&widths).saturating_sub(u32::from(room))).unwrap_or(u16::MAX);
        let floor = words.get(at).copied().unwrap_or_default().max(NARROWEST);
        widths[at] -= over.min(widths[at].saturating_sub(floor));
    }
    // A word that has to be broken anyway is no reason to break the cells beside it.
    if total(&widths) > u32::from(room) {
        widths = contents.to_vec();
    }
    while total(&widths) > u32::from(room) {
        let others = widths.iter().enumerate().skip(1).filter(|(_, width)| **width > NARROWEST);
        let widest = others.max_by_key(|(_, width)| **width).map_or(0, |(at, _)| at);
        match widths.get_mut(widest) {
            Some(width) if *width > 1 => *width -= 1,
            _ => break,
        }
    }
    widths
}

/// The width of the window, if standard output is one.
pub(crate) fn width() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

pub(crate) fn stderr_is_watched() -> bool {
    std::io::stderr().is_terminal()
}

/// Asks on the terminal; an empty line takes the default.
pub(crate) fn ask(question: &str, default: &str) -> Result<String> {
    let mut stderr = std::io::stderr().lock();
    let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    write!(stderr, "{question}{shown}: ")?;
    stderr.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
}

/// Names may hold line ends and control characters; on a terminal they are shown, not obeyed.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Whether a terminal does something at a character instead of showing it: control characters, and those that turn the direction
/// of a line so that it reads as what it is not.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether standard output shows colours. Where it does not, styles need not be made only to be dropped.
pub(crate) fn is_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Text of a document for a terminal: lines stay, what else a terminal would obey is shown.
pub(crate) fn harmless(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_obeyed(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// Text in a style; the stream drops the style where colours are not wanted.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// `1 document`, `2 documents`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_column_gives_way_and_names_stay_whole() {
        for (contents, words, room, expected) in [
            (&[10, 5, 40][..], &[10, 5, 40][..], 60, &[10, 5, 40][..]),
            (&[10, 5, 40], &[10, 5, 40], 35, &[10, 5, 20]),
            (&[10, 12, 19], &[10, 5, 10], 36, &[10, 12, 14]),
            (&[10, 12, 19], &[10, 5, 10], 30, &[10, 10, 10]),
            (&[30, 20, 20], &[30, 20, 20], 60, &[30, 15, 15]),
            (&[30, 20, 20], &[30, 20, 20], 46, &[30, 8, 8]),
            (&[30, 20, 20], &[30, 20, 20], 30, &[14, 8, 8]),
            (&[3, 2], &[3, 2], 4, &[2, 2]),
        ] {
            assert_eq!(shrunk(contents, words, room), expected, "{contents:?} in {room}");
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let hostile = "a\u{1b}[2Jb\u{202e}c\u{2066}d\te\n";
        assert_eq!(harmless(hostile), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\te\n");
        assert_eq!(one_line(hostile), "a\\u{1b}[2Jb\\u{202e}c\\u{2066}d\\te\\n");
        assert_eq!(harmless("größe → 漢字"), "größe → 漢字");
    }

    #[test]
    fn a_table_fits_its_window() {
        let mut table = Table::new();
        table.load_style(FRAME).set_header(["Name", "Source", "Status"]);
        table.add_row(["fastapi-documentation", "./a/very/long/path/to/some/documents (**/*.md)", "not synced"]);
        fit(&mut table, &[21, 36, 6], 70);
        let text = table.trim_fmt();
        assert!(text.lines().all(|line| line.chars().count() <= 70), "{text}");
        assert!(text.contains("fastapi-documentation") && text.contains("not synced"), "{text}");
    }
}
