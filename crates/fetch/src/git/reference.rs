//! What may stand behind the `#` of a git URL.

use super::Commit;

/// A branch, a tag or a commit, as the URL has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    text: String,
    commit: Option<Commit>,
}

impl Reference {
    /// Checks a reference by the rules of `git check-ref-format`, or says what is wrong with it. One that starts with `-`
    /// could be taken for an option.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(reason) = what_is_wrong(text) {
            return Err(reason);
        }
        Ok(Reference { text: text.to_owned(), commit: text.parse().ok() })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The commit, if the reference is a full id.
    pub(super) fn commit(&self) -> Option<&Commit> {
        self.commit.as_ref()
    }

    /// Whether this looks like the start of an id, which servers don't look up.
    pub(super) fn is_short_commit(&self) -> bool {
        (4..40).contains(&self.text.len()) && self.text.bytes().all(|b| b.is_ascii_hexdigit())
    }

    /// The full names that it may stand for, in the order in which git looks for them.
    pub(super) fn full_names(&self) -> Vec<String> {
        let text = &self.text;
        if text == "HEAD" || text.starts_with("refs/") {
            return vec![text.clone()];
        }
        vec![format!("refs/{text}"), format!("refs/tags/{text}"), format!("refs/heads/{text}")]
    }
}

fn what_is_wrong(text: &str) -> Option<&'static str> {
    let odd = |c: char| c.is_ascii_control() || matches!(c, ' ' | '~' | '^' | ':' | '*' | '[' | '\\');
    let bad_name = |name: &str| name.is_empty() || name.starts_with('.') || name.ends_with(".lock");
    if text.is_empty() {
        Some("it is empty")
    } else if text.len() > 512 {
        Some("it is too long")
    } else if text.starts_with('-') {
        Some("it starts with `-`")
    } else if text.contains('?') {
        Some("it has a `?`; the `?manifest=…` or `?glob=…` of a URL stands before its `#…`")
    } else if text.contains(odd) {
        Some("it has a space, a control character or one of `~^:*[\\`")
    } else if text.contains("..") || text.contains("@{") || text == "@" {
        Some("it has a `..` or `@{`, or is `@`")
    } else if text.ends_with('.') || text.split('/').any(bad_name) {
        Some("a part of it is empty, starts with `.`, or ends in `.` or `.lock`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_branches_and_tags_are_taken() {
        for text in ["main", "v1.0", "feature/x-y", "refs/heads/main", "HEAD", "ä", "a@b", "x.y/z", "@x", "a#b"] {
            assert_eq!(Reference::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(
            Reference::parse("v1").unwrap().full_names(),
            ["refs/v1", "refs/tags/v1", "refs/heads/v1"],
            "a tag comes before a branch, as for git"
        );
        assert_eq!(Reference::parse("refs/pull/1/head").unwrap().full_names(), ["refs/pull/1/head"]);
        assert!(Reference::parse(&"a".repeat(40)).unwrap().commit().is_some());
        assert!(Reference::parse("abcdef1").unwrap().is_short_commit());
    }

    /// `git` is asked too: what it refuses we refuse.
    #[test]
    fn what_git_refuses_is_refused() {
        let long = "x".repeat(600);
        for text in [
            "", "-x", "--upload-pack=evil", "a b", "a\nb", "a\0b", "a\x7fb", "a..b", "a~1", "a^{}", "a:b", "a?b", "a*",
            "a[b", "a\\b", "a@{1}", "@", "/a", "a/", "a//b", ".a", "a/.b", "a.", "a.lock", "a.lock/b", "main?glob=x",
            &long,
        ] {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
        for text in ["main", "v1.0", "feature/x-y", "a..b", "a.lock/b", "a@b", ".a", "a.", "a\x7fb", "ä", "a//b", "@"]
        {
            let git = std::process::Command::new("git")
                .args(["check-ref-format", "--allow-onelevel", text])
                .status()
                .unwrap()
                .success();
            // A lone `@` is a name for `HEAD`, which `check-ref-format` only knows for branches.
            assert_eq!(Reference::parse(text).is_ok(), git && text != "@", "{text}");
        }
    }
}
