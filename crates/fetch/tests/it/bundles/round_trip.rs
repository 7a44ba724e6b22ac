//! What is written comes back, and is read by others.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ai_assist_fetch::{BundleKind, BundleWriter, Limits};
use ai_assist_identity::DocPath;
use proptest::prelude::*;

use super::made::{KINDS, Place, Tar, compress, files, small};

fn write<'a>(kind: BundleKind, files: impl IntoIterator<Item = (&'a PathBuf, &'a Vec<u8>)>) -> Vec<u8> {
    let mut writer = BundleWriter::new(Vec::new(), kind).unwrap();
    for (path, content) in files {
        writer.add(&DocPath::from_relative(path).unwrap(), content).unwrap();
    }
    writer.finish().unwrap()
}

#[cfg(unix)]
fn raw(name: &[u8]) -> PathBuf {
    Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name)).to_path_buf()
}

#[cfg(unix)]
fn odd_files() -> BTreeMap<PathBuf, Vec<u8>> {
    let long = format!("{}/{}/{}.md", "a".repeat(200), "b".repeat(250), "c".repeat(200));
    [
        (raw(b"README.md"), b"# Hello\n".to_vec()),
        (raw(b"empty"), Vec::new()),
        (raw(long.as_bytes()), vec![7; 5000]),
        (raw("ä/日本/\u{1f600}.md".as_bytes()), vec![1; 512]),
        (raw(b"caf\xe9/\xff\xfe"), vec![2; 513]),
        (raw(b"quote\"'\\ \n\t*"), vec![3; 511]),
        (raw(b"-rf"), vec![4]),
        (raw(b"100%/%41"), vec![5]),
        (raw(&[b'x'; 100]), vec![6]),
        (raw(&[b'y'; 101]), vec![6]),
        (raw(&[b"z".repeat(99), b"\xe9".to_vec()].concat()), vec![6; 70_000]),
    ]
    .into()
}

#[test]
#[cfg(unix)]
fn the_same_files_give_the_same_bytes() {
    let files = odd_files();
    for kind in KINDS {
        let first = write(kind, &files);
        assert_eq!(first, write(kind, &files));
        let turned = write(kind, files.iter().rev());
        assert_ne!(first, turned, "the order given is kept");
    }
    let gzip = write(BundleKind::TarGz, &files);
    // No name, no time, the unknown system.
    assert_eq!(gzip[..4], [0x1f, 0x8b, 8, 0]);
    assert_eq!(gzip[4..8], [0; 4]);
    assert_eq!(gzip[9], 255);
}

/// If this fails after an update of a compressor, packages published again have another hash, which is worth knowing.
#[test]
fn the_bytes_do_not_change_from_build_to_build() {
    let files = [(PathBuf::from("docs/a.md"), b"# A\n".to_vec()), (PathBuf::from("b".repeat(120)), b"b".repeat(3000))];
    let hash = |kind| ai_assist_identity::Sha256::of(&write(kind, files.iter().map(|(p, c)| (p, c)))).hex();
    assert_eq!(hash(BundleKind::TarGz), "e3a44cd405675b749c12b24ee80f06f4f1fcf41442133e37560787ff4acd35db");
    assert_eq!(hash(BundleKind::TarZst), "e4ac3268cf07e07e8a8af090d8860897c6340ab926c5731d4b7fdffd0368c1c3");
}

#[test]
#[cfg(unix)]
fn odd_files_come_back() {
    use std::os::unix::fs::PermissionsExt;
    let wanted = odd_files();
    for kind in KINDS {
        let place = Place::new();
        let done = place.unpack(&write(kind, &wanted), kind, &small()).unwrap();
        assert_eq!(files(&place.folder()), wanted);
        assert_eq!(done.files, wanted.len());
        assert_eq!(done.bytes, wanted.values().map(|c| c.len() as u64).sum::<u64>());
        let mode = |path: &str| place.folder().join(path).metadata().unwrap().permissions().mode() & 0o7777;
        // The umask may take more away, but nothing is left for others.
        assert_eq!((mode("README.md") & 0o177, mode("ä") & 0o077), (0, 0));
    }
}

