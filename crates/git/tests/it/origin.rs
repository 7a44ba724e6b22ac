//! Which repository a work tree is of.

use ai_assist_git::{Ask, Repo};

use crate::support::Sandbox;

#[test]
fn work_trees_and_clones_are_of_one_repository() {
    let sandbox = Sandbox::with_repo();
    let of = |sandbox: &Sandbox| sandbox.repo();
    assert_eq!(of(&sandbox).root_commit().unwrap(), None);
    sandbox.commit(&[("a", "1")]);
    let first = of(&sandbox).head().unwrap().unwrap().commit;
    sandbox.commit(&[("a", "2")]);
    assert_eq!(of(&sandbox).root_commit().unwrap(), Some(first.clone()));
    let common = of(&sandbox).common_dir().unwrap();
    assert_eq!(common, Some(sandbox.path(".git")));
    sandbox.git(["worktree", "add", "-q", "--detach", "../tree"]);
    sandbox.git(["clone", "-q", ".", "../clone"]);
    let ask = Ask::default();
    let tree = Repo::find(&sandbox.outside("tree"), &ask).unwrap().unwrap();
    assert_eq!((tree.common_dir().unwrap(), tree.root_commit().unwrap()), (common.clone(), Some(first.clone())));
    let clone = Repo::find(&sandbox.outside("clone"), &ask).unwrap().unwrap();
    assert_ne!(clone.common_dir().unwrap(), common);
    assert_eq!(clone.root_commit().unwrap(), Some(first));
}
