use ai_assist_admit::{Candidate, FileStamp};

fn forge(like: Candidate) -> Candidate {
    let stamp = FileStamp { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 };
    Candidate { stamp, ..like }
}

fn main() {
    let _ = forge;
}
