//! Manifests that are programs: Gradle, Ruby, `setup.py`, Meson, Bazel.
//!
//! They can't be run, so only what they say in plain literals is taken. This cuts a text into words, texts and signs; the
//! readers look for the few shapes they know and pass over everything else.

use std::borrow::Cow;

/// A piece of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a number, with the dots in it.
    Word(&'a str),
    Text(Cow<'a, str>),
    /// Any other character but spaces.
    Sign(char),
    Line,
}

impl Token<'_> {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Token::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A list or a call that is longer ends here, and later calls are passed over: brackets in brackets would cost the square of
/// their number.
const MAX_BRACKETED: usize = 20_000;
const MAX_CALLS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `# …`
    Hash,
    /// `// …` and `/* … */`
    Slashes,
}

pub(super) fn tokens(text: &str, comments: Comments) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\n' => {
                found.push(Token::Line);
                1
            }
            '#' if comments == Comments::Hash => rest.find('\n').unwrap_or(rest.len()),
            '/' if comments == Comments::Slashes && rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if comments == Comments::Slashes && rest.starts_with("/*") => {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            }
            '"' | '\'' | '`' => {
                let (text, length) = quoted(rest, first);
                found.push(Token::Text(text));
                length
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
                found.push(Token::Word(&rest[..end]));
                end
            }
            c => {
                if !c.is_whitespace() {
                    found.push(Token::Sign(c));
                }
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

/// A text in quotes and how long it is with them. One that is not closed ends with its line.
fn quoted(rest: &str, quote: char) -> (Cow<'_, str>, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    if rest.starts_with(&triple) {
        let inside = &rest[3..];
        return match inside.find(&triple) {
            Some(end) => (Cow::Borrowed(&inside[..end]), end + 6),
            None => (Cow::Borrowed(inside), rest.len()),
        };
    }
    let inside = &rest[1..];
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return (unescaped(&inside[..at]), at + 1),
            c if c == quote => return (unescaped(&inside[..at]), at + 2),
            _ => {}
        }
    }
    (unescaped(inside), rest.len())
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 't' | 'r' | '\n') => plain.push(' '),
                Some(other) => plain.push(other),
                None => {}
            },
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// The lines of a program, without the empty ones. Brackets don't hold lines together.
pub(super) fn lines<'t, 'a>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = &'t [Token<'a>]> {
    tokens.split(|token| *token == Token::Line).filter(|line| !line.is_empty())
}

/// What stands between the bracket at the start and the one that closes it, or the end.
pub(super) fn bracketed<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().take(MAX_BRACKETED) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &tokens[1..at.max(1)];
                }
            }
            _ => {}
        }
    }
    tokens.get(1..tokens.len().min(MAX_BRACKETED)).unwrap_or_default()
}

/// The elements of a list or the arguments of a call: split at commas that stand in no bracket.
pub(super) fn elements<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(',') if depth == 0 => {
                found.push(trimmed(&tokens[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(trimmed(&tokens[from..]));
    found.retain(|element| !element.is_empty());
    found
}

/// The texts of a list in brackets, of which every other element is passed over.
pub(super) fn texts<'t>(list: &'t [Token<'_>]) -> Vec<&'t str> {
    if !matches!(list.first(), Some(Token::Sign('[' | '('))) {
        return Vec::new();
    }
    let plain = |element: &&'t [Token<'_>]| element.len() == 1;
    elements(bracketed(list)).into_iter().filter(plain).filter_map(|element| element[0].text()).collect()
}

/// The value of `name = value` or `name: value` among the arguments of a call.
pub(super) fn named<'t, 'a>(arguments: &[&'t [Token<'a>]], name: &str) -> Option<&'t [Token<'a>]> {
    arguments.iter().find_map(|argument| match argument {
        [Token::Word(word), Token::Sign('=' | ':'), value @ ..] if *word == name => Some(trimmed(value)),
        _ => None,
    })
}

/// A value that is one text and nothing else.
pub(super) fn only_text<'t>(value: &'t [Token<'_>]) -> Option<&'t str> {
    match value {
        [Token::Text(text)] => Some(text),
        _ => None,
    }
}

/// The arguments of each call of a function, in order. Calls inside of others are found as well.
pub(super) fn calls<'t, 'a>(
    tokens: &'t [Token<'a>],
    function: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (&'a str, Vec<&'t [Token<'a>]>)> {
    let called = tokens.iter().enumerate().filter_map(move |(at, token)| match token {
        Token::Word(word) if function(word) && tokens.get(at + 1) == Some(&Token::Sign('(')) => Some((*word, at + 1)),
        _ => None,
    });
    called.take(MAX_CALLS).map(|(word, at)| (word, elements(bracketed(&tokens[at..]))))
}

fn trimmed<'t, 'a>(mut tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    while let [Token::Line, rest @ ..] | [rest @ .., Token::Line] = tokens {
        tokens = rest;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_cut_into_words_texts_and_signs() {
        let text = "a.b = 'it\\'s' # c\nx(\"\"\"y\n\"z\"\"\"\")";
        let expected = [
            Token::Word("a.b"),
            Token::Sign('='),
            Token::Text("it's".into()),
            Token::Line,
            Token::Word("x"),
            Token::Sign('('),
            Token::Text("y\n\"z".into()),
            Token::Text(")".into()),
        ];
        assert_eq!(tokens(text, Comments::Hash), expected);
        let text = "a // b\n/* c\n */ d 'open\ne /* open";
        let open = Token::Text("open".into());
        let expected = [Token::Word("a"), Token::Line, Token::Word("d"), open, Token::Line, Token::Word("e")];
        assert_eq!(tokens(text, Comments::Slashes), expected);
    }

    #[test]
    fn arguments_are_found_by_name() {
        let tokens = tokens("f(\n a = 'b',\n c = ['d', e, 'f' + g,\n 'h'],\n i = {'j': [1, 2]},\n)", Comments::Hash);
        let (name, arguments) = calls(&tokens, |word| word == "f").next().unwrap();
        assert_eq!((name, arguments.len()), ("f", 3));
        assert_eq!(named(&arguments, "a").and_then(only_text), Some("b"));
        assert_eq!(texts(named(&arguments, "c").unwrap()), ["d", "h"]);
        assert_eq!(named(&arguments, "x"), None);
    }

    #[test]
    fn brackets_that_never_close_end_with_the_text() {
        for text in ["(", "([{", "(a, b", ")", "(a]", "]]]("] {
            let tokens = tokens(text, Comments::Hash);
            let _ = elements(bracketed(&tokens));
        }
        assert_eq!(texts(&tokens("['a', 'b'", Comments::Hash)), ["a", "b"]);
    }
}
