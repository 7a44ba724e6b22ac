//! The language of queries: words, `"phrases"`, and `path:`, `lang:`, `kind:`, `collection:`, `repo:` filters.

use std::str::FromStr;

use ai_assist_chunk::ChunkKind;
use ai_assist_index::{Filter, PathGlobs, Terms, terms_of};
use ai_assist_text::Language;

/// Longer queries are refused: they are a document pasted by mistake.
pub const MAX_QUERY_BYTES: usize = 32 * 1024;

/// More different terms than this do not change an answer, but cost time.
const MAX_TERMS: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The words and phrases as one text, for the model.
    pub text: String,
    /// The terms to look for. All of them are alternatives; a phrase found counts more than its words.
    pub terms: Terms,
    /// What a chunk must be.
    pub filter: Filter,
    /// Names given with `collection:`; resolving them is the caller's business.
    pub collections: Vec<String>,
    /// Globs given with `repo:`; matching them is the caller's business.
    pub repos: Vec<String>,
}

/// A query that can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Nothing to look for.
    #[error("the query has no words")]
    Empty,
    #[error("the query has {0} bytes; at most {MAX_QUERY_BYTES} are allowed")]
    TooLong(usize),
    /// A filter with a value that means nothing.
    #[error("`{filter}:{value}` is not a filter: {why}")]
    BadFilter {
        /// The filter's name.
        filter: &'static str,
        value: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A piece of the query's text.
enum Piece {
    Word(String),
    Phrase(String),
    Filter(&'static str, String),
}

const FILTERS: [&str; 5] = ["path", "lang", "kind", "collection", "repo"];

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(QueryError::TooLong(text.len()));
        }
        let mut query = Query::default();
        let mut words: Vec<String> = Vec::new();
        let mut paths: Vec<String> = Vec::new();
        for piece in pieces(text) {
            match piece {
                Piece::Word(word) => words.push(word),
                Piece::Phrase(phrase) => query.add_phrase(&phrase, &mut words),
                Piece::Filter("path", value) => paths.push(value),
                Piece::Filter("lang", value) => query.filter.languages.push(language(&value)?),
                Piece::Filter("kind", value) => query.filter.kinds.push(kind(&value)?),
                Piece::Filter("repo", value) => query.repos.push(value),
                Piece::Filter(_, value) => query.collections.push(value),
            }
        }
        query.narrow(&paths, &[], &[])?;
        query.text = words.join(" ");
        (query.terms.words, query.terms.counts) = terms_of_words(&words);
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

/// Reads a language of a filter.
fn language(value: &str) -> Result<Language, QueryError> {
    value.parse().map_err(|error: <Language as FromStr>::Err| QueryError::BadFilter {
        filter: "lang",
        value: value.to_owned(),
        why: error.to_string(),
    })
}

fn kind(value: &str) -> Result<ChunkKind, QueryError> {
    value.parse().map_err(|_| QueryError::BadFilter {
        filter: "kind",
        value: value.to_owned(),
        why: format!("the kinds are {}", ChunkKind::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    })
}

fn path_globs(paths: &[String]) -> Result<PathGlobs, QueryError> {
    PathGlobs::new(paths).map_err(|error| QueryError::BadFilter {
        filter: "path",
        value: paths.join(" "),
        why: error.kind().to_string(),
    })
}

/// The terms of some words, and how often each is said.
fn terms_of_words(words: &[String]) -> (Vec<String>, Vec<f32>) {
    let mut terms: Vec<String> = Vec::new();
    let mut counts: Vec<f32> = Vec::new();
    for (term, _) in words.iter().flat_map(|word| terms_of(word)) {
        match terms.iter().position(|known| *known == term) {
            Some(at) => counts[at] += 1.0,
            None if terms.len() < MAX_TERMS => {
                terms.push(term);
                counts.push(1.0);
            }
            None => {}
        }
    }
    (terms, counts)
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
        assert!("a".repeat(MAX_QUERY_BYTES + 1).parse::<Query>().is_err());
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
