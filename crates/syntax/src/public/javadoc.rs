//! A Javadoc comment as text: without its stars, with its tags as sentences and its HTML as Markdown.

use std::fmt::Write as _;

/// A signature on one line, without the annotations that say nothing to a caller.
pub(super) fn signature(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "@Override").collect();
    words.join(" ").trim_end_matches(['=', ' ', ';']).to_owned()
}

pub(super) fn text(comment: &str) -> String {
    let inner = comment.trim_start_matches("/**").trim_end_matches("*/");
    let mut body = String::with_capacity(inner.len());
    for line in inner.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix('*').map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
        body.push_str(line.trim_end());
        body.push('\n');
    }
    let (description, tags) = split_tags(&body);
    let mut out = inline(description);
    let mut before = "";
    for (tag, rest) in tags {
        let line = inline(rest);
        let line = line.trim();
        let (first, after) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (heading, said) = match tag {
            "param" => ("Parameters:", format!("- `{}`: {}", first.trim_matches(['<', '>', '`']), after.trim())),
            "throws" | "exception" => ("Throws:", format!("- `{first}`: {}", after.trim())),
            "return" => ("Returns:", line.to_owned()),
            "see" => ("See also:", format!("- {line}")),
            "since" => ("Since:", line.to_owned()),
            "deprecated" => ("Deprecated:", line.to_owned()),
            "apiNote" | "implNote" | "implSpec" => ("Note:", line.to_owned()),
            _ => continue,
        };
        if said.trim().is_empty() {
            continue;
        }
        let is_list = said.starts_with("- ");
        let joint = match (heading == before, is_list) {
            (true, _) => "\n".to_owned(),
            (false, true) => format!("\n\n{heading}\n\n"),
            (false, false) => format!("\n\n{heading} "),
        };
        let _ = write!(out, "{joint}{said}");
        before = heading;
    }
    out.trim().to_owned()
}

/// What stands before the first tag, and each tag with what follows it.
fn split_tags(body: &str) -> (&str, Vec<(&str, &str)>) {
    let mut starts = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    for line in body.split_inclusive('\n') {
        // An annotation in a listing is no tag.
        if depth == 0 && line.trim_start().starts_with('@') {
            starts.push(at + (line.len() - line.trim_start().len()));
        }
        depth = (depth + line.matches("{@").count()).saturating_sub(line.matches('}').count());
        at += line.len();
    }
    let description = &body[..starts.first().copied().unwrap_or(body.len())];
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let tag = |(start, end): (&usize, usize)| {
        let whole = &body[start + 1..end];
        let name = whole.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'.').count();
        (&whole[..name], &whole[name..])
    };
    (description, starts.iter().zip(ends).map(tag).collect())
}

/// Inline tags and HTML as Markdown.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut listing = false;
    while let Some(at) = rest.find(['{', '<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'{' if rest.starts_with("{@") => inline_tag(rest, listing, &mut out),
            b'<' => html_tag(rest, &mut listing, &mut out),
            b'&' => entity(rest, &mut out),
            _ => None,
        };
        let taken = taken.unwrap_or_else(|| {
            out.push_str(&rest[..1]);
            1
        });
        rest = &rest[taken..];
    }
    out.push_str(rest);
    if listing {
        out.push_str("\n```");
    }
    squeezed(&out)
}

/// `{@code x}`, `{@link X#y label}` and the like: how many bytes it took.
fn inline_tag(rest: &str, listing: bool, out: &mut String) -> Option<usize> {
    // No tag but a listing is longer, and looking for the end of each that has none must not take long.
    let (mut depth, mut end) = (0_usize, None);
    for (at, byte) in rest.bytes().enumerate().take(20_000) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => {
                end = Some(at);
                break;
            }
            b'}' => depth -= 1,
            _ => {}
        }
    }
    let Some(end) = end else {
        // Not closed: all that was looked at is text.
        let taken = rest.floor_char_boundary(20_000);
        out.push_str(&rest[..taken]);
        return Some(taken);
    };
    let inner = &rest[2..end];
    let (name, said) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let said = said.trim();
    match name {
        "code" if !listing && !said.contains('\n') => drop(write!(out, "`{said}`")),
        "link" | "linkplain" => {
            // The parameters of a method have blanks between them.
            let paren = said.find('(').filter(|&at| !said[..at].contains(char::is_whitespace));
            let target_end = match paren {
                Some(at) => said[at..].find(')').map_or(said.len(), |close| at + close + 1),
                None => said.find(char::is_whitespace).unwrap_or(said.len()),
            };
            let (target, label) = said.split_at(target_end);
            let label = label.trim();
            if label.is_empty() {
                let target = target.trim_start_matches('#').replace('#', ".");
                let _ = write!(out, "`{target}`");
            } else {
                out.push_str(label);
            }
        }
        "snippet" => drop(write!(out, "\n```\n{}\n```\n", said.trim_start_matches(':').trim())),
        "return" => drop(write!(out, "Returns {said}.")),
        "inheritDoc" => {}
        _ => out.push_str(said),
    }
    Some(end + 1)
}

