//! The patches of Codex: `*** Begin Patch`, then files that are added, updated or deleted.

use super::Seen;

/// How a patch starts.
pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The files that are there after the first patch in a text. The text of a file that is added is known, because the
/// patch has all of it; what is deleted or moved away is left out.
pub(super) fn files(text: &str) -> Vec<(String, Seen)> {
    let Some((_, patch)) = text.split_once(BEGIN) else { return Vec::new() };
    let mut files: Vec<(String, Seen)> = Vec::new();
    // The text of the file that is being added.
    let mut added: Option<(String, String)> = None;
    for line in patch.lines() {
        if let (Some((_, text)), Some(line)) = (&mut added, line.strip_prefix('+')) {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        if let Some((name, text)) = added.take() {
            files.push((name, Seen::Whole(text)));
        }
        if line.trim_end() == END {
            return files;
        }
        let Some((header, name)) = line.strip_prefix("*** ").and_then(|line| line.split_once(": ")) else { continue };
        match header {
            "Add File" => added = Some((name.trim().to_owned(), String::new())),
            "Update File" => files.push((name.trim().to_owned(), Seen::Named)),
            // Follows the update of the file under its old name.
            "Move to" => {
                files.pop();
                files.push((name.trim().to_owned(), Seen::Named));
            }
            _ => {}
        }
    }
    // A patch without an end may lack a part of the file that it was adding.
    files.extend(added.map(|(name, _)| (name, Seen::Named)));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_files_are_whole_and_others_named() {
        let patch = "*** Begin Patch\n*** Update File: z.rs\n@@\n-a\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn x\n-old\n+*** Add File: no\n\
                     *** Add File: dir/c.txt\n+one\n+\n+two\n*** Delete File: d.rs\n*** End Patch\n*** Add File: e\n+x";
        let named = |name: &str| (name.to_owned(), Seen::Named);
        let expected = [named("z.rs"), named("b.rs"), ("dir/c.txt".to_owned(), Seen::Whole("one\n\ntwo\n".to_owned()))];
        assert_eq!(files(patch), expected);
        assert_eq!(files("*** Begin Patch\n*** Add File: cut.txt\n+one"), [named("cut.txt")]);
        assert_eq!(files("no patch\n*** Add File: a\n+b"), []);
    }
}
