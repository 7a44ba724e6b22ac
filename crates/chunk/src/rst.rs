//! reStructuredText: titles by underline and overline, literal blocks and directives kept whole.

use crate::ChunkKind;
use crate::lines::{Line, lines_from, rule_of};
use crate::markdown::plain;
use ai_assist_syntax::structure::{Section, Structure, Style};

/// Directives whose content is not text.
const VERBATIM: &[&str] = &[
    "code", "code-block", "sourcecode", "highlight", "parsed-literal", "math", "raw", "table", "prompt", "testcode",
    "testoutput", "doctest", "productionlist", "graphviz", "digraph", "mermaid", "uml", "plantuml", "csv-table",
    "ipython",
];

struct Scanner {
    found: Structure,
    /// The title styles seen, in order: the mark and whether there is a line over the title too.
    styles: Vec<(u8, bool)>,
    fresh: bool,
    after_blank: bool,
    /// The indent of the line that opened a literal block, until a line is not further in.
    literal: Option<usize>,
}

pub(crate) fn scan(text: &str) -> Structure {
    let found = Structure::new(Style::Prose, ChunkKind::Text);
    let mut scanner = Scanner { found, styles: Vec::new(), fresh: true, after_blank: true, literal: None };
    let mut lines = lines_from(text, 0);
    while let Some(line) = lines.next() {
        let mut ahead = lines.clone();
        let (next, after) = (ahead.next(), ahead.next());
        if let Some((name, style, last)) = scanner.title(line, next, after) {
            scanner.heading(line.start, last.end, name, style);
            while lines.clone().next().is_some_and(|line| line.end <= last.end) {
                lines.next();
            }
        } else {
            scanner.line(line);
        }
    }
    scanner.found
}

impl Scanner {
    /// The name, the style and the last line of a title that starts with `line`.
    fn title<'a>(
        &self,
        line: Line<'a>,
        next: Option<Line<'a>>,
        after: Option<Line<'a>>,
    ) -> Option<(&'a str, (u8, bool), Line<'a>)> {
        let next = next?;
        if !self.after_blank || line.text.starts_with([' ', '\t']) || line.is_blank() {
            return None;
        }
        if let Some(over) = rule_of(line.text, 2) {
            let under = after?;
            let matches = rule_of(under.text, 2) == Some(over) && !next.is_blank() && fits(next.text, under.text);
            return matches.then_some((next.text.trim(), (over, true), under));
        }
        let under = rule_of(next.text, 2)?;
        fits(line.text, next.text).then_some((line.text.trim(), (under, false), next))
    }

    fn heading(&mut self, start: usize, end: usize, name: &str, style: (u8, bool)) {
        let known = self.styles.iter().position(|&seen| seen == style);
        let level = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        self.found.sections.push(Section::named(start, end, level + 1, &words(name), ChunkKind::Section));
        (self.fresh, self.after_blank, self.literal) = (true, true, None);
    }

    fn line(&mut self, line: Line<'_>) {
        if line.is_blank() {
            self.after_blank = true;
            return;
        }
        let (indent, content) = line.indented();
        if self.literal.is_some_and(|opener| indent > opener) {
            self.after_blank = false;
            return;
        }
        self.literal = None;
        if let Some(title) = content.strip_prefix(".. title::").map(words).filter(|title| !title.is_empty())
            && self.found.title.is_none()
        {
            self.found.title = Some(title);
        }
        if !self.fresh {
            let depth = u8::try_from(indent / 2).unwrap_or(u8::MAX).min(60);
            let item = content.starts_with("* ") || content.starts_with("- ") || content.starts_with("#. ");
            match (self.after_blank, item) {
                (true, _) => self.found.cut(line.start, depth),
                (false, true) => self.found.cut(line.start, depth + 1),
                // A table's lines are no text to cut.
                (false, false) if !content.starts_with(['+', '|', '=']) => self.found.cut(line.start, depth + 4),
                _ => {}
            }
        }
        if opens_literal(content) {
            self.literal = Some(indent);
        }
        (self.fresh, self.after_blank) = (false, false);
    }
}

/// A title as people read it: of a role or a link only its text.
fn words(raw: &str) -> String {
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

/// An underline is as long as its title; writers are off by a few, and a short rule under a long line is no underline.
fn fits(title: &str, rule: &str) -> bool {
    let rule = rule.trim_end().len();
    rule >= 4 && rule * 3 >= title.trim().chars().count() * 2 || rule >= title.trim().chars().count()
}

fn opens_literal(content: &str) -> bool {
    let Some(directive) = content.strip_prefix(".. ") else { return content.trim_end().ends_with("::") };
    directive.split_once("::").is_some_and(|(name, _)| VERBATIM.contains(&name.trim()))
}

#[cfg(test)]
mod tests {
    use super::words;

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
