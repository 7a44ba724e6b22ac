use std::fmt::Write as _;
use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

/// The transcripts beside this crate, by name.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension != "expected"));
    files.sort();
    files
        .into_iter()
        .map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), fs::read(file).unwrap()))
        .collect()
}

fn read_all(mut bytes: &[u8]) -> Result<Transcript, TranscriptError> {
    read(&mut bytes, None)
}

/// A transcript as lines that can be compared by eye.
fn shown(transcript: &Transcript) -> String {
    let mut text = String::new();
    let Transcript { format, session, parent, agent, folder, branch, system_prompt, events, skipped, subagents } =
        transcript;
    writeln!(text, "{format} session={session:?} folder={folder:?} system={system_prompt:?}").unwrap();
    for (name, value) in [("parent", parent), ("agent", agent), ("branch", branch)] {
        value.iter().for_each(|value| writeln!(text, "{name}={value}").unwrap());
    }
    for Event { at, key, what } in events {
        let at = at.map_or_else(|| "-".to_owned(), |at| at.to_string());
        write!(text, "{at} {key} ").unwrap();
        match what {
            What::Turn { role, text: said } => writeln!(text, "{role:?} {said:?}").unwrap(),
            What::Toolcall { tool, args, args_display, output, ok, files } => {
                writeln!(text, "{tool} {args}\n    shown={args_display:?} ok={ok}\n    output={output:?}").unwrap();
                for file in files {
                    writeln!(text, "    file={:?} {:?}", file.path, file.seen).unwrap();
                }
            }
        }
    }
    for Skipped { line, why } in skipped {
        writeln!(text, "skipped {line}: {why}").unwrap();
    }
    for subagent in subagents {
        writeln!(text, "--- sub-agent\n{}", shown(subagent).trim_end()).unwrap();
    }
    text
}

/// `UPDATE_TRANSCRIPTS=1` writes what is read beside the fixtures, to be looked at before it is committed.
#[test]
fn every_fixture_is_read_as_expected() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 12, "the fixtures are gone");
    for (name, bytes) in fixtures {
        let transcript = read_all(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = folder().join(format!("{name}.expected"));
        if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
            fs::write(&expected, shown(&transcript)).unwrap();
        }
        assert_eq!(shown(&transcript), fs::read_to_string(&expected).unwrap_or_default(), "{name}");
    }
}

#[test]
fn the_format_that_is_sniffed_is_the_one_that_can_be_named() {
    for (name, bytes) in fixtures() {
        let sniffed = read_all(&bytes).unwrap();
        assert!(name.starts_with(sniffed.format.name()), "{name} is taken for {}", sniffed.format);
        for format in Format::ALL {
            match read(&mut bytes.as_slice(), Some(format)) {
                Ok(named) => assert_eq!(named, sniffed, "{name} as {format}"),
                Err(TranscriptError::NotThis { format: refused, .. }) => {
                    assert_eq!(refused, format);
                    assert_ne!(format, sniffed.format, "{name}");
                }
                Err(other) => panic!("{name} as {format}: {other}"),
            }
        }
    }
}

#[test]
fn keys_are_unique_and_the_same_at_every_reading() {
    for (name, bytes) in fixtures() {
        let (once, twice) = (read_all(&bytes).unwrap(), read_all(&bytes).unwrap());
        assert_eq!(once, twice);
        let mut keys: Vec<&str> = once.events.iter().map(|event| event.key.as_str()).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {keys:?}");
    }
}

/// The key of a line depends on nothing that comes after it.
#[test]
fn a_transcript_that_grows_keeps_its_events() {
    for (name, bytes) in fixtures().into_iter().filter(|(name, _)| name.ends_with("jsonl")) {
        let whole = read_all(&bytes).unwrap();
        let ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        for end in ends {
            if let Ok(part) = read_all(&bytes[..end]) {
                assert_kept(&part, &whole, &name);
            }
        }
    }
}

/// Whether the events of a part are those of the whole, as far as they are not about calls that wait.
fn assert_kept(part: &Transcript, whole: &Transcript, name: &str) {
    let finished = |event: &&Event| !event.key.ends_with(":waiting");
    let part: Vec<&Event> = part.events.iter().filter(finished).collect();
    let whole: Vec<&Event> = whole.events.iter().filter(finished).take(part.len()).collect();
    assert_eq!(part, whole, "{name}");
}

