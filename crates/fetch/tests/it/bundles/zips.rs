//! Zip archives: those of other programs, and those that mean harm.

use std::io::{Cursor, Seek, Write};
use std::process::{Command, Stdio};

use ai_assist_base::Cancel;
use ai_assist_fetch::{BundleKind, BundleWriter, Limits, unpack_heap};
use proptest::prelude::*;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::made::{Place, files, small};

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).last_modified_time(DateTime::default())
}

/// An archive of these files, in this order.
fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, options()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The same bytes with one text in the place of another, everywhere.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

fn refused_within(bytes: &[u8], wanted: &str, limits: &Limits) {
    let error = Place::new().unpack(bytes, BundleKind::Zip, limits).unwrap_err();
    let message = ai_assist_base::chain(&error);
    assert!(message.contains(wanted), "{message}");
    assert!(message.len() < 500, "{message}");
}

fn refused(bytes: &[u8], wanted: &str) {
    refused_within(bytes, wanted, &small());
}

#[test]
fn files_come_out_as_they_went_in() {
    let long = "x".repeat(200_000);
    let entries: [(&str, &[u8]); 5] = [
        ("a.md", b"# A\n"),
        ("deep/er/\u{e4}\u{65e5}.md", b"text"),
        ("empty", b""),
        ("long.md", long.as_bytes()),
        ("C:\\x", b"a name"),
    ];
    let place = Place::new();
    let done = place.unpack(&zipped(&entries), BundleKind::Zip, &small()).unwrap();
    assert_eq!(done.files, 5);
    let found = files(&place.folder());
    for (name, content) in entries {
        assert_eq!(found[std::path::Path::new(name)], content, "{name}");
    }
}

#[test]
fn names_that_lead_out_or_come_twice_are_refused() {
    let long = "n".repeat(300);
    for (name, wanted) in [
        ("../evil", "`..`"),
        ("a/../../evil", "`..`"),
        ("/tmp/evil", "absolute"),
        ("..", "`..`"),
        (long.as_str(), "too long"),
    ] {
        refused(&zipped(&[("fine", b"x"), (name, b"y")]), wanted);
    }
    let two = zipped(&[("same1.md", b"one"), ("same2.md", b"two")]);
    refused(&replaced(&two, b"same2.md", b"same1.md"), "twice");
    refused(&zipped(&[("a", b"x"), ("a/b", b"y")]), "both a file and a folder");
    // The list at the end says one thing, and the entry another.
    let smuggled = zipped(&[("seen.md", b"x")]);
    let at = smuggled.windows(7).position(|window| window == b"seen.md").unwrap();
    let mut smuggled = smuggled;
    smuggled[at..at + 7].copy_from_slice(b"hide.md");
    refused(&smuggled, "can't be read as `.zip`");
}

#[test]
fn links_and_encrypted_files_are_refused_by_name() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("fine", options()).unwrap();
    writer.add_symlink("down", "../neighbour", options()).unwrap();
    writer.start_file("down/evil", options()).unwrap();
    refused(&writer.finish().unwrap().into_inner(), "`down` in the bundle is a symbolic link");
    let mut encrypted = zipped(&[("secret.md", b"text")]);
    for (magic, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = encrypted.windows(4).position(|window| window == magic).unwrap();
        encrypted[at + flags] |= 1;
    }
    refused(&encrypted, "`secret.md` in the bundle is encrypted");
}

#[test]
fn limits_hold() {
    let many: Vec<(String, &[u8])> = (0..1001).map(|number| (format!("{number}.md"), &b"x"[..])).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    refused(&zipped(&many), "more than 1000 files");
    let large = vec![b'0'; 2 << 20];
    let place = Place::new();
    let done = place.unpack(&zipped(&[("large", &large), ("b", b"x")]), BundleKind::Zip, &small()).unwrap();
    assert_eq!((done.files, done.too_large_count), (1, 1), "a file over the limit is left out");
    let limits = Limits { max_file_bytes: 1 << 30, ..small() };
    let megabytes = vec![b'0'; 17 << 20];
    refused_within(&zipped(&[("a", &megabytes)]), "more than 16777216 bytes", &limits);
    // Zeros shrink to a thousandth. Within every other limit, this is still no archive of documents.
    let limits = Limits { max_file_bytes: 1 << 30, max_total_bytes: 4 << 30, ..small() };
    let zeros = vec![0; 70 << 20];
    refused_within(&zipped(&[("a", &zeros)]), "which no archive of documents does", &limits);
}

