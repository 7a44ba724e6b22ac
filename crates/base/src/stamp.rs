//! What stat says about a file, and when that may stand in for reading it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Clocks of file systems tick at up to two seconds (FAT); within that, a second write need not move the time.
const RACY_NS: i64 = 2_000_000_000;

/// What stat says of a file. Two equal stamps, neither racy, mean the content was not written in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileStamp {
    pub size: u64,
    /// Last change of content, nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Last change of content or attributes, nanoseconds since the epoch. Unlike `mtime_ns` no program can set it back.
    pub ctime_ns: i64,
    /// The inode number, which changes when a file is replaced by a rename.
    pub inode: u64,
}

impl FileStamp {
    /// The stamp, if it may later stand in for what was read at this moment; not if the file was written so shortly before
    /// that a later write might have left the same stamp. Git guards its index the same way.
    pub fn settled(self, read_at_ns: i64) -> Option<Self> {
        let newest = self.mtime_ns.max(self.ctime_ns);
        (newest <= read_at_ns.saturating_sub(RACY_NS)).then_some(self)
    }
}

/// In nanoseconds since the epoch, as stamps have it.
pub fn now_ns() -> i64 {
    // A clock before 1970 makes every stamp racy, which is the safe side.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_stamp_is_racy() {
        let second = 1_000_000_000;
        let cases = [
            ("old", 10, 10, false),
            ("exactly two seconds", 98, 98, false),
            ("written just now", 99, 99, true),
            ("mtime set back, ctime tells", 10, 99, true),
            ("from the future", 200, 200, true),
        ];
        for (name, mtime, ctime, racy) in cases {
            let stamp = FileStamp { size: 1, mtime_ns: mtime * second, ctime_ns: ctime * second, inode: 1 };
            assert_eq!(stamp.settled(100 * second).is_none(), racy, "{name}");
        }
        let extreme = FileStamp { size: 0, mtime_ns: i64::MIN, ctime_ns: i64::MIN, inode: 0 };
        assert!(extreme.settled(i64::MIN + 10 * second).is_some(), "no overflow at the ends");
    }
}
