#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use ai_assist_chunk::*;
fn main() {
    let p = std::env::args().nth(1).unwrap();
    let t = std::fs::read_to_string(&p).unwrap();
    let l = ai_assist_text::Language::detect(&p, &t);
    println!("title {:?}", title(&t, l));
    for o in outline(&t, l) {
        println!("{}{} {} [{}] {:?}", "  ".repeat(o.depth), o.kind, o.name, o.lines, o.signature)
    }
    for c in chunk(&t, l, &Limits::default()) {
        println!("{:>9} {:>5} {:<12} {}", c.lines.to_string(), c.bytes.len(), c.kind, c.path.join(" > "))
    }
}
