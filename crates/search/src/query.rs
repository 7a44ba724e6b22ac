//! The language of queries: words, `"phrases"`, and `path:`, `lang:`, `kind:`, `symbol:`, `collection:`, `repo:` filters.

use std::str::FromStr;

use ai_assist_base::nearest;
use ai_assist_chunk::ChunkKind;
use ai_assist_index::{Filter, Name, NameQuery, PathGlobs, Terms, heading_key, terms_of};
use ai_assist_text::{Language, LanguageKind, Role};

use crate::features::asked_roles;

/// What is longer is cut: its first lines say what it is about.
pub const MAX_QUERY_BYTES: usize = 32 * 1024;

/// More different terms than this do not change an answer, but cost time.
const MAX_TERMS: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The words and phrases as one text, for the model.
    pub text: String,
    /// The terms to look for. All of them are alternatives; a phrase found counts more than its words.
    pub terms: Terms,
    /// The identifiers in it, whose definitions go first, and the heading that it could be.
    pub names: NameQuery,
    /// What kind of document the question sounds like it is about.
    pub about: About,
    /// What files are for that it asks for.
    pub roles: Vec<Role>,
    /// The share of a score that defining one of the names decides.
    pub(crate) definition: f32,
    /// How a long question is read: by its first line before the rest.
    pub(crate) emphasis: Option<Emphasis>,
    /// What a chunk must be.
    pub filter: Filter,
    /// Names given with `collection:`; resolving them is the caller's business.
    pub collections: Vec<String>,
    /// Globs given with `repo:`; matching them is the caller's business.
    pub repos: Vec<String>,
}

/// How a question of several lines is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Emphasis {
    opening: String,
    /// The whole without what describes an environment.
    text: String,
    /// How much each of the query's terms counts.
    counts: Vec<f32>,
}

/// The share of a score that a definition or heading of the asked name decides, where there is one at all. At two thirds a
/// definition in source code stands before everything that is none, however well that matches by words. A report says many names,
/// and is about few of them.
const ASKED: f32 = 2.0 / 3.0;
const IN_REPORT: f32 = 0.3;

/// How much the first line of a question counts, of what all of it counts, beside being a part of it.
const OPENING: f32 = 0.55;

/// What kind of document a question sounds like it is about. That counts for little, but among equals it decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum About {
    #[default]
    Anything,
    Languages(Vec<Language>),
    /// It asks for a definition or an implementation.
    Code,
    Prose,
}

/// A sentence has at least so many words, and at most so many: what is longer is a report, and may be about anything.
const SENTENCE: std::ops::RangeInclusive<usize> = 3..=40;

impl About {
    fn of(words: &[String]) -> About {
        let lower: Vec<String> = words
            .iter()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#').to_lowercase())
            .collect();
        let languages: Vec<Language> = lower.iter().filter_map(|word| named_language(word)).collect();
        let has = |sought: &[&str]| lower.iter().any(|word| sought.contains(&word.as_str()));
        if !languages.is_empty() {
            About::Languages(languages)
        } else if has(&["implemented", "implementation", "implements", "defined", "struct", "trait", "where"]) {
            About::Code
        } else if SENTENCE.contains(&words.len())
            && lower.iter().any(|word| !word.is_empty() && terms_of(word).is_empty())
        {
            // Keywords stand alone; a sentence has words that say nothing by themselves.
            About::Prose
        } else {
            About::Anything
        }
    }

    /// Whether a document in some language is of the kind; none if the question does not say.
    pub(crate) fn fits(&self) -> Option<impl Fn(Language) -> bool + '_> {
        let fits = move |language: Language| match self {
            About::Anything => false,
            About::Languages(languages) => languages.contains(&language),
            About::Code => language.kind() == LanguageKind::Code,
            About::Prose => language.kind() == LanguageKind::Prose,
        };
        (*self != About::Anything).then_some(fits)
    }
}

/// A programming language by its name. Names that are words of their own (`go`, `c`, `make`, …) say nothing.
fn named_language(word: &str) -> Option<Language> {
    let language: Language =
        word.parse().ok().filter(|_| word.len() > 3 || matches!(word, "c++" | "c#" | "php" | "jsx" | "tsx"))?;
    let ambiguous =
        matches!(word, "make" | "just" | "shell" | "bash" | "basic" | "elm" | "dart" | "swift" | "julia" | "crystal");
    (language.kind() == LanguageKind::Code && !ambiguous).then_some(language)
}

/// A query that can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the query has no words")]
    Empty,
    /// A filter with a value that means nothing.
    #[error("`{filter}:{value}` is not a filter: {why}")]
    BadFilter { filter: &'static str, value: String, why: String },
}

