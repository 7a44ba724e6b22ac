//! Trees to test on.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;

/// A tree from lines `path = content`; a path that ends in `/` is an empty folder, `path -> target` a symlink.
pub(crate) fn tree(lines: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for line in lines {
        let (path, content) = line.split_once(" = ").unwrap_or((line, "text\n"));
        let (path, target) = path.split_once(" -> ").map_or((path, None), |(path, target)| (path, Some(target)));
        let full = folder.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
            continue;
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match target {
            #[cfg(unix)]
            Some(target) => symlink(target, full).unwrap(),
            #[cfg(not(unix))]
            Some(target) => panic!("a link to {target} can't be made here"),
            None => fs::write(full, content.replace("\\n", "\n")).unwrap(),
        }
    }
    folder
}
