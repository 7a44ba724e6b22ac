//! The objects of a PDF around any bytes as a page's program, so that the reader of programs is reached at once: an error or a
//! text, never a panic.
//!
//! `cargo +nightly fuzz run pdfs`, from the root of the repository. Bytes before the first zero are the resources of the page.

#![no_main]

use ai_assist_convert::{Format, Limits, convert};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { max_unpacked: 16 << 20, max_text: 1 << 20, max_depth: 256 };

fuzz_target!(|bytes: &[u8]| {
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    let (resources, program) = bytes.split_at(cut);
    let mut file = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj \
        3 0 obj<</Type/Page/Contents 4 0 R/Resources<</Font<</F<</Subtype/Type1/BaseFont/Times>>>>"
        .to_vec();
    file.extend_from_slice(resources);
    file.extend_from_slice(b">>>>endobj 4 0 obj<<>>stream\nBT /F 9 Tf ");
    file.extend_from_slice(program);
    file.extend_from_slice(b"\nendstream endobj trailer<</Root 1 0 R>>");
    let _ = convert(Format::Pdf, &file, &LIMITS);
});
