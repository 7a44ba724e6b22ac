#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use ai_assist_chunk::*; use std::time::*; use std::sync::mpsc;
fn main() {
    let many = |scrap: &str, bytes: usize| scrap.repeat(bytes / scrap.len());
    let megabyte = 1 << 20;
    let nested = |open: &str| many(open, 100_000 * open.len());
    let texts: Vec<(&'static str, String)> = vec![
        ("letters", many("a", 8 * megabyte)),
        ("words", many("word and ", 2 * megabyte)),
        ("kanji", many("字", 2 * megabyte)),
        ("line ends", many("\n", 2 * megabyte)),
        ("spaces", many(" ", 2 * megabyte)),
        ("hashes", many("#", megabyte)),
        ("headings", many("# a\n", 400_000)),
        ("deeper headings", (1..2000).map(|depth| format!("{} h\n", "*".repeat(depth))).collect()),
        ("long headings", many(&format!("# {}\n", "x".repeat(2000)), megabyte)),
        ("html headings", many("<h1>", 400_000)),
        ("open tags", many("<a \"", 400_000)),
        ("open comments", many("<!--", 400_000)),
        ("brackets", nested("[")), ("braces", nested("{")), ("parentheses", nested("(")), ("quotes", nested(">")), ("lists", nested("- ")),
        ("back-ticks", many("`", megabyte)), ("stars", many("*a_", megabyte)),
        ("indents", (0..2000).map(|depth| format!("{}- a\n", " ".repeat(depth))).collect()),
        ("classes", nested("class A {")), ("modules", nested("mod m {")),
        ("python classes", (0..400).map(|depth| format!("{}class A:\n", " ".repeat(depth))).collect()),
        ("functions on one line", many("function f(){return 1}", megabyte)),
        ("strings", many("\"", megabyte)), ("comments", many("// a\n", megabyte)), ("open templates", nested("a<")),
        ("here documents", many("<<A ", 400_000)), ("errors", many("fn ) class ; } def @ ", megabyte)),
    ];
    let names = ["markdown","mdx","restructuredtext","asciidoc","org","html","text","jsonl","rust","python","typescript","tsx","javascript","go","java","c","cpp","csharp","ruby","php","bash"];
    for (name, text) in texts { for l in names {
        let (tx, rx) = mpsc::channel(); let t = text.clone();
        let s = Instant::now();
        std::thread::spawn(move || { let n = chunk(&t, l.parse().unwrap(), &Limits::default()).len(); let _ = tx.send(n); });
        match rx.recv_timeout(Duration::from_secs(4)) { Ok(n) => { let e = s.elapsed(); if e.as_millis() > 700 { println!("{name} {l} {n} {e:?}") } }, Err(_) => println!("{name} {l} TIMEOUT") }
    } }
}
