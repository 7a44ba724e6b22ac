//! From a pattern to what every match of it must hold.
//!
//! For each part of the pattern, bottom up, one of two things is known. Either all strings it can match, when they are few
//! ([`Shape::Exact`]); or what each match begins and ends with ([`Shape::Edges`]), so that grams across the seam to its
//! neighbour are found, and what it must hold in between ([`Part::needs`]). All strings are folded bytes, as in the index:
//! folding a match gives a piece of the folded text, so what holds for folded strings holds for every case.
//!
//! All sets are bounded, and every part adds a bounded amount, so the work is linear in the pattern.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::fold::{BEYOND_ASCII, FOLDED, fold_char, fold_str};
use crate::plan::Node;

type Strings = BTreeSet<Vec<u8>>;

/// The largest class that is spelt out: the hexadecimal digits are, all letters are not.
const MOST_IN_CLASS: usize = 16;

/// The most strings in one set: two decimal digits fit.
const MOST_STRINGS: usize = 128;

/// The most strings across the seam of two parts.
const MOST_AT_SEAM: usize = 256;

/// Grams needed by a part, beyond which no more are looked for.
const MOST_NEEDS: usize = 4096;

/// The longest string in a set of all matches.
const LONGEST: usize = 256;

/// How often a counted repetition is spelt out.
const MOST_REPEATS: u32 = 8;

/// What a string at an edge needs, to make every gram across the seam.
const EDGE: usize = 2;

/// What every match of the pattern must hold.
pub(crate) fn required(pattern: &Hir) -> Node {
    part(pattern).into_needs()
}

#[derive(Debug, Clone)]
enum Shape {
    Exact(Strings),
    /// Each match begins with one of the first and ends with one of the second; an empty string says nothing.
    Edges {
        starts: Strings,
        ends: Strings,
    },
}

#[derive(Debug, Clone)]
struct Part {
    shape: Shape,
    /// What each match holds, beside what an exact shape says.
    needs: Node,
}

impl Part {
    fn exact(strings: Strings) -> Part {
        let fits = strings.len() <= MOST_STRINGS && strings.iter().all(|string| string.len() <= LONGEST);
        let part = Part { shape: Shape::Exact(strings), needs: Node::All };
        if fits { part } else { part.opened() }
    }

    fn empty() -> Part {
        Part::exact(Strings::from([Vec::new()]))
    }

    fn anything() -> Part {
        let nothing_known = Strings::from([Vec::new()]);
        Part { shape: Shape::Edges { starts: nothing_known.clone(), ends: nothing_known }, needs: Node::All }
    }

    /// The same with edges instead of exact strings.
    fn opened(self) -> Part {
        match self.shape {
            Shape::Edges { .. } => self,
            Shape::Exact(strings) => {
                let needs = Node::both([self.needs, any_of(&strings)]);
                Part { shape: Shape::Edges { starts: heads(&strings), ends: tails(&strings) }, needs }
            }
        }
    }

    fn into_needs(self) -> Node {
        self.opened().needs
    }

    /// What the matches begin with; all of them if they are known.
    fn starts(&self) -> &Strings {
        match &self.shape {
            Shape::Exact(strings) => strings,
            Shape::Edges { starts, .. } => starts,
        }
    }

    fn ends(&self) -> &Strings {
        match &self.shape {
            Shape::Exact(strings) => strings,
            Shape::Edges { ends, .. } => ends,
        }
    }
}

fn part(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::empty(),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Part::exact(Strings::from([fold_str(text)])),
            // Bytes that are no text match no text; claiming nothing is right whatever they are.
            Err(_) => Part::anything(),
        },
        HirKind::Class(class) => class_part(class),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(subs) => subs.iter().map(part).reduce(then).unwrap_or_else(Part::empty),
        HirKind::Alternation(subs) => one_of(subs.iter().map(part).collect()),
    }
}

fn class_part(class: &Class) -> Part {
    let mut strings = Strings::new();
    let Class::Unicode(class) = class else { return bytes_part(class) };
    for range in class.ranges() {
        for c in range.start()..=range.end() {
            strings.insert(fold_char(c).encode_utf8(&mut [0; 4]).as_bytes().to_vec());
            if strings.len() > MOST_IN_CLASS {
                let beyond_ascii = class.ranges().first().is_some_and(|lowest| !lowest.start().is_ascii());
                let needs = if beyond_ascii { Node::grams(vec![BEYOND_ASCII]) } else { Node::All };
                return Part { needs, ..Part::anything() };
            }
        }
    }
    Part::exact(strings)
}

/// A class of bytes, from a pattern without Unicode. Above ASCII a byte is only a piece of a character.
fn bytes_part(class: &Class) -> Part {
    let Class::Bytes(bytes) = class else { return Part::anything() };
    let mut strings = Strings::new();
    for range in bytes.ranges() {
        if !range.end().is_ascii() {
            return Part::anything();
        }
        strings.extend((range.start()..=range.end()).map(|byte| vec![FOLDED[usize::from(byte)]]));
    }
    if strings.len() > MOST_IN_CLASS { Part::anything() } else { Part::exact(strings) }
}

