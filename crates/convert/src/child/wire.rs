//! Requests to a worker and its answers, framed by their lengths.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::{ConvertError, Converted, Format, Limits};

/// A document that is larger is not sent.
pub(super) const MAX_REQUEST: u64 = 256 << 20;
/// Longer reasons are no reasons.
const MAX_REASON: u64 = 64 << 10;

/// A document to convert.
pub(super) struct Request<'a> {
    pub(super) format: Format,
    pub(super) limits: Limits,
    pub(super) bytes: &'a [u8],
}

pub(super) struct OwnedRequest {
    pub(super) format: Format,
    pub(super) limits: Limits,
    pub(super) bytes: Vec<u8>,
}

pub(super) struct Response(pub(super) Result<Converted, ConvertError>);

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn read_u64(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_frame(input: &mut impl Read, max: u64) -> io::Result<Vec<u8>> {
    let length = read_u64(input)?;
    if length > max {
        return Err(invalid("a frame is too long"));
    }
    let mut bytes = Vec::new();
    // The length is not trusted with memory before the bytes are here.
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

fn read_text(input: &mut impl Read, max: u64) -> io::Result<String> {
    String::from_utf8(read_frame(input, max)?).map_err(|_| invalid("a text is not UTF-8"))
}

fn write_frame(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    output.write_all(&(bytes.len() as u64).to_le_bytes())?;
    output.write_all(bytes)
}

impl Request<'_> {
    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Limits { max_unpacked, max_text, max_depth } = self.limits;
        let mut head = vec![self.format as u8];
        for number in [max_unpacked, max_text as u64, max_depth as u64] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        output.write_all(&head)?;
        write_frame(output, self.bytes)?;
        output.flush()
    }
}

/// The next request, or nothing if there is none any more.
pub(super) fn read_request(input: &mut impl Read) -> io::Result<Option<OwnedRequest>> {
    let mut format = [0];
    if input.read(&mut format)? == 0 {
        return Ok(None);
    }
    let format =
        Format::ALL.into_iter().find(|known| *known as u8 == format[0]).ok_or_else(|| invalid("no such format"))?;
    let [max_unpacked, max_text, max_depth] = [read_u64(input)?, read_u64(input)?, read_u64(input)?];
    let limits = Limits { max_unpacked, max_text: max_text as usize, max_depth: max_depth as usize };
    Ok(Some(OwnedRequest { format, limits, bytes: read_frame(input, MAX_REQUEST)? }))
}

pub(super) fn write_answer(output: &mut impl Write, answer: &Result<Converted, ConvertError>) -> io::Result<()> {
    let (kind, first, second, number) = match answer {
        Ok(converted) => (0, &*converted.text, "", 0),
        Err(ConvertError::Malformed { format, detail }) => (1, *format, &**detail, 0),
        Err(ConvertError::Encrypted) => (2, "", "", 0),
        Err(ConvertError::NoText(hint)) => (3, *hint, "", 0),
        Err(ConvertError::TooLarge { what, limit }) => (4, *what, "", *limit),
        Err(ConvertError::Broke(reason)) => (5, &**reason, "", 0),
    };
    output.write_all(&[kind])?;
    write_frame(output, first.as_bytes())?;
    write_frame(output, second.as_bytes())?;
    output.write_all(&number.to_le_bytes())?;
    output.flush()
}

impl Response {
    pub(super) fn read(input: &mut impl Read, request: &Request) -> io::Result<Response> {
        let mut kind = [0];
        input.read_exact(&mut kind)?;
        // A note that a text was cut stands within the limit.
        let max = if kind[0] == 0 { request.limits.max_text as u64 } else { MAX_REASON };
        let first = read_text(input, max.max(MAX_REASON))?;
        let second = read_text(input, MAX_REASON)?;
        let limit = read_u64(input)?;
        Ok(Response(match kind[0] {
            0 => Ok(Converted { text: first, converter: request.format.converter() }),
            1 => Err(ConvertError::Malformed { format: interned(&first), detail: second }),
            2 => Err(ConvertError::Encrypted),
            3 => Err(ConvertError::NoText(interned(&first))),
            4 => Err(ConvertError::TooLarge { what: interned(&first), limit }),
            5 => Err(ConvertError::Broke(first)),
            _ => return Err(invalid("no such answer")),
        }))
    }
}

/// A word of a reason. They are constants of this crate, of which a worker sends the text; as one may have been taken over,
/// it can't make this process keep more than a few of its own.
fn interned(text: &str) -> &'static str {
    static KNOWN: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(text) {
        return known;
    }
    if known.len() >= 200 || text.len() > 200 {
        return "";
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_survive_the_wire() {
        let request = Request { format: Format::Odt, limits: Limits::default(), bytes: b"abc" };
        let mut sent = Vec::new();
        request.write(&mut sent).unwrap();
        let mut input = &sent[..];
        let read = read_request(&mut input).unwrap().unwrap();
        assert_eq!((read.format, &*read.bytes, read.limits.max_text), (Format::Odt, &b"abc"[..], 16 << 20));
        assert!(read_request(&mut input).unwrap().is_none());

        let answers = [
            Ok(Converted { text: "# é".into(), converter: "odt/2" }),
            Err(ConvertError::Malformed { format: "zip", detail: "why".into() }),
            Err(ConvertError::Encrypted),
            Err(ConvertError::NoText("hint")),
            Err(ConvertError::TooLarge { what: "bytes", limit: 7 }),
            Err(ConvertError::Broke("so".into())),
        ];
        for answer in answers {
            let mut sent = Vec::new();
            write_answer(&mut sent, &answer).unwrap();
            assert_eq!(Response::read(&mut &sent[..], &request).unwrap().0, answer);
            // Cut anywhere it is an error, not a shorter answer.
            for end in 0..sent.len() {
                assert!(Response::read(&mut &sent[..end], &request).is_err());
            }
        }
    }

    #[test]
    fn lengths_of_a_worker_are_not_believed() {
        let request = Request { format: Format::Pdf, limits: Limits::default(), bytes: b"" };
        let mut huge = vec![0u8];
        huge.extend_from_slice(&u64::MAX.to_le_bytes());
        assert!(Response::read(&mut &huge[..], &request).is_err());
        assert!(Response::read(&mut &[9u8; 100][..], &request).is_err());
    }
}
