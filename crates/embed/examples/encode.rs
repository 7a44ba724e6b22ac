//! Times the contextual model: loading, then 50 texts of about 200 tokens, and one short question.
//!
//! `cargo run --release -p ai-assist-embed --example encode`
#![allow(clippy::print_stdout, reason = "a program for people to read")]

use std::time::{Duration, Instant};

use ai_assist_embed::{ContextModel, Embedder, StaticModel};

/// The best and the middle of some runs.
fn time(runs: usize, mut work: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[0], times[runs / 2])
}

/// Passages of this crate's own source, of 200 pieces each, give or take one word.
fn passages(count: usize) -> Vec<String> {
    let source = [
        include_str!("../src/lib.rs"),
        include_str!("../src/words.rs"),
        include_str!("../src/vocab.rs"),
        include_str!("../src/simd.rs"),
        include_str!("../src/static_model.rs"),
        include_str!("../src/quantise.rs"),
        include_str!("../src/embedder.rs"),
    ]
    .concat();
    let mut words = source.split_inclusive(' ').cycle();
    let passage = || {
        let mut text = String::new();
        let mut pieces = 0;
        while pieces < 200 {
            let word = words.next().unwrap_or_default();
            pieces += StaticModel::bundled().pieces(word).len();
            text.push_str(word);
        }
        text
    };
    std::iter::repeat_with(passage).take(count).collect()
}

fn main() -> Result<(), rayon::ThreadPoolBuildError> {
    let start = Instant::now();
    StaticModel::bundled();
    println!("static model loaded in {:?}", start.elapsed());
    let texts = passages(50);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let pieces: usize = texts.iter().map(|text| StaticModel::bundled().pieces(text).len()).sum();
    println!("{} texts, {pieces} pieces", texts.len());
    let start = Instant::now();
    let model = ContextModel::bundled();
    println!("{}: loaded in {:?}", model.model(), start.elapsed());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let encode = |texts: &[&str]| drop(model.encode(texts));
        let (first, best, middle, undisturbed) = pool.install(|| {
            let first = time(1, || encode(&texts)).0;
            let (best, middle) = time(15, || encode(&texts));
            // On a busy machine only short runs are undisturbed: the best time of each few texts, summed.
            let undisturbed: Duration = texts.chunks(4).map(|texts| time(40, || encode(texts)).0).sum();
            (first, best, middle, undisturbed)
        });
        println!("  50 texts, {threads} threads: first {first:.1?}, best {best:.1?}, median {middle:.1?}");
        println!("    best of 40 for each 4 texts, summed: {undisturbed:.1?}");
    }
    let (best, middle) = time(50, || drop(model.encode(&["How do I read a file line by line?"])));
    println!("  one question: best {best:.0?}, median {middle:.0?}");
    Ok(())
}
