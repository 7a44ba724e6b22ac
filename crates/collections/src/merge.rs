//! A lock in which a merge has left both sides.
//!
//! Version control knows lines, not packages: a conflict may begin and end in the middle of an entry. So both sides are put
//! together as whole texts and read as locks, and then compared package by package.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Lock, LockedCollection};

/// The shortest row of signs that is a marker. Merges of merges have longer ones.
const MARKER: usize = 7;

/// The two sides of a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) ours: Lock,
    pub(crate) theirs: Lock,
}

/// Which side of a merge was taken for a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Ours,
    Theirs,
    /// The configuration admits none of them.
    Neither,
}

/// A package that the sides of a merge disagree about, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedPackage {
    pub name: String,
    pub took: Side,
    /// The version of each side that has the package.
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

impl Conflict {
    /// Reads both sides of a text; nothing if it has no marker of a conflict.
    pub(crate) fn read(text: &str) -> Option<Result<Conflict, String>> {
        let is_marked = text.lines().any(|line| marker(line).is_some_and(|(sign, _)| sign == '<'));
        is_marked.then(|| {
            let (ours, theirs) = sides(text)?;
            let lock = |text: &str, side: &str| {
                read_lenient(text).map_err(|error| format!("{side} side of the merge in it is no lock: {error}"))
            };
            Ok(Conflict { ours: lock(&ours, "our")?, theirs: lock(&theirs, "their")? })
        })
    }

    /// The packages that the sides disagree about.
    pub(crate) fn names(&self) -> Vec<String> {
        let names: BTreeSet<&String> = self.ours.collections.keys().chain(self.theirs.collections.keys()).collect();
        let differs = |name: &&&String| self.ours.collections.get(**name) != self.theirs.collections.get(**name);
        names.iter().filter(differs).map(|name| (*name).clone()).collect()
    }

    /// One lock out of both. For a package that they disagree about it has the side that the configuration admits; if it admits
    /// both, the newer version, and ours if that says nothing.
    pub(crate) fn settle(self, admits: &dyn Fn(&str, &LockedCollection) -> bool) -> (Lock, Vec<MergedPackage>) {
        let mut settled = Vec::new();
        let mut lock = self.ours.clone();
        for name in self.names() {
            let (ours, theirs) = (self.ours.collections.get(&name), self.theirs.collections.get(&name));
            let admitted = |side: Option<&LockedCollection>| side.is_some_and(|locked| admits(&name, locked));
            let took = match (admitted(ours), admitted(theirs)) {
                (false, false) => Side::Neither,
                (true, false) => Side::Ours,
                (false, true) => Side::Theirs,
                (true, true) if is_newer(theirs, ours) => Side::Theirs,
                (true, true) => Side::Ours,
            };
            let version = |side: Option<&LockedCollection>| side.map(|locked| locked.version.clone());
            settled.push(MergedPackage { name: name.clone(), took, ours: version(ours), theirs: version(theirs) });
            match (took, ours, theirs) {
                (Side::Ours, Some(taken), _) | (Side::Theirs, _, Some(taken)) => {
                    lock.collections.insert(name, taken.clone());
                }
                _ => drop(lock.collections.remove(&name)),
            }
        }
        (lock, settled)
    }
}

fn is_newer(one: Option<&LockedCollection>, other: Option<&LockedCollection>) -> bool {
    let version = |side: Option<&LockedCollection>| semver::Version::parse(&side?.version).ok();
    matches!((version(one), version(other)), (Some(one), Some(other)) if one > other)
}

/// Where a line of the text belongs.
enum Part {
    Both,
    Ours,
    /// What both came from, which some merges show too.
    Base,
    Theirs,
}

/// The texts of both sides.
fn sides(text: &str) -> Result<(String, String), String> {
    let (mut ours, mut theirs) = (String::new(), String::new());
    let (mut part, mut length) = (Part::Both, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // Inside a conflict only markers of the same length count: longer ones are of an older merge.
        let found = marker(line).filter(|(_, signs)| matches!(part, Part::Both) || *signs == length);
        part = match (part, found) {
            (Part::Both, Some(('<', signs))) => {
                length = signs;
                Part::Ours
            }
            (Part::Ours, Some(('|', _))) => Part::Base,
            (Part::Ours | Part::Base, Some(('=', _))) => Part::Theirs,
            (Part::Theirs, Some(('>', _))) => Part::Both,
            (_, Some(_)) => return Err(format!("the conflict marker in line {} is out of place", number + 1)),
            (part, None) => {
                if matches!(part, Part::Both | Part::Ours) {
                    ours.push_str(line);
                }
                if matches!(part, Part::Both | Part::Theirs) {
                    theirs.push_str(line);
                }
                part
            }
        };
    }
    match part {
        Part::Both => Ok((ours, theirs)),
        _ => Err("the end of a conflict is missing".to_owned()),
    }
}

