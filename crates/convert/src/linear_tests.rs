//! The time of the text formats grows with their length, whatever their shape.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::{Format, Limits, convert};

/// The longer text is so many times as long, and may take two and a half times as long for each doubling.
const LONGER: usize = 8;
const MOST: f64 = 2.5 * 2.5 * 2.5 / LONGER as f64;

/// What is measured takes at least this long, in seconds.
const WORTHWHILE: f64 = 0.03;

/// What others do on the machine makes a run slower, never faster: the best of several counts.
const TRIES: usize = 6;

fn shapes(bytes: usize) -> Vec<(Format, &'static str, String)> {
    let many = |text: &str| text.repeat(bytes / text.len());
    let around = |open: &str, middle: &str, close: &str| format!("{open}{}{close}", many(middle));
    let notebook = |cells: String| format!("{{\"nbformat\": 4, \"cells\": [{cells}{{}}]}}");
    let mail = |rest: String| format!("Subject: a\n{rest}");
    vec![
        (
            Format::Notebook,
            "cells",
            notebook(many("{\"cell_type\": \"code\", \"source\": [\"a\\n\"], \"outputs\": []},")),
        ),
        (Format::Notebook, "one long cell", notebook(around("{\"source\": \"", "a\\u001b[1m `", "\"},"))),
        (Format::Notebook, "deep", many("[")),
        (Format::Man, "text", around(".SH A\n", "some \\fBwords\\fP here\n", "")),
        (Format::Man, "items", around(".SH A\n", ".TP\n.B a\nb\n", "")),
        (Format::Man, "levels", around(".SH A\n", ".RS\na\n", "")),
        (Format::Man, "fonts", around(".SH A\n", "\\fBa\\fIb", "\n")),
        (Format::Man, "one line", around(".SH A\n", "a\\\n", "\n")),
        (Format::Man, "open conditions", many(".if n \\{\\\n")),
        (Format::Man, "skipped conditions", many(".if t \\{\\\n")),
        (Format::Man, "macros", around(".de X\n\\\\$1 \\\\$*\n..\n", ".X a b\n", "")),
        (Format::Man, "tables", around(".SH A\n", ".TS\nl l.\na\tT{\nb\nT}\n.TE\n", "")),
        (Format::Man, "one table", around(".TS\nl l.\n", "a\tT{\nb\n", "")),
        (Format::Man, "links", around(".SH A\n", ".UR a\n", "")),
        (Format::Man, "mdoc lists", around(".Dt A 1\n.Sh B\n", ".Bl -tag\n.It Fl a Ar b\n", "")),
        (Format::Man, "mdoc columns", around(".Dt A 1\n.Sh B\n.Bl -column\n", ".It a Ta b\n", "")),
        (Format::Man, "mdoc one line", around(".Dt A 1\n.Sh B\n.Op ", "Fl a Op ", "\n")),
        (Format::Man, "strings", around(".ds a x\n.SH A\n", "\\*a", "\n")),
        (
            Format::OpenApi,
            "operations",
            format!("openapi: 3.0.0\npaths:\n{}", numbered(bytes, "  /a#:\n    get: {summary: b}\n")),
        ),
        (
            Format::OpenApi,
            "schemas",
            format!(
                "openapi: 3.0.0\ndefinitions:\n  A:\n    properties:\n{}",
                numbered(bytes, "      a#: {type: string}\n")
            ),
        ),
        (Format::OpenApi, "aliases", around("openapi: 3.0.0\nx: &a b\ny: [", "*a, ", "*a]\n")),
        (Format::OpenApi, "flow", around("openapi: 3.0.0\nx: ", "[", "")),
        (Format::OpenApi, "blocks", around("openapi: 3.0.0\nx: ", "- ", "a")),
        (Format::OpenApi, "long text", around("openapi: 3.0.0\ninfo:\n  description: |\n", "    # a\n", "")),
        (
            Format::JsonSchema,
            "properties",
            format!("{{\"properties\": {{{}\"z\": 1}}}}", numbered(bytes, "\"a#\": {\"type\": \"string\"},")),
        ),
        (Format::JsonSchema, "values", format!("{{\"properties\": {{\"a\": {{\"enum\": [{}1]}}}}}}", many("1, "))),
        (Format::Email, "lines", mail(around("\n", "some text\n", ""))),
        (Format::Email, "headers", mail(many("A: b\n"))),
        (Format::Email, "one header", mail(many(" =?utf-8?q?a?=\n"))),
        (Format::Email, "open words", mail(many(" =?a?q?"))),
        (Format::Email, "parts", mail(around("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\na\n", ""))),
        (Format::Email, "deep parts", mail(many("Content-Type: multipart/mixed; boundary=b\n\n--b\n"))),
        (Format::Email, "forwarded", mail(many("Content-Type: message/rfc822\n\n"))),
        (Format::Email, "mailbox", many("From a\nSubject: b\n\nc\n\n")),
        (Format::Email, "parameters", mail(around("Content-Type: text/plain; ", "a=b; ", "\n\nx"))),
        (Format::Tex, "text", many("Some \\emph{words} here.\n")),
        (Format::Tex, "open groups", many("\\textbf{")),
        (Format::Tex, "open arguments", many("\\label{a ")),
        (Format::Tex, "open headings", many("\\section{")),
        (Format::Tex, "headings in notes", many("\\footnote{\\section{a ")),
        (Format::Tex, "open links", many("\\href{a}{b ")),
        (Format::Tex, "open formulas", many("\\(a\n\n")),
        (Format::Tex, "dollars", many("$")),
        (Format::Tex, "lists", many("\\begin{itemize}\\item a ")),
        (Format::Tex, "tables", many("\\begin{tabular}{l} a & ")),
        (Format::Tex, "one table", around("\\begin{tabular}{l}", "a & b \\\\\n", "")),
        (Format::Tex, "ends", many("\\end{a}")),
        (Format::Tex, "verbatim", many("\\begin{verbatim}\na\n\\end{verbatim}\n")),
        (Format::Tex, "open verbatim", many("\\begin{verbatim}")),
        (Format::Tex, "titles", many("\\title{a")),
    ]
}

/// So many bytes of a text in which `#` is a number.
fn numbered(bytes: usize, text: &str) -> String {
    (0..bytes / (text.len() + 3)).map(|number| text.replace('#', &number.to_string())).collect()
}

/// How long this thread has run so far, not counting when others did; where the system does not say, the time of day.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).filter(|&ran| ran > 0);
    ran.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn time(format: Format, text: &str, times: usize) -> f64 {
    let before = clock();
    for _ in 0..times {
        let _ = convert(format, text.as_bytes(), &Limits::default());
    }
    (clock() - before).as_secs_f64().max(0.001)
}

#[test]
fn time_grows_with_the_text() {
    let mut slow = Vec::new();
    let bytes = 40_000;
    for ((format, shape, short), (_, _, long)) in shapes(bytes).into_iter().zip(shapes(bytes * LONGER)) {
        let times = (WORTHWHILE / time(format, &long, 1)).ceil().clamp(1.0, 20.0) as usize;
        let (mut of_short, mut of_long) = (f64::MAX, f64::MAX);
        for _ in 0..TRIES {
            // As many bytes in either case.
            of_short = of_short.min(time(format, &short, times * LONGER));
            of_long = of_long.min(time(format, &long, times));
            if of_long / of_short < MOST {
                break;
            }
        }
        if of_long / of_short >= MOST {
            slow.push(format!("{format:?} {shape}: {of_short:.4} s, as much in one piece {of_long:.4} s"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
