//! Roles and links within a text.

use std::ops::Range;

use crate::markdown::plain;
use ai_assist_syntax::structure::Structure;

/// Hides the names of roles in a part of a text, and what they point to where they have a text of their own.
pub(super) fn hide(text: &str, part: Range<usize>, found: &mut Structure) {
    let Some(all) = text.get(part.clone()) else { return };
    let mut at = 0;
    // Back-ticks that are never closed end with their paragraph.
    let mut paragraph = 0;
    while let Some(tick) = all[at..].find('`').map(|offset| at + offset) {
        if tick >= paragraph {
            paragraph = all[tick..].find("\n\n").map_or(all.len(), |end| tick + end);
        }
        let mark = if all[tick..].starts_with("``") { "``" } else { "`" };
        let from = tick + mark.len();
        let Some(close) = all.get(from..paragraph).and_then(|rest| rest.find(mark)).map(|length| from + length) else {
            at = if mark.len() == 1 { paragraph.max(from) } else { from };
            continue;
        };
        at = close + mark.len();
        if mark.len() == 2 {
            continue;
        }
        let before = all.floor_char_boundary(tick.saturating_sub(LONGEST_ROLE));
        let name = before + without_role(&all[before..tick]).len();
        let after = role_length(&all[at..]);
        if name < tick {
            found.hide(part.start + name..part.start + tick, false);
        }
        let inside = &all[from..close];
        if let Some(target) = inside.rfind('<').filter(|_| inside.ends_with('>') && (name < tick || after > 0))
            && !inside[..target].trim().is_empty()
        {
            found.hide(part.start + from + target..part.start + close, false);
        }
        if name == tick && after > 0 {
            found.hide(part.start + at..part.start + at + after, false);
            at += after;
        }
    }
}

const LONGEST_ROLE: usize = 64;

/// The length of a `:name:` that a text starts with.
fn role_length(text: &str) -> usize {
    let name = text.strip_prefix(':').and_then(|rest| rest.get(..rest.floor_char_boundary(LONGEST_ROLE)));
    let Some((name, _)) = name.and_then(|name| name.split_once(':')) else { return 0 };
    if super::is_name(name) { name.len() + 2 } else { 0 }
}

/// A title as people read it: of a role or a link only its text.
pub(super) fn words(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = ai_assist_text::head(raw, 1000);
    while let Some((before, after)) = rest.split_once('`') {
        let Some((inside, after)) = after.split_once('`') else { break };
        out.push_str(without_role(before));
        let shown = match inside.rsplit_once(" <") {
            Some((text, target)) if target.ends_with('>') => text,
            // `~` asks for the last part of a dotted name.
            _ => inside.strip_prefix('~').map_or(inside, |name| name.rsplit('.').next().unwrap_or(name)),
        };
        // What stands between back-ticks is not to be read as Markdown once more.
        out.push('`');
        out.push_str(shown);
        out.push('`');
        rest = after.trim_start_matches('_');
    }
    out.push_str(rest);
    plain(&out)
}

/// A text without the `:name:` that it ends in.
fn without_role(text: &str) -> &str {
    let Some(open) = text.strip_suffix(':') else { return text };
    let start = open.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "-_:.+".contains(c)).len();
    if open[start..].starts_with(':') { &text[..start] } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkKind;
    use ai_assist_syntax::structure::Style;

    #[test]
    fn roles_are_what_a_reader_sees() {
        for (text, expected) in [
            ("See :py:class:`Foo` now", "See `Foo` now"),
            ("See :ref:`the long\ntext <label-of-it>`.", "See `the long text `."),
            ("`a`:sup:", "`a`"),
            ("`site <https://x.y>`_", "`site <https://x.y>`_"),
            ("``:py:class:`Foo` ``", "``:py:class:`Foo` ``"),
            ("a: b: `c`", "a: b: `c`"),
            ("`unclosed :x:`y\n\n:role:`z`", "`unclosed :x:`y `z`"),
            ("é:f:`ü`", "é`ü`"),
        ] {
            let mut found = Structure::new(Style::Prose, ChunkKind::Text);
            hide(text, 0..text.len(), &mut found);
            let mut seen = text.to_owned();
            for unseen in found.unseen.iter().rev() {
                seen.replace_range(unseen.bytes.clone(), "");
            }
            assert_eq!(seen.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn titles_read_as_words() {
        for (raw, expected) in [
            ("The :func:`~os.path.join` function", "The join function"),
            ("``Model`` fields", "Model fields"),
            ("See `the docs <https://x.y>`_ now", "See the docs now"),
            (":py:class:`Thread <threading.Thread>`", "Thread"),
            ("12: `x`", "12: x"),
            ("``unclosed", "unclosed"),
            ("*Emphasis* and snake_case", "Emphasis and snake_case"),
        ] {
            assert_eq!(words(raw), expected, "{raw}");
        }
    }
}
