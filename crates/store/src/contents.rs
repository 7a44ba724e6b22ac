//! Texts as they lie in the database: as they are, or compressed.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, get_frame_content_size};

use crate::error::{Error, Result};

/// On 8,000 source files level 3 took 4% less room than level 1 for 14% more time, level 4 another 3% for another 64%.
const LEVEL: i32 = 3;

/// Below this a frame's own header eats what is won.
const WORTH_PACKING: usize = 128;

const RAW: i64 = 0;
pub(crate) const ZSTD: i64 = 1;
/// A text that was found damaged while an object still names it. What is left of it stays, and is not read.
pub(crate) const LOST: i64 = 2;

thread_local! {
    // Setting up a context costs more than compressing a page of text, so each thread keeps its own.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// A text ready to be written. The raw form is the text itself, which its owner holds anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Packed {
    Raw,
    Zstd(Box<[u8]>),
}

impl Packed {
    pub(crate) fn pack(text: &str) -> Result<Packed> {
        if text.len() < WORTH_PACKING {
            return Ok(Packed::Raw);
        }
        let packed = COMPRESSOR.with_borrow_mut(|slot| compressor(slot)?.compress(text.as_bytes()));
        let packed = packed.map_err(Error::Compress)?;
        Ok(if packed.len() < text.len() { Packed::Zstd(packed.into_boxed_slice()) } else { Packed::Raw })
    }

    pub(crate) fn codec(&self) -> i64 {
        match self {
            Packed::Raw => RAW,
            Packed::Zstd(_) => ZSTD,
        }
    }

    /// The bytes to store for the text this was packed from.
    pub(crate) fn data<'a>(&'a self, text: &'a str) -> &'a [u8] {
        match self {
            Packed::Raw => text.as_bytes(),
            Packed::Zstd(bytes) => bytes,
        }
    }
}

fn compressor<'a>(slot: &'a mut Option<Compressor<'static>>) -> io::Result<&'a mut Compressor<'static>> {
    match slot {
        Some(ready) => Ok(ready),
        None => {
            let mut fresh = Compressor::new(LEVEL)?;
            // Four bytes a text, and a flipped bit is an error instead of a wrong answer.
            fresh.set_parameter(CParameter::ChecksumFlag(true))?;
            Ok(slot.insert(fresh))
        }
    }
}

/// The text behind a row of `contents`, or why it can't be had.
pub(crate) fn unpack(codec: i64, size: i64, data: &[u8]) -> Result<String, String> {
    let size = usize::try_from(size).map_err(|_| format!("a text of {size} bytes"))?;
    let bytes = match codec {
        RAW => data.to_vec(),
        ZSTD => DECOMPRESSOR.with_borrow_mut(|slot| {
            check_size(size, data)?;
            let decompressor = match slot {
                Some(ready) => ready,
                None => slot.insert(Decompressor::new().map_err(|error| error.to_string())?),
            };
            decompressor.decompress(data, size).map_err(|error| format!("a text does not unpack ({error})"))
        })?,
        LOST => return Err("a text that was lost".to_owned()),
        other => return Err(format!("a text packed with codec {other}, which this program does not know")),
    };
    if bytes.len() != size {
        return Err(format!("a text of {} bytes where {size} were stored", bytes.len()));
    }
    String::from_utf8(bytes).map_err(|_| "a text that is not UTF-8".to_owned())
}

/// Room for a text is made before it is unpacked, so what a damaged row says of its size must not be believed.
fn check_size(size: usize, frame: &[u8]) -> Result<(), String> {
    match get_frame_content_size(frame) {
        Ok(Some(held)) if held != size as u64 => Err(format!("a text of {held} bytes where {size} were stored")),
        // The best that zstd can do is 128 KiB in four bytes.
        Ok(Some(_)) if size >> 16 <= frame.len() => Ok(()),
        _ => Err("a text does not unpack (its frame is none)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> (Packed, Result<String, String>) {
        let packed = Packed::pack(text).unwrap();
        let unpacked = unpack(packed.codec(), text.len() as i64, packed.data(text));
        (packed, unpacked)
    }

    #[test]
    fn small_and_incompressible_texts_stay_as_they_are() {
        assert_eq!(round_trip("short").0, Packed::Raw);
        assert_eq!(round_trip("").1.unwrap(), "");
        // 170 different characters have nothing that repeats but their lead bytes; the result is whatever is smaller.
        let varied: String = (0..170u32).filter_map(|i| char::from_u32(0x4e00 + i * 97)).collect();
        assert_eq!(round_trip(&varied).1.unwrap(), varied);
        assert!(matches!(round_trip(&"again and ".repeat(100)).0, Packed::Zstd(bytes) if bytes.len() < 100));
    }

    #[test]
    fn damage_is_an_error_and_not_another_text() {
        let text = "a line that repeats\n".repeat(50);
        let Packed::Zstd(mut bytes) = Packed::pack(&text).unwrap() else { panic!("compressible") };
        assert!(unpack(ZSTD, text.len() as i64 - 1, &bytes).is_err());
        assert!(unpack(ZSTD, text.len() as i64 + 1, &bytes).is_err());
        assert!(unpack(7, text.len() as i64, &bytes).is_err());
        assert!(unpack(LOST, text.len() as i64, &bytes).is_err());
        // Sizes for which there is no room, with a frame that agrees, one that does not, and none.
        let huge = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0], &(i64::MAX - 1).to_le_bytes()[..], &[1, 0, 0]].concat();
        for frame in [&huge[..], &bytes[..], b"none", b""] {
            assert!(unpack(ZSTD, i64::MAX - 1, frame).is_err());
        }
        assert!(unpack(RAW, 2, b"\xff\xfe").is_err());
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            let read = unpack(ZSTD, text.len() as i64, &bytes);
            assert!(read.is_err() || read.unwrap() == text, "byte {at}");
            bytes[at] ^= 0x10;
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_packed_unpacks(text in "(\\PC{0,20}\n){0,40}", times in 1usize..20) {
            let text = text.repeat(times);
            proptest::prop_assert_eq!(round_trip(&text).1.unwrap(), text);
        }
    }
}
