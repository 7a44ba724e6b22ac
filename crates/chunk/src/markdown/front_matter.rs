//! The settings at the top of a document: YAML between `---`, TOML between `+++`.

use crate::lines::lines_from;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// Byte offset after the closing line.
    pub end: usize,
    pub title: Option<String>,
}

pub(super) fn find(text: &str) -> Option<FrontMatter> {
    let mut lines = lines_from(text, 0);
    let separator = match lines.next()?.text.trim_ascii_end() {
        "---" => ':',
        "+++" => '=',
        _ => return None,
    };
    let mut title = None;
    let mut in_table = false;
    for (index, line) in lines.enumerate() {
        let content = line.text.trim_ascii_end();
        // A rule with an empty line under it is a rule.
        if index == 0 && content.is_empty() {
            return None;
        }
        if matches!((separator, content), (':', "---" | "...") | ('=', "+++")) {
            return Some(FrontMatter { end: line.end, title });
        }
        in_table |= separator == '=' && content.starts_with('[');
        if title.is_none() && !in_table {
            title = title_of(content, separator);
        }
    }
    None
}

fn title_of(line: &str, separator: char) -> Option<String> {
    let (key, value) = line.split_once(separator)?;
    if !key.trim_end().trim_matches('"').eq_ignore_ascii_case("title") {
        return None;
    }
    let value = value.trim();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].rsplit_once(quote).map_or(&value[1..], |(inside, _)| inside),
        // A block scalar has its text on the lines below.
        '|' | '>' => return None,
        _ => value.split(" #").next().unwrap_or(value).trim_end(),
    };
    (!value.is_empty()).then(|| super::plain(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_found_with_its_title() {
        for (text, expected) in [
            ("---\ntitle: A page # note\n---\nx", Some((29, Some("A page")))),
            ("---\r\ntitle: \"A: b\"\r\n---\r\n", Some((25, Some("A: b")))),
            ("---\nsub:\n  title: no\n...\n", Some((25, None))),
            ("+++\ntitle = 'T'\n[extra]\ntitle = 'no'\n+++\n", Some((41, Some("T")))),
            ("---\n\ntitle: x\n---\n", None),
            ("---\ntitle: x\n", None),
            ("# x\n---\n", None),
            ("", None),
        ] {
            let expected = expected.map(|(end, title)| FrontMatter { end, title: title.map(str::to_owned) });
            assert_eq!(find(text), expected, "{text:?}");
        }
    }
}
