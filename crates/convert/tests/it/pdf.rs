use ai_assist_convert::{ConvertError, Format, place};

use crate::{convert, fixture};

/// Words of a passage carry numbers in their order: `two17`.
fn assert_in_order(text: &str, name: &str, count: usize) {
    let numbers: Vec<usize> =
        text.split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.strip_prefix(name)?.parse().ok()).collect();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>(), "{name}");
}

#[test]
fn columns_are_read_in_order_with_headings_lists_and_pages() {
    for name in ["paper.pdf", "paper-objstm.pdf"] {
        let text = convert(name, &fixture(name)).unwrap();
        for (passage, count) in [("one", 90), ("two", 90), ("three", 150), ("four", 900)] {
            assert_in_order(&text, passage, count);
        }
        for line in ["# Pumps in Practice", "- first point", "- second point"] {
            assert!(text.lines().any(|found| found == line), "{name} has no {line:?}: {}", &text[..2000]);
        }
        let heading = |title: &str| {
            text.lines().any(|line| line.starts_with('#') && line.trim_start_matches('#').trim() == title)
        };
        assert!(heading("Introduction") && heading("Results"), "{}", &text[..2000]);
        assert!(text.contains("This abstract stands across both columns of the page."));
        let at = |word: &str| place::at(&text, text.find(word).unwrap());
        assert_eq!((at("one0 "), at("four899 ")), (Some("page 1"), Some("page 5")));
        // Page numbers are no text.
        assert!(!text.contains("-2-"), "{text}");
    }
}

