//! The bundled model against its published reference, against a plain implementation, and against itself.

use super::*;
use crate::words::slow;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

#[derive(Deserialize)]
struct Reference {
    text: String,
    tokens: Vec<String>,
    vector: Vec<f32>,
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The pieces by the book: whole strings, a hash map, the longest first.
fn plain_pieces(text: &str) -> Vec<String> {
    static PIECES: LazyLock<HashMap<&str, usize>> =
        LazyLock::new(|| VOCAB.lines().enumerate().map(|(id, piece)| (piece, id)).collect());
    let mut pieces = Vec::new();
    for word in slow::words(text) {
        let characters: Vec<char> = word.chars().collect();
        let mut found = Vec::new();
        let mut start = 0;
        while start < characters.len() {
            let longest = (start + 1..=characters.len()).rev().find_map(|end| {
                let mark = if start > 0 { "##" } else { "" };
                let piece: String = mark.chars().chain(characters[start..end].iter().copied()).collect();
                PIECES.contains_key(piece.as_str()).then_some((piece, end))
            });
            let Some((piece, end)) = longest.filter(|_| characters.len() <= 100) else {
                found = vec!["[UNK]".to_owned()];
                break;
            };
            found.push(piece);
            start = end;
        }
        pieces.extend(found);
    }
    pieces
}

#[test]
fn the_reference_is_met() {
    let references: Vec<Reference> = serde_json::from_str(include_str!("../model/reference.json")).unwrap();
    assert_eq!(references.len(), 16);
    let model = StaticModel::bundled();
    for Reference { text, tokens, vector } in &references {
        // The file lists at most 60 pieces and then says that there are more; the vector is of all of them.
        let cut = tokens.len() == 61 && tokens[60] == "…";
        let listed = if cut { &tokens[..60] } else { &tokens[..] };
        for found in [model.pieces(text), plain_pieces(text).iter().map(String::as_str).collect()] {
            assert_eq!(found.len() > 60, cut, "{text}");
            assert_eq!(&found[..listed.len()], listed, "{text}");
            assert!(cut || found.len() == listed.len(), "{text}");
        }
        let found = model.embed(&[text]).unwrap().remove(0);
        if vector.iter().all(|&v| v == 0.0) {
            assert_eq!(&found, vector, "{text}");
        } else {
            assert!(cosine(&found, vector) >= 0.9999, "{text}: {}", cosine(&found, vector));
            assert!((cosine(&found, &found) - 1.0).abs() < 1e-6);
        }
        let rows = model.embed_quantised(&[text]).unwrap();
        let (row, scale) = rows.row(0);
        let restored: Vec<f32> = row.iter().map(|&v| f32::from(v) * scale).collect();
        assert!(scale == 0.0 || cosine(&restored, vector) >= 0.9995, "{text}: {}", cosine(&restored, vector));
    }
}

#[test]
fn the_model_says_what_it_is() {
    let model = StaticModel::bundled();
    assert_eq!(model.model().as_str(), "ai-assist-static-256@1");
    assert_eq!(model.dim(), 256);
    assert_eq!(model.embed(&[]).unwrap(), Vec::<Vec<f32>>::new());
    assert!(model.embed_quantised(&[]).unwrap().is_empty());
}

#[test]
fn texts_without_pieces_give_zero() {
    for text in ["", " \n", "\u{200b}", "🚀", &"x".repeat(101)] {
        let rows = StaticModel::bundled().embed_quantised(&[text]).unwrap();
        assert_eq!(rows.row(0), (&[0; 256][..], 0.0), "{text:?}");
    }
}

#[test]
fn a_vector_does_not_depend_on_its_batch_or_on_threads() {
    let texts: Vec<String> = (0..400)
        .map(|n| format!("fn example{n}(input: &str) -> Result<Größe, Error> {{ parse({n}) }} ").repeat(n % 7))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert!(is_worth_sharing(&texts));
    let model = StaticModel::bundled();
    let alone: Vec<Vec<f32>> = texts.iter().flat_map(|text| model.embed(&[text]).unwrap()).collect();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (vectors, rows) = pool.install(|| (model.embed(&texts).unwrap(), model.embed_quantised(&texts).unwrap()));
        assert_eq!(vectors, alone);
        for (at, text) in texts.iter().enumerate() {
            let single = model.embed_quantised(&[text]).unwrap();
            assert_eq!(rows.row(at), single.row(0));
            let (bytes, scale) = crate::quantise(&alone[at]);
            assert_eq!(rows.row(at), (&bytes[..], scale));
        }
    }
}

#[test]
fn time_is_linear_in_the_text() {
    // Quadratic steps would take minutes on any of these, so the limit can be wide enough for a busy machine.
    let megabyte = 1 << 20;
    for unit in ["x", "xq", "ж", "\u{301}", "\u{1b44}\u{302e}", "aB", "- ", &format!("{} ", "q".repeat(100)), "日"] {
        let text = unit.repeat(megabyte / unit.len());
        let start = Instant::now();
        StaticModel::bundled().embed(&[&text]).unwrap();
        assert!(start.elapsed() < Duration::from_secs(10), "{:?} took {:?}", &unit, start.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn pieces_are_those_of_the_plain_implementation(text in any::<String>()) {
        prop_assert_eq!(StaticModel::bundled().pieces(&text), plain_pieces(&text));
    }

    #[test]
    fn pieces_of_likely_texts_are_too(text in "([a-zA-Z]{1,12}|[0-9]{1,6}|[a-zéèüñ]{1,8}|[а-я]{1,6}|[あ-ん日本語]{1,4}|[ _.,:;()\n-]){0,40}") {
        prop_assert_eq!(StaticModel::bundled().pieces(&text), plain_pieces(&text));
    }
}
