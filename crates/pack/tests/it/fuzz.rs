//! Packs that somebody tampered with: no panic, no runaway memory or stack, and what can be read can be written again.
//!
//! `fuzz/` does the same with libFuzzer for as long as one likes; this is a fixed number of rounds for every test run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ai_assist_base::Cancel;
use ai_assist_pack::types::ContextPack;
use ai_assist_pack::{Format, FullPackBuilder, SummaryPackBuilder, Survey, TokenCounter, deserialize, render};
use ai_assist_syntax::SyntaxCache;

use crate::tree::{packed, scanned, tree};

/// For each pack and format.
const ROUNDS: usize = 15_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % (end.max(1) as u64)).unwrap()
    }
}

fn packs() -> [ContextPack; 2] {
    let folder = tree(&[
        ("package.json", "{\"name\":\"orders\",\"dependencies\":{\"express\":\"4\"}}"),
        ("index.js", "const app = require('express')();\napp.get('/items', (req, res) => res.send([]));\n"),
        ("src/größe.ts", "export function f(): string { return `\"</file>` }\n"),
        ("logo.bin", "\0\u{1}\u{2}"),
    ]);
    let snapshot = scanned(folder.path());
    let full = packed(&snapshot, &FullPackBuilder { count_tokens: true, ..FullPackBuilder::default() });
    let survey = Survey::new(&snapshot, None, &SyntaxCache::default(), &Cancel::default()).unwrap();
    let summary = SummaryPackBuilder {
        survey: &survey,
        manifest: survey.manifest_input(),
        selection_reason: "It was asked for.".to_owned(),
        reproducible: false,
        count_tokens: true,
        max_content_bytes: None,
        room: None,
    };
    [full.into(), summary.build(&snapshot, &TokenCounter::new()).unwrap().into()]
}

/// Reads bytes, and if they are a pack writes it in every format and reads it again.
fn try_bytes(bytes: &[u8], format: Format) -> bool {
    let Ok(pack) = deserialize(bytes, format) else { return false };
    for format in [Format::Json, Format::MessagePack, Format::Markdown, Format::Xml] {
        let written = render(&pack, format).unwrap();
        if matches!(format, Format::Json | Format::MessagePack) {
            assert_eq!(deserialize(&written, format).unwrap(), pack, "{format:?}");
        }
    }
    true
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
        2 => bytes.truncate(at),
        3 => {
            let end = (at + random.below(64)).min(bytes.len());
            let slice = bytes[at..end].to_vec();
            let place = random.below(bytes.len());
            bytes.splice(place..place, slice);
        }
        4 => {
            let end = (at + random.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        // The beginnings of MessagePack's long strings, binaries, arrays and maps, with four gigabytes to come.
        5 => {
            let mark = [0xdb, 0xc6, 0xdd, 0xdf, 0xc9][random.below(5)];
            bytes.splice(at..at, [mark, 0xff, 0xff, 0xff, 0xff]);
        }
        6 => {
            let end = (at + 5).min(bytes.len());
            bytes[at..end].fill(0xff);
        }
        _ => {
            let digits = [&b"18446744073709551616"[..], b"-1", b"1e999", b"null", b"\"\\ud800\"", b"{}", b"[]"];
            bytes.splice(at..at, digits[random.below(digits.len())].iter().copied());
        }
    }
}

#[test]
fn tampered_packs_are_refused_or_read_never_a_panic() {
    let mut random = Random(0x5eed);
    for pack in packs() {
        for format in [Format::Json, Format::MessagePack] {
            let whole = render(&pack, format).unwrap();
            assert!(try_bytes(&whole, format));
            let mut read = 0;
            for round in 0..ROUNDS {
                let mut bytes = whole.clone();
                for _ in 0..=random.below(4) {
                    if !bytes.is_empty() {
                        mutate(&mut random, &mut bytes);
                    }
                }
                let done = catch_unwind(AssertUnwindSafe(|| try_bytes(&bytes, format)));
                assert!(done.is_ok(), "{format:?}, round {round}: {:?}", String::from_utf8_lossy(&bytes));
                read += usize::from(done.unwrap());
            }
            // Else the rounds say nothing about writing.
            assert!(read > ROUNDS / 50, "{format:?}: only {read} could be read");
        }
    }
}

#[test]
fn nothing_is_too_deep() {
    for depth in [100, 2000, 1_000_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"type\":\"full\",\"manifest\":", "}")] {
            let text = open.repeat(depth) + "1" + &close.repeat(depth);
            assert!(deserialize(text.as_bytes(), Format::Json).is_err());
            let inside = format!("{{\"type\":\"full\",\"unknown\":{text}}}");
            assert!(deserialize(inside.as_bytes(), Format::Json).is_err());
        }
        // An array of one, a map of one with a nil key, an array in the place of an unknown field.
        for mark in [&[0x91][..], &[0x81, 0xc0], &[0x82, 0xa1, b'x']] {
            let bytes = mark.repeat(depth);
            assert!(deserialize(&bytes, Format::MessagePack).is_err());
        }
    }
}

#[test]
fn a_length_is_no_reason_to_take_memory() {
    // A map of four thousand million entries, a string of four gigabytes, and the same inside a field.
    for bytes in [
        &[0xdf, 0xff, 0xff, 0xff, 0xff][..],
        &[0xdd, 0xff, 0xff, 0xff, 0xff],
        &[0xdb, 0xff, 0xff, 0xff, 0xff],
        &[0x82, 0xa4, b't', b'y', b'p', b'e', 0xdb, 0xff, 0xff, 0xff, 0xff],
        &[0x82, 0xa4, b't', b'y', b'p', b'e', 0xa4, b'f', b'u', b'l', b'l', 0xa1, b'x', 0xdd, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert!(deserialize(bytes, Format::MessagePack).is_err());
    }
    assert!(peak_kilobytes().is_none_or(|peak| peak < 1 << 20), "{:?} kB", peak_kilobytes());
}

/// The most memory this process ever had.
fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}
