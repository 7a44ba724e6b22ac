//! Texts in old encodings are read, and what it took is told.

use ai_assist_pack::FullPackBuilder;
use encoding_rs::{EUC_KR, Encoding, GB18030, KOI8_R, SHIFT_JIS, WINDOWS_1252};

use crate::tree::{packed, scanned, texts, write};

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
fn every_encoding_is_read_and_noted() {
    let latin = "# Größe und Maß\nDie Übung mit Äpfeln, Öl und Süßem kostet 5 Kronen.\n";
    let korean = "설정 파일을 읽어서 프로그램을 시작합니다. 사용자의 이름과 암호를 확인합니다.\n";
    let chinese = "这个文件说明如何安装和使用这个程序。请先阅读所有的说明，然后再开始。\n";
    let japanese = "これは日本語の文章です。設定ファイルを読み込みます。\n";
    let russian = "Этот файл описывает настройку программы. Прочитайте его перед началом работы.\n";
    let bom = |mark: &[u8], bytes: Vec<u8>| [mark.to_vec(), bytes].concat();
    let cases: Vec<(&str, Vec<u8>, &str, &str, bool)> = vec![
        ("utf8.txt", latin.into(), latin, "", false),
        ("utf8-bom.txt", bom(b"\xef\xbb\xbf", latin.into()), latin, "UTF-8", true),
        ("utf16le.txt", utf16(latin, true), latin, "UTF-16LE", false),
        ("utf16le-bom.txt", bom(b"\xff\xfe", utf16(latin, true)), latin, "UTF-16LE", true),
        ("utf16be.txt", utf16(latin, false), latin, "UTF-16BE", false),
        ("utf16be-bom.txt", bom(b"\xfe\xff", utf16(latin, false)), latin, "UTF-16BE", true),
        ("utf32le.txt", utf32(latin, true), latin, "UTF-32LE", false),
        ("utf32le-bom.txt", bom(b"\xff\xfe\0\0", utf32(latin, true)), latin, "UTF-32LE", true),
        ("utf32be.txt", utf32(latin, false), latin, "UTF-32BE", false),
        ("utf32be-bom.txt", bom(b"\0\0\xfe\xff", utf32(latin, false)), latin, "UTF-32BE", true),
        ("sjis.txt", legacy(SHIFT_JIS, japanese), japanese, "Shift_JIS", false),
        ("gb18030.txt", legacy(GB18030, chinese), chinese, "GBK", false),
        ("euckr.txt", legacy(EUC_KR, korean), korean, "EUC-KR", false),
        ("cp1252.txt", legacy(WINDOWS_1252, latin), latin, "windows-1252", false),
        ("koi8r.txt", legacy(KOI8_R, russian), russian, "KOI8-U", false),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, ..) in &cases {
        write(folder.path(), name, bytes);
    }
    let snapshot = scanned(folder.path());
    let pack = packed(&snapshot, &FullPackBuilder::default());
    let sent = texts(&pack);
    assert_eq!(sent.len(), cases.len(), "{:?}", snapshot.project.excluded_files);
    for (name, _, text, encoding, bom) in &cases {
        assert!(sent.contains(&(name, text)), "{name}: {:?}", sent.iter().find(|(path, _)| path == name));
        let note = pack.metadata.encodings.iter().find(|note| note.path == *name);
        match (note, *encoding) {
            (None, expected) => assert_eq!(expected, "", "{name}"),
            (Some(note), expected) => {
                assert_eq!((note.encoding.as_str(), note.bom, note.replaced_characters), (expected, *bom, 0), "{name}");
            }
        }
    }
}

#[test]
fn replaced_characters_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "broken.txt",
        [&b"gr\xc3\xb6\xc3\x9fer \xe2\x80\x93 viel gr\xc3\xb6\xc3\x9fer "[..], b"\xff end"].concat(),
    );
    let pack = packed(&scanned(folder.path()), &FullPackBuilder::default());
    assert_eq!(texts(&pack), [("broken.txt", "größer – viel größer \u{fffd} end")]);
    assert_eq!(pack.metadata.encodings[0].replaced_characters, 1);
}