/// Each entry of the list leads to the same bytes.
#[test]
fn entries_that_share_their_bytes_are_refused() {
    let content: Vec<u8> = (0..50_000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("0", options()).unwrap();
    writer.write_all(&content).unwrap();
    for number in 1..20 {
        writer.shallow_copy_file("0", &number.to_string()).unwrap();
    }
    let error = Place::new().unpack(&writer.finish().unwrap().into_inner(), BundleKind::Zip, &small()).unwrap_err();
    // By the name that the entry has in the archive, or by the bytes that are counted twice.
    assert!(ai_assist_base::chain(&error).contains("inconsisten") || error.to_string().contains("shares"), "{error}");
}

#[test]
fn what_is_cut_or_no_zip_at_all_is_refused() {
    let whole = zipped(&[("a.md", b"some text that is long enough"), ("b.md", b"more of it")]);
    for cut in 0..whole.len() {
        assert!(Place::new().unpack(&whole[..cut], BundleKind::Zip, &small()).is_err(), "cut at {cut}");
    }
    for bytes in [&b""[..], b"<!doctype html>", &[0; 1000]] {
        refused(bytes, "can't be read as `.zip`");
    }
    let behind = [b"#!/bin/sh\n".to_vec(), whole.clone()].concat();
    assert!(Place::new().unpack(&behind, BundleKind::Zip, &small()).is_err());
    let damaged = replaced(&zipped(&[("a", b"plain"), ("b", b"other")]), b"PK\x01\x02", b"PK\x01\x03");
    refused(&damaged, "can't be read as `.zip`");
    assert!(BundleWriter::new(Vec::new(), BundleKind::Zip).is_err(), "none is written");
}

/// What other programs write is read, where they are installed.
#[test]
fn archives_of_other_programs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("docs/deep")).unwrap();
    std::fs::write(root.join("docs/a.md"), "# A\n").unwrap();
    std::fs::write(root.join("docs/deep/\u{fc}.md"), "text\n".repeat(1000)).unwrap();
    let python = "import zipfile,os\nz=zipfile.ZipFile('p.zip','w',zipfile.ZIP_DEFLATED)\n\
                  [z.write(os.path.join(d,f)) for d,_,fs in os.walk('docs') for f in fs]\nz.close()";
    for (program, args, file) in [
        ("python3", &["-c", python][..], "p.zip"),
        ("zip", &["-q", "-r", "i.zip", "docs"], "i.zip"),
        ("bsdtar", &["-a", "-cf", "b.zip", "docs"], "b.zip"),
    ] {
        let run = Command::new(program).current_dir(root).args(args).stderr(Stdio::null()).status();
        if !run.is_ok_and(|status| status.success()) {
            continue;
        }
        let place = Place::new();
        place.unpack(&std::fs::read(root.join(file)).unwrap(), BundleKind::Zip, &small()).unwrap();
        let names: Vec<_> = files(&place.folder()).into_keys().collect();
        assert_eq!(names, ["docs/a.md", "docs/deep/\u{fc}.md"].map(std::path::PathBuf::from), "{program}");
    }
}

#[test]
fn one_folder_around_everything_is_taken_away() {
    let heap = |entries: &[(&str, &[u8])]| {
        let mut archive = tempfile::tempfile().unwrap();
        archive.write_all(&zipped(entries)).unwrap();
        archive.rewind().unwrap();
        let into = tempfile::tempfile().unwrap();
        let limits = Limits { max_file_bytes: 10, ..small() };
        let (staging, unpacked) = unpack_heap(archive, BundleKind::Zip, into, &limits, &Cancel::default()).unwrap();
        let mut paths: Vec<String> = staging.paths().map(ToString::to_string).collect();
        paths.extend(unpacked.too_large.iter().map(|path| format!("!{path}")));
        (paths.join(" "), unpacked.top)
    };
    let large: &[u8] = &[b'x'; 20];
    for (entries, paths, top) in [
        (&[("o-n-0a/a.md", &b"1"[..]), ("o-n-0a/b/c.md", b"2")][..], "a.md b/c.md", Some("o-n-0a")),
        (&[("o/a.md", b"1"), ("o/l.md", large)], "a.md !l.md", Some("o")),
        (&[("o/a.md", b"1"), ("l.md", large)], "o/a.md !l.md", None),
        (&[("o/a.md", b"1"), ("p/b.md", b"2")], "o/a.md p/b.md", None),
        (&[("o/a.md", b"1"), ("ox/b.md", b"2")], "o/a.md ox/b.md", None),
        (&[("manifest.json", b"{}"), ("o/a.md", b"1")], "manifest.json o/a.md", None),
        (&[("o/p/a.md", b"1"), ("o/p/b.md", b"2")], "p/a.md p/b.md", Some("o")),
    ] {
        assert_eq!(heap(entries), (paths.to_owned(), top.map(str::to_owned)), "{entries:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Whatever is done to an archive, it is read or refused; nothing panics, and nothing is written elsewhere.
    #[test]
    fn damaged_archives_do_no_harm(at in 0..1_000_000_usize, to in any::<u8>(), more in 0..1_000_000_usize) {
        let mut bytes = zipped(&[("a/b.md", b"some text that is long enough"), ("a/c.md", b"more of it")]);
        let length = bytes.len();
        bytes[at % length] = to;
        bytes[more % length] ^= 0x41;
        let _ = Place::new().unpack(&bytes, BundleKind::Zip, &small());
    }
}
