//! A labelled set: files of many kinds with planted secrets and look-alikes, the same for the same seed.

use crate::Random;
use crate::innocent::INNOCENT;
use crate::kinds::{ENCODED, KINDS, Kind};
use crate::random::base64;

/// Where something was put.
#[derive(Debug)]
pub struct Label {
    pub kind: &'static str,
    /// First and last line, counted from one.
    pub lines: (usize, usize),
    pub value: Option<String>,
}

#[derive(Debug)]
pub struct File {
    pub name: String,
    pub text: String,
    /// What stands in it.
    pub labels: Vec<Label>,
}

/// How often each kind is planted.
const SECRETS_EACH: usize = 4;
const INNOCENT_EACH: usize = 4;
/// How many things stand in one file.
const PER_FILE: usize = 6;

/// A text with a secret or a look-alike in it, of a line or a few.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) kind: &'static str,
    /// The kind of file it stands in.
    pub(crate) extension: &'static str,
    pub(crate) text: String,
    pub(crate) value: Option<String>,
}

/// Files with several of each kind.
pub fn labelled(seed: u64) -> Vec<File> {
    let mut random = Random(seed);
    let mut pieces = Vec::new();
    for _ in 0..SECRETS_EACH {
        pieces.extend(KINDS.iter().map(|&(kind, extension, text)| plant(&mut random, kind, extension, text)));
        for &(kind, extension, text) in ENCODED {
            let pair = format!("{}:{}", random.word(), random.password());
            pieces.push(plant(&mut random, kind, extension, &text.replace("@@", &base64(pair.as_bytes()))));
        }
    }
    for _ in 0..INNOCENT_EACH {
        pieces.extend(INNOCENT.iter().map(|kind| look_alike(&mut random, kind)));
    }
    group(&mut random, pieces)
}

pub(crate) fn look_alike(random: &mut Random, &(kind, extension, text): &Kind) -> Piece {
    Piece { kind, extension, text: random.fill(text), value: None }
}

/// A text with its slots filled, whose value stands in `«»`.
pub(crate) fn plant(random: &mut Random, kind: &'static str, extension: &'static str, text: &str) -> Piece {
    let text = random.fill(text);
    let start = text.find('«').unwrap_or(0);
    let end = text.find('»').unwrap_or(text.len());
    let value = text.get(start + '«'.len_utf8()..end).map(str::to_owned);
    Piece { kind, extension, text: text.replace(['«', '»'], ""), value }
}

fn group(random: &mut Random, mut pieces: Vec<Piece>) -> Vec<File> {
    for at in (1..pieces.len()).rev() {
        pieces.swap(at, random.below(at + 1));
    }
    pieces.sort_by_key(|piece| piece.extension);
    let mut files: Vec<File> = Vec::new();
    let mut held = 0;
    for piece in pieces {
        let suffix = format!(".{}", piece.extension);
        if held == 0 || held == PER_FILE || files.last().is_none_or(|file| !file.name.ends_with(&suffix)) {
            held = 0;
            files.push(File {
                name: format!("file{:03}{suffix}", files.len()),
                text: String::new(),
                labels: Vec::new(),
            });
        }
        held += 1;
        if let Some(file) = files.last_mut() {
            add(random, file, piece);
        }
    }
    files
}

fn add(random: &mut Random, file: &mut File, piece: Piece) {
    for _ in 0..1 + random.below(4) {
        file.text.push_str(&filler(random, piece.extension));
        file.text.push('\n');
    }
    let before = file.text.matches('\n').count() + 1;
    let (first, last) = match &piece.value {
        Some(value) => {
            let at = piece.text.find(value.as_str()).unwrap_or(0);
            let first = before + piece.text[..at].matches('\n').count();
            (first, first + value.matches('\n').count())
        }
        None => (before, before + piece.text.matches('\n').count()),
    };
    file.text.push_str(&piece.text);
    file.text.push('\n');
    file.labels.push(Label { kind: piece.kind, lines: (first, last), value: piece.value });
}

/// A line that nobody would look at twice.
pub(crate) fn filler(random: &mut Random, extension: &str) -> String {
    let text = match extension {
        "py" => random.pick(&[
            "def {word}(self, items):",
            "    return [i for i in items if i.{word}]",
            "import {word}",
            "",
            "    # {word} comes first",
        ]),
        "js" | "ts" => random.pick(&[
            "function {word}(items) {",
            "  return items.map((i) => i.{word});",
            "}",
            "import {word} from './{word}';",
            "// the {word} is lazy",
        ]),
        "java" | "cs" => {
            random.pick(&["    int {word} = {d2};", "    }", "    // {word} and {word}", "    public void {word}() {"])
        }
        "go" => random.pick(&["func {word}(n int) error {", "\treturn nil", "}", "// {word} is safe"]),
        "yaml" => random.pick(&["{word}:", "  {word}: {d2}", "  - {word}", "# {word}"]),
        "json" => random.pick(&["\"{word}\": {d2},", "\"{word}\": \"{word}\",", "\"on\": true,"]),
        "xml" | "html" => random.pick(&["  <{word}>{d2}</{word}>", "<!-- {word} -->", "<p>The {word}</p>"]),
        "sh" | "dockerfile" => random.pick(&["# {word}", "RUN make {word}", "echo {word}"]),
        "env" | "ini" | "properties" | "toml" => random.pick(&["# {word}", "{word}={d2}", "{word} = {word}"]),
        _ => random.pick(&["The {word} of the {word}.", "", "{word} {d2}"]),
    };
    random.fill(text)
}
