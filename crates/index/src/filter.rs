//! Which chunks a query is about, decided before any of them is ranked.

use std::collections::HashSet;
use std::sync::Arc;

use ai_assist_chunk::ChunkKind;
use ai_assist_text::Language;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use crate::mask::Mask;
use crate::names::Name;
use crate::reader::{Reader, SegmentView};
use crate::schema::{KEY, KIND, LANGUAGE, PATH};
use crate::{Error, Result};

/// Path globs of a filter, each with the text it was made from.
#[derive(Debug, Clone)]
pub struct PathGlobs {
    set: GlobSet,
    texts: Vec<String>,
}

impl PathGlobs {
    /// Compiles globs. A text without glob characters means the file itself and everything below it as a folder.
    pub fn new(texts: &[String]) -> std::result::Result<Self, globset::Error> {
        let mut set = GlobSetBuilder::new();
        for text in texts {
            let trimmed = text.trim_start_matches("./").trim_end_matches('/');
            let glob = |text: &str| GlobBuilder::new(text).literal_separator(true).build();
            set.add(glob(trimmed)?);
            if !trimmed.contains(['*', '?', '[', '{']) {
                set.add(glob(&format!("{trimmed}/**"))?);
            }
            if !trimmed.contains('/') {
                set.add(glob(&format!("**/{trimmed}"))?);
            }
        }
        Ok(PathGlobs { set: set.build()?, texts: texts.to_vec() })
    }

    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

/// What a chunk must be to be searched. Empty lists ask nothing; several values of one list are alternatives.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub paths: Option<PathGlobs>,
    pub languages: Vec<Language>,
    pub kinds: Vec<ChunkKind>,
    /// Chunks that define one of these names.
    pub defines: Vec<Name>,
    /// Documents by their key; none asks nothing.
    pub keys: Option<Arc<HashSet<u64>>>,
}

impl Filter {
    pub fn is_empty(&self) -> bool {
        self.paths.is_none()
            && self.languages.is_empty()
            && self.kinds.is_empty()
            && self.defines.is_empty()
            && self.keys.is_none()
    }

    /// Leaves out of `mask`, from `base` on, what does not pass.
    pub(crate) fn narrow(&self, segment: &SegmentView, base: usize, mask: &mut Mask) -> tantivy::Result<()> {
        if let Some(paths) = &self.paths {
            narrow_by(segment, PATH, base, mask, |path| paths.matches(path))?;
        }
        if !self.languages.is_empty() {
            narrow_by(segment, LANGUAGE, base, mask, |name| {
                self.languages.iter().any(|language| language.name() == name)
            })?;
        }
        if !self.kinds.is_empty() {
            narrow_by(segment, KIND, base, mask, |name| self.kinds.iter().any(|kind| kind.to_string() == name))?;
        }
        if let Some(keys) = &self.keys {
            by_key(segment, |key, doc| {
                if !keys.contains(&key) {
                    mask.remove(base + doc as usize);
                }
            })?;
        }
        Ok(())
    }
}

/// Which chunks something holds for.
#[derive(Debug, Clone)]
pub enum Fits {
    All,
    None,
    /// By the number of each chunk's language.
    Some(Arc<[u8]>, Vec<bool>),
}

impl Fits {
    #[inline]
    pub fn contains(&self, position: usize) -> bool {
        match self {
            Fits::All => true,
            Fits::None => false,
            Fits::Some(numbers, accepted) => {
                numbers.get(position).and_then(|number| accepted.get(usize::from(*number))).copied().unwrap_or(false)
            }
        }
    }
}

impl Reader {
    /// The chunks in some languages. Most indexes have documents of one kind, and then no chunk is looked at.
    pub fn in_languages(&self, accepts: impl Fn(Language) -> bool) -> Result<Fits> {
        let languages = self.languages()?;
        let accepted: Vec<bool> = languages.iter().map(|language| language.is_some_and(&accepts)).collect();
        Ok(match (accepted.contains(&true), accepted.contains(&false)) {
            (true, false) => Fits::All,
            (false, _) => Fits::None,
            (true, true) => Fits::Some(self.language_numbers(languages)?, accepted),
        })
    }