#[test]
fn files_that_anyone_may_open_are_opened() {
    for name in ["encrypted-rc4-40.pdf", "encrypted-rc4-128.pdf", "encrypted-aes-128.pdf", "encrypted-aes-256.pdf"] {
        let text = convert(name, &fixture(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_in_order(&text, "one", 90);
    }
    assert_eq!(convert("locked.pdf", &fixture("locked.pdf")), Err(ConvertError::Encrypted));
}

#[test]
fn a_pdf_is_one_whatever_its_name() {
    let pdf = fixture("paper.pdf");
    assert_eq!(Format::detect("notes.txt", &pdf), Some(Format::Pdf));
    let mut shifted = b"#!/bin/sh junk before it\n".to_vec();
    shifted.extend_from_slice(&pdf);
    assert_eq!(Format::detect("notes.txt", &shifted), Some(Format::Pdf));
    // All offsets of its table are wrong.
    assert_in_order(&convert("notes.txt", &shifted).unwrap(), "two", 90);
}

#[test]
fn what_can_be_read_of_a_broken_file_is_read() {
    let pdf = fixture("paper.pdf");
    // Its end with the table is lost.
    let cut = &pdf[..pdf.len() - 3000];
    assert!(convert("a.pdf", cut).is_ok_and(|text| text.contains("one17")), "{:?}", convert("a.pdf", cut));
    // A catalog at the start, and the tree of pages without its branches.
    let whole = page("BT /F 10 Tf 50 700 Td (still here) Tj ET", HELVETICA);
    let lost = String::from_utf8(whole).unwrap().replace("/Kids[3 0 R]", "/Kids[9 0 R]");
    assert!(convert("a.pdf", lost.as_bytes()).is_ok_and(|text| text.contains("still here")));
}

#[test]
fn pages_without_text_are_scans() {
    let scan = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj
        4 0 obj<</Length 5>>stream\n0 0 m\nendstream endobj trailer<</Root 1 0 R>>";
    assert_eq!(convert("scan.pdf", scan), Err(ConvertError::NoText("scanned pages have no text")));
    let error = convert("scan.pdf", scan).unwrap_err();
    assert_eq!(error.to_string(), "it has no text in it (scanned pages have no text)");
}

/// One page with this program and these fonts.
fn page(program: &str, fonts: &str) -> Vec<u8> {
    format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<<{fonts}>>>>>>endobj
4 0 obj<</Length {}>>stream\n{program}\nendstream endobj trailer<</Root 1 0 R>>",
        program.len()
    )
    .into_bytes()
}

fn text_of(program: &str, fonts: &str) -> String {
    let text = convert("a.pdf", &page(program, fonts)).unwrap();
    text.strip_prefix("<!-- page 1 -->\n").unwrap_or(&text).trim_end().to_owned()
}

const HELVETICA: &str = "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

#[test]
fn fonts_of_dots_are_read_by_the_codes_of_tex() {
    let font = "/F<</Type/Font/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FontBBox[0 0 100 100]/FirstChar 12/Widths[50]\
                /Encoding<</Differences[12/a12 101/a101 108/a108]>>/CharProcs<<>>>>";
    assert_eq!(text_of("BT /F 10 Tf 50 700 Td (\\014le) Tj ET", font), "file");
    // A name that is only a number is a code too, of no font of TeX.
    let font = "/F<</Type/Font/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FontBBox[0 0 100 100]/FirstChar 32/Widths[50]\
                /Encoding<</Differences[103/103 105/105/106 249/249]>>/CharProcs<<>>>>";
    assert_eq!(text_of("BT /F 10 Tf 50 700 Td (gi\\371) Tj ET", font), "giù");
    // Numbers in the order of use say nothing.
    let font = "/F<</Type/Font/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FirstChar 0/Widths[50]\
                /Encoding<</Differences[0/a0/a1/a2/a3/a4/a5/a6/a7/a8/a9]>>/CharProcs<<>>>>";
    assert!(convert("a.pdf", &page("BT /F 10 Tf 50 700 Td (\\001\\002) Tj ET", font)).is_err());
}

#[test]
fn the_encoding_of_a_compact_font_is_read() {
    // Header; names; the top dictionary with charset (15) and encoding (16) at 26 and 29; own strings; the charset: glyph 1 is
    // name 34 (A); the encoding: code 1 is glyph 1.
    let font: [u8; 32] = [
        1,
        0,
        4,
        1,
        0,
        1,
        1,
        1,
        2,
        b'A',
        0,
        1,
        1,
        1,
        5,
        139 + 26,
        15,
        139 + 29,
        16,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        34,
        0,
        1,
        1,
    ];
    let hex: String = font.iter().map(|byte| format!("{byte:02x}")).collect();
    let fonts = format!(
        "/F<</Type/Font/Subtype/Type1/BaseFont/X/FirstChar 1/Widths[500]/FontDescriptor 5 0 R>>>>>>>>endobj \
         5 0 obj<</FontFile3 6 0 R>>endobj 6 0 obj<</Subtype/Type1C/Filter/ASCIIHexDecode/Length {}>>stream\n{hex}>\nendstream endobj \
         7 0 obj<</A<</B<<",
        hex.len() + 1
    );
    assert_eq!(text_of("BT /F 10 Tf 50 700 Td (\\001) Tj ET", &fonts), "A");
}

#[test]
fn a_distance_between_two_letters_is_a_blank_and_one_between_all_is_not() {
    let program = "BT /F 10 Tf 50 700 Td (xe) Tj 3.4 Tc 10.6 0 Td (da) Tj 0 Tc 14.5 0 Td (rrays) Tj ET";
    assert_eq!(text_of(program, HELVETICA), "xed arrays");
    assert_eq!(text_of("BT /F 10 Tf 3 Tc 50 700 Td (SPACED) Tj ET", HELVETICA), "SPACED");
}

#[test]
fn shadows_are_read_once_and_accents_go_with_their_letters() {
    let shadow = "BT /F 20 Tf 50 700 Td (ports) Tj 2 -2 Td (ports) Tj ET";
    assert_eq!(text_of(shadow, HELVETICA).trim_start_matches("# "), "ports");
    // Small letters and a capital, whose accent stands higher.
    let accents = "BT /F 10 Tf 50 700 Td (no\\250) Tj 11.7 0 Td (el) Tj 0 -20 Td (\\264) Tj -1.6 -2 Td (Ete) Tj ET";
    assert_eq!(text_of(accents, HELVETICA), "noël\n\nÉte");
}

#[test]
fn a_text_that_speaks_of_pdf_is_none() {
    use ai_assist_convert::Format;
    let text = b"# strftime\n\nassert_eq!(parse(\"%%PDF-1.0\"), 1);\n";
    for (name, bytes, is_pdf) in [
        ("strftime.md", &text[..], false),
        ("strftime.rs", text, false),
        ("notes", b"A PDF begins with `%PDF-1.7`.\n", false),
        ("a.PDF", b"some text before\n%PDF-1.7\n", true),
        ("upload", b"%PDF-1.7\n", true),
        ("upload.bin", b"\x00\x01%PDF-1.7\n", true),
        ("upload.bin", b"\xe9\xff%PDF-1.7\n", true),
    ] {
        assert_eq!(Format::detect(name, bytes), is_pdf.then_some(Format::Pdf), "{name}");
    }
}