/// The sign of a marker and how many of them stand there. No line of a lock begins with one of them.
fn marker(line: &str) -> Option<(char, usize)> {
    let sign = line.chars().next().filter(|sign| "<|=>".contains(*sign))?;
    let signs = line.chars().take_while(|c| *c == sign).count();
    let rest = &line[signs..];
    (signs >= MARKER && (rest.trim_end().is_empty() || rest.starts_with(' '))).then_some((sign, signs))
}

/// Where entries were added or taken out at the end of a list, its commas may be those of the other side.
fn read_lenient<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let strict = match serde_json::from_str(text) {
        Ok(read) => return Ok(read),
        Err(error) => error.to_string(),
    };
    let options =
        jsonc_parser::ParseOptions { allow_trailing_commas: true, allow_missing_commas: true, ..Default::default() };
    let value: Option<serde_json::Value> = jsonc_parser::parse_to_serde_value(text, &options).map_err(|_| strict)?;
    serde_json::from_value(value.unwrap_or_default()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ai_assist_identity::{DocPath, Sha256};
    use proptest::prelude::*;

    use super::*;
    use crate::LockedFile;

    fn entry(version: &str, files: &[(&str, &str)]) -> LockedCollection {
        let file = |text: &str| LockedFile {
            hash: Sha256::of(text.as_bytes()),
            size: text.len() as u64,
            url: None,
            from: None,
        };
        LockedCollection {
            url: format!("https://example.com/{version}.tar.gz"),
            package: "p".into(),
            version: version.into(),
            commit: None,
            manifest_hash: Some(Sha256::of(version.as_bytes())),
            files: files.iter().map(|(path, text)| (DocPath::parse(path).unwrap(), file(text))).collect(),
        }
    }

    fn lock(entries: &[(&str, &LockedCollection)]) -> Lock {
        let collections = entries.iter().map(|(name, entry)| ((*name).to_owned(), (*entry).clone())).collect();
        Lock { version: 1, collections }
    }

    /// What `git merge-file` makes of two locks and the one they came from, and whether there was a conflict.
    fn merged(base: &Lock, ours: &Lock, theirs: &Lock, style: &str) -> (String, bool) {
        let folder = tempfile::tempdir().unwrap();
        for (name, lock) in [("ours", ours), ("base", base), ("theirs", theirs)] {
            std::fs::write(folder.path().join(name), lock.text()).unwrap();
        }
        let output = std::process::Command::new("git")
            .current_dir(folder.path())
            .args(["merge-file", "-p", style, "ours", "base", "theirs"])
            .output()
            .unwrap();
        assert!(output.status.code().is_some_and(|code| code < 128), "{output:?}");
        (String::from_utf8(output.stdout).unwrap(), !output.status.success())
    }

    #[test]
    fn conflicts_in_the_middle_of_entries_are_read() {
        let (old, new) = (entry("1.0.0", &[("a.md", "1"), ("b.md", "1")]), entry("1.2.0", &[("a.md", "2")]));
        let newest = entry("1.10.0", &[("a.md", "3"), ("b.md", "1"), ("c.md", "3")]);
        let other = entry("5", &[]);
        let base = lock(&[("same", &other), ("p", &old)]);
        let (ours, theirs) = (lock(&[("same", &other), ("p", &new)]), lock(&[("same", &other), ("p", &newest)]));
        for style in ["--diff3", "--zdiff3", "--no-diff3"] {
            let style = if style == "--no-diff3" { "--quiet" } else { style };
            let (text, conflicts) = merged(&base, &ours, &theirs, style);
            assert!(conflicts && text.contains("<<<<<<<"), "{text}");
            for text in [text.clone(), text.replace('\n', "\r\n")] {
                let conflict = Conflict::read(&text).unwrap().unwrap();
                assert_eq!(conflict.names(), ["p"], "{text}");
                assert_eq!(conflict.ours.collections["p"].version, "1.2.0");
                assert_eq!(conflict.theirs.collections["p"].version, "1.10.0");
                let (settled, told) = conflict.clone().settle(&|_, _| true);
                assert_eq!(settled.collections["p"].version, "1.10.0", "by number, not by letter");
                assert_eq!(settled.collections["same"], other);
                assert_eq!((told.len(), told[0].took), (1, Side::Theirs));
                let (settled, told) = conflict.clone().settle(&|_, locked| locked.version == "1.2.0");
                assert_eq!((settled.collections["p"].version.as_str(), told[0].took), ("1.2.0", Side::Ours));
                let (settled, told) = conflict.settle(&|_, _| false);
                assert_eq!((settled.collections.len(), told[0].took), (1, Side::Neither));
            }
        }
    }

    #[test]
    fn what_is_no_whole_conflict_is_refused_with_its_line() {
        assert!(Conflict::read("{}\n").is_none());
        assert!(Conflict::read("=======\n").is_none(), "no conflict begins");
        for (text, wanted) in [
            ("<<<<<<< a\n{}\n", "the end of a conflict is missing"),
            ("<<<<<<< a\n{}\n>>>>>>> b\n", "line 3"),
            ("<<<<<<< a\n<<<<<<< a\n", "line 2"),
            ("<<<<<<< a\n=======\n>>>>>>> b\n=======\n", "line 4"),
            ("<<<<<<< a\n{\n=======\n{}\n>>>>>>> b\n", "our side"),
            ("<<<<<<< a\n{\"version\":1,\"collections\":{}}\n=======\nx\n>>>>>>> b\n", "their side"),
        ] {
            let error = Conflict::read(text).unwrap().unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }

    #[test]
    fn commas_of_the_other_side_do_no_harm() {
        let (a, b, c) = (entry("1.0.0", &[("x.md", "1")]), entry("2.0.0", &[]), entry("3.0.0", &[]));
        let (text, conflicts) =
            merged(&lock(&[("a", &a)]), &lock(&[("a", &a), ("b", &b)]), &lock(&[("a", &a), ("c", &c)]), "--diff3");
        assert!(conflicts, "{text}");
        let (settled, told) = Conflict::read(&text).unwrap().unwrap().settle(&|_, _| true);
        assert_eq!(settled, lock(&[("a", &a), ("b", &b), ("c", &c)]));
        assert_eq!(told.iter().map(|it| it.took).collect::<Vec<_>>(), [Side::Ours, Side::Theirs]);
        let loose = "{\"version\": 1, \"collections\": {},}";
        assert!(read_lenient::<Lock>(loose).is_ok() && serde_json::from_str::<Lock>(loose).is_err());
    }

    fn locks() -> impl Strategy<Value = Lock> {
        let files = proptest::collection::btree_map("[a-d]\\.md", 0..3_u8, 0..4);
        let entries = proptest::collection::btree_map("[p-r]", (0..3_u8, files), 0..3);
        entries.prop_map(|entries| {
            let entry = |(version, files): (u8, BTreeMap<String, u8>)| {
                let texts: Vec<(String, String)> = files.into_iter().map(|(p, t)| (p, t.to_string())).collect();
                let files: Vec<(&str, &str)> = texts.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
                entry(&format!("1.{version}.0"), &files)
            };
            Lock { version: 1, collections: entries.into_iter().map(|(name, made)| (name, entry(made))).collect() }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Without the texts that both came from, a conflict is all that differs, and both sides come back whole.
        #[test]
        fn whole_files_in_conflict_come_back_as_they_were(ours in locks(), theirs in locks()) {
            let text = format!("<<<<<<< HEAD\n{}=======\n{}>>>>>>> topic\n", ours.text(), theirs.text());
            let conflict = Conflict::read(&text).unwrap().unwrap();
            prop_assert_eq!(&conflict, &Conflict { ours: ours.clone(), theirs: theirs.clone() });
            let (settled, _) = conflict.settle(&|_, _| true);
            for (name, entry) in &settled.collections {
                prop_assert!(ours.collections.get(name) == Some(entry) || theirs.collections.get(name) == Some(entry));
            }
        }

        /// What git writes of any three locks is read, or refused with a reason; it never panics.
        #[test]
        fn what_git_writes_is_read(base in locks(), ours in locks(), theirs in locks()) {
            let (text, conflicts) = merged(&base, &ours, &theirs, "--diff3");
            match Conflict::read(&text) {
                None => prop_assert!(!conflicts),
                Some(conflict) => prop_assert!(conflict.is_ok(), "{:?}\n{text}", conflict),
            }
        }
    }
}
