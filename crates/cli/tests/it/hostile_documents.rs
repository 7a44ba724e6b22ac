//! Files that are made to do harm, each in a folder that is synced by the binary as people have it: at most ten seconds and 512 MB for
//! each process, and what is left out is left out with a reason.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::Sandbox;

const SECONDS: u64 = 10;
const MEGABYTES: u64 = 512;

/// An entry of an archive: its name, its packed bytes, and how large it says that it is.
struct Entry<'e> {
    name: String,
    packed: &'e [u8],
    size: u32,
    /// The checksum of what is unpacked: where it is wrong, an archive is refused for that and nothing else is tried.
    crc: u32,
    method: u16,
}

fn stored(name: &str, bytes: &'static [u8]) -> Entry<'static> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    Entry { name: name.to_owned(), packed: bytes, size: bytes.len() as u32, crc: crc.sum(), method: 0 }
}

/// An archive. Entries with the same packed bytes have them once: they overlap.
fn zip(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    let mut there: std::collections::HashMap<*const u8, u32> = std::collections::HashMap::new();
    for entry in entries {
        let mut common = Vec::new();
        for field in [20_u16, 0, entry.method, 0, 0] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [entry.crc, entry.packed.len() as u32, entry.size] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&(entry.name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0; 2]);
        let next = out.len() as u32;
        let offset = *there.entry(entry.packed.as_ptr()).or_insert(next);
        if offset == next {
            out.extend_from_slice(b"PK\x03\x04");
            out.extend_from_slice(&common);
            out.extend_from_slice(entry.name.as_bytes());
            out.extend_from_slice(entry.packed);
        }
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(entry.name.as_bytes());
    }
    let (start, length) = (out.len() as u32, directory.len() as u32);
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for count in [entries.len() as u16; 2] {
        out.extend_from_slice(&count.to_le_bytes());
    }
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
}

/// Bytes that are packed, with their size and checksum.
struct Packed {
    bytes: Vec<u8>,
    size: u32,
    crc: u32,
}

impl Packed {
    fn entry(&self, name: String) -> Entry<'_> {
        Entry { name, packed: &self.bytes, size: self.size, crc: self.crc, method: 8 }
    }

    fn docx(&self) -> Vec<u8> {
        zip(&[stored("[Content_Types].xml", b"<Types/>"), self.entry("word/document.xml".to_owned())])
    }
}

fn deflated(pieces: impl Iterator<Item = Vec<u8>>) -> Packed {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut crc = flate2::Crc::new();
    pieces.for_each(|piece| {
        packer.write_all(&piece).unwrap();
        crc.update(&piece);
    });
    Packed { bytes: packer.finish().unwrap(), size: crc.amount(), crc: crc.sum() }
}

fn docx_of(xml: &str) -> Vec<u8> {
    deflated([xml.as_bytes().to_vec()].into_iter()).docx()
}

fn laughs() -> String {
    (1..12).fold("<!DOCTYPE a [<!ENTITY e0 \"ha\">".to_owned(), |mut text, n| {
        write!(text, "<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)).unwrap();
        text
    }) + "]>"
}

/// A book whose chapters are all the same packed bytes.
fn overlapping_book() -> Vec<u8> {
    let chapter = deflated((0..64).map(|_| b"<p>word</p>".repeat(100_000)));
    let mut entries: Vec<Entry<'_>> = (0..5_000).map(|n| chapter.entry(format!("{n}.xhtml"))).collect();
    let items: String = (0..5_000)
        .map(|n| format!("<item id=\"i{n}\" href=\"{n}.xhtml\" media-type=\"application/xhtml+xml\"/>"))
        .collect();
    let spine: String = (0..5_000).map(|n| format!("<itemref idref=\"i{n}\"/>")).collect();
    let book = format!("<package><manifest>{items}</manifest><spine>{spine}</spine></package>");
    let book: &'static [u8] = Box::leak(book.into_bytes().into_boxed_slice());
    entries.insert(0, stored("mimetype", b"application/epub+zip"));
    entries.push(stored(
        "META-INF/container.xml",
        b"<container><rootfiles><rootfile full-path=\"a.opf\"/></rootfiles></container>",
    ));
    entries.push(stored("a.opf", book));
    zip(&entries)
}

fn pdf(objects: &[String]) -> Vec<u8> {
    let mut text = "%PDF-1.7\n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        writeln!(text, "{} 0 obj {object} endobj", number + 1).unwrap();
    }
    text.push_str("trailer <</Root 1 0 R>>");
    text.into_bytes()
}

