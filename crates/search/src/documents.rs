//! What a document is about: its name, and further chunks of it that match, speak for its best chunk.
//!
//! Of further chunks only what they have above the background counts, that is, above the last of the best: long documents have many
//! chunks that match somehow, and a plain sum would put those first. Every further chunk counts half of the one before it. What stands
//! behind the last of the best has nothing above it, so that this is the same however many hits are wanted.

use std::collections::HashMap;

use ai_assist_index::terms_of;

use crate::Error;
use crate::features::{Feature, Features};
use crate::score::Placed;

/// How many chunks are looked at, and so where the background begins. Over `doc-links` 100 to 150 do alike.
pub(crate) const DEPTH: usize = 150;

/// What a further chunk counts of the one before it. Over `doc-links` and `issues` .5 does best; at .7 long pages win too often.
const DECAY: f32 = 0.5;

/// Where there are fewer chunks than that, what has less than this of the best is background.
const FLOOR: f32 = 0.5;

/// What it counts if the question says the name of a document. Over both sets .2 to .3 do alike.
const NAME: f32 = 0.2;

/// What a question says of a document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said {
    /// Whether it says the document's name.
    pub(crate) name: bool,
    /// What the document keeps for its role.
    pub(crate) kept: f32,
}

/// Adds what speaks for each document to its best chunk, scales everything so that no score is above what it could be before, and puts
/// it in order. `document` tells the documents of an index apart; `said` is what the question says of one. Returns the scale. The
/// ranking must be in order.
pub(crate) fn add(
    ranking: &mut [Placed],
    features: Features,
    document: impl Fn(&Placed) -> Result<u64, Error>,
    said: impl Fn(&Placed) -> Result<Said, Error>,
) -> Result<f32, Error> {
    let (head, _) = ranking.split_at_mut(ranking.len().min(DEPTH));
    let last = head.last().map_or(0.0, |last| last.score);
    let background =
        if head.len() < DEPTH { last.max(FLOOR * head.first().map_or(0.0, |first| first.score)) } else { last };
    // The place of each document's best chunk, and what the next one of it counts.
    let mut documents: HashMap<(usize, u64), (usize, f32)> = HashMap::new();
    for at in 0..head.len() {
        let placed = head[at];
        let document = (placed.index, document(&placed)?);
        match documents.get_mut(&document) {
            // Copies of a passage in one document say it once.
            Some((best, _)) if is_copy(&head[*best], &placed) => {}
            Some((best, share)) if features.has(Feature::Evidence) => {
                head[*best].parts.evidence += *share * (placed.score - background).max(0.0);
                *share *= DECAY;
            }
            Some(_) => {}
            None => {
                documents.insert(document, (at, DECAY));
                let said = said(&placed)?;
                if features.has(Feature::Name) && said.name {
                    head[at].parts.name = NAME * said.kept;
                }
            }
        }
    }
    let most = head.iter().map(|placed| placed.parts.evidence + placed.parts.name).fold(0.0, f32::max);
    let scale = 1.0 / (1.0 + most);
    for placed in ranking.iter_mut() {
        placed.parts = placed.parts.scaled(scale);
        placed.score = placed.parts.sum();
    }
    ranking.sort_unstable_by(Placed::order);
    Ok(scale)
}

/// Texts that are alike have the same words and the same vector.
fn is_copy(a: &Placed, b: &Placed) -> bool {
    a.cosine != 0.0 && a.cosine == b.cosine && a.words == b.words
}

/// Whether all that a file is called is among some terms. A file that is called as every other one goes by its folder.
pub(crate) fn is_said(path: &str, terms: &[String]) -> bool {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').find(|part| !part.is_empty()).unwrap_or(file);
    let is_any = matches!(
        stem.to_ascii_lowercase().as_str(),
        "index" | "_index" | "readme" | "mod" | "__init__" | "lib" | "main"
    );
    let name = if is_any { parts.next().unwrap_or_default() } else { stem };
    let mut of_name = terms_of(name)
        .into_iter()
        .map(|(term, _)| term)
        .filter(|term| !term.bytes().all(|b| b.is_ascii_digit()))
        .peekable();
    of_name.peek().is_some() && of_name.all(|term| terms.contains(&term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_if_all_of_it_is() {
        let terms = |text: &str| terms_of(text).into_iter().map(|(term, _)| term).collect::<Vec<_>>();
        for (path, question, said) in [
            ("src/retry.rs", "how does a retry wait", true),
            ("docs/04-02-slices.md", "string slices", true),
            ("docs/error-handling.md", "error in a loop", false),
            ("docs/error-handling.md", "handling errors", true),
            ("middleware/index.md", "what is middleware", true),
            ("index.md", "the index", false),
            ("src/.env.example", "env", true),
            ("123.md", "123", false),
            ("", "", false),
        ] {
            assert_eq!(is_said(path, &terms(question)), said, "{path}: {question}");
        }
    }

    /// An index none of whose paths has a word of the question is not asked for names.
    #[test]
    fn a_name_that_is_said_is_a_word_of_its_path() {
        for name in
            ["retry", "errorHandling", "HTTPServer2", "a.b.c", "snake_case_name", "größe", "漢字", "x-y--z", "v1_2"]
        {
            for path in [format!("{name}.md"), format!("src/deep/{name}.test.rs"), format!("{name}/index.html")] {
                let said: Vec<String> = terms_of(name).into_iter().map(|(term, _)| term).collect();
                let of_path: Vec<String> = terms_of(&path).into_iter().map(|(term, _)| term).collect();
                assert!(!is_said(&path, &said) || said.iter().any(|term| of_path.contains(term)), "{path}");
            }
        }
    }
}
