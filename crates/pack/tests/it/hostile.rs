//! Folders that mean harm.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::Instant;

use ai_assist_admit::PackRules;
use ai_assist_base::Cancel;
use ai_assist_pack::types::{ContextPack, ExclusionReason, TruncationConfig};
use ai_assist_pack::{
    Format, FullPackBuilder, PackError, Room, ScanOptions, TokenCounter, deserialize, render, scan, whole_tree,
};

use crate::tree::{packed, scanned, scanned_with, texts, tree, write};

#[test]
fn nothing_outside_is_read_and_nothing_is_lost() {
    let outside = tree(&[("secret.txt", "outside")]);
    let folder = tree(&[("src/main.rs", "fn main() {}\n"), (".env", "A=1"), ("a/b/c.txt", "c")]);
    let root = folder.path();
    symlink(outside.path().join("secret.txt"), root.join("link.txt")).unwrap();
    symlink(outside.path(), root.join("dir")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("missing", root.join("broken")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    fs::File::create(root.join("sparse.dat")).unwrap().set_len(1 << 30).unwrap();
    write(root, "blob.bin", b"\0\x01\x02\x03".repeat(100));
    fs::write(root.join(OsStr::from_bytes(b"new\nline \xff`.txt")), "odd name\n").unwrap();
    let snapshot = scanned(root);
    let pack = packed(&snapshot, &FullPackBuilder::default());
    let sent: Vec<&str> = texts(&pack).iter().map(|(path, _)| *path).collect();
    assert_eq!(sent, ["a/b/c.txt", "new\nline %FF`.txt", "src/main.rs"]);
    let out: Vec<(&str, ExclusionReason)> =
        snapshot.project.excluded_files.iter().map(|file| (&*file.path, file.reason)).collect();
    assert_eq!(
        out,
        [
            (".env", ExclusionReason::Credentials),
            ("blob.bin", ExclusionReason::Binary),
            ("broken", ExclusionReason::PatternMatch),
            ("dir", ExclusionReason::PatternMatch),
            ("link.txt", ExclusionReason::PatternMatch),
            ("loop", ExclusionReason::PatternMatch),
            ("pipe", ExclusionReason::Unreadable),
            ("sparse.dat", ExclusionReason::SizeLimit),
        ]
    );
    let sparse = pack.file_index.iter().find(|entry| entry.path == "sparse.dat").unwrap();
    assert_eq!((sparse.size_bytes, sparse.included), (1 << 30, false));
    let stats = snapshot.project.exclusion_stats;
    assert_eq!((stats.by_pattern, stats.by_size, stats.by_binary, stats.by_unreadable), (4, 1, 1, 1));
    assert_eq!(pack.metadata.total_files_scanned, 11);
    assert_eq!((pack.metadata.files_included, pack.metadata.files_excluded), (3, 8));
    for format in [Format::Json, Format::MessagePack] {
        let pack = ContextPack::from(pack.clone());
        assert_eq!(deserialize(&render(&pack, format).unwrap(), format).unwrap(), pack);
    }
}

#[test]
fn megabytes_of_one_letter_take_linear_time() {
    let folder = tree(&[("a.txt", &"a".repeat(2_000_000)), ("b.txt", &" ".repeat(2_000_000))]);
    let counter = TokenCounter::new();
    let builder = FullPackBuilder {
        truncation: TruncationConfig {
            max_file_bytes: 4_000_000,
            max_total_bytes: 8_000_000,
            ..TruncationConfig::default()
        },
        count_tokens: true,
        ..FullPackBuilder::default()
    };
    let start = Instant::now();
    let pack = builder.build(&scanned(folder.path()), &counter).unwrap();
    // Squared, this would take hours.
    assert!(start.elapsed().as_secs() < 60);
    assert_eq!(pack.metadata.total_content_bytes, 4_000_000);
    assert!(pack.metadata.total_content_tokens.unwrap() > 200_000);
}

#[test]
fn deep_folders_and_many_parts_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let deep = "d/".repeat(100) + "deep.txt";
    write(folder.path(), &deep, "deep");
    write(folder.path(), &("e/".repeat(200) + "deeper.txt"), "deeper");
    let snapshot = scanned(folder.path());
    let pack = packed(&snapshot, &FullPackBuilder::default());
    assert_eq!(texts(&pack), [(&*deep, "deep")]);
    assert_eq!(snapshot.project.exclusion_stats.by_size, 1);
    assert!(serde_json::to_string(&snapshot.project).unwrap().contains("deep.txt"));
}

#[test]
fn secrets_never_show() {
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let folder = tree(&[("config.py", &format!("GITHUB = \"{token}\"\n")), ("main.py", "print(1)\n")]);
    let snapshot = scanned(folder.path());
    let pack = packed(&snapshot, &FullPackBuilder::default());
    assert_eq!(pack.metadata.redactions.values().sum::<usize>(), 1);
    let pack = ContextPack::from(pack);
    for format in [Format::Json, Format::MessagePack, Format::Markdown, Format::Xml] {
        let bytes = render(&pack, format).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("16C7e42F292c"), "{format:?}");
    }
}

