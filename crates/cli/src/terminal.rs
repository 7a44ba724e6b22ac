//! What the user sees: tables that fit the window, plain lines, or JSON.

use std::io::{IsTerminal, Write};

use anstyle::Style;
use anyhow::Result;
use comfy_table::{ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};
use serde::Serialize;

const FRAME: TableStyle = TableStyle::new()
    .top_border(LineStyle::new('┌', '─', '┬', '┐'))
    .header_lines(ContentLineStyle::new('│', '│', '│'))
    .header_separator(LineStyle::new('├', '─', '┼', '┤'))
    .content_lines(ContentLineStyle::new('│', '│', '│'))
    .bottom_border(LineStyle::new('└', '─', '┴', '┘'));

/// Narrower windows than this get lines that wrap rather than cells of one letter.
const MIN_WIDTH: u16 = 40;

/// Where output goes, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Programs read the output.
    pub(crate) json: bool,
    /// Only what was asked for, and errors.
    pub(crate) quiet: bool,
}

impl Terminal {
    /// A line that is the answer.
    pub(crate) fn say(self, line: impl std::fmt::Display) -> Result<()> {
        writeln!(anstream::stdout().lock(), "{line}")?;
        Ok(())
    }

    /// Text that is the answer, as it is.
    pub(crate) fn write(self, text: &str) -> Result<()> {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
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

    /// The answer for programs.
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
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.max(MIN_WIDTH));
    }
    for row in rows {
        table.add_row(row.into_iter().map(|cell| one_line(&cell)).collect::<Vec<_>>());
    }
    table.trim_fmt()
}

/// The width of the window, if standard output is one.
pub(crate) fn width() -> Option<u16> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

/// Whether people watch standard error.
pub(crate) fn stderr_is_watched() -> bool {
    std::io::stderr().is_terminal()
}

/// Names may hold line ends and control characters; on a terminal they are shown, not obeyed.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Whether standard output shows colours. Where it does not, styles need not be made only to be dropped.
pub(crate) fn is_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Text of a document for a terminal: lines stay, other control characters are shown and not obeyed.
pub(crate) fn harmless(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text.to_owned();
    }
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// Text in a style; the stream drops the style where colours are not wanted.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// `1 document`, `2 documents`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
