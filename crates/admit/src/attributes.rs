//! What `.gitattributes` says of a file's worth: `linguist-generated` and `linguist-vendored`.
//!
//! The lines are read as git reads them, then written as rules of an ignore file: a set attribute drops, an unset one takes
//! back what a line before or a file above has set. So they narrow like an ignore file, and nothing in them widens.

use ignore::gitignore::GitignoreBuilder;

use crate::Reason;
use crate::ignores::at_line;

pub(crate) const FILE: &str = ".gitattributes";

pub(crate) const ATTRIBUTES: [(&str, Reason); 2] =
    [("linguist-generated", Reason::Generated), ("linguist-vendored", Reason::Vendored)];

/// The rules for each of [`ATTRIBUTES`].
pub(crate) fn parse(text: &str, report: &mut impl FnMut(String)) -> [GitignoreBuilder; ATTRIBUTES.len()] {
    let mut builders = [GitignoreBuilder::new(""), GitignoreBuilder::new("")];
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        // A macro (`[attr]x y`) is no pattern; none in use defines one from these attributes.
        if line.is_empty() || line.starts_with('#') || line.starts_with("[attr]") {
            continue;
        }
        let Some((pattern, states)) = pattern_of(line) else {
            report(format!("line {} of this attributes file has a quote that is not closed", number + 1));
            continue;
        };
        if pattern.starts_with('!') {
            report(format!("line {} of this attributes file has a `!`, which git does not allow here", number + 1));
            continue;
        }
        for ((attribute, _), builder) in ATTRIBUTES.iter().zip(&mut builders) {
            let rule = match state_of(attribute, states) {
                Some(true) => pattern.clone(),
                Some(false) => format!("!{pattern}"),
                None => continue,
            };
            if let Err(error) = builder.add_line(at_line(number), &rule) {
                report(format!("line {} of this attributes file is not valid: {error}", number + 1));
            }
        }
    }
    builders
}

/// The pattern a line opens with, quotes taken away, and the attributes behind it.
fn pattern_of(line: &str) -> Option<(String, &str)> {
    let Some(quoted) = line.strip_prefix('"') else {
        let end = line.find([' ', '\t']).unwrap_or(line.len());
        return Some((line[..end].to_owned(), &line[end..]));
    };
    let mut pattern = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((pattern, &quoted[at + 1..])),
            '\\' => match characters.next()?.1 {
                't' => pattern.push('\t'),
                escaped => pattern.push(escaped),
            },
            character => pattern.push(character),
        }
    }
    None
}

/// Whether the attributes of a line set this one (`name`, `name=true`) or take it back (`-name`, `!name`, `name=false`). The
/// last one counts.
fn state_of(attribute: &str, states: &str) -> Option<bool> {
    let state = |word: &str| match word.strip_prefix(['-', '!']) {
        Some(name) => (name == attribute).then_some(false),
        None => match word.split_once('=') {
            Some((name, value)) => (name == attribute).then(|| !value.eq_ignore_ascii_case("false")),
            None => (word == attribute).then_some(true),
        },
    };
    states.split_ascii_whitespace().filter_map(state).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_git_reads_them() {
        let generated = |states| state_of("linguist-generated", states);
        assert_eq!(generated("linguist-generated"), Some(true));
        assert_eq!(generated("text linguist-generated=true eol=lf"), Some(true));
        assert_eq!(generated("-linguist-generated"), Some(false));
        assert_eq!(generated("!linguist-generated"), Some(false));
        assert_eq!(generated("linguist-generated=false"), Some(false));
        assert_eq!(generated("linguist-generated -linguist-generated"), Some(false));
        assert_eq!(generated("text linguist-vendored linguist-generated-x export-ignore"), None);
        assert_eq!(pattern_of("a b").unwrap(), ("a".into(), " b"));
        assert_eq!(pattern_of("\"a b\\\"c\" x").unwrap(), ("a b\"c".into(), " x"));
        assert_eq!(pattern_of("\"a b"), None);
        assert_eq!(pattern_of("*.rs").unwrap(), ("*.rs".into(), ""));
    }

    #[test]
    fn faults_are_told_and_skipped() {
        let mut told = Vec::new();
        let text =
            "# c\n\n[attr]x linguist-generated\n!a linguist-generated\n\"b linguist-generated\nc linguist-generated\n";
        let [generated, vendored] = parse(text, &mut |message| told.push(message));
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!((generated.build().unwrap().len(), vendored.build().unwrap().len()), (1, 0));
    }
}
