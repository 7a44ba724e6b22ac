//! Which paths a user asked for.

use globset::{GlobBuilder, GlobMatcher};

use crate::GlobError;
use crate::braces::{self, BraceError, LIMIT, class_end};
use crate::documents::{self, DOCUMENTS};

/// A list of globs over paths relative to a root.
///
/// `*` does not cross `/`, `**` does, `{a,b}` stands for either, `[…]` for a class, `\` escapes. A leading `./` means
/// nothing, a trailing `/` means everything below. A pattern that opens with `!` narrows what the others select; a list of
/// only such patterns narrows everything. `{documents}` as the last part of a pattern stands for every file whose name is that of a
/// document ([`document_format`](crate::document_format)). As in a shell, a name that starts with a dot is selected only by a pattern that
/// writes the dot (`.github/**/*.md`).
#[derive(Debug, Clone)]
pub struct Globs {
    patterns: Vec<String>,
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Selected,
    Hidden,
    NotMatched,
}

impl Globs {
    /// Patterns for every file, hidden ones included.
    pub const EVERYTHING: [&'static str; 4] = ["**/*", "**/.*", "**/.*/**/*", "**/.*/**/.*"];

    /// The pattern for documents of every format.
    pub const DOCUMENTS: &'static str = "**/{documents}";

    pub fn new(patterns: &[impl AsRef<str>]) -> Result<Globs, GlobError> {
        if patterns.is_empty() {
            return Err(GlobError::NoGlobs);
        }
        let mut globs = Globs { patterns: Vec::new(), includes: Vec::new(), excludes: Vec::new() };
        for pattern in patterns {
            let given = pattern.as_ref();
            let (list, body) = match given.strip_prefix('!') {
                Some(body) => (&mut globs.excludes, body),
                None => (&mut globs.includes, given),
            };
            list.extend(parse(given, body)?);
            globs.patterns.push(given.to_owned());
        }
        if globs.includes.is_empty() {
            globs.includes = parse("**/*", "**/*")?;
        }
        Ok(globs)
    }

    /// No globs, for files that are named one by one.
    pub(crate) fn none() -> Globs {
        Globs { patterns: Vec::new(), includes: Vec::new(), excludes: Vec::new() }
    }

    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether a path relative to the root is selected, hidden names included in the judgement.
    pub fn matches(&self, relative: &str) -> bool {
        self.file(relative.as_bytes()) == Verdict::Selected
    }

    pub(crate) fn file(&self, path: &[u8]) -> Verdict {
        let verdict = self.included(path, Pattern::matches);
        if verdict == Verdict::Selected && self.excludes.iter().any(|p| p.matches(path)) {
            return Verdict::NotMatched;
        }
        verdict
    }

    fn included(&self, path: &[u8], fits: impl Fn(&Pattern, &[u8]) -> bool) -> Verdict {
        let hidden = has_hidden(path);
        let mut verdict = Verdict::NotMatched;
        for pattern in self.includes.iter().filter(|pattern| fits(pattern, path)) {
            if !hidden || pattern.names_dots_of(path) {
                return Verdict::Selected;
            }
            verdict = Verdict::Hidden;
        }
        verdict
    }

    /// The pattern that decided on an entry, as it was given; nothing where none matches.
    pub(crate) fn decided_by(&self, path: &[u8], is_folder: bool) -> Option<String> {
        let drops = |p: &&Pattern| if is_folder { p.covers_folder(path) } else { p.matches(path) };
        let selects = |p: &&Pattern| if is_folder { p.reaches_below(path) } else { p.matches(path) };
        let dropping = self.excludes.iter().find(drops).map(|pattern| format!("!{}", pattern.given));
        let visible = |p: &&Pattern| selects(p) && p.names_dots_of(path);
        dropping.or_else(|| {
            let selecting = self.includes.iter().find(visible).or_else(|| self.includes.iter().find(selects));
            selecting.map(|pattern| pattern.given.clone())
        })
    }

    /// What is said to a folder: whether anything below it could be selected.
    pub(crate) fn folder(&self, path: &[u8]) -> Verdict {
        if self.excludes.iter().any(|p| p.covers_folder(path)) {
            return Verdict::NotMatched;
        }
        self.included(path, Pattern::reaches_below)
    }
}

fn has_hidden(path: &[u8]) -> bool {
    path.first() == Some(&b'.') || path.windows(2).any(|w| w == b"/.")
}

#[derive(Debug, Clone)]
struct Pattern {
    /// As it was written, without a `!` but with its braces.
    given: String,
    /// The folders it opens with that have no wildcard, with the slash: `docs/api/`.
    base: Vec<u8>,
    rest: Rest,
    /// Of what the rest matches, only documents.
    documents: bool,
    /// How many components a match has, unless `**` makes it open.
    components: Option<usize>,
    /// The components that write their leading dot.
    dots: Vec<GlobMatcher>,
    /// For a pattern that ends in `/**`: the folder everything of which it selects.
    folder: Option<GlobMatcher>,
}

/// What follows the base. All but the last are byte comparisons; nearly every glob in use is one of those.
#[derive(Debug, Clone)]
enum Rest {
    /// `**` and `**/*`
    Any,
    /// `**/*.md`
    SuffixBelow(Vec<u8>),
    /// `*.md`
    SuffixHere(Vec<u8>),
    /// `**/README.md`
    NameBelow(Vec<u8>),
    /// `README.md`
    Name(Vec<u8>),
    /// Anything else, matched on the whole path.
    Glob(GlobMatcher),
}

impl Pattern {
    fn matches(&self, path: &[u8]) -> bool {
        let Some(rest) = path.strip_prefix(self.base.as_slice()) else { return false };
        let name = || path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        if self.documents && documents::of_name(name()).is_none() {
            return false;
        }
        match &self.rest {
            Rest::Any => !rest.is_empty(),
            Rest::SuffixBelow(suffix) => rest.ends_with(suffix),
            Rest::SuffixHere(suffix) => rest.ends_with(suffix) && !rest.contains(&b'/'),
            Rest::NameBelow(name) => {
                rest.strip_suffix(name.as_slice()).is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
            }
            Rest::Name(name) => rest == name.as_slice(),
            Rest::Glob(glob) => is_match(glob, path),
        }
    }