/// A piece of the query's text.
enum Piece {
    Word(String),
    Phrase(String),
    Filter(&'static str, String),
}

const FILTERS: [&str; 6] = ["path", "lang", "kind", "symbol", "collection", "repo"];

/// A question with more words than this is no heading.
const LONGEST_HEADING: usize = 8;

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
        let (opening, rest) = opening_of(text.trim_start());
        let mut query = Query::default();
        let mut words: Vec<String> = Vec::new();
        let mut paths: Vec<String> = Vec::new();
        for piece in pieces(opening) {
            match piece {
                Piece::Word(word) => words.push(word),
                Piece::Phrase(phrase) => query.add_phrase(&phrase, &mut words),
                Piece::Filter("path", value) => paths.push(value),
                Piece::Filter("lang", value) => query.filter.languages.push(language(&value)?),
                Piece::Filter("kind", value) => query.filter.kinds.push(kind(&value)?),
                Piece::Filter("symbol", value) => {
                    query.filter.defines.push(name(&value));
                    words.push(value);
                }
                Piece::Filter("repo", value) => query.repos.push(value),
                Piece::Filter(_, value) => query.collections.push(value),
            }
        }
        query.narrow(&paths, &[], &[])?;
        // Lines after the first are text that somebody has pasted: a `path:` in them is no filter.
        let opened = words.len();
        let mut matters = vec![true; opened];
        for (line, is_environment) in with_environment(rest) {
            for piece in pieces(line) {
                match piece {
                    Piece::Word(word) => words.push(word),
                    Piece::Phrase(phrase) => query.add_phrase(&phrase, &mut words),
                    Piece::Filter(name, value) => words.push(format!("{name}:{value}")),
                }
            }
            matters.resize(words.len(), !is_environment);
        }
        let of_matter: Vec<String> =
            words.iter().zip(&matters).filter(|(_, matters)| **matters).map(|(word, _)| word.clone()).collect();
        query.text = words.join(" ");
        query.names = names_of(&of_matter);
        query.about = About::of(&of_matter);
        query.roles = asked_roles(&words[..opened]);
        (query.terms.words, query.terms.counts) = terms_of_words(words.iter().map(|word| (word.as_str(), 1.0)));
        query.definition = if words.len() > *SENTENCE.end() { IN_REPORT } else { ASKED };
        if opened > 0 && words.len() > *SENTENCE.end() {
            query.emphasis = Some(query.emphasised(&of_matter, opened));
        }
        if query.terms.is_empty() && query.text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        Ok(query)
    }
}

impl Query {
    /// Adds what flags say to the filters of the query's text. Several values of one kind are alternatives, wherever each
    /// was given.
    pub fn narrow(&mut self, paths: &[String], languages: &[Language], kinds: &[ChunkKind]) -> Result<(), QueryError> {
        if !paths.is_empty() {
            let known = self.filter.paths.iter().flat_map(PathGlobs::texts);
            let all: Vec<String> = known.chain(paths).cloned().collect();
            self.filter.paths = Some(path_globs(&all)?);
        }
        self.filter.languages.extend(languages);
        self.filter.kinds.extend(kinds);
        Ok(())
    }

    /// How the question is read if its first words, so many, count more than the rest.
    #[expect(clippy::cast_precision_loss, reason = "no question has millions of words")]
    fn emphasised(&self, words: &[String], opened: usize) -> Emphasis {
        let more = 1.0 + OPENING * words.len() as f32 / opened.max(1) as f32;
        let weighed = words.iter().enumerate().map(|(at, word)| (word.as_str(), if at < opened { more } else { 1.0 }));
        let (terms, counts) = terms_of_words(weighed);
        let count = |word| terms.iter().position(|term| term == word).map_or(0.0, |at| counts[at]);
        Emphasis {
            opening: words[..opened].join(" "),
            text: words.join(" "),
            counts: self.terms.words.iter().map(count).collect(),
        }
    }

    /// Reads a question of several lines by the first before the others, and passes over what describes an environment.
    pub(crate) fn emphasise(&mut self) {
        if let Some(Emphasis { counts, text, .. }) = &self.emphasis {
            self.terms.counts.clone_from(counts);
            self.text.clone_from(text);
        }
    }

    /// The first line of several, and how much its meaning counts beside that of the whole.
    pub(crate) fn opening(&self) -> Option<(&str, f32)> {
        self.emphasis.as_ref().map(|emphasis| (emphasis.opening.as_str(), OPENING))
    }

