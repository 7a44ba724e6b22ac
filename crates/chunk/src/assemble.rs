//! Sections to pieces: small neighbours are joined, bare headings go with what follows, large sections are cut.

use std::ops::Range;

use ai_assist_base::stopped;

use crate::measure::Measure;
use crate::{ChunkKind, Defined, Limits, split};
use ai_assist_syntax::structure::{Section, Structure, Style, parents, path};

/// A chunk before its lines are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub bytes: Range<usize>,
    pub path: Vec<String>,
    pub kind: ChunkKind,
    pub defines: Vec<Defined>,
}

/// A section's own text, or a small section with all that lies in it.
#[derive(Debug)]
struct Unit {
    bytes: Range<usize>,
    section: usize,
    /// The last section it covers.
    last: usize,
}

/// Units that become one chunk.
struct Group {
    bytes: Range<usize>,
    /// The sections that its units stand for.
    sections: Vec<usize>,
    /// The section whose children its units are, if there is more than one.
    joins: Option<Option<usize>>,
}

struct Assembly<'a> {
    text: &'a str,
    style: Style,
    limits: &'a Limits,
    sections: Vec<Section>,
    parents: Vec<Option<usize>>,
    measure: &'a Measure,
}

/// Joins and cuts the sections of a text into pieces that cover it.
pub(crate) fn assemble(text: &str, structure: &mut Structure, limits: &Limits) -> Vec<Piece> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut sections = std::mem::take(&mut structure.sections);
    match sections.first_mut() {
        Some(first) if text[..first.start].trim().is_empty() => first.start = 0,
        _ => sections.insert(0, Section::unnamed(0, structure.loose)),
    }
    let parents = parents(&sections);
    let measure = &Measure::new(text, structure, &sections);
    // Records are no text that a reader measures by its letters.
    let by_bytes = Measure::of_bytes();
    let cuts = if structure.loose == ChunkKind::Text { measure } else { &by_bytes };
    let assembly = Assembly { text, style: structure.style, limits, sections, parents, measure };

    let mut pieces: Vec<Piece> = Vec::new();
    for group in assembly.groups() {
        if stopped() {
            break;
        }
        let (path, kind) = assembly.describe(&group);
        split::split(text, group.bytes, &structure.breaks, structure.style, limits, cuts, |bytes| {
            push(text, &mut pieces, Piece { bytes, path: path.clone(), kind, defines: Vec::new() }, limits.max);
        });
    }
    assembly.attribute(&mut pieces);
    pieces
}

/// Adds a piece; white space alone is no piece if it fits with a neighbour.
fn push(text: &str, pieces: &mut Vec<Piece>, mut piece: Piece, max: usize) {
    let blank = |bytes: &Range<usize>| text[bytes.clone()].trim().is_empty();
    let first = pieces.len() == 1;
    if let Some(before) = pieces.last_mut()
        && piece.bytes.end - before.bytes.start <= max
    {
        if blank(&piece.bytes) {
            before.bytes.end = piece.bytes.end;
            return;
        }
        if first && blank(&before.bytes) {
            piece.bytes.start = before.bytes.start;
            *before = piece;
            return;
        }
    }
    pieces.push(piece);
}

