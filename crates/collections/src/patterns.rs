//! What collections and categories may be called, and what a category may name: folders inside the project, and globs in them.

use std::path::{Component, Path};

use ai_assist_admit::Globs;

/// A name of a collection or category has at most so many characters.
pub(crate) const MAX_NAME: usize = 30;

/// More patterns than this are a list of files, which a folder keeps better.
pub(crate) const MAX_PATTERNS: usize = 100;

/// A pattern or a folder's name longer than this is a mistake.
pub(crate) const MAX_CHARACTERS: usize = 500;

/// The rule that a name of a collection or category breaks.
pub(crate) fn broken_rule(name: &str) -> Option<&'static str> {
    let letters = |c: char| c.is_ascii_alphanumeric();
    if name.is_empty() {
        Some("it is empty")
    } else if name.chars().count() > MAX_NAME {
        Some("it has more than 30 characters")
    } else if !name.chars().all(|c| letters(c) || c == '-' || c == '_') {
        Some("only letters, digits, `-` and `_` are allowed")
    } else if !name.starts_with(letters) || !name.ends_with(letters) {
        Some("it must start and end with a letter or a digit")
    } else {
        None
    }
}

/// The rule that a category's folder breaks, by its spelling alone.
///
/// Escapes and backslashes are not read anywhere, so they lead nowhere. But who writes `%2e%2e` or `..\x` means what it stands
/// for, and is told that it can't be had.
pub(crate) fn broken_dir(dir: &str) -> Option<String> {
    if dir.is_empty() {
        return Some("must not be empty; `.` is the project's root".to_owned());
    }
    if dir.chars().count() > MAX_CHARACTERS {
        return Some(format!("must not have more than {MAX_CHARACTERS} characters"));
    }
    let meant = unescaped(dir).replace('\\', "/");
    if meant.chars().any(char::is_control) {
        Some("must not have control characters in it".to_owned())
    } else if meant.split('/').any(|part| part == "..") {
        Some(format!("must not have a `..` in it: `{dir}`"))
    } else if !is_relative(&meant) {
        Some(format!("must be relative to the project's root: `{dir}`"))
    } else if dir.contains('\\') {
        Some(format!("must have `/` between its parts: `{dir}`"))
    } else {
        None
    }
}

/// Whether a path starts at the folder it is in, not at a root, a drive, a scheme or someone's home.
fn is_relative(path: &str) -> bool {
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let first = path.split('/').next().unwrap_or_default();
    Path::new(path).components().all(is_inside) && first != "~" && !first.ends_with(':')
}

/// A text with its percent escapes of ASCII characters read, those of escapes too.
fn unescaped(text: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let once = unescaped_once(&text);
        // Each escape that is read makes the text shorter, so this ends.
        if once == text {
            return text;
        }
        text = once;
    }
}

fn unescaped_once(text: &str) -> String {
    let mut parts = text.split('%');
    let mut read = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        match (code, part.get(2..)) {
            (Some(code), Some(rest)) => {
                read.push(char::from(code));
                read.push_str(rest);
            }
            _ => {
                read.push('%');
                read.push_str(part);
            }
        }
    }
    read
}

/// Checks a category's patterns, one by one and together. What is wrong comes with the number of the pattern, if it is one of
/// them.
pub(crate) fn check_patterns(patterns: &[String]) -> Result<(), (Option<usize>, String)> {
    if patterns.is_empty() {
        return Err((None, "`patterns` must have at least one pattern".to_owned()));
    }
    if patterns.len() > MAX_PATTERNS {
        return Err((None, format!("`patterns` must not have more than {MAX_PATTERNS} patterns")));
    }
    for (at, pattern) in patterns.iter().enumerate() {
        if let Some(why) = broken_pattern(pattern) {
            return Err((Some(at), why));
        }
    }
    Globs::new(&[joined(patterns)]).map(|_| ()).map_err(|error| (None, error.to_string()))
}

fn broken_pattern(pattern: &str) -> Option<String> {
    if pattern.chars().any(char::is_control) {
        return Some("a pattern must not have control characters in it".to_owned());
    }
    if pattern.chars().count() > MAX_CHARACTERS {
        return Some(format!("a pattern must not have more than {MAX_CHARACTERS} characters"));
    }
    if pattern.starts_with('!') {
        // In a list each pattern adds files; which of two would win is not to be seen.
        return Some(format!("the pattern `{pattern}` opens with `!`; patterns of a category only select"));
    }
    Globs::new(&[pattern]).err().map(|error| error.to_string())
}