    /// A phrase counts as it stands, and its words are scored like any others.
    fn add_phrase(&mut self, phrase: &str, words: &mut Vec<String>) {
        words.extend(phrase.split_whitespace().map(str::to_owned));
        let terms = terms_of(phrase);
        // A compound's whole shares the position of its first part; the parts alone say the same.
        let mut sequence: Vec<(String, usize)> = Vec::with_capacity(terms.len());
        for (term, position) in terms {
            match sequence.last_mut() {
                Some(last) if last.1 == position => last.0 = term,
                _ => sequence.push((term, position)),
            }
        }
        if !sequence.is_empty() {
            self.terms.phrases.push(sequence);
        }
    }
}

/// The identifiers among some words: everything that only code is written with, and a word that stands alone.
fn names_of(words: &[String]) -> NameQuery {
    let bare = |word: &String| word.trim_matches(|c: char| !(c.is_alphanumeric() || "_:.#$".contains(c))).to_owned();
    let bare: Vec<String> = words.iter().map(bare).map(|word| word.trim_end_matches(['.', ':']).to_owned()).collect();
    let alone = bare.len() == 1;
    let names = bare.iter().zip(words).filter(|(bare, word)| alone || looks_like_code(bare, word));
    let names = names.filter(|(bare, _)| bare.chars().any(char::is_alphanumeric)).map(|(bare, _)| name(bare)).collect();
    let heading = if words.len() <= LONGEST_HEADING { heading_key(&words.join(" ")) } else { None };
    NameQuery { names, heading }
}

/// Whether a word is written as only code is: `snake_case`, `camelCase`, `a::b`, `a.b.c`, `call()`, `` `quoted` ``.
fn looks_like_code(bare: &str, word: &str) -> bool {
    let pairs = || bare.chars().zip(bare.chars().skip(1));
    let inner_capital = pairs().any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let dotted = bare.contains('.')
        && bare.split('.').all(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.len() > 1);
    let quoted = word.len() > 2 && word.starts_with('`') && word.trim_end_matches(['.', ',', '?']).ends_with('`');
    bare.contains("::")
        || word.contains("()")
        || bare.trim_matches('_').contains('_')
        || inner_capital
        || dotted
        || quoted
}

/// An identifier with what stands before its last `::`, `.` or `#`.
fn name(text: &str) -> Name {
    let text = text.trim_end_matches("()");
    let mut parts = text.rsplit(['.', ':', '#', '/']).filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or(text).to_owned();
    Name { name, parent: parts.next().map(str::to_owned) }
}

/// Reads a language of a filter.
fn language(value: &str) -> Result<Language, QueryError> {
    value.parse().map_err(|error: <Language as FromStr>::Err| {
        bad_filter("lang", value, error.to_string(), Language::all().map(Language::name))
    })
}

fn kind(value: &str) -> Result<ChunkKind, QueryError> {
    let names = || ChunkKind::ALL.iter().map(|kind| kind.name());
    let why = format!("the kinds are {}", names().collect::<Vec<_>>().join(", "));
    value.parse().map_err(|_| bad_filter("kind", value, why, names()))
}

/// A value that means nothing, with the one that was probably meant.
fn bad_filter<'n>(
    filter: &'static str,
    value: &str,
    mut why: String,
    known: impl IntoIterator<Item = &'n str>,
) -> QueryError {
    if let Some(nearest) = nearest(value, known) {
        why.push_str(&format!("; did you mean `{nearest}`?"));
    }
    QueryError::BadFilter { filter, value: value.to_owned(), why }
}

fn path_globs(paths: &[String]) -> Result<PathGlobs, QueryError> {
    PathGlobs::new(paths).map_err(|error| QueryError::BadFilter {
        filter: "path",
        value: paths.join(" "),
        why: error.kind().to_string(),
    })
}

/// The terms of some words, and how much they count together. Words that only join others are left out, unless there are no others.
fn terms_of_words<'w>(words: impl Iterator<Item = (&'w str, f32)>) -> (Vec<String>, Vec<f32>) {
    let (joints, words): (Vec<_>, Vec<_>) = words.partition(|(word, _)| is_joint(word));
    let found = counted(&words);
    if found.0.is_empty() { counted(&joints) } else { found }
}

/// A word that says how the others belong together, and matches too much.
fn is_joint(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["vs", "not", "after", "before", "use", "using", "used", "uses"]
        .iter()
        .any(|joint| bare.eq_ignore_ascii_case(joint))
}

