//! Tables between `.TS` and `.TE`.

use super::escape::plain;
use super::page::text_of_call;
use super::reader::{Call, Reader, arguments};

/// Reads up to `.TE` and gives the rows.
pub(super) fn read(reader: &mut Reader<'_>) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut separator = '\t';
    let mut in_format = true;
    let mut first = true;
    // The cell between `T{` and `T}` that is being read.
    let mut block: Option<String> = None;
    while let Some(line) = reader.block_line() {
        let line = line.into_owned();
        if line.starts_with(".TE") {
            break;
        }
        if let Some(cell) = &mut block {
            if let Some(after) = line.strip_prefix("T}") {
                let cell = std::mem::take(cell);
                block = None;
                push_last(&mut rows, cell);
                if let Some(after) = after.strip_prefix(separator) {
                    block = cells(after, separator, reader, &mut rows, false);
                }
            } else {
                let text = text_of_line(&line, reader);
                cell.push(' ');
                cell.push_str(&text);
            }
            continue;
        }
        if first && line.trim_end().ends_with(';') {
            if let Some(at) = line.find("tab") {
                let after = line[at + 3..].trim_start().trim_start_matches('(');
                separator = after.chars().next().unwrap_or('\t');
            }
            first = false;
            continue;
        }
        first = false;
        if in_format {
            in_format = !line.trim_end().ends_with('.');
            continue;
        }
        if line.starts_with(".T&") {
            in_format = true;
            continue;
        }
        if line.starts_with('.') && line[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '\\') {
            let text = text_of_line(&line, reader);
            if !text.trim().is_empty() {
                rows.push(vec![text]);
            }
            continue;
        }
        let is_rule = line.trim().chars().all(|c| matches!(c, '_' | '=' | '-' | '\t' | ' '));
        if !is_rule {
            block = cells(&line, separator, reader, &mut rows, true);
        }
    }
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}

/// Adds the cells of a line; gives an open cell back if the last goes on over lines.
fn cells(
    line: &str,
    separator: char,
    reader: &mut Reader<'_>,
    rows: &mut Vec<Vec<String>>,
    new_row: bool,
) -> Option<String> {
    if new_row || rows.is_empty() {
        rows.push(Vec::new());
    }
    for cell in line.split(separator) {
        if cell.trim() == "T{" {
            return Some(String::new());
        }
        let is_rule = matches!(cell.trim(), "_" | "=" | "\\_" | "\\^");
        let text = if is_rule { String::new() } else { plain(cell, reader) };
        push_last(rows, text);
    }
    None
}

fn push_last(rows: &mut [Vec<String>], cell: String) {
    if let Some(row) = rows.last_mut() {
        row.push(cell);
    }
}

/// The text of a line of a cell, which may call a macro for a font.
fn text_of_line(line: &str, reader: &mut Reader<'_>) -> String {
    let Some(control) = line.strip_prefix(['.', '\'']) else { return plain(line, reader) };
    let control = control.trim_start();
    if control.starts_with('\\') {
        return String::new();
    }
    let end = control.find([' ', '\t']).unwrap_or(control.len());
    let call = Call { name: control[..end].to_owned(), args: arguments(&control[end..]) };
    text_of_call(&call, reader).unwrap_or_default()
}
