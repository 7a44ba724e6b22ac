use super::*;

fn globs(patterns: &[&str]) -> Globs {
    Globs::new(patterns).unwrap()
}

#[test]
fn paths_are_selected() {
    let cases: &[(&[&str], &[&str], &[&str])] = &[
        (&["**/*.md"], &["a.md", "x/y/a.md"], &["a.txt", "amd", "x.md/a", ".a.md", ".x/a.md", "x/.y/a.md"]),
        (&["*.md"], &["a.md"], &["x/a.md", "a.txt"]),
        (&["docs/**/*.md"], &["docs/a.md", "docs/x/a.md"], &["a.md", "docsa.md", "x/docs/a.md", "docs/a.txt"]),
        (&["docs/*.md"], &["docs/a.md"], &["docs/x/a.md"]),
        (&["docs/"], &["docs/a", "docs/x/b"], &["docs", "docsx/a"]),
        (&["docs/**"], &["docs/a", "docs/x/b"], &["docs", "x/docs/a"]),
        (&["./README.md"], &["README.md"], &["x/README.md"]),
        (&["**/README.md"], &["README.md", "x/README.md"], &["x/NOTREADME.md"]),
        (&["{a,b}/*.{md,txt}"], &["a/x.md", "b/x.txt"], &["c/x.md", "a/x.rs"]),
        (&["**"], &["a", "x/a"], &[".a"]),
        (&["."], &["a", "x/a"], &[".a"]),
        (&["src/**/test_?.rs"], &["src/test_1.rs", "src/x/test_a.rs"], &["src/test_12.rs"]),
        (&["**/*", "!**/draft/**"], &["a", "x/a"], &["draft/a", "x/draft/y/a"]),
        (&["!*.log"], &["a.md", "x/a.log"], &["a.log"]),
        (&[r"\!a.md"], &["!a.md"], &["a.md"]),
        (&[r"a\*b"], &["a*b"], &["axb"]),
        (&["[ab].md"], &["a.md"], &["c.md"]),
        (&[".github/**/*.md"], &[".github/a.md", ".github/x/a.md"], &[".github/.x/a.md", ".gitlab/a.md"]),
        (&["**/.*"], &[".a", "x/.a"], &["a", ".x/a"]),
        (&["**/.*/**"], &[".x/a", "y/.x/a"], &["a"]),
        (&["{.github,docs}/*.md"], &[".github/a.md", "docs/a.md"], &["docs/.a.md"]),
        (
            &["**/{documents}"],
            &["a.md", "x/b.RST", "README", "x/ls.1.gz"],
            &["a.rs", "x.md/y.rs", ".a.md", ".x/a.md", "documents"],
        ),
        (&["docs/**/{documents}"], &["docs/a.md", "docs/x/b.pdf"], &["a.md", "docs/a.rs"]),
        (&["{a,b}/{documents}"], &["a/x.md", "b/x.txt"], &["c/x.md", "a/y/x.md"]),
        (&["**/*", "!drafts/**/{documents}"], &["drafts/a.rs", "a.md"], &["drafts/a.md", "drafts/x/a.md"]),
        (&["{*.rs,**/{documents}}"], &["a.rs", "x/b.pdf"], &["x/a.rs", "documents"]),
        (&["x{documents}"], &["xdocuments"], &["x.md"]),
        (&["Größe/*.md"], &["Größe/a.md"], &["Grosse/a.md"]),
    ];
    for (patterns, selected, dropped) in cases {
        let globs = globs(patterns);
        for path in *selected {
            assert!(globs.matches(path), "{patterns:?} should select {path}");
        }
        for path in *dropped {
            assert!(!globs.matches(path), "{patterns:?} should drop {path}");
        }
    }
}