fn counted(words: &[(&str, f32)]) -> (Vec<String>, Vec<f32>) {
    let mut terms: Vec<String> = Vec::new();
    let mut counts: Vec<f32> = Vec::new();
    for &(word, weight) in words {
        for (term, _) in terms_of(word) {
            match terms.iter().position(|known| *known == term) {
                Some(at) => counts[at] += weight,
                None if terms.len() < MAX_TERMS => {
                    terms.push(term);
                    counts.push(weight);
                }
                None => {}
            }
        }
    }
    (terms, counts)
}

/// The first line of a text and the rest. A sentence that goes on in the next line because the first is full is one line.
fn opening_of(text: &str) -> (&str, &str) {
    const FULL: usize = 50;
    let (mut end, mut is_full) = (0, true);
    for line in text.split_inclusive('\n') {
        if end > 0 && !(is_full && line.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())) {
            break;
        }
        end += line.len();
        is_full = line.len() >= FULL;
    }
    text.split_at(end)
}

/// The lines of a text, and whether each stands in a section that describes an environment: versions, systems, packages.
fn with_environment(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut inside = false;
    text.lines().map(move |line| {
        if line.contains("</details>") {
            inside = false;
        } else if let Some(heading) = heading_of(line) {
            let heading = heading.to_ascii_lowercase();
            inside = ["version", "environment", "system", "platform", "dependenc", "installed"]
                .iter()
                .any(|word| heading.contains(word));
        }
        (line, inside)
    })
}

/// The text of a line that opens a section, as people write them in reports.
fn heading_of(line: &str) -> Option<&str> {
    const LONGEST: usize = 80;
    let text = line.trim();
    let is_heading =
        line.starts_with('#') || line.starts_with("**") || text.ends_with(':') || text.contains("<details>");
    (is_heading && text.len() < LONGEST).then_some(text)
}

