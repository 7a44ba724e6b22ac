//! Names of collections and categories.

pub(crate) const MAX_LENGTH: usize = 30;

pub(crate) fn broken_rule(name: &str) -> Option<&'static str> {
    let letters = |c: char| c.is_ascii_alphanumeric();
    if name.is_empty() {
        Some("it is empty")
    } else if name.chars().count() > MAX_LENGTH {
        Some("it has more than 30 characters")
    } else if !name.chars().all(|c| letters(c) || c == '-' || c == '_') {
        Some("only letters, digits, `-` and `_` are allowed")
    } else if !name.starts_with(letters) || !name.ends_with(letters) {
        Some("it must start and end with a letter or a digit")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule() {
        for good in ["a", "react", "project-docs", "A_1", "123456789012345678901234567890"] {
            assert_eq!(broken_rule(good), None, "{good}");
        }
        for bad in ["", "-a", "a-", "_a", "a b", "a/b", "é", "1234567890123456789012345678901"] {
            assert!(broken_rule(bad).is_some(), "{bad}");
        }
    }
}
