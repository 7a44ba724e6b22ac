use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::time::{Duration, Instant};

use super::*;
use crate::platform::{Open, PrivateFile, RealPath};
use crate::process::{RunError, RunLimits, run};
use crate::{FileLock, Replacement, read_plain, replace_file};

#[test]
fn entries_are_opened_below_their_folder_by_their_own_names() {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir_all(tree.path().join("a/b")).unwrap();
    fs::write(tree.path().join("a/b/file.txt"), "12345").unwrap();
    let root = open_folder(tree.path()).unwrap();
    let mut text = String::new();
    open_beneath(&root, b"a/b/file.txt", Open::File).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "12345");
    assert!(open_beneath(&root, b".", Open::Folder).is_ok());
    assert_eq!(open_beneath(&root, b"a/b/file.txt", Open::Folder).unwrap_err(), Errno::NOTDIR);
    for odd in ["a/b/none", "a/../a/b/file.txt", "a/b/file.txt:stream", "a\\b\\file.txt", "a/b/file.txt::$DATA", "a/b/"]
    {
        assert_eq!(open_beneath(&root, odd.as_bytes(), Open::File).unwrap_err(), Errno::NOENT, "{odd}");
        assert!(stat_at(&root, odd.as_bytes()).is_err(), "{odd}");
    }
    for other in ["A/b/file.txt", "a/b/FILE.txt", "a/b/FILE~1.TXT"] {
        assert_eq!(open_beneath(&root, other.as_bytes(), Open::File).unwrap_err(), Errno::NOENT, "{other}");
        assert_eq!(stat_at(&root, other.as_bytes()).unwrap_err(), Errno::NOENT, "{other}");
    }
    let known = stat_at(&root, b"a/b/file.txt").unwrap();
    assert_eq!(kind(&known), FileType::RegularFile);
    assert_eq!(crate::FileStamp::from(&known).size, 5);
    assert_eq!(kind(&stat_at(&root, b"a").unwrap()), FileType::Directory);
    assert_eq!(identity(&stat(&root).unwrap()), identity(&lstat(tree.path()).unwrap()));
    assert_ne!(identity(&stat(&root).unwrap()), identity(&stat_at(&root, b"a").unwrap()));
}

#[test]
fn a_long_listing_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        fs::write(folder.path().join(format!("a file with a longish name, number {i}")), "").unwrap();
    }
    fs::create_dir(folder.path().join("ünder")).unwrap();
    let mut names = Vec::new();
    let open = open_folder(folder.path()).unwrap();
    for _ in 0..2 {
        names.clear();
        list(&open, &mut Vec::new(), &mut |name, kind| names.push((name.to_vec(), kind))).unwrap();
        names.retain(|(name, _)| name != b"." && name != b"..");
        assert_eq!(names.len(), 3001);
        assert!(names.contains(&("ünder".as_bytes().to_vec(), FileType::Directory)));
    }
}

#[test]
fn paths_are_what_other_programs_understand() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().real_path().unwrap();
    assert!(!real.to_str().unwrap().starts_with(r"\\?"), "{}", real.display());
    assert!(real.is_dir());
    assert_eq!(&*path_bytes(Path::new(r"a\b/c")), b"a/b/c");
    assert_eq!(without_root(Path::new(r"C:\x\y")), Path::new(r"c\x\y"));
    assert_eq!(plain(PathBuf::from(r"\\?\C:\x\y")), Path::new(r"C:\x\y"));
    assert_eq!(plain(PathBuf::from(r"\\?\UNC\srv\share\y")), Path::new(r"\\srv\share\y"));
    for odd in [r"\\?\C:\con", r"\\?\C:\x.", r"\\?\Volume{1}\x"] {
        assert_eq!(plain(PathBuf::from(odd)), Path::new(odd));
    }
}

#[test]
fn a_file_is_replaced_while_somebody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for mode in [0o644, 0o600] {
        replace_file(&file, b"one", mode).unwrap();
        let mut reader = File::open(&file).unwrap();
        // Where a file can't be replaced as long as it is open, that is waited for.
        let reading = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        replace_file(&file, b"two", mode).unwrap();
        assert_eq!(read_plain(&file, 10).unwrap().bytes, b"two");
        assert_eq!(reading.join().unwrap(), "one");
    }
    let mut new = Replacement::begin(&file, 0o600).unwrap();
    new.write_all(b"three").unwrap();
    assert!(!new.finish_new().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_folder_is_locked_once_and_nothing_is_left_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let take = || FileLock::for_edit(&file, Duration::ZERO).unwrap();
    let held = take();
    assert!(held.is_some() && take().is_none());
    drop(held);
    assert!(take().is_some());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_program_is_run_within_its_limits() {
    let shell = |script: &str| {
        let mut command = Command::new("cmd");
        command.args(["/c", script]);
        command
    };
    let ended = run(shell("echo in& exit 3"), None, RunLimits::default(), 100).unwrap();
    assert_eq!((ended.output.trim_ascii(), ended.status.code()), (&b"in"[..], Some(3)));
    let start = Instant::now();
    let limits = RunLimits { deadline: Some(start + Duration::from_millis(500)), ..RunLimits::default() };
    let mut endless = Command::new("ping");
    endless.args(["-n", "60", "127.0.0.1"]);
    assert!(matches!(run(endless, None, limits, 1 << 20), Err(RunError::TimedOut)));
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn random_bytes_differ() {
    let (mut one, mut two) = ([0; 32], [0; 32]);
    fill_random(&mut one).unwrap();
    fill_random(&mut two).unwrap();
    assert_ne!(one, two);
}

#[test]
fn who_has_read_the_file_is_known_and_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("meet");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let meeting = Meeting::arrange(&file, listener.local_addr().unwrap().port()).unwrap();
    let answer = |said: Vec<u8>| {
        let listener = listener.try_clone().unwrap();
        let ask = meeting.ask;
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut heard = [0; 32];
            stream.read_exact(&mut heard).unwrap();
            stream.write_all(&said).unwrap();
            heard == ask
        })
    };
    let good = answer(meeting.answer.to_vec());
    assert!(connect_local(&file).is_ok());
    assert!(good.join().unwrap());
    let bad = answer(vec![0; 32]);
    assert!(connect_local(&file).is_err());
    bad.join().unwrap();
    drop(open_private(&folder.path().join("other"), PrivateFile::New).unwrap());
    assert!(connect_local(&folder.path().join("other")).is_err());
}
