//! Paths in transcripts. They are of another machine, so they are text here, and only their spelling counts.

/// Whether this can be the path of a file: not empty, and nothing in it that a shell or a person has put there.
pub(super) fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~') && !path.contains(['\0', '\n'])
}

/// A path below the folder it is relative to.
pub(super) fn absolute(folder: Option<&str>, path: &str) -> String {
    if is_absolute(path) {
        return if path.starts_with('/') { normal(path) } else { path.to_owned() };
    }
    match folder {
        Some(folder) if folder.starts_with('/') => normal(&format!("{folder}/{path}")),
        Some(folder) if folder.contains('\\') => format!("{}\\{path}", folder.trim_end_matches('\\')),
        Some(folder) => format!("{}/{path}", folder.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

/// From a root, a drive or a share.
fn is_absolute(path: &str) -> bool {
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    path.starts_with('/') || path.starts_with(r"\\") || drive(path.as_bytes())
}

/// Without `.`, `..` and empty names.
fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_below_the_folder() {
        for (folder, path, expected) in [
            (Some("/w"), "a.rs", "/w/a.rs"),
            (Some("/w/"), "./b/../a.rs", "/w/a.rs"),
            (Some("/w"), "/x//y/./z", "/x/y/z"),
            (Some("/w"), "../../../a", "/a"),
            (Some(r"C:\w"), "a.rs", r"C:\w\a.rs"),
            (Some(r"C:\w"), r"D:\a.rs", r"D:\a.rs"),
            (Some("w"), "a", "w/a"),
            (None, "a", "a"),
        ] {
            assert_eq!(absolute(folder, path), expected);
        }
    }
}
