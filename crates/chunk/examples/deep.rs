#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use std::process::*;
use std::time::*;
fn main() {
    let pats = [
        "!",
        "-",
        "- ",
        "~",
        "a=",
        "a=>",
        "a?",
        "a?b:",
        "if(a)",
        "if a ",
        "else ",
        "not ",
        "&",
        "&a ",
        "*",
        "a<",
        "<",
        "<a>",
        "a.",
        "a+",
        "a,",
        "a::",
        "new ",
        "@a ",
        "fn ",
        "let a=",
        "return ",
        "case a:",
        "for(;;)",
        "while(1)",
        "do ",
        "try{",
        "lambda:",
        "f'{",
        "`${",
        "$(",
        "\"$(",
        "a|",
        "||",
        "#if A\n",
        "#ifdef A\n",
        "#else\n",
        "struct ",
        "class A:",
        "def f\n",
        "begin\n",
        "module A\n",
        "a:b:",
        "=",
        "a b ",
        "'",
        "\\",
        "(",
        "[",
        "{",
        "a(",
        "a[",
        "{a:",
        "(a,",
        "[a,",
        "\"",
        "/*",
        "<?php",
        "x:",
        "%w(",
        "<<~A\n",
        "await ",
        "typeof ",
        "ref ",
        "A<B,",
        "a{",
        "(a)",
        "=>",
        "->",
        "a->",
        "#",
        "if x; then ",
        "case x in ",
        "while x; do ",
        "function a {\n",
        "((",
        "[[ a ",
        "${a",
        "${a:-",
    ];
    let ls = [
        "rust",
        "python",
        "typescript",
        "tsx",
        "javascript",
        "go",
        "java",
        "c",
        "cpp",
        "csharp",
        "ruby",
        "php",
        "bash",
    ];

 if let Some(k)=std::env::args().nth(2){ let mut x: u64=k.parse().unwrap(); let mut next=||{x^=x<<13;x^=x>>7;x^=x<<17;x}; let mut tried=0; let t0=Instant::now(); while t0.elapsed()<Duration::from_secs(200){ let l=ls[(next()%13) as usize]; let k=1+next()%3; let mut p=String::new(); for _ in 0..k {p.push_str(pats[(next()%pats.len() as u64) as usize])} tried+=1; let s=Instant::now(); let mut c=Command::new("target/debug/examples/fuzz").args(["time",l,&p,"4000"]).stdout(Stdio::null()).spawn().unwrap(); let st=loop { if let Some(st)=c.try_wait().unwrap(){break Some(st)} if s.elapsed()>Duration::from_secs(8){c.kill().unwrap();c.wait().unwrap();break None} std::thread::sleep(Duration::from_millis(1)) }; match st { None=>println!("{l} {p:?} KILLED"), Some(y) if !y.success()=>println!("{l} {p:?} {y:?}"), _=>if s.elapsed().as_millis()>1500 {println!("{l} {p:?} {:?}",s.elapsed())} } } println!("tried {tried}"); return }
    let n = std::env::args().nth(1).unwrap();
    for l in ls {
        for p in pats {
            let pre = if l == "php" { "<?php " } else { "" };
            let _ = pre;
            let s = Instant::now();
            let mut c = Command::new("target/debug/examples/fuzz")
                .args(["time", l, p, &n])
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let st = loop {
                if let Some(st) = c.try_wait().unwrap() {
                    break Some(st);
                }
                if s.elapsed() > Duration::from_secs(12) {
                    c.kill().unwrap();
                    c.wait().unwrap();
                    break None;
                }
                std::thread::sleep(Duration::from_millis(3))
            };
            match st {
                None => println!("{l} {p:?} KILLED"),
                Some(x) if !x.success() => println!("{l} {p:?} {x:?}"),
                _ => {
                    if s.elapsed().as_millis() > 1400 {
                        println!("{l} {p:?} {:?}", s.elapsed())
                    }
                }
            }
        }
    }
}
