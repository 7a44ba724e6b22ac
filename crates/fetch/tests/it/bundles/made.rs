//! Archives made by hand, and a place to unpack them where every change outside is noticed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use ai_assist_base::Cancel;
use ai_assist_fetch::{BundleError, BundleKind, Limits, Unpacked, unpack};
use tar::Header;

pub(crate) const KINDS: [BundleKind; 2] = [BundleKind::TarGz, BundleKind::TarZst];

/// A tar archive as it is being put together.
#[derive(Default, Clone)]
pub(crate) struct Tar(pub(crate) Vec<u8>);

impl Tar {
    /// A record with whatever header; the size may lie.
    pub(crate) fn record(mut self, kind: u8, name: &[u8], size: u64, content: &[u8]) -> Self {
        self.0.extend_from_slice(header(kind, name, size).as_bytes());
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub(crate) fn file(self, name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        self.record(b'0', name.as_ref(), content.len() as u64, content)
    }

    pub(crate) fn link(mut self, kind: u8, name: &str, target: &str) -> Self {
        let mut header = header(kind, name.as_bytes(), 0);
        header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_cksum();
        self.0.extend_from_slice(header.as_bytes());
        self
    }

    pub(crate) fn long_name(self, name: &[u8]) -> Self {
        let content = [name, b"\0"].concat();
        self.record(b'L', b"././@LongLink", content.len() as u64, &content)
    }

    pub(crate) fn pax(self, kind: u8, key: &str, value: &[u8]) -> Self {
        let rest = key.len() + value.len() + 3;
        let length = (1..).map(|digits| rest + digits).find(|n| n.to_string().len() + rest == *n).unwrap();
        let record = [format!("{length} {key}=").as_bytes(), value, b"\n"].concat();
        self.record(kind, b"PaxHeader", record.len() as u64, &record)
    }

    /// Without the mark of the end.
    pub(crate) fn open(self, kind: BundleKind) -> Vec<u8> {
        compress(kind, &self.0)
    }

    pub(crate) fn end(mut self, kind: BundleKind) -> Vec<u8> {
        self.0.extend_from_slice(&[0; 1024]);
        self.open(kind)
    }
}

pub(crate) fn header(kind: u8, name: &[u8], size: u64) -> Header {
    let mut header = Header::new_gnu();
    let fits = name.len().min(100);
    header.as_old_mut().name[..fits].copy_from_slice(&name[..fits]);
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_size(size);
    header.set_mode(0o777);
    header.set_cksum();
    header
}

pub(crate) fn compress(kind: BundleKind, bytes: &[u8]) -> Vec<u8> {
    match kind {
        BundleKind::TarGz => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        BundleKind::TarZst => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        BundleKind::Zip => panic!("a zip is not a compressed tar"),
    }
}

/// A folder with neighbours, one of which is unpacked into.
pub(crate) struct Place {
    outer: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        std::fs::create_dir(outer.path().join("into")).unwrap();
        std::fs::create_dir(outer.path().join("neighbour")).unwrap();
        std::fs::write(outer.path().join("neighbour/kept"), "as it was").unwrap();
        Place { outer }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.outer.path().join("into")
    }

    /// Unpacks, and checks that nothing has changed outside and that there are no links inside.
    pub(crate) fn unpack(&self, bytes: &[u8], kind: BundleKind, limits: &Limits) -> Result<Unpacked, BundleError> {
        let before = self.outside();
        let result = unpack(bytes, kind, &self.folder(), limits, &Cancel::default());
        assert_eq!(self.outside(), before, "something outside of the folder has changed");
        files(&self.folder());
        result
    }

    fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = files(self.outer.path());
        all.retain(|path, _| !path.starts_with("into"));
        all
    }
}

/// The files below a folder by their relative paths.
pub(crate) fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                open.push(path);
            } else {
                assert!(metadata.is_file(), "{} is no file", path.display());
                found.insert(path.strip_prefix(root).unwrap().to_path_buf(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Limits small enough that what goes beyond them is quick to make.
pub(crate) fn small() -> Limits {
    Limits { max_file_bytes: 1 << 20, max_files: 1000, max_total_bytes: 16 << 20, ..Limits::default() }
}
