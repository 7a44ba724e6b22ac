use ai_assist_text::head;

use super::{MapFile, MapSymbol, RepoMap};

/// No line is longer, in characters, but for its number and its indent.
const LONGEST: usize = 120;

impl RepoMap {
    /// The map as text: the path of each file, then its definitions with their lines; those of a type below its name.
    pub fn render(&self) -> String {
        render(&self.files)
    }
}

pub(super) fn render(files: &[MapFile]) -> String {
    let mut out = String::new();
    for file in files {
        out.push_str(&one_line(&file.path, usize::MAX));
        out.push('\n');
        let mut parent = None;
        let mut before: Option<&MapSymbol> = None;
        for symbol in &file.symbols {
            if symbol.parent != parent {
                parent.clone_from(&symbol.parent);
                let is_before = before.is_some_and(|before| is_named(&parent, before));
                if let Some(name) = parent.as_ref().filter(|_| !is_before) {
                    out.push_str("  ");
                    out.push_str(&one_line(name, LONGEST));
                    out.push_str(":\n");
                }
            }
            out.push_str(if parent.is_some() { "    " } else { "  " });
            out.push_str(&symbol.lines.start.to_string());
            out.push(' ');
            out.push_str(&one_line(symbol.signature.as_deref().unwrap_or(&symbol.name), LONGEST));
            out.push('\n');
            before = Some(symbol);
        }
    }
    out
}

/// Whether a symbol is what others lie in.
fn is_named(parent: &Option<String>, symbol: &MapSymbol) -> bool {
    let Some(parent) = parent else { return false };
    match &symbol.parent {
        Some(outer) => {
            parent.strip_prefix(outer.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(&symbol.name)
        }
        None => *parent == symbol.name,
    }
}

/// A text on one line, without what a terminal would act on, cut to so many characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let spaced: String = text.chars().map(|c| if is_shown(c) { c } else { ' ' }).collect();
    let mut line = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(most) {
        let end = head(&line, end).trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim_end();
        let kept = if end.len() * 2 > most { end.len() } else { head(&line, most).len() };
        line.truncate(kept);
        line.push('…');
    }
    line
}

/// Controls, and the marks that turn the direction of text.
fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_line_is_a_line() {
        assert_eq!(one_line("fn\ta()\n\u{1b}[31m -> \u{202e}B", 120), "fn a() [31m -> B");
        let long = one_line(&format!("pub fn name({})", "argument: Type, ".repeat(20)), 120);
        assert!(long.chars().count() <= 121 && long.ends_with(":…"), "{long}");
        assert_eq!(one_line(&"é".repeat(500), 120).chars().count(), 61);
    }
}
