//! The contextual model against its published references, and against itself.

use super::*;
use crate::simd::available;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct References {
    texts: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    ids: Vec<PieceId>,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str::<References>(include_str!("../model/context/reference.json")).unwrap().texts
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn is_unit(vector: &[f32]) -> bool {
    (dot(vector, vector) - 1.0).abs() < 1e-6
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// A text of so many tokens.
fn words(count: usize) -> String {
    let words = ["read", "the", "file", "list", "of", "names", "and", "sort", "them", "by", "size"];
    (0..count).map(|at| words[at * at % words.len()]).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_references_are_met() {
    // Rounding shows most where it is not averaged over tokens: the lowest of each is a text of one letter.
    let model = ContextModel::bundled();
    let references = references();
    assert_eq!(references.len(), 30);
    let mut cosines = Vec::new();
    for Reference { text, ids, vector } in &references {
        assert_eq!(&model.split(&[text])[0], ids, "{text}");
        let found = model.encode(&[text]).remove(0);
        if ids.is_empty() {
            assert_eq!(&found, vector, "{text}");
            continue;
        }
        assert!(is_unit(&found), "{text}");
        let cosine = cosine(&found, vector);
        assert!(cosine >= if ids.len() == 1 { 0.9993 } else { 0.9998 }, "{text}: {cosine}");
        cosines.push(cosine);
    }
    let lowest = cosines.iter().fold(1.0, |lowest: f64, &cosine| lowest.min(cosine));
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    println!("lowest {lowest:.6}, mean {mean:.6}");
    assert!(mean >= 0.99985, "{mean}");
}

#[test]
fn every_form_gives_the_same_bits() {
    let model = ContextModel::bundled();
    let mut texts: Vec<String> = references().into_iter().map(|reference| reference.text).collect();
    texts.extend([2, 15, 16, 17, 47, 48, 49, 95, 97, 200].map(words));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let plain = model.encode_as(Form::Portable, &texts);
    for form in available().into_iter().filter(|&form| form != Form::Portable) {
        assert!(model.encode_as(form, &texts) == plain, "{form:?}");
    }
}

#[test]
fn the_model_says_what_it_is() {
    let model = ContextModel::bundled();
    assert_eq!(model.model().as_str(), "ai-assist-encoder-2x256@1");
    assert_eq!(model.dim(), 256);
    assert_eq!(model.encode(&[]), Vec::<Vec<f32>>::new());
    assert_eq!(model.embed(&["x"]).unwrap(), model.encode(&["x"]));
}

#[test]
fn texts_without_pieces_give_zero() {
    let long = "x".repeat(101);
    let texts = ["", " \n", "\u{200b}", "🚀", &long, "\u{0}\u{1}\u{7f}"];
    let model = ContextModel::bundled();
    for text in texts {
        assert_eq!(model.encode(&[text]), [[0.0; 256]], "{text:?}");
    }
    assert_eq!(model.encode(&texts), [[0.0; 256]; 6]);
    assert_eq!(model.encode(&["", "a word", ""])[1], model.encode(&["a word"])[0]);
}

#[test]
fn the_first_256_tokens_count() {
    let model = ContextModel::bundled();
    let [fewer, all, more] = [255, 256, 1000].map(words);
    assert_eq!(model.split(&[&all])[0].len(), 256);
    let vectors = model.encode(&[&fewer, &all, &more]);
    assert_ne!(vectors[0], vectors[1]);
    assert_eq!(vectors[1], vectors[2]);
    // What is unknown takes no place.
    let unknown = format!("🚀 {} 🚀 {}", "x".repeat(101), all);
    assert_eq!(model.encode(&[&unknown])[0], vectors[1]);
}

#[test]
fn a_vector_does_not_depend_on_its_batch_or_on_threads() {
    let mut texts: Vec<String> = (0..30).map(|n| words(n * n % 83 * (1 + n % 12))).collect();
    texts.push(words(8000));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let backwards: Vec<&str> = texts.iter().rev().copied().collect();
    assert!(is_worth_sharing(&texts));
    let model = ContextModel::bundled();
    let alone: Vec<Vec<f32>> = texts.iter().flat_map(|text| model.encode(&[text])).collect();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (vectors, mut turned) = pool.install(|| (model.encode(&texts), model.encode(&backwards)));
        turned.reverse();
        assert!(vectors == alone && turned == alone, "{threads} threads");
    }
}

#[test]
fn batches_have_every_text_once_and_few_tokens() {
    let texts: Vec<Vec<PieceId>> = [0, 90, 6, 1, 0, 256, 0, 96, 97, 30, 30, 30, 30].map(|n| vec![7; n]).to_vec();
    assert_eq!(batches(&texts), [0..3, 3..5, 5..6, 6..8, 8..9, 9..12, 12..13]);
    assert_eq!(batches(&[]), []);
}

#[test]
fn hostile_texts_give_vectors() {
    let megabyte = 1 << 20;
    let model = ContextModel::bundled();
    let repeated = ["x", "xq ", "ж", "a\u{301}", "\u{1b44}\u{302e}", "aB", "- ", "日", "\u{0}", "\r\n\t", "\u{202e}a "]
        .map(|unit| unit.repeat(megabyte / unit.len()));
    let control: String = (0..0x300u32).filter_map(char::from_u32).collect();
    for text in repeated.iter().chain([&control]) {
        let vector = model.encode(&[text]).remove(0);
        assert!(vector == [0.0; 256] || is_unit(&vector), "{:?}", text.chars().next());
    }
}

#[test]
fn damaged_files_are_refused() {
    let refused = |files: Files| Weights::load(&files).err().unwrap().to_string();
    let files = || bundled_files();
    for (from, to, message) in [
        ("\"heads\": 4", "\"heads\": 8", "it asks for steps that are not implemented"),
        ("\"relu\"", "\"gelu\"", "it asks for steps that are not implemented"),
        ("\"layers\": 2", "\"layers\": 3", "it has no vector `layer2.norm1.w` of shape [256]"),
        ("\"i8_offset\": 65536", "\"i8_offset\": 99999999", "`weights.i8` can't be used: it has no room"),
        ("\"f32_offset\": 138496", "\"f32_offset\": 4611686018427387904", "`vectors.f32` can't be used"),
        ("{", "", "`config.json` can't be used"),
    ] {
        let config = files().config.replacen(from, to, 1);
        let found = refused(Files { config: config.leak(), ..files() });
        assert!(found.contains(message), "{message}: {found}");
    }
    let found = refused(Files { scales: &files().scales[..100], ..files() });
    assert!(found.contains("`scales.f32` can't be used: it has no room for"), "{found}");
}

/// `cargo nextest run --release -p ai-assist-embed --run-ignored only forms_are_timed --no-capture`
#[test]
#[ignore = "prints times"]
fn forms_are_timed() {
    let text = words(200);
    for form in available() {
        let model = ContextModel::bundled();
        let best = (0..30)
            .map(|_| {
                let start = std::time::Instant::now();
                model.encode_as(form, &[&text]);
                start.elapsed()
            })
            .min();
        println!("{form:?}: {best:?} for 200 tokens on one thread");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_a_vector_and_the_same_in_every_form(text in any::<String>()) {
        let model = ContextModel::bundled();
        let vector = model.encode(&[&text]).remove(0);
        prop_assert!(vector == [0.0; 256] || is_unit(&vector));
        prop_assert_eq!(vector, model.encode_as(Form::Portable, &[&text]).remove(0));
    }
}