/// The system's `tar` lists and extracts what we write.
#[test]
#[cfg(unix)]
fn other_programs_read_it() {
    let wanted = odd_files();
    let place = Place::new();
    let bundle = place.folder().with_file_name("x.tar.gz");
    std::fs::write(&bundle, write(BundleKind::TarGz, &wanted)).unwrap();
    let listing = Command::new("tar").arg("tzf").arg(&bundle).output().unwrap();
    assert!(listing.status.success(), "{}", String::from_utf8_lossy(&listing.stderr));
    assert_eq!(listing.stdout.split(|&b| b == b'\n').filter(|line| !line.is_empty()).count(), wanted.len());
    let done = Command::new("tar").arg("xzf").arg(&bundle).arg("-C").arg(place.folder()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(files(&place.folder()), wanted);
}

/// And we read what it writes, in each of its formats.
#[test]
#[cfg(unix)]
fn archives_of_other_programs_are_read() {
    let mut wanted = odd_files();
    // GNU's `ustar` can't hold long names, so those are for the other two.
    for format in ["gnu", "pax", "ustar"] {
        if format == "ustar" {
            wanted.retain(|path, _| path.as_os_str().len() <= 100);
        }
        let source = tempfile::tempdir().unwrap();
        for (path, content) in &wanted {
            let path = source.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let format = format!("--format={format}");
        let made = Command::new("tar").args([&format, "-czf", "-", "-C"]).arg(source.path()).arg(".").output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let place = Place::new();
        place.unpack(&made.stdout, BundleKind::TarGz, &small()).unwrap();
        assert_eq!(files(&place.folder()), wanted, "{format}");
    }
}

#[test]
fn archives_of_git_are_read() {
    let source = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(source.path()).args(args).stdin(Stdio::null());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    git(&["init", "-q"]);
    std::fs::write(source.path().join("a.md"), "text").unwrap();
    git(&["add", "."]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x"]);
    let archive = git(&["archive", "--prefix=top/", "HEAD"]);
    let place = Place::new();
    place.unpack(&compress(BundleKind::TarZst, &archive), BundleKind::TarZst, &small()).unwrap();
    assert_eq!(files(&place.folder()), [(PathBuf::from("top/a.md"), b"text".to_vec())].into());
}

#[test]
fn unusual_but_honest_archives_are_read() {
    let mut ustar = tar::Header::new_ustar();
    let fields = ustar.as_ustar_mut().unwrap();
    fields.name[..4].copy_from_slice(b"name");
    fields.prefix[..6].copy_from_slice(b"prefix");
    ustar.set_size(0);
    ustar.set_cksum();
    let mut tar = Tar::default()
        .record(b'5', b"./", 0, b"")
        .record(b'5', b"./d/", 0, b"")
        .record(b'5', b"d", 0, b"")
        .record(b'0', b"old/", 0, b"")
        .record(0, b"d/v7", 1, b"1")
        .pax(b'x', "path", "d/ä\nb".as_bytes())
        .file("short", b"2")
        .pax(b'x', "size", b"3")
        .record(b'0', b"sized", 0, b"333");
    tar.0.extend_from_slice(ustar.as_bytes());
    let tar = tar.file("old/x", b"").0;
    let wanted: BTreeMap<PathBuf, Vec<u8>> =
        [("d/v7", "1"), ("d/ä\nb", "2"), ("sized", "333"), ("prefix/name", ""), ("old/x", "")]
            .map(|(path, content)| (path.into(), content.into()))
            .into();
    for kind in KINDS {
        // As several members, which `cat` and parallel compressors make, with padding like that of a tape.
        let (start, end) = tar.split_at(700);
        let bytes = [compress(kind, start), compress(kind, end), compress(kind, &[0; 10_240])].concat();
        let place = Place::new();
        assert_eq!(place.unpack(&bytes, kind, &small()).unwrap().files, 5);
        assert_eq!(files(&place.folder()), wanted);
    }
}

#[test]
fn large_files_are_left_out_and_named() {
    let tar = Tar::default().file("big.bin", &vec![1; 2 << 20]).file("a.md", b"text");
    for kind in KINDS {
        let place = Place::new();
        let done = place.unpack(&tar.clone().end(kind), kind, &small()).unwrap();
        assert_eq!((done.files, done.bytes, done.too_large_count), (1, 4, 1));
        assert_eq!(done.too_large, [DocPath::parse("big.bin").unwrap()]);
        assert_eq!(files(&place.folder()), [(PathBuf::from("a.md"), b"text".to_vec())].into());
        // It counts all the same.
        let limits = Limits { max_total_bytes: 2 << 20, ..small() };
        assert!(Place::new().unpack(&tar.clone().end(kind), kind, &limits).is_err());
    }
}

#[test]
fn a_path_too_long_to_unpack_is_not_written() {
    let mut writer = BundleWriter::new(Vec::new(), BundleKind::TarGz).unwrap();
    assert!(writer.add(&DocPath::parse(&"x".repeat(256)).unwrap(), b"").is_err());
    writer.add(&DocPath::parse("x").unwrap(), b"").unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(Place::new().unpack(&bytes, BundleKind::TarGz, &small()).unwrap().files, 1);
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for kind in KINDS {
        let written = BundleWriter::new(Full, kind).and_then(|mut writer| {
            writer.add(&DocPath::parse("x").unwrap(), b"content")?;
            writer.finish().map(|_| ())
        });
        assert!(written.is_err());
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn everything_comes_back(
        tree in proptest::collection::btree_map(
            proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(1u8..=255, 1..12),
                    proptest::collection::vec(proptest::sample::select(&b"ab%C:\\.\xc3\xa9"[..]), 1..255),
                ]
                .prop_filter("a name", |n| !n.contains(&b'/') && n != b"." && n != b".."),
                1..5,
            ),
            proptest::collection::vec(any::<u8>(), 0..1500),
            0..8,
        ),
        gzip: bool,
    ) {
        let kind = if gzip { BundleKind::TarGz } else { BundleKind::TarZst };
        // A file can't be a folder of another; a prefix of it sorts directly in front.
        let mut wanted: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        for (names, content) in tree {
            let path = raw(&names.join(&b'/'));
            if !wanted.keys().any(|other| path.starts_with(other) || other.starts_with(&path)) {
                wanted.insert(path, content);
            }
        }
        let place = Place::new();
        let done = place.unpack(&write(kind, &wanted), kind, &small()).unwrap();
        prop_assert_eq!(done.files, wanted.len());
        prop_assert_eq!(files(&place.folder()), wanted);
    }

    #[test]
    fn no_archive_panics(
        blocks in proptest::collection::vec(
            (proptest::sample::select(&b"0125xgLKS\0"[..]), "[ab./]{0,6}", 0u64..1600, "[0-9 =a\n]{0,40}"), 0..6
        ),
    ) {
        let tar = blocks.iter().fold(Tar::default(), |tar, (kind, name, size, content)| {
            tar.record(*kind, name.as_bytes(), *size, content.as_bytes())
        });
        let place = Place::new();
        let _ = place.unpack(&tar.end(BundleKind::TarZst), BundleKind::TarZst, &small());
    }
}