    /// The languages of all documents. Read once: a hundred small indexes are searched sooner than their columns are opened.
    fn languages(&self) -> Result<&[Option<Language>]> {
        if let Some(languages) = self.languages.get() {
            return Ok(languages);
        }
        let mut languages: Vec<Option<Language>> = Vec::new();
        for segment in &self.segments {
            for language in self.languages_of(segment)? {
                if !languages.contains(&language) {
                    languages.push(language);
                }
            }
        }
        Ok(self.languages.get_or_init(|| languages))
    }

    /// Those of a segment, by their number in its column.
    fn languages_of(&self, segment: &SegmentView) -> Result<Vec<Option<Language>>> {
        let engine = || Error::engine(&self.folder);
        let Some(column) = segment.reader.fast_fields().str(LANGUAGE).map_err(engine())? else { return Ok(Vec::new()) };
        let name = |number: u64| {
            let mut name = String::new();
            column.ord_to_str(number, &mut name).map_err(|error| engine()(error.into()))?;
            Ok(name.parse().ok())
        };
        (0..column.num_terms() as u64).map(name).collect()
    }

    /// Which of the languages each chunk is in.
    fn language_numbers(&self, languages: &[Option<Language>]) -> Result<Arc<[u8]>> {
        if let Some(numbers) = self.language_numbers.get() {
            return Ok(Arc::clone(numbers));
        }
        let mut numbers = vec![u8::MAX; self.len()];
        for segment in &self.segments {
            let number = |language: &Option<Language>| languages.iter().position(|known| known == language);
            let here: Vec<Option<usize>> = self.languages_of(segment)?.iter().map(number).collect();
            let column = segment.reader.fast_fields().str(LANGUAGE).map_err(Error::engine(&self.folder))?;
            let Some(column) = column else { continue };
            for doc in 0..segment.reader.max_doc() {
                let language = column.ords().first(doc).and_then(|number| *here.get(number as usize)?);
                if let (Some(language), Some(place)) = (language, numbers.get_mut(segment.base + doc as usize)) {
                    *place = u8::try_from(language).unwrap_or(u8::MAX);
                }
            }
        }
        Ok(Arc::clone(self.language_numbers.get_or_init(|| numbers.into())))
    }
}

/// Gives every chunk of a segment with the key of its document, dead ones included.
pub(crate) fn by_key(segment: &SegmentView, mut give: impl FnMut(u64, u32)) -> tantivy::Result<()> {
    let field = segment.reader.schema().get_field(KEY)?;
    let inverted = segment.reader.inverted_index(field)?;
    let mut terms = inverted.terms().stream()?;
    while terms.advance() {
        // Eight bytes, the greatest first, is how the engine writes a number as a term.
        let Ok(key) = <[u8; 8]>::try_from(terms.key()) else { continue };
        let key = u64::from_be_bytes(key);
        let mut postings = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let mut doc = postings.doc();
        while doc != TERMINATED {
            give(key, doc);
            doc = postings.advance();
        }
    }
    Ok(())
}

/// Asks `passes` once for each distinct value of a field, then goes by the value's number.
pub(crate) fn narrow_by(
    segment: &SegmentView,
    field: &str,
    base: usize,
    mask: &mut Mask,
    passes: impl Fn(&str) -> bool,
) -> tantivy::Result<()> {
    let chunks = segment.reader.max_doc();
    let Some(column) = segment.reader.fast_fields().str(field)? else {
        (0..chunks as usize).for_each(|doc| mask.remove(base + doc));
        return Ok(());
    };
    let mut value = String::new();
    let mut verdicts = Vec::with_capacity(column.num_terms());
    for number in 0..column.num_terms() as u64 {
        value.clear();
        column.ord_to_str(number, &mut value)?;
        verdicts.push(passes(&value));
    }
    for doc in 0..chunks {
        let passes = column.ords().first(doc).is_some_and(|number| verdicts.get(number as usize) == Some(&true));
        if !passes {
            mask.remove(base + doc as usize);
        }
    }
    Ok(())
}
