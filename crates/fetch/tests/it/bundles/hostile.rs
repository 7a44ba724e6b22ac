//! Archives that mean harm, or are damaged. Each must fail wholly, quickly and without a trace outside of its folder.

use std::cell::Cell;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use ai_assist_base::Cancel;
use ai_assist_fetch::{BundleError, BundleKind, BundleWriter, ExtractError, Limits, unpack};
use ai_assist_identity::DocPath;

use super::made::{KINDS, Place, Tar, compress, files, header, small};

/// Unpacks the archive in both ways of compression, and wants this in the message each time.
fn refused(tar: &Tar, wanted: &str) {
    for kind in KINDS {
        let error = Place::new().unpack(&tar.clone().end(kind), kind, &small()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(error.len() < 500, "{error}");
    }
}

#[test]
fn names_that_lead_out_are_refused() {
    for (name, wanted) in [
        (&b"../evil"[..], "`..`"),
        (b"a/../../evil", "`..`"),
        (b"a/..", "`..`"),
        (b"./../evil", "`..`"),
        (b"/tmp/evil", "absolute"),
        (b"//evil", "absolute"),
        (b"", "names no file"),
        (b".", "names no file"),
    ] {
        refused(&Tar::default().file("fine", b"x").file(name, b"x"), wanted);
        refused(&Tar::default().long_name(name).file("short", b"x"), wanted);
        refused(&Tar::default().pax(b'x', "path", name).file("short", b"x"), wanted);
    }
    for folder in [&b"../evil"[..], b"/evil", b"/", b"", b"a/../.."] {
        refused(&Tar::default().record(b'5', folder, 0, b""), "name can't be used");
    }
    refused(&Tar::default().long_name(b"a\0b").file("x", b""), "NUL");
    refused(&Tar::default().pax(b'x', "path", b"a\0b").file("x", b""), "NUL");
    let mut ustar = tar::Header::new_ustar();
    let fields = ustar.as_ustar_mut().unwrap();
    fields.name[..4].copy_from_slice(b"evil");
    fields.prefix[..2].copy_from_slice(b"..");
    ustar.set_size(0);
    ustar.set_cksum();
    refused(&Tar(ustar.as_bytes().to_vec()), "`..`");
}

#[test]
#[cfg(unix)]
fn what_windows_takes_for_a_drive_stays_a_name() {
    let place = Place::new();
    let tar = Tar::default().file("C:\\x", b"1").file("\\\\srv\\x", b"2").end(BundleKind::TarGz);
    place.unpack(&tar, BundleKind::TarGz, &small()).unwrap();
    let names: Vec<_> = files(&place.folder()).into_keys().collect();
    assert_eq!(names, ["C:\\x", "\\\\srv\\x"].map(std::path::PathBuf::from));
}

#[test]
fn anything_but_files_and_folders_is_refused_by_name() {
    for (kind, what) in [
        (b'1', "a hard link"),
        (b'2', "a symbolic link"),
        (b'3', "a character device"),
        (b'4', "a block device"),
        (b'6', "a named pipe"),
        (b'7', "a contiguous file"),
        (b'S', "a sparse file"),
        (b'V', "the unknown type `V`"),
        (b'\n', "the unknown type `\\n`"),
    ] {
        refused(&Tar::default().file("fine", b"x").link(kind, "odd one", "/etc/passwd"), what);
        refused(&Tar::default().link(kind, "odd one", "/etc/passwd"), "`odd one`");
    }
    refused(&Tar::default().link(b'2', "down", "../neighbour").file("down/evil", b"x"), "a symbolic link");
    refused(&Tar::default().link(b'2', "kept", "../neighbour/kept").file("kept", b"x"), "a symbolic link");
    let long = "target/".repeat(30);
    let linked = Tar::default().record(b'K', b"././@LongLink", long.len() as u64, long.as_bytes());
    refused(&linked.link(b'1', "odd one", "target"), "`odd one` in the bundle is a hard link");
    for version in ["GNU.sparse.major", "GNU.sparse.size", "GNU.sparse.map"] {
        refused(&Tar::default().pax(b'x', version, b"1").file("holes", b"x"), "a sparse file");
    }
}

#[test]
fn a_path_is_there_once() {
    refused(&Tar::default().file("a", b"1").file("a", b"1"), "twice");
    refused(&Tar::default().file("a", b"1").file("./a", b"2"), "twice");
    refused(&Tar::default().file("a", b"1").file("a/b", b"2"), "both a file and a folder");
    refused(&Tar::default().file("a/b", b"1").file("a", b"2"), "both a file and a folder");
    refused(&Tar::default().file("a", b"1").record(b'5', b"a/", 0, b""), "both a file and a folder");
    refused(&Tar::default().record(b'5', b"a/", 0, b"").file("a", b"1"), "both a file and a folder");
    refused(&Tar::default().record(b'5', b"a/", 3, b"abc"), "a folder with content");
}

#[test]
fn records_that_contradict_are_refused() {
    refused(&Tar::default().long_name(b"a").long_name(b"b").file("c", b""), "two records");
    refused(&Tar::default().pax(b'x', "path", b"a").pax(b'x', "path", b"b").file("c", b""), "two records");
    refused(&Tar::default().pax(b'x', "path", b"a").long_name(b"b").file("c", b""), "two long names");
    refused(&Tar::default().long_name(b"a"), "missing behind a record");
    refused(&Tar::default().pax(b'g', "path", b"a").file("c", b""), "to all entries");
    refused(&Tar::default().record(b'x', b"p", 5, b"bogus").file("c", b""), "malformed");
}

fn reached(error: &BundleError, limit: &str) {
    assert!(matches!(error, BundleError::Extractor(_)), "{error}");
    assert!(error.to_string().contains(limit), "{error}");
}

/// As many zeros as a bomb of a gigabyte has, compressed on the fly and never in memory.
fn zeros_behind(start: &[u8], kind: BundleKind) -> Vec<u8> {
    let mut zeros = std::io::repeat(0).take(1 << 30);
    match kind {
        BundleKind::TarGz => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(start).unwrap();
            std::io::copy(&mut zeros, &mut encoder).unwrap();
            encoder.finish().unwrap()
        }
        BundleKind::TarZst => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.write_all(start).unwrap();
            std::io::copy(&mut zeros, &mut encoder).unwrap();
            encoder.finish().unwrap()
        }
        // Zip archives have bombs of their own.
        BundleKind::Zip => unreachable!("a zip is not a tar"),
    }
}

