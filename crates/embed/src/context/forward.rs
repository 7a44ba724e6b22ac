//! The steps from pieces to vectors.

use crate::simd::Form;
use crate::simd::product::{ABREAST, LANES, multiply_bytes, multiply_words, pack_words};
use crate::simd::rows::*;
use crate::vocab::PieceId;

use super::weights::{Layer, Linear};
use super::{ContextModel, DIM, FFN, HEAD, HEADS};

/// Rows that go through a matrix together. What is between two matrices stays in the cache.
const ROWS: usize = 8 * ABREAST;

/// Rows of queries, keys and values, one behind the other.
const QKV: usize = 3 * DIM;

/// Memory that is used again from batch to batch. What is left in it from before is never read as a number that counts.
#[derive(Default)]
pub(super) struct Scratch {
    /// The state of each token.
    states: Vec<f32>,
    qkv: Vec<f32>,
    /// What attention gives for each token, all heads side by side.
    mixed: Vec<f32>,
    narrow: ByteRows,
    wide: ByteRows,
    rows: Vec<i16>,
    row_scales: Vec<f32>,
    products: Vec<i32>,
    head: Head,
}

/// One head of one text.
#[derive(Default)]
struct Head {
    queries: Vec<i16>,
    query_scales: Vec<f32>,
    keys: Vec<i16>,
    key_scales: Vec<f32>,
    packed_keys: Vec<i16>,
    packed_values: Vec<i16>,
    scores: Vec<i32>,
    weights: Vec<i16>,
    totals: Vec<f32>,
    products: Vec<i32>,
}

/// The first `length` places, of which there are as many as needed.
fn room<T: Copy + Default>(places: &mut Vec<T>, length: usize) -> &mut [T] {
    if places.len() < length {
        places.resize(length, T::default());
    }
    &mut places[..length]
}

/// Exactly `rows` rows.
fn resize(bytes: &mut ByteRows, rows: usize, width: usize) {
    bytes.values.resize(rows * width, 0);
    bytes.scales.resize(rows, 0.0);
}

fn padded(rows: usize) -> usize {
    rows.next_multiple_of(ABREAST)
}

impl ContextModel {
    /// One vector per text.
    pub(super) fn forward(&self, form: Form, texts: &[Vec<PieceId>], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let tokens = texts.iter().map(Vec::len).sum::<usize>();
        room(&mut scratch.states, tokens * DIM);
        room(&mut scratch.qkv, tokens * QKV);
        room(&mut scratch.mixed, tokens * DIM);
        self.start(form, texts, scratch);
        for layer in &self.weights.layers {
            project(form, layer, tokens, scratch);
            let mut first = 0;
            for text in texts {
                attend(form, first..first + text.len(), scratch);
                first += text.len();
            }
            finish(form, layer, tokens, scratch);
        }
        let mut states = &scratch.states[..];
        let vectors = texts.iter().map(|text| {
            let (own, rest) = states.split_at(text.len() * DIM);
            states = rest;
            self.vector(form, own)
        });
        vectors.collect()
    }

    /// States before the first layer: rows of the table through the input matrix, and positions.
    fn start(&self, form: Form, texts: &[Vec<PieceId>], scratch: &mut Scratch) {
        let input = &self.weights.input;
        let tokens = texts.iter().flat_map(|text| text.iter().copied().enumerate()).collect::<Vec<_>>();
        for (tokens, states) in tokens.chunks(ROWS).zip(scratch.states.chunks_mut(ROWS * DIM)) {
            let rows = room(&mut scratch.rows, padded(tokens.len()) * DIM);
            scratch.row_scales.clear();
            for ((&(position, id), row), state) in
                tokens.iter().zip(rows.chunks_exact_mut(DIM)).zip(states.chunks_exact_mut(DIM))
            {
                let (bytes, scale) = self.table.row(id);
                row.iter_mut().zip(bytes).for_each(|(word, &byte)| *word = i16::from(byte as i8));
                scratch.row_scales.push(scale);
                state.copy_from_slice(&self.weights.positions[position * DIM..][..DIM]);
            }
            let products = room(&mut scratch.products, padded(tokens.len()) * DIM);
            multiply_words(form, rows, &input.packed, DIM, products);
            let scaling = Scaling { rows: &scratch.row_scales, columns: &input.scales, bias: &input.bias };
            add_products(form, products, scaling, states);
        }
    }

    /// The vector of a text from the states of its tokens.
    fn vector(&self, form: Form, states: &[f32]) -> Vec<f32> {
        let mut vector = vec![0.0; DIM];
        if states.is_empty() {
            return vector;
        }
        let mut mean = [0.0; DIM];
        pool(form, states, &self.weights.final_norm, &mut mean);
        apply(form, &mean, &self.weights.out, &self.weights.out_bias, &mut vector);
        let square: f64 = vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        if square > 0.0 {
            let inverse = (1.0 / square.sqrt()) as f32;
            vector.iter_mut().for_each(|v| *v *= inverse);
        }
        vector
    }
}