impl Assembly<'_> {
    /// Gives each named section to the piece that has its heading or signature: a long comment before a definition may fill
    /// pieces of its own.
    fn attribute(&self, pieces: &mut [Piece]) {
        for (index, section) in self.sections.iter().enumerate() {
            let Some(name) = section.name.as_ref().filter(|name| !name.is_empty()) else { continue };
            let piece = pieces.partition_point(|piece| piece.bytes.end <= section.at);
            let outer = || self.sections[self.parents[index]?].name.clone();
            let parent = section.owner.clone().or_else(outer);
            if let Some(piece) = pieces.get_mut(piece) {
                piece.defines.push(Defined { name: name.clone(), parent, kind: section.kind });
            }
        }
    }

    fn own_end(&self, section: usize) -> usize {
        self.sections.get(section + 1).map_or(self.text.len(), |next| next.start)
    }

    fn size(&self, bytes: &Range<usize>) -> usize {
        self.measure.size(bytes)
    }

    /// What is no larger than this is joined with its neighbours; what is larger is worth a chunk of its own.
    fn small(&self) -> usize {
        self.limits.target / 3
    }

    fn units(&self) -> Vec<Unit> {
        let count = self.sections.len();
        let mut last: Vec<usize> = (0..count).collect();
        let mut largest_child = vec![0; count];
        for index in (0..count).rev() {
            if let Some(parent) = self.parents[index] {
                let total = self.size(&(self.sections[index].start..self.own_end(last[index])));
                last[parent] = last[parent].max(last[index]);
                largest_child[parent] = largest_child[parent].max(total);
            }
        }
        let mut units = Vec::new();
        let mut index = 0;
        while index < count {
            let start = self.sections[index].start;
            let fits = self.size(&(start..self.own_end(last[index]))) <= self.limits.target;
            let whole = fits && (self.style == Style::Code || largest_child[index] <= self.small());
            let end = if whole { last[index] } else { index };
            units.push(Unit { bytes: start..self.own_end(end), section: index, last: end });
            index = end + 1;
        }
        units
    }

    /// Whether a unit is a heading with nothing under it but the sections that follow.
    fn is_bare(&self, unit: &Unit) -> bool {
        let section = &self.sections[unit.section];
        unit.last == unit.section
            && section.name.is_some()
            && section.body > section.start
            && self.text[section.body.min(unit.bytes.end)..unit.bytes.end].trim().is_empty()
    }

    /// Puts bare headings before their first child. Its path names them, so nothing is lost.
    fn with_headings(&self, units: Vec<Unit>) -> Vec<Unit> {
        let mut joined: Vec<Unit> = Vec::with_capacity(units.len());
        let mut heading: Option<Unit> = None;
        for mut unit in units {
            if let Some(bare) = heading.take() {
                let together = unit.bytes.end - bare.bytes.start;
                let fits = together <= self.limits.max || unit.bytes.len() > self.limits.max;
                if self.parents[unit.section] == Some(bare.section) && fits {
                    unit.bytes.start = bare.bytes.start;
                } else {
                    joined.push(bare);
                }
            }
            // A unit that has just taken a bare heading and is itself bare hands both on: it starts before its section.
            if self.is_bare(&unit) {
                heading = Some(unit);
            } else {
                joined.push(unit);
            }
        }
        joined.extend(heading);
        joined
    }

    /// Small neighbours become one group, or as many of about the same size as it takes to keep to the target. What falls into which
    /// depends on shares of the whole, so that a little more or less of markup somewhere does not move every border behind it.
    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut run: Vec<Unit> = Vec::new();
        let mut joins = None;
        for unit in self.with_headings(self.units()) {
            let joined = match run.first() {
                Some(first) if self.is_open(&unit) && self.is_open(first) => self.relation(first.section, joins, &unit),
                _ => None,
            };
            if joined.is_none() {
                self.close(std::mem::take(&mut run), joins, &mut groups);
            }
            joins = joined;
            run.push(unit);
        }
        self.close(run, joins, &mut groups);
        groups
    }

    /// Whether others may join a unit.
    fn is_open(&self, unit: &Unit) -> bool {
        self.size(&unit.bytes) <= self.small() && !self.sections[unit.section].alone
    }

    fn close(&self, run: Vec<Unit>, joins: Option<Option<usize>>, groups: &mut Vec<Group>) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let start = first.bytes.start;
        let total = self.size(&(start..last.bytes.end)).max(1);
        let parts = total.div_ceil(self.limits.target);
        let mut part = None;
        for unit in run {
            let middle = self.size(&(start..unit.bytes.start)) + self.size(&unit.bytes) / 2;
            let now = Some(middle * parts / total);
            match groups.last_mut() {
                Some(group) if now == part => {
                    group.bytes.end = unit.bytes.end;
                    group.sections.push(unit.section);
                    group.joins = joins;
                }
                _ => groups.push(Group { bytes: unit.bytes, sections: vec![unit.section], joins: None }),
            }
            part = now;
        }
    }

    /// The parent under which a unit joins others: it must be a sibling of theirs or a child of the first.
    fn relation(&self, first: usize, joins: Option<Option<usize>>, unit: &Unit) -> Option<Option<usize>> {
        let parent = self.parents[unit.section];
        let fits = match joins {
            Some(joins) => parent == joins,
            None => parent == self.parents[first] || parent == Some(first),
        };
        fits.then_some(parent)
    }

    /// The path and kind of a group: those of its one named section, else what all have in common.
    fn describe(&self, group: &Group) -> (Vec<String>, ChunkKind) {
        let of = |section: usize| path(&self.sections, &self.parents, section);
        let named: Vec<usize> =
            group.sections.iter().copied().filter(|&section| self.sections[section].name.is_some()).collect();
        let sections = if named.is_empty() { &group.sections } else { &named };
        let mut common = sections.first().map(|&section| of(section)).unwrap_or_default();
        for &section in sections.iter().skip(1) {
            let other = of(section);
            let shared = common.iter().zip(&other).take_while(|(a, b)| a == b).count();
            common.truncate(shared);
        }
        // A container that its members have joined is still that container.
        if let (Some(Some(container)), Some(&first)) = (group.joins, group.sections.first())
            && container == first
        {
            return (common, self.sections[first].kind);
        }
        let mut kinds = sections.iter().map(|&section| self.sections[section].kind);
        let kind = kinds.next().unwrap_or(ChunkKind::Text);
        let mixed = match self.style {
            Style::Code => ChunkKind::Code,
            Style::Prose => ChunkKind::Section,
        };
        (common, if kinds.all(|other| other == kind) { kind } else { mixed })
    }
}
