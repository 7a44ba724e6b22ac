//! Texts in every encoding people still have, from the file to the pack.

use encoding_rs::{EUC_KR, Encoding, GB18030, KOI8_R, SHIFT_JIS, WINDOWS_1252};

use crate::support::Sandbox;

fn utf16(text: &str, little: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

fn utf32(text: &str, little: bool) -> Vec<u8> {
    text.chars().flat_map(|c| if little { u32::from(c).to_le_bytes() } else { u32::from(c).to_be_bytes() }).collect()
}

fn legacy(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy);
    bytes.into_owned()
}

#[test]
fn every_encoding_comes_out_right_and_is_told() {
    let latin = "# Größe und Maß\nDie Übung mit Äpfeln, Öl und Süßem kostet 5 Kronen.\n";
    let korean = "설정 파일을 읽어서 프로그램을 시작합니다. 사용자의 이름과 암호를 확인합니다.\n";
    let chinese = "这个文件说明如何安装和使用这个程序。请先阅读所有的说明，然后再开始。\n";
    let japanese = "これは日本語の文章です。設定ファイルを読み込みます。\n";
    let russian = "Этот файл описывает настройку программы. Прочитайте его перед началом работы.\n";
    let marked = |mark: &[u8], bytes: Vec<u8>| [mark.to_vec(), bytes].concat();
    let cases: [(&str, Vec<u8>, &str, &str); 15] = [
        ("utf8.md", latin.into(), latin, ""),
        ("utf8-bom.md", marked(b"\xef\xbb\xbf", latin.into()), latin, "UTF-8"),
        ("utf16le.md", utf16(latin, true), latin, "UTF-16LE"),
        ("utf16le-bom.md", marked(b"\xff\xfe", utf16(latin, true)), latin, "UTF-16LE"),
        ("utf16be.md", utf16(latin, false), latin, "UTF-16BE"),
        ("utf16be-bom.md", marked(b"\xfe\xff", utf16(latin, false)), latin, "UTF-16BE"),
        ("utf32le.md", utf32(latin, true), latin, "UTF-32LE"),
        ("utf32le-bom.md", marked(b"\xff\xfe\0\0", utf32(latin, true)), latin, "UTF-32LE"),
        ("utf32be.md", utf32(latin, false), latin, "UTF-32BE"),
        ("utf32be-bom.md", marked(b"\0\0\xfe\xff", utf32(latin, false)), latin, "UTF-32BE"),
        ("sjis.md", legacy(SHIFT_JIS, japanese), japanese, "Shift_JIS"),
        // The name that the web has for what both are.
        ("gb18030.md", legacy(GB18030, chinese), chinese, "GBK"),
        ("euckr.md", legacy(EUC_KR, korean), korean, "EUC-KR"),
        ("cp1252.md", legacy(WINDOWS_1252, latin), latin, "windows-1252"),
        // The two differ in letters that Russian does not have.
        ("koi8r.md", legacy(KOI8_R, russian), russian, "KOI8-U"),
    ];
    let sandbox = Sandbox::new();
    for (name, bytes, ..) in &cases {
        sandbox.write(name, bytes);
    }
    let packed = sandbox.pack(&[]);
    let notes = packed.pack["metadata"]["encodings"].as_array().unwrap();
    assert_eq!(notes.len(), cases.len() - 1);
    for (name, _, text, encoding) in &cases {
        assert_eq!(packed.text(name), Some(*text), "{name}");
        match notes.iter().find(|note| note["path"] == *name) {
            Some(note) => {
                assert_eq!(note["encoding"], *encoding, "{name}");
                assert_eq!(note["bom"], name.contains("-bom"), "{name}");
                assert_eq!(note["replaced_characters"], 0, "{name}");
            }
            None => assert_eq!(*encoding, "", "{name}"),
        }
    }
}
