//! Links of a Markdown text: of `llms.txt`, or of a page that came as Markdown.

/// A longer target is no link.
const LONGEST: usize = 2000;

/// The targets of links, as they are written: `[text](target "title")`, `<https://…>` and `[name]: target`.
pub(super) fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark)) {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_none() {
            of_line(line, &mut found);
        }
    }
    found
}

fn of_line(line: &str, found: &mut Vec<String>) {
    if let Some(rest) = line.trim_start().strip_prefix('[')
        && let Some((name, target)) = rest.split_once("]:")
        && !name.contains(']')
    {
        found.extend(target.split_whitespace().next().map(|it| it.trim_matches(['<', '>']).to_owned()));
        return;
    }
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        // An image is no page.
        let is_image = rest[..at].rfind('[').is_some_and(|open| rest[..open].ends_with('!'));
        rest = &rest[at + 2..];
        if let Some(target) = target(rest).filter(|_| !is_image) {
            found.push(target.to_owned());
        }
    }
    let mut rest = line;
    while let Some(at) = rest.find("<http") {
        rest = &rest[at + 1..];
        let end = rest.bytes().take(LONGEST).position(|b| matches!(b, b'>' | b' '));
        found.extend(end.filter(|&end| rest.as_bytes()[end] == b'>').map(|end| rest[..end].to_owned()));
    }
}

fn target(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix('<') {
        let end = inner.bytes().take(LONGEST).position(|b| b == b'>')?;
        return Some(&inner[..end]);
    }
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return (at > 0).then(|| &text[..at]),
            b')' => depth -= 1,
            b' ' | b'\t' => return (at > 0).then(|| &text[..at]),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_every_form_are_found() {
        let text = "# Site\n> About\n- [One](https://h/a.md): first\n- [Two](b.md \"title\") and [three](<c d.md>)\n\
                    ![image](i.png) [paren](x_(y).md) <https://h/auto> <https://no end\n[ref]: /r.md 'x'\n\
                    ```\n[code](no.md)\n```\n[empty]() [open](never";
        let expected = ["https://h/a.md", "b.md", "c d.md", "x_(y).md", "https://h/auto", "/r.md"];
        assert_eq!(links(text), expected);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]()<>!`~:\\n a-bhtp/é]{0,120}") {
            links(&text);
        }
    }
}
