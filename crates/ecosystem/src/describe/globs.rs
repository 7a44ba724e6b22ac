//! The globs with which workspaces name their members.

/// More globs than these are no workspace but a trap.
const MAX_GLOBS: usize = 200;
const MAX_GLOB: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Members {
    folder: String,
    included: Vec<String>,
    excluded: Vec<String>,
}

impl Members {
    /// Globs that open with `!` exclude, as those in `exclude` do.
    pub(super) fn new<'a>(
        folder: &str,
        globs: impl IntoIterator<Item = &'a str>,
        exclude: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut members = Members { folder: folder.to_owned(), ..Members::default() };
        let globs = globs.into_iter().map(|glob| (glob, false)).chain(exclude.into_iter().map(|glob| (glob, true)));
        for (glob, excluded) in globs.filter(|(glob, _)| glob.len() <= MAX_GLOB).take(MAX_GLOBS) {
            let (glob, excluded) = glob.strip_prefix('!').map_or((glob, excluded), |glob| (glob, true));
            let expanded = braces(glob.trim_start_matches("./").trim_matches('/'));
            if excluded { &mut members.excluded } else { &mut members.included }.extend(expanded);
        }
        members
    }

    pub(super) fn include(&self, folder: &str) -> bool {
        let Some(relative) = self.relative(folder) else { return false };
        self.included.iter().any(|glob| matches(glob, relative)) && !self.excludes(folder)
    }

    pub(super) fn excludes(&self, folder: &str) -> bool {
        let Some(relative) = self.relative(folder) else { return false };
        self.excluded.iter().any(|glob| matches(glob, relative))
    }

    fn relative<'f>(&self, folder: &'f str) -> Option<&'f str> {
        match self.folder.as_str() {
            "" => Some(folder),
            own => folder.strip_prefix(own)?.strip_prefix('/'),
        }
    }
}

/// The workspaces met so far.
#[derive(Default)]
pub(super) struct Workspaces(pub(super) Vec<Members>);

impl Workspaces {
    pub(super) fn include(&self, folder: &str) -> bool {
        self.0.iter().any(|members| members.include(folder))
    }

    pub(super) fn exclude(&self, folder: &str) -> bool {
        self.0.iter().any(|members| members.excludes(folder))
    }
}

/// `{a,b}/c` as `a/c` and `b/c`; only the first pair of braces, which is all that real workspaces have.
fn braces(glob: &str) -> Vec<String> {
    let parts = glob.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (inside, after))) => inside.split(',').map(|choice| format!("{before}{choice}{after}")).collect(),
        None => vec![glob.to_owned()],
    }
}

/// Whether a path fits a glob: `*` and `?` within a name, `**` for any number of names.
///
/// Only the last `**` is ever gone back to, so the time is at most the product of both lengths.
fn matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    let any = |part: &&str| *part == "**";
    wild(&glob, &path, any, |pattern, name| fits(pattern, name))
}

/// Whether a name fits a pattern in which `*` stands for anything and `?` for one character.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    wild(&pattern, &name, |c| *c == '*', |a, b| a == b || *a == '?')
}

fn wild<P, T>(pattern: &[P], text: &[T], any: impl Fn(&P) -> bool, same: impl Fn(&P, &T) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && any(&pattern[p]) {
            back = Some((p, t));
            p += 1;
        } else if p < pattern.len() && same(&pattern[p], &text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star, taken)) = back {
            back = Some((star, taken + 1));
            (p, t) = (star + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_as_workspaces_mean_them() {
        let cases = [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("packages/**", "packages", true),
            ("**/lib-?", "a/b/lib-x", true),
            ("**/lib-?", "lib-xy", false),
            ("a/**/b/**/c", "a/x/b/y/b/z/c", true),
            ("a*b*c", "aXbYc", true),
            ("ab*ba", "aba", false),
            ("tools", "tools", true),
        ];
        for (glob, path, expected) in cases {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn members_are_relative_to_their_workspace() {
        let members = Members::new("web", ["./{apps,libs}/*", "!libs/old"], ["apps/x*"]);
        assert!(members.include("web/apps/a") && members.include("web/libs/b"));
        assert!(!members.include("apps/a") && !members.include("web/libs/old") && !members.include("web/apps/xy"));
        assert!(members.excludes("web/libs/old"));
        assert!(!Members::new("a", ["*"], []).include("ab/c"));
    }
}
