//! Brace expansion: `{a,b}/*.md` is `a/*.md` and `b/*.md`.
//!
//! Expanding first makes every pattern a plain list of components, so that which folders it can reach and which dots it
//! names can be read off it.

/// More than this is a mistake, or an attack on memory.
pub(crate) const LIMIT: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BraceError {
    Unclosed,
    TooMany,
}

/// The patterns without braces that a pattern stands for.
pub(crate) fn expand(pattern: &str) -> Result<Vec<String>, BraceError> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        match first_group(&next)? {
            None => done.push(next),
            Some(group) => {
                let tail = &next[group.close + 1..];
                // Pushed in reverse, so that they are taken in the order they are written.
                for (from, to) in group.alternatives.iter().rev() {
                    open.push(format!("{}{}{tail}", &next[..group.open], &next[*from..*to]));
                }
            }
        }
        if done.len() + open.len() > LIMIT {
            return Err(BraceError::TooMany);
        }
    }
    Ok(done)
}

struct Group {
    open: usize,
    close: usize,
    alternatives: Vec<(usize, usize)>,
}

/// The first `{…}` at the top level, skipping escapes and character classes.
fn first_group(pattern: &str) -> Result<Option<Group>, BraceError> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    let mut depth = 0usize;
    let mut open = 0;
    let mut from = 0;
    let mut alternatives = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => at = class_end(bytes, at),
            b'{' => {
                depth += 1;
                if depth == 1 {
                    (open, from) = (at, at + 1);
                }
            }
            b',' if depth == 1 => {
                alternatives.push((from, at));
                from = at + 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    alternatives.push((from, at));
                    return Ok(Some(Group { open, close: at, alternatives }));
                }
            }
            _ => {}
        }
        at += 1;
    }
    if depth > 0 { Err(BraceError::Unclosed) } else { Ok(None) }
}

/// The index of the `]` that ends a class, or of its `[` if none does.
pub(crate) fn class_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    // A `]` in first place stands for itself.
    at += 1;
    while at < bytes.len() {
        if bytes[at] == b']' {
            return at;
        }
        at += 1;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_in_order() {
        let cases: &[(&str, &[&str])] = &[
            ("plain/*.md", &["plain/*.md"]),
            ("{a,b}.md", &["a.md", "b.md"]),
            ("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]),
            ("x{a,{b,c}}y", &["xay", "xby", "xcy"]),
            ("file{,.bak}.md", &["file.md", "file.bak.md"]),
            ("{only}", &["only"]),
            (r"\{a,b\}", &[r"\{a,b\}"]),
            ("[{,}]x", &["[{,}]x"]),
            ("{src/a,docs}/**", &["src/a/**", "docs/**"]),
            ("{ä,ö}", &["ä", "ö"]),
        ];
        for (pattern, expected) in cases {
            assert_eq!(expand(pattern).unwrap(), *expected, "{pattern}");
        }
    }

    #[test]
    fn bad_braces_are_refused() {
        assert_eq!(expand("{a,b"), Err(BraceError::Unclosed));
        assert_eq!(expand(&"{a,b}".repeat(40)), Err(BraceError::TooMany));
    }
}
