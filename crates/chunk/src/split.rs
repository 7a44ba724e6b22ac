//! Cutting a large section: at the best break near the size aimed at, else at a line, a sentence, white space, a
//! character.

use std::ops::Range;

use crate::Limits;
use crate::measure::Measure;
use ai_assist_base::stopped;
use ai_assist_syntax::structure::{Break, Style};

/// Cuts `range` into pieces and hands out each.
///
/// `breaks` are those of the whole text.
pub(crate) fn split(
    text: &str,
    range: Range<usize>,
    breaks: &[Break],
    style: Style,
    limits: &Limits,
    measure: &Measure,
    mut piece: impl FnMut(Range<usize>),
) {
    // A function is worth keeping in one piece as long as it may be; prose loses less by a cut.
    let whole = match style {
        Style::Code => limits.max,
        Style::Prose => limits.max.min(limits.target + limits.target / 2),
    };
    let mut rest = range;
    while (measure.size(&rest) > whole || rest.len() > limits.max) && !stopped() {
        let Some(cut) = find_cut(text, &rest, breaks, whole, limits, measure) else { break };
        let cut = over_white_space(text, cut, rest.start + limits.max, rest.end);
        piece(rest.start..cut);
        rest.start = cut;
    }
    if !rest.is_empty() {
        piece(rest);
    }
}

/// The best place to cut in `rest`; `None` to leave it whole.
fn find_cut(
    text: &str,
    rest: &Range<usize>,
    breaks: &[Break],
    whole: usize,
    limits: &Limits,
    measure: &Measure,
) -> Option<usize> {
    // Equal pieces read better than full ones and a stump. Where there is little to read in many bytes, bytes have the say.
    let least_pieces = rest.len().div_ceil(limits.max);
    let by_bytes = Measure::of_bytes();
    let measure = if measure.size(rest).div_ceil(limits.target) < least_pieces { &by_bytes } else { measure };
    let size = measure.size(rest);
    let aim = size.div_ceil(size.div_ceil(limits.target).max(1));
    let most = rest.end.min(rest.start + limits.max + 1);
    let so_far = |at: usize| measure.size(&(rest.start..at));

    let within = |from: usize, to: usize| {
        let first = breaks.partition_point(|b| b.at <= from);
        breaks[first..].iter().take_while(move |b| b.at < to)
    };
    let near = |b: &&Break| (b.rank, so_far(b.at).abs_diff(aim));
    let enough = |b: &&Break| so_far(b.at) > aim / 2;
    let fair = |b: &&Break| so_far(b.at) <= whole;
    let before_most = || within(rest.start, most).filter(enough);
    let found = before_most().filter(fair).min_by_key(near);
    if let Some(found) = found.or_else(|| before_most().min_by_key(near)) {
        return Some(found.at);
    }
    if rest.len() <= limits.max {
        return None;
    }
    // What follows is in one piece and too large for this one: end before it rather than in it.
    let least = measure.end_of(rest.start, aim / 2).clamp(rest.start, most - 1);
    if let Some(found) = within(rest.start, most).filter(|b| !enough(b)).min_by_key(near) {
        return Some(found.at);
    }
    let aim = measure.end_of(rest.start, aim).clamp(least + 1, most);
    Some(cut_in_block(text, rest.start, least, aim, most))
}

/// A cut in a block that has no breaks: after a line, else a sentence, else white space, else a character, always in
/// `(least, most)` where one is there.
fn cut_in_block(text: &str, start: usize, least: usize, aim: usize, most: usize) -> usize {
    let bytes = text.as_bytes();
    // Offsets are those after the character looked for, so that it ends the piece.
    let nearest = |fits: &dyn Fn(usize) -> bool| {
        let before = (least + 1..=aim.min(most - 1)).rev().find(|&at| fits(at));
        before.or_else(|| (aim + 1..most).find(|&at| fits(at)))
    };
    let after_line = |at: usize| bytes[at - 1] == b'\n';
    let after_space = |at: usize| bytes[at - 1].is_ascii_whitespace() && bytes.get(at) != Some(&b'\n');
    let after_sentence = |at: usize| {
        let closed = at >= start + 2 && matches!(bytes[at - 2], b'.' | b'!' | b'?' | b';');
        (closed && after_space(at)) || (text.is_char_boundary(at) && ends_ideographic_sentence(&bytes[start..at]))
    };
    nearest(&after_line).or_else(|| nearest(&after_sentence)).or_else(|| nearest(&after_space)).unwrap_or_else(|| {
        let cut = text.floor_char_boundary(aim.min(most - 1));
        let cut = if cut > start { cut } else { text.ceil_char_boundary(start + 1) };
        keep_line_end_whole(bytes, start, cut)
    })
}

fn ends_ideographic_sentence(text: &[u8]) -> bool {
    ["。", "！", "？"].iter().any(|mark| text.ends_with(mark.as_bytes()))
}

/// A `\r\n` is one line end: a cut between the two would tell readers of either chunk the wrong thing.
fn keep_line_end_whole(bytes: &[u8], start: usize, cut: usize) -> usize {
    let within = cut > 0 && bytes[cut - 1] == b'\r' && bytes.get(cut) == Some(&b'\n');
    if within && cut - 1 > start { cut - 1 } else { cut }
}

/// White space belongs to the piece before it, as far as there is room; but the indent of a line belongs to the line.
fn over_white_space(text: &str, cut: usize, most: usize, rest_end: usize) -> usize {
    let after_line = text[..cut].ends_with('\n');
    let mut end = cut;
    let mut last_line = after_line.then_some(cut);
    for character in text[cut..rest_end].chars() {
        if !character.is_whitespace() || end + character.len_utf8() > most {
            break;
        }
        end += character.len_utf8();
        if character == '\n' {
            last_line = Some(end);
        }
    }
    if end == rest_end {
        return end;
    }
    let end = last_line.unwrap_or(end);
    if end > cut { keep_line_end_whole(text.as_bytes(), cut - 1, end) } else { cut }
}