/// Counts how much of a bomb is looked at.
struct Counted<'a> {
    bytes: &'a [u8],
    read: &'a Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

#[test]
fn bombs_end_at_the_limit() {
    let limits = Limits { max_file_bytes: 1 << 31, ..small() };
    let gigabyte = header(b'0', b"zeros", 1 << 30);
    for kind in KINDS {
        // In a file, in one that is too large to be kept, and behind the end.
        for (start, limits) in [(gigabyte.as_bytes(), limits), (gigabyte.as_bytes(), small()), (&[0; 512], limits)] {
            let bomb = zeros_behind(start, kind);
            let place = Place::new();
            let read = Cell::new(0);
            let input = Counted { bytes: &bomb, read: &read };
            let error = unpack(input, kind, &place.folder(), &limits, &Cancel::default()).unwrap_err();
            reached(&error, "more than 16777216 bytes");
            // A tenth of the gigabyte, with what decoders read ahead.
            assert!(read.get() < bomb.len() / 10 + (200 << 10), "{} of {}", read.get(), bomb.len());
            let written: usize = files(&place.folder()).values().map(Vec::len).sum();
            assert!(written <= 16 << 20, "{written}");
        }
    }
}

#[test]
fn a_window_of_gigabytes_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(30).unwrap();
    encoder.write_all(&vec![0; 1 << 20]).unwrap();
    let bytes = encoder.finish().unwrap();
    let error = Place::new().unpack(&bytes, BundleKind::TarZst, &small()).unwrap_err();
    assert!(matches!(error, BundleError::Unreadable { .. }), "{error}");
}

