//! Bundles to publish, good and bad.

use std::io::Write;

use serde_json::json;

use super::desk::page;

/// How a bundle is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

/// A bundle of some files, the manifest first.
pub(crate) fn bundle(packing: Packing, manifest: &str, files: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    add(&mut tar, "manifest.json", manifest.as_bytes());
    for (path, text) in files {
        add(&mut tar, path, text.as_ref());
    }
    packed(packing, &tar.into_inner().unwrap())
}

/// An archive of some files without a manifest.
pub(crate) fn archive(packing: Packing, files: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        add(&mut tar, path, text.as_ref());
    }
    packed(packing, &tar.into_inner().unwrap())
}

pub(crate) fn packed(packing: Packing, tar: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Gzip => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(tar).unwrap();
            gzip.finish().unwrap()
        }
        Packing::Zstd => zstd::encode_all(tar, 3).unwrap(),
    }
}

/// A manifest with globs.
pub(crate) fn glob_manifest(globs: &[&str]) -> String {
    json!({ "name": "guide", "version": "1.0.0", "sources": { "glob": globs } }).to_string()
}

fn header(kind: tar::EntryType, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    header
}

fn add(tar: &mut tar::Builder<Vec<u8>>, path: &str, bytes: &[u8]) {
    let mut header = header(tar::EntryType::Regular, bytes.len() as u64);
    tar.append_data(&mut header, path, bytes).unwrap();
}

/// Writes a name as it is, whatever it says.
fn add_raw(tar: &mut tar::Builder<Vec<u8>>, mut header: tar::Header, name: &str, link: &str, bytes: &[u8]) {
    let gnu = header.as_gnu_mut().unwrap();
    gnu.name[..name.len()].copy_from_slice(name.as_bytes());
    gnu.linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_cksum();
    tar.append(&header, bytes).unwrap();
}

/// Bundles that must be refused, each with a word that its message has.
pub(crate) fn hostile(outside: &str) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let evil = page("evil");
    let with = |change: &dyn Fn(&mut tar::Builder<Vec<u8>>)| {
        let mut tar = tar::Builder::new(Vec::new());
        add(&mut tar, "manifest.json", glob_manifest(&["**/*.md"]).as_bytes());
        add(&mut tar, "good.md", page("good").as_bytes());
        change(&mut tar);
        packed(Packing::Gzip, &tar.into_inner().unwrap())
    };
    let file = |name: String| {
        let evil = evil.clone();
        with(&move |tar| add_raw(tar, header(tar::EntryType::Regular, evil.len() as u64), &name, "", evil.as_bytes()))
    };
    let special =
        |kind: tar::EntryType, link: String| with(&move |tar| add_raw(tar, header(kind, 0), "odd.md", &link, b""));
    let whole = with(&|_| {});
    let through = with(&|tar| {
        add_raw(tar, header(tar::EntryType::Symlink, 0), "out", outside, b"");
        let evil = page("evil");
        add_raw(tar, header(tar::EntryType::Regular, evil.len() as u64), "out/escaped.md", "", evil.as_bytes());
    });
    vec![
        ("traversal", file("../escaped.md".to_owned()), ".."),
        ("deep traversal", file("a/../../escaped.md".to_owned()), ".."),
        ("absolute", file(format!("{outside}/escaped.md")), "absolute"),
        ("symlink", special(tar::EntryType::Symlink, "/etc/passwd".to_owned()), "link"),
        ("through a symlink", through, "link"),
        ("hard link", special(tar::EntryType::Link, "good.md".to_owned()), "link"),
        ("character device", special(tar::EntryType::Char, String::new()), "device"),
        ("block device", special(tar::EntryType::Block, String::new()), "device"),
        ("pipe", special(tar::EntryType::Fifo, String::new()), "odd.md"),
        ("twice", file("good.md".to_owned()), "good.md"),
        ("truncated", whole[..whole.len() / 2].to_vec(), "damaged, cut off"),
        ("empty", Vec::new(), ""),
        ("not an archive", b"<!doctype html><title>Sign in</title>".to_vec(), "damaged, cut off"),
        ("gzip of no tar", packed(Packing::Gzip, page("x").repeat(40).as_bytes()), "damaged"),
        (
            "no manifest",
            packed(Packing::Gzip, &tar::Builder::new(Vec::new()).into_inner().unwrap()),
            "no manifest.json",
        ),
    ]
}

/// A bundle of one file of zeros, whose size is given, that is small as it travels.
pub(crate) fn bomb(size: usize) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    add(&mut tar, "manifest.json", glob_manifest(&["**/*.md"]).as_bytes());
    add(&mut tar, "zeros.md", &vec![b'0'; size]);
    packed(Packing::Gzip, &tar.into_inner().unwrap())
}

/// A bundle of so many small files.
pub(crate) fn crowd(files: usize) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    add(&mut tar, "manifest.json", glob_manifest(&["**/*.md"]).as_bytes());
    for number in 0..files {
        add(&mut tar, &format!("{number}.md"), page("crowd").as_bytes());
    }
    packed(Packing::Gzip, &tar.into_inner().unwrap())
}
