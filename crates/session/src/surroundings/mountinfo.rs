//! `/proc/PID/mountinfo`, line by line.

use std::path::{Path, PathBuf};

use crate::resolver::path_of;

/// One mount, as far as anything here asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// `major:minor` of the filesystem.
    pub(super) device: String,
    /// The folder of that filesystem that is mounted.
    pub(super) root: PathBuf,
    pub(super) point: PathBuf,
    pub(super) kind: String,
    /// What was mounted: a device, or a name of no meaning.
    pub(super) source: String,
    /// The options of the filesystem; for an overlay its layers.
    pub(super) options: String,
}

impl Mount {
    pub(super) fn is_overlay(&self) -> bool {
        matches!(self.kind.as_str(), "overlay" | "fuse.fuse-overlayfs")
    }
}

/// The mounts in the order in which they were made. Lines that are not of the format are left out.
pub(super) fn mounts(mountinfo: &[u8]) -> Vec<Mount> {
    mountinfo.split(|&byte| byte == b'\n').filter_map(mount).collect()
}

/// The mount of the root folder: the last one, which covers those before it.
pub(super) fn root_of(mounts: &[Mount]) -> Option<&Mount> {
    mounts.iter().rev().find(|mount| mount.point == Path::new("/"))
}

/// `36 35 98:0 /root /point options [optional…] - kind source options`, with a field that may be empty at the end.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&byte| byte == b' ');
    let device = text(fields.nth(2)?);
    let root = path_of(&unescape(fields.next()?));
    let point = path_of(&unescape(fields.next()?));
    fields.find(|&field| field == b"-")?;
    let kind = text(fields.next()?);
    let source = text(fields.next().unwrap_or_default());
    let options = text(fields.next().unwrap_or_default());
    let is_path = |path: &Path| path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0);
    (is_path(&root) && is_path(&point)).then_some(Mount { device, root, point, kind, source, options })
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(&unescape(field)).into_owned()
}

/// Takes back the kernel's `\040` for a space and the like.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, behind)) = rest.split_first() {
        let (byte, behind) = match rest {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..] => {
                (((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'), behind)
            }
            _ => (byte, behind),
        };
        bytes.push(byte);
        rest = behind;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_taken_back_and_what_is_no_escape_stays() {
        for (escaped, plain) in [
            (&br"/a\040b"[..], &b"/a b"[..]),
            (br"/tab\011nl\012bs\134", b"/tab\tnl\nbs\\"),
            (br"/hash\043", b"/hash#"),
            (br"/\04", br"/\04"),
            (br"/\888", br"/\888"),
            (br"/\400", br"/\400"),
            (b"/\xff", b"/\xff"),
        ] {
            assert_eq!(unescape(escaped), plain);
        }
    }

    #[test]
    fn a_line_has_any_number_of_optional_fields_and_may_lack_options() {
        let read = |line: &str| mount(line.as_bytes()).map(|mount| (mount.kind, mount.source, mount.options));
        let some = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(read("36 35 98:0 / /mnt rw shared:1 master:2 - ext3 /dev/root rw"), some("ext3", "/dev/root", "rw"));
        assert_eq!(read("36 35 98:0 / /mnt rw - tmpfs  rw"), some("tmpfs", "", "rw"));
        assert_eq!(read("36 35 98:0 / /mnt rw - tmpfs"), some("tmpfs", "", ""));
        for broken in [
            "",
            "36 35",
            "36 35 98:0 / /mnt rw",
            "36 35 98:0 net:[4026] /run/ns rw - nsfs nsfs rw",
            r"36 35 98:0 / /\000 rw - ext3 /dev/root rw",
        ] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }
}
