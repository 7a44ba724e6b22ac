//! Limits hold exactly, and the same folder gives the same pack.

use std::collections::BTreeSet;

use ai_assist_pack::types::{ContextPack, TruncationConfig};
use ai_assist_pack::{Format, FullPackBuilder, Room, ScanOptions, TokenCounter, render};
use ai_assist_text::count_tokens;
use proptest::prelude::*;

use crate::tree::{packed, scanned, scanned_with, texts, tree, write};

pub(crate) fn random_tree() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = "(src|tests|db/migrations|a/b)?/?[a-z_]{1,8}(auth|main|index|)\\.(rs|py|md|json|txt)";
    let line = prop_oneof![4 => "[ -~]{0,60}", 1 => "\\PC{0,200}", 1 => "[x]{300,900}"];
    let text = prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"));
    prop::collection::btree_map(name, text, 0..12).prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_file_and_no_pack_exceeds_its_limit(
        files in random_tree(),
        max_file in 0usize..3000,
        max_total in 0usize..8000,
        max_key in 0usize..3000,
        head in 0usize..20,
        tail in 0usize..20,
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            write(folder.path(), path.trim_start_matches('/'), text);
        }
        let snapshot = scanned(folder.path());
        let builder = FullPackBuilder {
            truncation: TruncationConfig {
                max_file_bytes: max_file,
                max_total_bytes: max_total,
                preserve_head_lines: head,
                preserve_tail_lines: tail,
                ..TruncationConfig::default()
            },
            max_key_file_bytes: max_key,
            ..FullPackBuilder::default()
        };
        let pack = packed(&snapshot, &builder);
        let sent = texts(&pack);
        for (path, text) in &sent {
            prop_assert!(text.len() <= max_file, "{path} has {} of {max_file} bytes", text.len());
        }
        prop_assert!(pack.key_files.iter().all(|file| file.content.len() <= max_key));
        let total: usize = sent.iter().map(|(_, text)| text.len()).sum();
        prop_assert!(total <= max_total);
        prop_assert_eq!(total as u64, pack.metadata.total_content_bytes);
        let truncated = pack.key_files.iter().filter(|file| file.truncated).count()
            + pack.contents.iter().filter(|file| file.truncated).count();
        prop_assert_eq!(truncated, pack.metadata.truncated_files);
        // Each file once: in the pack or named with its reason.
        let paths: BTreeSet<&str> = sent.iter().map(|(path, _)| *path).collect();
        prop_assert_eq!(paths.len(), sent.len());
        for entry in &pack.file_index {
            prop_assert_eq!(entry.included, paths.contains(&*entry.path));
            prop_assert_eq!(entry.included, entry.exclusion_reason.is_none());
        }
        prop_assert_eq!(pack.file_index.len(), pack.metadata.total_files_scanned);
        prop_assert_eq!(pack.metadata.files_included + pack.metadata.files_excluded, pack.file_index.len());
    }

    #[test]
    fn no_pack_exceeds_its_tokens(files in random_tree(), max_tokens in 600usize..6000) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            write(folder.path(), path.trim_start_matches('/'), text);
        }
        let snapshot = scanned(folder.path());
        for format in [Format::Json, Format::Markdown, Format::Xml] {
            let room = Some(Room { max_tokens, format });
            let pack = packed(&snapshot, &FullPackBuilder { room, ..FullPackBuilder::default() });
            let bytes = render(&ContextPack::from(pack), format).unwrap();
            let tokens = count_tokens(std::str::from_utf8(&bytes).unwrap());
            prop_assert!(tokens <= max_tokens, "{format:?}: {tokens} of {max_tokens}");
        }
    }
}

/// Four hundred files: more than a list of them fits into a small room.
fn large() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..400 {
        write(
            folder.path(),
            &format!("pkg{}/module_{n}.py", n % 7),
            format!("def f{n}():\n    return {n}\n").repeat(n % 11 + 1),
        );
    }
    write(folder.path(), "pyproject.toml", "[project]\nname = \"x\"\n");
    write(folder.path(), "app.py", "import pkg0\n");
    folder
}

