//! Clones and work trees of one repository share what they have in common.

use ai_assist_repo::build::Origin;
use ai_assist_repo::layout::Mode;
use ai_assist_repo::repo_index::RepoIndex;

use crate::support::{Numbers, Sandbox, build, everything, git, paths, request};

fn project() -> Sandbox {
    let sandbox = Sandbox::with_git();
    for file in 0..20 {
        let (path, text) = Numbers(file).file(file);
        sandbox.write(&path, text);
    }
    sandbox.commit();
    sandbox
}

#[test]
fn a_work_tree_starts_from_its_sibling() {
    let sandbox = project();
    sandbox.build();
    let tree = sandbox.root().join("tree");
    sandbox.git(&["worktree", "add", "-q", "-b", "other", tree.to_str().unwrap()]);
    let request = request(&tree, &sandbox.cache());
    let report = build(&request);
    assert_eq!(report.origin, Origin::Sibling(sandbox.request().repo_id));
    assert_eq!((report.read, report.chunked), (20, 0));
    assert!(report.modes.values().all(|mode| mode.shared));
    for mode in Mode::ALL {
        let index = RepoIndex::open(&request.cache, mode).unwrap();
        assert_eq!(everything(&index, &["harbor"]), everything(&sandbox.open(mode), &["harbor"]));
    }
    // The two go on apart.
    std::fs::write(tree.join("docs/d1.md"), "# Only here\n").unwrap();
    sandbox.write("docs/d5.md", "# Only there\n");
    assert_eq!((build(&request).chunked, sandbox.build().chunked), (1, 1));
    let texts = |index: &RepoIndex| {
        let chunk = |position| index.reader.chunk(position).unwrap().text;
        index.reader.live().iter().map(chunk).collect::<String>()
    };
    let (here, there) = (RepoIndex::open(&request.cache, Mode::Prose).unwrap(), sandbox.open(Mode::Prose));
    assert!(texts(&here).contains("Only here") && !texts(&here).contains("Only there"));
    assert!(texts(&there).contains("Only there") && !texts(&there).contains("Only here"));
    everything(&here, &["only"]);
    everything(&there, &["only"]);
}

#[test]
fn a_clone_at_another_commit_reads_only_what_differs_anew() {
    let sandbox = project();
    let clone = sandbox.root().join("clone");
    git(&sandbox.root(), &["clone", "-q", "repo", "clone"]);
    sandbox.build();
    std::fs::write(clone.join("docs/d1.md"), "# Changed\n").unwrap();
    std::fs::remove_file(clone.join("docs/d5.md")).unwrap();
    let request = request(&clone, &sandbox.cache());
    let report = build(&request);
    assert_eq!(report.origin, Origin::Sibling(sandbox.request().repo_id));
    assert_eq!((report.read, report.chunked), (19, 1));
    let index = RepoIndex::open(&request.cache, Mode::Prose).unwrap();
    assert_eq!(paths(&index).len(), 4);
    assert_eq!(paths(&sandbox.open(Mode::Prose)).len(), 5);
}

#[test]
fn another_repository_is_no_sibling() {
    let (one, two) = (project(), Sandbox::with_git());
    one.build();
    two.write("other.md", "# Other\n");
    two.commit();
    let (path, text) = Numbers(1).file(1);
    two.write(&path, text);
    let report = build(&request(&two.repo(), &one.cache()));
    assert_eq!((report.origin, report.chunked), (Origin::Nothing, 2));
    let plain = Sandbox::new();
    plain.write("more.md", "# More\n");
    assert_eq!(build(&request(&plain.repo(), &one.cache())).origin, Origin::Nothing);
}