#[test]
fn what_is_no_transcript_is_refused_with_the_formats_and_what_was_seen() {
    let cases: [(&[u8], &str); 8] = [
        (b"", "it is empty"),
        (b"\n\n \n", "it is empty"),
        (b"hello\nsecret-token-123\n", "none of its first 2 lines is JSON"),
        (b"{\"type\":\"secret-token-123\"}\n", "1 of its first 1 lines are JSON, but of none of the formats"),
        (b"[1]\n2\nx", "2 of its first 3 lines are JSON, but of none of the formats"),
        (b"{\n  \"secret-token-123\": 1\n}\n", "it is no JSON document with a `trajectory`, a `history` or `messages`"),
        (b"{\"trajectory\": 7}", "it is no JSON document with a `trajectory`, a `history` or `messages`"),
        (b"\xff\xfe\0\0", "none of its first 1 lines is JSON"),
    ];
    for (bytes, seen) in cases {
        let message = read_all(bytes).unwrap_err().to_string();
        assert!(message.contains(seen), "{message}");
        assert!(!message.contains("secret"), "{message}");
        for format in Format::ALL {
            assert!(message.contains(format.name()), "{message}");
            let named = read(&mut &bytes[..], Some(format)).unwrap_err().to_string();
            assert!(named.contains(format.name()) && !named.contains("secret"), "{named}");
        }
    }
}

#[test]
fn an_input_that_fails_is_an_error_and_not_an_end() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let line = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"},\"sessionId\":\"s\"}\n";
    let mut input = BufReader::new(line.as_slice().chain(Failing));
    assert!(matches!(read(&mut input, None), Err(TranscriptError::Io(_))));
}

