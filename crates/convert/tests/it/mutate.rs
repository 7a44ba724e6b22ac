//! Real files with a few bytes changed, for as long as `AI_ASSIST_FUZZ_SECONDS` says: an error or a text, never a panic, and
//! never for long. `AI_ASSIST_FUZZ_FILES` names a folder of more files to change. libFuzzer does more of the same (`fuzz/`), but needs
//! nightly.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use ai_assist_convert::{Format, Limits, convert, place};
use proptest::prelude::*;

use crate::html_pages::{pages, unpacked};
use crate::{fixture, zip};

const SEEDS: &[&str] = &[
    "paper.pdf", "paper-objstm.pdf", "encrypted-rc4-128.pdf", "encrypted-aes-256.pdf", "manual.docx", "deck.pptx",
    "readings.xlsx", "formulas.xlsx", "garden.odt",
];

/// Formats that are text: small files of each.
const TEXTS: &[(&str, &str)] = &[
    (
        "a.html",
        "<html><body><main><h1>T</h1><p>x <b>y</b></p><table><tr><td>1</td></tr></table><pre>c</pre></main></body></html>",
    ),
    (
        "a.ipynb",
        r#"{"cells":[{"cell_type":"markdown","source":["x T"]},{"cell_type":"code","source":"x","outputs":[]}],"nbformat":4}"#,
    ),
    ("a.1", ".TH A 1\n.SH NAME\na \\- b\n.SH OPTIONS\n.TP\n.B \\-x\nto x\n"),
    (
        "a.json",
        r#"{"openapi":"3.0.0","info":{"title":"T"},"paths":{"/x":{"get":{"summary":"s","responses":{"200":{"description":"d"}}}}}}"#,
    ),
    (
        "b.json",
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}}}"#,
    ),
    (
        "b.1",
        ".Dd May 1, 2030\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Sh OPTIONS\n.Bl -tag -width x\n.It Fl x Ar y\nto x\n.El\n",
    ),
    ("a.eml", "From: a@example.org\nSubject: =?utf-8?q?x?=\nContent-Type: text/plain\n\nHello\n"),
    (
        "b.eml",
        "Subject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n\
         PHA+eDwvcD4=\n--b\nContent-Type: message/rfc822\n\nSubject: t\n\nx=3D\n--b--\n",
    ),
    (
        "a.tex",
        "\\documentclass{article}\\begin{document}\\section{A}\\begin{itemize}\\item x\\end{itemize}\\end{document}",
    ),
];

/// Words that matter in these formats: changes made of them get further than random bytes.
const WORDS: &[&[u8]] = &[
    b"obj", b"endobj", b"stream", b"endstream", b"xref", b"trailer", b"<<", b">>", b"[", b"]", b"(", b")", b"/Length",
    b"/Kids", b"/Prev", b"0 R", b"1 0 R", b"99999999999", b"-1", b"\xff\xff\xff\xff", b"\0\0\0\0", b"PK\x03\x04",
    b"PK\x01\x02", b"PK\x05\x06", b"<w:p>", b"</w:p>", b"<", b">", b"&", b"\\", b"\n", b"\r\n", b"\xf0\x9f\x98\x80",
    b"\xc3", b"`", b"|", b"{", b"}",
];

fn epub() -> Vec<u8> {
    let package = "<package><metadata><title>T</title></metadata><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>\
                   </manifest><spine><itemref idref=\"a\"/></spine></package>";
    zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", b"<container><rootfiles><rootfile full-path=\"b.opf\"/></rootfiles></container>"),
        ("b.opf", package.as_bytes()),
        ("a.xhtml", b"<html><body><h1>One</h1><p>text &amp; <i>more</i></p><ul><li>x</li></ul></body></html>"),
    ])
}

/// What is changed: the fixtures, small texts, saved pages, and the files of a folder that is named.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds: Vec<(String, Vec<u8>)> = SEEDS.iter().map(|name| ((*name).to_owned(), fixture(name))).collect();
    seeds.push(("plain.pdf".into(), unpacked_pdf(&fixture("paper.pdf"))));
    seeds.push(("book.epub".into(), epub()));
    seeds.extend(TEXTS.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())));
    seeds.extend(pages().iter().step_by(8).map(|page| ("page.html".to_owned(), unpacked(page))));
    if let Some(folder) = std::env::var_os("AI_ASSIST_FUZZ_FILES") {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            seeds.push((path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()));
        }
    }
    seeds
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = random.next() as u8,
            3 => bytes.truncate(at),
            4 => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                let word = WORDS[random.below(WORDS.len())];
                let end = (at + word.len()).min(bytes.len());
                bytes.splice(at..end, word.iter().copied());
            }
            6 => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            _ => {
                let end = (at + random.below(256)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
        }
    }
}

