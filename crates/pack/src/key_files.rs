use std::collections::BTreeMap;

use ai_assist_text::{Language, LanguageKind};

use crate::categories::{Group, group_of, is_side_file};
use crate::types::{FileCategory, FileMetadata, Importance, KeyFileLimits};

/// Finds the files without which a project can't be understood.
#[derive(Debug, Clone, Default)]
pub struct KeyFileDetector {
    pub limits: KeyFileLimits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPick {
    /// Its place in the list it was chosen from.
    pub index: usize,
    pub category: FileCategory,
    pub importance: Importance,
}

impl KeyFileDetector {
    /// The key files among those that can be read, the most important first: by category, the program before what only
    /// helps along (scripts, tests), then the smaller, the shallower, and by path.
    pub fn detect(&self, files: &[FileMetadata]) -> Vec<KeyPick> {
        let mut found: Vec<(Group, usize)> = files
            .iter()
            .enumerate()
            // An empty `index.js` would win by its size and say nothing.
            .filter(|(_, file)| file.content_extractable && file.size_bytes > 0)
            .filter_map(|(index, file)| Some((group_of(&file.relative_path)?, index)))
            .collect();
        found.sort_by_cached_key(|&(group, index)| {
            let path = &files[index].relative_path;
            let depth = path.matches('/').count();
            let role = role(group, path, depth);
            (group, role, files[index].size_bytes, depth, path.clone())
        });
        // Two groups may be one category, as who someone is and what they may do.
        let mut taken: BTreeMap<FileCategory, usize> = BTreeMap::new();
        found
            .into_iter()
            .filter(|(group, _)| {
                let count = taken.entry(group.category()).or_default();
                *count += 1;
                *count <= self.limits.max_per_category
            })
            .take(self.limits.max_total)
            .map(|(group, index)| KeyPick { index, category: group.category(), importance: group.importance() })
            .collect()
    }
}

/// The program before what only helps along: 0, 1 or 2.
fn role(group: Group, path: &str, depth: usize) -> u8 {
    let code = Language::of_path(path).is_some_and(|language| language.kind() == LanguageKind::Code);
    match group {
        _ if is_side_file(path) => 2,
        // The settings of the whole project stand in its root; those below are of its parts.
        Group::Config => u8::from(depth > 0),
        // `model.json` may be anything.
        _ => u8::from(!code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::FileType;

    fn file(path: &str, size_bytes: u64) -> FileMetadata {
        FileMetadata {
            path: format!("/p/{path}"),
            relative_path: path.to_owned(),
            name: path.rsplit('/').next().unwrap().to_owned(),
            extension: String::new(),
            size_bytes,
            file_type: FileType::Text,
            category: FileCategory::Other,
            is_key_file: false,
            content_extractable: true,
            hash: None,
            encoding: None,
            replaced_characters: 0,
            executable: false,
        }
    }

    fn chosen(files: &[FileMetadata], limits: KeyFileLimits) -> Vec<&str> {
        let picks = KeyFileDetector { limits }.detect(files);
        picks.iter().map(|pick| files[pick.index].relative_path.as_str()).collect()
    }

    #[test]
    fn the_order_is_category_role_size_depth_path() {
        let files = [
            file("z/auth.rs", 10),
            file("auth.rs", 20),
            file("b/login.rs", 10),
            file("a/b/session.rs", 10),
            file("tests/auth_test.rs", 1),
            file("scripts/auth.py", 2),
            file("src/main.rs", 500),
            file("Cargo.toml", 900),
            file("crates/x/Cargo.toml", 9),
            file("crates/x/tests/fixtures/package.json", 3),
            file("model.json", 3),
            file("src/schema.rs", 30),
            file("src/index.ts", 0),
            file("README.md", 5),
        ];
        assert_eq!(
            chosen(&files, KeyFileLimits { max_per_category: 9, ..KeyFileLimits::default() }),
            [
                "Cargo.toml",
                "crates/x/Cargo.toml",
                "crates/x/tests/fixtures/package.json",
                "src/main.rs",
                "b/login.rs",
                "z/auth.rs",
                "a/b/session.rs",
                "auth.rs",
                "tests/auth_test.rs",
                "scripts/auth.py",
                "src/schema.rs",
                "model.json"
            ]
        );
    }

    #[test]
    fn limits_hold() {
        let files: Vec<_> = ["Cargo.toml", "main.rs", "auth.rs", "api.rs", "model.rs", "acl.rs"]
            .iter()
            .flat_map(|name| (0..9).map(move |n| file(&format!("d{n}/{name}"), 10)))
            .collect();
        let all = chosen(&files, KeyFileLimits::default());
        assert_eq!(all.len(), 25);
        for name in ["Cargo.toml", "main.rs", "auth.rs", "api.rs", "model.rs"] {
            assert_eq!(all.iter().filter(|path| path.ends_with(name)).count(), 5, "{name}");
        }
        assert_eq!(chosen(&files, KeyFileLimits { max_total: 3, ..KeyFileLimits::default() }).len(), 3);
        let wide = KeyFileDetector { limits: KeyFileLimits { max_total: 99, ..KeyFileLimits::default() } };
        let auth = wide.detect(&files).into_iter().filter(|pick| pick.category == FileCategory::Auth);
        assert_eq!(auth.count(), 5, "security counts as auth");
    }
}