#[test]
fn a_large_project_is_cut_down_not_refused() {
    let folder = large();
    let snapshot = scanned(folder.path());
    let counter = TokenCounter::new();
    for (max_tokens, format) in
        [(800, Format::Xml), (3000, Format::Json), (20_000, Format::Markdown), (400_000, Format::Json)]
    {
        let room = Some(Room { max_tokens, format });
        let pack = FullPackBuilder { room, ..FullPackBuilder::default() }.build(&snapshot, &counter).unwrap();
        let tokens = count_tokens(std::str::from_utf8(&render(&pack.clone().into(), format).unwrap()).unwrap());
        assert!(tokens <= max_tokens);
        assert_eq!(pack.key_files.len(), 2, "key files come first");
        let all = max_tokens == 400_000;
        assert_eq!(pack.metadata.files_left_out_for_size == 0, all);
        assert!(all || tokens > max_tokens * 9 / 10, "{tokens} of {max_tokens} used");
        let (sent, out) = (pack.metadata.files_included, pack.metadata.files_left_out_for_size);
        assert_eq!(sent + out, 402);
        assert_eq!(pack.file_index.len() + pack.metadata.file_index_omitted, 402);
    }
    let truncation = TruncationConfig { max_total_bytes: 2000, ..TruncationConfig::default() };
    let pack = packed(&snapshot, &FullPackBuilder { truncation, ..FullPackBuilder::default() });
    assert_eq!(pack.key_files.len(), 2);
    assert!(pack.metadata.total_content_bytes > 1900);
}

#[test]
fn threads_and_time_make_no_difference() {
    let folder = large();
    let bytes = |threads, root: &std::path::Path, format| {
        let snapshot = scanned_with(root, &ScanOptions { threads: Some(threads), ..ScanOptions::default() });
        let room = Some(Room { max_tokens: 9000, format });
        let builder = FullPackBuilder { room, reproducible: true, ..FullPackBuilder::default() };
        render(&packed(&snapshot, &builder).into(), format).unwrap()
    };
    for format in [Format::Json, Format::MessagePack, Format::Markdown, Format::Xml] {
        let one = bytes(1, folder.path(), format);
        for threads in [2, 7] {
            assert!(bytes(threads, folder.path(), format) == one, "{format:?} with {threads} threads");
        }
    }
    // The same project at another place.
    let elsewhere = tempfile::tempdir().unwrap();
    let (a, b) = (elsewhere.path().join("a/project"), elsewhere.path().join("b/project"));
    for root in [&a, &b] {
        write(root, "src/main.rs", "fn main() {}\n");
    }
    assert_eq!(bytes(1, &a, Format::Json), bytes(2, &b, Format::Json));
}

#[test]
fn taking_the_texts_gives_the_same_pack() {
    let folder = large();
    let mut snapshot = scanned(folder.path());
    for max_total_bytes in [500, 20_000, 1_000_000] {
        let truncation = TruncationConfig { max_total_bytes, max_file_bytes: 200, ..TruncationConfig::default() };
        let builder = FullPackBuilder { truncation, ..FullPackBuilder::default() };
        let pack = packed(&snapshot, &builder);
        // Twice: the second time, what was taken is read again.
        for _ in 0..2 {
            assert_eq!(builder.build_taking(&mut snapshot, &TokenCounter::new()).unwrap(), pack);
        }
        assert_eq!(snapshot.text_of("app.py").as_deref(), Some("import pkg0\n"));
    }
}

#[test]
fn the_callers_rank_decides_after_the_key_files() {
    let folder = tree(&[("main.rs", "fn main() {}"), ("a.txt", "aaaa"), ("b.txt", "bbbb"), ("c.txt", "cccc")]);
    let snapshot = scanned(folder.path());
    let rank = |file: &ai_assist_pack::types::FileMetadata| if file.name == "c.txt" { 1.0 } else { f64::NAN.min(0.0) };
    let truncation = TruncationConfig { max_total_bytes: 20, ..TruncationConfig::default() };
    let pack = packed(&snapshot, &FullPackBuilder { truncation, rank: &rank, ..FullPackBuilder::default() });
    assert_eq!(texts(&pack), [("a.txt", "aaaa"), ("c.txt", "cccc"), ("main.rs", "fn main() {}")]);
    assert_eq!(pack.key_files.len(), 1, "a key file's text stands in one place");
    assert_eq!(pack.metadata.files_left_out_for_size, 1);
}
