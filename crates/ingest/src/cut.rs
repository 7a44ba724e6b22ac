//! A text to the documents that are made of it.

use std::sync::{Mutex, PoisonError};

use ai_assist_chunk::{Limits, chunk_program, chunk_text};
use ai_assist_convert::place;
use ai_assist_embed::{Embedder, Quantised};
use ai_assist_identity::Sha256;
use ai_assist_index::{IndexChunk, IndexDocument, Result, VectorCache};
use ai_assist_syntax::{Facts, Offered, Program, Reference, Said, Wanted, has_grammar};
use ai_assist_text::Language;

use crate::api::api;
use crate::remarks::remarks;

/// A text is large from this size on, in bytes.
const LARGE: usize = 512 << 10;

/// Held while a large text is cut: its syntax tree may take a hundred times its size, and one at a time is enough.
static ONE_LARGE: Mutex<()> = Mutex::new(());

/// What of a text becomes a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Whole,
    /// The whole of it, with what the code says about itself.
    Facts,
    /// The comments and docstrings of a program.
    Remarks,
    /// What a program offers to others: its public items with what is said of them. The whole of what is no program, or of one in a
    /// language whose public items can't be told.
    Api,
}

/// A document before it is embedded and named.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    pub title: Option<String>,
    pub chunks: Vec<IndexChunk>,
    /// What the code says about itself, and the names it uses, if the view asks for them.
    pub facts: Option<Facts>,
    pub references: Vec<Reference>,
    /// Whether it should be a program, and its parser has given up on it.
    pub given_up: bool,
}

/// What an index calls a document.
#[derive(Debug, Clone, Copy)]
pub struct Named<'n> {
    pub key: u64,
    pub path: &'n str,
    pub language: Language,
    pub hash: Sha256,
}

/// Gives all vectors of a document by its title and chunks, or none.
pub type Given<'g> = dyn Fn(Option<&str>, &[IndexChunk]) -> Option<Quantised> + Sync + 'g;

/// Where vectors come from: those that are given with the texts, then the cache, then the model.
#[derive(Clone, Copy)]
pub struct Vectors<'v> {
    pub embedder: &'v dyn Embedder,
    pub cache: Option<&'v VectorCache>,
    pub given: Option<&'v Given<'v>>,
}

impl<'v> Vectors<'v> {
    pub fn new(embedder: &'v dyn Embedder, cache: Option<&'v VectorCache>) -> Self {
        Vectors { embedder, cache, given: None }
    }
}

/// Parses a text once and cuts it for each view. The syntax tree is gone afterwards, before embedding takes its memory.
pub fn cut(text: &str, language: Language, views: &[View]) -> Vec<Cut> {
    if views.is_empty() {
        return Vec::new();
    }
    let lock = || ONE_LARGE.lock().unwrap_or_else(PoisonError::into_inner);
    let _alone = (text.len() >= LARGE).then(lock);
    let program = Program::parse(text, language);
    let (title, chunks) = match &program {
        Some(program) => (None, chunk_program(program, &Limits::default())),
        None => chunk_text(text, language, &Limits::default()),
    };
    let given_up = program.is_none() && has_grammar(language);
    let wanted = Wanted { analysis: views.contains(&View::Facts), remarks: views.contains(&View::Remarks) };
    let mut said = Said::default();
    if let Some(program) = program.as_ref().filter(|_| wanted.analysis || wanted.remarks) {
        said = program.read(wanted);
    }
    let mut places = Places::of(text, language);
    let mut whole = || Cut {
        title: title.clone(),
        given_up,
        chunks: chunks.iter().map(|chunk| places.cite(IndexChunk::of(chunk.clone(), text))).collect(),
        ..Cut::default()
    };
    let mut cut = |view: &View| match (view, &program) {
        (View::Whole, _) | (View::Facts, None) => whole(),
        (View::Facts, Some(_)) => {
            Cut { facts: said.facts.take(), references: std::mem::take(&mut said.references), ..whole() }
        }
        (View::Remarks, Some(_)) => Cut { chunks: remarks(text, &said.remarks, &chunks), ..Cut::default() },
        (View::Remarks, None) => Cut::default(),
        (View::Api, program) => match program.as_ref().and_then(Program::public_items) {
            Some(items) => Cut { chunks: api(text, &items), ..Cut::default() },
            None => whole(),
        },
    };
    views.iter().map(&mut cut).collect()
}

