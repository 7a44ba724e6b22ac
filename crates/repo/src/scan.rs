//! Regular expressions over the documents of a build.
//!
//! The grams say which documents could match; their texts, as the index holds them, say which do. So an answer belongs to
//! one build, whatever the files on the disk have become, and shows no secret that indexing has taken out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ai_assist_base::Cancel;
use ai_assist_identity::Sha256;
use ai_assist_index::{DocumentText, Filter, Reader};
use ai_assist_text::{Language, LineRange};
use ai_assist_trigram::{Candidates, Effort, Limits, LineMatch, Pattern};
use serde::{Deserialize, Serialize};

use crate::build::{BuildError, Result};
use crate::layout::Mode;
use crate::repo_index::RepoIndex;

const LONGEST_LINE: usize = 4096;

#[derive(Debug, Clone, Copy)]
pub struct ScanRequest<'a> {
    pub pattern: &'a Pattern,
    /// Which documents are meant, by path and language. Kinds of chunks are not asked about.
    pub filter: &'a Filter,
    pub limit: usize,
    /// When to end with what was found by then.
    pub until: Option<Instant>,
}

impl ScanRequest<'_> {
    /// How long a scan may take unless something else is said: far more than any that is meant.
    pub const TIMEOUT: Duration = Duration::from_secs(10);

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// A line that matches; several, for a match across lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScannedLine {
    pub document: String,
    pub lines: LineRange,
    /// The text without its last line end, at most 4096 bytes of it.
    pub text: String,
    /// Where in the text the matches are, in bytes. Those are left out that end beyond the text shown, and the 65th of a
    /// line and all after it.
    pub matches: Vec<(usize, usize)>,
    pub language: Language,
    pub hash: Sha256,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scan {
    /// The first lines that match, by path and then by place.
    pub lines: Vec<ScannedLine>,
    pub found: usize,
    pub files: usize,
    pub scanned: usize,
    /// How many documents there are, whatever the filter.
    pub documents: usize,
    /// How many were not searched to their end: the time was over, or the pattern takes too long for such a text.
    pub unfinished: usize,
}

/// Finds the lines of an index's documents that match a pattern.
///
/// Lines of extracted prose are those of the remarks, with the numbers that they have in their files; no match reaches
/// from one chunk of remarks into the next.
pub fn scan(index: &RepoIndex, request: &ScanRequest<'_>, cancel: &Cancel) -> Result<Scan> {
    let candidates = index.grams()?.candidates(&request.pattern.plan)?;
    let keys = match &candidates {
        Candidates::All => None,
        Candidates::Some(keys) => Some(keys.as_slice()),
    };
    let by_chunk = index.state.mode == Mode::ExtractedProse;
    scan_texts(&index.reader, keys, by_chunk, request, cancel)
}

/// The same for any index; without keys, every document is looked at.
pub fn scan_texts(
    reader: &Reader,
    keys: Option<&[u64]>,
    by_chunk: bool,
    request: &ScanRequest<'_>,
    cancel: &Cancel,
) -> Result<Scan> {
    let filter = Filter { kinds: Vec::new(), ..request.filter.clone() };
    let mask = reader.select(&filter)?;
    let go_on = || !request.is_late() && !cancel.is_cancelled();
    let scanner =
        Scanner { by_chunk, request, effort: Effort::while_true(&go_on).until(request.until), found: Mutex::default() };
    let scanned = reader.texts(keys, &mask, |document| {
        if go_on() {
            scanner.look(document)?;
        } else {
            scanner.found().unfinished += 1;
        }
        if cancel.is_cancelled() { Err(BuildError::Cancelled) } else { Ok(()) }
    })?;
    let documents = usize::try_from(reader.commit().documents).unwrap_or(usize::MAX);
    let found = scanner.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let lines = found.lines.into_values().flatten().take(request.limit).collect();
    let unfinished = found.unfinished;
    Ok(Scan { lines, found: found.count, files: found.files, scanned, documents, unfinished })
}

struct Scanner<'s> {
    /// Whether each chunk is a text of its own.
    by_chunk: bool,
    request: &'s ScanRequest<'s>,
    effort: Effort<'s>,
    found: Mutex<Found>,
}

/// What was found so far. Documents come in any order, so of each path as many lines are kept as could still count.
#[derive(Debug, Default)]
struct Found {
    lines: BTreeMap<String, Vec<ScannedLine>>,
    kept: usize,
    count: usize,
    files: usize,
    unfinished: usize,
}

impl Found {
    /// Whether lines of a path could be among the first.
    fn wants(&self, path: &str, limit: usize) -> bool {
        self.kept < limit || self.lines.last_key_value().is_some_and(|(last, _)| path < last.as_str())
    }

    fn keep(&mut self, path: String, lines: Vec<ScannedLine>, limit: usize) {
        self.kept += lines.len();
        self.lines.insert(path, lines);
        while let Some(last) = self.lines.last_entry()
            && self.kept - last.get().len() >= limit
        {
            self.kept -= last.remove().len();
        }
    }
}

/// A text that is searched by itself, with the number of its first line.
struct Part<'t> {
    text: &'t str,
    first_line: usize,
    matches: Vec<LineMatch>,
}

