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
        for line in ["# Pumps in Practice", "- first point"] {
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
fn pages_without_text_are_scans() {
    let scan = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj
        4 0 obj<</Length 5>>stream\n0 0 m\nendstream endobj trailer<</Root 1 0 R>>";
    assert_eq!(convert("scan.pdf", scan), Err(ConvertError::NoText("scanned pages have no text")));
    let error = convert("scan.pdf", scan).unwrap_err();
    assert_eq!(error.to_string(), "it has no text in it (scanned pages have no text)");
}