/// The product of rows with a matrix, and what makes numbers of it.
fn product<'a>(
    form: Form,
    rows: &'a ByteRows,
    linear: &'a Linear,
    products: &'a mut Vec<i32>,
) -> (&'a [i32], Scaling<'a>) {
    let products = room(products, rows.scales.len() * linear.matrix.width());
    multiply_bytes(form, &rows.values, &linear.matrix, products);
    (products, Scaling { rows: &rows.scales, columns: &linear.scales, bias: &linear.bias })
}

/// Queries, keys and values of all tokens.
fn project(form: Form, layer: &Layer, tokens: usize, scratch: &mut Scratch) {
    let Scratch { states, qkv, narrow, products, .. } = scratch;
    let states = states[..tokens * DIM].chunks(ROWS * DIM);
    for (states, qkv) in states.zip(qkv[..tokens * QKV].chunks_mut(ROWS * QKV)) {
        resize(narrow, padded(states.len() / DIM), DIM);
        norm_to_bytes(form, states, &layer.norm1, narrow);
        let (products, scaling) = product(form, narrow, &layer.qkv, products);
        set_products(form, products, scaling, qkv);
    }
}

/// Mixes the values of the tokens of one text by attention.
fn attend(form: Form, tokens: std::ops::Range<usize>, scratch: &mut Scratch) {
    let count = tokens.len();
    let qkv = &scratch.qkv[tokens.start * QKV..tokens.end * QKV];
    let mixed = &mut scratch.mixed[tokens.start * DIM..tokens.end * DIM];
    let columns = count.next_multiple_of(LANES);
    let Head { queries, query_scales, keys, key_scales, packed_keys, packed_values, scores, weights, totals, products } =
        &mut scratch.head;
    let queries = room(queries, padded(count) * HEAD);
    let query_scales = room(query_scales, count);
    let keys = room(keys, count * HEAD);
    let key_scales = room(key_scales, columns);
    let packed_keys = room(packed_keys, columns * HEAD);
    let packed_values = room(packed_values, columns * HEAD);
    if count == 0 {
        return;
    }
    for head in 0..HEADS {
        let part = |of: usize| of * DIM + head * HEAD;
        to_words(form, qkv, QKV, part(0), &mut queries[..count * HEAD], query_scales);
        // Weights are powers of two here, and scores are divided by the root of the head's size.
        let unit = std::f32::consts::LOG2_E / (HEAD as f32).sqrt();
        query_scales.iter_mut().for_each(|scale| *scale *= unit);
        to_words(form, qkv, QKV, part(1), keys, &mut key_scales[..count]);
        pack_words(keys, HEAD, packed_keys);
        let mut largest = 0.0;
        largest_part(form, qkv, QKV, part(2), HEAD, &mut largest);
        let (inverse, value_scale) = steps(largest, VALUE_LIMIT);
        pack_values(form, qkv, QKV, part(2), HEAD, inverse, packed_values);

        let queries = queries.chunks(ROWS * HEAD).zip(query_scales.chunks(ROWS));
        for ((queries, query_scales), mixed) in queries.zip(mixed.chunks_mut(ROWS * DIM)) {
            let rows = queries.len() / HEAD;
            let scores = room(scores, rows * columns);
            multiply_words(form, queries, packed_keys, columns, scores);
            let weights = room(weights, rows * columns);
            let totals = room(totals, rows);
            soften(form, scores, query_scales, key_scales, count, weights, totals);
            let products = room(products, rows * HEAD);
            multiply_words(form, weights, packed_values, HEAD, products);
            for ((products, total), mixed) in products.chunks_exact(HEAD).zip(totals).zip(mixed.chunks_exact_mut(DIM)) {
                let scale = value_scale / *total;
                for (mixed, &product) in mixed[head * HEAD..][..HEAD].iter_mut().zip(products) {
                    *mixed = product as f32 * scale;
                }
            }
        }
    }
}

/// The rest of a layer, which looks at each token by itself.
fn finish(form: Form, layer: &Layer, tokens: usize, scratch: &mut Scratch) {
    let Scratch { states, mixed, narrow, wide, products, .. } = scratch;
    let mixed = mixed[..tokens * DIM].chunks(ROWS * DIM);
    for (states, mixed) in states[..tokens * DIM].chunks_mut(ROWS * DIM).zip(mixed) {
        let rows = padded(states.len() / DIM);
        resize(narrow, rows, DIM);
        to_bytes(form, mixed, DIM, narrow);
        let (sums, scaling) = product(form, narrow, &layer.o, products);
        add_products(form, sums, scaling, states);

        norm_to_bytes(form, states, &layer.norm2, narrow);
        let (sums, scaling) = product(form, narrow, &layer.f1, products);
        resize(wide, rows, FFN);
        relu_to_bytes(form, sums, scaling, wide);
        let (sums, scaling) = product(form, wide, &layer.f2, products);
        add_products(form, sums, scaling, states);
    }
}
