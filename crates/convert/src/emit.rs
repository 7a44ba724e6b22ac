//! Pieces of Markdown that several converters write, and the limits they keep.

use std::borrow::Cow;

use crate::{ConvertError, Limits, place};

const CUT: &str = "\n\n[The rest is left out: it is over the limit of the text of one document.]\n";

/// The bytes of a text format as text.
pub(crate) fn decode<'a>(bytes: &'a [u8], format: &'static str) -> Result<Cow<'a, str>, ConvertError> {
    match ai_assist_text::decode(bytes) {
        Ok(decoded) => Ok(decoded.text),
        Err(not_text) => Err(ConvertError::Malformed { format, detail: not_text.to_string() }),
    }
}

/// The text as it goes out: one line end at its end, and not longer than it may be.
pub(crate) fn finish(mut text: String, limits: &Limits) -> Result<String, ConvertError> {
    text.truncate(text.trim_end().len());
    if text.is_empty() {
        return Err(ConvertError::NoText(""));
    }
    text.push('\n');
    cut(&mut text, limits);
    Ok(text)
}

/// Cuts a text that is longer than it may be, and says so on its last line.
pub(crate) fn cut(text: &mut String, limits: &Limits) {
    if text.len() > limits.max_text {
        text.truncate(text.floor_char_boundary(limits.max_text.saturating_sub(CUT.len())));
        text.push_str(&CUT[..CUT.len().min(limits.max_text)]);
    }
}

/// Goes on to a new block: an empty line, unless the text has just begun or a place line opens the block.
pub(crate) fn block(text: &mut String) {
    if text.is_empty() {
        return;
    }
    let kept = text.trim_end_matches('\n').len();
    text.truncate(kept);
    let last = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    text.push_str(if place::of_line(last).is_some() { "\n" } else { "\n\n" });
}

/// Goes on to a new line.
pub(crate) fn line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

pub(crate) fn heading(text: &mut String, level: usize, name: &str) {
    let name = place::escape(name);
    let mut words = name.split_whitespace().peekable();
    if words.peek().is_none() {
        return;
    }
    block(text);
    text.extend(std::iter::repeat_n('#', level.clamp(1, 6)));
    for word in words {
        text.push(' ');
        text.push_str(word);
    }
    text.push_str("\n\n");
}

/// Code between fences that are longer than any in it.
pub(crate) fn fence(text: &mut String, language: &str, code: &str) {
    let code = code.trim_end();
    let code = code.trim_start_matches(['\n', '\r']);
    if code.is_empty() {
        return;
    }
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let mark = "`".repeat(3.max(longest + 1));
    let named = language.chars().all(|c| c.is_alphanumeric() || "+-_#.".contains(c));
    block(text);
    text.push_str(&mark);
    text.push_str(if named { language } else { "" });
    text.push('\n');
    text.push_str(&place::escape(code));
    text.push('\n');
    text.push_str(&mark);
    text.push('\n');
}

/// A line of plain text that Markdown would not take for a heading, a rule, a fence or HTML.
pub(crate) fn guarded(line: &str) -> Cow<'_, str> {
    let all = |mark: char| !line.is_empty() && line.chars().all(|character| character == mark);
    let marks = ["#", "<", "```", "~~~"].iter().any(|mark| line.starts_with(mark));
    if marks || all('=') || all('-') { format!("\\{line}").into() } else { line.into() }
}

/// Rows as a table whose first is the head.
pub(crate) fn table(text: &mut String, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return;
    }
    // Rows of very unequal length would be filled up with more cells than there is text.
    let columns = columns.min(64);
    block(text);
    for (index, row) in rows.iter().enumerate() {
        text.push('|');
        for column in 0..columns.max(row.len()) {
            let cell = row.get(column).map_or("", String::as_str);
            text.push(' ');
            text.push_str(&cell_text(cell));
            text.push_str(" |");
        }
        text.push('\n');
        if index == 0 {
            text.push('|');
            text.push_str(&" --- |".repeat(columns));
            text.push('\n');
        }
    }
}

fn cell_text(cell: &str) -> String {
    let cell = place::escape(cell);
    let one_line = cell.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.contains('|') { one_line.replace("\\|", "|").replace('|', "\\|") } else { one_line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_those_in_it() {
        let mut text = String::from("before");
        fence(&mut text, "md", "\n````\na\n````\n");
        assert_eq!(text, "before\n\n`````md\n````\na\n````\n`````\n");
    }

    #[test]
    fn a_text_over_the_limit_is_cut_and_says_so() {
        let limits = Limits { max_text: 100, ..Limits::default() };
        let text = finish("é".repeat(200), &limits).unwrap();
        assert!(text.len() <= 100 && text.ends_with("document.]\n"), "{text}");
        assert_eq!(finish(" \n".into(), &limits), Err(ConvertError::NoText("")));
        assert!(finish("a".repeat(200), &Limits { max_text: 3, ..limits }).unwrap().len() <= 3);
    }

    #[test]
    fn a_table_has_a_head_and_no_bars_in_its_cells() {
        let mut text = String::new();
        table(&mut text, &[vec!["a".into(), "b|c".into()], vec!["1\n2".into()]]);
        assert_eq!(text, "| a | b\\|c |\n| --- | --- |\n| 1 2 |  |\n");
    }
}
