//! `go.mod`.

use std::collections::HashMap;

use crate::Ecosystem;
use crate::listing::Listing;

/// What a `replace` puts in the place of a module.
enum Replacement<'a> {
    Module { path: &'a str, version: &'a str },
    Folder,
}

/// A module, and the version if the replacement is for one version only.
type Replaced<'a> = (&'a str, Option<&'a str>);

/// The modules required, after replacements. A module replaced by a local folder is part of the project and not listed.
pub(crate) fn parse(text: &str) -> Listing {
    let mut required = Vec::new();
    let mut replaced: HashMap<Replaced<'_>, Replacement<'_>> = HashMap::new();
    for (verb, words, comment) in directives(text) {
        match (verb, words.as_slice()) {
            ("require", [path, version]) => required.push((*path, *version, !is_indirect(comment))),
            ("replace", words) => replaced.extend(replacement(words)),
            _ => {}
        }
    }
    let mut listing = Listing::new(Ecosystem::Go);
    for (path, version, direct) in required {
        // One for this very version goes before one for all versions.
        match replaced.get(&(path, Some(version))).or_else(|| replaced.get(&(path, None))) {
            None => listing.add(path, version, direct),
            Some(Replacement::Module { path, version }) => listing.add(path, version, direct),
            Some(Replacement::Folder) => {}
        }
    }
    listing
}

/// Each directive with its words and its comment, whether it stands alone or in a block.
pub(crate) fn directives(text: &str) -> Vec<(&str, Vec<&str>, &str)> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        let (code, comment) = line.split_once("//").map_or((line, ""), |(code, comment)| (code, comment.trim()));
        let mut words: Vec<&str> = code.split_whitespace().map(unquoted).collect();
        match (block, words.as_slice()) {
            (_, []) => {}
            (Some(_), [")"]) => block = None,
            (Some(verb), _) => found.push((verb, words, comment)),
            (None, [verb, "("]) => block = Some(*verb),
            (None, [verb, ..]) if verb.ends_with('(') => block = Some(verb.trim_end_matches('(')),
            (None, _) => {
                let verb = words.remove(0);
                found.push((verb, words, comment));
            }
        }
    }
    found
}

fn unquoted(word: &str) -> &str {
    let inside = |quote| word.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('`')).unwrap_or(word)
}

/// `// indirect`, alone or before a remark.
pub(crate) fn is_indirect(comment: &str) -> bool {
    comment == "indirect" || comment.starts_with("indirect;")
}

fn replacement<'a>(words: &[&'a str]) -> Option<(Replaced<'a>, Replacement<'a>)> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let old = match words[..arrow] {
        [path] => (path, None),
        [path, version] => (path, Some(version)),
        _ => return None,
    };
    match words[arrow + 1..] {
        [path, version] => Some((old, Replacement::Module { path, version })),
        // Without a version it can only be a folder.
        [_] => Some((old, Replacement::Folder)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_modules_are_listed() {
        let text = "
module example.com/app // require a/b v1.0.0

go 1.22
toolchain go1.22.1

require github.com/BurntSushi/toml v1.3.2
require \"gopkg.in/yaml.v3\" v3.0.1 // indirect; kept for the tools
require(
\tgolang.org/x/net v0.17.0 // indirect
\tgolang.org/x/text v0.14.0 // indirectly useful
\t// a remark
\t`rsc.io/quote` v0.0.0-20180710144737-5d9f230bcfba

)
exclude (
\tgolang.org/x/net v0.16.0
)
retract v1.0.0
tool example.com/app/cmd
";
        let listing = parse(text);
        let expected = [
            "github.com/BurntSushi/toml v1.3.2 *",
            "golang.org/x/net v0.17.0",
            "golang.org/x/text v0.14.0 *",
            "gopkg.in/yaml.v3 v3.0.1",
            "rsc.io/quote v0.0.0-20180710144737-5d9f230bcfba *",
        ];
        assert_eq!(listing.text(), expected);
        assert_eq!(listing.unusable, 0);
    }

    #[test]
    fn replacements_are_honoured() {
        let text = "
require (
    example.com/other v1.0.0
    example.com/version v1.0.0 // indirect
    example.com/folder v1.0.0
    example.com/abs v1.0.0
    example.com/both v1.0.0
    example.com/untouched v1.0.0
)
replace example.com/other => github.com/fork/other v1.2.0
replace (
    example.com/version v1.0.0 => example.com/version v1.0.1
    example.com/folder => ../folder
    example.com/abs => /home/someone/abs
    example.com/both => ./both
    example.com/both v1.0.0 => example.com/both v1.9.0
    example.com/untouched v0.9.0 => example.com/untouched v0.9.1
)
";
        let expected = [
            "example.com/both v1.9.0 *",
            "example.com/untouched v1.0.0 *",
            "example.com/version v1.0.1",
            "github.com/fork/other v1.2.0 *",
        ];
        assert_eq!(parse(text).text(), expected);
    }

    #[test]
    fn odd_content_is_left_out() {
        let text =
            "require ../../etc v1.0.0\nrequire a v1/../x\nrequire\n)\n(\n((\nreplace => =>\nreplace a =>\nrequire (\nb";
        let listing = parse(text);
        assert!(listing.packages.is_empty(), "{listing:?}");
        assert_eq!(listing.unusable, 2);
    }
}
