//! Org: headlines with `*`; a headline is one even inside a block.

use crate::ChunkKind;
use crate::lines::{lines_from, rule_of};
use ai_assist_syntax::structure::{Section, Structure, Style};

pub(crate) fn scan(text: &str) -> Structure {
    let mut found = Structure::new(Style::Prose, ChunkKind::Text);
    let mut fresh = true;
    let mut after_blank = true;
    let mut in_block = false;
    for line in lines_from(text, 0) {
        if let Some((level, name)) = headline(line.text) {
            found.sections.push(Section::named(line.start, line.end, level, name, ChunkKind::Section));
            (fresh, after_blank, in_block) = (true, true, false);
            continue;
        }
        if line.is_blank() {
            after_blank = true;
            continue;
        }
        let (indent, content) = line.indented();
        if let Some(value) = after_keyword(content, "#+title:")
            && found.title.is_none()
            && !value.trim().is_empty()
        {
            found.title = Some(value.trim().to_owned());
        }
        if !in_block && !fresh {
            let item = content.starts_with("- ") || content.starts_with("+ ");
            let table = content.starts_with('|') && !after_blank;
            match (after_blank, item) {
                (true, _) => found.cut(line.start, u8::from(indent > 0)),
                (false, true) => found.cut(line.start, if indent > 0 { 2 } else { 1 }),
                (false, false) if !table => found.cut(line.start, 4),
                _ => {}
            }
        }
        if after_keyword(content, "#+begin").is_some() {
            in_block = true;
        } else if after_keyword(content, "#+end").is_some() {
            in_block = false;
        }
        // The block after a rule is a new one even without an empty line.
        after_blank = rule_of(content, 5) == Some(b'-');
        fresh = false;
    }
    found
}

fn after_keyword<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let start = line.get(..keyword.len())?;
    start.eq_ignore_ascii_case(keyword).then(|| &line[keyword.len()..])
}

/// The level and the text of a headline, without its keyword, priority and tags.
fn headline(line: &str) -> Option<(usize, &str)> {
    if !line.starts_with('*') {
        return None;
    }
    let level = line.bytes().take_while(|&byte| byte == b'*').count();
    let mut name = line[level..].strip_prefix(' ')?.trim();
    for keyword in ["TODO ", "DONE ", "NEXT ", "WAITING ", "CANCELLED "] {
        name = name.strip_prefix(keyword).unwrap_or(name).trim_start();
    }
    if let Some(rest) = name.strip_prefix("[#").and_then(|rest| rest.split_once(']')) {
        name = rest.1.trim_start();
    }
    if let Some((before, tags)) = name.rsplit_once([' ', '\t'])
        && tags.len() > 2
        && tags.starts_with(':')
        && tags.ends_with(':')
    {
        name = before.trim_end();
    }
    Some((level, name))
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn headlines_lose_what_is_not_their_name() {
        for (line, expected) in [
            ("* A", Some((1, "A"))),
            ("*** TODO [#A] Write it  :work:home:", Some((3, "Write it"))),
            ("*bold*", None),
            (" * item", None),
            ("* ", Some((1, ""))),
        ] {
            assert_eq!(headline(line), expected, "{line:?}");
        }
    }
}
