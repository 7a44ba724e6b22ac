//! How the blocks of Markdown begin and end.

/// A heading with `#`: its level and its raw text.
pub(super) fn atx(content: &str) -> Option<(usize, &str)> {
    // One more than the deepest heading is enough to know, however long the run is.
    let level = content.bytes().take(7).take_while(|&byte| byte == b'#').count();
    let rest = &content[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    let open = rest.trim_end_matches('#');
    // A closing run counts only with a space before it: `# C#` is about C#.
    Some((level, if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { rest }))
}

/// The level of the heading that a line underlines.
pub(super) fn underline(content: &str) -> Option<usize> {
    match crate::lines::rule_of(content, 1)? {
        b'=' => Some(1),
        b'-' => Some(2),
        _ => None,
    }
}

/// A line of three or more `-`, `_` or `*`.
pub(super) fn is_thematic_break(content: &str) -> bool {
    let mark = content.as_bytes()[0];
    let mut count = 0;
    matches!(mark, b'-' | b'_' | b'*')
        && content.bytes().all(|byte| {
            count += usize::from(byte == mark);
            byte == mark || byte == b' ' || byte == b'\t'
        })
        && count >= 3
}

pub(crate) fn list_marker(content: &str) -> Option<usize> {
    let bytes = content.as_bytes();
    let length = match bytes.first()? {
        b'-' | b'+' | b'*' => 1,
        b'0'..=b'9' => {
            let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 9 || !matches!(bytes.get(digits), Some(b'.' | b')')) {
                return None;
            }
            digits + 1
        }
        _ => return None,
    };
    matches!(bytes.get(length), None | Some(b' ' | b'\t')).then_some(length)
}

/// The line between a table's head and its rows.
pub(super) fn is_table_rule(content: &str) -> bool {
    content.contains('-')
        && content.contains('|')
        && content.bytes().all(|byte| matches!(byte, b'-' | b'|' | b':' | b' ' | b'\t'))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
    /// The column of the list item it lies in.
    pub container: usize,
}

impl Fence {
    pub(super) fn of(content: &str, indent: usize, container: usize) -> Option<Fence> {
        let &mark = content.as_bytes().first().filter(|&&mark| mark == b'`' || mark == b'~')?;
        let length = run(content, mark);
        // Back-ticks after back-ticks on one line are code in a paragraph.
        let inline = mark == b'`' && content[length..].contains('`');
        (length >= 3 && !inline).then_some(Fence { mark, length, indent, container })
    }

    pub(super) fn is_closed_by(self, indent: usize, content: &str) -> bool {
        let length = run(content, self.mark);
        length >= self.length && indent < self.indent.max(self.container) + 4 && content[length..].trim().is_empty()
    }
}

fn run(content: &str, mark: u8) -> usize {
    content.bytes().take_while(|&byte| byte == mark).count()
}

/// What ends a block of HTML or JSX, with the column of the list item it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    Blank(usize),
    Text(&'static str, usize),
    /// The end tag of any element whose content is not Markdown.
    RawEnd(usize),
}

/// Elements whose content is taken as it is.
const RAW: &[&str] = &["script", "pre", "style", "textarea"];

/// Elements that start a block even in the middle of a paragraph.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
];

impl Until {
    pub(super) fn of_html(content: &str, in_paragraph: bool, container: usize) -> Option<Until> {
        let rest = content.strip_prefix('<')?;
        for (opening, closing) in [("!--", "-->"), ("?", "?>"), ("![CDATA[", "]]>")] {
            if rest.starts_with(opening) {
                return Some(Until::Text(closing, container));
            }
        }
        if rest.starts_with('!') {
            return Some(Until::Text(">", container));
        }
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
        let (name, after) = rest.split_at(length);
        let named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if named(RAW) && !content.starts_with("</") {
            return Some(Until::RawEnd(container));
        }
        if named(BLOCKS) {
            return Some(Until::Blank(container));
        }
        // Any other tag must have the line to itself; `<https://…>` is a link.
        let alone = !name.is_empty() && !after.starts_with([':', '@', '.']) && content.trim_end().ends_with('>');
        (alone && !in_paragraph).then_some(Until::Blank(container))
    }

    /// Imports, exports and comments of MDX.
    pub(super) fn of_mdx(content: &str) -> Option<Until> {
        if content.starts_with("{/*") {
            return Some(Until::Text("*/}", 0));
        }
        (content.starts_with("import ") || content.starts_with("export ")).then_some(Until::Blank(0))
    }

    pub(super) fn container(self) -> usize {
        match self {
            Until::Blank(container) | Until::Text(_, container) | Until::RawEnd(container) => container,
        }
    }

    pub(super) fn ends_at_blank(self) -> bool {
        matches!(self, Until::Blank(_))
    }

    pub(super) fn ends_in(self, line: &str) -> bool {
        match self {
            Until::Blank(_) => false,
            Until::Text(end, _) => line.contains(end),
            Until::RawEnd(_) => line.match_indices("</").any(|(at, _)| {
                let rest = &line.as_bytes()[at + 2..];
                RAW.iter()
                    .any(|name| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_told_from_text() {
        for (line, expected) in [
            ("# A", Some((1, "A"))),
            ("###### A ##", Some((6, "A"))),
            ("# C#", Some((1, "C#"))),
            ("## ##", Some((2, ""))),
            ("#", Some((1, ""))),
            ("#A", None),
            ("####### A", None),
        ] {
            assert_eq!(atx(line), expected, "{line}");
        }
    }

    #[test]
    fn fences_open_and_close() {
        let open = |line| Fence::of(line, 0, 0);
        assert!(open("``").is_none());
        assert!(open("``` a`b").is_none());
        assert!(open("~~~ a`b").is_some());
        let fence = open("`````rust").unwrap();
        for (line, closes) in
            [("`````", true), ("``````  ", true), ("````", false), ("````` x", false), ("~~~~~", false)]
        {
            assert_eq!(fence.is_closed_by(0, line), closes, "{line}");
        }
        assert!(!fence.is_closed_by(4, "`````"));
    }

    #[test]
    fn html_blocks_know_their_ends() {
        for (line, expected) in [
            ("<!-- a", Some(Until::Text("-->", 0))),
            ("<Div class='x'>", Some(Until::Blank(0))),
            ("</div>", Some(Until::Blank(0))),
            ("<PRE>", Some(Until::RawEnd(0))),
            ("<Tabs>", Some(Until::Blank(0))),
            ("<Tabs> and text", None),
            ("<https://example.org>", None),
            ("<a@example.org>", None),
            ("< a>", None),
        ] {
            assert_eq!(Until::of_html(line, false, 0), expected, "{line}");
        }
        assert_eq!(Until::of_html("<Tabs>", true, 0), None);
        assert!(Until::RawEnd(0).ends_in("x </Pre>"));
    }
}
