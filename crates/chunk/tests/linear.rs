//! The time that a program takes grows with its length, whatever its shape: deep as well as wide, in every grammar.

use std::sync::LazyLock;
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

/// How long this thread has run so far, not counting when others did; where the system does not say, the time of day. It moves
/// in steps of some milliseconds.
fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).filter(|&ran| ran > 0);
    ran.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// How long a text takes so many times.
fn time(text: &str, language: Language, times: usize) -> f64 {
    let before = clock();
    (0..times).for_each(|_| take(text, language));
    (clock() - before).as_secs_f64().max(0.001)
}

/// One text is so many times as long as the other, and may take two and a half times as long for each doubling. Over less,
/// what a larger text costs the caches would show more than how the time grows.
const LONGER: usize = 8;
const MOST: f64 = 2.5 * 2.5 * 2.5 / LONGER as f64;

/// What others do on the machine makes a run slower, never faster: the best of several says how long it takes.
const TRIES: usize = 8;

/// What is measured takes at least this long, in seconds.
const WORTHWHILE: f64 = 0.05;

#[test]
fn time_grows_with_the_text() {
    let mut slow = Vec::new();
    for language in Language::all().filter(|language| has_grammar(*language)) {
        let writes = writes(language);
        let pairs = writes.programs(10_000).into_iter().zip(writes.programs(10_000 * LONGER));
        for ((shape, short), (_, long)) in pairs {
            let started = Instant::now();
            take(&long, language);
            let times = (WORTHWHILE / started.elapsed().as_secs_f64()).ceil().clamp(1.0, 50.0) as usize;
            let (mut of_short, mut of_long) = (f64::MAX, f64::MAX);
            for _ in 0..TRIES {
                // As many bytes in either case.
                of_short = of_short.min(time(&short, language, times * LONGER));
                of_long = of_long.min(time(&long, language, times));
                if of_long / of_short < MOST {
                    break;
                }
            }
            let told = format!("{language} {shape}: {of_short:.3} s, as much in one piece {of_long:.3} s");
            println!("{told}");
            if of_long / of_short >= MOST {
                slow.push(told);
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
