#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use ai_assist_chunk::*;
use std::io::Write;
const SCRAPS: &[&str] = &[
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "a",
    "word ",
    "A sentence. Another one! ",
    "é",
    "日本語。",
    "👩‍👩‍👧",
    "\u{a0}",
    "\u{2028}",
    "\0",
    "\\",
    "# ",
    "## Head\n",
    "###### ",
    "#",
    "Title\n=====\n",
    "Sub\n---\n",
    "---\n",
    "+++\n",
    "title: x\n",
    "```\n",
    "```rust\n",
    "~~~~\n",
    "- ",
    "* ",
    "1. ",
    "  - ",
    "> ",
    "| a | b |\n|---|---|\n",
    "<!-- ",
    "-->",
    "<div>\n",
    "</div>",
    "<h1>",
    "</h1>",
    "<h2 class=\"",
    "<script>",
    "</script>",
    "<pre>",
    "import x from 'y'\n",
    "export ",
    "{/*",
    "*/}",
    ".. code::\n",
    "::\n\n   lit\n",
    "=====\n",
    "== Sec\n",
    "----\n",
    "....\n",
    "|===\n",
    "* Head\n",
    "#+begin_src\n",
    "#+end_src\n",
    "fn f() {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "// c\n",
    "/// doc\n",
    "#[test]\n",
    "impl A for B<C> {\n",
    "mod m {\n",
    "class A {\n",
    "class B:\n    def f(self):\n        pass\n",
    "@dec\n",
    "def g; end\n",
    "<?php\n",
    "function f() {",
    "const x = () => {",
    "export class K {",
    "namespace n {",
    "template<class T>\n",
    "void A::b() {",
    "struct s { int a; };\n",
    "#include <x>\n",
    "#ifdef X\n",
    "#endif\n",
    "func (s *S) M() {",
    "type T struct {",
    "package p\n",
    "use a::b;\n",
    "f() {\n",
    "<<EOF\n",
    "EOF\n",
    ";",
    ",",
];
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "parse" {
        use tree_sitter::*;
        let n: usize = a[3].parse().unwrap();
        let t = a[2].repeat(n);
        let mut p = Parser::new();
        p.set_language(&tree_sitter_java::LANGUAGE.into()).unwrap();
        let s = std::time::Instant::now();
        let mut calls = 0;
        let mut longest = std::time::Duration::ZERO;
        let mut last = s;
        let mut cb = |_: &ParseState| {
            calls += 1;
            longest = longest.max(last.elapsed());
            last = std::time::Instant::now();
            std::ops::ControlFlow::Continue(())
        };
        let b = t.as_bytes();
        let tree = p
            .parse_with_options(
                &mut |at, _| b.get(at..).unwrap_or_default(),
                None,
                Some(ParseOptions::new().progress_callback(&mut cb)),
            )
            .unwrap();
        println!("parse {:?} calls {calls} longest {longest:?} tail {:?}", s.elapsed(), last.elapsed());
        let s = std::time::Instant::now();
        let mut c = tree.walk();
        let mut nodes = 0;
        'o: loop {
            nodes += 1;
            if c.goto_first_child() {
                continue;
            }
            while !c.goto_next_sibling() {
                if !c.goto_parent() {
                    break 'o;
                }
            }
        }
        println!("walk {nodes} {:?}", s.elapsed());
        let s = std::time::Instant::now();
        drop(c);
        drop(tree);
        println!("drop {:?}", s.elapsed());
        return;
    }
    if a[1] == "time" {
        let n: usize = a[4].parse().unwrap();
        let t = a[3].repeat(n);
        let s = std::time::Instant::now();
        let c = chunk(&t, a[2].parse().unwrap(), &Limits::default()).len();
        println!("{} {} {n}: {c} {:?}", a[2], a[3], s.elapsed());
        return;
    }
    let langs = a[1].clone();
    let seeds: u64 = a[2].parse().unwrap();
    let from: u64 = a.get(3).map_or(0, |x| x.parse().unwrap());
    for seed in from..from + seeds {
        let mut x = seed.wrapping_mul(0x9E3779B97F4A7C15).wrapping_add(12345);
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let n = next() % 120;
        let mut t = String::new();
        for _ in 0..n {
            if next() % 10 == 0 {
                if let Some(c) = char::from_u32((next() % 0x11_0000) as u32) {
                    t.push(c)
                }
            }
            if next() % 20 == 0 {
                t.push(char::from((next() % 128) as u8));
            }
            t.push_str(SCRAPS[(next() % SCRAPS.len() as u64) as usize]);
        }
        std::fs::File::create(format!("/tmp/chunk-fuzz-{langs}.txt")).unwrap().write_all(t.as_bytes()).unwrap();
        chunk(&t, langs.parse().unwrap(), &Limits { target: 60, max: 120 });
    }
    println!("{langs} ok");
}