/// The page of a PDF whose third object is the page.
fn page(rest: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources 5 0 R {rest}>>"),
        "<</Length 0>>stream\n\nendstream".to_owned(),
        "<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</X 6 0 R/Y 6 0 R>>>>".to_owned(),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

fn packed_page(filter: &str) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..400 {
        packer.write_all(&[b' '; 1 << 20]).unwrap();
    }
    let packed = packer.finish().unwrap();
    let mut file = page("/Contents 6 0 R", &[]);
    file.truncate(file.len() - "trailer <</Root 1 0 R>>".len());
    file.extend(format!("6 0 obj <</Length {}/Filter/FlateDecode{filter}>>stream\n", packed.len()).into_bytes());
    file.extend(packed);
    file.extend(b"\nendstream endobj trailer <</Root 1 0 R>>");
    file
}

/// What is synced, and whether something of it is text that is worth keeping.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let bomb = deflated((0..1024).map(|_| vec![b'a'; 1 << 20]));
    let inner = zip(&[bomb.entry("a".to_owned())]);
    let nested = deflated((0..200).map(|_| inner.clone()));
    let paragraph = b"<w:p><w:r><w:t>word</w:t></w:r></w:p>".repeat(1_000);
    let body = |inside: &str| format!("<w:document><w:body>{inside}</w:body></w:document>");
    let head = std::iter::once(b"<w:document><w:body>".to_vec());
    let million =
        deflated(head.chain((0..1_000).map(|_| paragraph.clone())).chain([b"</w:body></w:document>".to_vec()]));
    let form = "<</Subtype/Form/BBox[0 0 1 1]/Resources 5 0 R/Length 11>>stream\n/X Do /Y Do\nendstream".to_owned();
    let itself = "<</Subtype/Widget/Rect[0 0 1 1]/AP<</N 6 0 R>>>>";
    let widgets = format!("/Annots[{}]", itself.repeat(100_000));
    let deep = |name: &str, depth: usize| {
        format!("{}x{}", format!("<{name}>").repeat(depth), format!("</{name}>").repeat(depth))
    };
    vec![
        ("bomb.docx", bomb.docx()),
        ("lies-about-its-size.docx", Packed { size: 10, ..deflated((0..1024).map(|_| vec![b'a'; 1 << 20])) }.docx()),
        ("bomb-of-bombs.docx", nested.docx()),
        ("nested.epub", zip(&[stored("mimetype", b"application/epub+zip"), nested.entry("b.zip".to_owned())])),
        ("same-chapter.epub", overlapping_book()),
        ("overlap.xlsx", {
            let names = ["[Content_Types].xml".to_owned(), "xl/workbook.xml".to_owned()];
            let names = names.into_iter().chain((0..60_000).map(|n| format!("xl/worksheets/sheet{n}.xml")));
            let entries: Vec<Entry<'_>> = names.map(|name| bomb.entry(name)).collect();
            zip(&entries)
        }),
        ("laughs.docx", docx_of(&format!("{}{}", laughs(), body("<w:p><w:r><w:t>&e11;</w:t></w:r></w:p>")))),
        ("laughs.xhtml", format!("{}<html><body><h1>T</h1><p>&e11;</p></body></html>", laughs()).into_bytes()),
        ("deep.docx", docx_of(&body(&deep("w:p", 500_000)))),
        ("deep.html", format!("<html><body>{}</body></html>", deep("div", 1_000_000)).into_bytes()),
        ("deep.ipynb", format!("{{\"cells\":{}1{}}}", "[".repeat(1_000_000), "]".repeat(1_000_000)).into_bytes()),
        ("openapi.yaml", format!("openapi: 3.0.0\npaths: {}", "{a: ".repeat(200_000)).into_bytes()),
        ("million.docx", million.docx()),
        ("loop.pdf", pdf(&["2 0 R".to_owned(), "3 0 R".to_owned(), "1 0 R".to_owned()])),
        (
            "kids-in-a-circle.pdf",
            pdf(&["<</Type/Catalog/Pages 2 0 R>>".to_owned(), "<</Type/Pages/Kids[2 0 R 2 0 R]>>".to_owned()]),
        ),
        ("forms-that-draw-themselves.pdf", page("/Contents 6 0 R", std::slice::from_ref(&form))),
        ("fields-that-draw-themselves.pdf", page(&widgets, &[form])),
        (
            "predictor.pdf",
            packed_page("/DecodeParms<</Predictor 15/Columns 2147483647/Colors 32/BitsPerComponent 16>>"),
        ),
        ("deflated.pdf", packed_page("")),
        ("deep.pdf", pdf(&["<</A ".repeat(1 << 20)])),
    ]
}

