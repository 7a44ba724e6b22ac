//! Any bytes, read as a document of any format: an error or a text within its limit, never a panic.
//!
//! `cargo +nightly fuzz run documents fuzz/corpus/documents crates/convert/tests/fixtures`, from the root of the repository.
//! The first byte says which format is meant; the rest is also offered to detection.

#![no_main]

use ai_assist_convert::{Format, Limits, convert};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { max_unpacked: 16 << 20, max_text: 1 << 20, max_depth: 256 };

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let meant = Format::ALL[usize::from(*first) % Format::ALL.len()];
    let detected = Format::detect("upload", bytes).map(|format| (format, bytes));
    for (format, bytes) in [(meant, rest)].into_iter().chain(detected) {
        if let Ok(converted) = convert(format, bytes, &LIMITS) {
            assert!(converted.text.len() <= LIMITS.max_text);
        }
    }
});