impl Scanner<'_> {
    fn look(&self, document: &DocumentText<'_>) -> Result<()> {
        let (parts, is_whole) = self.parts(document)?;
        self.found().unfinished += usize::from(!is_whole);
        let count: usize = parts.iter().map(|part| part.matches.len()).sum();
        if count == 0 {
            return Ok(());
        }
        let record = document.record(0)?;
        let limit = self.request.limit;
        let mut found = self.found();
        found.count += count;
        found.files += 1;
        if !found.wants(&record.document, limit) {
            return Ok(());
        }
        drop(found);
        let matches = parts.iter().flat_map(|part| part.matches.iter().map(move |found| (part, found)));
        let line = |(part, found): (&Part<'_>, &LineMatch)| {
            let (text, matches) = shown(part.text, found);
            let lines = lines_of(part, found);
            let (document, language, hash) = (record.document.clone(), record.language, record.hash);
            ScannedLine { document, lines, text, matches, language, hash }
        };
        let lines = matches.take(limit).map(line).collect();
        self.found().keep(record.document.clone(), lines, limit);
        Ok(())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parts of a document with what matches in them, and whether they were searched to their end.
    fn parts<'t>(&self, document: &'t DocumentText<'_>) -> Result<(Vec<Part<'t>>, bool)> {
        let pattern = self.request.pattern;
        let matching = |text: &str| pattern.matching_lines_within(text, Limits::default(), &self.effort);
        if !self.by_chunk {
            let (matches, is_whole) = matching(&document.text);
            return Ok((vec![Part { text: &document.text, first_line: 1, matches }], is_whole));
        }
        let (mut parts, mut all_whole) = (Vec::new(), true);
        for (chunk, text) in document.chunks().enumerate() {
            let (matches, is_whole) = matching(text);
            all_whole &= is_whole;
            if !matches.is_empty() {
                let record = document.record(chunk)?;
                parts.push(Part { text, first_line: record.lines.start as usize, matches });
            }
        }
        Ok((parts, all_whole))
    }
}

fn lines_of(part: &Part<'_>, found: &LineMatch) -> LineRange {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let start = part.first_line.saturating_add(found.line).saturating_sub(1);
    let more = part.text.get(found.bytes.clone()).map_or(0, |text| text.matches('\n').count());
    LineRange { start: number(start), end: number(start.saturating_add(more)) }
}

/// The text of a line as far as it is shown, and the matches in that.
fn shown(text: &str, found: &LineMatch) -> (String, Vec<(usize, usize)>) {
    let line = text.get(found.bytes.clone()).unwrap_or_default();
    let line = &line[..line.floor_char_boundary(LONGEST_LINE)];
    let start = found.bytes.start;
    let within = |found: &Range<usize>| {
        let place = (found.start.checked_sub(start)?, found.end.checked_sub(start)?);
        (place.1 <= line.len()).then_some(place)
    };
    (line.to_owned(), found.matches.iter().filter_map(within).collect())
}

#[cfg(test)]
mod tests {
    use ai_assist_trigram::PatternOptions;

    use super::*;

    fn first(text: &str, pattern: &str, options: PatternOptions) -> (LineRange, String, Vec<(usize, usize)>) {
        let pattern = Pattern::new(pattern, options).unwrap();
        let matches = pattern.matching_lines(text, Limits::default());
        let part = Part { text, first_line: 10, matches };
        let (shown, places) = shown(text, &part.matches[0]);
        (lines_of(&part, &part.matches[0]), shown, places)
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = format!("short\nneedle {}needle\n", "é".repeat(3000));
        let (lines, text, places) = first(&long, "needle", PatternOptions::default());
        assert_eq!(lines, LineRange { start: 11, end: 11 });
        assert_eq!((text.len(), places), (4095, vec![(0, 6)]));
    }

    #[test]
    fn a_match_across_lines_has_them_all() {
        let options = PatternOptions { multiline: true, ..PatternOptions::default() };
        let (lines, text, places) = first("a\nxb\nc\nd\n", "b\nc", options);
        assert_eq!((lines, text.as_str(), places), (LineRange { start: 11, end: 12 }, "xb\nc", vec![(1, 4)]));
    }

    #[test]
    fn only_the_first_lines_are_kept_whatever_their_order() {
        let line = |path: &str, number: u32| ScannedLine {
            document: path.to_owned(),
            lines: LineRange { start: number, end: number },
            text: String::new(),
            matches: Vec::new(),
            language: Language::TEXT,
            hash: Sha256::of(b""),
        };
        for order in [["a", "b", "c", "d"], ["d", "c", "b", "a"], ["c", "a", "d", "b"]] {
            let mut found = Found::default();
            for path in order {
                if found.wants(path, 3) {
                    found.keep(path.to_owned(), (1..=2).map(|number| line(path, number)).collect(), 3);
                }
                assert!(found.kept <= 4, "no more than the limit and what came with its last line");
            }
            let kept: Vec<&str> = found.lines.keys().map(String::as_str).collect();
            assert_eq!((kept, found.wants("az", 3), found.wants("bz", 3)), (vec!["a", "b"], true, false));
        }
    }
}