/// An archive that goes on for ever, made as it is read.
struct Endless {
    block: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = (&self.block[self.at..]).read(buffer)?;
        self.at = (self.at + count) % self.block.len();
        Ok(count)
    }
}

#[test]
fn a_million_entries_end_at_the_limit() {
    let folder = Tar::default().record(b'5', b"same", 0, b"").0;
    let global = Tar::default().pax(b'g', "comment", b"x").0;
    for block in [folder, global] {
        // A gzip member for each record, one after the other.
        let endless = Endless { block: compress(BundleKind::TarGz, &block), at: 0 };
        let error =
            unpack(endless, BundleKind::TarGz, &Place::new().folder(), &small(), &Cancel::default()).unwrap_err();
        reached(&error, "more than 4064 entries");
    }
    let mut tar = Tar::default();
    for at in 0..1001 {
        tar = tar.file(format!("f{at}"), b"");
    }
    for kind in KINDS {
        let error = Place::new().unpack(&tar.clone().end(kind), kind, &small()).unwrap_err();
        reached(&error, "more than 1000 files");
    }
    // Exactly as many as may be are fine.
    let limits = Limits { max_files: 1001, ..small() };
    let done = Place::new().unpack(&tar.end(BundleKind::TarGz), BundleKind::TarGz, &limits).unwrap();
    assert_eq!(done.files, 1001);
}

#[test]
fn names_and_attributes_of_megabytes_are_refused() {
    let huge = vec![b'a'; 100 << 20];
    for kind in [b'L', b'K', b'x', b'g'] {
        let tar = Tar::default().record(kind, b"huge", huge.len() as u64, &huge).file("f", b"");
        let error = Place::new().unpack(&tar.end(BundleKind::TarZst), BundleKind::TarZst, &small()).unwrap_err();
        assert!(matches!(error, BundleError::LongRecord { limit: 1_048_576, .. }), "{error}");
    }
    // Below that limit they are read, but no path is that long.
    refused(&Tar::default().long_name(&vec![b'a'; 1 << 19]).file("f", b""), "too long");
    refused(&Tar::default().pax(b'x', "path", &vec![b'a'; 1 << 19]).file("f", b""), "too long");
    refused(&Tar::default().long_name("d/".repeat(2000).as_bytes()).file("f", b""), "too long");
    // And many of them count against the bytes of all.
    let mut tar = Tar::default();
    for at in 0..20 {
        tar = tar.pax(b'x', "comment", &vec![b'a'; 1_000_000]).file(format!("f{at}"), b"");
    }
    refused(&tar, "more than 16777216 bytes");
}

fn honest(kind: BundleKind) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut writer = BundleWriter::new(Vec::new(), kind).unwrap();
    for at in 0..5 {
        let content: Vec<u8> = (0..700).map(|_| random.u8(..)).collect();
        writer.add(&DocPath::parse(&format!("docs/{at}.md")).unwrap(), &content).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn an_archive_that_is_cut_anywhere_is_refused() {
    for kind in KINDS {
        let whole = honest(kind);
        assert_eq!(Place::new().unpack(&whole, kind, &small()).unwrap().files, 5);
        let step = whole.len() / 50;
        let near_the_end = whole.len() - 12..whole.len();
        for cut in (0..whole.len()).step_by(step).chain(near_the_end) {
            assert!(Place::new().unpack(&whole[..cut], kind, &small()).is_err(), "cut at {cut} of {}", whole.len());
        }
    }
}

#[test]
fn an_archive_that_ends_without_its_mark_is_refused() {
    for kind in KINDS {
        let error = Place::new().unpack(&Tar::default().file("a", b"1").open(kind), kind, &small()).unwrap_err();
        assert!(matches!(error, BundleError::Cut { entries: 1 }), "{error}");
        // Whole members, of which the last is missing.
        let error = Place::new().unpack(&compress(kind, b""), kind, &small()).unwrap_err();
        assert!(matches!(error, BundleError::Cut { entries: 0 }), "{error}");
    }
}

#[test]
fn a_damaged_byte_is_noticed() {
    for kind in KINDS {
        let whole = honest(kind);
        for at in (12..whole.len()).step_by(97) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            assert!(Place::new().unpack(&damaged, kind, &small()).is_err(), "byte {at} of {}", whole.len());
        }
    }
    let mut tar = Tar::default().file("a", b"1");
    tar.0[1] ^= 1;
    refused(&tar, "checksum");
}