fn repeated(repetition: &Repetition) -> Part {
    if repetition.max == Some(0) {
        return Part::empty();
    }
    let once = part(&repetition.sub);
    if repetition.min == 0 {
        return match once.shape {
            Shape::Exact(mut strings) if repetition.max == Some(1) => {
                strings.insert(Vec::new());
                Part::exact(strings)
            }
            _ => Part::anything(),
        };
    }
    let spelt = match &once.shape {
        Shape::Exact(_) => repetition.min.min(MOST_REPEATS),
        // What is needed once is needed twice; only the seam between two adds to it, and more seams are all alike. Spelling
        // out more would also let nested repetitions multiply.
        Shape::Edges { .. } => repetition.min.min(2),
    };
    let all = (1..spelt).fold(once.clone(), |all, _| then(all, once.clone()));
    if repetition.max == Some(spelt) {
        return all;
    }
    // Between the first ones and the last ones can be any number more.
    let (starts, ends) = (heads(all.starts()), tails(all.ends()));
    Part { shape: Shape::Edges { starts, ends }, needs: all.into_needs() }
}

fn then(a: Part, b: Part) -> Part {
    if let (Shape::Exact(first), Shape::Exact(second)) = (&a.shape, &b.shape)
        && first.len() * second.len() <= MOST_STRINGS
        && longest(first) + longest(second) <= LONGEST
    {
        return Part::exact(joined(first, second));
    }
    let starts = match &a.shape {
        Shape::Exact(first) => heads(&filled_up(first, b.starts(), |whole, next| [whole, next].concat())),
        Shape::Edges { starts, .. } => starts.clone(),
    };
    let ends = match &b.shape {
        Shape::Exact(second) => tails(&filled_up(second, a.ends(), |whole, before| [before, whole].concat())),
        Shape::Edges { ends, .. } => ends.clone(),
    };
    let seam = seam(a.ends(), b.starts());
    // Whatever was found so far is enough to go by; without a bound a long pattern would be sorted again and again.
    if a.needs.size() > MOST_NEEDS {
        return Part { shape: Shape::Edges { starts, ends }, needs: a.needs };
    }
    let needs = Node::both([a.into_needs(), b.into_needs(), seam]);
    Part { shape: Shape::Edges { starts, ends }, needs }
}

/// Whole strings, those too short for an edge filled up with what their neighbour has on that side.
fn filled_up(whole: &Strings, beside: &Strings, join: impl Fn(&[u8], &[u8]) -> Vec<u8>) -> Strings {
    let (long, short): (Vec<_>, Vec<_>) = whole.iter().partition(|string| string.len() >= EDGE);
    let filled = short.into_iter().flat_map(|string| beside.iter().map(|other| join(string, other)));
    long.into_iter().cloned().chain(filled).collect()
}

/// What is needed across the seam of two neighbours.
fn seam(ends: &Strings, starts: &Strings) -> Node {
    // Whole strings where they are few, because together they say more than each for itself.
    if ends.len() * starts.len() <= MOST_STRINGS {
        return any_of(&joined(ends, starts));
    }
    let (long_ends, long_starts) = (tails(ends), heads(starts));
    let (short_ends, short_starts) = (at_most(ends, 1, tail), at_most(starts, 1, head));
    let across = |ends: &Strings, starts: &Strings| {
        (ends.len() * starts.len() <= MOST_AT_SEAM).then(|| any_of(&joined(ends, starts)))
    };
    // The two grams across the seam together; else each for itself.
    across(&long_ends, &long_starts).unwrap_or_else(|| {
        let each = [across(&long_ends, &short_starts), across(&short_ends, &long_starts)];
        Node::both(each.into_iter().flatten())
    })
}

fn one_of(parts: Vec<Part>) -> Part {
    let mut all = Strings::new();
    let exact = parts.iter().all(|part| match &part.shape {
        Shape::Exact(strings) => {
            all.extend(strings.iter().cloned());
            all.len() <= MOST_STRINGS
        }
        Shape::Edges { .. } => false,
    });
    if exact {
        return Part::exact(all);
    }
    let (mut starts, mut ends, mut needs) = (Strings::new(), Strings::new(), Vec::new());
    for part in parts {
        starts.extend(heads(part.starts()));
        ends.extend(tails(part.ends()));
        needs.push(part.into_needs());
    }
    Part { shape: Shape::Edges { starts: heads(&starts), ends: tails(&ends) }, needs: Node::either(needs) }
}

fn any_of(strings: &Strings) -> Node {
    Node::any_of(strings.iter().map(Vec::as_slice))
}

fn longest(strings: &Strings) -> usize {
    strings.iter().map(Vec::len).max().unwrap_or(0)
}

fn joined(first: &Strings, second: &Strings) -> Strings {
    first.iter().flat_map(|a| second.iter().map(move |b| [&a[..], b].concat())).collect()
}

/// The first bytes of each, fewer if there are too many.
fn heads(strings: &Strings) -> Strings {
    shortened(strings, head)
}

/// The last bytes of each, fewer if there are too many.
fn tails(strings: &Strings) -> Strings {
    shortened(strings, tail)
}

fn shortened(strings: &Strings, cut: fn(&[u8], usize) -> &[u8]) -> Strings {
    let mut sets = (1..=EDGE).rev().map(|most| at_most(strings, most, cut));
    sets.find(|short| short.len() <= MOST_STRINGS).unwrap_or_else(|| Strings::from([Vec::new()]))
}

fn at_most(strings: &Strings, most: usize, cut: fn(&[u8], usize) -> &[u8]) -> Strings {
    strings.iter().map(|string| cut(string, string.len().min(most)).to_vec()).collect()
}

fn head(string: &[u8], length: usize) -> &[u8] {
    &string[..length]
}

fn tail(string: &[u8], length: usize) -> &[u8] {
    &string[string.len() - length..]
}
