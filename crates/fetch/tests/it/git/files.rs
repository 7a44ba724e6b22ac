//! The files of a commit: all of them, as they are stored, and nothing else.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ai_assist_fetch::{ExtractError, GitError, Limits};

use super::repository::Place;

#[test]
fn odd_files_come_as_they_are() {
    let place = Place::new();
    let name = |bytes: &[u8]| Path::new(OsStr::from_bytes(bytes)).to_path_buf();
    let mut wanted: BTreeMap<PathBuf, Vec<u8>> = [
        (name(b"README.md"), b"one".to_vec()),
        (name(b"empty"), Vec::new()),
        (name(b"deep/er/and deeper/x.md"), b"x".to_vec()),
        (name(b"caf\xe9\xff.md"), b"y".to_vec()),
        (name(b"a\nb\tc\"d'e\\f"), b"z\r\n\0".to_vec()),
        (name("日本語/ü.md".as_bytes()), vec![0xff; 200_000]),
        (name(b"-rf"), b"--".to_vec()),
        (name(b":(glob)*"), b"pathspec".to_vec()),
    ]
    .into();
    for at in 0..300 {
        wanted.insert(format!("many/{at}.md").into(), format!("file {at}").repeat(at).into_bytes());
    }
    for (path, content) in &wanted {
        place.write(path, content);
    }
    place.commit_all();
    place.git(&["update-index", "--chmod=+x", "README.md"]);
    place.git(&["commit", "--quiet", "--message=x"]);
    let taken = place.check_out(&place.source("?glob=README.md")).unwrap();
    assert_eq!(taken.files, wanted, "globs are for the caller");
    assert_eq!(taken.done.files.files, wanted.len());
    assert_eq!(taken.done.files.bytes, wanted.values().map(|c| c.len() as u64).sum::<u64>());
}

#[test]
fn links_and_submodules_are_left_out() {
    let place = Place::new();
    std::os::unix::fs::symlink("/etc/passwd", place.path("origin/link")).unwrap();
    std::os::unix::fs::symlink(".", place.path("origin/here")).unwrap();
    place.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c touch%20marker\n");
    place.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", place.head())]);
    place.git(&["add", "link", "here", ".gitmodules"]);
    place.git(&["commit", "--quiet", "--message=x"]);
    let taken = place.check_out(&place.source("")).unwrap();
    assert_eq!((taken.done.links, taken.done.submodules, taken.done.files.files), (2, 1, 2));
    let names: Vec<_> = taken.files.into_keys().collect();
    assert_eq!(names, [PathBuf::from(".gitmodules"), PathBuf::from("README.md")]);
}

#[test]
fn large_files_are_left_out_and_named() {
    let place = Place::new();
    place.write("docs/big.bin", vec![7; 3000]);
    let commit = place.commit_all();
    let limits = Limits { max_file_bytes: 2999, max_total_bytes: 1 << 20, ..Limits::default() };
    let taken = place.check_out_commit(&place.source(""), &commit, &limits).unwrap();
    let done = taken.done.files;
    assert_eq!((done.files, done.bytes, done.too_large_count), (1, 3, 1));
    assert_eq!(done.too_large[0].as_str(), "docs/big.bin");
    let limits = Limits { max_file_bytes: 3000, ..limits };
    assert_eq!(place.check_out_commit(&place.source(""), &commit, &limits).unwrap().done.files.files, 2);
}

#[test]
fn limits_hold() {
    let place = Place::new();
    for at in 0..9 {
        place.write(format!("f{at}"), vec![b'0' + at; 1000]);
    }
    let commit = place.commit_all();
    let at_most = |limits| {
        let error = place.check_out_commit(&place.source(""), &commit, &limits).err();
        error.map(|error| match error {
            GitError::Extractor { source, .. } => source,
            other => panic!("{other}"),
        })
    };
    assert!(matches!(at_most(Limits { max_files: 9, ..Limits::default() }), Some(ExtractError::Files { limit: 9 })));
    assert!(at_most(Limits { max_files: 10, ..Limits::default() }).is_none());
    let error = at_most(Limits { max_total_bytes: 9002, ..Limits::default() });
    assert!(matches!(error, Some(ExtractError::Bytes { limit: 9002 })));
    assert!(at_most(Limits { max_total_bytes: 9003, ..Limits::default() }).is_none());
}

/// A filter, a line ending, an encoding or an id of the user's or the repository's would change what is written.
#[test]
fn nothing_is_filtered() {
    let place = Place::new();
    let marker = place.path("marker");
    let filter = place.script("filter", &format!("touch '{}'; cat; echo filtered", marker.display()));
    let filter = filter.display();
    place.write(".gitattributes", "*.md filter=evil text ident\n*.bin filter=lfs diff=lfs merge=lfs -text\n");
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n";
    for (name, content) in [("a.md", "line $Id$\nline\r\n"), ("model.bin", pointer)] {
        place.write(name, content);
    }
    place.git(&["-c", "core.autocrlf=false", "add", "--all"]);
    place.git(&["update-index", "--add", "--cacheinfo", &raw_blob(&place, "a.md", "line $Id$\nline\r\n")]);
    place.git(&["commit", "--quiet", "--message=x"]);
    place.settings(&format!(
        "[core]\nautocrlf = true\neol = crlf\n[filter \"evil\"]\nsmudge = {filter}\nclean = {filter}\nrequired = true\n\
         [filter \"lfs\"]\nsmudge = {filter}\nprocess = {filter}\nrequired = true\n"
    ));
    let taken = place.check_out(&place.source("")).unwrap();
    assert_eq!(taken.text("a.md"), "line $Id$\nline\r\n");
    assert_eq!(taken.text("model.bin"), pointer);
    assert!(!marker.exists());
}

/// An entry for the index whose content went through no filter.
fn raw_blob(place: &Place, name: &str, content: &str) -> String {
    let id = place.git_with(&["hash-object", "-w", "--no-filters", "--stdin"], content.as_bytes());
    format!("100644,{id},{name}")
}
