//! Files that somebody named one by one, instead of by globs.

use std::path::Path;
use std::sync::Arc;

use ai_assist_base::platform::{Errno, path_bytes, stat_at};
use ai_assist_identity::DocPath;

use crate::found::Found;
use crate::links::broken;
use crate::policy::{self, Refusal};
use crate::root::{Root, Target};
use crate::visit::Visitor;
use crate::{AdmitError, Globs, Limits, Reason, Selection, Walked};

/// Selects files by their paths below a folder, as [`walk`](crate::walk) would if globs had led there: symlinks that leave the
/// folder and names of credential stores stay out. Ignore files don't count, because these files were named.
///
/// A file that is not there is a problem in the receipt.
pub fn pick(root: &Path, paths: &[DocPath], limits: &Limits) -> Result<Walked, AdmitError> {
    if paths.len() > limits.max_files {
        return Err(AdmitError::TooManyFiles { path: root.to_owned(), limit: limits.max_files });
    }
    let folder = Arc::new(Root::open(root)?);
    let selection = Selection { honour_ignore_files: false, ..Selection::new(root, Globs::none(), *limits) };
    let visitor = Visitor::new(folder, &selection);
    let mut found = Found::default();
    for path in paths {
        found.seen += 1;
        visitor.pick_one(&path_bytes(&path.to_path_buf()), &mut found);
    }
    found.finish(root)
}

impl Visitor<'_> {
    fn pick_one(&self, path: &[u8], found: &mut Found) {
        if let Err(refusal) = policy::name_may_leave(path) {
            return found.exclude(path, refusal);
        }
        let real = match self.root.resolve(path) {
            Ok(Target::Inside(real)) => real,
            Ok(Target::Outside) => {
                let rule = "its target lies outside the folder";
                return found.exclude(path, Refusal::new(Reason::SymlinkOutside, rule));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return found.missing(path),
            Err(error) => return found.exclude(path, broken(&error)),
        };
        if let Err(refusal) = policy::name_may_leave(&real) {
            return found.exclude(path, refusal);
        }
        match stat_at(&self.root.folder, &real) {
            Ok(stat) => {
                let real = (real != path).then_some(real);
                match self.select(path, real, &stat) {
                    Ok(candidate) => {
                        found.selected += 1;
                        found.linked.push(candidate);
                    }
                    Err(refusal) => found.exclude(path, refusal),
                }
            }
            Err(Errno::NOENT) => found.missing(path),
            Err(errno) => found.unreadable(path, errno),
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{Outcome, admit_bytes};

    fn paths(names: &[&str]) -> Vec<DocPath> {
        names.iter().map(|name| DocPath::parse(name).unwrap()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn named_files_are_found_and_everything_else_is_accounted_for() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("x.md"), "out").unwrap();
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("sub")).unwrap();
        std::fs::write(tree.path().join(".gitignore"), "a.md\n").unwrap();
        for name in ["a.md", ".hidden.md", "id_rsa", "sub/b.md"] {
            std::fs::write(tree.path().join(name), "text").unwrap();
        }
        symlink("sub/b.md", tree.path().join("link.md")).unwrap();
        symlink("id_rsa", tree.path().join("key.md")).unwrap();
        symlink(outside.path().join("x.md"), tree.path().join("out.md")).unwrap();
        let names = [".hidden.md", "a.md", "id_rsa", "key.md", "link.md", "none.md", "out.md", "sub", "sub/b.md"];
        let walked = pick(tree.path(), &paths(&names), &Limits::default()).unwrap();
        let found: Vec<&str> = walked.candidates.iter().map(|candidate| candidate.path().as_str()).collect();
        assert_eq!(found, [".hidden.md", "a.md", "link.md", "sub/b.md"]);
        let excluded: Vec<(&str, Reason)> =
            walked.receipt.exclusions.iter().map(|entry| (entry.path.as_str(), entry.reason)).collect();
        let expected = [
            ("id_rsa", Reason::SecretName),
            ("key.md", Reason::SecretName),
            ("out.md", Reason::SymlinkOutside),
            ("sub", Reason::NotAFile),
        ];
        assert_eq!(excluded, expected);
        assert_eq!(walked.receipt.problems.len(), 1);
        assert_eq!(walked.receipt.problems[0].path, "none.md");
        assert!(walked.receipt.is_conserved());
        for candidate in &walked.candidates {
            assert!(matches!(candidate.read(&Limits::default()), Outcome::Admitted(_)), "{candidate:?}");
        }
        let few = Limits { max_files: 2, ..Limits::default() };
        assert!(matches!(pick(tree.path(), &paths(&names), &few), Err(AdmitError::TooManyFiles { .. })));
    }

    #[test]
    fn bytes_are_asked_what_files_are_asked() {
        let limits = Limits { max_file_bytes: 100, ..Limits::default() };
        let ask = |name: &str, bytes: &[u8]| admit_bytes(&DocPath::parse(name).unwrap(), bytes.to_vec(), &limits);
        let reason = |outcome: Outcome| match outcome {
            Outcome::Excluded(exclusion) => exclusion.reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(ask("a/id_rsa", b"x")), Reason::SecretName);
        assert_eq!(reason(ask("a.md", &[b'x'; 101])), Reason::TooLarge);
        assert_eq!(reason(ask("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0")), Reason::Binary);
        let Outcome::Admitted(admitted) = ask("a.md", b"key: AKIAIOSFODNN7EXAMPL2\n") else { panic!() };
        assert_eq!(admitted.redactions().len(), 1);
        assert!(!admitted.text().contains("AKIA"), "{}", admitted.text());
        assert_eq!(admitted.stamp(), None);
    }

    #[test]
    fn raw_bytes_are_given_out_only_when_nothing_was_taken_out() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a.md"), b"caf\xe9\n").unwrap();
        std::fs::write(tree.path().join("b.md"), b"key: AKIAIOSFODNN7EXAMPL2\n").unwrap();
        let walked = pick(tree.path(), &paths(&["a.md", "b.md"]), &Limits::default()).unwrap();
        let raw: Vec<Option<Vec<u8>>> =
            walked.candidates.iter().map(|candidate| candidate.read_raw(&Limits::default()).1).collect();
        assert_eq!(raw, [Some(b"caf\xe9\n".to_vec()), None]);
    }
}