#[test]
fn a_line_of_100_megabytes_is_passed_over() {
    let line = |uuid: &str, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let (before, after) = (line("a", "before"), line("c", "after"));
    let long = std::io::repeat(b'x').take(100 << 20);
    let mut input = BufReader::new(before.as_bytes().chain(long).chain(&b"\n"[..]).chain(after.as_bytes()));
    let transcript = read(&mut input, None).unwrap();
    let keys: Vec<&str> = transcript.events.iter().map(|event| event.key.as_str()).collect();
    assert_eq!(keys, ["a", "c"]);
    assert_eq!(transcript.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn names_of_formats_read_back() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "claude".parse::<Format>().unwrap_err().to_string();
    assert!(Format::ALL.iter().all(|format| error.contains(format.name())), "{error}");
}

/// 300 damages of nine transcripts, as below, seldom meet the line of a message that is written again.
#[test]
fn a_message_that_is_written_again_and_damaged_stays() {
    let (_, bytes) = fixtures().into_iter().find(|(name, _)| name == "gemini-0.61.jsonl").unwrap();
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for at in ends[2]..ends[3] {
        for lost in [1, 2, 7, 11, 23, 45, 59] {
            let mangled = read_all(&[&bytes[..at], &bytes[at + lost..]].concat()).unwrap();
            assert!(mangled.events.iter().any(|event| event.key == "m2"), "{lost} bytes at {at}: {mangled:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever follows, the lines before the damage are read.
    #[test]
    fn damage_leaves_the_lines_before_it(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        splice in prop::collection::vec(any::<u8>(), 0..40),
        lost in 0_usize..60,
        rest in any::<bool>(),
    ) {
        let fixtures: Vec<_> = fixtures().into_iter().filter(|(name, _)| name.ends_with("jsonl")).collect();
        let (name, bytes) = which.get(&fixtures);
        let at = at.index(bytes.len());
        let intact = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        if let Ok(mut before) = read_all(&bytes[..intact]) {
            let mut mangled = read_all(&mangled(bytes, at, &splice, lost, rest)).unwrap();
            // A message that is written again is what its last line says, and that line may be the damaged one.
            let later = String::from_utf8_lossy(&bytes[intact..]).into_owned();
            let again = |key: &str| later.contains(&format!("\"id\":\"{key}\""));
            let replaced: Vec<String> =
                before.events.iter().map(|event| event.key.clone()).filter(|key| again(key)).collect();
            for key in &replaced {
                prop_assert!(mangled.events.iter().any(|event| event.key == *key), "{name}: {key}");
            }
            for events in [&mut before.events, &mut mangled.events] {
                events.retain(|event| !replaced.contains(&event.key));
            }
            assert_kept(&before, &mangled, name);
        }
    }

    /// Whatever follows, the steps of a document before the damage are read. The task stands behind them, and may be lost.
    #[test]
    fn damage_leaves_the_steps_before_it(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        splice in prop::collection::vec(any::<u8>(), 0..40),
        lost in 0_usize..60,
        rest in any::<bool>(),
    ) {
        let fixtures: Vec<_> = fixtures().into_iter().filter(|(name, _)| name.ends_with("traj")).collect();
        let (name, bytes) = which.get(&fixtures);
        let at = at.index(bytes.len());
        if let Ok(before) = read_all(&bytes[..at]) {
            let mangled = read_all(&mangled(bytes, at, &splice, lost, rest)).unwrap();
            for event in before.events.iter().filter(|event| event.key.starts_with("step:") && !event.key.ends_with(":waiting")) {
                let same = mangled.events.iter().find(|other| other.key == event.key).map(said);
                prop_assert!(same == Some(said(event)), "{}: {}", name, event.key);
            }
        }
    }

    #[test]
    fn anything_at_all_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), nested in 0_usize..5000) {
        let deep = ["{\"trajectory\":".repeat(nested).into_bytes(), b"{\n".to_vec(), bytes.clone()].concat();
        for input in [bytes, deep, "[".repeat(nested).into_bytes()] {
            for format in [None, Some(Format::ClaudeCode), Some(Format::Codex), Some(Format::SweAgent)] {
                let _ = read(&mut input.as_slice(), format);
            }
        }
    }

    /// Lines in any order are no worse than lines that are missing.
    #[test]
    fn shuffled_lines_never_fail(
        which in any::<prop::sample::Index>(),
        order in prop::collection::vec(any::<u32>(), 60),
    ) {
        let fixtures = fixtures();
        let (_, bytes) = which.get(&fixtures);
        let mut lines: Vec<(u32, &[u8])> = order.into_iter().cycle().zip(bytes.split(|&byte| byte == b'\n')).collect();
        lines.sort_by_key(|(place, _)| *place);
        let shuffled = lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(&b'\n');
        for format in [None, Some(Format::ClaudeCode), Some(Format::Codex), Some(Format::SweAgent)] {
            if let Ok(transcript) = read(&mut shuffled.as_slice(), format) {
                let unique: std::collections::HashSet<&str> =
                    transcript.events.iter().map(|event| event.key.as_str()).collect();
                prop_assert_eq!(unique.len(), transcript.events.len());
            }
        }
    }

    /// Any value in the place of any other is read or skipped.
    #[test]
    fn wrong_types_never_fail(
        which in any::<prop::sample::Index>(),
        line in any::<prop::sample::Index>(),
        path in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        wrong in prop_oneof![
            Just(Value::Null), Just(Value::from(-1)), Just(Value::from("\0")), Just(serde_json::json!([[]])),
            Just(serde_json::json!({"type": {}})), Just(Value::from(true)), Just(Value::from(1e300)),
        ],
    ) {
        let fixtures: Vec<_> = fixtures().into_iter().filter(|(name, _)| name.ends_with("jsonl")).collect();
        let (_, bytes) = which.get(&fixtures);
        let mut lines: Vec<Value> =
            bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let at = line.index(lines.len());
        replace(&mut lines[at], &path, wrong);
        let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        for format in [None, Some(Format::ClaudeCode), Some(Format::Codex), Some(Format::SweAgent)] {
            if let Ok(transcript) = read(&mut text.as_bytes(), format) {
                for event in &transcript.events {
                    if let What::Toolcall { args, .. } = &event.what {
                        prop_assert!(args.is_object());
                    }
                }
            }
        }
    }
}

/// A transcript with something in the place of what stood there, and maybe nothing after it.
fn mangled(bytes: &[u8], at: usize, splice: &[u8], lost: usize, rest: bool) -> Vec<u8> {
    let rest: &[u8] = if rest { bytes.get(at + lost..).unwrap_or_default() } else { &[] };
    [&bytes[..at], splice, rest].concat()
}

/// What an event says, without what messages further on add to it.
fn said(event: &Event) -> &str {
    match &event.what {
        What::Turn { text, .. } => text,
        What::Toolcall { output, .. } => output,
    }
}

/// Replaces a value somewhere in another.
fn replace(value: &mut Value, path: &[prop::sample::Index], wrong: Value) {
    match (value, path.split_first()) {
        (Value::Object(fields), Some((first, rest))) if !fields.is_empty() => {
            let at = first.index(fields.len());
            replace(fields.values_mut().nth(at).unwrap(), rest, wrong);
        }
        (Value::Array(values), Some((first, rest))) if !values.is_empty() => {
            let at = first.index(values.len());
            replace(&mut values[at], rest, wrong);
        }
        (value, _) => *value = wrong,
    }
}