/// One glob for several: whatever any of them selects. The same for the same patterns in any order.
pub(crate) fn joined(patterns: &[String]) -> String {
    let mut sorted: Vec<&str> = patterns.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    match sorted.as_slice() {
        [one] => (*one).to_owned(),
        many => format!("{{{}}}", many.iter().map(|pattern| guarded(pattern)).collect::<Vec<_>>().join(",")),
    }
}

/// A pattern whose commas don't part it when it stands in braces.
fn guarded(pattern: &str) -> String {
    let mut safe = String::with_capacity(pattern.len());
    for (part, is_separator) in parts(pattern) {
        safe.push_str(if is_separator { "[,]" } else { part });
    }
    safe
}

/// The texts between the commas that stand in no braces and no class and are not escaped, and those commas.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut at) = (0usize, 0, 0);
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => at = class_end(bytes, at),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push((text.get(from..at).unwrap_or_default(), false));
                parts.push((",", true));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push((text.get(from..).unwrap_or_default(), false));
    parts
}

/// The texts between the commas that part a list of globs.
pub(crate) fn split_list(text: &str) -> Vec<&str> {
    parts(text).into_iter().filter(|(_, is_separator)| !is_separator).map(|(part, _)| part).collect()
}

/// The place of the `]` that ends a class, or of its `[` if none does.
fn class_end(bytes: &[u8], open: usize) -> usize {
    let negated = usize::from(matches!(bytes.get(open + 1), Some(b'!' | b'^')));
    // A `]` in first place stands for itself.
    let first = open + negated + 2;
    bytes.iter().skip(first).position(|&byte| byte == b']').map_or(open, |at| first + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owned(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(|&pattern| pattern.to_owned()).collect()
    }

    #[test]
    fn names_follow_the_rule() {
        for good in ["a", "react", "project-docs", "A_1", "123456789012345678901234567890"] {
            assert_eq!(broken_rule(good), None, "{good}");
        }
        for bad in ["", "-a", "a-", "_a", "a b", "a/b", "é", "1234567890123456789012345678901"] {
            assert!(broken_rule(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn patterns_are_joined_into_one() {
        assert_eq!(joined(&owned(&["**/*.md"])), "**/*.md");
        assert_eq!(joined(&owned(&["a,b.md"])), "a,b.md");
        assert_eq!(joined(&owned(&["b", "a,b.md", "b"])), "{a[,]b.md,b}");
        assert_eq!(joined(&owned(&["*.{md,txt}", "[,]x", "a\\,b"])), "{*.{md,txt},[,]x,a\\,b}");
    }

    #[test]
    fn lists_are_parted_at_their_own_commas() {
        assert_eq!(split_list("a/*.{md,txt},b,[,]c"), ["a/*.{md,txt}", "b", "[,]c"]);
        assert_eq!(split_list(""), [""]);
        assert_eq!(split_list("a["), ["a["]);
    }

    #[test]
    fn folders_stay_inside() {
        for good in [".", "docs", "./docs/api", "a b", "…", "docs/", "..docs", "50%", "100%25", "a%20b", "%é", "~x"]
        {
            assert_eq!(broken_dir(good), None, "{good}");
        }
        // Windows takes it for a file of another disk.
        assert_eq!(broken_dir("a:b").is_some(), cfg!(windows));
        for bad in
            ["", "..", "a/../b", "../x", "/etc", "a\0b", "a\nb", "./..", "~", "~/x", "C:\\x", "file:///x", "a\\b"]
        {
            assert!(broken_dir(bad).is_some(), "{bad}");
        }
        for bad in ["%2e%2E", ".%2e/x", "a%2f..%2fb", "%2fetc", "a%00", "%252e%252e", "..%5cx", "a\\..\\b", "%7e/x"] {
            assert!(broken_dir(bad).is_some(), "{bad}");
        }
        assert!(broken_dir(&"x".repeat(MAX_CHARACTERS + 1)).is_some());
    }

    proptest! {
        #[test]
        fn one_glob_selects_what_any_of_the_patterns_does(
            patterns in proptest::collection::vec("([ab,.]|\\*|\\*\\*/|/|\\{a,b\\}|\\{a,\\{b,\\.\\}\\}|\\[,a\\]|\\\\,|\\?){1,6}", 1..4),
            paths in proptest::collection::vec("[ab,.]{1,3}(/[ab,.]{1,3}){0,2}", 1..20),
        ) {
            prop_assume!(check_patterns(&patterns).is_ok());
            let each: Vec<Globs> = patterns.iter().map(|pattern| Globs::new(&[pattern]).unwrap()).collect();
            let all = Globs::new(&[joined(&patterns)]).unwrap();
            for path in &paths {
                let any = each.iter().any(|globs| globs.matches(path));
                prop_assert_eq!(all.matches(path), any, "{:?} {}", &patterns, path);
            }
        }
    }
}