/// Cuts the public items of a program, of which others can reach some.
pub fn cut_offered(text: &str, language: Language, offered: &Offered) -> Cut {
    let items = Program::parse(text, language).and_then(|program| program.public_items());
    match items {
        Some(items) if *offered != Offered::All => {
            let items: Vec<_> = items.into_iter().filter(|item| offered.has(item)).collect();
            Cut { chunks: api(text, &items), ..Cut::default() }
        }
        _ => cut(text, language, &[View::Api]).pop().unwrap_or_default(),
    }
}

/// The lines of a converted text that say where in the original what follows stands.
struct Places<'t> {
    /// Where each begins, and what it says.
    all: Vec<(u64, &'t str)>,
}

impl<'t> Places<'t> {
    fn of(text: &'t str, language: Language) -> Self {
        let mut all = Vec::new();
        if language == Language::MARKDOWN && text.contains(place::OPEN) {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                all.extend(place::of_line(line).map(|place| (at, place)));
                at += line.len() as u64;
            }
        }
        Places { all }
    }

    /// Says of a chunk where it stands, and leaves what said so out of its words.
    fn cite(&mut self, mut chunk: IndexChunk) -> IndexChunk {
        if self.all.is_empty() {
            return chunk;
        }
        let says = |line: &str| place::of_line(line).is_some();
        let first = chunk.text.split_inclusive('\n').take_while(|line| says(line) || line.trim().is_empty());
        let from = chunk.bytes.0 + first.map(|line| line.len() as u64).sum::<u64>();
        let before = self.all.partition_point(|(at, _)| *at < from.max(chunk.bytes.0 + 1));
        chunk.place = before.checked_sub(1).map(|last| self.all[last].1.to_owned());
        if chunk.text.contains(place::OPEN) {
            let blank = |line| if says(line) { "\n" } else { line };
            chunk.text = chunk.text.split_inclusive('\n').map(blank).collect();
        }
        chunk
    }
}

impl Cut {
    pub fn whole(text: &str, language: Language) -> Self {
        cut(text, language, &[View::Whole]).pop().unwrap_or_default()
    }

    pub fn document(self, named: Named<'_>, vectors: &Vectors<'_>) -> Result<IndexDocument> {
        let Cut { title, chunks, .. } = self;
        let given = vectors.given.and_then(|given| given(title.as_deref(), &chunks));
        let vectors = match given {
            Some(given) => given,
            None => IndexDocument::embed(title.as_deref(), &chunks, vectors.embedder, vectors.cache)?,
        };
        let Named { key, path, language, hash } = named;
        Ok(IndexDocument { key, path: path.to_owned(), title, language, hash, chunks, vectors, kept: None })
    }
}

#[cfg(test)]
mod tests {
    use ai_assist_embed::StaticModel;

    use super::*;

    const PROGRAM: &str = "use std::fmt;\n\n/// Says hello.\npub fn hello() -> fmt::Result {\n    fmt::greet()\n}\n";

    #[test]
    fn the_whole_of_a_text_is_what_the_chunker_gives() {
        let texts =
            ["", "\n", "# One\n\ntext\n\n## Two\n\nmore\n", "{\"a\": 1}\n", PROGRAM, "a,b\n1,2\n", "<h1>T</h1>"];
        for language in ["markdown", "rust", "json", "csv", "html", "yaml", "css", "python", "plain text"] {
            let Ok(language) = language.parse::<Language>() else { continue };
            for text in texts {
                let cut = Cut::whole(text, language);
                let chunks = ai_assist_chunk::chunk(text, language, &Limits::default());
                assert_eq!(cut.title, ai_assist_chunk::title(text, language), "{text:?} as {language:?}");
                let cut: Vec<_> = cut.chunks.iter().map(|it| (it.bytes, it.kind, it.path.clone())).collect();
                let bytes = |chunk: &ai_assist_chunk::Chunk| (chunk.bytes.start as u64, chunk.bytes.end as u64);
                let chunks: Vec<_> = chunks.iter().map(|it| (bytes(it), it.kind, it.path.clone())).collect();
                assert_eq!(cut, chunks, "{text:?} as {language:?}");
            }
        }
    }