/// Cuts a query at white space outside quotes. A quote that is never closed is a character like any other.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some((phrase, after)) = quoted(rest) {
            pieces.push(Piece::Phrase(phrase.to_owned()));
            rest = after;
        } else if let Some((filter, value, after)) = filter_at(rest) {
            pieces.push(Piece::Filter(filter, value.to_owned()));
            rest = after;
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            pieces.push(Piece::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    pieces
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

fn filter_at(text: &str) -> Option<(&'static str, &str, &str)> {
    let filter = FILTERS.into_iter().find(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))?;
    let value = &text[filter.len() + 1..];
    if let Some((value, after)) = quoted(value) {
        return Some((filter, value, after));
    }
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    (end > 0).then(|| (filter, &value[..end], &value[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Query {
        text.parse().unwrap()
    }

    #[test]
    fn words_are_alternatives_without_stop_words() {
        assert_eq!(parse("How do I read a file?").terms.words, ["read", "file"]);
        assert_eq!(parse("read Reading reads").terms.words, ["read"]);
        assert_eq!(parse("to be or not").terms.words, ["not"]);
        assert_eq!(parse("the who").terms.words, [""; 0]);
        assert_eq!(parse("a title, titles, and the file").terms.counts, [2.0, 1.0]);
        assert_eq!(parse("std::collections").text, "std::collections");
    }

    #[test]
    fn phrases_keep_distances() {
        let query = parse(r#"see "return the parseHttp value" now"#);
        let phrase: Vec<(&str, usize)> = query.terms.phrases[0].iter().map(|(t, p)| (t.as_str(), *p)).collect();
        assert_eq!(phrase, [("return", 0), ("pars", 2), ("http", 3), ("valu", 4)]);
        assert_eq!(query.text, "see return the parseHttp value now");
    }

    #[test]
    fn filters_are_taken_out() {
        let query = parse(r#"retry path:docs/*.md lang:rs kind:function collection:api repo:web-* path:"a b/**" x:y"#);
        assert_eq!(query.text, "retry x:y");
        assert_eq!(query.filter.languages, [Language::RUST]);
        assert_eq!(query.filter.kinds, [ChunkKind::Function]);
        assert_eq!(query.collections, ["api"]);
        assert_eq!(query.repos, ["web-*"]);
        let paths = query.filter.paths.unwrap();
        assert!(paths.matches("docs/x.md") && paths.matches("a b/c/d") && !paths.matches("docs/y/x.md"));
    }

    /// The names of a query, each as `parent::name`.
    fn names(names: &[Name]) -> Vec<String> {
        let text = |name: &Name| name.parent.iter().chain([&name.name]).cloned().collect::<Vec<_>>().join("::");
        names.iter().map(text).collect()
    }

    #[test]
    fn names_are_what_only_code_is_written_with() {
        for (text, expected) in [
            ("get_openapi", &["get_openapi"][..]),
            ("Type::method", &["Type::method"]),
            ("std::fs::File", &["fs::File"]),
            ("a.b.c", &["b::c"]),
            ("Array.prototype.map", &["prototype::map"]),
            ("Array#map", &["Array::map"]),
            ("useEffect", &["useEffect"]),
            ("LineMap", &["LineMap"]),
            ("open", &["open"]),
            ("open()", &["open"]),
            ("`open`", &["open"]),
            ("_private", &["_private"]),
            ("where is LineMap used", &["LineMap"]),
            ("where is LineMap used?", &["LineMap"]),
            ("who calls open() and Type::close()?", &["open", "Type::close"]),
            ("what does `open` do?", &["open"]),
            ("the os.path.join of get_openapi, or useEffect.", &["path::join", "get_openapi", "useEffect"]),
            ("how do oaks grow", &[]),
            ("How do oaks grow?", &[]),
            ("Read a file, e.g. a log.", &[]),
            ("what costs 1.5 or 2.0", &[]),
            ("a semi-open range: open", &[]),
            ("...", &[]),
        ] {
            assert_eq!(names(&parse(text).names.names), expected, "{text:?}");
        }
    }

    #[test]
    fn a_short_query_may_be_a_heading() {
        let heading = |text: &str| parse(text).names.heading;
        assert_eq!(heading("How do oaks grow?"), heading("oak grows"));
        assert_eq!(heading("What is a StatefulSet?"), heading("StatefulSets"));
        assert_ne!(heading("oaks grow"), heading("grow oaks"));
        assert_eq!(heading("the who"), None, "it has no words");
        assert_eq!(heading("a question with many words that goes on and on until nobody listens"), None);
        assert_eq!(heading("oaks path:docs lang:markdown"), heading("oaks"), "filters are no part of it");
    }

    #[test]
    fn a_symbol_narrows_and_is_looked_for() {
        for (text, defines, said, asked) in [
            ("symbol:open", &["open"][..], "open", &["open"][..]),
            ("symbol:Type::method", &["Type::method"], "Type::method", &["Type::method"]),
            ("read lines symbol:LineMap", &["LineMap"], "read lines LineMap", &["LineMap"]),
            ("symbol:a_b symbol:c_d", &["a_b", "c_d"], "a_b c_d", &["a_b", "c_d"]),
            ("symbol:", &[], "symbol:", &["symbol"]),
        ] {
            let query = parse(text);
            assert_eq!(names(&query.filter.defines), defines, "{text:?}");
            assert_eq!(query.text, said, "{text:?}");
            assert_eq!(names(&query.names.names), asked, "{text:?}");
            assert!(!query.terms.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn flags_add_to_the_filters() {
        let mut query = parse("retry path:docs lang:rust");
        query.narrow(&["src".to_owned()], &[Language::PYTHON], &[ChunkKind::Function]).unwrap();
        assert_eq!(query.filter.languages, [Language::RUST, Language::PYTHON]);
        assert_eq!(query.filter.kinds, [ChunkKind::Function]);
        let paths = query.filter.paths.as_ref().unwrap();
        assert!(paths.matches("docs/x.md") && paths.matches("src/x.rs") && !paths.matches("other/x.rs"));
        let error = query.narrow(&["[".to_owned()], &[], &[]).unwrap_err();
        assert!(matches!(error, QueryError::BadFilter { filter: "path", .. }));
        let mut query = parse("retry");
        query.narrow(&[], &[], &[]).unwrap();
        assert!(query.filter.is_empty());
    }

    #[test]
    fn bad_queries_say_what_is_wrong() {
        for (text, expected) in [
            ("", "the query has no words"),
            ("  ", "the query has no words"),
            ("lang:rust", "the query has no words"),
            ("x lang:klingon", "`lang:klingon` is not a filter: `klingon` is not a known language"),
        ] {
            assert_eq!(text.parse::<Query>().unwrap_err().to_string(), expected, "{text:?}");
        }
        assert!("x kind:blah".parse::<Query>().unwrap_err().to_string().contains("function"));
        assert!("x path:[".parse::<Query>().is_err());
        let long = format!("retry\n{}", "word ".repeat(MAX_QUERY_BYTES));
        assert_eq!(parse(&long).terms.words[..2], ["retri", "word"], "what is too long is cut");
        assert!("\"unclosed phrase".parse::<Query>().unwrap().terms.phrases.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_query_or_an_error(text in "\\PC{0,60}") {
            if let Ok(query) = text.parse::<Query>() {
                proptest::prop_assert!(query.terms.words.len() <= MAX_TERMS);
            }
        }
    }
}
