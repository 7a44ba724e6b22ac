//! What is left when a project does not fit: texts, outlines, names; and summaries that keep their limits.

use std::collections::BTreeSet;

use ai_assist_base::Cancel;
use ai_assist_pack::types::{
    ContextPack, Detail, ExclusionReason, FullPack, PackConstraints, SummaryPack, TruncationConfig,
};
use ai_assist_pack::{
    Caches, Choice, Format, FullPackBuilder, PackError, PackRequest, Room, ScanOptions, Sending, Snapshot,
    SummaryPackBuilder, Survey, TokenCounter, Wanted, deserialize, make, record, render, split,
};
use ai_assist_syntax::SyntaxCache;
use ai_assist_text::count_tokens;
use proptest::prelude::*;

use crate::limits::random_tree;
use crate::tree::{scanned, scanned_with, texts, tree, write, written};

const FORMATS: [Format; 4] = [Format::Json, Format::MessagePack, Format::Markdown, Format::Xml];

/// How many files the list of a summary stands for.
fn listed(pack: &SummaryPack) -> usize {
    pack.file_index.iter().map(|entry| entry.files.unwrap_or(1)).sum()
}

fn survey(snapshot: &Snapshot) -> Survey {
    Survey::new(snapshot, None, &SyntaxCache::default(), &Cancel::default()).unwrap()
}

fn summary<'a>(survey: &'a Survey, max_content_bytes: Option<usize>, room: Option<Room>) -> SummaryPackBuilder<'a> {
    SummaryPackBuilder {
        survey,
        manifest: survey.manifest_input(),
        selection_reason: "It is large.".to_owned(),
        reproducible: true,
        count_tokens: false,
        max_content_bytes,
        room,
    }
}

/// The text that a model is shown: for MessagePack, its JSON.
fn shown(pack: &ContextPack, format: Format) -> String {
    let format = if format == Format::MessagePack { Format::Json } else { format };
    String::from_utf8(render(pack, format).unwrap()).unwrap()
}

