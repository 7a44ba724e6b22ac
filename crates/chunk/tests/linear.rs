//! The time that a program takes grows with its length, whatever its shape: deep as well as wide, in every grammar.

use std::time::{Duration, Instant};

use ai_assist_chunk::{Limits, chunk_program, chunk_text};
use ai_assist_syntax::{Program, has_grammar};
use ai_assist_text::Language;

/// How a language writes an expression as a whole program, joins two, and writes a function.
struct Writes {
    language: Language,
    before: &'static str,
    after: &'static str,
    function: &'static str,
    /// What a statement that asks one thing after the other starts with, goes on with, and ends with.
    asks: [&'static str; 3],
    comment: &'static str,
}

fn writes(language: Language) -> Writes {
    let writes = |before, after, function, asks, comment| Writes { language, before, after, function, asks, comment };
    let c_asks = ["void g() { if (a) { b(); }", " else if (a) { b(); }", "}\n"];
    match language.name() {
        "python" => writes(
            "x = (",
            ")\n",
            "def f(a):\n    '''Says.'''\n    return a\n",
            ["if a:\n    b\n", "elif a:\n    b\n", ""],
            "# a\n",
        ),
        "rust" => writes(
            "fn f() { let x = ",
            "; }\n",
            "/// Says.\nfn f(a: u8) -> u8 { a }\n",
            ["fn g() { if a { b() }", " else if a { b() }", "}\n"],
            "// a\n",
        ),
        "go" => writes(
            "package a\nvar x = ",
            "\n",
            "func f(a int) int { return a }\n",
            ["package a\nfunc g() { if a { b() }", " else if a { b() }", "}\n"],
            "// a\n",
        ),
        "java" | "csharp" => writes(
            "class A { int x = ",
            "; }\n",
            "class B { int f(int a) { return a; } }\n",
            ["class A { void g() { if (a) { b(); }", " else if (a) { b(); }", "} }\n"],
            "// a\n",
        ),
        "php" => writes(
            "<?php\n$x = ",
            ";\n",
            "function f($a) { return $a; }\n",
            ["<?php\nif ($a) { b(); }", " elseif ($a) { b(); }", "\n"],
            "// a\n",
        ),
        "ruby" => writes("x = ", "\n", "def f(a)\n  a\nend\n", ["if a\n  b\n", "elsif a\n  b\n", "end\n"], "# a\n"),
        "bash" => {
            writes("x=$(( ", " ))\n", "f() { echo a; }\n", ["if a; then b\n", "elif a; then b\n", "fi\n"], "# a\n")
        }
        "javascript" | "typescript" | "jsx" | "tsx" => writes(
            "const x = ",
            ";\n",
            "function f(a) { return a; }\n",
            c_asks.map(|it| if it.starts_with("void") { "{ if (a) { b(); }" } else { it }),
            "// a\n",
        ),
        _ => writes("int x = ", ";\n", "int f(int a) { return a; }\n", c_asks, "// a\n"),
    }
}

impl Writes {
    /// Programs of about so many bytes, each of another shape.
    fn programs(&self, bytes: usize) -> Vec<(&'static str, String)> {
        let many = |text: &str| text.repeat(bytes / text.len());
        let expression = |text: String| format!("{}{text}{}", self.before, self.after);
        let plus = if self.language.name() == "php" { "." } else { "+" };
        let [start, again, end] = self.asks;
        let body = |text: String| if self.language.name() == "php" { format!("<?php\n{text}") } else { text };
        vec![
            ("sum", expression(format!("{}1", many(&format!("1{plus}"))))),
            ("sum of strings", expression(format!("{}\"a\"", many(&format!("\"some text\" {plus}\n"))))),
            ("chain of calls", expression(format!("a{}", many(".b(1)")))),
            ("chain of members", expression(format!("a{}", many(".b")))),
            ("arguments", expression(format!("f({}1)", many("1, ")))),
            ("not", expression(format!("{}a", many("!")))),
            ("minus", expression(format!("{}a", many("- ")))),
            ("and", expression(format!("a{}", many(" && a")))),
            ("one string", expression(format!("\"{}\"", many("some text ")))),
            ("asks", format!("{start}{}{end}", many(again))),
            ("functions", body(many(self.function))),
            ("comments", body(format!("{}{}", many(self.comment), self.function))),
            ("statements", body(many("f(1);\n"))),
            ("words", many("some words ")),
        ]
    }
}

fn take(text: &str, language: Language) {
    match Program::parse(text, language) {
        Some(program) => {
            chunk_program(&program, &Limits::default());
            drop((program.facts(), program.references(), program.remarks()));
        }
        None => drop(chunk_text(text, language, &Limits::default())),
    }
}

fn time(text: &str, language: Language) -> Duration {
    let started = Instant::now();
    take(text, language);
    started.elapsed()
}

/// Eight times the text may take this much longer: two and a half times for each doubling. Over less, what a larger text
/// costs the caches would show more than how the time grows.
const MOST: f64 = 2.5 * 2.5 * 2.5;

/// What others do on the machine makes a run slower, never faster: the best of several says how long it takes.
const TRIES: usize = 8;

#[test]
fn time_grows_with_the_text() {
    let mut slow = Vec::new();
    for language in Language::all().filter(|language| has_grammar(*language)) {
        let writes = writes(language);
        for ((shape, part), (_, whole)) in writes.programs(20_000).into_iter().zip(writes.programs(160_000)) {
            let (mut of_part, mut of_whole) = (Duration::MAX, Duration::MAX);
            let mut ratio = f64::MAX;
            for _ in 0..TRIES {
                of_part = of_part.min(time(&part, language));
                of_whole = of_whole.min(time(&whole, language));
                ratio = of_whole.as_secs_f64() / of_part.as_secs_f64();
                if ratio < MOST {
                    break;
                }
            }
            println!("{language} {shape}: {of_part:?}, {of_whole:?}, {ratio:.2}");
            if ratio >= MOST {
                slow.push(format!("{language} {shape}: {of_part:?}, eight times as much {of_whole:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
