//! How a score came about.

use std::fmt;

use ai_assist_index::TermScore;
use serde::{Deserialize, Serialize};

/// How a score came about: the formula, and parts that add up to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub formula: Formula,
    pub parts: Vec<Part>,
    /// What each word in each field adds to the score by words, before that is scaled.
    pub terms: Vec<TermScore>,
}

/// What a part of a score adds to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub adds: f32,
}

/// The formula of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Formula {
    /// Words and meaning, each from 0 to 1 over everything that was searched; beside them what counts for a document of the
    /// kind asked about, and for a definition of a name asked for. All of it is scaled to make room for evidence.
    Scores { words: f32, meaning: f32, kind: f32, definition: f32, scale: f32 },
    /// The places in two rankings, each from 0 to ½, and the same beside them.
    Ranks { k: f32, kind: f32, definition: f32, scale: f32 },
    /// The place in the ranking of one index, among indexes whose scores can't be compared.
    RankOfIndex { k: f32, rank: usize },
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_words = |weight: f32, name: &str| (weight != 0.0).then(|| format!("{weight:.2} · {name}"));
        match *self {
            Formula::Scores { words, meaning, kind, definition, scale } => {
                let (rest, kind) = ((1.0 - definition) * (1.0 - kind), kind * (1.0 - definition));
                let parts =
                    [(words * rest, "words"), (meaning * rest, "meaning"), (kind, "kind"), (definition, "definition")];
                let parts: Vec<String> =
                    parts.into_iter().filter_map(|(weight, name)| of_words(weight * scale, name)).collect();
                f.write_str(&parts.join(" + "))
            }
            Formula::Ranks { k, kind, definition, scale } => {
                let (half, above) = (scale * (1.0 - definition) * (1.0 - kind) / 2.0, k + 1.0);
                write!(
                    f,
                    "{half:.2} · {above} / ({k} + rank by words) + {half:.2} · {above} / ({k} + rank by meaning)"
                )?;
                let more =
                    [of_words(scale * kind * (1.0 - definition), "kind"), of_words(scale * definition, "definition")];
                more.into_iter().flatten().try_for_each(|part| write!(f, " + {part}"))
            }
            Formula::RankOfIndex { k, rank } => {
                write!(f, "{} / ({k} + {rank}), its place in a ranking of its own", k + 1.0)
            }
        }
    }
}
