#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use std::process::Command;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "run" {
        let t = std::fs::read_to_string(&a[2]).unwrap();
        let n = ai_assist_chunk::chunk(&t, a[3].parse().unwrap(), &Default::default()).len();
        println!("{n}");
        return;
    }
    let lang = a[3].clone();
    let crashes = |t: &str| {
        std::fs::write("/tmp/chunk-red.txt", t).unwrap();
        !Command::new(std::env::current_exe().unwrap())
            .args(["run", "/tmp/chunk-red.txt", &lang])
            .output()
            .unwrap()
            .status
            .success()
    };
    let mut t = std::fs::read_to_string(&a[2]).unwrap();
    assert!(crashes(&t));
    let mut step = t.chars().count() / 2;
    while step > 0 {
        let cs: Vec<char> = t.chars().collect();
        let mut cut = false;
        let mut i = 0;
        while i < cs.len() {
            let c: String = cs[..i].iter().chain(&cs[(i + step).min(cs.len())..]).collect();
            if crashes(&c) {
                t = c;
                cut = true;
                break;
            }
            i += step
        }
        if !cut {
            step /= 2
        }
    }
    println!("{t:?}");
}