/// What every full pack keeps to, outlines included.
fn is_sound(pack: &FullPack) {
    let sent = texts(pack);
    let outlined: BTreeSet<&str> = pack.outlines.iter().map(|outline| &*outline.path).collect();
    assert!(sent.iter().all(|(path, _)| !outlined.contains(path)), "a file is sent once");
    assert_eq!(outlined.len(), pack.metadata.files_outlined);
    assert!(pack.outlines.is_sorted_by_key(|outline| &outline.path));
    let bytes = sent.iter().map(|(_, text)| text.len()).sum::<usize>();
    let bytes = bytes + pack.outlines.iter().map(|outline| outline.outline.len()).sum::<usize>();
    assert_eq!(bytes as u64, pack.metadata.total_content_bytes);
    assert_eq!(pack.metadata.files_included, sent.len());
    assert_eq!(pack.metadata.files_included + pack.metadata.files_excluded, pack.metadata.total_files_scanned);
    assert_eq!(pack.metadata.exclusions_by_reason.values().sum::<usize>(), pack.metadata.files_excluded);
    assert_eq!(pack.file_index.len() + pack.metadata.file_index_omitted, pack.metadata.total_files_scanned);
    for entry in pack.file_index.iter().filter(|entry| outlined.contains(&*entry.path)) {
        assert_eq!((entry.included, entry.exclusion_reason), (false, Some(ExclusionReason::SizeLimit)));
    }
    for format in [Format::Json, Format::MessagePack] {
        let pack = ContextPack::from(pack.clone());
        assert_eq!(deserialize(&render(&pack, format).unwrap(), format).unwrap(), pack);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn limits_hold_with_outlines(
        files in random_tree(),
        max_file in 0usize..3000,
        max_total in 0usize..6000,
        max_files in 0usize..12,
        max_tokens in 600usize..5000,
        format in prop::sample::select(&FORMATS[..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            write(folder.path(), path.trim_start_matches('/'), text);
        }
        let snapshot = scanned(folder.path());
        let survey = survey(&snapshot);
        let truncation =
            TruncationConfig { max_file_bytes: max_file, max_total_bytes: max_total, ..TruncationConfig::default() };
        let builder = FullPackBuilder {
            truncation,
            max_files: Some(max_files),
            survey: Some(&survey),
            manifest: survey.manifest_input(),
            ..FullPackBuilder::default()
        };
        let counter = TokenCounter::new();
        let pack = builder.build(&snapshot, &counter).unwrap();
        is_sound(&pack);
        prop_assert!(pack.metadata.total_content_bytes <= max_total as u64);
        prop_assert!(pack.metadata.files_included <= max_files);
        prop_assert!(pack.outlines.iter().all(|outline| outline.outline.len() <= max_file));
        let room = Some(Room { max_tokens, format });
        let pack = FullPackBuilder { room, ..builder }.build(&snapshot, &counter).unwrap();
        is_sound(&pack);
        prop_assert!(pack.metadata.total_content_bytes <= max_total as u64);
        prop_assert!(pack.metadata.files_included <= max_files);
        let tokens = count_tokens(&shown(&pack.clone().into(), format));
        prop_assert!(tokens <= max_tokens, "{format:?}: {tokens} of {max_tokens}");
    }

    #[test]
    fn summaries_keep_their_limits(
        files in random_tree(),
        max_bytes in 0usize..9000,
        max_tokens in 0usize..3000,
        format in prop::sample::select(&FORMATS[..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            write(folder.path(), path.trim_start_matches('/'), text);
        }
        let snapshot = scanned(folder.path());
        let survey = survey(&snapshot);
        let room = Some(Room { max_tokens, format });
        match summary(&survey, Some(max_bytes), room).build(&snapshot, &TokenCounter::new()) {
            Ok(pack) => {
                let listed = listed(&pack);
                prop_assert_eq!(listed + pack.metadata.file_index_omitted, pack.metadata.total_files_scanned);
                let pack = ContextPack::from(pack);
                let text = shown(&pack, format);
                prop_assert!(text.len() <= max_bytes && count_tokens(&text) <= max_tokens);
                let json = render(&pack, Format::Json).unwrap();
                prop_assert_eq!(deserialize(&json, Format::Json).unwrap(), pack);
            }
            Err(PackError::LimitTooSmall { limit, least }) => prop_assert!(limit == max_tokens && least > limit),
            Err(PackError::BytesTooFew { limit, least }) => prop_assert!(limit == max_bytes && least > limit),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

/// Three thousand files in which every hundredth is imported by many.
fn large() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..3000 {
        let imports = format!("from pkg{}.module_{} import f\n", (n / 100 * 100) % 7, n / 100 * 100);
        let body =
            format!("def f{n}(a, b):\n    \"\"\"Number {n}.\"\"\"\n    return a + b + {n}\n\n\n").repeat(n % 5 + 1);
        write(folder.path(), &format!("pkg{}/module_{n}.py", n % 7), imports + &body);
    }
    let dependencies: Vec<String> = (0..150).map(|n| format!("\"dependency-number-{n}>=1\"")).collect();
    let manifest = format!("[project]\nname = \"x\"\ndependencies = [{}]\n", dependencies.join(", "));
    write(folder.path(), "pyproject.toml", manifest);
    write(folder.path(), "app.py", "import pkg0\n");
    folder
}

#[test]
fn a_large_project_goes_down_the_ladder() {
    let folder = large();
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    let counter = TokenCounter::new();
    let mut before = 0;
    for max_tokens in [500, 2_000, 20_000, 200_000, 2_000_000] {
        let truncation = TruncationConfig { max_total_bytes: 50_000_000, ..TruncationConfig::default() };
        let room = Some(Room { max_tokens, format: Format::Xml });
        let manifest = survey.manifest_input();
        assert_eq!(manifest.dependencies.len(), 100, "the list in a manifest has an end");
        let builder =
            FullPackBuilder { truncation, manifest, survey: Some(&survey), room, ..FullPackBuilder::default() };
        let pack = builder.build(&snapshot, &counter).unwrap();
        is_sound(&pack);
        let tokens = count_tokens(&shown(&pack.clone().into(), Format::Xml));
        assert!(tokens <= max_tokens, "{tokens} of {max_tokens}");
        let all = max_tokens == 2_000_000;
        assert!(all || tokens > max_tokens * 8 / 10, "{tokens} of {max_tokens} are used");
        assert_eq!(pack.metadata.detail == Some(Detail::Everything), all);
        assert_eq!(pack.outlines.is_empty(), all || max_tokens <= 2_000);
        assert_eq!(pack.metadata.manifest_omitted > 0, max_tokens <= 2_000);
        assert!(pack.metadata.files_included >= before);
        before = pack.metadata.files_included;
        if max_tokens == 20_000 {
            let sent = texts(&pack);
            let many = sent.iter().filter(|(path, _)| path.ends_with("00.py")).count();
            assert!(many > 10, "what many import goes first: {many}");
            let outline = &pack.outlines[0];
            assert!(outline.outline.starts_with("def f") && !outline.outline.contains("return"), "{outline:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_outlined_then_named() {
    let code =
        |n: usize| format!("def first_{n}(a):\n    return a\n\n\n{}", "# a long comment about nothing\n".repeat(60));
    let files: Vec<(String, String)> = (0..6).map(|n| (format!("lib/m{n}.py"), code(n))).collect();
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&borrowed);
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    let build = |max_total_bytes, max_file_bytes, max_files| {
        let truncation = TruncationConfig { max_total_bytes, max_file_bytes, ..TruncationConfig::default() };
        let builder = FullPackBuilder { truncation, max_files, survey: Some(&survey), ..FullPackBuilder::default() };
        builder.build(&snapshot, &TokenCounter::new()).unwrap()
    };
    let some = build(6000, 50_000, None);
    is_sound(&some);
    assert_eq!(some.metadata.detail, Some(Detail::SomeContents));
    assert_eq!((some.contents.len(), some.outlines.len()), (3, 3), "what the outlines don't need goes to texts");
    assert_eq!(some.outlines[0].outline, "def first_3(a)\n");
    assert_eq!((&*some.outlines[0].language, some.outlines[0].original_size_bytes), ("python", code(3).len() as u64));
    let few = build(1_000_000, 50_000, Some(2));
    assert_eq!((few.contents.len(), few.outlines.len(), few.metadata.files_left_out_for_size), (2, 4, 4));
    let only = build(1_000_000, 50_000, Some(0));
    assert_eq!((only.contents.len(), only.outlines.len()), (0, 6));
    assert_eq!(only.metadata.detail, Some(Detail::Outlines));
    let names = build(0, 50_000, None);
    assert_eq!((names.metadata.detail, names.file_index.len()), (Some(Detail::IndexOnly), 6));
    let all = build(1_000_000, 50_000, None);
    assert_eq!((all.metadata.detail, all.outlines.len()), (Some(Detail::Everything), 0));
    // What left as an outline is in the record, and no content of the file beside it.
    let pack = ContextPack::from(only);
    let bytes = render(&pack, Format::Json).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("return a"));
    let sending = Sending {
        snapshot: &snapshot,
        pack: &pack,
        written: written(&bytes),
        provider: None,
        tool_version: "0",
        previous: None,
    };
    let receipt = record(&sending).unwrap();
    assert_eq!((receipt.files.len(), receipt.outlined.len(), receipt.excluded.len()), (0, 6, 6));
    assert_eq!(receipt.outlined[0].bytes, "def first_0(a)\n".len() as u64);
    assert_eq!(receipt.outlined[0].hash, snapshot.project.files[0].hash);
}

#[test]
fn outlines_are_split_like_texts() {
    let folder = large();
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    let counter = TokenCounter::new();
    let truncation = TruncationConfig { max_total_bytes: 40_000, ..TruncationConfig::default() };
    let builder = FullPackBuilder { truncation, survey: Some(&survey), ..FullPackBuilder::default() };
    let pack = builder.build(&snapshot, &counter).unwrap();
    assert!(pack.outlines.len() > 50);
    for format in FORMATS {
        let parts = split(&pack, format, 4000, &TruncationConfig::default(), &counter).unwrap();
        let outlines: usize = parts.iter().map(|part| part.outlines.len()).sum();
        assert_eq!(outlines, pack.outlines.len());
        assert!(parts.iter().all(|part| count_tokens(&shown(&part.clone().into(), format)) <= 4000));
    }
}

#[test]
fn a_summary_of_many_files_lists_as_many_as_there_is_room_for() {
    let folder = large();
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    let counter = TokenCounter::new();
    let mut before = 0;
    for max_tokens in [600, 3_000, 20_000, 200_000] {
        let room = Some(Room { max_tokens, format: Format::Markdown });
        let pack = summary(&survey, None, room).build(&snapshot, &counter).unwrap();
        let names = pack.file_index.iter().filter(|entry| entry.files.is_none()).count();
        assert!(names >= before && listed(&pack) + pack.metadata.file_index_omitted == 3002);
        assert_eq!(names == 3002, max_tokens == 200_000);
        assert!(max_tokens < 3_000 || listed(&pack) == 3002, "folders stand for the rest");
        assert!(pack.file_index.is_sorted_by_key(|entry| &entry.path));
        before = names;
    }
    let small = summary(&survey, Some(60_000), None).build(&snapshot, &counter).unwrap();
    assert!(small.file_index.iter().any(|entry| entry.path == "pyproject.toml"), "key files are listed first");
    let bytes = render(&small.clone().into(), Format::Json).unwrap().len();
    assert!(bytes <= 60_000 && bytes > 59_000, "{bytes}");
    let told = summary(&survey, Some(100), None).build(&snapshot, &counter);
    assert!(matches!(told, Err(PackError::BytesTooFew { limit: 100, .. })));
    let told = summary(&survey, None, Some(Room { max_tokens: 9, format: Format::Xml })).build(&snapshot, &counter);
    assert!(matches!(told, Err(PackError::LimitTooSmall { limit: 9, .. })));
    // The record of a summary names what it speaks of.
    let pack = ContextPack::from(small);
    let bytes = render(&pack, Format::Json).unwrap();
    let sending = Sending {
        snapshot: &snapshot,
        pack: &pack,
        written: written(&bytes),
        provider: None,
        tool_version: "0",
        previous: None,
    };
    let receipt = record(&sending).unwrap();
    assert!(receipt.files.is_empty());
    assert!(
        receipt.summarised.contains(&"app.py".to_owned()) && receipt.summarised.contains(&"pyproject.toml".to_owned())
    );
    assert_eq!(receipt.context_pack_info.files_excluded, 3002);
}

#[test]
fn threads_make_no_difference_to_a_survey() {
    let folder = large();
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let snapshot =
                scanned_with(folder.path(), &ScanOptions { threads: Some(threads), ..ScanOptions::default() });
            let survey = survey(&snapshot);
            let counter = TokenCounter::new();
            let room = Some(Room { max_tokens: 9000, format: Format::Json });
            let summary = summary(&survey, None, room).build(&snapshot, &counter).unwrap();
            let builder =
                FullPackBuilder { survey: Some(&survey), room, reproducible: true, ..FullPackBuilder::default() };
            let full = builder.build(&snapshot, &counter).unwrap();
            (render(&summary.into(), Format::Json).unwrap(), render(&full.into(), Format::Json).unwrap())
        })
    };
    let one = made(1);
    assert!(made(4) == one);
    assert!(made(1) == one);
}

/// What no parser likes: the pack is made, and the file counted.
#[test]
fn hostile_code_costs_only_itself() {
    let deep = "(".repeat(60_000);
    let folder = tree(&[
        ("deep.py", &deep),
        ("deep.js", &"{".repeat(60_000)),
        ("name\nwith.rs", "fn f() {}\n"),
        ("ok.py", "def ok(): pass\n"),
    ]);
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    let pack = summary(&survey, None, None).build(&snapshot, &TokenCounter::new()).unwrap();
    assert_eq!(pack.metadata.total_files_scanned, 4);
    let truncation = TruncationConfig { max_total_bytes: 100, ..TruncationConfig::default() };
    let builder = FullPackBuilder { truncation, survey: Some(&survey), ..FullPackBuilder::default() };
    is_sound(&builder.build(&snapshot, &TokenCounter::new()).unwrap());
}

/// A summary as `make` gives it where nobody says how long it may be.
#[test]
fn the_default_summary_of_a_large_project_lists_folders_and_stays_short() {
    let folder = large();
    for format in FORMATS {
        let request = PackRequest {
            choice: Choice { root: folder.path().to_owned(), ..Choice::default() },
            stop_at_secrets: false,
            wanted: Wanted::Summary,
            constraints: PackConstraints::default(),
            truncation: TruncationConfig::default(),
            max_files: None,
            max_tokens: None,
            format,
            count_tokens: true,
            reproducible: true,
            scan: ScanOptions::default(),
        };
        let made = make(&request, &|| None, &Caches::default(), &Cancel::default(), &|_| {}).unwrap();
        let tokens = count_tokens(&shown(&made.pack, format));
        assert!(tokens < 10_000, "{format:?}: {tokens}");
        let ContextPack::Summary(pack) = &made.pack else { panic!("{:?}", made.pack) };
        assert_eq!((listed(pack), pack.metadata.file_index_omitted), (3002, 0));
        let folders: Vec<(&str, usize)> =
            pack.file_index.iter().filter_map(|entry| Some((&*entry.path, entry.files?))).collect();
        assert_eq!(folders.len(), 7, "{folders:?}");
        assert!(folders.iter().map(|(_, files)| files).sum::<usize>() > 2000, "{folders:?}");
        assert!(pack.file_index.iter().any(|entry| entry.path == "pyproject.toml" && entry.files.is_none()));
        assert!(ai_assist_pack::check(&made.pack).is_empty(), "{:?}", ai_assist_pack::check(&made.pack));
    }
}

#[test]
fn a_budgeted_pack_chooses_by_use_not_by_smallness() {
    let body =
        |name: &str| format!("def {name}(a):\n    total = a\n{}    return total\n\n\n", "    total += 1\n".repeat(40));
    let uses = |n: usize| format!("from app.core import run\n\n\n{}", body(&format!("page_{n}")));
    let core = format!("def _hidden(a):\n    return a\n\n\n{}", body("run"));
    let mut files: Vec<(String, String)> = (0..12).map(|n| (format!("app/page_{n}.py"), uses(n))).collect();
    files.extend((0..40).map(|n| (format!("app/migrations/{n:04}_change.py"), format!("STEP = {n}\n").repeat(15))));
    files.extend(
        (0..40).map(|n| (format!("tests/test_{n}.py"), format!("def test_{n}():\n    assert {n}\n").repeat(6))),
    );
    files.extend((0..20).map(|n| (format!("app/locale/l{n}/words.py"), "WORDS = 1\n".repeat(20))));
    files.extend((0..20).map(|n| (format!("app/sub{n}/__init__.py"), "pass\n".to_owned())));
    files.push(("app/core.py".to_owned(), core));
    files.push(("README.md".to_owned(), format!("# App\n\nIt counts.\n{}", "More words about it.\n".repeat(900))));
    files.push(("pyproject.toml".to_owned(), "[project]\nname = \"app\"\n".to_owned()));
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&borrowed);
    let snapshot = scanned(folder.path());
    let survey = survey(&snapshot);
    for max_tokens in [2_500, 4_000] {
        let room = Some(Room { max_tokens, format: Format::Markdown });
        let manifest = survey.manifest_input();
        let builder = FullPackBuilder { survey: Some(&survey), room, manifest, ..FullPackBuilder::default() };
        let pack = builder.build(&snapshot, &TokenCounter::new()).unwrap();
        is_sound(&pack);
        let keys: Vec<&str> = pack.key_files.iter().map(|file| &*file.path).collect();
        assert_eq!(keys[..2], ["README.md", "pyproject.toml"], "what the project says of itself comes first");
        assert!(pack.key_files[0].truncated && pack.key_files[0].content.starts_with("# App\n\nIt counts.\n"));
        let sent: Vec<&str> = texts(&pack).into_iter().map(|(path, _)| path).collect();
        assert!(sent.contains(&"app/core.py"), "what all others use has its text: {sent:?}");
        let outlined: Vec<&str> = pack.outlines.iter().map(|file| &*file.path).collect();
        let pages = sent.iter().chain(&outlined).filter(|path| path.starts_with("app/page_")).count();
        assert_eq!(pages, 12, "every page is there, by its outline at least: {sent:?} {outlined:?}");
        let is_last = |path: &&&str| ["migrations", "tests", "locale", "sub"].iter().any(|part| path.contains(part));
        assert_eq!(sent.iter().find(is_last), None, "at {max_tokens}");
    }
    let outline = survey.outline(&snapshot, snapshot.paths().iter().position(|path| path == "app/core.py").unwrap());
    assert!(outline.unwrap().contains("_hidden"), "where bytes are limited, an outline has everything");
}
