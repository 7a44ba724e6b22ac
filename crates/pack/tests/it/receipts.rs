//! The account of what was sent.

use ai_assist_admit::PackRules;
use ai_assist_base::Cancel;
use ai_assist_identity::Sha256;
use ai_assist_pack::types::{ContextPack, ExclusionReason, TruncationConfig};
use ai_assist_pack::{
    ChainError, Format, FullPackBuilder, ScanOptions, Sending, Snapshot, TransparencyRecord, record, render, scan,
    verify_chain, whole_tree,
};

use crate::tree::{packed, scanned, tree, write, written};

fn sent(snapshot: &Snapshot, previous: Option<Sha256>) -> TransparencyRecord {
    let builder = FullPackBuilder {
        truncation: TruncationConfig { max_file_bytes: 100, max_total_bytes: 400, ..TruncationConfig::default() },
        selection_reason: "It fits.".to_owned(),
        count_tokens: true,
        ..FullPackBuilder::default()
    };
    let pack = ContextPack::from(packed(snapshot, &builder));
    let bytes = render(&pack, Format::Json).unwrap();
    record(&Sending {
        snapshot,
        pack: &pack,
        written: written(&bytes),
        provider: Some("acme"),
        tool_version: "0.1.0",
        previous,
    })
    .unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tree(&[
        ("main.py", "print('hello')\n"),
        ("config.py", "GITHUB = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"\n"),
        ("long.txt", &"many words\n".repeat(50)),
        (".env", "A=1\n"),
        ("main.pem", "a test\n"),
    ]);
    write(folder.path(), "logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0");
    for n in 0..9 {
        write(folder.path(), &format!("more/{n}.txt"), "x".repeat(60));
    }
    folder
}

#[test]
fn a_record_names_everything() {
    let folder = project();
    let rules = PackRules { allow: vec!["main.pem".parse().unwrap()], ..PackRules::default() };
    let selection = whole_tree(folder.path(), rules).unwrap();
    let snapshot = scan(&selection, &ScanOptions::default(), &Cancel::default(), &|_| {}).unwrap();
    let record = sent(&snapshot, None);
    let info = &record.context_pack_info;
    assert_eq!(info.files_scanned, 15);
    assert_eq!(info.files_included, record.files.len());
    assert_eq!(info.files_included + info.files_excluded, 15);
    assert_eq!(info.exclusions_by_each_reason.len(), 8);
    assert_eq!(info.exclusions_by_each_reason.values().sum::<usize>(), info.files_excluded);
    let counts = info.exclusions_by_reason;
    assert_eq!((counts.credentials, counts.binary, counts.pattern), (1, 1, 0));
    assert_eq!(counts.size, info.exclusions_by_each_reason[&ExclusionReason::SizeLimit]);
    assert_eq!(record.excluded.len(), info.files_excluded);
    assert_eq!(info.content_bytes, record.files.iter().map(|file| file.bytes).sum::<u64>());
    let main = record.files.iter().find(|file| file.path == "main.py").unwrap();
    assert_eq!(main.hash, Some(Sha256::of(b"print('hello')\n")));
    assert_eq!(main.sent_hash, Sha256::of(b"print('hello')\n"));
    assert_eq!(record.files.iter().filter(|file| file.truncated).count(), info.truncated_files);
    assert_eq!(record.redactions.values().sum::<usize>(), 1);
    assert_eq!(record.allowed, ["main.pem"]);
    let yaml = record.to_yaml().unwrap();
    assert!(yaml.contains("\ncontext_pack_info:\n  type: \"full\"\n  selection_reason: \"It fits.\"\n"), "{yaml}");
    assert!(!yaml.contains("16C7e42F"), "no value of a secret");
    assert_eq!(TransparencyRecord::from_json(&record.to_json().unwrap()).unwrap(), record);
}

#[test]
fn a_chain_shows_what_was_done_to_it() {
    let folder = project();
    let snapshot = scanned(folder.path());
    let mut chain: Vec<TransparencyRecord> = Vec::new();
    for _ in 0..4 {
        let previous = chain.last().map(|record| record.record_hash);
        chain.push(sent(&snapshot, previous));
    }
    assert_eq!(verify_chain(&chain), Ok(()));
    assert_eq!(verify_chain(&[]), Ok(()));
    let mut changed = chain.clone();
    changed[3].files[0].bytes += 1;
    assert!(matches!(verify_chain(&changed), Err(ChainError::Changed { number: 4, .. })));
    // Hashing it again does not help unless it is the last.
    changed = chain.clone();
    changed[1].files.clear();
    changed[1].record_hash = changed[1].hash().unwrap();
    assert!(matches!(verify_chain(&changed), Err(ChainError::Broken { number: 3, .. })));
    let mut shorter = chain.clone();
    shorter.remove(2);
    assert!(matches!(verify_chain(&shorter), Err(ChainError::Broken { number: 3, .. })));
    assert!(matches!(verify_chain(&chain[1..]), Err(ChainError::NoBeginning { .. })));
    chain.swap(1, 2);
    assert!(matches!(verify_chain(&chain), Err(ChainError::Broken { number: 2, .. })));
    let message = verify_chain(&chain).unwrap_err().to_string();
    assert!(message.starts_with("record 2 does not follow the one before it: it names sha256:"), "{message}");
}
