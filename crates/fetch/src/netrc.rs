//! Reading `.netrc` files.
//!
//! The format was never written down. This reads what curl reads: words apart from each other by white space, words in
//! double quotes, comments on lines of their own, `macdef` up to an empty line; a word it doesn't know is passed over.

use crate::credentials::{CredentialError, Secret};

/// One `machine`, or the `default`, which has no name.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The host, or `None` for `default`.
    pub(crate) machine: Option<String>,
    pub(crate) login: String,
    pub(crate) password: Option<Secret>,
}

/// All entries, in the order of the file.
pub(crate) fn entries(text: &str) -> Result<Vec<Entry>, CredentialError> {
    let mut words = Words { rest: text, line: 1, line_start: true };
    let mut found: Vec<Entry> = Vec::new();
    let entry = |machine| Entry { machine, login: String::new(), password: None };
    while let Some(word) = words.keyword()? {
        match word.as_str() {
            "machine" => found.push(entry(Some(words.value()?))),
            "default" => found.push(entry(None)),
            "macdef" => words.skip_macro(),
            "login" => {
                let login = words.value()?;
                if let Some(entry) = found.last_mut() {
                    entry.login = login;
                }
            }
            "password" => {
                let password = Secret::new(words.value()?);
                if let Some(entry) = found.last_mut() {
                    entry.password = Some(password);
                }
            }
            "account" => drop(words.value()?),
            _ => {}
        }
    }
    Ok(found)
}

struct Words<'a> {
    rest: &'a str,
    line: usize,
    /// Nothing but white space was seen on this line.
    line_start: bool,
}

impl Words<'_> {
    /// The next word where a keyword may stand, and so a comment too.
    fn keyword(&mut self) -> Result<Option<String>, CredentialError> {
        loop {
            self.skip_space();
            if !(self.line_start && self.rest.starts_with('#')) {
                return self.word();
            }
            self.skip_line();
        }
    }

    /// The next word where a value must stand: one that starts with `#` is a value.
    fn value(&mut self) -> Result<String, CredentialError> {
        self.skip_space();
        let line = self.line;
        self.word()?.ok_or(CredentialError::Netrc { line, problem: "a value is missing" })
    }

    fn word(&mut self) -> Result<Option<String>, CredentialError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.line_start = false;
        if let Some(quoted) = self.rest.strip_prefix('"') {
            self.rest = quoted;
            return self.quoted().map(Some);
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(Some(word.to_owned()))
    }

    fn quoted(&mut self) -> Result<String, CredentialError> {
        let mut word = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(word);
                }
                '\n' => break,
                '\\' => match letters.next() {
                    Some((_, 'n')) => word.push('\n'),
                    Some((_, 'r')) => word.push('\r'),
                    Some((_, 't')) => word.push('\t'),
                    Some((_, other)) => word.push(other),
                    None => break,
                },
                other => word.push(other),
            }
        }
        Err(CredentialError::Netrc { line: self.line, problem: "a quote is not closed" })
    }

    fn skip_space(&mut self) {
        while let Some(letter) = self.rest.chars().next().filter(|c| c.is_whitespace()) {
            if letter == '\n' {
                self.line += 1;
                self.line_start = true;
            }
            self.rest = &self.rest[letter.len_utf8()..];
        }
    }

    fn skip_line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// A macro ends at an empty line, or with the file.
    fn skip_macro(&mut self) {
        loop {
            self.skip_line();
            let Some(next) = self.rest.strip_prefix('\n') else { return };
            self.rest = next;
            self.line += 1;
            self.line_start = true;
            if next.split('\n').next().is_some_and(|line| line.trim().is_empty()) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each entry as `machine login password`.
    fn read(text: &str) -> Vec<String> {
        let shown =
            |e: Entry| Some(format!("{} {} {}", e.machine.as_deref().unwrap_or("*"), e.login, e.password?.expose()));
        entries(text).unwrap().into_iter().filter_map(shown).collect()
    }

    #[test]
    fn what_curl_reads_is_read() {
        for (text, expected) in [
            ("machine a.com login me password p", &["a.com me p"][..]),
            ("machine a.com\n  login me\n\tpassword p\r\nmachine b.com password q", &["a.com me p", "b.com  q"]),
            ("# machine x login y password z\nmachine a.com login #me password #p", &["a.com #me #p"]),
            ("machine a.com account acc login me password p default login you password q", &["a.com me p", "* you q"]),
            (r#"machine a.com login "m e" password "a\"b\\c\td""#, &["a.com m e a\"b\\c\td"]),
            ("macdef go\nmachine evil login x password y\n\nmachine a.com login me password p", &["a.com me p"]),
            ("machine a.com login me password p macdef go\nmachine evil password y", &["a.com me p"]),
            ("macdef go\n\nmachine a.com login me password p", &["a.com me p"]),
            ("machine a.com login me", &[]),
            ("machine a.com odd words login me password machine", &["a.com me machine"]),
            ("login me password p", &[]),
            ("machine größe.de login ü password ß", &["größe.de ü ß"]),
            ("", &[]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_broken_is_said_by_line_and_without_values() {
        for (text, line, problem) in [
            ("machine a.com\nlogin hush password", 2, "a value is missing"),
            ("machine a.com\n\npassword \"hush", 3, "a quote is not closed"),
            ("machine a.com password \"hush\nnext\"", 1, "a quote is not closed"),
            ("machine a.com password \"hush\\", 1, "a quote is not closed"),
            ("machine", 1, "a value is missing"),
        ] {
            let error = entries(text).unwrap_err();
            assert_eq!(error, CredentialError::Netrc { line, problem }, "{text}");
            assert!(!error.to_string().contains("hush"), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "(machine|default|macdef|login|password|[a\"\\\\# \n]|é){0,40}") {
            let _ = entries(&text);
        }
    }
}
