//! Any bytes, read as a pack: an error or a pack, never a panic; and a pack can be written in every format and read again.
//!
//! `cargo +nightly fuzz run packs`, from the root of the repository. Its first byte says whether an input is JSON or
//! MessagePack.

#![no_main]

use ai_assist_pack::{Format, deserialize, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let format = if first % 2 == 0 { Format::Json } else { Format::MessagePack };
    let Ok(pack) = deserialize(bytes, format) else { return };
    for format in [Format::Json, Format::MessagePack, Format::Markdown, Format::Xml] {
        let written = render(&pack, format).expect("a pack that was read can be written");
        if matches!(format, Format::Json | Format::MessagePack) {
            assert_eq!(deserialize(&written, format).expect("what was written can be read"), pack);
        }
    }
});
