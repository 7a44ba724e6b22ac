//! Draws the map of a folder, whose code is indexed first if it is not yet.
//!
//! `cargo run --profile quick -p ai-assist-workspace --example map -- FOLDER CACHE [TOKENS [FOCUS...]]`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program to look at maps with")]

use std::path::PathBuf;
use std::time::Instant;

use ai_assist_identity::CanonicalPath;
use ai_assist_workspace::build::{BuildRequest, build_repo};
use ai_assist_workspace::layout::Mode;
use ai_assist_workspace::map::{MapRequest, map};
use ai_assist_workspace::repo_index::RepoIndex;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (folder, cache) = (arguments.next().unwrap(), PathBuf::from(arguments.next().unwrap()));
    let max_tokens = arguments.next().map_or(2000, |tokens| tokens.parse().unwrap());
    let folder = PathBuf::from(folder).canonicalize().unwrap();
    let request = BuildRequest {
        modes: vec![Mode::Code],
        ..BuildRequest::new(CanonicalPath::from_absolute(&folder).unwrap(), &cache)
    };
    let index = RepoIndex::open(&request.cache, Mode::Code).unwrap_or_else(|_| {
        let started = Instant::now();
        let report = build_repo(&request, &|| false, &mut |_| {}).unwrap();
        println!("built {} files, {} bytes, in {:.2?}", report.read, report.bytes_read, started.elapsed());
        RepoIndex::open(&request.cache, Mode::Code).unwrap()
    });
    let (mut documents, mut names) = (0usize, 0usize);
    let started = Instant::now();
    index
        .db
        .for_each_references(|_, used| {
            documents += 1;
            names += used.len();
        })
        .unwrap();
    println!("{names} uses in {documents} documents, read in {:.2?}", started.elapsed());
    let request = MapRequest { max_tokens, focus: arguments.collect(), ..MapRequest::default() };
    let started = Instant::now();
    let map = map(&index, &request).unwrap();
    println!(
        "{} of {} definitions of {} files in {} tokens, {:.2?}\n",
        map.shown,
        map.definitions,
        map.documents,
        map.tokens,
        started.elapsed()
    );
    let mut best: Vec<_> = map.files.iter().flat_map(|file| file.symbols.iter().map(move |s| (file, s))).collect();
    best.sort_by(|a, b| b.1.rank.total_cmp(&a.1.rank));
    for (file, symbol) in best.iter().take(40) {
        let parent = symbol.parent.as_deref().unwrap_or("");
        println!(
            "{:.5} {:4} {} {} {parent} {}",
            symbol.rank, symbol.referenced_by, symbol.kind, symbol.name, file.path
        );
    }
    println!("\n{}", map.render());
}