    /// 16.1: parsing, scanning, cutting and embedding each hear that nobody wants their text any more.
    #[test]
    fn every_step_within_a_text_hears_a_cancel() {
        use ai_assist_base::Cancel;
        use std::sync::atomic::{AtomicUsize, Ordering};
        let many = |line: &str| line.repeat(60_000 / line.len() * 10);
        let texts = [
            ("rust", many(PROGRAM)),
            ("python", many("def f(a):\n    \"\"\"Does.\"\"\"\n    return g(a)\n")),
            ("markdown", many("# One\n\nsome text\n\n")),
            ("html", many("<h2>One</h2><p>some text</p>\n")),
            ("json", many("{\"a\": 1},\n")),
            ("text", many("some words on a line\n")),
            ("yaml", many("key: value\n")),
        ];
        for (language, text) in texts {
            let Ok(language) = language.parse::<Language>() else { panic!("{language}") };
            let covered =
                |cuts: Vec<Cut>| cuts.iter().flat_map(|cut| &cut.chunks).map(|it| it.text.len()).sum::<usize>();
            let views = [View::Whole];
            assert_eq!(Cancel::default().during(|| covered(cut(&text, language, &views))), text.len());
            for moment in [0, 5, 20] {
                let asked = AtomicUsize::new(0);
                let cancel = Cancel::when(move || asked.fetch_add(1, Ordering::Relaxed) >= moment);
                let done = cancel.during(|| covered(cut(&text, language, &views)));
                assert!(cancel.is_cancelled() && done < text.len(), "{language:?} at {moment}: {done}");
            }
            let whole = Cut::whole(&text, language);
            let chunks = whole.chunks.len();
            let cancel = Cancel::when(|| true);
            let named = Named { key: 1, path: "a", language, hash: Sha256::of(b"a") };
            let vectors = Vectors::new(StaticModel::bundled(), None);
            let document = cancel.during(|| whole.document(named, &vectors)).unwrap();
            assert!(chunks > 100 && document.vectors.is_empty());
        }
    }

    #[test]
    fn a_program_has_every_view_and_a_text_has_one() {
        let all = [View::Whole, View::Facts, View::Remarks];
        let shown = |text: &str, language: Language| {
            let cuts = cut(text, language, &all);
            cuts.iter().map(|cut| (cut.chunks.len(), cut.facts.is_some(), cut.references.len())).collect::<Vec<_>>()
        };
        let program = shown(PROGRAM, Language::RUST);
        assert!(program[0].0 > 0 && !program[0].1 && program[0].2 == 0, "{program:?}");
        assert!(program[1].0 == program[0].0 && program[1].1 && program[1].2 > 0, "{program:?}");
        assert!(program[2].0 == 1 && !program[2].1, "{program:?}");
        assert_eq!(shown("# Title\n", Language::MARKDOWN), [(1, false, 0), (1, false, 0), (0, false, 0)]);
        assert!(cut(PROGRAM, Language::RUST, &[]).is_empty());
    }

    #[test]
    fn vectors_that_are_given_are_taken() {
        let model = StaticModel::bundled();
        let other = model.embed_quantised(&["something else"]).unwrap();
        let given = |title: Option<&str>, _: &[IndexChunk]| title.is_some().then(|| other.clone());
        let vectors = Vectors { given: Some(&given), ..Vectors::new(model, None) };
        let named = Named { key: 7, path: "a", language: Language::MARKDOWN, hash: Sha256::of(b"a") };
        let of = |text| Cut::whole(text, Language::MARKDOWN).document(named, &vectors).unwrap();
        assert_eq!(of("# Title\n").vectors, other);
        let plain = of("text\n");
        assert_eq!((plain.key, plain.path.as_str(), plain.chunks.len()), (7, "a", 1));
        assert_ne!(plain.vectors, other);
    }
}