/// The largest that the process and those it started had been, in kilobytes.
fn peak(id: u32) -> u64 {
    let of = |id: &str| -> Option<(u32, u64)> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some((u32::try_from(number("PPid:")?).ok()?, number("VmHWM:")?))
    };
    let own = of(&id.to_string()).map_or(0, |(_, peak)| peak);
    let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let started = all.filter_map(|other| of(&other)).filter(|(parent, _)| *parent == id).map(|(_, peak)| peak);
    started.chain([own]).max().unwrap_or(0)
}

#[test]
#[cfg(target_os = "linux")]
fn each_costs_little_and_is_left_out_with_a_reason() {
    let mut wrong = Vec::new();
    for (name, bytes) in files() {
        let sandbox = Sandbox::with_docs(&[("beside.md", "# Beside\n\nIt is still found.\n")]);
        sandbox.write(format!("docs/{name}"), &bytes);
        let mut command = sandbox.command();
        command.args(["collections", "sync", "--no-daemon"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut kilobytes = 0;
        while child.try_wait().unwrap().is_none() && started.elapsed() < Duration::from_secs(60) {
            kilobytes = kilobytes.max(peak(child.id()));
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = started.elapsed();
        drop(child.kill());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let reason = said.lines().find(|line| line.contains(name)).unwrap_or("").trim().to_owned();
        let taken = sandbox.json(&["ls", "docs"]).to_string();
        let is_taken = taken.contains(name);
        println!("{name}: {:.2} s, {} MB, taken: {is_taken}, {reason}", took.as_secs_f64(), kilobytes / 1024);
        let fits = took.as_secs() < SECONDS && kilobytes / 1024 < MEGABYTES;
        let is_bomb = ["bomb.docx", "lies-about-its-size.docx", "bomb-of-bombs.docx", "overlap.xlsx"].contains(&name);
        assert!(!is_bomb || reason.contains("over the limit"), "{reason}");
        // What can't be read is named; what can be read is there; what is beside it is there in any case.
        if !fits || (reason.is_empty() && !is_taken) || !taken.contains("beside.md") {
            wrong.push(format!("{name}: {took:?}, {kilobytes} kB, taken: {is_taken}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Links in an archive lead nowhere: it is refused whole.
#[test]
fn an_archive_with_links_is_refused() {
    for (kind, target) in [(tar::EntryType::Symlink, "/etc/passwd"), (tar::EntryType::Link, "../../etc/passwd")] {
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_mode(0o644);
        archive.append_link(&mut header, "manifest.json", target).unwrap();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&archive.into_inner().unwrap()).unwrap();
        let sandbox = Sandbox::new();
        sandbox.write("links.tar.gz", packer.finish().unwrap());
        sandbox.run(&["collections", "init"]).assert_code(0);
        let run = sandbox.run(&["add", "links.tar.gz"]);
        let said = format!("{}{}", run.stdout(), run.stderr());
        assert!(run.code() != 0 && said.contains("link"), "{said}");
    }
}