#[test]
fn sizes_that_lie_are_noticed() {
    refused(&Tar::default().record(b'0', b"more", 5000, b"short"), "cut off");
    refused(&Tar::default().record(b'0', b"less", 3, &[b'x'; 600]), "checksum");
    refused(&Tar::default().record(b'0', b"all", u64::MAX, b"x"), "cut off");
    refused(&Tar::default().pax(b'x', "size", b"4000").file("more", b"x"), "cut off");
    refused(&Tar::default().pax(b'x', "size", u64::MAX.to_string().as_bytes()).file("more", b"x"), "cut off");
    let mut odd = header(b'0', b"odd", 0);
    odd.as_old_mut().size[..4].copy_from_slice(b"zzzz");
    odd.set_cksum();
    refused(&Tar(odd.as_bytes().to_vec()), "no number");
}

#[test]
fn what_is_no_archive_is_refused() {
    let text = b"# Not an archive\n".repeat(100);
    let tar = Tar::default().file("a", b"1").0;
    for kind in KINDS {
        for bytes in [&b""[..], &text, b"\x1f\x8b", &[0; 2000], &tar] {
            let error = Place::new().unpack(bytes, kind, &small()).unwrap_err();
            let named = error.to_string().contains(kind.extension()) || matches!(error, BundleError::Cut { .. });
            assert!(named, "{error}");
        }
        let error = Place::new().unpack(&compress(kind, &text), kind, &small()).unwrap_err();
        assert!(matches!(error, BundleError::Damaged { entry: 1, .. }), "{error}");
    }
    assert!(Place::new().unpack(&honest(BundleKind::TarGz), BundleKind::TarZst, &small()).is_err());
    assert!(Place::new().unpack(&honest(BundleKind::TarZst), BundleKind::TarGz, &small()).is_err());
}

#[test]
fn nothing_may_stand_behind_the_end() {
    let mut tar = Tar::default().file("a", b"1");
    tar.0.extend_from_slice(&[0; 1024]);
    refused(&tar.file("hidden", b"x"), "behind its end");
    let mut bytes = honest(BundleKind::TarGz);
    bytes.extend_from_slice(b"garbage");
    assert!(Place::new().unpack(&bytes, BundleKind::TarGz, &small()).is_err());
}

fn asked_more_than(times: usize) -> Cancel {
    let asked = AtomicUsize::new(0);
    Cancel::when(move || asked.fetch_add(1, Ordering::Relaxed) >= times)
}

#[test]
fn unpacking_stops_when_told() {
    for kind in KINDS {
        let tar = Tar::default().file("a", &vec![b'x'; 512 << 10]).file("b", b"x").end(kind);
        let place = Place::new();
        let error = unpack(&tar[..], kind, &place.folder(), &small(), &asked_more_than(6)).unwrap_err();
        assert!(matches!(error, BundleError::Stopped), "{error}");
        assert!(!place.folder().join("b").exists());
        // An input of nothing but empty members yields no byte, and must be stopped all the same.
        let endless = Endless { block: compress(kind, b""), at: 0 };
        let error = unpack(endless, kind, &place.folder(), &small(), &asked_more_than(100)).unwrap_err();
        assert!(matches!(error, BundleError::Stopped), "{error}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_by_name() {
    let place = Place::new();
    let tar = Tar::default().file("a/b", b"x").end(BundleKind::TarGz);
    let error =
        unpack(&tar[..], BundleKind::TarGz, &place.folder().join("missing"), &small(), &Cancel::default()).unwrap_err();
    assert!(matches!(&error, BundleError::Extractor(ExtractError::Write { path, .. }) if path.as_str() == "a/b"));
}