/// What is inside of an archive is packed; a change of it would only break its checksum. So the parts are changed, and put
/// into a new archive.
fn repacked(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut parts = entries(bytes)?;
    let at = random.below(parts.len());
    mutate(&mut parts[at].1, random);
    let entries: Vec<(&str, &[u8])> = parts.iter().map(|(name, data)| (&**name, &**data)).collect();
    Some(zip(&entries))
}

fn entries(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let u16_at = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let u32_at = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let mut at = u32_at(end + 16)?;
    let mut parts = Vec::new();
    for _ in 0..u16_at(end + 10)? {
        let (method, packed, offset) = (u16_at(at + 10)?, u32_at(at + 20)?, u32_at(at + 42)?);
        let (name, extra, comment) = (u16_at(at + 28)?, u16_at(at + 30)?, u16_at(at + 32)?);
        let label = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned();
        let start = offset + 30 + u16_at(offset + 26)? + u16_at(offset + 28)?;
        let data = bytes.get(start..start + packed)?;
        let mut plain = Vec::new();
        if method == 8 {
            std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(data), &mut plain).ok()?;
        } else {
            plain = data.to_vec();
        }
        parts.push((label, plain));
        at += 46 + name + extra + comment;
    }
    (!parts.is_empty()).then_some(parts)
}

/// The streams of a PDF are packed as well: they are put in unpacked, and the lengths left wrong, which is a change too.
fn unpacked_pdf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(start) = rest.windows(7).position(|window| window == b"stream\n") {
        let (head, body) = rest.split_at(start + 7);
        let Some(end) = body.windows(9).position(|window| window == b"endstream") else { break };
        let mut plain = Vec::new();
        let done = std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&body[..end]), &mut plain);
        if done.is_ok() {
            let head = String::from_utf8_lossy(head).replace("/FlateDecode", "/Crypt");
            out.extend_from_slice(head.as_bytes());
            out.extend_from_slice(&plain);
        } else {
            out.extend_from_slice(head);
            out.extend_from_slice(&body[..end]);
        }
        rest = &body[end..];
    }
    out.extend_from_slice(rest);
    out
}

/// Converts and checks what holds of every outcome.
fn check(name: &str, bytes: &[u8], limits: &Limits) {
    let Some(format) = Format::detect(name, bytes) else { return };
    let started = Instant::now();
    if let Ok(converted) = convert(format, bytes, limits) {
        assert!(converted.text.len() <= limits.max_text, "{} bytes of text", converted.text.len());
        assert!(!converted.text.trim().is_empty(), "an empty text");
        let _ = place::at(&converted.text, converted.text.len() / 2);
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "it took {took:?}");
}

#[test]
fn changed_files_are_text_or_an_error() {
    let seconds = std::env::var("AI_ASSIST_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let seed = std::env::var("AI_ASSIST_FUZZ_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0x9e37_79b9_7f4a_7c15_u64);
    let seeds = seeds();
    for (name, bytes) in &seeds {
        assert!(Format::detect(name, bytes).is_some() || TEXTS.iter().any(|(text, _)| text == name), "{name}");
    }
    let limits = Limits { max_text: 1 << 20, ..Limits::default() };
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    let mut round = 0u64;
    while Instant::now() < deadline {
        let mut random = Random(seed.wrapping_add(round.wrapping_mul(0x2545_f491_4f6c_dd1d)) | 1);
        random.next();
        let (name, bytes) = &seeds[random.below(seeds.len())];
        let parts = if random.below(4) > 0 { repacked(bytes, &mut random) } else { None };
        let changed = parts.unwrap_or_else(|| {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut random);
            bytes
        });
        if catch_unwind(|| check(name, &changed, &limits)).is_err() {
            let kept = std::env::temp_dir().join(format!("convert-{round}-{name}"));
            std::fs::write(&kept, &changed).unwrap();
            panic!("round {round} of seed {seed}: {} breaks it", kept.display());
        }
        round += 1;
    }
    eprintln!("{round} changed files");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_text_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..2000), head in 0usize..6) {
        let heads: [&[u8]; 6] = [b"%PDF-1.7\n", b"PK\x03\x04", b"<html>", b"{", b".TH a 1\n", b""];
        let bytes = [heads[head], &bytes].concat();
        for name in ["a.pdf", "a.docx", "a.xlsx", "a.odt", "a.html", "a.ipynb", "a.1", "a.json", "a.eml", "a.tex", "a.epub"] {
            check(name, &bytes, &Limits::default());
        }
        for format in Format::ALL {
            let _ = convert(format, &bytes, &Limits::default());
        }
    }
}
