//! AsciiDoc: `=` headings, delimited blocks kept whole.

use crate::ChunkKind;
use crate::lines::{Line, lines_from, rule_of};
use crate::markdown::plain;
use ai_assist_syntax::structure::{Section, Structure, Style};

/// The underlines of two-line titles, outermost first.
const UNDERLINES: &[u8] = b"=-~^+";

pub(crate) fn scan(text: &str) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Text);
    let mut fresh = true;
    let mut after_blank = true;
    let mut block: Option<&str> = None;
    // A block's attributes and title stand on the lines before it and belong to it.
    let mut after_attributes = false;
    // The one line of a paragraph that an underline would make a title.
    let mut only_line: Option<Line<'_>> = None;
    for line in lines_from(text, 0) {
        let content = line.text.trim_ascii_end();
        if let Some(delimiter) = block {
            if content == delimiter {
                block = None;
                after_blank = true;
            }
            continue;
        }
        if content.is_empty() {
            (after_blank, after_attributes, only_line) = (true, false, None);
            continue;
        }
        if let Some((level, name)) = heading(content) {
            found.sections.push(Section::named(line.start, line.end, level, &plain(name), ChunkKind::Section));
            (fresh, after_blank, after_attributes, only_line) = (true, true, false, None);
            continue;
        }
        if let Some((title, level)) = only_line.take().and_then(|title| Some((title, underlined(title.text, content)?)))
        {
            while found.breaks.last().is_some_and(|last| last.at >= title.start) {
                found.breaks.pop();
            }
            let name = plain(title.text);
            found.sections.push(Section::named(title.start, line.end, level, &name, ChunkKind::Section));
            (fresh, after_blank, after_attributes) = (true, true, false);
            continue;
        }
        let opens = is_delimiter(content);
        if !fresh && !after_attributes {
            let item = content.trim_start().starts_with(['*', '-', '.']) && content.contains(' ');
            match (after_blank, opens, item) {
                (true, false, _) => found.cut(line.start, 0),
                (_, true, _) | (_, _, true) => found.cut(line.start, 1),
                _ => found.cut(line.start, 4),
            }
        }
        if opens {
            block = Some(content);
        } else if after_blank && content.starts_with(|c: char| c.is_alphanumeric()) {
            only_line = Some(line);
        }
        let titles_a_block = content.starts_with('.') && !content.starts_with("..") && !content.starts_with(". ");
        after_attributes = (content.starts_with('[') && content.ends_with(']')) || titles_a_block;
        (after_blank, fresh) = (false, false);
    }
    found
}

fn heading(content: &str) -> Option<(usize, &str)> {
    let mark = content.bytes().next().filter(|&byte| byte == b'=' || byte == b'#')?;
    let level = content.bytes().take(7).take_while(|&byte| byte == mark).count();
    let name = content[level..].strip_prefix(' ')?.trim();
    (level <= 6 && !name.is_empty()).then_some((level, name))
}

/// The level of a two-line title: the underline must be as long as the title, give or take one.
fn underlined(title: &str, line: &str) -> Option<usize> {
    let mark = rule_of(line, 3)?;
    let level = UNDERLINES.iter().position(|&known| known == mark)?;
    (title.trim_end().chars().count().abs_diff(line.len()) <= 1).then_some(level + 1)
}

fn is_delimiter(content: &str) -> bool {
    let of_one = |text: &str| rule_of(text, 4).is_some_and(|mark| b"-.=*_+/".contains(&mark));
    let table = |text: &str| text.strip_prefix(['|', ',', ':', '!']).is_some_and(|rest| rule_of(rest, 3) == Some(b'='));
    content == "--" || content == "```" || of_one(content) || table(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_and_titles_are_told_apart() {
        for (line, expected) in [("----", true), ("|===", true), ("--", true), ("---", false), ("====x", false)] {
            assert_eq!(is_delimiter(line), expected, "{line}");
        }
        assert_eq!(underlined("Title", "====="), Some(1));
        assert_eq!(underlined("Title", "------"), Some(2));
        assert_eq!(underlined("A longer title", "----"), None);
        assert_eq!(heading("=== A b"), Some((3, "A b")));
        assert_eq!(heading("===="), None);
    }
}