#[test]
fn names_that_are_not_utf8_are_matched_as_bytes() {
    assert_eq!(globs(&["**/*.md"]).file(b"x/caf\xe9.md"), Verdict::Selected);
    assert_eq!(globs(&["x/c?f*.md"]).file(b"x/caf\xe9.md"), Verdict::Selected);
    assert_eq!(globs(&["**/*.txt"]).file(b"x/caf\xe9.md"), Verdict::NotMatched);
}

#[test]
fn folders_no_glob_reaches_are_not_entered() {
    let cases: &[(&[&str], &[&str], &[&str])] = &[
        (&["**/*.md"], &["a", "a/b"], &[]),
        (&["*.md"], &[], &["a"]),
        (&["docs/api/**/*.md"], &["docs", "docs/api", "docs/api/x"], &["src", "docs/guide", "do", "docs/apix"]),
        (&["docs/*/x.md"], &["docs", "docs/a"], &["docs/a/b", "src"]),
        (&["**/*", "!**/node_modules/**"], &["a"], &["node_modules", "a/node_modules"]),
        (&["**/*", "!vendor/"], &["a"], &["vendor"]),
        (&[".github/**"], &[".github", ".github/x"], &[".git", "src"]),
    ];
    for (patterns, entered, skipped) in cases {
        let globs = globs(patterns);
        for path in *entered {
            assert_eq!(globs.folder(path.as_bytes()), Verdict::Selected, "{patterns:?} {path}");
        }
        for path in *skipped {
            assert_ne!(globs.folder(path.as_bytes()), Verdict::Selected, "{patterns:?} {path}");
        }
    }
    assert_eq!(globs(&["**/*.md"]).folder(b".github"), Verdict::Hidden);
}

#[test]
fn bad_globs_are_refused() {
    let error = |pattern: &str| Globs::new(&[pattern]).unwrap_err();
    assert_eq!(Globs::new(&[] as &[&str]).unwrap_err(), GlobError::NoGlobs);
    assert_eq!(error(""), GlobError::Empty);
    assert_eq!(error("!"), GlobError::Empty);
    for absolute in ["/etc/*", "!/etc", "{/a,b}", ".//a"] {
        assert_eq!(error(absolute), GlobError::Absolute { glob: absolute.into() });
    }
    for parent in ["../x", "a/../b", "a/..", "{..,a}/x", "./../x"] {
        assert_eq!(error(parent), GlobError::Parent { glob: parent.into() });
    }
    assert!(matches!(error("{a"), GlobError::Invalid { .. }));
    assert!(matches!(error("[a"), GlobError::Invalid { .. }));
    assert!(matches!(error(&"{a,b}".repeat(30)), GlobError::TooManyAlternatives { .. }));
}

/// The fast paths and the expansion against globset itself.
#[test]
fn fast_paths_agree_with_globset() {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    let part = prop_oneof![
        "[ab]{1,2}",
        Just("*".into()),
        Just("**".into()),
        "\\*[.][ab]",
        "[a]?\\?[b]?",
        Just("{a,b}x".into())
    ];
    let pattern = proptest::collection::vec(part, 1..4).prop_map(|parts: Vec<String>| parts.join("/"));
    let path = proptest::collection::vec("[ab]{1,2}([.][ab])?", 1..4).prop_map(|parts| parts.join("/"));
    let mut runner = TestRunner::default();
    let law = |(pattern, path): (String, String)| {
        let ours = Globs::new(&[&pattern]).unwrap().matches(&path);
        let theirs = GlobBuilder::new(&pattern).literal_separator(true).build().unwrap().compile_matcher();
        prop_assert_eq!(ours, theirs.is_match(&path), "{} on {}", pattern, path);
        // Whatever is selected lies in folders that are entered.
        let globs = Globs::new(&[&pattern]).unwrap();
        for (slash, _) in path.match_indices('/') {
            prop_assert!(!ours || globs.folder(&path.as_bytes()[..slash]) == Verdict::Selected);
        }
        Ok(())
    };
    runner.run(&(pattern, path), law).unwrap();
}