#[test]
fn what_is_not_held_is_read_again_and_must_be_the_same() {
    let folder = tree(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let held = packed(&scanned(folder.path()), &FullPackBuilder { reproducible: true, ..FullPackBuilder::default() });
    let options = ScanOptions { max_held_bytes: 0, ..ScanOptions::default() };
    let snapshot = scanned_with(folder.path(), &options);
    let builder = FullPackBuilder { reproducible: true, ..FullPackBuilder::default() };
    assert_eq!(packed(&snapshot, &builder), held);
    write(folder.path(), "b.txt", "TWO\n");
    let pack = packed(&snapshot, &builder);
    assert_eq!(texts(&pack), [("a.txt", "one\n")]);
    assert_eq!(pack.metadata.files_included + pack.metadata.files_excluded, 2);
    fs::remove_file(folder.path().join("a.txt")).unwrap();
    assert!(texts(&packed(&snapshot, &builder)).is_empty());
}

#[test]
fn a_scan_can_be_cancelled() {
    let folder = tree(&[("a.txt", "one\n")]);
    let selection = whole_tree(folder.path(), PackRules::default()).unwrap();
    let options = ScanOptions::default();
    assert!(scan(&selection, &options, &Cancel::when(|| true), &|_| {}).is_err());
    // Only once the walk is over: it has one entry to see.
    let cancel = Cancel::default();
    assert!(scan(&selection, &options, &cancel, &|_| cancel.cancel()).is_err());
}

#[test]
fn a_room_too_small_is_told() {
    let folder = tree(&[("a.txt", "one\n")]);
    let room = Some(Room { max_tokens: 20, format: Format::Json });
    let built =
        FullPackBuilder { room, ..FullPackBuilder::default() }.build(&scanned(folder.path()), &TokenCounter::new());
    assert!(matches!(built, Err(PackError::LimitTooSmall { limit: 20, .. })));
}

#[test]
fn what_is_not_worth_sending_has_its_own_reason() {
    let folder = tree(&[
        ("node_modules/x/index.js", "x"),
        ("dist/app.js", "x"),
        ("src/__pycache__/a.pyc", "x"),
        ("server.log", "x"),
        ("src/main.py", "print(1)\n"),
    ]);
    let snapshot = scanned(folder.path());
    let out: Vec<ExclusionReason> = snapshot.project.excluded_files.iter().map(|file| file.reason).collect();
    use ExclusionReason::{BuildOutput, Cache, DependencyDir, SizeLimit};
    assert_eq!(out, [BuildOutput, DependencyDir, SizeLimit, Cache]);
    assert_eq!(snapshot.project.exclusion_stats.by_pattern, 3);
    assert_eq!(packed(&snapshot, &FullPackBuilder::default()).metadata.files_included, 1);
}

#[test]
fn what_cannot_be_read_is_not_called_binary() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tree(&[("a.py", "A = 1\n"), ("closed.py", "B = 1\n")]);
    fs::set_permissions(folder.path().join("closed.py"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(folder.path().join("closed.py")).is_ok() {
        // Root reads everything: a pipe is what it can't read as a file.
        fs::remove_file(folder.path().join("closed.py")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join("closed.py"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
    }
    let snapshot = scanned(folder.path());
    assert_eq!(snapshot.project.excluded_files[0].reason, ExclusionReason::Unreadable);
    let pack = packed(&snapshot, &FullPackBuilder::default());
    let entry = pack.file_index.iter().find(|entry| entry.path == "closed.py").unwrap();
    assert_eq!(
        (entry.file_type, entry.exclusion_reason),
        (ai_assist_pack::types::FileType::Text, Some(ExclusionReason::Unreadable))
    );
    assert_eq!(snapshot.project.exclusion_stats.by_binary, 0);
}
