//! Files that are made to do harm. Each is read by a worker, as it is in use: no crash, in time, within its memory, and an
//! error with a reason or what could be read.

use std::fmt::Write as _;
use std::io::Write as _;

use ai_assist_convert::{ConvertError, Format, Isolated};

use crate::{docx, zip};

fn isolated() -> Isolated {
    Isolated::new(env!("CARGO_BIN_EXE_convert-worker"), [""; 0])
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(data).unwrap();
    packer.finish().unwrap()
}

/// Objects with a trailer and no table of them.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut text = "%PDF-1.7\n".to_owned();
    for (n, object) in objects.iter().enumerate() {
        writeln!(text, "{} 0 obj {object} endobj", n + 1).unwrap();
    }
    text.push_str("trailer <</Root 1 0 R>>");
    text.into_bytes()
}

/// One page with these objects after those of the page; its content is object 4.
fn page(more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 5 0 R>>",
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

const FONT: &str = "<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</X 6 0 R/Y 6 0 R>>>>";

fn stream(content: &str) -> String {
    format!("<</Length {}>>stream\n{content}\nendstream", content.len())
}

/// A page whose content is a packed stream.
fn packed_page(content: &[u8], filter: &str) -> Vec<u8> {
    let mut file = page(&[]);
    file.truncate(file.len() - "trailer <</Root 1 0 R>>".len());
    file.extend(format!("4 0 obj <</Length {}/Filter{filter}>>stream\n", content.len()).into_bytes());
    file.extend_from_slice(content);
    file.extend(format!("\nendstream endobj 5 0 obj {FONT} endobj trailer <</Root 1 0 R>>").into_bytes());
    file
}

fn hostile_pdfs() -> Vec<(&'static str, Vec<u8>)> {
    let text = stream("BT /F 12 Tf 50 700 Td (found) Tj ET");
    let twice = stream("/X Do /Y Do BT /F 12 Tf 50 700 Td (found) Tj ET");
    let form = "<</Subtype/Form/Resources 5 0 R/Length 11>>stream\n/X Do /Y Do\nendstream".to_string();
    let bomb = deflated(&vec![b' '; 200 << 20]);
    let nested = deflated(&bomb);
    let overlapping: String = (1..200_000).fold(String::from("%PDF-1.4\n"), |mut text, n| {
        write!(text, "{n} 0 obj (").unwrap();
        text
    });
    let kids: String = (0..100_000).fold(String::new(), |mut text, _| {
        text.push_str("3 0 R ");
        text
    });
    vec![
        ("forms that draw themselves", page(&[&twice, FONT, &form])),
        ("reference loop", pdf(&["2 0 R", "3 0 R", "1 0 R"])),
        (
            "page tree cycle",
            pdf(&["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 3 0 R]>>", "<</Type/Pages/Kids[2 0 R]>>"]),
        ),
        (
            "one page a hundred thousand times",
            pdf(&["<</Type/Catalog/Pages 2 0 R>>", &format!("<</Type/Pages/Kids[{kids}]>>"), "<</Type/Page>>"]),
        ),
        (
            "length that is its own stream",
            page(&["<</Length 4 0 R>>stream\nBT /F 12 Tf (found) Tj ET\nendstream", FONT]),
        ),
        (
            "xref loop",
            b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f\ntrailer<</Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF".to_vec(),
        ),
        ("xref past the end", b"%PDF-1.4\nstartxref\n99999999999999999999\n%%EOF".to_vec()),
        ("negative xref", b"%PDF-1.4\nstartxref\n-5\n%%EOF".to_vec()),
        ("deflate bomb", packed_page(&bomb, "/FlateDecode")),
        ("bomb in a bomb", packed_page(&nested, "[/FlateDecode/FlateDecode]")),
        ("many filters", packed_page(b"", &format!("[{}]", "/ASCIIHexDecode".repeat(10_000)))),
        ("deep arrays", page(&[&stream(&"[".repeat(1 << 20)), FONT])),
        ("deep dictionaries", pdf(&[&"<</A ".repeat(1 << 20)])),
        ("states without end", page(&[&stream(&"q ".repeat(1 << 20)), FONT])),
        (
            "huge numbers",
            page(&[
                &stream("BT /F 1e99 Tf 99999999999999999999999999 -9e999 Td 1 0 0 1 1e308 1e308 cm (found) Tj ET"),
                FONT,
            ]),
        ),
        (
            "predictor of huge rows",
            packed_page(&deflated(b"abc"), "/FlateDecode/DecodeParms<</Predictor 15/Columns 2147483647/Colors 99999>>"),
        ),
        ("objects that overlap", overlapping.into_bytes()),
        ("only a head", b"%PDF-1.7".to_vec()),
        ("zeros", [b"%PDF-1.7".to_vec(), vec![0; 1 << 20]].concat()),
        ("a text and garbage", [page(&[&text, FONT]), vec![0xfe; 1 << 16]].concat()),
    ]
}

fn hostile_documents() -> Vec<(&'static str, Vec<u8>)> {
    let laughs: String = (1..12).fold("<!DOCTYPE a [<!ENTITY e0 \"ha\">".to_owned(), |mut text, n| {
        write!(text, "<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)).unwrap();
        text
    });
    let deep = |name: &str, depth: usize| {
        format!("{}x{}", format!("<{name}>").repeat(depth), format!("</{name}>").repeat(depth))
    };
    let table = |depth: usize| {
        format!(
            "<w:document>{}x{}</w:document>",
            "<w:tbl><w:tr><w:tc><w:p/>".repeat(depth),
            "</w:tc></w:tr></w:tbl>".repeat(depth)
        )
    };
    vec![
        (
            "billion laughs",
            docx(&format!(
                "{laughs}]><w:document><w:body><w:p><w:r><w:t>&e11;</w:t></w:r></w:p></w:body></w:document>"
            )),
        ),
        ("external entity", docx("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>")),
        ("100,000 levels", docx(&deep("w:p", 100_000))),
        ("levels of tables", docx(&table(50_000))),
        ("a million attributes", docx(&format!("<w:p {}/>", "a=\"1\" ".repeat(1_000_000)))),
        ("cut off", docx("<w:document><w:body><w:p><w:r><w:t>text")),
        ("no main part", zip(&[("[Content_Types].xml", b"<Types/>"), ("word/other.xml", b"<a/>")])),
    ]
}

fn reason(outcome: &Result<String, ConvertError>) -> &'static str {
    match outcome {
        Ok(_) => "text",
        Err(ConvertError::Malformed { .. }) => "malformed",
        Err(ConvertError::Encrypted) => "encrypted",
        Err(ConvertError::NoText(_)) => "no text",
        Err(ConvertError::TooLarge { .. }) => "too large",
        Err(ConvertError::Broke(_)) => "broke",
    }
}

#[test]
fn pdfs() {
    let isolated = isolated();
    for (name, bytes) in hostile_pdfs() {
        let started = std::time::Instant::now();
        let outcome = isolated.convert(Format::Pdf, &bytes).map(|converted| converted.text);
        assert!(started.elapsed().as_secs() < 10, "{name} took {:?}", started.elapsed());
        // The limits of the reader hold by themselves: none needs the worker to be killed.
        assert_ne!(reason(&outcome), "broke", "{name}: {outcome:?}");
        match name {
            "a text and garbage" | "length that is its own stream" => {
                assert!(outcome.unwrap().contains("found"), "{name}");
            }
            "deflate bomb" | "bomb in a bomb" => assert_ne!(reason(&outcome), "text", "{name}"),
            "reference loop" | "page tree cycle" | "xref loop" | "only a head" | "zeros" => {
                assert_eq!(reason(&outcome), "malformed", "{name}: {outcome:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn office() {
    let isolated = isolated();
    for (name, bytes) in hostile_documents() {
        let outcome = isolated.convert(Format::Docx, &bytes).map(|converted| converted.text);
        let expected = if name == "a million attributes" { "no text" } else { "malformed" };
        assert_eq!(reason(&outcome), expected, "{name}: {outcome:?}");
    }
}

/// What nests as deep as it may is read on the stack of a common thread.
#[test]
fn the_deepest_nesting_that_is_allowed_is_read() {
    let inner = "<w:tbl><w:tr><w:tc>".repeat(84);
    let outer = "</w:tc></w:tr></w:tbl>".repeat(84);
    let text = crate::convert(
        "a.docx",
        &docx(&format!("<w:document>{inner}<w:p><w:r><w:t>deep</w:t></w:r></w:p>{outer}</w:document>")),
    );
    // The inner row makes it one level too many or just fits; both are answers.
    assert!(
        matches!(&text, Ok(text) if text.contains("deep")) || matches!(text, Err(ConvertError::Malformed { .. })),
        "{text:?}"
    );
}

/// An archive whose entries are all the same packed bytes, and one whose only entry is a bomb.
#[test]
fn zip_bombs() {
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    raw.write_all(&vec![b'a'; 300 << 20]).unwrap();
    let packed = raw.finish().unwrap();
    let mut bomb = zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", &packed)]);
    // The method of both headers of the last entry becomes deflate.
    for mark in [&b"PK\x03\x04"[..], b"PK\x01\x02"] {
        let at = bomb.windows(4).rposition(|window| window == mark).unwrap();
        bomb[at + if mark[2] == 3 { 8 } else { 10 }] = 8;
    }
    let outcome = isolated().convert(Format::Docx, &bomb).map(|converted| converted.text);
    assert_eq!(reason(&outcome), "too large", "{outcome:?}");
}
