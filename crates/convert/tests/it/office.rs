use ai_assist_convert::{ConvertError, Format};

use crate::{convert, docx, fixture, zip};

/// Made with python-docx.
#[test]
fn word() {
    let text = convert("manual.docx", &fixture("manual.docx")).unwrap();
    assert_eq!(
        text,
        "# Pump manual\n\n## Installation\n\n\
         Bolt the pump to a level base. See [the torque table](https://example.org/torque).\n\n\
         1. Close both valves\n2. Fill the housing\n- Keep hands away\n- Wear goggles\n\n\
         ### Limits\n\n\
         | Quantity | Limit |\n| --- | --- |\n| Pressure | 6 bar |\n| Flow \\| rate | 40 l/min |\n\n\
         ```\npumpctl start\n  --speed 3\n```\n"
    );
}

#[test]
fn word_paragraphs_of_all_kinds() {
    let p = |inner: &str| format!("<w:document><w:body><w:p>{inner}</w:p></w:body></w:document>");
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>HYPERLINK \"https://a.example\"</w:instrText></w:r>\
                 <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>here</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let textbox = "<w:r><w:t>out</w:t><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>in</w:t></w:r></w:p>\
                   </w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>in</w:t></w:r></w:p></w:txbxContent>\
                   </mc:Fallback></mc:AlternateContent></w:r>";
    let cases = [
        (p(&format!("<w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr>{}", run("deep"))), "### deep\n"),
        (p(&format!("{}<w:del>{}</w:del><w:ins>{}</w:ins>", run("a"), run("b"), run("c"))), "ac\n"),
        (p(&format!("{}<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>", run("seen"))), "seen\n"),
        (p(field), "[here](https://a.example)\n"),
        (p(textbox), "out\n\nin\n"),
        (p(&run("# no heading")), "\\# no heading\n"),
        (p(&run("&lt;!-- page 9 --&gt;")), "<! -- page 9 -->\n"),
        (p(&run("a&amp;b &#x41;")), "a&b A\n"),
    ];
    for (body, text) in cases {
        assert_eq!(convert("a.docx", &docx(&body)).unwrap(), text, "{body}");
    }
}

/// Made with python-pptx.
#[test]
fn presentation() {
    let text = convert("deck.pptx", &fixture("deck.pptx")).unwrap();
    assert_eq!(
        text,
        "<!-- slide 1 -->\n# Why pumps fail\n\n- Dry running\n  - no inlet pressure\n\nNotes: Mention the warranty.\n\
         <!-- slide 2 -->\n# Spare parts\n\n| Part | Price |\n| --- | --- |\n| Seal | 12 EUR |\n"
    );
}

/// Made with openpyxl and XlsxWriter.
#[test]
fn sheets() {
    let text = convert("readings.xlsx", &fixture("readings.xlsx")).unwrap();
    let head = "<!-- sheet Readings -->\n# Readings\n\n| Day | Pressure | Remark |\n| --- | --- | --- |\n\
                | 2024-02-29 | 5.5 | leap day |\n| 2024-03-01 06:30 | 0.3 | a \\| b |\n\
                <!-- sheet Long list -->\n# Long list\n\n- Name: item 0; Count: 0\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("- Name: item 59; Count: 59\n"), "{text}");
    let text = convert("formulas.xlsx", &fixture("formulas.xlsx")).unwrap();
    assert!(text.contains("| 2 | 3 | 5 |\n| TRUE | rich text |  |"), "{text}");
}

#[test]
fn a_sheet_of_many_rows_is_cut_and_says_so() {
    let rows: String = (1..=10_010).map(|n| format!("<row r=\"{n}\"><c><v>{n}</v></c><c><v>1</v></c></row>")).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let links = r#"<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/></Relationships>"#;
    let book = zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/workbook.xml", br#"<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", links.as_bytes()),
        ("xl/s.xml", sheet.as_bytes()),
    ]);
    let text = convert("a.xlsx", &book).unwrap();
    assert!(text.contains("| 10000 | 1 |") && !text.contains("| 10001 |"));
    assert!(text.ends_with("(10 more rows of this sheet are left out.)\n"));
}

/// Made with odfpy.
#[test]
fn open_document() {
    let text = convert("garden.odt", &fixture("garden.odt")).unwrap();
    assert_eq!(
        text,
        "# Garden plan\n\nSow early, see [frost dates](https://example.org/frost).[^1]\n\n## Beds\n\n- Beans\n- Peas\n\n\
         | Bed | Crop |\n| --- | --- |\n| North | Kale |\n\n```\nwater --daily\n```\n\n[^1]: Last frost in May.\n"
    );
}

#[test]
fn formats_are_known_by_what_is_in_them() {
    for (name, format) in [
        ("manual.docx", Format::Docx),
        ("deck.pptx", Format::Pptx),
        ("readings.xlsx", Format::Xlsx),
        ("garden.odt", Format::Odt),
    ] {
        assert_eq!(Format::detect("upload.bin", &fixture(name)), Some(format), "{name}");
        assert_eq!(Format::detect("upload", &fixture(name)), Some(format), "{name}");
    }
    assert_eq!(Format::detect("a.zip", &zip(&[("a.txt", b"x")])), None);
    assert_eq!(Format::detect("a.docx", b"plain text"), None);
}

#[test]
fn encrypted_and_old_files_say_what_they_are() {
    let mut old = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    old.resize(2048, 0);
    assert!(matches!(convert("a.docx", &old), Err(ConvertError::Malformed { .. })));
    old.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(convert("a.xlsx", &old), Err(ConvertError::Encrypted));
    let manifest = b"<manifest><encryption-data/></manifest>";
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", manifest),
        ("content.xml", b"\x01\x02"),
    ]);
    assert_eq!(convert("a.odt", &odt), Err(ConvertError::Encrypted));
}