/// A tag of HTML: how many bytes it took, or nothing if it is none.
fn html_tag(rest: &str, listing: &mut bool, out: &mut String) -> Option<usize> {
    // A `<` before the next `>` means that this one opens nothing.
    let end = rest.bytes().take(2_000).skip(1).position(|byte| matches!(byte, b'<' | b'>'))? + 1;
    if rest.as_bytes()[end] == b'<' {
        return None;
    }
    let inner = rest[1..end].trim_end_matches('/');
    let closing = inner.starts_with('/');
    let name: String = inner.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    if name.is_empty() && !inner.starts_with("!--") {
        return None;
    }
    match (name.as_str(), closing) {
        ("pre", false) if !*listing => {
            *listing = true;
            out.push_str("\n\n```\n");
        }
        ("pre", true) if *listing => {
            *listing = false;
            let kept = out.trim_end().len();
            out.truncate(kept);
            out.push_str("\n```\n\n");
        }
        ("code" | "tt" | "kbd", _) if !*listing => out.push('`'),
        ("b" | "strong", _) if !*listing => out.push_str("**"),
        ("p" | "ul" | "ol" | "dl" | "table" | "blockquote" | "div" | "h1" | "h2" | "h3" | "h4", _) => {
            out.push_str("\n\n");
        }
        ("li" | "dt", false) => out.push_str("\n- "),
        ("dd", false) => out.push_str(": "),
        ("td" | "th", false) => out.push_str(" | "),
        ("br" | "tr", _) => out.push('\n'),
        // A type parameter that was written without escaping it.
        (_, false) if inner.len() <= 2 && name != "a" && name != "i" && name != "u" => return None,
        _ => {}
    }
    Some(end + 1)
}

fn entity(rest: &str, out: &mut String) -> Option<usize> {
    let end = rest.bytes().take(12).position(|byte| byte == b';')?;
    let name = &rest[1..end];
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        "copy" => '©',
        _ => match name.strip_prefix('#')? {
            hex if hex.starts_with(['x', 'X']) => number(&hex[1..], 16)?,
            digits => number(digits, 10)?,
        },
    };
    out.push(character);
    Some(end + 1)
}

/// One empty line at most between paragraphs, and no blanks before a line outside of listings.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut empty, mut listing) = (0, false);
    for line in text.lines() {
        let is_fence = line.trim() == "```";
        let line = if listing && !is_fence { line.trim_end() } else { line.trim() };
        listing ^= is_fence;
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_read_as_text() {
        for (comment, expected) in [
            ("/** Gets it. */", "Gets it."),
            (
                "/**\n * Joins {@code a} and <b>b</b>.\n *\n * <p>See {@link List#add(int, Object) adding} or {@link #size}.</p>\n *\n * @param <T>  the type\n * @param a the\n *   first\n * @return the {@code List<T>}, never {@code null}\n * @throws IllegalStateException if &lt; 0\n * @author Me\n * @since 1.2\n */",
                "Joins `a` and **b**.\n\nSee adding or `size`.\n\nParameters:\n\n- `T`: the type\n- `a`: the\nfirst\n\nReturns: the `List<T>`, never `null`\n\nThrows:\n\n- `IllegalStateException`: if < 0\n\nSince: 1.2",
            ),
            (
                "/**\n * <pre>{@code\n *   @Test\n *   if (a &lt; b) { c(); }\n * }</pre>\n * <ul>\n * <li>One</li>\n * <li>Two\n * </ul>\n */",
                "```\n@Test\n  if (a &lt; b) { c(); }\n```\n\n- One\n\n- Two",
            ),
            ("/** A {@code unclosed and <T> of List<T>. */", "A {@code unclosed and <T> of List<T>."),
        ] {
            assert_eq!(text(comment), expected, "{comment}");
        }
    }

    #[test]
    fn hostile_comments_take_linear_time() {
        for piece in ["{@code ", "{", "<", "&", "<p", "@param ", "\n@", "<pre>", "{@link ("] {
            let comment = format!("/**{}*/", piece.repeat((1 << 20) / piece.len()));
            let started = std::time::Instant::now();
            text(&comment);
            assert!(started.elapsed().as_secs() < 5, "{piece}");
        }
    }
}