    fn reaches_below(&self, folder: &[u8]) -> bool {
        let depth = folder.iter().filter(|&&b| b == b'/').count() + 1;
        if self.components.is_some_and(|components| depth >= components) {
            return false;
        }
        // Either the folder lies on the way to the base, or below it.
        if folder.len() < self.base.len() {
            self.base.starts_with(folder) && self.base[folder.len()] == b'/'
        } else {
            folder.starts_with(&self.base)
        }
    }

    fn covers_folder(&self, folder: &[u8]) -> bool {
        if self.documents {
            return false;
        }
        self.folder.as_ref().is_some_and(|glob| is_match(glob, folder))
            || (matches!(self.rest, Rest::Any) && folder.starts_with(&self.base))
    }

    fn names_dots_of(&self, path: &[u8]) -> bool {
        path.split(|&b| b == b'/')
            .filter(|part| part.first() == Some(&b'.'))
            .all(|part| self.dots.iter().any(|dot| is_match(dot, part)))
    }
}

fn is_match(glob: &GlobMatcher, path: &[u8]) -> bool {
    glob.is_match_candidate(&globset::Candidate::from_bytes(path))
}

fn parse(given: &str, body: &str) -> Result<Vec<Pattern>, GlobError> {
    if body.is_empty() {
        return Err(GlobError::Empty);
    }
    // Expanding the set would make a hundred patterns where one is enough: it passes the braces as a character that no name has.
    let expanded = braces::expand(&body.replace(DOCUMENTS, "\0")).map_err(|error| match error {
        BraceError::Unclosed => invalid(given, "a `{` is not closed; write `\\{` for the character itself"),
        BraceError::TooMany => GlobError::TooManyAlternatives { glob: given.to_owned(), limit: LIMIT },
    })?;
    let pattern = |plain: &String| {
        let documents = plain.strip_suffix('\0').filter(|rest| rest.is_empty() || rest.ends_with('/'));
        let plain = documents.map_or_else(|| plain.replace('\0', "documents"), |rest| format!("{rest}*"));
        parse_plain(given, &plain).map(|pattern| Pattern { documents: documents.is_some(), ..pattern })
    };
    expanded.iter().map(pattern).collect()
}

fn invalid(given: &str, message: &(impl ToString + ?Sized)) -> GlobError {
    GlobError::Invalid { glob: given.to_owned(), message: message.to_string() }
}

fn parse_plain(given: &str, plain: &str) -> Result<Pattern, GlobError> {
    let mut body = plain;
    while let Some(rest) = body.strip_prefix("./") {
        body = rest;
    }
    if body.starts_with('/') {
        return Err(GlobError::Absolute { glob: given.to_owned() });
    }
    let whole = if body.is_empty() || body == "." {
        "**/*".to_owned()
    } else if body.ends_with('/') {
        format!("{body}**")
    } else {
        body.to_owned()
    };
    let components = split(&whole);
    if components.contains(&"..") {
        return Err(GlobError::Parent { glob: given.to_owned() });
    }
    let compile = |text: &str| {
        GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map(|glob| glob.compile_matcher())
            .map_err(|error| invalid(given, error.kind()))
    };
    // Compiled even where bytes decide, so that what does not parse is refused in every case.
    let matcher = compile(&whole)?;
    let literal = components.iter().take(components.len() - 1).take_while(|c| is_literal(c)).count();
    let base: String = components[..literal].iter().flat_map(|c| [*c, "/"]).collect();
    let dots = components.iter().filter(|c| c.starts_with('.')).map(|c| compile(c)).collect::<Result<_, _>>()?;
    let folder = match whole.strip_suffix("/**").or_else(|| whole.strip_suffix("/**/*")) {
        Some(folder) if !folder.is_empty() => Some(compile(folder)?),
        _ => None,
    };
    Ok(Pattern {
        given: given.strip_prefix('!').unwrap_or(given).to_owned(),
        base: base.into_bytes(),
        rest: rest(&components[literal..], matcher),
        documents: false,
        components: (!components.contains(&"**")).then_some(components.len()),
        dots,
        folder,
    })
}

fn rest(components: &[&str], matcher: GlobMatcher) -> Rest {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let suffix = |part: &str| part.strip_prefix('*').filter(|s| is_literal(s)).map(bytes);
    match components {
        ["**"] | ["**", "*"] => Rest::Any,
        ["**", name] if is_literal(name) => Rest::NameBelow(bytes(name)),
        [name] if is_literal(name) => Rest::Name(bytes(name)),
        ["**", part] => suffix(part).map_or(Rest::Glob(matcher), Rest::SuffixBelow),
        [part] => suffix(part).map_or(Rest::Glob(matcher), Rest::SuffixHere),
        _ => Rest::Glob(matcher),
    }
}

fn is_literal(part: &str) -> bool {
    !part.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// The components of a pattern; a slash inside a class is part of it.
fn split(pattern: &str) -> Vec<&str> {
    let bytes = pattern.as_bytes();
    let mut parts = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => at = class_end(bytes, at),
            b'/' => {
                parts.push(&pattern[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&pattern[from..]);
    parts
}

#[cfg(test)]
#[path = "globs_tests.rs"]
mod tests;
