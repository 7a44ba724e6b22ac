//! A pattern for lines: one that can't match a line end.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

use crate::{Error, Result};

/// The same pattern for a text of one line, in a form that may be run over a text of many.
///
/// A class loses the line end (`\s`, `[^a]`), and a literal one is an error, because it can never match within a line. The
/// beginning and the end of the text (`\A`, `\z`) become those of the line. With `crlf` the carriage return counts as
/// part of the line end.
pub(crate) fn for_lines(pattern: Hir, crlf: bool) -> Result<Hir> {
    let pattern = strip(pattern, &Lines { byte: b'\n', name: r"\n", crlf })?;
    if crlf { strip(pattern, &Lines { byte: b'\r', name: r"\r", crlf }) } else { Ok(pattern) }
}

struct Lines {
    byte: u8,
    name: &'static str,
    crlf: bool,
}

fn strip(pattern: Hir, lines: &Lines) -> Result<Hir> {
    Ok(match pattern.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look_for_lines(look, lines.crlf)),
        HirKind::Literal(literal) if literal.0.contains(&lines.byte) => return Err(Error::LineEnd(lines.name)),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            let end = char::from(lines.byte);
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new(end, end)]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(lines.byte, lines.byte)]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(strip(*capture.sub, lines)?);
            Hir::capture(Capture { sub, ..capture })
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(strip(*repetition.sub, lines)?);
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Concat(subs) => Hir::concat(strip_all(subs, lines)?),
        HirKind::Alternation(subs) => Hir::alternation(strip_all(subs, lines)?),
    })
}

fn strip_all(subs: Vec<Hir>, lines: &Lines) -> Result<Vec<Hir>> {
    subs.into_iter().map(|sub| strip(sub, lines)).collect()
}

fn look_for_lines(look: Look, crlf: bool) -> Look {
    match (look, crlf) {
        (Look::Start, false) => Look::StartLF,
        (Look::End, false) => Look::EndLF,
        (Look::Start, true) => Look::StartCRLF,
        (Look::End, true) => Look::EndCRLF,
        (other, _) => other,
    }
}
